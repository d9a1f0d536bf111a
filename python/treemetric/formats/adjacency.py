"""Adjacency lists: a label and a list of children per node."""

from collections.abc import Iterable, Sequence

import numpy as np

from treemetric._base.arrays import index_array
from treemetric._base.typing import IntArray, Label
from treemetric._core import TreeData


def parse(
    nodes: Iterable[Label],
    adj: Sequence[Sequence[int]],
    roots: Sequence[int] | None,
) -> TreeData:
    """Return the tree; its nodes may be in any order."""
    labels = tuple(nodes)
    if len(adj) != len(labels):
        message = f"adj must have one list per node. Got {len(adj)} lists for {len(labels)} nodes."
        raise ValueError(message)
    starts = np.zeros(len(labels) + 1, dtype=np.int64)
    np.cumsum([len(children) for children in adj], out=starts[1:])
    flat = [child for children in adj for child in children]
    return TreeData.from_adjacency(
        labels,
        starts,
        index_array(flat, "adj", np.int64),
        None if roots is None else index_array(roots, "roots", np.int64),
    )


def build(parents: IntArray) -> list[list[int]]:
    """Return the list of children of each node, in preorder."""
    adj: list[list[int]] = [[] for _ in range(len(parents))]
    for node, parent in enumerate(parents.tolist()):
        if parent != -1:
            adj[parent].append(node)
    return adj
