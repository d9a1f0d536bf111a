"""Prototypes among some of the trees, when the distances of all to all would be too much."""

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric.classification._median import Selection, Squash, relevance

Indices = npt.NDArray[np.int64]

# Entries of a block of losses; a few such arrays fit in the cache of a core.
_BLOCK = 1 << 17


def draw_candidates(y: Indices, count: int | None, random: np.random.RandomState) -> Indices:
    """Draw some trees of each class, all if there are no more; sorted."""
    if count is None:
        return np.arange(len(y))
    parts = []
    for code in range(int(y.max()) + 1):
        own = np.flatnonzero(y == code)
        parts.append(random.permutation(own)[:count] if len(own) > count else own)
    return np.sort(np.concatenate(parts))


def select_among(
    distances: FloatArray,
    y: Indices,
    candidates: Indices,
    n_prototypes: Indices,
    squash: Squash,
    *,
    start: Indices | None = None,
    max_iter: int = 100,
) -> Selection:
    """Choose prototypes among candidates, as `select_prototypes` does among all points.

    ``distances[i, j]`` is from point i to candidate j, which is point ``candidates[j]``. ``start``
    holds points to go on from, grouped by class.
    """
    search = _Search(distances, y, candidates, n_prototypes, squash)
    chosen = search.greedy() if start is None else np.searchsorted(candidates, start)
    curve = [search.loss(chosen)]
    rounds = 0
    # Prototypes to look at until one of them is changed again.
    pending = len(chosen) if y.max() > 0 else 0
    while pending and rounds < max_iter:
        rounds += 1
        for k in range(len(chosen)):
            if not pending:
                break
            pending = len(chosen) - 1 if search.exchange(chosen, k) else pending - 1
        curve.append(search.loss(chosen))
    labels = search.labels.copy()
    return Selection(candidates[chosen], labels, curve[-1], np.array(curve), max(1, rounds))


class _Search:
    def __init__(
        self,
        distances: FloatArray,
        y: Indices,
        candidates: Indices,
        n_prototypes: Indices,
        squash: Squash,
    ) -> None:
        # A row per candidate, so that those of a class are gathered fast.
        self.rows = np.ascontiguousarray(distances.T)
        self.y, self.squash = y, squash
        classes = y[candidates]
        self.places = [np.flatnonzero(classes == code) for code in range(int(y.max()) + 1)]
        counts = np.minimum(n_prototypes, [len(places) for places in self.places])
        self.labels = np.repeat(np.arange(len(counts)), counts)
        self.own = self.labels[:, None] == y
        self.slack = 1e-12 * len(y)

    def greedy(self) -> Indices:
        """Take the medoid of each class, then what lowers its sum of distances the most."""
        chosen: list[int] = []
        for code, places in enumerate(self.places):
            rows = self.rows[np.ix_(places, np.flatnonzero(self.y == code))]
            nearest = np.full(rows.shape[1], np.inf)
            for _ in range(int(np.sum(self.labels == code))):
                sums = np.minimum(rows, nearest).sum(axis=1)
                sums[np.isin(places, chosen)] = np.inf
                best = int(np.argmax(sums <= sums.min() * (1 + 1e-12)))
                nearest = np.minimum(nearest, rows[best])
                chosen.append(int(places[best]))
        return np.array(chosen, dtype=np.int64)

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
        """Exchange prototype k for the best candidate of its class; tell whether that helped."""
        places = self.places[self.labels[k]]
        losses = self.losses(chosen, k, places)
        now = losses[np.searchsorted(places, chosen[k])]
        losses[np.isin(places, chosen)] = np.inf
        least = losses.min()
        if not least < now - self.slack:
            return False
        chosen[k] = places[int(np.argmax(losses <= least + self.slack / 2))]
        return True

    def losses(self, chosen: Indices, k: int, places: Indices) -> FloatArray:
        """Give the loss with each candidate of a class in place of prototype k."""
        plus, minus = self.split(chosen, without=k)
        own = self.y == self.labels[k]
        losses = np.empty(len(places))
        step = max(1, _BLOCK // len(own))
        for at in range(0, len(places), step):
            rows = self.rows[places[at : at + step]]
            # A point of that class may come closer to its own, any other to another class.
            near = np.where(own, np.minimum(rows, plus), plus)
            far = np.where(own, minus, np.minimum(rows, minus))
            losses[at : at + step] = self.squash.value(relevance(near, far)).sum(axis=1)
        return losses
