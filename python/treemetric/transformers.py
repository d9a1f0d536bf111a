"""Trees in scikit-learn's pipelines: distances to the training trees, and neighbour graphs.

They make estimators with ``metric='precomputed'`` work on trees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from treemetric._base.typing import CostsLike, Distances, DType, Norm, Trees
from treemetric._base.validation import (
    check_bool,
    check_dtype,
    check_int,
    check_n_jobs,
    check_norm,
    refuse,
    shown,
)
from treemetric._estimators.checks import check_option, check_some_trees
from treemetric._estimators.exhaustive_nearest import unordered_nearest
from treemetric.costs.resolve import check_costs
from treemetric.distances import pairwise_distances
from treemetric.neighbors import nearest
from treemetric.unordered import unordered_pairwise_distances

if TYPE_CHECKING:
    from treemetric.treeset import TreeSet

__all__ = ["TreeDistances", "TreeNeighborsGraph"]


class _TreeTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that stores trees and compares other trees with them."""

    costs: CostsLike | None
    norm: Norm | None
    ordered: bool
    n_jobs: int | None
    trees_: TreeSet

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.trees_)

    def _check_fit(self, X: Trees) -> None:
        name = type(self).__name__
        check_n_jobs(self.n_jobs, name)
        check_costs(self.costs, name)
        check_norm(self.norm, name)
        if not check_bool(self.ordered, "ordered", name) and self.norm is not None:
            refuse("norm", name, "None if ordered=False", shown(self.norm))
        self.trees_ = check_some_trees(X, name)

    def _check_transform(self, X: Trees) -> TreeSet:
        check_is_fitted(self)
        return check_some_trees(X, type(self).__name__)


class TreeDistances(_TreeTransformer):
    """Transform trees into their distances to the training trees.

    Parameters
    ----------
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by; see `treemetric.normalized_distance`.
    ordered : bool, default=True
        Whether the order of children counts. False means the distance of
        `treemetric.unordered_distance`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    dtype : {'float64', 'float32'} or a type of integers, default='float64'
        Type of the result, as in `treemetric.pairwise_distances`.

    Attributes
    ----------
    trees_ : TreeSet
        The training trees.

    See Also
    --------
    TreeNeighborsGraph : Distances to the nearest training trees only.

    Examples
    --------
    Nearest neighbours on trees:

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from treemetric import Tree
    >>> from treemetric.transformers import TreeDistances
    >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
    >>> model = make_pipeline(
    ...     TreeDistances(), KNeighborsClassifier(n_neighbors=1, metric="precomputed")
    ... )
    >>> model.fit(trees, ["x", "x", "y", "y"]).predict([Tree.from_sequence("aba")])
    array(['x'], dtype='<U1')
    """

    def __init__(
        self,
        *,
        costs: CostsLike | None = None,
        norm: Norm | None = None,
        ordered: bool = True,
        n_jobs: int | None = None,
        dtype: DType = "float64",
    ) -> None:
        self.costs = costs
        self.norm = norm
        self.ordered = ordered
        self.n_jobs = n_jobs
        self.dtype = dtype

    def fit(self, X: Trees, y: Any = None) -> TreeDistances:  # noqa: ARG002
        """Store the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : object, optional
            Ignored.

        Returns
        -------
        TreeDistances
            The fitted transformer.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.transformers import TreeDistances
        >>> TreeDistances().fit([Tree.from_sequence("ab")]).trees_
        <TreeSet of 1 tree, 2 nodes, 2 labels>
        """
        check_dtype(self.dtype, type(self).__name__)
        self._check_fit(X)
        return self

    def transform(self, X: Trees) -> Distances:
        """Compute the distances to the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The source trees.

        Returns
        -------
        ndarray of shape (n_X, n_train)
            The distances.

        Raises
        ------
        UnknownLabelError
            If the costs do not know a label.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.transformers import TreeDistances
        >>> model = TreeDistances().fit([Tree.from_sequence("ab"), Tree.from_sequence("b")])
        >>> model.transform([Tree.from_sequence("a")])
        array([[1., 1.]])
        """
        return self._distances(self._check_transform(X), self.trees_)

    def fit_transform(self, X: Trees, y: Any = None) -> Distances:
        """Compute the distances among the training trees, each pair once if costs are symmetric.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : object, optional
            Ignored.

        Returns
        -------
        ndarray of shape (n_X, n_X)
            The distances.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.transformers import TreeDistances
        >>> TreeDistances().fit_transform([Tree.from_sequence("ab"), Tree.from_sequence("b")])
        array([[0., 1.],
               [1., 0.]])
        """
        self.fit(X, y)
        return self._distances(self.trees_, None)

    def _distances(self, X: TreeSet, Y: TreeSet | None) -> Distances:
        options: dict[str, Any] = {"costs": self.costs, "n_jobs": self.n_jobs, "dtype": self.dtype}
        if not self.ordered:
            return unordered_pairwise_distances(X, Y, **options)
        return pairwise_distances(X, Y, norm=self.norm, **options)


