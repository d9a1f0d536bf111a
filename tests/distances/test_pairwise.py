"""All pairs: every way to ask gives the same bits."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial.distance import squareform

import reference
import treemetric as tm
from shapes import SHAPES, make_tree
from strategies import cost_cases, tree_lists

ALPHABET = "abcd"


def mixed_trees(seed=0, sizes=(0, 1, 2, 5, 9, 17, 33, 64, 100, 127, 128, 150, 300)):
    """Trees of many sizes and shapes, with duplicates, in no order."""
    rng = Random(seed)
    trees = [make_tree(rng, n, rng.choice(list(SHAPES)), ALPHABET) for n in sizes for _ in range(2)]
    trees += trees[:3]
    rng.shuffle(trees)
    return trees


def random_matrix(seed, *, symmetric, root=False):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, 30, (5, 5)) / 10
    if symmetric:
        matrix = np.maximum(matrix, matrix.T)
    np.fill_diagonal(matrix, 0)
    return np.sqrt(matrix) if root else matrix


COSTS = {
    "unit": None,
    "decimal": tm.CostMatrix(ALPHABET, random_matrix(1, symmetric=True)),
    "irrational": tm.CostMatrix(ALPHABET, random_matrix(2, symmetric=True, root=True)),
    "asymmetric": tm.CostMatrix(ALPHABET, random_matrix(3, symmetric=False)),
    "embedding": tm.EmbeddingCosts(ALPHABET, np.random.default_rng(4).random((4, 3))),
}
SYMMETRIC = [name for name in COSTS if name != "asymmetric"]
TREES = mixed_trees()
SMALL = mixed_trees(1, sizes=(0, 1, 3, 8, 15, 30))


@pytest.fixture(scope="module", params=COSTS)
def square(request):
    """The costs, and the full matrix of SMALL computed pair by pair."""
    costs = COSTS[request.param]
    matrix = [[tm.distance(x, y, costs=costs) for y in SMALL] for x in SMALL]
    return request.param, costs, np.array(matrix)


def same(got, expected):
    """Equal to the last bit."""
    return (
        got.shape == expected.shape
        and got.dtype == expected.dtype
        and got.tobytes() == expected.tobytes()
    )


# --- one matrix, many ways ---------------------------------------------------------


@pytest.mark.parametrize("name", COSTS)
def test_the_matrix_holds_the_distances_of_its_pairs(name):
    costs = COSTS[name]
    got = tm.pairwise_distances(TREES, costs=costs)
    assert got.shape == (len(TREES), len(TREES))
    assert got.dtype == np.float64
    rng = Random(5)
    for i, j in {(rng.randrange(len(TREES)), rng.randrange(len(TREES))) for _ in range(150)}:
        assert got[i, j] == tm.distance(TREES[i], TREES[j], costs=costs)
    assert not np.diag(got).any()


def test_small_matrices_hold_the_distances_of_their_pairs(square):
    _, costs, expected = square
    assert same(tm.pairwise_distances(SMALL, costs=costs), expected)


@settings(max_examples=30)
@given(tree_lists(max_size=5), tree_lists(max_size=4), cost_cases())
def test_any_matrix_equals_the_definition(first, second, case):
    got = tm.pairwise_distances(first, second, costs=case.costs)
    assert got.shape == (len(first), len(second))
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            assert got[i, j] == tm.distance(x, y, costs=case.costs)
            expected = reference.naive_distance(x, y, case.cost)
            assert case.agrees(got[i, j], expected, x.size + y.size)
    assert same(
        tm.pairwise_distances(first, costs=case.costs),
        tm.pairwise_distances(first, first, costs=case.costs),
    )


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
def test_results_do_not_depend_on_the_number_of_jobs(square, n_jobs):
    name, costs, expected = square
    assert same(tm.pairwise_distances(SMALL, costs=costs, n_jobs=n_jobs), expected)
    got = tm.pairwise_distances(SMALL[:7], SMALL[4:], costs=costs, n_jobs=n_jobs)
    assert same(got, expected[:7, 4:].copy())
    if name in SYMMETRIC:
        got = tm.pairwise_distances(SMALL, costs=costs, condensed=True, n_jobs=n_jobs)
        assert same(got, squareform(expected))


def test_a_second_collection_gives_a_rectangle(square):
    _, costs, expected = square
    first, second = SMALL[:4], SMALL[2:]
    assert same(tm.pairwise_distances(first, second, costs=costs), expected[:4, 2:].copy())
    assert same(tm.pairwise_distances(second, first, costs=costs), expected[2:, :4].copy())
    assert same(tm.pairwise_distances(SMALL, SMALL, costs=costs), expected)


def test_asymmetric_costs_give_an_asymmetric_matrix():
    got = tm.pairwise_distances(TREES, costs=COSTS["asymmetric"])
    turned = tm.CostMatrix(ALPHABET, COSTS["asymmetric"].matrix.T)
    assert not np.array_equal(got, got.T)
    assert same(tm.pairwise_distances(TREES, costs=turned), got.T.copy())


@pytest.mark.parametrize("name", SYMMETRIC)
def test_condensed_is_the_upper_triangle_in_the_order_of_scipy(name):
    full = tm.pairwise_distances(TREES, costs=COSTS[name])
    got = tm.pairwise_distances(TREES, costs=COSTS[name], condensed=True)
    assert np.array_equal(full, full.T)
    assert same(squareform(got), full)


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("float32")])
def test_float32_is_the_rounded_float64(square, dtype):
    name, costs, expected = square
    got = tm.pairwise_distances(SMALL, costs=costs, dtype=dtype)
    assert same(got, expected.astype(np.float32))
    if name in SYMMETRIC:
        got = tm.pairwise_distances(SMALL, costs=costs, dtype=dtype, condensed=True)
        assert same(got, squareform(expected).astype(np.float32))


def test_cutoff_replaces_what_is_above_by_infinity(square):
    name, costs, expected = square
    for cutoff in (0, float(np.median(expected)), float(expected.max()), math.inf):
        cut = np.where(expected <= cutoff, expected, np.inf)
        assert same(tm.pairwise_distances(SMALL, costs=costs, cutoff=cutoff), cut)
        if name in SYMMETRIC:
            got = tm.pairwise_distances(SMALL, costs=costs, cutoff=cutoff, condensed=True)
            assert same(got, squareform(cut, checks=False))


def test_every_kind_of_collection_is_accepted(square):
    _, costs, expected = square
    array = np.empty(len(SMALL), dtype=object)
    array[:] = SMALL
    for trees in (SMALL, tuple(SMALL), tm.TreeSet(SMALL), array):
        assert same(tm.pairwise_distances(trees, costs=costs), expected)
        assert same(tm.pairwise_distances(SMALL, trees, costs=costs), expected)


def test_collections_may_have_different_alphabets():
    first = tm.TreeSet([tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b")])
    second = tm.TreeSet([tm.Tree.from_sequence("zb"), tm.Tree.from_sequence("ba")])
    assert tm.pairwise_distances(first, second).tolist() == [[1, 2], [1, 1]]


# --- few trees ---------------------------------------------------------------------


@pytest.mark.parametrize("empty", [[], (), tm.TreeSet([]), np.empty(0, dtype=object)])
def test_no_trees_give_an_empty_array(empty):
    assert tm.pairwise_distances(empty).shape == (0, 0)
    assert tm.pairwise_distances(empty, condensed=True).shape == (0,)
    assert tm.pairwise_distances(empty, SMALL).shape == (0, len(SMALL))
    assert tm.pairwise_distances(SMALL, empty, n_jobs=2).shape == (len(SMALL), 0)
    assert tm.pairwise_distances(empty, dtype="float32").dtype == np.float32


def test_one_tree():
    tree = SMALL[0]
    assert tm.pairwise_distances([tree]).tolist() == [[0.0]]
    assert tm.pairwise_distances([tree], condensed=True).shape == (0,)
    costs = tm.CostMatrix("a", [[0.5, 1], [1, 0]])
    a = tm.Tree.from_sequence("a")
    assert tm.pairwise_distances([a], costs=costs).tolist() == [[0.5]]


def test_duplicates_are_at_zero():
    trees = [tm.Tree.from_bracket("{a{b}{c}}")] * 3 + [tm.Tree.from_bracket("")] * 2
    got = tm.pairwise_distances(trees)
    assert got.tolist() == [[0, 0, 0, 3, 3]] * 3 + [[3, 3, 3, 0, 0]] * 2


def test_one_large_tree_among_small_ones():
    rng = Random(8)
    large = make_tree(rng, 2000, "random", ALPHABET)
    trees = [make_tree(rng, rng.randint(1, 12)) for _ in range(40)]
    trees.insert(20, large)
    got = tm.pairwise_distances(trees, n_jobs=2)
    assert np.array_equal(got, got.T)
    for i, tree in enumerate(trees):
        assert got[i, 20] == tm.distance(tree, large)
