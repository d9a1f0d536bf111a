"""Adjacency lists: a label and a list of children per node."""

from __future__ import annotations

from treemetric._base.typing import IntArray


def build(parents: IntArray) -> list[list[int]]:
    """Return the list of children of each node, in preorder."""
    adj: list[list[int]] = [[] for _ in range(len(parents))]
    for node, parent in enumerate(parents.tolist()):
        if parent != -1:
            adj[parent].append(node)
    return adj
