"""Soft alignments: every alignment counts, the cheaper the more."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
import treemetric as tm
from shapes import SHAPES, make_tree
from strategies import cost_cases, trees

EMPTY = tm.Tree.from_bracket("")


def brute_force(x, y, cost, temperature):
    """Soft cost and expectation by summing over all alignments."""
    every = reference.incidence(x, y)
    table = reference.node_costs(x, y, lambda a, b: float(cost(a, b)))
    energy = np.tensordot(every, table, 2) / temperature
    weights = np.exp(energy.min() - energy)
    soft = temperature * (energy.min() - math.log(weights.sum()))
    return soft, np.tensordot(weights / weights.sum(), every, 1)


@given(trees(max_size=5), trees(max_size=5), st.sampled_from([0.05, 0.3, 1.0, 7.0]))
def test_unit_costs_agree_with_the_sum_over_all_alignments(x, y, temperature):
    soft, expected = brute_force(x, y, reference.unit_cost, temperature)
    got = tm.soft_alignment(x, y, temperature=temperature)
    assert got.cost == pytest.approx(soft, abs=1e-10 * (1 + temperature))
    assert got.expectation == pytest.approx(expected, abs=1e-12)


@given(trees(max_size=5), trees(max_size=5), cost_cases(), st.sampled_from([0.1, 1.0, 3.0]))
def test_any_costs_agree_with_the_sum_over_all_alignments(x, y, case, temperature):
    # A temperature of the size of the costs, whatever that is.
    temperature *= case.largest or 1.0
    soft, expected = brute_force(x, y, case.cost, temperature)
    got = tm.soft_alignment(x, y, temperature=temperature, costs=case.costs)
    assert got.cost == pytest.approx(soft, abs=1e-9 * temperature)
    assert got.expectation == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("temperature", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("seed", range(4))
def test_gradient_of_the_cost_is_the_expected_number_of_edits(seed, temperature):
    rng = Random(seed)
    alphabet = "abc"
    x, y = (make_tree(rng, rng.randint(5, 14), alphabet=alphabet) for _ in range(2))
    # Asymmetric, not triangular, keeping a label is not free; hundredths are exact.
    matrix = np.array([[rng.randint(20, 150) / 100 for _ in range(4)] for _ in range(4)])
    matrix[3, 3] = 0

    def soft(m):
        costs = tm.CostMatrix(alphabet, m)
        return tm.soft_alignment(x, y, temperature=temperature, costs=costs)

    counts = reference.symbol_counts(x, y, soft(matrix).expectation, alphabet)
    step = 1e-4
    for u in range(4):
        for v in range(4):
            if u == v == 3:
                continue
            up, down = matrix.copy(), matrix.copy()
            up[u, v] = round(up[u, v] + step, 6)
            down[u, v] = round(down[u, v] - step, 6)
            slope = (soft(up).cost - soft(down).cost) / (2 * step)
            assert slope == pytest.approx(counts[u, v], abs=1e-5)


@given(trees(max_size=10), trees(max_size=10))
def test_at_low_temperature_it_becomes_the_co_optimal_average(x, y):
    hard = tm.cooptimal(x, y)
    temperature = 1e-3
    soft = tm.soft_alignment(x, y, temperature=temperature)
    assert soft.cost == pytest.approx(hard.cost - temperature * math.log(hard.count), abs=1e-9)
    assert soft.expectation == pytest.approx(hard.expectation, abs=1e-9)


@pytest.mark.parametrize("temperature", [1e-6, 1e-9])
def test_at_very_low_temperature_nothing_is_lost(temperature):
    for pair in [("{a}", "{a{a}}"), ("{a{a}{a}}", "{a{a{a}}}"), ("{a{b}{c{a}}}", "{b{a{c}}}")]:
        x, y = map(tm.Tree.from_bracket, pair)
        soft = tm.soft_alignment(x, y, temperature=temperature)
        assert soft.cost == pytest.approx(tm.distance(x, y), abs=1e-5)
        p = soft.expectation
        assert p == pytest.approx(tm.cooptimal(x, y).expectation, abs=1e-6)
        assert p[:-1].sum(axis=1) == pytest.approx(np.ones(x.size), abs=1e-9)


def test_a_temperature_that_would_lose_digits_is_refused():
    x = tm.Tree.from_bracket("{a{a}}")
    with pytest.raises(ValueError, match=r"in the range \[4e-10, 1e\+100\] .* Got 1e-12 instead"):
        tm.soft_alignment(x, x, temperature=1e-12)


def test_at_high_temperature_all_alignments_are_equal():
    x, y = tm.Tree.from_bracket("{a{b}{c{a}}}"), tm.Tree.from_bracket("{b{a{c}}}")
    every = reference.incidence(x, y)
    got = tm.soft_alignment(x, y, temperature=1e9)
    assert got.expectation == pytest.approx(every.mean(axis=0), abs=1e-7)
    assert got.cost == pytest.approx(-1e9 * math.log(len(every)), rel=1e-7)


@given(trees(max_size=20), trees(max_size=20), st.sampled_from([0.01, 1.0, 100.0]))
def test_bounds_and_sums(x, y, temperature):
    got = tm.soft_alignment(x, y, temperature=temperature)
    # All weights are positive, so the soft cost is below the distance.
    assert got.cost <= tm.distance(x, y) + 1e-9 * temperature
    p = got.expectation
    assert p.shape == (x.size + 1, y.size + 1)
    assert p[-1, -1] == 0.0
    assert (p >= 0).all()
    assert (p <= 1 + 1e-12).all()
    assert p[:-1].sum(axis=1) == pytest.approx(np.ones(x.size), abs=1e-9)
    assert p[:, :-1].sum(axis=0) == pytest.approx(np.ones(y.size), abs=1e-9)


@pytest.mark.parametrize("temperature", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("shape", ["random", "chain", "star"])
def test_large_trees_stay_finite_and_sum_to_one(shape, temperature):
    rng = Random(1)
    x, y = (make_tree(rng, size, shape) for size in (300, 200))
    got = tm.soft_alignment(x, y, temperature=temperature)
    assert math.isfinite(got.cost)
    assert got.cost <= tm.distance(x, y) + 1e-9
    p = got.expectation
    assert p[:-1].sum(axis=1) == pytest.approx(np.ones(300), abs=1e-9)
    assert p[:, :-1].sum(axis=0) == pytest.approx(np.ones(200), abs=1e-9)


def mirrored(tree):
    """The same tree with all children from right to left."""
    kids = reference.children(tree.parents.tolist())

    def grow(node):
        return (tree.labels[node], [grow(kid) for kid in reversed(kids[node])])

    return tm.Tree.from_nested([grow(root) for root in reversed(kids[-1])])


@pytest.mark.parametrize("shape", SHAPES)
def test_left_and_right_do_not_matter(shape):
    rng = Random(7)
    x, y = (make_tree(rng, size, shape) for size in (60, 50))
    got = tm.soft_alignment(x, y, temperature=0.5)
    other = tm.soft_alignment(mirrored(x), mirrored(y), temperature=0.5)
    assert got.cost == pytest.approx(other.cost, rel=1e-10)
    back = tm.soft_alignment(y, x, temperature=0.5)
    assert back.cost == pytest.approx(got.cost, rel=1e-10)
    assert back.expectation == pytest.approx(got.expectation.T, abs=1e-9)


def test_two_single_nodes():
    # Two alignments: a replacement of cost 1, a deletion and an insertion of cost 2.
    a, b = tm.Tree.from_sequence("a"), tm.Tree.from_sequence("b")
    t = 0.5
    got = tm.soft_alignment(a, b, temperature=t)
    pair, apart = math.exp(-1 / t), math.exp(-2 / t)
    assert got.cost == pytest.approx(-t * math.log(pair + apart))
    share = pair / (pair + apart)
    assert got.expectation == pytest.approx(np.array([[share, 1 - share], [1 - share, 0]]))
    assert tm.soft_alignment(a, b).cost == tm.soft_alignment(a, b, temperature=1).cost


def test_empty_trees():
    x = tm.Tree.from_bracket("{a{b}}{c}")
    got = tm.soft_alignment(x, EMPTY)
    assert got.cost == 3.0
    assert got.expectation.tolist() == [[1.0], [1.0], [1.0], [0.0]]
    got = tm.soft_alignment(EMPTY, x)
    assert got.cost == 3.0
    assert got.expectation.tolist() == [[1.0, 1.0, 1.0, 0.0]]
    got = tm.soft_alignment(EMPTY, EMPTY)
    assert got.cost == 0.0
    assert got.expectation.tolist() == [[0.0]]


def test_result_is_a_value():
    x, y = tm.Tree.from_bracket("{a{b}}"), tm.Tree.from_bracket("{a}")
    got = tm.soft_alignment(x, y)
    assert type(got.cost) is float
    assert got.expectation.dtype == np.float64
    assert not got.expectation.flags.writeable
    with pytest.raises(AttributeError):
        got.cost = 0.0


@pytest.mark.parametrize("temperature", [0, 0.0, -1.0, math.nan, math.inf, -math.inf])
def test_temperature_is_a_positive_number(temperature):
    x = tm.Tree.from_bracket("{a}")
    message = r"The 'temperature' parameter of soft_alignment must be .* Got .* instead\."
    with pytest.raises(ValueError, match=message):
        tm.soft_alignment(x, x, temperature=temperature)


@pytest.mark.parametrize("temperature", ["1", None, [1.0], True])
def test_temperature_is_a_number(temperature):
    x = tm.Tree.from_bracket("{a}")
    with pytest.raises((TypeError, ValueError), match="'temperature' parameter of soft_alignment"):
        tm.soft_alignment(x, x, temperature=temperature)


def test_refusals():
    x = tm.Tree.from_bracket("{a}")
    with pytest.raises(TypeError, match="'x' parameter of soft_alignment"):
        tm.soft_alignment("{a}", x)
    with pytest.raises(TypeError, match="'y' parameter of soft_alignment"):
        tm.soft_alignment(x, None)
    with pytest.raises(TypeError, match="'costs' parameter of soft_alignment"):
        tm.soft_alignment(x, x, costs="unit")
    with pytest.raises(tm.exceptions.UnknownLabelError):
        tm.soft_alignment(x, x, costs=tm.CostMatrix("b", np.zeros((2, 2))))
    with pytest.raises(TypeError, match="positional"):
        tm.soft_alignment(x, x, 1.0)


def test_costs_without_a_valid_temperature():
    costs = tm.OperationCosts(1e200, 1e200, 1e200)
    x, y = tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("c")
    with pytest.raises(ValueError, match=r"'costs' .* cost at most 1e\+110. Got costs of 3e\+200"):
        tm.soft_alignment(x, y, costs=costs, temperature=1e190)
