"""An interior point method for the quadratic program of GESL.

This is the primal-dual method of Mehrotra (1992). With hinges ξ ≥ 0 and slacks
w = ξ - s (N c - η) - b ≥ 0 (w = -T c for a triangle inequality), and multipliers α of w, 1 - α of
ξ, γ of c ≥ 0, μ of η ≥ 0 and ν of η ≤ 1, the optimum is where the products α w, (1 - α) ξ, γ c,
μ η and ν (1 - η) vanish. A Newton step on these products solves one system of equations: in the
pairs or in the costs, whichever are fewer, or in both if all are few. About 20 steps are enough for
every β.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.lapack import dgetrf, dgetrs
from scipy.sparse import csr_array, diags_array, hstack, vstack

from treemetric._base.typing import FloatArray
from treemetric._base.validation import check_memory
from treemetric.learning._gesl_problem import Point, Problem

Report = Callable[[int, float], None]

# The matrix of all pairs is dense above this share of nonzero entries, if it is not too large.
_DENSE, _LARGEST = 0.04, 1 << 25
# Up to this many pairs and costs are solved in one system, which is slower but more accurate.
_SMALL = 200
# The share of the way to the boundary, and the smallest product relative to the mean.
_TO_THE_BOUNDARY, _NEIGHBOURHOOD, _SHORTEST = 0.995, 1e-4, 1e-10
# A step should reduce the mean product to this share; otherwise steps towards these shares follow.
_PROGRESS, _SHARES = 0.7, (0.1, 0.5)
# From this many unknowns on a factorisation costs far more than a step with it, so several steps
# are tried: towards each of these shares, with this many corrections. That halves their number.
_LARGE, _AIMS, _CORRECTIONS = 1000, (0.03, 0.1, 0.3), 4
# After this many steps in a row that hardly lower the gap, rounding errors dominate.
_IDLE = 8


class Solution(NamedTuple):
    """The result of `solve`: the best point and the number of steps."""

    point: Point
    n_iter: int


@dataclass
class _State:
    """The unknowns, or a step of all of them; ``eta`` and its multipliers are arrays of one.

    ``rest`` is 1 - α of the pairs and ``room`` is 1 - η. They are stored, because the differences
    would be inaccurate near 0.
    """

    costs: FloatArray
    eta: FloatArray
    hinge: FloatArray
    slack: FloatArray
    alpha: FloatArray
    gamma: FloatArray
    low: FloatArray
    high: FloatArray
    rest: FloatArray
    room: FloatArray

    def moved(self, step: _State, length: float) -> _State:
        """Return the state some way along a step."""
        parts = (
            getattr(self, field.name) + length * getattr(step, field.name) for field in fields(self)
        )
        return _State(*parts)


def nothing(done: int, loss: float) -> None:
    """Report nothing."""


def solve(
    problem: Problem, *, tol: float, max_iter: int, done: int = 0, report: Report = nothing
) -> Solution:
    """Solve a program until its certified gap is at most ``tol`` of the loss.

    It also ends when rounding errors keep the gap from falling; see `Problem.converged`.
    ``report`` is called with the number of steps, including ``done`` earlier steps, and the loss.
    """
    m, n = problem.rows.shape
    best = Solution(_trivial(problem), 0)
    if n == 0 or best.point.gap <= tol * best.point.loss:
        return best
    check_memory(16 * min(m + problem.hard.shape[0], n + 1) ** 2, "the quadratic program of GESL")
    newton = _Newton(problem)
    state = newton.start()
    idle = 0
    for n_iter in range(1, max_iter + 1):
        # An overflow at the limit of accuracy ends the search.
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            moved = newton.step(state)
        if moved is None:
            break
        state = moved
        found = _certify(problem, state, best.point)
        # Far from the optimum the gap of the method, the sum of all products, is larger.
        far = newton.total(state) > found.gap
        idle = 0 if far or found.gap < 0.9 * best.point.gap else idle + 1
        best = Solution(found, n_iter)
        report(done + n_iter, found.loss)
        if found.gap <= tol * found.loss or idle >= _IDLE:
            break
    return best._replace(point=_with_zeros(problem, state, best.point, tol))


def _trivial(problem: Problem) -> Point:
    """Return the costs 0, which are optimal without pairs of N or for an infinite β."""
    costs = np.zeros(problem.rows.shape[1])
    loss, margin = problem.loss(costs)
    bound = problem.bound(problem.negative.astype(np.float64), np.zeros(problem.hard.shape[0]))
    return Point(costs, margin, loss, bound)


def _certify(problem: Problem, state: _State, best: Point) -> Point:
    """Return the best of the costs that a state suggests, and the best bound."""
    m = len(problem.signs)
    alpha, tied = state.alpha[:m], state.alpha[m:]
    bound = max(best.bound, problem.bound(alpha, tied))
    candidates = [state.costs]
    if not len(tied):
        # The minimum of the Lagrangian satisfies c ≥ 0, but not always other inequalities.
        candidates.append(problem.best_costs(alpha, tied))
    point = best._replace(bound=bound)
    for costs in candidates:
        loss, margin = problem.loss(costs)
        if loss < point.loss:
            point = Point(costs, margin, loss, bound)
    return point


def _with_zeros(problem: Problem, state: _State, best: Point, tol: float) -> Point:
    """Set costs that vanish in the limit to exactly 0, if the gap stays small enough."""
    if problem.hard.shape[0]:
        return best
    costs = np.where(2 * problem.weights * best.costs < state.gamma, 0.0, best.costs)
    loss, margin = problem.loss(costs)
    rounded = Point(costs, margin, loss, best.bound)
    return rounded if rounded.gap <= max(best.gap, tol * loss) else best


class _Newton:
    """Steps of the interior point method for one program."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.m, self.n = problem.rows.shape
        self.k = problem.hard.shape[0]
        signed = csr_array(diags_array(problem.signs) @ problem.rows)
        margin = csr_array(-problem.signs[:, None])
        hinges = hstack([signed, margin])
        hard = hstack([problem.hard, csr_array((self.k, 1))])
        both = csr_array(vstack([hinges, hard])) if self.k else csr_array(hinges)
        size = both.shape[0] * both.shape[1]
        self.small = sum(both.shape) <= _SMALL
        dense = self.small or (both.nnz > _DENSE * size and size <= _LARGEST)
        self.matrix: Any = both.toarray() if dense else both
        self.dense = dense
        self.by_costs = both.shape[1] <= both.shape[0]
        # Triangle inequalities cause many small steps.
        self.large = bool(self.k) and min(both.shape) >= _LARGE
        self.offsets = np.concatenate([problem.offsets, np.zeros(self.k)])
        self.transposed: Any = self.matrix.T if dense else both.T.tocsr()

    def start(self) -> _State:
        """Return equal costs under which the mean pair is far, well inside all bounds."""
        problem = self.problem
        sums = problem.rows.sum(axis=1)
        cost = 1.5 / max(float(sums[problem.negative].mean()), 1e-3)
        costs, eta = np.full(self.n, cost), np.array([0.5])
        values = self.matrix @ np.concatenate([costs, eta]) + self.offsets
        hinge = np.maximum(values[: self.m], 0.0) + 1.0
        # Positive, because hinges exceed their values and equal costs are triangular. Steps keep
        # the equations of slacks and costs, so that no residual has to be corrected later.
        slack = -values
        slack[: self.m] += hinge
        alpha = np.full(self.m + self.k, 0.5)
        slope = self.transposed @ alpha
        gradient = 2 * problem.weights * costs + slope[:-1]
        gamma = np.maximum(gradient, 0.0) + np.abs(gradient).mean() + 1e-3
        low = np.maximum(slope[-1:], 0.0) + 1.0
        high = low - slope[-1:]
        rest, room = 1.0 - alpha[: self.m], 1.0 - eta
        return _State(costs, eta, hinge, slack, alpha, gamma, low, high, rest, room)

    def step(self, at: _State) -> _State | None:
        """Return the state after a step; None if rounding errors prevent further progress."""
        inverse = at.slack / at.alpha
        inverse[: self.m] += at.hinge / at.rest
        curve = np.concatenate(
            [
                2 * self.problem.weights + at.gamma / at.costs,
                at.low / at.eta + at.high / at.room,
            ]
        )
        factor = self._factor(inverse, curve)
        if factor is None:
            return None
        mean = self._mean(at)
        system = (factor, inverse, curve)
        first = self._solve(at, system, 0.0, None)
        ahead = self._mean(at.moved(first, min(1.0, _length(at, first))))
        best, left = self._go(at, self._solve(at, system, mean * (ahead / mean) ** 3, first))
        for share in _AIMS if self.large else ():
            step = None
            for _ in range(_CORRECTIONS):
                step = self._solve(at, system, share * mean, step)
                other, more = self._go(at, step)
                if more < left:
                    best, left = other, more
        # Mehrotra's steps can get stuck or cycle. Steps towards the central path without a
        # correction always make progress.
        for share in _SHARES:
            if left < _PROGRESS:
                break
            other, more = self._go(at, self._solve(at, system, share * mean, None))
            if more < left:
                best, left = other, more
        return best

    def _go(self, at: _State, step: _State) -> tuple[_State | None, float]:
        """Go as far as all numbers stay positive and no product is far below the others.

        Return the new state and the remaining share of the mean product or of the dual residual,
        whichever is larger.
        """
        length = min(1.0, _TO_THE_BOUNDARY * _length(at, step))
        least = min(_NEIGHBOURHOOD, 0.5 * self._centrality(at))
        while length > _SHORTEST:
            state = at.moved(step, length)
            if self._centrality(state) >= least:
                return state, max(self._mean(state) / self._mean(at), 1.0 - length)
            length *= 0.7
        return None, np.inf

    def _factor(self, inverse: FloatArray, curve: FloatArray) -> Any:
        """Factorise the matrix of the Newton step: in both, in the costs or in the pairs."""
        if self.small:
            n = len(curve)
            whole = np.zeros((n + len(inverse),) * 2)
            whole[:n, :n] = np.diag(curve)
            whole[n:, n:] = np.diag(-inverse)
            whole[n:, :n] = self.matrix
            whole[:n, n:] = self.transposed
            # Scale the rows, because both blocks of the diagonal range from 0 to infinity.
            scale = 1.0 / np.sqrt(np.abs(whole).max(axis=1))
            if not np.isfinite(scale).all():
                return None
            lu, pivots, failed = dgetrf(whole * scale * scale[:, None])
            return None if failed else (lu, pivots, scale)
        if self.by_costs:
            inner, outer, left, right = inverse, curve, self.transposed, self.matrix
        else:
            inner, outer, left, right = curve, inverse, self.matrix, self.transposed
        if self.dense:
            normal = left @ (right / inner[:, None])
        else:
            normal = (left @ csr_array(diags_array(1.0 / inner) @ right)).toarray()
        normal[np.diag_indices_from(normal)] += outer
        # Add rounding errors to the diagonal if the matrix is singular up to them.
        for extra in (0.0, 1e-14, 1e-11):
            normal[np.diag_indices_from(normal)] *= 1.0 + extra
            try:
                return cho_factor(normal, lower=True, check_finite=False)
            except (LinAlgError, ValueError):
                continue
        return None

    def _solve(
        self,
        at: _State,
        system: tuple[Any, FloatArray, FloatArray],
        target: float,
        first: _State | None,
    ) -> _State:
        """Solve for the step that brings all products to a target.

        ``first`` is the step of the linear model, whose second-order products are corrected.
        """
        factor, inverse, curve = system
        m, alpha, rest, room = self.m, at.alpha, at.rest, at.room
        by_slack = target - alpha * at.slack
        by_hinge = target - rest * at.hinge
        by_costs = target - at.gamma * at.costs
        by_low = target - at.low * at.eta
        by_high = target - at.high * room
        if first is not None:
            by_slack = by_slack - first.alpha * first.slack
            by_hinge = by_hinge + first.alpha[:m] * first.hinge
            by_costs = by_costs - first.gamma * first.costs
            by_low = by_low - first.low * first.eta
            by_high = by_high + first.high * first.eta
        slope = self.transposed @ alpha
        gradient = 2 * self.problem.weights * at.costs + slope[:-1] - at.gamma
        right = np.concatenate(
            [
                by_costs / at.costs - gradient,
                by_low / at.eta - by_high / room - (slope[-1:] - at.low + at.high),
            ]
        )
        below = by_slack / alpha
        below[:m] -= by_hinge / rest
        if self.small:
            lu, pivots, scale = factor
            both = scale * dgetrs(lu, pivots, scale * np.concatenate([right, -below]))[0]
            dx, dalpha = both[: self.n + 1], both[self.n + 1 :]
        elif self.by_costs:
            wanted = right - self.transposed @ (below / inverse)
            dx = cho_solve(factor, wanted, check_finite=False)
            dalpha = (self.matrix @ dx + below) / inverse
        else:
            wanted = self.matrix @ (right / curve) + below
            dalpha = cho_solve(factor, wanted, check_finite=False)
            dx = (right - self.transposed @ dalpha) / curve
        dcosts, deta = dx[:-1], dx[-1:]
        dhinge = (by_hinge + at.hinge * dalpha[:m]) / rest
        dslack = -(self.matrix @ dx)
        dslack[:m] += dhinge
        return _State(
            costs=dcosts,
            eta=deta,
            hinge=dhinge,
            slack=dslack,
            alpha=dalpha,
            gamma=(by_costs - at.gamma * dcosts) / at.costs,
            low=(by_low - at.low * deta) / at.eta,
            high=(by_high + at.high * deta) / room,
            rest=-dalpha[:m],
            room=-deta,
        )

    def total(self, at: _State) -> float:
        """Return the sum of all products that vanish at the optimum."""
        return float(sum(product.sum() for product in _products(at)))

    def _mean(self, at: _State) -> float:
        """Return the mean of these products."""
        return float(self.total(at) / (2 * self.m + self.k + self.n + 2))

    def _centrality(self, at: _State) -> float:
        """Return the smallest product as a share of the mean; 0 if it is not a number."""
        share = min(float(product.min(initial=np.inf)) for product in _products(at))
        share /= self._mean(at)
        return share if share > 0 else 0.0


def _products(at: _State) -> list[FloatArray]:
    """Return the products that vanish at the optimum."""
    return [
        at.alpha * at.slack,
        at.rest * at.hinge,
        at.gamma * at.costs,
        at.low * at.eta,
        at.high * at.room,
    ]


def _length(at: _State, step: _State) -> float:
    """Return how far along a step all numbers stay positive, at most a little above 1."""
    longest = 1.0 / _TO_THE_BOUNDARY
    for field in fields(at):
        value, move = getattr(at, field.name), getattr(step, field.name)
        down = move < 0
        if down.any():
            longest = min(longest, float((value[down] / -move[down]).min()))
    return longest
