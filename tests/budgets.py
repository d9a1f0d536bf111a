"""Memory budgets that split the work into blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

import treemetric as tm
from treemetric.matrix.fill import make_problem


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
    options = (cutoff, np.dtype(np.float64), False)
    problem = make_problem((X, Y), costs or tm.UnitCosts(), options, "budget")
    return problem.needs(n_jobs, 1).scratch + more
