"""Nearest trees without an index: all distances, some rows at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import CostsLike, FloatArray
from treemetric.treeset import TreeSet
from treemetric.unordered import unordered_pairwise_distances

# Distances that are in memory at a time.
_BLOCK = 1 << 22

# The distances of some trees to others.
Measure = Callable[[TreeSet, TreeSet], FloatArray]


def unordered_nearest(
    trees: TreeSet,
    targets: TreeSet | None,
    count: int,
    costs: CostsLike | None,
    n_jobs: int | None,
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Return the nearest targets if the order of children does not count."""

    def measure(rows: TreeSet, others: TreeSet) -> FloatArray:
        return unordered_pairwise_distances(rows, others, costs=costs, n_jobs=n_jobs)

    return exhaustive_nearest(trees, targets, count, measure)


def exhaustive_nearest(
    trees: TreeSet, targets: TreeSet | None, count: int, measure: Measure
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Return positions and distances of the nearest targets, sorted by distance, then position.

    Without targets the trees are compared with each other, and no tree is its own neighbour.
    """
    others = trees if targets is None else targets
    indices = np.empty((len(trees), count), dtype=np.int64)
    distances = np.empty((len(trees), count))
    step = max(1, _BLOCK // max(1, len(others)))
    for start in range(0, len(trees), step):
        rows = trees[start : start + step]
        found = measure(rows, others)
        if targets is None:
            found[np.arange(len(rows)), np.arange(start, start + len(rows))] = np.inf
        # A stable sort keeps the first of equal distances.
        best = np.argsort(found, axis=1, kind="stable")[:, :count]
        indices[start : start + step] = best
        distances[start : start + step] = np.take_along_axis(found, best, axis=1)
    return indices, distances
