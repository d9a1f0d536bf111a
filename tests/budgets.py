"""Memory budgets that split the work into blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treemetric.matrix.problem import Problem

if TYPE_CHECKING:
    import treemetric as tm


def budget_for(
    more: int,
    X: Any,
    Y: Any = None,
    *,
    costs: tm.Costs | None = None,
    cutoff: float | None = None,
    n_jobs: int = 1,
    **_: Any,
) -> int:
    """Return the bytes that the threads need plus `more` bytes for blocks."""
    problem = Problem.checked(
        X, Y, costs=costs, cutoff=cutoff, dtype="float64", condensed=False, function="budget"
    )
    return problem.needs(n_jobs, 1).scratch + more
