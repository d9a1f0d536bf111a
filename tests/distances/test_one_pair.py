"""One large pair on several threads: the same bits as on one."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemetric as tm
from shapes import make_tree

# Not combs and stars, which take little time, and not zigzags, which take too long.
SHAPES = ("random", "forest", "binary", "table")


@st.composite
def large_trees(draw):
    """Two trees whose distance is worth several threads, as a rule."""
    rng = Random(draw(st.integers(0, 2**32)))
    shapes = draw(st.tuples(*[st.sampled_from(SHAPES)] * 2))
    sizes = draw(st.tuples(*[st.integers(800, 2000)] * 2))
    return tuple(make_tree(rng, size, shape) for size, shape in zip(sizes, shapes, strict=True))


def costs_of(kind):
    values = np.random.default_rng(0).uniform(0.1, 1, (4, 4)) * (1 - np.eye(4))
    matrices = {"decimals": values.round(2), "float": values, "apart": values**9}
    return None if kind is None else tm.CostMatrix("abc", matrices[kind])


@settings(max_examples=20)
@given(
    large_trees(),
    st.sampled_from([None, "operations", "decimals", "float", "apart"]),
    st.integers(2, 4),
)
def test_threads_do_not_change_a_distance(trees, kind, n_jobs):
    x, y = trees
    costs = tm.OperationCosts(1, 2, 1.5) if kind == "operations" else costs_of(kind)
    expected = tm.distance(x, y, costs=costs)
    assert tm.distance(x, y, costs=costs, n_jobs=n_jobs) == expected
    assert tm.distance(x, y, costs=costs, n_jobs=n_jobs, cutoff=expected) == expected
    assert tm.distance(x, x, costs=costs, n_jobs=n_jobs) == 0


@settings(max_examples=5)
@given(large_trees(), st.sampled_from([None, "float"]))
def test_threads_do_not_change_alignments(trees, kind):
    x, y = trees
    costs = costs_of(kind)
    for ties in ("pair", "delete"):
        expected = tm.align(x, y, costs=costs, ties=ties)
        assert tm.align(x, y, costs=costs, ties=ties, n_jobs=2) == expected
    expected = tm.subtree_distances(x, y, costs=costs)
    assert (tm.subtree_distances(x, y, costs=costs, n_jobs=3) == expected).all()


def test_zigzags_and_what_hangs_off_them():
    rng = Random(0)
    x, y = (make_tree(rng, size, "zigzag") for size in (700, 650))
    assert tm.distance(x, y, n_jobs=2) == tm.distance(x, y)


@pytest.mark.parametrize("function", [tm.distance, tm.align, tm.subtree_distances])
def test_n_jobs_of_one_pair(function):
    x, y = tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b")
    expected = function(x, y)
    for n_jobs in (None, 1, 2, -1):
        assert np.array_equal(function(x, y, n_jobs=n_jobs), expected)
    for n_jobs in (0, -2, 1.5):
        with pytest.raises((ValueError, TypeError), match="n_jobs"):
            function(x, y, n_jobs=n_jobs)


def test_vectors_and_callables():
    rng = Random(1)
    x, y = (make_tree(rng, 1500) for _ in range(2))
    vectors = dict(zip("abc", np.random.default_rng(0).normal(size=(3, 5)), strict=True))
    for costs in (
        tm.VectorCosts(list(vectors), list(vectors.values())),
        lambda a, b: 0 if a == b else 1.25,
    ):
        assert tm.distance(x, y, costs=costs, n_jobs=2) == tm.distance(x, y, costs=costs)
