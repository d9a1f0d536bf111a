"""Plot of labels as points, with the gap at the origin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treemetric._base.typing import Label
from treemetric._base.validation import check_int, refuse
from treemetric.alignment.layout import label_text
from treemetric.costs import CostMatrix, Costs
from treemetric.plotting.common import new_axes, require_matplotlib
from treemetric.plotting.costs import check_costs
from treemetric.plotting.labels import place_labels
from treemetric.plotting.rows import font_that_fits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_embedding"]

_DOT = "#0072B2"
_GUIDE = "#d0d0d0"
_LONGEST_LABEL = 16
# Points; dots of the least and of the most expensive labels.
_RADII = (2.0, 6.0)
# Labels closer to each other than this share of the plot are named together.
_SAME_PLACE = 0.015
_MOST_TOGETHER = 4
_GAP_RADIUS = 6.0


def plot_embedding(
    costs: Costs,
    *,
    alphabet: Iterable[Label] | None = None,
    max_labels: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw labels as points in the plane, with the gap at the origin.

    The distance between two points approximates the cost of replacing one label by the
    other. The distance of a point to the origin approximates the cost of deleting the
    label. Larger dots are more expensive to delete.

    Parameters
    ----------
    costs : Costs
        The costs to draw: `EmbeddingCosts`, or any costs that are a pseudo-metric.
    alphabet : iterable of labels, default=None
        Labels to draw; all by default. Required for costs without an alphabet, such as
        unit costs.
    max_labels : int, default=40
        Largest number of labels to name; the most expensive ones to delete are chosen.
        A name is omitted if there is no room for it.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    TypeError
        If `costs` is not an instance of `Costs`.
    ValueError
        If the costs are not a pseudo-metric, or `max_labels` is not a non-negative int.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_costs : The same costs as a heat map, without loss.

    Notes
    -----
    Vectors are projected onto their two leading principal axes. The axes go through the
    origin and not through the mean of the vectors, so that the gap stays at the origin.
    Other costs are converted to vectors by classical scaling with the gap as origin: the
    inner products are ``(c(u, -)**2 + c(v, -)**2 - c(u, v)**2) / 2``. The caption states
    which share of the squared length of the vectors the plane explains. Costs that are not
    distances between vectors also have axes of negative squared length, which this share
    ignores. If several axes are equally long, as for unit costs, the choice between them
    is arbitrary.

    Labels at nearly the same position are named together, including those at the gap.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_embedding
    >>> costs = tm.EmbeddingCosts("abc", [[0.0, 1.0], [2.0, 0.0], [0.0, 1.1]])
    >>> ax = plot_embedding(costs)
    >>> sorted(text.get_text() for text in ax.texts)
    ['a', 'b', 'c', 'gap']
    >>> ax.get_xlabel()
    '100% of the squared length; larger dots are more expensive to delete'
    """
    require_matplotlib()
    import matplotlib as mpl

    table = check_costs(costs, alphabet, "plot_embedding")
    check_int(max_labels, "max_labels", "plot_embedding", least=0)
    violations = table.violations()
    if violations:
        must = "a pseudo-metric (their closure() may be one)"
        refuse("costs", "plot_embedding", must, f"costs that violate {violations[0].message}")
    points, share = _project(table)
    lengths = table.matrix[:-1, -1]

    ax = new_axes() if ax is None else ax
    largest = float(lengths.max(initial=0.0))
    radii = np.full(len(points), _RADII[0])
    if largest > 0:
        # Readers compare areas, not radii.
        low, high = _RADII[0] ** 2, _RADII[1] ** 2
        radii = np.sqrt(low + (high - low) * lengths / largest)
    for line in (ax.axhline, ax.axvline):
        line(0.0, color=_GUIDE, linewidth=0.8, zorder=0)
    style: dict[str, Any] = {"color": _DOT, "alpha": 0.8, "edgecolor": "white", "linewidth": 0.5}
    ax.scatter(points[:, 0], points[:, 1], s=(2 * radii) ** 2, zorder=2, **style)
    # The colour of texts is visible on the ground of any style.
    cross: dict[str, Any] = {"color": mpl.rcParams["text.color"], "markersize": 2 * _GAP_RADIUS}
    ax.plot([0.0], [0.0], "+", markeredgewidth=1.5, zorder=3, **cross)
    ax.set_aspect("equal", adjustable="datalim")
    # Room for the names of dots at the edge.
    ax.margins(0.12)

    caption = f"{share:.0%} of the squared length; larger dots are more expensive to delete"
    ax.set_xlabel(caption, fontsize=font_that_fits(ax, caption))
    named = _name(ax, table, points, radii, int(max_labels))
    if named < len(points):
        caption = f"{caption}; {named} of {len(points)} named"
        ax.set_xlabel(caption, fontsize=font_that_fits(ax, caption))
    return ax


