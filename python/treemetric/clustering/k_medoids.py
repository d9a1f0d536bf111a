"""Clusters around medoids."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from treemetric._base.progress import stage
from treemetric._base.typing import CostsLike, FloatArray, Indices
from treemetric._base.validation import check_int, check_memory, check_random_state, refuse
from treemetric._estimators.base import TreeEstimator
from treemetric._estimators.checks import check_option
from treemetric._estimators.weighting import check_sample_weight
from treemetric.clustering._pam import Medoids, first_medoids, swap

_INITS = ("build", "k-medoids++", "random")


class KMedoids(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    ClusterMixin,  # type: ignore[misc]
    TreeEstimator,
):
    """Cluster trees around medoids: trees of the set that are near to all others of a cluster.

    A medoid is a training point that represents its cluster. The medoids minimise the sum of the
    distances of all points to the closest medoid, as far as exchanges of one medoid can do so.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    metric : {'tree_edit', 'precomputed'}, default='tree_edit'
        Whether X holds trees or distances.
    costs : Costs, callable or LearnedMetric, optional
        The costs of edits, or a learned distance; by default every edit costs 1. Not used with
        precomputed distances.
    ordered : bool, default=True
        Whether the order of children counts. False means the distance of
        `treemetric.unordered_distance`. Not used with precomputed distances.
    init : {'build', 'k-medoids++', 'random'}, default='build'
        How to choose the initial medoids: greedily such that the sum of distances is small; one
        after the other at random, with probabilities proportional to the distance to the closest
        one; or at random.
    max_iter : int, default=300
        Maximum number of passes over all points, for each start.
    n_init : int, default=1
        Number of starts; the result with the lowest inertia is kept. If ``init='build'``, all
        starts but the first are random.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts.
    n_jobs : int, optional
        Number of threads for distances; None means 1, -1 means all CPUs. The result does not
        depend on it.
    verbose : int, default=0
        1 shows a progress bar for each stage of fit or predict that takes longer than a second.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters,)
        Indices of the medoids in the training data, sorted.
    labels_ : ndarray of shape (n_samples,)
        The cluster of each training point.
    inertia_ : float
        The weighted sum of the distances of the training points to their medoids.
    n_iter_ : int
        Number of passes over all points; `max_iter` if the search did not converge.
    cluster_centers_ : TreeSet
        The medoids; only with ``metric='tree_edit'``.
    trees_ : TreeSet
        The training trees; only with ``metric='tree_edit'``.
    n_features_in_ : int
        Number of training points; only with ``metric='precomputed'``.

    See Also
    --------
    medoids : The medoids of clusters that another method has found.

    Notes
    -----
    The search is FasterPAM. At its end, no exchange of one medoid for another point lowers the
    inertia. A pass takes time proportional to the square of the number of points; all distances
    among the training data are computed and stored. Distances are measured from a point to a
    medoid and need not be symmetric.

    References
    ----------
    L. Kaufman and P. J. Rousseeuw, "Finding Groups in Data", Wiley, 1990.

    E. Schubert and P. J. Rousseeuw, "Fast and eager k-medoids clustering: O(k) runtime improvement
    of the PAM, CLARA, and CLARANS algorithms", Information Systems 101, 2021.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.clustering import KMedoids
    >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "aac", "ddd", "dde", "ddf")]
    >>> model = KMedoids(2).fit(trees)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> [tree.to_bracket() for tree in model.cluster_centers_]
    ['{a{a{a}}}', '{d{d{d}}}']
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "tree_edit",
        costs: CostsLike | None = None,
        ordered: bool = True,
        init: str = "build",
        max_iter: int = 300,
        n_init: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.costs = costs
        self.ordered = ordered
        self.init = init
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def _n_features_out(self) -> int:
        return len(self.medoid_indices_)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMedoids:
        """Find the medoids.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_samples)
            Training trees or, with ``metric='precomputed'``, their distances.
        y : object, optional
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the distances of the training data. A point of weight 0 gets a label, but is
            otherwise as good as absent.

        Returns
        -------
        KMedoids
            The fitted estimator.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.clustering import KMedoids
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ddd", "dde")]
        >>> KMedoids(2).fit(trees).inertia_
        2.0
        """
        return self._fit_copy(X, y, sample_weight)

    def _fit_bytes(self, n: int) -> int:  # noqa: ARG002
        return 10  # the distances, and whether they are symmetric

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:  # noqa: ARG002
        name = type(self).__name__
        count = check_int(self.n_clusters, "n_clusters", name)
        check_option(self.init, _INITS, "init", name)
        check_int(self.max_iter, "max_iter", name)
        check_int(self.n_init, "n_init", name)
        random = check_random_state(self.random_state, name)
        inputs = self._check_inputs(X)
        weights = check_sample_weight(sample_weight, len(inputs), name)
        weights = np.ones(len(inputs)) if weights is None else weights
        kept = np.flatnonzero(weights > 0)
        if count > len(kept):
            must = f"at most n_samples={len(kept)}, the number of samples of positive weight"
            refuse("n_clusters", name, must, str(count))
        distances = self._measure(inputs)
        rows = _candidate_rows(distances, kept)
        with stage(self.verbose, f"{name}: medoids", "passes") as report:
            found = self._search(rows, count, weights[kept], random, report)
        self.medoid_indices_ = np.sort(kept[found.indices])
        to_medoids = distances[:, self.medoid_indices_]
        self.labels_ = _closest(to_medoids)
        distinct = len(np.unique(self.labels_[self.medoid_indices_]))
        if distinct < count:
            message = (
                f"{name} found medoids of distance 0: only {distinct} of the n_clusters={count} "
                "clusters are distinct. The training data may have equal trees."
            )
            warnings.warn(message, UserWarning, stacklevel=4)
        self.inertia_ = float(to_medoids.min(axis=1) @ weights)
        self.n_iter_ = found.n_iter
        if self.metric != "precomputed":
            self.cluster_centers_ = self.trees_[self.medoid_indices_]

    def _search(
        self,
        rows: FloatArray,
        count: int,
        weights: FloatArray,
        random: np.random.RandomState,
        report: Any,
    ) -> Medoids:
        def run(number: int, init: str) -> Medoids:
            def finished(passes: int) -> None:
                if report is not None:
                    report(number * self.max_iter + passes, self.n_init * self.max_iter)

            start = first_medoids(rows, count, weights, init, random)
            found = swap(rows, start, weights, self.max_iter, finished)
            finished(self.max_iter)
            return found

        best = run(0, self.init)
        for number in range(1, self.n_init):
            other = run(number, "random" if self.init == "build" else self.init)
            if other.loss < best.loss:
                best = other
        return best

    def transform(self, X: Any) -> FloatArray:
        """Compute the distances to the medoids.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            The distances.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.clustering import KMedoids
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ddd", "dde")]
        >>> KMedoids(2).fit(trees).transform([Tree.from_sequence("add")])
        array([[2., 1.]])
        """
        return self._measure(self._check_queries(X), self.medoid_indices_)

    def predict(self, X: Any) -> Indices:
        """Return the cluster of the closest medoid; ties go to the first one.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples,)
            The clusters.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.clustering import KMedoids
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ddd", "dde")]
        >>> KMedoids(2).fit(trees).predict([Tree.from_sequence("add")])
        array([1])
        """
        return _closest(self._measure(self._check_queries(X), self.medoid_indices_))


def _closest(distances: FloatArray) -> Indices:
    nearest: Indices = distances.argmin(axis=1).astype(np.int64)
    return nearest


def _candidate_rows(distances: FloatArray, kept: Indices) -> FloatArray:
    """Return the distances from all kept points to each of them, as contiguous rows."""
    inner = distances if len(kept) == len(distances) else distances[np.ix_(kept, kept)]
    if np.array_equal(inner, inner.T):
        return np.ascontiguousarray(inner)
    check_memory(inner.nbytes, "the distances of k-medoids in the other direction")
    return np.ascontiguousarray(inner.T)
