"""Neighbours instead of matrices: the nearest trees, and all within a radius."""

from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._neighbor_results import NearestResult, WithinResult
from treemetric._pivots import Pivots, check_n_pivots, choose_pivots
from treemetric._pricing import check_costs, resolve
from treemetric._progress import reporter
from treemetric._search import Question, ask, find_nearest, find_within
from treemetric._typing import Progress, Trees
from treemetric._validation import check_n_jobs
from treemetric.costs import CallableCosts, Costs
from treemetric.treeset import TreeSet, check_trees

__all__ = ["NearestResult", "TreeIndex", "WithinResult", "nearest", "within"]


def nearest(
    X: Trees,
    Y: Trees | None = None,
    *,
    k: int = 5,
    costs: Costs | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> NearestResult:
    """Find the k nearest trees of Y for every tree of X, exactly.

    Most distances are never computed: lower bounds that take a small part of the time show that
    they are too large.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The trees whose neighbours are wanted.
    Y : TreeSet or list of Tree, optional
        The trees to choose from; by default X itself, where no tree is its own neighbour
        (but an equal tree at another position is).
    k : int, default=5
        Number of neighbours, at most the number of trees to choose from.
    costs : Costs, optional
        What an edit costs; 1 by default. Distances are those from X to Y.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The result
        does not depend on it.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of trees of X; returning False stops the work.

    Returns
    -------
    NearestResult
        Indices and distances of shape (n_X, k), by distance; of equally distant trees the
        first ones are taken.

    Raises
    ------
    ValueError
        If k is larger than the number of trees to choose from, or there is none.
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the result, or the table of two trees that must be compared, does not fit.
    CancelledError
        If `progress` returned False.

    See Also
    --------
    within : All trees within a radius.
    TreeIndex : The same for queries that come one after the other.
    treemetric.transformers.TreeNeighborsGraph : The same in scikit-learn's pipelines.

    Notes
    -----
    The result equals that of sorting the rows of `pairwise_distances` bit for bit. Candidates
    are visited in the order of a lower bound by labels, then of one by preorder and postorder
    strings (Guha et al. 2002), until no other can be nearer (Seidl and Kriegel 1998). Memory
    is that of the result and, for each thread, 32 bytes per tree of Y and the table of one pair.
    For `VectorCosts` the bound is a weak one, and most distances are computed, but never kept.

    References
    ----------
    T. Seidl and H.-P. Kriegel, "Optimal multi-step k-nearest neighbor search", SIGMOD 1998.

    S. Guha, H. V. Jagadish, N. Koudas, D. Srivastava and T. Yu, "Approximate XML joins",
    SIGMOD 2002.

    Examples
    --------
    >>> from treemetric import Tree, nearest
    >>> trees = [Tree.from_sequence(s) for s in ("abc", "abd", "xyz", "abcd")]
    >>> found = nearest([Tree.from_sequence("abcde")], trees, k=2)
    >>> found.indices, found.distances
    (array([[3, 0]]), array([[1., 2.]]))
    >>> nearest(trees, k=1).indices.ravel()
    array([1, 0, 0, 0])
    """
    options = (check_n_jobs(n_jobs, "nearest"), progress)
    return find_nearest(ask(X, Y, costs, "nearest"), k, options)


def within(
    X: Trees,
    Y: Trees | None = None,
    *,
    radius: float,
    costs: Costs | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> WithinResult:
    """Find all trees of Y that are at most that far, for every tree of X, exactly.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The trees whose neighbours are wanted.
    Y : TreeSet or list of Tree, optional
        The trees to choose from; by default X itself, where no tree is its own neighbour
        (but an equal tree at another position is).
    radius : float
        The largest distance that counts as near; ``inf`` for all.
    costs : Costs, optional
        What an edit costs; 1 by default. Distances are those from X to Y.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The result
        does not depend on it.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of trees of X; returning False stops the work.

    Returns
    -------
    WithinResult
        Indices and distances, tree after tree, by distance, then by index.

    Raises
    ------
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the neighbours, or the table of two trees that must be compared, do not fit.
    CancelledError
        If `progress` returned False.

    See Also
    --------
    nearest : The k nearest trees.
    pairwise_distances : With ``cutoff``, the same as a full matrix.

    Notes
    -----
    The result equals what the rows of `pairwise_distances` say bit for bit. Inside one set and
    with symmetric costs every pair is looked at once.

    Examples
    --------
    >>> from treemetric import Tree, within
    >>> trees = [Tree.from_sequence(s) for s in ("abc", "abd", "xyz", "abc")]
    >>> found = within(trees, radius=1)
    >>> found.counts
    array([2, 2, 0, 2])
    >>> found[0]
    (array([3, 1]), array([0., 1.]))
    """
    options = (check_n_jobs(n_jobs, "within"), progress)
    return find_within(ask(X, Y, costs, "within"), radius, options)


class TreeIndex:
    """Trees that are searched again and again.

    An index keeps its trees ready for comparison, what lower bounds need of them and, for costs
    that are a pseudo-metric, the distances from a few of them, the pivots, to all others: a tree
    that is near to a pivot is far from all that are far from the pivot.

    Parameters
    ----------
    Y : TreeSet or list of Tree
        The trees to choose from.
    costs : Costs, optional
        What an edit costs; 1 by default.
    n_pivots : int or 'auto', default='auto'
        Number of pivots; 0 for none. Each takes a distance to every tree now and a distance
        for every query later. 'auto' takes as many as pay in our measurements; see Notes.
    n_jobs : int, optional
        Number of threads to build with; None means 1, -1 all CPUs.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of pivots; returning False stops the work.

    Attributes
    ----------
    trees : TreeSet
        The trees.
    costs : Costs
        What an edit costs.
    pivots : ndarray of shape (n_pivots,)
        The positions of the pivots.

    Raises
    ------
    ValueError
        If pivots are wanted for costs that are no pseudo-metric.

    See Also
    --------
    nearest, within : For all queries at once.

    Notes
    -----
    The results are those of `nearest` and `within`, bit for bit: costs may break the triangle
    inequality by rounding, and what that can do to a distance is subtracted from what pivots
    tell. Pivots are chosen far from each other, the largest tree first. An index pickles.

    Examples
    --------
    >>> from treemetric import Tree, TreeIndex
    >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")], n_pivots=1)
    >>> index
    <TreeIndex of 3 trees with 1 pivots, UnitCosts()>
    >>> index.nearest([Tree.from_sequence("xy")], k=1).indices
    array([[2]])
    """

    __slots__ = ("_costs", "_index", "_pivots", "_trees")
    _costs: Costs
    _index: "_core.SearchIndex | None"
    _pivots: Pivots | None
    _trees: TreeSet

    def __init__(
        self,
        Y: Trees,
        *,
        costs: Costs | None = None,
        n_pivots: int | str = "auto",
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        threads = check_n_jobs(n_jobs, "TreeIndex")
        self._costs = check_costs(costs, "TreeIndex")
        self._trees = check_trees(Y, "Y", "TreeIndex")
        with reporter(progress, "TreeIndex", "pivots") as report:
            count, slack = check_n_pivots(n_pivots, self._costs, self._trees, "TreeIndex")
            # Labels that the costs do not know are told now, not at the first query.
            resolve(self._costs, self._trees, None)
            self._pivots = choose_pivots(self._trees, self._costs, count, slack, threads, report)
        self._index = None
        self._kept(threads)

    @property
    def trees(self) -> TreeSet:
        """The trees."""
        return self._trees

    @property
    def costs(self) -> Costs:
        """What an edit costs."""
        return self._costs

    @property
    def pivots(self) -> npt.NDArray[np.int64]:
        """The positions of the pivots."""
        if self._pivots is None:
            return np.empty(0, dtype=np.int64)
        return self._pivots.chosen.astype(np.int64)

    def nearest(
        self,
        X: Trees | None = None,
        *,
        k: int = 5,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> NearestResult:
        """Find the k nearest trees of the index, exactly.

        Parameters
        ----------
        X : TreeSet or list of Tree, optional
            The trees whose neighbours are wanted; by default those of the index, where no
            tree is its own neighbour.
        k : int, default=5
            Number of neighbours, at most the number of trees to choose from.
        n_jobs : int, optional
            Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
        progress : callable or bool, optional
            As in `treemetric.nearest`.

        Returns
        -------
        NearestResult
            As of `treemetric.nearest`.

        Examples
        --------
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")])
        >>> index.nearest(k=1).distances.ravel()
        array([1., 1., 3.])
        """
        options = (check_n_jobs(n_jobs, "TreeIndex.nearest"), progress)
        return find_nearest(self._question(X, "TreeIndex.nearest", options[0]), k, options)

    def within(
        self,
        X: Trees | None = None,
        *,
        radius: float,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> WithinResult:
        """Find all trees of the index that are at most that far, exactly.

        Parameters
        ----------
        X : TreeSet or list of Tree, optional
            The trees whose neighbours are wanted; by default those of the index, where no
            tree is its own neighbour.
        radius : float
            The largest distance that counts as near; ``inf`` for all.
        n_jobs : int, optional
            Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
        progress : callable or bool, optional
            As in `treemetric.within`.

        Returns
        -------
        WithinResult
            As of `treemetric.within`.

        Examples
        --------
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")])
        >>> index.within([Tree.from_sequence("xy")], radius=1)[0]
        (array([2]), array([1.]))
        """
        options = (check_n_jobs(n_jobs, "TreeIndex.within"), progress)
        return find_within(self._question(X, "TreeIndex.within", options[0]), radius, options)

    def _question(self, X: Trees | None, function: str, threads: int) -> Question:
        queries = self._trees if X is None else check_trees(X, "X", function)
        targets = None if X is None else self._trees
        kept = self._kept(threads)
        return Question(queries, targets, self._costs, function, self._pivots, kept)

    def _kept(self, threads: int) -> "_core.SearchIndex | None":
        """Give what bounds need of the trees; made when first asked for."""
        # A function may have other costs for the labels of every query.
        if self._index is None and not isinstance(self._costs, CallableCosts):
            codes, table = resolve(self._costs, self._trees, None)
            self._index = _core.SearchIndex(self._trees._core_set(), codes[1], table, threads)
        return self._index

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._trees, self._costs, self._pivots)

    def __len__(self) -> int:
        return len(self._trees)

    def __repr__(self) -> str:
        trees, pivots = len(self), len(self.pivots)
        return f"<TreeIndex of {trees} trees with {pivots} pivots, {self._costs!r}>"


def _rebuild(trees: TreeSet, costs: Costs, pivots: Pivots | None) -> TreeIndex:
    index = TreeIndex.__new__(TreeIndex)
    index._trees, index._costs, index._pivots, index._index = trees, costs, pivots, None
    return index
