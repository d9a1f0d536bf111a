"""The checks of `treemetric.testing` that only regressors must pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from treemetric.testing.tools import Data, ensure, fresh, refusing


def check_predictions(estimator: Any, data: Data) -> None:
    """Check that predictions are one finite float per tree."""
    found = fresh(estimator, data).fit(data.trees, data.y).predict(data.queries)
    ensure(found.shape == (len(data.queries),), "predict does not return one number per tree")
    ensure(found.dtype.kind == "f", "predictions are not floats")
    ensure(bool(np.isfinite(found).all()), "predictions are not finite")


def check_integer_numbers(estimator: Any, data: Data) -> None:
    """Check that targets can be integers, with the predictions of equal floats."""
    floats = fresh(estimator, data).fit(data.trees, data.y).predict(data.queries)
    whole = fresh(estimator, data).fit(data.trees, data.y.astype(int)).predict(data.queries)
    ensure(np.array_equal(floats, whole), "integers and equal floats differ")


def check_constant_numbers(estimator: Any, data: Data) -> None:
    """Check that a constant target is predicted."""
    constant = np.full(len(data.trees), 2.5)
    found = fresh(estimator, data).fit(data.trees, constant).predict(data.queries)
    ensure(np.allclose(found, 2.5), "a constant target is not predicted")


def check_scaled_numbers(estimator: Any, data: Data) -> None:
    """Check that predictions have the unit of the targets."""
    one = fresh(estimator, data).fit(data.trees, data.y).predict(data.queries)
    four = fresh(estimator, data).fit(data.trees, 4.0 * data.y).predict(data.queries)
    ensure(np.allclose(4.0 * one, four), "predictions do not have the unit of the targets")


def check_several_numbers(estimator: Any, data: Data) -> None:
    """Check that several targets have one column each, if the tags state that they are possible."""
    if not get_tags(estimator).target_tags.multi_output:
        return
    both = np.column_stack([data.y, data.y])
    found = fresh(estimator, data).fit(data.trees, both).predict(data.queries)
    ensure(found.shape == (len(data.queries), 2), "predictions do not have one column per target")
    ensure(np.allclose(found[:, 0], found[:, 1]), "equal targets have different predictions")


def check_wrong_numbers(estimator: Any, data: Data) -> None:
    """Check that targets that are missing, too few, NaN, infinite or strings are refused."""
    wrong: dict[str, Any] = {
        "y that is None": None,
        "y that is too short": data.y[:-1],
        "y with NaN": np.where(np.arange(len(data.y)) == 3, np.nan, data.y),
        "y with infinity": np.where(np.arange(len(data.y)) == 3, np.inf, data.y),
        "y of strings": np.array(["x"] * len(data.y)),
    }
    for what, y in wrong.items():
        with refusing(what, ValueError):
            fresh(estimator, data).fit(data.trees, y)


NUMBER_CHECKS: tuple[Callable[[Any, Data], None], ...] = (
    check_predictions,
    check_integer_numbers,
    check_constant_numbers,
    check_scaled_numbers,
    check_several_numbers,
    check_wrong_numbers,
)
