"""The distances of pairs of trees, and distances in relation to the sizes of the trees."""

from __future__ import annotations

import math
import sys

import numpy as np

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, Distances, DType, Norm, Progress, Trees
from treemetric._base.validation import (
    as_float,
    check_bool,
    check_cutoff,
    check_dtype,
    check_integers,
    check_n_jobs,
    check_norm,
    check_out,
    check_whole,
    refuse,
    shown,
)
from treemetric.costs.resolve import check_costs, check_pair
from treemetric.tree import Tree
from treemetric.treeset import check_trees

__all__ = ["normalized_distance", "normalized_similarity", "paired_distances"]


def paired_distances(
    X: Trees,
    Y: Trees,
    *,
    costs: CostsLike | None = None,
    cutoff: float | None = None,
    norm: Norm | None = None,
    n_jobs: int | None = None,
    dtype: DType = "float64",
    out: Distances | None = None,
    progress: Progress = None,
) -> Distances:
    """Compute the distances from X[i] to Y[i].

    Parameters
    ----------
    X : TreeSet or list of Tree
        The source trees.
    Y : TreeSet or list of Tree
        The target trees, as many.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    cutoff : float, optional
        Results above it are returned as ``inf``, often without computing them.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by; see `normalized_distance`. The cutoff is in the scale of
        the result.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The result
        does not depend on it.
    dtype : {'float64', 'float32'} or a type of integers, default='float64'
        Type of the result; distances are computed exactly and rounded at the end. Integers
        (``'int8'`` to ``'int64'``, ``'uint8'`` to ``'uint64'``) need costs that are whole numbers,
        no cutoff and no norm. A distance that does not fit is an error.
    out : ndarray of shape (n,), optional
        Array of the right type to fill.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        about twenty times a second from the calling thread. Returning False or raising an
        exception stops the computation.

    Returns
    -------
    ndarray of shape (n,)
        The distances; `out` if it was given.

    Raises
    ------
    ValueError
        If X and Y have different lengths, or a distance does not fit in `dtype`.
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the working memory does not fit; this is checked before the work.
    CancelledError
        If `progress` returned False.

    See Also
    --------
    distance : The distance of two trees.
    pairwise_distances : The distances of all trees of X to all trees of Y.

    Notes
    -----
    Ctrl-C stops the computation within a fraction of a second. The results equal those of
    `distance` bit for bit (for `CallableCosts` up to rounding; see there). The name is that of
    scikit-learn's function for pairs of vectors.

    Examples
    --------
    >>> from treemetric import Tree, paired_distances
    >>> X = [Tree.from_sequence(s) for s in ("kitten", "a", "")]
    >>> Y = [Tree.from_sequence(s) for s in ("sitting", "a", "ab")]
    >>> paired_distances(X, Y)
    array([3., 0., 2.])
    >>> paired_distances(X, Y, norm="weight").round(2)
    array([0.23, 0.  , 1.  ])
    >>> paired_distances(X, Y, dtype="uint8")
    array([3, 0, 2], dtype=uint8)
    """
    name = "paired_distances"
    threads = check_n_jobs(n_jobs, name)
    limit = check_cutoff(cutoff, name)
    scale = check_norm(norm, name)
    kind = check_dtype(dtype, name)
    check_integers(kind, limit, scale, name)
    known = check_costs(costs, name)
    with reporter(progress, name, "pairs") as report:
        sources, targets = check_trees(X, "X", name), check_trees(Y, "Y", name)
        count = len(sources)
        if len(targets) != count:
            refuse("Y", name, f"of the length of X, {count}", f"length {len(targets)}")
        codes, table = known._resolve(sources, targets)
        check_whole(kind, table, name)
        result: Distances = (
            np.empty(count, dtype=kind) if out is None else check_out(out, (count,), kind, name)
        )
        trees = (sources._core_set(threads), targets._core_set(threads))
        _core.paired(trees, (codes, table), result, (limit, scale), (threads, report))
    return result


