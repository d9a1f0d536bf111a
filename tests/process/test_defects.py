"""Mistakes found in other programs, each with the right answer."""

import math
from random import Random

import numpy as np
import pytest

import reference
import treemetric as tm
from shapes import delete_nodes, make_tree


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        # Forests were compared by their first tree only.
        ("{a}{b}", "{a}", 1),
        ("{a}{b}{c}", "{b}", 2),
        # Pairs on which a backtrace failed or counted twice.
        ("{r{a{b{c}}}{z}}", "{r{b{c}}{z}}", 1),
        ("{a}", "{a{b{a}}{a}}", 3),
        ("{a{a}{a}}", "{a{a{a}}}", 2),
        # An edit script of two steps was given for four.
        ("{r{b{c}{d}}{e}}", "{r}", 4),
    ],
)
def test_small_pairs(x, y, expected):
    x, y = tm.Tree.from_bracket(x), tm.Tree.from_bracket(y)
    assert tm.distance(x, y) == expected
    assert reference.enumerated_distance(x, y, reference.unit_cost) == expected


@pytest.mark.parametrize(("n", "m"), [(40, 80), (70, 35), (1000, 900), (2000, 1990)])
def test_chains_of_equal_nodes(n, m):
    # Recursion, memory and counts overflowed on these.
    x, y = tm.Tree.from_sequence("a" * n), tm.Tree.from_sequence("a" * m)
    assert tm.distance(x, y) == abs(n - m)
    assert tm.distance(x, y.map_labels(str.upper)) == max(n, m)


@pytest.mark.parametrize("shape", ["left branch", "right branch"])
def test_combs_of_a_thousand_nodes(shape):
    # A fixed direction of decomposition needs minutes for one of the two.
    rng = Random(0)
    x = make_tree(rng, 1001, shape, "ab")
    y = delete_nodes(x, rng.sample(range(1001), 100))
    assert tm.distance(x, y) == 100
    assert tm.distance(y, x) == 100


def test_replacing_never_costs_more_than_deleting_and_inserting():
    costs = tm.CostMatrix("ab", [[0, 9, 1], [9, 0, 2], [1, 2, 0]])
    a, b = tm.Tree.from_sequence("a"), tm.Tree.from_sequence("b")
    assert tm.distance(a, b, costs=costs) == 3.0


def test_costs_that_differ_by_operation():
    # A search that assumes equal costs took wrong turns on one pair in two hundred.
    rng = Random(7)
    alphabet = "abc"
    table = [[0, 8, 8, 10], [8, 0, 8, 10], [8, 8, 0, 10], [3, 3, 3, 0]]
    costs = tm.CostMatrix(alphabet, np.array(table) / 10)
    cost = reference.table_cost(alphabet, table)
    for _ in range(400):
        x, y = (make_tree(rng, rng.randint(1, 9)) for _ in range(2))
        expected = reference.naive_distance(x, y, cost)
        assert tm.distance(x, y, costs=costs) == expected / 10


def test_bounded_distances_at_the_exact_bound():
    # Two bounded programs were too large on one pair in 25, at the bound itself.
    rng = Random(11)
    for _ in range(300):
        x = make_tree(rng, rng.randint(1, 40))
        y = delete_nodes(x, rng.sample(range(x.size), x.size // 4))
        d = tm.distance(x, y)
        assert d == x.size // 4
        assert tm.distance(x, y, cutoff=d) == d
        assert tm.distance(x, y, cutoff=d + 1) == d
        if d:
            assert tm.distance(x, y, cutoff=d - 1) == math.inf


def test_real_valued_costs_keep_double_precision():
    # Single precision showed errors up to 9e-6.
    rng = Random(3)
    alphabet = "abc"
    k = np.array([[rng.randint(1, 99) for _ in range(4)] for _ in range(4)])
    matrix = np.sqrt(np.maximum(k, k.T))
    np.fill_diagonal(matrix, 0)
    costs = tm.CostMatrix(alphabet, matrix)
    cost = reference.table_cost(alphabet, matrix)
    for _ in range(20):
        x, y = (make_tree(rng, 40) for _ in range(2))
        expected = reference.table_distance(x, y, cost)
        assert tm.distance(x, y, costs=costs) == pytest.approx(expected, rel=1e-10)


def test_a_unit_distance_can_exceed_the_larger_size():
    # So 1 - d / max(n, m) can be negative; the sum of the sizes is the true bound.
    chain = tm.Tree.from_sequence("abcde")
    star = tm.Tree.from_bracket("{v{w}{x}{y}{z}}")
    assert tm.distance(chain, star) == 8.0


def test_a_lambda_as_cost_works_with_several_jobs():
    # Processes would have to pickle it.
    trees = [tm.Tree.from_sequence(s) for s in ("abc", "abd", "xyz", "")]
    costs = tm.CallableCosts(lambda a, b: 0.0 if a == b else 0.5)
    got = tm.pairwise_distances(trees, costs=costs, n_jobs=2)
    assert np.array_equal(got, tm.pairwise_distances(trees) / 2)
