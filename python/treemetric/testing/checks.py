"""The checks of `treemetric.testing`, one function each.

A check takes an estimator and data, works on clones of the estimator, and raises
``AssertionError`` if the estimator breaks the contract.
"""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from treemetric.costs import CostMatrix
from treemetric.exceptions import UnknownLabelError
from treemetric.testing.tools import (
    METHODS,
    Data,
    as_dense,
    classifier,
    ensure,
    ensure_equal,
    ensure_finite,
    fresh,
    outputs,
    refusing,
)
from treemetric.tree import Tree
from treemetric.treeset import TreeSet


def check_clone(estimator: Any, data: Data) -> None:
    """Check that a clone has the same parameters, and forgets what was learned."""
    fitted = fresh(estimator, data).fit(data.trees, data.y)
    copied = clone(fitted)
    ensure(repr(copied.get_params()) == repr(fitted.get_params()), "a clone has other parameters")
    learned = [name for name in vars(copied) if name.endswith("_") and not name.startswith("_")]
    ensure(not learned, f"a clone that was not fitted has {learned}")


def check_params(estimator: Any, data: Data) -> None:
    """Check that parameters can be read and set, and are stored unchanged."""
    params = estimator.get_params(deep=False)
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(type(estimator)).parameters.items()
        if parameter.default is not parameter.empty
    }
    made = type(estimator)(**{**params, **defaults})
    for name, value in made.get_params(deep=False).items():
        ensure(value is {**params, **defaults}[name], f"__init__ changes {name!r}")
    copied = fresh(estimator, data).set_params(**params)
    for name, value in copied.get_params(deep=False).items():
        ensure(value is params[name], f"set_params changes {name!r}")
    with refusing("set_params with an unknown name", ValueError):
        copied.set_params(no_such_parameter=1)


def check_fit_keeps_params(estimator: Any, data: Data) -> None:
    """Check that fit returns the estimator, and changes neither parameters nor data."""
    model = fresh(estimator, data)
    before = {name: (v, copy.deepcopy(v)) for name, v in model.get_params(deep=False).items()}
    trees, y = list(data.trees), data.y.copy()
    ensure(model.fit(trees, y) is model, "fit does not return the estimator itself")
    for name, (value, copied) in before.items():
        now = getattr(model, name)
        ensure(now is value and repr(now) == repr(copied), f"fit changes the parameter {name!r}")
    ensure(trees == data.trees and np.array_equal(y, data.y), "fit changes the data")


def check_not_fitted(estimator: Any, data: Data) -> None:
    """Check that all methods raise NotFittedError before fit, unless fit is not necessary."""
    if not get_tags(estimator).requires_fit:
        return
    model = fresh(estimator, data)
    with refusing("check_is_fitted before fit", NotFittedError):
        check_is_fitted(model)
    for name in METHODS:
        if hasattr(model, name):
            with refusing(f"{name} before fit", NotFittedError):
                getattr(model, name)(data.queries)
    check_is_fitted(model.fit(data.trees, data.y))


def check_pickle(estimator: Any, data: Data) -> None:
    """Check that a fitted estimator survives pickling."""
    fitted = fresh(estimator, data).fit(data.trees, data.y)
    again = pickle.loads(pickle.dumps(fitted))
    found = outputs(fitted, data.queries)
    ensure_equal(found, outputs(again, data.queries), "after pickling")


def check_refit_forgets(estimator: Any, data: Data) -> None:
    """Check that a second fit on other data equals a first fit on them."""
    other, y = data.trees[:10], data.y[:10]
    twice = fresh(estimator, data).fit(data.trees, data.y).fit(other, y)
    once = fresh(estimator, data).fit(other, y)
    ensure(sorted(vars(twice)) == sorted(vars(once)), "a second fit leaves other attributes")
    found = outputs(once, data.queries)
    ensure_equal(found, outputs(twice, data.queries), "if there was a fit before")


