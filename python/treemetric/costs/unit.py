"""Every edit costs 1."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treemetric._base.typing import Label
from treemetric.costs.base import Costs
from treemetric.costs.matrix import CostMatrix

if TYPE_CHECKING:
    from treemetric import _core


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
