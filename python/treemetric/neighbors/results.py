"""Results of searches for neighbours: indices, distances, and graphs for scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from treemetric._base.arrays import frozen
from treemetric._base.immutable import Immutable
from treemetric._base.typing import FloatArray, OffsetArray
from treemetric._base.validation import check_bool, check_position, count_of, refuse, shown
from treemetric.neighbors.pairs import Ids, PairChunk, frame_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["NearestResult", "WithinResult"]


class _Result(Immutable, ABC):
    """Neighbours of some trees among others, row by row."""

    indices: OffsetArray
    distances: FloatArray
    computed: int
    _pairs: int
    _candidates: int
    _inside: bool
    _ids: Ids

    def __init__(self) -> None:
        message = f"{type(self).__name__} objects are made by searches for neighbours"
        raise TypeError(message)

    @classmethod
    def _make(cls, **values: Any) -> Self:
        result = cls.__new__(cls)
        for value in values.values():
            if isinstance(value, np.ndarray):
                frozen(value)
        result._put(**values)
        return result

    @abstractmethod
    def _offsets(self) -> OffsetArray:
        """Return the start of the neighbours of each tree, and the end of the last."""

    @property
    def avoided(self) -> float:
        """Share of the distances of all pairs that were not computed."""
        return max(0.0, 1 - self.computed / self._pairs) if self._pairs > 0 else 0.0

    @property
    def ids(self) -> tuple[Any, ...] | None:
        """Names of the trees that `indices` points to, None if the set has no ids."""
        return self._ids[1]

    @property
    def query_ids(self) -> tuple[Any, ...] | None:
        """Names of the trees whose neighbours these are, None if the set has no ids."""
        return self._ids[0]

    def to_graph(self, *, mode: str = "distance", include_self: bool = False) -> csr_matrix:
        """Return the neighbours as a sparse matrix for scikit-learn's ``metric='precomputed'``.

        Parameters
        ----------
        mode : {'distance', 'connectivity'}, default='distance'
            The values of edges: distances, or 1.
        include_self : bool, default=False
            Add an edge of distance 0 from every tree to itself, first in its row; only for
            searches inside one set. scikit-learn's estimators that count neighbours need
            it in the graph of the training data.

        Returns
        -------
        csr_matrix of shape (n_X, n_Y)
            The graph. Rows are sorted by distance, as scikit-learn requires, and neighbours
            at distance 0 are explicit entries.

        Examples
        --------
        >>> from treemetric import Tree, nearest
        >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abcd")]
        >>> nearest(trees, k=1).to_graph().toarray()
        array([[0., 1., 0.],
               [1., 0., 0.],
               [0., 2., 0.]])
        """
        from scipy.sparse import csr_matrix  # heavy: imported where used

        if mode not in ("distance", "connectivity"):
            refuse("mode", "to_graph", "'distance' or 'connectivity'", shown(mode))
        if check_bool(include_self, "include_self", "to_graph") and not self._inside:
            refuse("include_self", "to_graph", "False for two sets of trees", "True")
        offsets, columns, values = self._offsets(), self.indices.ravel(), self.distances.ravel()
        rows = len(offsets) - 1
        if include_self:
            columns = np.insert(columns, offsets[:-1], np.arange(rows))
            values = np.insert(values, offsets[:-1], 0.0)
            offsets = offsets + np.arange(rows + 1)
        # Copies, so that writing to the graph does not change the result.
        values = values.copy() if mode == "distance" else np.ones(len(columns))
        return csr_matrix((values, columns.copy(), offsets.copy()), shape=(rows, self._candidates))

    def to_frame(self, *, once: bool = False) -> Any:
        """Return the neighbours as a data frame of pandas, one row per neighbour.

        Parameters
        ----------
        once : bool, default=False
            If True, a pair inside one set appears once, with source < target. A pair of
            `nearest` is kept if one of its trees is a neighbour of the other. The distance is
            that from source to target if the result has both directions.

        Returns
        -------
        pandas.DataFrame
            The columns ``source`` and ``target`` (positions) and ``distance``, and
            ``source_id`` and ``target_id`` if the trees have `ids`, in the order of the sources.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from treemetric import Tree, TreeSet, within
        >>> trees = TreeSet(
        ...     [Tree.from_sequence(s) for s in ("a", "ab", "xyz")], ids=["p", "q", "r"]
        ... )
        >>> within(trees, radius=1).to_frame(once=True)  # doctest: +SKIP
           source  target  distance source_id target_id
        0       0       1       1.0         p         q
        """
        if check_bool(once, "once", "to_frame") and not self._inside:
            refuse("once", "to_frame", "False for two sets of trees", "True")
        offsets = self._offsets()
        source = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        found = PairChunk(source, self.indices.ravel(), self.distances.ravel())
        return frame_of(
            each_once(found) if once else found, self._ids, f"{type(self).__name__}.to_frame"
        )


def each_once(found: PairChunk) -> PairChunk:
    """Keep one direction of each pair: from the first tree to the second, if both exist."""
    source, target, distance = found
    first, second = np.minimum(source, target), np.maximum(source, target)
    order = np.lexsort((source > target, second, first))
    first, second = first[order], second[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    # In the order of the sources, nearest first, as all results.
    first, second, distance = first[new], second[new], distance[order][new]
    sorted_ = np.lexsort((second, distance, first))
    return PairChunk(first[sorted_], second[sorted_], distance[sorted_])


class NearestResult(_Result):
    """The nearest trees of each tree; returned by `nearest` and `TreeIndex.nearest`.

    ``found[i]`` is a pair of arrays: the positions of the trees nearest to tree i, and their
    distances.

    Attributes
    ----------
    indices : ndarray of shape (n_X, k)
        The positions of the nearest trees, sorted by distance, then by position.
    distances : ndarray of shape (n_X, k)
        Their distances.
    computed : int
        Number of exact distances that were computed.
    avoided : float
        Share of the distances of all pairs that were not computed. Inside one set and with
        symmetric costs, one distance serves both trees of a pair.
    ids, query_ids : tuple or None
        Names of the trees of Y and of X, from the `ids` of a `TreeSet`.

    Examples
    --------
    >>> from treemetric import Tree, nearest
    >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abcd")]
    >>> found = nearest(trees, k=1)
    >>> found.indices.ravel(), found.distances.ravel()
    (array([1, 0, 1]), array([1., 1., 2.]))
    """

    def _offsets(self) -> OffsetArray:
        n, k = self.indices.shape
        return np.arange(0, n * k + 1, k, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int | slice) -> tuple[OffsetArray, FloatArray]:
        position = index if isinstance(index, slice) else check_position(index, len(self), "a row")
        return self.indices[position], self.distances[position]

    def __repr__(self) -> str:
        n, k = self.indices.shape
        near = f"{k} neighbour{'s' * (k != 1)}"
        avoided = f"{self.avoided:.1%} of distances avoided"
        return f"<NearestResult: {near} of {count_of(n, 'tree')}, {avoided}>"


class WithinResult(_Result):
    """The trees near each tree; returned by `within` and `TreeIndex.within`.

    ``found[i]`` is a pair of arrays: the positions of the trees near tree i, and their
    distances.

    Attributes
    ----------
    offsets : ndarray of shape (n_X + 1,)
        The start of the neighbours of each tree, and the end of the last.
    indices : ndarray of shape (n_neighbors,)
        The positions of neighbours, tree after tree, sorted by distance, then by position.
    distances : ndarray of shape (n_neighbors,)
        Their distances.
    counts : ndarray of shape (n_X,)
        The number of neighbours of each tree.
    computed : int
        Number of exact distances that were computed.
    method : {'index', 'scan', 'batches', 'bounds'}
        How pairs were found: by an index of string segments, by a scan of label histograms of
        trees of similar size, by all pairs in batches, or by lower bounds query after query. The
        other attributes, except `computed`, do not depend on it.
    avoided : float
        Share of the distances of all pairs that were not computed. Inside one set and with
        symmetric costs, one distance serves both trees of a pair.
    ids, query_ids : tuple or None
        Names of the trees of Y and of X, from the `ids` of a `TreeSet`.

    Examples
    --------
    >>> from treemetric import Tree, within
    >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abcd")]
    >>> found = within(trees, radius=2)
    >>> found.counts
    array([1, 2, 1])
    >>> found[1]
    (array([0, 2]), array([1., 2.]))
    """

    offsets: OffsetArray
    method: str

    def _offsets(self) -> OffsetArray:
        return self.offsets

    @property
    def counts(self) -> OffsetArray:
        """The number of neighbours of each tree."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> tuple[OffsetArray, FloatArray]:
        position = check_position(index, len(self), "a row")
        part = slice(self.offsets[position], self.offsets[position + 1])
        return self.indices[part], self.distances[part]

    def __repr__(self) -> str:
        near, n = len(self.indices), len(self)
        found = count_of(near, "neighbour")
        avoided = f"{self.avoided:.1%} of distances avoided"
        return f"<WithinResult: {found} of {count_of(n, 'tree')}, {avoided}>"
