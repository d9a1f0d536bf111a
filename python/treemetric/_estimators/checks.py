"""Checks of the parameters and the training data that estimators share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import as_float, check_int, refuse, refuse_unordered, shown
from treemetric.treeset import TreeSet, check_trees

Codes = npt.NDArray[np.int64]
Inputs = TreeSet | FloatArray


def check_some_trees(X: Trees, owner: str) -> TreeSet:
    """Check that X is a collection of at least one tree; return it as a set."""
    trees = check_trees(X, "X", owner)
    if len(trees) == 0:
        message = f"Found array with 0 sample(s) while a minimum of 1 is required by {owner}."
        raise ValueError(message)
    return trees


def check_targets(y: Any, inputs: Inputs, owner: str) -> tuple[npt.NDArray[Any], Codes]:
    """Check the targets; return the classes, sorted, and the position of each target in them."""
    if y is None:
        message = f"This {owner} estimator requires y to be passed, but the target y is None."
        raise ValueError(message)
    refuse_unordered(y, "y", owner, "a list or an array")
    targets = column_or_1d(y, warn=True)
    if targets.dtype.kind == "O" and any(target is None for target in targets):
        message = "Input y contains None."
        raise ValueError(message)
    assert_all_finite(targets, input_name="y")
    check_consistent_length(inputs, targets)
    try:
        check_classification_targets(targets)
        classes, codes = np.unique(targets, return_inverse=True)
    except TypeError as error:
        # Classes are sorted, which needs values that can be compared.
        kinds = sorted({type(target).__name__ for target in targets})
        message = f"The classes in y must be uniformly strings or numbers. Got {kinds} instead."
        raise ValueError(message) from error
    return classes, codes.astype(np.int64, copy=False)


def check_numbers(y: Any, inputs: Inputs, owner: str) -> FloatArray:
    """Check the targets of a regressor; return them as an array of one or two dimensions."""
    if y is None:
        message = f"This {owner} estimator requires y to be passed, but the target y is None."
        raise ValueError(message)
    refuse_unordered(y, "y", owner, "a list or an array")
    try:
        targets: FloatArray = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    except TypeError:  # from NumPy, which does not name the parameter
        refuse("y", owner, "an array of numbers", shown(y))
    if targets.ndim not in (1, 2) or 0 in targets.shape[1:]:
        message = (
            f"The targets y of {owner} must have one or two dimensions and at least one column. "
            f"Got an array of shape {targets.shape} instead."
        )
        raise ValueError(message)
    check_consistent_length(inputs, targets)
    return targets


def check_option(
    value: object, options: Iterable[str], parameter: str, owner: str, other: str = ""
) -> None:
    """Check that a value is one of some strings; ``other`` names what is accepted, too."""
    known = list(options)
    if not isinstance(value, str) or value not in known:
        must = "a str among {" + ", ".join(map(repr, known)) + "}"
        refuse(parameter, owner, f"{must} or {other}" if other else must, shown(value))


def check_positive(value: object, parameter: str, owner: str, *, or_zero: bool = False) -> float:
    """Check that a value is a finite number above zero, or zero if allowed; return it."""
    number = as_float(value)
    if not (0 < number < float("inf") or (or_zero and number == 0)):
        opening = "[" if or_zero else "("
        refuse(parameter, owner, f"a float in the range {opening}0.0, inf)", shown(value))
    return number


def prototype_counts(n_prototypes: Any, classes: npt.NDArray[Any], owner: str) -> Codes:
    """Return the number of prototypes of each class, given as an int, a dict or a list."""
    name = "n_prototypes"
    if isinstance(n_prototypes, Mapping):
        known = classes.tolist()
        if set(n_prototypes) != set(known):
            refuse(name, owner, f"a dict with the classes {known} as keys", shown(n_prototypes))
        listed = [n_prototypes[label] for label in known]
    elif isinstance(n_prototypes, (list, tuple, np.ndarray)):
        listed = list(n_prototypes)
        if len(listed) != len(classes):
            must = f"of length {len(classes)}, one per class"
            refuse(name, owner, must, f"length {len(listed)}")
    else:
        listed = [n_prototypes] * len(classes)
    return np.array([check_int(count, name, owner) for count in listed], dtype=np.int64)
