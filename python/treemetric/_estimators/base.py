"""What classifiers on distances share: trees or a precomputed matrix, targets, parameters."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from copy import copy
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import (
    Tags,
    assert_all_finite,
    check_consistent_length,
    check_random_state,
    column_or_1d,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from treemetric._base.progress import stage
from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import as_float, check_n_jobs, refuse, shown
from treemetric.costs import EmbeddingCosts, UnitCosts
from treemetric.costs.resolve import check_costs
from treemetric.distances import pairwise_distances
from treemetric.treeset import TreeSet, check_trees

Codes = npt.NDArray[np.int64]
Inputs = TreeSet | FloatArray

_METRICS = ("tree_edit", "precomputed")
# Squares of larger distances, and sums of these over the data, would not be finite.
_LARGEST = 1e150
# Matrices are called symmetric up to this share of the largest entry: rounding to float32.
_ROUNDING = 1e-6


class Training(NamedTuple):
    """Checked training data: trees or distances, and the class of each as a code."""

    inputs: Inputs
    codes: Codes


class TreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier on trees, or on distances that somebody else computed.

    With ``metric='tree_edit'`` X is a collection of trees. With ``metric='precomputed'`` it is
    a matrix: (n, n) of distances among the training data for fit, afterwards (m, n) from new
    data to the training data.
    """

    metric: str
    costs: Any
    n_jobs: int | None
    verbose: int
    classes_: npt.NDArray[Any]
    trees_: TreeSet

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        precomputed = self.metric == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.two_d_array = precomputed
        tags.input_tags.positive_only = precomputed
        return tags

    @abstractmethod
    def _learn(self, X: Any, y: Any) -> None:
        """Check data and parameters, then learn; on a copy that has forgotten an earlier fit."""

    def _fit_copy(self, X: Any, y: Any) -> Self:
        """Fit a copy and become it, so that a fit that fails or is stopped changes nothing."""
        fresh = copy(self)
        for attribute in [name for name in vars(fresh) if name.endswith("_")]:
            delattr(fresh, attribute)
        fresh._learn(X, y)
        self.__dict__ = fresh.__dict__
        return self

    def _check_training(self, X: Any, y: Any) -> Training:
        """Check data for fit, and keep the trees and classes."""
        name = type(self).__name__
        check_option(self.metric, _METRICS, "metric", name)
        check_n_jobs(self.n_jobs, name)
        check_costs(self.costs, name)
        if not isinstance(self.verbose, (bool, np.bool_)):
            check_whole(self.verbose, "verbose", name, least=0)
        if self.metric == "precomputed":
            distances, y = validate_data(self, X, y, dtype=np.float64)
            _check_square(distances, name)
            check_non_negative(distances, name)
            _check_largest(distances, name)
            inputs: Inputs = distances
        else:
            if isinstance(X, np.ndarray) and X.ndim > 1:
                must = "trees, or metric='precomputed' if it holds distances"
                refuse("X", name, must, f"an array of shape {X.shape}")
            inputs = self.trees_ = check_some_trees(X, name)
        self.classes_, codes = check_targets(y, inputs, name)
        return Training(inputs, codes)

    def _check_queries(self, X: Any) -> Inputs:
        """Check data for predict."""
        check_is_fitted(self)
        name = type(self).__name__
        if self.metric == "precomputed":
            distances: FloatArray = validate_data(self, X, dtype=np.float64, reset=False)
            check_non_negative(distances, name)
            _check_largest(distances, name)
            return distances
        return check_some_trees(X, name)

    def _measure(
        self, inputs: Inputs, columns: Codes | None = None, *, symmetric: bool = False
    ) -> FloatArray:
        """Give the distances to the training data, or to some of them.

        If ``symmetric`` is set, those of new trees are the mean of both directions. Rows of a
        precomputed matrix stay as they are: the other direction is not in it.
        """
        if not isinstance(inputs, TreeSet):
            return inputs if columns is None else inputs[:, columns]
        training = inputs is self.trees_ and columns is None
        targets = self.trees_ if columns is None else self.trees_[columns]
        options = {"costs": self.costs, "n_jobs": self.n_jobs}
        name = type(self).__name__
        with stage(self.verbose, f"{name}: distances", "pairs") as report:
            distances = pairwise_distances(
                inputs, None if training else targets, progress=report, **options
            ).astype(np.float64, copy=False)
        _check_largest(distances, name)
        if symmetric and not training and not self._costs_are_symmetric(inputs):
            with stage(self.verbose, f"{name}: distances back", "pairs") as report:
                back = pairwise_distances(targets, inputs, progress=report, **options)
            distances = (distances + back.T.astype(np.float64, copy=False)) / 2
            _check_largest(distances, name)
        return distances

    def _measure_symmetric(self, inputs: Inputs) -> FloatArray:
        """Give the distances among the training data, each the mean of both directions.

        Of a precomputed matrix that is not symmetric new rows cannot be made symmetric in the
        same way, which the user has to know.
        """
        distances = self._measure(inputs)
        if self.metric == "precomputed":
            largest = float(distances.max())
            if float(np.abs(distances - distances.T).max()) > _ROUNDING * largest:
                message = (
                    f"{type(self).__name__} got precomputed distances that are not symmetric and "
                    "takes the mean of both directions. Rows for predict have one direction "
                    "only: give means there too. To cross-validate, make the whole matrix "
                    "symmetric first, D = (D + D.T) / 2."
                )
                warnings.warn(message, UserWarning, stacklevel=5)
        return symmetrised(distances)

    def _costs_are_symmetric(self, inputs: TreeSet) -> bool:
        costs = check_costs(self.costs, type(self).__name__)
        if isinstance(costs, (UnitCosts, EmbeddingCosts)):
            return True
        return costs.is_symmetric(dict.fromkeys((*self.trees_.alphabet, *inputs.alphabet)))


