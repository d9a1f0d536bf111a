"""Learners and learned distances where estimators take costs."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import treemetric as tm
from treemetric.classification import (
    DistanceSVC,
    GoodnessClassifier,
    KNeighborsTreeClassifier,
    MedianGLVQ,
    RelationalGLVQ,
)
from treemetric.classification.kernel import corrected, gaussian, median_distance
from treemetric.clustering import KMedoids
from treemetric.datasets import make_strings
from treemetric.kernels import TreeKernel
from treemetric.learning import (
    BEDL,
    GESL,
    KernelRegressionCosts,
    LearnedMetric,
    LVQCosts,
    NCACosts,
)
from treemetric.regression import DistanceKernelRidge, KNeighborsTreeRegressor
from treemetric.testing import tree_estimator_checks

STRINGS = make_strings(80, random_state=0)
X, Y = STRINGS.data[:50], STRINGS.target[:50]
# Labels that do not occur in training.
NEW = [*STRINGS.data[50:], tm.Tree.from_sequence("abxyab")]
LEARNER = NCACosts(n_fits=3, random_state=0)
LEARNERS = [LEARNER, BEDL(), LVQCosts(), GESL(beta=0.1), GESL(beta=0.1, distance="pseudo")]
CLASSIFIERS = [DistanceSVC, GoodnessClassifier, MedianGLVQ, RelationalGLVQ]


def name_of(value):
    return type(value).__name__


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("combine", ["product", "sum"])
def test_a_machine_on_learned_distances_and_a_kernel(learner, combine):
    kernel = TreeKernel("path")
    model = DistanceSVC(costs=learner, kernel=kernel, combine=combine, C=10).fit(X, Y)
    fitted = clone(learner).fit(X, Y)
    inside, rows = fitted.transform(X), fitted.transform(NEW)
    inside = (inside + inside.T) / 2
    width = median_distance(inside)
    assert model.bandwidth_ == pytest.approx(width)
    found = corrected(gaussian(inside, width), "clip")
    back = fitted.get_metric().pairwise(X, NEW).T
    values = found.of_rows(gaussian((rows + back) / 2, width))
    paths = kernel.fit(X).transform(NEW)
    values = values * paths if combine == "product" else values + paths
    expected = model.svc_.decision_function(values)
    np.testing.assert_allclose(model.decision_function(NEW), expected, atol=1e-9)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_classifiers_fit_learners_to_their_training_trees(kind):
    model = kind(costs=LEARNER).fit(X, Y)
    assert not hasattr(LEARNER, "costs_")
    expected = clone(LEARNER).fit(X, Y)
    assert model.learner_.costs_ == expected.costs_
    given = kind(costs=expected.get_metric()).fit(X, Y)
    frozen = kind(costs=FrozenEstimator(expected)).fit(X, Y)
    for other in (given, frozen, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(NEW), model.predict(NEW))
    assert not hasattr(given, "learner_")
    # Another fit forgets the learner.
    model.set_params(costs=None).fit(X, Y)
    assert not hasattr(model, "learner_")
    np.testing.assert_array_equal(model.predict(NEW), kind().fit(X, Y).predict(NEW))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_under_learned_costs(weights):
    model = KNeighborsTreeClassifier(3, weights=weights, costs=LEARNER).fit(X, Y)
    assert not hasattr(LEARNER, "costs_")
    assert model.index_ is None
    fitted = clone(LEARNER).fit(X, Y)
    expected = KNeighborsClassifier(3, weights=weights, metric="precomputed")
    expected.fit(fitted.transform(X), Y)
    shares = expected.predict_proba(fitted.transform(NEW))
    np.testing.assert_allclose(model.predict_proba(NEW), shares, atol=1e-9)
    given = KNeighborsTreeClassifier(3, weights=weights, costs=fitted.get_metric()).fit(X, Y)
    for other in (given, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(NEW), model.predict_proba(NEW))
    # No training tree is its own neighbour.
    distances, indices = model.kneighbors()
    inside = fitted.transform(X)
    np.fill_diagonal(inside, np.inf)
    np.testing.assert_allclose(distances, np.sort(inside, axis=1)[:, :3])
    np.testing.assert_allclose(np.take_along_axis(inside, indices, axis=1), distances)
    # Another fit forgets the learner.
    model.set_params(costs=None).fit(X, Y)
    assert not hasattr(model, "learner_")
    assert model.index_ is not None
    unit = KNeighborsTreeClassifier(3, weights=weights).fit(X, Y)
    np.testing.assert_array_equal(model.predict(NEW), unit.predict(NEW))


def test_means_of_neighbours_under_learned_costs():
    size = np.array([sum(label == "c" for label in tree.labels) for tree in X], dtype=float)
    learner = KernelRegressionCosts(n_fits=2, random_state=0)
    model = KNeighborsTreeRegressor(3, costs=learner).fit(X, np.c_[size, -size])
    fitted = clone(learner).fit(X, np.c_[size, -size])
    assert model.learner_.costs_ == fitted.costs_
    assert model.predict(NEW).shape == (len(NEW), 2)
    np.testing.assert_array_equal(model.predict(NEW)[:, 0], -model.predict(NEW)[:, 1])


def test_machines_of_learned_costs_separate_the_strings():
    scores = cross_val_score(DistanceSVC(costs=LEARNER), X, Y, cv=3)
    assert scores.mean() > 0.9 > cross_val_score(DistanceSVC(), X, Y, cv=3).mean()


def test_parameters_of_learners_are_searched():
    model = DistanceSVC(costs=LEARNER, kernel=TreeKernel("path"))
    search = GridSearchCV(model, {"costs__n_fits": [1, 2], "kernel__max_ancestors": [1]}, cv=2)
    assert search.fit(X, Y).best_estimator_.learner_.n_fits in (1, 2)
    assert model.costs.n_fits == 3


def test_weights_reach_the_learner():
    weights = np.ones(len(X))
    weights[::3] = 0
    model = DistanceSVC(costs=LEARNER).fit(X, Y, sample_weight=weights)
    assert model.learner_.costs_ == clone(LEARNER).fit(X, Y, sample_weight=weights).costs_


def test_regressors_and_medoids():
    size = np.array([sum(label == "c" for label in tree.labels) for tree in X], dtype=float)
    learner = KernelRegressionCosts(n_fits=2, random_state=0)
    model = DistanceKernelRidge(costs=learner, kernel=TreeKernel("path")).fit(X, size)
    assert model.learner_.costs_ == clone(learner).fit(X, size).costs_
    assert model.predict(NEW).shape == (len(NEW),)
    metric = clone(LEARNER).fit(X, Y).get_metric()
    medoids = KMedoids(2, costs=metric).fit(X)
    nearest = metric.pairwise(NEW, medoids.cluster_centers_).argmin(axis=1)
    np.testing.assert_array_equal(medoids.predict(NEW), nearest)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KMedoids(2, costs=LEARNER), "a learned distance, such as get_metric"),
        (DistanceSVC(costs=LEARNER, ordered=False), "ordered=False"),
        (DistanceSVC(costs=NCACosts), "costs"),
        (DistanceSVC(costs=FrozenEstimator(LEARNER)), "not fitted"),
        (KNeighborsTreeClassifier(costs=LEARNER, ordered=False), "ordered=False"),
        (KNeighborsTreeClassifier(costs=LEARNER, norm="max"), "None if costs are a learner"),
        (KNeighborsTreeClassifier(costs=NCACosts), "costs"),
    ],
    ids=str,
)
def test_wrong_sources_are_refused(model, message):
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(X, Y)


def test_learned_costs_of_precomputed_distances_are_refused():
    distances = tm.pairwise_distances(X)
    with pytest.raises(ValueError, match="metric='precomputed'"):
        DistanceSVC(metric="precomputed", costs=LEARNER).fit(distances, Y)


def test_a_learned_distance_is_no_function_of_labels():
    metric = clone(LEARNER).fit(X, Y).get_metric()
    with pytest.raises(TypeError, match=r"a function of two labels.*has a method pairwise"):
        tm.pairwise_distances(X, costs=metric)
    with pytest.raises(TypeError, match="are its costs_"):
        tm.pairwise_distances(X, costs=LEARNER)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("distance", ["actual", "pseudo"])
def test_symmetry_of_learned_distances(symmetric, distance):
    table = np.array([[0, 1, 1], [1, 0, 1], [1, 1 if symmetric else 2, 0]])
    costs = tm.CostMatrix("ab", table)
    metric = LearnedMetric(costs, tm.UnitCosts(), distance)
    trees = [tm.Tree.from_sequence(word) for word in ("ab", "bba", "xa")]
    found = metric.pairwise(trees)
    assert metric._is_symmetric("abx") == symmetric == np.array_equal(found, found.T)


@pytest.mark.parametrize("check", tree_estimator_checks(DistanceSVC(costs=LEARNER)))
def test_the_contract(check):
    check()
