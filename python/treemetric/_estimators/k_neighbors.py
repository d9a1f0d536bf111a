"""The base of estimators that ask the nearest training trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from treemetric._base.progress import stage
from treemetric._base.typing import CostsOrLearner, FloatArray, Norm, Trees
from treemetric._base.validation import (
    check_bool,
    check_int,
    check_n_jobs,
    check_norm,
    refuse,
    shown,
)
from treemetric._estimators.base import check_verbose
from treemetric._estimators.checks import check_option, check_some_trees
from treemetric._estimators.exhaustive_nearest import exhaustive_nearest, unordered_nearest
from treemetric._estimators.learned import Metric, check_source, fit_learner, is_learner
from treemetric.neighbors import TreeIndex
from treemetric.treeset import TreeSet

Weights = str | Callable[[FloatArray], Any]
_Found = tuple[npt.NDArray[np.int64], FloatArray]


class TreeNeighbors(BaseEstimator):  # type: ignore[misc]
    """An estimator with an index of its training trees."""

    n_neighbors: int
    weights: Weights
    costs: CostsOrLearner | None
    norm: Norm | None
    ordered: bool
    n_jobs: int | None
    verbose: int
    trees_: TreeSet
    index_: TreeIndex | None
    n_samples_fit_: int
    learner_: Any
    # A learned distance, if the costs are one or a learner.
    _learned: Metric | None = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags

    def _check_fit(self, X: Trees) -> TreeSet:
        """Check the parameters and the training trees."""
        name = type(self).__name__
        check_int(self.n_neighbors, "n_neighbors", name)
        known = isinstance(self.weights, str) and self.weights in ("uniform", "distance")
        if not (known or callable(self.weights)):
            refuse("weights", name, "'uniform', 'distance' or a callable", shown(self.weights))
        check_n_jobs(self.n_jobs, name)
        check_norm(self.norm, name)
        ordered = check_bool(self.ordered, "ordered", name)
        if not ordered and self.norm is not None:
            refuse("norm", name, "None if ordered=False", shown(self.norm))
        learned = check_source(
            self.costs,
            name,
            ordered=ordered,
            precomputed=False,
            supervised=True,
            classes=is_classifier(self),
        )
        if (learned is not None or is_learner(self.costs)) and self.norm is not None:
            refuse("norm", name, "None if costs are a learner", shown(self.norm))
        check_verbose(self.verbose, name)
        return check_some_trees(X, name)

    def _keep_trees(self, trees: TreeSet, y: Any) -> None:
        """Fit the learner of costs, if there is one, or index the training trees."""
        if is_learner(self.costs):
            learner = fit_learner(self.costs, trees, y, None)
            index, learned = None, learner.get_metric()
        elif hasattr(self.costs, "pairwise"):
            learner, index, learned = None, None, self.costs
        else:
            learner, index, learned = None, self._index(trees), None
        self.__dict__.pop("learner_", None)
        if learner is not None:
            self.learner_ = learner
        self.index_, self._learned = index, learned
        self.trees_, self.n_samples_fit_ = trees, len(trees)

    def _index(self, trees: TreeSet) -> TreeIndex | None:
        """Return the index of the training trees; None if the order of children does not count."""
        if not self.ordered:
            return None
        options: dict[str, Any] = {"costs": self.costs, "norm": self.norm, "n_jobs": self.n_jobs}
        with stage(self.verbose, f"{type(self).__name__}: index", "pivots") as report:
            return TreeIndex(trees, progress=report, **options)

    def kneighbors(
        self,
        X: Trees | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,  # noqa: FBT001
    ) -> Any:
        """Find the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree, optional
            The trees whose neighbours are searched; the training trees by default, where no tree
            is its own neighbour.
        n_neighbors : int, optional
            Number of neighbours; the parameter of the estimator by default.
        return_distance : bool, default=True
            Whether to return the distances, too.

        Returns
        -------
        tuple of ndarrays of shape (n_X, n_neighbors), or ndarray
            Distances and positions of the neighbours, sorted by distance, then by position; or the
            positions.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import KNeighborsTreeClassifier
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> model = KNeighborsTreeClassifier(1).fit(trees, ["x", "x", "y", "y"])
        >>> model.kneighbors([Tree.from_sequence("cc")])
        (array([[1.]]), array([[2]]))
        >>> model.kneighbors(return_distance=False).ravel()
        array([1, 0, 3, 2])
        """
        indices, distances = self._nearest(X, n_neighbors)
        if check_bool(return_distance, "return_distance", "kneighbors"):
            return distances, indices
        return indices

    def kneighbors_graph(
        self,
        X: Trees | None = None,
        n_neighbors: int | None = None,
        mode: str = "connectivity",
    ) -> csr_matrix:
        """Find the nearest training trees as a sparse graph.

        Parameters
        ----------
        X : TreeSet or list of Tree, optional
            The trees whose neighbours are searched; the training trees by default, where no tree
            is its own neighbour.
        n_neighbors : int, optional
            Number of neighbours; the parameter of the estimator by default.
        mode : {'connectivity', 'distance'}, default='connectivity'
            The values of edges: 1, or distances.

        Returns
        -------
        csr_matrix of shape (n_X, n_train)
            The graph; neighbours at distance 0 are explicit entries.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import KNeighborsTreeClassifier
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> model = KNeighborsTreeClassifier(1).fit(trees, ["x", "x", "y", "y"])
        >>> model.kneighbors_graph([Tree.from_sequence("cc")]).toarray()
        array([[0., 0., 1., 0.]])
        """
        check_option(mode, ("connectivity", "distance"), "mode", "kneighbors_graph")
        indices, distances = self._nearest(X, n_neighbors)
        n, k = indices.shape
        values = distances.ravel() if mode == "distance" else np.ones(n * k)
        starts = np.arange(0, n * k + 1, k)
        shape = (n, self.n_samples_fit_)
        # Copies, because results of searches cannot be written to.
        return csr_matrix((values.copy(), indices.ravel().copy(), starts), shape=shape)

    def _nearest(self, X: Trees | None, n_neighbors: int | None = None) -> _Found:
        """Return positions and distances of the nearest training trees."""
        check_is_fitted(self)
        name = type(self).__name__
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        check_int(count, "n_neighbors", name)
        trees = None if X is None else check_some_trees(X, name)
        others = self.n_samples_fit_ - (trees is None)
        if count > others:
            relation = "<" if trees is None else "<="
            message = (
                f"Expected n_neighbors {relation} n_samples_fit, but n_neighbors = {count}, "
                f"n_samples_fit = {self.n_samples_fit_}, "
                f"n_samples = {self.n_samples_fit_ if trees is None else len(trees)}"
            )
            raise ValueError(message)
        with stage(self.verbose, f"{name}: neighbours", "trees") as report:
            if self.index_ is not None:
                found = self.index_.nearest(trees, k=count, n_jobs=self.n_jobs, progress=report)
                return found.indices, found.distances
            own = self.trees_
            sources, targets = (own, None) if trees is None else (trees, own)
            if self._learned is not None:
                return exhaustive_nearest(sources, targets, count, self._measure_learned)
            return unordered_nearest(sources, targets, count, self.costs, self.n_jobs)

    def _measure_learned(self, rows: TreeSet, others: TreeSet) -> FloatArray:
        distances: FloatArray = self._learned.pairwise(  # type: ignore[union-attr]
            rows, others, n_jobs=self.n_jobs
        )
        return distances

    def _weighted(self, X: Trees | None) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Return positions and weights of the nearest training trees; weights sum to 1."""
        indices, distances = self._nearest(X)
        if callable(self.weights):
            values = self._called(self.weights, distances)
        elif self.weights == "distance":
            # Neighbours at distance 0, if there are any, are the only ones.
            same = distances == 0
            with np.errstate(divide="ignore"):
                values = np.where(same.any(axis=1, keepdims=True), same, 1 / distances)
        else:
            values = np.ones(indices.shape)
        sums = values.sum(axis=1, keepdims=True)
        if not (sums > 0).all():
            must = "positive for at least one neighbour of each sample"
            refuse("weights", type(self).__name__, must, "weights of 0")
        shares: FloatArray = values / sums
        return indices, shares

    def _called(self, weights: Callable[[FloatArray], Any], distances: FloatArray) -> FloatArray:
        """Return the weights by a function of the user."""
        values = np.asarray(weights(distances.copy()), dtype=np.float64)
        if values.shape != distances.shape:
            must = f"a function whose result has the shape {distances.shape} of its argument"
            refuse("weights", type(self).__name__, must, f"the shape {values.shape}")
        if not (np.isfinite(values) & (values >= 0)).all():
            must = "a function whose results are finite and not negative"
            refuse("weights", type(self).__name__, must, shown(values))
        return values
