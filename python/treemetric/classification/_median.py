"""Prototypes among the data for generalised learning vector quantisation.

The loss is that of generalised LVQ (Sato and Yamada 1996): with the distance d⁺ of a point to
the closest prototype of its own class and d⁻ to the closest of another,

    E = Σ_i Φ(μ_i),  μ_i = (d⁺_i - d⁻_i) / (d⁺_i + d⁻_i),  Φ increasing.

Median variants (Nebel, Hammer, Frohberg and Villmann 2015) choose prototypes among the data by
generalised expectation maximisation: the E-step assigns every point to its closest prototypes,
the M-step exchanges one prototype for a point of its class such that the loss does not rise.
Here the M-step looks at *all* points of the class, each with its own E-step, and takes the best:
the exact minimum over one prototype, found in one pass of array operations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.utils import check_random_state

from treemetric._base.typing import FloatArray

Indices = npt.NDArray[np.int64]

# Entries of a block of candidates; a few such arrays fit in the cache of a core.
_BLOCK = 1 << 15
# A sum of two distances that is smaller counts as this, so that 0/0 becomes 0.
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Squash:
    """The increasing function Φ of the loss: the identity, or 1 / (1 + exp(-slope · μ))."""

    kind: Literal["identity", "logistic"] = "identity"
    slope: float = 1.0

    def value(self, mu: FloatArray) -> FloatArray:
        """Give Φ(μ), entry by entry."""
        if self.kind == "identity":
            return mu
        value: FloatArray = expit(self.slope * mu)
        return value

    def derivative(self, mu: FloatArray) -> FloatArray:
        """Give Φ'(μ), entry by entry."""
        if self.kind == "identity":
            return np.ones_like(mu)
        value = self.value(mu)
        return self.slope * value * (1.0 - value)


class Selection(NamedTuple):
    """Chosen prototypes: positions in the data, their classes, the loss and how it fell.

    Prototypes are grouped by class. ``loss_curve`` starts with the loss at the start and
    has one entry more for each round over all prototypes; it never rises.
    """

    indices: Indices
    labels: Indices
    loss: float
    loss_curve: FloatArray
    n_iter: int


def closest(
    distances: FloatArray, prototype_labels: Indices, y: Indices
) -> tuple[Indices, Indices]:
    """Find the closest prototype of the own class and the closest of another, for each row.

    ``distances`` is (n, n_prototypes). Ties go to the first; -1 says that there is none.
    """
    own = prototype_labels == y[:, None]
    found = []
    for allowed in (own, ~own):
        nearest = np.where(allowed, distances, np.inf).argmin(axis=1)
        nearest[~allowed.any(axis=1)] = -1
        found.append(nearest.astype(np.int64))
    return found[0], found[1]


