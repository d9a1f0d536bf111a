"""One cost for each kind of edit: the same as the matrix of these costs, everywhere."""

import copy
import pickle
from random import Random

import joblib
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone

import reference
import treemetric as tm
from shapes import make_tree
from strategies import tree_lists, trees
from treemetric.classification import DistanceSVC, MedianGLVQ
from treemetric.costs.matrix import CostMatrix
from treemetric.distributed import joblib_distances, pairwise_distances
from treemetric.learning import GESL, LVQCosts
from treemetric.plotting import plot_costs

LABELS = "abc"
INF = float("inf")
gap = st.sampled_from([0.0, 0.5, 0.8, 1.0, 2.0, 1 / 3, 2**0.5, 7.0])
replacement = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.6, 3.0, 1 / 3, 2**0.5, 50.0, INF])
costs_of_kinds = st.builds(tm.OperationCosts, gap, gap, replacement)
RNG = Random(5)
FOREST = [make_tree(RNG, RNG.randint(0, 14), "random", LABELS) for _ in range(26)]
SOME = [
    tm.OperationCosts(),
    tm.OperationCosts(1, 0.8, 1),
    tm.OperationCosts(2, 3, INF),
    tm.OperationCosts(1 / 3, 1 / 3, 0.5),
    tm.OperationCosts(1, 1, 2),
    tm.OperationCosts(1e-4, 3, 1 / 3),
]


@given(trees(max_size=8), trees(max_size=8), costs_of_kinds)
def test_single_pairs_equal_the_matrix(x, y, costs):
    table = costs.to_matrix(LABELS)
    d = tm.distance(x, y, costs=table)
    assert tm.distance(x, y, costs=costs) == d
    for cutoff in (0.0, d / 2, d, d + 1):
        assert tm.distance(x, y, costs=costs, cutoff=cutoff) == (d if d <= cutoff else INF)
    assert tm.align(x, y, costs=costs).pairs == tm.align(x, y, costs=table).pairs
    assert sum(e.cost for e in tm.align(x, y, costs=costs).edits()) == pytest.approx(d)
    ours, theirs = tm.cooptimal(x, y, costs=costs), tm.cooptimal(x, y, costs=table)
    assert (ours.count, ours.cost) == (theirs.count, theirs.cost)
    assert np.array_equal(ours.expectation, theirs.expectation)
    assert np.array_equal(
        tm.subtree_distances(x, y, costs=costs), tm.subtree_distances(x, y, costs=table)
    )
    soft = [tm.soft_alignment(x, y, costs=c, temperature=2.0) for c in (costs, table)]
    assert soft[0].cost == soft[1].cost
    assert np.array_equal(soft[0].expectation, soft[1].expectation)


@given(trees(max_size=7), trees(max_size=7), st.tuples(*[st.integers(0, 6)] * 3))
def test_distances_equal_the_definition(x, y, kinds):
    delete, insert, replace = kinds

    def cost(a, b):
        if a == b:
            return 0
        return insert if a is None else delete if b is None else replace

    found = tm.distance(x, y, costs=tm.OperationCosts(*kinds))
    assert found == reference.naive_distance(x, y, cost)


@given(tree_lists(min_size=1, nodes=8), tree_lists(nodes=8), costs_of_kinds, st.data())
def test_many_pairs_equal_the_matrix(X, Y, costs, data):
    table = costs.to_matrix(LABELS)
    for other in (None, Y):
        full = tm.pairwise_distances(X, other, costs=table)
        assert np.array_equal(tm.pairwise_distances(X, other, costs=costs), full)
        values = [0.0, *full.ravel().tolist()]
        cutoff = data.draw(st.sampled_from(values)) + data.draw(st.sampled_from([0, 0.01]))
        cut = tm.pairwise_distances(X, other, costs=costs, cutoff=cutoff)
        assert np.array_equal(cut, np.where(full <= cutoff, full, INF))
        targets = X if other is None else other
        found = tm.within(X, targets, radius=cutoff, costs=costs)
        expected = tm.within(X, targets, radius=cutoff, costs=table)
        assert np.array_equal(found.indices, expected.indices)
        assert np.array_equal(found.offsets, expected.offsets)
        if targets:
            k = data.draw(st.integers(1, len(targets)))
            found = tm.nearest(X, targets, k=k, costs=costs)
            expected = tm.nearest(X, targets, k=k, costs=table)
            assert np.array_equal(found.indices, expected.indices)
            assert np.array_equal(found.distances, expected.distances)
        counts = [tm.edit_counts(X, other, costs=c).matrix for c in (costs, table)]
        assert (counts[0] != counts[1]).nnz == 0


