"""All distances of two lists of trees, as in ``edist.multiprocess``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from treemetric._base.typing import FloatArray
from treemetric._base.validation import check_int
from treemetric.compat._prices import Labels, compare_by_equality
from treemetric.compat.edist.ted import Delta, coded_tree, plain_tree, standard_ted, ted
from treemetric.costs import CallableCosts, Costs
from treemetric.distances import pairwise_distances as tree_distances
from treemetric.tree import Tree

__all__ = ["pairwise_distances", "pairwise_distances_symmetric"]


def pairwise_distances(
    Xs: Any, Ys: Any, dist: Callable[..., Any], delta: Delta | None = None, num_jobs: int = 8
) -> FloatArray:
    """Compute the distances from all trees of one list to all trees of another.

    Parameters
    ----------
    Xs, Ys : list
        Trees, as tuples of labels and adjacency lists; or any objects if `dist` is another
        function.
    dist : callable
        `standard_ted` or `ted` of `treemetric.compat.edist.ted`, which are computed by threads
        in one call; any other function ``dist(x, y)`` is called for each pair, in processes.
    delta : callable, optional
        The costs of `ted`; or an argument ``delta=`` for another function.
    num_jobs : int, default=8
        The number of threads or processes.

    Returns
    -------
    ndarray of shape (len(Xs), len(Ys))
        The distances.

    Examples
    --------
    >>> from treemetric.compat.edist import multiprocess, ted
    >>> trees = [(["a"], [[]]), (["a", "b"], [[1], []])]
    >>> multiprocess.pairwise_distances(trees, trees, ted.standard_ted)
    array([[0., 1.],
           [1., 0.]])
    """
    jobs = check_int(num_jobs, "num_jobs", "pairwise_distances")
    if _is_ours(dist, delta):
        trees, costs = _prepared([*Xs, *Ys], delta)
        rows = len(Xs)
        return tree_distances(trees[:rows], trees[rows:], costs=costs, n_jobs=jobs)
    pairs = [(x, y) for x in Xs for y in Ys]
    return np.array(_called(pairs, dist, delta, jobs)).reshape(len(Xs), len(Ys))


def pairwise_distances_symmetric(
    Xs: Any, dist: Callable[..., Any], delta: Delta | None = None, num_jobs: int = 8
) -> FloatArray:
    """Compute the distances of all trees of a list, for a symmetric distance.

    Parameters
    ----------
    Xs : list
        Trees, as in `pairwise_distances`.
    dist : callable
        The distance, as in `pairwise_distances`.
    delta : callable, optional
        The costs, as in `pairwise_distances`.
    num_jobs : int, default=8
        The number of threads or processes.

    Returns
    -------
    ndarray of shape (len(Xs), len(Xs))
        The distances from earlier to later trees, in both halves; 0 on the diagonal.

    Examples
    --------
    >>> from treemetric.compat.edist import multiprocess, ted
    >>> trees = [(["a"], [[]]), (["a", "b"], [[1], []])]
    >>> multiprocess.pairwise_distances_symmetric(trees, ted.standard_ted)
    array([[0., 1.],
           [1., 0.]])
    """
    jobs = check_int(num_jobs, "num_jobs", "pairwise_distances_symmetric")
    upper = np.triu_indices(len(Xs), 1)
    distances = np.zeros((len(Xs), len(Xs)))
    if _is_ours(dist, delta):
        trees, costs = _prepared(list(Xs), delta)
        distances[upper] = tree_distances(trees, costs=costs, n_jobs=jobs)[upper]
    else:
        pairs = [(Xs[i], Xs[j]) for i, j in zip(*upper, strict=True)]
        distances[upper] = _called(pairs, dist, delta, jobs)
    return distances + distances.T


def _is_ours(dist: Callable[..., Any], delta: Delta | None) -> bool:
    if dist is standard_ted and delta is not None:
        message = "standard_ted has no parameter 'delta'; use ted"
        raise TypeError(message)
    return dist in (standard_ted, ted)


def _prepared(pairs: list[Any], delta: Delta | None) -> tuple[list[Tree], Costs | None]:
    """Return trees and their costs; each pair of labels is priced once."""
    if delta is None and all(compare_by_equality(nodes) for nodes, _ in pairs):
        return [plain_tree(*pair) for pair in pairs], None
    labels = Labels()
    trees = [coded_tree(labels, *pair) for pair in pairs]
    values = labels.values

    def cost(a: int | None, b: int | None) -> Any:
        old, new = (None if code is None else values[code] for code in (a, b))
        if delta is not None:
            return delta(old, new)
        return 1 if a is None or b is None else int(bool(old != new))

    return trees, CallableCosts(cost)


def _called(
    pairs: list[Any], dist: Callable[..., Any], delta: Delta | None, jobs: int
) -> FloatArray:
    options = {} if delta is None else {"delta": delta}
    calls = (delayed(dist)(x, y, **options) for x, y in pairs)
    return np.array(Parallel(n_jobs=jobs)(calls), dtype=np.float64)
