"""Costs of the nodes of one pair of trees, against twins, enumeration and zss."""

import copy
import json
import pickle
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import reference
import treemetric as tm
from strategies import trees
from treemetric.classification import MedianGLVQ
from treemetric.distributed import pairwise_distances as dask_distances
from treemetric.learning import GESL, LVQCosts
from treemetric.plotting import plot_alignment, plot_costs

WRONG = Path(__file__).with_name("apted_wrong.json")
# More than deleting and inserting everything: what a twin pays for what is never done.
NEVER = 10**6


class Numbered(SimpleNamespace):
    """A tree for the twins whose labels are its nodes."""

    @classmethod
    def of(cls, tree):
        return cls(labels=list(range(tree.size)), parents=tree.parents)


@st.composite
def pairs(draw, *, size=6, most=4, never=True):
    """Two trees with repeated labels, whole costs of their nodes, and some pairs never made."""
    x, y = draw(trees(max_size=size, labels="ab")), draw(trees(max_size=size, labels="ab"))
    entry = st.integers(0, most)
    cell = st.one_of(entry, entry, entry, st.just(NEVER)) if never else entry
    replace = draw(st.lists(cell, min_size=x.size * y.size, max_size=x.size * y.size))
    delete = draw(st.lists(entry, min_size=x.size, max_size=x.size))
    insert = draw(st.lists(entry, min_size=y.size, max_size=y.size))
    return x, y, np.array(replace).reshape(x.size, y.size), np.array(delete), np.array(insert)


def costs_of(replace, delete, insert, scale=1):
    floats = np.where(replace == NEVER, np.inf, replace / scale)
    return tm.PairCosts(floats, np.array(delete) / scale, np.array(insert) / scale)


def twin_cost(replace, delete, insert):
    """The costs as a function of nodes, None as the gap."""

    def cost(i, j):
        if i is None:
            return int(insert[j])
        return int(delete[i] if j is None else replace[i, j])

    return cost


def node_table(replace, delete, insert):
    n, m = replace.shape
    table = np.zeros((n + 1, m + 1), dtype=np.int64)
    table[:n, :m], table[:n, m], table[n, :m] = replace, delete, insert
    return table


@given(pairs(size=8), st.sampled_from([1, 10, 8]))
def test_distances_equal_the_definition(case, scale):
    x, y, *parts = case
    costs = costs_of(*parts, scale=scale)
    expected = reference.naive_distance(Numbered.of(x), Numbered.of(y), twin_cost(*parts))
    d = float(Fraction(int(expected), scale))
    assert tm.distance(x, y, costs=costs) == d
    for cutoff in (d, d / 2, d + 1):
        cut = tm.distance(x, y, costs=costs, cutoff=cutoff)
        assert cut == (d if d <= cutoff else np.inf)


@given(pairs(size=5, most=3))
def test_alignments_equal_the_enumeration(case):
    x, y, *parts = case
    costs = costs_of(*parts)
    every = reference.incidence(x, y)
    totals = np.tensordot(every, node_table(*parts), 2)
    optimal = every[totals == totals.min()]
    found = tm.cooptimal(x, y, costs=costs)
    assert found.cost == totals.min()
    assert found.count == len(optimal)
    assert np.allclose(found.expectation, optimal.mean(axis=0), atol=1e-12)
    assert {a.pairs for a in found} == {a.pairs for a in pickle.loads(pickle.dumps(found))}
    assert len({a.pairs for a in found}) == len(optimal)
    possible = (totals < NEVER).nonzero()[0]
    weights = np.exp(-totals[possible].astype(float))
    soft = tm.soft_alignment(x, y, costs=costs)
    average = np.tensordot(weights, every[possible], 1) / weights.sum()
    assert np.allclose(soft.expectation, average, atol=1e-9)
    assert np.isclose(soft.cost, -np.log(weights.sum()), atol=1e-9)


@given(pairs())
def test_one_alignment_and_what_it_can_do(case):
    x, y, *parts = case
    costs = costs_of(*parts)
    alignment = tm.align(x, y, costs=costs)
    cost = twin_cost(*parts)
    assert alignment.cost == tm.distance(x, y, costs=costs)
    assert sum(cost(i, j) for i, j in alignment.pairs) == alignment.cost
    assert sum(edit.cost for edit in alignment.edits()) == alignment.cost
    assert all(edit.cost == cost(edit.i, edit.j) for edit in alignment.edits() if edit.cost < NEVER)
    for tree in alignment.apply():
        last = tree
    if alignment.edits():
        assert last == y
    assert pickle.loads(pickle.dumps(alignment)) == alignment
    assert hash(pickle.loads(pickle.dumps(alignment))) == hash(alignment)
    assert f"cost {alignment.cost}" in repr(alignment)
    assert alignment._repr_html_()
    back = alignment.inverse()
    assert back.cost == alignment.cost
    assert back.costs == tm.PairCosts(costs.replace.T, costs.insert, costs.delete)
    assert back.inverse() == alignment


