"""The linear programme of Balcan, Blum and Srebro's separator.

With similarities K (n, L) to landmarks and signs s = ±1 the separator is the solution of

    min_α  Σ_i [1 - s_i (K α)_i]₊ + λ ‖α‖₁.

Its dual is max_β Σ_i β_i over 0 ≤ β ≤ 1 with |Kᵀ (s ∘ β)| ≤ λ, and any such β is a lower
bound: that is how the gap is certified.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from treemetric._typing import FloatArray


class Separator(NamedTuple):
    """Weights of the landmarks, the loss, and by how much it may exceed the least one."""

    weights: FloatArray
    loss: float
    gap: float


def objective(
    weights: FloatArray, similarities: FloatArray, signs: FloatArray, strength: float
) -> float:
    """Give the loss of some weights."""
    margins = signs * (similarities @ weights)
    return float(np.maximum(0.0, 1.0 - margins).sum() + strength * np.abs(weights).sum())


def separate(similarities: FloatArray, signs: FloatArray, strength: float) -> Separator:
    """Solve the programme by HiGHS: positive and negative parts of α, then the hinge losses."""
    signed = similarities * signs[:, None]
    n, count = signed.shape
    result = linprog(
        np.concatenate([np.full(2 * count, strength), np.ones(n)]),
        A_ub=np.hstack([-signed, signed, -np.eye(n)]),
        b_ub=np.full(n, -1.0),
        bounds=(0.0, None),
        method="highs",
    )
    if result.status != 0:
        message = f"the linear programme was not solved: {result.message}"
        raise RuntimeError(message)
    weights: FloatArray = result.x[:count] - result.x[count : 2 * count]
    loss = objective(weights, similarities, signs, strength)
    # Scaled down until it is feasible, so that rounding cannot make the bound too good.
    beta = np.clip(-result.ineqlin.marginals, 0.0, 1.0)
    excess = float(np.abs(beta @ signed).max(initial=0.0))
    bound = float(beta.sum()) * min(1.0, strength / excess if excess > 0 else 1.0)
    return Separator(weights, loss, max(0.0, loss - bound))
