"""A projection of the labels' vectors: its start, and the loss as a function of it.

With alignments fixed the loss depends on the costs c_q of the pairs q = (u, v) of labels that are
edited into each other, and the costs depend on the projected vectors a = xΩ. All kinds of costs
but the Euclidean one are functions of the cosine s of two such vectors. With â = a / ‖a‖ and
g_q = ∂E/∂s_q, kept as a sparse symmetric matrix G over the labels that occur,

    ∂E/∂â = G â,   ∂E/∂a = (∂E/∂â - (â · ∂E/∂â) â) / ‖a‖,   ∂E/∂Ω = Xᵀ ∂E/∂a.

For one pair this is the gradient of Paaßen et al. (2018), transposed, because vectors are rows.
For the Euclidean costs ∂E/∂a = (D - H) a with h_q = ∂E/∂c_q / c_q and D the row sums of H.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from treemetric._base.typing import FloatArray
from treemetric._estimators.squashing import Squash
from treemetric.alignment.edit_counts import EditCounts
from treemetric.costs import VectorCosts
from treemetric.costs._vectors import blank_cost, lengths_of, shortest, to_length_one
from treemetric.learning._descent import DescentSpace
from treemetric.learning.symbol_counts import SymbolCounts, fold_codes

# Pairs of labels whose vectors are copied at a time: a few MB.
_BLOCK = 1 << 14


def fold_vectors(counts: EditCounts, costs: VectorCosts) -> SymbolCounts:
    """Count unordered pairs of labels; the first half of the rows is plus, the second minus.

    Labels are numbered by the rows of the vectors. A label without a vector has the costs of the
    gap and is counted as the gap, whose number is that of all rows. Vocabularies are large, so the
    counts are sparse.
    """
    return fold_codes(
        counts, costs._codes(counts.alphabet), len(costs.alphabet), may_be_dense=False
    )


def first_projection(
    costs: VectorCosts, labels: tuple[Any, ...], n_components: int | None
) -> FloatArray:
    """Return the initial projection: that of the costs, the identity, or the main directions.

    The main directions are those of the vectors of ``labels`` about the origin, where the gap is:
    of all projections to so few dimensions they keep the products of vectors best.
    """
    dimension = costs.vectors.shape[1]
    if costs.projection is not None:
        return costs.projection.astype(np.float64)
    if n_components is None or n_components >= dimension:
        return np.eye(dimension)
    codes = costs._codes(labels)
    vectors = costs.vectors[codes[codes < len(costs.alphabet)]].astype(np.float64)
    directions = np.linalg.eigh(vectors.T @ vectors)[1][:, ::-1][:, :n_components]
    # The sign of a direction is arbitrary; it is fixed so that all machines agree.
    largest = np.abs(directions).argmax(axis=0)
    signs = np.sign(directions[largest, np.arange(n_components)])
    found: FloatArray = directions * signs
    return found


class ProjectionLoss:
    """The loss as a function of the projection, with alignments fixed.

    Regularisation adds strength · ‖Ω - Ω_start‖² to the loss. Where a cost has no gradient (equal
    vectors, vectors of length 0, for the chord and the angle also opposite vectors) it is set to 0.
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
        """Treat vectors that a projection maps to zero as missing for all projections.

        Their costs jump as soon as the projection changes in any direction, and a line search
        that begins at a jump ends there.
        """
        lengths = lengths_of(self.vectors @ omega)
        self.present = lengths > shortest(self.lengths, omega, self.dtype)

    def __call__(self, flat: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss and its gradient, for a projection in one row."""
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
        # Vectors that the costs treat as missing are missing here; their gradient would be huge.
        has = self.present & (lengths > shortest(self.lengths, omega, self.dtype))
        units[~has] = 0.0
        divisor = np.where(has, lengths, 1.0)[:, None]
        squares = self._squares(units)
        sums = self._squares(units, -1.0) if self.kind == "angle" else None
        both, either = has[self.first] & has[self.second], has[self.first] | has[self.second]
        costs, slope = cost_of_squares(squares, self.kind, sums)
        blank = blank_cost(self.kind) * either
        loss, by_cost = self.counts.loss(np.where(both, costs, blank), self.squash)
        # |â - b̂|² = 2 - 2s, so the derivative by s is -2 times the derivative by the square.
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
        """Return the squared lengths of a - sign b for all pairs, block by block."""
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
    """Return the cost of vectors of length one from their squared distance, and its derivative.

    For the angle, the squared lengths of their sums keep the result accurate for vectors that are
    nearly opposite; the default is 4 - `squares`.
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


@dataclass(frozen=True, kw_only=True)
class ProjectionSpace(DescentSpace):
    """The projection Ω of the labels' vectors: the parameters of BEDL for labels with vectors.

    ``vocabulary`` are the initial costs. ``used`` are those of the labels that occur in training,
    so that the others are not projected in every step.
    """

    vocabulary: VectorCosts
    used: VectorCosts
    shortcut: ClassVar[None] = None
    by_class: ClassVar[bool] = False

    def costs(self, parameters: FloatArray) -> VectorCosts:
        """Return the costs that a projection defines, for the labels that occur in training."""
        return self.used.with_projection(parameters)

    def kept(self, costs: VectorCosts) -> VectorCosts:
        """Return the costs of the whole vocabulary, with the projection of some costs."""
        return self.vocabulary.with_projection(costs.projection)

    def fold(self, counts: EditCounts) -> SymbolCounts:
        """Count unordered pairs of labels."""
        return fold_vectors(counts, self.used)

    def objective(
        self,
        counts: SymbolCounts,
        squash: Squash,
        start: FloatArray,
        strength: float,
        search_from: FloatArray | None = None,
    ) -> ProjectionLoss:
        """Return the loss with alignments fixed."""
        loss = ProjectionLoss(counts, squash, self.used, start, strength)
        if search_from is not None:
            loss.keep_blanks(search_from)
        return loss
