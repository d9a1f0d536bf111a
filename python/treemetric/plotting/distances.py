"""Plots of distance matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from treemetric._base.validation import refuse, shown
from treemetric.alignment.layout import label_text
from treemetric.plotting.common import (
    check_classes,
    check_distances,
    class_colors,
    cluster_order,
    new_axes,
    require_matplotlib,
)
from treemetric.plotting.ticks import name_cells, row_height, side_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_distances"]

_LONGEST_NAME = 28
_MOST_COLORS = 10


def plot_distances(
    D: ArrayLike,
    y: ArrayLike | None = None,
    *,
    labels: Sequence[str] | None = None,
    order: str = "cluster",
    ax: Axes | None = None,
) -> Axes:
    """Draw a distance matrix as a heat map, with similar objects side by side.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
        Distances, square or condensed. All must be finite.
    y : array-like of shape (n,), default=None
        Classes. The rows of a class are adjacent, with its name beside them and a line
        between classes. If all of them differ, they are names, like `labels`.
    labels : sequence of str, default=None
        Names of the objects, drawn beside the rows. With `y`, the names of the classes
        are drawn instead. Names that would overlap are skipped; a new figure has room for about
        seventy.
    order : {"cluster", "given"}, default="cluster"
        Order of the rows inside a class, or of all rows without `y`: by hierarchical
        clustering, or as given.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    ValueError
        If the shapes are inconsistent, a distance is not finite, or `order` is not one
        of the choices.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_map : The same objects as points in the plane.

    Notes
    -----
    Rows are ordered by average linkage and, for up to 1000 rows, the optimal leaf
    ordering of Bar-Joseph et al. (2001), which places the most similar objects side by
    side.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_distances
    >>> trees = [tm.Tree.from_sequence(s) for s in ("ab", "xyz", "abc", "xy")]
    >>> D = tm.pairwise_distances(trees)
    >>> ax = plot_distances(D, ["first", "second", "first", "second"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['first', 'second']
    """
    require_matplotlib()
    D = check_distances(D, "plot_distances")
    classes, y = check_classes(y, len(D), "plot_distances")
    if order not in ("cluster", "given"):
        refuse("order", "plot_distances", "'cluster' or 'given'", shown(order))
    if labels is not None and len(labels) != len(D):
        must = f"a sequence with one name for each of D's rows, {len(D)}"
        refuse("labels", "plot_distances", must, str(len(labels)))

    if len(D) > 2 and len(classes) == len(D) and labels is None:
        # Names, not classes: similar objects are side by side, without lines around each.
        classes, y, labels = [""], np.zeros(len(D), dtype=np.intp), [classes[k] for k in y]
    names = [label_text(name, _LONGEST_NAME) for name in classes]
    groups = [np.flatnonzero(y == k) for k in range(len(classes))]
    if order == "cluster":
        groups = [rows[cluster_order(D[np.ix_(rows, rows)])] for rows in groups]
    rows = np.concatenate(groups) if groups else np.arange(0)
    by_class = len(classes) > 1 or (labels is None and len(classes) > 0 and classes[0] != "")
    if not by_class and labels is not None:
        names = [label_text(labels[i], _LONGEST_NAME) for i in rows]

    if ax is None:
        side = side_for(0 if by_class or labels is None else len(D), 6.0, names)
        ax = new_axes(side + 0.5, side)
    image = ax.imshow(D[np.ix_(rows, rows)], cmap="magma", interpolation="nearest")
    figure = ax.get_figure()
    if figure is not None:
        figure.colorbar(image, ax=ax, label="distance", fraction=0.046, pad=0.03)

    if by_class:
        ends = np.cumsum([len(group) for group in groups])
        # Lines must not hide the rows between them.
        line = min(0.8, 0.25 * row_height(ax))
        for end in ends[:-1]:
            ax.axhline(end - 0.5, color="white", linewidth=line)
            ax.axvline(end - 0.5, color="white", linewidth=line)
        centres = ends - 0.5 - np.array([len(group) for group in groups]) / 2
        # More colours than these are too similar, and too light or too dark to be read.
        few = len(classes) <= _MOST_COLORS
        name_cells(ax, centres.tolist(), names, colors=class_colors(len(classes)) if few else None)
    elif labels is not None:
        name_cells(ax, range(len(D)), names)
    else:
        ax.set_xticks([])
        ax.set_yticks([])
    return ax
