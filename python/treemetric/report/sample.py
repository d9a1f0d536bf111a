"""Distances of a sample of a collection, and what follows from them: clusters and outliers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treemetric._base.typing import CostsLike
from treemetric.clustering import KMedoids
from treemetric.distances import pairwise_distances
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

__all__ = [
    "Cluster",
    "Sample",
    "Sampling",
    "choose_sample",
    "cluster_sample",
    "measure",
    "outliers",
]

# Products of the sizes of two trees, over all pairs of the sample: about a minute on two cores.
_WORK = 4e9
_MOST_CLUSTERS = 9
# An outlier is far from this many of its nearest trees.
_NEAR = 3


class Sampling(NamedTuple):
    """The positions of the sample, and how many trees were too large for it."""

    positions: NDArray[np.int64]
    too_large: int


class Sample(NamedTuple):
    """Trees, their positions in the collection, their distances, and the same divided by sizes."""

    trees: TreeSet
    positions: NDArray[np.int64]
    distances: NDArray[np.float64]
    relative: NDArray[np.float64]


class Cluster(NamedTuple):
    """Places in the sample: the medoid, and all members, nearest to it first."""

    medoid: int
    members: list[int]


def choose_sample(
    sizes: NDArray[np.int64], distinct: NDArray[np.int64], most: int, seed: int
) -> Sampling:
    """Choose trees at random, as many as `most` and the time for their distances allow."""
    largest = int(np.sqrt(_WORK / 4))
    possible = distinct[sizes[distinct] <= largest]
    order = np.random.default_rng(seed).permutation(len(possible))
    work = np.cumsum(sizes[possible[order]].astype(np.float64)) ** 2 / 2
    count = min(most, int(np.searchsorted(work, _WORK, side="right")))
    return Sampling(np.sort(possible[order[:count]]), len(distinct) - len(possible))


def measure(
    trees: TreeSet, positions: NDArray[np.int64], costs: CostsLike | None, **options: Any
) -> Sample:
    """Compute the distances of the sample; relative ones are shares of the largest possible."""
    chosen = trees[positions]
    D = np.asarray(pairwise_distances(chosen, costs=costs, **options), dtype=np.float64)
    weights = _weights(chosen, costs)
    largest = weights[0][:, None] + weights[1][None, :]
    relative = np.divide(D, largest, out=np.zeros_like(D), where=largest > 0)
    return Sample(chosen, positions, D, np.minimum(relative, relative.T))


def _weights(trees: TreeSet, costs: CostsLike | None) -> tuple[Any, Any]:
    """Return what it costs to delete, and to insert, all nodes of each tree."""
    nothing = [Tree.from_nested([])]
    deleted = np.asarray(pairwise_distances(trees, nothing, costs=costs))[:, 0]
    return deleted, np.asarray(pairwise_distances(nothing, trees, costs=costs))[0]


def cluster_sample(sample: Sample) -> list[Cluster]:
    """Return clusters around medoids, largest first; their number has the best silhouette."""
    D = sample.relative
    count = len(D)
    if count < 4 or D.max(initial=0.0) == 0:
        return [_cluster(D, np.arange(count))] if count else []
    best: tuple[float, Any] = (-np.inf, None)
    for clusters in range(2, min(_MOST_CLUSTERS, count - 1) + 1):
        found = KMedoids(clusters, metric="precomputed").fit(D)
        score = _silhouette(D, found.labels_)
        if score > best[0]:
            best = score, found.labels_
    labels = best[1]
    groups = [_cluster(D, np.flatnonzero(labels == code)) for code in range(labels.max() + 1)]
    return sorted(groups, key=lambda group: -len(group.members))


def _silhouette(D: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    # Imported here because it is heavy.
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(D, labels, metric="precomputed"))


def _cluster(D: NDArray[np.float64], members: NDArray[np.int64]) -> Cluster:
    inside = D[np.ix_(members, members)]
    medoid = int(np.argmin(inside.sum(axis=0)))
    order = np.argsort(inside[:, medoid], kind="stable")
    return Cluster(int(members[medoid]), members[order].tolist())


def outliers(sample: Sample, most: int) -> list[tuple[int, float]]:
    """Return trees that are far from their nearest ones, and how far, farthest first."""
    near = min(_NEAR, len(sample.relative) - 1)
    if near < 1:
        return []
    D = sample.relative.copy()
    np.fill_diagonal(D, np.inf)
    far = np.sort(D, axis=1)[:, :near].mean(axis=1)
    order = np.argsort(-far, kind="stable")[:most]
    return [(int(at), float(far[at])) for at in order]
