"""Costs of edits by a weight and a direction for each label, with a prior that favours unit costs.

Label u has the vector a_u = exp(b + θ_u) (s_u + δ_u). The corners s_u = (e_u + e_0) / √2 form a
simplex of side 1 together with the origin, which is the gap. Replacing u by v costs ‖a_u - a_v‖,
deleting or inserting u costs ‖a_u‖: a pseudo-metric for all parameters, and b, θ, δ = 0 are unit
costs. θ changes the weight of a label, δ moves labels towards each other. Their priors are normal
with the standard deviations `weight_scale` and `vector_scale`; b has none. Rare labels have δ = 0.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds

from treemetric._base.typing import FloatArray

IntArray = npt.NDArray[np.intp]

_CORNER = np.sqrt(0.5)
# Squared costs below this share of the squared weights are rounding errors.
_ROUNDING = 1e-12
# Weights differ by a factor of at most exp(2 · 3) from each other.
WIDEST = 3.0
# The common factor of all costs changes by at most exp(1). If it grows, trees that draw the right
# neighbours have no gradient any more, and those that remain are fitted too closely.
WIDEST_SCALE = 1.0


def sums(places: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return the sums of the values at each place."""
    found: npt.NDArray[Any] = np.bincount(places, values, size)
    return found


class _Shape(NamedTuple):
    """What the costs of all pairs share for some parameters."""

    weights: FloatArray  # (U + 1,): exp(b + θ), 0 for the gap
    lengths: FloatArray  # (U + 1,): squared length of s + δ
    points: FloatArray  # (K, K + 1): s + δ of the labels with δ
    inner: FloatArray  # (K + 1, K + 1): inner products of these points, and of a label without δ


class LabelModel:
    """The costs of edits as a function of parameters in one row: b, then θ, then δ.

    ``moving`` are the K labels with a vector δ. Their δ has K + 1 entries, along the corners of
    these labels and along e_0; other directions matter to no cost between them.
    """

    def __init__(
        self, labels: int, moving: IntArray, weight_scale: float = 1.0, vector_scale: float = 0.05
    ) -> None:
        self.labels, self.moving = labels, moving
        self.weight_scale, self.vector_scale = weight_scale, vector_scale
        count = len(moving)
        # The row of each label in the inner products; labels without δ and the gap share the last.
        self.row = np.full(labels + 1, count)
        self.row[moving] = np.arange(count)
        self.size = 1 + labels + count * (count + 1)

    def start(self, b: float = 0.0) -> FloatArray:
        """Return the parameters of unit costs, multiplied by exp(b)."""
        parameters = np.zeros(self.size)
        parameters[0] = b
        return parameters

    def bounds(self, b: float) -> Bounds:
        """Return the ranges of the parameters: without them, b grows if classes are separable."""
        widest = np.full(self.size, WIDEST)
        widest[0] = WIDEST_SCALE
        return Bounds(self.start(b) - widest, self.start(b) + widest)

    def parts(self, parameters: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return b, θ and δ."""
        count = len(self.moving)
        cut = 1 + self.labels
        return parameters[0], parameters[1:cut], parameters[cut:].reshape(count, count + 1)

    def _shape(self, parameters: FloatArray) -> _Shape:
        b, theta, delta = self.parts(parameters)
        count = len(self.moving)
        points = delta.copy()
        points[np.arange(count), np.arange(count)] += _CORNER
        points[:, count] += _CORNER
        inner = np.full((count + 1, count + 1), 0.5)
        inner[:count, :count] = points @ points.T
        inner[:count, count] = inner[count, :count] = _CORNER * points[:, count]
        lengths = np.ones(self.labels + 1)
        lengths[self.moving] = np.diag(inner)[:count]
        return _Shape(np.append(np.exp(b + theta), 0.0), lengths, points, inner)

    def costs(self, parameters: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
        """Return the costs of pairs of different symbols; symbol U is the gap."""
        return self._costs(self._shape(parameters), first, second)

    def _costs(self, shape: _Shape, first: IntArray, second: IntArray) -> FloatArray:
        u, v = shape.weights[first], shape.weights[second]
        inner = shape.inner[self.row[first], self.row[second]]
        squared = u * u * shape.lengths[first] + v * v * shape.lengths[second] - 2 * u * v * inner
        costs: FloatArray = np.sqrt(np.maximum(squared, _ROUNDING * (u * u + v * v)))
        return costs

    def costs_and_gradient(
        self, parameters: FloatArray, first: IntArray, second: IntArray
    ) -> "tuple[FloatArray, _Pullback]":
        """Return the costs, and a function from the gradient by costs to that by parameters."""
        shape = self._shape(parameters)
        costs = self._costs(shape, first, second)
        return costs, _Pullback(self, shape, costs, first, second)

    def penalty(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative logarithm of the prior, up to a constant, and its gradient."""
        precision = np.empty(self.size)
        precision[0] = 0.0
        precision[1 : 1 + self.labels] = self.weight_scale**-2
        precision[1 + self.labels :] = self.vector_scale**-2
        gradient = precision * parameters
        return 0.5 * float(gradient @ parameters), gradient

    def table(self, parameters: FloatArray) -> FloatArray:
        """Return the costs of all symbols, the gap last."""
        shape = self._shape(parameters)
        squares = shape.weights**2 * shape.lengths
        table: FloatArray = shape.inner[np.ix_(self.row, self.row)]
        table *= -2.0 * shape.weights
        table *= shape.weights[:, None]
        table += squares
        table += squares[:, None]
        np.maximum(table, 0.0, out=table)
        np.sqrt(table, out=table)
        np.fill_diagonal(table, 0.0)
        return table


class _Pullback:
    """The gradient of a function of costs by the parameters, given its gradient by the costs."""

    def __init__(
        self, model: LabelModel, shape: _Shape, costs: FloatArray, first: IntArray, second: IntArray
    ) -> None:
        self.model, self.shape, self.costs = model, shape, costs
        self.first, self.second = first, second

    def __call__(self, by_cost: FloatArray) -> FloatArray:
        model, shape = self.model, self.shape
        first, second = self.first, self.second
        symbols, count = model.labels + 1, len(model.moving)
        # c² = w_u² q_u + w_v² q_v - 2 w_u w_v h, with lengths q and inner products h
        by_square = by_cost / (2.0 * self.costs)
        u, v = shape.weights[first], shape.weights[second]
        rows, columns = model.row[first], model.row[second]
        both = u * v * by_square
        crossed = 2.0 * both * shape.inner[rows, columns]
        u *= u * by_square
        v *= v * by_square
        by_length = sums(first, u, symbols) + sums(second, v, symbols)
        by_weight = 2.0 * by_length * shape.lengths
        by_weight -= sums(first, crossed, symbols) + sums(second, crossed, symbols)
        side = count + 1
        by_inner = sums(rows * side + columns, -2.0 * both, side * side).reshape(side, side)
        by_inner = by_inner + by_inner.T
        near = by_inner[:count, :count]
        near[np.arange(count), np.arange(count)] += 2.0 * by_length[model.moving]
        by_point = near @ shape.points
        by_point[:, count] += _CORNER * by_inner[:count, count]
        by_theta = by_weight[: model.labels]
        return np.concatenate([[by_theta.sum()], by_theta, by_point.ravel()])
