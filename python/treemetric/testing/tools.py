"""What the checks of `treemetric.testing` need: data, clones, results and comparisons."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from treemetric.tree import Tree

METHODS = ("predict", "decision_function", "transform")


class Data(NamedTuple):
    """Trees of two classes for training, their classes, and trees for prediction."""

    trees: list[Tree]
    y: Any
    queries: list[Tree]
    seed: int


def make_data(seed: int) -> Data:
    """Draw small trees: mostly of the labels a and b in class x, of c and d in class y."""
    random = np.random.RandomState(seed)
    classes = np.array(["x", "y"] * 12)
    trees = []
    for label in classes:
        size = random.randint(2, 7)
        own = "ab" if label == "x" else "cd"
        labels = [str(random.choice(list(own * 4 + "abcd"))) for _ in range(size)]
        # A preorder: each node hangs below one of the nodes on the path to the last one.
        parents, path = [-1], [0]
        for node in range(1, size):
            path = path[: random.randint(1, len(path) + 1)]
            parents.append(path[-1])
            path.append(node)
        trees.append(Tree.from_parents(labels, parents))
    return Data(trees[:18], classes[:18], trees[18:], seed)


def fresh(estimator: Any, data: Data, **params: Any) -> Any:
    """Give a clone, with a seed if it takes one."""
    copied = clone(estimator)
    if "random_state" in copied.get_params(deep=False):
        copied.set_params(random_state=data.seed)
    return copied.set_params(**params)


def classifier(estimator: Any, data: Data) -> Any:
    """Give something that predicts: a clone, or its distances with nearest neighbours behind."""
    copied = fresh(estimator, data)
    if hasattr(copied, "predict"):
        return copied
    return make_pipeline(copied, KNeighborsClassifier(n_neighbors=1, metric="precomputed"))


def outputs(fitted: Any, trees: Any) -> dict[str, Any]:
    """Give what all methods say about some trees."""
    found = {name: getattr(fitted, name)(trees) for name in METHODS if hasattr(fitted, name)}
    ensure(bool(found), "it has neither predict nor transform")
    return {name: as_dense(result) for name, result in found.items()}


def as_dense(result: Any) -> Any:
    """Give an array, also of a sparse matrix."""
    return result.toarray() if hasattr(result, "toarray") else np.asarray(result)


def ensure(condition: bool, message: str) -> None:  # noqa: FBT001
    """Raise ``AssertionError`` unless something holds."""
    if not condition:
        raise AssertionError(message)


def ensure_equal(one: dict[str, Any], other: dict[str, Any], what: str) -> None:
    """Raise ``AssertionError`` unless two estimators say the same."""
    for name, result in one.items():
        same = name in other and np.array_equal(result, other[name])
        ensure(same, f"{name} differs {what}")


def ensure_finite(found: dict[str, Any], what: str) -> None:
    """Raise ``AssertionError`` if some result is NaN or infinite."""
    for name, result in found.items():
        numbers = result.dtype.kind == "f"
        ensure(not numbers or bool(np.isfinite(result).all()), f"{name} is not finite {what}")


@contextmanager
def refusing(what: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise ``AssertionError`` unless the body raises one of some errors."""
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
