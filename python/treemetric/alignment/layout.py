"""The rows of two aligned trees: outlines side by side, one row per node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from treemetric._base.text_art import label_shown

if TYPE_CHECKING:
    from treemetric.alignment import Alignment
    from treemetric.tree import Tree

__all__ = [
    "KINDS",
    "Kind",
    "Row",
    "aligned_rows",
    "count_kinds",
    "heading",
    "indents",
    "label_text",
    "unchanged_stretches",
]

Kind = Literal["kept", "replaced", "deleted", "inserted"]
KINDS: tuple[Kind, ...] = ("kept", "replaced", "deleted", "inserted")
# A line that stands for fewer rows would save too little.
_SHORTEST_STRETCH = 5


@dataclass(frozen=True, slots=True)
class Row:
    """The content of one row: a node of x, a node of y, or a matched pair."""

    kind: Kind
    i: int | None
    j: int | None


def aligned_rows(alignment: Alignment) -> list[Row]:
    """List the rows of both trees from top to bottom, with matched nodes in one row.

    An alignment keeps the order of ancestors and of siblings, hence preorder, so that
    the rows show both trees in preorder and no two matches cross. If the trees have no order,
    the children of y are in the order of their partners. Between two matches, what is below the
    deeper match comes first, so that a node is near its siblings.
    """
    replaced = {(edit.i, edit.j) for edit in alignment.edits() if edit.op == "replace"}
    partner = {i: j for i, j in alignment.pairs if i is not None}
    order = alignment._order_of_y()
    place = {j: position for position, j in enumerate(order)}
    rows: list[Row] = []
    deleted: list[int] = []
    done = 0
    above = [
        _matches_above(alignment.x, {i for i, j in partner.items() if j is not None}),
        _matches_above(alignment.y, {j for j in partner.values() if j is not None}),
    ]

    def flush(inserted: Sequence[int]) -> None:
        """Append the rows between two matches."""
        at = 0
        for i in deleted:
            while at < len(inserted) and above[1][inserted[at]] > above[0][i]:
                rows.append(Row("inserted", None, inserted[at]))
                at += 1
            rows.append(Row("deleted", i, None))
        rows.extend(Row("inserted", None, j) for j in inserted[at:])
        deleted.clear()

    for i in range(alignment.x.size):
        j = partner[i]
        if j is None:
            deleted.append(i)
            continue
        flush(order[done : place[j]])
        rows.append(Row("replaced" if (i, j) in replaced else "kept", i, j))
        done = place[j] + 1
    flush(order[done:])
    return rows


def _matches_above(tree: Tree, matched: set[int]) -> list[int]:
    """Return how many ancestors of each node are matched."""
    found: list[int] = []
    for parent in tree.parents.tolist():
        found.append(0 if parent < 0 else found[parent] + (parent in matched))
    return found


def unchanged_stretches(
    rows: list[Row], trees: tuple[Tree, Tree], *, context: int = 3
) -> list[tuple[int, int]]:
    """Return the first and last rows of long stretches without an edit.

    Visible are the first rows, `context` rows around each edit, and as many of the nearest
    ancestors of each edited node. A stretch of few rows is visible, too.
    """
    visible = [at < context for at in range(len(rows))]
    place: tuple[dict[int, int], dict[int, int]] = ({}, {})
    parents = tuple(tree.parents.tolist() for tree in trees)
    for at, row in enumerate(rows):
        for side, node in enumerate((row.i, row.j)):
            if node is not None:
                place[side][node] = at
    for at, row in enumerate(rows):
        if row.kind == "kept":
            continue
        for near in range(max(at - context, 0), min(at + context + 1, len(rows))):
            visible[near] = True
        for side, node in enumerate((row.i, row.j)):
            up = -1 if node is None else parents[side][node]
            for _ in range(context):
                if up < 0:
                    break
                visible[place[side][up]] = True
                up = parents[side][up]
    stretches = []
    for seen, stretch in groupby(range(len(rows)), key=visible.__getitem__):
        hidden = list(stretch)
        if not seen and len(hidden) >= _SHORTEST_STRETCH:
            stretches.append((hidden[0], hidden[-1]))
    return stretches


def count_kinds(rows: list[Row]) -> dict[Kind, int]:
    """Count the rows of each kind, including kinds that do not occur."""
    found = Counter(row.kind for row in rows)
    return {kind: found[kind] for kind in KINDS}


def heading(name: str, tree: Tree) -> str:
    """Return the heading of a tree."""
    return f"{name}, {tree.size} node{'' if tree.size == 1 else 's'}"


def indents(tree: Tree, step: float, widest: float) -> list[float]:
    """Return the indent of each node: a step per ancestor, or less if that is too wide."""
    depths: list[int] = []
    for parent in tree.parents.tolist():
        depths.append(0 if parent < 0 else depths[parent] + 1)
    step = min(step, widest / max([1, *depths]))
    return [step * depth for depth in depths]


def label_text(label: object, longest: int) -> str:
    r"""Write a label in one line of visible characters, such as ``\n`` for a newline."""
    text = label_shown(label) if isinstance(label, tuple) else str(label)
    if not text.strip():
        text = repr(text)
    text = text[: longest + 1]
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"
