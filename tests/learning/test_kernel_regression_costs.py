"""KernelRegressionCosts: the loss against a slow twin, gradients, and the fallback."""

import pickle

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import treemetric as tm
from treemetric.learning import KernelRegressionCosts
from treemetric.learning._label_model import LabelModel
from treemetric.learning._neighbour_loss import candidates
from treemetric.learning._pair_costs import CostObjective, pair_counts
from treemetric.learning._regression_loss import RegressionLoss
from treemetric.learning._votes import neighbour_shares
from treemetric.learning.kernel_regression_costs import _quantiles, _standardised
from treemetric.regression import KNeighborsTreeRegressor

seeds = st.integers(0, 2**32 - 1).map(np.random.RandomState)


def words(seed, n, length=6):
    random = np.random.RandomState(seed)
    return ["".join(random.choice(list("abcd"), length)) for _ in range(n)]


def chains(found):
    return tm.TreeSet([tm.Tree.from_sequence(word) for word in found])


TRAIN, TEST = words(0, 60), words(1, 30)
X, Y = chains(TRAIN), np.array([float(word.count("b")) for word in TRAIN])
NEW, NEW_Y = chains(TEST), np.array([float(word.count("b")) for word in TEST])


@pytest.fixture(scope="module")
def fitted():
    return KernelRegressionCosts(random_state=0).fit(X, Y)


def naive_loss(pairs, distances, targets, multiplicity, weight):
    """Each tree predicts its targets from the others, in loops."""
    count, outputs = targets.shape
    near = np.zeros((count, count))
    for (i, j), distance in zip(pairs, distances, strict=True):
        near[i, j] = multiplicity[j] * np.exp(-distance)
        near[j, i] = multiplicity[i] * np.exp(-distance)
    total = 0.0
    for i in range(count):
        predicted = near[i] @ targets / near[i].sum()
        total += weight[i] * ((targets[i] - predicted) ** 2).sum()
    size = weight.sum() * outputs
    return 0.5 * size * np.log(total / size + 1e-3)


@given(seeds, st.integers(1, 2))
def test_the_loss_against_its_twin(random, outputs):
    count = 6
    pairs = np.column_stack(np.triu_indices(count, 1))
    distances = random.uniform(0, 5, size=len(pairs))
    targets = random.normal(size=(count, outputs))
    multiplicity = random.randint(1, 4, size=count).astype(float)
    weight = random.rand(count) + 0.1
    loss = RegressionLoss(candidates(pairs), targets, multiplicity, weight)
    assert not loss.is_empty
    value, gradient = loss(distances)
    assert value == pytest.approx(naive_loss(pairs, distances, targets, multiplicity, weight))
    numeric = approx_fprime(distances, lambda d: loss(d)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-4)


def test_the_gradient_of_the_objective():
    some, y = X[:12], _standardised(Y[:12], np.ones(12))
    pairs = np.column_stack(np.triu_indices(12, 1))
    loss = RegressionLoss(candidates(pairs), y, np.ones(12), np.ones(12))
    model = LabelModel(4, np.arange(4), 1.0, 0.1)
    counts = pair_counts(tm.edit_counts(some, pairs=pairs))
    objective = CostObjective(model, counts, loss, 12.0, 0.0)
    parameters = np.random.RandomState(0).normal(scale=0.1, size=model.size)
    value, gradient = objective(parameters)
    numeric = approx_fprime(parameters, lambda x: objective(x)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)
    better, lower = objective.minimise(parameters, 20)
    assert lower == pytest.approx(objective(better)[0])
    assert lower < value


def test_a_loss_that_no_costs_change_is_empty():
    pairs = np.column_stack(np.triu_indices(3, 1))
    for y, empty in (([1, 1, 1], True), ([1, 1, 2], False)):
        targets = np.array(y, dtype=float)[:, None]
        loss = RegressionLoss(candidates(pairs), targets, np.ones(3), np.ones(3))
        assert loss.is_empty == empty
    none = RegressionLoss(candidates(pairs[:0]), targets, np.ones(3), np.ones(3))
    assert none.is_empty


def test_the_loss_of_huge_distances_is_finite():
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    targets = np.array([[0.0], [1.0], [2.0]])
    loss = RegressionLoss(candidates(pairs), targets, np.ones(3), np.ones(3))
    value, gradient = loss(np.array([1e6, 1.0, 1e6]))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_targets_are_learned(fitted):
    assert fitted.learned_
    scores = fitted.validation_scores_
    assert scores["gain"] == pytest.approx(scores["unit"] - scores["learned"])
    unit = KNeighborsTreeRegressor().fit(X, Y)
    assert fitted.score(NEW, NEW_Y) > unit.score(NEW, NEW_Y) + 0.2
    weights = dict(zip(fitted.costs_.alphabet, fitted.costs_.matrix[:-1, -1], strict=True))
    assert max(weights, key=weights.get) == "b"
    assert fitted.costs_.is_pseudo_metric()
    assert tm.CostMatrix(fitted.costs_.alphabet, fitted.costs_.matrix).is_pseudo_metric(tol=1e-12)
    assert fitted.fit_weights_.shape == (8, 4)
    assert fitted.losses_.shape == (8,)
    assert ((fitted.n_iter_ > 0) & (fitted.n_iter_ <= 2 * 60)).all()


