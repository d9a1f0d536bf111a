"""Plot of the weights of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from treemetric._base.validation import check_int
from treemetric.alignment.layout import label_text
from treemetric.inspection import LabelWeights, label_weights
from treemetric.plotting.common import new_axes, require_matplotlib
from treemetric.plotting.rows import font_that_fits, height_of_rows, name_rows, soft_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_label_weights"]

_LONGEST_LABEL = 24
_GREY = "#8c8c8c"
# Smaller weights are not on the axis.
_SMALLEST = 1e-3


def plot_label_weights(
    weights: LabelWeights | Any, *, n_labels: int = 24, ax: Axes | None = None
) -> Axes:
    """Draw the weights of labels with their intervals over the fits, the largest at the top.

    Parameters
    ----------
    weights : LabelWeights or fitted learner
        The result of `treemetric.inspection.label_weights`, or a learner.
    n_labels : int, default=24
        Number of labels to draw. If there are more, the largest and the smallest weights are
        drawn, half each.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure, whose size depends on the labels.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_costs : The costs of all pairs of labels.

    Notes
    -----
    The line at 1 is the mean weight. The axis is logarithmic, so that weights of 2 and of 1/2 are
    at the same distance from it. Open triangles at the left end are weights below 0.001, such as 0;
    intervals that begin there reach below it.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.learning import NCACosts
    >>> from treemetric.plotting import plot_label_weights
    >>> strings = make_strings(60, random_state=0)
    >>> ax = plot_label_weights(NCACosts(random_state=0).fit(strings.data, strings.target))
    >>> sorted(label.get_text() for label in ax.get_yticklabels())
    ['a', 'b', 'c', 'd']
    """
    require_matplotlib()
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    check_int(n_labels, "n_labels", "plot_label_weights", 2)
    found = weights if isinstance(weights, LabelWeights) else label_weights(weights)
    count = len(found.labels)
    places = np.arange(count)
    if count > n_labels:
        lowest = n_labels // 2
        places = np.concatenate([places[: n_labels - lowest], places[count - lowest :]])
    if ax is None:
        ax = new_axes(6.0, height_of_rows(len(places)))
    drawn = np.stack([found.low[places], found.weights[places], found.high[places]])
    shown = drawn[np.isfinite(drawn) & (drawn >= _SMALLEST)]
    # The logarithmic axis has no 0: smaller values are at its left end.
    left = min(0.45, float(shown.min(initial=1.0)) / 1.15)
    below = drawn[1] < left
    low, values, high = np.maximum(drawn, left)
    rows = np.arange(len(places))
    ax.axvline(1.0, color=_GREY, linewidth=1.0, linestyle="--", zorder=1)
    ax.hlines(rows, low, high, color="C0", linewidth=3.0, alpha=0.4, zorder=2)
    ax.plot(values[~below], rows[~below], "o", color="C0", markersize=5, zorder=3)
    places_below = (values[below], rows[below])
    ax.plot(*places_below, "<", color="C0", markerfacecolor="white", markersize=6, zorder=4)
    if count > n_labels:
        ax.axhline(n_labels - n_labels // 2 - 0.5, color=_GREY, linewidth=1.0, linestyle=":")
    name_rows(ax, [label_text(found.labels[place], _LONGEST_LABEL) for place in places.tolist()])
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    right = max(2.2, float(shown.max(initial=1.0)) * 1.15)
    ax.set_xlim(0.95 * left if below.any() else left, right)
    soft_grid(ax)
    text = "weight, as a multiple of the mean"
    ax.set_xlabel(text, fontsize=font_that_fits(ax, text))
    title = "Weights of labels"
    if count > n_labels:
        title = f"Weights of {len(places)} of {count} labels"
    title = title if found.learned else f"{title} (not used)"
    ax.set_title(title, fontsize=1.2 * font_that_fits(ax, title))
    return ax
