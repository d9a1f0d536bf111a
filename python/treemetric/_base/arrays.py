"""Small helpers for index arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


def index_array(values: Any, name: str, dtype: type[Any], least: int = 0) -> Any:
    """Convert a sequence of integers to an array of a fixed type, without wrap-around.

    Values that do not fit are errors, which name the smallest valid value, `least`.
    """
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(dtype)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        message = f"{name} must be a 1-D sequence of ints; got {_describe(array)}"
        raise ValueError(message)
    bounds = np.iinfo(dtype)
    if array.size and (array.min() < bounds.min or array.max() > bounds.max):
        message = (
            f"{name} must be in the range [{least}, {bounds.max}]; "
            f"got values from {array.min()} to {array.max()}"
        )
        raise ValueError(message)
    return np.ascontiguousarray(array, dtype=dtype)


def _describe(array: np.ndarray[Any, Any]) -> str:
    return f"shape {array.shape} and dtype {array.dtype}"


def frozen(array: np.ndarray[Any, Any]) -> Any:
    """Make an array read-only for good: a view, whose flag nobody can set back."""
    array.setflags(write=False)
    return array.view()
