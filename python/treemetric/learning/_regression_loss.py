"""How well trees predict the targets of other trees, as a function of distances.

Tree i predicts its own target from all other trees by kernel regression (Weinberger and Tesauro
2007): ŷ_i = Σ_j p_ij y_j with p_ij ∝ exp(-d(i, j)). With residuals r_i = y_i - ŷ_i of q targets and
weights w_i of the sum W, the loss is the negative logarithm of a normal likelihood whose variance
is the best one, W q / 2 · log(Σ w_i |r_i|² / (W q) + ε). It does not depend on the unit of targets,
and its scale agrees with that of the prior.
"""

from __future__ import annotations

import numpy as np

from treemetric._base.typing import FloatArray
from treemetric.learning._label_model import sums
from treemetric.learning._neighbour_loss import Candidates

# Residuals need not be smaller than this share of the variance of the targets.
_FLOOR = 1e-3


class RegressionLoss:
    """The loss as a function of the distances of a list of pairs.

    ``targets`` has shape (n, q), with variances of about 1. A tree counts as ``multiplicity``
    neighbours, and its own residual is multiplied by ``weight``.
    """

    def __init__(
        self, found: Candidates, targets: FloatArray, multiplicity: FloatArray, weight: FloatArray
    ) -> None:
        queries, neighbours, pairs, copies = found
        keep = multiplicity[neighbours] > 0
        self.pairs, self.neighbours = pairs[keep], neighbours[keep]
        some, self.starts, self.rows = np.unique(
            queries[keep], return_index=True, return_inverse=True
        )
        self.known = targets[self.neighbours]
        self.truth = targets[some]
        self.weight = weight[some]
        self.offsets = np.log(multiplicity[self.neighbours] * copies[keep])

    @property
    def is_empty(self) -> bool:
        """True if no costs change the loss: the neighbours of each tree have equal targets."""
        if not len(self.starts) or not self.weight.any():
            return True
        first = self.known[self.starts][self.rows]
        return bool((first == self.known).all())

    def __call__(self, distances: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss, and its gradient by the distances."""
        scores = self.offsets - distances[self.pairs]
        count, outputs = self.truth.shape
        highest = np.maximum.reduceat(scores, self.starts)
        shares = np.exp(scores - highest[self.rows])
        shares /= sums(self.rows, shares, count)[self.rows]
        predicted = np.add.reduceat(shares[:, None] * self.known, self.starts, axis=0)
        residuals = self.truth - predicted
        size = float(self.weight.sum()) * outputs
        spread = float(self.weight @ (residuals**2).sum(axis=1)) / size + _FLOOR
        # ∂ŷ_i / ∂d_ij = -p_ij (y_j - ŷ_i)
        by_residual = self.weight[:, None] * residuals / spread
        moved = ((self.known - predicted[self.rows]) * by_residual[self.rows]).sum(axis=1)
        gradient = sums(self.pairs, shares * moved, len(distances))
        return 0.5 * size * float(np.log(spread)), gradient
