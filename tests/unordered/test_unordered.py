"""Distances of trees without an order of children: records, twins, enumeration, invariants."""

import json
import math
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
import treemetric as tm
import unordered_reference
from shapes import SHAPES, make_tree
from strategies import cost_cases, tree_lists, trees

RECORDS = json.loads(Path(__file__).with_name("uted.json").read_text(encoding="utf-8"))


def duration(a, b):
    return abs((a or 0) - (b or 0))


def relative(a, b):
    return 1.0 if a is None or b is None else abs(a - b) / (a + b)


COSTS = {
    "unit": None,
    "duration": tm.CallableCosts(duration),
    "relative": tm.CallableCosts(relative),
}


def shuffled(rng, tree):
    """The same tree with the children of every node in a random order."""
    kids = reference.children(tree.parents)
    labels, parents = [], []
    stack = [(root, -1) for root in kids[-1]]
    rng.shuffle(stack)
    while stack:
        node, parent = stack.pop()
        below = [(kid, len(labels)) for kid in kids[node]]
        rng.shuffle(below)
        stack += below
        labels.append(tree.labels[node])
        parents.append(parent)
    return tm.Tree.from_parents(labels, parents)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["name"])
def test_published_and_recorded_distances(record):
    x, y = (tm.Tree.from_parents(**record[side]) for side in "xy")
    costs = COSTS[record["costs"]]
    found = tm.unordered_distance(x, y, costs=costs)
    assert found == pytest.approx(record["constrained_unordered"], rel=1e-9)
    assert tm.distance(x, y, costs=costs) == pytest.approx(record["ordered_edist"], rel=1e-9)
    exact = record["exact_unordered"]
    assert exact is None or found >= exact - 1e-9
    assert tm.unordered_align(x, y, costs=costs).cost == found


def test_the_constrained_distance_can_exceed_the_ordered_one():
    record = next(record for record in RECORDS if "Guignard" in record["name"])
    x, y = (tm.Tree.from_parents(**record[side]) for side in "xy")
    costs = COSTS["duration"]
    assert tm.unordered_distance(x, y, costs=costs) == 22
    assert tm.distance(x, y, costs=costs) == 20


@given(trees(max_size=7), trees(max_size=7), cost_cases())
def test_distances_equal_the_twin(x, y, case):
    assert tm.unordered_distance(x, y) == unordered_reference.naive_unordered_distance(
        x, y, reference.unit_cost
    )
    found = tm.unordered_distance(x, y, costs=case.costs)
    expected = unordered_reference.naive_unordered_distance(x, y, case.cost)
    assert case.agrees(found, expected, x.size + y.size)


@settings(max_examples=60)
@given(trees(max_size=4), trees(max_size=4), cost_cases(scales=(1,)))
def test_distances_equal_enumeration_and_bound_the_unordered_distance(x, y, case):
    for costs, cost in ((None, reference.unit_cost), (case.costs, case.cost)):
        found = tm.unordered_distance(x, y, costs=costs)
        constrained = unordered_reference.unordered_by_enumeration(
            x, y, cost, unordered_reference.is_constrained
        )
        assert found == constrained
        assert found >= unordered_reference.unordered_by_enumeration(
            x, y, cost, unordered_reference.keeps_ancestors
        )


def small_trees(size):
    """All trees and forests of a size with two labels."""
    for parents in product(*(range(-1, i) for i in range(size))):
        # The parent of a node in preorder is on the path to the node before it.
        paths = (unordered_reference.ancestors(parents, i - 1) for i in range(1, size))
        if all(parent in path for parent, path in zip(parents[1:], paths, strict=True)):
            for labels in product("ab", repeat=size):
                yield tm.Tree.from_parents(labels, parents)


def test_all_pairs_of_small_trees_by_enumeration():
    every = [tree for size in range(4) for tree in small_trees(size)]
    assert len(every) == 1 + 2 + 2 * 4 + 5 * 8
    found = tm.unordered_pairwise_distances(every)
    rng = Random(1)
    for i, j in product(range(len(every)), repeat=2):
        if rng.random() < 0.2:
            expected = unordered_reference.unordered_by_enumeration(
                every[i], every[j], reference.unit_cost, unordered_reference.is_constrained
            )
            assert found[i, j] == expected


@given(
    trees(max_size=6),
    trees(max_size=6),
    st.lists(st.integers(0, 9), min_size=48, max_size=48),
)
def test_costs_of_nodes_equal_the_twin(x, y, numbers):
    n, m = x.size, y.size
    replace = np.array([numbers[:36]], dtype=float).reshape(6, 6)[:n, :m]
    replace[replace == 9] = np.inf
    delete, insert = np.array(numbers[36:42][:n], float), np.array(numbers[42:][:m], float)
    costs = tm.PairCosts(replace, delete, insert)
    # Twins compare labels: each node is its own label.
    named = [tm.Tree.from_parents(list(range(t.size)), t.parents) for t in (x, y)]

    def cost(i, j):
        return insert[j] if i is None else delete[i] if j is None else replace[i, j]

    found = tm.unordered_distance(x, y, costs=costs)
    assert found == unordered_reference.naive_unordered_distance(*named, cost)
    alignment = tm.unordered_align(x, y, costs=costs)
    assert alignment.cost == found == sum(edit.cost for edit in alignment.edits())


