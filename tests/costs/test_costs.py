"""Costs: what they accept and what they say about themselves."""

import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
import treemetric as tm
from strategies import cost_cases, trees

UNIT = 1 - np.eye(3)


def matrix_with(**entries):
    """Unit costs over {a, b} and the gap, with single entries replaced, as in ab=2."""
    place = {"a": 0, "b": 1, "_": 2}
    matrix = UNIT.copy()
    for (x, y), value in entries.items():
        matrix[place[x], place[y]] = value
    return matrix


def leaf(label):
    return tm.Tree.from_sequence([label])


# --- construction ------------------------------------------------------------------


def test_a_cost_matrix_keeps_a_read_only_copy():
    source = UNIT.copy()
    costs = tm.CostMatrix(["a", "b"], source)
    source[:] = 7
    assert costs.alphabet == ("a", "b")
    assert np.array_equal(costs.matrix, UNIT)
    assert costs.matrix.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        costs.matrix[0, 0] = 1


@pytest.mark.parametrize(
    "matrix",
    [UNIT.tolist(), UNIT.astype(int), UNIT.astype("float32"), np.asfortranarray(UNIT)],
)
def test_a_cost_matrix_takes_what_numpy_takes(matrix):
    costs = tm.CostMatrix("ab", matrix)
    assert np.array_equal(costs.matrix, UNIT)
    assert costs.is_pseudo_metric()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 2)), r"of shape \(3, 3\) .* Got shape \(2, 2\)"),
        (np.zeros((3, 2)), r"of shape \(3, 3\) .* Got shape \(3, 2\)"),
        (np.zeros(9), r"of shape \(3, 3\) .* Got shape \(9,\)"),
        (matrix_with(ab=np.nan), r"not negative .* Got .*nan .*replacing 'a' by 'b'"),
        (matrix_with(b_=np.inf), r"finite, .* Got .*inf .*deleting 'b'"),
        (matrix_with(_a=-np.inf), r"finite, .* Got .*-inf .*inserting 'a'"),
        (matrix_with(ba=-0.5), r".*not negative.* Got .*-0\.5 .*replacing 'b' by 'a'"),
        (matrix_with(__=1.0), r"0.* Got .*1\.0 .*the gap"),
    ],
)
def test_a_cost_matrix_refuses_what_has_no_distance(matrix, message):
    whole = rf"The 'matrix' parameter of CostMatrix must be {message}.* instead\."
    with pytest.raises(ValueError, match=whole):
        tm.CostMatrix(["a", "b"], matrix)


@pytest.mark.parametrize("matrix", ["abc", None, [[0, "x"], [1, 0]], [[0, 1], [1]]])
def test_a_cost_matrix_must_be_numbers(matrix):
    with pytest.raises((TypeError, ValueError)):
        tm.CostMatrix(["a"], matrix)


@pytest.mark.parametrize(
    "build",
    [
        lambda alphabet: tm.CostMatrix(alphabet, np.zeros((4, 4))),
        lambda alphabet: tm.EmbeddingCosts(alphabet, np.zeros((3, 2))),
    ],
)
def test_a_label_is_listed_once(build):
    with pytest.raises(ValueError, match=r"'alphabet' parameter of \w+ must be .* Got 'a' twice"):
        build(["a", "b", "a"])
    with pytest.raises(TypeError, match="unhashable"):
        build(["a", "b", {}])


@pytest.mark.parametrize(
    "vectors",
    [
        np.zeros((3, 2)),
        np.zeros(2),
        np.zeros((2, 2, 2)),
        [[np.nan, 0], [0, 0]],
        [[np.inf, 0], [0, 0]],
    ],
)
def test_embedding_vectors_are_one_finite_row_per_label(vectors):
    must = r"The 'vectors' parameter of EmbeddingCosts must be (of shape \(2, k\)|finite)"
    with pytest.raises(ValueError, match=must):
        tm.EmbeddingCosts(["a", "b"], vectors)


