"""Two aligned tables: where their cells are, what becomes of them, and the same as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Any, NamedTuple

from treemetric._base.validation import refuse, shown
from treemetric.alignment.align import Alignment, align
from treemetric.alignment.layout import KINDS, Kind
from treemetric.costs import TableCosts
from treemetric.tree import Tree

__all__ = ["tables_html"]

_LABEL_PARTS = 4
# Parts of a label that are not text, and their places in it.
_NOTED = (("tag", 0), ("colspan", 1), ("rowspan", 2))
# A cell is drawn over at most this many columns.
_MOST_COLUMNS = 60

# Half-transparent Okabe-Ito colours work on light and dark pages.
_TINTS: dict[Kind, str] = {
    "kept": "transparent",
    "replaced": "rgba(0,114,178,.16)",
    "deleted": "rgba(213,94,0,.28)",
    "inserted": "rgba(0,158,115,.28)",
}
_PIECES = {"delete": "rgba(213,94,0,.55)", "insert": "rgba(0,158,115,.55)"}
_NOTE = "border:1px solid rgba(0,114,178,.8);border-radius:.3em;padding:0 .3em;white-space:nowrap"
_STYLE = (
    "border-collapse:collapse;font-size:90%;flex:none",
    "border:1px solid rgba(128,128,128,.6);padding:.15em .5em;text-align:left;vertical-align:top;"
    # Spaces may differ too.
    "max-width:24em;overflow-wrap:anywhere;white-space:pre-wrap",
)


class Cell(NamedTuple):
    """A cell of a table: its node, its place and its content as tokens."""

    node: int
    row: int
    column: int
    height: int
    width: int
    tokens: tuple[str, ...]


class Grid(NamedTuple):
    """The cells of a table, and the numbers of its rows and columns."""

    cells: list[Cell]
    height: int
    width: int


class AlignedTables(NamedTuple):
    """Two tables and, for every cell, what becomes of it."""

    alignment: Alignment
    x: Grid
    y: Grid
    # Kinds by node, of cells only, and pairs of cells that are matched.
    kinds_x: dict[int, Kind]
    kinds_y: dict[int, Kind]
    pairs: list[tuple[Cell, Cell]]

    def counts(self) -> dict[Kind, int]:
        """Return how many cells are kept, replaced, deleted and inserted."""
        counts: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        for kind in self.kinds_x.values():
            counts[kind] += 1
        counts["inserted"] = sum(kind == "inserted" for kind in self.kinds_y.values())
        return counts

    def pieces(self) -> tuple[dict[int, list[bool]], dict[int, list[bool]]]:
        """Return for each replaced cell which of its tokens differ from its partner's."""
        of_x: dict[int, list[bool]] = {}
        of_y: dict[int, list[bool]] = {}
        for a, b in self.pairs:
            if self.kinds_x[a.node] == "replaced":
                of_x[a.node], of_y[b.node] = changed_tokens(a.tokens, b.tokens)
        return of_x, of_y

    def notes(self) -> tuple[dict[int, str], dict[int, str]]:
        """Return which spans or tags differ in a replaced cell, such as colspan 2 → 3."""
        labels_x: Sequence[Any] = self.alignment.x.labels
        labels_y: Sequence[Any] = self.alignment.y.labels
        of_x: dict[int, str] = {}
        of_y: dict[int, str] = {}
        for a, b in self.pairs:
            if self.kinds_x[a.node] == "replaced":
                old, new = labels_x[a.node], labels_y[b.node]
                differ = [
                    f"{name} {old[place]} → {new[place]}"
                    for name, place in _NOTED
                    if old[place] != new[place]
                ]
                if differ:
                    of_x[a.node] = of_y[b.node] = ", ".join(differ)
        return of_x, of_y


def aligned_tables(given: Any, function: str) -> AlignedTables:
    """Return two tables from an alignment of their trees, or from a pair of tables."""
    alignment = given if isinstance(given, Alignment) else _align(given, function)
    x, y = grid_of(alignment.x, function), grid_of(alignment.y, function)
    cells_x, cells_y = ({cell.node: cell for cell in grid.cells} for grid in (x, y))
    kinds_x: dict[int, Kind] = dict.fromkeys(cells_x, "deleted")
    kinds_y: dict[int, Kind] = dict.fromkeys(cells_y, "inserted")
    pairs = []
    for i, j in alignment.pairs:
        if i is not None and j is not None and i in cells_x and j in cells_y:
            same = alignment.x.labels[i] == alignment.y.labels[j]
            kinds_x[i] = kinds_y[j] = "kept" if same else "replaced"
            pairs.append((cells_x[i], cells_y[j]))
    return AlignedTables(alignment, x, y, kinds_x, kinds_y, pairs)


def _align(given: Any, function: str) -> Alignment:
    if not isinstance(given, Sequence) or isinstance(given, str | bytes) or len(given) != 2:
        must = "an alignment of two tables, or a pair of tables"
        refuse("tables", function, must, shown(given))
    x, y = (side if isinstance(side, Tree) else Tree.from_html_table(side) for side in given)
    return align(x, y, costs=TableCosts())


