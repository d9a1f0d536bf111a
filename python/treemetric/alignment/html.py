"""An alignment as a table in HTML, for notebooks."""

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from treemetric.alignment.layout import Row, aligned_rows, count_kinds, heading, indents, label_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from treemetric.alignment import Alignment
    from treemetric.tree import Tree

__all__ = ["alignment_html"]

# In longer tables, kept rows far from any edit are folded; a table that is still too long is cut.
_MOST_ROWS = 200
_CONTEXT = 3
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


def alignment_html(alignment: "Alignment") -> str:
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
    parts += _body(rows, sides)
    parts.append("</tbody></table></div>")
    return "".join(parts)


class _Side:
    """The cells of one of the two trees."""

    def __init__(self, tree: "Tree") -> None:
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


def _body(rows: list[Row], sides: tuple[_Side, _Side]) -> "Iterator[str]":
    visible = _visible(rows)
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


def _visible(rows: list[Row]) -> list[bool]:
    """Return which rows are not folded: in a long table, the top and rows near an edit."""
    if len(rows) <= _MOST_ROWS:
        return [True] * len(rows)
    visible = [at < _CONTEXT for at in range(len(rows))]
    for at, row in enumerate(rows):
        if row.kind != "kept":
            for near in range(max(at - _CONTEXT, 0), min(at + _CONTEXT + 1, len(rows))):
                visible[near] = True
    return visible


def _note(text: str) -> str:
    return f'<tr><td colspan="3" style="{_CELL};{_FAINT}">{text}</td></tr>'


def _cell(content: str, style: str, tag: str = "td") -> str:
    return f'<{tag} style="{_CELL};{style}">{content}</{tag}>'