def test_random_targets_keep_unit_costs():
    kept = 0
    for seed in range(4):
        y = np.random.RandomState(seed).normal(size=len(X))
        learner = KernelRegressionCosts(n_fits=3, random_state=seed).fit(X, y)
        kept += not learner.learned_
        if not learner.learned_:
            assert learner.costs_ == tm.UnitCosts().to_matrix(X.alphabet)
    assert kept >= 2


def test_predictions_are_means_of_neighbours(fitted):
    distances = fitted.get_metric().pairwise(NEW, X)
    np.testing.assert_allclose(fitted.transform(NEW), distances)
    np.testing.assert_allclose(fitted.predict(NEW), neighbour_shares(distances, 5) @ Y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(NEW), fitted.predict(NEW))


def test_several_targets(fitted):
    both = np.column_stack([Y, 1000.0 * Y])
    learner = KernelRegressionCosts(random_state=0).fit(X, both)
    assert learner.predict(NEW).shape == (30, 2)
    np.testing.assert_allclose(learner.predict(NEW) @ [1000.0, -1.0], 0.0, atol=1e-6)
    # Twice the same target is one target with twice the weight against the prior.
    assert learner.costs_ != fitted.costs_


@pytest.mark.parametrize(
    ("factor", "zero"), [(1e-300, 0.0), (1e300, 0.0), (-1.0, 0.0), (1.8, 32.0), (1 / 3, -0.7)]
)
def test_the_unit_of_targets_does_not_matter(fitted, factor, zero):
    # Exactly the same costs, although the descent of some fits has not converged.
    learner = KernelRegressionCosts(random_state=0).fit(X, factor * Y + zero)
    np.testing.assert_array_equal(learner.costs_.matrix, fitted.costs_.matrix)
    np.testing.assert_allclose(learner.predict(NEW), factor * fitted.predict(NEW) + zero)


def test_constant_targets():
    learner = KernelRegressionCosts(random_state=0).fit(X, np.full(len(X), 3.3))
    assert not learner.learned_
    assert learner.validation_scores_ == {}
    np.testing.assert_allclose(learner.predict(NEW), 3.3)


def test_weights_of_trees(fitted):
    ones = KernelRegressionCosts(random_state=0).fit(X, Y, sample_weight=np.full(len(X), 7.0))
    assert ones.costs_ == fitted.costs_
    weights = np.ones(len(X))
    weights[:20] = 0.0
    some = KernelRegressionCosts(random_state=0).fit(X, Y, sample_weight=weights)
    twin = KernelRegressionCosts(random_state=0).fit([X[i] for i in range(20, 60)], Y[20:])
    np.testing.assert_allclose(some.predict(NEW), twin.predict(NEW))
    assert some.transform(NEW).shape == (30, 60)
    with pytest.raises(ValueError, match="'sample_weight' parameter of KernelRegressionCosts"):
        KernelRegressionCosts().fit(X, Y, sample_weight=weights[1:])


def test_weights_are_routed():
    weights = np.random.RandomState(0).randint(1, 4, size=len(Y)).astype(float)
    options = {"n_fits": 2, "random_state": 0}
    twin = KernelRegressionCosts(**options).fit(X, Y, sample_weight=weights)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = KernelRegressionCosts(**options).set_fit_request(sample_weight=True)
        asking.set_score_request(sample_weight=False)
        pipe = make_pipeline(asking).fit(X, Y, sample_weight=weights)
        search = GridSearchCV(asking, {"n_jobs": [1]}, cv=2).fit(X, Y, sample_weight=weights)
    assert pipe[-1].costs_ == search.best_estimator_.costs_ == twin.costs_


def test_use_with_scikit_learn(fitted):
    learner = KernelRegressionCosts(n_fits=2, random_state=0)
    assert cross_val_score(learner, X, Y, cv=3, error_score="raise").mean() > 0.3
    assert sklearn.utils.get_tags(learner).estimator_type == "regressor"
    assert sklearn.utils.get_tags(learner).target_tags.required
    names = fitted.get_feature_names_out()
    assert names[0] == "kernelregressioncosts0"
    assert len(names) == 60
    with pytest.raises(NotFittedError):
        clone(fitted).predict(NEW)
    other = KernelRegressionCosts(random_state=0, n_jobs=2).fit(X, Y)
    assert other.costs_ == fitted.costs_


def test_equal_values_have_one_quantile():
    found = _quantiles(np.array([1.0, 1.0, 1.0, 1.0, 2.0, 3.0]))
    assert len(set(found[:4].tolist())) == 1
    assert (np.diff(_quantiles(np.arange(100.0))) >= 0).all()
    assert len(np.unique(_quantiles(np.arange(100.0)))) == 5


def test_large_sets_draw_neighbours(monkeypatch):
    monkeypatch.setattr("treemetric.learning._nca_fit._ALL_PAIRS", 10)
    learner = KernelRegressionCosts(n_fits=2, random_state=0).fit(X, Y)
    assert learner.score(NEW, NEW_Y) > 0.3
