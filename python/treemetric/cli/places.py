"""Where the nodes of a tree are in their file: the line and the first words of each node."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from treemetric.convert.ast_nodes import from_ast

if TYPE_CHECKING:
    from treemetric.tree import Tree

__all__ = ["Place", "places_in_python", "places_in_tree_sitter", "span_in_bytes"]

# Longer lines are cut.
_LONGEST = 60
# As Python's parser separates them; a form feed does not end a line.
_LINE_END = re.compile(r"\r\n|\r|\n")


class Place(NamedTuple):
    """The line of a node, from 1, and its source up to the end of that line."""

    line: int
    text: str


def places_in_python(source: str, options: dict[str, Any]) -> list[Place]:
    """Return the places of the nodes of `from_ast`, in preorder."""
    options = {name: value for name, value in options.items() if name != "values"}
    lines = _LINE_END.split(source)
    return _inherited(from_ast(source, **options, label=_span), lines)


def places_in_tree_sitter(spans: Tree, data: bytes) -> list[Place]:
    """Return the places of the nodes of a tree whose labels are from `span_in_bytes`."""
    return _inherited(spans, data.decode(errors="replace").split("\n"))


def span_in_bytes(node: Any) -> tuple[int, int, int, int]:
    """Return the first and the last line of a node of tree-sitter, and its columns."""
    (first, start), (last, end) = node.start_point, node.end_point
    return first + 1, last + 1, start, end


def _span(node: Any) -> tuple[int, int, int, int] | None:
    """Return the first and the last line of a node, and the columns, which are in bytes."""
    line = getattr(node, "lineno", None)
    if line is None:
        # Operators and lists of parameters have no position of their own.
        return None
    return line, node.end_lineno, node.col_offset, node.end_col_offset


def _inherited(spans: Tree, lines: Sequence[str]) -> list[Place]:
    """Return the places of nodes; one without a position has that of the node above."""
    found: list[Place] = []
    whole = Place(1, "")
    known: dict[Any, Place] = {}
    for span, above in zip(spans.labels, spans.parents.tolist(), strict=True):
        if span is None:
            found.append(whole if above < 0 else found[above])
            continue
        if span not in known:
            known[span] = _place(span, lines)
        found.append(known[span])
    return found


def _place(span: Any, lines: Sequence[str]) -> Place:
    first, last, start, end = span
    line = lines[first - 1].encode(errors="replace") if first <= len(lines) else b""
    rest = line[start : end if first == last else None].decode(errors="replace")
    text = " ".join(rest.split())
    return Place(first, text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
