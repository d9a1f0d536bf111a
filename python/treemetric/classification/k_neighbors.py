"""The classes of the nearest training trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin

from treemetric._base.typing import CostsOrLearner, FloatArray, Norm, Predictions, Trees
from treemetric._estimators.checks import check_targets
from treemetric._estimators.k_neighbors import TreeNeighbors, Weights


class KNeighborsTreeClassifier(ClassifierMixin, TreeNeighbors):  # type: ignore[misc]
    """Predict the most frequent class among the nearest training trees.

    The training trees are kept in a `treemetric.TreeIndex`, so that most distances are not
    computed.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours.
    weights : {'uniform', 'distance'} or callable, default='uniform'
        Weights of the neighbours: 1, or 1 / distance, where neighbours at distance 0 are the only
        ones that count. A callable takes an array of distances and returns weights of its shape.
    costs : Costs, callable, learner or LearnedMetric, optional
        The costs of edits; by default every edit costs 1. A learner, such as
        ``NCACosts(random_state=0)``, is copied and fitted to the training trees first; a learned
        distance, or a learner in ``sklearn.frozen.FrozenEstimator``, is used as it is.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by; see `treemetric.normalized_distance`.
    ordered : bool, default=True
        Whether the order of children counts. False means the distance of
        `treemetric.unordered_distance`, and all distances are computed.
    n_jobs : int, optional
        Number of threads; None means 1, -1 means all CPUs. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar for each stage of fit or predict that takes longer than a second.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The sorted classes.
    trees_ : TreeSet
        The training trees.
    index_ : TreeIndex or None
        The index of the training trees; None if ``ordered=False`` or if a learned distance is used,
        which handles labels that are not in the training trees.
    learner_ : estimator
        The fitted copy of the learner; only if `costs` is a learner.
    n_samples_fit_ : int
        The number of training trees.

    See Also
    --------
    treemetric.regression.KNeighborsTreeRegressor : The same for numbers.
    treemetric.TreeNeighborsGraph : The neighbours as a graph, for estimators of scikit-learn.

    Notes
    -----
    Of trees at the same distance, those that come first in the training data are the nearest.
    ``sklearn.neighbors.KNeighborsClassifier`` with ``metric='precomputed'`` gives the same results,
    except that it does not define which of them are the nearest.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.classification import KNeighborsTreeClassifier
    >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "abb", "ccc", "ccd", "cdd")]
    >>> model = KNeighborsTreeClassifier(3).fit(trees, ["x", "x", "x", "y", "y", "y"])
    >>> model.predict([Tree.from_sequence("aba"), Tree.from_sequence("cc")])
    array(['x', 'y'], dtype='<U1')
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Weights = "uniform",
        costs: CostsOrLearner | None = None,
        norm: Norm | None = None,
        ordered: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.costs = costs
        self.norm = norm
        self.ordered = ordered
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Trees, y: npt.ArrayLike) -> KNeighborsTreeClassifier:
        """Build the index of the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,)
            Their classes.

        Returns
        -------
        KNeighborsTreeClassifier
            The fitted classifier.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import KNeighborsTreeClassifier
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> KNeighborsTreeClassifier(1).fit(trees, [0, 0, 1, 1]).index_
        <TreeIndex of 4 trees with 0 pivots, UnitCosts()>
        """
        trees = self._check_fit(X)
        classes, codes = check_targets(y, trees, type(self).__name__)
        self._keep_trees(trees, classes[codes])
        self.classes_, self._codes = classes, codes
        return self

    def predict(self, X: Trees | None) -> Predictions:
        """Predict the class with the largest weight; ties go to the first class.

        Parameters
        ----------
        X : TreeSet or list of Tree, or None
            The trees; None for the training trees, where no tree is its own neighbour.

        Returns
        -------
        ndarray of shape (n_trees,)
            The predicted classes.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import KNeighborsTreeClassifier
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> KNeighborsTreeClassifier(1).fit(trees, [0, 0, 1, 1]).predict(None)
        array([0, 0, 1, 1])
        """
        best = self.predict_proba(X).argmax(axis=1)
        predicted: Predictions = self.classes_[best]
        return predicted

    def predict_proba(self, X: Trees | None) -> FloatArray:
        """Return the share of each class in the weights of the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree, or None
            The trees; None for the training trees, where no tree is its own neighbour.

        Returns
        -------
        ndarray of shape (n_trees, n_classes)
            The shares, in the order of `classes_`; each row sums to 1.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import KNeighborsTreeClassifier
        >>> trees = [Tree.from_sequence(s) for s in ("aaaa", "aaab", "cccc", "cccd")]
        >>> model = KNeighborsTreeClassifier(4, weights="distance").fit(trees, [0, 0, 1, 1])
        >>> model.predict_proba([Tree.from_sequence("caaa"), Tree.from_sequence("cccc")]).round(2)
        array([[0.69, 0.31],
               [0.  , 1.  ]])
        """
        indices, weights = self._weighted(X)
        n, classes = len(indices), len(self.classes_)
        cells = np.arange(n)[:, None] * classes + self._codes[indices]
        votes: Any = np.bincount(cells.ravel(), weights.ravel(), minlength=n * classes)
        shares: FloatArray = votes.reshape(n, classes)
        return shares
