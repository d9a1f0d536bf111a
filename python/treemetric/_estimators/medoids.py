"""The greedy choice of medoids, the phase BUILD of PAM (Kaufman and Rousseeuw 1990)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray

# Entries of a block of candidates; a few such arrays fit in the cache of a core.
_BLOCK = 1 << 16


def greedy_medoids(
    rows: FloatArray, count: int, weights: FloatArray | None = None
) -> npt.NDArray[np.int64]:
    """Take the medoid, then the candidates that lower the sum of distances most.

    ``rows[j, i]`` is the distance from point i to candidate j. There are at least ``count``
    candidates. Ties go to the first candidate.
    """
    nearest = np.full(rows.shape[1], np.inf)
    chosen: list[int] = []
    step = max(1, _BLOCK // max(1, rows.shape[1]))
    sums = np.empty(len(rows))
    for _ in range(count):
        for at in range(0, len(rows), step):
            block = np.minimum(rows[at : at + step], nearest)
            sums[at : at + step] = block.sum(axis=1) if weights is None else block @ weights
        sums[chosen] = np.inf
        # The first of those that are equal up to rounding, whatever the order of summation.
        chosen.append(int(np.argmax(sums <= sums.min() * (1 + 1e-12))))
        nearest = np.minimum(nearest, rows[chosen[-1]])
    return np.array(chosen, dtype=np.int64)
