"""The nearest pairs of different trees: in the sample, and among all trees that are not small."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treemetric._base.typing import CostsLike
from treemetric.neighbors import iter_within
from treemetric.report.sample import Sample
from treemetric.treeset import TreeSet

__all__ = ["JOIN_RADIUS", "SMALLEST_JOINED", "NearPair", "near_pairs"]

# All pairs within this number of edits are found, also outside of the sample, if the trees are
# large enough for so few edits to mean something.
JOIN_RADIUS = 3
SMALLEST_JOINED = 12
# Pairs kept while searching, and how often a tree may appear.
_KEPT = 1000
_MOST_OF_A_TREE = 2


class NearPair(NamedTuple):
    """Positions of two trees, their distance, and the distance as a share of the largest."""

    i: int
    j: int
    distance: float
    relative: float


def near_pairs(
    trees: TreeSet,
    distinct: NDArray[np.int64],
    sample: Sample,
    costs: CostsLike | None,
    n_jobs: int | None,
    most: int,
) -> list[NearPair]:
    """Return the nearest pairs of different trees, by the share of nodes that are edited."""
    found = _of_sample(sample)
    if costs is None and len(sample.positions) < len(distinct):
        found += _of_all(trees, distinct, n_jobs)
    used: dict[int, int] = {}
    chosen: list[NearPair] = []
    for pair in sorted(set(found), key=lambda pair: (pair.relative, pair.i, pair.j)):
        if max(used.get(pair.i, 0), used.get(pair.j, 0)) < _MOST_OF_A_TREE:
            chosen.append(pair)
            for position in pair[:2]:
                used[position] = used.get(position, 0) + 1
        if len(chosen) == most:
            break
    return chosen


def _of_sample(sample: Sample) -> list[NearPair]:
    rows, columns = np.triu_indices(len(sample.positions), 1)
    values = sample.relative[rows, columns]
    best = np.argsort(values, kind="stable")[:_KEPT]
    return [
        NearPair(
            int(sample.positions[i]),
            int(sample.positions[j]),
            float(sample.distances[i, j]),
            float(sample.relative[i, j]),
        )
        for i, j in zip(rows[best].tolist(), columns[best].tolist(), strict=True)
    ]


def _of_all(trees: TreeSet, distinct: NDArray[np.int64], n_jobs: int | None) -> list[NearPair]:
    """Join all trees that are not small; every edit costs 1."""
    sizes = trees.sizes
    large = distinct[sizes[distinct] >= SMALLEST_JOINED]
    best: list[NearPair] = []
    for chunk in iter_within(trees[large], radius=JOIN_RADIUS, once=True, n_jobs=n_jobs):
        i, j = large[chunk.source], large[chunk.target]
        relative = chunk.distance / (sizes[i] + sizes[j])
        order = np.argsort(relative, kind="stable")[:_KEPT]
        columns = (i[order], j[order], chunk.distance[order], relative[order])
        best += map(NearPair._make, zip(*(column.tolist() for column in columns), strict=True))
        best = sorted(best, key=lambda pair: pair.relative)[:_KEPT]
    return best
