"""Groups of near-duplicates in a set of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from treemetric._base.arrays import frozen
from treemetric._base.extras import need
from treemetric._base.immutable import Immutable
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, FloatArray, Norm, OffsetArray, Progress, Trees
from treemetric._base.validation import check_int, count_of, refuse, shown
from treemetric.neighbors import graph
from treemetric.neighbors.equal import distinct_trees
from treemetric.neighbors.join import Join, Part
from treemetric.neighbors.pairs import named
from treemetric.neighbors.request import SearchRequest
from treemetric.neighbors.stream import join_of

__all__ = ["Duplicates", "deduplicate"]

_METHODS: dict[str, Callable[..., OffsetArray]] = {
    "components": graph.components,
    "cover": graph.cover,
}


class Duplicates(Immutable):
    """Groups of near-duplicates; returned by `deduplicate`.

    Groups are numbered by size, the largest first; groups of the same size by their first tree.
    A tree without duplicates is a group of its own. ``len(found)`` is the number of groups.

    Attributes
    ----------
    labels : ndarray of shape (n_trees,)
        The number of the group of each tree.
    representatives : ndarray of shape (n_groups,)
        The position of the tree that represents each group.
    sizes : ndarray of shape (n_groups,)
        The number of trees of each group.
    distances : ndarray of shape (n_trees,)
        The distance of each tree to the representative of its group.
    groups : list of ndarray
        The positions of the trees of each group, in ascending order.
    kept : ndarray of shape (n_groups,)
        The representatives in ascending order: the positions of the trees that remain if all
        other trees of their groups are removed.

    Examples
    --------
    >>> from treemetric import Tree, deduplicate
    >>> trees = [Tree.from_sequence(s) for s in ("abcd", "xyz", "abce", "abcd", "abc")]
    >>> found = deduplicate(trees, radius=1)
    >>> found
    <Duplicates: 5 trees in 2 groups, 1 of them with duplicates, the largest of 4 trees>
    >>> found.groups
    [array([0, 2, 3, 4]), array([1])]
    >>> found.kept
    array([0, 1])
    """

    labels: OffsetArray
    representatives: OffsetArray
    sizes: OffsetArray
    distances: FloatArray
    _ids: tuple[Any, ...] | None

    def __init__(self) -> None:
        message = "Duplicates objects are made by deduplicate"
        raise TypeError(message)

    @classmethod
    def _make(
        cls, representative: OffsetArray, distances: FloatArray, ids: tuple[Any, ...] | None
    ) -> Duplicates:
        """Make groups from the representative of each tree."""
        chosen, first, number, sizes = np.unique(
            representative, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((first, -sizes))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        found = cls.__new__(cls)
        arrays = {
            "labels": rank[number],
            "representatives": chosen[order],
            "sizes": sizes[order].astype(np.int64),
            "distances": distances,
        }
        found._put(**{name: frozen(array) for name, array in arrays.items()}, _ids=ids)
        return found

    @property
    def groups(self) -> list[OffsetArray]:
        """The positions of the trees of each group, in ascending order."""
        if not len(self):
            return []
        order = np.argsort(self.labels, kind="stable").astype(np.int64)
        return np.split(order, np.cumsum(self.sizes)[:-1])

    @property
    def kept(self) -> OffsetArray:
        """The representatives in ascending order."""
        return np.sort(self.representatives)

    def to_frame(self, *, min_size: int = 1) -> Any:
        """Return the trees as a data frame of pandas, group by group, the largest group first.

        Parameters
        ----------
        min_size : int, default=1
            The smallest number of trees of a group; 2 leaves out trees without duplicates.

        Returns
        -------
        pandas.DataFrame
            One row per tree, sorted by distance inside a group: ``group``, ``size`` (of the
            group), ``tree`` (its position), ``distance`` (to the representative),
            ``representative`` (its position), and ``id`` and ``representative_id`` if the
            trees have `ids`.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from treemetric import Tree, deduplicate
        >>> trees = [Tree.from_sequence(s) for s in ("abcd", "xyz", "abce")]
        >>> deduplicate(trees, radius=1).to_frame(min_size=2)  # doctest: +SKIP
           group  size  tree  distance  representative
        0      0     2     0       0.0               0
        1      0     2     2       1.0               0
        """
        least = check_int(min_size, "min_size", "to_frame")
        pandas = need("pandas", "pandas", "Duplicates.to_frame")
        trees = np.lexsort((self.distances, self.labels))
        trees = trees[self.sizes[self.labels[trees]] >= least]
        group = self.labels[trees]
        columns: dict[str, Any] = {
            "group": group,
            "size": self.sizes[group],
            "tree": trees,
            "distance": self.distances[trees],
            "representative": self.representatives[group],
        }
        if self._ids is not None:
            columns["id"] = named(self._ids, trees)
            columns["representative_id"] = named(self._ids, columns["representative"])
        return pandas.DataFrame(columns)

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        trees, groups = count_of(len(self.labels), "tree"), count_of(len(self), "group")
        copied = int((self.sizes > 1).sum())
        largest = f", the largest of {self.sizes[0]} trees" if copied else ""
        return f"<Duplicates: {trees} in {groups}, {copied} of them with duplicates{largest}>"


def deduplicate(
    X: Trees,
    *,
    radius: float,
    method: Literal["components", "cover"] = "components",
    costs: CostsLike | None = None,
    norm: Norm | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Duplicates:
    """Find groups of near-duplicates: trees within a radius of each other.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The trees.
    radius : float
        The largest distance of two near-duplicates, in the scale of `norm`; 0 finds equal trees.
    method : {'components', 'cover'}, default='components'
        What a group is. 'components': trees that are connected by a chain of near-duplicates.
        The ends of a long chain may be far apart. 'cover': trees within the radius of their
        representative; see Notes.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by before they are compared; see `normalized_distance`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The result
        does not depend on it.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of pairs of distinct trees; returning False stops the computation.

    Returns
    -------
    Duplicates
        The groups, their representatives, and the trees to keep.

    Raises
    ------
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the pairs of distinct trees do not fit in memory (only for 'cover').
    CancelledError
        If `progress` returned False.

    See Also
    --------
    within : The pairs themselves.
    treemetric.datasets.load_functions : The functions of a code base as trees.

    Notes
    -----
    Equal trees are compared once for all of their copies. 'components' reads the pairs of distinct
    trees as a stream, so that its memory grows with the number of trees and not with the number of
    pairs. 'cover' keeps these pairs.

    A tree is near those within the radius, and near itself. With 'components', the representative
    of a group is the tree that is near most trees, copies included; among several, that with the
    smallest sum of distances to the trees it is near; then the first. If all trees of a group are
    near each other, this is the medoid. 'cover' repeats the same choice among the trees that have
    no representative yet, counting only these: the tree that is near most of them represents them.

    Distances go from a tree to its representative. If the costs are not symmetric, 'components'
    connects two trees if one of both distances is within the radius.

    Examples
    --------
    >>> from treemetric import Tree, TreeSet, deduplicate
    >>> trees = TreeSet([Tree.from_sequence(s) for s in ("abcd", "abce", "abfe", "agfe", "xyz")])
    >>> deduplicate(trees, radius=1).sizes
    array([4, 1])
    >>> found = deduplicate(trees, radius=1, method="cover")
    >>> found.groups
    [array([0, 1, 2]), array([3]), array([4])]
    >>> found.representatives
    array([1, 3, 4])
    >>> len(trees[found.kept])
    3
    """
    function = "deduplicate"
    if not isinstance(method, str) or method not in _METHODS:
        refuse("method", function, "'components' or 'cover'", shown(method))
    request = SearchRequest.checked(X, None, costs, n_jobs, progress, function, norm)
    join = join_of(request, radius, once=False)
    trees, threads = request.X, request.threads
    whole = Part.whole(trees)
    first, number, own = _distinct(join, trees, threads)
    weights = np.bincount(number, minlength=len(first))
    part = Part(np.arange(len(first)), whole.take(first).arrays)
    with reporter(progress, function, "pairs") as report:
        chunks = join.stream(part, None, threads, report)
        representative = first[_METHODS[method](chunks, weights, own)[number]]
    # Trees that represent themselves are at distance 0 of themselves, whatever the costs.
    distances = np.zeros(len(trees))
    others = np.flatnonzero(representative != np.arange(len(trees)))
    if len(others):
        pair = whole.take(others), whole.take(representative[others])
        distances[others] = join.paired(*pair, threads)
    return Duplicates._make(representative, distances, trees.ids)


def _distinct(join: Join, trees: Any, threads: int) -> tuple[OffsetArray, OffsetArray, FloatArray]:
    """Return the distinct trees as `distinct_trees` does, and their distances to copies.

    Under some costs, equal trees are farther apart than the radius. All trees count as distinct
    then.
    """
    first, number = distinct_trees(trees)
    own = np.zeros(len(first))
    copied = np.flatnonzero(np.bincount(number, minlength=len(first)) > 1)
    if len(copied):
        part = Part.whole(trees).take(first[copied])
        own[copied] = join.paired(part, part, threads)
    if (own > join.radius).any():
        each = np.arange(len(trees), dtype=np.int64)
        return each, each, np.zeros(len(trees))
    return first, number, own
