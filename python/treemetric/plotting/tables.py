"""Plot of two aligned tables, side by side."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from treemetric.alignment.layout import KINDS, Kind
from treemetric.alignment.tables import AlignedTables, Cell, Grid, aligned_tables
from treemetric.plotting.common import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tables"]

# Okabe and Ito's colours, which colour-blind readers can distinguish: the ground of a cell, and
# the ground of letters that differ.
_GROUNDS: dict[Kind, str] = {
    "kept": "white",
    "replaced": "#d6e6f2",
    "deleted": "#f6c9a8",
    "inserted": "#a9dcca",
}
_LINES: dict[Kind, str] = {
    "kept": "#b0b0b0",
    "replaced": "#0072B2",
    "deleted": "#C25400",
    "inserted": "#00805D",
}
_LETTERS = ("#f0a875", "#6cc3a4")
_BORDER = "#808080"
_INK = "#202020"

# Horizontal lengths are in letters, vertical lengths in rows, as in `plot_alignment`.
_LETTER = 0.64
_ROW = 1.7
_FONT_SIZE = 9.0
_LONGEST_TEXT = 22
_NARROWEST = 3.0
_PAD = 0.6
_GAP = 9.0
_HEADER = 3.2
_LEGEND_WIDTH = 62.0

# Inches. Backends can draw this size at usual resolutions.
_TITLE_HEIGHT = 0.4
_MARGIN = 0.1
_LARGEST = 120.0


def plot_tables(tables: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw two aligned tables side by side, with the differences in colour.

    Deleted cells are orange, inserted cells green, and changed cells blue; the letters that differ
    are on an orange or green ground. A line between the tables joins each pair of matched cells,
    from its row on the left to its row on the right, in the order of the columns.

    Parameters
    ----------
    tables : Alignment or pair of tables
        An alignment of two trees of `Tree.from_html_table`, or a pair of such trees or of tables
        in HTML, which are aligned by `TableCosts`.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; the font size is reduced to fit. None creates a new figure that is large
        enough for the tables.

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
    tables_html : The same as HTML.
    plot_alignment : The alignment of any two trees.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_tables
    >>> labels = [("table", None, None, None), ("tr", None, None, None), ("td", 1, 1, "cat")]
    >>> x = tm.Tree.from_parents(labels, [-1, 0, 1])
    >>> y = tm.Tree.from_parents([*labels[:2], ("td", 1, 1, "cut")], [-1, 0, 1])
    >>> ax = plot_tables((x, y))
    >>> ax.get_title()
    'Tables at distance 0.333333'
    """
    require_matplotlib()
    found = aligned_tables(tables, "plot_tables")
    left = _Side(found.x, 0.0, "x")
    right = _Side(found.y, left.end + _GAP, "y")
    width = max(right.end, _LEGEND_WIDTH)
    height = max(found.x.height, found.y.height, 1) + _HEADER
    if ax is None:
        ax = _new_axes(width + 1, height)
    font_size = _fit(ax, right.end, width + 1, height)
    ax.set_title(f"Tables at distance {found.alignment.cost:.6g}")
    pieces = found.pieces()
    left.draw(ax, found.kinds_x, pieces[0], _LETTERS[0], font_size)
    right.draw(ax, found.kinds_y, pieces[1], _LETTERS[1], font_size)
    _draw_matches(ax, found, left, right)
    _draw_legend(ax, found, font_size)
    return ax


class _Side:
    """One table, from the column of letters `start` to `end`."""

    def __init__(self, grid: Grid, start: float, name: str) -> None:
        self.grid, self.start = grid, start
        rows, columns = grid.height, grid.width
        self.heading = f"{name}: {rows} x {columns} cells"
        widths = [_NARROWEST] * grid.width
        for cell in grid.cells:
            if cell.width == 1:
                wanted = min(_length(cell), _LONGEST_TEXT) + 2 * _PAD
                widths[cell.column] = max(widths[cell.column], wanted)
        for cell in grid.cells:
            # A cell over several columns widens the last of them if it must.
            there = sum(widths[cell.column : cell.column + cell.width])
            lack = min(_length(cell), _LONGEST_TEXT) + 2 * _PAD - there
            widths[cell.column + cell.width - 1] += max(lack, 0.0)
        self.edges = [start]
        for width in widths:
            self.edges.append(self.edges[-1] + width)
        self.end = max(self.edges[-1], start + len(self.heading))

    def box(self, cell: Cell) -> tuple[float, float, float, float]:
        """Return the left, top, width and height of a cell."""
        left, right = self.edges[cell.column], self.edges[cell.column + cell.width]
        return left, cell.row - 0.5, right - left, cell.height

    def draw(
        self,
        ax: "Axes",
        kinds: dict[int, Kind],
        pieces: dict[int, list[bool]],
        ground: str,
        font_size: float,
    ) -> None:
        from matplotlib.patches import Rectangle

        options: dict[str, Any] = {"va": "center_baseline", "parse_math": False, "color": _INK}
        ax.text(self.start, -1.1, self.heading, color=_BORDER, size=font_size, va="center")
        for cell in self.grid.cells:
            left, top, width, height = self.box(cell)
            fill = _GROUNDS[kinds[cell.node]]
            ax.add_patch(
                Rectangle((left, top), width, height, facecolor=fill, edgecolor=_BORDER, lw=0.6)
            )
            text, changed = _shown(cell, pieces.get(cell.node), int(width - 2 * _PAD + 0.01))
            middle = top + height / 2
            # Each run of letters has its own place: widths of fonts are rounded to pixels.
            for begin, end in _runs(changed):
                at = left + _PAD + begin
                if changed[begin]:
                    corner = (at - 0.05, middle - 0.38)
                    ax.add_patch(Rectangle(corner, end - begin, 0.76, facecolor=ground, lw=0))
                run = text[begin:end]
                ax.text(at, middle, run, size=font_size, family="monospace", **options)


