"""Labels that are never paired: a replacement that costs inf."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import reference
import treemetric as tm
from strategies import tree_lists, trees
from treemetric.classification import MedianGLVQ
from treemetric.cli import main
from treemetric.costs.files import read_costs
from treemetric.distributed import pairwise_distances
from treemetric.learning import GESL, LVQCosts
from treemetric.plotting import plot_costs, plot_embedding

INF = float("inf")
LABELS = "abc"
# What the twins pay for it: more than deleting and inserting everything.
NEVER = 10**6


@st.composite
def tables(draw, *, symmetric=False):
    """Whole costs of three labels; some pairs are never made, also of equal labels."""
    entry = st.integers(0, 4)
    cell = st.one_of(entry, entry, st.just(NEVER))
    table = np.array(draw(st.lists(cell, min_size=16, max_size=16))).reshape(4, 4)
    gaps = np.array(draw(st.lists(entry, min_size=6, max_size=6)))
    table[:3, 3], table[3, :3], table[3, 3] = gaps[:3], gaps[3:], 0
    if symmetric:
        table = np.maximum(table, table.T)
    return table


def with_inf(table, scale=1):
    return np.where(table == NEVER, INF, table / scale)


@given(trees(max_size=8), trees(max_size=8), tables(), st.sampled_from([1, 10, 3]))
def test_distances_equal_the_definition(x, y, table, scale):
    cost = reference.table_cost(LABELS, table.tolist())
    expected = reference.naive_distance(x, y, cost) / scale
    costs = tm.CostMatrix(LABELS, with_inf(table, scale))
    d = tm.distance(x, y, costs=costs)
    assert d == expected if scale != 3 else d == pytest.approx(expected, abs=1e-9)

    def function(a, b):
        price = cost(a, b)
        return INF if price == NEVER else price / scale

    assert tm.distance(x, y, costs=function) == pytest.approx(d, abs=1e-9)
    assert tm.distance(x, y, costs=tm.CallableCosts(function)) == pytest.approx(d, abs=1e-9)


@given(trees(max_size=5), trees(max_size=5), tables())
def test_alignments_never_contain_the_pair(x, y, table):
    """Also where deleting and inserting costs as much as a finite replacement."""
    costs = tm.CostMatrix(LABELS, with_inf(table))
    least, optimal = reference.optimal_alignments(x, y, reference.table_cost(LABELS, table))
    found = tm.cooptimal(x, y, costs=costs)
    assert (found.cost, found.count) == (least, len(optimal))
    assert np.allclose(found.expectation, optimal.mean(axis=0), atol=1e-12)
    nodes = reference.node_costs(x, y, reference.table_cost(LABELS, table))
    never = (nodes == NEVER)[:-1, :-1]
    hot = tm.soft_alignment(x, y, costs=costs, temperature=1e80).expectation[:-1, :-1]
    assert (hot[never] == 0).all()
    assert (hot[~never] > 0).all()
    for i, j in tm.align(x, y, costs=costs).pairs:
        assert i is None or j is None or not never[i, j]
    counts = tm.edit_counts([x], [y], costs=costs)
    assert counts.distances(costs)[0] == pytest.approx(float(least))


@given(tree_lists(min_size=1, nodes=8), tables(), st.booleans(), st.integers(0, 20))
def test_many_trees_equal_single_pairs(X, table, symmetric, cutoff):
    table = np.maximum(table, table.T) if symmetric else table
    costs = tm.CostMatrix(LABELS, with_inf(table))
    single = np.array([[tm.distance(x, y, costs=costs) for y in X] for x in X])
    assert np.array_equal(tm.pairwise_distances(X, costs=costs), single)
    cut = tm.pairwise_distances(X, costs=costs, cutoff=cutoff)
    assert np.array_equal(cut, np.where(single <= cutoff, single, INF))
    found = tm.nearest(X, X, k=1, costs=costs)
    assert np.array_equal(found.distances[:, 0], single.min(axis=1))
    within = tm.within(X, X, radius=cutoff, costs=costs)
    for row, (indices, _) in zip(single, within, strict=True):
        assert sorted(indices.tolist()) == np.flatnonzero(row <= cutoff).tolist()


def test_a_label_that_is_never_kept():
    """Equal trees are then not at distance 0."""
    costs = tm.CostMatrix("a", [[INF, 1], [2, 0]])
    x = tm.Tree.from_sequence("aa")
    assert tm.distance(x, x, costs=costs) == 6.0
    assert tm.pairwise_distances([x, x], costs=costs).tolist() == [[6.0, 6.0], [6.0, 6.0]]
    assert tm.cooptimal(x, x, costs=costs).count == 1
    assert tm.edit_counts([x], costs=costs).dense()[0].tolist() == [[0.0, 2.0], [2.0, 0.0]]


def test_inf_has_no_say_in_the_grid():
    """0.1 stays exact, and the grid is not that of very different costs."""
    costs = tm.CostMatrix("ab", [[0, INF, 0.1], [0.7, 0, 0.1], [0.2, 0.2, 0]])
    x, y = tm.Tree.from_sequence("a" * 7), tm.Tree.from_sequence("b" * 7)
    assert tm.distance(x, y, costs=costs) == 2.1
    assert tm.distance(y, x, costs=costs) == 2.1


def test_the_inverse_of_an_alignment_can_be_impossible():
    costs = tm.CostMatrix("ab", [[0, 1, 5], [INF, 0, 5], [5, 5, 0]])
    alignment = tm.align(tm.Tree.from_sequence("a"), tm.Tree.from_sequence("b"), costs=costs)
    assert (alignment.cost, alignment.inverse().cost) == (1.0, INF)
    assert alignment.inverse().inverse() == alignment
    counts = tm.edit_counts([alignment.y, alignment.x], [alignment.x])
    assert counts.distances(costs).tolist() == [INF, 0.0]


def test_axioms():
    costs = tm.CostMatrix("ab", [[0, INF, 1], [INF, 0, 2], [1, 2, 0]])
    assert not costs.is_pseudo_metric()
    assert costs.is_symmetric()
    (found,) = costs.violations()
    assert found.axiom == "triangle"
    assert "replacing 'a' by 'b' costs inf, but deleting 'a' and inserting 'b' costs 3.0" in str(
        found.message
    )
    assert costs.closure().matrix.tolist() == [[0, 3, 1], [3, 0, 2], [1, 2, 0]]
    uneven = tm.CostMatrix("ab", [[INF, INF, 1], [1, 0, 1], [1, 1, 0]])
    assert {v.axiom for v in uneven.violations()} == {"self-identity", "symmetry", "triangle"}
    assert uneven.closure().matrix.tolist() == [[0, 2, 1], [1, 0, 1], [1, 1, 0]]


def test_values_and_other_processes(tmp_path):
    costs = tm.CostMatrix("ab", [[0, INF, 1], [2, 0, 1], [1, 1, 0]])
    again = pickle.loads(pickle.dumps(costs))
    assert (again, hash(again), again._fingerprint()) == (costs, hash(costs), costs._fingerprint())
    finite = tm.CostMatrix("ab", [[0, 2, 1], [2, 0, 1], [1, 1, 0]])
    assert finite._fingerprint() != costs._fingerprint()
    X = [tm.Tree.from_sequence(s) for s in ("ab", "ba", "a", "bb")]
    expected = tm.pairwise_distances(X, costs=costs)
    assert np.array_equal(pairwise_distances(X, costs=costs).compute(scheduler="sync"), expected)
    path = tmp_path / "D.npy"
    assert np.array_equal(tm.pairwise_distances(X, costs=costs, out=path), expected)
    assert np.array_equal(tm.pairwise_distances(X, costs=again, out=path), expected)
    assert costs.to_matrix("b").matrix.tolist() == [[0, 1], [1, 0]]
    assert costs._extended("c").matrix[0, 1] == INF


def test_deleting_and_inserting_must_be_finite():
    with pytest.raises(ValueError, match=r"finite.* Got inf .*deleting 'a'"):
        tm.CostMatrix("a", [[0, INF], [1, 0]])
    with pytest.raises(ValueError, match=r"finite.* Got inf .*inserting 'a'"):
        tm.CostMatrix("a", [[0, 1], [INF, 0]])
    x = tm.Tree.from_sequence("a")
    for gap in ((None, "a"), ("a", None)):
        with pytest.raises(ValueError, match=r"finite for the gap. Got fn\(.*\) = inf"):
            tm.distance(x, x, costs=lambda a, b, gap=gap: INF if (a, b) == gap else 1.0)


def test_files_hold_inf(tmp_path):
    expected = tm.CostMatrix("ab", [[0, INF, 1], [INF, 0, 1], [1, 1, 0]])
    table = tmp_path / "costs.csv"
    table.write_text(",a,b,\na,0,inf,1\nb,inf,0,1\n,1,1,0\n")
    assert read_costs(table) == expected
    for infinity in ("inf", INF):
        data = tmp_path / "costs.json"
        rows = [[0, infinity, 1], [infinity, 0, 1], [1, 1, 0]]
        data.write_text(json.dumps({"alphabet": ["a", "b"], "matrix": rows}))
        assert read_costs(data) == expected
    forest = tmp_path / "trees.txt"
    forest.write_text("{a}\n{b}\n")
    target = tmp_path / "D.npy"
    assert main(["pairwise", str(forest), "-o", str(target), "--costs", str(table)]) == 0
    assert np.load(target).tolist() == [[0.0, 2.0], [2.0, 0.0]]


def test_learners_and_plots():
    matrix = [[0, INF, 1, 1], [INF, 0, 2, 1], [1, 2, 0, 1], [1, 1, 1, 0]]
    costs = tm.CostMatrix("abc", matrix)
    X = [tm.Tree.from_sequence(s) for s in ("abc", "bca", "ab", "bb", "ca", "cc")]
    y = [0, 1, 0, 1, 0, 1]
    with pytest.raises(ValueError, match="'initial_costs' parameter of LVQCosts must be finite"):
        LVQCosts(initial_costs=costs).fit(X, y)
    assert np.isfinite(GESL(initial_costs=costs).fit(X, y).costs_.matrix).all()
    assert plot_costs(costs) is not None
    assert plot_costs(tm.CostMatrix("ab", [[INF, INF, 0], [INF, INF, 0], [0, 0, 0]])) is not None
    with pytest.raises(ValueError, match="pseudo-metric"):
        plot_embedding(costs)


# --- plain functions ---------------------------------------------------------------


def different(a, b):
    return float(a != b)


def test_a_plain_function_wherever_costs_are_taken():
    X = [tm.Tree.from_sequence(s) for s in ("abc", "bca", "ab", "bb", "ca", "cc")]
    expected = tm.pairwise_distances(X)
    assert np.array_equal(tm.pairwise_distances(X, costs=different), expected)
    assert np.array_equal(
        pairwise_distances(X, costs=different).compute(scheduler="sync"), expected
    )
    for function in (tm.align, tm.cooptimal):
        found = function(X[0], X[1], costs=different)
        assert found.cost == expected[0, 1]
        assert found.costs == tm.CallableCosts(different)
    assert tm.subtree_distances(X[0], X[1], costs=different)[0, 0] == expected[0, 1]
    assert tm.soft_alignment(X[0], X[1], costs=different).cost < expected[0, 1]
    assert tm.nearest(X, X, k=1, costs=different).distances.max() == 0.0
    assert tm.within(X, X, radius=0, costs=different).indices.tolist() == list(range(len(X)))
    assert tm.TreeIndex(X, costs=different).nearest(X, k=1).distances.max() == 0.0
    counts = tm.edit_counts(X, costs=different)
    assert np.array_equal(counts.distances(different), counts.distances(tm.UnitCosts()))


def test_estimators_keep_a_plain_function():
    X = [tm.Tree.from_sequence(s) for s in ("abc", "bca", "ab", "bb", "ca", "cc")]
    y = [0, 1, 0, 1, 0, 1]
    for estimator in (MedianGLVQ(costs=different), tm.TreeDistances(costs=different)):
        assert estimator.costs is different
        assert clone(estimator).costs is different
        estimator.fit(X, y)
        assert estimator.costs is different
        assert pickle.loads(pickle.dumps(estimator)).costs is different
    for learner in (LVQCosts(initial_costs=different), GESL(initial_costs=different)):
        assert clone(learner).initial_costs is different
        assert learner.fit(X, y).costs_.alphabet == ("a", "b", "c")


def test_classes_are_not_functions_of_labels():
    x = tm.Tree.from_sequence("a")
    with pytest.raises(TypeError, match="a function of two labels, or None"):
        tm.distance(x, x, costs=tm.UnitCosts)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tm.OperationCosts(0.123456789012, 0.456789012345, 1e100),
        lambda: tm.PairCosts(np.full((3, 2), 1e200), [1e-200] * 3, [1.0] * 2),
        lambda: lambda a, b: 1e100 if a is not None and b is not None else 0.123456789012,
    ],
)
def test_penalties_that_would_hide_other_costs_are_refused(make):
    x, y = tm.Tree.from_bracket("{a{b}{c}}"), tm.Tree.from_bracket("{d{e}}")
    with pytest.raises(ValueError, match="Use inf"):
        tm.distance(x, y, costs=make())
