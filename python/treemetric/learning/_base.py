"""The base of all learners: training data in, a learned distance out."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import check_int, check_n_jobs
from treemetric._estimators.checks import check_some_trees, check_targets
from treemetric._estimators.class_scores import class_margins, decision_values, probabilities
from treemetric._estimators.weighting import check_sample_weight, weighted_points
from treemetric.costs import CostMatrix, Costs
from treemetric.learning._metric import Closing, LearnedMetric, check_choice
from treemetric.treeset import TreeSet

ClassCodes = npt.NDArray[np.int64]


class Training(NamedTuple):
    """Checked training data: trees, the code of the class of each tree, and the sorted classes.

    Trees of weight 0 are left out. ``given`` holds all trees, and ``rows`` the positions in it of
    those that are used. Without weights, all trees are used.
    """

    trees: TreeSet
    codes: ClassCodes
    classes: npt.NDArray[Any]
    given: TreeSet
    rows: npt.NDArray[np.int64]
    weights: FloatArray | None = None


class TreeMetricLearner(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Base of all learners of edit costs.

    A subclass has the parameters ``distance``, ``unseen``, ``n_jobs``, ``verbose`` and
    ``random_state``. Its ``fit`` begins with `_begin` and ends with `_keep`; it sets no attribute
    in between, so that a fit that fails does not change an earlier one.
    """

    distance: str
    unseen: str
    n_jobs: int | None
    verbose: bool | int
    trees_: TreeSet
    classes_: npt.NDArray[Any]
    costs_: CostMatrix
    initial_costs_: Costs
    prototypes_: npt.NDArray[np.int64]
    prototype_labels_: npt.NDArray[Any]

    # The values of the parameter ``distance``.
    _DISTANCES: tuple[str, ...] = ("actual", "pseudo")

    def _begin(self, X: Trees, y: Any, sample_weight: Any = None) -> Training:
        """Check the common parameters and the training data."""
        name = type(self).__name__
        self._check_choices()
        check_n_jobs(self.n_jobs, name)
        loud = isinstance(self.verbose, (bool, np.bool_))
        check_int(int(self.verbose) if loud else self.verbose, "verbose", name, 0)
        trees = check_some_trees(X, name)
        classes, codes = check_targets(y, trees, name)
        weights = check_sample_weight(sample_weight, len(trees), name)
        rows = weighted_points(weights, codes, name)
        if weights is None:
            return Training(trees, codes, classes, trees, rows)
        # A set of its own has the alphabet of the trees that are used.
        used = trees if len(rows) == len(trees) else TreeSet(list(trees[rows]))
        return Training(used, codes[rows], classes, trees, rows, weights[rows])

    def _check_choices(self) -> None:
        name = type(self).__name__
        check_choice(self.distance, "distance", name, self._DISTANCES)
        check_choice(self.unseen, "unseen", name, ("gap-like", "error"))

    def _keep(
        self,
        data: Training,
        costs: Costs,
        initial: Costs,
        prototypes: npt.NDArray[np.int64],
        **attributes: Any,
    ) -> None:
        """Set the attributes that a fit has found.

        ``costs`` are the learned costs, of the training alphabet at least, ``initial`` are the
        costs whose alignments the pseudo-edit distance uses, and ``prototypes`` are indices of
        ``data.trees``.
        """
        self.trees_, self.classes_ = data.given, data.classes
        self.costs_, self.initial_costs_ = costs, initial  # type: ignore[assignment]
        self._closing = Closing(costs)
        self.prototypes_ = data.rows[prototypes]
        self.prototype_labels_ = data.classes[data.codes[prototypes]]
        for name, value in attributes.items():
            setattr(self, name, value)

    def _counting(self) -> dict[str, Any]:
        """Return the options of `edit_counts`, such as ``script`` and ``temperature``."""
        return {}

    def get_metric(self) -> LearnedMetric:
        """Return the learned distance as a function of two trees.

        Returns
        -------
        LearnedMetric
            A callable that does not refer to the learner and can be pickled.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import BEDL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> metric = BEDL().fit(trees, [0, 0, 1, 1]).get_metric()
        >>> metric(trees[0], trees[0])
        0.0
        """
        check_is_fitted(self, "costs_")
        self._check_choices()  # the parameters may have changed after the fit
        costs = self._metric_costs()
        metric = LearnedMetric(
            costs, self.initial_costs_, self._kind(), self.unseen, self._counting()
        )
        metric._closing = self._closing
        return metric

    def _metric_costs(self) -> Costs:
        """Return the costs of the distance."""
        return self.costs_

    def _kind(self) -> str:
        """Return which distance is computed, 'actual' or 'pseudo'."""
        return self.distance

    def transform(self, X: Trees) -> FloatArray:
        """Compute the learned distances to all training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees, n_training_trees)
            The edit distances or pseudo-edit distances, depending on ``distance``.

        Raises
        ------
        UnknownLabelError
            If a label was not seen in training and ``unseen='error'``.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import BEDL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> BEDL().fit(trees, [0, 0, 1, 1]).transform(trees[:2]).shape
        (2, 4)
        """
        metric = self.get_metric()
        trees = check_some_trees(X, type(self).__name__)
        return metric.pairwise(trees, self.trees_, n_jobs=self.n_jobs)

    def predict(self, X: Trees) -> npt.NDArray[Any]:
        """Predict the class of the closest prototype for each tree.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees,)
            The classes; if prototypes of several classes are equally close, the first class.

        Raises
        ------
        UnknownLabelError
            If a label was not seen in training and ``unseen='error'``.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import BEDL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> BEDL().fit(trees, [0, 0, 1, 1]).predict([Tree.from_sequence("ac")])
        array([0])
        """
        nearest = self._to_classes(X).argmin(axis=1)
        labels: npt.NDArray[Any] = self.classes_[nearest]
        return labels

    def decision_function(self, X: Trees) -> FloatArray:
        """Return how much closer each class is than the others.

        With d the distance to the closest prototype of a class and e that to the closest prototype
        of any other class, the value is (e - d) / (e + d): 1 at a prototype of the class, 0 at the
        border, and negative beyond the border.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees,) or (n_trees, n_classes)
            With two classes, only the values of the second class; with one class, -1.

        Raises
        ------
        UnknownLabelError
            If a label was not seen in training and ``unseen='error'``.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import BEDL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> learner = BEDL().fit(trees, [0, 0, 1, 1])
        >>> learner.decision_function(trees) > 0
        array([False, False,  True,  True])
        """
        return decision_values(class_margins(self._to_classes(X)))

    def predict_proba(self, X: Trees) -> FloatArray:
        """Return a share for each class, by its distance; the shares of a tree have the sum 1.

        With the values of `decision_function` for each class, μ, the share of a class is 1 + μ,
        divided by the sum over all classes. For two classes at the distances d and e, the share of
        the first one is e / (d + e). The class of `predict` has the largest share.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees, n_classes)
            The shares, in the order of `classes_`.

        Raises
        ------
        UnknownLabelError
            If a label was not seen in training and ``unseen='error'``.

        Notes
        -----
        The shares are not calibrated. ``sklearn.calibration.CalibratedClassifierCV`` fits
        probabilities to `decision_function` on trees that were not used to learn the costs.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import BEDL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> learner = BEDL().fit(trees, [0, 0, 1, 1])
        >>> learner.predict_proba(trees).shape
        (4, 2)
        """
        return probabilities(class_margins(self._to_classes(X)))

    def _to_prototypes(self, X: Trees) -> FloatArray:
        """Return the learned distances to the prototypes."""
        metric = self.get_metric()
        trees = check_some_trees(X, type(self).__name__)
        prototypes = self.trees_[np.asarray(self.prototypes_)]
        return metric.pairwise(trees, prototypes, n_jobs=self.n_jobs)

    def _to_classes(self, X: Trees) -> FloatArray:
        """Return the learned distances to the closest prototype of each class."""
        found = self._to_prototypes(X)
        labels = self.prototype_labels_
        columns = [found[:, labels == label].min(axis=1) for label in self.classes_]
        return np.stack(columns, axis=1)

    @property
    def _n_features_out(self) -> int:
        return len(self.trees_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.sparse = False
        return tags
