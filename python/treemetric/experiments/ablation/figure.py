"""The figure of the ablation: a row for each data set, a column for each distance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treemetric.experiments.ablation.plan import CLASSIFIERS, VARIANTS
from treemetric.experiments.ablation.results import (
    DISTANCE_TITLES,
    MeanError,
    Row,
    summarise,
    title,
)
from treemetric.plotting.common import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = {"knn": "kNN", "median GLVQ": "median GLVQ", "SVM": "SVM", "goodness": "goodness"}
# Colours that colour-blind readers can distinguish, and markers for grey prints.
_STYLES = {
    "knn": ("#0072B2", "o"),
    "median GLVQ": ("#E69F00", "s"),
    "SVM": ("#8E4585", "^"),
    "goodness": ("#D55E00", "D"),
}
# Distance between classifiers, so that error bars do not overlap.
_STEP = 0.13
_GAP = 0.6
_CAPTION = (
    "Mean error over folds; bars: standard deviation over folds. unit: all edits cost 1, "
    "nothing learned."
)


def plot_ablation(rows: Sequence[Row]) -> Figure:
    """Draw mean errors with standard deviations, a row of panels for each data set.

    Parameters
    ----------
    rows : sequence of dict
        The rows that `run_ablation` returns.

    Returns
    -------
    matplotlib.figure.Figure
        The pseudo-edit distance on the left, the edit distance on the right. Variants run from
        left to right; unit costs (nothing learned) are set apart. Bars are standard deviations
        over the folds. Hollow markers show the dynamic program under learned costs that are not a
        pseudo-metric. A cross marks edit distances for which the closure of the learned costs is
        0 everywhere in at least half of the folds, so that all trees are equal.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from treemetric.experiments import plot_ablation
    >>> row = {"dataset": "strings", "variant": "L2", "distance": "actual", "classifier": "knn"}
    >>> figure = plot_ablation([{**row, "error": 0.0}, {**row, "error": 0.5}])
    >>> len(figure.axes)
    2
    """
    return _draw(rows, _CAPTION)


def _draw(rows: Sequence[Row], caption: str) -> Figure:
    require_matplotlib()
    from matplotlib.figure import Figure

    found = {tuple(one[:4]): one for one in summarise(rows)}
    datasets = list(dict.fromkeys(key[0] for key in found))
    variants = [name for name in VARIANTS if any(key[1] == name for key in found)]
    learned = [name for name in variants if name != "unit"]
    places = {name: float(k) for k, name in enumerate(learned)}
    if len(learned) < len(variants):
        places["unit"] = -1.0 - (_GAP if learned else 0.0)
    figure = Figure(figsize=(9.5, 1.5 + 2.15 * len(datasets)), layout="constrained")
    panels = figure.subplots(len(datasets), 2, sharex=True, sharey="row", squeeze=False)
    for line, dataset in zip(panels, datasets, strict=True):
        for panel, distance in zip(line, ("pseudo", "actual"), strict=True):
            _panel(panel, {k: v for k, v in found.items() if k[0] == dataset}, distance, places)
        line[0].set_ylabel(f"{title(dataset)}\nerror")
        top = max((one.mean + one.std for key, one in found.items() if key[0] == dataset))
        line[0].set_ylim(-0.02, max(0.5, min(1.0, top)) + 0.03)
    for panel, distance in zip(panels[0], ("pseudo", "actual"), strict=True):
        panel.set_title(DISTANCE_TITLES[distance], fontsize=11)
    for panel in panels[-1]:
        names = sorted(places, key=lambda name: places[name])
        panel.set_xticks([places[name] for name in names], names)
    hollow = any(key[2] == "programme" for key in found)
    handles = _legend(hollow=hollow, crossed=any(map(_is_zero, found.values())))
    columns = len(handles) if len(handles) < 6 else 3
    figure.legend(
        handles=handles,
        title=caption,
        title_fontsize="small",
        loc="outside lower center",
        ncols=columns,
        frameon=False,
    )
    return figure


def _is_zero(one: MeanError) -> bool:
    """Return whether the edit distance is 0 for all trees in at least half of the folds."""
    return one.distance == "actual" and one.zero_closure >= 0.5


def _panel(
    panel: Axes, found: dict[Any, MeanError], distance: str, places: dict[str, float]
) -> None:
    panel.grid(axis="y", color="0.9", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    if "unit" in places and len(places) > 1:
        panel.axvline(-(1.0 + _GAP) / 2, color="0.75", linestyle=":", linewidth=1)
    panel.set_xlim(min(places.values()) - 0.5, max(places.values()) + 0.5)
    for k, classifier in enumerate(CLASSIFIERS):
        shift = (k - (len(CLASSIFIERS) - 1) / 2) * _STEP
        # The dynamic program beside the edit distance, where costs are not a pseudo-metric.
        for drawn in (distance, "programme") if distance == "actual" else (distance,):
            _series(panel, found, drawn, classifier, {k: v + shift for k, v in places.items()})


def _series(
    panel: Axes,
    found: dict[Any, MeanError],
    distance: str,
    classifier: str,
    places: dict[str, float],
) -> None:
    colour, mark = _STYLES[classifier]
    some = [one for one in found.values() if one[2:4] == (distance, classifier)]
    if not some:
        return
    panel.errorbar(
        [places[one.variant] for one in some],
        [one.mean for one in some],
        yerr=[one.std for one in some],
        color=colour,
        markerfacecolor="white" if distance == "programme" else colour,
        alpha=0.75 if distance == "programme" else 1.0,
        marker=mark,
        markersize=4.5,
        linestyle="none",
        elinewidth=1.0,
        capsize=2.0,
    )
    crossed = [one for one in some if _is_zero(one)]
    if crossed:
        where = [places[one.variant] for one in crossed], [one.mean for one in crossed]
        panel.plot(*where, color="black", marker="x", markersize=6.5, linestyle="none", zorder=5)


def _legend(*, hollow: bool, crossed: bool) -> list[Any]:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=mark, linestyle="none", label=_NAMES[name])
        for name, (colour, mark) in _STYLES.items()
    ]
    if hollow:
        label = "hollow: programme under raw costs"
        handles.append(Line2D([], [], color="0.3", marker="o", mfc="white", ls="none", label=label))
    if crossed:
        label = "cross: all distances 0 in half of the folds or more"
        handles.append(Line2D([], [], color="black", marker="x", ls="none", label=label))
    return handles


def save(rows: Sequence[Row], path: Path, *, quick: bool) -> None:
    """Draw and write the figure."""
    caption = f"Quick run: numbers mean nothing. {_CAPTION}" if quick else _CAPTION
    _draw(rows, caption).savefig(path, dpi=130)