def symmetrised(distances: FloatArray) -> FloatArray:
    """Give the mean of a square matrix and its transpose; the same matrix if it is symmetric."""
    if np.array_equal(distances, distances.T):
        return distances
    mean: FloatArray = (distances + distances.T) / 2
    return mean


def check_some_trees(X: Trees, owner: str) -> TreeSet:
    """Let a collection of at least one tree through."""
    trees = check_trees(X, "X", owner)
    if len(trees) == 0:
        message = f"Found array with 0 sample(s) while a minimum of 1 is required by {owner}."
        raise ValueError(message)
    return trees


def check_targets(y: Any, inputs: Inputs, owner: str) -> tuple[npt.NDArray[Any], Codes]:
    """Give the distinct classes, sorted, and the position of each target among them."""
    if y is None:
        message = f"This {owner} estimator requires y to be passed, but the target y is None."
        raise ValueError(message)
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
        # Classes are sorted, and these cannot be compared.
        kinds = sorted({type(target).__name__ for target in targets})
        message = f"The classes in y must be uniformly strings or numbers. Got {kinds} instead."
        raise ValueError(message) from error
    return classes, codes.astype(np.int64, copy=False)


def _check_square(distances: FloatArray, owner: str) -> None:
    if distances.shape[0] != distances.shape[1]:
        message = (
            f"{owner} with metric='precomputed' needs a square matrix of distances in fit. "
            f"Got an array of shape {distances.shape} instead."
        )
        raise ValueError(message)


def _check_largest(distances: FloatArray, owner: str) -> None:
    largest = float(distances.max(initial=0.0))
    if largest > _LARGEST:
        message = (
            f"{owner} takes distances up to {_LARGEST:g}, but the largest one is {largest:g}. "
            "Divide them by a constant."
        )
        raise ValueError(message)


def check_seed(random_state: Any, owner: str) -> np.random.RandomState:
    """Give the generator that ``random_state`` stands for."""
    try:
        random: np.random.RandomState = check_random_state(random_state)
    except (ValueError, TypeError):
        must = "None, an int in the range [0, 2**32 - 1] or a RandomState instance"
        refuse("random_state", owner, must, shown(random_state))
    return random


def check_option(value: object, options: Iterable[str], parameter: str, owner: str) -> None:
    """Let only one of some strings through."""
    known = list(options)
    if not isinstance(value, str) or value not in known:
        must = "a str among {" + ", ".join(map(repr, known)) + "}"
        refuse(parameter, owner, must, shown(value))


def check_whole(value: object, parameter: str, owner: str, *, least: int = 1) -> int:
    """Let only a whole number through that is not too small."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        refuse(parameter, owner, f"an int in the range [{least}, inf)", shown(value))
    return int(value)  # type: ignore[call-overload,no-any-return]


def check_positive(value: object, parameter: str, owner: str, *, or_zero: bool = False) -> float:
    """Let only a finite number through that is positive, or zero if that is allowed."""
    number = as_float(value)
    if not (0 < number < float("inf") or (or_zero and number == 0)):
        opening = "[" if or_zero else "("
        refuse(parameter, owner, f"a float in the range {opening}0.0, inf)", shown(value))
    return number


def prototype_counts(n_prototypes: Any, classes: npt.NDArray[Any], owner: str) -> Codes:
    """Give the number of prototypes of each class: one int for all, a dict or one per class."""
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
    return np.array([check_whole(count, name, owner) for count in listed], dtype=np.int64)
