"""Plot of two aligned tables, side by side."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from treemetric._base.validation import count_of
from treemetric.alignment.layout import KINDS, Kind
from treemetric.alignment.tables import AlignedTables, Cell, Grid, aligned_tables
from treemetric.plotting.common import require_matplotlib
from treemetric.plotting.lettering import STEP, Lettering
from treemetric.plotting.shortening import Letters, letters_of, shortened, width_of

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
# Lines from cell to cell.
_JOINS: dict[Kind, str] = {"kept": "#606060", "replaced": "#0072B2"}
_LETTERS = ("#f0a875", "#6cc3a4")
_BORDER = "#808080"
_INK = "#202020"

# Horizontal lengths are in letters, vertical lengths in rows, as in `plot_alignment`.
_ROW = 2.1
_FONT_SIZE = 9.0
_NARROWEST = 3.0
_PAD = 0.6
_GAP = 9.0
_HEADER = 3.9
_LEGEND_WIDTH = 62.0
# A row with notes is higher; notes are smaller than texts.
_NOTE_ROW = 0.7
_NOTE_SIZE = 0.8
# Longest texts of equal and of changed cells; wide tables get shorter ones.
_LONGEST_TEXTS = ((22, 40), (16, 28), (11, 20), (8, 14))
_WIDE = 260.0
# Where lines run below the text of a row, as distances from the bottom of a cell.
_STRIP = (0.03, 0.28)
# Texts are above the middle of a row.
_RAISE = 0.06

# Inches. Backends can draw this size at usual resolutions.
_TITLE_HEIGHT = 0.4
_MARGIN = 0.1
_WIDEST = 40.0
_TALLEST = 120.0


def plot_tables(tables: Any, *, ax: Axes | None = None) -> Axes:
    """Draw two aligned tables side by side, with the differences in colour.

    Deleted cells are orange, inserted cells green, and changed cells blue; the letters that differ
    are on an orange or green ground. A difference in spans is written below the text, such as
    ``colspan 2 → 3``. Long texts are shortened, first where they are equal.

    Matched cells are joined in two ways. A blue line with a dot at both ends joins two cells that
    changed, below the texts of their rows; a grey one joins equal cells that moved to another row
    or column. Other cells are joined with their rows and columns: a grey line joins two matched
    rows, and matched columns have the same number, which is the column on the left.

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
    left, right = _sides(found)
    joins = _Joins(found)
    width = max(right.end, _LEGEND_WIDTH)
    height = max(left.bottom, right.bottom) + _HEADER
    if ax is None:
        ax = _new_axes(width + 1, height)
    font_size = _fit(ax, right.end, width + 1, height)
    ax.set_title(f"Tables at distance {found.alignment.cost:.6g}")
    lettering = Lettering({letter for side in (left, right) for letter in side.alphabet()}, _ROW)
    left.draw(ax, found.kinds_x, lettering, _LETTERS[0], font_size)
    right.draw(ax, found.kinds_y, lettering, _LETTERS[1], font_size)
    joins.draw_rows(ax, left, right, font_size)
    joins.draw_columns(ax, left, right, font_size)
    joins.draw_cells(ax, left, right, font_size)
    _draw_legend(ax, found, font_size)
    return ax


def _sides(found: AlignedTables) -> tuple[_Side, _Side]:
    """Return both tables, with texts that are short enough."""
    pieces, notes = found.pieces(), found.notes()
    for longest in _LONGEST_TEXTS:
        left = _Side(found.x, pieces[0], notes[0], 0.0, "x", longest)
        right = _Side(found.y, pieces[1], notes[1], left.end + _GAP, "y", longest)
        if right.end <= _WIDE:
            break
    return left, right


