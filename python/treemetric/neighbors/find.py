"""The subtrees of large trees that are most similar to a query."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, overload

from treemetric import _core
from treemetric._base.arrays import frozen
from treemetric._base.extras import find as optional
from treemetric._base.immutable import Immutable
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, FloatArray, OffsetArray, Progress, Trees
from treemetric._base.validation import (
    as_float,
    check_bool,
    check_int,
    check_n_jobs,
    check_position,
    refuse,
    shown,
)
from treemetric.costs.resolve import check_costs
from treemetric.neighbors.pairs import named
from treemetric.tree import Tree
from treemetric.treeset import TreeSet, check_tree, check_trees

__all__ = ["FindResult", "Match", "find"]

_DEFAULT_K = 5
# Matches that are looked for at first, per match that is wanted, if matches must not overlap.
_SPARE = 4


class Match(NamedTuple):
    """A subtree that is similar to the query; an item of `FindResult`.

    Attributes
    ----------
    tree : int
        The position of the tree that contains the subtree; 0 for a single tree.
    node : int
        The root of the subtree, in preorder.
    size : int
        Number of nodes of the subtree.
    distance : float
        The edit distance from the query to the subtree.

    Examples
    --------
    >>> from treemetric import Tree, find
    >>> find(Tree.from_bracket("{b{c}}"), Tree.from_bracket("{a{b{c}}{b}}"), k=1)[0]
    Match(tree=0, node=1, size=2, distance=0.0)
    """

    tree: int
    node: int
    size: int
    distance: float


class FindResult(Immutable, Sequence[Match]):
    """The subtrees that are most similar to a query; returned by `find`.

    A sequence of `Match`, sorted by distance, then by tree, then by node.

    Attributes
    ----------
    trees : ndarray of shape (n_matches,)
        The positions of the trees that contain the subtrees; 0 for a single tree.
    nodes : ndarray of shape (n_matches,)
        The roots of the subtrees, in preorder.
    sizes : ndarray of shape (n_matches,)
        The numbers of nodes of the subtrees.
    distances : ndarray of shape (n_matches,)
        The distances from the query to the subtrees.
    computed : int
        Number of subtrees whose distances were computed. With `k`, it depends on the number of
        threads; the matches do not.
    avoided : float
        Share of all subtrees whose distances were not computed.

    Examples
    --------
    >>> from treemetric import Tree, find
    >>> found = find(Tree.from_bracket("{b{c}}"), Tree.from_bracket("{a{b{d}}{b{c}}}"), k=2)
    >>> found.nodes, found.distances
    (array([3, 1]), array([0., 1.]))
    >>> found.subtree(1)
    <Tree {b{d}}>
    """

    trees: OffsetArray
    nodes: OffsetArray
    sizes: OffsetArray
    distances: FloatArray
    computed: int
    _searched: Tree | TreeSet

    def __init__(self) -> None:
        message = "FindResult objects are made by find"
        raise TypeError(message)

    @classmethod
    def _make(cls, arrays: Sequence[Any], computed: int, searched: Tree | TreeSet) -> FindResult:
        result = cls.__new__(cls)
        names = ("trees", "nodes", "sizes", "distances")
        result._put(**{name: frozen(array) for name, array in zip(names, arrays, strict=True)})
        result._put(computed=computed, _searched=searched)
        return result

    @property
    def avoided(self) -> float:
        """Share of all subtrees whose distances were not computed."""
        searched = self._searched
        total = searched.size if isinstance(searched, Tree) else len(searched.codes)
        return max(0.0, 1 - self.computed / total) if total else 0.0

    def subtree(self, index: int) -> Tree:
        """Return the subtree of a match.

        Parameters
        ----------
        index : int
            The position of the match.

        Returns
        -------
        Tree
            The node of the match and all of its descendants.

        Examples
        --------
        >>> from treemetric import Tree, find
        >>> found = find(Tree.from_bracket("{b}"), Tree.from_bracket("{a{c}{d{b}}}"), k=1)
        >>> found.subtree(0)
        <Tree {b}>
        """
        tree, node = self[check_int(index, "index", "subtree", -len(self), len(self) - 1)][:2]
        searched = self._searched
        return (searched if isinstance(searched, Tree) else searched[tree]).subtree(node)

    def to_frame(self) -> Any:
        """Return the matches as a table of pandas.

        Returns
        -------
        pandas.DataFrame
            The columns are ``tree``, ``node``, ``size`` and ``distance``, and ``tree_id`` if the
            trees have ids.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from treemetric import Tree, find
        >>> find(Tree.from_bracket("{b}"), Tree.from_bracket("{a{b}}"), k=1).to_frame().shape
        (1, 4)
        """
        pandas = optional("pandas")
        if pandas is None:
            message = "FindResult.to_frame needs pandas: pip install pandas"
            raise ImportError(message)
        columns = (self.trees, self.nodes, self.sizes, self.distances)
        frame = pandas.DataFrame(dict(zip(Match._fields, columns, strict=True)))
        ids = None if isinstance(self._searched, Tree) else self._searched.ids
        if ids is not None:
            frame["tree_id"] = named(ids, self.trees)
        return frame

    def __len__(self) -> int:
        return len(self.nodes)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> list[Match]: ...

    def __getitem__(self, index: int | slice) -> Match | list[Match]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        i = check_position(index, len(self), "a match")
        tree, node, size = (int(array[i]) for array in (self.trees, self.nodes, self.sizes))
        return Match(tree, node, size, float(self.distances[i]))

    def __iter__(self) -> Iterator[Match]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.trees, self.nodes, self.sizes, self.distances)
        return FindResult._make, (arrays, self.computed, self._searched)

    def __repr__(self) -> str:
        if not len(self):
            return f"<FindResult: no matches, {self.avoided:.1%} of distances avoided>"
        near, far = self.distances[0], self.distances[-1]
        matches = "1 match" if len(self) == 1 else f"{len(self)} matches"
        avoided = f"{self.avoided:.1%} of distances avoided"
        return f"<FindResult: {matches} at {near:g} to {far:g}, {avoided}>"


def find(
    query: Tree,
    trees: Tree | Trees,
    *,
    k: int | None = None,
    radius: float | None = None,
    overlap: bool = True,
    costs: CostsLike | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> FindResult:
    """Find the subtrees of large trees that are most similar to a query, exactly.

    Most subtrees are never compared: lower bounds show that they are too large, or have too few
    labels of the query.

    Parameters
    ----------
    query : Tree
        The tree or forest to find. The distance of the empty tree to a subtree is the cost of
        inserting the subtree.
    trees : Tree, TreeSet or list of Tree
        The trees to search in. A subtree is a node with all of its descendants.
    k : int, optional
        Number of matches; 5 by default if there is no radius, otherwise all. Without a radius, at
        most the number of subtrees, which is the number of nodes.
    radius : float, optional
        The largest distance of a match; ``inf`` for all subtrees. With both `k` and `radius`, the
        result is the k best matches within the radius, or fewer.
    overlap : bool, default=True
        If False, no match is inside another one: matches are taken in their order, and those that
        contain, or are part of, a match before them are left out. There may be fewer than k.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default. Distances are from the query to the
        subtrees.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The matches do not
        depend on it. One large tree is searched by all threads.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of nodes; returning False stops the computation.

    Returns
    -------
    FindResult
        The matches, sorted by distance, then by tree, then by node.

    Raises
    ------
    ValueError
        If k is larger than the number of subtrees.
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the matches, or the table of a candidate, do not fit in memory.
    CancelledError
        If `progress` returned False.

    See Also
    --------
    nearest : The most similar whole trees.
    subtree_distances : The distances between all subtrees of two trees.

    Notes
    -----
    This is top-k approximate subtree matching (Augsten et al. 2010). A tree is a stream of
    candidates. A candidate costs at most as much to insert as a match may; under unit costs it has
    at most ``query.size + d`` nodes, where d is the distance of the k-th best match so far, or the
    radius. One table of the query and a candidate contains the distances to all subtrees of the
    candidate. Besides the matches, a thread needs memory for one candidate and its table, and some
    bytes per label of the alphabet, whatever the number of nodes. A list of trees is copied to a
    `TreeSet` first. Labels that cost nothing to insert do not count: if all do, the candidate is a
    whole tree.

    References
    ----------
    N. Augsten, D. Barbosa, M. Böhlen and T. Palpanas, "TASM: Top-k Approximate Subtree Matching",
    ICDE 2010.

    Examples
    --------
    >>> from treemetric import Tree, find
    >>> page = Tree.from_bracket("{ul{li{b}}{li{a{b}}}{li{a}}}")
    >>> found = find(Tree.from_bracket("{li{a{i}}}"), page, k=2)
    >>> found[0]
    Match(tree=0, node=3, size=3, distance=1.0)
    >>> found.subtree(1)
    <Tree {li{a}}>
    >>> find(Tree.from_bracket("{li{a}}"), page, radius=1, overlap=False).nodes
    array([6, 1, 3])
    """
    threads = check_n_jobs(n_jobs, "find")
    known = check_costs(costs, "find")
    apart = not check_bool(overlap, "overlap", "find")
    check_tree(query, "query", "find")
    searched = trees if isinstance(trees, Tree) else check_trees(trees, "trees", "find")
    limit = float("inf") if radius is None else as_float(radius)
    # Written so that NaN fails too.
    if not limit >= 0:
        refuse("radius", "find", "None or a float in the range [0.0, inf]", shown(radius))
    if isinstance(searched, Tree):
        haystack: Any = searched._data
        alphabet, total = searched._data.alphabet, searched.size
    else:
        haystack, alphabet, total = searched._arrays, searched.alphabet, len(searched.codes)
    most = _check_k(k, total, alone=radius is None)
    with reporter(progress, "find", "nodes") as report:
        resolved = known._resolve(TreeSet([query]), TreeSet._of_alphabet(alphabet))

        def matches(count: int | None) -> tuple[Any, ...]:
            where, wanted = (haystack, len(alphabet)), (count, limit)
            return _core.find(query._data, where, resolved, wanted, (threads, report))

        if not apart:
            *arrays, computed = matches(most)
            return FindResult._make(arrays, computed, searched)
        return _apart(matches, most, total, searched)


def _check_k(k: object, total: int, *, alone: bool) -> int | None:
    """Check the number of matches; without a radius there must be as many subtrees."""
    if k is None:
        return min(_DEFAULT_K, total) if alone else None
    if alone and total == 0:
        refuse("trees", "find", "trees with at least 1 node, or radius must be given", "0 nodes")
    count = check_int(k, "k", "find", most=total if alone else None, other="None")
    return min(count, total)


def _apart(
    matches: Callable[[int | None], tuple[Any, ...]],
    most: int | None,
    total: int,
    searched: Tree | TreeSet,
) -> FindResult:
    """Take matches in their order, and leave out those that overlap one that was taken.

    Whether a match is taken depends on those before it only. So the first of any number of matches
    are enough, if k of them are taken.
    """
    count = None if most is None else min(_SPARE * most, total)
    while True:
        *arrays, computed = matches(count)
        taken = _without_overlap(arrays[0], arrays[1], arrays[2])
        complete = count is None or len(arrays[0]) < count or count == total
        if complete or (most is not None and len(taken) >= most):
            chosen = [array[taken[:most]] for array in arrays]
            return FindResult._make(chosen, computed, searched)
        count = min(_SPARE * count, total)  # type: ignore[operator]


def _without_overlap(trees: OffsetArray, nodes: OffsetArray, sizes: OffsetArray) -> list[int]:
    """Return the positions of matches that overlap no match before them that was taken."""
    # Subtrees are nested or disjoint. For each tree: the first nodes of the matches taken, sorted,
    # and their ends; disjoint intervals have both in the same order.
    starts: dict[int, list[int]] = {}
    ends: dict[int, list[int]] = {}
    taken = []
    for i, (tree, node, size) in enumerate(
        zip(trees.tolist(), nodes.tolist(), sizes.tolist(), strict=True)
    ):
        first, last = starts.setdefault(tree, []), ends.setdefault(tree, [])
        # The first interval that ends behind the start of this one must begin behind its end.
        place = bisect_right(last, node)
        if place < len(first) and first[place] < node + size:
            continue
        first.insert(place, node)
        last.insert(place, node + size)
        taken.append(i)
    return taken
