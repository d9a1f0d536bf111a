"""Median GLVQ: the search for prototypes, its loss, and the classifier."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from treemetric._estimators.prototypes import closest, select_prototypes
from treemetric._estimators.squashing import Squash, relevance
from treemetric.classification import MedianGLVQ

SQUASHES = [Squash(), Squash("logistic", 5.0)]


def points(seed, n, classes, whole=False):
    """Distances of random points in the plane, which overlap, and their classes."""
    random = np.random.RandomState(seed)
    y = np.concatenate([np.arange(classes), random.randint(classes, size=n - classes)])
    places = random.normal(size=(n, 2)) + y[:, None]
    places = np.round(places) if whole else places
    return np.linalg.norm(places[:, None] - places, axis=2), y


def plain_loss(distances, y, prototypes, squash):
    """The loss by its definition, point by point."""
    total = 0.0
    for i, label in enumerate(y):
        plus = min(distances[i, w] for w in prototypes if y[w] == label)
        minus = min(distances[i, w] for w in prototypes if y[w] != label)
        mu = (plus - minus) / (plus + minus) if plus + minus > 0 else 0.0
        total += float(squash.value(np.array(mu)))
    return total


@given(
    st.integers(0, 10**6),
    st.integers(4, 14),
    st.integers(2, 4),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(SQUASHES),
)
def test_no_exchange_of_one_prototype_lowers_the_loss(seed, n, classes, count, whole, squash):
    distances, y = points(seed, n, classes, whole)
    found = select_prototypes(distances, y, count, squash=squash, tol=0.0)
    assert found.loss == pytest.approx(plain_loss(distances, y, found.indices, squash), abs=1e-9)
    for k, candidate in itertools.product(range(len(found.indices)), range(n)):
        if y[candidate] == found.labels[k] and candidate not in found.indices:
            other = found.indices.copy()
            other[k] = candidate
            assert plain_loss(distances, y, other, squash) >= found.loss - 1e-9


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 3), st.sampled_from(SQUASHES))
def test_the_loss_never_rises(seed, count, n_init, squash):
    distances, y = points(seed, 30, 3)
    found = select_prototypes(
        distances, y, count, squash=squash, n_init=n_init, random_state=seed % 1000
    )
    assert (np.diff(found.loss_curve) <= 0).all()
    assert found.loss == found.loss_curve[-1]
    assert len(found.loss_curve) <= found.n_iter + 1


def test_one_prototype_per_class_is_close_to_the_best_of_all():
    exact = 0
    for seed in range(20):
        distances, y = points(seed, 14, 2)
        pairs = itertools.product(np.flatnonzero(y == 0), np.flatnonzero(y == 1))
        best = min(plain_loss(distances, y, pair, Squash()) for pair in pairs)
        found = select_prototypes(distances, y, 1, n_init=5, random_state=0)
        assert found.loss >= best - 1e-9
        exact += found.loss <= best + 1e-9
    assert exact >= 18


def test_more_starts_are_never_worse():
    for seed in range(5):
        distances, y = points(seed, 40, 3)
        losses = [
            select_prototypes(distances, y, 3, n_init=n, random_state=1).loss for n in (1, 4, 16)
        ]
        assert losses == sorted(losses, reverse=True)


def test_prototypes_are_distinct_points_of_their_classes():
    distances, y = points(3, 40, 3)
    found = select_prototypes(distances, y, [1, 2, 5])
    assert found.labels.tolist() == [0, 1, 1, 2, 2, 2, 2, 2]
    assert (y[found.indices] == found.labels).all()
    assert len(set(found.indices)) == 8


def test_a_class_with_few_points_gives_all_of_them():
    distances, _ = points(0, 6, 1)
    y = np.array([0, 0, 1, 1, 1, 1])
    found = select_prototypes(distances, y, 3)
    assert sorted(found.indices[:2]) == [0, 1]
    assert len(found.indices) == 5


def test_going_on_from_the_result_changes_nothing():
    distances, y = points(4, 40, 2)
    first = select_prototypes(distances, y, 3, tol=0.0)
    shuffled = np.random.RandomState(0).permutation(first.indices)
    again = select_prototypes(distances, y, 3, tol=0.0, start=shuffled)
    assert sorted(again.indices) == sorted(first.indices)
    assert again.loss == first.loss
    assert again.n_iter == 1


@pytest.mark.parametrize("start", [[0], [0, 0], [0, 99], [-1, 1], [[0, 1]]])
def test_a_start_that_cannot_be_is_refused(start):
    distances, _ = points(0, 6, 2)
    with pytest.raises(ValueError, match="start must hold different positions"):
        select_prototypes(distances, np.array([0, 1, 0, 1, 0, 1]), 1, start=start)


def test_large_classes_are_searched_in_blocks(monkeypatch):
    distances, y = points(5, 60, 2)
    whole = select_prototypes(distances, y, 3)
    monkeypatch.setattr("treemetric._estimators.prototypes._BLOCK", 1)
    parts = select_prototypes(distances, y, 3)
    assert np.array_equal(whole.indices, parts.indices)


def test_distances_need_not_be_symmetric():
    # From point to prototype: 0 is close to both others of its class, which are far from it.
    distances = np.array([[0, 9, 9, 9], [1, 0, 9, 9], [1, 9, 0, 9], [9, 9, 9, 0.0]])
    found = select_prototypes(distances, np.array([0, 0, 0, 1]), 1)
    assert found.indices.tolist() == [0, 3]


def test_closest_prototypes():
    distances = np.array([[3, 1, 2, 2], [0, 0, 0, 0.0]])
    labels = np.array([0, 0, 1, 2])
    plus, minus = closest(distances, labels, np.array([0, 1]))
    assert plus.tolist() == [1, 2]
    assert minus.tolist() == [2, 0]
    plus, minus = closest(distances[:, :2], labels[:2], np.array([0, 1]))
    assert plus.tolist() == [1, -1]
    assert minus.tolist() == [-1, 0]


def test_relevance_is_never_nan():
    plus = np.array([0, 0, 1, 3, 1, np.inf, np.inf, 5e-324])
    minus = np.array([0, 2, 0, 1, np.inf, 1, np.inf, 0])
    expected = [0, -1, 1, 0.5, -1, 1, 0]
    mu = relevance(plus, minus)
    assert mu[:-1].tolist() == expected
    assert 0 <= mu[-1] <= 1
    assert relevance(np.array([-1.0]), np.array([3.0])).tolist() == [-1.0]


@pytest.mark.parametrize("squash", SQUASHES)
def test_the_derivative_of_a_squashing_function(squash):
    mu, step = np.linspace(-1, 1, 9), 1e-6
    slope = (squash.value(mu + step) - squash.value(mu - step)) / (2 * step)
    assert squash.derivative(mu) == pytest.approx(slope, rel=1e-6)
    assert (np.diff(squash.value(mu)) > 0).all()


def test_one_class_has_its_medoids():
    distances = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    found = select_prototypes(distances, np.zeros(5, dtype=int), 2)
    assert found.indices[0] == 2
    assert found.loss == -5.0
    assert found.n_iter == 1


WORDS = ["aaa", "aab", "aba", "ccc", "ccd", "cdc"]
TREES = [tm.Tree.from_sequence(word) for word in WORDS]
Y = np.array(["x", "x", "x", "y", "y", "y"])


def test_both_faces_agree():
    distances = tm.pairwise_distances(TREES)
    on_trees = MedianGLVQ(2).fit(TREES, Y)
    on_matrix = MedianGLVQ(2, metric="precomputed").fit(distances, Y)
    assert np.array_equal(on_trees.prototypes_, on_matrix.prototypes_)
    queries = [tm.Tree.from_sequence(word) for word in ("ab", "cccc", "ad", "")]
    to_train = tm.pairwise_distances(queries, TREES)
    assert np.array_equal(on_trees.predict(queries), on_matrix.predict(to_train))
    scores = on_trees.decision_function(queries)
    assert np.array_equal(scores, on_matrix.decision_function(to_train))


def test_prediction_is_the_class_of_the_closest_prototype():
    model = MedianGLVQ(2).fit(TREES, Y)
    queries = [tm.Tree.from_sequence(word) for word in ("abc", "cda", "dd", "b")]
    distances = tm.pairwise_distances(queries, [TREES[i] for i in model.prototypes_])
    assert np.array_equal(model.predict(queries), model.prototype_labels_[distances.argmin(1)])


def test_the_number_of_prototypes_by_class():
    by_dict = MedianGLVQ({"y": 3, "x": 1}).fit(TREES, Y)
    by_list = MedianGLVQ([1, 3]).fit(TREES, Y)
    assert by_dict.prototype_labels_.tolist() == ["x", "y", "y", "y"]
    assert np.array_equal(by_dict.prototypes_, by_list.prototypes_)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_prototypes": 0}, "'n_prototypes' parameter of MedianGLVQ must be an int"),
        ({"n_prototypes": 1.5}, "'n_prototypes' parameter of MedianGLVQ must be an int"),
        ({"n_prototypes": [1, 2, 3]}, "of length 2, one per class"),
        ({"n_prototypes": {"x": 1}}, "a dict with the classes"),
        ({"metric": "euclidean"}, "'metric' parameter of MedianGLVQ must be a str among"),
        ({"squashing": "tanh"}, "'squashing' parameter"),
        ({"slope": 0}, "'slope' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"tol": -1.0}, "'tol' parameter"),
        ({"n_init": 0}, "'n_init' parameter"),
        ({"n_jobs": 0}, "'n_jobs' parameter"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        MedianGLVQ(**params).fit(TREES, Y)


def test_wrong_costs_are_refused():
    with pytest.raises(TypeError, match="'costs' parameter of MedianGLVQ"):
        MedianGLVQ(costs=3).fit(TREES, Y)


def test_max_iter_cuts_the_search_short():
    distances, y = points(0, 60, 3)
    full = MedianGLVQ(4, metric="precomputed", tol=0).fit(distances, y)
    short = MedianGLVQ(4, metric="precomputed", tol=0, max_iter=1).fit(distances, y)
    assert full.n_iter_ > short.n_iter_ == 1
    assert full.loss_ < short.loss_
    assert len(short.loss_curve_) == 2


def test_squashing_changes_what_is_found():
    distances, y = points(1, 60, 3)
    losses = {}
    for kind in ("identity", "logistic"):
        model = MedianGLVQ(2, metric="precomputed", squashing=kind, slope=20).fit(distances, y)
        losses[kind] = model
    squash = Squash("logistic", 20)
    steep = plain_loss(distances, y, losses["logistic"].prototypes_, squash)
    assert losses["logistic"].loss_ == pytest.approx(steep)
    assert steep < plain_loss(distances, y, losses["identity"].prototypes_, squash)


def test_the_seed_decides_restarts():
    distances, y = points(2, 60, 3)
    runs = [
        MedianGLVQ(3, metric="precomputed", n_init=3, random_state=7).fit(distances, y).prototypes_
        for _ in range(2)
    ]
    assert np.array_equal(*runs)
