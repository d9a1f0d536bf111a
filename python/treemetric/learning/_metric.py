"""Learned distances as values: what a learner leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray, Label, Trees
from treemetric._base.validation import refuse, shown
from treemetric.alignment.edit_counts import edit_counts
from treemetric.costs import Costs
from treemetric.distances import distance as edit_distance
from treemetric.distances import pairwise_distances
from treemetric.exceptions import UnknownLabelError
from treemetric.paired import paired_distances
from treemetric.tree import Tree
from treemetric.treeset import TreeSet, check_tree, check_trees

# About 64 MB of counts at a time, so that memory is bounded for any number of pairs.
_ENTRIES = 1 << 22


def check_choice(value: object, parameter: str, owner: str, choices: tuple[str, ...]) -> None:
    """Check that a value is one of some words."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices[:-1])
        refuse(parameter, owner, f"{listed} or {choices[-1]!r}", shown(value))


class Closing:
    """Costs and their closure, which is computed at first use.

    It takes time cubic in the number of labels, so a learner and all of its metrics share it.
    """

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._table: Any = None

    @property
    def table(self) -> Any:
        """The closed costs."""
        if self._table is None:
            self._table = self.costs._closed()
        return self._table

    def __getstate__(self) -> dict[str, Any]:
        return {"costs": self.costs, "_table": None}