def normalized_distance(
    x: Tree,
    y: Tree,
    *,
    costs: CostsLike | None = None,
    norm: Norm = "weight",
    cutoff: float | None = None,
) -> float:
    """Compute the tree edit distance from x to y in relation to the sizes of the trees.

    Parameters
    ----------
    x, y : Tree
        Trees or forests; either may be empty.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, default='weight'
        What the distance is divided by; see Notes.
    cutoff : float, optional
        A result above it is returned as ``inf``, often without computing it.

    Returns
    -------
    float
        The normalised distance; 0 if both trees are empty.

    See Also
    --------
    normalized_similarity : One minus this.
    paired_distances, pairwise_distances, nearest, within : Many pairs, with the same norms.

    Notes
    -----
    Let d be the distance, and n and m the numbers of nodes of x and y.

    ============ ================================================================
    norm         result
    ============ ================================================================
    ``weight``   d divided by the cost of deleting all of x and inserting all of y,
                 which is the largest possible distance; in [0, 1] for all costs
    ``max``      d / max(n, m); can exceed 1
    ``sum``      d / (n + m)
    ``li_zhang`` 2 d / (α (n + m) + d), where α is the largest cost of deleting or
                 inserting a label; in [0, 1]
    ============ ================================================================

    α is the maximum over all labels of the costs. For costs without an alphabet of their own, such
    as `CallableCosts`, it is the maximum over the labels of the trees of the call. If all deletions
    and insertions have the same cost and the costs are a metric, ``li_zhang`` is a metric (Li and
    Zhang 2011). The others violate the triangle inequality in general.

    References
    ----------
    Y. Li and C. Zhang, "A metric normalization of tree edit distance", Frontiers of Computer
    Science in China 5(1), 2011.

    Examples
    --------
    >>> from treemetric import Tree, normalized_distance
    >>> x, y = Tree.from_bracket("{a{b{c{d{e}}}}}"), Tree.from_bracket("{f{g}{h}{i}{j}}")
    >>> normalized_distance(x, y)
    0.8
    >>> normalized_distance(x, y, norm="max")
    1.6
    """
    return _normalized(x, y, costs, norm, cutoff, "normalized_distance")


def normalized_similarity(
    x: Tree,
    y: Tree,
    *,
    costs: CostsLike | None = None,
    norm: Norm = "weight",
    cutoff: float | None = None,
    clip: bool = False,
) -> float:
    """Compute one minus the normalised distance from x to y.

    Parameters
    ----------
    x, y : Tree
        Trees or forests; either may be empty.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, default='weight'
        What the distance is divided by; see `normalized_distance`.
    cutoff : float, optional
        A similarity below it is returned as ``-inf``, or as 0 with `clip`, often without
        computing it. A similarity equal to it is returned as it is.
    clip : bool, default=False
        Return 0 instead of a negative result, which ``norm="max"`` and ``norm="sum"`` can have.

    Returns
    -------
    float
        The similarity; 1 for equal trees if keeping a label costs nothing.

    See Also
    --------
    normalized_distance : The distance, and the definitions of the norms.

    Examples
    --------
    >>> from treemetric import Tree, normalized_similarity
    >>> x, y = Tree.from_sequence("abcd"), Tree.from_sequence("abc")
    >>> normalized_similarity(x, y, norm="max")
    0.75
    >>> normalized_similarity(x, y, norm="max", cutoff=0.8)
    -inf
    >>> x, y = Tree.from_bracket("{a{b{c{d{e}}}}}"), Tree.from_bracket("{f{g}{h}{i}{j}}")
    >>> normalized_similarity(x, y, norm="max", clip=True)
    0.0
    """
    name = "normalized_similarity"
    clipped = check_bool(clip, "clip", name)
    least, limit = _similarity_limits(cutoff, name)
    similarity = 1.0 - _normalized(x, y, costs, norm, limit, name)
    if similarity < least:
        similarity = -math.inf
    return max(similarity, 0.0) if clipped else similarity


def _similarity_limits(cutoff: object, function: str) -> tuple[float, float | None]:
    """Return the least similarity, and a cutoff of the distance that excludes no such pair."""
    if cutoff is None:
        return -math.inf, None
    least = as_float(cutoff)
    if math.isnan(least):
        refuse("cutoff", function, "None or a float", shown(cutoff))
    # Both differences from 1 are rounded; the slack is larger than the two errors.
    slack = 4 * sys.float_info.epsilon * (1 + abs(least))
    return least, max(1 - least + slack, 0.0) if math.isfinite(least) else max(-least, 0.0)


def _normalized(
    x: Tree, y: Tree, costs: CostsLike | None, norm: Norm, cutoff: float | None, function: str
) -> float:
    known = check_pair(x, y, costs, function)
    limit = check_cutoff(cutoff, function)
    scale = check_norm(norm, function, none=False)
    if scale == "li_zhang" and known._has_own_alphabet:
        # The largest cost of a gap is that of all labels, which the table of a pair may not have.
        sources, targets = check_trees([x], "x", function), check_trees([y], "y", function)
        result = np.empty(1)
        trees = (sources._core_set(), targets._core_set())
        _core.paired(trees, known._resolve(sources, targets), result, (limit, scale), (1, None))
        return float(result[0])
    table, index = known._pair_table(x, y)
    return _core.pair_result(x._data, y._data, table, index, (limit, scale))
