"""Equal trees of a set."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from treemetric._base.typing import OffsetArray
from treemetric.treeset import TreeSet, take_arrays


def distinct_trees(trees: TreeSet) -> tuple[OffsetArray, OffsetArray]:
    """Find equal trees.

    Returns
    -------
    first : ndarray of shape (n_distinct,)
        The position of the first of all trees that are equal, in ascending order.
    number : ndarray of shape (n_trees,)
        For each tree, the place of its first equal in `first`.
    """
    sizes = trees.sizes
    order = np.argsort(sizes, kind="stable")
    cuts = [0, *(np.flatnonzero(np.diff(sizes[order], append=-1)) + 1).tolist()]
    leader = np.arange(len(trees), dtype=np.int64)
    # One size at a time, so that only the trees of one size are copied.
    for start, end in pairwise(cuts):
        same = order[start:end]
        if len(same) == 1:
            continue
        codes, parents, _ = take_arrays(trees._arrays, same)
        rows = np.hstack([part.reshape(len(same), -1) for part in (codes, parents)])
        seen: dict[bytes, int] = {}
        for position, row in zip(same.tolist(), rows, strict=True):
            leader[position] = seen.setdefault(row.tobytes(), position)
    first, number = np.unique(leader, return_inverse=True)
    return first, number.astype(np.int64)
