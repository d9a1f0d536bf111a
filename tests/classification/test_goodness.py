"""The separator on similarities: its linear program and the classifier."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import treemetric as tm
from treemetric.classification import GoodnessClassifier
from treemetric.classification._goodness import objective, separate


def points(seed, n=30, classes=2):
    """Distances of random points, and their classes."""
    random = np.random.RandomState(seed)
    y = np.arange(n) % classes
    places = random.normal(size=(n, 2)) + 1.5 * y[:, None]
    return np.linalg.norm(places[:, None] - places, axis=2), y


def dual_value(similarities, signs, strength):
    """The least loss by the dual program, written independently."""
    signed = similarities * signs[:, None]
    result = linprog(
        -np.ones(len(signs)),
        A_ub=np.vstack([signed.T, -signed.T]),
        b_ub=np.full(2 * signed.shape[1], strength),
        bounds=(0, 1),
    )
    return -result.fun


@given(
    st.integers(0, 10**6),
    st.integers(1, 20),
    st.integers(1, 20),
    st.sampled_from([1e-3, 0.1, 1.0, 30.0]),
)
def test_the_duality_gap_is_closed_and_honest(seed, n, landmarks, strength):
    random = np.random.RandomState(seed)
    similarities = random.uniform(-1, 1, size=(n, landmarks))
    signs = random.choice([-1.0, 1.0], size=n)
    found = separate(similarities, signs, strength)
    least = dual_value(similarities, signs, strength)
    assert found.loss == pytest.approx(least, abs=1e-6)
    assert 0 <= found.gap <= 1e-6
    assert found.loss - found.gap <= least + 1e-9
    assert found.loss == pytest.approx(objective(found.weights, similarities, signs, strength))


def test_simplex_helps_where_interior_points_fail(monkeypatch):
    asked = []

    def stubborn(*args, method, **options):
        asked.append(method)
        result = linprog(*args, method=method, **options)
        result.status = 4 if method in failing else 0
        return result

    monkeypatch.setattr("treemetric.classification._goodness.linprog", stubborn)
    table, signs = points(0)[0], np.where(points(0)[1] == 1, 1.0, -1.0)
    failing = {"highs-ipm"}
    assert separate(table, signs, 0.3).gap < 1e-6
    assert asked == ["highs-ipm", "highs-ds"]
    failing = {"highs-ipm", "highs-ds"}
    with pytest.raises(RuntimeError, match="the linear program was not solved"):
        separate(table, signs, 0.3)


def test_other_tolerances_help_where_solutions_are_not_trusted(monkeypatch):
    asked = []

    def careful(*args, options, **others):
        asked.append(options.get("primal_feasibility_tolerance"))
        result = linprog(*args, options=options, **others)
        result.status = 0 if options else 4
        return result

    monkeypatch.setattr("treemetric.classification._goodness.linprog", careful)
    table, signs = points(0)[0], np.where(points(0)[1] == 1, 1.0, -1.0)
    assert separate(table, signs, 0.3).gap < 1e-6
    assert asked == [None, None, 1e-10]


def test_no_dense_matrix_of_all_points_by_all_points_is_built():
    # Few landmarks of many points: memory is that of their similarities.
    random = np.random.RandomState(0)
    similarities = random.uniform(-1, 1, size=(4000, 2))
    signs = random.choice([-1.0, 1.0], size=4000)
    tracemalloc.start()
    separate(similarities, signs, 1.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 4000


@given(st.integers(0, 10**6))
def test_no_other_weights_are_better(seed):
    random = np.random.RandomState(seed)
    similarities = random.uniform(-1, 1, size=(8, 5))
    signs = random.choice([-1.0, 1.0], size=8)
    found = separate(similarities, signs, 0.3)
    for scale in (1e-3, 0.1, 1):
        other = found.weights + random.normal(size=5) * scale
        assert objective(other, similarities, signs, 0.3) >= found.loss - 1e-7


def test_strong_regularisation_gives_no_weight_at_all():
    table, y = points(0)
    model = GoodnessClassifier(1e3, metric="precomputed").fit(table, y)
    assert not model.coef_.any()
    assert model.loss_ == len(y)
    assert (model.predict(table) == 0).all()


def test_weaker_regularisation_uses_more_landmarks_and_has_a_smaller_loss():
    table, y = points(1, 60)
    models = [GoodnessClassifier(r, metric="precomputed").fit(table, y) for r in (0.1, 1, 5)]
    used = [np.count_nonzero(model.coef_) for model in models]
    losses = [model.loss_ for model in models]
    assert used == sorted(used, reverse=True)
    assert losses == sorted(losses)


def test_decisions_are_the_weighted_similarities():
    table, y = points(2)
    model = GoodnessClassifier(0.5, metric="precomputed").fit(table[:20, :20], y[:20])
    similarities = 2 * np.exp(-table[20:, :20]) - 1
    found = model.decision_function(table[20:, :20])
    assert found == pytest.approx(similarities @ model.coef_[0])
    assert np.array_equal(model.predict(table[20:, :20]), (found > 0).astype(int))


def test_more_classes_one_against_the_rest():
    table, y = points(3, 36, 3)
    model = GoodnessClassifier(0.2, metric="precomputed").fit(table, y)
    parts = [
        GoodnessClassifier(0.2, metric="precomputed").fit(table, y == label) for label in range(3)
    ]
    assert model.coef_ == pytest.approx(np.vstack([part.coef_ for part in parts]))
    assert model.loss_ == pytest.approx(sum(part.loss_ for part in parts))
    assert model.score(table, y) > 0.8


@pytest.mark.parametrize(("n_landmarks", "count"), [(7, 7), (0.5, 15), (1.0, 30), (99, 30)])
def test_landmarks_are_a_random_part(n_landmarks, count):
    table, y = points(4)
    model = GoodnessClassifier(
        0.1, n_landmarks=n_landmarks, metric="precomputed", random_state=0
    ).fit(table, y)
    assert len(model.landmarks_) == count
    assert (np.diff(model.landmarks_) > 0).all()
    assert model.coef_.shape == (1, count)
    narrow = separate(2 * np.exp(-table[:, model.landmarks_]) - 1, np.where(y == 1, 1.0, -1.0), 0.1)
    assert model.loss_ == pytest.approx(narrow.loss)


def test_only_distances_to_landmarks_are_computed(monkeypatch):
    asked = []
    compute = tm.pairwise_distances

    def counted(X, Y=None, **options):
        asked.append((len(X), None if Y is None else len(Y)))
        return compute(X, Y, **options)

    monkeypatch.setattr("treemetric._estimators.base.pairwise_distances", counted)
    trees = [tm.Tree.from_sequence(w) for w in ("aa", "ab", "cc", "cd", "aaa", "ccc")]
    model = GoodnessClassifier(0.01, scale="median", n_landmarks=3, random_state=0)
    model.fit(trees, [0, 0, 1, 1, 0, 1]).predict(trees[:2])
    used = np.count_nonzero(model.coef_)
    assert asked == [(6, 3), (2, used)]


def test_the_scale_by_the_median():
    table, y = points(5)
    model = GoodnessClassifier(scale="median", metric="precomputed").fit(table, y)
    assert model.scale_ == np.median(table[table > 0])
    large = GoodnessClassifier(scale="median", metric="precomputed").fit(table * 1000, y)
    assert large.loss_ == pytest.approx(model.loss_)
    equal = GoodnessClassifier(scale="median", metric="precomputed").fit(np.zeros((4, 4)), y[:4])
    assert equal.scale_ == 1


def test_distances_need_not_be_symmetric():
    table = np.array([[0, 9, 9, 9], [0, 0, 9, 9], [9, 9, 0, 9], [9, 9, 0, 0.0]])
    model = GoodnessClassifier(0.1, metric="precomputed").fit(table, [0, 0, 1, 1])
    assert model.predict(table).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"regularisation": 0}, "'regularisation' parameter of GoodnessClassifier"),
        ({"scale": -1}, "'scale' parameter of GoodnessClassifier must be 'median' or a float"),
        ({"scale": "mean"}, "'scale' parameter"),
        ({"n_landmarks": 0}, "'n_landmarks' parameter"),
        ({"n_landmarks": 1.5}, "'n_landmarks' parameter"),
        ({"n_landmarks": "all"}, "'n_landmarks' parameter"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    table, y = points(0)
    with pytest.raises(ValueError, match=message):
        GoodnessClassifier(metric="precomputed", **params).fit(table, y)
