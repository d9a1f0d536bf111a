"""Dendrogram of a collection, with small drawings of the trees at its leaves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import dendrogram, leaves_list, linkage

from treemetric._base.validation import check_int, refuse, refuse_unordered, shown
from treemetric.alignment.layout import label_text
from treemetric.plotting.common import check_distances, new_axes, require_matplotlib
from treemetric.plotting.fonts import typeface
from treemetric.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_dendrogram"]

_METHODS = ("average", "complete", "single")
_LONGEST_NAME = 30
# The dendrogram is 1 wide; drawings and names follow on the right.
_DRAWING = (0.04, 0.34)
_NAME = 0.38
_WIDTH = 0.9
_MOST_DRAWN = 300
_LINE = "#8c8c8c"
# Inches per leaf: at least this much, and more if there are few.
_LEAST_LEAF = 0.2
_LARGEST_LEAF = 0.7
_HEIGHT = 9.0


def plot_dendrogram(
    D: ArrayLike,
    trees: Iterable[Tree] | None = None,
    *,
    names: Sequence[object] | None = None,
    method: str = "average",
    max_leaves: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Draw the hierarchical clustering of trees, with the trees at its leaves.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
        Distances, square or condensed. All must be finite.
    trees : TreeSet or list of Tree, default=None
        The trees, drawn at the leaves with the root on the left.
    names : sequence of length n, default=None
        Names of the trees; by default the ids of `trees`, or else positions from 0.
    method : {"average", "complete", "single"}, default="average"
        The distance of two clusters.
    max_leaves : int, default=40
        Most leaves to draw. Of more trees, the upper part of the dendrogram is drawn; a leaf then
        stands for a cluster. It shows the medoid, and the number of other trees.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    ValueError
        If the shapes are inconsistent, a distance is not finite, or there are less than two trees.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_distances : The distances as a heat map.
    treemetric.clustering.KMedoids : Clusters with one tree at the centre of each.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_dendrogram
    >>> trees = [tm.Tree.from_sequence(s) for s in ("ab", "xyz", "abc", "xy")]
    >>> ax = plot_dendrogram(tm.pairwise_distances(trees), trees, names=["p", "q", "r", "s"])
    >>> [text.get_text() for text in ax.texts]
    ['p', 'r', 'q', 's']
    """
    require_matplotlib()
    from matplotlib.collections import LineCollection

    D = check_distances(D, "plot_dendrogram")
    refuse_unordered(trees, "trees", "plot_dendrogram", "a list")
    refuse_unordered(names, "names", "plot_dendrogram", "a list")
    drawn = None if trees is None else list(trees)
    if names is None:
        names = getattr(trees, "ids", None) or range(len(D))
    for given, parameter in ((names, "names"), (drawn, "trees")):
        if given is not None and len(given) != len(D):
            must = f"a sequence with one item for each of D's rows, {len(D)}"
            refuse(parameter, "plot_dendrogram", must, str(len(given)))
    if len(D) < 2:
        refuse("D", "plot_dendrogram", "a matrix of two objects or more", f"shape {D.shape}")
    if method not in _METHODS:
        refuse("method", "plot_dendrogram", "'average', 'complete' or 'single'", shown(method))
    max_leaves = check_int(max_leaves, "max_leaves", "plot_dendrogram", 2)

    links = linkage(((D + D.T) / 2)[np.triu_indices(len(D), 1)], method=method)
    leaves = _leaves(D, links, max_leaves)
    found = dendrogram(links, p=max_leaves, truncate_mode="lastp", no_plot=True)
    top = float(links[-1, 2]) or 1.0
    if ax is None:
        leaf = min(max(_LEAST_LEAF, _HEIGHT / len(leaves)), _LARGEST_LEAF)
        ax = new_axes(8.0, 1.0 + leaf * len(leaves))
    # SciPy puts leaves at 5, 15, 25, ...
    segments = [
        [(-d / top, x / 10 - 0.5) for x, d in zip(across, up, strict=True)]
        for across, up in zip(found["icoord"], found["dcoord"], strict=True)
    ]
    ax.add_collection(LineCollection(segments, colors=_LINE, linewidths=1.2), autolim=False)
    if drawn is not None:
        _draw_trees(ax, [drawn[medoid] for medoid, _ in leaves])
    _write_names(ax, leaves, names, _NAME if drawn is not None else _DRAWING[0])
    ax.set_xlim(-1.03, _WIDTH if drawn is not None else _WIDTH - _NAME)
    ax.set_ylim(len(leaves) - 0.5, -0.5)
    _scale(ax, top)
    return ax


