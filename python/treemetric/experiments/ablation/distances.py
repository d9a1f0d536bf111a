"""Distances of one data set under any learned costs."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from treemetric._base.typing import FloatArray
from treemetric._base.validation import check_memory
from treemetric.alignment.edit_counts import edit_counts
from treemetric.costs import CostMatrix
from treemetric.distances import pairwise_distances
from treemetric.experiments.ablation.data import Indices
from treemetric.learning.symbol_counts import NEGLIGIBLE
from treemetric.treeset import TreeSet


class Distances:
    """All distances of a data set under costs that were learned on a part of it.

    What does not depend on costs or classes is computed once: the edits of all pairs, whose price
    is the pseudo-edit distance. Labels that the costs do not know are priced as the learners do
    it with ``unseen='gap-like'``. Learned costs need not be symmetric; the distance of two trees
    is the mean of both directions, so that it does not matter to any classifier which tree comes
    first. Equal trees are compared with others only once.
    """

    def __init__(self, trees: TreeSet) -> None:
        self.trees = trees
        self._counted: dict[str, csr_array] = {}
        first = {tree: k for k, tree in reversed(list(enumerate(trees)))}
        self._first = np.array([first[tree] for tree in trees])

    def of(self, costs: CostMatrix, distance: str, script: str, index: Indices) -> FloatArray:
        """Give the square matrix of some of the trees."""
        costs = without_dust(costs)
        if distance == "pseudo":
            prices = costs._extended(self.trees.alphabet).to_matrix(self.trees.alphabet)
            full = (self._counts(script) @ prices.matrix.ravel()).reshape(len(self.trees), -1)
            return _mean(full[np.ix_(index, index)])
        known = costs._closed() if distance == "actual" else costs
        priced = known._extended(self.trees.alphabet)
        if not priced.matrix.any():
            # The closure of costs that GESL learned is 0 more often than not.
            return np.zeros((len(index), len(index)))
        some, places = np.unique(self._first[index], return_inverse=True)
        found: Any = pairwise_distances(self.trees[some], costs=priced)
        return _mean(found[np.ix_(places, places)])

    @cached_property
    def unit(self) -> FloatArray:
        """The distances of all trees under unit costs."""
        found: Any = pairwise_distances(self.trees)
        return np.asarray(found, dtype=np.float64)

    def _counts(self, script: str) -> csr_array:
        if script not in self._counted:
            n = len(self.trees)
            # About one entry for each edited symbol, of twelve bytes; twice that while it is made.
            check_memory(int(n * n * 2 * self.trees.sizes.mean() * 24), f"Counting {n}² alignments")
            self._counted[script] = edit_counts(self.trees, script=script).matrix
        return self._counted[script]


def has_zero_closure(costs: CostMatrix) -> bool:
    """Return whether free detours join all labels, so that all known trees are equal."""
    return not without_dust(costs)._closed().matrix.any()


def without_dust(costs: CostMatrix) -> CostMatrix:
    """Set costs to 0 that are so small that they are what a solver left over.

    GESL's costs are solved for to a gap, not to the last digit. Where their closure is 0 in exact
    arithmetic, it would consist of such costs, and nearest neighbours do not care for scale.
    """
    matrix = costs.matrix
    dust = (matrix > 0.0) & (matrix <= NEGLIGIBLE * matrix.max())
    return CostMatrix(costs.alphabet, np.where(dust, 0.0, matrix)) if dust.any() else costs


def _mean(distances: FloatArray) -> FloatArray:
    mean: FloatArray = (distances + distances.T) / 2
    return mean
