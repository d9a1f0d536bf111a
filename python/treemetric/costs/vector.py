"""Costs between labels that have vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.digest import digest, label_bytes
from treemetric._base.immutable import Immutable
from treemetric._base.typing import FloatArray, Label, Vectors
from treemetric._base.validation import check_memory, count_of, refuse, refuse_set, shown
from treemetric.costs._vectors import (
    as_vectors,
    index_of,
    paired_costs,
    points_of,
    rounding_slack,
    vector_costs,
)
from treemetric.costs.base import SLACK, Costs, Resolved, Symbol, Table
from treemetric.costs.matrix import CostMatrix
from treemetric.exceptions import UnknownLabelError

if TYPE_CHECKING:
    from treemetric.treeset import TreeSet

KINDS = ("cosine", "chord", "angle", "euclidean")
# Bytes per entry of a matrix while it is made, and with its closure or violations.
_MADE, _WORKED = 34, 42
# A table of metric costs violates axioms by rounding up to this share of the largest cost.
_ROUNDING = 1e-12

_Points = tuple[npt.NDArray[np.floating[Any]], FloatArray, "_core.VectorTable"]


class VectorCosts(Immutable, Costs):
    """Costs between labels that have vectors, such as words.

    Only labels that meet in a pair of trees are compared. There is no table of all pairs of
    labels, unless the labels of all trees are few, so the vocabulary can have any size.

    Parameters
    ----------
    alphabet : iterable of labels
        The U labels that have a vector, each once.
    vectors : array-like of shape (U, V)
        Their vectors. Arrays of float32 or float64 are not copied and must not be changed
        afterwards; other numbers are converted. A vector of zeros means no vector.
    kind : {'cosine', 'chord', 'angle', 'euclidean'}, default='cosine'
        The cost of two vectors; see Notes.
    projection : array-like of shape (V, k), optional
        The matrix Ω that vectors are multiplied by first; none by default.
    unknown : {'blank', 'error'}, default='blank'
        Whether a label that is not in the alphabet has no vector or is an error.

    Attributes
    ----------
    alphabet : tuple
        The labels.
    vectors : ndarray of shape (U, V)
        The vectors, read-only.
    kind : str
        The kind of cost.
    projection : ndarray of shape (V, k) or None
        The projection, read-only.
    unknown : str
        How labels outside the alphabet are handled.

    Notes
    -----
    With s the cosine of the two vectors after the projection, replacing costs

    ============= ============================ ============== =====================
    kind          two vectors                  vector and gap a pseudo-metric
    ============= ============================ ============== =====================
    ``cosine``    (1 - s) / 2                  1/2            no: not triangular
    ``chord``     sqrt((1 - s) / 2)            sqrt(1/2)      yes
    ``angle``     arccos(s) / π                1/2            yes
    ``euclidean`` length of the difference     the length     yes
    ============= ============================ ============== =====================

    The gap and a node without a vector have s = 0 against a vector. They cost nothing against each
    other, so such a node can be inserted and deleted at no cost. The same is true for a vector that
    the projection maps to zero up to rounding, that is to a length of at most 8 ε ``|x| |Ω|`` with
    the precision ε of the vectors (not for ``euclidean``, where this has little effect). The first
    three kinds are monotone functions of each other, so they agree on the closest label.
    ``cosine`` is the cost of Paaßen et al. (2018). It is a quarter of a squared chord, hence not
    triangular: vectors at 0°, 60° and 120° cost 1/4, 1/4 and, from first to last, 3/4. The distance
    under it is the cost of the cheapest alignment, not of the cheapest script.

    Costs are rounded to multiples of 2**-40 (of the largest possible cost, for ``euclidean``), and
    then all sums are exact; `to_matrix` returns the costs before rounding. Costs of vectors that
    are nearly equal or nearly opposite are accurate. In float32 the products of vectors have an
    error of about 1e-7, and ``cosine`` rounds to multiples of 2**-24 (6e-8), which is faster.

    Examples
    --------
    >>> from treemetric import Tree, VectorCosts, distance
    >>> costs = VectorCosts(["good", "fine", "bad"], [[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0]])
    >>> x, y, z = (Tree.from_bracket("{S{%s}}" % word) for word in ("good", "fine", "bad"))
    >>> round(distance(x, y, costs=costs), 3), distance(x, z, costs=costs)
    (0.146, 1.0)
    """

    alphabet: tuple[Label, ...]
    vectors: npt.NDArray[np.floating[Any]]
    kind: str
    projection: npt.NDArray[np.floating[Any]] | None
    unknown: str
    _index: dict[Label, int]
    _cached: _Points | None

    _has_own_alphabet = True
    _same_for_all_trees = True
    # The only other lower bound uses the lengths of vectors, which is weak.
    _pivots_pay = True

    def __init__(
        self,
        alphabet: Iterable[Label],
        vectors: npt.ArrayLike,
        *,
        kind: str = "cosine",
        projection: npt.ArrayLike | None = None,
        unknown: str = "blank",
    ) -> None:
        owner = "VectorCosts"
        refuse_set(alphabet, "alphabet", owner)
        labels = tuple(alphabet)
        index = index_of(labels)
        if len(index) != len(labels):
            twice = next(label for code, label in enumerate(labels) if index[label] != code)
            refuse("alphabet", owner, "a list of different labels", f"{twice!r} twice")
        if kind not in KINDS:
            refuse("kind", owner, "'cosine', 'chord', 'angle' or 'euclidean'", shown(kind))
        if unknown not in ("blank", "error"):
            refuse("unknown", owner, "'blank' or 'error'", shown(unknown))
        rows = as_vectors(vectors, "vectors")
        if len(rows) != len(labels):
            must = f"of shape ({len(labels)}, V) for {len(labels)} labels"
            refuse("vectors", owner, must, f"shape {rows.shape}")
        omega = _projection(projection, rows.shape[1])
        self._put(alphabet=labels, vectors=rows, kind=kind, projection=omega)
        self._put(unknown=unknown, _index=index, _cached=None)

    def with_projection(self, projection: npt.ArrayLike | None) -> VectorCosts:
        """Return the same costs with another projection.

        Parameters
        ----------
        projection : array-like of shape (V, k) or None
            The matrix Ω that vectors are multiplied by first, or None.

        Returns
        -------
        VectorCosts
            New costs, which share the vectors.

        Examples
        --------
        >>> from treemetric import VectorCosts
        >>> costs = VectorCosts("ab", [[1.0, 2.0], [3.0, 4.0]])
        >>> costs.with_projection([[1.0], [0.0]]).project("b")
        array([[3.]])
        """
        omega = _projection(projection, self.vectors.shape[1])
        # Without __init__: learning does this in every step, and the rest has been checked.
        found = object.__new__(VectorCosts)
        found.__dict__.update(self.__dict__, projection=omega, _cached=None)
        return found

    def _restricted(self, labels: Iterable[Label]) -> VectorCosts:
        """Return the costs of some labels only; labels without a vector still have none."""
        rows = sorted({self._index[label] for label in labels if label in self._index})
        if len(rows) == len(self.alphabet):
            return self
        some = [self.alphabet[row] for row in rows]
        return _restore(some, self.vectors[rows], self.kind, self.projection, self.unknown)

    def project(self, labels: Iterable[Label] | None = None) -> Vectors:
        """Return the vectors after the projection.

        Parameters
        ----------
        labels : iterable of labels, optional
            The labels; all by default. The vector of a label without one is zero.

        Returns
        -------
        ndarray of shape (n_labels, k)
            The projected vectors.

        Examples
        --------
        >>> from treemetric import VectorCosts
        >>> costs = VectorCosts("ab", [[1.0, 2.0], [3.0, 4.0]], projection=[[1.0], [0.0]])
        >>> costs.project("b")
        array([[3.]])
        """
        # A vector of rounding errors counts as no vector, as in all costs.
        none = self._points()[1] == 0.0
        projected = self._product()
        if labels is None:
            if self.projection is not None:
                projected[none] = 0.0
            return projected
        codes = self._codes(tuple(labels))
        found = np.zeros_like(projected, shape=(len(codes), projected.shape[1]))
        known = np.flatnonzero(~np.append(none, [True])[codes])
        found[known] = projected[codes[known]]
        return found

    def _product(self) -> npt.NDArray[np.floating[Any]]:
        if self.projection is None:
            return self.vectors
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            return self.vectors @ self.projection.astype(self.vectors.dtype, copy=False)

    def _points(self) -> _Points:
        """Return the rows that all costs are computed from, their lengths and the core's table.

        They are computed once, and every method uses them: a product of other rows may differ in
        its last digits, and a vector that the projection maps close to 0 has no other digits.
        """
        if self._cached is None:
            points, lengths = points_of(
                self.vectors, self.projection, self._product(), self.kind, self.alphabet
            )
            self._put(_cached=(points, lengths, _core.VectorTable(points, lengths, self.kind)))
        assert self._cached is not None
        return self._cached

    def _core_table(self) -> _core.VectorTable:
        return self._points()[2]

    def _rows(self, labels: Sequence[Label], *, gap: bool = False) -> FloatArray:
        """Return the rows that costs are computed from; with `gap`, the last one is the gap."""
        points = self._points()[0]
        codes = self._codes(labels)
        found = np.zeros((len(codes) + gap, points.shape[1]))
        known = np.flatnonzero(codes < len(self.alphabet))
        found[known] = points[codes[known]]
        return found

    def _codes(self, labels: Sequence[Label]) -> npt.NDArray[np.uint32]:
        """Return the rows of labels; labels without a vector get the row after the last."""
        blank = len(self.alphabet)
        codes = [self._index.get(label, blank) for label in labels]
        if self.unknown == "error" and blank in codes:
            label = labels[codes.index(blank)]
            message = (
                f"The label {label!r} is not in the alphabet of the costs, which has "
                f"{blank} labels."
            )
            raise UnknownLabelError(message)
        return np.array(codes, dtype=np.uint32)

    def _table(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> Table:
        return self._core_table().table(self._codes(x), self._codes(y)), None

    def _resolve(self, X: TreeSet, Y: TreeSet | None) -> Resolved:
        # No table of all labels: labels are compared when they meet.
        codes = self._codes(X.alphabet)
        return (codes, codes if Y is None else self._codes(Y.alphabet)), self._core_table()

    def _frozen(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> VectorCosts:
        return self

    def _fingerprint(self) -> str:
        projection = () if self.projection is None else (self.projection,)
        options = f"{self.kind} {self.unknown}".encode()
        labels = map(label_bytes, self.alphabet)
        return digest(b"vectors", options, *labels, self.vectors, *projection)

    def _triangle_slack(self) -> float | None:
        return rounding_slack(self.project(), self.kind, SLACK)

    def _total(self, alphabet: tuple[Label, ...], counts: Any) -> FloatArray:
        # Only the edits that occur, without a table of all labels.
        side = len(alphabet) + 1
        edits, places = np.unique(counts.indices, return_inverse=True)
        points = self._rows(alphabet, gap=True)
        costs = paired_costs(points, edits // side, edits % side, self.kind)
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        weights = counts.data * costs[places]
        return np.bincount(rows, weights, counts.shape[0]).astype(np.float64)

    def _has_some(self, labels: Iterable[Label]) -> bool:
        return not self._index.keys().isdisjoint(labels)

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> CostMatrix:
        """Return the costs of an alphabet as a matrix.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels; all labels with a vector by default.

        Returns
        -------
        CostMatrix
            The costs; the memory is quadratic in the number of labels.

        Examples
        --------
        >>> from treemetric import VectorCosts
        >>> VectorCosts("ab", [[1.0, 0.0], [0.0, 1.0]], kind="angle").to_matrix().matrix
        array([[0. , 0.5, 0.5],
               [0.5, 0. , 0.5],
               [0.5, 0.5, 0. ]])
        """
        labels = self.alphabet if alphabet is None else tuple(dict.fromkeys(alphabet))
        return self._matrix(labels, _MADE)

    def _matrix(self, labels: tuple[Label, ...], nbytes: int) -> CostMatrix:
        check_memory(nbytes * (len(labels) + 1) ** 2, f"a cost matrix of {len(labels)} labels")
        rows = self._rows(labels, gap=True)
        return CostMatrix(labels, vector_costs(rows, rows, self.kind))

    def _worked_matrix(self, labels: tuple[Label, ...] | None) -> CostMatrix:
        some = self.alphabet if labels is None else tuple(dict.fromkeys(labels))
        return self._matrix(some, _WORKED)

    def _known_metric(self, labels: tuple[Label, ...] | None, tol: float) -> bool:
        """Return True for lengths of differences and for angles.

        The gap and labels without a vector are the origin for lengths, and an additional direction
        at right angles to all others for angles.
        """
        self._points()  # raises if vectors have no costs
        self._codes(labels or ())
        return self.kind != "cosine" and tol >= _ROUNDING

    def is_symmetric(self, alphabet: Iterable[Label] | None = None) -> bool:
        """Check whether every edit costs as much as its inverse: always True.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Ignored.

        Returns
        -------
        bool
            True.

        Examples
        --------
        >>> from treemetric import VectorCosts
        >>> VectorCosts("a", [[1.0]]).is_symmetric()
        True
        """
        return True

    def _cost(self, old: Symbol, new: Symbol) -> float:
        if not (old[0] or new[0]) and old[1] == new[1]:
            return 0.0
        a, b = (self._rows(() if gap else (label,), gap=gap) for gap, label in (old, new))
        return float(vector_costs(a, b, self.kind)[0, 0])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, VectorCosts):
            return NotImplemented
        mine, theirs = (
            (costs.kind, costs.unknown, costs.vectors.dtype, costs.alphabet)
            for costs in (self, other)
        )
        if mine != theirs:
            return False
        if (self.projection is None) != (other.projection is None):
            return False
        same = self.projection is None or np.array_equal(self.projection, other.projection)  # type: ignore[arg-type]
        return same and np.array_equal(self.vectors, other.vectors)

    def __hash__(self) -> int:
        return hash((self.alphabet, self.kind, self.unknown))

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self.alphabet, self.vectors, self.kind, self.projection, self.unknown)
        return _restore, state

    def __repr__(self) -> str:
        shape = self.vectors.shape[1] if self.projection is None else self.projection.shape[1]
        labels = count_of(len(self.alphabet), "label")
        return f"<VectorCosts ({self.kind}) of {labels} in {shape} dimensions>"


def _projection(
    projection: npt.ArrayLike | None, dimension: int
) -> npt.NDArray[np.floating[Any]] | None:
    if projection is None:
        return None
    omega = as_vectors(projection, "projection")
    if len(omega) != dimension:
        must = f"of shape ({dimension}, k) for vectors of that length"
        refuse("projection", "VectorCosts", must, f"shape {omega.shape}")
    return omega


def _restore(alphabet: Any, vectors: Any, kind: str, projection: Any, unknown: str) -> VectorCosts:
    return VectorCosts(alphabet, vectors, kind=kind, projection=projection, unknown=unknown)