@given(pairs(size=5))
def test_subtrees_have_the_distances_of_subtrees(case):
    x, y, replace, delete, insert = case
    found = tm.subtree_distances(x, y, costs=costs_of(replace, delete, insert))
    assert found.shape == (x.size, y.size)

    def below(tree, node):
        inside = [node]
        for other in range(node + 1, tree.size):
            if tree.parents[other] in inside:
                inside.append(other)
        parents = [-1, *(inside.index(tree.parents[i]) for i in inside[1:])]
        return SimpleNamespace(labels=inside, parents=parents)

    cost = twin_cost(replace, delete, insert)
    for i, j in np.ndindex(found.shape):
        assert found[i, j] == reference.naive_distance(below(x, i), below(y, j), cost)


def test_labels_play_no_part():
    """Equal labels neither match nor share a row, and labels need not be there."""
    parents = [-1, 0, 0]
    costs = tm.PairCosts(np.arange(9).reshape(3, 3) + 1, [9, 9, 9], [9, 9, 9])
    numbered = tm.Tree.from_parents(None, parents)
    for labels in ("aaa", "aba", "abc"):
        tree = tm.Tree.from_parents(labels, parents)
        assert tm.distance(tree, tree, costs=costs) == 1 + 5 + 9
        assert tm.distance(tree, numbered, costs=costs) == 1 + 5 + 9
        # The same tree under costs of labels, before and after.
        assert tm.distance(tree, tree) == 0.0
        assert tm.align(tree, tree, costs=costs).cost == 15.0
        assert tm.distance(tree, tree, costs=tm.OperationCosts()) == 0.0


def test_equal_shapes_whose_nodes_are_free_are_at_distance_0():
    tree = tm.Tree.from_parents(["a", "a", "a"], [-1, 0, 1])
    assert tm.distance(tree, tree, costs=tm.PairCosts(1 - np.eye(3), [1] * 3, [1] * 3)) == 0.0
    assert tm.distance(tree, tree, costs=tm.PairCosts(np.eye(3), [1] * 3, [1] * 3)) > 0.0


def test_empty_trees():
    empty, tree = tm.Tree.from_sequence(""), tm.Tree.from_sequence("ab")
    costs = tm.PairCosts([], [], [2, 3])
    assert costs.replace.shape == (0, 2)
    assert tm.distance(empty, tree, costs=costs) == 5.0
    assert tm.distance(tree, empty, costs=tm.PairCosts(np.zeros((2, 0)), [2, 3], [])) == 5.0
    assert tm.distance(empty, empty, costs=tm.PairCosts([], [], [])) == 0.0
    assert tm.align(empty, tree, costs=costs).cost == 5.0


def test_where_apted_is_above_the_optimum():
    """A pair of trees with fractional costs that zss and treemetric agree on."""
    data = json.loads(WRONG.read_text())
    rename = np.array(data["rename"])
    example = data["examples"]["rename in [0,1], gaps 1 (TEDS, routes)"]
    x, y = (tm.Tree.from_bracket(example[side]) for side in ("t1", "t2"))
    replace = rename[np.ix_([int(a) for a in x.labels], [int(b) for b in y.labels])]
    costs = tm.PairCosts(replace, np.ones(x.size), np.ones(y.size))
    d = tm.distance(x, y, costs=costs)
    assert d == pytest.approx(example["zss"], abs=1e-9)
    assert d < example["apted"] - 1e-3
    unlabelled = (tm.Tree.from_parents(None, tree.parents.tolist()) for tree in (x, y))
    assert tm.distance(*unlabelled, costs=costs) == d


@given(trees(max_size=9, forests=False), trees(max_size=9, forests=False), st.integers(0, 99))
def test_zss_agrees(x, y, seed):
    zss = pytest.importorskip("zss")
    if not (x.size and y.size):
        return
    rng = np.random.default_rng(seed)
    replace, delete, insert = rng.random((x.size, y.size)), rng.random(x.size), rng.random(y.size)

    def nodes(tree):
        made = [SimpleNamespace(node=i, children=[]) for i in range(tree.size)]
        for i, parent in enumerate(tree.parents.tolist()):
            if parent >= 0:
                made[parent].children.append(made[i])
        return made[0]

    expected = zss.distance(
        nodes(x),
        nodes(y),
        lambda n: n.children,
        lambda n: insert[n.node],
        lambda n: delete[n.node],
        lambda a, b: replace[a.node, b.node],
    )
    found = tm.distance(x, y, costs=tm.PairCosts(replace, delete, insert))
    assert found == pytest.approx(expected, abs=1e-9)


# --- values ------------------------------------------------------------------------