class LearnedMetric:
    """A learned distance, independent of its learner; made by ``get_metric``.

    Calling it with two trees returns their distance; `pairwise` returns the distances of many
    trees, among each other or to other trees. It can be compared, printed and pickled, and other
    packages accept it as a function of two trees.

    Parameters
    ----------
    costs : CostMatrix or VectorCosts
        The learned costs.
    initial_costs : Costs
        The costs under which the alignments of the pseudo-edit distance are optimal.
    distance : {'actual', 'pseudo'}, default='actual'
        The edit distance under `costs` (under their closure, if they are a `CostMatrix` and not a
        pseudo-metric), or the cost under `costs` of alignments that are optimal under
        `initial_costs`.
    unseen : {'gap-like', 'error'}, default='gap-like'
        How to handle labels that a `CostMatrix` does not contain; see `BEDL`.
    counting : dict, optional
        How `edit_counts` counts for the pseudo-edit distance (``script``, ``temperature``).

    Raises
    ------
    TypeError, ValueError
        If an argument is not one of these.

    Examples
    --------
    >>> from treemetric import Tree, UnitCosts
    >>> from treemetric.learning import LearnedMetric
    >>> metric = LearnedMetric(UnitCosts().to_matrix("abc"), UnitCosts())
    >>> metric(Tree.from_sequence("abc"), Tree.from_sequence("ac"))
    1.0
    """

    def __init__(
        self,
        costs: Any,
        initial_costs: Costs,
        distance: str = "actual",
        unseen: str = "gap-like",
        counting: dict[str, Any] | None = None,
    ) -> None:
        owner = "LearnedMetric"
        if not (isinstance(costs, Costs) and costs._has_own_alphabet):
            must = "an instance of 'treemetric.Costs' with an alphabet of its own"
            refuse("costs", owner, must, shown(costs))
        if not isinstance(initial_costs, Costs) or initial_costs._for_one_pair:
            must = "an instance of 'treemetric.Costs' for many trees"
            refuse("initial_costs", owner, must, shown(initial_costs))
        check_choice(distance, "distance", owner, ("actual", "pseudo"))
        check_choice(unseen, "unseen", owner, ("error", "gap-like"))
        if not (counting is None or isinstance(counting, dict)):
            refuse("counting", owner, "an instance of 'dict' or None", shown(counting))
        self.costs = costs
        self.initial_costs = initial_costs
        self.distance = distance
        self.unseen = unseen
        self.counting = counting or {}
        self._closing = Closing(costs)

    def __call__(self, x: Tree, y: Tree) -> float:
        check_tree(x, "x", "LearnedMetric")
        check_tree(y, "y", "LearnedMetric")
        if self.distance == "actual":
            costs = self._actual((*x._data.alphabet, *y._data.alphabet))
            return edit_distance(x, y, costs=costs)
        return float(self.pairwise([x], [y])[0, 0])

    def pairwise(
        self, X: Trees, Y: Trees | None = None, *, n_jobs: int | None = None
    ) -> FloatArray:
        """Compute the learned distances from all trees of X to all trees of Y.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The source trees.
        Y : TreeSet or list of Tree, optional
            The target trees; by default those of X. If the distance is symmetric, each pair is
            then computed once.
        n_jobs : int, optional
            Number of threads; None means 1, -1 all CPUs.

        Returns
        -------
        ndarray of shape (n_X, n_Y)
            The distances.

        Raises
        ------
        UnknownLabelError
            If a label has no cost and ``unseen='error'``.

        Examples
        --------
        >>> from treemetric import Tree, UnitCosts
        >>> from treemetric.learning import LearnedMetric
        >>> metric = LearnedMetric(UnitCosts().to_matrix("ab"), UnitCosts(), "pseudo")
        >>> metric.pairwise([Tree.from_sequence("ab")], [Tree.from_sequence("b")])
        array([[1.]])
        >>> metric.pairwise([Tree.from_sequence("ab"), Tree.from_sequence("b")])
        array([[0., 1.],
               [1., 0.]])
        """
        sources = check_trees(X, "X", "pairwise")
        targets = sources if Y is None else check_trees(Y, "Y", "pairwise")
        labels = tuple(dict.fromkeys((*sources.alphabet, *targets.alphabet)))
        if self.distance == "actual":
            costs = self._actual(labels)
            others = None if Y is None else targets
            found: FloatArray = pairwise_distances(sources, others, costs=costs, n_jobs=n_jobs)
            return found
        return self._pseudo(sources, targets, labels, n_jobs, same=Y is None)

    def _is_symmetric(self, labels: Iterable[Label]) -> bool:
        """Return whether the distance is the same in both directions for trees of some labels."""
        labels = tuple(labels)
        if self.distance == "actual":
            return self._actual(labels).is_symmetric(labels)
        # One alignment of several that are optimal need not be the reverse of the one back.
        if self.counting.get("script") == "one":
            return False
        costs, initial = self._pseudo_costs(labels)
        return costs.is_symmetric(labels) and initial.is_symmetric(labels)

    def _paired(
        self, trees: TreeSet, rows: npt.NDArray[np.intp], *, n_jobs: int | None = None
    ) -> FloatArray:
        """Return the learned distances of pairs of positions."""
        if self.distance == "actual":
            costs = self._actual(trees.alphabet)
            ends = trees[rows[:, 0]], trees[rows[:, 1]]
            return paired_distances(*ends, costs=costs, n_jobs=n_jobs)
        costs, initial = self._pseudo_costs(trees.alphabet)
        counts = edit_counts(trees, pairs=rows, costs=initial, n_jobs=n_jobs, **self.counting)
        return counts.distances(costs)

    def _known(self, labels: tuple[Label, ...]) -> None:
        """Refuse labels that were not seen in training, before any work."""
        if self.unseen == "gap-like":
            return
        for label in self.costs._unseen(labels):
            message = (
                f"The label {label!r} was not seen in training. "
                "Learners with unseen='gap-like' give such labels a cost."
            )
            raise UnknownLabelError(message)

    def _actual(self, labels: tuple[Label, ...]) -> Costs:
        self._known(labels)
        if self._closing.costs is not self.costs:
            self._closing = Closing(self.costs)
        closed: Costs = self._closing.table
        return closed._extended(labels) if self.unseen == "gap-like" else closed

    def _pseudo_costs(self, labels: tuple[Label, ...]) -> tuple[Costs, Costs]:
        """Return the costs of alignments, and those under which they are optimal."""
        self._known(labels)
        costs = self.costs._extended(labels)
        initial = self.initial_costs
        return costs, initial._extended(labels) if self.unseen == "gap-like" else initial

    def _pseudo(
        self,
        X: TreeSet,
        Y: TreeSet,
        labels: tuple[Label, ...],
        n_jobs: int | None,
        *,
        same: bool,
    ) -> FloatArray:
        costs, initial = self._pseudo_costs(labels)
        half = same and self._is_symmetric(labels)
        result = np.empty((len(X), len(Y)))
        for start, end in _blocks(X, Y):
            block = X[start:end]
            targets = Y[start:] if half else Y
            counts = edit_counts(block, targets, costs=initial, n_jobs=n_jobs, **self.counting)
            found = counts.distances(costs).reshape(len(block), -1)
            if half:
                result[start:end, start:] = found
                result[end:, start:end] = found[:, end - start :].T
            else:
                result[start:end] = found
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearnedMetric) and self._value() == other._value()

    def _value(self) -> tuple[Any, ...]:
        return self.costs, self.initial_costs, self.distance, self.unseen, self.counting

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<LearnedMetric: {self.distance} edit distance under {self.costs!r}>"


def _blocks(X: TreeSet, Y: TreeSet) -> Iterator[tuple[int, int]]:
    """Return the first and the last tree of X, exclusive, to compare with all of Y at a time.

    A pair of trees has at most one count for each pair of nodes, and for each pair of symbols.
    """
    symbols = (len(X.alphabet) + len(Y.alphabet) + 1.0) ** 2 * len(Y)
    nodes = float((Y.sizes + 1.0).sum())
    entries = np.cumsum(np.minimum(symbols, (X.sizes + 1.0) * nodes))
    start, before = 0, 0.0
    while start < len(X):
        end = max(start + 1, int(np.searchsorted(entries, before + _ENTRIES, side="right")))
        yield start, end
        start, before = end, float(entries[end - 1])
