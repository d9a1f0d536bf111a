"""GESL with costs that are a pseudo-metric, by cutting planes.

A pseudo-metric over the U labels and the gap has one variable for each of the U (U + 1) / 2 pairs,
which represents two of the (U + 1)² entries. There are three triangle inequalities for any three
symbols. If these are too many, the solver gets only those that earlier solutions violated. The dual
of such a relaxation, with 0 for the multipliers of all other inequalities, is a dual point of the
full problem, so its bound is valid there. The closure of its costs is a pseudo-metric, so its loss
is valid there. When the two meet, the full problem is solved.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from treemetric import _core
from treemetric._base.typing import FloatArray
from treemetric.learning._gesl_problem import Outcome, Point, Problem, swept
from treemetric.learning._gesl_solver import Report, nothing, solve

Indices = npt.NDArray[np.int64]

# Up to this many triangle inequalities are given to the solver at once. They make its vectors
# longer but not its matrix larger, so that all of them take less time than a second round.
_ALL = 2_000_000


class Folding:
    """Symmetric matrices with a zero diagonal, as vectors of the entries above the diagonal."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.upper = np.triu_indices(side, 1)
        self.size = len(self.upper[0])
        self.place = np.zeros((side, side), dtype=np.int64)
        self.place[self.upper] = np.arange(self.size)
        self.place = np.maximum(self.place, self.place.T)

    def fold(self, rows: csr_array) -> csr_array:
        """Add the entries below the diagonal to those above it, in each row."""
        u, v = self.upper
        entries = np.concatenate([u * self.side + v, v * self.side + u])
        columns = np.tile(np.arange(self.size), 2)
        shape = (self.side**2, self.size)
        both = csr_array((np.ones(2 * self.size), (entries, columns)), shape=shape)
        return csr_array(rows @ both)

    def unfold(self, costs: FloatArray) -> FloatArray:
        """Return the matrix of a vector."""
        matrix = np.zeros((self.side, self.side))
        matrix[self.upper] = costs
        matrix.T[self.upper] = costs
        return matrix

    def triangles(self, cuts: Indices) -> csr_array:
        """Return the left sides c(u, v) - c(u, z) - c(z, v) ≤ 0 of triples (u, z, v)."""
        u, z, v = cuts.T
        columns = np.stack([self.place[u, v], self.place[u, z], self.place[z, v]], axis=1)
        values = np.tile([1.0, -1.0, -1.0], len(cuts))
        starts = 3 * np.arange(len(cuts) + 1)
        return csr_array((values, columns.ravel(), starts), shape=(len(cuts), self.size))


def solve_metric(
    rows: csr_array,
    negative: npt.NDArray[np.bool_],
    beta: float,
    *,
    tol: float,
    max_iter: int,
    importance: FloatArray | None = None,
    report: Report = nothing,
) -> Outcome:
    """Solve the program over pseudo-metrics; ``rows`` are counts over all (U + 1)² entries.

    The costs of the outcome are the full matrix, row by row.
    """
    folding = Folding(round(rows.shape[1] ** 0.5))
    folded = folding.fold(rows)
    weights = np.full(folding.size, 2.0 * beta)
    full = Problem(folded, negative, weights, importance=importance)
    cuts, loose = _first_cuts(folding.side)
    best: Point | None = None
    steps = 0
    while True:
        # The relaxation may use half of the tolerance, its repair the other half.
        part = max(tol / 2, loose)
        relaxed = Problem(folded, negative, weights, folding.triangles(cuts), importance)
        found = solve(relaxed, tol=part, max_iter=max_iter - steps, done=steps, report=report)
        steps += found.n_iter
        matrix = folding.unfold(found.point.costs)
        point = _repaired(full, matrix, folding, found.point.bound)
        clean = _repaired(full, folding.unfold(swept(found.point.costs)), folding, point.bound)
        if full.converged(clean, tol):
            point = clean
        if best is not None:
            bound = max(best.bound, point.bound)
            point = (point if point.loss < best.loss else best)._replace(bound=bound)
        best = point
        fresh = _violated(matrix, cuts)
        last = not len(fresh) and part <= tol / 2
        if best.gap <= tol * best.loss or last or steps >= max_iter:
            costs = folding.unfold(best.costs).ravel()
            return Outcome(best._replace(costs=costs), steps, full.converged(best, tol))
        cuts = np.concatenate([cuts, fresh])
        loose /= 10


def _repaired(full: Problem, matrix: FloatArray, folding: Folding, bound: float) -> Point:
    """Make costs triangular by their closure and return them with their loss."""
    closed = _core.closure(matrix)[folding.upper]
    loss, margin = full.loss(closed)
    return Point(closed, margin, loss, bound)


def _first_cuts(side: int) -> tuple[Indices, float]:
    """Return the first triangle inequalities and the tolerance for solving with them.

    If there are not too many, these are all, and one relaxation is enough. Otherwise they state
    that replacing costs at most deleting and inserting, and the tolerance is large because further
    inequalities follow.
    """
    if side * (side - 1) * (side - 2) // 2 <= _ALL:
        u, z, v = np.indices((side, side, side)).reshape(3, -1)
        chosen = (u < v) & (z != u) & (z != v)
        return np.stack([u[chosen], z[chosen], v[chosen]], axis=1), 0.0
    u, v = np.triu_indices(side - 1, 1)
    return np.stack([u, np.full(len(u), side - 1), v], axis=1), 0.1


def _violated(matrix: FloatArray, known: Indices) -> Indices:
    """Return, for every pair of labels, the triangle that it violates most, if it is new."""
    side = len(matrix)
    shortest, via = np.full_like(matrix, np.inf), np.zeros(matrix.shape, dtype=np.int64)
    for z in range(side):
        through = matrix[:, z, None] + matrix[z]
        through[z, :] = through[:, z] = np.inf
        shorter = through < shortest
        shortest[shorter], via[shorter] = through[shorter], z
    # Smaller violations are rounding errors, which only the closure removes.
    broken = np.triu(matrix - shortest > 1e-14 * matrix.max(initial=0.0), 1)
    u, v = np.nonzero(broken)
    cuts = np.stack([u, via[u, v], v], axis=1)
    base = np.array([side * side, side, 1])
    return cuts[~np.isin(cuts @ base, known @ base)]
