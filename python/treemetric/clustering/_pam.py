"""k-medoids by FasterPAM.

The loss is Σ_i w_i d(i, nearest medoid). PAM (Kaufman and Rousseeuw 1990) exchanges a medoid for
another point as long as this lowers the loss. FasterPAM (Schubert and Rousseeuw 2021) evaluates a
point in place of *all* medoids at once: with the distances n and s of a point to its nearest and
second nearest medoid, and its distance d to the candidate, the change of the loss is

    Σ min(d - n, 0)                          whichever medoid is removed
    + Σ_{nearest = m} clip(d, n, s) - n      of the points that lose their medoid m,
                                             minus what the first sum has counted for these points,

and an exchange that lowers the loss is made at once. The search ends when no exchange of one medoid
lowers the loss.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treemetric._base.typing import FloatArray, Indices
from treemetric._estimators.medoids import greedy_medoids

# Exchanges that lower the loss by a smaller share are due to rounding.
_ROUNDING = 1e-12


class Medoids(NamedTuple):
    """Positions of the medoids, the loss, and the number of passes over all points."""

    indices: Indices
    loss: float
    n_iter: int


def first_medoids(
    rows: FloatArray,
    count: int,
    weights: FloatArray,
    init: str,
    random: np.random.RandomState,
) -> Indices:
    """Choose the medoids to start from; ``rows[j, i]`` is the distance from point i to point j."""
    if init == "build":
        return greedy_medoids(rows, count, weights)
    if init == "random":
        return random.choice(len(rows), count, replace=False).astype(np.int64)
    # As k-means++: a point is drawn with a probability proportional to its part of the loss.
    shares = weights.copy()
    chosen: list[int] = []
    nearest = np.full(len(rows), np.inf)
    for _ in range(count):
        if not shares.sum() > 0:
            # All points are at distance 0 from a medoid.
            shares = np.ones(len(rows))
            shares[chosen] = 0.0
        chosen.append(int(random.choice(len(rows), p=shares / shares.sum())))
        nearest = np.minimum(nearest, rows[chosen[-1]])
        shares = weights * nearest
        shares[chosen] = 0.0
    return np.array(chosen, dtype=np.int64)


def swap(
    rows: FloatArray,
    start: Indices,
    weights: FloatArray,
    max_iter: int,
    finished: Callable[[int], object],
) -> Medoids:
    """Exchange medoids until no exchange lowers the loss, at most ``max_iter`` passes."""
    if len(start) == 1:
        sums = rows @ weights
        best = int(np.argmin(sums))
        return Medoids(np.array([best]), float(sums[best]), 1)
    state = _State(rows, start.copy(), weights)
    n = len(rows)
    passes = tried = 0
    # The search ends when all points were tried since the last exchange.
    while passes < max_iter and tried < n:
        passes += 1
        for candidate in range(n):
            tried = 0 if state.try_exchange(candidate) else tried + 1
            if tried >= n:
                break
        finished(passes)
    return Medoids(state.medoids, state.loss(), max(1, passes))


class _State:
    """The medoids, and the two nearest ones of each point with their distances."""

    def __init__(self, rows: FloatArray, medoids: Indices, weights: FloatArray) -> None:
        self.rows, self.medoids, self.weights = rows, medoids, weights
        self.is_medoid = np.zeros(len(rows), dtype=bool)
        self.is_medoid[medoids] = True
        n = rows.shape[1]
        self.first, self.second = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.near, self.far = np.zeros(n), np.zeros(n)
        self.assign(np.arange(n))

    def assign(self, points: Indices) -> None:
        """Find the two nearest medoids of some points; ties go to the first medoid."""
        columns = self.rows[np.ix_(self.medoids, points)]
        at = np.arange(len(points))
        self.first[points] = best = columns.argmin(axis=0)
        self.near[points] = columns[best, at]
        columns[best, at] = np.inf
        self.second[points] = best = columns.argmin(axis=0)
        self.far[points] = columns[best, at]
        # What each medoid is worth: the loss of its points if it is removed.
        self.worth = np.bincount(
            self.first, self.weights * (self.far - self.near), minlength=len(self.medoids)
        )

    def loss(self) -> float:
        return float(self.near @ self.weights)

    def try_exchange(self, candidate: int) -> bool:
        """Exchange the best medoid for the candidate if this lowers the loss."""
        if self.is_medoid[candidate]:
            return False
        distances = self.rows[candidate]
        gained = float(np.minimum(distances - self.near, 0.0) @ self.weights)
        # For the points of a removed medoid: what the candidate saves of its worth, without what
        # was counted as gained.
        saved = self.weights * (np.clip(distances, self.near, self.far) - self.far)
        changes = self.worth + np.bincount(self.first, saved, minlength=len(self.medoids)) + gained
        removed = int(np.argmin(changes))
        if not changes[removed] < -_ROUNDING * self.loss():
            return False
        self.exchange(removed, candidate)
        return True

    def exchange(self, removed: int, candidate: int) -> None:
        self.is_medoid[self.medoids[removed]] = False
        self.is_medoid[candidate] = True
        self.medoids[removed] = candidate
        # Only points near the removed medoid or near the candidate have other nearest medoids.
        changed = (self.first == removed) | (self.second == removed)
        changed |= self.rows[candidate] <= self.far
        self.assign(np.flatnonzero(changed))
