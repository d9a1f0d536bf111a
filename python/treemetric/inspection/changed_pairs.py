"""Pairs of trees whose distances a learner changed most."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.extras import need
from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import check_int, check_random_state
from treemetric._estimators.checks import check_some_trees, check_targets
from treemetric.alignment import Alignment, align
from treemetric.costs import Costs
from treemetric.distances import pairwise_distances
from treemetric.inspection._checks import check_learner
from treemetric.tree import Tree

__all__ = ["ChangedPairs", "PairChange", "changed_pairs"]


class PairChange(NamedTuple):
    """A pair of trees before and after learning.

    Attributes
    ----------
    i, j : int
        Positions of the trees.
    x, y : Tree
        The trees.
    before, after : float
        The distance under unit costs and under learned costs, each divided by the mean distance
        of all pairs, so that the two can be compared.
    costs : Costs
        The learned costs.

    Examples
    --------
    >>> from treemetric import Tree, UnitCosts
    >>> from treemetric.inspection import PairChange
    >>> x, y = Tree.from_sequence("ab"), Tree.from_sequence("ac")
    >>> PairChange(0, 1, x, y, 1.0, 0.5, UnitCosts()).change
    -0.5
    """

    i: int
    j: int
    x: Tree
    y: Tree
    before: float
    after: float
    costs: Costs

    @property
    def change(self) -> float:
        """How much the relative distance grew."""
        return self.after - self.before

    def alignments(self) -> tuple[Alignment, Alignment]:
        """Return optimal alignments of the trees, under unit costs and under learned costs.

        Returns
        -------
        tuple of two Alignment
            The alignments before and after learning.

        Examples
        --------
        >>> from treemetric import OperationCosts, Tree
        >>> from treemetric.inspection import PairChange
        >>> x, y = Tree.from_sequence("ab"), Tree.from_sequence("ac")
        >>> pair = PairChange(0, 1, x, y, 1.0, 0.5, OperationCosts(2, 2, 3))
        >>> [alignment.cost for alignment in pair.alignments()]
        [1.0, 3.0]
        """
        return align(self.x, self.y), align(self.x, self.y, costs=self.costs)


class ChangedPairs(NamedTuple):
    """Pairs that came closer and pairs that moved apart; returned by `changed_pairs`.

    Attributes
    ----------
    closer : list of PairChange
        Pairs whose relative distance fell, the largest change first.
    apart : list of PairChange
        Pairs whose relative distance grew, the largest change first.

    Examples
    --------
    >>> from treemetric.inspection import ChangedPairs
    >>> ChangedPairs([], []).closer
    []
    """

    closer: list[PairChange]
    apart: list[PairChange]

    def to_frame(self) -> Any:
        """Return the pairs as a data frame of pandas, one row per pair.

        Returns
        -------
        pandas.DataFrame
            The columns ``i``, ``j``, ``before``, ``after`` and ``change``.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> from treemetric.inspection import ChangedPairs
        >>> ChangedPairs([], []).to_frame().columns.tolist()
        ['i', 'j', 'before', 'after', 'change']
        """
        pandas = need("pandas", "pandas", "ChangedPairs.to_frame")
        rows = [(p.i, p.j, p.before, p.after, p.change) for p in (*self.closer, *self.apart)]
        return pandas.DataFrame(rows, columns=["i", "j", "before", "after", "change"])


def changed_pairs(
    learner: Any,
    X: Trees,
    y: npt.ArrayLike | None = None,
    *,
    n_pairs: int = 3,
    max_trees: int = 500,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> ChangedPairs:
    """Find pairs of trees that learned costs bring together or move apart, as examples.

    Distances under unit costs and under learned costs are divided by their means over all pairs,
    and compared.

    Parameters
    ----------
    learner : fitted learner of treemetric.learning
        The learner of the costs.
    X : TreeSet or list of Tree
        The trees.
    y : array-like of shape (n_trees,), optional
        Their classes. If given, pairs that came closer are of one class, and pairs that moved
        apart are of different classes: the changes that learning is for.
    n_pairs : int, default=3
        Number of pairs of each kind, at most.
    max_trees : int, default=500
        Number of trees that are compared; a sample if there are more.
    random_state : int, RandomState instance or None, default=0
        Seed of the sample of trees.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs.

    Returns
    -------
    ChangedPairs
        Pairs that came closer and pairs that moved apart. No tree is in two pairs of a kind.

    See Also
    --------
    treemetric.plotting.plot_changed_pair : Both alignments of a pair, side by side.

    Examples
    --------
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.inspection import changed_pairs
    >>> from treemetric.learning import NCACosts
    >>> strings = make_strings(60, random_state=0)
    >>> learner = NCACosts(random_state=0).fit(strings.data, strings.target)
    >>> found = changed_pairs(learner, strings.data, strings.target, n_pairs=1)
    >>> pair = found.closer[0]
    >>> pair.after < pair.before
    True
    >>> before, after = pair.alignments()
    """
    name = "changed_pairs"
    fitted = check_learner(learner, name)
    check_int(n_pairs, "n_pairs", name)
    check_int(max_trees, "max_trees", name, 2)
    random = check_random_state(random_state, name)
    trees = check_some_trees(X, name)
    codes = None if y is None else check_targets(y, trees, name)[1]
    chosen = np.sort(random.permutation(len(trees))[:max_trees])
    some = trees[chosen]
    metric = fitted.get_metric()
    before = _relative(pairwise_distances(some, n_jobs=n_jobs).astype(np.float64))
    after = _relative(metric.pairwise(some, n_jobs=n_jobs))
    costs = metric._actual(trees.alphabet) if metric.distance == "actual" else metric.costs

    i, j = np.triu_indices(len(some), 1)
    change = (after - before)[i, j]
    same = np.ones(len(i), dtype=bool) if codes is None else (codes[chosen])[i] == codes[chosen][j]
    other = np.ones(len(i), dtype=bool) if codes is None else ~same

    def best(order: npt.NDArray[np.intp]) -> list[PairChange]:
        found: list[PairChange] = []
        taken: set[int] = set()
        for place in order.tolist():
            ends = int(i[place]), int(j[place])
            if len(found) == n_pairs or change[place] == 0:
                break
            if not taken.isdisjoint(ends):
                continue
            taken.update(ends)
            at = [int(chosen[end]) for end in ends]
            pair = at[0], at[1], trees[at[0]], trees[at[1]]
            found.append(PairChange(*pair, float(before[ends]), float(after[ends]), costs))
        return found

    falling, rising = (np.flatnonzero(mask) for mask in (same & (change < 0), other & (change > 0)))
    return ChangedPairs(
        best(falling[np.argsort(change[falling], kind="stable")]),
        best(rising[np.argsort(-change[rising], kind="stable")]),
    )


def _relative(distances: FloatArray) -> FloatArray:
    """Return distances divided by their mean over all pairs of different trees."""
    count = len(distances) * (len(distances) - 1)
    mean = float(distances.sum()) / max(1, count)
    return distances / (mean if mean > 0 else 1.0)
