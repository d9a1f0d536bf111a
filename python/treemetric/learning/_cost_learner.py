"""What learners of costs have in common, whatever they learn from: a learned distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import check_int, check_n_jobs
from treemetric._estimators.checks import check_some_trees
from treemetric.costs import CostMatrix, Costs
from treemetric.learning._metric import Closing, LearnedMetric, check_choice
from treemetric.treeset import TreeSet


class CostLearner(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Base of all learners of edit costs: `get_metric` and `transform`.

    A subclass has the parameters ``distance``, ``unseen``, ``n_jobs`` and ``verbose``. Its ``fit``
    checks them by `_check_common` and ends with `_keep_costs`; it sets no attribute in between, so
    that a fit that fails does not change an earlier one.
    """

    distance: str
    unseen: str
    n_jobs: int | None
    verbose: bool | int
    trees_: TreeSet
    costs_: CostMatrix
    initial_costs_: Costs

    # The values of the parameter ``distance``.
    _DISTANCES: tuple[str, ...] = ("actual", "pseudo")

    def _check_common(self) -> None:
        """Check the parameters that all learners have."""
        name = type(self).__name__
        self._check_choices()
        check_n_jobs(self.n_jobs, name)
        loud = isinstance(self.verbose, (bool, np.bool_))
        check_int(int(self.verbose) if loud else self.verbose, "verbose", name, 0)

    def _check_choices(self) -> None:
        name = type(self).__name__
        check_choice(self.distance, "distance", name, self._DISTANCES)
        check_choice(self.unseen, "unseen", name, ("gap-like", "error"))

    def _keep_costs(self, trees: TreeSet, costs: Costs, initial: Costs, **attributes: Any) -> None:
        """Set the attributes that a fit has found, and forget those of an earlier fit.

        ``costs`` are the learned costs, of the training alphabet at least, and ``initial`` are the
        costs whose alignments the pseudo-edit distance uses.
        """
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        self.trees_ = trees
        self.costs_, self.initial_costs_ = costs, initial  # type: ignore[assignment]
        self._closing = Closing(costs)
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

    def _has_learned(self) -> bool:
        """Return whether the distance uses learned costs, not those that the fit started from."""
        return bool(getattr(self, "learned_", True))

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

    @property
    def _n_features_out(self) -> int:
        return len(self.trees_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.sparse = False
        return tags
