"""The base of estimators on trees or on a precomputed matrix of distances."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from treemetric._base.progress import stage
from treemetric._base.typing import FloatArray
from treemetric._base.validation import (
    check_bool,
    check_int,
    check_large,
    check_n_jobs,
    count_of,
    refuse,
)
from treemetric._estimators.checks import (
    Codes,
    Inputs,
    check_numbers,
    check_option,
    check_some_trees,
    check_targets,
)
from treemetric._estimators.learned import Metric, check_source, fit_learner, is_learner
from treemetric._estimators.weighting import check_sample_weight
from treemetric.costs.resolve import check_costs
from treemetric.distances import pairwise_distances
from treemetric.treeset import TreeSet
from treemetric.unordered import unordered_pairwise_distances

_METRICS = ("tree_edit", "precomputed")
# The squares of larger distances, or the sums of these squares, would not be finite.
_LARGEST = 1e150
# A matrix is symmetric up to this share of its largest entry, the rounding error of float32.
_ROUNDING = 1e-6


class TreeEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator on trees or on precomputed distances.

    With ``metric='tree_edit'`` X is a collection of trees. With ``metric='precomputed'`` X is a
    matrix of distances: (n, n) among the training data in fit, (m, n) from new data to the
    training data in predict. Costs can be a learned distance and, if there are targets, a learner,
    which is fitted to the training data first.
    """

    metric: str
    costs: Any
    ordered: bool
    n_jobs: int | None
    verbose: int
    trees_: TreeSet
    learner_: Any
    # The distance, if it was learned.
    _learned: Metric | None = None
    # Whether there are targets, to which a learner can be fitted.
    _SUPERVISED = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        precomputed = self.metric == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.two_d_array = precomputed
        tags.input_tags.positive_only = precomputed
        return tags

    @abstractmethod
    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Check data and parameters, then learn; called on a copy without fitted attributes."""

    def _fit_copy(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a copy and take its state, so that a fit that fails changes nothing."""
        fresh = copy(self)
        for attribute in [name for name in vars(fresh) if name.endswith("_")]:
            delattr(fresh, attribute)
        fresh._learn(X, y, sample_weight)
        self.__dict__ = fresh.__dict__
        return self

    def _check_inputs(self, X: Any) -> Inputs:
        """Check the parameters that all share and the data for fit; store the trees."""
        name = type(self).__name__
        check_option(self.metric, _METRICS, "metric", name)
        check_n_jobs(self.n_jobs, name)
        ordered = check_bool(self.ordered, "ordered", name)
        self._learned = check_source(
            self.costs,
            name,
            ordered=ordered,
            precomputed=self.metric == "precomputed",
            supervised=self._SUPERVISED,
            classes=is_classifier(self),
        )
        check_verbose(self.verbose, name)
        if self.metric == "precomputed":
            distances: FloatArray = validate_data(self, X, dtype=np.float64)
            _check_square(distances, name)
            check_non_negative(distances, name)
            _check_largest(distances, name)
            self._check_fit_memory(len(distances), given=8)
            return distances
        if isinstance(X, np.ndarray) and X.ndim > 1:
            must = "trees, or metric='precomputed' if it holds distances"
            refuse("X", name, must, f"an array of shape {X.shape}")
        self.trees_ = check_some_trees(X, name)
        self._check_fit_memory(len(self.trees_), given=0)
        return self.trees_

    def _fit_bytes(self, n: int) -> int:  # noqa: ARG002
        """Return the bytes that `fit` holds for each pair of n training data."""
        return 0

    def _check_fit_memory(self, n: int, given: int) -> None:
        """Check that all matrices of `fit` fit in memory; the bytes that are given exist."""
        what = f"{type(self).__name__}.fit with {count_of(n, 'sample')}"
        check_large((self._fit_bytes(n) - given) * n * n, what)

    def _check_queries(self, X: Any) -> Inputs:
        """Check the data for predict."""
        check_is_fitted(self)
        name = type(self).__name__
        if self.metric == "precomputed":
            distances: FloatArray = validate_data(self, X, dtype=np.float64, reset=False)
            check_non_negative(distances, name)
            _check_largest(distances, name)
            return distances
        return check_some_trees(X, name)

    def _fit_learner(self, y: Any, sample_weight: Any) -> None:
        """Fit the learner of costs to the training data, if there is one."""
        if is_learner(self.costs):
            self.learner_ = fit_learner(self.costs, self.trees_, y, sample_weight)
            self._learned = self.learner_.get_metric()

    def _measure(
        self, inputs: Inputs, columns: Codes | None = None, *, symmetric: bool = False
    ) -> FloatArray:
        """Return the distances to the training data, or to some of them.

        If ``symmetric`` is set, the distances of new trees are the mean of both directions. Rows
        of a precomputed matrix are not changed: they do not hold the other direction.
        """
        if not isinstance(inputs, TreeSet):
            return inputs if columns is None else inputs[:, columns]
        training = inputs is self.trees_ and columns is None
        targets = self.trees_ if columns is None else self.trees_[columns]
        others = None if training else targets
        measure: Any = pairwise_distances if self.ordered else unordered_pairwise_distances
        options: dict[str, Any] = {"costs": self.costs, "n_jobs": self.n_jobs}
        if self._learned is not None:
            measure, options = _without_report(self._learned), {"n_jobs": self.n_jobs}
        name = type(self).__name__
        with stage(self.verbose, f"{name}: distances", "pairs") as report:
            distances: FloatArray = measure(inputs, others, progress=report, **options).astype(
                np.float64, copy=False
            )
        _check_largest(distances, name)
        if symmetric and not training and not self._costs_are_symmetric(inputs):
            with stage(self.verbose, f"{name}: distances back", "pairs") as report:
                back = measure(targets, inputs, progress=report, **options)
            distances = (distances + back.T.astype(np.float64, copy=False)) / 2
            _check_largest(distances, name)
        return distances

    def _measure_symmetric(self, inputs: Inputs) -> FloatArray:
        """Return the distances among the training data, each the mean of both directions.

        Warn if a precomputed matrix is not symmetric, because new rows of it cannot be made
        symmetric in the same way.
        """
        distances = self._measure(inputs)
        if self.metric == "precomputed":
            largest = float(distances.max())
            if float(np.abs(distances - distances.T).max()) > _ROUNDING * largest:
                message = (
                    f"{type(self).__name__} got precomputed distances that are not symmetric and "
                    "uses the mean of both directions. Rows for predict have one direction only: "
                    "pass means there too. For cross-validation make the whole matrix symmetric "
                    "first, D = (D + D.T) / 2."
                )
                warnings.warn(message, UserWarning, stacklevel=5)
        return symmetrised(distances)

    def _costs_are_symmetric(self, inputs: TreeSet) -> bool:
        labels = dict.fromkeys((*self.trees_.alphabet, *inputs.alphabet))
        if self._learned is not None:
            return self._learned._is_symmetric(labels)
        return check_costs(self.costs, type(self).__name__).is_symmetric(labels)

    def _n_train(self) -> int:
        return self.n_features_in_ if self.metric == "precomputed" else len(self.trees_)


