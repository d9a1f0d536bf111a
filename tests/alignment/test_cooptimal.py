"""All optimal alignments: how many, how often each pair, samples, and every one of them."""

import itertools
import math
import time
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import reference
import treemetric as tm
from shapes import SHAPES, make_tree
from strategies import cost_cases, trees

EMPTY = tm.Tree.from_bracket("")


def bracket(text):
    return tm.Tree.from_bracket(text)


def matched(alignment):
    """The node pairs of an alignment, without deletions and insertions."""
    return tuple((i, j) for i, j in alignment.pairs if i is not None and j is not None)


def as_pairs(matrix):
    """The node pairs of a 0-1 matrix."""
    return tuple((int(i), int(j)) for i, j in np.argwhere(matrix[:-1, :-1]))


def check(x, y, cost, unit=1, costs=None, tol=None):
    """Compare with the enumeration; `cost` is in whole multiples of `unit`."""
    least, optimal = reference.optimal_alignments(x, y, cost)
    got = tm.cooptimal(x, y, costs=costs, tol=tol)
    assert got.cost == pytest.approx(float(least * unit), rel=1e-10)
    assert got.count == len(optimal)
    assert type(got.count) is int
    assert np.abs(got.expectation - optimal.sum(axis=0) / len(optimal)).max() <= 1e-12
    found = [matched(alignment) for alignment in got]
    assert len(found) == len(optimal)
    assert set(found) == {as_pairs(matrix) for matrix in optimal}


# --- against the enumeration of all alignments ---------------------------------------


def random_pair(rng, alphabet):
    shape = rng.choice(["random", "random", "forest"])
    return (make_tree(rng, rng.randint(0, 6), shape, alphabet) for _ in range(2))


@pytest.mark.parametrize("seed", range(3))
def test_unit_costs_on_random_pairs(seed):
    rng = Random(seed)
    alphabet = "abc"[: seed + 1]
    for _ in range(1000):
        x, y = random_pair(rng, alphabet)
        check(x, y, reference.unit_cost)


@pytest.mark.parametrize("seed", range(6))
def test_random_rational_costs_on_random_pairs(seed):
    # Few different values, so that there are many ties; sevenths and thirds are no
    # doubles, so that ties are between rounded numbers.
    rng = Random(100 + seed)
    alphabet = "abc"[: seed % 3 + 1]
    u = len(alphabet)
    for k in range(500):
        x, y = random_pair(rng, alphabet)
        if k % 5 == 0:
            top = rng.choice([1, 2, 3, 6])
            table = [[rng.randint(0, top) for _ in range(u + 1)] for _ in range(u + 1)]
            if rng.random() < 0.5:
                for i in range(u):
                    table[i][i] = 0
            table[u][u] = 0
            scale = rng.choice([1, 10, 8, 3, 7, 1000])
            costs = tm.CostMatrix(alphabet, np.array(table) / scale)
        check(x, y, reference.table_cost(alphabet, table), 1 / scale, costs)


@given(trees(max_size=5), trees(max_size=5), cost_cases(scales=(1, 10, 8, 10**9)))
def test_any_exact_costs_without_tolerance(x, y, case):
    totals = [reference.alignment_cost(x, y, p, case.cost) for p in reference.all_alignments(x, y)]
    expected = totals.count(min(totals))
    assert tm.cooptimal(x, y, costs=case.costs, tol=0.0).count == expected
    assert tm.cooptimal(x, y, costs=case.costs).count == expected


@given(trees(max_size=25), trees(max_size=25))
def test_middle_sizes_are_consistent(x, y):
    got = tm.cooptimal(x, y)
    assert got.cost == tm.distance(x, y)
    p = got.expectation
    # The average alignment has the cost that all of them have.
    assert (p * reference.node_costs(x, y, reference.unit_cost)).sum() == pytest.approx(got.cost)
    assert p[:-1].sum(axis=1) == pytest.approx(np.ones(x.size), abs=1e-9)
    assert p[:, :-1].sum(axis=0) == pytest.approx(np.ones(y.size), abs=1e-9)
    back = tm.cooptimal(y, x)
    assert back.count == got.count
    assert back.expectation == pytest.approx(p.T, abs=1e-12)
    first = list(itertools.islice(got, 50))
    assert len(set(first)) == len(first) == min(50, got.count)
    assert all(alignment.cost == got.cost for alignment in first)