class _Side:
    """One table, from the column of letters `start` to `end`."""

    def __init__(
        self,
        grid: Grid,
        pieces: dict[int, list[bool]],
        notes: dict[int, str],
        start: float,
        name: str,
        longest: tuple[int, int],
    ) -> None:
        self.grid, self.notes, self.start = grid, notes, start
        counts = count_of(grid.height, "row"), count_of(len(grid.cells), "cell")
        self.heading = f"{name}: {counts[0]}, {counts[1]}"
        self.letters: dict[int, Letters] = {
            cell.node: letters_of(cell.tokens, pieces.get(cell.node)) for cell in grid.cells
        }
        self.edges = [start, *accumulate(self._widths(longest), initial=start)][1:]
        self.end = max(self.edges[-1], start + len(self.heading))
        noted = {cell.row + cell.height - 1 for cell in grid.cells if cell.node in notes}
        heights = [1 + _NOTE_ROW * (row in noted) for row in range(grid.height)]
        self.tops = list(accumulate(heights, initial=-0.5))
        self.bottom = max(self.tops[-1] + 0.5, 1.0)

    def _widths(self, longest: tuple[int, int]) -> list[float]:
        """Return the widths of the columns."""
        # A column in which no cell begins or ends is invisible: a span of 1000 is not wide.
        borders = {cell.column for cell in self.grid.cells}
        borders |= {cell.column + cell.width for cell in self.grid.cells}
        widths = [_NARROWEST * (at in borders) for at in range(self.grid.width)]
        for cell in sorted(self.grid.cells, key=lambda cell: cell.width):
            # A cell over several columns widens the last of them if it must.
            letters = self.letters[cell.node]
            text = min(width_of(letters), longest[any(changed for _, changed in letters)])
            note = _NOTE_SIZE * len(self.notes.get(cell.node, ""))
            there = sum(widths[cell.column : cell.column + cell.width])
            lack = max(text, note) + 2 * _PAD - there
            widths[cell.column + cell.width - 1] += max(lack, 0.0)
        return widths

    def box(self, cell: Cell) -> tuple[float, float, float, float]:
        """Return the left, top, width and height of a cell."""
        left, right = self.edges[cell.column], self.edges[cell.column + cell.width]
        top, bottom = self.tops[cell.row], self.tops[cell.row + cell.height]
        return left, top, right - left, bottom - top

    def alphabet(self) -> set[str]:
        """Return all letters that may be drawn."""
        texts = {letter for letters in self.letters.values() for letter, _ in letters}
        return texts | {letter for note in self.notes.values() for letter in note} | {"…"}

    def draw(
        self,
        ax: Axes,
        kinds: dict[int, Kind],
        lettering: Lettering,
        ground: str,
        font_size: float,
    ) -> None:
        from matplotlib.patches import PathPatch, Rectangle

        ax.text(self.start, -1.9, self.heading, color=_BORDER, size=font_size, va="center")
        for cell in self.grid.cells:
            left, top, width, height = self.box(cell)
            fill = _GROUNDS[kinds[cell.node]]
            frame: dict[str, Any] = {"edgecolor": _BORDER, "lw": 0.07 * font_size}
            ax.add_patch(Rectangle((left, top), width, height, facecolor=fill, **frame))
            letters = shortened(self.letters[cell.node], int(width - 2 * _PAD + 0.01))
            note = self.notes.get(cell.node, "")
            middle = top + (height - _NOTE_ROW * bool(note)) / 2 - _RAISE
            for begin, end in _runs([changed for _, changed in letters]):
                if letters[begin][1]:
                    at = left + _PAD + width_of(letters[:begin])
                    corner = (at - 0.05, middle - 0.31)
                    run = width_of(letters[begin:end]) + 0.1
                    ax.add_patch(Rectangle(corner, run, 0.62, facecolor=ground, lw=0))
            lines = [("".join(letter for letter, _ in letters), middle, 1.0, _INK)]
            if note:
                below = middle + 0.5 + _NOTE_ROW / 2 - 0.15
                lines.append((note, below, _NOTE_SIZE, _LINES["replaced"]))
            for text, y, size, color in lines:
                path = lettering.outline(text, left + _PAD, y, size=size)
                # Legends omit labels that begin with an underscore.
                options: dict[str, Any] = {"facecolor": color, "lw": 0, "snap": False, "zorder": 3}
                ax.add_patch(PathPatch(path, label=f"_{text}", **options))


def _runs(changed: list[bool]) -> list[tuple[int, int]]:
    """Return where stretches of letters that changed, or did not, begin and end."""
    ends = [at for at in range(1, len(changed)) if changed[at] != changed[at - 1]]
    places = [0, *ends, len(changed)]
    return list(pairwise(places)) if changed else []