class Training(NamedTuple):
    """Checked training data: trees or distances, and the class of each as a code; weights."""

    inputs: Inputs
    codes: Codes
    weights: FloatArray | None


class TreeClassifier(ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """A classifier on trees or on precomputed distances."""

    classes_: npt.NDArray[Any]
    _SUPERVISED = True

    def _check_training(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Check the data for fit and store the trees and classes."""
        name = type(self).__name__
        inputs = self._check_inputs(X)
        self.classes_, codes = check_targets(y, inputs, name)
        weights = check_sample_weight(sample_weight, len(codes), name)
        self._fit_learner(self.classes_[codes], weights)
        return Training(inputs, codes, weights)


class TreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A regressor on trees or on precomputed distances."""

    _SUPERVISED = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags

    def _check_training(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Inputs, FloatArray, FloatArray | None]:
        """Check the data for fit and store the trees; return data, targets and weights."""
        name = type(self).__name__
        inputs = self._check_inputs(X)
        targets = check_numbers(y, inputs, name)
        weights = check_sample_weight(sample_weight, len(targets), name)
        self._fit_learner(targets, weights)
        return inputs, targets, weights


def _without_report(metric: Metric) -> Any:
    """Return the distances of a metric as a function that reports no progress."""

    def measure(X: TreeSet, Y: TreeSet | None, *, progress: Any, n_jobs: int | None) -> FloatArray:  # noqa: ARG001
        return metric.pairwise(X, Y, n_jobs=n_jobs)

    return measure


def check_verbose(verbose: object, owner: str) -> None:
    """Check that the parameter verbose is a bool or an int that is not negative."""
    if not isinstance(verbose, (bool, np.bool_)):
        check_int(verbose, "verbose", owner, least=0)


def symmetrised(distances: FloatArray) -> FloatArray:
    """Return the mean of a square matrix and its transpose; a symmetric matrix is not copied."""
    if np.array_equal(distances, distances.T):
        return distances
    mean: FloatArray = distances + distances.T
    mean /= 2
    return mean


def _check_square(distances: FloatArray, owner: str) -> None:
    if distances.shape[0] != distances.shape[1]:
        message = (
            f"{owner} with metric='precomputed' must get a square matrix of distances in fit. "
            f"Got an array of shape {distances.shape} instead."
        )
        raise ValueError(message)


def _check_largest(distances: FloatArray, owner: str) -> None:
    largest = float(distances.max(initial=0.0))
    if largest > _LARGEST:
        message = (
            f"The distances of {owner} must be at most {_LARGEST:g}. Got {largest:g} instead. "
            "Divide all distances by a constant."
        )
        raise ValueError(message)
