"""Costs from a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.arrays import frozen
from treemetric._base.digest import digest, label_bytes
from treemetric._base.immutable import Immutable
from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import check_large, count_of, refuse, refuse_set
from treemetric.costs.base import TOLERANCE, Costs, Parts, Symbol, Table, Violation

LARGEST = 1e200  # so that no sum of costs overflows


# Bytes per entry of a matrix while it is copied and checked, and with the array that it is made of.
_COPIED, MADE = 10, 18


def check_labels(count: int, nbytes: int) -> None:
    """Check that a cost matrix fits in memory, given its bytes per entry."""
    check_large(nbytes * (count + 1) ** 2, f"a cost matrix of {count_of(count, 'label')}")


def as_floats(values: npt.ArrayLike, parameter: str, owner: str) -> FloatArray:
    """Check that values are real numbers, and copy them to a new float64 array."""
    array = np.array(values)
    if array.size and array.dtype.kind not in "biuf":
        refuse(parameter, owner, "an array of real numbers", f"dtype {array.dtype}")
    return np.asarray(array, dtype=np.float64, order="C")


class CostMatrix(Immutable, Costs):
    """Edit costs from a table with a row and a column for each label and for the gap.

    Parameters
    ----------
    alphabet : iterable of labels
        The U labels, each once.
    matrix : array-like of shape (U + 1, U + 1)
        ``matrix[i, j]`` is the cost of replacing label i by label j. The last column
        holds the costs of deleting, the last row the costs of inserting. Entries must be
        non-negative, and the last one 0. The matrix need not be symmetric. A cost of ``inf``
        means that two labels are never paired; deleting and inserting must be finite.

    Attributes
    ----------
    alphabet : tuple
        The labels.
    matrix : ndarray of shape (U + 1, U + 1)
        The costs, read-only.

    Raises
    ------
    ValueError
        If the shape is wrong, a label occurs twice, an entry is NaN or negative, or deleting
        or inserting is infinite.

    Notes
    -----
    Integers up to 2**40 and short decimals (such as 0.25 or 1.50, with at most nine decimals, and
    at most 2**40 without the point) are used without rounding, and distances are correctly rounded
    sums. Other costs are first rounded to a grid, which changes each cost by at most 2**-40
    (9.1e-13) of the largest finite cost. If some costs are smaller than 1/2048 of the largest, the
    grid is so fine that each changes by at most 2e-9 of itself, down to 1e-21 of the largest; those
    below 1e-30 of it can become 0. Costs that differ by more than two million times are slower.
    Sums are exact after that: the distance of a tree to itself is exactly 0, distances are exactly
    symmetric if the costs are, and all methods return the same bits.

    Labels with a cost of ``inf`` are never paired: no alignment contains such a pair, even if
    deleting and inserting costs as much as another replacement. A label can be kept from being
    paired with itself in the same way; then a tree with this label has a positive distance to
    itself. The closure treats ``inf`` as a missing edit.

    Examples
    --------
    >>> from treemetric import CostMatrix, Tree, distance
    >>> costs = CostMatrix(["a", "b"], [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    >>> distance(Tree.from_sequence("aa"), Tree.from_sequence("b"), costs=costs)
    1.5
    """

    alphabet: tuple[Label, ...]
    matrix: FloatArray
    _index: dict[Label, int]
    _cached: _core.CostTable | None

    _has_own_alphabet = True
    _same_for_all_trees = True

    def __init__(self, alphabet: Iterable[Label], matrix: npt.ArrayLike) -> None:
        owner = type(self).__name__
        refuse_set(alphabet, "alphabet", owner)
        labels = tuple(alphabet)
        index = {label: code for code, label in enumerate(labels)}
        if len(index) != len(labels):
            twice = next(label for code, label in enumerate(labels) if index[label] != code)
            refuse("alphabet", owner, "a list of different labels", f"{twice!r} twice")
        check_labels(len(labels), _COPIED)
        # A copy, so that the caller cannot write to it.
        costs = as_floats(matrix, "matrix", owner)
        side = len(labels) + 1
        if costs.shape != (side, side):
            must = f"of shape ({side}, {side}) for {side - 1} labels and the gap"
            refuse("matrix", owner, must, f"shape {costs.shape}")
        costs += 0.0  # -0.0 becomes 0.0: equal costs must have equal bytes
        self._put(alphabet=labels, matrix=frozen(costs), _index=index, _cached=None)
        self._check_entries()

    def _check_entries(self) -> None:
        bad = ~((self.matrix <= LARGEST) & (self.matrix >= 0))
        bad[:-1, :-1] &= self.matrix[:-1, :-1] != np.inf
        largest = self._largest()
        bad |= (self.matrix == largest) & (largest > 0) & (largest < 1 / LARGEST)
        bad[-1, -1] |= self.matrix[-1, -1] != 0
        if bad.any():
            a, b = np.argwhere(bad)[0].tolist()
            gap = len(self.alphabet)
            bound = f"at most {LARGEST:g} (and the largest at least {1 / LARGEST:g}, or 0)"
            must = "0 for the gap" if a == b == gap else f"finite, not negative and {bound}"
            if gap not in (a, b):
                must = f"not negative and {bound}, or inf for labels that are never paired"
            got = f"{self.matrix[a, b]} at [{a}, {b}] for {self._edit(a, b)}"
            refuse("matrix", type(self).__name__, must, got)

    def _largest(self) -> float:
        """Return the largest finite cost."""
        return float(self.matrix.max(where=self.matrix < np.inf, initial=0.0))

    def _label(self, code: int) -> Label | None:
        return self.alphabet[code] if code < len(self.alphabet) else None

    def _edit(self, a: int, b: int) -> str:
        """Return an edit in words."""
        gap = len(self.alphabet)
        if a == gap and b == gap:
            return "the gap by itself"
        if b == gap:
            return f"deleting {self._label(a)!r}"
        if a == gap:
            return f"inserting {self._label(b)!r}"
        return f"replacing {self._label(a)!r} by {self._label(b)!r}"

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> CostMatrix:
        """Return these costs, or the costs of some of the labels.

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
        check_labels(len(labels), MADE)
        chosen = [*_core.encode(labels, self._index).tolist(), len(self.alphabet)]
        return CostMatrix(labels, self.matrix[np.ix_(chosen, chosen)])

    def _find_violations(self, tol: float) -> list[Violation]:
        costs = self.matrix
        found = _core.violations(costs, tol * self._largest())
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

    def _cost(self, old: Symbol, new: Symbol) -> float:
        gap = len(self.alphabet)
        a, b = (gap if is_gap else self._index[label] for is_gap, label in (old, new))
        return float(self.matrix[a, b])

    def _core_table(self) -> _core.CostTable:
        if self._cached is None:
            everything = slice(len(self.alphabet))
            self._put(_cached=_core.CostTable(*self._slices(everything, everything)))
        return self._cached  # type: ignore[return-value]  # just set

    def _slices(self, rows: Any, columns: Any) -> Parts:
        c = self.matrix
        replace = c[rows][:, columns]
        parts = (replace, c[rows, -1], c[-1, columns])
        return tuple(np.ascontiguousarray(part) for part in parts)  # type: ignore[return-value]

    def _parts(self, x: Sequence[Label], y: Sequence[Label]) -> Parts:
        return self._slices(*(_core.encode(tuple(side), self._index) for side in (x, y)))

    def _table(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> Table:
        return self._core_table(), self._index

    def _frozen(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> CostMatrix:
        return self

    def _fingerprint(self) -> str:
        return digest(b"matrix", *map(label_bytes, self.alphabet), self.matrix)

    def _least_gap(self, x: Sequence[Label], y: Sequence[Label]) -> float:
        rows, columns = (_core.encode(tuple(side), self._index) for side in (x, y))
        gaps = np.concatenate([self.matrix[rows, -1], self.matrix[-1, columns]])
        return float(gaps.min(initial=np.inf))

    def _unseen(self, labels: Iterable[Label]) -> list[Label]:
        return [label for label in dict.fromkeys(labels) if label not in self._index]

    def _extended(self, labels: Iterable[Label]) -> CostMatrix:
        """Add labels that behave like the gap.

        Let m be the mean cost of deleting a known label. An added label s costs m to delete and to
        insert. Against a known label u, c(s, u) = max(m, c(-, u)) and c(u, s) = max(m, c(u, -)).
        Against another added label it costs m, and against itself 0.

        The triangle inequality still holds. Let g(u) = c(u, -) or c(-, u), depending on the
        direction. Through s: c(u, v) <= g(u) + g(v) <= c(u, s) + c(s, v). From s through v:
        m <= c(s, v), and g(u) <= g(v) + c(v, u) <= c(s, v) + c(v, u). To the gap through v:
        m <= c(s, v). From s through the gap: max(m, g(u)) <= m + g(u). Two added labels:
        m <= 2 m, m <= c(s, u), and c(s, u) <= m + c(s', u). Symmetric costs stay symmetric, and
        unit costs become unit costs.
        """
        new = self._unseen(labels)
        if not new:
            return self
        known = len(self.alphabet)
        # With no known label every edit costs 1.
        mean = float(self.matrix[:-1, -1].mean()) if known else 1.0
        side = known + len(new) + 1
        matrix = np.full((side, side), mean)
        old = np.r_[:known, side - 1]
        matrix[np.ix_(old, old)] = self.matrix
        matrix[known:-1, :known] = np.maximum(mean, self.matrix[-1, :-1])
        matrix[:known, known:-1] = np.maximum(mean, self.matrix[:-1, -1])[:, None]
        np.fill_diagonal(matrix[known:, known:], 0.0)
        return CostMatrix((*self.alphabet, *new), matrix)

    def _known_metric(self, labels: tuple[Label, ...] | None, tol: float) -> bool:
        """Return True if no cost is more than twice another one, so that no detour is cheaper.

        The check of all detours is cubic in the number of labels.
        """
        c, side = self.matrix, len(self.matrix)
        if labels is not None or side < 2 or c.diagonal().any():
            return False
        # All entries but those of the diagonal, without a copy.
        others = c.ravel()[1:].reshape(side - 1, side + 1)[:, :-1]
        return bool(others.max() <= 2.0 * others.min()) and np.array_equal(c, c.T)

    def _closed(self) -> CostMatrix:
        if self._known_metric(None, TOLERANCE) or self.is_pseudo_metric():
            return self
        return CostMatrix(self.alphabet, _core.closure(self.matrix))

    def _gram_matrix(self) -> FloatArray:
        """Return the inner products of the labels as points, with the gap at the origin."""
        squared = ((self.matrix + self.matrix.T) / 2) ** 2
        to_gap = squared[:-1, -1]
        gram: FloatArray = (to_gap[:, None] + to_gap[None, :] - squared[:-1, :-1]) / 2
        return gram

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return NotImplemented
        return self.alphabet == other.alphabet and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash((self.alphabet, self.matrix.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return CostMatrix, (self.alphabet, self.matrix)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {count_of(len(self.alphabet), 'label')}>"