def _project(table: CostMatrix) -> tuple[NDArray[np.float64], float]:
    """Return points in the plane and the share of the squared length that they explain."""
    n = len(table.alphabet)
    values, vectors = np.linalg.eigh(table._gram_matrix())
    values = np.maximum(values[::-1], 0.0)
    points = np.zeros((n, 2))
    kept = min(n, 2)
    points[:, :kept] = vectors[:, ::-1][:, :kept] * np.sqrt(values[:kept])
    # The sign of an eigenvector is arbitrary; the longest coordinate points up or right.
    for axis in range(kept):
        if points[np.argmax(np.abs(points[:, axis])), axis] < 0:
            points[:, axis] *= -1
    total = float(values.sum())
    return points, float(values[:2].sum()) / total if total > 0 else 1.0


def _name(
    ax: Axes,
    table: CostMatrix,
    points: NDArray[np.float64],
    radii: NDArray[np.float64],
    max_labels: int,
) -> int:
    """Name the gap and the most expensive labels; return the number of named labels."""
    # Most expensive first; a stable sort keeps ties in the order of the alphabet.
    by_cost = np.argsort(-table.matrix[:-1, -1], kind="stable")
    at_gap, *together = _same_places(points, by_cost[:max_labels])
    names = [_join(["gap", *_texts(table, at_gap)])]
    names += [_join(_texts(table, codes)) for codes in together]
    first = np.array([codes[0] for codes in together], dtype=np.intp)
    order = np.concatenate([first, np.setdiff1d(np.arange(len(points)), first)])
    written = place_labels(
        ax,
        np.vstack([np.zeros((1, 2)), points[order]]),
        np.concatenate([[_GAP_RADIUS], radii[order]]),
        names,
    )
    counts = [min(len(at_gap), _MOST_TOGETHER - 1)]
    counts += [min(len(codes), _MOST_TOGETHER) for codes in together]
    return sum(count for count, done in zip(counts, written, strict=True) if done)


def _same_places(points: NDArray[np.float64], codes: NDArray[np.intp]) -> list[list[int]]:
    """Group labels that share a dot with the gap, the first group, or with an earlier label."""
    near = _SAME_PLACE * float(np.ptp(np.vstack([points, np.zeros((1, 2))]), axis=0).max())
    places = [np.zeros(2)]
    groups: list[list[int]] = [[]]
    for code in codes.tolist():
        for place, group in zip(places, groups, strict=True):
            if float(np.hypot(*(place - points[code]))) <= near:
                group.append(code)
                break
        else:
            places.append(points[code])
            groups.append([code])
    return groups


def _texts(table: CostMatrix, codes: list[int]) -> list[str]:
    return [label_text(table.alphabet[code], _LONGEST_LABEL) for code in sorted(codes)]


def _join(texts: list[str]) -> str:
    more = len(texts) - _MOST_TOGETHER
    joined = ", ".join(texts[:_MOST_TOGETHER])
    return f"{joined} +{more}" if more > 0 else joined
