"""The quadratic program of good edit similarity learning, and the proof of a solution.

With the counts N_p of the edits in pair p, L = log 2, and pairs that should be close (P) or far
(N), GESL (Bellet, Habrard and Sebban 2012) is

    min over c, η   β ‖c‖² + Σ_P [⟨N_p, c⟩ - η]₊ + Σ_N [L + η - ⟨N_p, c⟩]₊
    s.t.            c ≥ 0,  0 ≤ η ≤ L,  and optionally T c ≤ 0 (triangle inequalities).

Dividing costs, margin and loss by L makes L = 1 and β → β L. Let s_p = 1 and b_p = 0 for pairs of
P, s_p = -1 and b_p = 1 for those of N, so that every pair contributes [s_p (⟨N_p, c⟩ - η) + b_p]₊.
As [z]₊ = max α z over 0 ≤ α ≤ 1, the Lagrangian with multipliers λ ≥ 0 of T c ≤ 0 is

    Σ_j h_j c_j² + Σ_p α_p (s_p (⟨N_p, c⟩ - η) + b_p) + ⟨λ, T c⟩,

where h_j is β L times the number of the (U + 1)² entries that variable j represents. It is
separable: with g = Σ_p s_p α_p N_p + Tᵀ λ, the best c_j ≥ 0 is [-g_j]₊ / 2 h_j, and the best η is 1
if t = Σ_p s_p α_p is positive, else 0. This gives the dual,

    D(α, λ) = Σ_N α_p - [t]₊ - Σ_j [-g_j]₊² / 4 h_j,   0 ≤ α ≤ 1, λ ≥ 0.

A pair of weight ω contributes ω times its hinge: s_p and b_p are multiplied by ω.

D of *any* such α and λ is a lower bound of the loss of any feasible c and η. The difference of the
two is the certified gap, which is valid for every solver.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from treemetric._base.typing import FloatArray

# Costs up to this share of the largest cost are 0 up to the accuracy of the solver.
_DUST = 1e-9
# Sums of weights that differ by less than this share are equal.
_ROUNDING = 1e-12


def swept(costs: FloatArray) -> FloatArray:
    """Return the costs with tiny values set to 0.

    They hardly change any sum. But if all true costs of a distance (or of its cheapest chain of
    edits) are 0, they would decide which trees are nearest.
    """
    return np.where(costs <= _DUST * costs.max(initial=0.0), 0.0, costs)


class Point(NamedTuple):
    """Feasible costs and margin, their loss, and a lower bound of every loss."""

    costs: FloatArray
    margin: float
    loss: float
    bound: float

    @property
    def gap(self) -> float:
        """The difference between loss and bound; rounding never makes it negative."""
        return max(0.0, self.loss - self.bound)


class Outcome(NamedTuple):
    """The best point, the number of steps, and whether the gap is small enough."""

    point: Point
    n_iter: int
    converged: bool


class Problem:
    """The program in units of L.

    Parameters
    ----------
    rows : csr_array of shape (m, n)
        The counts of all pairs.
    negative : ndarray of shape (m,)
        Which pairs should be far.
    weights : ndarray of shape (n,)
        The h_j, positive.
    hard : csr_array of shape (k, n), optional
        The left sides T of inequalities T c ≤ 0.
    importance : ndarray of shape (m,), optional
        The weights of the pairs, positive; 1 by default.
    """

    def __init__(
        self,
        rows: csr_array,
        negative: npt.NDArray[np.bool_],
        weights: FloatArray,
        hard: csr_array | None = None,
        importance: FloatArray | None = None,
    ) -> None:
        self.rows = rows
        self.columns = rows.T.tocsr()
        self.negative = negative
        self.importance = np.ones(len(negative)) if importance is None else importance
        self.signs = np.where(negative, -self.importance, self.importance)
        self.offsets = np.where(negative, self.importance, 0.0)
        self.weights = weights
        self.hard = csr_array((0, rows.shape[1])) if hard is None else hard
        # The rounding error of a sum of this many hinges of about 1.
        self.rounding = 4 * float(np.finfo(np.float64).eps) * (1 + float(self.offsets.sum()))

    def loss(self, costs: FloatArray) -> tuple[float, float]:
        """Return the loss of costs with the best margin, and that margin.

        As a function of η, the loss falls with the weight of pairs of P above η and rises with the
        weight of pairs of N whose ⟨N_p, c⟩ - 1 is below η. Its slope right of η is the weight of
        all these breakpoints up to η minus the weight of P. The smallest optimal margin is
        returned.
        """
        ends = self.rows @ costs
        breaks = ends - self.negative
        margin = 0.0
        if not self.negative.all():
            order = np.argsort(breaks, kind="stable")
            up_to = np.cumsum(self.importance[order])
            needed = float(self.importance[~self.negative].sum())
            place = int(np.searchsorted(up_to, needed * (1 - _ROUNDING)))
            margin = float(np.clip(breaks[order[place]], 0.0, 1.0))
        hinges = np.maximum(self.signs * (ends - margin) + self.offsets, 0.0)
        return float(self.weights @ costs**2 + hinges.sum()), margin

    def slope(self, alpha: FloatArray, tied: FloatArray) -> FloatArray:
        """Return g, the gradient of the linear part of the Lagrangian by the costs."""
        g: FloatArray = self.columns @ (self.signs * alpha)
        if len(tied):
            g = g + self.hard.T @ tied
        return g

    def best_costs(self, alpha: FloatArray, tied: FloatArray) -> FloatArray:
        """Return the costs that minimise the Lagrangian."""
        return np.maximum(-self.slope(alpha, tied), 0.0) / (2 * self.weights)

    def bound(self, alpha: FloatArray, tied: FloatArray) -> float:
        """Return D(α, λ), with both clipped to their ranges."""
        alpha, tied = np.clip(alpha, 0.0, 1.0), np.maximum(tied, 0.0)
        quadratic = self.weights @ self.best_costs(alpha, tied) ** 2
        eta = max(0.0, float(self.signs @ alpha))
        return float(self.offsets @ alpha - eta - quadratic)

    def converged(self, point: Point, tol: float) -> bool:
        """Return whether a gap is small enough, or as small as rounding permits."""
        return point.gap <= max(tol * point.loss, self.rounding)
