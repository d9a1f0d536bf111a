"""Prototypes among the data for generalised learning vector quantisation (GLVQ).

The loss is E = Σ_i w_i Φ(μ_i), where μ_i compares the distances of point i to the closest prototype
of its own class and of another class, see `squashing`, and w_i is its weight, 1 by default.

Median variants (Nebel, Hammer, Frohberg and Villmann 2015) choose prototypes among the data by
generalised expectation maximisation: the E-step assigns every point to its closest prototypes,
the M-step exchanges one prototype for a point of its class such that the loss does not rise.
Here the M-step evaluates *all* candidates of the class, each with its own E-step, and takes the
best one: the exact minimum over one prototype, found in one pass of array operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from treemetric._base.typing import FloatArray
from treemetric._estimators.medoids import greedy_medoids
from treemetric._estimators.squashing import TINY, Squash, relevance

Indices = npt.NDArray[np.int64]

# Entries of a block of candidates; a few such arrays fit in the cache of a core.
_BLOCK = 1 << 15


class Selection(NamedTuple):
    """Chosen prototypes: positions in the data, their classes, the loss and its history.

    Prototypes are grouped by class. ``loss_curve`` holds the loss at the start and after each
    round over all prototypes; it never rises. ``validation_curve`` holds the mean loss of the
    points that are held out, if there are any; ``loss`` and the prototypes are then those of its
    minimum.
    """

    indices: Indices
    labels: Indices
    loss: float
    loss_curve: FloatArray
    n_iter: int
    validation_curve: FloatArray | None = None


class HeldOut(NamedTuple):
    """Points that decide when to stop: distances to all candidates, classes and weights."""

    distances: FloatArray
    codes: Indices
    weights: FloatArray | None
    patience: int


def closest(
    distances: FloatArray, prototype_labels: Indices, y: Indices
) -> tuple[Indices, Indices]:
    """Find the closest prototype of the own class and of another class, for each row.

    ``distances`` has shape (n, n_prototypes). Ties go to the first prototype. -1 means that there
    is none.
    """
    own = prototype_labels == y[:, None]
    found = []
    for allowed in (own, ~own):
        nearest = np.where(allowed, distances, np.inf).argmin(axis=1)
        nearest[~allowed.any(axis=1)] = -1
        found.append(nearest.astype(np.int64))
    return found[0], found[1]


def draw_candidates(y: Indices, count: int | None, random: np.random.RandomState) -> Indices:
    """Draw ``count`` points of each class at random and return them sorted.

    Smaller classes, and all classes if ``count`` is None, keep all of their points.
    """
    if count is None:
        return np.arange(len(y))
    parts = []
    for code in range(int(y.max()) + 1):
        own = np.flatnonzero(y == code)
        parts.append(random.permutation(own)[:count] if len(own) > count else own)
    return np.sort(np.concatenate(parts))


def select_prototypes(
    distances: FloatArray,
    y: Indices,
    n_prototypes: int | Indices,
    *,
    candidates: Indices | None = None,
    squash: Squash | None = None,
    max_iter: int = 100,
    tol: float = 0.0,
    random_state: int | np.random.RandomState | None = None,
    start: Indices | None = None,
    n_init: int = 1,
    by_class: bool = True,
    weights: FloatArray | None = None,
    held_out: HeldOut | None = None,
    report: Callable[[int, int], object] | None = None,
) -> Selection:
    """Choose prototypes among the data such that the loss is small.

    ``distances[i, j]`` is the distance from point i to candidate j, which is point
    ``candidates[j]``; by default all points are candidates. It need not be symmetric. ``y`` holds
    the codes 0, 1, ... of the classes, and each code occurs among the candidates.
    ``n_prototypes`` is one number or one per class; a class with fewer candidates gives all of
    them. ``start`` holds the points to continue from, in any order, as many per class; by default
    each class starts with a greedy k-medoids choice. With ``n_init`` above 1 the search is
    repeated from random starts and the best result is kept. The search ends when a round over all
    prototypes lowers the loss by ``tol`` per point or less.

    The loss is summed over the points class by class, or in their own order if ``by_class`` is
    False; its last digit can depend on that. ``weights`` are positive and multiply the losses of
    points. With ``held_out``, the prototypes with the lowest loss of the points that are held out
    are kept, and the search also ends when this loss has not become lower in ``patience`` rounds.
    ``report`` is called after each round with the number
    of rounds and their upper limit; rounds that a start did not need count as done.
    """
    codes = np.asarray(y, dtype=np.int64)
    order = np.argsort(codes, kind="stable") if by_class else np.arange(len(codes))
    search = _Search(
        np.asarray(distances, dtype=np.float64),
        codes,
        np.arange(len(codes)) if candidates is None else candidates,
        n_prototypes,
        squash or Squash(),
        order,
        weights,
        held_out,
    )
    random = check_random_state(random_state)

    def run(number: int, chosen: Indices) -> Selection:
        def finished(rounds: int) -> None:
            if report is not None:
                report(number * max_iter + rounds, n_init * max_iter)

        selection = search.run(chosen, max_iter, tol, finished)
        finished(max_iter)
        return selection

    first = search.greedy() if start is None else search.given(np.asarray(start, dtype=np.int64))
    best = run(0, first)
    for number in range(1, n_init):
        other = run(number, search.random(random))
        if search.is_better(other, best):
            best = other
    return best


class _Search:
    """Candidates as rows, ordered by class, so that those of a class are a slice."""

    def __init__(
        self,
        distances: FloatArray,
        codes: Indices,
        candidates: Indices,
        n_prototypes: int | Indices,
        squash: Squash,
        order: Indices,
        weights: FloatArray | None,
        held_out: HeldOut | None,
    ) -> None:
        by_class = np.argsort(codes[candidates], kind="stable")
        self.candidates = candidates[by_class]
        self.rows = np.ascontiguousarray(distances.T[np.ix_(by_class, order)])
        self.codes = codes[order]
        self.squash = squash
        sizes = np.bincount(codes[candidates])
        self.counts = np.minimum(np.asarray(n_prototypes, dtype=np.int64), sizes)
        self.ends = np.cumsum(sizes)
        self.starts = self.ends - sizes
        self.labels = np.repeat(np.arange(len(sizes)), self.counts)
        self.own = self.labels[:, None] == self.codes
        self.weights = None if weights is None else weights[order]
        self.total = float(len(codes) if weights is None else weights.sum())
        # Losses that differ by less are equal up to rounding.
        self.slack = 1e-12 * (max(1.0, self.total) if weights is None else self.total)
        self.held_out = held_out
        self.held_columns = by_class

    def greedy(self) -> Indices:
        """Take the medoid of each class, then the points that lower its sum of distances most."""
        chosen = []
        for label, count in enumerate(self.counts):
            begin, end = self.starts[label], self.ends[label]
            own = np.flatnonzero(self.codes == label)
            rows = self.rows[np.ix_(np.arange(begin, end), own)]
            weights = None if self.weights is None else self.weights[own]
            chosen.append(begin + greedy_medoids(rows, int(count), weights))
        return np.concatenate(chosen)

    def given(self, start: Indices) -> Indices:
        """Return the rows of the points to start from, grouped by class."""
        row = np.full(len(self.codes), -1)
        row[self.candidates] = np.arange(len(self.candidates))
        inside = start.ndim == 1 and bool(np.all((start >= 0) & (start < len(row))))
        rows = row[start] if inside else np.array([-1])
        labels = np.searchsorted(self.ends, rows, side="right")
        order = np.argsort(labels, kind="stable")
        different = len(np.unique(rows)) == len(rows) and bool(np.all(rows >= 0))
        if not (different and np.array_equal(labels[order], self.labels)):
            message = (
                "start must hold different positions of candidates, with "
                f"{self.counts.tolist()} positions of the classes. Got {start.tolist()} instead."
            )
            raise ValueError(message)
        chosen: Indices = rows[order]
        return chosen

    def random(self, random: np.random.RandomState) -> Indices:
        """Draw prototypes of each class at random."""
        parts = [
            begin + np.sort(random.choice(end - begin, count, replace=False))
            for begin, end, count in zip(self.starts, self.ends, self.counts, strict=True)
        ]
        return np.concatenate(parts)

    def run(
        self, start: Indices, max_iter: int, tol: float, finished: Callable[[int], object]
    ) -> Selection:
        """Exchange one prototype after the other until a round no longer helps."""
        chosen = start.copy()
        curve = [self.loss(chosen)]
        kept = _Kept(self.held_out, chosen, curve[0], self.validation_loss(chosen))
        rounds = 0
        # Prototypes to try until one of them is exchanged again.
        pending = len(chosen) if len(self.counts) > 1 else 0
        while rounds < max_iter and pending:
            rounds += 1
            for k in range(len(chosen)):
                if not pending:
                    break
                pending = len(chosen) - 1 if self.exchange(chosen, k) else pending - 1
            curve.append(self.loss(chosen))
            kept.add(chosen, curve[-1], self.validation_loss(chosen))
            finished(rounds)
            if curve[-2] - curve[-1] <= tol * self.total or kept.is_over():
                break
        return Selection(
            self.candidates[kept.chosen],
            self.labels.copy(),
            float(kept.loss),
            np.array(curve),
            max(1, rounds),
            None if self.held_out is None else np.array(kept.curve),
        )

    def is_better(self, one: Selection, other: Selection) -> bool:
        """Return whether one result is better than another by more than rounding."""
        if one.validation_curve is None or other.validation_curve is None:
            return one.loss < other.loss - self.slack
        return bool(one.validation_curve.min() < other.validation_curve.min() - 1e-12)

    def validation_loss(self, chosen: Indices) -> float:
        """Return the mean loss of the points that are held out; 0 if there are none."""
        if self.held_out is None:
            return 0.0
        distances, codes, weights, _ = self.held_out
        rows = distances[:, self.held_columns[chosen]]
        own = self.labels == codes[:, None]
        plus = np.where(own, rows, np.inf).min(axis=1)
        minus = np.where(own, np.inf, rows).min(axis=1)
        losses = self.squash.value(relevance(plus, minus))
        return float(np.average(losses, weights=weights))

    def split(self, chosen: Indices, without: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Return d⁺ and d⁻ of all points, infinite where there is no such prototype."""
        rows = self.rows[chosen]
        if without is not None:
            rows[without] = np.inf
        plus = np.where(self.own, rows, np.inf).min(axis=0)
        minus = np.where(self.own, np.inf, rows).min(axis=0)
        return plus, minus

    def loss(self, chosen: Indices) -> float:
        """Return the loss of some prototypes."""
        losses = self.squash.value(relevance(*self.split(chosen)))
        return float(losses.sum() if self.weights is None else losses @ self.weights)

    def exchange(self, chosen: Indices, k: int) -> bool:
        """Exchange prototype k for the best candidate of its class; return whether it helped."""
        label = self.labels[k]
        begin = self.starts[label]
        losses = self.losses(chosen, k)
        now = losses[chosen[k] - begin]
        taken = chosen[self.labels == label] - begin
        losses[taken] = np.inf
        least = losses.min()
        if not least < now - self.slack:
            return False
        # The first of those that are equal up to rounding, whatever the order of summation.
        chosen[k] = begin + int(np.argmax(losses <= least + self.slack / 2))
        return True

    def losses(self, chosen: Indices, k: int) -> FloatArray:
        """Return the loss with each candidate of its class in place of prototype k."""
        plus, minus = self.split(chosen, without=k)
        # A candidate lowers d⁺ of the points of its class and d⁻ of all others.
        own = self.own[k]
        lowered, fixed = np.where(own, plus, minus), np.where(own, minus, plus)
        sign = np.where(own, 1.0, -1.0)
        weights = self.weights
        signed = sign if weights is None else sign * weights
        begin, end = self.starts[self.labels[k]], self.ends[self.labels[k]]
        losses = np.empty(end - begin)
        step = max(1, _BLOCK // len(plus))
        for at in range(begin, end, step):
            block = np.minimum(self.rows[at : min(at + step, end)], lowered)
            ratio = block - fixed
            block += fixed
            np.maximum(block, TINY, out=block)
            ratio /= block
            part = slice(at - begin, at - begin + len(block))
            if self.squash.kind == "identity":
                losses[part] = ratio @ signed
            else:
                ratio *= sign
                values = self.squash.value(ratio)
                losses[part] = values.sum(axis=1) if weights is None else values @ weights
        return losses


class _Kept:
    """The prototypes to return: the last ones or, with points held out, the best for these."""

    def __init__(
        self, held_out: HeldOut | None, chosen: Indices, loss: float, validation: float
    ) -> None:
        self.patience = None if held_out is None else held_out.patience
        self.chosen, self.loss = chosen.copy(), loss
        self.curve = [validation]
        self.best = 0

    def add(self, chosen: Indices, loss: float, validation: float) -> None:
        """Add the prototypes after a round."""
        self.curve.append(validation)
        if self.patience is None or validation < self.curve[self.best] - 1e-12:
            self.best = len(self.curve) - 1
            self.chosen, self.loss = chosen.copy(), loss

    def is_over(self) -> bool:
        """Return whether the loss of the points held out did not become lower for too long."""
        return self.patience is not None and len(self.curve) - 1 - self.best >= self.patience
