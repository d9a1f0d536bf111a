"""Indexes of trees compared with new ones of the same trees."""

from __future__ import annotations

from typing import Any

import numpy as np

import treemetric as tm

EVEN = tm.CostMatrix("abcd", np.round(1 - np.eye(5) + 0.3 * np.tri(5, k=-2).T, 1))
COSTS = (
    None,
    tm.OperationCosts(1, 0.7, 0.4),
    EVEN,
    tm.EmbeddingCosts("abcd", np.array([[1.0, 0], [0, 1], [1, 1], [0.2, 3]])),
    tm.VectorCosts("abcd", np.array([[1.0, 0], [0, 1], [1, 1], [0.2, 3]]), kind="euclidean"),
    lambda a, b: 0.0 if a == b else 1.5 if a is None or b is None else 1.0,
)


def bits(found: tm.WithinResult | tm.NearestResult) -> tuple[Any, ...]:
    """All that a search returns, for comparisons bit for bit."""
    offsets = found.offsets.tolist() if isinstance(found, tm.WithinResult) else None
    return offsets, found.indices.tolist(), [d.hex() for d in found.distances.ravel().tolist()]


def check_equal(index: tm.TreeIndex, trees: Any, queries: list[tm.Tree], **options: Any) -> None:
    """Compare an index with a new one of the same trees."""
    twin = tm.TreeIndex(trees, **options)
    assert len(index) == len(trees)
    # An index without trees has no ids.
    assert index.trees == twin.trees or len(trees) == 0
    for radius in (0, 1, 2.5, float("inf")):
        assert bits(index.within(queries, radius=radius)) == bits(
            twin.within(queries, radius=radius)
        )
        assert bits(index.within(radius=radius)) == bits(twin.within(radius=radius))
        expected = tm.within(queries, trees, radius=radius, costs=options.get("costs"))
        if options.get("norm") is None:
            assert bits(index.within(queries, radius=radius)) == bits(expected)
    if trees:
        k = min(2, len(trees))
        assert bits(index.nearest(queries, k=k)) == bits(twin.nearest(queries, k=k))


def chains(*words: str) -> list[tm.Tree]:
    """Make chains of letters."""
    return [tm.Tree.from_sequence(word) for word in words]


def search(index: tm.TreeIndex, word: str) -> tuple[Any, ...]:
    """Search in another process."""
    return bits(index.within(chains(word), radius=1)), bits(index.nearest(chains(word), k=1))
