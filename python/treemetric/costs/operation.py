"""One cost for each kind of edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treemetric import _core
from treemetric._base.digest import digest
from treemetric._base.immutable import Immutable
from treemetric._base.typing import Label
from treemetric._base.validation import as_float, refuse, shown
from treemetric.costs.base import SLACK, TOLERANCE, Costs, Resolved, Symbol, Table
from treemetric.costs.matrix import LARGEST, MADE, CostMatrix, check_labels

if TYPE_CHECKING:
    from treemetric.tree import Tree
    from treemetric.treeset import TreeSet


class OperationCosts(Immutable, Costs):
    """One cost for deleting, one for inserting and one for replacing, for any labels.

    Keeping a label costs 0. There is no alphabet and no table of labels. The smaller the costs are
    as whole numbers of a common unit, the faster the distances; 1, 1 and 1 are unit costs.

    Parameters
    ----------
    delete : float, default=1.0
        The cost of deleting a node.
    insert : float, default=1.0
        The cost of inserting a node.
    replace : float, default=1.0
        The cost of replacing a label by a different one. ``inf`` means that nodes with
        different labels are never paired.

    Raises
    ------
    ValueError
        If a cost is negative or NaN, or if deleting or inserting is infinite.

    See Also
    --------
    UnitCosts : All three cost 1.
    CostMatrix : Costs that depend on the labels.

    Notes
    -----
    If replacing costs more than deleting and inserting together, labels are never replaced, but
    the costs violate the triangle inequality; `closure` returns costs that satisfy it, with the
    same distances. Distances are symmetric if deleting costs as much as inserting.

    Examples
    --------
    >>> from treemetric import OperationCosts, Tree, distance
    >>> x, y = Tree.from_sequence("kitten"), Tree.from_sequence("sitting")
    >>> distance(x, y, costs=OperationCosts(delete=1, insert=0.8, replace=1))
    2.8
    >>> distance(x, y, costs=OperationCosts(replace=float("inf")))
    5.0
    """

    delete: float
    insert: float
    replace: float
    _prepared: _core.CostTable

    _same_for_all_trees = True

    def __init__(self, delete: float = 1.0, insert: float = 1.0, replace: float = 1.0) -> None:
        costs = {"delete": delete, "insert": insert, "replace": replace}
        values = {name: as_float(cost) + 0.0 for name, cost in costs.items()}
        largest = max((value for value in values.values() if value < float("inf")), default=0.0)
        for name, value in values.items():
            never = name == "replace" and value == float("inf")
            if not (0 <= value <= LARGEST or never):
                must = f"a float in the range [0.0, {LARGEST:g}]" + " or inf" * (name == "replace")
                refuse(name, "OperationCosts", must, shown(costs[name]))
        if 0 < largest < 1 / LARGEST:
            name = next(name for name, value in values.items() if value == largest)
            must = f"0 or at least {1 / LARGEST:g} if it is the largest cost"
            refuse(name, "OperationCosts", must, shown(costs[name]))
        self._put(**values, _prepared=_core.CostTable.operations(**values))

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> CostMatrix:
        """Return the costs of an alphabet as a matrix.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels; none by default.

        Returns
        -------
        CostMatrix
            The costs of these labels.

        Examples
        --------
        >>> from treemetric import OperationCosts
        >>> OperationCosts(delete=2, insert=3, replace=1).to_matrix("ab").matrix
        array([[0., 1., 2.],
               [1., 0., 2.],
               [3., 3., 0.]])
        """
        labels = () if alphabet is None else tuple(dict.fromkeys(alphabet))
        check_labels(len(labels), MADE)
        matrix = np.full((len(labels) + 1, len(labels) + 1), self.replace)
        matrix[:, -1], matrix[-1, :] = self.delete, self.insert
        np.fill_diagonal(matrix, 0.0)
        return CostMatrix(labels, matrix)

    def closure(self, alphabet: Iterable[Label] | None = None) -> OperationCosts:
        """Return the costs of the cheapest chains of edits to one node.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Ignored.

        Returns
        -------
        OperationCosts
            Replacing costs at most as much as deleting and inserting.

        Examples
        --------
        >>> from treemetric import OperationCosts
        >>> OperationCosts(replace=5).closure()
        OperationCosts(delete=1.0, insert=1.0, replace=2.0)
        """
        detour = self.delete + self.insert
        if self.replace <= detour:
            return self
        return OperationCosts(self.delete, self.insert, detour)

    def is_symmetric(self, alphabet: Iterable[Label] | None = None) -> bool:
        """Check whether deleting costs as much as inserting.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Ignored.

        Returns
        -------
        bool
            True if the distance is symmetric.

        Examples
        --------
        >>> from treemetric import OperationCosts
        >>> OperationCosts(delete=2).is_symmetric()
        False
        """
        return self._prepared.is_symmetric()

    def is_pseudo_metric(
        self, alphabet: Iterable[Label] | None = None, *, tol: float = TOLERANCE
    ) -> bool:
        """Check whether the costs are a pseudo-metric; if so, the distance is one too.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to check; any labels by default.
        tol : float, default=1e-9
            Differences up to this share of the largest cost are ignored.

        Returns
        -------
        bool
            True if deleting costs as much as inserting, and replacing at most as much as both.

        Examples
        --------
        >>> from treemetric import OperationCosts
        >>> OperationCosts(2, 2, 3).is_pseudo_metric()
        True
        >>> OperationCosts(2, 2, 5).is_pseudo_metric()
        False
        """
        labels = ("a", "b") if alphabet is None else alphabet
        return not self.violations(labels, tol=tol)

    def _known_metric(self, labels: tuple[Label, ...] | None, tol: float) -> bool:
        if self.replace == float("inf"):
            return False
        slack = tol * max(self.delete, self.insert, self.replace)
        uneven = abs(self.delete - self.insert) > slack
        return not uneven and self.replace <= self.delete + self.insert + slack

    def _cost(self, old: Symbol, new: Symbol) -> float:
        if old == new:
            return 0.0
        return self.insert if old[0] else self.delete if new[0] else self.replace

    def _table(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> Table:
        return self._prepared, None

    def _pair_table(self, x: Tree, y: Tree) -> Table:
        return self._prepared, None

    def _resolve(self, X: TreeSet, Y: TreeSet | None) -> Resolved:
        # Y keeps its own codes, because an index stores them.
        codes = None if Y is None else Y._codes_of(X.alphabet)
        return (codes, None), self._prepared

    def _frozen(self, x: Any, y: Any) -> OperationCosts:
        return self

    def _fingerprint(self) -> str:
        return digest(b"operations", np.array([self.delete, self.insert, self.replace]))

    def _least_gap(self, x: Any, y: Any) -> float:
        return min(self.delete, self.insert)

    def _triangle_slack(self) -> float | None:
        if not self._known_metric(None, TOLERANCE):
            return None
        return 2 * SLACK * max(self.delete, self.insert, self.replace)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OperationCosts):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((OperationCosts, self.delete, self.insert, self.replace))

    def __reduce__(self) -> tuple[Any, ...]:
        return OperationCosts, (self.delete, self.insert, self.replace)

    def __repr__(self) -> str:
        costs = f"delete={self.delete}, insert={self.insert}, replace={self.replace}"
        return f"OperationCosts({costs})"
