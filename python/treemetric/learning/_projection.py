"""A projection of the labels' vectors: where it starts, and the loss as a function of it.

With alignments fixed the loss depends on the costs c_q of the distinct pairs q = (u, v) of labels
that are edited into each other, and these on the projected vectors a = xΩ. All kinds of costs but
the Euclidean one are functions of the cosine s of two such vectors. With â = a / ‖a‖ and
g_q = ∂E/∂s_q, kept as a sparse symmetric matrix G over the labels that occur,

    ∂E/∂â = G â,   ∂E/∂a = (∂E/∂â - (â · ∂E/∂â) â) / ‖a‖,   ∂E/∂Ω = Xᵀ ∂E/∂a.

For one pair this is the gradient of Paaßen et al. (2018), transposed, since vectors are rows here.
For the Euclidean costs ∂E/∂a = (D - H) a with h_q = ∂E/∂c_q / c_q and D the row sums of H.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import coo_array, csr_array

from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray
from treemetric.alignment.edit_counts import EditCounts
from treemetric.classification._median import Squash
from treemetric.costs import VectorCosts
from treemetric.costs._vectors import blank_cost, lengths_of, shortest, to_length_one
from treemetric.learning._embedding import power_of_two
from treemetric.learning._symbols import SymbolCounts

# Pairs of labels whose vectors are gathered at a time: a few MB.
_BLOCK = 1 << 14


def fold_vectors(counts: EditCounts, costs: VectorCosts) -> SymbolCounts:
    """Count unordered pairs of labels; the first half of the rows is plus, the second minus.

    Labels are rows of the vectors. Those without a vector cost what the gap does, so they are
    counted as the gap, which comes after the last row.
    """
    gap = len(costs.alphabet)
    codes = np.array([*costs._codes(counts.alphabet), gap], dtype=np.int64)
    matrix = counts.matrix
    old, new = codes[matrix.indices // len(codes)], codes[matrix.indices % len(codes)]
    first, second = np.minimum(old, new), np.maximum(old, new)
    keep = first != second
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[keep]
    pairs, columns = np.unique(first[keep] * (gap + 1) + second[keep], return_inverse=True)
    shape = (matrix.shape[0], len(pairs))
    full = coo_array((matrix.data[keep], (rows, columns)), shape=shape).tocsr()
    half = shape[0] // 2
    return SymbolCounts(full[:half], full[half:], pairs // (gap + 1), pairs % (gap + 1))


def first_projection(
    costs: VectorCosts, labels: tuple[Any, ...], n_components: int | None
) -> FloatArray:
    """Give the projection to start from: that of the costs, the identity, or the main directions.

    The main directions are those of the vectors of some labels about the origin, where the gap
    is, so that as much of the products of vectors is kept as can be.
    """
    dimension = costs.vectors.shape[1]
    if costs.projection is not None:
        return costs.projection.astype(np.float64)
    if n_components is None or n_components >= dimension:
        return np.eye(dimension)
    codes = costs._codes(labels)
    vectors = costs.vectors[codes[codes < len(costs.alphabet)]].astype(np.float64)
    directions = np.linalg.eigh(vectors.T @ vectors)[1][:, ::-1][:, :n_components]
    # The sign of a direction means nothing; we fix it, so that all machines agree.
    largest = np.abs(directions).argmax(axis=0)
    signs = np.sign(directions[largest, np.arange(n_components)])
    found: FloatArray = directions * signs
    return found


class ProjectionLoss:
    """The loss as a function of the projection, with alignments fixed.

    To the loss comes strength · ‖Ω - Ω_start‖². Where a cost has no gradient (equal vectors, for
    the chord and the angle also opposite ones, vectors of length 0) we take 0.
    """

    def __init__(
        self,
        counts: SymbolCounts,
        squash: Squash,
        costs: VectorCosts,
        start: FloatArray,
        strength: float = 0.0,
    ) -> None:
        self.counts, self.squash, self.kind = counts, squash, costs.kind
        self.start, self.strength = start, strength
        labels, places = np.unique(np.r_[counts.first, counts.second], return_inverse=True)
        self.first, self.second = places[: len(counts.first)], places[len(counts.first) :]
        real = labels < len(costs.alphabet)
        # One row per label that occurs; the gap has zeros.
        self.vectors = np.zeros((len(labels), costs.vectors.shape[1]))
        self.vectors[real] = costs.vectors[labels[real]]
        self.lengths, self.dtype = lengths_of(self.vectors), costs.vectors.dtype
        self.present = np.ones(len(labels), dtype=np.bool_)
        # The pairs are sorted, so their weights are the entries of a sparse matrix as they are.
        self.starts = np.searchsorted(self.first, np.arange(len(labels) + 1))

    def keep_blanks(self, omega: FloatArray) -> None:
        """Let vectors that a projection sends to zero count as none for all other projections too.

        Their costs jump as soon as the projection changes at all, whatever the direction, and a
        search along a line that starts with a jump ends there.
        """
        lengths = lengths_of(self.vectors @ omega)
        self.present = lengths > shortest(self.lengths, omega, self.dtype)

    def __call__(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """Give the loss and its gradient, for a projection in one row."""
        omega = flat.reshape(self.start.shape)
        projected = self.vectors @ omega
        by_vector = self._euclidean if self.kind == "euclidean" else self._cosine
        loss, slope = by_vector(projected, omega)
        gradient = self.vectors.T @ slope
        if self.strength:
            away = omega - self.start
            loss += self.strength * float(np.vdot(away, away))
            gradient += 2.0 * self.strength * away
        return loss, gradient.ravel()

    def _cosine(self, a: FloatArray, omega: FloatArray) -> tuple[float, FloatArray]:
        units, lengths = to_length_one(a)
        # The same vectors as in the costs count as none; their gradient would be huge.
        has = self.present & (lengths > shortest(self.lengths, omega, self.dtype))
        units[~has] = 0.0
        divisor = np.where(has, lengths, 1.0)[:, None]
        squares = self._squares(units)
        sums = self._squares(units, -1.0) if self.kind == "angle" else None
        both, either = has[self.first] & has[self.second], has[self.first] | has[self.second]
        costs, slope = cost_of_squares(squares, self.kind, sums)
        blank = blank_cost(self.kind) * either
        loss, by_cost = self.counts.loss(np.where(both, costs, blank), self.squash)
        # |â - b̂|² = 2 - 2s, so ∂s is -2 times what is by the square.
        weights = self._sparse(np.where(both, -2.0 * by_cost * slope, 0.0))
        by_unit = weights @ units + weights.T @ units
        by_unit -= units * np.einsum("uk,uk->u", units, by_unit)[:, None]
        return loss, by_unit / divisor

    def _euclidean(self, a: FloatArray, _: FloatArray) -> tuple[float, FloatArray]:
        costs = np.sqrt(self._squares(a))
        loss, by_cost = self.counts.loss(costs, self.squash)
        weights = self._sparse(by_cost / np.where(costs > 0.0, costs, np.inf))
        sums = weights.sum(axis=0) + weights.sum(axis=1)
        return loss, sums[:, None] * a - weights @ a - weights.T @ a

    def _squares(self, a: FloatArray, sign: float = 1.0) -> FloatArray:
        """Give the squared lengths of a - sign b for all pairs, some at a time."""
        squares = np.empty(len(self.first))
        for start in range(0, len(squares), _BLOCK):
            part = slice(start, start + _BLOCK)
            apart = a[self.first[part]] - sign * a[self.second[part]]
            squares[part] = np.einsum("pk,pk->p", apart, apart)
        return squares

    def _sparse(self, weights: FloatArray) -> csr_array:
        side = len(self.vectors)
        return csr_array((weights, self.second, self.starts), shape=(side, side))


def cost_of_squares(
    squares: FloatArray, kind: str, sums: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Give the cost of vectors of length one from their squared distance, and its derivative.

    The angle takes the squared lengths of their sums as well, to keep its digits for vectors that
    are nearly opposite; without them they are 4 - `squares`.
    """
    if kind == "cosine":
        return squares / 4, np.full_like(squares, 0.25)
    half = np.minimum(np.sqrt(squares) / 2, 1.0)
    safe = np.where(half > 0.0, half, np.inf)
    if kind == "chord":
        return half, 1 / (8 * safe)
    # Half the difference and half the sum are the sine and the cosine of half the angle.
    cosine = np.sqrt(np.maximum(4.0 - squares if sums is None else sums, 0.0)) / 2
    slope = 1 / (4 * np.pi * safe * np.where(cosine > 0.0, cosine, np.inf))
    return np.arctan2(half, cosine) / (np.pi / 2), slope


