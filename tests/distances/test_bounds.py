"""A cutoff spares work and changes nothing: bounds and bands against distances without one."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

import treemetric as tm
from shapes import SHAPES, delete_nodes, make_tree
from strategies import cost_cases, tree_lists, trees

ALPHABET = "abcd"
RNG = Random(5)


def random_matrix(seed, *, symmetric):
    matrix = np.random.default_rng(seed).integers(1, 30, (5, 5)) / 10
    matrix = np.maximum(matrix, matrix.T) if symmetric else matrix
    np.fill_diagonal(matrix, 0)
    return matrix


def vectors(seed):
    return np.random.default_rng(seed).normal(size=(4, 6))


COSTS = {
    "unit": None,
    "decimal": tm.CostMatrix(ALPHABET, random_matrix(1, symmetric=True)),
    "asymmetric": tm.CostMatrix(ALPHABET, random_matrix(3, symmetric=False)),
    "irrational": tm.CostMatrix(ALPHABET, np.sqrt(random_matrix(2, symmetric=True))),
    "huge beside small": tm.CostMatrix(ALPHABET, random_matrix(4, symmetric=True) ** 20 / 3),
    "cosine": tm.VectorCosts(ALPHABET, vectors(6), kind="cosine"),
    "euclidean": tm.VectorCosts(ALPHABET, vectors(7), kind="euclidean"),
}
# Sizes on both sides of a machine word, of two, of a byte; some trees twice.
SIZES = (0, 1, 2, 5, 20, 40, 63, 64, 65, 100, 127, 128, 129, 200)
TREES = [make_tree(RNG, n, RNG.choice(list(SHAPES)), ALPHABET) for n in SIZES for _ in range(3)]
TREES += TREES[::5]


def cut(distances, cutoff):
    return np.where(distances <= cutoff, distances, np.inf)


def same(got, expected):
    return got.dtype == expected.dtype and got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", COSTS)
def test_every_cutoff_gives_the_distances_up_to_it(name):
    full = tm.pairwise_distances(TREES, costs=COSTS[name])
    values = np.unique(full)
    for cutoff in (0, *np.quantile(values, [0.01, 0.1, 0.5, 0.9], method="nearest"), math.inf):
        expected = cut(full, cutoff)
        options = {"costs": COSTS[name], "cutoff": cutoff}
        assert same(tm.pairwise_distances(TREES, **options), expected)
        assert same(tm.pairwise_distances(TREES, n_jobs=2, **options), expected)
        got = tm.pairwise_distances(TREES[:9], TREES[5:], **options)
        assert same(got, expected[:9, 5:].copy())
        if np.array_equal(full, full.T):
            single = tm.pairwise_distances(TREES, condensed=True, dtype="float32", **options)
            assert same(single, squareform(expected, checks=False).astype(np.float32))


@settings(deadline=None)
@given(tree_lists(max_size=8, nodes=14), cost_cases(), st.data())
def test_no_bound_exceeds_a_distance(X, case, data):
    full = tm.pairwise_distances(X, costs=case.costs)
    values = np.unique(full).tolist() or [0.0]
    cutoff = data.draw(st.sampled_from(values))
    for limit in (cutoff, np.nextafter(cutoff, 0)):
        got = tm.pairwise_distances(X, costs=case.costs, cutoff=limit)
        assert same(got, cut(full, limit))


@settings(deadline=None, max_examples=30)
@given(trees(min_size=60, max_size=140), trees(min_size=60, max_size=140))
def test_large_pairs_at_above_and_below_their_distance(x, y):
    d = tm.distance(x, y)
    assert tm.distance(x, y, cutoff=d) == d
    for below in {max(d - 0.5, 0), d / 2, 0}:
        assert tm.distance(x, y, cutoff=below) == (0 if d == 0 else math.inf)


@pytest.mark.parametrize("name", ["decimal", "asymmetric", "irrational", "huge beside small"])
@pytest.mark.parametrize("sizes", [(3, 12), (150, 180)])
def test_many_labels_and_trees_of_different_sizes(name, sizes):
    """Tables too large to look favourites up in advance, and bounds by sizes in front."""
    rng, labels = Random(name), range(400)
    base = COSTS[name].matrix
    matrix = base[np.ix_(*[np.append(np.arange(400) % 4, 4)] * 2)] + 0.25
    np.fill_diagonal(matrix, 0)
    costs = tm.CostMatrix(labels, matrix)
    X = [make_tree(rng, rng.randint(*sizes), alphabet=labels) for _ in range(20)]
    full = tm.pairwise_distances(X, costs=costs)
    for cutoff in np.quantile(full, [0.05, 0.3, 0.6], method="nearest"):
        assert same(tm.pairwise_distances(X, costs=costs, cutoff=cutoff), cut(full, cutoff))
        got = [tm.distance(X[0], y, costs=costs, cutoff=cutoff) for y in X]
        assert got == cut(full[0], cutoff).tolist()


def edited(tree, rng, edits):
    """The tree with some nodes relabelled and as many left out."""
    labels = list(tree.labels)
    for place in rng.sample(range(len(labels)), edits):
        labels[place] = rng.choice(ALPHABET)
    relabelled = tm.Tree.from_parents(labels, tree.parents)
    return delete_nodes(relabelled, rng.sample(range(1, len(labels)), edits))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["unit", "asymmetric", "irrational"])
def test_cutoffs_far_below_the_size(shape, name):
    rng = Random(shape)
    x = make_tree(rng, 400, shape, ALPHABET)
    y = edited(x, rng, 3)
    d = tm.distance(x, y, costs=COSTS[name])
    for cutoff in (0, d / 2, d, d + 0.25, 2 * d + 1, 30):
        expected = d if d <= cutoff else math.inf
        assert tm.distance(x, y, costs=COSTS[name], cutoff=cutoff) == expected
    got = tm.pairwise_distances([x], [x, y], costs=COSTS[name], cutoff=d)
    assert got.tolist() == [[0.0, d]]
