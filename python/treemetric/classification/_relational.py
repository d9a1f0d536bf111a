"""The loss of relational generalised LVQ and its gradient.

A prototype is a convex combination w = Σ_j α_j x_j of the data in their pseudo-Euclidean
embedding. The embedding need not be computed: with the matrix S of *squared* distances,

    ‖x_i - w‖² = (S α)_i - ½ αᵀ S α      (Hammer, Hofmann, Schleif and Zhu 2014).

The weights are α = softmax(θ), so every θ defines a convex combination. If S is not Euclidean,
the squared distance to a mixture can be negative; the denominator of μ then uses absolute values,
so that μ stays between -1 and 1 and keeps its sign.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from treemetric._base.threads import one_blas_thread
from treemetric._base.typing import FloatArray
from treemetric._estimators.prototypes import HeldOut, Indices, closest
from treemetric._estimators.squashing import Squash, relevance

# The share of an initial prototype that is spread over all data: weights of 0 could never grow.
_SPREAD = 0.1


class Problem(NamedTuple):
    """Squared distances and classes of the data, classes of the prototypes, and the loss.

    ``weights`` are the weights of the data in the loss; None if all of them are 1.
    """

    squares: FloatArray
    codes: Indices
    labels: Indices
    squash: Squash
    weights: FloatArray | None = None


class Mixtures(NamedTuple):
    """Learned weights (n_prototypes, n), ½ αᵀ S α of each, and the history of the loss.

    ``validation_curve`` is the mean loss of the points held out, if there are any.
    """

    weights: FloatArray
    halves: FloatArray
    loss_curve: FloatArray
    n_iter: int
    loss: float
    validation_curve: FloatArray | None = None


def to_mixtures(squares: FloatArray, weights: FloatArray, halves: FloatArray) -> FloatArray:
    """Return squared distances to the prototypes from rows of squared distances to the data."""
    distances: FloatArray = squares @ weights.T - halves
    return distances


def half_forms(squares: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ½ αᵀ S α of each prototype."""
    halves: FloatArray = 0.5 * np.einsum("kj,kj->k", weights @ squares, weights)
    return halves


def loss_and_gradient(theta: FloatArray, problem: Problem) -> tuple[float, FloatArray]:
    """Return the loss and its gradient by θ, in the shape of θ."""
    squares, codes, labels, squash, point_weights = problem
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
    losses = squash.value(mu)
    if point_weights is not None:
        outer *= point_weights
        losses = losses * point_weights
    pull = np.zeros_like(distances)
    pull[rows, plus] = outer * (1.0 - mu * np.sign(d_plus))
    pull[rows, minus] = outer * (-1.0 - mu * np.sign(d_minus))
    inner = pull.T @ squares - pull.sum(axis=0)[:, None] * spread
    gradient = weights * (inner - np.einsum("kj,kj->k", weights, inner)[:, None])
    return float(losses.sum()), gradient.reshape(theta.shape)


def first_weights(
    distances: FloatArray,
    codes: Indices,
    prototypes: Indices,
    labels: Indices,
    point_weights: FloatArray | None = None,
) -> FloatArray:
    """Return the mean of the points of the class around each prototype, mixed with all points."""
    nearest, _ = closest(distances[:, prototypes], labels, codes)
    around = (nearest == np.arange(len(prototypes))[:, None]).astype(np.float64)
    # Only the first of several prototypes at the same place is the closest to any point.
    around[np.arange(len(prototypes)), prototypes] = 1.0
    spread = np.ones(len(codes)) if point_weights is None else point_weights
    around *= spread
    means = around / around.sum(axis=1, keepdims=True)
    mixed: FloatArray = (1 - _SPREAD) * means + _SPREAD * spread / spread.sum()
    return mixed


def learn_mixtures(
    problem: Problem,
    start: FloatArray,
    max_iter: int,
    tol: float,
    held_out: HeldOut | None = None,
    report: Callable[[int, int], object] | None = None,
) -> Mixtures:
    """Lower the loss by L-BFGS from given weights and return the best weights found.

    The loss has kinks where another prototype becomes the closest, so the last state of a line
    search is not always the best. If points are held out, the weights with the lowest loss of
    these points are the best. ``report`` is called after each step.
    """
    search = _Search(problem, np.log(start).ravel(), held_out)

    def stepped(_: FloatArray) -> None:
        search.step()
        if report is not None:
            report(len(search.curve) - 1, max_iter)
        if search.is_over():
            raise StopIteration

    with one_blas_thread():
        result = minimize(
            search.value,
            search.lowest,
            jac=True,
            method="L-BFGS-B",
            callback=stepped,
            options={"maxiter": max_iter, "ftol": tol, "gtol": 1e-12, "maxfun": 20 * max_iter + 20},
        )
    return search.result(max(1, result.nit))


class _Search:
    """The weights with the lowest loss so far, and the best ones for the points held out."""

    def __init__(self, problem: Problem, theta: FloatArray, held_out: HeldOut | None) -> None:
        self.problem = problem
        self.held_out = held_out
        self.held_squares = None if held_out is None else np.square(held_out.distances)
        self.lowest = theta
        self.loss = loss_and_gradient(theta, problem)[0]
        self.curve = [self.loss]
        self.validation = [self.validation_loss()]
        self.kept, self.kept_loss, self.kept_at = self.lowest, self.loss, 0

    def value(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return loss and gradient."""
        loss, gradient = loss_and_gradient(theta, self.problem)
        if loss < self.loss:
            self.lowest, self.loss = theta.copy(), loss
        return loss, gradient

    def step(self) -> None:
        """Record the state after a step."""
        self.curve.append(self.loss)
        if self.held_out is not None:
            self.validation.append(self.validation_loss())
            if self.validation[-1] < self.validation[self.kept_at] - 1e-12:
                self.kept, self.kept_loss = self.lowest, self.loss
                self.kept_at = len(self.validation) - 1

    def is_over(self) -> bool:
        """Return whether the loss of the points held out did not become lower for too long."""
        patience = None if self.held_out is None else self.held_out.patience
        return patience is not None and len(self.validation) - 1 - self.kept_at >= patience

    def weights_of(self, theta: FloatArray) -> FloatArray:
        weights: FloatArray = softmax(theta.reshape(len(self.problem.labels), -1), axis=1)
        return weights

    def validation_loss(self) -> float:
        """Return the mean loss of the points that are held out; 0 if there are none."""
        if self.held_out is None or self.held_squares is None:
            return 0.0
        weights = self.weights_of(self.lowest)
        halves = half_forms(self.problem.squares, weights)
        distances = to_mixtures(self.held_squares, weights, halves)
        codes = self.held_out.codes
        plus, minus = closest(distances, self.problem.labels, codes)
        rows = np.arange(len(codes))
        mu = relevance(distances[rows, plus], distances[rows, minus])
        return float(np.average(self.problem.squash.value(mu), weights=self.held_out.weights))

    def result(self, n_iter: int) -> Mixtures:
        """Return the weights with the lowest loss, or the best for the points held out."""
        self.curve[-1] = self.loss
        best, loss = (self.lowest, self.loss)
        if self.held_out is not None:
            best, loss = self.kept, self.kept_loss
        weights = self.weights_of(best)
        return Mixtures(
            weights,
            half_forms(self.problem.squares, weights),
            np.array(self.curve),
            n_iter,
            loss,
            None if self.held_out is None else np.array(self.validation),
        )