@given(trees(max_size=10), trees(max_size=10), st.tuples(*[st.integers(0, 5)] * 3), st.booleans())
def test_costs_by_kind_of_edit_equal_a_matrix(x, y, kinds, never):
    delete, insert, replace = (float(kind) for kind in kinds)
    replace = math.inf if never else replace
    costs = tm.OperationCosts(delete, insert, replace)
    matrix = costs.to_matrix("abc")
    for a, b in ((x, y), (y, x)):
        found = tm.unordered_distance(a, b, costs=costs)
        assert found == tm.unordered_distance(a, b, costs=matrix)
        assert tm.unordered_align(a, b, costs=costs).cost == found
    both = [x, y]
    np.testing.assert_array_equal(
        tm.unordered_pairwise_distances(both, costs=costs),
        tm.unordered_pairwise_distances(both, costs=matrix),
    )


@given(trees(max_size=25), trees(max_size=25), cost_cases(), st.integers(0, 2**32))
def test_the_order_of_children_plays_no_part(x, y, case, seed):
    rng = Random(seed)
    a, b = shuffled(rng, x), shuffled(rng, y)
    assert tm.unordered_distance(x, a) == 0
    for costs in (None, case.costs):
        expected = tm.unordered_distance(x, y, costs=costs)
        assert tm.unordered_distance(a, b, costs=costs) == expected


@given(trees(max_size=25), trees(max_size=25), cost_cases(symmetric=True))
def test_symmetric_costs_give_symmetric_distances(x, y, case):
    for costs in (None, case.costs):
        there = tm.unordered_distance(x, y, costs=costs)
        assert there == tm.unordered_distance(y, x, costs=costs)


@given(
    tree_lists(max_size=8, nodes=8),
    tree_lists(max_size=5, nodes=8),
    cost_cases(),
    st.none() | st.floats(0, 40),
)
def test_matrices_hold_the_distances_of_pairs(X, Y, case, cutoff):
    # A copy in another order has the same distances.
    X = [*X, *(shuffled(Random(7), tree) for tree in X[:2])]
    for costs in (None, case.costs):
        for other in (None, Y):
            targets = X if other is None else other
            expected = [
                [tm.unordered_distance(x, y, costs=costs, cutoff=cutoff) for y in targets]
                for x in X
            ]
            options = {"costs": costs, "cutoff": cutoff}
            for n_jobs in (None, 2):
                found = tm.unordered_pairwise_distances(X, other, n_jobs=n_jobs, **options)
                assert found.tolist() == (expected or np.zeros(found.shape).tolist())


