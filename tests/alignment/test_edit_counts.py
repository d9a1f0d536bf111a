"""Counts of edits between symbols, for many pairs of trees at once."""

import math
from random import Random

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import reference
import treemetric as tm
from shapes import make_tree
from strategies import cost_cases, tree_lists

EMPTY = tm.Tree.from_bracket("")
TREES = [
    tm.Tree.from_bracket(s)
    for s in ("{a{b}{c}}", "", "{b}{c}", "{c{a{b}}}", "{a{a}{a}}", "{a{a{a}}}", "{b{c}{b{a}}}")
]
N = len(TREES)


def table(costs, alphabet):
    """The costs between the symbols of an alphabet, the gap last."""
    u = len(alphabet)
    if costs is None:
        return 1.0 - np.eye(u + 1)
    index = {label: k for k, label in enumerate(costs.alphabet)}
    rows = [*(index[label] for label in alphabet), len(costs.alphabet)]
    return np.asarray(costs.matrix)[np.ix_(rows, rows)]


def single(x, y, alphabet, costs, script):
    """The symbol matrix of one pair by the functions for single pairs."""
    if script == "average":
        p = tm.cooptimal(x, y, costs=costs).expectation
    else:
        p = np.zeros((x.size + 1, y.size + 1))
        for i, j in tm.align(x, y, costs=costs).pairs:
            p[x.size if i is None else i, y.size if j is None else j] = 1
    return reference.symbol_counts(x, y, p, alphabet)


def check(got, X, Y, pairs, costs=None, script="average"):
    u = len(got.alphabet)
    assert np.array_equal(got.pairs, np.asarray(pairs).reshape(-1, 2))
    assert sp.issparse(got.matrix)
    assert got.matrix.format == "csr"
    assert got.matrix.shape == (len(pairs), (u + 1) ** 2)
    dense = got.dense()
    assert dense.shape == (len(pairs), u + 1, u + 1)
    assert np.array_equal(dense.reshape(got.matrix.shape), got.matrix.toarray())
    for (i, j), counts in zip(pairs, dense, strict=True):
        expected = single(X[i], Y[j], got.alphabet, costs, script)
        assert np.abs(counts - expected).max() <= 1e-12
    assert not dense[:, u, u].any()


def all_pairs(n, m):
    return [(i, j) for i in range(n) for j in range(m)]


# --- against single pairs --------------------------------------------------------------


@pytest.mark.parametrize("script", ["average", "one"])
@given(X=tree_lists(max_size=4), Y=tree_lists(max_size=4), case=cost_cases())
def test_bulk_is_the_single_calls_summed_over_labels(script, X, Y, case):
    got = tm.edit_counts(X, Y, costs=case.costs, script=script)
    check(got, X, Y, all_pairs(len(X), len(Y)), case.costs, script)
    got = tm.edit_counts(X, costs=case.costs, script=script)
    check(got, X, X, all_pairs(len(X), len(X)), case.costs, script)


@pytest.mark.parametrize("script", ["average", "one"])
def test_unit_costs(script):
    check(tm.edit_counts(TREES, script=script), TREES, TREES, all_pairs(N, N), None, script)
    got = tm.edit_counts(tm.TreeSet(TREES[:2]), TREES, script=script)
    check(got, TREES[:2], TREES, all_pairs(2, N), None, script)


@pytest.mark.parametrize("script", ["average", "one"])
@given(X=tree_lists(min_size=1, max_size=5), data=st.data())
def test_chosen_pairs(script, X, data):
    index = st.integers(0, len(X) - 1)
    pairs = data.draw(st.lists(st.tuples(index, index), max_size=8))
    got = tm.edit_counts(X, pairs=np.array(pairs, dtype=int).reshape(-1, 2), script=script)
    check(got, X, X, pairs, None, script)