@dataclass(frozen=True)
class ProjectionSpace:
    """The parameters of BEDL for labels with vectors: the projection Ω."""

    initial: VectorCosts
    start: FloatArray
    strength: float
    max_iter: int

    def costs(self, parameters: FloatArray) -> VectorCosts:
        """Give the costs that a projection stands for."""
        return self.initial.with_projection(parameters)

    def penalty(self, parameters: FloatArray) -> float:
        """Give what regularisation adds to the loss."""
        return self.strength * float(np.sum((parameters - self.start) ** 2))

    def loss(self, counts: SymbolCounts, squash: Squash, share: float = 1.0) -> ProjectionLoss:
        """Give the loss of some alignments, with a share of the regularisation."""
        return ProjectionLoss(counts, squash, self.initial, self.start, share * self.strength)

    def improve(self, parameters: FloatArray, counts: SymbolCounts, squash: Squash) -> FloatArray:
        """Lower the loss by L-BFGS, with alignments fixed."""
        if not len(counts.first):
            return parameters  # no edit at all: nothing to learn
        # In numbers of about 1, as L-BFGS stops by the size of the gradient.
        unit = power_of_two(float(np.abs(self.start).max(initial=0.0)))
        strength = self.strength * unit**2 if self.strength else 0.0
        loss = ProjectionLoss(counts, squash, self.initial, self.start / unit, strength)
        loss.keep_blanks(parameters / unit)
        with one_blas_thread():
            found = minimize(
                loss,
                parameters.ravel() / unit,
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": self.max_iter},
            )
        return self.scaled(found.x.reshape(parameters.shape) * unit)

    def scaled(self, parameters: FloatArray) -> FloatArray:
        """Keep the length of the start, on which the loss does not depend."""
        length = float(np.linalg.norm(parameters))
        if self.strength or not length:
            return parameters
        return parameters * (float(np.linalg.norm(self.start)) / length)