def test_many_trees_in_parallel_condensed_and_single():
    rng = Random(3)
    trees = [make_tree(rng, rng.randint(1, 40), rng.choice(list(SHAPES))) for _ in range(150)]
    serial = tm.unordered_pairwise_distances(trees)
    seen = []
    parallel = tm.unordered_pairwise_distances(
        trees, n_jobs=2, progress=lambda done, total: seen.append((done, total))
    )
    np.testing.assert_array_equal(serial, parallel)
    np.testing.assert_array_equal(serial, serial.T)
    assert seen[-1] == (150 * 151 // 2, 150 * 151 // 2)
    upper = serial[np.triu_indices(150, 1)]
    np.testing.assert_array_equal(tm.unordered_pairwise_distances(trees, condensed=True), upper)
    single = tm.unordered_pairwise_distances(trees, dtype="float32", n_jobs=2)
    np.testing.assert_array_equal(single, serial.astype(np.float32))
    out = np.empty((150, 150))
    assert tm.unordered_pairwise_distances(trees, out=out) is out
    np.testing.assert_array_equal(out, serial)
    for i, j in ((0, 1), (17, 93), (149, 4)):
        assert serial[i, j] == tm.unordered_distance(trees[i], trees[j])
    near = tm.unordered_pairwise_distances(trees, cutoff=8)
    np.testing.assert_array_equal(near, np.where(serial <= 8, serial, np.inf))


def test_vectors_are_costs_too():
    rng = np.random.default_rng(5)
    costs = tm.VectorCosts("abcd", rng.normal(size=(4, 3)), kind="euclidean")
    trees = [make_tree(Random(k), 12, alphabet="abcde") for k in range(30)]
    found = tm.unordered_pairwise_distances(trees, costs=costs, n_jobs=2)
    for i in range(0, 30, 7):
        for j in range(30):
            assert found[i, j] == tm.unordered_distance(trees[i], trees[j], costs=costs)
    matrix = costs.to_matrix("abcde")
    expected = tm.unordered_pairwise_distances(trees, costs=matrix)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_wide_costs_are_exact():
    costs = tm.CostMatrix("ab", [[0, 1e9, 1 / 3], [1e9, 0, 1e9], [1 / 3, 1e9, 0]])
    x, y = tm.Tree.from_bracket("{a{a}{b{a}{a}}}"), tm.Tree.from_bracket("{a{b{a}}{a}}")
    assert tm.unordered_distance(x, y, costs=costs) == pytest.approx(1 / 3, rel=1e-12)
    assert tm.unordered_distance(x, x, costs=costs) == 0


@given(trees(max_size=8), trees(max_size=8), cost_cases())
def test_subtrees_have_the_distances_of_trees(x, y, case):
    for costs in (None, case.costs):
        found = tm.unordered_subtree_distances(x, y, costs=costs)
        assert found.shape == (x.size, y.size)
        for i, j in product(range(x.size), range(y.size)):
            a, b = x.subtree(i), y.subtree(j)
            assert found[i, j] == tm.unordered_distance(a, b, costs=costs)


def test_empty_trees_and_forests():
    empty = tm.Tree.from_parents([], [])
    forest = tm.Tree.from_parents("ab", [-1, -1])
    other = tm.Tree.from_parents("bca", [-1, -1, -1])
    assert tm.unordered_distance(empty, empty) == 0
    assert tm.unordered_distance(empty, forest) == 2
    assert tm.unordered_distance(forest, other) == 1
    assert tm.unordered_align(empty, forest).pairs == ((None, 0), (None, 1))
    assert tm.unordered_subtree_distances(empty, forest).shape == (0, 2)
    assert tm.unordered_pairwise_distances([empty, forest]).tolist() == [[0, 2], [2, 0]]
    assert tm.unordered_pairwise_distances([]).shape == (0, 0)
    assert tm.unordered_pairwise_distances([empty], []).shape == (1, 0)


def test_deep_chains_and_wide_stars():
    n = 100_000
    chain = tm.Tree.from_parents(["ab"[i % 2] for i in range(n)], list(range(-1, n - 1)))
    star = tm.Tree.from_parents(["abc"[i % 3] for i in range(n)], [-1, *[0] * (n - 1)])
    other = tm.Tree.from_parents(["abc"[i % 3] for i in range(n)][::-1], [-1, *[0] * (n - 1)])
    small = tm.Tree.from_bracket("{a{b}{c}}")
    assert tm.unordered_distance(chain, small) == n - 2 + 1
    assert tm.unordered_align(small, chain).cost == n - 1
    assert tm.unordered_distance(chain, chain) == 0
    assert tm.unordered_distance(star, small) == n - 3
    # The root of each star is a label that the other has as a leaf too often.
    assert tm.unordered_distance(star, other) == 2 * (star.labels[0] != other.labels[0])
    longer = tm.Tree.from_parents(["ab"[i % 2] for i in range(n + 1)], list(range(-1, n)))
    assert tm.unordered_distance(longer.subtree(n - 500), chain.subtree(n - 700)) == 699 - 500


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: tm.unordered_distance(t, "x"), "'y' parameter of unordered_distance"),
        (lambda t: tm.unordered_distance(t, t, costs=3), "'costs' parameter"),
        (lambda t: tm.unordered_distance(t, t, cutoff=-1), "'cutoff' parameter"),
        (lambda t: tm.unordered_align(None, t), "'x' parameter of unordered_align"),
        (lambda t: tm.unordered_subtree_distances(t, 5), "'y' parameter"),
        (lambda t: tm.unordered_pairwise_distances([t], n_jobs=0), "'n_jobs' parameter"),
        (lambda t: tm.unordered_pairwise_distances([t], out="file.npy"), "'out' parameter"),
        (lambda t: tm.unordered_pairwise_distances([t], [t], condensed=True), "'Y' parameter"),
        (
            lambda t: tm.unordered_pairwise_distances([t], costs=tm.PairCosts([[0]], [1], [1])),
            "'costs' parameter",
        ),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(tm.Tree.from_sequence("a"))


def test_progress_can_stop_the_work():
    rng = Random(2)
    trees = [make_tree(rng, 120) for _ in range(120)]
    with pytest.raises(tm.exceptions.CancelledError):
        tm.unordered_pairwise_distances(trees, progress=lambda *_: False)


def test_tables_that_do_not_fit_are_refused():
    n = 3_000_000
    x = tm.Tree.from_parents(None, [-1, *[0] * (n - 1)])
    y = tm.Tree.from_parents(list(range(n, 2 * n)), [-1, *[0] * (n - 1)])
    with pytest.raises(MemoryError, match="bytes"):
        tm.unordered_distance(x, y)