def test_pairs_may_repeat_and_come_in_any_order():
    pairs = [(3, 0), (0, 3), (3, 0), (6, 6), (1, 4)]
    for given_pairs in (pairs, np.array(pairs), np.array(pairs, dtype=np.int32)):
        got = tm.edit_counts(TREES, pairs=given_pairs)
        check(got, TREES, TREES, pairs)
    got = tm.edit_counts(TREES[:4], TREES[4:], pairs=[(3, 2), (0, 0)])
    check(got, TREES[:4], TREES[4:], [(3, 2), (0, 0)])


def test_different_alphabets_on_both_sides():
    X = [tm.Tree.from_sequence("xy"), tm.Tree.from_sequence("x")]
    Y = [tm.Tree.from_sequence("yz"), EMPTY, tm.Tree.from_sequence("z")]
    got = tm.edit_counts(X, Y)
    assert set(got.alphabet) >= {"x", "y", "z"}
    check(got, X, Y, all_pairs(2, 3))


def assert_identical(got, expected):
    assert got.alphabet == expected.alphabet
    assert got.pairs.dtype == expected.pairs.dtype
    assert np.array_equal(got.pairs, expected.pairs)
    assert type(got.matrix) is type(expected.matrix)
    assert got.matrix.shape == expected.matrix.shape
    for name in ("data", "indices", "indptr"):
        mine, other = getattr(got.matrix, name), getattr(expected.matrix, name)
        assert mine.dtype == other.dtype
        assert mine.tobytes() == other.tobytes()


@given(
    X=tree_lists(min_size=1, max_size=1),
    Y=tree_lists(min_size=1, max_size=1),
    case=cost_cases(),
    options=st.sampled_from([{}, {"script": "one"}, {"temperature": 0.7}, {"tol": 0.1}]),
)
def test_one_pair_is_counted_like_many(X, Y, case, options):
    if "temperature" in options:  # far below the costs it would be refused
        options = {"temperature": options["temperature"] * max(case.largest, 1)}
    one = tm.edit_counts(X, Y, costs=case.costs, **options)
    assert_identical(one, tm.edit_counts(X, Y, pairs=[(0, 0)], costs=case.costs, **options))


def test_one_pair_is_checked_like_many():
    calls = []
    x, y = tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b")
    assert_identical(
        tm.edit_counts([x], [y], progress=lambda *call: calls.append(call)),
        tm.edit_counts([x], [y], progress=False),
    )
    assert calls[-1] == (1, 1)
    costs = tm.CostMatrix("a", [[0, 1], [1, 0]])
    with pytest.raises(tm.exceptions.UnknownLabelError, match="'b'"):
        tm.edit_counts([x], [y], costs=costs)
    with pytest.raises(ValueError, match="temperature"):
        tm.edit_counts([x], [y], temperature=1e-12)
    with pytest.raises(TypeError, match=r"X\[0\]"):
        tm.edit_counts(["ab"], [y])
    with pytest.raises(ValueError, match="progress"):
        tm.edit_counts([x], [y], progress=3)


def test_matrices_are_those_of_scipy():
    for X in (TREES, TREES[:1], []):
        got = tm.edit_counts(X, TREES[-1:]).matrix
        expected = sp.csr_array((got.data, got.indices, got.indptr), shape=got.shape)
        assert vars(got).keys() == vars(expected).keys()
        for name in ("data", "indices", "indptr"):
            assert getattr(got, name).dtype == getattr(expected, name).dtype
        got.check_format()
        assert (got != expected).nnz == 0
        assert (got @ np.ones(got.shape[1])).sum() == pytest.approx(got.sum())
        assert (got.T @ got).shape == (got.shape[1], got.shape[1])


def test_trees_with_many_labels():
    rng = Random(0)
    X = [make_tree(rng, 40, alphabet=range(2000)) for _ in range(6)]
    got = tm.edit_counts(X, n_jobs=2)
    u = len(got.alphabet)
    assert u > 150
    # Sparse: no row has more entries than pairs of nodes.
    assert got.matrix.nnz <= 36 * 41 * 41
    for row, (i, j) in enumerate(got.pairs[:8]):
        expected = single(X[i], X[j], got.alphabet, None, "average").ravel()
        assert np.abs(got.matrix[[row]].toarray().ravel() - expected).max() <= 1e-12


# --- sums and distances ------------------------------------------------------------------


