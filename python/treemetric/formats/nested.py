"""Nested tuples: ``("a", ["b", ("c", ["d"])])``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treemetric._base.typing import IntArray, Label


def build(labels: Sequence[Label], parents: IntArray) -> Any:
    """Return the nested form: a node for a tree, a list of nodes for a forest."""
    children: list[list[Any]] = [[] for _ in labels]
    roots: list[Any] = []
    # In reverse preorder, every subtree is complete when its root is visited.
    for i in range(len(labels) - 1, -1, -1):
        below = children[i]
        below.reverse()
        plain = not below and not isinstance(labels[i], tuple)
        node = labels[i] if plain else (labels[i], below)
        parent = int(parents[i])
        (roots if parent == -1 else children[parent]).append(node)
    roots.reverse()
    return roots[0] if len(roots) == 1 else roots
