"""Costs of edits by a weight and a direction for each label, with a prior that favours unit costs.

Label u has the vector a_u = exp(b + θ_u) (s_u + δ_u). The corners s_u = (e_u + e_0) / √2 form a
simplex of side 1 together with the origin, which is the gap. Replacing u by v costs ‖a_u - a_v‖,
deleting or inserting u costs ‖a_u‖: a pseudo-metric for all parameters, and b, θ, δ = 0 are unit
costs. θ changes the weight of a label, δ moves labels towards each other. Their priors are normal
with the standard deviations `weight_scale` and `vector_scale`; b has none. Rare labels have δ = 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds
from scipy.sparse import coo_array

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


class SymbolPairs(NamedTuple):
    """Pairs of different symbols, and what their costs need in each step."""

    first: IntArray
    second: IntArray
    products: IntArray  # position of the inner product of both directions in the table of all
    ends: Any  # (U + 1, P), sparse: 1 where a symbol is in a pair


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

    def pairs(self, first: IntArray, second: IntArray) -> SymbolPairs:
        """Return pairs of different symbols for `costs`; symbol U is the gap."""
        side = len(self.moving) + 1
        products = self.row[first] * side + self.row[second]
        columns = np.arange(len(first), dtype=np.int32)
        rows = np.concatenate([first, second]).astype(np.int32)
        entries = np.ones(len(rows)), (rows, np.tile(columns, 2))
        ends = coo_array(entries, shape=(self.labels + 1, len(first))).tocsr()
        return SymbolPairs(first, second, products, ends)

    def costs(self, parameters: FloatArray, pairs: SymbolPairs) -> FloatArray:
        """Return the costs of pairs of symbols."""
        return self.costs_and_gradient(parameters, pairs)[0]

    def deletions(self, parameters: FloatArray) -> FloatArray:
        """Return the costs of deleting each label."""
        shape = self._shape(parameters)
        costs: FloatArray = (shape.weights * np.sqrt(shape.lengths))[:-1]
        return costs

    def costs_and_gradient(
        self, parameters: FloatArray, pairs: SymbolPairs
    ) -> tuple[FloatArray, _Pullback]:
        """Return the costs, and a function from the gradient by costs to that by parameters."""
        shape = self._shape(parameters)
        # c² = w_u² q_u + w_v² q_v - 2 w_u w_v h, with lengths q and inner products h
        weights = shape.weights
        squares = weights**2 * shape.lengths
        crossed = weights[pairs.first]
        crossed *= weights[pairs.second]
        crossed *= shape.inner.ravel()[pairs.products]
        together = squares[pairs.first]
        together += squares[pairs.second]
        costs = together - 2.0 * crossed
        together *= _ROUNDING
        np.maximum(costs, together, out=costs)
        np.sqrt(costs, out=costs)
        return costs, _Pullback(self, shape, costs, pairs, crossed)

    def penalty(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative logarithm of the prior, up to a constant, and its gradient."""
        precision = np.empty(self.size)
        precision[0] = 0.0
        precision[1 : 1 + self.labels] = self.weight_scale**-2
        precision[1 + self.labels :] = self.vector_scale**-2
        gradient = precision * parameters
        return 0.5 * float(gradient @ parameters), gradient

    def table(self, parameters: FloatArray, mean_deletion: float | None = None) -> FloatArray:
        """Return the costs of all symbols, the gap last; scaled, if a mean deletion is given."""
        shape = self._shape(parameters)
        weights = shape.weights
        if mean_deletion is not None and self.labels:
            weights = weights * (mean_deletion / self.deletions(parameters).mean())
        squares = weights**2 * shape.lengths
        # In place: tables of thousands of labels take longer to allocate than to compute.
        table: FloatArray = shape.inner[np.ix_(self.row, self.row)]
        table *= -2.0 * weights
        table *= weights[:, None]
        table += squares
        table += squares[:, None]
        np.maximum(table, 0.0, out=table)
        np.sqrt(table, out=table)
        np.fill_diagonal(table, 0.0)
        return table


class _Pullback:
    """The gradient of a function of costs by the parameters, given its gradient by the costs."""

    def __init__(
        self,
        model: LabelModel,
        shape: _Shape,
        costs: FloatArray,
        pairs: SymbolPairs,
        crossed: FloatArray,
    ) -> None:
        self.model, self.shape, self.costs = model, shape, costs
        self.pairs, self.crossed = pairs, crossed  # w_u w_v h

    def __call__(self, by_cost: FloatArray) -> FloatArray:
        model, shape, pairs = self.model, self.shape, self.pairs
        count = len(model.moving)
        by_square = by_cost / (2.0 * self.costs)
        by_crossed = by_square * self.crossed
        by_length = shape.weights**2 * (pairs.ends @ by_square)
        by_weight = 2.0 * (by_length * shape.lengths - pairs.ends @ by_crossed)
        side = count + 1
        by_square *= shape.weights[pairs.first]
        by_square *= shape.weights[pairs.second]
        by_inner = -2.0 * sums(pairs.products, by_square, side * side).reshape(side, side)
        by_inner = by_inner + by_inner.T
        near = by_inner[:count, :count]
        near[np.arange(count), np.arange(count)] += 2.0 * by_length[model.moving]
        by_point = near @ shape.points
        by_point[:, count] += _CORNER * by_inner[:count, count]
        by_theta = by_weight[: model.labels]
        return np.concatenate([[by_theta.sum()], by_theta, by_point.ravel()])