def test_they_are_immutable_values():
    replace = np.array([[1.0, np.inf]])
    costs = tm.PairCosts(replace, [-0.0], [2, 3])
    replace[0, 0] = 7.0
    assert costs.replace.tolist() == [[1.0, np.inf]]
    for array in (costs.replace, costs.delete, costs.insert):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
    with pytest.raises(AttributeError, match="immutable"):
        costs.replace = replace
    twin = tm.PairCosts([[1, np.inf]], [0], [2, 3])
    for other in (
        twin,
        pickle.loads(pickle.dumps(costs)),
        copy.deepcopy(costs),
        clone(costs, safe=False),
    ):
        assert costs == other
        assert hash(costs) == hash(other)
        assert costs._fingerprint() == other._fingerprint()
    assert costs != tm.PairCosts([[1, 1]], [0], [2, 3])
    assert costs != tm.UnitCosts()
    assert repr(costs) == "<PairCosts of 1 x 2 nodes>"


def test_read_only_arrays_are_shared():
    replace = np.array([[1.0, -0.0]])
    replace.setflags(write=False)
    costs = tm.PairCosts(replace, [1], [1, 1])
    assert np.shares_memory(costs.replace, replace)
    twin = tm.PairCosts([[1.0, 0.0]], [1], [1, 1])
    assert costs == twin
    assert hash(costs) == hash(twin)
    assert costs._fingerprint() == twin._fingerprint()
    assert pickle.loads(pickle.dumps(costs)) == costs
    columns = np.asfortranarray(np.ones((2, 3)))
    columns.setflags(write=False)
    assert not np.shares_memory(tm.PairCosts(columns, [1] * 2, [1] * 3).replace, columns)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (([[1, 2]], [1], [1]), r"'replace' .* shape \(1, 1\) .* Got shape \(1, 2\)"),
        (([1, 2], [1], [1, 1]), r"'replace' .* a 2-dimensional array. Got a 1-dim"),
        (([[1]], [[1]], [1]), r"'delete' .* a 1-dimensional array. Got a 2-dim"),
        (([[-1]], [1], [1]), r"'replace' .* not negative .* Got -1.0 at \[0, 0\]"),
        (([[np.nan]], [1], [1]), r"'replace' .* Got nan at \[0, 0\]"),
        (
            ([[1]], [np.inf], [1]),
            r"'delete' .* finite, not negative and at most 1e\+200. Got inf at \[0\]",
        ),
        (([[1], [1]], [1, 1], [np.inf]), r"'insert' .* finite, .* 1e\+200. Got inf at \[0\]"),
        (([["a"]], [1], [1]), r"'replace' .* real numbers. Got dtype"),
        (([[1e300]], [1], [1]), r"'replace' .* at most 1e\+200"),
    ],
)
def test_what_they_refuse(parts, message):
    with pytest.raises(ValueError, match=message):
        tm.PairCosts(*parts)


SINGLE = [tm.distance, tm.align, tm.cooptimal, tm.soft_alignment, tm.subtree_distances]


@pytest.mark.parametrize("function", SINGLE)
def test_shapes_are_those_of_the_trees(function):
    x, y = tm.Tree.from_sequence("abc"), tm.Tree.from_sequence("ab")
    costs = tm.PairCosts(np.ones((3, 2)), np.ones(3), np.ones(2))
    function(x, y, costs=costs)
    with pytest.raises(ValueError, match=r"of 3 x 2 nodes .* 2 and 3 nodes.* shape \(2, 3\)"):
        function(y, x, costs=costs)


def test_functions_of_many_trees_refuse_them(tmp_path):
    forest = [tm.Tree.from_sequence(s) for s in ("a", "b", "a", "b")]
    costs = tm.PairCosts([[1]], [1], [1])
    classes = [0, 1, 0, 1]
    calls = [
        lambda: tm.pairwise_distances(forest, costs=costs),
        lambda: tm.pairwise_distances(forest, costs=costs, out=tmp_path / "D.npy"),
        lambda: dask_distances(forest, costs=costs),
        lambda: tm.nearest(forest, forest, k=1, costs=costs),
        lambda: tm.within(forest, forest, radius=1, costs=costs),
        lambda: tm.TreeIndex(forest, costs=costs),
        lambda: tm.edit_counts(forest, costs=costs),
        lambda: tm.edit_counts(forest).distances(costs),
        lambda: tm.TreeDistances(costs=costs).fit(forest),
        lambda: MedianGLVQ(costs=costs).fit(forest, classes),
        lambda: LVQCosts(initial_costs=costs).fit(forest, classes),
        lambda: GESL(initial_costs=costs).fit(forest, classes),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="costs of labels, because it compares many trees"):
            call()
    with pytest.raises(TypeError, match="for labels"):
        plot_costs(costs)
    for call in (costs.to_matrix, costs.violations, costs.closure, costs.is_symmetric):
        with pytest.raises(TypeError, match="belong to nodes"):
            call()


def test_alignments_are_drawn():
    x, y = tm.Tree.from_sequence("abc"), tm.Tree.from_sequence("ab")
    costs = tm.PairCosts(np.eye(3)[:, :2] + 0.25, np.ones(3), np.ones(2))
    assert plot_alignment(tm.align(x, y, costs=costs)) is not None
