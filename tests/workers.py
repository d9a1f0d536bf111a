"""Functions that spawned worker processes import; they cannot import test modules."""

import treemetric as tm


def block_of_rows(rows, columns, n_jobs):
    """Return all distances of a block."""
    return tm.pairwise_distances(rows, columns, n_jobs=n_jobs)