# --- examples ------------------------------------------------------------------------


def test_example_of_the_supplement():
    got = tm.cooptimal(bracket("{1{2}}"), bracket("{3}"))
    assert got.cost == 2.0
    assert got.count == 2
    assert got.expectation.tolist() == [[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]]
    assert {a.pairs for a in got} == {((0, 0), (1, None)), ((0, None), (1, 0))}


def test_alignments_are_counted_and_not_paths():
    # "Delete, then insert" and "insert, then delete" are one alignment: 6, not 7.
    got = tm.cooptimal(bracket("{a{a}{a}}"), bracket("{a{a{a}}}"))
    assert got.cost == 2.0
    assert got.count == 6
    sixths = [[4, 2, 0, 0], [0, 1, 2, 3], [0, 1, 2, 3], [2, 2, 2, 0]]
    assert got.expectation == pytest.approx(np.array(sixths) / 6, abs=1e-15)
    assert {matched(a) for a in got} == {
        ((0, 0), (2, 1)),
        ((0, 0), (2, 2)),
        ((0, 0), (1, 1)),
        ((0, 0), (1, 2)),
        ((0, 1), (2, 2)),
        ((0, 1), (1, 2)),
    }


@pytest.mark.parametrize(
    ("x", "y", "cost", "pairings"),
    [
        # A matrix of averages could not be had for these, though they are valid.
        ("{a}", "{a{b{a}}{a}}", 3.0, [((0, 0),), ((0, 2),), ((0, 3),)]),
        ("{r{a{b{c}}}{z}}", "{r{b{c}}{z}}", 1.0, [((0, 0), (2, 1), (3, 2), (4, 3))]),
        # Forests were compared by their first tree.
        ("{a}{b}", "{b}", 1.0, [((1, 0),)]),
        ("{a}{a}", "{a}", 1.0, [((0, 0),), ((1, 0),)]),
        # A node kept, and one that could be either.
        ("{a{b}}", "{b{a}}", 2.0, [((0, 0), (1, 1)), ((0, 1),), ((1, 0),)]),
    ],
)
def test_small_pairs_that_others_get_wrong(x, y, cost, pairings):
    x, y = bracket(x), bracket(y)
    got = tm.cooptimal(x, y)
    assert got.cost == cost
    assert got.count == len(pairings)
    assert sorted(matched(a) for a in got) == sorted(pairings)
    share = np.zeros((x.size, y.size))
    for pairs in pairings:
        for i, j in pairs:
            share[i, j] += 1 / len(pairings)
    assert got.expectation[:-1, :-1] == pytest.approx(share, abs=1e-15)


def test_a_replacement_dearer_than_deleting_and_inserting_is_never_made():
    costs = tm.CostMatrix("ab", [[0, 9, 1], [9, 0, 2], [1, 2, 0]])
    got = tm.cooptimal(bracket("{a}"), bracket("{b}"), costs=costs)
    assert (got.cost, got.count) == (3.0, 1)
    assert got.expectation.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_empty_trees_and_single_nodes():
    x = bracket("{a{b}}{c}")
    got = tm.cooptimal(x, EMPTY)
    assert (got.cost, got.count) == (3.0, 1)
    assert got.expectation.tolist() == [[1.0], [1.0], [1.0], [0.0]]
    assert [a.pairs for a in got] == [((0, None), (1, None), (2, None))]
    got = tm.cooptimal(EMPTY, x)
    assert (got.cost, got.count) == (3.0, 1)
    assert got.expectation.tolist() == [[1.0, 1.0, 1.0, 0.0]]
    got = tm.cooptimal(EMPTY, EMPTY)
    assert (got.cost, got.count) == (0.0, 1)
    assert got.expectation.tolist() == [[0.0]]
    assert [a.pairs for a in got] == [()]
    assert [a.pairs for a in got.sample(2)] == [(), ()]
    for other in "ab":
        got = tm.cooptimal(bracket("{a}"), bracket(f"{{{other}}}"))
        assert got.count == 1
        assert got.expectation.tolist() == [[1.0, 0.0], [0.0, 0.0]]