def test_callable_costs_need_a_callable():
    with pytest.raises(TypeError, match=r"'fn' parameter of CallableCosts.*Got 3"):
        tm.CallableCosts(3)


@pytest.mark.parametrize(
    ("value", "message"),
    [(np.nan, "nan"), (-np.inf, "-inf"), (-1.0, r"-1\.0")],
)
def test_callable_costs_are_checked_like_a_matrix(value, message):
    costs = tm.CallableCosts(lambda a, b: value if (a, b) == ("a", "b") else 0.0)
    expected = rf"'fn' parameter of CallableCosts .* Got fn\('a', 'b'\) = {message}"
    with pytest.raises(ValueError, match=expected):
        tm.distance(leaf("a"), leaf("b"), costs=costs)


@pytest.mark.parametrize("value", ["one", None, 1j])
def test_callable_costs_must_return_numbers(value):
    with pytest.raises((TypeError, ValueError)):
        tm.distance(leaf("a"), leaf("b"), costs=tm.CallableCosts(lambda a, b: value))


def test_an_exception_in_a_callable_comes_through():
    def fail(a, b):
        raise LookupError("no such word")

    with pytest.raises(LookupError, match="no such word"):
        tm.distance(leaf("a"), leaf("b"), costs=tm.CallableCosts(fail))


# --- unknown labels ----------------------------------------------------------------


@pytest.mark.parametrize(
    "costs",
    [tm.CostMatrix("ab", UNIT), tm.EmbeddingCosts("ab", np.eye(2))],
    ids=["matrix", "embedding"],
)
@pytest.mark.parametrize("label", ["zebra", 3, ("a",), None])
def test_an_unknown_label_is_named_before_any_work(costs, label):
    error = tm.exceptions.UnknownLabelError
    assert issubclass(error, ValueError)
    assert not issubclass(error, KeyError)
    calls = []
    known, unknown = leaf("a"), tm.Tree.from_sequence(["a", label])
    name = repr(label).replace("(", r"\(").replace(")", r"\)")
    for call in (
        lambda: tm.distance(unknown, known, costs=costs),
        lambda: tm.distance(known, unknown, costs=costs),
        lambda: tm.pairwise_distances(
            [known] * 20 + [unknown], costs=costs, progress=lambda *a: calls.append(a)
        ),
        lambda: tm.pairwise_distances([known], [unknown], costs=costs),
    ):
        with pytest.raises(error, match=name):
            call()
    assert calls == []


def test_an_unused_label_of_a_set_is_not_unknown():
    # The alphabet of a selection may still hold labels of the trees left out.
    part = tm.TreeSet([leaf("a"), leaf("zebra"), leaf("b")])[[0, 2]]
    costs = tm.CostMatrix("ab", UNIT)
    assert tm.pairwise_distances(part, costs=costs).tolist() == [[0, 1], [1, 0]]


# --- axioms ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "costs",
    [
        tm.UnitCosts(),
        tm.CostMatrix("ab", UNIT),
        tm.CostMatrix("ab", np.zeros((3, 3))),
        tm.CostMatrix("", [[0]]),
        tm.EmbeddingCosts("ab", [[0.3, 0.4], [1, 2]]),
    ],
)
def test_pseudo_metrics_know_themselves(costs):
    assert costs.violations() == []
    assert costs.is_pseudo_metric() is True
    assert costs.is_symmetric() is True


@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.integers(1, 4), st.booleans())
def test_costs_within_a_factor_of_two_need_no_check(side, seed, largest, same):
    random = np.random.RandomState(seed)
    matrix = random.randint(random.randint(2), largest + 1, size=(side, side)).astype(float)
    matrix = np.minimum(matrix, matrix.T) if same else matrix
    np.fill_diagonal(matrix, random.randint(10) // 9)
    matrix[-1, -1] = 0.0
    costs = tm.CostMatrix(range(side - 1), matrix)
    assert costs.is_pseudo_metric() == (not costs._find_violations(1e-9))


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=5, unique=True))
def test_rounding_is_no_violation_of_an_embedding(points):
    # On one line every triangle inequality is an equality up to rounding.
    line = np.outer(points, [0.1, 0.7, 1 / 3])
    costs = tm.EmbeddingCosts(points, line)
    assert costs.violations() == []
    assert costs.is_pseudo_metric()
    assert costs.closure().is_pseudo_metric()


