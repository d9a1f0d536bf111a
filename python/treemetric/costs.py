"""What an edit costs.

A cost function prices three edits: replacing a label by another, deleting a label and
inserting one. All kinds of costs here can be passed wherever a function takes ``costs``.

The dynamic programme of Zhang and Shasha pairs every node with at most one other node.
That is the cheapest edit script if the costs obey the triangle inequality. If they do not,
a chain of edits to one node (a to c, then c to b) can be cheaper than the direct edit (a to
b), and the result, though still the cheapest *alignment*, is larger than the cheapest
*script*. ``costs.violations()`` tells whether this can happen and where,
``costs.closure()`` gives the costs of the cheapest chains, under which the two agree.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._arrays import frozen
from treemetric._typing import CostFunction, FloatArray, Label
from treemetric._validation import as_float, refuse, shown

__all__ = [
    "CallableCosts",
    "CostMatrix",
    "Costs",
    "EmbeddingCosts",
    "UnitCosts",
    "Violation",
]

_TOLERANCE = 1e-9
_LARGEST = 1e200  # so that no sum of costs overflows


class Violation(NamedTuple):
    """An axiom of pseudo-metrics that costs break, with the labels that break it worst.

    Attributes
    ----------
    axiom : {'self-identity', 'symmetry', 'triangle'}
        The broken axiom.
    labels : tuple
        The witnesses: ``(a,)``, ``(a, b)`` or ``(a, z, b)``, where going from a to b by
        way of z is cheaper than directly. None stands for the gap.
    values : tuple of float
        The costs that contradict each other.
    message : str
        The same as a sentence.

    Examples
    --------
    >>> from treemetric import CostMatrix
    >>> costs = CostMatrix(["a", "b"], [[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    >>> costs.violations()[0].message
    "triangle: replacing 'a' by 'b' costs 5.0, but deleting 'a' and inserting 'b' costs 2.0"
    """

    axiom: str
    labels: tuple[Label, ...]
    values: tuple[float, ...]
    message: str


class Costs(ABC):
    """The common face of all kinds of costs.

    Functions that take ``costs`` take any of them. `UnitCosts`, `CostMatrix`,
    `EmbeddingCosts` and `CallableCosts` are the kinds there are.

    Examples
    --------
    >>> from treemetric import Costs, UnitCosts
    >>> isinstance(UnitCosts(), Costs)
    True
    """

    @abstractmethod
    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> "CostMatrix":
        """Give the costs of an alphabet as a matrix.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels, for costs that have no alphabet of their own.

        Returns
        -------
        CostMatrix
            The costs of these labels.

        Examples
        --------
        >>> from treemetric import UnitCosts
        >>> UnitCosts().to_matrix("ab").alphabet
        ('a', 'b')
        """

    def violations(
        self, alphabet: Iterable[Label] | None = None, *, tol: float = _TOLERANCE
    ) -> list[Violation]:
        """List the broken axioms of a pseudo-metric, each with its worst witness.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to look at, for costs that have no alphabet of their own.
        tol : float, default=1e-9
            Differences up to this share of the largest cost are ignored.

        Returns
        -------
        list of Violation
            Empty for a pseudo-metric.

        Examples
        --------
        >>> from treemetric import CostMatrix
        >>> costs = CostMatrix(["a"], [[0, 1], [2, 0]])
        >>> [violation.axiom for violation in costs.violations()]
        ['symmetry']
        """
        if not 0 <= as_float(tol) < float("inf"):
            refuse("tol", "violations", "a float in the range [0.0, inf)", shown(tol))
        return self.to_matrix(alphabet)._find_violations(tol)

    def is_pseudo_metric(
        self, alphabet: Iterable[Label] | None = None, *, tol: float = _TOLERANCE
    ) -> bool:
        """Tell whether the costs are a pseudo-metric; then the distance is one too.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to look at, for costs that have no alphabet of their own.
        tol : float, default=1e-9
            Differences up to this share of the largest cost are ignored.

        Returns
        -------
        bool
            True if no axiom is broken.

        Examples
        --------
        >>> from treemetric import CostMatrix
        >>> CostMatrix(["a"], [[0, 1], [2, 0]]).is_pseudo_metric()
        False
        """
        return not self.violations(alphabet, tol=tol)

    def is_symmetric(self, alphabet: Iterable[Label] | None = None) -> bool:
        """Tell whether every edit costs as much as its inverse.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to look at, for costs that have no alphabet of their own.

        Returns
        -------
        bool
            True if the distance is symmetric by construction.

        Examples
        --------
        >>> from treemetric import CostMatrix
        >>> CostMatrix(["a"], [[0, 1], [2, 0]]).is_symmetric()
        False
        """
        return self.to_matrix(alphabet)._core_table().is_symmetric()

    def closure(self, alphabet: Iterable[Label] | None = None) -> "Costs":
        """Give the costs of the cheapest chains of edits to one node.

        They obey the triangle inequality and are 0 from a label to itself, and the
        distance under them is that of the cheapest edit script under these costs.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to look at, for costs that have no alphabet of their own.

        Returns
        -------
        CostMatrix
            The shortest-path closure over the labels and the gap.

        Examples
        --------
        >>> from treemetric import CostMatrix
        >>> CostMatrix(["a", "b"], [[0, 5, 1], [5, 0, 1], [1, 1, 0]]).closure().matrix
        array([[0., 2., 1.],
               [2., 0., 1.],
               [1., 1., 0.]])
        """
        costs = self.to_matrix(alphabet)
        return CostMatrix(costs.alphabet, _core.closure(costs.matrix))

    @abstractmethod
    def _price(self, old: tuple[bool, Label], new: tuple[bool, Label]) -> float:
        """Give the cost of one edit; each label comes with whether it is the gap."""

    @abstractmethod
    def _table(
        self, x: tuple[Label, ...], y: tuple[Label, ...]
    ) -> tuple["_core.CostTable", dict[Label, int] | None]:
        """Give a table for two alphabets.

        The index says where labels are in it; None means that the table has exactly the
        labels of x as rows and those of y as columns.
        """


class UnitCosts(Costs):
    """Every edit costs 1; the default.

    Examples
    --------
    >>> from treemetric import Tree, UnitCosts, distance
    >>> x, y = Tree.from_sequence("kitten"), Tree.from_sequence("sitting")
    >>> distance(x, y, costs=UnitCosts())
    3.0
    """

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> "CostMatrix":
        """Give the unit costs of an alphabet as a matrix.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels; none by default.

        Returns
        -------
        CostMatrix
            Ones off the diagonal.

        Examples
        --------
        >>> from treemetric import UnitCosts
        >>> UnitCosts().to_matrix("a").matrix
        array([[0., 1.],
               [1., 0.]])
        """
        labels = () if alphabet is None else tuple(dict.fromkeys(alphabet))
        return CostMatrix(labels, 1.0 - np.eye(len(labels) + 1))

    def closure(self, alphabet: Iterable[Label] | None = None) -> "UnitCosts":
        """Give the unit costs themselves: no chain of edits is cheaper than one edit.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Not needed.

        Returns
        -------
        UnitCosts
            This object.

        Examples
        --------
        >>> from treemetric import UnitCosts
        >>> UnitCosts().closure()
        UnitCosts()
        """
        return self

    def _price(self, old: tuple[bool, Label], new: tuple[bool, Label]) -> float:
        return float(old != new)

    def _table(
        self, x: tuple[Label, ...], y: tuple[Label, ...]
    ) -> tuple["_core.CostTable", dict[Label, int] | None]:
        costs = self.to_matrix(dict.fromkeys((*x, *y)))
        return costs._table(x, y)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnitCosts)

    def __hash__(self) -> int:
        return hash(UnitCosts)

    def __repr__(self) -> str:
        return "UnitCosts()"


def _as_floats(values: npt.ArrayLike, parameter: str, owner: str) -> FloatArray:
    """Copy real numbers, and nothing else, to a new float64 array."""
    array = np.array(values)
    if array.size and array.dtype.kind not in "biuf":
        refuse(parameter, owner, "an array of real numbers", f"dtype {array.dtype}")
    return np.array(array, dtype=np.float64, order="C")


class CostMatrix(Costs):
    """Costs by table.

    Parameters
    ----------
    alphabet : iterable of labels
        The U labels, each once.
    matrix : array-like of shape (U + 1, U + 1)
        ``matrix[i, j]`` is the cost of replacing label i by label j; the last column
        holds the costs of deleting, the last row those of inserting. Entries must be
        finite and not negative, the last one 0. The matrix need not be symmetric.

    Attributes
    ----------
    alphabet : tuple
        The labels.
    matrix : ndarray of shape (U + 1, U + 1)
        The costs, read-only.

    Raises
    ------
    ValueError
        If the shape is wrong, a label occurs twice, or an entry is NaN, infinite or
        negative.

    Notes
    -----
    Whole numbers up to 2**40 and short decimals (such as 0.25 or 1.5, at most nine decimals)
    are used as they are, and distances are correctly rounded sums. Other costs are rounded to
    a grid of 2**-40 of the largest one first, which moves each by less than 5e-13 of it (to a
    grid of 2**-100, at some loss of speed, if some are smaller than 1/2048 of the largest).
    Sums are exact after that: the distance of a tree to itself is exactly 0, distances are exactly
    symmetric if the costs are, and every way to compute them gives the same bits.

    Examples
    --------
    >>> from treemetric import CostMatrix, Tree, distance
    >>> costs = CostMatrix(["a", "b"], [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    >>> distance(Tree.from_sequence("aa"), Tree.from_sequence("b"), costs=costs)
    1.5
    """

    alphabet: tuple[Label, ...]
    matrix: FloatArray

    def __init__(self, alphabet: Iterable[Label], matrix: npt.ArrayLike) -> None:
        owner = type(self).__name__
        self.alphabet = tuple(alphabet)
        self._index = {label: code for code, label in enumerate(self.alphabet)}
        if len(self._index) != len(self.alphabet):
            twice = next(
                label for code, label in enumerate(self.alphabet) if self._index[label] != code
            )
            refuse("alphabet", owner, "a list of different labels", f"{twice!r} twice")
        # A copy, so that nobody else can write to it.
        costs = _as_floats(matrix, "matrix", owner)
        side = len(self.alphabet) + 1
        if costs.shape != (side, side):
            must = f"of shape ({side}, {side}) for {side - 1} labels and the gap"
            refuse("matrix", owner, must, f"shape {costs.shape}")
        self.matrix = frozen(costs)
        self._check_entries()
        self._cached: _core.CostTable | None = None

    def _check_entries(self) -> None:
        bad = ~((self.matrix <= _LARGEST) & (self.matrix >= 0))
        largest = self.matrix.max()
        bad |= (self.matrix == largest) & (largest > 0) & (largest < 1 / _LARGEST)
        bad[-1, -1] |= self.matrix[-1, -1] != 0
        if bad.any():
            a, b = np.argwhere(bad)[0].tolist()
            gap = len(self.alphabet)
            bound = f"at most {_LARGEST:g} (and the largest at least {1 / _LARGEST:g}, or 0)"
            must = "0 for the gap" if a == b == gap else f"finite, not negative and {bound}"
            got = f"{self.matrix[a, b]} at [{a}, {b}] for {self._edit(a, b)}"
            refuse("matrix", type(self).__name__, must, got)

    def _label(self, code: int) -> Label | None:
        return self.alphabet[code] if code < len(self.alphabet) else None

    def _edit(self, a: int, b: int) -> str:
        """Name an edit in words."""
        gap = len(self.alphabet)
        if a == gap and b == gap:
            return "the gap by itself"
        if b == gap:
            return f"deleting {self._label(a)!r}"
        if a == gap:
            return f"inserting {self._label(b)!r}"
        return f"replacing {self._label(a)!r} by {self._label(b)!r}"

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> "CostMatrix":
        """Give these costs, or those of some of the labels.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Labels to keep; all by default.

        Returns
        -------
        CostMatrix
            This object, or a smaller one.

        Examples
        --------
        >>> from treemetric import UnitCosts
        >>> UnitCosts().to_matrix("abc").to_matrix("b").alphabet
        ('b',)
        """
        if alphabet is None:
            return self
        labels = tuple(alphabet)
        chosen = [*_core.encode(labels, self._index).tolist(), len(self.alphabet)]
        return CostMatrix(labels, self.matrix[np.ix_(chosen, chosen)])

    def _find_violations(self, tol: float) -> list[Violation]:
        costs = self.matrix
        found = _core.violations(costs, tol * float(costs.max()))
        return [self._describe(axiom, witness) for axiom, witness, _ in found]

    def _describe(self, axiom: str, witness: list[int]) -> Violation:
        c, edit = self.matrix, self._edit
        labels = tuple(self._label(code) for code in witness)
        values: tuple[float, ...]
        if axiom == "triangle":
            a, z, b = witness
            values = (float(c[a, b]), float(c[a, z]), float(c[z, b]))
            text = (
                f"{edit(a, b)} costs {values[0]}, but {edit(a, z)} and {edit(z, b)} costs "
                f"{values[1] + values[2]}"
            )
        elif axiom == "symmetry":
            a, b = witness
            values = (float(c[a, b]), float(c[b, a]))
            text = f"{edit(a, b)} costs {values[0]}, but {edit(b, a)} costs {values[1]}"
        else:
            values = (float(c[witness[0], witness[0]]),)
            text = f"{edit(witness[0], witness[0])} costs {values[0]}, not 0"
        return Violation(axiom, labels, values, f"{axiom}: {text}")

    def _price(self, old: tuple[bool, Label], new: tuple[bool, Label]) -> float:
        gap = len(self.alphabet)
        a, b = (gap if is_gap else self._index[label] for is_gap, label in (old, new))
        return float(self.matrix[a, b])

    def _core_table(self) -> "_core.CostTable":
        if self._cached is None:
            c = self.matrix
            parts = (c[:-1, :-1], c[:-1, -1], c[-1, :-1])
            self._cached = _core.CostTable(*(np.ascontiguousarray(p) for p in parts))
        return self._cached

    def _table(
        self, x: tuple[Label, ...], y: tuple[Label, ...]
    ) -> tuple["_core.CostTable", dict[Label, int] | None]:
        return self._core_table(), self._index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return NotImplemented
        return self.alphabet == other.alphabet and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash((self.alphabet, self.matrix.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return CostMatrix, (self.alphabet, self.matrix)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.alphabet)} labels>"


class EmbeddingCosts(CostMatrix):
    """Costs as Euclidean distances between vectors, with the gap at the origin.

    Replacing u by v costs the distance of their vectors, deleting or inserting u the
    length of its vector. Such costs are a pseudo-metric by construction.

    Parameters
    ----------
    alphabet : iterable of labels
        The U labels, each once.
    vectors : array-like of shape (U, k)
        One vector per label.

    Attributes
    ----------
    alphabet : tuple
        The labels.
    vectors : ndarray of shape (U, k)
        The vectors, read-only.
    matrix : ndarray of shape (U + 1, U + 1)
        The costs, read-only.

    Examples
    --------
    >>> from treemetric import EmbeddingCosts
    >>> EmbeddingCosts(["a", "b"], [[1.0, 0.0], [0.0, 1.0]]).matrix.round(3)
    array([[0.   , 1.414, 1.   ],
           [1.414, 0.   , 1.   ],
           [1.   , 1.   , 0.   ]])
    """

    vectors: FloatArray

    def __init__(self, alphabet: Iterable[Label], vectors: npt.ArrayLike) -> None:
        labels = tuple(alphabet)
        points = _as_floats(vectors, "vectors", "EmbeddingCosts")
        if points.ndim != 2 or len(points) != len(labels):
            must = f"of shape ({len(labels)}, k) for {len(labels)} labels"
            refuse("vectors", "EmbeddingCosts", must, f"shape {points.shape}")
        if not np.isfinite(points).all():
            row = int(np.argwhere(~np.isfinite(points))[0, 0])
            got = f"{points[row]} for {labels[row]!r}"
            refuse("vectors", "EmbeddingCosts", "finite", got)
        self.vectors = frozen(points)
        from scipy.spatial.distance import cdist  # heavy: imported where used

        padded = np.vstack([points, np.zeros((1, points.shape[1]))])
        super().__init__(labels, cdist(padded, padded))

    def __reduce__(self) -> tuple[Any, ...]:
        return EmbeddingCosts, (self.alphabet, self.vectors)


class CallableCosts(Costs):
    """Costs by a Python function.

    Parameters
    ----------
    fn : callable
        ``fn(a, b)`` is the cost of replacing label a by label b, ``fn(a, None)`` of
        deleting a, ``fn(None, b)`` of inserting b. It is called once per distinct pair
        of labels and call of a distance function, never per cell, so it may be slow,
        and the rest runs in parallel.

    Notes
    -----
    Costs that are not short decimals are rounded to a grid that depends on the largest
    one (see `CostMatrix`), hence on the trees of the call: the same pair can differ by
    1e-12 between two calls. ``to_matrix`` fixes the grid and is faster when used often.

    Examples
    --------
    >>> from treemetric import CallableCosts, Tree, distance
    >>> def cost(a, b):
    ...     return abs((a or 0) - (b or 0))
    >>> x, y = Tree.from_sequence([3, 4]), Tree.from_sequence([5])
    >>> distance(x, y, costs=CallableCosts(cost))
    4.0
    """

    def __init__(self, fn: CostFunction) -> None:
        if not callable(fn):
            refuse("fn", "CallableCosts", "an instance of 'Callable'", shown(fn))
        self.fn = fn

    def _call(self, a: Label | None, b: Label | None) -> float:
        cost: Any = self.fn(a, b)
        value = float(cost) if isinstance(cost, bool) else as_float(cost)
        if not 0 <= value < float("inf"):
            must = "a function that returns finite costs that are not negative"
            refuse("fn", "CallableCosts", must, f"fn({a!r}, {b!r}) = {shown(cost)}")
        return value

    def _price(self, old: tuple[bool, Label], new: tuple[bool, Label]) -> float:
        return self._call(old[1], new[1])

    def _parts(
        self, x: Sequence[Label], y: Sequence[Label]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        if None in x or None in y:
            message = "None stands for the gap in CallableCosts and cannot be a label"
            raise ValueError(message)
        replace = np.array([self._call(a, b) for a in x for b in y], dtype=np.float64)
        return (
            replace.reshape(len(x), len(y)),
            np.array([self._call(a, None) for a in x], dtype=np.float64),
            np.array([self._call(None, b) for b in y], dtype=np.float64),
        )

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> CostMatrix:
        """Call the function for all pairs of labels.

        Parameters
        ----------
        alphabet : iterable of labels
            The labels.

        Returns
        -------
        CostMatrix
            Their costs.

        Examples
        --------
        >>> from treemetric import CallableCosts
        >>> CallableCosts(lambda a, b: a != b).to_matrix("ab").is_pseudo_metric()
        True
        """
        if alphabet is None:
            message = "CallableCosts have no alphabet of their own; pass alphabet="
            raise ValueError(message)
        labels = tuple(dict.fromkeys(alphabet))
        replace, delete, insert = self._parts(labels, labels)
        matrix = np.zeros((len(labels) + 1, len(labels) + 1))
        matrix[:-1, :-1], matrix[:-1, -1], matrix[-1, :-1] = replace, delete, insert
        return CostMatrix(labels, matrix)

    def _table(
        self, x: tuple[Label, ...], y: tuple[Label, ...]
    ) -> tuple["_core.CostTable", dict[Label, int] | None]:
        return _core.CostTable(*self._parts(x, y)), None

    def __repr__(self) -> str:
        return f"CallableCosts({self.fn!r})"
