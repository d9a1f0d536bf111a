"""The quadratic program of GESL: against other solvers, and against its own certificate."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import treemetric as tm
from edits import counts, tables
from gesl_reference import L, by_clarabel, by_slsqp, loss
from treemetric.learning import _gesl_metric, _gesl_solver
from treemetric.learning.gesl import GoodCosts, learn_costs


def table(rows, alphabet="ab"):
    """Counts from rows of all (U + 1)² numbers; the gap by itself is never edited."""
    rows = np.array(rows, dtype=float).reshape(-1, (len(alphabet) + 1) ** 2)
    rows[:, -1] = 0
    return tm.EditCounts(
        tuple(alphabet), np.zeros((len(rows), 2), dtype=np.int64), sp.csr_array(rows)
    )


def random_counts(rng, pairs, labels, density=0.1):
    size = (labels + 1) ** 2
    rows = rng.integers(1, 5, (pairs, size)) * (rng.random((pairs, size)) < density) / 2
    return table(rows, range(labels))


def check_feasible(found: GoodCosts, metric: bool):
    matrix = found.costs.matrix
    assert np.all(matrix >= 0)
    assert 0 <= found.margin <= L
    assert matrix[-1, -1] == 0
    if metric:
        assert found.costs.is_pseudo_metric(tol=1e-12)
        assert found.costs.is_symmetric()


def check_solution(positive, negative, beta, found, metric, tol=1e-8):
    """Feasible, with the loss of the formula, and a gap as small as was asked for."""
    check_feasible(found, metric)
    value = loss(*tables((positive, negative)), found.costs.matrix, found.margin, beta)
    scale = 1 + len(negative.pairs)
    assert found.loss == pytest.approx(value, rel=1e-12, abs=1e-14 * scale)
    assert 0 <= found.duality_gap <= max(tol * found.loss, 1e-14 * scale)


@st.composite
def problems(draw, alphabet="ab"):
    size = (len(alphabet) + 1) ** 2
    count = st.sampled_from([0, 0, 0, 0.5, 1, 1, 2, 7, 0.125])
    row = st.lists(count, min_size=size, max_size=size)
    rows = st.lists(row, max_size=5)
    parts = [draw(rows), draw(rows)]
    # Duplicates, also of one kind of pair among the other.
    if draw(st.booleans()):
        parts = [parts[0] * 2, parts[1] + parts[0][:1]]
    return table(parts[0], alphabet), table(parts[1], alphabet)


BETAS = st.sampled_from([1e-8, 1e-4, 0.03, 0.5, 1.0, 20.0, 1e6])


# --- against other solvers -------------------------------------------------------------


@settings(max_examples=40)
@given(problems(), st.sampled_from([0.03, 0.5, 3.0]), st.booleans())
def test_as_good_as_sequential_least_squares(problem, beta, metric):
    found = learn_costs(*problem, beta=beta, metric=metric)
    check_solution(*problem, beta, found, metric)
    other, _ = by_slsqp(*tables(problem), beta, metric=metric)
    # The other one may stop early, never below the certified bound.
    assert other >= found.loss - found.duality_gap - 1e-6
    assert found.loss <= other + 1e-6


# Clarabel is not exact enough to compare with for larger weights.
@given(problems(), st.sampled_from([1e-8, 1e-4, 0.03, 0.5, 1.0, 20.0]), st.booleans())
def test_as_good_as_clarabel(problem, beta, metric):
    pytest.importorskip("clarabel")
    found = learn_costs(*problem, beta=beta, metric=metric)
    check_solution(*problem, beta, found, metric)
    other, _ = by_clarabel(*tables(problem), beta, metric=metric)
    assert found.loss == pytest.approx(other, rel=1e-6, abs=1e-6)


def test_the_costs_are_those_of_clarabel():
    pytest.importorskip("clarabel")
    rng = np.random.default_rng(3)
    for metric in (False, True):
        problem = random_counts(rng, 12, 3, 0.3), random_counts(rng, 9, 3, 0.3)
        found = learn_costs(*problem, beta=0.2, metric=metric, tol=1e-13)
        _, matrix = by_clarabel(*tables(problem), 0.2, metric=metric)
        np.testing.assert_allclose(found.costs.matrix, matrix, rtol=0, atol=1e-5)


# --- the certificate -------------------------------------------------------------------


@given(problems(), BETAS, st.booleans(), st.integers(1, 6))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gap_is_honest_however_early_it_ends(problem, beta, metric, steps):
    rough = learn_costs(*problem, beta=beta, metric=metric, max_iter=steps)
    fine = learn_costs(*problem, beta=beta, metric=metric)
    check_feasible(rough, metric)
    assert rough.n_iter <= steps
    slack = 1e-13 * (1 + len(problem[1].pairs))
    assert rough.loss >= fine.loss - fine.duality_gap - slack
    assert rough.loss - rough.duality_gap <= fine.loss + slack


@given(problems(), BETAS, st.data())
def test_no_costs_have_a_loss_below_the_bound(problem, beta, data):
    found = learn_costs(*problem, beta=beta)
    side = len(problem[0].alphabet) + 1
    cost = st.floats(0, 2)
    matrix = np.array(data.draw(st.lists(cost, min_size=side**2, max_size=side**2)))
    eta = data.draw(st.floats(0, L))
    value = loss(*tables(problem), matrix.reshape(side, side), eta, beta)
    assert value >= found.loss - found.duality_gap - 1e-13


def test_a_solver_that_is_stopped_warns():
    rng = np.random.default_rng(0)
    problem = random_counts(rng, 20, 3, 0.3), random_counts(rng, 20, 3, 0.3)
    with pytest.warns(ConvergenceWarning, match=r"duality gap is .* of the loss after 2 steps"):
        learn_costs(*problem, max_iter=2)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        learn_costs(*problem, metric=True, max_iter=2)


# --- sizes, and all ways through the solver --------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "labels", "density"),
    [(200, 54, 0.01), (200, 54, 0.1), (1500, 9, 0.2), (1500, 20, 0.02), (3, 2, 0.5)],
)
@pytest.mark.parametrize("beta", [1e-8, 1.0, 1e3])
def test_more_pairs_than_costs_or_fewer_sparse_or_dense(pairs, labels, density, beta):
    rng = np.random.default_rng(pairs)
    problem = [random_counts(rng, pairs, labels, density) for _ in range(2)]
    found = learn_costs(*problem, beta=beta)
    # Vectorised, as the formula pair by pair takes long here.
    matrix = found.costs.matrix
    close, far = (one.matrix @ matrix.ravel() for one in problem)
    value = beta * (matrix**2).sum()
    value += np.maximum(0, close - found.margin).sum()
    value += np.maximum(0, L + found.margin - far).sum()
    assert found.loss == pytest.approx(value, rel=1e-12, abs=1e-14 * pairs)
    assert found.duality_gap <= max(1e-8 * found.loss, 1e-14 * pairs)
    assert found.n_iter < 60


def test_all_ways_through_the_solver_agree(monkeypatch):
    rng = np.random.default_rng(5)
    # More pairs than costs, and fewer.
    for pairs in (40, 6):
        problem = [random_counts(rng, pairs, 4, 0.2) for _ in range(2)]
        monkeypatch.setattr(_gesl_solver, "_SMALL", 200)
        for metric in (False, True):
            results = [learn_costs(*problem, beta=0.3, metric=metric, tol=1e-12)]
            monkeypatch.setattr(_gesl_solver, "_SMALL", 0)
            for dense in (0.0, 2.0):
                monkeypatch.setattr(_gesl_solver, "_DENSE", dense)
                results.append(learn_costs(*problem, beta=0.3, metric=metric, tol=1e-12))
            for result in results[1:]:
                assert result.loss == pytest.approx(results[0].loss, rel=1e-11)
                np.testing.assert_allclose(
                    result.costs.matrix, results[0].costs.matrix, rtol=0, atol=1e-5
                )


def read(text, alphabet="ab"):
    digits = {"e": 0.125, "h": 0.5}
    rows = [[digits.get(d) or float(d) for d in row] for row in text.split()]
    return table(rows, alphabet)


@pytest.mark.parametrize(
    ("close", "far", "beta"),
    [
        (
            "00h710000 070000000 1021e0720 1700h0000 000007070",
            "010e700h0 010e700h0 010e7h000 1021e0720 7h0010000",
            0.1,
        ),
        ("10000hh00", "0000000h0 0000000h0 0000hhhh0 000h00000 200000000", 1e-8),
    ],
)
def test_problems_that_are_hard_for_the_method(close, far, beta):
    """Steps that would run in circles, and digits that would be lost to a free multiplier."""
    problem = read(close), read(far)
    found = learn_costs(*problem, beta=beta)
    check_solution(*problem, beta, found, metric=False)
    assert found.n_iter < 40


@settings(max_examples=20)
@given(problems("abcd"), BETAS)
def test_cutting_planes_give_what_all_triangles_give(problem, beta):
    all_at_once = learn_costs(*problem, beta=beta, metric=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_gesl_metric, "_ALL", 0)
        cuts = learn_costs(*problem, beta=beta, metric=True, max_iter=2000)
    check_solution(*problem, beta, cuts, metric=True)
    assert cuts.loss == pytest.approx(all_at_once.loss, rel=2e-8, abs=1e-13)


def test_cutting_planes_on_a_larger_alphabet(monkeypatch):
    rng = np.random.default_rng(1)
    problem = [random_counts(rng, 60, 12, 0.05) for _ in range(2)]
    all_at_once = learn_costs(*problem, beta=0.1, metric=True)
    monkeypatch.setattr(_gesl_metric, "_ALL", 0)
    cuts = learn_costs(*problem, beta=0.1, metric=True, max_iter=2000)
    check_solution(*problem, 0.1, cuts, metric=True)
    assert cuts.loss == pytest.approx(all_at_once.loss, rel=2e-8)


@given(problems())
def test_a_metric_costs_something(problem):
    free = learn_costs(*problem, beta=0.1)
    metric = learn_costs(*problem, beta=0.1, metric=True)
    assert metric.loss >= free.loss - free.duality_gap - 1e-13


# --- degenerate problems ---------------------------------------------------------------

ROW = {("a", "b"): 1.0, ("a", None): 1.0}


@pytest.mark.parametrize("metric", [False, True])
@pytest.mark.parametrize("beta", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        ([], [], 0.0),
        ([ROW, ROW], [], 0.0),
        ([{}], [], 0.0),
        ([], [{}, {}], 2 * L),
        ([{}, ROW], [{}], L),
        ([{("a", "a"): 3.0}], [{}], L),
    ],
)
def test_nothing_to_learn(positive, negative, expected, beta, metric):
    problem = counts("ab", positive), counts("ab", negative)
    found = learn_costs(*problem, beta=beta, metric=metric)
    check_solution(*problem, beta, found, metric)
    assert found.loss == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(found.costs.matrix, 0.0, atol=1e-6)


def test_one_symbol_and_none_at_all():
    problem = counts("a", []), counts("a", [{("a", None): 1}])
    found = learn_costs(*problem, beta=0.1, tol=1e-13)
    np.testing.assert_allclose(found.costs.matrix, [[0, L], [0, 0]], atol=1e-6)
    assert found.loss == pytest.approx(0.1 * L**2, rel=1e-10)
    found = learn_costs(*problem, beta=0.1, metric=True, tol=1e-13)
    np.testing.assert_allclose(found.costs.matrix, [[0, L], [L, 0]], atol=1e-6)
    assert found.loss == pytest.approx(0.2 * L**2, rel=1e-10)
    nothing = counts("", []), counts("", [{}])
    for metric in (False, True):
        assert learn_costs(*nothing, metric=metric).loss == pytest.approx(L)


def test_the_margin_at_either_end():
    # Twice the edits must be L further than once, so η = c; more close pairs push it up to L.
    close, far = {("a", None): 1}, {("a", None): 2}
    upper = counts("a", [close] * 3), counts("a", [far])
    found = learn_costs(*upper, beta=1e-3, tol=1e-12)
    assert found.margin == pytest.approx(L, rel=1e-6)
    assert found.costs.matrix[0, 1] == pytest.approx(L, rel=1e-5)
    assert found.loss == pytest.approx(1e-3 * L**2, rel=1e-9)
    lower = counts("a", []), counts("a", [far])
    assert learn_costs(*lower, beta=1e-3).margin == 0.0


def test_pairs_that_contradict_each_other():
    both = counts("ab", [ROW, ROW])
    found = learn_costs(both, both, beta=0.1)
    check_solution(both, both, 0.1, found, metric=False)
    # Whatever these pairs cost, [d - η]₊ + [L + η - d]₊ is at least L.
    assert found.loss == pytest.approx(2 * L, rel=1e-7)


@pytest.mark.parametrize("near", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("far", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("metric", [False, True])
def test_counts_of_any_size(near, far, metric):
    rng = np.random.default_rng(7)
    for beta in (1e-8, 1e-3, 1.0, 1e4):
        sizes = zip((near, far), rng.integers(1, 60, 2), strict=True)
        problem = [(random_counts(rng, pairs, 3, 0.2), scale) for scale, pairs in sizes]
        problem = [one._replace(matrix=one.matrix * scale) for one, scale in problem]
        check_solution(*problem, beta, learn_costs(*problem, beta=beta, metric=metric), metric)


def test_costs_that_vanish_are_exactly_zero():
    problem = counts("ab", [{("a", "b"): 1}]), counts("ab", [{("a", None): 1, ("a", "b"): 1}])
    matrix = learn_costs(*problem, beta=1e-2).costs.matrix
    assert matrix[0, 2] > 0.5
    assert np.count_nonzero(matrix) == 1


def test_the_input_stays_as_it_is():
    problem = counts("ab", [ROW]), counts("ab", [ROW, {("b", None): 2}])
    before = [one.matrix.copy() for one in problem]
    learn_costs(*problem, metric=True)
    for one, copy in zip(problem, before, strict=True):
        assert (one.matrix != copy).nnz == 0


# --- refusals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"beta": 0}, "'beta' parameter of learn_costs must be a float in the range"),
        ({"beta": float("nan")}, "'beta' parameter"),
        ({"beta": "1"}, "'beta' parameter"),
        ({"tol": -1e-3}, "'tol' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"max_iter": 1.5}, "'max_iter' parameter"),
        ({"metric": 1}, "'metric' parameter"),
    ],
)
def test_wrong_parameters(wrong, message):
    problem = counts("ab", [ROW]), counts("ab", [ROW])
    with pytest.raises((ValueError, TypeError), match=message):
        learn_costs(*problem, **wrong)


def test_wrong_counts():
    good = counts("ab", [ROW])
    with pytest.raises(TypeError, match="'positive' parameter of learn_costs must be an instance"):
        learn_costs(good.matrix, good)
    with pytest.raises(ValueError, match="over the alphabet of 'positive'"):
        learn_costs(good, counts("ac", []))
    with pytest.raises(ValueError, match="finite and not negative"):
        learn_costs(good, good._replace(matrix=-good.matrix))
    with pytest.raises(ValueError, match="finite and not negative"):
        learn_costs(good._replace(matrix=good.matrix * np.nan), good)
    with pytest.raises(ValueError, match="counts of 9 edits"):
        learn_costs(good._replace(matrix=good.matrix[:, :4]), good)
    with pytest.raises(ValueError, match="gap replaced by itself"):
        learn_costs(good, counts("ab", [{(None, None): 1}]))


def test_many_labels_take_few_steps(monkeypatch):
    """Steps of large problems are corrected again and again, to the same optimum."""
    random = np.random.default_rng(0)
    words = ["".join(random.choice(list("abcdefghij"), 6)) for _ in range(24)]
    trees = [tm.Tree.from_sequence(word) for word in words]
    pairs = random.integers(24, size=(40, 2))
    close, far = tm.edit_counts(trees, pairs=pairs[:20]), tm.edit_counts(trees, pairs=pairs[20:])
    plain = learn_costs(close, far, beta=0.01, metric=True)
    monkeypatch.setattr(_gesl_solver, "_LARGE", 0)
    found = learn_costs(close, far, beta=0.01, metric=True)
    check_solution(close, far, 0.01, found, metric=True)
    assert found.loss == pytest.approx(plain.loss, rel=1e-7)
    assert found.n_iter < plain.n_iter