def test_every_node_is_counted_once():
    got = tm.edit_counts(TREES)
    for (i, j), counts in zip(got.pairs, got.dense(), strict=True):
        for k, label in enumerate(got.alphabet):
            assert counts[k].sum() == pytest.approx(TREES[i].labels.count(label), abs=1e-9)
            assert counts[:, k].sum() == pytest.approx(TREES[j].labels.count(label), abs=1e-9)


@pytest.mark.parametrize("script", ["average", "one"])
@given(
    X=tree_lists(min_size=1, max_size=3), Y=tree_lists(min_size=1, max_size=3), case=cost_cases()
)
def test_with_its_own_costs_the_pseudo_distance_is_the_distance(script, X, Y, case):
    got = tm.edit_counts(X, Y, costs=case.costs, script=script)
    expected = tm.pairwise_distances(X, Y, costs=case.costs).ravel()
    distances = got.distances(case.costs)
    assert distances.shape == expected.shape
    assert distances == pytest.approx(expected, rel=1e-9, abs=1e-9 * case.largest)


@pytest.mark.parametrize("script", ["average", "one"])
@given(X=tree_lists(min_size=1, max_size=3), case=cost_cases(), other=cost_cases())
def test_with_other_costs_it_is_the_expected_cost_and_no_less_than_the_distance(
    script, X, case, other
):
    got = tm.edit_counts(X, costs=case.costs, script=script)
    c = table(other.costs, got.alphabet)
    expected = (got.dense() * c).sum(axis=(1, 2))
    distances = got.distances(other.costs)
    assert distances == pytest.approx(expected, rel=1e-12, abs=1e-12 * other.largest)
    least = tm.pairwise_distances(X, costs=other.costs).ravel()
    assert (distances >= least - 1e-9 * other.largest).all()
    if script == "average":
        for (i, j), distance in zip(got.pairs, distances, strict=True):
            x, y = X[i], X[j]
            p = tm.cooptimal(x, y, costs=case.costs).expectation
            cost = reference.node_costs(x, y, lambda a, b: float(other.cost(a, b)))
            assert distance == pytest.approx((p * cost).sum(), abs=1e-9 * (other.largest or 1))


def test_distances_for_costs_of_all_kinds():
    got = tm.edit_counts(TREES)
    plain = tm.pairwise_distances(TREES).ravel()
    assert got.distances(tm.UnitCosts()) == pytest.approx(plain, abs=1e-12)
    half = got.distances(tm.CallableCosts(lambda a, b: 0.0 if a == b else 0.5))
    assert half == pytest.approx(plain / 2, abs=1e-12)
    points = tm.EmbeddingCosts("abc", [[0.0], [3.0], [5.0]])
    nodes = [*(tm.Tree.from_sequence([label]) for label in got.alphabet), EMPTY]
    c = tm.pairwise_distances(nodes, costs=points)
    assert got.distances(points) == pytest.approx((got.dense() * c).sum(axis=(1, 2)))
    with pytest.raises(tm.exceptions.UnknownLabelError):
        got.distances(tm.CostMatrix("ab", np.zeros((3, 3))))
    with pytest.raises(TypeError, match="costs"):
        got.distances("unit")


def test_one_script_has_whole_counts_of_an_optimal_alignment():
    rng = Random(4)
    X = [make_tree(rng, rng.randint(0, 40)) for _ in range(12)]
    got = tm.edit_counts(X, script="one")
    counts = got.dense()
    assert np.array_equal(counts, np.round(counts))
    assert np.array_equal(got.distances(tm.UnitCosts()), tm.pairwise_distances(X).ravel())
    assert (tm.edit_counts(X).dense() != counts).any()


