"""How the edits of an alignment are written: as lines of text, and as rows with line numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from treemetric._base.text_art import label_shown
from treemetric.alignment import Alignment, Edit
from treemetric.alignment.layout import aligned_rows
from treemetric.cli.outputs import csv_value, json_value
from treemetric.cli.places import Place

__all__ = ["HEADER", "Sides", "as_lines", "as_record", "as_row"]

HEADER = ("op", "i", "j", "old", "new", "cost", "old_line", "new_line")

Places = Sequence[Place] | None


class Sides(NamedTuple):
    """The names of two trees, and where their nodes are if they are source code."""

    names: tuple[str, str]
    places: tuple[Places, Places] = (None, None)

    @property
    def lines(self) -> tuple[list[int] | None, list[int] | None]:
        """The line of each node."""
        old, new = self.places
        return _lines(old), _lines(new)

    def of(self, edit: Edit) -> tuple[Place | None, Place | None]:
        """Return the places of the nodes of an edit."""
        old, new = self.places
        return (
            None if old is None or edit.i is None else old[edit.i],
            None if new is None or edit.j is None else new[edit.j],
        )


def _lines(places: Places) -> list[int] | None:
    return None if places is None else [place.line for place in places]


def as_row(edit: Edit, sides: Sides) -> tuple[Any, ...]:
    """Return an edit as a row of a table; the parts of a label are no columns."""
    old, new = (label_shown(x) if isinstance(x, tuple) else x for x in (edit.old, edit.new))
    lines = (place and place.line for place in sides.of(edit))
    return (*edit._replace(old=old, new=new), *lines)


def as_record(edit: Edit, sides: Sides) -> dict[str, Any]:
    """Return an edit as an object of JSON; the parts of a label are an array."""
    lines = (place and place.line for place in sides.of(edit))
    values = (*edit[:-1], json_value(edit.cost), *lines)
    return dict(zip(HEADER, values, strict=True))


def as_lines(alignment: Alignment, sides: Sides, *, with_costs: bool) -> list[str]:
    """Return the edits, one per line; those of source code from top to bottom, with their lines."""
    edits = alignment.edits()
    costs = [f"cost {csv_value(edit.cost)}" if with_costs else "" for edit in edits]
    if sides.places == (None, None):
        return [
            f"{_change(edit)}  ({_joined(_node(edit), cost)})"
            for edit, cost in zip(edits, costs, strict=True)
        ]
    at = {(row.i, row.j): place for place, row in enumerate(aligned_rows(alignment))}
    heads = [_head(edit, sides) for edit in edits]
    width = max(map(len, heads), default=0)
    lines = []
    for edit, cost, head in zip(edits, costs, heads, strict=True):
        notes = _joined(_other(edit, sides), cost)
        end = f"  ({notes})" if notes else ""
        line = f"{head:{width}}  {_change(edit)}{_words(edit, sides)}{end}"
        lines.append((at[edit.i, edit.j], line))
    return [line for _, line in sorted(lines)]


def _joined(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _change(edit: Edit) -> str:
    change = {
        "replace": f"{_quoted(edit.old)} -> {_quoted(edit.new)}",
        "delete": _quoted(edit.old),
        "insert": _quoted(edit.new),
    }[edit.op]
    return f"{edit.op:8}{change}"


def _head(edit: Edit, sides: Sides) -> str:
    """Return the file and the line that editors and terminals turn into a link."""
    old, new = sides.of(edit)
    if edit.i is not None:
        return _node(edit) if old is None else f"{sides.names[0]}:{old.line}"
    return _node(edit) if new is None else f"{sides.names[1]}:{new.line}"


def _words(edit: Edit, sides: Sides) -> str:
    """Return the source of a node whose label has no words of its own."""
    old, new = sides.of(edit)
    label, place = (edit.new, new) if edit.i is None else (edit.old, old)
    if place is None or not place.text or isinstance(label, tuple):
        return ""
    return f"  {place.text}"


def _other(edit: Edit, sides: Sides) -> str:
    """Return where the new node of a replacement is."""
    new = sides.of(edit)[1]
    return f"{sides.names[1]}:{new.line}" if edit.op == "replace" and new else ""


def _node(edit: Edit) -> str:
    return f"node {edit.i} of A" if edit.i is not None else f"node {edit.j} of B"


def _quoted(label: object) -> str:
    """Return a label on one line, in quotes if it is empty or has spaces around it."""
    text = label_shown(label) if isinstance(label, tuple) else str(label)
    return text if text.isprintable() and text.strip() == text != "" else repr(text)