def _length(cell: Cell) -> int:
    return sum(map(len, cell.tokens))


def _shown(cell: Cell, changed: list[bool] | None, room: int) -> tuple[str, list[bool]]:
    """Return the text of a cell, shortened around its first difference, and what changed in it."""
    marks = [False] * len(cell.tokens) if changed is None else changed
    text = "".join(token if token.isprintable() else " " * len(token) for token in cell.tokens)
    letters = [mark for token, mark in zip(cell.tokens, marks, strict=True) for _ in token]
    room = max(room, 1)
    if len(text) <= room:
        return text, letters
    first = letters.index(True) if True in letters else 0
    begin = 0 if first < room - 1 else min(first - room // 3, len(text) - room)
    text, letters = text[begin : begin + room], letters[begin : begin + room]
    if begin:
        text, letters[0] = "…" + text[1:], False
    if begin + room < _length(cell):
        text, letters[-1] = text[:-1] + "…", False
    return text, letters


def _runs(changed: list[bool]) -> list[tuple[int, int]]:
    """Return where stretches of letters that changed, or did not, begin and end."""
    ends = [at for at in range(1, len(changed)) if changed[at] != changed[at - 1]]
    places = [0, *ends, len(changed)]
    return list(pairwise(places)) if changed else []


def _new_axes(width: float, height: float) -> "Axes":
    from matplotlib import pyplot as plt

    across = min(width * _LETTER * _FONT_SIZE / 72, _LARGEST)
    down = min(height * _ROW * _FONT_SIZE / 72, _LARGEST)
    total = across + 2 * _MARGIN, down + _TITLE_HEIGHT + _MARGIN
    figure = plt.figure(figsize=total)
    box = _MARGIN / total[0], _MARGIN / total[1], across / total[0], down / total[1]
    return figure.add_axes(box)


def _fit(ax: "Axes", content: float, width: float, height: float) -> float:
    """Set the limits of the axes and return the font size at which everything fits."""
    figure = ax.get_figure()
    dpi = 72.0 if figure is None else figure.dpi
    across, down = (72 * pixels / dpi for pixels in (ax.bbox.width, ax.bbox.height))
    font_size = min(_FONT_SIZE, across / (width * _LETTER), down / (height * _ROW))
    spare = across / (font_size * _LETTER) - content
    ax.set_xlim(-spare / 2, content + spare / 2)
    top = -_HEADER + 0.5
    ax.set_ylim(top + down / (font_size * _ROW), top)
    ax.set_axis_off()
    return font_size


def _draw_matches(ax: "Axes", found: AlignedTables, left: _Side, right: _Side) -> None:
    from matplotlib.collections import LineCollection

    def height(cell: Cell, grid: Grid) -> float:
        """Return where the line of a cell ends: lower in its row, the further right it is."""
        return cell.row - 0.5 + cell.height * (cell.column + 1) / (grid.width + 1)

    styles: tuple[tuple[Kind, float], ...] = (("kept", 0.6), ("replaced", 1.1))
    for order, (kind, width) in enumerate(styles):
        segments = [
            [(left.edges[-1] + 0.3, height(a, found.x)), (right.start - 0.3, height(b, found.y))]
            for a, b in found.pairs
            if found.kinds_x[a.node] == kind
        ]
        lines = LineCollection(
            segments, colors=_LINES[kind], linewidths=width, zorder=1.5 + order / 10
        )
        ax.add_collection(lines, autolim=False)


def _draw_legend(ax: "Axes", found: AlignedTables, font_size: float) -> None:
    from matplotlib.patches import Patch

    counts = found.counts()
    handles = [
        Patch(facecolor=_GROUNDS[kind], edgecolor=_LINES[kind], label=f"{counts[kind]} {kind}")
        for kind in KINDS
    ]
    ax.legend(
        handles=handles,
        loc="upper center",
        ncols=len(KINDS),
        fontsize=font_size,
        frameon=False,
        handlelength=1.2,
        columnspacing=1.5,
        borderaxespad=0,
    )