class TreeNeighborsGraph(_TreeTransformer, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Transform trees into a sparse graph of their nearest training trees.

    The graph has the form of ``sklearn.neighbors.KNeighborsTransformer``. Estimators with
    ``metric='precomputed'`` accept it: nearest neighbours, DBSCAN, Isomap, t-SNE and others.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours of each tree. In mode 'distance' the graph has one more, because a
        training tree is its own nearest neighbour.
    mode : {'distance', 'connectivity'}, default='distance'
        The values of edges: distances, or 1.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by; see `treemetric.normalized_distance`.
    ordered : bool, default=True
        Whether the order of children counts. False means the distance of
        `treemetric.unordered_distance`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.

    Attributes
    ----------
    trees_ : TreeSet
        The training trees.
    n_samples_fit_ : int
        The number of training trees.

    See Also
    --------
    TreeDistances : All distances.
    treemetric.nearest, treemetric.TreeIndex : Searches without scikit-learn.

    Notes
    -----
    The search is that of `treemetric.nearest`: most distances are not computed, and only distances
    of neighbours are stored. With ``ordered=False`` all distances are computed, some rows at a
    time. Rows are sorted by distance, then by index. The graph is sparse, whatever the output that
    scikit-learn is configured for, so there is no ``set_output``.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from treemetric import Tree
    >>> from treemetric.transformers import TreeNeighborsGraph
    >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
    >>> model = make_pipeline(
    ...     TreeNeighborsGraph(2), KNeighborsClassifier(n_neighbors=2, metric="precomputed")
    ... )
    >>> model.fit(trees, ["x", "x", "y", "y"]).predict([Tree.from_sequence("aba")])
    array(['x'], dtype='<U1')
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        mode: str = "distance",
        costs: CostsLike | None = None,
        norm: Norm | None = None,
        ordered: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.mode = mode
        self.costs = costs
        self.norm = norm
        self.ordered = ordered
        self.n_jobs = n_jobs

    def fit(self, X: Trees, y: Any = None) -> TreeNeighborsGraph:  # noqa: ARG002
        """Store the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : object, optional
            Ignored.

        Returns
        -------
        TreeNeighborsGraph
            The fitted transformer.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.transformers import TreeNeighborsGraph
        >>> TreeNeighborsGraph(1).fit([Tree.from_sequence("ab")]).n_samples_fit_
        1
        """
        name = type(self).__name__
        check_int(self.n_neighbors, "n_neighbors", name)
        check_option(self.mode, ("distance", "connectivity"), "mode", name)
        self._check_fit(X)
        self.n_samples_fit_ = len(self.trees_)
        return self

    def transform(self, X: Trees) -> csr_matrix:
        """Find the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The source trees.

        Returns
        -------
        csr_matrix of shape (n_X, n_train)
            The graph; neighbours at distance 0 are explicit entries.

        Raises
        ------
        ValueError
            If there are too few training trees for `n_neighbors`.
        UnknownLabelError
            If the costs do not know a label.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.transformers import TreeNeighborsGraph
        >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "cc")]
        >>> TreeNeighborsGraph(1).fit(trees).transform(trees).toarray()
        array([[0., 1., 0.],
               [1., 0., 0.],
               [2., 0., 0.]])
        """
        return self._graph(self._check_transform(X))

    def fit_transform(self, X: Trees, y: Any = None) -> csr_matrix:
        """Find the nearest training trees of the training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : object, optional
            Ignored.

        Returns
        -------
        csr_matrix of shape (n_X, n_X)
            The graph; neighbours at distance 0 are explicit entries.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.transformers import TreeNeighborsGraph
        >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "cc")]
        >>> TreeNeighborsGraph(1, mode="connectivity").fit_transform(trees).toarray()
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
        """
        return self._graph(self.fit(X, y).trees_)

    def _graph(self, trees: TreeSet) -> csr_matrix:
        n, m = len(trees), self.n_samples_fit_
        kept = self.n_neighbors + (self.mode == "distance")
        if kept > m:
            # In mode 'distance' a tree is its own neighbour, which n_neighbors does not count.
            relation = "<" if self.mode == "distance" else "<="
            message = (
                f"Expected n_neighbors {relation} n_samples_fit in mode '{self.mode}', but "
                f"n_neighbors = {self.n_neighbors}, n_samples_fit = {m}, n_samples = {n}"
            )
            raise ValueError(message)
        if not self.ordered:
            indices, distances = unordered_nearest(
                trees, self.trees_, kept, self.costs, self.n_jobs
            )
            values = distances.ravel() if self.mode == "distance" else np.ones(n * kept)
            starts = np.arange(0, n * kept + 1, kept)
            return csr_matrix((values, indices.ravel(), starts), shape=(n, m))
        options: dict[str, Any] = {"costs": self.costs, "norm": self.norm, "n_jobs": self.n_jobs}
        found = nearest(trees, self.trees_, k=kept, **options)
        return found.to_graph(mode=self.mode)
