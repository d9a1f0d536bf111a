"""Groups of near trees, from a stream of the pairs within a radius.

The trees are distinct; `weights` holds how often each of them occurs. A pair leads from a tree to
a tree that may represent it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np

from treemetric._base.typing import FloatArray, OffsetArray
from treemetric._base.validation import check_memory
from treemetric.neighbors.pairs import PairChunk, collected, joined

# Pairs that are collected before the components are computed again, if there are fewer trees.
_ENOUGH = 1 << 18
# Bytes of a pair while the graph is made.
_PAIR_BYTES = 72


class _Standing:
    """How many trees each tree can represent, and the sum of their distances."""

    def __init__(self, weights: OffsetArray, own: FloatArray) -> None:
        self._weights = weights
        # A tree represents its copies, and itself at no distance.
        self.count = weights.astype(np.float64)
        self.total = (weights - 1) * own

    def add(self, pairs: PairChunk) -> None:
        """Count pairs."""
        size = len(self.count)
        weights = self._weights[pairs.source].astype(np.float64)
        self.count += np.bincount(pairs.target, weights, minlength=size)
        self.total += np.bincount(pairs.target, weights * pairs.distance, minlength=size)


def components(chunks: Iterable[PairChunk], weights: OffsetArray, own: FloatArray) -> OffsetArray:
    """Return the representative of each tree, where groups are connected components.

    The representative is the tree that is near most trees of its group. Among several it is that
    with the smallest sum of distances, then the first.

    Parameters
    ----------
    chunks
        The pairs, in both directions.
    weights
        The number of copies of each tree.
    own
        The distances of trees to their copies.
    """
    from scipy.sparse import coo_matrix  # heavy: imported where used
    from scipy.sparse.csgraph import connected_components

    labels = np.arange(len(weights))
    standing = _Standing(weights, own)
    for pairs in collected(chunks, max(_ENOUGH, len(weights))):
        standing.add(pairs)
        # The groups so far are the nodes of the next graph, so that no pair has to be kept.
        ends = labels[pairs.source], labels[pairs.target]
        shape = (len(weights), len(weights))
        graph = coo_matrix((np.ones(len(ends[0]), dtype=bool), ends), shape=shape)
        labels = connected_components(graph, directed=False)[1][labels]
    order = np.lexsort((standing.total, -standing.count, labels))
    begins = np.flatnonzero(np.diff(labels[order], prepend=-1))
    best = np.empty(len(weights), dtype=np.int64)
    best[labels[order[begins]]] = order[begins]
    return best[labels]


def cover(chunks: Iterable[PairChunk], weights: OffsetArray, own: FloatArray) -> OffsetArray:
    """Return the representative of each tree, where each tree is near its representative.

    The tree that is near most trees without a representative represents them, until all trees have
    one. Among several it is that with the smallest sum of distances, then the first. Parameters
    are those of `components`.
    """
    standing = _Standing(weights, own)
    kept = []
    count = 0
    for pairs in chunks:
        standing.add(pairs)
        kept.append(pairs)
        count += len(pairs.source)
        check_memory(_PAIR_BYTES * len(pairs.source), f"a graph of more than {count} pairs")
    chosen = np.arange(len(weights), dtype=np.int64)
    if not kept:
        return chosen
    source, target, distance = joined(kept)
    kept.clear()
    order = np.argsort(target, kind="stable")
    source, distance = source[order], distance[order]
    starts = np.searchsorted(target[order], np.arange(len(weights) + 1))
    free = np.ones(len(weights), dtype=bool)
    # Numbers of free trees only fall, so the first tree of the queue is the best if its number is
    # still right. Trees that are near no other represent themselves.
    busy = np.flatnonzero(np.diff(starts))
    columns = (-standing.count[busy], standing.total[busy], busy)
    queue = list(zip(*(column.tolist() for column in columns), strict=True))
    heapq.heapify(queue)
    while queue:
        expected, _, tree = heapq.heappop(queue)
        if not free[tree]:
            continue
        part = slice(starts[tree], starts[tree + 1])
        members = source[part]
        left = free[members]
        members = members[left]
        here = -float(weights[members].sum() + weights[tree])
        if here != expected:
            rest = (weights[members] * distance[part][left]).sum() + (weights[tree] - 1) * own[tree]
            heapq.heappush(queue, (here, float(rest), tree))
            continue
        chosen[members] = tree
        free[members] = free[tree] = False
    return chosen
