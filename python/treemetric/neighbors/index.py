"""A set of trees that is prepared once for many searches."""

from typing import Any

import numpy as np

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, Indices, Norm, Progress, Trees
from treemetric._base.validation import check_n_jobs, check_norm
from treemetric.costs import Costs
from treemetric.costs.resolve import check_costs
from treemetric.neighbors.pivots import Pivots, check_n_pivots, choose_pivots
from treemetric.neighbors.request import SearchRequest
from treemetric.neighbors.results import NearestResult, WithinResult
from treemetric.treeset import TreeSet, check_trees

__all__ = ["TreeIndex"]


class TreeIndex:
    """A set of trees for repeated searches.

    An index keeps its trees prepared for comparison, the data for lower bounds and, for costs that
    are a pseudo-metric, the distances from a few of its trees, the pivots, to all others. A tree
    that is near a pivot is far from all trees that are far from the pivot.

    Parameters
    ----------
    Y : TreeSet or list of Tree
        The trees to search in.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by before they are compared; see `normalized_distance`.
    n_pivots : int or 'auto', default='auto'
        Number of pivots; 0 for none. Each pivot takes one distance to every tree when the index
        is built and one distance for every query. 'auto' uses pivots where they were faster in
        our measurements; see Notes.
    n_jobs : int, optional
        Number of threads to build with; None means 1, -1 all CPUs.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of pivots; returning False stops the computation.

    Attributes
    ----------
    trees : TreeSet
        The trees.
    costs : Costs
        The costs of edits.
    norm : str or None
        What distances are divided by.
    pivots : ndarray of shape (n_pivots,)
        The positions of the pivots.

    Raises
    ------
    ValueError
        If `n_pivots` is positive and the costs are not a pseudo-metric.

    See Also
    --------
    nearest, within : Searches for all queries at once.

    Notes
    -----
    The results equal those of `nearest` and `within` bit for bit: the bounds of pivots are reduced
    by the largest effect of rounding on the triangle inequality, and normalised afterwards. Pivots
    are chosen far from each other, starting with the largest tree. 'auto' uses 4 pivots for
    `VectorCosts` and at least 100 trees, otherwise none. An index can be pickled.

    Examples
    --------
    >>> from treemetric import Tree, TreeIndex
    >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")], n_pivots=1)
    >>> index
    <TreeIndex of 3 trees with 1 pivots, UnitCosts()>
    >>> index.nearest([Tree.from_sequence("xy")], k=1).indices
    array([[2]])
    """

    __slots__ = ("_costs", "_index", "_norm", "_pivots", "_trees")
    _costs: Costs
    _norm: str | None
    _index: "_core.SearchIndex | None"
    _pivots: Pivots | None
    _trees: TreeSet

    def __init__(
        self,
        Y: Trees,
        *,
        costs: CostsLike | None = None,
        norm: Norm | None = None,
        n_pivots: int | str = "auto",
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        threads = check_n_jobs(n_jobs, "TreeIndex")
        self._costs = check_costs(costs, "TreeIndex")
        self._norm = check_norm(norm, "TreeIndex")
        self._trees = check_trees(Y, "Y", "TreeIndex")
        with reporter(progress, "TreeIndex", "pivots") as report:
            count, slack = check_n_pivots(n_pivots, self._costs, self._trees, "TreeIndex")
            # Unknown labels raise here, not at the first query.
            self._costs._resolve(self._trees, None)
            self._pivots = choose_pivots(self._trees, self._costs, count, slack, threads, report)
        self._index = None
        self._kept(threads)

    @property
    def trees(self) -> TreeSet:
        """The trees."""
        return self._trees

    @property
    def costs(self) -> Costs:
        """The costs of edits."""
        return self._costs

    @property
    def norm(self) -> str | None:
        """What distances are divided by; None for distances themselves."""
        return self._norm

    @property
    def pivots(self) -> Indices:
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
            The trees whose neighbours are searched; the trees of the index by default, where no
            tree is its own neighbour.
        k : int, default=5
            Number of neighbours, at most the number of candidates.
        n_jobs : int, optional
            Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
        progress : callable or bool, optional
            As in `treemetric.nearest`.

        Returns
        -------
        NearestResult
            As from `treemetric.nearest`.

        Examples
        --------
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")])
        >>> index.nearest(k=1).distances.ravel()
        array([1., 1., 3.])
        """
        return self._request(X, n_jobs, progress, "TreeIndex.nearest").nearest(k)

    def within(
        self,
        X: Trees | None = None,
        *,
        radius: float,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> WithinResult:
        """Find all trees of the index within a radius, exactly.

        Parameters
        ----------
        X : TreeSet or list of Tree, optional
            The trees whose neighbours are searched; the trees of the index by default, where no
            tree is its own neighbour.
        radius : float
            The largest distance of a neighbour, in the scale of the result; ``inf`` for all.
        n_jobs : int, optional
            Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
        progress : callable or bool, optional
            As in `treemetric.within`.

        Returns
        -------
        WithinResult
            As from `treemetric.within`.

        Examples
        --------
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")])
        >>> index.within([Tree.from_sequence("xy")], radius=1)[0]
        (array([2]), array([1.]))
        """
        return self._request(X, n_jobs, progress, "TreeIndex.within").within(radius)

    def _request(
        self, X: Trees | None, n_jobs: int | None, progress: Progress, function: str
    ) -> SearchRequest:
        request = SearchRequest.checked(
            self._trees if X is None else X,
            None if X is None else self._trees,
            self._costs,
            n_jobs,
            progress,
            function,
            self._norm,
        )
        return request._replace(pivots=self._pivots, kept=self._kept(request.threads))

    def _kept(self, threads: int) -> "_core.SearchIndex | None":
        """Return what lower bounds need of the trees; computed at first use."""
        if self._index is None and self._costs._same_for_all_trees:
            codes, table = self._costs._resolve(self._trees, None)
            self._index = _core.SearchIndex(self._trees._core_set(), codes[1], table, threads)
        return self._index

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._trees, self._costs, self._pivots, self._norm)

    def __len__(self) -> int:
        return len(self._trees)

    def __repr__(self) -> str:
        trees, pivots = len(self), len(self.pivots)
        norm = "" if self._norm is None else f", norm={self._norm!r}"
        return f"<TreeIndex of {trees} trees with {pivots} pivots, {self._costs!r}{norm}>"


def _rebuild(
    trees: TreeSet, costs: Costs, pivots: Pivots | None, norm: str | None = None
) -> TreeIndex:
    index = TreeIndex.__new__(TreeIndex)
    index._trees, index._costs, index._pivots, index._index = trees, costs, pivots, None
    index._norm = norm
    return index
