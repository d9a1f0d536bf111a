"""Vectors of symbols: their start, and the loss as a function of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from treemetric._base.typing import FloatArray, Label
from treemetric._estimators.squashing import Squash
from treemetric.alignment.edit_counts import EditCounts
from treemetric.costs import Costs, EmbeddingCosts
from treemetric.costs.embedding import apart
from treemetric.learning._descent import DescentSpace
from treemetric.learning._metric_table import MetricTable, rounded_up
from treemetric.learning.symbol_counts import NEGLIGIBLE, SymbolCounts, fold

# Up to this many entries, products with the incidence matrix of symbols and pairs are faster dense.
_DENSE_ENTRIES = 20_000


def simplex(count: int) -> FloatArray:
    """Return the corners of a simplex of side 1 as rows; one more corner is the origin.

    Row u has ρ_1 .. ρ_{u-1} and then ρ_u · (u + 1), with ρ_u = 1 / √(2 u (u + 1)).
    """
    u = np.arange(1, count + 1)
    rho = 1.0 / np.sqrt(2.0 * u * (u + 1))
    corners: FloatArray = np.tril(np.broadcast_to(rho, (count, count)), -1) + np.diag(rho * (u + 1))
    return corners


def low_simplex(count: int, dimension: int, random: np.random.RandomState) -> FloatArray:
    """Return points in few dimensions whose mean squared costs are 1, as on the simplex.

    The Gram matrix of the simplex, (I + 11ᵀ) / 2, has one dominant eigenvector, 1: what all
    symbols share against the gap. The first dimension keeps it. All other directions have the
    eigenvalue 1/2, so no choice among them is better than another in least squares. They are
    orthonormal, drawn at random and stretched such that the mean squared length of the points and
    the mean squared distance of two points are 1. On a line only the lengths can be kept.
    """
    if dimension == 1:
        line = random.standard_normal((count, 1))
        scaled: FloatArray = line / np.sqrt(np.mean(line**2))
        return scaled
    noise = random.standard_normal((count, dimension - 1))
    directions = np.linalg.qr(noise - noise.mean(axis=0))[0]
    shared = np.full((count, 1), np.sqrt((count + 1) / (2 * count)))
    return np.hstack([shared, directions * np.sqrt((count - 1) / (2 * (dimension - 1)))])


def weighted_points(count: int) -> FloatArray:
    """Return two numbers per symbol with all costs 1: an own coordinate, and a shared one.

    The costs of two symbols are those of the simplex, because each symbol has a direction of its
    own; so many symbols need no more than two parameters each.
    """
    return np.full((count, 2), np.sqrt(0.5))


def split(parameters: FloatArray, *, own: bool) -> tuple[FloatArray, FloatArray | None]:
    """Return the vectors and, if there are any, the own coordinates, which are the first column."""
    return (parameters[:, 1:], parameters[:, 0]) if own else (parameters, None)


def merged(parameters: FloatArray, *, own: bool = False) -> FloatArray:
    """Move vectors that are almost equal to one point, and vectors near the origin to it.

    The loss is often lowest where symbols coincide. L-BFGS only approaches such a point; a cost
    of exactly 0 states it.
    """
    costs = apart(*split(parameters, own=own))
    near = costs <= NEGLIGIBLE * costs.max()
    if near.sum() == len(costs):
        return parameters
    count, groups = connected_components(near, directed=False)
    points = np.vstack([parameters, np.zeros((1, parameters.shape[1]))])
    if own:
        points[:, 0] = 0.0  # symbols that coincide have no direction of their own
    weights = np.zeros((count, len(points)))
    weights[groups, np.arange(len(points))] = 1.0
    means = weights @ points / weights.sum(axis=1)[:, None]
    means[groups[-1]] = 0.0
    together = near.sum(axis=1)[:-1, None] > 1
    return np.where(together, means[groups[:-1]], parameters)


class EmbeddingLoss:
    """The loss as a function of the vectors of the symbols, with alignments fixed.

    c(u, v) = ‖a_u - a_v‖ with a_gap = 0. The norm has no gradient at 0, where 0 is used, one of
    its subgradients: symbols at the same place are moved by other pairs only. Regularisation adds
    strength · ‖A - A_start‖² to the loss.

    With ``own`` the first column of the parameters are coordinates in directions of their own, one
    per symbol: c(u, v)² = ‖a_u - a_v‖² + own_u² + own_v².
    """

    def __init__(
        self,
        counts: SymbolCounts,
        squash: Squash,
        start: FloatArray,
        strength: float = 0.0,
        *,
        own: bool = False,
    ) -> None:
        self.counts, self.squash = counts, squash
        self.start, self.strength, self.own = start, strength, own
        # Row p is +1 at one symbol of pair p and -1 at the other; the gap has no column.
        pairs = np.arange(len(counts.first))
        real = counts.second < len(start)
        values = np.r_[np.ones(len(pairs)), -np.ones(int(real.sum()))]
        rows = np.r_[pairs, pairs[real]]
        columns = np.r_[counts.first, counts.second[real]]
        shape = (len(pairs), len(start))
        incidence = csr_array((values, (rows, columns)), shape=shape)
        dense = shape[0] * shape[1] <= _DENSE_ENTRIES
        self.incidence = incidence.toarray() if dense else incidence
        self.transposed = self.incidence.T if dense else incidence.T.tocsr()
        if own:
            self.either, self.each = abs(self.incidence), abs(self.transposed)

    def __call__(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss and its gradient, for parameters in one row."""
        parameters = flat.reshape(self.start.shape)
        vectors, own = split(parameters, own=self.own)
        steps = self.incidence @ vectors
        squares = np.einsum("pk,pk->p", steps, steps)
        if own is not None:
            squares += self.either @ own**2
        costs = np.sqrt(squares)
        loss, by_cost = self.counts.loss(costs, self.squash)
        # ∂‖s‖ = s / ‖s‖
        by_cost /= np.where(costs > 0.0, costs, np.inf)
        steps *= by_cost[:, None]
        gradient = self.transposed @ steps
        if own is not None:
            gradient = np.column_stack([own * (self.each @ by_cost), gradient])
        if self.strength:
            away = parameters - self.start
            loss += self.strength * float(np.vdot(away, away))
            gradient += 2.0 * self.strength * away
        return loss, gradient.ravel()