@pytest.mark.parametrize("shape", ["random", "zigzag", "left branch"])
@pytest.mark.parametrize("costs", SOME, ids=str)
def test_larger_trees_equal_the_matrix(costs, shape):
    """Lanes of several widths, bands, inner paths and bounds of many words."""
    rng = Random(11)
    X = [make_tree(rng, size, shape, LABELS) for size in (40, 90, 130, 260)]
    Y = [make_tree(rng, size, shape, LABELS) for size in (30, 127, 128, 300)]
    # A few edits away.
    near = [tm.Tree.from_parents(["c", *t.labels[1:-1], "a"], t.parents.tolist()) for t in X]
    table = costs.to_matrix(LABELS)
    full = tm.pairwise_distances(X, Y + near, costs=table)
    assert np.array_equal(tm.pairwise_distances(X, Y + near, costs=costs), full)
    for cutoff in (0.5, 3.0, float(np.median(full))):
        cut = np.where(full <= cutoff, full, INF)
        assert np.array_equal(tm.pairwise_distances(X, Y + near, costs=costs, cutoff=cutoff), cut)
        single = [[tm.distance(x, y, costs=costs, cutoff=cutoff) for y in Y + near] for x in X]
        assert np.array_equal(single, cut)
    found = tm.nearest(X, Y + near, k=3, costs=costs)
    expected = tm.nearest(X, Y + near, k=3, costs=table)
    assert np.array_equal(found.indices, expected.indices)
    assert np.array_equal(found.distances, expected.distances)


def test_all_at_1_are_unit_costs():
    ones = tm.OperationCosts()
    assert np.array_equal(tm.pairwise_distances(FOREST, costs=ones), tm.pairwise_distances(FOREST))
    cut = tm.pairwise_distances(FOREST, costs=ones, cutoff=4)
    assert np.array_equal(cut, tm.pairwise_distances(FOREST, cutoff=4))


def test_any_labels_will_do():
    x, y = tm.Tree.from_sequence([None, ("a", 1), 2.5]), tm.Tree.from_sequence([None, b"x"])
    assert tm.distance(x, y, costs=tm.OperationCosts(2, 3, 4)) == 6.0
    assert tm.distance(y, x, costs=tm.OperationCosts(2, 3, 4)) == 7.0


@pytest.mark.parametrize("costs", SOME, ids=str)
@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
def test_files_and_other_processes(costs, suffix, tmp_path):
    if suffix == ".zarr":
        pytest.importorskip("zarr")
    expected = tm.pairwise_distances(FOREST, costs=costs.to_matrix(LABELS))
    path = tmp_path / f"D{suffix}"
    assert np.array_equal(tm.pairwise_distances(FOREST, costs=costs, out=path), expected)
    # The same costs resume it, other costs do not.
    same = pickle.loads(pickle.dumps(costs))
    assert np.array_equal(tm.pairwise_distances(FOREST, costs=same, out=path), expected)
    with pytest.raises(ValueError, match="costs"):
        tm.pairwise_distances(FOREST, costs=tm.OperationCosts(9, 9, 9), out=path)
    found = pairwise_distances(FOREST, FOREST[:9], costs=costs).compute(scheduler="sync")
    assert np.array_equal(found, expected[:, :9])
    with joblib.parallel_config("threading", n_jobs=2):
        assert np.array_equal(joblib_distances(FOREST, costs=costs), expected)


@pytest.mark.parametrize("costs", SOME, ids=str)
@pytest.mark.parametrize("n_pivots", ["auto", 0, 4])
def test_indices(costs, n_pivots):
    table = costs.to_matrix(LABELS)
    if n_pivots and n_pivots != "auto" and not costs.is_pseudo_metric():
        with pytest.raises(ValueError, match="n_pivots"):
            tm.TreeIndex(FOREST[:15], costs=costs, n_pivots=n_pivots)
        return
    index = tm.TreeIndex(FOREST[:15], costs=costs, n_pivots=n_pivots)
    index = pickle.loads(pickle.dumps(index))
    full = tm.pairwise_distances(FOREST, FOREST[:15], costs=table)
    found = index.nearest(FOREST, k=4)
    assert np.array_equal(found.distances, np.sort(full, axis=1)[:, :4])
    within = index.within(FOREST, radius=5.0)
    for row, (indices, _) in zip(full, within, strict=True):
        assert sorted(indices.tolist()) == np.flatnonzero(row <= 5.0).tolist()


