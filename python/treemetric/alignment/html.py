"""An alignment as a table in HTML, for notebooks, and as a page, for browsers."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from treemetric._pages.outline import Rows, Side, outline_data
from treemetric._pages.shell import embedded, page
from treemetric.alignment.layout import (
    Row,
    aligned_rows,
    count_kinds,
    heading,
    indents,
    label_text,
    unchanged_stretches,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from treemetric.alignment import Alignment
    from treemetric.tree import Tree

    # The line of each node of both trees.
    Lines = tuple[Sequence[int] | None, Sequence[int] | None]

__all__ = ["alignment_element", "alignment_html", "alignment_page"]

# In longer tables, kept rows far from any edit are folded; a table that is still too long is cut.
_MOST_ROWS = 200
_LONGEST_LABEL = 60
_WIDEST_INDENT = 60

# Half-transparent Okabe-Ito colours work on light and dark pages, and the signs have the same
# meaning for readers who do not see colours.
_TINTS = {
    "replaced": "rgba(0,114,178,.28)",
    "deleted": "rgba(213,94,0,.28)",
    "inserted": "rgba(0,158,115,.28)",
}
_SIGNS = {"kept": "", "replaced": "→", "deleted": "−", "inserted": "+"}  # noqa: RUF001
_TABLE = "border-collapse:collapse;border:none;margin:.3em 0;font-family:monospace"
_CELL = "border:none;padding:0 .6em;text-align:left;white-space:nowrap"
_FAINT = "opacity:.6"


def alignment_html(alignment: Alignment) -> str:
    """Write an alignment as a table, one row for each node or matched pair.

    The fragment needs no script and no style sheet.
    """
    rows = aligned_rows(alignment)
    sides = _Side(alignment.x), _Side(alignment.y)
    counts = ", ".join(f"{n} {kind}" for kind, n in count_kinds(rows).items())
    parts = [
        f'<div style="overflow-x:auto"><div>Alignment of cost {alignment.cost:.6g}: {counts}</div>'
        f'<table style="{_TABLE}"><thead><tr>',
        _cell(heading("x", alignment.x), _FAINT, "th"),
        _cell("", "", "th"),
        _cell(heading("y", alignment.y), _FAINT, "th"),
        "</tr></thead><tbody>",
    ]
    parts += _body(rows, _visible(rows, (alignment.x, alignment.y)), sides)
    parts.append("</tbody></table></div>")
    return "".join(parts)


def alignment_page(alignment: Alignment, names: Sequence[str], lines: Lines = (None, None)) -> str:
    """Write an alignment as a page with a script: folding, search, details under the mouse.

    `lines` are the numbers of the lines of the nodes of each tree in its file, if known.
    """
    title = f"Alignment of cost {alignment.cost:.6g}"
    element = alignment_element(alignment, names, title, lines)
    return page(f"{names[0]} and {names[1]}: {title}", element, "outline", full=True)


def alignment_element(
    alignment: Alignment, names: Sequence[str], title: str, lines: Lines = (None, None)
) -> str:
    """Return the part of a page that holds an alignment, for the script ``outline.js``."""
    rows = aligned_rows(alignment)
    trees = alignment.x, alignment.y
    cost_of = {(edit.i, edit.j): edit.cost for edit in alignment.edits()}
    sides = [
        Side(name, tree.labels, tree.parents, numbers)
        for name, tree, numbers in zip(names, trees, lines, strict=True)
    ]
    nodes = ([_or_none(row.i) for row in rows], [_or_none(row.j) for row in rows])
    costs = [cost_of.get((row.i, row.j), 0.0) for row in rows]
    drawn = Rows([row.kind for row in rows], nodes, costs)
    return embedded("outline", outline_data(title, sides, drawn, unchanged_stretches(rows, trees)))


def _or_none(node: int | None) -> int:
    return -1 if node is None else node


class _Side:
    """The cells of one of the two trees."""

    def __init__(self, tree: Tree) -> None:
        self.labels = tree.labels
        self.indents = indents(tree, 2, _WIDEST_INDENT)

    def cell(self, node: int | None, kind: str) -> str:
        if node is None:
            return _cell("", "")
        # Spaces, not padding: they survive copying and pages that drop styles.
        indent = "&nbsp;" * round(self.indents[node])
        label = escape(label_text(self.labels[node], _LONGEST_LABEL))
        tint = _TINTS.get(kind)
        return _cell(indent + label, f"background:{tint}" if tint else "")


def _body(rows: list[Row], visible: list[bool], sides: tuple[_Side, _Side]) -> Iterator[str]:
    shown = 0
    for seen, stretch in groupby(range(len(rows)), key=visible.__getitem__):
        if not seen:
            yield _note(f"⋯ {len(list(stretch))} kept")
            continue
        for at in stretch:
            if shown == _MOST_ROWS:
                yield _note(f"⋯ {len(rows) - at} more rows")
                return
            shown += 1
            row = rows[at]
            yield "<tr>"
            yield sides[0].cell(row.i, row.kind)
            yield _cell(_SIGNS[row.kind], _FAINT)
            yield sides[1].cell(row.j, row.kind)
            yield "</tr>"


def _visible(rows: list[Row], trees: tuple[Tree, Tree]) -> list[bool]:
    """Return which rows are not folded: in a long table, the top and rows near an edit."""
    visible = [True] * len(rows)
    if len(rows) > _MOST_ROWS:
        for first, last in unchanged_stretches(rows, trees):
            visible[first : last + 1] = [False] * (last + 1 - first)
    return visible


def _note(text: str) -> str:
    return f'<tr><td colspan="3" style="{_CELL};{_FAINT}">{text}</td></tr>'


def _cell(content: str, style: str, tag: str = "td") -> str:
    return f'<{tag} style="{_CELL};{style}">{content}</{tag}>'
