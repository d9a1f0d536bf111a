"""All distances between subtrees at once."""

from random import Random

import numpy as np
import pytest
from hypothesis import given

import treemetric as tm
from shapes import SHAPES, make_tree
from strategies import cost_cases, trees

EMPTY = tm.Tree.from_bracket("")


def one_by_one(x, y, costs=None):
    below_x = [x.subtree(i) for i in range(x.size)]
    below_y = [y.subtree(j) for j in range(y.size)]
    table = [[tm.distance(a, b, costs=costs) for b in below_y] for a in below_x]
    return np.array(table, dtype=float).reshape(x.size, y.size)


@given(trees(), trees())
def test_unit_costs(x, y):
    assert np.array_equal(tm.subtree_distances(x, y), one_by_one(x, y))


@given(trees(), trees(), cost_cases())
def test_any_costs_bit_for_bit(x, y, case):
    # Asymmetric, not triangular, with a price for keeping a label, and irrational ones.
    got = tm.subtree_distances(x, y, costs=case.costs)
    assert np.array_equal(got, one_by_one(x, y, case.costs))


@pytest.mark.parametrize("shape", SHAPES)
def test_larger_trees_of_every_shape(shape):
    rng = Random(5)
    x, y = (make_tree(rng, size, shape) for size in (24, 31))
    expected = one_by_one(x, y)
    assert np.array_equal(tm.subtree_distances(x, y), expected)
    assert np.array_equal(tm.subtree_distances(y, x), expected.T)


@pytest.mark.parametrize("shape", ["random", "zigzag", "star", "chain"])
def test_first_entry_is_the_distance_of_trees(shape):
    rng = Random(6)
    x, y = (make_tree(rng, size, shape) for size in (300, 200))
    got = tm.subtree_distances(x, y)
    assert got[0, 0] == tm.distance(x, y)
    assert not np.diagonal(tm.subtree_distances(x, x)).any()


def test_result_is_an_array_of_doubles():
    x, y = tm.Tree.from_bracket("{a{b}{c}}"), tm.Tree.from_bracket("{a{c}}")
    got = tm.subtree_distances(x, y)
    assert got.dtype == np.float64
    assert got.tolist() == [[1.0, 2.0], [2.0, 1.0], [1.0, 0.0]]


def test_empty_trees():
    x = tm.Tree.from_bracket("{a{b}}{c}")
    assert tm.subtree_distances(EMPTY, EMPTY).shape == (0, 0)
    assert tm.subtree_distances(x, EMPTY).shape == (3, 0)
    assert tm.subtree_distances(EMPTY, x).shape == (0, 3)


def test_costs_of_all_kinds():
    x, y = tm.Tree.from_bracket("{a{b}{c}}"), tm.Tree.from_bracket("{b{c{a}}}")
    for costs in (
        tm.UnitCosts(),
        tm.CallableCosts(lambda a, b: 0.0 if a == b else 0.5),
        tm.EmbeddingCosts("abc", [[0.0], [3.0], [5.0]]),
    ):
        got = tm.subtree_distances(x, y, costs=costs)
        assert np.array_equal(got, one_by_one(x, y, costs))


def test_refusals():
    x = tm.Tree.from_bracket("{a}")
    with pytest.raises(TypeError, match="'x' parameter of subtree_distances"):
        tm.subtree_distances("{a}", x)
    with pytest.raises(TypeError, match="'y' parameter of subtree_distances"):
        tm.subtree_distances(x, [x])
    with pytest.raises(TypeError, match="'costs' parameter of subtree_distances"):
        tm.subtree_distances(x, x, costs="unit")
    with pytest.raises(tm.exceptions.UnknownLabelError):
        tm.subtree_distances(x, x, costs=tm.CostMatrix("b", np.zeros((2, 2))))
    with pytest.raises(TypeError, match="positional"):
        tm.subtree_distances(x, x, tm.UnitCosts())
