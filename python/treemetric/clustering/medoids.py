"""The medoids of given clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from treemetric._base.typing import CostsLike, FloatArray, Indices
from treemetric._base.validation import check_bool, check_n_jobs, refuse
from treemetric._estimators.checks import check_option, check_some_trees
from treemetric.costs.resolve import check_costs
from treemetric.distances import pairwise_distances
from treemetric.unordered import unordered_pairwise_distances


def medoids(
    X: Any,
    labels: npt.ArrayLike,
    *,
    metric: str = "tree_edit",
    costs: CostsLike | None = None,
    ordered: bool = True,
    n_jobs: int | None = None,
) -> Indices:
    """Return the medoid of each cluster: the point with the smallest sum of distances to it.

    The clusters can come from any method, such as ``sklearn.cluster.HDBSCAN``.

    Parameters
    ----------
    X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_samples)
        Trees or, with ``metric='precomputed'``, their distances.
    labels : array-like of shape (n_samples,)
        The cluster of each point; points with the label -1, the noise, are ignored.
    metric : {'tree_edit', 'precomputed'}, default='tree_edit'
        Whether X holds trees or distances.
    costs : Costs or callable, optional
        The costs of edits; by default every edit costs 1. Not used with precomputed distances.
    ordered : bool, default=True
        Whether the order of children counts. Not used with precomputed distances.
    n_jobs : int, optional
        Number of threads; None means 1, -1 means all CPUs. The result does not depend on it.

    Returns
    -------
    ndarray of shape (n_clusters,)
        The positions of the medoids, in the order of the sorted labels. Ties go to the first
        point.

    See Also
    --------
    KMedoids : Clusters around medoids.

    Notes
    -----
    Only distances inside clusters are computed. They are measured from a point to the medoid.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.clustering import medoids
    >>> trees = [Tree.from_sequence(s) for s in ("aab", "aaa", "aac", "ddd", "dde", "xyz")]
    >>> medoids(trees, [0, 0, 0, 1, 1, -1])
    array([0, 3])
    """
    name = "medoids"
    check_option(metric, ("tree_edit", "precomputed"), "metric", name)
    check_costs(costs, name)
    check_n_jobs(n_jobs, name)
    measure: Any = pairwise_distances
    if not check_bool(ordered, "ordered", name):
        measure = unordered_pairwise_distances
    trees: Any = None
    if metric == "tree_edit":
        trees = check_some_trees(X, name)
        check_consistent_length(trees, labels)
    else:
        X = check_array(X, dtype=np.float64)
        if X.shape[0] != X.shape[1]:
            refuse("X", name, "a square matrix of distances", f"an array of shape {X.shape}")
        check_consistent_length(X, labels)
    clusters = column_or_1d(labels)
    if clusters.dtype.kind == "f" and not np.isfinite(clusters).all():
        refuse("labels", name, "labels without NaN and infinity", "NaN or infinity")
    found = []
    for label in np.unique(clusters):
        if clusters.dtype.kind in "if" and label == -1:
            continue
        own = np.flatnonzero(clusters == label)
        distances: FloatArray
        if trees is None:
            distances = X[np.ix_(own, own)]
        else:
            distances = measure(trees[own], costs=costs, n_jobs=n_jobs)
        found.append(own[int(np.argmin(distances.sum(axis=0)))])
    return np.array(found, dtype=np.int64)