# --- large counts ----------------------------------------------------------------------


def chain_expectation(n, m):
    """Share of the ways to choose m of n in which the j-th chosen one is i."""
    out = np.zeros((n + 1, m + 1))
    total = math.comb(n, m)
    for i in range(n):
        for j in range(min(i + 1, m)):
            out[i, j] = math.comb(i, j) * math.comb(n - 1 - i, m - 1 - j) / total
    out[:n, m] = 1 - m / n
    return out


@pytest.mark.parametrize("other", ["a", "b"])
def test_chains_with_more_alignments_than_fit_in_64_bits(other):
    x, y = tm.Tree.from_sequence("a" * 70), tm.Tree.from_sequence(other * 35)
    got = tm.cooptimal(x, y)
    assert got.count == math.comb(70, 35) > 2**63
    assert type(got.count) is int
    assert got.expectation == pytest.approx(chain_expectation(70, 35), abs=1e-12)
    back = tm.cooptimal(y, x)
    assert back.count == got.count
    assert back.expectation == pytest.approx(chain_expectation(70, 35).T, abs=1e-12)
    first = list(itertools.islice(got, 100))
    assert len(set(first)) == 100
    assert len(set(got.sample(100, random_state=0))) == 100


def test_chains_where_64_bits_gave_numbers_from_minus_22_to_22():
    x, y = tm.Tree.from_sequence("a" * 40), tm.Tree.from_sequence("a" * 80)
    got = tm.cooptimal(x, y)
    assert got.count == math.comb(80, 40)
    assert got.expectation == pytest.approx(chain_expectation(80, 40).T, abs=1e-12)


def test_chains_with_more_alignments_than_a_double_can_hold():
    x, y = tm.Tree.from_sequence("a" * 1200), tm.Tree.from_sequence("a" * 600)
    got = tm.cooptimal(x, y)
    p = got.expectation
    assert got.count == math.comb(1200, 600) > 10**308
    assert np.abs(p[:-1].sum(axis=1) - 1).max() <= 1e-9
    assert np.abs(p[:, :-1].sum(axis=0) - 1).max() <= 1e-9
    assert (p >= 0).all()
    for i, j in [(0, 0), (600, 300), (601, 300), (1199, 599), (700, 340)]:
        ways = math.comb(i, j) * math.comb(1199 - i, 599 - j)
        assert p[i, j] == pytest.approx(ways / got.count, rel=1e-9)
    (one,) = got.sample(1, random_state=1)
    assert sum(i is None for i, _ in one.pairs) == 0
    assert sum(j is None for _, j in one.pairs) == 600


@pytest.mark.parametrize("shape", ["star", "chain"])
@pytest.mark.parametrize("labels", ["a", "abc"])
def test_equal_trees_have_one_alignment_and_are_not_slow(shape, labels):
    x = make_tree(Random(0), 1000, shape, labels)
    start = time.perf_counter()
    got = tm.cooptimal(x, x)
    assert (got.cost, got.count) == (0.0, 1)
    assert np.array_equal(got.expectation[:-1, :-1], np.eye(1000))
    (only,) = got
    assert matched(only) == tuple((i, i) for i in range(1000))
    assert time.perf_counter() - start < 20


def test_stars_choose_their_leaves():
    x = make_tree(Random(0), 401, "star", "a")
    y = make_tree(Random(0), 201, "star", "a")
    got = tm.cooptimal(x, y)
    assert got.count == math.comb(400, 200)
    expected = np.zeros((402, 202))
    expected[0, 0] = 1
    expected[1:, 1:] = chain_expectation(400, 200)
    assert got.expectation == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_totally_different_alphabets(shape):
    rng = Random(3)
    x, y = make_tree(rng, 60, shape, "ab"), make_tree(rng, 60, shape, "cd")
    got = tm.cooptimal(x, y)
    assert got.cost == tm.distance(x, y)
    # No label is shared, so only the shapes matter.
    plain = tm.cooptimal(x.map_labels(lambda _: "a"), y.map_labels(lambda _: "b"))
    assert got.count == plain.count >= 1
    assert got.expectation == pytest.approx(plain.expectation, abs=1e-12)


