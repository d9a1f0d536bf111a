"""GESL with costs that are a pseudo-metric, by cutting planes.

A pseudo-metric over the U labels and the gap has one variable for each of the U (U + 1) / 2 pairs,
which stands for two of the (U + 1)² entries. Of the triangle inequalities, three for any three of
them, only those are given to the solver that its solutions broke so far. The dual of such a
relaxation, with 0 for the multipliers of all others, is a dual point of the full problem, so its
bound holds there; the closure of its costs is a pseudo-metric, so their loss counts there. When the
two meet, the full problem is solved.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from treemetric import _core
from treemetric._typing import FloatArray
from treemetric.learning._gesl_problem import Point, Problem
from treemetric.learning._gesl_solver import solve

Indices = npt.NDArray[np.int64]


class Folding:
    """Symmetric matrices with a zero diagonal as vectors of what is above the diagonal."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.upper = np.triu_indices(side, 1)
        self.size = len(self.upper[0])
        self.place = np.zeros((side, side), dtype=np.int64)
        self.place[self.upper] = np.arange(self.size)
        self.place = np.maximum(self.place, self.place.T)

    def fold(self, rows: csr_array) -> csr_array:
        """Add what is below the diagonal to what is above it, in each row."""
        u, v = self.upper
        entries = np.concatenate([u * self.side + v, v * self.side + u])
        columns = np.tile(np.arange(self.size), 2)
        shape = (self.side**2, self.size)
        both = csr_array((np.ones(2 * self.size), (entries, columns)), shape=shape)
        return csr_array(rows @ both)

    def unfold(self, costs: FloatArray) -> FloatArray:
        """Give the matrix of a vector."""
        matrix = np.zeros((self.side, self.side))
        matrix[self.upper] = costs
        matrix.T[self.upper] = costs
        return matrix

    def triangles(self, cuts: Indices) -> csr_array:
        """Give the left sides c(u, v) - c(u, z) - c(z, v) ≤ 0 of triples (u, z, v)."""
        u, z, v = cuts.T
        columns = np.stack([self.place[u, v], self.place[u, z], self.place[z, v]], axis=1)
        values = np.tile([1.0, -1.0, -1.0], len(cuts))
        starts = 3 * np.arange(len(cuts) + 1)
        return csr_array((values, columns.ravel(), starts), shape=(len(cuts), self.size))


def solve_metric(
    rows: csr_array, negative: npt.NDArray[np.bool_], beta: float, *, tol: float, max_iter: int
) -> tuple[Point, int, bool]:
    """Solve the programme over pseudo-metrics; ``rows`` are counts over all (U + 1)² entries.

    The costs of the result are the whole matrix, row by row; with them come the number of steps
    and whether the gap is small enough.
    """
    folding = Folding(round(rows.shape[1] ** 0.5))
    folded = folding.fold(rows)
    weights = np.full(folding.size, 2.0 * beta)
    full = Problem(folded, negative, weights)
    cuts = _through_the_gap(folding)
    best: Point | None = None
    steps = 0
    while True:
        relaxed = Problem(folded, negative, weights, folding.triangles(cuts))
        # The relaxation may use up half of what is allowed, its repair the other half.
        found = solve(relaxed, tol=tol / 2, max_iter=max_iter)
        steps += found.n_iter
        matrix = folding.unfold(found.point.costs)
        closed = _core.closure(matrix)[folding.upper]
        loss, margin = full.loss(closed)
        point = Point(closed, margin, loss, found.point.bound)
        if best is not None:
            point = point._replace(bound=max(best.bound, point.bound))
            if best.loss <= loss:
                point = best._replace(bound=point.bound)
        best = point
        fresh = _violated(matrix, cuts)
        if best.gap <= tol * best.loss or not len(fresh):
            return (
                best._replace(costs=folding.unfold(best.costs).ravel()),
                steps,
                full.converged(best, tol),
            )
        cuts = np.concatenate([cuts, fresh])


def _through_the_gap(folding: Folding) -> Indices:
    """Give the triangles that say: replacing costs no more than deleting and inserting."""
    u, v = folding.upper
    gap = folding.side - 1
    inner = v < gap
    return np.stack([u[inner], np.full(inner.sum(), gap), v[inner]], axis=1).astype(np.int64)


def _violated(matrix: FloatArray, known: Indices) -> Indices:
    """Give for every pair of labels the triangle that it breaks worst, if it is a new one."""
    side = len(matrix)
    shortest, via = np.full_like(matrix, np.inf), np.zeros(matrix.shape, dtype=np.int64)
    for z in range(side):
        through = matrix[:, z, None] + matrix[z]
        through[z, :] = through[:, z] = np.inf
        shorter = through < shortest
        shortest[shorter], via[shorter] = through[shorter], z
    # Less than this is rounding, and nothing but the closure removes it.
    broken = np.triu(matrix - shortest > 1e-14 * matrix.max(initial=0.0), 1)
    u, v = np.nonzero(broken)
    cuts = np.stack([u, via[u, v], v], axis=1)
    base = np.array([side * side, side, 1])
    return cuts[~np.isin(cuts @ base, known @ base)]
