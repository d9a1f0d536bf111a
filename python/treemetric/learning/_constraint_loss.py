"""How well distances agree with pairs and triplets: losses, and errors of unseen ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit

from treemetric._base.typing import FloatArray

BoolArray = npt.NDArray[np.bool_]


class PairLoss:
    """Σ w log(1 + exp(±(d - t))): similar pairs are below a threshold t, the others above it.

    The threshold is the best one for the distances, so that the gradient by it is 0. Both kinds of
    pairs must occur.
    """

    def __init__(self, similar: BoolArray, weight: FloatArray) -> None:
        self.signs = np.where(similar, 1.0, -1.0)
        self.weight = weight
        ratio = np.log(weight[similar].sum()) - np.log(weight[~similar].sum())
        # The slope by the threshold changes its sign between these distances from all pairs.
        self.below, self.above = max(1.0, 1.0 - ratio), max(1.0, 1.0 + ratio)

    def threshold(self, distances: FloatArray) -> float:
        """Return the threshold with the smallest loss."""

        def slope(t: float) -> float:
            return -float(self.weight @ (self.signs * expit(self.signs * (distances - t))))

        low, high = float(distances.min()) - self.below, float(distances.max()) + self.above
        return float(brentq(slope, low, high, xtol=1e-12))

    def __call__(self, distances: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss, and its gradient by the distances."""
        scores = self.signs * (distances - self.threshold(distances))
        loss = float(self.weight @ np.logaddexp(0.0, scores))
        return loss, self.weight * self.signs * expit(scores)


class TripletLoss:
    """Σ w log(1 + exp(d(a, p) - d(a, n))) for triplets whose p should be closer to a than n.

    The first half of the distances are those to p, the second half those to n.
    """

    def __init__(self, weight: FloatArray) -> None:
        self.weight = weight

    def __call__(self, distances: FloatArray) -> tuple[float, FloatArray]:
        """Return the loss, and its gradient by the distances."""
        near, far = np.split(distances, 2)
        slope = self.weight * expit(near - far)
        loss = float(self.weight @ np.logaddexp(0.0, near - far))
        return loss, np.concatenate([slope, -slope])


def balanced(similar: BoolArray, weight: FloatArray) -> FloatArray:
    """Return weights of pairs such that both kinds have the same sum, 1, if they occur."""
    totals = np.where(similar, weight[similar].sum(), weight[~similar].sum())
    return weight / np.where(totals > 0, totals, 1.0)


def best_threshold(distances: FloatArray, similar: BoolArray, weight: FloatArray) -> float:
    """Return the threshold with the fewest weighted errors; of equal ones, the lowest.

    It is halfway between two distances that occur, or between 0 and the smallest one. It is
    positive, so that equal trees are below it.
    """
    levels, places = np.unique(distances, return_inverse=True)
    signed = np.bincount(places, np.where(similar, -weight, weight))
    # With the threshold above a level, its similar pairs are right and its other pairs wrong.
    errors = np.concatenate([[0.0], np.cumsum(signed)])
    # No threshold is below the distance 0.
    first = int(levels[0] <= 0.0)
    best = first + int(np.argmin(np.round(errors[first:], 12)))
    bounds = np.concatenate([[0.0], levels, levels[-1:] + 1.0])
    return float(bounds[best : best + 2].mean())


def pair_errors(distances: FloatArray, similar: BoolArray, threshold: float) -> FloatArray:
    """Return 1 for each pair on the wrong side of a threshold, and 0 for the others."""
    wrong: FloatArray = ((distances < threshold) != similar).astype(np.float64)
    return wrong


def triplet_errors(distances: FloatArray) -> FloatArray:
    """Return 1 for each triplet in the wrong order, and 0.5 for equal distances."""
    near, far = np.split(distances, 2)
    wrong: FloatArray = (near > far) + 0.5 * (near == far)
    return wrong