class _Joins:
    """What joins matched cells: their rows and columns, or a line of their own."""

    def __init__(self, found: AlignedTables) -> None:
        pairs = found.pairs
        self.rows = _partners([(a.row, b.row) for a, b in pairs])
        self.columns = _partners([(a.column, b.column) for a, b in pairs])
        self.cells: dict[Kind, list[tuple[Cell, Cell]]] = {"kept": [], "replaced": []}
        for a, b in pairs:
            kind = found.kinds_x[a.node]
            moved = self.rows.get(a.row) != b.row or self.columns.get(a.column) != b.column
            if moved or kind == "replaced":
                self.cells[kind].append((a, b))

    def draw_rows(self, ax: Axes, left: _Side, right: _Side, font_size: float) -> None:
        from matplotlib.collections import LineCollection

        def middle(side: _Side, row: int) -> float:
            return (side.tops[row] + side.tops[row + 1]) / 2

        # A row may be shorter than its table.
        ends: dict[int, float] = {}
        for cell in left.grid.cells:
            for row in range(cell.row, cell.row + cell.height):
                ends[row] = max(ends.get(row, 0.0), left.edges[cell.column + cell.width])
        segments = [
            [(ends[a], y), (left.edges[-1], y), (right.start, middle(right, b))]
            for a, b, y in ((a, b, middle(left, a)) for a, b in self.rows.items())
        ]
        width = 0.09 * font_size
        lines = LineCollection(segments, colors=_LINES["kept"], linewidths=width, zorder=1.5)
        ax.add_collection(lines, autolim=False)

    def draw_columns(self, ax: Axes, left: _Side, right: _Side, font_size: float) -> None:
        names = {b: a + 1 for a, b in self.columns.items()}
        begun = {cell.column for cell in left.grid.cells}
        for side, numbers in ((left, {at: at + 1 for at in begun}), (right, names)):
            for at, number in numbers.items():
                x = side.edges[at] + _PAD
                size = _NOTE_SIZE * font_size
                ax.text(x, -0.9, str(number), color=_BORDER, size=size, va="center")

    def draw_cells(self, ax: Axes, left: _Side, right: _Side, font_size: float) -> None:
        from matplotlib.collections import LineCollection
        from matplotlib.lines import Line2D

        pairs = [pair for kind in _JOINS for pair in self.cells[kind]]
        segments = _bends(pairs, left, right)
        kept = len(self.cells["kept"])
        parts = {"kept": segments[:kept], "replaced": segments[kept:]}
        for order, (kind, color) in enumerate(_JOINS.items()):
            above = 2.5 + order / 10
            lines = LineCollection(
                parts[kind], colors=color, linewidths=0.08 * font_size, alpha=0.7, zorder=above
            )
            ax.add_collection(lines, autolim=False)
            dots = [point for line in parts[kind] for point in (line[0], line[-1])]
            x, y = [point[0] for point in dots], [point[1] for point in dots]
            ax.add_artist(
                Line2D(
                    x, y, ls="", marker="o", ms=0.29 * font_size, mew=0, color=color, zorder=above
                )
            )


def _bends(
    pairs: list[tuple[Cell, Cell]], left: _Side, right: _Side
) -> list[list[tuple[float, float]]]:
    """Return lines from cell to cell: level in both tables, sloping between them."""
    heights = (
        _levels([a for a, _ in pairs], left),
        _levels([b for _, b in pairs], right),
    )
    lines = []
    for a, b in pairs:
        x, _, width, _ = left.box(a)
        begin = x + max(width - _PAD, width / 2)
        x, _, width, _ = right.box(b)
        end = x + min(_PAD, width / 2)
        y = heights[0][a.node], heights[1][b.node]
        lines.append([(begin, y[0]), (left.edges[-1], y[0]), (right.start, y[1]), (end, y[1])])
    return lines


def _levels(cells: list[Cell], side: _Side) -> dict[int, float]:
    """Return a height below the texts for each cell, so that lines of one row stay apart."""
    ends: dict[int, list[Cell]] = {}
    for cell in cells:
        ends.setdefault(cell.row + cell.height, []).append(cell)
    low, high = _STRIP
    return {
        cell.node: side.tops[end] - high + (high - low) * (rank + 0.5) / len(row)
        for end, row in ends.items()
        for rank, cell in enumerate(sorted(row, key=lambda cell: cell.column))
    }


def _partners(pairs: list[tuple[int, int]]) -> dict[int, int]:
    """Return which lines belong together: each has most of its cells in common with the other."""
    best: dict[int, int] = {}
    back: dict[int, int] = {}
    for (a, b), _ in sorted(Counter(pairs).items(), key=lambda item: (-item[1], item[0])):
        best.setdefault(a, b)
        back.setdefault(b, a)
    return {a: b for a, b in best.items() if back[b] == a}


def _new_axes(width: float, height: float) -> Axes:
    from matplotlib import pyplot as plt

    across = min(width * STEP * _FONT_SIZE / 72, _WIDEST)
    down = min(height * _ROW * _FONT_SIZE / 72, _TALLEST)
    total = across + 2 * _MARGIN, down + _TITLE_HEIGHT + _MARGIN
    figure = plt.figure(figsize=total)
    box = _MARGIN / total[0], _MARGIN / total[1], across / total[0], down / total[1]
    return figure.add_axes(box)


def _fit(ax: Axes, content: float, width: float, height: float) -> float:
    """Set the limits of the axes and return the font size at which everything fits."""
    figure = ax.get_figure()
    dpi = 72.0 if figure is None else figure.dpi
    across, down = (72 * pixels / dpi for pixels in (ax.bbox.width, ax.bbox.height))
    font_size = min(_FONT_SIZE, across / (width * STEP), down / (height * _ROW))
    spare = across / (font_size * STEP) - content
    ax.set_xlim(-spare / 2, content + spare / 2)
    top = -_HEADER + 0.5
    ax.set_ylim(top + down / (font_size * _ROW), top)
    ax.set_axis_off()
    return font_size


def _draw_legend(ax: Axes, found: AlignedTables, font_size: float) -> None:
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
