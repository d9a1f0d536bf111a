"""Plot of an alignment: two outlines side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemetric._base.validation import check_int, count_of, refuse, shown
from treemetric.alignment import Alignment
from treemetric.alignment.layout import (
    KINDS,
    Kind,
    Row,
    aligned_rows,
    count_kinds,
    heading,
    indents,
    label_text,
    unchanged_stretches,
)
from treemetric.plotting.common import require_matplotlib
from treemetric.plotting.fonts import Typeface, typeface
from treemetric.plotting.lettering import text_width
from treemetric.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_alignment", "size_of"]

# Okabe and Ito's colours, which colour-blind readers can distinguish. Two of them are
# slightly darker, so that white letters are legible on them. Kept labels have no box and
# the text colour of the current style.
_COLORS: dict[Kind, str] = {
    "kept": "#8c8c8c",
    "replaced": "#0072B2",
    "deleted": "#C25400",
    "inserted": "#00805D",
}
_GUIDE = "#8c8c8c"

_FONT = ("monospace",)

# Horizontal lengths are in letters, vertical lengths in rows. A monospaced letter is 0.6
# times as wide as its font size, and slightly more if it is rounded to whole pixels.
_LETTER = 0.64
_ROW = 1.5
_FONT_SIZE = 9.0
_SMALL_FONT = 7.0
_LONGEST_LABEL = 28
_INDENT = 2.0
_WIDEST_INDENT = 40.0
_GAP = 7.0
_LEGEND_WIDTH = 62.0
_HEADER = 4.0

# Inches. Backends can draw this height at usual resolutions.
_TITLE_HEIGHT = 0.4
_MARGIN = 0.1
_TALLEST = 120.0


def plot_alignment(
    alignment: Alignment, *, max_rows: int | None = 100, ax: Axes | None = None
) -> Axes:
    """Draw two aligned trees side by side, with the edits in colour.

    Each tree is an outline with one node per row; children are below their parent and
    indented. `x` is on the left, `y` on the right. Matched nodes are in the same row and
    joined by a line. The row of a deleted or inserted node is empty on the other side.

    Parameters
    ----------
    alignment : Alignment
        The alignment to draw, as returned by `treemetric.align` or
        `treemetric.unordered_align`.
    max_rows : int or None, default=100
        Most rows to draw. In a longer alignment, unchanged parts far from any edit are folded to
        one row each; if there are still too many, the rest is left out and its number stated.
        None draws all rows. `Alignment.to_html` shows alignments of any size.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; the font size is reduced to fit. None creates a new figure that
        is large enough for the trees.

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
    Alignment.to_html : The same as a page in which parts fold and labels can be searched.
    plot_distances : The distances of many trees as a heat map.

    Notes
    -----
    Rows are in preorder, and an alignment preserves the preorder of the nodes, so no two
    lines cross. If the trees have no order, the children of `y` are drawn in the order of
    their partners. Long labels are shortened.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_alignment
    >>> x, y = tm.Tree.from_bracket("{a{b}{c{d}}}"), tm.Tree.from_bracket("{a{b}{d}}")
    >>> ax = plot_alignment(tm.align(x, y))
    >>> ax.get_title()
    'Alignment of cost 1'
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['3 kept', '0 replaced', '1 deleted', '0 inserted']
    """
    require_matplotlib()
    if not isinstance(alignment, Alignment):
        must = "an instance of 'treemetric.Alignment'"
        advice = "Use plot_alignment(align(x, y))." if isinstance(alignment, Tree) else ""
        refuse("alignment", "plot_alignment", must, shown(alignment), advice)
    if max_rows is not None:
        max_rows = check_int(max_rows, "max_rows", "plot_alignment", 1, other="None")
    rows = aligned_rows(alignment)
    lines = _lines(rows, alignment, max_rows)
    left, right = _outlines(alignment, lines)
    columns = len(KINDS)
    if ax is not None and ax.bbox.width * 72 / _dpi(ax) < _LEGEND_WIDTH * _LETTER * _SMALL_FONT:
        # On narrow axes, a legend in one row would make everything tiny.
        columns = 2
    width = max(right.end, _LEGEND_WIDTH * columns / len(KINDS))
    header = _HEADER + (columns < len(KINDS))
    height = len(lines) + header
    if ax is None:
        ax = _new_axes(width, height)
    font_size = _fit(ax, right.end, width, (height, header))

    ax.set_title(f"Alignment of cost {alignment.cost:.6g}")
    for name, outline in (("x", left), ("y", right)):
        text = heading(name, outline.tree)
        ax.text(outline.start, -1.1, text, color=_GUIDE, size=font_size, va="center")
    places = {line: at for at, line in enumerate(lines) if isinstance(line, Row)}
    _draw_guides(ax, left, {row.i: at for row, at in places.items()})
    _draw_guides(ax, right, {row.j: at for row, at in places.items()})
    _draw_matches(ax, places, left, right)
    for at, line in enumerate(lines):
        if isinstance(line, Row):
            left.draw_label(ax, at, line.i, line.kind, font_size)
            right.draw_label(ax, at, line.j, line.kind, font_size)
        else:
            ax.text(right.end / 2, at, line, color=_GUIDE, size=font_size, ha="center", va="center")
    _draw_legend(ax, rows, font_size, columns)
    return ax


def _lines(rows: list[Row], alignment: Alignment, max_rows: int | None) -> list[Row | str]:
    """Return the rows to draw, and texts in place of rows that are not drawn."""
    if max_rows is None or len(rows) <= max_rows:
        return list(rows)
    lines: list[Row | str] = []
    done = 0
    for first, last in unchanged_stretches(rows, (alignment.x, alignment.y)):
        lines += rows[done:first]
        lines.append(f"⋯ {last + 1 - first} unchanged nodes")
        done = last + 1
    lines += rows[done:]
    if len(lines) > max_rows:
        shown_rows = lines[:max_rows]
        kept = [line for line in shown_rows if isinstance(line, Row)]
        after = rows.index(kept[-1]) + 1 if kept else 0
        left_out = sum(row.kind != "kept" for row in rows[after:])
        lines = [
            *shown_rows,
            f"⋯ {count_of(len(rows) - after, 'more row')} with {count_of(left_out, 'edit')}",
        ]
    return lines


def _outlines(alignment: Alignment, lines: list[Row | str]) -> tuple[_Outline, _Outline]:
    """Return the positions of the labels of both trees."""
    face = typeface(
        (str(label) for tree in (alignment.x, alignment.y) for label in tree.labels), _FONT
    )
    drawn = [line for line in lines if isinstance(line, Row)]
    left = _Outline(alignment.x, 0.0, {row.i for row in drawn}, face)
    right = _Outline(alignment.y, left.end + _GAP, {row.j for row in drawn}, face)
    return left, right


class _Outline:
    """Positions of the labels of one tree, from the column `start` to the column `end`."""

    def __init__(self, tree: Tree, start: float, drawn: set[int | None], face: Typeface) -> None:
        self.tree = tree
        self.start = start
        self.face = face
        self.texts = [face.text(label_text(label, _LONGEST_LABEL)) for label in tree.labels]
        self.begins = [start + indent for indent in indents(tree, _INDENT, _WIDEST_INDENT)]
        widths = map(text_width, self.texts)
        self.ends = [at + width for at, width in zip(self.begins, widths, strict=True)]
        ends = [end for node, end in enumerate(self.ends) if node in drawn]
        self.end = max([start + len(heading("x", tree)), *ends])

    def draw_label(
        self, ax: Axes, row: int, node: int | None, kind: Kind, font_size: float
    ) -> None:
        if node is None:
            return
        text = ax.text(
            self.begins[node],
            row,
            self.texts[node],
            size=font_size,
            family=self.face.families,
            va="center_baseline",
            parse_math=False,
        )
        if kind != "kept":
            text.set_color("white")
            box = {"boxstyle": "round,pad=0.12", "facecolor": _COLORS[kind], "edgecolor": "none"}
            text.set_bbox(box)


def size_of(alignment: Alignment, max_rows: int | None) -> tuple[float, float]:
    """Return the width and height in inches of a picture of an alignment at full size."""
    lines = _lines(aligned_rows(alignment), alignment, max_rows)
    width = max(_outlines(alignment, lines)[1].end, _LEGEND_WIDTH)
    across, down = _inches(width, len(lines) + _HEADER)
    return across + 2 * _MARGIN, down + _TITLE_HEIGHT + _MARGIN


def _inches(width: float, height: float) -> tuple[float, float]:
    """Return the size of letters and rows at full size."""
    down = min(height * _ROW * _FONT_SIZE / 72, _TALLEST)
    return width * _LETTER * _FONT_SIZE / 72, down


def _new_axes(width: float, height: float) -> Axes:
    """Return axes of a new figure for `width` letters and `height` rows at full size."""
    from matplotlib import pyplot as plt

    across, down = _inches(width, height)
    total = across + 2 * _MARGIN, down + _TITLE_HEIGHT + _MARGIN
    figure = plt.figure(figsize=total)
    box = _MARGIN / total[0], _MARGIN / total[1], across / total[0], down / total[1]
    return figure.add_axes(box)


def _dpi(ax: Axes) -> float:
    figure = ax.get_figure()
    return 72.0 if figure is None else float(figure.dpi)


def _fit(ax: Axes, content: float, width: float, rows: tuple[float, float]) -> float:
    """Set the limits of the axes and return the font size at which everything fits."""
    height, header = rows
    across, down = (72 * pixels / _dpi(ax) for pixels in (ax.bbox.width, ax.bbox.height))
    font_size = min(_FONT_SIZE, across / (width * _LETTER), down / (height * _ROW))
    spare = across / (font_size * _LETTER) - content
    ax.set_xlim(-spare / 2, content + spare / 2)
    top = -header + 0.5
    ax.set_ylim(top + down / (font_size * _ROW), top)
    ax.set_axis_off()
    return font_size


def _draw_guides(ax: Axes, outline: _Outline, row_of: dict[int | None, int]) -> None:
    """Draw a line from each node to its children: down from its first letter, then right."""
    from matplotlib.collections import LineCollection

    last_child: dict[int, int] = {}
    segments: list[list[tuple[float, float]]] = []
    for child, parent in enumerate(outline.tree.parents.tolist()):
        # Lines to nodes that are not drawn would end nowhere.
        if parent in row_of and child in row_of:
            last = last_child.get(parent)
            if last is None or row_of[child] > row_of[last]:
                last_child[parent] = child
            across, down = outline.begins[parent] + 0.5, row_of[child]
            segments.append([(across, down), (outline.begins[child] - 0.2, down)])
    for parent, child in last_child.items():
        across = outline.begins[parent] + 0.5
        segments.append([(across, row_of[parent] + 0.5), (across, row_of[child])])
    ax.add_collection(
        LineCollection(segments, colors=_GUIDE, linewidths=0.6, alpha=0.5, zorder=1),
        autolim=False,
    )


def _draw_matches(ax: Axes, places: dict[Row, int], left: _Outline, right: _Outline) -> None:
    from matplotlib.collections import LineCollection

    # Dotted lines distinguish kept nodes from the edges of a tree.
    styles: tuple[tuple[Kind, str, float], ...] = (("kept", ":", 0.9), ("replaced", "-", 1.3))
    for kind, style, width in styles:
        segments = [
            [(left.ends[row.i] + 0.5, at), (right.begins[row.j] - 0.5, at)]
            for row, at in places.items()
            if row.kind == kind and row.i is not None and row.j is not None
        ]
        lines = LineCollection(
            segments, colors=_COLORS[kind], linewidths=width, linestyles=style, zorder=1.5
        )
        ax.add_collection(lines, autolim=False)


def _draw_legend(ax: Axes, rows: list[Row], font_size: float, columns: int) -> None:
    from matplotlib.patches import Patch

    counts = count_kinds(rows)
    ax.legend(
        handles=[Patch(color=_COLORS[kind], label=f"{counts[kind]} {kind}") for kind in KINDS],
        loc="upper center",
        ncols=columns,
        fontsize=font_size,
        frameon=False,
        handlelength=1.2,
        columnspacing=1.5,
        borderaxespad=0,
    )
