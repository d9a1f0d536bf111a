"""What all learners have in common: training data in, a learned distance out."""

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
from treemetric._base.validation import check_n_jobs, refuse, shown
from treemetric._estimators.base import check_some_trees, check_targets
from treemetric.costs import CostMatrix, Costs
from treemetric.learning._metric import Closing, LearnedMetric, check_choice
from treemetric.treeset import TreeSet

ClassCodes = npt.NDArray[np.int64]


def check_int(value: object, parameter: str, owner: str, least: int) -> int:
    """Let only ints from a least one on through."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        refuse(parameter, owner, f"an int in the range [{least}, inf)", shown(value))
    return int(value)


class Training(NamedTuple):
    """Checked training data: trees, the class of each as a code, and the classes, sorted."""

    trees: TreeSet
    codes: ClassCodes
    classes: npt.NDArray[Any]


class TreeMetricLearner(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Base of all learners of edit costs.

    A subclass has the parameters ``distance``, ``unseen``, ``n_jobs``, ``verbose`` and
    ``random_state``. Its ``fit`` begins with `_begin` and ends with `_keep`; between them it sets
    no attribute, so that a fit that fails leaves an earlier one as it was.
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

    def _begin(self, X: Trees, y: Any) -> Training:
        """Check the common parameters and the training data."""
        name = type(self).__name__
        check_choice(self.distance, "distance", name, ("actual", "pseudo"))
        check_choice(self.unseen, "unseen", name, ("error", "gap-like"))
        check_n_jobs(self.n_jobs, name)
        loud = isinstance(self.verbose, (bool, np.bool_))
        check_int(int(self.verbose) if loud else self.verbose, "verbose", name, 0)
        trees = check_some_trees(X, name)
        classes, codes = check_targets(y, trees, name)
        return Training(trees, codes, classes)

    def _keep(
        self,
        data: Training,
        costs: Costs,
        initial: Costs,
        prototypes: npt.NDArray[np.int64],
        **attributes: Any,
    ) -> None:
        """Set what a fit has found.

        ``costs`` are the learned ones over the training alphabet at least, ``initial`` those whose
        alignments the pseudo-edit distance prices, and ``prototypes`` indices of training trees.
        """
        self.trees_, self.classes_ = data.trees, data.classes
        self.costs_, self.initial_costs_ = costs, initial  # type: ignore[assignment]
        self._closing = Closing(costs)
        self.prototypes_ = prototypes
        self.prototype_labels_ = data.classes[data.codes[prototypes]]
        for name, value in attributes.items():
            setattr(self, name, value)

    def _counting(self) -> dict[str, Any]:
        """Give how `edit_counts` is to count: its ``script``, ``temperature`` and so on."""
        return {}

    def get_metric(self) -> LearnedMetric:
        """Give the learned distance as a function of two trees.

        Returns
        -------
        LearnedMetric
            A callable that needs the learner no longer, and pickles.

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
        name = type(self).__name__
        # They may have been set to anything after the fit.
        check_choice(self.distance, "distance", name, ("actual", "pseudo"))
        check_choice(self.unseen, "unseen", name, ("error", "gap-like"))
        metric = LearnedMetric(
            self.costs_, self.initial_costs_, self.distance, self.unseen, self._counting()
        )
        metric._closing = self._closing
        return metric

    def transform(self, X: Trees) -> FloatArray:
        """Compute the learned distances to all training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees, n_training_trees)
            The distances, actual or pseudo as the learner's ``distance`` says.

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
        """Give each tree the class of the closest prototype.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees,)
            The classes; of equally close prototypes the first counts.

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
        metric = self.get_metric()
        trees = check_some_trees(X, type(self).__name__)
        prototypes = self.trees_[np.asarray(self.prototypes_)]
        found = metric.pairwise(trees, prototypes, n_jobs=self.n_jobs)
        labels: npt.NDArray[Any] = self.prototype_labels_[found.argmin(axis=1)]
        return labels

    @property
    def _n_features_out(self) -> int:
        return len(self.trees_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.sparse = False
        return tags
