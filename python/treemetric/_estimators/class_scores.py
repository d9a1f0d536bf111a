"""Scores of classes from the distances to them.

With the distance d of a point to a class and the distance e to the closest other class, the margin
of the class is (e - d) / (|e| + |d|): 1 at distance 0, 0 at the border, negative beyond it.
"""

from __future__ import annotations

import numpy as np

from treemetric._base.typing import FloatArray
from treemetric._estimators.squashing import relevance


def class_margins(distances: FloatArray) -> FloatArray:
    """Return the margin of each class; 1 if there is only one class."""
    n, n_classes = distances.shape
    if n_classes == 1:
        return np.ones((n, 1))
    # The closest other class is the closest one, except for the closest one itself.
    lowest = np.partition(distances, 1, axis=1)
    best = np.repeat(lowest[:, :1], n_classes, axis=1)
    rows = np.arange(n)
    best[rows, distances.argmin(axis=1)] = lowest[:, 1]
    return relevance(best, distances)


def decision_values(margins: FloatArray) -> FloatArray:
    """Return margins in scikit-learn's shape.

    With two classes only the margin of the second one is returned, and -1 with a single class: what
    is not positive is the first class.
    """
    if margins.shape[1] == 1:
        return np.full(len(margins), -1.0)
    return margins[:, 1] if margins.shape[1] == 2 else margins


def probabilities(margins: FloatArray) -> FloatArray:
    """Return (1 + margin) of each class, divided by the sum over all classes.

    With two classes at the distances d and e this is e / (d + e) for the first one. The sum is at
    least 1, because the closest class has a margin that is not negative.
    """
    shares = 1.0 + margins
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
