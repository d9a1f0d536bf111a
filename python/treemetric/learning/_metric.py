"""Learned distances as values: what a learner leaves behind."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from treemetric._base.typing import FloatArray, Label, Trees
from treemetric._base.validation import refuse, shown
from treemetric.alignment.edit_counts import edit_counts
from treemetric.costs import CostMatrix, Costs, EmbeddingCosts
from treemetric.distances import distance as edit_distance
from treemetric.distances import pairwise_distances
from treemetric.exceptions import UnknownLabelError
from treemetric.tree import Tree
from treemetric.treeset import TreeSet, check_tree, check_trees

# About 64 MB of counts at a time, so that memory stays bounded whatever the number of pairs.
_ENTRIES = 1 << 22


def check_choice(value: object, parameter: str, owner: str, choices: tuple[str, ...]) -> None:
    """Let only one of some words through."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices[:-1])
        refuse(parameter, owner, f"{listed} or {choices[-1]!r}", shown(value))


def extend(costs: CostMatrix, labels: Iterable[Label]) -> CostMatrix:
    """Add labels that behave like the gap to a table of costs.

    With m the mean cost of deleting a known label, an added label s costs m to delete and to
    insert, c(s, u) = max(m, c(-, u)) and c(u, s) = max(m, c(u, -)) against a known label u, m
    against another added label, and 0 against itself.

    This keeps the triangle inequality. Let g(u) = c(u, -) or c(-, u), whichever way we go. Through
    s: c(u, v) <= g(u) + g(v) <= c(u, s) + c(s, v). From s through v: m <= c(s, v), and g(u) <=
    g(v) + c(v, u) <= c(s, v) + c(v, u). To the gap through v: m <= c(s, v). From s through the gap:
    max(m, g(u)) <= m + g(u). Two added labels: m <= 2 m, m <= c(s, u), and c(s, u) <= m + c(s', u).
    Symmetric costs stay symmetric, and unit costs become unit costs.
    """
    new = tuple(dict.fromkeys(label for label in labels if label not in costs._index))
    if not new:
        return costs
    known = len(costs.alphabet)
    # With nothing known at all every edit costs 1.
    mean = float(costs.matrix[:-1, -1].mean()) if known else 1.0
    side = known + len(new) + 1
    matrix = np.full((side, side), mean)
    old = np.r_[:known, side - 1]
    matrix[np.ix_(old, old)] = costs.matrix
    matrix[known:-1, :known] = np.maximum(mean, costs.matrix[-1, :-1])
    matrix[:known, known:-1] = np.maximum(mean, costs.matrix[:-1, -1])[:, None]
    np.fill_diagonal(matrix[known:, known:], 0.0)
    return CostMatrix((*costs.alphabet, *new), matrix)


def closed(costs: CostMatrix) -> CostMatrix:
    """Give the costs under which the dynamic programme computes the true distance."""
    # Vectors give a pseudo-metric by construction.
    if isinstance(costs, EmbeddingCosts) or costs.is_pseudo_metric():
        return costs
    shortest = costs.closure()
    assert isinstance(shortest, CostMatrix)
    return shortest


class Closing:
    """Costs and, once somebody asks for them, what `closed` makes of them.

    That takes time cubic in the number of labels, so a learner and all of its metrics share it.
    """

    def __init__(self, costs: Any) -> None:
        self.costs = costs
        self._table: CostMatrix | None = None

    @property
    def table(self) -> CostMatrix:
        """The closed costs."""
        if self._table is None:
            self._table = closed(self.costs)
        return self._table

    def __getstate__(self) -> dict[str, Any]:
        return {"costs": self.costs, "_table": None}


