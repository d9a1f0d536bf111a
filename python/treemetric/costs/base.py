"""What all kinds of costs have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from treemetric import _core
from treemetric._base.typing import Label
from treemetric._base.validation import as_float, refuse, shown

if TYPE_CHECKING:
    from treemetric.costs.matrix import CostMatrix

_TOLERANCE = 1e-9


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
    `EmbeddingCosts`, `VectorCosts` and `CallableCosts` are the kinds there are.

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
        labels = None if alphabet is None else tuple(alphabet)
        if self._known_metric(labels, tol):
            return []
        return self._worked_matrix(labels)._find_violations(tol)

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
        from treemetric.costs.matrix import CostMatrix  # which is a subclass of this

        costs = self._worked_matrix(None if alphabet is None else tuple(alphabet))
        return CostMatrix(costs.alphabet, _core.closure(costs.matrix))

    def _known_metric(self, labels: tuple[Label, ...] | None, tol: float) -> bool:
        """Tell whether the axioms hold up to `tol` by construction, so that none is looked at."""
        return False

    def _worked_matrix(self, labels: tuple[Label, ...] | None) -> "CostMatrix":
        """Give the matrix for work that takes memory beside it."""
        return self.to_matrix(labels)

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