def test_estimators_take_them():
    X, y = FOREST, [k % 2 for k in range(len(FOREST))]
    for costs in (tm.OperationCosts(1, 1, 2), tm.OperationCosts(1, 2, INF)):
        table = costs.to_matrix(LABELS)
        for make in (MedianGLVQ, DistanceSVC, tm.TreeDistances):
            ours, theirs = make(costs=costs).fit(X, y), make(costs=table).fit(X, y)
            assert clone(ours).get_params()["costs"] is costs
            answer = "transform" if make is tm.TreeDistances else "predict"
            assert np.array_equal(getattr(ours, answer)(X), getattr(theirs, answer)(X))
    learner = LVQCosts(initial_costs=tm.OperationCosts(1, 1, 2), max_iter=1).fit(X, y)
    assert learner.costs_.is_pseudo_metric()
    assert isinstance(GESL(initial_costs=tm.OperationCosts(1, 2, INF)).fit(X, y).costs_, CostMatrix)
    assert plot_costs(tm.OperationCosts(1, 2, INF), alphabet="ab") is not None


# --- axioms and values -------------------------------------------------------------


@given(costs_of_kinds)
def test_axioms_are_those_of_the_matrix(costs):
    table = costs.to_matrix("ab")
    assert costs.is_pseudo_metric() == table.is_pseudo_metric()
    assert costs.is_pseudo_metric("ab") == table.is_pseudo_metric()
    assert costs.violations("ab") == table.violations()
    assert costs.is_symmetric() == table.is_symmetric()
    assert costs.closure().to_matrix("ab") == table.closure()
    assert (costs._triangle_slack() is None) == (table._triangle_slack() is None)
    if not costs.is_pseudo_metric():
        with pytest.raises(ValueError, match="pass alphabet="):
            costs.violations()


@given(costs_of_kinds, trees(max_size=6), trees(max_size=6))
def test_the_closure_has_the_same_distances(costs, x, y):
    assume(costs.replace < INF)
    closed = costs.closure()
    assert tm.distance(x, y, costs=closed) == pytest.approx(tm.distance(x, y, costs=costs))


def test_they_are_immutable_values():
    costs = tm.OperationCosts(insert=2, replace=INF)
    assert repr(costs) == "OperationCosts(delete=1.0, insert=2.0, replace=inf)"
    assert (costs.delete, costs.insert, costs.replace) == (1.0, 2.0, INF)
    for other in (pickle.loads(pickle.dumps(costs)), copy.deepcopy(costs)):
        assert other == costs
        assert hash(other) == hash(costs)
        assert other._fingerprint() == costs._fingerprint()
    assert costs != tm.OperationCosts()
    assert tm.OperationCosts() != tm.UnitCosts()
    assert tm.OperationCosts(-0.0) == tm.OperationCosts(0)
    with pytest.raises(AttributeError, match="immutable"):
        costs.delete = 3.0
    assert tm.OperationCosts().to_matrix().alphabet == ()
    assert tm.OperationCosts(2, 3, 4)._fingerprint() != tm.OperationCosts(3, 2, 4)._fingerprint()


@pytest.mark.parametrize("name", ["delete", "insert", "replace"])
@pytest.mark.parametrize("value", [-1, float("nan"), "1", None, 1e300, -INF, 1j])
def test_what_they_refuse(name, value):
    message = rf"'{name}' parameter of OperationCosts must be a float .* Got"
    with pytest.raises(ValueError, match=message):
        tm.OperationCosts(**{name: value})


def test_only_replacing_may_be_infinite():
    for name in ("delete", "insert"):
        with pytest.raises(ValueError, match=rf"'{name}' parameter .* Got inf"):
            tm.OperationCosts(**{name: INF})
    with pytest.raises(ValueError, match="largest"):
        tm.OperationCosts(1e-300, 0, 0)
