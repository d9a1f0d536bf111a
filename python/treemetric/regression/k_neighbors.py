"""The mean target of the nearest training trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.utils import Tags

from treemetric._base.typing import CostsOrLearner, FloatArray, Norm, Trees
from treemetric._estimators.checks import check_numbers
from treemetric._estimators.k_neighbors import TreeNeighbors, Weights


class KNeighborsTreeRegressor(RegressorMixin, TreeNeighbors):  # type: ignore[misc]
    """Predict the mean target of the nearest training trees.

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
        ``KernelRegressionCosts(random_state=0)``, is copied and fitted to the training trees
        first; a learned distance, or a learner in ``sklearn.frozen.FrozenEstimator``, is used as it
        is.
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
    treemetric.classification.KNeighborsTreeClassifier : The same for classes.
    DistanceKernelRidge : A smooth function of all training trees.

    Notes
    -----
    Of trees at the same distance, those that come first in the training data are the nearest.
    ``sklearn.neighbors.KNeighborsRegressor`` with ``metric='precomputed'`` gives the same results,
    except that it does not define which of them are the nearest.

    Examples
    --------
    The number of nodes of a tree:

    >>> from treemetric import Tree
    >>> from treemetric.regression import KNeighborsTreeRegressor
    >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abb", "abbb", "abbbb")]
    >>> model = KNeighborsTreeRegressor(2).fit(trees, [1, 2, 3, 4, 5])
    >>> model.predict([Tree.from_sequence("ba"), Tree.from_sequence("bbbbb")])
    array([1.5, 4.5])
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Trees, y: npt.ArrayLike) -> KNeighborsTreeRegressor:
        """Build the index of the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,) or (n_trees, n_outputs)
            Their targets.

        Returns
        -------
        KNeighborsTreeRegressor
            The fitted regressor.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.regression import KNeighborsTreeRegressor
        >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abb")]
        >>> KNeighborsTreeRegressor(1).fit(trees, [1, 2, 3]).n_samples_fit_
        3
        """
        trees = self._check_fit(X)
        targets = check_numbers(y, trees, type(self).__name__)
        self._keep_trees(trees, targets)
        self._targets = targets
        return self

    def predict(self, X: Trees | None) -> FloatArray:
        """Predict the weighted mean of the targets of the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree, or None
            The trees; None for the training trees, where no tree is its own neighbour.

        Returns
        -------
        ndarray of shape (n_trees,) or (n_trees, n_outputs)
            The predicted targets.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.regression import KNeighborsTreeRegressor
        >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abb")]
        >>> KNeighborsTreeRegressor(1).fit(trees, [1, 2, 3]).predict([Tree.from_sequence("abc")])
        array([2.])
        """
        indices, weights = self._weighted(X)
        predicted: FloatArray = np.einsum("ij,ij...->i...", weights, self._targets[indices])
        return predicted