def grid_of(tree: Tree, function: str) -> Grid:
    """Place the cells of a table, as browsers do."""
    for label in tree._data.alphabet:
        if not (isinstance(label, tuple) and len(label) == _LABEL_PARTS):
            must = "of trees with labels (tag, colspan, rowspan, content)"
            refuse("tables", function, must, f"the label {shown(label)}")
    labels, parents = tree.labels, tree.parents.tolist()
    row_of = {i: 0 for i, label in enumerate(labels) if _tag(label) == "tr"}
    row_of |= {parents[i]: 0 for i, label in enumerate(labels) if _is_cell(label)}
    for row, node in enumerate(sorted(row_of)):
        row_of[node] = row
    taken: set[tuple[int, int]] = set()
    cells = []
    next_column: dict[int, int] = {}
    for node, label in enumerate(labels):
        if not _is_cell(label):
            continue
        row = row_of[parents[node]]
        column = next_column.get(row, 0)
        while (row, column) in taken:
            column += 1
        width = min(max(_number(label, 1), 1), _MOST_COLUMNS)
        height = min(max(_number(label, 2), 1), len(row_of) - row)
        taken |= {(row + r, column + c) for r in range(height) for c in range(width)}
        next_column[row] = column + width
        cells.append(Cell(node, row, column, height, width, tuple(_content(label))))
    width = max((cell.column + cell.width for cell in cells), default=0)
    return Grid(cells, len(row_of), width)


def _tag(label: Any) -> Any:
    return label[0]


def _is_cell(label: Any) -> bool:
    return label[1] is not None


def _number(label: Any, place: int) -> int:
    return label[place] if isinstance(label[place], int) else 1


def _content(label: Any) -> tuple[str, ...]:
    return tuple(label[3] or ())


def changed_tokens(old: Sequence[str], new: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Return which tokens of two contents differ."""
    of_old, of_new = [True] * len(old), [True] * len(new)
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        of_old[block.a : block.a + block.size] = [False] * block.size
        of_new[block.b : block.b + block.size] = [False] * block.size
    return of_old, of_new


def tables_html(tables: Any) -> str:
    """Write two aligned tables side by side as HTML, with the differences in colour.

    Deleted cells are orange, inserted cells green, and changed cells blue, with the characters
    that differ in orange and green. A difference in spans is written in both cells, such as
    ``colspan 2 → 3``. Matched cells that changed or moved have the same number. The page needs no
    script, no style sheet and no other file.

    Parameters
    ----------
    tables : Alignment or pair of tables
        An alignment of two trees of `Tree.from_html_table`, or a pair of such trees or of tables
        in HTML, which are aligned by `TableCosts`.

    Returns
    -------
    str
        The text of a page.

    See Also
    --------
    treemetric.plotting.plot_tables : The same as a plot.

    Examples
    --------
    >>> from treemetric.plotting import tables_html
    >>> row = "<table><tr><td>{}</td></tr></table>"
    >>> page = tables_html((row.format("cat"), row.format("cut")))  # doctest: +SKIP
    >>> page.count("<table")  # doctest: +SKIP
    2
    """
    found = aligned_tables(tables, "tables_html")
    numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for a, b in found.pairs:
        moved = (a.row, a.column) != (b.row, b.column)
        if moved or found.kinds_x[a.node] == "replaced":
            number = len(numbers[0]) + 1
            numbers[0][a.node] = numbers[1][b.node] = number
    pieces, notes = found.pieces(), found.notes()
    counts = ", ".join(f"{n} {kind}" for kind, n in found.counts().items())
    title = f"Tables at distance {found.alignment.cost:.6g}"
    left = _table(found.x, found.kinds_x, pieces[0], notes[0], numbers[0], "delete")
    right = _table(found.y, found.kinds_y, pieces[1], notes[1], numbers[1], "insert")
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head>'
        f'<body style="font-family:sans-serif"><p>{title}: {counts} cells</p>'
        '<div style="display:flex;gap:3em;align-items:flex-start;overflow-x:auto">'
        f"{left}{right}</div></body></html>\n"
    )


def _table(
    grid: Grid,
    kinds: dict[int, Kind],
    pieces: dict[int, list[bool]],
    notes: dict[int, str],
    numbers: dict[int, int],
    edit: str,
) -> str:
    rows: list[list[str]] = [[] for _ in range(grid.height)]
    for cell in grid.cells:
        spans = "".join(
            f' {name}="{span}"'
            for name, span in (("colspan", cell.width), ("rowspan", cell.height))
            if span > 1
        )
        kind = kinds[cell.node]
        content = _marked(cell.tokens, pieces.get(cell.node), _PIECES[edit])
        if cell.node in notes:
            content += f' <small style="{_NOTE}">{escape(notes[cell.node])}</small>'
        if cell.node in numbers:
            content += f' <sup style="opacity:.6">{numbers[cell.node]}</sup>'
        style = f"{_STYLE[1]};background:{_TINTS[kind]}"
        rows[cell.row].append(f'<td{spans} title="{kind}" style="{style}">{content}</td>')
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f'<table style="{_STYLE[0]}"><tbody>{body}</tbody></table>'


def _marked(tokens: Sequence[str], changed: list[bool] | None, color: str) -> str:
    """Return tokens as text, with those that changed on a coloured ground."""
    if not changed:
        return escape("".join(tokens))
    parts = []
    last = False
    for token, now in zip(tokens, changed, strict=True):
        if now != last:
            parts.append(f'<span style="background:{color}">' if now else "</span>")
        parts.append(escape(token))
        last = now
    return "".join(parts) + ("</span>" if last else "")