@pytest.mark.parametrize(
    ("entries", "axiom", "labels", "values"),
    [
        ({"bb": 0.5}, "self-identity", ("b",), [0.5]),
        ({"ab": 0.75, "a_": 0.9, "_a": 0.9}, "symmetry", ("a", "b"), [0.75, 1.0]),
        ({"_b": 1.5}, "symmetry", ("b", None), [1.5, 1.0]),
        ({"ab": 2.5, "ba": 2.5}, "triangle", ("a", None, "b"), [2.5, 1.0, 1.0]),
        ({"a_": 2.5, "_a": 2.5}, "triangle", ("a", "b", None), [2.5, 1.0, 1.0]),
    ],
)
def test_a_violation_names_the_axiom_and_a_witness(entries, axiom, labels, values):
    costs = tm.CostMatrix("ab", matrix_with(**entries))
    violation, *others = costs.violations()
    assert isinstance(violation, tm.Violation)
    assert {v.axiom for v in [violation, *others]} == {axiom}
    assert set(violation.labels) == set(labels)
    assert sorted(violation.values) == sorted(values)
    assert violation.message.startswith(f"{axiom}: ")
    assert f"costs {violation.values[0]}" in violation.message
    assert costs.is_pseudo_metric() is False
    assert costs.is_symmetric() is (axiom != "symmetry")


@given(cost_cases())
def test_every_witness_is_one(case):
    cost, found = case.cost, {}
    for violation in case.costs.violations():
        labels = violation.labels
        found[violation.axiom] = violation
        if violation.axiom == "self-identity":
            (a,) = labels
            assert cost(a, a) > 0
        elif violation.axiom == "symmetry":
            a, b = labels
            assert cost(a, b) != cost(b, a)
        else:
            a, z, b = labels
            assert cost(a, b) > cost(a, z) + cost(z, b)
    everything = [*case.costs.alphabet, None]
    # The default tolerance is relative to the largest cost.
    slack = Fraction(1, 10**9) * max(Fraction(cost(a, b)) for a in everything for b in everything)
    broken = {
        "self-identity": any(cost(a, a) > slack for a in everything),
        "symmetry": any(
            abs(cost(a, b) - cost(b, a)) > slack for a in everything for b in everything
        ),
        "triangle": any(
            cost(a, b) > cost(a, z) + cost(z, b) + slack
            for a in everything
            for z in everything
            for b in everything
        ),
    }
    assert set(found) == {axiom for axiom, is_broken in broken.items() if is_broken}
    assert case.costs.is_pseudo_metric() is (not found)
    assert case.costs.is_symmetric() is (not broken["symmetry"])


# --- the kinds agree ---------------------------------------------------------------


def test_callable_costs_ask_once_for_each_pair_of_labels():
    calls = Counter()

    def fn(a, b):
        calls[a, b] += 1
        return reference.unit_cost(a, b)

    trees_ = [tm.Tree.from_sequence(s * 20) for s in ("ab", "bc", "ca", "abc")]
    got = tm.pairwise_distances(trees_, costs=tm.CallableCosts(fn))
    assert np.array_equal(got, tm.pairwise_distances(trees_))
    assert set(calls.values()) == {1}
    assert set(calls) <= {(a, b) for a in ("a", "b", "c", None) for b in ("a", "b", "c", None)}
    assert (None, None) not in calls


