"""Costs between labels that carry vectors."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._typing import Label
from treemetric._validation import check_memory, refuse, shown
from treemetric.costs._vectors import as_vectors, vector_costs
from treemetric.costs.base import Costs
from treemetric.costs.matrix import CostMatrix
from treemetric.exceptions import UnknownLabelError

KINDS = ("cosine", "chord", "angle", "euclidean")


class VectorCosts(Costs):
    """Costs between labels that carry vectors, such as words.

    Only the labels that meet in a pair of trees are ever compared, so the vocabulary may be
    as large as it likes: no table of all pairs of labels is made.

    Parameters
    ----------
    alphabet : iterable of labels
        The U labels that have a vector, each once.
    vectors : array-like of shape (U, V)
        Their vectors, in float32 or float64; such arrays are used as they are, without a
        copy, and must not be changed afterwards. Other numbers are converted. A vector of
        zeros is the same as none.
    kind : {'cosine', 'chord', 'angle', 'euclidean'}, default='cosine'
        How two vectors x and y become a cost; see Notes.
    projection : array-like of shape (V, k), optional
        The matrix Ω that vectors are multiplied with first; none by default.
    unknown : {'blank', 'error'}, default='blank'
        Whether labels that are not in the alphabet are nodes without a vector, or an error.

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
        What labels outside the alphabet are.

    Notes
    -----
    With s the cosine of the two vectors after the projection, replacing costs

    ============= ============================ ============== =====================
    kind          two vectors                  vector and gap a pseudo-metric
    ============= ============================ ============== =====================
    ``cosine``    (1 - s) / 2                  1/2            no: not triangular
    ``chord``     sqrt((1 - s) / 2)            1/2            yes
    ``angle``     arccos(s) / π                1/2            yes
    ``euclidean`` length of the difference     the length     yes
    ============= ============================ ============== =====================

    A node without a vector costs as much as the gap against a vector, and nothing against
    the gap or another node without one: it can be inserted and deleted freely. ``cosine`` is
    the cost of Paaßen et al. (2018). It is a quarter of a squared chord, hence not
    triangular: vectors at 0°, 60° and 120° cost 1/4, 1/4 and, from first to last, 3/4. The
    distance under it is that of the cheapest alignment, not of the cheapest script.

    Costs are rounded to multiples of 2**-40 (of the largest possible one, for
    ``euclidean``), after which all sums are exact; `to_matrix` gives them as they were
    before. Vectors that are nearly equal or nearly opposite keep their digits. In float32 the
    products of vectors have an error of about 1e-7.

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
    _cached: "_core.VectorTable | None"

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
        labels = tuple(alphabet)
        index = {label: code for code, label in enumerate(labels)}
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
        omega = None if projection is None else as_vectors(projection, "projection")
        if omega is not None and len(omega) != rows.shape[1]:
            must = f"of shape ({rows.shape[1]}, k) for vectors of that length"
            refuse("projection", owner, must, f"shape {omega.shape}")
        self.__dict__.update(alphabet=labels, vectors=rows, kind=kind, projection=omega)
        self.__dict__.update(unknown=unknown, _index=index, _cached=None)

    def with_projection(self, projection: npt.ArrayLike | None) -> "VectorCosts":
        """Give the same costs with another projection.

        Parameters
        ----------
        projection : array-like of shape (V, k) or None
            The matrix Ω that vectors are multiplied with first, or none.

        Returns
        -------
        VectorCosts
            New costs; they share the vectors.

        Examples
        --------
        >>> from treemetric import VectorCosts
        >>> costs = VectorCosts("ab", [[1.0, 2.0], [3.0, 4.0]])
        >>> costs.with_projection([[1.0], [0.0]]).project("b")
        array([[3.]])
        """
        state = (self.alphabet, self.vectors, self.kind, projection, self.unknown)
        return _restore(*state)

    def project(self, labels: Iterable[Label] | None = None) -> npt.NDArray[np.floating[Any]]:
        """Give the vectors after the projection.

        Parameters
        ----------
        labels : iterable of labels, optional
            Whose vectors; all by default. Labels without one get zeros.

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
        if labels is None:
            chosen = self.vectors
        else:
            padded = self._codes(tuple(labels))
            chosen = np.zeros((len(padded), self.vectors.shape[1]), dtype=self.vectors.dtype)
            known = padded < len(self.alphabet)
            chosen[known] = self.vectors[padded[known]]
        if self.projection is None:
            return chosen
        with np.errstate(over="ignore", invalid="ignore"):  # `_core_table` refuses such vectors
            return chosen @ self.projection.astype(self.vectors.dtype, copy=False)

    def _core_table(self) -> "_core.VectorTable":
        """Project all vectors and bring them to length one, once."""
        if self._cached is None:
            projected = np.ascontiguousarray(self.project())
            lengths = np.sqrt(np.einsum("uk,uk->u", projected, projected, dtype=np.float64))
            if not np.isfinite(lengths).all():
                row = int(np.argwhere(~np.isfinite(lengths))[0, 0])
                got = f"one for {self.alphabet[row]!r} that is not"
                refuse("projection", "VectorCosts", "such that vectors stay finite", got)
            if self.kind != "euclidean":
                divisor = np.where(lengths > 0, lengths, 1.0)[:, None]
                projected = (projected / divisor).astype(projected.dtype)
            self.__dict__["_cached"] = _core.VectorTable(projected, lengths, self.kind)
        assert self._cached is not None
        return self._cached

    def _codes(self, labels: Sequence[Label]) -> npt.NDArray[np.uint32]:
        """Give the rows of labels; one beyond the last for those without a vector."""
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

    def _table(
        self, x: tuple[Label, ...], y: tuple[Label, ...]
    ) -> tuple["_core.CostTable", dict[Label, int] | None]:
        return self._core_table().table(self._codes(x), self._codes(y)), None

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> CostMatrix:
        """Give the costs of an alphabet as a matrix.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels; all that have a vector by default.

        Returns
        -------
        CostMatrix
            Their costs; it has the square of their number of entries.

        Examples
        --------
        >>> from treemetric import VectorCosts
        >>> VectorCosts("ab", [[1.0, 0.0], [0.0, 1.0]], kind="angle").to_matrix().matrix
        array([[0. , 0.5, 0.5],
               [0.5, 0. , 0.5],
               [0.5, 0.5, 0. ]])
        """
        labels = self.alphabet if alphabet is None else tuple(dict.fromkeys(alphabet))
        check_memory(24 * (len(labels) + 1) ** 2, f"a cost matrix of {len(labels)} labels")
        vectors = self.project(labels).astype(np.float64)
        padded = np.vstack([vectors, np.zeros((1, vectors.shape[1]))])
        return CostMatrix(labels, vector_costs(padded, padded, self.kind))

    def is_symmetric(self, alphabet: Iterable[Label] | None = None) -> bool:
        """Tell whether every edit costs as much as its inverse: always.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Not needed.

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

    def _price(self, old: tuple[bool, Label], new: tuple[bool, Label]) -> float:
        zeros = np.zeros(
            (1, self.vectors.shape[1] if self.projection is None else self.projection.shape[1])
        )
        a, b = (zeros if gap else self.project([label]) for gap, label in (old, new))
        if not (old[0] or new[0]) and old[1] == new[1]:
            return 0.0
        return float(vector_costs(a.astype(np.float64), b.astype(np.float64), self.kind)[0, 0])

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

    def __setattr__(self, name: str, value: object) -> None:
        message = f"VectorCosts is immutable: cannot set {name!r}"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        message = f"VectorCosts is immutable: cannot delete {name!r}"
        raise AttributeError(message)

    def __deepcopy__(self, memo: object) -> "VectorCosts":
        return self  # nothing can change it; scikit-learn copies parameters now and then

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self.alphabet, self.vectors, self.kind, self.projection, self.unknown)
        return _restore, state

    def __repr__(self) -> str:
        shape = self.vectors.shape[1] if self.projection is None else self.projection.shape[1]
        return f"<VectorCosts ({self.kind}) of {len(self.alphabet)} labels in {shape} dimensions>"


def _restore(alphabet: Any, vectors: Any, kind: str, projection: Any, unknown: str) -> VectorCosts:
    return VectorCosts(alphabet, vectors, kind=kind, projection=projection, unknown=unknown)