def _leaves(D: NDArray[np.float64], links: Any, most: int) -> list[tuple[int, int]]:
    """Return the medoid and the number of trees of each leaf, from top to bottom."""
    codes = _last_clusters(links, len(D), min(most, len(D)))
    members: dict[int, list[int]] = {}
    # In the order of SciPy's drawing, which is not used here because it recurses.
    for tree in leaves_list(links).tolist():
        members.setdefault(int(codes[tree]), []).append(tree)
    return [
        (group[int(np.argmin(D[np.ix_(group, group)].sum(axis=1)))], len(group))
        for group in members.values()
    ]


def _last_clusters(links: Any, count: int, clusters: int) -> NDArray[np.intp]:
    """Return clusters as SciPy's "lastp" makes them: all merges except the last ones."""
    owner = list(range(2 * count - 1))
    for at in range(count - clusters):
        for child in links[at, :2].astype(int).tolist():
            owner[child] = count + at
    codes = []
    for tree in range(count):
        at = tree
        while owner[at] != at:
            at = owner[at]
        codes.append(at)
    return np.array(codes, dtype=np.intp)


def _draw_trees(ax: Axes, trees: list[Tree]) -> None:
    """Draw the edges and nodes of trees, each in the box beside its leaf."""
    from matplotlib.collections import LineCollection

    segments: list[NDArray[np.float64]] = []
    dots: list[NDArray[np.float64]] = [np.empty((0, 2))]
    for row, tree in enumerate(trees):
        places, parents = _places(tree)
        box = places * [_DRAWING[1] - _DRAWING[0], 0.8] + [_DRAWING[0], row - 0.4]
        dots.append(box)
        segments += [box[[node, up]] for node, up in enumerate(parents) if up >= 0]
    ax.add_collection(LineCollection(segments, colors=_LINE, linewidths=0.6), autolim=False)
    points = np.concatenate(dots)
    ax.scatter(points[:, 0], points[:, 1], s=5, color="#0072B2", linewidths=0, zorder=2)


def _places(tree: Tree) -> tuple[NDArray[np.float64], list[int]]:
    """Return nodes in the unit square: across by depth, down by leaves; and their parents."""
    count = min(tree.size, _MOST_DRAWN)
    parents = tree.parents[:count].tolist()
    has_child = set(parents)
    down = np.zeros(count)
    first: dict[int, float] = {}
    leaves = 0
    for node in range(count):
        if node not in has_child:
            down[node] = leaves
            leaves += 1
    for node in range(count - 1, -1, -1):
        if node in first:
            # Its last child was visited first.
            down[node] = (first[node] + down[node]) / 2
        up = parents[node]
        if up >= 0:
            if up not in first:
                down[up] = down[node]
            first[up] = down[node]
    depths = tree.depths[:count]
    across = depths / max(int(depths.max(initial=0)), 1)
    spread = down / (leaves - 1) if leaves > 1 else np.full(count, 0.5)
    return np.column_stack([across, spread]), parents


def _write_names(
    ax: Axes, leaves: list[tuple[int, int]], names: Sequence[object], x: float
) -> None:
    figure = ax.get_figure()
    dpi = 72.0 if figure is None else figure.dpi
    # Points per leaf; the axis takes some of the height.
    room = 0.85 * ax.bbox.height * 72 / dpi / len(leaves)
    size = min(9.0, 0.8 * room)
    texts = [
        label_text(names[medoid], _LONGEST_NAME) + (f"  + {count - 1}" if count > 1 else "")
        for medoid, count in leaves
    ]
    face = typeface(texts)
    for row, text in enumerate(texts):
        options: dict[str, Any] = {"size": size, "va": "center", "family": face.families}
        ax.text(x, row, face.text(text), parse_math=False, clip_on=False, **options)


def _scale(ax: Axes, top: float) -> None:
    """Draw the axis of distances below the dendrogram."""
    from matplotlib.ticker import MaxNLocator

    figure = ax.get_figure()
    dpi = 72.0 if figure is None else figure.dpi
    # One number for each 30 points of the part that has the scale.
    most = int(ax.bbox.width * 72 / dpi / (1 + _WIDTH) / 30)
    bins = min(5, max(1, most))
    ticks = [tick for tick in MaxNLocator(bins).tick_values(0, top) if 0 <= tick <= top]
    ax.set_xticks([-tick / top for tick in ticks], [f"{tick:.4g}" for tick in ticks])
    ax.set_yticks([])
    ax.set_xlabel("distance", x=0.5 / (1 + _WIDTH))
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_bounds(-1.0, 0.0)