@dataclass(frozen=True, kw_only=True)
class EmbeddingSpace(DescentSpace):
    """One vector per symbol: the parameters of BEDL for labels without vectors.

    The vectors of labels that do not occur in training are not learned and stay where they are.
    ``shortcut`` are costs equal to those of the start with faster distances. With ``own`` the
    first column of the parameters are the coordinates in directions of their own.
    """

    alphabet: tuple[Label, ...]
    own: bool = False
    shortcut: Costs | None = None
    by_class: ClassVar[bool] = True

    def costs(self, parameters: FloatArray) -> EmbeddingCosts:
        """Return the costs that vectors define."""
        placed = parameters.copy()
        placed[self.rows] = merged(parameters[self.rows], own=self.own)
        return EmbeddingCosts(self.alphabet, *split(placed, own=self.own))

    def quick(self, costs: Any) -> Costs:
        """Return costs for distances; those of many labels are rounded up to short decimals."""
        return MetricTable.taken(self.alphabet, rounded_up(costs.matrix)) if self.own else costs

    def kept(self, costs: Costs) -> Costs:
        """Return the costs of all labels: the same, because they know all."""
        return costs

    def fold(self, counts: EditCounts) -> SymbolCounts:
        """Count unordered pairs of symbols."""
        return fold(counts, self.alphabet)

    def objective(
        self,
        counts: SymbolCounts,
        squash: Squash,
        start: FloatArray,
        strength: float,
        search_from: FloatArray | None = None,  # noqa: ARG002
    ) -> EmbeddingLoss:
        """Return the loss with alignments fixed."""
        return EmbeddingLoss(counts, squash, start, strength, own=self.own)