# --- ties between floats -----------------------------------------------------------------


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_sums_that_are_equal_up_to_rounding_are_ties(factor):
    # A replacement costs as much as a deletion and an insertion: all alignments are optimal.
    delete, insert = math.sqrt(2) * factor, math.sqrt(3) * factor
    costs = tm.CostMatrix("ab", [[0, delete + insert, delete], [0, 0, 0], [0, insert, 0]])
    x, y = tm.Tree.from_sequence("a" * 10), tm.Tree.from_sequence("b" * 10)
    got = tm.cooptimal(x, y, costs=costs)
    assert got.count == math.comb(20, 10)
    assert got.cost == pytest.approx(10 * (delete + insert))


def test_tol_is_relative_and_decides_what_is_a_tie():
    x, y = bracket("{a}"), bracket("{b}")
    for factor in (1e-6, 1.0, 1e6):
        near = 2.0 * factor * (1 + 1e-5)
        costs = tm.CostMatrix("ab", [[0, near, factor], [near, 0, factor], [factor, factor, 0]])
        assert tm.cooptimal(x, y, costs=costs).count == 1
        assert tm.cooptimal(x, y, costs=costs, tol=0).count == 1
        assert tm.cooptimal(x, y, costs=costs, tol=1e-3).count == 2


def test_decimals_tie_exactly():
    # 0.1 + 0.2 and 0.3 differ as doubles.
    costs = tm.CostMatrix("ab", [[0, 0.3, 0.1], [0.3, 0, 0.2], [0.1, 0.2, 0]])
    assert tm.cooptimal(bracket("{a}"), bracket("{b}"), costs=costs, tol=0).count == 2


# Replacing costs one quantum more than deleting and inserting: 1 part in 10**9.
NEAR_TIES = {
    "integers": tm.CostMatrix(
        "ab", [[0, 10**9 + 1, 5 * 10**8], [10**9 + 1, 0, 5 * 10**8], [5 * 10**8, 5 * 10**8, 0]]
    ),
    "nine decimals": tm.CostMatrix(
        "ab", [[0, 1.000000001, 0.5], [1.000000001, 0, 0.5], [0.5, 0.5, 0]]
    ),
}


@pytest.mark.parametrize("costs", NEAR_TIES.values(), ids=NEAR_TIES)
def test_exact_sums_have_exact_ties(costs):
    x, y = bracket("{a}"), bracket("{b}")
    got = tm.cooptimal(x, y, costs=costs)
    assert got.count == 1
    assert [alignment.cost for alignment in got] == [got.cost]
    assert {alignment.cost for alignment in got.sample(20, random_state=0)} == {got.cost}
    assert got.expectation.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    counts = tm.edit_counts([x], [y], costs=costs)
    assert counts.distances(costs).tolist() == [got.cost]
    assert counts.dense().sum() == 2
    # A tolerance that is passed is meant.
    assert tm.cooptimal(x, y, costs=costs, tol=2e-9).count == 2
    assert tm.edit_counts([x], [y], costs=costs, tol=2e-9).dense().sum() == 1.5


@given(trees(max_size=5), trees(max_size=5), cost_cases(scales=(1,)), st.integers(1, 3))
def test_large_integers_have_exact_ties(x, y, case, extra):
    # Multiples of 10**9, except that insertions cost a few units more.
    labels = case.costs.alphabet
    table = case.costs.matrix * 10**9
    table[-1, :-1] += extra
    costs = tm.CostMatrix(labels, table)
    cost = reference.table_cost(labels, table.astype(int).tolist())
    totals = [reference.alignment_cost(x, y, p, cost) for p in reference.all_alignments(x, y)]
    got = tm.cooptimal(x, y, costs=costs)
    assert got.count == totals.count(min(totals))
    assert all(alignment.cost == got.cost for alignment in got)