class LearnedMetric:
    """The distance that a learner has learned, without the learner; made by ``get_metric``.

    Called with two trees it gives their distance, `pairwise` gives those of many. It compares,
    prints and pickles.

    Parameters
    ----------
    costs : CostMatrix
        The learned costs.
    initial_costs : Costs
        The costs whose alignments the pseudo-edit distance prices.
    distance : {'actual', 'pseudo'}, default='actual'
        The edit distance under `costs` (under their closure, if they are not a pseudo-metric), or
        the price under `costs` of alignments that are optimal under `initial_costs`.
    unseen : {'error', 'gap-like'}, default='error'
        What to do with labels that `costs` do not know; see `BEDL`.
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

    _kind: type[Costs] = CostMatrix

    def __init__(
        self,
        costs: CostMatrix,
        initial_costs: Costs,
        distance: str = "actual",
        unseen: str = "error",
        counting: dict[str, Any] | None = None,
    ) -> None:
        owner = "LearnedMetric"
        if not isinstance(costs, self._kind):
            name = f"an instance of 'treemetric.{self._kind.__name__}'"
            refuse("costs", owner, name, shown(costs))
        if not isinstance(initial_costs, Costs):
            must = "an instance of 'treemetric.Costs'"
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

    def pairwise(self, X: Trees, Y: Trees, *, n_jobs: int | None = None) -> FloatArray:
        """Compute the learned distances from all trees of X to all trees of Y.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees to go from.
        Y : TreeSet or list of Tree
            The trees to go to.
        n_jobs : int, optional
            Number of threads; None means 1, -1 all CPUs.

        Returns
        -------
        ndarray of shape (n_X, n_Y)
            The distances.

        Examples
        --------
        >>> from treemetric import Tree, UnitCosts
        >>> from treemetric.learning import LearnedMetric
        >>> metric = LearnedMetric(UnitCosts().to_matrix("ab"), UnitCosts(), "pseudo")
        >>> metric.pairwise([Tree.from_sequence("ab")], [Tree.from_sequence("b")])
        array([[1.]])
        """
        sources, targets = check_trees(X, "X", "pairwise"), check_trees(Y, "Y", "pairwise")
        labels = (*sources.alphabet, *targets.alphabet)
        if self.distance == "actual":
            costs = self._actual(labels)
            found: FloatArray = pairwise_distances(sources, targets, costs=costs, n_jobs=n_jobs)  # type: ignore[assignment]
            return found
        return self._pseudo(sources, targets, labels, n_jobs)

    def _known(self, labels: Iterable[Label]) -> None:
        """Refuse labels that were not seen in training, before any work."""
        if self.unseen == "gap-like":
            return
        for label in labels:
            if label not in self.costs._index:
                message = (
                    f"The label {label!r} was not seen in training. "
                    "Learners with unseen='gap-like' give such labels a cost."
                )
                raise UnknownLabelError(message)

    def _actual(self, labels: tuple[Label, ...]) -> CostMatrix:
        self._known(labels)
        if self._closing.costs is not self.costs:
            self._closing = Closing(self.costs)
        table = self._closing.table
        return extend(table, labels) if self.unseen == "gap-like" else table

    def _pseudo(
        self, X: TreeSet, Y: TreeSet, labels: tuple[Label, ...], n_jobs: int | None
    ) -> FloatArray:
        self._known(labels)
        prices = extend(self.costs, labels)
        initial = self.initial_costs
        if isinstance(initial, CostMatrix) and self.unseen == "gap-like":
            initial = extend(initial, labels)
        result = np.empty((len(X), len(Y)))
        rows = _rows(X, Y)
        for start in range(0, len(X), rows):
            block = X[start : start + rows]
            counts = edit_counts(block, Y, costs=initial, n_jobs=n_jobs, **self.counting)
            result[start : start + rows] = counts.distances(prices).reshape(-1, len(Y))
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LearnedMetric) and self._value() == other._value()

    def _value(self) -> tuple[Any, ...]:
        return self.costs, self.initial_costs, self.distance, self.unseen, self.counting

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<LearnedMetric: {self.distance} edit distance under {self.costs!r}>"


def _rows(X: TreeSet, Y: TreeSet) -> int:
    """Give how many trees of X to compare with all of Y at a time."""
    largest = [int(trees.sizes.max(initial=0)) for trees in (X, Y)]
    symbols = (len(X.alphabet) + len(Y.alphabet) + 1) ** 2
    entries = min(symbols, (largest[0] + 1) * (largest[1] + 1))
    return max(1, _ENTRIES // max(1, entries * len(Y)))