def relevance(d_plus: FloatArray, d_minus: FloatArray) -> FloatArray:
    """Give μ = (d⁺ - d⁻) / (|d⁺| + |d⁻|): 0 if both are 0, ±1 if one of them is infinite.

    Distances are not negative; relational ones, which are not true distances, can be.
    """
    plus, minus = np.asarray(d_plus, dtype=np.float64), np.asarray(d_minus, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        mu = (plus - minus) / np.maximum(np.abs(plus) + np.abs(minus), _TINY)
    mu = np.where(np.isinf(minus), -1.0, mu)
    result: FloatArray = np.where(np.isinf(plus), np.where(np.isinf(minus), 0.0, 1.0), mu)
    return result


def select_prototypes(
    distances: FloatArray,
    y: Indices,
    n_prototypes: int | Indices,
    *,
    squash: Squash | None = None,
    max_iter: int = 100,
    tol: float = 0.0,
    random_state: int | np.random.RandomState | None = None,
    start: Indices | None = None,
    n_init: int = 1,
    report: Callable[[int, int], object] | None = None,
) -> Selection:
    """Choose prototypes among the data such that the loss is small.

    ``distances[i, j]`` is from point i to point j as a prototype; it need not be symmetric.
    ``y`` holds codes 0, 1, ... without a hole. ``n_prototypes`` is one number or one per class;
    a class with fewer points gives all of them. ``start`` are positions to go on from, in any
    order, as many per class; by default each class starts with a greedy k-medoids choice. With
    ``n_init`` above 1 the search is repeated from random starts and the best result is kept.
    It ends when a round over all prototypes lowers the loss by ``tol`` per point or less.
    ``report`` is called after each round with the number of rounds, and the most there can be;
    those that a start did not need count as done.
    """
    codes = np.asarray(y, dtype=np.int64)
    sizes = np.bincount(codes)
    counts = np.minimum(
        np.broadcast_to(np.asarray(n_prototypes, dtype=np.int64), sizes.shape), sizes
    )
    search = _Search(np.asarray(distances, dtype=np.float64), codes, counts, squash or Squash())
    random = check_random_state(random_state)

    def run(number: int, chosen: Indices) -> Selection:
        def told(rounds: int) -> None:
            if report is not None:
                report(number * max_iter + rounds, n_init * max_iter)

        selection = search.run(chosen, max_iter, tol, told)
        told(max_iter)
        return selection

    first = search.greedy() if start is None else search.given(np.asarray(start, dtype=np.int64))
    best = run(0, first)
    for number in range(1, n_init):
        other = run(number, search.random(random))
        if other.loss < best.loss - search.slack:
            best = other
    return best


class _Search:
    """Points in the order of their classes, candidates as rows, so that all parts are slices."""

    def __init__(
        self, distances: FloatArray, codes: Indices, counts: Indices, squash: Squash
    ) -> None:
        self.order = np.argsort(codes, kind="stable")
        self.rows = np.ascontiguousarray(distances[np.ix_(self.order, self.order)].T)
        self.codes = codes[self.order]
        self.counts = counts
        self.squash = squash
        self.ends = np.cumsum(np.bincount(codes))
        self.starts = self.ends - np.bincount(codes)
        self.labels = np.repeat(np.arange(len(counts)), counts)
        self.own = self.labels[:, None] == self.codes
        # Losses that differ by less are equal up to rounding.
        self.slack = 1e-12 * max(1, len(codes))

    def greedy(self) -> Indices:
        """Take the medoid of each class, then what lowers its sum of distances the most."""
        chosen: list[int] = []
        for begin, end, count in zip(self.starts, self.ends, self.counts, strict=True):
            rows = self.rows[begin:end, begin:end]
            nearest = np.full(end - begin, np.inf)
            taken = np.zeros(end - begin, dtype=bool)
            for _ in range(count):
                sums = np.minimum(rows, nearest).sum(axis=1)
                sums[taken] = np.inf
                best = int(np.argmax(sums <= sums.min() * (1 + 1e-12)))
                taken[best] = True
                nearest = np.minimum(nearest, rows[best])
                chosen.append(begin + best)
        return np.array(chosen, dtype=np.int64)

    def given(self, start: Indices) -> Indices:
        """Bring prototypes that somebody chose into the order of the classes."""
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(self.order))
        inside = start.ndim == 1 and bool(np.all((start >= 0) & (start < len(place))))
        chosen = place[start] if inside else start
        chosen = chosen[np.argsort(self.codes[chosen], kind="stable")] if inside else chosen
        distinct = len(np.unique(chosen)) == len(chosen)
        if not (inside and distinct and np.array_equal(self.codes[chosen], self.labels)):
            message = f"start must be distinct positions, {self.counts.tolist()} of the classes"
            raise ValueError(message)
        return chosen

    def random(self, random: np.random.RandomState) -> Indices:
        """Draw prototypes of each class at random."""
        parts = [
            begin + np.sort(random.choice(end - begin, count, replace=False))
            for begin, end, count in zip(self.starts, self.ends, self.counts, strict=True)
        ]
        return np.concatenate(parts)

    def run(
        self, start: Indices, max_iter: int, tol: float, told: Callable[[int], object]
    ) -> Selection:
        """Exchange one prototype after the other until a round no longer helps."""
        chosen = start.copy()
        curve = [self.loss(chosen)]
        rounds = 0
        # Prototypes to look at until one of them is changed again.
        pending = len(chosen) if len(self.counts) > 1 else 0
        while rounds < max_iter and pending:
            rounds += 1
            for k in range(len(chosen)):
                if not pending:
                    break
                pending = len(chosen) - 1 if self.exchange(chosen, k) else pending - 1
            curve.append(self.loss(chosen))
            told(rounds)
            if curve[-2] - curve[-1] <= tol * len(self.codes):
                break
        loss_curve = np.array(curve)
        indices = self.order[chosen]
        return Selection(indices, self.labels.copy(), float(curve[-1]), loss_curve, max(1, rounds))

    def split(self, chosen: Indices, without: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Give d⁺ and d⁻ of all points, infinite where there is no such prototype."""
        rows = self.rows[chosen]
        if without is not None:
            rows[without] = np.inf
        plus = np.where(self.own, rows, np.inf).min(axis=0)
        minus = np.where(self.own, np.inf, rows).min(axis=0)
        return plus, minus

    def loss(self, chosen: Indices) -> float:
        """Give the loss of some prototypes."""
        return float(self.squash.value(relevance(*self.split(chosen))).sum())

    def exchange(self, chosen: Indices, k: int) -> bool:
        """Exchange prototype k for the best point of its class; tell whether that helped."""
        label = self.labels[k]
        begin, end = self.starts[label], self.ends[label]
        losses = self.losses(chosen, k, begin, end)
        now = losses[chosen[k] - begin]
        taken = chosen[self.labels == label] - begin
        losses[taken] = np.inf
        least = losses.min()
        if not least < now - self.slack:
            return False
        # The first of those that are equal up to rounding, whatever the order of summation.
        chosen[k] = begin + int(np.argmax(losses <= least + self.slack / 2))
        return True

    def losses(self, chosen: Indices, k: int, begin: int, end: int) -> FloatArray:
        """Give the loss with each point of a class, begin to end, in place of prototype k."""
        plus, minus = self.split(chosen, without=k)
        # A point of that class may come closer to its own, any other to another class.
        rest, fixed, sign = minus.copy(), plus.copy(), np.full(len(plus), -1.0)
        rest[begin:end], fixed[begin:end], sign[begin:end] = plus[begin:end], minus[begin:end], 1.0
        losses = np.empty(end - begin)
        step = max(1, _BLOCK // len(plus))
        for at in range(begin, end, step):
            block = np.minimum(self.rows[at : min(at + step, end)], rest)
            ratio = block - fixed
            block += fixed
            np.maximum(block, _TINY, out=block)
            ratio /= block
            part = slice(at - begin, at - begin + len(block))
            if self.squash.kind == "identity":
                losses[part] = ratio @ sign
            else:
                ratio *= sign
                losses[part] = self.squash.value(ratio).sum(axis=1)
        return losses
