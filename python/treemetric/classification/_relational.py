"""The loss of relational generalised LVQ and its gradient.

A prototype is a convex combination w = Σ_j α_j x_j of the data in their pseudo-Euclidean
embedding. The embedding need not be computed: with the matrix S of *squared* distances,

    ‖x_i - w‖² = (S α)_i - ½ αᵀ S α      (Hammer, Hofmann, Schleif and Zhu 2014).

The weights are α = softmax(θ), so every θ defines a convex combination. If S is not Euclidean,
the squared distance to a mixture can be negative; the denominator of μ then uses absolute values,
so that μ stays between -1 and 1 and keeps its sign.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray
from treemetric._estimators.prototypes import Indices, closest
from treemetric._estimators.squashing import Squash, relevance

# The share of an initial prototype that is spread over all data: weights of 0 could never grow.
_SPREAD = 0.1


class Mixtures(NamedTuple):
    """Learned weights (n_prototypes, n), ½ αᵀ S α of each, and the history of the loss."""

    weights: FloatArray
    halves: FloatArray
    loss_curve: FloatArray
    n_iter: int


def to_mixtures(squares: FloatArray, weights: FloatArray, halves: FloatArray) -> FloatArray:
    """Return squared distances to the prototypes from rows of squared distances to the data."""
    distances: FloatArray = squares @ weights.T - halves
    return distances


def half_forms(squares: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ½ αᵀ S α of each prototype."""
    halves: FloatArray = 0.5 * np.einsum("kj,kj->k", weights @ squares, weights)
    return halves


def loss_and_gradient(
    theta: FloatArray, squares: FloatArray, codes: Indices, labels: Indices, squash: Squash
) -> tuple[float, FloatArray]:
    """Return the loss and its gradient by θ, in the shape of θ."""
    weights = softmax(theta.reshape(len(labels), -1), axis=1)
    spread = weights @ squares
    halves = 0.5 * np.einsum("kj,kj->k", spread, weights)
    distances = spread.T - halves
    plus, minus = closest(distances, labels, codes)
    rows = np.arange(len(codes))
    d_plus, d_minus = distances[rows, plus], distances[rows, minus]
    mu = relevance(d_plus, d_minus)
    # ∂μ/∂d⁺ = (1 - μ·sign d⁺) / (|d⁺| + |d⁻|), and likewise for d⁻; 0 where both are 0.
    total = np.abs(d_plus) + np.abs(d_minus)
    outer = squash.derivative(mu) * np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    pull = np.zeros_like(distances)
    pull[rows, plus] = outer * (1.0 - mu * np.sign(d_plus))
    pull[rows, minus] = outer * (-1.0 - mu * np.sign(d_minus))
    inner = pull.T @ squares - pull.sum(axis=0)[:, None] * spread
    gradient = weights * (inner - np.einsum("kj,kj->k", weights, inner)[:, None])
    return float(squash.value(mu).sum()), gradient.reshape(theta.shape)


def first_weights(
    distances: FloatArray, codes: Indices, prototypes: Indices, labels: Indices
) -> FloatArray:
    """Return the mean of the points of the class around each prototype, mixed with all points."""
    nearest, _ = closest(distances[:, prototypes], labels, codes)
    around = (nearest == np.arange(len(prototypes))[:, None]).astype(np.float64)
    # Only the first of several prototypes at the same place is the closest to any point.
    around[np.arange(len(prototypes)), prototypes] = 1.0
    means = around / around.sum(axis=1, keepdims=True)
    mixed: FloatArray = (1 - _SPREAD) * means + _SPREAD / len(codes)
    return mixed


def learn_mixtures(
    squares: FloatArray,
    codes: Indices,
    labels: Indices,
    start: FloatArray,
    squash: Squash,
    max_iter: int,
    tol: float,
    report: Callable[[int, int], object] | None = None,
) -> Mixtures:
    """Lower the loss by L-BFGS from given weights and return the best weights found.

    The loss has kinks where another prototype becomes the closest, so the last state of a line
    search is not always the best. ``report`` is called after each step.
    """
    best = np.log(start).ravel()
    least = loss_and_gradient(best, squares, codes, labels, squash)[0]
    curve = [least]

    def value(theta: FloatArray) -> tuple[float, FloatArray]:
        nonlocal best, least
        loss, gradient = loss_and_gradient(theta, squares, codes, labels, squash)
        if loss < least:
            best, least = theta.copy(), loss
        return loss, gradient

    def stepped(_: FloatArray) -> None:
        curve.append(least)
        if report is not None:
            report(len(curve) - 1, max_iter)

    with one_blas_thread():
        result = minimize(
            value,
            best,
            jac=True,
            method="L-BFGS-B",
            callback=stepped,
            options={"maxiter": max_iter, "ftol": tol, "gtol": 1e-12, "maxfun": 20 * max_iter + 20},
        )
    weights = softmax(best.reshape(start.shape), axis=1)
    curve[-1] = least
    return Mixtures(weights, half_forms(squares, weights), np.array(curve), max(1, result.nit))
