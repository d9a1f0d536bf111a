"""Weights of training points."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array

from treemetric._base.typing import FloatArray
from treemetric._base.validation import as_float, refuse, shown
from treemetric._estimators.checks import Codes


def check_sample_weight(sample_weight: Any, n: int, owner: str) -> FloatArray | None:
    """Check the weights of n training points; return them as a new array, or None for equal ones.

    A single number is the weight of each point. Weights are finite and not negative, and their sum
    is positive.
    """
    if sample_weight is None:
        return None
    must = f"None, a number or {n} numbers in the range [0.0, inf), one per training point"
    if np.isscalar(sample_weight):
        number = as_float(sample_weight)
        if not 0 < number < float("inf"):
            refuse("sample_weight", owner, must, shown(sample_weight))
        return np.full(n, number)
    try:
        weights: FloatArray = check_array(
            sample_weight, ensure_2d=False, dtype=np.float64, copy=True, input_name="sample_weight"
        )
    except (TypeError, ValueError) as error:
        message = f"The 'sample_weight' parameter of {owner} must be {must}. {error}"
        raise ValueError(message) from error
    if weights.shape != (n,):
        refuse("sample_weight", owner, must, f"an array of shape {weights.shape}")
    if weights.min() < 0:
        refuse("sample_weight", owner, must, f"a weight of {weights.min():g}")
    total = float(weights.sum())
    if not 0 < total < float("inf"):
        got = "zero for each of them" if total == 0 else f"the sum {total:g}"
        refuse("sample_weight", owner, "weights with a positive and finite sum", got)
    return weights


def weighted_points(weights: FloatArray | None, codes: Codes, owner: str) -> Codes:
    """Return the points of positive weight; each class must have one of them."""
    if weights is None:
        return np.arange(len(codes))
    kept = np.flatnonzero(weights > 0)
    missing = np.setdiff1d(codes, codes[kept])
    if len(missing):
        must = "positive for at least one training point of each class"
        refuse("sample_weight", owner, must, f"0 for all points of {len(missing)} classes")
    return kept
