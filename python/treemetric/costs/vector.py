"""Costs between labels that carry vectors."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._typing import FloatArray, Label
from treemetric._validation import check_memory, refuse, shown
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
        copy, and must not be changed afterwards. A vector of zeros is the same as none.
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
    ``euclidean``), after which all sums are exact. In float32 the products of vectors have
    an error of about 1e-7.

    Examples
    --------
    >>> from treemetric import Tree, VectorCosts, distance
    >>> costs = VectorCosts(["good", "fine", "bad"], [[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0]])
    >>> x, y, z = (Tree.from_bracket("{S{%s}}" % word) for word in ("good", "fine", "bad"))
    >>> round(distance(x, y, costs=costs), 3), distance(x, z, costs=costs)
    (0.146, 1.0)
    """

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
        self.alphabet = tuple(alphabet)
        self._index = {label: code for code, label in enumerate(self.alphabet)}
        if len(self._index) != len(self.alphabet):
            twice = next(
                label for code, label in enumerate(self.alphabet) if self._index[label] != code
            )
            refuse("alphabet", owner, "a list of different labels", f"{twice!r} twice")
        if kind not in KINDS:
            refuse("kind", owner, "'cosine', 'chord', 'angle' or 'euclidean'", shown(kind))
        if unknown not in ("blank", "error"):
            refuse("unknown", owner, "'blank' or 'error'", shown(unknown))
        self.kind, self.unknown = kind, unknown
        self.vectors = _as_vectors(vectors, "vectors")
        if len(self.vectors) != len(self.alphabet):
            must = f"of shape ({len(self.alphabet)}, V) for {len(self.alphabet)} labels"
            refuse("vectors", owner, must, f"shape {self.vectors.shape}")
        self.projection = None if projection is None else _as_vectors(projection, "projection")
        if self.projection is not None and len(self.projection) != self.vectors.shape[1]:
            must = f"of shape ({self.vectors.shape[1]}, k) for vectors of that length"
            refuse("projection", owner, must, f"shape {self.projection.shape}")
        self._cached: _core.VectorTable | None = None

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
            self._cached = _core.VectorTable(projected, lengths, self.kind)
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
        mine = (self.alphabet, self.kind, self.unknown)
        if mine != (other.alphabet, other.kind, other.unknown):
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
        return f"<VectorCosts ({self.kind}) of {len(self.alphabet)} labels in {shape} dimensions>"


def _restore(alphabet: Any, vectors: Any, kind: str, projection: Any, unknown: str) -> VectorCosts:
    return VectorCosts(alphabet, vectors, kind=kind, projection=projection, unknown=unknown)


def vector_costs(x: FloatArray, y: FloatArray, kind: str) -> FloatArray:
    """Give the costs between two lists of vectors, plainly; zeros stand for no vector."""
    from scipy.spatial.distance import cdist  # heavy: imported where used

    if kind == "euclidean":
        return cdist(x, y)  # type: ignore[no-any-return]
    lengths = [np.linalg.norm(side, axis=1) for side in (x, y)]
    units = [
        side / np.where(length > 0, length, 1.0)[:, None]
        for side, length in zip((x, y), lengths, strict=True)
    ]
    # Half the chord is the sine of half the angle; unlike the cosine it keeps its digits.
    half = np.minimum(cdist(*units) / 2, 1.0)
    costs = {"cosine": half**2, "chord": half, "angle": 2 / np.pi * np.arcsin(half)}[kind]
    has = [length > 0 for length in lengths]
    costs[has[0][:, None] != has[1][None, :]] = 0.5
    return costs


def _as_vectors(values: npt.ArrayLike, parameter: str) -> npt.NDArray[np.floating[Any]]:
    try:
        array = np.asarray(values)
        if array.dtype not in (np.float32, np.float64):
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        message = f"The '{parameter}' parameter of VectorCosts must be an array of numbers."
        raise ValueError(message) from error
    if array.ndim != 2:
        refuse(parameter, "VectorCosts", "an array of 2 dimensions", f"{array.ndim} dimensions")
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0, 0])
        refuse(parameter, "VectorCosts", "finite", f"{array[row]} in row {row}")
    view = array.view()
    view.flags.writeable = False
    return view
