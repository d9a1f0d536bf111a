"""Defaults that do not harm, weights of trees, trees held out, and scores of classes."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import treemetric as tm
from treemetric import _core
from treemetric._estimators.squashing import Squash
from treemetric.datasets import make_glycans, make_strings
from treemetric.exceptions import CollapsedCostsWarning, UnknownLabelError
from treemetric.learning import (
    BEDL,
    GESL,
    KernelRegressionCosts,
    LearnedMetric,
    LVQCosts,
    NCACosts,
)
from treemetric.learning._bagging import Verdict
from treemetric.learning._cost_space import closed
from treemetric.learning._embedding import EmbeddingLoss, merged, weighted_points
from treemetric.learning._harm import helps, neighbour_errors, sample_size
from treemetric.learning.gesl import void_share
from treemetric.learning.symbol_counts import fold

STRINGS = make_strings(60, random_state=0)
X, Y = STRINGS.data, STRINGS.target
LEARNERS = [BEDL(), LVQCosts(), GESL(beta=0.1, distance="pseudo")]
PROTOTYPE_LEARNERS = [BEDL(random_state=0), BEDL(2, batch_size=16, random_state=0), LVQCosts()]


def name_of(learner):
    return type(learner).__name__


def words(count, labels, seed=0):
    """Draw short sequences over many labels; the first label decides about the class."""
    random = np.random.RandomState(seed)
    y = np.arange(count) % 2
    rows = [[f"class {c}", *(f"w{w}" for w in random.randint(labels, size=6))] for c in y]
    return tm.TreeSet([tm.Tree.from_sequence(row) for row in rows]), y


# --- regularisation and labels -----------------------------------------------------------


@pytest.mark.parametrize("learner", [BEDL(), LVQCosts()], ids=name_of)
def test_costs_do_not_collapse_by_default(learner):
    data = make_glycans(80, random_state=0)
    prices = clone(learner).fit(data.data, data.target).costs_.matrix[-1, :-1]
    assert prices.max() < 3 * np.median(prices)
    assert np.median(prices) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("learner", [BEDL(), LVQCosts()], ids=name_of)
def test_the_penalty_is_per_tree(learner):
    # Twice the same trees have twice the loss, and the same costs.
    once = clone(learner).fit(X, Y)
    twice = clone(learner).fit([*X, *X], np.r_[Y, Y])
    np.testing.assert_allclose(twice.loss_curve_[0], 2 * once.loss_curve_[0])
    np.testing.assert_allclose(twice.costs_.matrix, once.costs_.matrix, atol=1e-3)


def test_auto_regularises_vectors_but_not_projections():
    assert BEDL()._check_strength() > 0
    assert BEDL(init=tm.VectorCosts("ab", np.eye(2)))._check_strength() == 0
    with pytest.raises(ValueError, match="'regularisation' parameter of BEDL"):
        BEDL(regularisation="none").fit(X, Y)
    with pytest.raises(ValueError, match="'regularisation' parameter of LVQCosts"):
        LVQCosts(regularisation="auto").fit(X, Y)


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
def test_cross_validation_with_labels_that_training_does_not_see(learner):
    trees, y = words(24, 40)
    scores = cross_val_score(clone(learner), trees, y, cv=3, error_score="raise")
    assert np.isfinite(scores).all()
    strict = clone(learner).set_params(unseen="error")
    with pytest.raises(UnknownLabelError):
        cross_val_score(strict, trees, y, cv=3, error_score="raise")


# --- two numbers for each of many labels ---------------------------------------------------


def test_own_coordinates_are_further_dimensions():
    random = np.random.default_rng(0)
    vectors, own = random.standard_normal((4, 2)), random.standard_normal(4)
    short = tm.EmbeddingCosts("abcd", vectors, own)
    full = tm.EmbeddingCosts("abcd", np.hstack([vectors, np.diag(own)]))
    np.testing.assert_allclose(short.matrix, full.matrix, atol=1e-12)
    np.testing.assert_allclose(short._gram_matrix(), full._gram_matrix())
    assert short.is_pseudo_metric()
    again = short.__reduce__()[0](*short.__reduce__()[1])
    assert again == short
    np.testing.assert_array_equal(again.own, own)
    assert full.own is None
    for wrong in ([1.0, 2.0], [1.0, 2.0, 3.0, np.inf], "abcd"):
        with pytest.raises((TypeError, ValueError), match="'own' parameter of EmbeddingCosts"):
            tm.EmbeddingCosts("abcd", vectors, wrong)


def test_the_gradient_of_own_coordinates():
    random = np.random.default_rng(1)
    alphabet = X.alphabet
    pairs = np.c_[np.arange(20), 59 - np.arange(20)]
    counts = fold(tm.edit_counts(X, pairs=np.r_[pairs, (pairs + 7) % 60]), alphabet)
    counts = counts._replace(weights=random.uniform(0.5, 2, 20))
    for shape in ((4, 2), (4, 4)):
        start = random.standard_normal(shape)
        loss = EmbeddingLoss(counts, Squash("logistic", 3.0), start, 0.3, own=True)
        point = random.standard_normal(start.size)
        assert check_grad(lambda v: loss(v)[0], lambda v: loss(v)[1], point) < 1e-5  # noqa: B023


def test_labels_with_own_coordinates_that_coincide():
    points = np.array([[1e-9, 1.0], [0.0, 1.0], [1.0, 1.0], [0.0, 1e-9]])
    together = merged(points, own=True)
    np.testing.assert_array_equal(together[0], together[1])
    np.testing.assert_array_equal(together[2:], [[1.0, 1.0], [0.0, 0.0]])


def test_many_labels_have_two_numbers_each(monkeypatch):
    trees, y = words(40, 60)
    monkeypatch.setattr("treemetric.learning.bedl._MANY_LABELS", 10)
    learner = BEDL(regularisation=0.001).fit(trees, y)
    assert learner.costs_.vectors.shape == (len(trees.alphabet), 1)
    assert learner.costs_.is_pseudo_metric()
    assert learner.loss_ < learner.loss_curve_[0]
    # The labels that decide are the most expensive.
    prices = dict(zip(learner.costs_.alphabet, learner.costs_.matrix[-1], strict=False))
    assert sorted(prices, key=prices.get)[-2:] in (["class 0", "class 1"], ["class 1", "class 0"])
    start = BEDL(max_iter=0).fit(trees, y)
    np.testing.assert_allclose(start.transform(trees), tm.pairwise_distances(trees))
    again = BEDL(init=learner.costs_, max_iter=0).fit(trees, y)
    np.testing.assert_allclose(again.costs_.matrix, learner.costs_.matrix, atol=1e-6)
    with pytest.raises(ValueError, match="'n_components' parameter of BEDL must be 'auto'"):
        BEDL(n_components="many").fit(trees, y)
    np.testing.assert_allclose(tm.EmbeddingCosts("ab", [[1], [1]], [1, 1]).matrix[0, 1], 2**0.5)
    assert weighted_points(3).shape == (3, 2)


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.5, 3.0, 50.0]))
def test_the_closure_by_small_costs_is_the_closure(side, seed, size):
    random = np.random.default_rng(seed)
    changed = random.random((side, side)) < random.random()
    table = np.triu(np.where(changed, size * random.random((side, side)), 1.0), 1)
    table += table.T
    np.testing.assert_allclose(closed(table), _core.closure(table), rtol=1e-12)


def test_lvq_costs_of_many_labels(monkeypatch):
    trees, y = words(20, 30)
    plain = LVQCosts(max_iter=2).fit(trees, y)
    monkeypatch.setattr("treemetric.learning._cost_space._MANY", 2)
    fast = LVQCosts(max_iter=2).fit(trees, y)
    np.testing.assert_allclose(fast.costs_.matrix, plain.costs_.matrix, atol=1e-6)


@pytest.mark.parametrize("learner", [BEDL(random_state=0), LVQCosts(random_state=0)], ids=name_of)
def test_prototypes_of_many_nodes_are_chosen_among_some_trees(learner, monkeypatch):
    every = clone(learner).fit(X, Y)
    nodes = int(X.sizes.sum())
    module = "treemetric.learning._prototype_learner"
    monkeypatch.setattr(f"{module}._FEWEST_CANDIDATES", 2)
    monkeypatch.setattr(f"{module}._NODE_PAIRS", float(nodes**2))
    assert clone(learner).fit(X, Y).costs_ == every.costs_
    monkeypatch.setattr(f"{module}._NODE_PAIRS", nodes**2 / 6)
    assert learner._candidates(X, 2) == 5
    assert learner._candidates(X, 100) == 2
    some = clone(learner).fit(X, Y)
    assert some.score(X, Y) > 0.8
    if isinstance(learner, BEDL):
        assert some.costs_ == clone(learner).set_params(n_candidates=5).fit(X, Y).costs_
        assert clone(learner).set_params(n_candidates=60).fit(X, Y).costs_ == every.costs_


# --- GESL ----------------------------------------------------------------------------------


def test_gesl_uses_the_pseudo_edit_distance_where_its_costs_collapse(monkeypatch):
    # Four trees cannot show that learned costs are better.
    monkeypatch.setattr("treemetric.learning.gesl.helps", lambda *_: Verdict(True, {}))
    trees = [tm.Tree.from_bracket(text) for text in ("{1{2}}", "{2}", "{3}", "{3}")]
    with pytest.warns(CollapsedCostsWarning, match=r"100% of the training trees.*metric=True"):
        learner = GESL(beta=0.1, script="one").fit(trees, [0, 0, 1, 1])
    assert learner.distance_ == "pseudo"
    assert void_share(learner.costs_, tm.TreeSet(trees)) == 1.0
    assert not learner.costs_.closure().matrix.any()
    pseudo = learner.transform(trees)
    assert pseudo.any()
    np.testing.assert_array_equal(learner.set_params(distance="pseudo").transform(trees), pseudo)
    assert not learner.set_params(distance="actual").transform(trees).any()
    kept = GESL(beta=0.1, metric=True).fit(trees, [0, 0, 1, 1])
    assert kept.distance_ == "actual"


def test_void_trees_are_those_at_distance_zero():
    # a and the gap are joined by free edits, one way over b; b and c keep a cost.
    table = np.array([[0, 5, 5, 0], [5, 0, 5, 5], [5, 5, 0, 5], [0, 5, 5, 0]], dtype=float)
    costs = tm.CostMatrix("abc", table)
    trees = tm.TreeSet([tm.Tree.from_sequence(s) for s in ("a", "aa", "", "ab", "c")])
    assert void_share(costs, trees) == 0.6
    assert not tm.pairwise_distances(trees[:3], costs=costs.closure()).any()
    assert void_share(tm.CostMatrix("abc", np.zeros((4, 4))), trees) == 0.0


def test_gesl_uses_the_initial_costs_where_learned_costs_are_worse():
    strings = make_strings(160, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CollapsedCostsWarning)
        learner = GESL().fit(strings.data, strings.target)
    assert learner.distance_ == "initial"
    assert not learner.learned_
    assert learner.validation_scores_["gain"] < 0.1
    unit = tm.pairwise_distances(strings.data)
    np.testing.assert_array_equal(learner.transform(strings.data), unit)
    assert learner.get_metric().costs == tm.UnitCosts().to_matrix(learner.costs_.alphabet)
    assert learner.costs_ != learner.get_metric().costs
    # Labels that training has not seen, and the learned distances.
    new = [tm.Tree.from_sequence("axb")]
    expected = tm.pairwise_distances(new, strings.data)
    np.testing.assert_array_equal(learner.transform(new), expected)
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.transform(new), expected)
    pseudo = learner.set_params(distance="pseudo").transform(strings.data)
    groups = np.arange(160)
    errors = [neighbour_errors(d, strings.target, groups).mean() for d in (unit, pseudo)]
    assert errors[0] < errors[1]


def test_errors_of_neighbours_that_differ():
    distances = np.array([[0.0, 0, 1, 2], [0, 0, 1, 2], [1, 1, 0, 3], [2, 2, 3, 0]])
    codes = np.array([0, 0, 1, 1])
    # With copies: 0 and 1 are nearest to 2, which is nearest to them; 3 is nearest to 0 and 1.
    assert neighbour_errors(distances, codes, np.array([0, 0, 1, 2]))[1].tolist() == [1, 1, 1, 1]
    # Without: 0 and 1 are each other's nearest trees.
    found = neighbour_errors(distances, codes, np.arange(4))
    assert found[1].tolist() == [0, 0, 1, 1]
    assert not neighbour_errors(distances, codes, np.zeros(4, dtype=int)).any()


def test_few_large_trees_are_compared():
    small, large = words(200, 5)[0], tm.TreeSet([tm.Tree.from_sequence("ab" * 1000)] * 200)
    assert sample_size(small, "actual") == sample_size(small, "pseudo") == 200
    assert sample_size(large, "pseudo") == 50
    random = np.random.RandomState(0)
    metric = LearnedMetric(tm.UnitCosts().to_matrix("ab"), tm.UnitCosts())
    some = tm.TreeSet([tm.Tree.from_sequence("ab"[i % 2] * (300 + i)) for i in range(80)])
    assert sample_size(some, "actual") < 80
    codes = np.arange(80) // 2 % 2
    unit = tm.pairwise_distances(some)
    # Distances that are the same do not help; those of classes would, and lose against themselves.
    assert not helps(some, codes, unit, metric, random, None).learned
    assert not helps(some, codes, 1.0 * (codes[:, None] != codes), metric, random, None).learned
    halves = np.arange(80) // 40
    assert helps(some, halves, np.ones((80, 80)), metric, random, None).learned


# --- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [BEDL(), BEDL(2), LVQCosts()], ids=name_of)
@pytest.mark.parametrize("squashing", ["identity", "logistic"])
def test_weights_are_repetitions(learner, squashing):
    random = np.random.RandomState(0)
    weights = random.randint(1, 4, size=len(Y))
    repeated = np.repeat(np.arange(len(Y)), weights)
    learner = clone(learner).set_params(squashing=squashing, max_iter=3, fallback=False)
    one = clone(learner).fit(X, Y, sample_weight=weights)
    other = clone(learner).fit(X[repeated], Y[repeated])
    assert repeated[other.prototypes_].tolist() == one.prototypes_.tolist()
    np.testing.assert_allclose(one.loss_curve_, other.loss_curve_, rtol=1e-6)
    np.testing.assert_allclose(one.costs_.matrix, other.costs_.matrix, atol=1e-4)


@pytest.mark.parametrize("learner", PROTOTYPE_LEARNERS, ids=name_of)
def test_a_tree_of_weight_zero_is_left_out(learner):
    trees = [*X[:40], *(tm.Tree.from_sequence("xyz") for _ in range(5))]
    y = np.r_[Y[:40], np.zeros(5, dtype=int)]
    weights = np.r_[np.ones(40), np.zeros(5)]
    order = np.random.RandomState(1).permutation(45)
    kept = order[order < 40]
    found = clone(learner).fit([trees[i] for i in order], y[order], sample_weight=weights[order])
    expected = clone(learner).fit([trees[i] for i in kept], y[kept])
    assert found.costs_ == expected.costs_
    assert set(found.costs_.alphabet) == set("abcd")
    assert len(found.trees_) == 45
    assert order[found.prototypes_].tolist() == kept[expected.prototypes_].tolist()
    np.testing.assert_array_equal(found.predict_proba(X[40:]), expected.predict_proba(X[40:]))
    assert found.transform(X[40:]).shape == (20, 45)


@pytest.mark.parametrize(
    "weights", [[1.0], np.full(60, -1.0), np.zeros(60), "abc", np.full(60, np.nan)]
)
def test_weights_are_checked(weights):
    with pytest.raises(ValueError, match="'sample_weight' parameter of BEDL"):
        BEDL().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("learner", [BEDL(max_iter=2), LVQCosts(max_iter=2)], ids=name_of)
def test_weights_are_routed(learner):
    weights = np.random.RandomState(0).randint(1, 4, size=len(Y)).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(learner).set_fit_request(sample_weight=True)
        asking.set_score_request(sample_weight=False)
        found = cross_validate(
            asking,
            X,
            Y,
            cv=2,
            params={"sample_weight": weights},
            return_estimator=True,
            return_indices=True,
            error_score="raise",
        )
    train = found["indices"]["train"][0]
    expected = clone(learner).fit(X[train], Y[train], sample_weight=weights[train])
    assert found["estimator"][0].costs_ == expected.costs_


# --- trees held out --------------------------------------------------------------------------


@pytest.mark.parametrize("learner", PROTOTYPE_LEARNERS, ids=name_of)
def test_the_best_round_for_the_held_out_trees_is_kept(learner):
    learner = clone(learner).set_params(validation_fraction=0.25, random_state=3)
    learner.fit(X, Y)
    curve = learner.validation_curve_
    assert len(curve) == len(learner.loss_curve_) == learner.n_iter_ + 1
    assert learner.best_iter_ == curve.argmin()
    assert learner.loss_ == learner.loss_curve_[learner.best_iter_]
    assert curve[learner.best_iter_] < curve[0]
    assert learner.score(X, Y) > 0.9
    again = clone(learner).set_params(n_jobs=2).fit(X, Y)
    assert again.costs_ == learner.costs_
    shorter = clone(learner).set_params(max_iter=learner.best_iter_).fit(X, Y)
    assert shorter.costs_ == learner.costs_


def test_nothing_is_learned_from_noise_that_the_held_out_trees_do_not_confirm():
    trees, _ = words(60, 8)
    trees = tm.TreeSet([tm.Tree.from_sequence(tree.labels[1:]) for tree in trees])
    y = np.random.RandomState(0).randint(2, size=60)
    kept = [
        BEDL(
            regularisation=0.0,
            validation_fraction=0.5,
            patience=1,
            fallback=False,
            random_state=s,
        )
        .fit(trees, y)
        .best_iter_
        for s in range(8)
    ]
    assert 0 in kept


@pytest.mark.parametrize("fraction", [0.0, 1.0, -1, "half", np.nan])
def test_the_share_of_held_out_trees_is_checked(fraction):
    for learner in (BEDL, LVQCosts):
        with pytest.raises(ValueError, match="'validation_fraction' parameter"):
            learner(validation_fraction=fraction).fit(X, Y)
    with pytest.raises(ValueError, match="'validation_fraction' parameter of BEDL"):
        BEDL(validation_fraction=0.5).fit(X[[0, 59]], [0, 1])


# --- scores of classes, and the metric -----------------------------------------------------------


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_scores_agree_with_predictions(learner, n_classes):
    y = np.arange(60) % 3 if n_classes == 3 else Y % n_classes
    fitted = clone(learner).fit(X[:40], y[:40])
    shares, scores = fitted.predict_proba(X), fitted.decision_function(X)
    predicted = fitted.predict(X)
    assert shares.shape == (60, n_classes)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0).all()
    assert fitted.classes_[shares.argmax(axis=1)].tolist() == predicted.tolist()
    assert scores.shape == ((60, 3) if n_classes == 3 else (60,))
    best = scores.argmax(axis=1) if n_classes == 3 else (scores > 0).astype(int)
    assert fitted.classes_[best].tolist() == predicted.tolist()


def test_shares_are_those_of_the_distances():
    fitted = BEDL().fit(X, Y)
    near = fitted.transform(X)[:, fitted.prototypes_]
    np.testing.assert_allclose(
        fitted.predict_proba(X)[:, 0],
        near[:, 1] / near.sum(axis=1),
        atol=1e-12,
    )


def test_probabilities_can_be_calibrated():
    model = CalibratedClassifierCV(BEDL(max_iter=2), cv=2).fit(list(X), Y)
    assert model.predict_proba(list(X[:3])).shape == (3, 2)


@pytest.mark.parametrize("script", ["average", "one"])
@pytest.mark.parametrize("distance", ["actual", "pseudo"])
def test_distances_among_trees(distance, script, monkeypatch):
    random = np.random.default_rng(0)
    symmetric = random.random((5, 5))
    symmetric += symmetric.T
    np.fill_diagonal(symmetric, 0)
    for table in (symmetric, random.random((5, 5)) * (1 - np.eye(5))):
        costs = tm.CostMatrix("abcd", table)
        metric = LearnedMetric(costs, tm.UnitCosts(), distance, counting={"script": script})
        expected = metric.pairwise(X, X)
        np.testing.assert_allclose(metric.pairwise(X), expected, rtol=1e-12)
        with monkeypatch.context() as patch:
            patch.setattr("treemetric.learning._metric._ENTRIES", 20_000)
            np.testing.assert_allclose(metric.pairwise(X), expected, rtol=1e-12)
    assert metric.pairwise([tm.Tree.from_sequence("ax")]).tolist() == [[0.0]]
    with pytest.raises(UnknownLabelError):
        LearnedMetric(costs, tm.UnitCosts(), distance, "error").pairwise(
            [tm.Tree.from_sequence("ax")]
        )


def test_learners_in_pipelines_with_weights():
    model = make_pipeline(BEDL(max_iter=2), KNeighborsClassifier(1, metric="precomputed"))
    model.fit(X, Y, bedl__sample_weight=np.r_[np.zeros(5), np.ones(55)])
    assert model.score(X, Y) == 1.0


@pytest.mark.parametrize("make", [NCACosts, KernelRegressionCosts, BEDL, LVQCosts, GESL])
@pytest.mark.filterwarnings("ignore::treemetric.exceptions.CollapsedCostsWarning")
def test_the_table_of_costs_has_the_labels_of_training(make):
    trees = [tm.Tree.from_sequence(word) for word in ("aa", "ab", "cc", "cb")]
    learner = make(random_state=0).fit(trees, [0, 0, 1, 1])
    assert sorted(learner.costs_.alphabet) == ["a", "b", "c"]
    new = tm.Tree.from_sequence("az")
    with pytest.raises(UnknownLabelError, match="'z'"):
        tm.distance(trees[0], new, costs=learner.costs_)
    assert learner.get_metric()(new, trees[0]) == pytest.approx(learner.transform([new])[0, 0])
    assert learner.predict([new]).shape == (1,)
    if not learner._has_learned():
        kept = tm.UnitCosts().to_matrix(learner.trees_.alphabet)
        assert learner.get_metric().costs == kept
        if make is not GESL:
            np.testing.assert_allclose(learner.costs_.matrix, kept.matrix)
