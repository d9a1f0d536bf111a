"""`treemetric.compat.edist`: documented behaviour, and edist where it is installed."""

import numpy as np
import pytest
from hypothesis import given

import reference
import treemetric as tm
from strategies import tree_lists, trees
from treemetric.compat.edist import multiprocess, ted

X = (list("abc"), [[1, 2], [], []])
Y = (list("ad"), [[1], []])


def delta(a, b):
    """Asymmetric costs that are no metric."""
    if a is None or b is None:
        return 2.0 if a is None else 1.0
    return 0.25 if a == b else 0.5 if a < b else 0.75


def constant(a, b):
    return 3


def test_forms_of_the_call():
    assert ted.standard_ted(X, Y) == ted.standard_ted(*X, *Y) == 2
    assert type(ted.standard_ted(X, Y)) is int
    assert ted.ted(X, Y) == 2.0
    assert type(ted.ted(X, Y)) is float
    assert ted.ted(X, Y, delta=delta) == ted.ted(*X, *Y, delta) == ted.ted(*X, *Y, delta=delta)
    for wrong in (((X[0], X[1], Y), {}), ((3, 4), {}), ((list(X), list(Y)), {})):
        with pytest.raises(TypeError, match="the trees must be four arguments"):
            ted.standard_ted(*wrong[0])


@given(trees(max_size=6, forests=False), trees(max_size=6, forests=False))
def test_twins(x, y):
    pair = x.to_adjacency(), y.to_adjacency()
    assert ted.standard_ted(*pair) == reference.naive_distance(x, y, reference.unit_cost)
    assert ted.ted(*pair, delta=delta) == reference.naive_distance(x, y, delta)


@given(trees(max_size=7, forests=False), trees(max_size=7, forests=False))
def test_edist_itself(x, y):
    edist = pytest.importorskip("edist.ted", reason="edist is not installed")
    pair = x.to_adjacency(), y.to_adjacency()
    assert ted.standard_ted(*pair) == edist.standard_ted(*pair)
    assert ted.ted(*pair, delta=delta) == pytest.approx(edist.ted(*pair, delta=delta), abs=1e-9)


def test_labels_are_priced_once():
    calls = []

    def priced(a, b):
        calls.append((a, b))
        return a != b

    x, y = (list("abab"), [[1, 2, 3], [], [], []]), (list("aa"), [[1], []])
    assert ted.ted(x, y, delta=priced) == 2.0
    assert sorted(map(str, calls)) == sorted(
        map(str, [("a", "a"), ("b", "a"), ("a", None), ("b", None), (None, "a")])
    )


def test_labels_of_any_kind():
    x, y = ([[1], [2]], [[1], []]), ([[1], [3]], [[1], []])
    assert ted.standard_ted(x, y) == 1
    assert ted.ted(x, y, delta=lambda a, b: 1.5 if a != b else 0) == 1.5
    assert ted.standard_ted((["a", None], [[1], []]), (["a"], [[]])) == 1
    assert ted.standard_ted(([None], [[]]), ([[1]], [[]])) == 1
    array = np.array([1, 2]), [[1], []]
    assert ted.standard_ted(array, (np.array([1, 3]), [[1], []])) == 1
    plain = ["a", "b"], [[1], []]
    found = multiprocess.pairwise_distances([x, y], [y, plain], ted.standard_ted)
    assert found.tolist() == [[1.0, 2.0], [0.0, 2.0]]


def test_empty_trees():
    empty = ([], [])
    assert ted.standard_ted(empty, Y) == ted.standard_ted(Y, empty) == 2
    assert ted.standard_ted(empty, empty) == 0
    assert (ted.ted(empty, Y, delta=delta), ted.ted(Y, empty, delta=delta)) == (4.0, 2.0)


def test_any_order_of_nodes():
    assert ted.standard_ted((list("ba"), [[], [0]]), (list("ab"), [[1], []])) == 0
    with pytest.raises(ValueError, match="root"):
        ted.standard_ted((list("ab"), [[], []]), Y)


@given(tree_lists(max_size=4, nodes=5), tree_lists(max_size=3, nodes=5))
def test_matrices(first, second):
    first, second = (
        [tm.Tree.from_nested(("r", [tree.to_nested()])) for tree in trees if len(tree.roots) == 1]
        for trees in (first, second)
    )
    Xs, Ys = ([tree.to_adjacency() for tree in trees] for trees in (first, second))
    for dist, costs in ((ted.standard_ted, None), (ted.ted, None), (ted.ted, delta)):
        expected = [
            [dist(x, y) if costs is None else dist(x, y, delta=costs) for y in Ys] for x in Xs
        ]
        found = multiprocess.pairwise_distances(Xs, Ys, dist, costs, num_jobs=1)
        assert found.shape == (len(Xs), len(Ys))
        assert found.dtype == np.float64
        assert found.tolist() == (expected if Ys else [[] for _ in Xs])
        square = np.array(
            [[dist(x, y) if costs is None else dist(x, y, delta=costs) for y in Xs] for x in Xs]
        ).reshape(len(Xs), len(Xs))
        upper = np.triu(square, 1)
        found = multiprocess.pairwise_distances_symmetric(Xs, dist, costs, num_jobs=2)
        np.testing.assert_array_equal(found, upper + upper.T)


def test_matrices_of_edist():
    edist = pytest.importorskip("edist.multiprocess", reason="edist is not installed")
    from edist.ted import ted as their_ted

    trees = [X, Y, (list("ab"), [[1], []])]
    np.testing.assert_allclose(
        multiprocess.pairwise_distances(trees, trees[:2], ted.ted, delta, num_jobs=1),
        edist.pairwise_distances(trees, trees[:2], their_ted, delta, num_jobs=1),
    )
    np.testing.assert_allclose(
        multiprocess.pairwise_distances_symmetric(trees, ted.ted, delta, num_jobs=1),
        edist.pairwise_distances_symmetric(trees, their_ted, delta, num_jobs=1),
    )


def test_other_functions():
    trees = [X, Y]
    found = multiprocess.pairwise_distances(trees, [X], constant, num_jobs=1)
    assert found.tolist() == [[3.0], [3.0]]
    found = multiprocess.pairwise_distances_symmetric(trees, constant, num_jobs=1)
    assert found.tolist() == [[0.0, 3.0], [3.0, 0.0]]
    found = multiprocess.pairwise_distances([1], [4], lambda x, y, delta: delta(x, y), max, 1)
    assert found.tolist() == [[4.0]]


def test_wrong_arguments():
    with pytest.raises(TypeError, match="standard_ted has no parameter 'delta'"):
        multiprocess.pairwise_distances([X], [Y], ted.standard_ted, delta)
    for function, arguments in (
        (multiprocess.pairwise_distances, ([X], [Y], ted.ted)),
        (multiprocess.pairwise_distances_symmetric, ([X], ted.ted)),
    ):
        with pytest.raises(ValueError, match="'num_jobs' parameter"):
            function(*arguments, num_jobs=0)
    with pytest.raises(ValueError, match="the cost of replacing a node must be not negative"):
        ted.ted(X, Y, delta=lambda a, b: -1)


def test_any_depth():
    depth = 2000
    chain = ["a"] * depth, [[k + 1] for k in range(depth - 1)] + [[]]
    assert ted.standard_ted(chain, Y) == depth - 1
