"""A table of costs for sets with many labels: all rare labels have the same costs.

The table of parameters has a row for each frequent label, one row for all rare labels, a copy of
it, and the gap. The entry of the row and its copy is the cost of replacing a rare label by another
one. The triangle inequality of three labels needs at most two rare ones, because all rare labels
are exchangeable. Therefore the table of all labels is a pseudo-metric if the small one is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treemetric._base.typing import FloatArray, Label
from treemetric._estimators.prototypes import Indices
from treemetric._estimators.squashing import Squash
from treemetric.alignment.edit_counts import EditCounts
from treemetric.costs import CostMatrix, Costs
from treemetric.learning._cost_space import CostLoss, CostSpace, tidied
from treemetric.learning._metric_table import MetricTable, rounded_up
from treemetric.learning.symbol_counts import SymbolCounts, fold_codes


class TiedLoss(CostLoss):
    """The loss as a function of a table in which the row of rare labels has a copy."""

    def __call__(self, costs: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss, and a direction in which it rises that keeps the copy equal."""
        loss, gradient = super().__call__(costs)
        rare, copy = len(costs) - 3, len(costs) - 2
        between = gradient[rare, copy]
        gradient[copy] = gradient[rare]
        gradient[:, copy] = gradient[copy]
        gradient[copy, copy] = gradient[rare, rare]
        gradient[rare, copy] = gradient[copy, rare] = between
        return loss, gradient


@dataclass(frozen=True, kw_only=True)
class PooledCostSpace(CostSpace):
    """The table of costs of frequent labels, and of all others as one."""

    rows: Indices  # the row of each label of the alphabet

    @staticmethod
    def of_unit_costs(
        alphabet: tuple[Label, ...], frequent: Indices, strength: float, max_iter: int, unit: Costs
    ) -> PooledCostSpace:
        """Return the parameters of unit costs."""
        rows = np.full(len(alphabet), len(frequent))
        rows[frequent] = np.arange(len(frequent))
        start = 1.0 - np.eye(len(frequent) + 3)
        return PooledCostSpace(alphabet, start, strength, max_iter, shortcut=unit, rows=rows)

    def costs(self, parameters: FloatArray) -> CostMatrix:
        """Return the costs of all labels that a small table defines."""
        table = tidied(parameters)
        rare, copy, gap = (len(table) - back for back in (3, 2, 1))
        places = np.append(self.rows, gap)
        whole = table[np.ix_(places, places)]
        others = np.flatnonzero(self.rows == rare)
        whole[np.ix_(others, others)] = table[rare, copy]
        np.fill_diagonal(whole, 0.0)
        return MetricTable.taken(self.alphabet, whole)

    def quick(self, costs: Any) -> CostMatrix:
        """Return costs that are rounded up to short decimals."""
        return MetricTable.taken(self.alphabet, rounded_up(costs.matrix))

    def fold(self, counts: EditCounts) -> SymbolCounts:
        """Count unordered pairs of rows."""
        index = dict(zip(self.alphabet, self.rows.tolist(), strict=True))
        rare = len(self.start) - 3
        codes = [index[label] for label in counts.alphabet]
        return fold_codes(counts, codes, rare + 2, twins=(rare, rare + 1))

    def loss(self, counts: SymbolCounts, squash: Squash) -> CostLoss:
        """Return the loss with alignments fixed."""
        return TiedLoss(counts, squash, self.start, self.strength)
