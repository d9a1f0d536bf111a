"""Vectors of symbols: where they start, and the loss as a function of them."""

from dataclasses import dataclass
from math import log2

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray, Label
from treemetric.classification._median import Squash
from treemetric.costs import EmbeddingCosts
from treemetric.learning._symbols import NEGLIGIBLE, SymbolCounts

Indices = npt.NDArray[np.int64]

# Up to so many entries the incidence of symbols and pairs is multiplied faster as a dense matrix.
_DENSE_ENTRIES = 20_000


def simplex(count: int) -> FloatArray:
    """Give the corners of a simplex of side 1 as rows; one more corner is the origin.

    Row u has ρ_1 .. ρ_{u-1} and then ρ_u · (u + 1), with ρ_u = 1 / √(2 u (u + 1)).
    """
    u = np.arange(1, count + 1)
    rho = 1.0 / np.sqrt(2.0 * u * (u + 1))
    corners: FloatArray = np.tril(np.broadcast_to(rho, (count, count)), -1) + np.diag(rho * (u + 1))
    return corners


def low_simplex(count: int, dimension: int, random: np.random.RandomState) -> FloatArray:
    """Give points in few dimensions whose mean squared costs are those of the simplex, 1.

    The Gram matrix of the simplex, (I + 11ᵀ) / 2, has one eigenvector that stands out, 1: what
    all symbols share against the gap. The first dimension keeps it. All other directions have
    the eigenvalue 1/2, so no choice among them is better than another in least squares; we draw
    orthonormal ones at random and stretch them, such that the mean squared length of the points
    and the mean squared distance of two of them are 1. On a line there is room for lengths only.
    """
    if dimension == 1:
        line = random.standard_normal((count, 1))
        scaled: FloatArray = line / np.sqrt(np.mean(line**2))
        return scaled
    noise = random.standard_normal((count, dimension - 1))
    directions = np.linalg.qr(noise - noise.mean(axis=0))[0]
    shared = np.full((count, 1), np.sqrt((count + 1) / (2 * count)))
    return np.hstack([shared, directions * np.sqrt((count - 1) / (2 * (dimension - 1)))])


def merged(vectors: FloatArray) -> FloatArray:
    """Put vectors that are as good as equal at the same place, those near the origin there.

    The loss often is least where symbols coincide, and L-BFGS comes close to that without end.
    A cost of 0 says so.
    """
    points = np.vstack([vectors, np.zeros((1, vectors.shape[1]))])
    apart = cdist(points, points)
    near = apart <= NEGLIGIBLE * apart.max()
    if near.sum() == len(points):
        return vectors
    count, groups = connected_components(near, directed=False)
    weights = np.zeros((count, len(points)))
    weights[groups, np.arange(len(points))] = 1.0
    means = weights @ points / weights.sum(axis=1)[:, None]
    means[groups[-1]] = 0.0
    together = near.sum(axis=1)[:-1, None] > 1
    return np.where(together, means[groups[:-1]], vectors)


def power_of_two(value: float) -> float:
    """Give the power of two next to a positive number, by which division is exact; 1 for 0."""
    return 2.0 ** round(log2(value)) if value > 0.0 else 1.0


class EmbeddingLoss:
    """The loss as a function of the vectors of the symbols, with alignments fixed.

    c(u, v) = ‖a_u - a_v‖ with a_gap = 0. The norm has no gradient at 0; we take 0 there, which is
    one of its subgradients, so symbols at the same place are moved by other pairs only. To the
    loss comes strength · ‖A - A_start‖².
    """

    def __init__(
        self, counts: SymbolCounts, squash: Squash, start: FloatArray, strength: float = 0.0
    ) -> None:
        self.counts, self.squash = counts, squash
        self.start, self.strength = start, strength
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

    def __call__(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """Give the loss and its gradient, for vectors in one row."""
        vectors = flat.reshape(self.start.shape)
        steps = self.incidence @ vectors
        costs = np.sqrt(np.einsum("pk,pk->p", steps, steps))
        loss, by_cost = self.counts.loss(costs, self.squash)
        # ∂‖s‖ = s / ‖s‖
        by_cost /= np.where(costs > 0.0, costs, np.inf)
        steps *= by_cost[:, None]
        gradient = self.transposed @ steps
        if self.strength:
            away = vectors - self.start
            loss += self.strength * float(np.vdot(away, away))
            gradient += 2.0 * self.strength * away
        return loss, gradient.ravel()


@dataclass(frozen=True)
class EmbeddingSpace:
    """The parameters of BEDL: one vector per symbol.

    ``used`` are the rows of the labels that occur in training; all by default. The others stay
    where they are.
    """

    alphabet: tuple[Label, ...]
    start: FloatArray
    strength: float
    max_iter: int
    used: Indices | None = None

    def costs(self, parameters: FloatArray) -> EmbeddingCosts:
        """Give the costs that vectors stand for."""
        if self.used is None:
            return EmbeddingCosts(self.alphabet, merged(parameters))
        vectors = parameters.copy()
        vectors[self.used] = merged(parameters[self.used])
        return EmbeddingCosts(self.alphabet, vectors)

    def penalty(self, parameters: FloatArray) -> float:
        """Give what regularisation adds to the loss."""
        if not self.strength:
            return 0.0
        return self.strength * float(np.sum((parameters - self.start) ** 2))

    def improve(self, parameters: FloatArray, counts: SymbolCounts, squash: Squash) -> FloatArray:
        """Lower the loss by L-BFGS, with alignments fixed."""
        if not len(counts.first):
            return parameters  # no edit at all: nothing to learn
        # L-BFGS stops by the size of the gradient, and squares of large or small numbers are lost:
        # it works on vectors of length about 1.
        unit = power_of_two(float(np.abs(self.start).max(initial=0.0)))
        start, strength = self.start / unit, self.strength * unit**2 if self.strength else 0.0
        loss = EmbeddingLoss(counts, squash, start, strength)
        with one_blas_thread():
            found = minimize(
                loss,
                parameters.ravel() / unit,
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": self.max_iter},
            )
        vectors: FloatArray = found.x.reshape(parameters.shape)
        if not self.strength:
            # The loss does not depend on the scale, so we keep that of the start.
            used = slice(None) if self.used is None else self.used
            length = float(np.linalg.norm(vectors[used]))
            if length:
                vectors[used] *= float(np.linalg.norm(start[used])) / length
        return vectors * unit
