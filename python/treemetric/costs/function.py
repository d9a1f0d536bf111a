"""Costs from a Python function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from treemetric._base.immutable import Immutable
from treemetric._base.typing import CostFunction, Label
from treemetric._base.validation import as_float, check_large, refuse, shown
from treemetric.costs.base import Costs, Parts, Symbol
from treemetric.costs.matrix import MADE, CostMatrix, check_labels


class CallableCosts(Immutable, Costs):
    """Edit costs from a Python function of two labels.

    Parameters
    ----------
    fn : callable
        ``fn(a, b)`` is the cost of replacing label a by label b, ``fn(a, None)`` of
        deleting a, ``fn(None, b)`` of inserting b. It is called once per distinct pair
        of labels and call of a distance function, so it may be slow. The rest runs in
        parallel. A replacement that costs ``inf`` is never made; deleting and inserting must
        be finite.

    Notes
    -----
    Costs that are not short decimals are rounded to a grid that depends on the largest cost (see
    `CostMatrix`), hence on the trees of the call: distances of the same pair can differ between
    two calls, for each edited node by up to 2e-12 of the largest cost among the labels of these
    calls. ``to_matrix`` fixes the grid and is faster for repeated calls.

    Functions with a parameter ``costs`` also accept the function itself.

    Examples
    --------
    >>> from treemetric import CallableCosts, Tree, distance
    >>> def cost(a, b):
    ...     return abs((a or 0) - (b or 0))
    >>> x, y = Tree.from_sequence([3, 4]), Tree.from_sequence([5])
    >>> distance(x, y, costs=CallableCosts(cost))
    4.0
    """

    fn: CostFunction

    def __init__(self, fn: CostFunction) -> None:
        if not callable(fn):
            refuse("fn", "CallableCosts", "an instance of 'Callable'", shown(fn))
        self._put(fn=fn)

    def _call(self, a: Label | None, b: Label | None) -> float:
        cost: Any = self.fn(a, b)
        value = float(cost) if isinstance(cost, bool) else as_float(cost)
        never = value == float("inf") and a is not None and b is not None
        if not (0 <= value < float("inf") or never):
            must = "a function that returns costs that are not negative, and finite for the gap"
            refuse("fn", "CallableCosts", must, f"fn({a!r}, {b!r}) = {shown(cost)}")
        return value

    def _cost(self, old: Symbol, new: Symbol) -> float:
        return self._call(old[1], new[1])

    def _parts(self, x: Sequence[Label], y: Sequence[Label]) -> Parts:
        if None in x or None in y:
            message = "None means the gap in CallableCosts and cannot be a label"
            raise ValueError(message)
        check_large(8 * len(x) * len(y), f"the costs of {len(x)} x {len(y)} pairs of labels")
        calls = (self._call(a, b) for a in x for b in y)
        replace = np.fromiter(calls, dtype=np.float64, count=len(x) * len(y))
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
        check_labels(len(labels), MADE + 8)  # before any call
        replace, delete, insert = self._parts(labels, labels)
        matrix = np.zeros((len(labels) + 1, len(labels) + 1))
        matrix[:-1, :-1], matrix[:-1, -1], matrix[-1, :-1] = replace, delete, insert
        return CostMatrix(labels, matrix)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CallableCosts):
            return NotImplemented
        return bool(self.fn == other.fn)

    def __hash__(self) -> int:
        return hash((CallableCosts, self.fn))

    def __deepcopy__(self, memo: dict[int, Any]) -> CallableCosts:
        # Unlike other values, the function may be an object with a state.
        return CallableCosts(deepcopy(self.fn, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return CallableCosts, (self.fn,)

    def __repr__(self) -> str:
        return f"CallableCosts({self.fn!r})"
