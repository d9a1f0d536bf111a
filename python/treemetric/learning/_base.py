"""The base of all learners from classes: training data in, a learned distance out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError

from treemetric._base.typing import FloatArray, Trees
from treemetric._estimators.checks import check_some_trees, check_targets
from treemetric._estimators.class_scores import class_margins, decision_values, probabilities
from treemetric._estimators.weighting import check_sample_weight, weighted_points
from treemetric.costs import Costs
from treemetric.learning._cost_learner import CostLearner
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


class TreeMetricLearner(ClassifierMixin, CostLearner):  # type: ignore[misc]
    """Base of all learners of edit costs from classes.

    The ``fit`` of a subclass begins with `_begin` and ends with `_keep`; it sets no attribute in
    between, so that a fit that fails does not change an earlier one.
    """

    classes_: npt.NDArray[Any]
    prototypes_: npt.NDArray[np.int64]
    prototype_labels_: npt.NDArray[Any]

    def _begin(self, X: Trees, y: Any, sample_weight: Any = None) -> Training:
        """Check the common parameters and the training data."""
        name = type(self).__name__
        self._check_common()
        trees = check_some_trees(X, name)
        classes, codes = check_targets(y, trees, name)
        weights = check_sample_weight(sample_weight, len(trees), name)
        rows = weighted_points(weights, codes, name)
        if weights is None:
            return Training(trees, codes, classes, trees, rows)
        # A set of its own has the alphabet of the trees that are used.
        used = trees if len(rows) == len(trees) else TreeSet(list(trees[rows]))
        return Training(used, codes[rows], classes, trees, rows, weights[rows])

    def _keep(
        self,
        data: Training,
        costs: Costs,
        initial: Costs,
        prototypes: npt.NDArray[np.int64],
        **attributes: Any,
    ) -> None:
        """Set the attributes that a fit has found; ``prototypes`` are indices of ``data.trees``."""
        self._keep_costs(
            data.given,
            costs,
            initial,
            classes_=data.classes,
            prototypes_=data.rows[prototypes],
            prototype_labels_=data.classes[data.codes[prototypes]],
            **attributes,
        )

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
        if not hasattr(self, "classes_"):
            by_pairs = hasattr(self, "threshold_")
            source = "pairs" if by_pairs else "triplets"
            usable = (
                "get_metric, transform and predict_pairs"
                if by_pairs
                else "get_metric and transform"
            )
            message = (
                f"This {type(self).__name__} was fitted to {source} and has no classes. "
                f"Only {usable} can be used; call fit(X, y) to predict classes."
            )
            raise NotFittedError(message)
        trees = check_some_trees(X, type(self).__name__)
        prototypes = self.trees_[np.asarray(self.prototypes_)]
        return metric.pairwise(trees, prototypes, n_jobs=self.n_jobs)

    def _to_classes(self, X: Trees) -> FloatArray:
        """Return the learned distances to the closest prototype of each class."""
        found = self._to_prototypes(X)
        labels = self.prototype_labels_
        columns = [found[:, labels == label].min(axis=1) for label in self.classes_]
        return np.stack(columns, axis=1)
