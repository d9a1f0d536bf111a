"""Normalised distances: the definitions, and the same bits in every function."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemetric as tm
from reference import naive_distance, normalised, unit_cost
from shapes import SHAPES, make_tree
from strategies import cost_cases, tree_lists, trees

NORMS = ("weight", "max", "sum", "li_zhang")
RECORDS = json.loads(Path(__file__).with_name("normalise.json").read_text(encoding="utf-8"))
RNG = Random(5)
SOME = [
    make_tree(RNG, RNG.choice([0, 1, 5, 30]), RNG.choice(list(SHAPES)), "abc") for _ in range(40)
]
VECTORS = tm.VectorCosts("abq", [[1.0, 2.0], [-0.5, 0.3], [9.0, 0.0]], kind="euclidean")


# --- definitions -------------------------------------------------------------------


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
def test_conventions_of_other_packages(record):
    x, y = tm.Tree.from_bracket(record["x"]), tm.Tree.from_bracket(record["y"])
    values = {name.partition(":")[0].partition(" (")[0]: v for name, v in record["values"].items()}
    got = {norm: tm.normalized_distance(x, y, norm=norm) for norm in NORMS}
    for norm, name in [
        ("max", "max"),
        ("sum", "sum"),
        ("weight", "weight sum"),
        ("li_zhang", "li_zhang"),
    ]:
        assert got[norm] == pytest.approx(values[name], abs=1e-12)
        assert tm.normalized_similarity(x, y, norm=norm) == 1 - got[norm]
    clamped = tm.normalized_similarity(x, y, norm="max", clip=True)
    assert clamped == pytest.approx(values["max clamped"], abs=1e-12)
    assert clamped == pytest.approx(values["TSED"], abs=1e-12)


@given(trees(max_size=6), trees(max_size=6), st.sampled_from(NORMS))
def test_the_definition(x, y, norm):
    expected = normalised(naive_distance(x, y, unit_cost), norm, x, y, unit_cost, "abc")
    assert tm.normalized_distance(x, y, norm=norm) == pytest.approx(expected, rel=1e-14)


@given(trees(max_size=6), trees(max_size=6), cost_cases(), st.sampled_from(NORMS))
def test_the_definition_for_any_matrix(x, y, case, norm):
    got = tm.normalized_distance(x, y, costs=case.costs, norm=norm)
    plain = tm.distance(x, y, costs=case.costs)
    cost = lambda a, b: float(case.cost(a, b))  # noqa: E731
    assert got == pytest.approx(normalised(plain, norm, x, y, cost, "abc"), rel=1e-9)
    if norm in ("weight", "li_zhang"):
        assert 0 <= got <= 1


def test_the_largest_gap_is_that_of_all_labels():
    x, y = tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("ba")
    for kind in (VECTORS, VECTORS.to_matrix()):
        d = tm.distance(x, y, costs=kind)
        got = tm.normalized_distance(x, y, costs=kind, norm="li_zhang")
        assert got == pytest.approx(2 * d / (9 * 4 + d))
    function = tm.CallableCosts(lambda a, b: {"q": 9}.get(a or b, 1) if a != b else 0)
    assert tm.normalized_distance(x, y, costs=function, norm="li_zhang") == pytest.approx(4 / 6)


def test_two_empty_trees_and_trees_without_costs():
    empty, free = tm.Tree.from_sequence(""), tm.CostMatrix("ab", np.zeros((3, 3)))
    x, y = tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b")
    for norm in NORMS:
        assert tm.normalized_distance(empty, empty, norm=norm) == 0
        assert tm.normalized_similarity(empty, empty, norm=norm) == 1
        assert tm.normalized_distance(x, y, norm=norm, costs=free) == 0
        assert tm.pairwise_distances([empty, empty], norm=norm).tolist() == [[0, 0], [0, 0]]


def test_a_cutoff_of_a_similarity_is_in_the_scale_of_the_result():
    x, y = tm.Tree.from_sequence("aaaa"), tm.Tree.from_sequence("bbb")
    assert tm.normalized_similarity(x, y, cutoff=0.5) == -np.inf
    assert tm.normalized_similarity(x, y, cutoff=0.5, clip=True) == 0
    assert tm.normalized_similarity(x, y, cutoff=0.1) == 1 - 4 / 7
    assert tm.normalized_similarity(x, x, cutoff=1) == 1
    assert tm.normalized_similarity(x, x, cutoff=1.5) == -np.inf
    assert tm.normalized_similarity(x, x, cutoff=np.inf) == -np.inf
    assert tm.normalized_similarity(x, y, cutoff=-np.inf) == 1 - 4 / 7
    x, y = tm.Tree.from_bracket("{a{b{c{d{e}}}}}"), tm.Tree.from_bracket("{f{g}{h}{i}{j}}")
    similarity = tm.normalized_similarity(x, y, norm="max")
    assert similarity < 0
    assert tm.normalized_similarity(x, y, norm="max", cutoff=-1) == similarity
    assert tm.normalized_similarity(x, y, norm="max", cutoff=-0.5) == -np.inf
    assert tm.normalized_similarity(x, y, norm="max", cutoff=-1, clip=True) == 0
    for wrong in (np.nan, "0.5", True):
        with pytest.raises(ValueError, match="'cutoff' parameter of normalized_similarity"):
            tm.normalized_similarity(x, y, cutoff=wrong)


@given(trees(), trees())
def test_a_similarity_equal_to_its_cutoff_is_kept(x, y):
    small = tm.OperationCosts(1e-17, 1, 1)
    for norm in NORMS:
        for costs in (None, small):
            whole = tm.normalized_similarity(x, y, norm=norm, costs=costs)
            for cutoff in (whole, np.nextafter(whole, 9), np.nextafter(whole, -9), 0, 0.5, 1, -1):
                got = tm.normalized_similarity(x, y, norm=norm, costs=costs, cutoff=cutoff)
                assert got == (whole if whole >= cutoff else -np.inf)


# --- the same bits -----------------------------------------------------------------


def check(X, Y, costs, norm):
    """Compare every function with single pairs, at, below and above values that occur."""
    options = {"costs": costs, "norm": norm}
    single = np.array([[tm.normalized_distance(x, y, **options) for y in Y] for x in X])
    single = single.reshape(len(X), len(Y))
    matrix = tm.pairwise_distances(X, Y, **options)
    assert matrix.tobytes() == single.tobytes()
    assert tm.pairwise_distances(X, Y, n_jobs=2, **options).tobytes() == single.tobytes()
    inside = tm.pairwise_distances(X, **options)
    if len(X):
        assert inside.tobytes() == tm.pairwise_distances(X, X, **options).tobytes()
    count = min(len(X), len(Y))
    paired = tm.paired_distances(X[:count], Y[:count], **options)
    assert paired.tolist() == np.diag(single).tolist()
    met = np.unique(single)[:: max(single.size // 4, 1)].tolist()
    near = {c for v in met for c in (v, np.nextafter(v, 9), max(np.nextafter(v, -9), 0.0))}
    for cutoff in {0.0, 0.5, 1.0, 2.0, *near}:
        cut = np.where(single <= cutoff, single, np.inf)
        got = tm.pairwise_distances(X, Y, cutoff=cutoff, **options)
        assert got.tobytes() == cut.tobytes()
        got = tm.paired_distances(X[:count], Y[:count], cutoff=cutoff, **options)
        assert got.tolist() == np.diag(cut).tolist()
        found = tm.within(X, Y, radius=cutoff, **options)
        for i, row in enumerate(single.tolist()):
            expected = sorted((v, j) for j, v in enumerate(row) if v <= cutoff)
            indices, values = found[i]
            assert list(zip(values.tolist(), indices.tolist(), strict=True)) == expected
            if i == 0 and Y:
                value = tm.normalized_distance(X[0], Y[0], cutoff=cutoff, **options)
                assert value == cut[0, 0]
    for k in {1, len(Y)}:
        if 1 <= k <= len(Y):
            found = tm.nearest(X, Y, k=k, **options)
            for i, row in enumerate(single.tolist()):
                expected = sorted((v, j) for j, v in enumerate(row))[:k]
                assert found.distances[i].tolist() == [v for v, _ in expected]
                assert found.indices[i].tolist() == [j for _, j in expected]


SETS = tree_lists(min_size=0, max_size=6, nodes=8)


@settings(max_examples=40)
@given(SETS, SETS, st.sampled_from(NORMS), st.sampled_from(["auto", "bounds", "batches"]))
def test_unit_costs(X, Y, norm, method):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treemetric.neighbors.request._METHOD", method)
        check(X, Y, None, norm)


@settings(max_examples=40)
@given(SETS, SETS, cost_cases(), st.sampled_from(NORMS))
def test_any_matrix(X, Y, case, norm):
    check(X, Y, case.costs, norm)


@settings(max_examples=20)
@given(SETS, SETS, st.sampled_from(NORMS))
def test_vectors(X, Y, norm):
    check(X, Y, VECTORS, norm)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("costs", [None, VECTORS, VECTORS.to_matrix()], ids=["unit", "vec", "mat"])
def test_larger_trees(norm, costs):
    if costs is not None and not isinstance(costs, tm.VectorCosts):
        costs = tm.CostMatrix("abc", costs.matrix)
    check(SOME[:12], SOME[12:], costs, norm)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n_pivots", [0, 3])
def test_an_index(norm, n_pivots):
    index = tm.TreeIndex(SOME, costs=VECTORS, norm=norm, n_pivots=n_pivots)
    assert index.norm == norm
    assert repr(index).endswith(f"norm='{norm}'>")
    for k in (1, 5):
        expected = tm.nearest(SOME[:9], SOME, k=k, costs=VECTORS, norm=norm)
        found = index.nearest(SOME[:9], k=k)
        assert found.indices.tolist() == expected.indices.tolist()
        assert found.distances.tolist() == expected.distances.tolist()
    matrix = tm.pairwise_distances(SOME, costs=VECTORS, norm=norm)
    radius = float(np.quantile(matrix, 0.1))
    found = index.within(radius=radius)
    np.fill_diagonal(matrix, np.inf)
    assert found.counts.tolist() == (matrix <= radius).sum(axis=1).tolist()


def test_functions_of_python():
    costs = tm.CallableCosts(lambda a, b: abs(ord(a or "e") - ord(b or "e")) ** 0.5)
    for norm in NORMS:
        matrix = tm.pairwise_distances(SOME, costs=costs, norm=norm)
        assert np.array_equal(
            tm.nearest(SOME, SOME, k=1, costs=costs, norm=norm).distances.T[0], matrix.min(axis=1)
        )
        plain = tm.pairwise_distances(SOME, costs=costs)
        assert ((matrix > 0) == (plain > 0)).all()


def test_bounds_exclude_pairs_under_a_norm():
    chains = [tm.Tree.from_sequence("a" * n) for n in range(1, 200, 2)]
    found = tm.within(chains, radius=0.02, norm="weight")
    assert found.avoided > 0.9
    assert tm.nearest(chains, k=1, norm="max").avoided > 0.9


@pytest.mark.parametrize("norm", ["mean", "", 3, True, b"max", ["max"]])
def test_names_of_norms(norm):
    x = SOME[0]
    for call in (
        lambda: tm.normalized_distance(x, x, norm=norm),
        lambda: tm.normalized_similarity(x, x, norm=norm),
        lambda: tm.pairwise_distances(SOME, norm=norm),
        lambda: tm.paired_distances(SOME, SOME, norm=norm),
        lambda: tm.nearest(SOME, norm=norm),
        lambda: tm.within(SOME, radius=1, norm=norm),
        lambda: tm.TreeIndex(SOME, norm=norm),
        lambda: tm.TreeDistances(norm=norm).fit(SOME),
        lambda: tm.TreeNeighborsGraph(norm=norm).fit(SOME),
    ):
        with pytest.raises(ValueError, match=r"'norm' parameter of .* must be"):
            call()


def test_a_normalised_distance_needs_a_norm():
    with pytest.raises(ValueError, match="of normalized_distance must be 'weight'"):
        tm.normalized_distance(SOME[0], SOME[1], norm=None)
    with pytest.raises(TypeError, match="'clip'"):
        tm.normalized_similarity(SOME[0], SOME[1], clip=1)
    with pytest.raises(TypeError, match="'x' parameter of normalized_distance"):
        tm.normalized_distance("{a}", SOME[1])


def test_transformers():
    expected = tm.pairwise_distances(SOME[:5], SOME, norm="max")
    model = tm.TreeDistances(norm="max").fit(SOME)
    assert np.array_equal(model.transform(SOME[:5]), expected)
    graph = tm.TreeNeighborsGraph(3, norm="max").fit(SOME).transform(SOME[:5])
    near = tm.nearest(SOME[:5], SOME, k=4, norm="max")
    assert graph.data.tolist() == near.distances.ravel().tolist()
