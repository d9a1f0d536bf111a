"""Plot of a tree: the root on the left, one leaf per row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from treemetric._base.traversal import sizes
from treemetric._base.validation import check_int, refuse, shown
from treemetric.alignment.layout import label_text
from treemetric.plotting.common import require_matplotlib
from treemetric.plotting.fonts import Typeface, typeface
from treemetric.plotting.lettering import text_width
from treemetric.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tree"]

# Horizontal lengths are in letters, vertical lengths in rows.
_LETTER = 0.64
_ROW = 1.45
_FONT_SIZE = 9.0
_SMALLEST_FONT = 5.0
_LONGEST_LABEL = 26
_GAP = 3.0
# Levels that would make the plot wider are left out.
_WIDEST = 280.0
_FONT = ("monospace",)
_GUIDE = "#8c8c8c"
# Inches.
_MARGIN = 0.2


def plot_tree(tree: Tree, *, max_nodes: int | None = 100, ax: Axes | None = None) -> Axes:
    """Draw a tree, with the root on the left and one leaf per row.

    Parameters
    ----------
    tree : Tree
        A tree or a forest.
    max_nodes : int or None, default=100
        Most nodes to draw. Of a larger tree, the levels near the root are drawn, and the number of
        nodes that are left out is stated. None draws all nodes except those of very deep levels.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; the font size is reduced to fit, and on small axes fewer nodes are drawn
        unless `max_nodes` is None. None creates a new figure that is large enough for the tree.

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
    treemetric.Tree.show : Print the tree as text.
    treemetric.Tree.to_html : The tree as a page, for trees of any size.
    plot_alignment : Two trees side by side.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_tree
    >>> ax = plot_tree(tm.Tree.from_bracket("{a{b{c}}{d}}"))
    >>> [text.get_text() for text in ax.texts]
    ['a', 'b', 'c', 'd']
    """
    require_matplotlib()
    if not isinstance(tree, Tree):
        refuse("tree", "plot_tree", "an instance of 'treemetric.Tree'", shown(tree))
    if max_nodes is not None:
        max_nodes = check_int(max_nodes, "max_nodes", "plot_tree", 1, other="None")
    from matplotlib.collections import LineCollection

    widest = _WIDEST
    if ax is not None and max_nodes is not None:
        across, down = _points(ax)
        widest = min(widest, across / (_SMALLEST_FONT * _LETTER))
        max_nodes = max(1, min(max_nodes, int(down / (_SMALLEST_FONT * _ROW))))
    layout = _Layout(tree, max_nodes, widest)
    if ax is None:
        ax = _new_axes(layout.width, layout.height)
    font_size = _fit(ax, layout.width, layout.height)
    lines = LineCollection(layout.edges(), colors=_GUIDE, linewidths=0.08 * font_size, zorder=1)
    ax.add_collection(lines, autolim=False)
    for mark in layout.marks:
        ax.text(
            mark.x,
            mark.y,
            mark.text,
            size=font_size,
            family=layout.face.families,
            va="center_baseline",
            color=_GUIDE if mark.is_note else None,
            parse_math=False,
        )
    if layout.left_out:
        ax.set_title(f"{tree.size - layout.left_out} of {tree.size} nodes", size=font_size + 1)
    return ax


class _Mark(NamedTuple):
    """A label at a place, the mark of its parent, or a note about nodes that are left out."""

    x: float
    y: float
    text: str
    parent: int
    is_note: bool


class _Layout:
    """Places of labels: columns by depth, rows by leaves, parents between their children."""

    def __init__(self, tree: Tree, max_nodes: int | None, widest: float) -> None:
        labels, counts = tree.labels, sizes(tree.parents)
        children = tree.to_adjacency()[1]
        self.face: Typeface = typeface(map(str, tree.labels), _FONT)
        texts = [self.face.text(label_text(label, _LONGEST_LABEL)) for label in labels]
        most = len(texts) if max_nodes is None else max_nodes
        kept, columns = _chosen(texts, (children, tree.roots), most, widest)
        self.left_out = len(labels) - len(kept)
        self.marks: list[_Mark] = []
        rows = 0
        # Nodes, or texts about nodes that are left out, with the mark above and the depth.
        stack: list[tuple[int | str, int, int]] = [(root, -1, 0) for root in reversed(tree.roots)]
        while stack:
            node, above, depth = stack.pop()
            if isinstance(node, str):
                self.marks.append(_Mark(columns[depth], rows, node, above, True))
                rows += 1
                continue
            if node not in kept:
                continue
            inside = [child for child in children[node] if child in kept]
            missing = counts[node] - 1 - sum(counts[child] for child in inside)
            note = f"… {missing}" if missing else ""
            own = len(self.marks)
            text = f"{texts[node]} {note}" if note and not inside else texts[node]
            self.marks.append(_Mark(columns[depth], rows, text, above, False))
            if note and inside:
                stack.append((note, own, depth + 1))
            stack += [(child, own, depth + 1) for child in reversed(inside)]
            rows += not inside
        self._centre()
        self.width = max([4.0, *(mark.x + text_width(mark.text) for mark in self.marks)])
        self.height = max(rows, 1)

    def _centre(self) -> None:
        """Put each node between its first and its last child."""
        below: list[list[float]] = [[] for _ in self.marks]
        for at in range(len(self.marks) - 1, -1, -1):
            mark = self.marks[at]
            if below[at]:
                mark = mark._replace(y=(below[at][0] + below[at][-1]) / 2)
                self.marks[at] = mark
            if mark.parent >= 0:
                below[mark.parent].append(mark.y)

    def edges(self) -> list[list[tuple[float, float]]]:
        """Return a line from each node to each child: right, down or up, right."""
        lines = []
        for mark in self.marks:
            if mark.parent >= 0:
                above = self.marks[mark.parent]
                start = above.x + text_width(above.text) + 0.4
                turn = mark.x - _GAP / 2
                points = [(start, above.y), (turn, above.y), (turn, mark.y), (mark.x - 0.4, mark.y)]
                lines.append(points)
        return lines


def _chosen(
    texts: list[str],
    shape: tuple[list[list[int]], tuple[int, ...]],
    most: int,
    widest: float,
) -> tuple[set[int], list[float]]:
    """Return the nodes to draw, level by level from the root, and the columns of the levels."""
    children, roots = shape
    kept: set[int] = set()
    columns = [0.0]
    level = list(roots)
    while level and len(kept) < most:
        level = level[: most - len(kept)]
        end = columns[-1] + max(text_width(texts[node]) for node in level)
        if kept and end > widest:
            break
        kept.update(level)
        columns.append(end + _GAP)
        level = [child for node in level for child in children[node]]
    return kept, columns


def _points(ax: Axes) -> tuple[float, float]:
    """Return the size of axes in points."""
    figure = ax.get_figure()
    dpi = 72.0 if figure is None else figure.dpi
    return 72 * ax.bbox.width / dpi, 72 * ax.bbox.height / dpi


def _new_axes(width: float, height: float) -> Axes:
    from matplotlib import pyplot as plt

    across = width * _LETTER * _FONT_SIZE / 72 + 2 * _MARGIN
    down = height * _ROW * _FONT_SIZE / 72 + 2 * _MARGIN
    figure = plt.figure(figsize=(across, down + 0.35))
    share = down / (down + 0.35)
    return figure.add_axes((0, 0, 1, share))


def _fit(ax: Axes, width: float, height: float) -> float:
    """Set the limits of the axes and return the font size at which everything fits."""
    across, down = _points(ax)
    margin = 72 * _MARGIN / 2
    size = min(
        _FONT_SIZE,
        (across - margin) / (width * _LETTER),
        (down - margin) / (height * _ROW),
    )
    size = max(size, 0.5)
    spare = across / (size * _LETTER) - width
    ax.set_xlim(-spare / 2, width + spare / 2)
    rows = down / (size * _ROW)
    top = -0.5 - (rows - height) / 2
    ax.set_ylim(top + rows, top)
    ax.set_axis_off()
    return size
