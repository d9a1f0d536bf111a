"""Maps: objects as points in the plane, with matplotlib or as a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treemetric._base.validation import refuse, refuse_unordered, shown
from treemetric._pages.scatter import Points, scatter_data
from treemetric._pages.shell import embedded, page
from treemetric.alignment.layout import label_text
from treemetric.plotting.common import (
    check_classes,
    check_distances,
    class_colors,
    classical_scaling,
    new_axes,
    require_matplotlib,
)
from treemetric.plotting.fonts import typeface

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from treemetric.tree import Tree

__all__ = ["map_html", "plot_map"]

# Classes in a legend inside the axes, in a legend beside them, and in one column of it.
_MOST_INSIDE = 10
_MOST_NAMED = 60
_ROWS = 26
_LONGEST_NAME = 20
_MARKERS = "os^Dv"
# The part of a tree that appears under the mouse.
_NOTE_LINES = 12
_NOTE_WIDTH = 60


def plot_map(D: ArrayLike, y: ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw objects as points in the plane whose distances approximate the given ones.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
        Distances, square or condensed. All must be finite.
    y : array-like of shape (n,), default=None
        Classes; each has a colour and an entry in the legend. With more than ten classes, the
        legend is beside the map, with the largest classes if there are more than sixty.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    ValueError
        If the shapes are inconsistent or a distance is not finite.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    map_html : The same as a page, with names under the mouse.
    plot_distances : The same distances as a heat map, without loss.

    Notes
    -----
    The points come from classical multidimensional scaling: the two leading
    eigenvectors of the doubly centred squared distances. The label of the x-axis states
    which share of the variance the plane explains. Edit distances need many dimensions,
    so this share is often less than half.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_map
    >>> trees = [tm.Tree.from_sequence(s) for s in ("ab", "xyz", "abc", "xy")]
    >>> ax = plot_map(tm.pairwise_distances(trees), [0, 1, 0, 1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    require_matplotlib()
    D = check_distances(D, "plot_map")
    classes, codes = check_classes(y, len(D), "plot_map")
    points, share = classical_scaling(D)
    beside = len(classes) > _MOST_INSIDE
    if ax is None:
        columns = -(-min(len(classes), _MOST_NAMED) // _ROWS) if beside else 0
        ax = new_axes(6.5 + 1.4 * columns, 6.0)
    dots = []
    style: dict[str, Any] = {"s": 30, "edgecolor": "white", "linewidth": 0.5, "alpha": 0.85}
    for k, color in enumerate(class_colors(len(classes))):
        own = points[codes == k]
        # With many classes, colours alone are too similar.
        marker = _MARKERS[k % len(_MARKERS)] if beside else "o"
        dots.append(ax.scatter(own[:, 0], own[:, 1], color=color, marker=marker, **style))
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"classical scaling, {share:.0%} of the variance")
    if y is not None:
        _draw_legend(ax, dots, classes, np.bincount(codes, minlength=len(classes)))
    return ax


def _draw_legend(ax: Axes, dots: list[Any], classes: list[str], sizes: NDArray[np.intp]) -> None:
    kept = list(range(len(classes)))
    if len(classes) > _MOST_NAMED:
        kept = sorted(np.argsort(-sizes, kind="stable")[:_MOST_NAMED].tolist())
    options: dict[str, Any] = {"framealpha": 0.9}
    if len(classes) > _MOST_INSIDE:
        options = {
            "loc": "upper left",
            "bbox_to_anchor": (1.01, 1.0),
            "borderaxespad": 0,
            "ncols": -(-len(kept) // _ROWS),
            "fontsize": 8,
            "frameon": False,
            "handletextpad": 0.2,
            "columnspacing": 0.8,
        }
    names = [label_text(classes[k], _LONGEST_NAME) for k in kept]
    face = typeface(names)
    # Names are set afterwards: a legend ignores labels that start with "_".
    legend = ax.legend([dots[k] for k in kept], [" " * len(name) for name in names], **options)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(face.text(name))
        text.set_parse_math(False)
        text.set_fontfamily(face.families)
    if len(kept) < len(classes):
        legend.set_title(f"the largest {len(kept)} of {len(classes)} classes")
        legend.get_title().set_fontsize(8)


def map_html(
    D: ArrayLike,
    y: ArrayLike | None = None,
    *,
    names: Sequence[object] | None = None,
    trees: Iterable[Tree] | None = None,
) -> str:
    """Write a map of objects as a page in HTML, with their names under the mouse.

    The page is one file that needs no network. It can be moved and enlarged, names can be searched,
    and a click on a class hides it.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
        Distances, square or condensed. All must be finite.
    y : array-like of shape (n,), default=None
        Classes.
    names : sequence of length n, default=None
        Names of the objects; by default the ids of `trees`, or else positions from 0.
    trees : TreeSet or list of Tree, default=None
        The trees; the first lines of a tree appear under the mouse.

    Returns
    -------
    str
        The page.

    See Also
    --------
    plot_map : The same with matplotlib.

    Examples
    --------
    >>> from pathlib import Path
    >>> import treemetric as tm
    >>> from treemetric.plotting import map_html
    >>> trees = [tm.Tree.from_sequence(s) for s in ("ab", "xyz", "abc", "xy")]
    >>> page = map_html(tm.pairwise_distances(trees), [0, 1, 0, 1], trees=trees)
    >>> Path("map.html").write_text(page, encoding="utf-8")  # doctest: +SKIP
    >>> page.splitlines()[0]
    '<!DOCTYPE html>'
    """
    D = check_distances(D, "map_html")
    classes, codes = check_classes(y, len(D), "map_html")
    refuse_unordered(trees, "trees", "map_html", "a list")
    refuse_unordered(names, "names", "map_html", "a list")
    drawn = None if trees is None else list(trees)
    if names is None:
        names = getattr(trees, "ids", None) or range(len(D))
    for given, parameter in ((names, "names"), (drawn, "trees")):
        if given is not None and len(given) != len(D):
            must = f"a sequence with one item for each of D's rows, {len(D)}"
            refuse(parameter, "map_html", must, str(len(given)))
    places, share = classical_scaling(D)
    points = Points(
        places,
        [str(name) for name in names],
        classes,
        codes.tolist(),
        None if drawn is None else [tree_note(tree) for tree in drawn],
    )
    note = f"classical scaling, {share:.0%} of the variance"
    data = scatter_data(f"Map of {len(D)} objects", note, points)
    return page(data["title"], embedded("map", data), "map", full=True)


def tree_note(tree: Tree) -> str:
    """Return the first lines of a tree."""
    if not hasattr(tree, "to_text"):
        refuse(
            "trees",
            "map_html",
            "an instance of 'treemetric.TreeSet' or a list of trees",
            shown(tree),
        )
    lines = tree.to_text(max_nodes=_NOTE_LINES).splitlines()
    return "\n".join(line[:_NOTE_WIDTH] for line in lines)
