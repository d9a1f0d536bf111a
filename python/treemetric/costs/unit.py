"""Every edit costs 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from treemetric._base.immutable import Immutable
from treemetric._base.typing import Label
from treemetric.costs.base import Costs, Resolved, Symbol, Table
from treemetric.costs.matrix import MADE, CostMatrix, check_labels

if TYPE_CHECKING:
    from treemetric.tree import Tree
    from treemetric.treeset import TreeSet


class UnitCosts(Immutable, Costs):
    """Unit costs, the default: every edit costs 1.

    Examples
    --------
    >>> from treemetric import Tree, UnitCosts, distance
    >>> x, y = Tree.from_sequence("kitten"), Tree.from_sequence("sitting")
    >>> distance(x, y, costs=UnitCosts())
    3.0
    """

    _same_for_all_trees = True

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> CostMatrix:
        """Return the unit costs of an alphabet as a matrix.

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
        check_labels(len(labels), MADE)
        matrix = np.ones((len(labels) + 1, len(labels) + 1))
        np.fill_diagonal(matrix, 0.0)
        return CostMatrix(labels, matrix)

    def closure(self, alphabet: Iterable[Label] | None = None) -> UnitCosts:
        """Return the unit costs themselves: no chain of edits is cheaper than one edit.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Ignored.

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
        >>> from treemetric import UnitCosts
        >>> UnitCosts().is_symmetric()
        True
        """
        return True

    def _known_metric(self, labels: tuple[Label, ...] | None, tol: float) -> bool:
        return True

    def _cost(self, old: Symbol, new: Symbol) -> float:
        return float(old != new)

    def _pair_table(self, x: Tree, y: Tree) -> Table:
        return None, None

    def _resolve(self, X: TreeSet, Y: TreeSet | None) -> Resolved:
        # Y keeps its own codes, because an index stores them.
        codes = None if Y is None else Y._codes_of(X.alphabet)
        return (codes, None), None

    def _frozen(self, x: Any, y: Any) -> UnitCosts:
        return self

    def _fingerprint(self) -> str:
        return "unit"

    def _least_gap(self, x: Any, y: Any) -> float:
        return 1.0

    def _triangle_slack(self) -> float:
        return 0.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnitCosts)

    def __hash__(self) -> int:
        return hash(UnitCosts)

    def __repr__(self) -> str:
        return "UnitCosts()"