def check_fit_is_idempotent(estimator: Any, data: Data) -> None:
    """Check that a second fit on the same data changes nothing."""
    model = fresh(estimator, data).fit(data.trees, data.y)
    first = outputs(model, data.queries)
    ensure_equal(first, outputs(model.fit(data.trees, data.y), data.queries), "after a second fit")


def check_n_jobs(estimator: Any, data: Data) -> None:
    """Check that the number of threads changes nothing."""
    if "n_jobs" not in estimator.get_params(deep=False):
        return
    found = [
        outputs(fresh(estimator, data, n_jobs=n).fit(data.trees, data.y), data.queries)
        for n in (None, 2, -1)
    ]
    ensure_equal(found[0], found[1], "with n_jobs=2")
    ensure_equal(found[0], found[2], "with n_jobs=-1")


def check_parts(estimator: Any, data: Data) -> None:
    """Check that the result for a tree does not depend on the trees that are asked for with it."""
    fitted = fresh(estimator, data).fit(data.trees, data.y)
    parts = [outputs(fitted, [tree]) for tree in data.queries]
    for name, result in outputs(fitted, data.queries).items():
        joined = np.concatenate([part[name] for part in parts])
        same = (
            np.allclose(joined, result, rtol=1e-9, atol=1e-12)
            if result.dtype.kind == "f"
            else np.array_equal(joined, result)
        )
        ensure(same, f"{name} of single trees differs from that of all of them")


def check_containers(estimator: Any, data: Data) -> None:
    """Check that a set, a list, a tuple and an array of trees are the same."""
    array = np.empty(len(data.trees), dtype=object)
    array[:] = data.trees
    found = outputs(fresh(estimator, data).fit(data.trees, data.y), data.queries)
    for kind in (TreeSet(data.trees), tuple(data.trees), array):
        fitted = fresh(estimator, data).fit(kind, list(data.y))
        what = f"if the trees come as a {type(kind).__name__}"
        ensure_equal(found, outputs(fitted, data.queries), what)
        ensure_equal(outputs(fitted, data.trees), outputs(fitted, kind), what)


def check_cross_val_score(estimator: Any, data: Data) -> None:
    """Check that cross-validation has the same scores on a list and on a TreeSet."""
    scores = [
        cross_val_score(classifier(estimator, data), X, data.y, cv=2, error_score="raise")
        for X in (data.trees, TreeSet(data.trees))
    ]
    ensure(np.array_equal(*scores), "the scores of a list and of a TreeSet differ")
    above = is_regressor(estimator) or bool((scores[0] >= 0).all())
    ensure(above and bool((scores[0] <= 1).all()), "scores are outside their range")


def check_grid_search(estimator: Any, data: Data) -> None:
    """Check that a grid search works on trees."""
    model = Pipeline([("model", classifier(estimator, data))])
    name = next((key for key in model.get_params() if key.endswith("n_jobs")), "verbose")
    search = GridSearchCV(model, {name: [1, 2]}, cv=2, error_score="raise")
    search.fit(TreeSet(data.trees), data.y)
    found = search.predict(data.queries)
    alone = classifier(estimator, data).fit(data.trees, data.y).predict(data.queries)
    ensure(np.array_equal(found, alone), "the best model of a grid search predicts differently")


def check_pipeline(estimator: Any, data: Data) -> None:
    """Check that an estimator gives the same results at the end of a pipeline and alone."""
    model = make_pipeline(FunctionTransformer(), fresh(estimator, data))
    found = outputs(fresh(estimator, data).fit(data.trees, data.y), data.queries)
    ensure_equal(found, outputs(model.fit(data.trees, data.y), data.queries), "in a pipeline")


def check_transform(estimator: Any, data: Data) -> None:
    """Check that a transformer returns one row per tree, and one name per column."""
    if not hasattr(estimator, "transform"):
        return
    model = fresh(estimator, data).fit(data.trees, data.y)
    result = model.transform(data.queries)
    ensure(
        result.ndim == 2 and result.shape[0] == len(data.queries),
        "transform does not return one row per tree",
    )
    if hasattr(model, "get_feature_names_out"):
        names = model.get_feature_names_out()
        ensure(
            len(names) == result.shape[1],
            "get_feature_names_out does not return one name per column",
        )
    at_once = as_dense(fresh(estimator, data).fit_transform(data.trees, data.y))
    then = as_dense(model.transform(data.trees))
    same = np.allclose(at_once, then, rtol=1e-9, atol=1e-12)
    ensure(same, "fit_transform differs from fit and transform")


