"""A program of a user: it is checked by mypy and pyright in their strict modes, and it is run."""

from collections.abc import Sequence
from typing import assert_type

import numpy as np

import treemetric as tm
from treemetric.classification import KNeighborsTreeClassifier
from treemetric.clustering import medoids
from treemetric.convert import from_ast, from_json
from treemetric.typing import CostsLike, Distances, Indices, Label, Trees


def similarity(trees: Trees, costs: CostsLike | None = None) -> Distances:
    """Return similarities between 0 and 1."""
    return 1 - tm.pairwise_distances(trees, costs=costs, norm="weight", n_jobs=2)


def cost(old: Label | None, new: Label | None) -> float:
    """Return what an edit costs; None is the gap."""
    if old is None or new is None:
        return 1.0
    return 0.0 if old == new else 1.5


def closest(queries: Sequence[tm.Tree], trees: tm.TreeSet) -> Indices:
    """Return the position of the nearest tree of each query."""
    found = tm.nearest(queries, trees, k=1, costs=tm.UnitCosts())
    assert_type(found, tm.NearestResult)
    first: Indices = found.indices[:, 0].astype(np.int64)
    return first


def describe(alignment: tm.Alignment) -> list[str]:
    """Return one line per edit."""
    return [f"{edit.op} {edit.old} {edit.new}" for edit in alignment.edits()]


def main() -> None:
    """Compare some trees in many ways."""
    x = tm.Tree.from_bracket("{a{b}{c}}")
    y = tm.Tree.from_nested(("a", ["b"]))
    z = from_ast("def f(x): return x + 1")
    assert_type(x, tm.Tree)
    assert_type(x.size, int)
    assert_type(x.roots, tuple[int, ...])
    assert_type(from_json({"a": [1, 2]}), tm.Tree)
    trees = tm.TreeSet([x, y, z], ids=["x", "y", "z"])
    assert_type(trees[0], tm.Tree)
    assert_type(trees[:1], tm.TreeSet)
    assert_type(trees[np.array([0])], tm.TreeSet)
    assert_type([tree.size for tree in trees], list[int])

    assert_type(tm.distance(x, y), float)
    assert_type(tm.distance(x, y, costs=cost, cutoff=3), float)
    assert_type(tm.normalized_similarity(x, y), float)
    costs = tm.CostMatrix(["a", "b", "c"], 1 - np.eye(4))
    assert_type(costs.violations(), list[tm.Violation])
    assert_type(costs.is_pseudo_metric(), bool)
    assert similarity(trees).shape == (3, 3)
    assert similarity([x, y], costs.closure()).shape == (2, 2)
    full = tm.pairwise_distances(trees, n_jobs=-1, progress=lambda done, total: None)
    assert full.max() > 0

    alignment = tm.align(x, y)
    assert_type(alignment.cost, float)
    assert describe(alignment) == ["delete c None"]
    pair = tm.cooptimal(x, y)
    assert_type(pair.count, int)
    assert pair.expectation.shape == (4, 3)

    assert closest([x, y], trees).tolist() == [0, 1]
    assert_type(tm.within(trees, radius=2), tm.WithinResult)
    groups = tm.deduplicate(trees, radius=1)
    assert_type(groups, tm.Duplicates)

    model = KNeighborsTreeClassifier(1).fit([x, y, z], ["p", "p", "q"])
    assert model.predict([x]).tolist() == ["p"]
    assert medoids([x, y, z], [0, 0, -1]).shape == (1,)


if __name__ == "__main__":
    main()
