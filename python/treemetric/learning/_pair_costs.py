"""Costs that minimise any loss of distances, with alignments fixed.

With the counts N of edits of a list of pairs fixed, their distances are d = N c, and the gradient
of a loss by the costs is Nᵀ ∂loss/∂d. The supervision is in the loss only: classes, pairs, triplets
or numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import coo_array, vstack

from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray
from treemetric.alignment.edit_counts import EditCounts
from treemetric.learning._label_model import LabelModel

# A loss of the distances of a list of pairs, and its gradient.
DistanceLoss = Callable[[FloatArray], tuple[float, FloatArray]]


class PairCounts(NamedTuple):
    """Counts of edits by unordered pairs of different symbols, for a list of pairs of trees."""

    matrix: Any  # (n_pairs, P), sparse
    transposed: Any
    first: npt.NDArray[np.intp]  # (P,): smaller symbol
    second: npt.NDArray[np.intp]  # (P,): larger symbol; the gap is the last symbol


def pair_counts(counts: EditCounts) -> PairCounts:
    """Count unordered pairs of symbols; only those that occur have a column."""
    matrix = counts.matrix
    side = len(counts.alphabet) + 1
    old, new = np.divmod(matrix.indices.astype(np.int64), side)
    first, second = np.minimum(old, new), np.maximum(old, new)
    keep = first != second
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[keep]
    symbols, columns = np.unique(first[keep] * side + second[keep], return_inverse=True)
    shape = (matrix.shape[0], len(symbols))
    folded = coo_array((matrix.data[keep], (rows, columns)), shape=shape).tocsr()
    first, second = np.divmod(symbols, side)
    return PairCounts(folded, folded.T.tocsr(), first.astype(np.intp), second.astype(np.intp))


def stacked(first: EditCounts, second: EditCounts) -> EditCounts:
    """Return counts of the same trees, those of the second below those of the first."""
    return first._replace(
        pairs=np.concatenate([first.pairs, second.pairs]),
        matrix=vstack([first.matrix, second.matrix], format="csr"),
    )


class SmallestOf:
    """A loss of the smallest of several costs of each pair, for several alignments of it.

    The costs of all pairs under one alignment each follow those under another.
    """

    def __init__(self, loss: DistanceLoss, pairs: int) -> None:
        self.loss, self.pairs = loss, pairs

    def __call__(self, costs: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss, and its gradient by the costs."""
        table = costs.reshape(-1, self.pairs)
        best = table.argmin(axis=0)
        columns = np.arange(self.pairs)
        value, slope = self.loss(table[best, columns])
        gradient = np.zeros_like(table)
        gradient[best, columns] = slope
        return value, gradient.ravel()


class CostObjective:
    """The loss per tree plus the prior, as a function of the parameters of a model."""

    def __init__(
        self, model: LabelModel, counts: PairCounts, loss: DistanceLoss, trees: float, b: float
    ) -> None:
        self.model, self.counts, self.loss, self.trees, self.b = model, counts, loss, trees, b
        self.pairs = model.pairs(counts.first, counts.second)
        self.n_iter = 0

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the objective and its gradient."""
        counts = self.counts
        costs, pull = self.model.costs_and_gradient(parameters, self.pairs)
        value, by_distance = self.loss(counts.matrix @ costs)
        penalty, by_prior = self.model.penalty(parameters)
        gradient = pull(counts.transposed @ by_distance) + by_prior
        return (value + penalty) / self.trees, gradient / self.trees

    def minimise(self, parameters: FloatArray, max_iter: int) -> tuple[FloatArray, float]:
        """Return better parameters, found by L-BFGS, and their objective."""
        with one_blas_thread():
            found = minimize(
                self,
                parameters,
                jac=True,
                method="L-BFGS-B",
                bounds=self.model.bounds(self.b),
                options={"maxiter": max_iter},
            )
        self.n_iter += int(found.nit)
        return found.x, float(found.fun)


def best_scale(loss: DistanceLoss, distances: FloatArray) -> float:
    """Return the logarithm of the factor of all distances with the smallest loss, on a grid.

    Distances have a standard deviation of at least 1 then. If the first distances say nothing
    about the supervision, smaller ones have a smaller loss, but near 0 the loss is flat, and
    nothing can be learned from there.
    """
    spread = float(distances.std()) if len(distances) else 0.0
    grid = np.arange(0.0, 5.0, 0.25) - np.log(spread if spread > 0 else 1.0)
    losses = [loss(distances * np.exp(b))[0] for b in grid]
    return float(grid[int(np.argmin(losses))])