def check_empty_tree(estimator: Any, data: Data) -> None:
    """Check that empty trees are valid."""
    empty = Tree.from_bracket("")
    trees = [empty, *data.trees[1:-1], empty]
    fitted = fresh(estimator, data).fit(trees, data.y)
    ensure_finite(outputs(fitted, [empty, *data.queries]), "with empty trees")


def check_equal_trees(estimator: Any, data: Data) -> None:
    """Check that equal trees of different classes give finite numbers without warnings."""
    half = len(data.trees) // 2
    trees = [tree for tree in data.trees[:half] for _ in range(2)]
    y = np.array([data.y[0], data.y[1]] * half)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for some, classes in ((trees, y), ([trees[0]] * len(trees), y)):
            fitted = fresh(estimator, data).fit(some, classes)
            ensure_finite(outputs(fitted, some), "with equal trees of different classes")


def check_unknown_symbols(estimator: Any, data: Data) -> None:
    """Check that a label missing in training has a cost, or raises UnknownLabelError."""
    strange = [Tree.from_nested(("a", ["never seen", "c"]))]

    def ask(**params: Any) -> None:
        model = fresh(estimator, data, **params).fit(data.trees, data.y)
        ensure_finite(outputs(model, strange), "with labels that were not in training")

    params = estimator.get_params(deep=False)
    if "costs" in params:
        table = 1.0 - np.eye(5)
        with refusing("a label that is not in the costs", UnknownLabelError):
            ask(costs=CostMatrix("abcd", table))
    if "unseen" in params:
        with refusing("a label that was not learned, with unseen='error'", UnknownLabelError):
            ask(unseen="error")
        ask(unseen="gap-like")
    try:
        ask()
    except UnknownLabelError:
        ensure(
            params.get("costs") is not None or "costs" not in params,
            "unit costs must accept every label",
        )


def check_wrong_trees(estimator: Any, data: Data) -> None:
    """Check that fit and predict refuse anything but a collection of trees."""
    fitted = fresh(estimator, data).fit(data.trees, data.y)
    wrong: dict[str, Any] = {
        "X that is a tree": data.trees[0],
        "X that is a number": 3,
        "X of strings": ["{a}"] * len(data.trees),
        "X of numbers": np.zeros((len(data.trees), len(data.trees))),
        "X with None": [None, *data.trees[1:]],
        "X without a tree": [],
    }
    for what, trees in wrong.items():
        y = data.y[: len(trees)] if isinstance(trees, list) else data.y
        with refusing(what, ValueError, TypeError):
            fresh(estimator, data).fit(trees, y)
        # An empty collection may give an empty result or an error.
        if what != "X without a tree":
            with refusing(what, ValueError, TypeError):
                outputs(fitted, trees)


def check_tags(estimator: Any, data: Data) -> None:  # noqa: ARG001
    """Check that the tags state that X is not a 2-D array."""
    tags = get_tags(estimator)
    ensure(not tags.input_tags.two_d_array, "the tag two_d_array must be False for trees")
    ensure(not tags.input_tags.pairwise, "the tag pairwise must be False for trees")


# For all estimators.
GENERAL_CHECKS: tuple[Callable[[Any, Data], None], ...] = (
    check_clone,
    check_params,
    check_fit_keeps_params,
    check_not_fitted,
    check_pickle,
    check_refit_forgets,
    check_fit_is_idempotent,
    check_n_jobs,
    check_parts,
    check_containers,
    check_cross_val_score,
    check_grid_search,
    check_pipeline,
    check_transform,
    check_empty_tree,
    check_equal_trees,
    check_unknown_symbols,
    check_wrong_trees,
    check_tags,
)
