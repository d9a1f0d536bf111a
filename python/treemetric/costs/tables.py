"""Costs between the nodes of tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treemetric import _core
from treemetric._base.digest import digest
from treemetric._base.immutable import Immutable
from treemetric._base.typing import Label
from treemetric._base.validation import check_memory
from treemetric.costs.base import Costs, Resolved, Table, common_codes
from treemetric.costs.matrix import CostMatrix

if TYPE_CHECKING:
    from treemetric.treeset import TreeSet

# Bytes per entry of a matrix while it is made.
_MADE = 34


class TableCosts(Immutable, Costs):
    """Costs between the nodes of tables, as in TEDS.

    Labels are tuples ``(tag, colspan, rowspan, content)``, as `Tree.from_html_table` makes them.
    The content is a text, whose tokens are its characters, or a tuple of tokens, or None. Deleting
    and inserting cost 1. Replacing costs 1 if the tag, the colspan or the rowspan differ,
    otherwise the edit distance of the two contents (Levenshtein 1966, by tokens) divided by the
    number of tokens of the longer one, and 0 if both are empty.

    Only labels that meet in a pair of trees are compared, so there is no table of all contents.

    Notes
    -----
    Costs are rounded to multiples of 2**-36, and then all sums are exact; `to_matrix` returns the
    costs before rounding. The costs are symmetric, but not a metric: "ab" and "aba" cost 1/3, "aba"
    and "ba" cost 1/3, "ab" and "ba" cost 1.

    See Also
    --------
    treemetric.metrics.teds : The similarity of two tables.

    Examples
    --------
    >>> from treemetric import TableCosts, Tree, distance
    >>> labels = [("tr", None, None, None), ("td", 1, 1, "cat")]
    >>> x = Tree.from_parents(labels, [-1, 0])
    >>> y = x.map_labels(lambda label: (*label[:3], label[3] and "cut"))
    >>> round(distance(x, y, costs=TableCosts()), 9)
    0.333333333
    """

    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> CostMatrix:
        """Return the costs of an alphabet as a matrix.

        Parameters
        ----------
        alphabet : iterable of labels
            The labels, each once.

        Returns
        -------
        CostMatrix
            The costs; the memory is quadratic in the number of labels.

        Examples
        --------
        >>> from treemetric import TableCosts
        >>> labels = [("td", 1, 1, "ab"), ("td", 1, 1, ("a", "<br>")), ("td", 2, 1, "ab")]
        >>> TableCosts().to_matrix(labels).matrix
        array([[0. , 0.5, 1. , 1. ],
               [0.5, 0. , 1. , 1. ],
               [1. , 1. , 0. , 1. ],
               [1. , 1. , 1. , 0. ]])
        """
        labels = None if alphabet is None else tuple(dict.fromkeys(alphabet))
        self._check_alphabet(labels, "to_matrix")
        assert labels is not None
        n = len(labels)
        check_memory(_MADE * (n + 1) ** 2, f"a cost matrix of {n} labels")
        matrix = np.ones((n + 1, n + 1))
        matrix[-1, -1] = 0.0
        matrix[:n, :n] = _core.TextTable(labels).replace()
        return CostMatrix(labels, matrix)

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
        >>> from treemetric import TableCosts
        >>> TableCosts().is_symmetric()
        True
        """
        return True

    def _table(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> Table:
        labels, codes = common_codes(x, y)
        own = np.arange(len(x), dtype=np.uint32)
        return _core.TextTable(labels).table(own, codes), None

    def _resolve(self, X: TreeSet, Y: TreeSet | None) -> Resolved:
        # No table of all labels: labels are compared when they meet.
        other = X.alphabet if Y is None else Y.alphabet
        labels, codes = common_codes(X.alphabet, other)
        own = np.arange(len(X.alphabet), dtype=np.uint32)
        return (own, own if Y is None else codes), _core.TextTable(labels)

    def _frozen(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> TableCosts:
        return self

    def _fingerprint(self) -> str:
        return digest(b"tables")

    def __eq__(self, other: object) -> bool:
        return type(other) is TableCosts

    def __hash__(self) -> int:
        return hash(TableCosts)

    def __repr__(self) -> str:
        return "TableCosts()"