@given(trees(), trees(), cost_cases())
def test_callable_costs_equal_their_matrix(x, y, case):
    exact = case.costs.matrix
    fn = reference.table_cost("abc", exact)
    costs = tm.CallableCosts(fn)
    expected = tm.distance(x, y, costs=case.costs)
    assert tm.distance(x, y, costs=costs.to_matrix("abc")) == expected
    assert np.array_equal(costs.to_matrix("abc").matrix, exact)
    if case.exact:  # the grid of other costs depends on the largest one in use
        assert tm.distance(x, y, costs=costs) == expected
    assert costs.is_symmetric(alphabet="abc") == case.costs.is_symmetric()
    assert costs.is_pseudo_metric(alphabet="abc") == case.costs.is_pseudo_metric()
    assert costs.violations(alphabet="abc") == case.costs.violations()
    closed = costs.closure(alphabet="abc")
    assert np.array_equal(closed.matrix, case.costs.closure().matrix)


@given(trees(), trees())
def test_an_embedding_equals_the_matrix_of_its_lengths(x, y):
    vectors = np.array([[3.0, 4.0], [0.0, 0.0], [3.0, 0.0]])
    lengths = [[0, 5, 4, 5], [5, 0, 3, 0], [4, 3, 0, 3], [5, 0, 3, 0]]
    embedding = tm.EmbeddingCosts("abc", vectors)
    expected = tm.distance(x, y, costs=tm.CostMatrix("abc", lengths))
    assert tm.distance(x, y, costs=embedding) == pytest.approx(expected, abs=1e-9)


@given(trees(), trees())
def test_unit_costs_are_the_default(x, y):
    expected = tm.distance(x, y)
    assert tm.distance(x, y, costs=tm.UnitCosts()) == expected
    assert tm.distance(x, y, costs=tm.CostMatrix("abc", 1 - np.eye(4))) == expected
    assert tm.distance(x, y, costs=tm.CallableCosts(reference.unit_cost)) == expected


@pytest.mark.parametrize(
    "costs",
    [
        tm.UnitCosts(),
        tm.CostMatrix("abc", [[0, 9, 1, 9], [9, 0, 1, 9], [1, 1, 0, 9], [9, 9, 9, 0]]),
        tm.EmbeddingCosts("abc", [[0.3], [0.7], [1.9]]),
        tm.CallableCosts(reference.unit_cost),
    ],
)
def test_costs_survive_a_pickle(costs):
    x, y = tm.Tree.from_bracket("{a{b}{c}}"), tm.Tree.from_bracket("{c{a{b}}}")
    twin = pickle.loads(pickle.dumps(costs))
    assert type(twin) is type(costs)
    assert tm.distance(x, y, costs=twin) == tm.distance(x, y, costs=costs)


@pytest.mark.parametrize("largest", [1e5 / 3, 1e9 / 3])
def test_the_largest_cost_of_a_call_bounds_what_rounding_changes(largest):
    values = {"a": 0.7746349656962597, "b": 1 / 3, "c": largest}
    costs = tm.CallableCosts(lambda a, b: abs(values.get(a, 0.0) - values.get(b, 0.0)))
    trees_ = [tm.Tree.from_sequence(labels) for labels in ("aaaaa", "bab", "", "c")]
    matrix = tm.pairwise_distances(trees_, costs=costs)
    for i, x in enumerate(trees_[:3]):
        for j, y in enumerate(trees_[:3]):
            bound = 2e-12 * largest * (x.size + y.size)
            assert abs(tm.distance(x, y, costs=costs) - matrix[i, j]) <= bound
    alone = tm.distance(trees_[3], trees_[2], costs=tm.OperationCosts(largest, largest, largest))
    assert abs(alone - largest) <= 1e-12 * largest


def test_rounding_of_small_costs_beside_large_ones():
    large = 1 + 2**-52
    for small, bound in [(large / 4096 + 2**-41, 2e-9), (1e-21, 2e-9), (1e-31, 1.0)]:
        costs = tm.CostMatrix("ab", [[0, small, large], [small, 0, large], [large, large, 0]])
        found = tm.distance(leaf("a"), leaf("b"), costs=costs)
        assert abs(found - small) <= bound * small
