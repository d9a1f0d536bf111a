"""The interface of all kinds of costs."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from treemetric import _core
from treemetric._base.digest import digest
from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import as_float, check_large, refuse, shown

if TYPE_CHECKING:
    from treemetric.costs.matrix import CostMatrix
    from treemetric.tree import Tree
    from treemetric.treeset import TreeSet

# Nodes of two trees; None is the gap.
NodePair = tuple[int | None, int | None]
# A label, and whether it is the gap: None can be a label.
Symbol = tuple[bool, Label]
# Replacing, deleting and inserting, for the labels of two alphabets.
Parts = tuple[FloatArray, FloatArray, FloatArray]
# A table and the index of its labels; see `Costs._table`.
Table = tuple["_core.CostTable | None", dict[Label, int] | None]
# The codes of two alphabets, and the costs of these codes; see `Costs._resolve`.
Codes = tuple[Any, Any]
Resolved = tuple[Codes, "_core.CostTable | _core.VectorTable | _core.TextTable | None"]

# Bytes per entry of a matrix that its closure or its violations need.
_WORKED = 34

TOLERANCE = 1e-9
# `is_pseudo_metric` ignores violations up to `TOLERANCE` of the largest cost, and rounding costs
# to a grid adds three halves of 2**-39; rounded up.
SLACK = 1.1e-9


class Violation(NamedTuple):
    """A violated axiom of pseudo-metrics, with the labels that violate it most.

    Attributes
    ----------
    axiom : {'self-identity', 'symmetry', 'triangle'}
        The violated axiom.
    labels : tuple
        The witnesses: ``(a,)``, ``(a, b)`` or ``(a, z, b)``, where replacing a by z and z by b
        is cheaper than replacing a by b. None is the gap.
    values : tuple of float
        The costs that violate the axiom.
    message : str
        The violation as a sentence.

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
    """Base class of all kinds of costs.

    Functions that have a parameter ``costs`` accept an instance of any kind: `UnitCosts`,
    `OperationCosts`, `CostMatrix`, `EmbeddingCosts`, `VectorCosts`, `TableCosts`, `CallableCosts`,
    or a class of your own. Functions that compare one pair of trees also accept `PairCosts`. A
    plain function ``fn(a, b)`` is accepted as well and wrapped in `CallableCosts`.

    Notes
    -----
    A class of your own implements `to_matrix`; this is enough for every function of the package.
    The labels of one call are passed together, so the method is called once per call and may be
    slow. Set ``_has_own_alphabet = True`` if ``to_matrix()`` works without an alphabet. The other
    methods with an underscore have defaults that follow from `to_matrix`; override those that can
    be faster. Instances must not change after they are made.

    Examples
    --------
    Costs of edits between numbers:

    >>> import numpy as np
    >>> from treemetric import CostMatrix, Costs, Tree, distance
    >>> class Differences(Costs):
    ...     def to_matrix(self, alphabet=None):
    ...         labels = tuple(alphabet)
    ...         values = np.array([*labels, 0.0])
    ...         return CostMatrix(labels, abs(values[:, None] - values))
    >>> distance(Tree.from_sequence([3, 4]), Tree.from_sequence([5]), costs=Differences())
    4.0
    """

    @abstractmethod
    def to_matrix(self, alphabet: Iterable[Label] | None = None) -> CostMatrix:
        """Return the costs of an alphabet as a matrix.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels, each once. Only costs with an alphabet of their own accept None.

        Returns
        -------
        CostMatrix
            The costs of these labels, in this order.

        Examples
        --------
        >>> from treemetric import UnitCosts
        >>> UnitCosts().to_matrix("ab").alphabet
        ('a', 'b')
        """

    def violations(
        self, alphabet: Iterable[Label] | None = None, *, tol: float = TOLERANCE
    ) -> list[Violation]:
        """List the violated axioms of a pseudo-metric, each with its worst witness.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to check, for costs that have no alphabet of their own.
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
        labels = None if alphabet is None else tuple(alphabet)
        if self._known_metric(labels, tol):
            return []
        self._check_alphabet(labels, "violations")
        return self._worked_matrix(labels)._find_violations(tol)

    def is_pseudo_metric(
        self, alphabet: Iterable[Label] | None = None, *, tol: float = TOLERANCE
    ) -> bool:
        """Check whether the costs are a pseudo-metric; if so, the distance is one too.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to check, for costs that have no alphabet of their own.
        tol : float, default=1e-9
            Differences up to this share of the largest cost are ignored.

        Returns
        -------
        bool
            True if no axiom is violated.

        Examples
        --------
        >>> from treemetric import CostMatrix
        >>> CostMatrix(["a"], [[0, 1], [2, 0]]).is_pseudo_metric()
        False
        """
        return not self.violations(alphabet, tol=tol)

    def is_symmetric(self, alphabet: Iterable[Label] | None = None) -> bool:
        """Check whether every edit costs as much as its inverse.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to check, for costs that have no alphabet of their own.

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

    def closure(self, alphabet: Iterable[Label] | None = None) -> Costs:
        """Return the costs of the cheapest chains of edits to one node.

        The closure satisfies the triangle inequality and costs 0 from a label to itself. The
        distance under it is the cost of the cheapest edit script under these costs.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            The labels to check, for costs that have no alphabet of their own.

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
        from treemetric.costs.matrix import CostMatrix  # which is a subclass of this

        costs = self._worked_matrix(None if alphabet is None else tuple(alphabet))
        return CostMatrix(costs.alphabet, _core.closure(costs.matrix))

    # The methods that the rest of the package uses. Each method has a default that follows from
    # `to_matrix` and is correct for every kind; a kind overrides what it can do better.

    # True if `to_matrix()` works without an alphabet: these labels, and no others, have costs.
    _has_own_alphabet: ClassVar[bool] = False
    # True if the codes and the table of a set of trees do not depend on the other set, so that an
    # index can keep them.
    _same_for_all_trees: ClassVar[bool] = False
    # True if the costs belong to the nodes of one pair of trees; functions of many trees refuse
    # them.
    _for_one_pair: ClassVar[bool] = False
    # True if searches are faster with pivots.
    _pivots_pay: ClassVar[bool] = False

    def _cost(self, old: Symbol, new: Symbol) -> float:
        """Return the cost of one edit."""
        labels = dict.fromkeys(label for is_gap, label in (old, new) if not is_gap)
        return self.to_matrix(tuple(labels))._cost(old, new)

    def _edit_costs(self, x: Tree, y: Tree, pairs: Iterable[NodePair]) -> list[float]:
        """Return the costs of edits of nodes: pairs, deletions (i, None) and insertions."""
        old, new = x.labels, y.labels
        # Once per pair of labels: a cost may be a Python function of the user.
        known: dict[Any, float] = {}
        costs = []
        for i, j in pairs:
            key = (
                (i is None, None if i is None else old[i]),
                (j is None, None if j is None else new[j]),
            )
            if key not in known:
                known[key] = self._cost(*key)
            costs.append(known[key])
        return costs

    def _inverse(self) -> Costs:
        """Return the costs of turning y into x, if these are the costs of turning x into y."""
        return self

    def _parts(self, x: Sequence[Label], y: Sequence[Label]) -> Parts:
        """Return the costs of replacing labels of x by labels of y, deleting x, inserting y."""
        labels = tuple(dict.fromkeys((*x, *y)))
        costs = self.to_matrix(labels)
        rows, columns = (_core.encode(tuple(side), costs._index) for side in (x, y))
        matrix = costs.matrix
        return matrix[np.ix_(rows, columns)], matrix[rows, -1], matrix[-1, columns]

    def _table(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> Table:
        """Return a table for two alphabets.

        The index holds the positions of labels in the table; None means that the rows of the
        table are the labels of x and its columns those of y.
        """
        return _core.CostTable(*self._parts(x, y)), None

    def _pair_table(self, x: Tree, y: Tree) -> Table:
        """Return the table for one pair of trees as `_table` does; (None, None) for unit costs."""
        return self._table(x._data.alphabet, y._data.alphabet)

    def _resolve(self, X: TreeSet, Y: TreeSet | None) -> Resolved:
        """Return the codes of the labels of two sets of trees, and the costs of these codes.

        Codes are None for a set whose own codes are used; no table means unit costs. With Y=None
        the trees of X are compared with each other.
        """
        other = X if Y is None else Y
        table, index = self._table(X.alphabet, other.alphabet)
        if index is None:
            return (None, None), table
        codes = _core.encode(X.alphabet, index)
        return (codes, codes if Y is None else _core.encode(other.alphabet, index)), table

    def _frozen(self, x: tuple[Label, ...], y: tuple[Label, ...]) -> Costs:
        """Return costs for two alphabets that can be pickled and have a `_fingerprint`.

        They are computed once and sent to other processes, where the class of these costs may
        not exist.
        """
        from treemetric.costs.frozen import FrozenCosts  # which is a subclass of this

        return FrozenCosts(self._parts(x, y))

    def _fingerprint(self) -> str:
        """Return a text that is the same for equal costs in every process and every run."""
        return digest(b"other", pickle.dumps(self, protocol=4))

    def _least_gap(self, x: Sequence[Label], y: Sequence[Label]) -> float:
        """Return a lower bound of the costs of deleting labels of x and inserting labels of y.

        Trees that differ by k nodes are at least k times this cost apart, so a join by size skips
        most pairs. 0 if no bound is known.
        """
        return 0.0

    def _triangle_slack(self) -> float | None:
        """Return twice the largest violation of symmetry or of the triangle inequality.

        Return None if the costs are not a pseudo-metric up to rounding, or if that is unknown:
        costs without an alphabet of their own can be anything for labels of future trees. Searches
        subtract the slack for every node; see ``rust/pairwise/search/query.rs``.
        """
        if not (self._has_own_alphabet and self.is_pseudo_metric()):
            return None
        return 2 * SLACK * float(self.to_matrix().matrix.max())

    def _total(self, alphabet: tuple[Label, ...], counts: Any) -> FloatArray:
        """Return the total costs of counted edits, one per row of `counts`.

        The columns of the sparse matrix are the edits of an alphabet: old labels by new ones, the
        gap last, row by row.
        """
        costs = self.to_matrix(alphabet).matrix.ravel()
        never = np.isinf(costs)
        total: FloatArray = counts @ np.where(never, 0.0, costs)
        if never.any():
            total[(counts @ never.astype(np.float64)) > 0] = np.inf
        return total

    def _has_some(self, labels: Iterable[Label]) -> bool:
        """Return False if all edits of these labels cost 0 because the costs know none of them."""
        return True

    def _unseen(self, labels: Iterable[Label]) -> list[Label]:
        """Return the labels without costs, which learners handle by their parameter `unseen`."""
        return []

    def _extended(self, labels: Iterable[Label]) -> Costs:
        """Return costs that also cover unseen labels, which behave like the gap."""
        return self

    def _closed(self) -> Costs:
        """Return costs under which the cheapest alignment is the cheapest edit script."""
        return self

    def _check_alphabet(self, labels: tuple[Label, ...] | None, function: str) -> None:
        """Check that labels are given for costs that have none of their own."""
        if labels is None and not self._has_own_alphabet:
            kind = type(self).__name__
            advice = f"{kind} have no alphabet of their own; pass alphabet=."
            refuse("alphabet", f"{kind}.{function}", "a collection of labels", "None", advice)

    def _known_metric(self, labels: tuple[Label, ...] | None, tol: float) -> bool:
        """Return True if the axioms hold up to `tol` by construction, so no check is needed."""
        return False

    def _worked_matrix(self, labels: tuple[Label, ...] | None) -> CostMatrix:
        """Return the matrix for work that needs memory in addition to it."""
        costs = self.to_matrix(labels)
        side = len(costs.matrix)
        check_large(_WORKED * side**2, f"a closure or a check of axioms for {side - 1} labels")
        return costs


def common_codes(x: tuple[Label, ...], y: tuple[Label, ...]) -> tuple[tuple[Label, ...], Any]:
    """Return the union of two alphabets, x first, and the codes of y in it."""
    index = {label: code for code, label in enumerate(x)}
    codes = [index.setdefault(label, len(index)) for label in y]
    return tuple(index), np.array(codes, dtype=np.uint32)
