"""Every kernel, orientation and role gives the same bits; chosen through the private core."""

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from shapes import SHAPES, make_tree
from treemetric import _core

shapes = st.sampled_from(sorted(SHAPES))
WAYS = list(product([False, True], ["left", "right", "inner", "mixed"], [False, True]))
STEPS = np.arange(25).reshape(5, 5) % 24
IRRATIONAL = tm.CostMatrix("abcd", np.sqrt(STEPS))
# Quanta for lanes of one, two and four bytes: a pair of nodes saves up to 8, 46 and 46 million.
WHOLE = tm.CostMatrix("abcd", STEPS % 5)
TENTHS = tm.CostMatrix("abcd", STEPS / 10)
MILLIONTHS = tm.CostMatrix("abcd", STEPS * 999_999 / 1e6)
COSTS = [None, IRRATIONAL, WHOLE, TENTHS, MILLIONTHS]


def all_ways(x, y, costs=None):
    table, index = (None, None) if costs is None else costs._table((), ())
    return {_core.distance_by(x._data, y._data, table, index, way) for way in WAYS}


@given(st.integers(0, 2**32), shapes, shapes)
@pytest.mark.parametrize("costs", COSTS)
def test_all_ways_give_the_same_bits(costs, seed, shape, other):
    rng = Random(seed)
    x = make_tree(rng, rng.randint(1, 140), shape, "abcd")
    y = make_tree(rng, rng.randint(1, 140), other, "abcd")
    assert all_ways(x, y, costs) == {tm.distance(x, y, costs=costs)}


@pytest.mark.parametrize("size", [5, 6, 31, 32, 126, 127, 128, 129, 300])
@pytest.mark.parametrize("costs", COSTS)
def test_all_ways_agree_where_the_lanes_change(size, costs):
    rng = Random(size)
    x, y = (make_tree(rng, size, "random", "abcd") for _ in range(2))
    assert len(all_ways(x, y, costs)) == 1


def test_tables_must_fit_the_trees():
    table = _core.CostTable(np.ones((1, 1)), np.ones(1), np.ones(1))
    x = tm.Tree.from_sequence("ab")
    with pytest.raises(ValueError, match=r"shape \(1, 1\) cannot serve \(2, 2\) labels"):
        _core.table_distance(x._data, x._data, table, None)
