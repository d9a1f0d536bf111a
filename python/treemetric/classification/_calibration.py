"""Probabilities of classes from the decision values of a machine.

The probabilities are the softmax of the decision values times a slope, as in temperature scaling
(Guo, Pleiss, Sun and Weinberger 2017). With two classes this is the sigmoid of Platt (1999) without
a constant, so that the border between the classes has the probability 1/2. The slope maximises the
likelihood of decision values of points that the machine was not trained on. As by Platt, the
target of a point of a class of n points is (n + 1) / (n + 2) and not 1, so that the slope is finite
even if all points are on the right side.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_softmax, softmax
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from treemetric._base.threads import interruptible
from treemetric._base.typing import FloatArray
from treemetric._estimators.checks import Codes

_FOLDS = 5
# The slope is searched between these multiples of 1 / (root mean square of the decision values).
_STEEPEST = 1e4


def calibrate(
    machine: Any,
    kernel: FloatArray,
    codes: Codes,
    weights: FloatArray | None,
    classes: npt.NDArray[Any],
) -> float:
    """Return the slope for a machine that is not fitted; weights are positive.

    Each class has at least two points.
    """
    values = np.zeros((len(codes), len(classes)) if len(classes) > 2 else len(codes))
    folds = StratifiedKFold(min(_FOLDS, int(np.bincount(codes).min())))
    for own, new in folds.split(codes, codes):
        fitted = clone(machine)
        part = kernel[np.ix_(own, own)], classes[codes[own]]
        shares = None if weights is None else weights[own]
        interruptible(partial(fitted.fit, *part, shares))
        values[new] = fitted.decision_function(kernel[np.ix_(new, own)])
    return best_slope(values, codes, weights)


def best_slope(values: FloatArray, codes: Codes, weights: FloatArray | None) -> float:
    """Return the slope with the largest likelihood; the loss is convex in the slope."""
    scale = float(np.sqrt(np.mean(np.square(values)))) or 1.0
    # In units of points, whatever the scale of the weights.
    shares = np.ones(len(codes)) if weights is None else weights * (len(codes) / weights.sum())
    counts = np.bincount(codes, shares)
    targets = np.repeat(1 / ((len(counts) - 1) * (counts[codes] + 2))[:, None], len(counts), axis=1)
    targets[np.arange(len(codes)), codes] = (counts[codes] + 1) / (counts[codes] + 2)
    scaled = as_columns(values / scale)

    def loss(exponent: float) -> float:
        rows = log_softmax(np.exp(exponent) * scaled, axis=1)
        return -float(shares @ np.einsum("ij,ij->i", rows, targets))

    limit = float(np.log(_STEEPEST))
    found = minimize_scalar(loss, bounds=(-limit, limit), method="bounded")
    return float(np.exp(found.x)) / scale


def as_columns(values: FloatArray) -> FloatArray:
    """Return one column per class; with two classes the softmax is the sigmoid of the values."""
    return values if values.ndim == 2 else np.column_stack([np.zeros_like(values), values])


def calibrated(values: FloatArray, slope: float) -> FloatArray:
    """Return the probabilities of the classes."""
    if values.ndim == 1:
        second = expit(slope * values)
        return np.column_stack([1.0 - second, second])
    shares: FloatArray = softmax(slope * values, axis=1)
    return shares
