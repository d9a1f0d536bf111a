"""Vectors at the limits: sent to zero up to rounding, very long, very short."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from treemetric._estimators.squashing import Squash
from treemetric.costs import vector
from treemetric.learning import BEDL
from treemetric.learning._projection import ProjectionLoss, fold_vectors

COSINES = ("cosine", "chord", "angle")
LABELS = tuple(f"w{number}" for number in range(20))
LOST = LABELS[:5]  # those in the null space


def near_null(dtype="float64", kind="cosine", scale=1.0):
    """Vectors of which five are in the null space of the projection, before rounding."""
    random = np.random.RandomState(0)
    basis = np.linalg.qr(random.standard_normal((8, 8)))[0]
    vectors = random.standard_normal((20, 8))
    vectors[:5] = random.standard_normal((5, 5)) @ basis[:, 3:].T
    vectors = (scale * vectors).astype(dtype)
    return tm.VectorCosts(LABELS, vectors, kind=kind, projection=basis[:, :3])


def exact_twin(costs):
    """The same with vectors of zeros instead."""
    vectors = costs.vectors.copy()
    vectors[:5] = 0.0
    return tm.VectorCosts(LABELS, vectors, kind=costs.kind, projection=costs.projection)


def some_trees(count=40, seed=0):
    random = np.random.RandomState(seed)
    words = [*LABELS, "*"]
    return [
        tm.Tree.from_nested((str(random.choice(words)), [str(w) for w in random.choice(words, 4)]))
        for _ in range(count)
    ]


TREES = some_trees()
ALL = pytest.mark.parametrize(("kind", "dtype"), list(product(COSINES, ("float32", "float64"))))


@ALL
def test_vectors_sent_to_zero_up_to_rounding_are_none(kind, dtype):
    costs = near_null(dtype, kind)
    raw = costs.vectors @ costs.projection.astype(dtype)
    assert raw[:5].any()  # not exactly zero
    assert not costs.project()[:5].any()
    assert not costs.project(LOST).any()
    np.testing.assert_array_equal(costs.project()[5:], raw[5:])
    np.testing.assert_array_equal(costs.project(["w7", "*"]), [raw[7], np.zeros(3)])
    twin = exact_twin(costs)
    slack = 1e-12 if dtype == "float64" else 1e-6
    expected = tm.pairwise_distances(TREES, costs=twin)
    np.testing.assert_allclose(tm.pairwise_distances(TREES, costs=costs), expected, atol=slack)
    matrices = [c.to_matrix([*LABELS, "*"]).matrix for c in (costs, twin)]
    np.testing.assert_allclose(*matrices, atol=slack)
    lost, blank = tm.Tree.from_sequence([LOST[0]]), tm.Tree.from_sequence("*")
    assert tm.distance(lost, blank, costs=costs) == 0.0


@ALL
def test_edits_near_the_null_space_sum_to_the_distance(kind, dtype):
    costs = near_null(dtype, kind)
    slack = 1e-10 if dtype == "float64" else 1e-5
    counts = tm.edit_counts(TREES, costs=costs)
    distances = tm.pairwise_distances(TREES, costs=costs)
    np.testing.assert_allclose(counts.distances(costs).reshape(40, 40), distances, atol=slack)
    for x, y in product(TREES[:12], repeat=2):
        found = tm.align(x, y, costs=costs)
        assert sum(edit.cost for edit in found.edits()) == pytest.approx(found.cost, abs=slack)


@ALL
def test_short_vectors_above_rounding_are_read_alike_by_all_paths(kind, dtype):
    costs = near_null(dtype, kind)
    vectors = costs.vectors.astype("float64")
    # Far shorter than the rest after the projection, so that few digits are left.
    amount = 300 * np.finfo(dtype).eps
    vectors[:5] += amount * np.random.RandomState(3).standard_normal((5, 3)) @ costs.projection.T
    costs = tm.VectorCosts(LABELS, vectors.astype(dtype), kind=kind, projection=costs.projection)
    assert (np.abs(costs.project(LOST)).max(axis=1) > 0).any()
    slack = 1e-9 if dtype == "float64" else 1e-5
    table = costs.to_matrix([*LABELS, "*"])
    for x, y in product(LABELS[:7], LABELS):
        one, two = tm.Tree.from_sequence([x]), tm.Tree.from_sequence([y])
        found = tm.distance(one, two, costs=costs)
        assert found == pytest.approx(tm.distance(one, two, costs=table), abs=slack)
        assert sum(e.cost for e in tm.align(one, two, costs=costs).edits()) == pytest.approx(
            found, abs=slack
        )


@ALL
def test_learning_near_the_null_space_is_learning_without_these_vectors(kind, dtype):
    costs = near_null(dtype, kind)
    twin = exact_twin(costs)
    pairs = np.array([[i % 40, (i * 7 + 1 + i // 40) % 40] for i in range(80)])
    omega = costs.projection.astype("float64")
    results = []
    for one in (costs, twin):
        counts = fold_vectors(tm.edit_counts(TREES, pairs=pairs, costs=twin), one)
        results.append(ProjectionLoss(counts, Squash(), one, omega)(omega.ravel()))
    slack = 1e-10 if dtype == "float64" else 1e-4
    assert results[0][0] == pytest.approx(results[1][0], abs=slack)
    np.testing.assert_allclose(results[0][1], results[1][1], atol=slack)
    classes = np.random.RandomState(0).randint(2, size=40)
    curves = [
        BEDL(2, init=one, max_iter=3, fallback=False, random_state=0)
        .fit(TREES, classes)
        .loss_curve_
        for one in (costs, twin)
    ]
    # It does not stall: rounding errors would have gradients of any size.
    assert curves[0][-1] < curves[0][0] - 1


@pytest.mark.parametrize("kind", COSINES)
@pytest.mark.parametrize(
    ("dtype", "scale"),
    [
        ("float64", 1e-170),
        ("float64", 1e-300),
        ("float64", 1e160),
        ("float64", 1e300),
        ("float32", 1e-30),
        ("float32", 1e-38),
        ("float32", 1e30),
    ],
)
def test_lengths_do_not_matter_however_extreme(kind, dtype, scale):
    vectors = np.random.RandomState(0).standard_normal((20, 5)).astype(dtype)
    long = (vectors.astype("float64") * scale).astype(dtype)
    assert np.isfinite(long).all()
    one, two = (tm.VectorCosts(LABELS, v, kind=kind) for v in (vectors, long))
    slack = 1e-9 if dtype == "float64" else 1e-5
    found, expected = (tm.pairwise_distances(TREES[:10], costs=c) for c in (two, one))
    np.testing.assert_allclose(found, expected, atol=slack)
    matrices = [c.to_matrix().matrix for c in (two, one)]
    np.testing.assert_allclose(*matrices, atol=slack)


@pytest.mark.parametrize("scale", [1e-170, 1e160])
def test_euclidean_lengths_must_have_squares(scale):
    costs = tm.VectorCosts("ab", [[scale, 0.0], [0.0, scale]], kind="euclidean")
    with pytest.raises(ValueError, match=r"'vectors' .* a length from 1e-100 to 1e\+100. Got "):
        tm.distance(tm.Tree.from_sequence("a"), tm.Tree.from_sequence("b"), costs=costs)


@pytest.mark.parametrize("kind", [*COSINES, "euclidean"])
@pytest.mark.parametrize("batch_size", [None, 7])
def test_words_that_do_not_occur_change_nothing(kind, batch_size):
    random = np.random.RandomState(1)
    few = random.standard_normal((20, 4))
    few[0] *= 9.0  # the longest, on which the rounding of Euclidean costs depends
    many = [*(f"x{number}" for number in range(50)), *LABELS]
    vectors = np.vstack([0.1 * random.standard_normal((50, 4)), few])
    classes = np.arange(40) % 2
    options = {"max_iter": 2, "random_state": 0, "batch_size": batch_size}
    learned = [
        BEDL(2, init=init, **options).fit(TREES, classes)
        for init in (
            tm.VectorCosts(LABELS, few, kind=kind),
            tm.VectorCosts(many, vectors, kind=kind),
        )
    ]
    one, two = (learner.costs_ for learner in learned)
    assert two.alphabet == tuple(many)
    np.testing.assert_array_equal(one.projection, two.projection)
    np.testing.assert_array_equal(learned[0].loss_curve_, learned[1].loss_curve_)
    assert learned[1].get_metric()(TREES[0], TREES[1]) == pytest.approx(
        learned[0].get_metric()(TREES[0], TREES[1])
    )


def test_another_projection_shares_vectors_and_index():
    costs = near_null()
    other = costs.with_projection(np.eye(8))
    assert other._index is costs._index
    assert other.vectors is costs.vectors
    assert other != costs
    assert other == tm.VectorCosts(LABELS, costs.vectors, projection=np.eye(8))
    with pytest.raises(ValueError, match=r"'projection' .* of shape \(8, k\)"):
        costs.with_projection(np.eye(3))
    assert costs.with_projection(None).projection is None


# --- tables ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["chord", "angle", "euclidean"])
@given(st.integers(0, 10**6))
def test_what_is_said_without_a_table_is_what_the_table_says(kind, seed):
    random = np.random.RandomState(seed)
    count, dimension = random.randint(1, 9), random.randint(0, 6)
    vectors = random.standard_normal((count, dimension))
    vectors *= 10.0 ** random.uniform(-9, 9, size=(count, 1)) if random.randint(2) else 1.0
    vectors[random.random_sample(count) < 0.2] = 0.0
    vectors[-1] = (-1.0 - random.choice([0.0, 1e-7])) * vectors[0]
    projection = None
    if dimension and random.randint(2):
        basis = np.linalg.qr(random.standard_normal((dimension, dimension)))[0]
        rank, some = random.randint(dimension) + 1, count // 2
        projection = basis[:, :rank]
        # In the null space, up to rounding.
        vectors[:some] = random.standard_normal((some, dimension - rank)) @ basis[:, rank:].T
    vectors = vectors.astype(random.choice(["float32", "float64"]))
    costs = tm.VectorCosts(range(count), vectors, kind=kind, projection=projection)
    labels = [*range(count), "none", "nor this"]
    assert costs.violations(labels, tol=1e-12) == []
    assert costs.to_matrix(labels).violations(tol=1e-12) == []


@pytest.mark.parametrize("kind", ["chord", "angle", "euclidean"])
def test_metrics_are_known_without_a_table(kind, monkeypatch):
    costs = tm.VectorCosts(range(300_000), np.ones((300_000, 1), dtype="float32"), kind=kind)
    monkeypatch.setattr(vector, "vector_costs", lambda *_: pytest.fail("a table was made"))
    assert costs.is_pseudo_metric()
    assert costs.is_pseudo_metric(label for label in range(9))
    with pytest.raises(MemoryError, match="a cost matrix of 300000 labels needs"):
        costs.is_pseudo_metric(tol=0.0)  # rounding counts, so it must be looked at


def test_what_has_no_costs_has_no_axioms():
    costs = tm.VectorCosts("ab", np.eye(2), kind="chord", unknown="error")
    with pytest.raises(tm.exceptions.UnknownLabelError, match="'c'"):
        costs.is_pseudo_metric("abc")
    costs = tm.VectorCosts("ab", 1e160 * np.eye(2), kind="euclidean")
    with pytest.raises(ValueError, match="a length from 1e-100"):
        costs.violations()
    with pytest.raises(ValueError, match="'tol'"):
        costs.violations(tol=-1.0)


@pytest.mark.parametrize(
    ("call", "nbytes"),
    [
        (lambda costs: costs.to_matrix(), 34),
        (lambda costs: costs.closure(), 42),
        (lambda costs: costs.violations(), 42),
        (lambda costs: costs.is_pseudo_metric(), 42),
    ],
)
def test_too_little_memory_is_told_before_the_work(monkeypatch, call, nbytes):
    costs = tm.VectorCosts(range(99), np.random.RandomState(0).standard_normal((99, 2)))
    asked = []
    monkeypatch.setattr(vector, "check_memory", lambda size, what: asked.append((size, what)))
    call(costs)
    assert asked == [(nbytes * 100**2, "a cost matrix of 99 labels")]