def test_the_example_of_the_two_averages():
    # a(a, a) against a(a(a)): two of three nodes are kept in each of six alignments.
    got = tm.edit_counts(TREES, pairs=[(4, 5)])
    k = got.alphabet.index("a")
    (counts,) = got.dense()
    assert counts[k, k] == pytest.approx(2.0)
    assert counts[k, -1] == counts[-1, k] == pytest.approx(1.0)
    got = tm.edit_counts([tm.Tree.from_bracket("{1{2}}")], [tm.Tree.from_bracket("{3}")])
    (counts,) = got.dense()
    one, two, three = (got.alphabet.index(label) for label in "123")
    assert counts[one, three] == counts[two, three] == 0.5
    assert counts[one, -1] == counts[two, -1] == 0.5


# --- jobs, progress, refusals --------------------------------------------------------------


@pytest.mark.parametrize("script", ["average", "one"])
def test_number_of_jobs_does_not_matter(script):
    rng = Random(8)
    X = [make_tree(rng, rng.randint(0, 60)) for _ in range(25)]
    alone = tm.edit_counts(X, script=script)
    for n_jobs in (1, 2, 3, -1):
        got = tm.edit_counts(X, script=script, n_jobs=n_jobs)
        assert got.alphabet == alone.alphabet
        assert np.array_equal(got.pairs, alone.pairs)
        assert np.array_equal(got.matrix.indptr, alone.matrix.indptr)
        assert np.array_equal(got.matrix.indices, alone.matrix.indices)
        assert got.matrix.data.tobytes() == alone.matrix.data.tobytes()


def test_counts_beyond_doubles():
    x, y = tm.Tree.from_sequence("a" * 1200), tm.Tree.from_sequence("a" * 600)
    (counts,) = tm.edit_counts([x], [y]).dense()
    assert counts == pytest.approx(np.array([[600.0, 600.0], [0.0, 0.0]]), abs=1e-6)


def test_no_pairs():
    for got in (tm.edit_counts([]), tm.edit_counts([], TREES), tm.edit_counts(TREES, [])):
        u = len(got.alphabet)
        assert got.pairs.shape == (0, 2)
        assert got.matrix.shape == (0, (u + 1) ** 2)
        assert got.dense().shape == (0, u + 1, u + 1)
        assert got.distances(tm.UnitCosts()).shape == (0,)
    got = tm.edit_counts(TREES, pairs=np.empty((0, 2), dtype=int))
    assert got.matrix.shape == (0, 16)
    (counts,) = tm.edit_counts([EMPTY], [EMPTY]).dense()
    assert not counts.any()


def test_ties_follow_tol():
    X, Y = [tm.Tree.from_sequence("a")], [tm.Tree.from_sequence("b")]
    near = 2 * (1 + 1e-5)
    costs = tm.CostMatrix("ab", [[0, near, 1], [near, 0, 1], [1, 1, 0]])
    for tol, share in ((1e-9, 0.0), (1e-3, 0.5)):
        got = tm.edit_counts(X, Y, costs=costs, tol=tol)
        a, b = (got.alphabet.index(label) for label in "ab")
        assert got.dense()[0, a, b] == share


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_counts_up_to_the_total(n_jobs):
    rng = Random(1)
    X = [make_tree(rng, 80) for _ in range(15)]
    calls = []
    tm.edit_counts(X, n_jobs=n_jobs, progress=lambda *call: calls.append(call))
    done = [d for d, _ in calls]
    assert {t for _, t in calls} == {225}
    assert done == sorted(done)
    assert done[-1] == 225


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_may_cancel_or_fail(n_jobs):
    rng = Random(0)
    X = [make_tree(rng, 1200, "zigzag", "abcdef") for _ in range(16)]
    with pytest.raises(tm.exceptions.CancelledError):
        tm.edit_counts(X, n_jobs=n_jobs, progress=lambda done, total: False)

    class OwnError(Exception):
        pass

    def fail(done, total):
        raise OwnError

    with pytest.raises(OwnError):
        tm.edit_counts(X, n_jobs=n_jobs, progress=fail)


