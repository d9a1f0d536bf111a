"""Parameters that are improved by gradient descent: by L-BFGS, or by steps on batches of trees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
from scipy.optimize import minimize

from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray
from treemetric._estimators.squashing import Squash
from treemetric.costs import Costs
from treemetric.learning.symbol_counts import SymbolCounts

# The loss and its gradient, both as functions of parameters in one row.
Objective = Callable[[FloatArray], tuple[float, FloatArray]]


def power_of_two(value: float) -> float:
    """Return the power of two next to a positive number, by which division is exact; 1 for 0."""
    return 2.0 ** round(log2(value)) if value > 0.0 else 1.0


@dataclass(frozen=True, kw_only=True)
class DescentSpace(ABC):
    """Parameters with a gradient of the loss; the base of embeddings and projections.

    Regularisation adds strength · ‖parameters - start‖² to the loss. ``max_iter`` limits the steps
    of L-BFGS. ``rows`` are the rows of the parameters that are learned, by default all.
    """

    start: FloatArray
    strength: float
    max_iter: int
    rows: Any = ...

    @abstractmethod
    def costs(self, parameters: FloatArray) -> Costs:
        """Return the costs that parameters define."""

    @abstractmethod
    def objective(
        self,
        counts: SymbolCounts,
        squash: Squash,
        start: FloatArray,
        strength: float,
        search_from: FloatArray | None = None,
    ) -> Objective:
        """Return the loss with alignments fixed; ``search_from`` is where a line search begins."""

    def quick(self, costs: Any) -> Costs:
        """Return costs for distances: the same."""
        same: Costs = costs
        return same

    def penalty(self, parameters: FloatArray) -> float:
        """Return what regularisation adds to the loss."""
        if not self.strength:
            return 0.0
        return self.strength * float(np.sum((parameters - self.start) ** 2))

    def gradient(
        self, parameters: FloatArray, counts: SymbolCounts, squash: Squash, share: float
    ) -> FloatArray:
        """Return the gradient of the loss, with a share of the regularisation."""
        objective = self.objective(counts, squash, self.start, share * self.strength)
        return objective(parameters.ravel())[1].reshape(parameters.shape)

    def improve(self, parameters: FloatArray, counts: SymbolCounts, squash: Squash) -> FloatArray:
        """Lower the loss by L-BFGS with alignments fixed."""
        if not len(counts.first):
            return parameters  # no edit at all: nothing to learn
        # L-BFGS stops by the size of the gradient, and squares of very large or small numbers
        # overflow or vanish. Therefore it works on parameters of about 1.
        unit = power_of_two(float(np.abs(self.start).max(initial=0.0)))
        start, now = self.start / unit, parameters / unit
        strength = self.strength * unit**2 if self.strength else 0.0
        objective = self.objective(counts, squash, start, strength, search_from=now)
        with one_blas_thread():
            found = minimize(
                objective,
                now.ravel(),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": self.max_iter},
            )
        return self.rescaled(found.x.reshape(parameters.shape), start) * unit

    def rescaled(self, parameters: FloatArray, start: FloatArray) -> FloatArray:
        """Give the learned parameters the length of the start: the loss does not depend on it.

        With regularisation it does, and parameters stay as they are.
        """
        length = float(np.linalg.norm(parameters[self.rows]))
        if self.strength or not length:
            return parameters
        scaled = parameters.copy()
        scaled[self.rows] *= float(np.linalg.norm(start[self.rows])) / length
        return scaled
