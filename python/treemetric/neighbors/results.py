"""What searches for neighbours return: indices, distances, and graphs for scikit-learn."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from treemetric._base.arrays import frozen
from treemetric._base.immutable import Immutable
from treemetric._base.typing import FloatArray, OffsetArray
from treemetric._base.validation import check_bool, refuse, shown

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
        """Where the neighbours of each tree begin, and the end."""

    @property
    def avoided(self) -> float:
        """Share of the distances of all pairs that was not computed."""
        return max(0.0, 1 - self.computed / self._pairs) if self._pairs > 0 else 0.0

    def to_graph(self, *, mode: str = "distance", include_self: bool = False) -> "csr_matrix":
        """Give the neighbours as a sparse matrix, which scikit-learn takes as precomputed.

        Parameters
        ----------
        mode : {'distance', 'connectivity'}, default='distance'
            Whether edges carry distances, or 1.
        include_self : bool, default=False
            Whether every tree gets an edge to itself too, first in its row and of distance
            0; only for trees that were searched among themselves. scikit-learn's estimators
            want it of a graph of training data if they count neighbours.

        Returns
        -------
        csr_matrix of shape (n_X, n_Y)
            The graph. Rows are sorted by distance, as scikit-learn wants them, and
            neighbours are explicit entries, also at distance 0.

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
        # Copies, because nobody may write to the result through the graph.
        values = values.copy() if mode == "distance" else np.ones(len(columns))
        return csr_matrix((values, columns.copy(), offsets.copy()), shape=(rows, self._candidates))


class NearestResult(_Result):
    """The nearest trees of each tree; made by `nearest` and `TreeIndex.nearest`.

    Attributes
    ----------
    indices : ndarray of shape (n_X, k)
        The positions of the nearest trees, row by row, by distance, then by position.
    distances : ndarray of shape (n_X, k)
        Their distances.
    computed : int
        How many exact distances were computed for it.
    avoided : float
        Share that was not computed, of the distances that all pairs would take: inside one set
        and with symmetric costs, one for every two trees.

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

    def __repr__(self) -> str:
        n, k = self.indices.shape
        return f"<NearestResult: {k} neighbours of {n} trees, {self.avoided:.1%} avoided>"


class WithinResult(_Result):
    """The trees near each tree; made by `within` and `TreeIndex.within`.

    ``found[i]`` is a pair of arrays: the positions of the trees near tree i, and their
    distances.

    Attributes
    ----------
    offsets : ndarray of shape (n_X + 1,)
        Where the neighbours of each tree start, and at last where they end.
    indices : ndarray of shape (n_neighbors,)
        Their positions, tree after tree, each by distance, then by position.
    distances : ndarray of shape (n_neighbors,)
        Their distances.
    counts : ndarray of shape (n_X,)
        How many neighbours each tree has.
    computed : int
        How many exact distances were computed for it.
    avoided : float
        Share that was not computed, of the distances that all pairs would take: inside one set
        and with symmetric costs, one for every two trees.

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

    def _offsets(self) -> OffsetArray:
        return self.offsets

    @property
    def counts(self) -> OffsetArray:
        """How many neighbours each tree has."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> tuple[OffsetArray, FloatArray]:
        position = range(len(self))[index]
        part = slice(self.offsets[position], self.offsets[position + 1])
        return self.indices[part], self.distances[part]

    def __repr__(self) -> str:
        near, n = len(self.indices), len(self)
        return f"<WithinResult: {near} neighbours of {n} trees, {self.avoided:.1%} avoided>"
