"""Relational GLVQ: distances to mixtures, the gradient, and the classifier."""

import numpy as np
import pytest
from scipy.special import softmax

import treemetric as tm
from treemetric._estimators.squashing import Squash
from treemetric.classification import MedianGLVQ, RelationalGLVQ
from treemetric.classification._relational import (
    Problem,
    half_forms,
    loss_and_gradient,
    to_mixtures,
)


def places(seed, n=40, classes=3):
    """Random points in space and their classes."""
    random = np.random.RandomState(seed)
    y = np.arange(n) % classes
    return random.normal(size=(n, 3)) + 2 * np.eye(3)[y % 3], y


def distances_of(one, other):
    return np.linalg.norm(one[:, None] - other, axis=2)


def test_the_distance_to_a_mixture_is_that_to_the_mean_in_space():
    points, _ = places(0)
    queries, _ = places(1, n=5)
    weights = softmax(np.random.RandomState(2).normal(size=(4, len(points))), axis=1)
    halves = half_forms(distances_of(points, points) ** 2, weights)
    found = to_mixtures(distances_of(queries, points) ** 2, weights, halves)
    assert found == pytest.approx(distances_of(queries, weights @ points) ** 2)


def squares(kind, seed=0, n=24):
    """Squared distances: Euclidean ones, or ones that no points in space have."""
    points, y = places(seed, n)
    table = distances_of(points, points) ** 2
    if kind == "indefinite":
        noise = np.random.RandomState(seed).gamma(0.3, size=table.shape) * table.mean()
        table = table * 0.3 + noise + noise.T
        np.fill_diagonal(table, 0)
    return table, y


@pytest.mark.parametrize("kind", ["euclidean", "indefinite"])
@pytest.mark.parametrize("squash", [Squash(), Squash("logistic", 4.0)])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_by_finite_differences(kind, squash, seed, weighted):
    table, y = squares(kind, seed)
    labels = np.array([0, 0, 1, 2, 2])
    weights = np.random.RandomState(seed).gamma(1.0, size=len(y)) if weighted else None
    problem = Problem(table, y, labels, squash, weights)
    theta = np.random.RandomState(seed).normal(size=5 * len(y)) * 3
    _, gradient = loss_and_gradient(theta, problem)
    step = 1e-6
    for j in np.random.RandomState(9).choice(len(theta), 40, replace=False):
        move = np.zeros_like(theta)
        move[j] = step
        above, below = (loss_and_gradient(theta + sign * move, problem)[0] for sign in (1, -1))
        assert gradient[j] == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-7)


def test_negative_distances_to_mixtures_do_occur_and_are_harmless():
    table, y = squares("indefinite", 3)
    model = RelationalGLVQ(2, metric="precomputed").fit(np.sqrt(table), y)
    found = model._to_prototypes(np.sqrt(table))
    assert (found < 0).any()
    assert np.isfinite(model.loss_curve_).all()
    assert np.abs(model.decision_function(np.sqrt(table))).max() <= 1


def test_weights_are_convex_and_the_loss_falls():
    points, y = places(0)
    model = RelationalGLVQ(2, metric="precomputed").fit(distances_of(points, points), y)
    assert model.coefficients_.shape == (6, 40)
    assert (model.coefficients_ >= 0).all()
    assert model.coefficients_.sum(axis=1) == pytest.approx(1)
    assert (np.diff(model.loss_curve_) <= 0).all()
    assert model.loss_ == model.loss_curve_[-1] < model.loss_curve_[0]
    assert model.n_iter_ == len(model.loss_curve_) - 1


def test_the_loss_is_that_of_the_prototypes_in_space():
    points, y = places(4)
    model = RelationalGLVQ(metric="precomputed").fit(distances_of(points, points), y)
    found = distances_of(points, model.coefficients_ @ points) ** 2
    own = found[np.arange(len(y)), y]
    found[np.arange(len(y)), y] = np.inf
    other = found.min(axis=1)
    assert model.loss_ == pytest.approx(((own - other) / (own + other)).sum())


def test_mixtures_do_better_than_points():
    points, y = places(5, n=60)
    table = distances_of(points, points)
    mixed = RelationalGLVQ(metric="precomputed").fit(table, y)
    median = MedianGLVQ(metric="precomputed").fit(table**2, y)
    assert mixed.loss_ < median.loss_


def test_the_scale_of_distances_does_not_matter():
    points, y = places(6)
    table = distances_of(points, points)
    plain = RelationalGLVQ(metric="precomputed").fit(table, y)
    large = RelationalGLVQ(metric="precomputed").fit(table * 2.0**490, y)
    assert large.coefficients_ == pytest.approx(plain.coefficients_)
    assert np.array_equal(large.predict(table * 2.0**490), plain.predict(table))


def test_a_matrix_that_is_not_symmetric_is_replaced_by_the_mean():
    points, y = places(7)
    table = distances_of(points, points)
    skew = np.triu(table) * 0.4
    skew -= skew.T
    with pytest.warns(UserWarning, match="RelationalGLVQ got precomputed distances that are not"):
        model = RelationalGLVQ(metric="precomputed").fit(table + skew, y)
    mean = RelationalGLVQ(metric="precomputed").fit(table, y)
    assert model.coefficients_ == pytest.approx(mean.coefficients_)


def test_new_trees_are_measured_in_both_directions_if_costs_differ():
    costs = tm.CostMatrix("ab", [[0, 1, 3], [2, 0, 3], [1, 1, 0]])
    words = ["aa", "ab", "aab", "bbb", "bb", "bba"]
    trees = [tm.Tree.from_sequence(word) for word in words]
    y = [0, 0, 0, 1, 1, 1]
    model = RelationalGLVQ(costs=costs).fit(trees, y)
    there = tm.pairwise_distances(trees, costs=costs)
    mean = (there + there.T) / 2
    assert not np.array_equal(there, there.T)
    precomputed = RelationalGLVQ(metric="precomputed").fit(mean, y)
    assert precomputed.coefficients_ == pytest.approx(model.coefficients_)
    queries = [*trees, tm.Tree.from_sequence("abab")]
    back = tm.pairwise_distances(trees, queries, costs=costs).T
    both = (tm.pairwise_distances(queries, trees, costs=costs) + back) / 2
    scores = model.decision_function(queries)
    assert scores == pytest.approx(precomputed.decision_function(both))


def test_copies_of_one_point_in_both_classes():
    model = RelationalGLVQ(2, metric="precomputed").fit(np.zeros((6, 6)), [0, 1] * 3)
    assert model.loss_ == 0
    assert model.predict(np.zeros((2, 6))).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_iter": 0}, "'max_iter' parameter of RelationalGLVQ"),
        ({"tol": float("nan")}, "'tol' parameter"),
        ({"squashing": None}, "'squashing' parameter"),
        ({"n_prototypes": -1}, "'n_prototypes' parameter"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    points, y = places(0)
    with pytest.raises(ValueError, match=message):
        RelationalGLVQ(metric="precomputed", **params).fit(distances_of(points, points), y)


def test_max_iter_is_a_bound():
    points, y = places(0)
    model = RelationalGLVQ(metric="precomputed", max_iter=3, tol=0)
    assert model.fit(distances_of(points, points), y).n_iter_ == 3
