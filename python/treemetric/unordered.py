"""Trees whose children have no order: the constrained edit distance of Zhang (1996)."""

from __future__ import annotations

import math
from typing import Any

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, Distances, DType, FloatArray, Progress, Trees
from treemetric._base.validation import check_cutoff, check_n_jobs
from treemetric.alignment import Alignment
from treemetric.costs.resolve import check_pair
from treemetric.matrix.problem import Problem
from treemetric.tree import Tree

__all__ = [
    "UnorderedAlignment",
    "unordered_align",
    "unordered_distance",
    "unordered_pairwise_distances",
    "unordered_subtree_distances",
]


def unordered_distance(
    x: Tree, y: Tree, *, costs: CostsLike | None = None, cutoff: float | None = None
) -> float:
    """Compute the constrained unordered edit distance from x to y.

    The order of children plays no part. The distance is the cost of the cheapest constrained
    mapping: nodes are paired one to one, ancestors stay ancestors, and disjoint subtrees are
    mapped to disjoint subtrees. The result is exact.

    Parameters
    ----------
    x, y : Tree
        Trees or forests; either may be empty.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    cutoff : float, optional
        A distance above it is returned as ``inf``.

    Returns
    -------
    float
        The distance.

    Raises
    ------
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the table of the two trees does not fit in memory.

    See Also
    --------
    unordered_pairwise_distances : All distances of many trees, in parallel.
    distance : The distance of ordered trees.

    Notes
    -----
    The constrained distance is an upper bound of the unordered edit distance, whose computation
    is NP-hard. It is a metric if the costs are a metric. It is not a lower bound of `distance`:
    an ordered mapping need not be constrained, so the constrained distance can exceed even the
    distance of ordered trees. The last example is that of Guignard et al. (2020, figure S23): the
    constrained distance is 22, the ordered and the unordered distance are 20.

    Precisely, a mapping is constrained if, for any three of its pairs, the lowest common ancestor
    of the first two nodes is a proper ancestor of the third one in both trees or in neither. The
    roots of a forest have a common ancestor that is never paired.

    For trees of n and m nodes with up to d and e children per node the time is at most
    O(n m min(d, e)). Subtrees that are equal up to the order of children are computed once. The
    memory is proportional to m times the number of subtrees of x that wait for their parents.

    References
    ----------
    K. Zhang, "A constrained edit distance between unordered labeled trees", Algorithmica 15(3),
    1996.

    L. Guignard et al., "Contact area-dependent cell communication and the morphological
    invariance of ascidian embryogenesis", Science 369, 2020, supplementary figure S23.

    Examples
    --------
    >>> from treemetric import CallableCosts, Tree, distance, unordered_distance
    >>> x, y = Tree.from_bracket("{a{b}{c{d}}}"), Tree.from_bracket("{a{c{d}}{b}}")
    >>> unordered_distance(x, y)
    0.0
    >>> distance(x, y)
    2.0

    >>> x = Tree.from_parents([1, 1, 1, 1, 9, 10, 10, 10, 10], [-1, 0, 1, 1, 0, 4, 4, 6, 6])
    >>> y = Tree.from_parents([1, 1, 2, 1, 1, 1, 10, 10, 10], [-1, 0, 1, 2, 2, 1, 0, 6, 6])
    >>> durations = CallableCosts(lambda a, b: abs((a or 0) - (b or 0)))
    >>> unordered_distance(x, y, costs=durations)
    22.0
    >>> distance(x, y, costs=durations)
    20.0
    """
    known = check_pair(x, y, costs, "unordered_distance")
    limit = check_cutoff(cutoff, "unordered_distance")
    table, index = known._pair_table(x, y)
    return _core.unordered_distance(x._data, y._data, table, index, limit)


def unordered_pairwise_distances(
    X: Trees,
    Y: Trees | None = None,
    *,
    costs: CostsLike | None = None,
    cutoff: float | None = None,
    n_jobs: int | None = None,
    dtype: DType = "float64",
    condensed: bool = False,
    out: Distances | None = None,
    progress: Progress = None,
) -> Distances:
    """Compute the constrained unordered distances from all trees of X to all trees of Y.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The source trees.
    Y : TreeSet or list of Tree, optional
        The target trees; X itself by default. Then every pair is computed once if the costs
        are symmetric.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    cutoff : float, optional
        Distances above it are returned as ``inf``. Trees of very different sizes are not compared.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The
        environment variable ``TREEMETRIC_NUM_THREADS`` is an upper bound. The result does
        not depend on it.
    dtype : {'float64', 'float32'} or a type of integers, default='float64'
        Type of the result; distances are computed exactly and rounded at the end. Integers need
        costs that are whole numbers and no cutoff. A distance that does not fit is an error.
    condensed : bool, default=False
        Return the upper triangle as one row, in the order of SciPy's ``pdist``. Needs
        ``Y=None`` and symmetric costs.
    out : ndarray, optional
        Array of the right shape and type to fill, for instance a ``numpy.memmap``.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        about twenty times a second from the calling thread. Returning False or raising an
        exception stops the computation.

    Returns
    -------
    ndarray of shape (n_X, n_Y) or (n_X * (n_X - 1) / 2,)
        The distances; `out` if it was given.

    Raises
    ------
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the result or the working memory does not fit; this is checked before the work.
    CancelledError
        If `progress` returned False.

    See Also
    --------
    unordered_distance : The definition of the distance, and its limits.
    pairwise_distances : The distances of ordered trees.

    Notes
    -----
    Subtrees that are equal up to the order of children are computed once for a group of trees,
    and copies of a tree once for all. The results equal those of `unordered_distance` bit for bit
    (for `CallableCosts` up to rounding; see there).

    Examples
    --------
    >>> from treemetric import Tree, unordered_pairwise_distances
    >>> trees = [Tree.from_bracket(s) for s in ("{a{b}{c}}", "{a{c}{b}}", "{b}")]
    >>> unordered_pairwise_distances(trees)
    array([[0., 0., 2.],
           [0., 0., 2.],
           [2., 2., 0.]])
    """
    name = "unordered_pairwise_distances"
    threads = check_n_jobs(n_jobs, name)
    with reporter(progress, name, "pairs") as report:
        problem = Problem.checked(
            X, Y, costs=costs, cutoff=cutoff, dtype=dtype, condensed=condensed, function=name
        )
        result = problem.result_array(out, name)
        problem.compute(result, threads, report, ordered=False)
        return result


