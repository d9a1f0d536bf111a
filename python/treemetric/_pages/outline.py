"""Outlines of one tree, or of two aligned trees, that a script draws.

The script draws only the rows that are in view, so that trees of any size can be looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treemetric._base.text_art import label_shown
from treemetric._base.typing import IntArray, Label

__all__ = ["Gaps", "Rows", "Side", "outline_data"]

# Longer labels are cut; a page of long texts would be slow.
_LONGEST_LABEL = 2000

# First and last row of each stretch that is hidden at first.
Gaps = Sequence[tuple[int, int]]


class Side(NamedTuple):
    """One of the trees: its name, the labels of its nodes and their parents, in preorder.

    For a file of source code, `lines` are the lines of the nodes, from 1.
    """

    name: str
    labels: Sequence[Label]
    parents: IntArray
    lines: Sequence[int] | None = None


class Rows(NamedTuple):
    """The rows of two trees: the kind of each, its nodes (-1 for none), and its cost."""

    kinds: Sequence[str]
    nodes: tuple[Sequence[int], Sequence[int]]
    costs: Sequence[float]


def outline_data(
    title: str, sides: Sequence[Side], rows: Rows | None = None, gaps: Gaps = ()
) -> dict[str, Any]:
    """Return what the script ``outline.js`` needs; a single tree has a row per node."""
    data: dict[str, Any] = {"title": title, "sides": [_side(side) for side in sides]}
    if rows is not None:
        initials = {kind: kind[0] for kind in ("kept", "replaced", "deleted", "inserted")}
        data["kinds"] = "".join(initials[kind] for kind in rows.kinds)
        data["nodes"] = [list(nodes) for nodes in rows.nodes]
        # Costs may be infinite, and most rows have none.
        data["costs"] = {str(at): f"{cost:.6g}" for at, cost in enumerate(rows.costs) if cost != 0}
        data["gaps"] = [list(gap) for gap in gaps]
    return data


def _side(side: Side) -> dict[str, Any]:
    texts: dict[str, int] = {}
    codes = [texts.setdefault(_text(label), len(texts)) for label in side.labels]
    parents = np.asarray(side.parents).tolist()
    data = {"name": side.name, "texts": list(texts), "codes": codes, "parents": parents}
    return data if side.lines is None else {**data, "lines": list(side.lines)}


def _text(label: Label) -> str:
    text = label_shown(label)
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
