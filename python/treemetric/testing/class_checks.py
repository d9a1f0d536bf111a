"""The checks of `treemetric.testing` about classes, for all estimators but regressors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from treemetric.testing.tools import (
    Data,
    classifier,
    ensure,
    ensure_finite,
    fresh,
    outputs,
    refusing,
)


def _check_targets(estimator: Any, data: Data, first: Any, second: Any) -> None:
    y = np.where(data.y == "x", first, second)
    named = classifier(estimator, data).fit(data.trees, data.y).predict(data.queries)
    found = classifier(estimator, data).fit(data.trees, y)
    predicted = found.predict(data.queries)
    ensure(np.array_equal(found.classes_, np.unique(y)), "classes_ are not the sorted classes")
    ensure(predicted.dtype == found.classes_.dtype, "predictions are not of the type of classes_")
    ensure(
        np.array_equal(predicted, np.where(named == "x", first, second)),
        f"predictions change if the classes are called {first!r} and {second!r}",
    )


def check_string_targets(estimator: Any, data: Data) -> None:
    """Check that classes can be strings."""
    _check_targets(estimator, data, "first class", "second class")


def check_integer_targets(estimator: Any, data: Data) -> None:
    """Check that classes can be any integers."""
    _check_targets(estimator, data, -7, 3)


def check_bool_targets(estimator: Any, data: Data) -> None:
    """Check that classes can be booleans."""
    _check_targets(estimator, data, False, True)


def check_three_classes(estimator: Any, data: Data) -> None:
    """Check that there can be more than two classes, of different sizes."""
    y = np.array([2, 0, 1, 2, 2] * 4)[: len(data.trees)]
    fitted = classifier(estimator, data).fit(data.trees, y)
    found = outputs(fitted, data.queries)
    ensure(set(found["predict"].tolist()) <= {0, 1, 2}, "predictions are not among the classes")
    ensure_finite(found, "with three classes")
    scores = found.get("decision_function")
    if scores is not None:
        ensure(scores.shape == (len(data.queries), 3), "decision_function has another shape")
        best = fitted.classes_[scores.argmax(axis=1)]
        ensure(np.array_equal(best, found["predict"]), "decision_function contradicts predict")


def check_two_classes(estimator: Any, data: Data) -> None:
    """Check that with two classes a positive value of decision_function means the second one."""
    fitted = classifier(estimator, data).fit(data.trees, data.y)
    found = outputs(fitted, data.queries)
    scores = found.get("decision_function")
    if scores is not None:
        ensure(scores.shape == (len(data.queries),), "decision_function has another shape")
        best = fitted.classes_[(scores > 0).astype(int)]
        ensure(np.array_equal(best, found["predict"]), "decision_function contradicts predict")


def check_probabilities(estimator: Any, data: Data) -> None:
    """Check that probabilities have the sum 1, and that the predicted class has the largest."""
    y = np.array([2, 0, 1, 2, 2] * 4)[: len(data.trees)]
    for classes in (data.y, y):
        fitted = classifier(estimator, data).fit(data.trees, classes)
        if not hasattr(fitted, "predict_proba"):
            return
        found = fitted.predict_proba(data.queries)
        shape = len(data.queries), len(fitted.classes_)
        ensure(found.shape == shape, "predict_proba has another shape")
        ensure(bool((found >= 0).all()), "probabilities are negative")
        ensure(np.allclose(found.sum(axis=1), 1.0), "probabilities do not have the sum 1")
        places = np.searchsorted(fitted.classes_, fitted.predict(data.queries))
        chosen = found[np.arange(len(found)), places]
        ensure(np.allclose(chosen, found.max(axis=1)), "predict_proba contradicts predict")


def _predicts_or_explains(estimator: Any, data: Data, trees: Any, y: Any) -> None:
    """Check that the prediction is y, or that a ValueError explains why not."""
    try:
        predicted = classifier(estimator, data).fit(trees, y).predict(trees)
    except ValueError as error:
        explained = "class" in str(error) or "sample" in str(error)
        ensure(explained, f"the message of {error!r} names neither the class nor the sample")
        return
    ensure(bool((predicted == y[0]).all()), "the only class is not predicted")


def check_one_class(estimator: Any, data: Data) -> None:
    """Check that a single class is predicted, or that a ValueError names the class."""
    _predicts_or_explains(estimator, data, data.trees, np.full(len(data.trees), "z"))


def check_one_tree(estimator: Any, data: Data) -> None:
    """Check that the class of one tree is predicted, or that a ValueError names the sample."""
    _predicts_or_explains(estimator, data, data.trees[:1], data.y[:1])


def check_wrong_targets(estimator: Any, data: Data) -> None:
    """Check that targets that are missing, too few, NaN, None, real or 2-D are refused."""
    if not get_tags(estimator).target_tags.required:
        return
    numbers = np.arange(len(data.trees)) % 2
    wrong: dict[str, Any] = {
        "y that is None": None,
        "y that is too short": data.y[:-1],
        "y with NaN": np.where(np.arange(len(numbers)) == 3, np.nan, numbers),
        "y with None": [None, *data.y[1:]],
        "y of real numbers": np.linspace(0.1, 0.9, len(numbers)),
        "y with two columns": np.column_stack([numbers, numbers]),
    }
    for what, y in wrong.items():
        with refusing(what, ValueError):
            fresh(estimator, data).fit(data.trees, y)


CLASS_CHECKS: tuple[Callable[[Any, Data], None], ...] = (
    check_string_targets,
    check_integer_targets,
    check_bool_targets,
    check_three_classes,
    check_two_classes,
    check_probabilities,
    check_one_class,
    check_one_tree,
    check_wrong_targets,
)