class UnorderedAlignment(Alignment):
    """Pairs of corresponding nodes of two unordered trees; other nodes are deleted or inserted.

    Unordered alignments are returned by `unordered_align`. They are immutable values. They have
    the attributes and methods of `Alignment`. Pictures and `apply` show the children of y in the
    order of their partners in x.

    Attributes
    ----------
    x, y : Tree
        The trees.
    costs : Costs
        The costs of edits.
    cost : float
        The total cost of all edits.
    pairs : tuple of tuples
        ``(i, j)`` for corresponding nodes, ``(i, None)`` for deleted and ``(None, j)`` for
        inserted nodes: first all nodes of x in preorder, then the insertions.

    Examples
    --------
    >>> from treemetric import Tree, unordered_align
    >>> x, y = Tree.from_bracket("{a{b}{c}}"), Tree.from_bracket("{a{d{c}}{b}}")
    >>> alignment = unordered_align(x, y)
    >>> alignment
    <UnorderedAlignment of cost 1.0: 3 kept, 0 replaced, 0 deleted, 1 inserted>
    >>> alignment.pairs
    ((0, 0), (1, 3), (2, 2), (None, 1))
    >>> [tree.to_bracket() for tree in alignment.apply()]
    ['{a{b}{d{c}}}']
    """

    __slots__ = ()

    def _order_of_y(self) -> list[int]:
        """Return the nodes of y in preorder, children sorted by their first partner in x.

        A constrained mapping sends disjoint subtrees to disjoint subtrees, so in this order it
        preserves the preorder of x.
        """
        parents = self.y.parents.tolist()
        first: list[float] = [math.inf] * len(parents)
        for i, j in self.pairs:
            if i is not None and j is not None:
                first[j] = i
        children: list[list[int]] = [[] for _ in parents]
        roots: list[int] = []
        for node in range(len(parents) - 1, -1, -1):
            parent = parents[node]
            if parent >= 0:
                first[parent] = min(first[parent], first[node])
            (children[parent] if parent >= 0 else roots).append(node)
        order = []
        # Lists are from the last child to the first, and sorting keeps that order among equals.
        stack = sorted(roots, key=first.__getitem__, reverse=True)
        while stack:
            node = stack.pop()
            order.append(node)
            stack += sorted(children[node], key=first.__getitem__, reverse=True)
        return order


def unordered_align(x: Tree, y: Tree, *, costs: CostsLike | None = None) -> UnorderedAlignment:
    """Find one optimal constrained alignment of two unordered trees.

    Parameters
    ----------
    x, y : Tree
        Trees or forests.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.

    Returns
    -------
    UnorderedAlignment
        Its cost is the `unordered_distance` of the trees.

    See Also
    --------
    align : An optimal alignment of ordered trees.
    treemetric.plotting.plot_alignment : Draws an alignment.

    Notes
    -----
    The result is deterministic. Nodes are paired if that is optimal.

    Examples
    --------
    >>> from treemetric import Tree, unordered_align
    >>> x, y = Tree.from_bracket("{a{b}{c}}"), Tree.from_bracket("{a{c}{d}}")
    >>> unordered_align(x, y).edits()
    [Edit(op='replace', i=1, j=2, old='b', new='d', cost=1.0)]
    """
    checked = check_pair(x, y, costs, "unordered_align")
    pair: Any = checked._pair_table(x, y)
    cost, matches = _core.unordered_align_pair(x._data, y._data, *pair)
    return UnorderedAlignment._of(x, y, checked, cost, matches)


def unordered_subtree_distances(x: Tree, y: Tree, *, costs: CostsLike | None = None) -> FloatArray:
    """Compute the unordered distances between all subtrees of x and all subtrees of y.

    The algorithm for the distance of the whole trees computes all of them.

    Parameters
    ----------
    x, y : Tree
        Trees or forests.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.

    Returns
    -------
    ndarray of shape (x.size, y.size)
        The `unordered_distance` from the subtree of node i to the subtree of node j, in preorder.

    Examples
    --------
    >>> from treemetric import Tree, unordered_subtree_distances
    >>> x, y = Tree.from_bracket("{a{b}{c}}"), Tree.from_bracket("{a{c}{b}}")
    >>> unordered_subtree_distances(x, y)
    array([[0., 2., 2.],
           [2., 1., 0.],
           [2., 0., 1.]])
    """
    table, index = check_pair(x, y, costs, "unordered_subtree_distances")._pair_table(x, y)
    return _core.unordered_subtree_distances(x._data, y._data, table, index)
