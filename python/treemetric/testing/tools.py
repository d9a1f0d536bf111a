"""Tools of the checks of `treemetric.testing`: data, clones, results and comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from treemetric.tree import Tree

METHODS = ("predict", "decision_function", "predict_proba", "transform")


class Data(NamedTuple):
    """Trees of two classes for training, their classes, and trees for prediction."""

    trees: list[Tree]
    y: Any
    queries: list[Tree]
    seed: int


def make_data(seed: int) -> Data:
    """Draw small trees, mostly with labels a and b in class x, and c and d in class y."""
    random = np.random.RandomState(seed)
    classes = np.array(["x", "y"] * 12)
    trees = []
    for label in classes:
        size = random.randint(2, 7)
        own = "ab" if label == "x" else "cd"
        labels = [str(random.choice(list(own * 4 + "abcd"))) for _ in range(size)]
        # In preorder: the parent of a node is on the path from the root to the last node.
        parents, path = [-1], [0]
        for node in range(1, size):
            path = path[: random.randint(1, len(path) + 1)]
            parents.append(path[-1])
            path.append(node)
        trees.append(Tree.from_parents(labels, parents))
    return Data(trees[:18], classes[:18], trees[18:], seed)


def with_numbers(data: Data) -> Data:
    """Return the same trees with numbers as targets: how often the labels a and b occur."""
    numbers = [float(sum(label in ("a", "b") for label in tree.labels)) for tree in data.trees]
    return data._replace(y=np.array(numbers))


def fresh(estimator: Any, data: Data, **params: Any) -> Any:
    """Return a clone, with a seed if it takes one."""
    copied = clone(estimator)
    if "random_state" in copied.get_params(deep=False):
        copied.set_params(random_state=data.seed)
    return copied.set_params(**params)


def classifier(estimator: Any, data: Data) -> Any:
    """Return a classifier: a clone, or a pipeline of a clone and nearest neighbours of its rows."""
    copied = fresh(estimator, data)
    if hasattr(copied, "predict"):
        return copied
    return make_pipeline(copied, KNeighborsClassifier(n_neighbors=1))


def outputs(fitted: Any, trees: Any) -> dict[str, Any]:
    """Return the results of all methods for some trees."""
    found = {name: getattr(fitted, name)(trees) for name in METHODS if hasattr(fitted, name)}
    ensure(bool(found), "the estimator has neither predict nor transform")
    return {name: as_dense(result) for name, result in found.items()}


def as_dense(result: Any) -> Any:
    """Return an array, also for a sparse matrix."""
    return result.toarray() if hasattr(result, "toarray") else np.asarray(result)


def ensure(condition: bool, message: str) -> None:  # noqa: FBT001
    """Raise ``AssertionError`` unless a condition holds."""
    if not condition:
        raise AssertionError(message)


def ensure_equal(one: dict[str, Any], other: dict[str, Any], what: str) -> None:
    """Raise ``AssertionError`` unless two estimators have the same results."""
    for name, result in one.items():
        same = name in other and np.array_equal(result, other[name])
        ensure(same, f"{name} differs {what}")


def ensure_finite(found: dict[str, Any], what: str) -> None:
    """Raise ``AssertionError`` if a result is NaN or infinite."""
    for name, result in found.items():
        numbers = result.dtype.kind == "f"
        ensure(not numbers or bool(np.isfinite(result).all()), f"{name} is not finite {what}")


@contextmanager
def refusing(what: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise ``AssertionError`` unless the body raises one of these errors."""
    try:
        yield
    except kinds:
        return
    except Exception as error:
        message = f"{what} must raise {_names(kinds)}, but raised {error!r}"
        raise AssertionError(message) from error
    message = f"{what} must raise {_names(kinds)}, but nothing was raised"
    raise AssertionError(message)


def _names(kinds: tuple[type[Exception], ...]) -> str:
    return " or ".join(kind.__name__ for kind in kinds)
