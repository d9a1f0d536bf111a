"""The pq-gram distance of trees."""

from __future__ import annotations

import numpy as np

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import FloatArray, Progress, Trees
from treemetric._base.validation import check_memory, check_n_jobs
from treemetric.features._kinds import check_pq
from treemetric.features._sets import joined
from treemetric.tree import Tree
from treemetric.treeset import TreeSet, check_tree, check_trees


def pqgram_distance(x: Tree, y: Tree, *, p: int = 2, q: int = 3) -> float:
    """Compute the pq-gram distance of two trees.

    A pq-gram is a node with its p - 1 nearest ancestors and q adjacent children; stars stand for
    nodes that do not exist. The distance is ``1 - 2 |X ∩ Y| / (|X| + |Y|)`` for the bags X and Y of
    the pq-grams of both trees.

    Parameters
    ----------
    x, y : Tree
        Trees or forests; either may be empty.
    p : int, default=2
        Number of nodes of the stem: a node and its ancestors.
    q : int, default=3
        Number of children of the base.

    Returns
    -------
    float
        The distance, from 0 to 1; 1 if the trees share no pq-gram, 0 for two empty trees.

    See Also
    --------
    pqgram_distances : The distances of many trees.
    treemetric.distance : The tree edit distance.

    Notes
    -----
    The time is linear in the sizes of the trees, where the tree edit distance needs at least
    quadratic time. Use it in place of the tree edit distance if trees have 10⁴ nodes or more.

    Different trees can have the same pq-grams and then have distance 0. The number of pq-grams that
    differ, ``|X| + |Y| - 2 |X ∩ Y|``, is a pseudo-metric. The normalised distance d is symmetric
    but can violate the triangle inequality; 2 d / (1 + d) orders all pairs in the same way and is a
    pseudo-metric.

    The distance weights edits in another way than the tree edit distance with unit costs: an edit
    of a node changes all pq-grams that contain the node, so an edit of a node with many children
    counts more than an edit of a leaf. The number of pq-grams that differ is bounded by a multiple
    of a tree edit distance in which edits of inner nodes cost their number of children (Augsten,
    Böhlen and Gamper 2010).

    A forest of several trees gets a star as its root.

    References
    ----------
    N. Augsten, M. Böhlen and J. Gamper, "Approximate matching of hierarchical data using
    pq-grams", VLDB 2005.

    N. Augsten, M. Böhlen and J. Gamper, "The pq-gram distance between ordered labeled trees", ACM
    Transactions on Database Systems 35(1), 2010.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.features import pqgram_distance
    >>> x = Tree.from_bracket("{a{a{e}{b}}{b}{c}}")
    >>> y = Tree.from_bracket("{a{a{e}{b}}{b}{x}}")
    >>> round(pqgram_distance(x, y), 2)
    0.31
    """
    name = "pqgram_distance"
    pq = check_pq(p, q, name)
    sources = TreeSet([check_tree(x, "x", name)])
    return float(_distances(sources, TreeSet([check_tree(y, "y", name)]), pq, 1, None)[0, 0])


def pqgram_distances(
    X: Trees,
    Y: Trees | None = None,
    *,
    p: int = 2,
    q: int = 3,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> FloatArray:
    """Compute the pq-gram distances from all trees of X to all trees of Y.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The source trees.
    Y : TreeSet or list of Tree, optional
        The target trees; X itself by default. Then every pair is computed once.
    p : int, default=2
        Number of nodes of the stem: a node and its ancestors.
    q : int, default=3
        Number of children of the base.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``; returning
        False or raising an exception stops the computation.

    Returns
    -------
    ndarray of shape (n_X, n_Y)
        The distances.

    See Also
    --------
    pqgram_distance : The distance of two trees.
    treemetric.pairwise_distances : Tree edit distances.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.features import pqgram_distances
    >>> trees = [Tree.from_bracket(s) for s in ("{a{b}{c}}", "{a{b}{d}}", "{e}")]
    >>> pqgram_distances(trees).round(2)
    array([[0.  , 0.67, 1.  ],
           [0.67, 0.  , 1.  ],
           [1.  , 1.  , 0.  ]])
    """
    name = "pqgram_distances"
    pq, threads = check_pq(p, q, name), check_n_jobs(n_jobs, name)
    with reporter(progress, name, "pairs") as report:
        sources = check_trees(X, "X", name)
        targets = None if Y is None else check_trees(Y, "Y", name)
        return _distances(sources, targets, pq, threads, report)


def _distances(
    X: TreeSet, Y: TreeSet | None, pq: tuple[int, int], threads: int, report: object
) -> FloatArray:
    arrays, rows = joined(X, Y)
    shape = (len(X), len(X if Y is None else Y))
    # The matrix of sums, too.
    check_memory(16 * shape[0] * shape[1], f"a distance matrix of shape {shape}")
    shared = np.empty(shape)
    counts = _core.shared_pqgrams(arrays, rows, pq, shared, (threads, report))  # type: ignore[arg-type]
    total = counts[: len(X), None] + counts[None, rows or 0 :]
    # Two empty trees have no pq-grams and are equal.
    np.divide(2 * shared, total, out=shared, where=total > 0)
    shared[total == 0] = 1.0
    return np.subtract(1.0, shared, out=shared)
