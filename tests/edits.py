"""Edit counts written by hand, and as plain arrays."""

import numpy as np
import scipy.sparse as sp

import treemetric as tm


def counts(alphabet, rows) -> tm.EditCounts:
    """Return edit counts, each row a dict such as {("a", "b"): 1, ("a", None): 0.5}."""
    place = {label: code for code, label in enumerate((*alphabet, None))}
    side = len(place)
    table = np.zeros((len(rows), side, side))
    for row, edits in zip(table, rows, strict=True):
        for (old, new), count in edits.items():
            row[place[old], place[new]] += count
    pairs = np.zeros((len(rows), 2), dtype=np.int64)
    return tm.EditCounts(tuple(alphabet), pairs, sp.csr_array(table.reshape(len(rows), side**2)))


def tables(problem) -> list[np.ndarray]:
    """Return the counts of close and of far pairs as arrays, for the twins of GESL."""
    sides = [len(one.alphabet) + 1 for one in problem]
    return [
        one.matrix.toarray().reshape(one.matrix.shape[0], side, side)
        for one, side in zip(problem, sides, strict=True)
    ]
