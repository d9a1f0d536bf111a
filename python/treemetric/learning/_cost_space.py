"""A table of costs as the parameters, which normalisation keeps a pseudo-metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from treemetric import _core
from treemetric._base.typing import FloatArray, Label
from treemetric._estimators.prototypes import Indices
from treemetric._estimators.squashing import Squash
from treemetric.alignment.edit_counts import EditCounts
from treemetric.costs import CostMatrix, Costs
from treemetric.learning.symbol_counts import NEGLIGIBLE, SymbolCounts, fold

# The first step moves costs by this share of their length; each success doubles the next step.
_FIRST_STEP = 0.1
# Steps below this share of the costs are not tried.
_SHORTEST = 1e-7
# From this number of symbols on, the closure first looks for the edits that a detour may contain.
_MANY = 256


def normalised(costs: FloatArray) -> FloatArray:
    """Return a pseudo-metric near a table: clip at 0, symmetrise, zero diagonal, closure."""
    table = np.maximum(costs, 0.0)
    table = (table + table.T) / 2
    np.fill_diagonal(table, 0.0)
    shortest: FloatArray = closed(table) if len(table) >= _MANY else _core.closure(table)
    # A path and its reverse may have sums that are rounded differently.
    return np.minimum(shortest, shortest.T)


def closed(table: FloatArray) -> FloatArray:
    """Return the closure of a symmetric table with a zero diagonal, fast if few costs are small.

    If a detour u → z → v costs less than c(u, v), one of its edits costs less than c(u, v) / 2, and
    so less than half of the largest cost of its row: edits of u to z, or of v to z. Only these
    edits are tried, until no cost falls. Every value is then the cost of a chain of edits, and
    no detour is left: this is the closure. Detours over the gap come first, because they remove
    most of the large costs.
    """
    costs = table.copy()
    gap = len(costs) - 1
    to_gap = (costs + costs[gap]).min(axis=1)
    costs[gap], costs[:, gap] = to_gap, to_gap
    np.minimum(costs, to_gap[:, None] + to_gap, out=costs)
    np.fill_diagonal(costs, 0.0)
    while True:
        small = costs < costs.max(axis=1, keepdims=True) / 2
        np.fill_diagonal(small, val=False)
        if int(small.sum()) > costs.size // 8:
            found: FloatArray = _core.closure(costs)
            return found
        lowered = costs
        for row in np.flatnonzero(small.any(axis=1)):
            middle = np.flatnonzero(small[row])
            detours = (costs[row, middle, None] + costs[middle]).min(axis=0)
            if (detours < costs[row]).any():
                lowered = costs.copy() if lowered is costs else lowered
                lowered[row] = np.minimum(costs[row], detours)
        if lowered is costs:
            return costs
        costs = np.minimum(lowered, lowered.T)


def tidied(costs: FloatArray) -> FloatArray:
    """Set negligible costs of a pseudo-metric to 0 and return a pseudo-metric."""
    while True:
        small = (costs > 0.0) & (costs <= NEGLIGIBLE * costs.max())
        if not small.any():
            return costs
        costs = normalised(np.where(small, 0.0, costs))


class CostLoss:
    """The loss as a function of a symmetric table of costs, with alignments fixed.

    Each unordered pair of symbols is one parameter. Regularisation adds
    strength · Σ_{u<v} (c(u, v) - c_start(u, v))² to the loss.
    """

    def __init__(
        self, counts: SymbolCounts, squash: Squash, start: FloatArray, strength: float = 0.0
    ) -> None:
        self.counts, self.squash = counts, squash
        self.start, self.strength = start, strength

    def __call__(self, costs: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss, and its gradient as a symmetric table."""
        first, second = self.counts.first, self.counts.second
        loss, by_cost = self.counts.loss(costs[first, second], self.squash)
        gradient = np.zeros_like(costs)
        gradient[first, second] = by_cost
        gradient[second, first] = by_cost
        if self.strength:
            away = costs - self.start
            loss += self.strength / 2 * float(np.vdot(away, away))
            gradient += 2.0 * self.strength * away
        return loss, gradient


@dataclass(frozen=True)
class CostSpace:
    """The table of costs itself, gap last: the parameters of LVQCosts.

    ``used`` holds the rows of the labels that occur in training, by default all. ``shortcut`` are
    costs equal to those of the start with faster distances.
    """

    alphabet: tuple[Label, ...]
    start: FloatArray
    strength: float
    max_iter: int
    used: Indices | None = None
    shortcut: Costs | None = None
    by_class: ClassVar[bool] = True

    @property
    def _block(self) -> Any:
        """The part of the table for the labels that occur in training and the gap."""
        if self.used is None:
            return ...
        rows = np.append(self.used, len(self.alphabet))
        return np.ix_(rows, rows)

    def costs(self, parameters: FloatArray) -> CostMatrix:
        """Return the costs that a table defines."""
        return CostMatrix(self.alphabet, tidied(parameters))

    def kept(self, costs: Costs) -> Costs:
        """Return the costs of all labels: the same, because they know all."""
        return costs

    def quick(self, costs: Any) -> Costs:
        """Return costs for distances: the same."""
        same: Costs = costs
        return same

    def fold(self, counts: EditCounts) -> SymbolCounts:
        """Count unordered pairs of symbols."""
        return fold(counts, self.alphabet)

    def penalty(self, parameters: FloatArray) -> float:
        """Return what regularisation adds to the loss."""
        if not self.strength:
            return 0.0
        return self.strength / 2 * float(np.sum((parameters - self.start) ** 2))

    def loss(self, counts: SymbolCounts, squash: Squash) -> CostLoss:
        """Return the loss with alignments fixed."""
        return CostLoss(counts, squash, self.start, self.strength)

    def improve(self, parameters: FloatArray, counts: SymbolCounts, squash: Squash) -> FloatArray:
        """Lower the loss by gradient steps, each followed by the normalisation.

        A step that does not lower the loss is halved until it does.
        """
        objective = self.loss(counts, squash)
        costs = parameters
        loss, gradient = objective(costs)
        share = _FIRST_STEP
        for _ in range(self.max_iter):
            length = float(np.linalg.norm(gradient))
            if not length:
                break
            while share > _SHORTEST:
                step = share * float(np.linalg.norm(costs[self._block])) / length
                tried = normalised(costs - step * gradient)
                found, slope = objective(tried)
                if found < loss:
                    break
                share /= 2
            else:
                break
            costs, loss, gradient = tried, found, slope
            share *= 2
        return costs if self.strength else self._scaled(costs)

    def _scaled(self, costs: FloatArray) -> FloatArray:
        """Give costs the mean of the start, because the loss does not depend on the scale.

        The costs of labels that do not occur in training are not learned and not scaled.
        """
        block = self._block
        total = float(costs[block].sum())
        if not total:
            return costs
        scaled = costs.copy()
        scaled[block] *= float(self.start[block].sum()) / total
        return scaled if self.used is None else normalised(scaled)
