"""The counter-example to GESL: the published tables and the correct ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from treemetric._base.typing import FloatArray
from treemetric._base.validation import as_float, refuse, shown
from treemetric.alignment.edit_counts import EditCounts, edit_counts
from treemetric.costs import CostMatrix
from treemetric.distances import distance
from treemetric.learning import learn_costs
from treemetric.tree import Tree

_L = math.log(2)
_LABELS = (1, 2, 3)
_TREES = (Tree.from_nested((1, [2])), *(Tree.from_nested(label) for label in (2, 3, 3)))
_CLOSE = ((0, 1), (1, 0), (2, 3), (3, 2))
_FAR = ((0, 2), (1, 2), (2, 0), (3, 0))
_START = CostMatrix(_LABELS, _L * (1 - np.eye(4)))
# The source needs β below this for its argument.
_LARGEST_BETA = 1 / (5 * _L)

# The scripts that the source chooses where two are optimal; None is the gap.
_Edits = Mapping[tuple[int | None, int | None], float]
_CLOSE_SCRIPTS: tuple[_Edits, ...] = (
    {(1, None): 1, (2, 2): 1},
    {(None, 1): 1, (2, 2): 1},
    {(3, 3): 1},
    {(3, 3): 1},
)
_FAR_SCRIPTS: tuple[_Edits, ...] = (
    {(1, 3): 1, (2, None): 1},
    {(2, 3): 1},
    {(3, 1): 1, (None, 2): 1},
    {(3, 1): 1, (None, 2): 1},
)

# The printed tables in units of L / 2; rows and columns are 1, 2, 3 and the gap.
_PRINTED_ONE = np.array([[0, 0, 1, 0], [0, 0, 2, 1], [1, 0, 0, 0], [0, 1, 0, 0]])
_PRINTED_METRIC = np.array([[0, 0, 1, 0], [0, 0, 2, 1], [1, 2, 0, 1], [0, 1, 1, 0]])


class CounterExample(NamedTuple):
    """Costs and losses of the counter-example to GESL; made by `counterexample`.

    Attributes
    ----------
    beta : float
        The weight β of the squared costs.
    printed_one : CostMatrix
        The costs that the source prints for one script per pair.
    learned_one : CostMatrix
        The costs that solve the quadratic program for these scripts.
    loss_one : float
        Their loss; 2 β L² with L = log 2, as printed.
    true_loss_one : float
        Their loss with the edit distance instead of the pseudo-edit distance: 2 β L² + 4 L.
    printed_metric : CostMatrix
        The costs that the source prints for the average script as a pseudo-metric, which they
        are not.
    printed_metric_loss : float
        Its loss, 7/2 β L².
    printed_metric_true_loss : float
        Its loss under the edit distance, 7/2 β L² + 2 L; the source claims equality.
    learned_metric : CostMatrix
        The pseudo-metric that solves the quadratic program.
    metric_loss : float
        Its loss, 4 β L².
    metric_true_loss : float
        Its loss under the edit distance, the same.
    start : CostMatrix
        The costs c₀ under which the scripts are optimal: L for every edit.
    start_loss : float
        Their loss under the edit distance with the margin η = 0, 12 β L² + 2 L.

    Examples
    --------
    >>> from treemetric.experiments import counterexample
    >>> found = counterexample()
    >>> found.printed_metric.is_pseudo_metric(), found.learned_metric.is_pseudo_metric()
    (False, True)
    """

    beta: float
    printed_one: CostMatrix
    learned_one: CostMatrix
    loss_one: float
    true_loss_one: float
    printed_metric: CostMatrix
    printed_metric_loss: float
    printed_metric_true_loss: float
    learned_metric: CostMatrix
    metric_loss: float
    metric_true_loss: float
    start: CostMatrix
    start_loss: float

    def report(self) -> str:
        """Return the published and the corrected tables and losses as text.

        Returns
        -------
        str
            Several lines of text.

        Examples
        --------
        >>> from treemetric.experiments import counterexample
        >>> print(counterexample().report().splitlines()[0])
        Trees over {1, 2, 3}: x1 = 1(2), x2 = 2, x3 = x4 = 3.
        """
        square = self.beta * _L**2
        printed = self.printed_metric.matrix / _L
        lines = [
            "Trees over {1, 2, 3}: x1 = 1(2), x2 = 2, x3 = x4 = 3.",
            "Close pairs P = (x1,x2) (x2,x1) (x3,x4) (x4,x3);",
            "far pairs N = (x1,x3) (x2,x3) (x3,x1) (x4,x1).",
            f"All edits cost L = log 2 = {_L:.6f} at the start (c0); beta = {self.beta:g}.",
            f"  loss of c0, edit distance         {self.start_loss:.6f} = 12 beta L^2 + 2 L",
            "",
            "GESL with one script per pair (G1), in units of L:",
            *_side_by_side("published", self.printed_one, "solved here", self.learned_one),
            f"  loss, published 2 beta L^2        {2 * square:.6f}",
            f"  loss, solved here                 {self.loss_one:.6f}",
            "  The published table is right. It is neither symmetric nor triangular, and its",
            "  closure is 0 everywhere: under the edit distance all trees are equal.",
            f"  loss under the edit distance      {self.true_loss_one:.6f} = 2 beta L^2 + 4 L",
            "  That is more than the loss of c0: learning has worsened the edit distance.",
            "",
            "GESL with the average script, pseudo-metrics only (G2), in units of L:",
            *_side_by_side("published", self.printed_metric, "corrected", self.learned_metric),
            f"  loss, published 7/2 beta L^2      {self.printed_metric_loss:.6f}",
            f"  loss, corrected 4 beta L^2        {self.metric_loss:.6f}",
            "  The published table is no pseudo-metric: "
            f"c(2,3) = {printed[1, 2]:.2f} L > c(2,1) + c(1,3) = "
            f"{printed[1, 0] + printed[0, 2]:.2f} L.",
            "  With c(1,2) = c(2,1) = L/2 it is one, and no pseudo-metric has a smaller loss.",
            "  The source says that the loss is the same under both distances. That holds for the",
            "  corrected table only:",
            f"  loss under the edit distance, published  {self.printed_metric_true_loss:.6f}"
            " = 7/2 beta L^2 + 2 L",
            f"  loss under the edit distance, corrected  {self.metric_true_loss:.6f} = 4 beta L^2",
        ]
        return "\n".join(lines)


def counterexample(beta: float = 0.1) -> CounterExample:
    """Solve the counter-example to GESL of the source, and check the published tables.

    Parameters
    ----------
    beta : float, default=0.1
        The weight β of the squared costs, below 1 / (5 log 2), as the source requires.

    Returns
    -------
    CounterExample
        The published tables and the true ones with their losses.

    Raises
    ------
    ValueError
        If β is not in that range.

    Examples
    --------
    >>> from treemetric.experiments import counterexample
    >>> found = counterexample(0.1)
    >>> round(found.metric_loss / found.printed_metric_loss, 6) == round(4 / 3.5, 6)
    True
    """
    weight = as_float(beta)
    if not 0 < weight < _LARGEST_BETA:
        must = f"a float in the range (0.0, {_LARGEST_BETA:.4f})"
        refuse("beta", "counterexample", must, shown(beta))
    one = _counts(_CLOSE_SCRIPTS), _counts(_FAR_SCRIPTS)
    average = tuple(edit_counts(_TREES, pairs=pairs, costs=_START) for pairs in (_CLOSE, _FAR))
    printed = CostMatrix(_LABELS, _L / 2 * _PRINTED_METRIC)
    priced = [part.distances(printed) for part in average]
    single = learn_costs(*one, beta=weight, tol=1e-13)
    metric = learn_costs(*average, beta=weight, metric=True, tol=1e-13)
    return CounterExample(
        beta=weight,
        printed_one=CostMatrix(_LABELS, _L / 2 * _PRINTED_ONE),
        learned_one=single.costs,
        loss_one=single.loss,
        true_loss_one=_true_loss(single.costs, weight),
        printed_metric=printed,
        printed_metric_loss=_loss(priced[0], priced[1], printed, weight),
        printed_metric_true_loss=_true_loss(printed, weight),
        learned_metric=metric.costs,
        metric_loss=metric.loss,
        metric_true_loss=_true_loss(metric.costs, weight),
        start=_START,
        start_loss=_true_loss(_START, weight),
    )


def _true_loss(costs: CostMatrix, beta: float) -> float:
    """Return the loss under the edit distance, the cost of the cheapest script for any costs."""
    shortest = costs.closure()
    close, far = (
        np.array([distance(_TREES[i], _TREES[j], costs=shortest) for i, j in pairs])
        for pairs in (_CLOSE, _FAR)
    )
    return _loss(close, far, costs, beta)


def _loss(close: FloatArray, far: FloatArray, costs: CostMatrix, beta: float) -> float:
    """Return the loss for the margin η = 0, which is the best one for all learned costs here.

    For c₀ it is the worst one, as in the source.
    """
    hinges = np.maximum(0.0, close).sum() + np.maximum(0.0, _L - far).sum()
    return float(beta * np.sum(costs.matrix**2) + hinges)


def _counts(scripts: Sequence[_Edits]) -> EditCounts:
    place = {label: code for code, label in enumerate((*_LABELS, None))}
    table = np.zeros((len(scripts), len(place), len(place)))
    for row, edits in zip(table, scripts, strict=True):
        for (old, new), count in edits.items():
            row[place[old], place[new]] = count
    pairs = np.zeros((len(scripts), 2), dtype=np.int64)
    return EditCounts(_LABELS, pairs, csr_array(table.reshape(len(scripts), -1)))


def _side_by_side(one: str, left: CostMatrix, other: str, right: CostMatrix) -> list[str]:
    """Return two tables next to each other, in units of L."""
    names = [*map(str, _LABELS), "-"]
    head = "".join(f"{name:>6}" for name in names)
    lines = [f"  {one:<30}{other}", f"  {'':3}{head}   {'':3}{head}"]
    for name, a, b in zip(names, left.matrix / _L, right.matrix / _L, strict=True):
        cells = ["".join(f"{abs(round(value, 4)):>6.2f}" for value in row) for row in (a, b)]
        lines.append(f"  {name:3}{cells[0]}   {name:3}{cells[1]}")
    return lines
