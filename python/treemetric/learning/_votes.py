"""Votes of the nearest neighbours, independent of the order of trees at equal distances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray

# Distances that differ by less than this share of the largest one are equal.
_ROUNDING = 1e-9
# How much the closest trees count beside the k nearest, to decide between equal votes.
_CLOSEST = 1e-6


def neighbour_shares(distances: FloatArray, k: int) -> FloatArray:
    """Return how much each tree (column) counts among the k nearest trees of each row.

    The sum of a row is 1. Trees at the distance of the k-th nearest tree share the remaining votes
    equally. Distances of ``inf`` never vote, unless fewer than k are finite.
    """
    k = min(k, distances.shape[1])
    finite = np.where(np.isfinite(distances), distances, 0.0)
    slack = _ROUNDING * float(finite.max(initial=0.0))
    border = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    closer = distances < border - slack
    at_border = (distances <= border + slack) & ~closer
    left = k - closer.sum(axis=1, keepdims=True)
    votes: FloatArray = closer + at_border * (left / at_border.sum(axis=1, keepdims=True))
    return votes / k


def vote_shares(
    distances: FloatArray, codes: npt.NDArray[np.integer], classes: int, k: int
) -> FloatArray:
    """Return the share of each class among the k nearest trees of each row."""
    of_class = np.zeros((distances.shape[1], classes))
    of_class[np.arange(len(codes)), codes] = 1.0
    shares: FloatArray = neighbour_shares(distances, k) @ of_class
    return shares


def decided_shares(shares: FloatArray, closest: FloatArray) -> FloatArray:
    """Return shares in which the closest trees decide between equal votes; the sum is 1."""
    votes: FloatArray = (shares + _CLOSEST * closest) / (1.0 + _CLOSEST)
    return votes


def winners(shares: FloatArray, closest: FloatArray) -> npt.NDArray[np.intp]:
    """Return the class with most votes; equal votes go to the class of the closest trees."""
    found: npt.NDArray[np.intp] = decided_shares(shares, closest).argmax(axis=1)
    return found


def vote_margins(shares: FloatArray, closest: FloatArray) -> FloatArray:
    """Return the votes of each class minus those of the best other; largest for `winners`."""
    votes = decided_shares(shares, closest)
    if votes.shape[1] == 1:
        return votes
    highest = np.partition(votes, -2, axis=1)
    rival = np.repeat(highest[:, -1:], votes.shape[1], axis=1)
    np.put_along_axis(rival, votes.argmax(axis=1)[:, None], highest[:, -2:-1], axis=1)
    margins: FloatArray = votes - rival
    return margins


def expected_errors(
    distances: FloatArray, codes: npt.NDArray[np.integer], truth: npt.NDArray[np.integer], k: int
) -> FloatArray:
    """Return the probability of a wrong prediction per row, if equal votes are decided by lot.

    A single neighbour is drawn among all closest trees.
    """
    shares = vote_shares(distances, codes, int(max(codes.max(), truth.max())) + 1, k)
    if k == 1:
        drawn: FloatArray = 1.0 - shares[np.arange(len(truth)), truth]
        return drawn
    best = shares >= shares.max(axis=1, keepdims=True) - _CLOSEST
    right = best[np.arange(len(truth)), truth]
    errors: FloatArray = 1.0 - right / best.sum(axis=1)
    return errors
