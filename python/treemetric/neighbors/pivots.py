"""Pivots: trees whose distances to all others are known, for the triangle inequality."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric._base.validation import check_int, check_memory, refuse
from treemetric.costs import Costs
from treemetric.distances import pairwise_distances
from treemetric.exceptions import CancelledError
from treemetric.treeset import TreeSet

# The automatic number of pivots, and the smallest number of trees that uses them.
_FEW, _MANY = 4, 100


class Pivots(NamedTuple):
    """Positions of pivots, their distances to all trees, and the slack per node."""

    chosen: npt.NDArray[np.uint32]
    distances: FloatArray
    slack: float


def check_n_pivots(n_pivots: object, costs: Costs, trees: TreeSet, owner: str) -> tuple[int, float]:
    """Check `n_pivots`; return the number of pivots to use and the slack."""
    if isinstance(n_pivots, str) and n_pivots == "auto":
        return _automatic(costs, trees)
    wanted = check_int(n_pivots, "n_pivots", owner, least=0, other="'auto'")
    if wanted == 0:
        return 0, 0.0
    slack = costs._triangle_slack()
    if slack is None:
        refuse("n_pivots", owner, "0 or 'auto' for costs that are not a pseudo-metric", str(wanted))
    return min(wanted, len(trees)), slack


def _automatic(costs: Costs, trees: TreeSet) -> tuple[int, float]:
    """Use pivots where they were faster in measurements.

    Tables and unit costs have lower bounds from labels and strings. These skip most pairs, and
    computing the distances to pivots takes longer than the few remaining pairs.
    """
    slack = costs._triangle_slack() if costs._pivots_pay else None
    worth_it = slack is not None and len(trees) >= _MANY
    return (_FEW, slack) if worth_it and slack is not None else (0, 0.0)


def choose_pivots(
    trees: TreeSet,
    costs: Costs,
    count: int,
    slack: float,
    threads: int,
    report: Callable[[int, int], object] | None,
) -> Pivots | None:
    """Choose pivots far from each other, starting with the largest tree."""
    if count == 0 or len(trees) == 0:
        return None
    check_memory(8 * count * len(trees), f"the distances of {count} pivots")
    chosen = [int(np.argmax(trees.sizes))]
    rows: list[FloatArray] = []
    nearest = np.full(len(trees), np.inf)
    while True:
        options: dict[str, Any] = {"costs": costs, "n_jobs": threads}
        rows.append(pairwise_distances(trees[chosen[-1:]], trees, **options)[0])
        if report is not None and report(len(rows), count) is False:
            message = "the computation was cancelled"
            raise CancelledError(message)
        nearest = np.minimum(nearest, rows[-1])
        farthest = int(np.argmax(nearest))
        # A pivot at distance 0 from another one gives the same bounds.
        if len(rows) == count or nearest[farthest] == 0 or farthest in chosen:
            break
        chosen.append(farthest)
    return Pivots(np.array(chosen, dtype=np.uint32), np.concatenate(rows), slack)
