"""Searches for neighbours: what is asked, checked once for all ways to ask."""

from typing import Any, NamedTuple

import numpy as np

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import Progress, Trees
from treemetric._base.validation import as_float, refuse, shown
from treemetric.costs import Costs, UnitCosts
from treemetric.costs.resolve import Codes, check_costs, common_codes, resolve
from treemetric.neighbors.pivots import Pivots
from treemetric.neighbors.results import NearestResult, WithinResult
from treemetric.treeset import TreeSet, check_trees

# All ways to search give the same bits; tests choose "bounds" and "batches".
_METHOD = "auto"


class Question(NamedTuple):
    """Whose neighbours are wanted, among which trees, by which costs."""

    X: TreeSet
    Y: TreeSet | None
    costs: Costs
    function: str
    pivots: Pivots | None = None
    kept: "_core.SearchIndex | None" = None

    @property
    def candidates(self) -> int:
        """Number of trees that a tree of X may have as neighbours."""
        return len(self.X) - 1 if self.Y is None else len(self.Y)

    def resolve(self) -> tuple[Codes, "_core.CostTable | _core.VectorTable | None"]:
        """Give the codes of both alphabets, and the costs."""
        if self.Y is not None and self.kept is not None and isinstance(self.costs, UnitCosts):
            # The index knows its trees by their own codes.
            return (common_codes(self.Y.alphabet, self.X.alphabet)[1], None), None
        return resolve(self.costs, self.X, self.Y)


def ask(X: Trees, Y: Trees | None, costs: Costs | None, function: str) -> Question:
    """Check the trees and the costs of a search."""
    prices = check_costs(costs, function)
    sources = check_trees(X, "X", function)
    targets = None if Y is None else check_trees(Y, "Y", function)
    return Question(sources, targets, prices, function)


def find_nearest(question: Question, k: object, options: tuple[int, Progress]) -> NearestResult:
    """Find the k nearest trees."""
    other = " other" if question.Y is None else ""
    whole = isinstance(k, (int, np.integer)) and not isinstance(k, bool)
    # Nobody asks for too many if nobody asks.
    most = question.candidates if len(question.X) else float("inf")
    if most == 0 and whole:
        # A range [1, 0] would tell nobody what is wrong.
        owner = question.function
        if other:
            refuse("X", owner, "a collection of at least 2 trees if Y is None", "1 tree")
        # The trees of an index were given to the index.
        refuse("Y", owner.split(".")[0], "a collection of at least 1 tree", "0 trees")
    if not whole or not 1 <= k <= most:  # type: ignore[operator]
        must = f"an int in the range [1, {most}], the number of{other} trees to choose from"
        refuse("k", question.function, must, shown(k))
    count = int(k)  # type: ignore[call-overload]
    found = _search(question, (count, None), options)
    shape = (len(question.X), count)
    for name in ("indices", "distances"):
        found[name] = found[name].reshape(shape)
    del found["offsets"]
    return NearestResult._make(**found)


def find_within(question: Question, radius: object, options: tuple[int, Progress]) -> WithinResult:
    """Find the trees within the radius."""
    value = as_float(radius)
    # Written so that NaN fails too.
    if not value >= 0:
        refuse("radius", question.function, "a float in the range [0.0, inf]", shown(radius))
    return WithinResult._make(**_search(question, (None, value), options))


def _search(
    question: Question,
    wanted: tuple[int | None, float | None],
    options: tuple[int, Progress],
) -> dict[str, Any]:
    threads, progress = options
    X, Y = question.X, question.Y
    with reporter(progress, question.function, "trees") as report:
        codes, table = question.resolve()
        offsets, indices, distances, computed = _core.neighbors(
            X._core_set(),
            None if Y is None else Y._core_set(),
            codes,
            table,
            *wanted,
            question.pivots,
            question.kept,
            _METHOD,
            threads,
            report,
        )
    symmetric = table is None or table.is_symmetric()
    pairs = len(X) * max(question.candidates, 0)
    return {
        "offsets": offsets,
        "indices": indices,
        "distances": distances,
        "computed": computed,
        # What all distances would take: inside one set one serves both its trees.
        "_pairs": pairs // 2 if Y is None and symmetric else pairs,
        "_candidates": len(X if Y is None else Y),
        "_inside": Y is None,
    }
