"""The linear program of Balcan, Blum and Srebro's separator.

With similarities K (n, L) to landmarks, signs s = ±1 and weights w, 1 by default, the separator is
the solution of

    min_α  Σ_i w_i [1 - s_i (K α)_i]₊ + λ ‖α‖₁.

Its dual is max_β Σ_i β_i over 0 ≤ β ≤ w with |Kᵀ (s ∘ β)| ≤ λ. The value of any such β is a lower
bound, which certifies the gap. The dual is solved, because it holds each similarity once, while
the primal has positive and negative parts of α. The α are the multipliers of the dual.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_matrix, hstack, identity

from treemetric._base.threads import interruptible
from treemetric._base.typing import FloatArray

# The simplex method is slower, but can succeed where interior points do not converge. If nearly all
# similarities are equal, HiGHS can reject its own solution; other tolerances help. The gap of the
# solution is known in any case.
_ATTEMPTS = (
    ("highs-ipm", None),
    ("highs-ds", None),
    ("highs-ipm", 1e-10),
    ("highs-ds", 1e-10),
    ("highs-ipm", 1e-6),
    ("highs-ds", 1e-6),
)
_TOLERANCES = ("primal_feasibility_tolerance", "dual_feasibility_tolerance")


class Separator(NamedTuple):
    """Weights of the landmarks, their loss, and its largest excess over the minimum."""

    weights: FloatArray
    loss: float
    gap: float


def objective(
    weights: FloatArray,
    similarities: FloatArray,
    signs: FloatArray,
    strength: float,
    point_weights: FloatArray | None = None,
) -> float:
    """Return the loss of some weights of landmarks."""
    losses = np.maximum(0.0, 1.0 - signs * (similarities @ weights))
    errors = losses.sum() if point_weights is None else losses @ point_weights
    return float(errors + strength * np.abs(weights).sum())


def separate(
    similarities: FloatArray,
    signs: FloatArray,
    strength: float,
    point_weights: FloatArray | None = None,
) -> Separator:
    """Solve the dual by HiGHS, with ρ = Kᵀ (s ∘ β) as variables of their own, |ρ| ≤ λ.

    Interior points with crossover took a third of the time of the simplex for 1000 points.
    """
    signed = similarities * signs[:, None]
    n, count = signed.shape
    bounds = np.empty((n + count, 2))
    most = np.ones(n) if point_weights is None else point_weights
    bounds[:n, 0], bounds[:n, 1], bounds[n:] = 0.0, most, (-strength, strength)
    for method, tolerance in _ATTEMPTS:
        program = partial(
            linprog,
            np.concatenate([np.full(n, -1.0), np.zeros(count)]),
            A_eq=hstack([csc_matrix(signed.T), -identity(count)], format="csc"),
            b_eq=np.zeros(count),
            bounds=bounds,
            method=method,
            options={} if tolerance is None else dict.fromkeys(_TOLERANCES, tolerance),
        )
        result = interruptible(program)
        if result.status == 0:
            break
    else:
        message = f"the linear program was not solved: {result.message}"
        raise RuntimeError(message)
    weights: FloatArray = -result.eqlin.marginals
    loss = objective(weights, similarities, signs, strength, point_weights)
    # Scale β down until it is feasible, so that rounding cannot make the bound too high.
    beta = np.clip(result.x[:n], 0.0, most)
    excess = float(np.abs(beta @ signed).max(initial=0.0))
    bound = float(beta.sum()) * min(1.0, strength / excess if excess > 0 else 1.0)
    return Separator(weights, loss, max(0.0, loss - bound))