@pytest.mark.parametrize("tol", [-1e-9, math.nan, math.inf, "1"])
def test_tol_is_a_number_from_zero(tol):
    x = bracket("{a}")
    with pytest.raises((TypeError, ValueError), match="'tol' parameter of cooptimal must be"):
        tm.cooptimal(x, x, tol=tol)


# --- samples -------------------------------------------------------------------------------


def sample_cases():
    uneven = tm.CostMatrix("ab", np.array([[0, 2, 1], [2, 1, 1], [1, 1, 0]]) / 7)
    return [
        ("{a{a}{a}}", "{a{a{a}}}", None),
        ("{1{2}}", "{3}", None),
        ("{a}{a{a}{a}}{a}", "{a{a}}{a}", None),
        ("{a{b{a}{b}}{a{a}}}", "{b{a}{b{a}}}", None),
        ("{a{b{a}{b}}{a{a}}}", "{b{a}{b{a}}}", uneven),
    ]


@pytest.mark.parametrize(("x", "y", "costs"), sample_cases())
def test_samples_are_uniform(x, y, costs):
    got = tm.cooptimal(bracket(x), bracket(y), costs=costs)
    every = list(got)
    assert len(every) == got.count > 1
    seen = Counter(got.sample(200 * got.count, random_state=42))
    assert set(seen) == set(every)
    assert chisquare([seen[a] for a in every]).pvalue > 1e-3


def test_samples_of_a_large_count_follow_the_expectation():
    got = tm.cooptimal(tm.Tree.from_sequence("a" * 80), tm.Tree.from_sequence("a" * 40))
    k = 2000
    counts = np.zeros((80, 40))
    for alignment in got.sample(k, random_state=5):
        for i, j in matched(alignment):
            counts[i, j] += 1
    p = got.expectation[:-1, :-1]
    spread = np.sqrt(p * (1 - p) / k)
    assert (np.abs(counts / k - p) <= 6 * spread + 1e-3).all()


def test_samples_are_reproducible():
    got = tm.cooptimal(bracket("{a{a}{a}}"), bracket("{a{a{a}}}"))
    assert got.sample(50, random_state=3) == got.sample(50, random_state=3)
    assert got.sample(50, random_state=3) != got.sample(50, random_state=4)
    assert got.sample(0) == []
    assert len(got.sample(7)) == 7
    legacy = [got.sample(20, np.random.RandomState(1)) for _ in range(2)]
    assert legacy[0] == legacy[1]
    state = np.random.RandomState(1)
    assert got.sample(50, state) != got.sample(50, state)
    for k in (-1, 1.5, "2", None):
        with pytest.raises((TypeError, ValueError)):
            got.sample(k)


# --- the object ----------------------------------------------------------------------------


def test_attributes():
    x, y = bracket("{a{a}{a}}"), bracket("{a{a{a}}}")
    got = tm.cooptimal(x, y)
    assert (got.x, got.y) == (x, y)
    assert type(got.cost) is float
    assert got.expectation.dtype == np.float64
    assert not got.expectation.flags.writeable
    with pytest.raises(AttributeError):
        got.count = 1
    # Iteration can be repeated and interleaved.
    assert list(got) == list(got)
    assert [a for a, _ in zip(got, got, strict=True)] == list(got)
    assert "6" in repr(got)


def test_refusals():
    x = bracket("{a}")
    with pytest.raises(TypeError, match="'x' parameter of cooptimal"):
        tm.cooptimal("{a}", x)
    with pytest.raises(TypeError, match="'y' parameter of cooptimal"):
        tm.cooptimal(x, 1)
    with pytest.raises(TypeError, match="'costs' parameter of cooptimal"):
        tm.cooptimal(x, x, costs=0)
    with pytest.raises(tm.exceptions.UnknownLabelError):
        tm.cooptimal(x, x, costs=tm.CostMatrix("b", np.zeros((2, 2))))