def test_true_shows_a_bar(capfd):
    pytest.importorskip("tqdm")
    tm.edit_counts(TREES, progress=True)
    assert "100%" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X", TREES[0]),
        ("Y", "{a}"),
        ("script", "all"),
        ("script", None),
        ("tol", -1.0),
        ("tol", math.nan),
        ("n_jobs", 0),
        ("n_jobs", 1.5),
        ("progress", "bar"),
        ("costs", "unit"),
        ("pairs", [(0, N)]),
        ("pairs", [(-1, 0)]),
        ("pairs", [0, 1]),
        ("pairs", [(0, 1, 2)]),
        ("pairs", [(0.5, 1.0)]),
        ("pairs", "all"),
    ],
)
def test_refusals(name, value):
    message = rf"(?s)The '{name}' parameter of edit_counts must be .* instead\."
    with pytest.raises((TypeError, ValueError), match=message):
        tm.edit_counts(**{"X": TREES, name: value})


def test_unknown_labels_are_refused():
    with pytest.raises(tm.exceptions.UnknownLabelError):
        tm.edit_counts(TREES, costs=tm.CostMatrix("ab", np.zeros((3, 3))))
    with pytest.raises(TypeError, match="positional"):
        tm.edit_counts(TREES, TREES, [(0, 0)])


@pytest.mark.parametrize("temperature", [0.05, 1.0, 20.0])
def test_at_a_temperature_all_alignments_count(temperature):
    costs = tm.CostMatrix("abc", [[0, 0.7, 2, 1], [1, 0, 1 / 3, 1], [2, 1, 0.5, 2], [1, 1, 2, 0]])
    for priced in (None, costs):
        counts = tm.edit_counts(TREES, temperature=temperature, costs=priced, n_jobs=2)
        for (i, j), found in zip(counts.pairs, counts.dense(), strict=True):
            x, y = TREES[i], TREES[j]
            soft = tm.soft_alignment(x, y, temperature=temperature, costs=priced)
            expected = reference.symbol_counts(x, y, soft.expectation, counts.alphabet)
            np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("temperature", [0, -1.0, np.inf, np.nan, "warm", True])
def test_temperatures_that_are_none_are_refused(temperature):
    with pytest.raises(ValueError, match="The 'temperature' parameter of edit_counts must be"):
        tm.edit_counts([tm.Tree.from_sequence("a")], temperature=temperature)


def test_a_temperature_too_low_for_the_weights_is_refused():
    with pytest.raises(ValueError, match=r"in the range \[2e-10, 1e100\] for these trees"):
        tm.edit_counts([tm.Tree.from_sequence("a")], temperature=1e-11)


def test_one_script_has_no_temperature():
    with pytest.raises(ValueError, match="must be 'average' if a temperature is given"):
        tm.edit_counts([tm.Tree.from_sequence("a")], temperature=1.0, script="one")


@pytest.mark.parametrize("kind", ["cosine", "chord", "angle", "euclidean"])
def test_vectors_price_edits_without_a_table_of_all_labels(kind, monkeypatch):
    vectors = np.random.default_rng(2).normal(size=(2, 3))
    costs = tm.VectorCosts("ab", vectors, kind=kind)  # and c has none
    counts = tm.edit_counts(TREES)
    expected = counts.distances(costs.to_matrix("abc"))
    monkeypatch.setattr(tm.VectorCosts, "to_matrix", None)
    np.testing.assert_allclose(counts.distances(costs), expected, atol=1e-12)


def test_lists_and_sets_give_the_same_counts():
    rng = Random(5)
    X, Y = ([make_tree(rng, rng.randint(0, 9)) for _ in range(count)] for count in (4, 3))
    for x, y in ((X, Y), (X, []), ([], Y), ([], []), (X, X)):
        for costs in (None, tm.OperationCosts(1, 2, 1.5)):
            lists = tm.edit_counts(x, y, costs=costs)
            sets = tm.edit_counts(tm.TreeSet(x), tm.TreeSet(y), costs=costs)
            assert lists.alphabet == sets.alphabet
            assert np.array_equal(lists.pairs, sets.pairs)
            assert (lists.matrix != sets.matrix).nnz == 0
    with pytest.raises(ValueError, match=r"and \[0, 3\) for Y"):
        tm.edit_counts(X, Y, pairs=[(0, 3)])
    with pytest.raises(TypeError, match=r"Y\[0\]"):
        tm.edit_counts(X, [3])
