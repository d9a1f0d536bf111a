"""How well trees predict the classes of other trees, as a function of distances.

In neighbourhood components analysis (Goldberger, Roweis, Hinton and Salakhutdinov 2005), tree i
draws a neighbour j with a probability that is proportional to exp(-d(i, j)). The loss is the
negative logarithm of the probability that the neighbour has the class of i, summed over i.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric.learning._label_model import sums

IntArray = npt.NDArray[np.intp]


class Candidates(NamedTuple):
    """Which trees draw which neighbours: one entry per ordered pair, sorted by the first tree.

    ``pairs`` are positions in a list of unordered pairs of trees, to which distances belong. A
    neighbour stands for ``copies`` trees of a sample.
    """

    queries: IntArray
    neighbours: IntArray
    pairs: IntArray
    copies: FloatArray


def candidates(pairs: npt.NDArray[np.integer], copies: FloatArray | None = None) -> Candidates:
    """Return both directions of all pairs, or those directions with copies in a square table."""
    queries = np.concatenate([pairs[:, 0], pairs[:, 1]]).astype(np.intp)
    neighbours = np.concatenate([pairs[:, 1], pairs[:, 0]]).astype(np.intp)
    numbers = np.tile(np.arange(len(pairs)), 2)
    if copies is not None:
        keep = copies[queries, neighbours] > 0
        queries, neighbours, numbers = queries[keep], neighbours[keep], numbers[keep]
    order = np.argsort(queries, kind="stable")
    queries, neighbours = queries[order], neighbours[order]
    times = np.ones(len(queries)) if copies is None else copies[queries, neighbours]
    return Candidates(queries, neighbours, numbers[order], times)


class NeighbourLoss:
    """The loss as a function of the distances of a list of pairs.

    A tree counts as ``multiplicity`` neighbours, and its own loss is multiplied by ``weight``.
    Trees whose candidates are all of their class, or all of other classes, do not count: no costs
    change their loss, or no costs could make it finite.
    """

    def __init__(
        self,
        found: Candidates,
        codes: npt.NDArray[np.integer],
        multiplicity: FloatArray,
        weight: FloatArray,
    ) -> None:
        queries, neighbours, pairs, copies = found
        own = codes[queries] == codes[neighbours]
        total = np.bincount(queries, minlength=len(codes))
        of_own = np.bincount(queries, own, minlength=len(codes))
        mixed = (of_own > 0) & (of_own < total)
        keep = mixed[queries] & (multiplicity[neighbours] > 0)
        self.pairs, self.own = pairs[keep], own[keep]
        some, self.starts, self.rows = np.unique(
            queries[keep], return_index=True, return_inverse=True
        )
        self.weight = weight[some]
        self.offsets = np.log(multiplicity[neighbours[keep]] * copies[keep])

    @property
    def is_empty(self) -> bool:
        """True if no tree counts."""
        return not len(self.starts)

    def __call__(self, distances: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss, and its gradient by the distances."""
        scores = self.offsets - distances[self.pairs]
        count = len(self.starts)
        highest = np.maximum.reduceat(scores, self.starts)
        shares = np.exp(scores - highest[self.rows])
        total = sums(self.rows, shares, count)
        # The closest tree of the own class can be much farther away than other trees.
        of_own = np.where(self.own, scores, -np.inf)
        highest_own = np.maximum.reduceat(of_own, self.starts)
        own_shares = np.exp(of_own - highest_own[self.rows])
        own_total = sums(self.rows, own_shares, count)
        losses = np.log(total) + highest - np.log(own_total) - highest_own
        # ∂/∂d log Σ exp(-d) = -share
        by_score = own_shares / own_total[self.rows] - shares / total[self.rows]
        by_score *= self.weight[self.rows]
        gradient = sums(self.pairs, by_score, len(distances))
        return float(self.weight @ losses), gradient
