"""Closure, and the two theorems: when the dynamic program is correct, and when it is a metric."""

import numpy as np
import pytest
from hypothesis import given, settings

import reference
import treemetric as tm
from strategies import cost_cases, metric_cases, shortest_paths, trees


def matrix_with(**entries):
    """Unit costs over {a, b} and the gap, with single entries replaced, as in ab=2."""
    place = {"a": 0, "b": 1, "_": 2}
    matrix = 1 - np.eye(3)
    for (x, y), value in entries.items():
        matrix[place[x], place[y]] = value
    return matrix


def leaf(label):
    return tm.Tree.from_sequence([label])


# --- closure -----------------------------------------------------------------------


@given(cost_cases())
def test_closure_is_the_shortest_path(case):
    closed = case.costs.closure()
    assert closed.alphabet == case.costs.alphabet
    np.testing.assert_allclose(closed.matrix, shortest_paths(case.costs.matrix), rtol=1e-12, atol=0)
    assert np.all(closed.matrix <= case.costs.matrix)
    assert not np.diag(closed.matrix).any()
    assert {v.axiom for v in closed.violations()} <= {"symmetry"}
    assert closed.is_symmetric() or not case.costs.is_symmetric()


@given(metric_cases)
def test_closure_leaves_a_metric_alone(case):
    assert case.costs.is_pseudo_metric()
    np.testing.assert_allclose(case.costs.closure().matrix, case.costs.matrix, rtol=1e-12)


def test_unit_costs_are_their_own_closure():
    x, y = tm.Tree.from_bracket("{a{b}}"), tm.Tree.from_bracket("{c}")
    assert tm.distance(x, y, costs=tm.UnitCosts().closure()) == 2.0


# --- theorem 1: the triangle inequality --------------------------------------------

# a -> c -> b is cheaper than a -> b, and an alignment replaces each node once only.
DETOUR = np.array([[0, 9, 1, 9], [9, 0, 1, 9], [1, 1, 0, 9], [9, 9, 9, 0]])


def test_without_the_triangle_inequality_the_distance_is_too_large():
    costs = tm.CostMatrix("abc", DETOUR)
    cost = reference.table_cost("abc", DETOUR.tolist())
    script = reference.script_distance(leaf("a"), leaf("b"), cost, "abc", max_size=2)
    assert script == 2
    assert tm.distance(leaf("a"), leaf("b"), costs=costs) == 9.0
    assert tm.distance(leaf("a"), leaf("b"), costs=costs.closure()) == 2.0
    assert {v.axiom for v in costs.violations()} == {"triangle"}
    assert set(costs.violations()[0].labels) == {"a", "b", "c"}


@settings(max_examples=20)
@given(trees(max_size=2), trees(max_size=2), cost_cases(scales=(1,)))
def test_under_the_closure_the_distance_is_the_cheapest_script(x, y, case):
    script = reference.script_distance(x, y, case.cost, "abc", max_size=4)
    assert tm.distance(x, y, costs=case.costs.closure()) == script
    # Each node is edited once at most, and pays c(a, a) if that is not zero.
    assert tm.distance(x, y, costs=case.costs) >= script


@settings(max_examples=20)
@given(trees(max_size=3), trees(max_size=3), cost_cases(alphabet="ab", triangular=True))
def test_under_a_metric_the_distance_is_the_cheapest_script(x, y, case):
    labels = {"a": "a", "b": "b", "c": "a"}.get
    x, y = x.map_labels(labels), y.map_labels(labels)
    script = reference.script_distance(x, y, case.cost, "ab", max_size=4)
    assert case.agrees(tm.distance(x, y, costs=case.costs), script, x.size + y.size)


# --- theorem 2: what each axiom is for ---------------------------------------------


def test_without_self_identity_a_tree_is_not_at_zero_from_itself():
    costs = tm.CostMatrix("ab", matrix_with(aa=0.5))
    assert tm.distance(leaf("a"), leaf("a"), costs=costs) == 0.5
    assert tm.distance(leaf("b"), leaf("b"), costs=costs) == 0.0
    x = tm.Tree.from_bracket("{a{b}{a}}")
    assert tm.pairwise_distances([x, x], costs=costs).tolist() == [[1, 1], [1, 1]]


def test_without_symmetry_the_distance_has_a_direction():
    costs = tm.CostMatrix("ab", matrix_with(ab=0.25, _b=0.5))
    a, b = leaf("a"), leaf("b")
    assert tm.distance(a, b, costs=costs) == 0.25
    assert tm.distance(b, a, costs=costs) == 1.0
    assert tm.distance(tm.Tree.from_sequence(""), b, costs=costs) == 0.5
    assert tm.distance(b, tm.Tree.from_sequence(""), costs=costs) == 1.0
    assert tm.pairwise_distances([a, b], costs=costs).tolist() == [[0, 0.25], [1, 0]]


def test_without_the_triangle_inequality_neither_has_the_distance():
    costs = tm.CostMatrix("abc", DETOUR)
    d = tm.pairwise_distances([leaf("a"), leaf("b"), leaf("c")], costs=costs)
    assert d[0, 1] > d[0, 2] + d[2, 1]


def test_negative_costs_have_no_distance():
    with pytest.raises(ValueError, match=r"(?i)negative"):
        tm.CostMatrix("a", [[0, -1], [1, 0]])
