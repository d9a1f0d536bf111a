"""Weights of training data, probabilities, early stopping and metadata routing of classifiers."""

import numpy as np
import pytest
import sklearn
from scipy.stats import rankdata
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

import treemetric as tm
from treemetric.classification import (
    DistanceSVC,
    GoodnessClassifier,
    MedianGLVQ,
    RelationalGLVQ,
)
from treemetric.classification._calibration import as_columns, best_slope, calibrate
from treemetric.classification._goodness import objective, separate

CLASSIFIERS = [MedianGLVQ, RelationalGLVQ, DistanceSVC, GoodnessClassifier]
every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


def trees_of_classes(n=36, classes=2, seed=0):
    """Random trees whose class is mostly the first label."""
    random = np.random.RandomState(seed)
    y = np.arange(n) % classes
    trees = []
    for label in y:
        size = random.randint(2, 8)
        own = "abc"[label] * 3 + "abc"
        names = [own[random.randint(len(own))] for _ in range(size)]
        parents = [-1, *(random.randint(max(0, i - 1), i) for i in range(1, size))]
        trees.append(tm.Tree.from_parents(names, parents))
    return trees, y


TREES, Y = trees_of_classes()
TREES3, Y3 = trees_of_classes(45, 3, seed=1)
QUERIES, _ = trees_of_classes(20, 2, seed=2)
WEIGHTS = np.random.RandomState(0).gamma(1.0, size=len(Y))


@every_classifier
def test_equal_weights_are_no_weights(kind):
    plain = kind(random_state=0) if "random_state" in kind().get_params() else kind()
    expected = plain.fit(TREES, Y).decision_function(QUERIES)
    for weights in (np.ones(len(Y)), [1] * len(Y), 1.0):
        found = plain.fit(TREES, Y, sample_weight=weights).decision_function(QUERIES)
        assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", [MedianGLVQ, RelationalGLVQ, GoodnessClassifier])
def test_a_weight_of_0_leaves_out(kind):
    weights = np.where(np.arange(len(Y)) % 5 == 1, 0.0, 1.0)
    kept = np.flatnonzero(weights)
    some = [TREES[i] for i in kept]
    found = kind().fit(TREES, Y, sample_weight=weights)
    twin = kind().fit(some, Y[kept], sample_weight=weights[kept])
    np.testing.assert_array_equal(found.decision_function(QUERIES), twin.decision_function(QUERIES))


def test_a_weight_of_0_leaves_out_in_a_machine_with_a_given_bandwidth():
    weights = np.where(np.arange(len(Y)) % 5 == 1, 0.0, 1.0)
    kept = np.flatnonzero(weights)
    model = DistanceSVC(bandwidth=4.0, eigenvalues="none")
    found = model.fit(TREES, Y, sample_weight=weights).decision_function(QUERIES)
    support = model.support_
    twin = model.fit([TREES[i] for i in kept], Y[kept]).decision_function(QUERIES)
    assert found == pytest.approx(twin, abs=1e-6)
    np.testing.assert_array_equal(support, kept[model.support_])


@pytest.mark.parametrize("kind", [MedianGLVQ, DistanceSVC, GoodnessClassifier])
def test_weights_that_are_ints_are_repetitions(kind):
    counts = np.random.RandomState(3).randint(1, 4, size=len(Y))
    rows = np.repeat(np.arange(len(Y)), counts)
    params = {"bandwidth": 4.0, "eigenvalues": "none", "tol": 1e-9} if kind is DistanceSVC else {}
    weighted = kind(**params).fit(TREES, Y, sample_weight=counts)
    repeated = kind(**params).fit([TREES[i] for i in rows], Y[rows])
    np.testing.assert_array_equal(weighted.predict(QUERIES), repeated.predict(QUERIES))
    if kind is not DistanceSVC:
        assert weighted.loss_ == pytest.approx(repeated.loss_)
    else:
        found = weighted.decision_function(QUERIES)
        assert found == pytest.approx(repeated.decision_function(QUERIES), abs=1e-5)


def test_mixtures_of_repeated_points_have_the_same_loss():
    counts = np.random.RandomState(3).randint(1, 4, size=len(Y))
    rows = np.repeat(np.arange(len(Y)), counts)
    options = {"max_iter": 1000, "tol": 1e-12}
    weighted = RelationalGLVQ(**options).fit(TREES, Y, sample_weight=counts)
    repeated = RelationalGLVQ(**options).fit([TREES[i] for i in rows], Y[rows])
    assert weighted.loss_curve_[0] == pytest.approx(repeated.loss_curve_[0])
    assert weighted.loss_ == pytest.approx(repeated.loss_, rel=1e-2)


def test_the_machine_is_that_of_scikit_learn_with_weights():
    distances = tm.pairwise_distances(TREES)
    model = DistanceSVC(bandwidth=4.0, eigenvalues="none").fit(TREES, Y, sample_weight=WEIGHTS)
    kernel = np.exp(-(distances**2) / 32)
    machine = SVC(kernel="precomputed").fit(kernel, Y, sample_weight=WEIGHTS)
    assert model.decision_function(TREES) == pytest.approx(machine.decision_function(kernel))


def test_the_weighted_linear_program_is_solved():
    random = np.random.RandomState(0)
    similarities = random.uniform(-1, 1, size=(30, 8))
    signs = np.where(random.uniform(size=30) < 0.5, 1.0, -1.0)
    weights = random.gamma(1.0, size=30)
    found = separate(similarities, signs, 0.3, weights)
    assert found.gap < 1e-7
    assert found.loss == pytest.approx(objective(found.weights, similarities, signs, 0.3, weights))
    for _ in range(50):
        other = found.weights + 0.1 * random.normal(size=8)
        assert objective(other, similarities, signs, 0.3, weights) >= found.loss - 1e-9


def with_probabilities():
    yield MedianGLVQ(2)
    yield RelationalGLVQ()
    yield DistanceSVC(probability=True)


@pytest.mark.parametrize("model", list(with_probabilities()), ids=str)
def test_probabilities_agree_with_decisions(model):
    for trees, y in ((TREES, Y), (TREES3, Y3)):
        model.fit(trees, y)
        shares, values = model.predict_proba(QUERIES), model.decision_function(QUERIES)
        assert shares.shape == (len(QUERIES), len(model.classes_))
        assert shares.sum(axis=1) == pytest.approx(np.ones(len(QUERIES)))
        assert (shares >= 0).all()
        np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(QUERIES))
        if values.ndim == 1:
            ranks = [rankdata(column.round(10)) for column in (shares[:, 1], values)]
            np.testing.assert_array_equal(*ranks)
        else:
            np.testing.assert_array_equal(shares.argmax(axis=1), values.argmax(axis=1))
    only = model.fit(TREES, ["z"] * len(TREES))
    assert only.predict_proba(QUERIES).tolist() == [[1.0]] * len(QUERIES)


def test_shares_by_relative_distances():
    words = ("aaa", "aab", "ccc", "ccd")
    model = MedianGLVQ().fit([tm.Tree.from_sequence(word) for word in words], [0, 0, 1, 1])
    queries = [tm.Tree.from_sequence(word) for word in ("aac", "ca", "ccc")]
    near = tm.pairwise_distances(queries, [model.trees_[i] for i in model.prototypes_])
    expected = near[:, ::-1] / near.sum(axis=1, keepdims=True)
    assert model.predict_proba(queries) == pytest.approx(expected)


def test_machines_have_probabilities_on_demand():
    model = DistanceSVC().fit(TREES, Y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "slope_")
    with pytest.raises(AttributeError, match="predict_proba"):
        model.predict_proba(TREES)
    with pytest.raises(ValueError, match="must be False if a class has only one sample"):
        DistanceSVC(probability=True).fit(TREES, ["x"] * (len(TREES) - 1) + ["y"])


def test_probabilities_of_machines_are_about_calibrated():
    data = trees_of_classes(300, 2, seed=5)
    flipped = np.random.RandomState(0).uniform(size=300) < 0.2
    y = np.where(flipped, 1 - data[1], data[1])
    shares = cross_val_predict(
        DistanceSVC(probability=True), data[0], y, cv=3, method="predict_proba"
    )
    assert abs(shares[:, 1].mean() - y.mean()) < 0.1
    likelihood = -np.log(shares[np.arange(300), y]).mean()
    # Better than the share of the classes, and than certainty with every fifth class wrong.
    assert likelihood < np.log(2) - 0.05


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_slope_has_the_largest_likelihood(classes, weighted):
    random = np.random.RandomState(classes)
    codes = np.arange(60) % classes
    values = random.normal(size=(60, classes)) + np.eye(classes)[codes]
    values = values[:, 1] - values[:, 0] if classes == 2 else values
    weights = random.gamma(1.0, size=60) if weighted else None

    def loss(slope):
        shares = np.ones(60) if weights is None else weights / weights.mean()
        total = 0.0
        for i, code in enumerate(codes):
            size = shares[codes == code].sum()
            scores = slope * as_columns(values)[i]
            logs = scores - np.log(np.exp(scores).sum())
            for other in range(classes):
                target = (size + 1) / (size + 2) if other == code else 1 / (size + 2)
                total -= shares[i] * logs[other] * target / (1 if other == code else classes - 1)
        return total

    found = best_slope(values, codes, weights)
    assert all(loss(found) <= loss(found * factor) + 1e-9 for factor in (0.9, 0.99, 1.01, 1.1))
    assert best_slope(values * 1000, codes, weights) == pytest.approx(found / 1000, rel=1e-3)


def test_the_slope_does_not_see_weights_of_0():
    weights = np.where(np.arange(len(Y)) % 5 == 1, 0.0, WEIGHTS)
    kept = np.flatnonzero(weights)
    model = DistanceSVC(bandwidth=4.0, eigenvalues="none", probability=True)
    found = model.fit(TREES, Y, sample_weight=weights).slope_
    some = [TREES[i] for i in kept]
    assert found == pytest.approx(model.fit(some, Y[kept], sample_weight=weights[kept]).slope_)


def test_the_slope_comes_from_points_that_were_left_out():
    kernel = np.exp(-(tm.pairwise_distances(TREES) ** 2) / 32)
    machine = SVC(kernel="precomputed")
    values = cross_val_predict(machine, kernel, Y, cv=5, method="decision_function")
    found = calibrate(machine, kernel, Y, None, np.arange(2))
    assert found == pytest.approx(best_slope(values, Y, None))


@pytest.mark.parametrize("kind", [MedianGLVQ, RelationalGLVQ])
def test_early_stopping_keeps_the_best_for_the_points_held_out(kind):
    trees, y = trees_of_classes(60, 3, seed=4)
    options = {"tol": 0.0, "max_iter": 60, "random_state": 0, "n_prototypes": 2}
    model = kind(validation_fraction=0.3, patience=2, **options).fit(trees, y)
    curve = model.validation_curve_
    assert len(curve) == len(model.loss_curve_)
    assert len(curve) - 1 - int(curve.argmin()) <= 2
    assert model.loss_ == pytest.approx(model.loss_curve_[int(curve.argmin())])
    # The same seed holds out the same points, and more patience is never worse for them.
    longer = kind(validation_fraction=0.3, patience=50, **options).fit(trees, y)
    assert longer.validation_curve_.min() <= curve.min()
    assert not hasattr(kind(**options).fit(trees, y), "validation_curve_")
    again = kind(validation_fraction=0.3, patience=2, **options).fit(trees, y)
    np.testing.assert_array_equal(again.predict(trees), model.predict(trees))


@pytest.mark.parametrize("kind", [MedianGLVQ, RelationalGLVQ])
def test_too_little_to_hold_out(kind):
    with pytest.raises(ValueError, match=r"'validation_fraction' parameter of .* large enough"):
        kind(validation_fraction=0.1).fit(TREES[:4], Y[:4])


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@every_classifier
@pytest.mark.usefixtures("routing")
def test_weights_are_routed(kind):
    params = {"random_state": 0} if "random_state" in kind().get_params() else {}
    model = Pipeline(
        [
            ("same", FunctionTransformer()),
            ("model", kind(**params).set_fit_request(sample_weight=True)),
        ]
    )
    model.fit(TREES, Y, sample_weight=WEIGHTS)
    alone = kind(**params).fit(TREES, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(
        model.decision_function(QUERIES), alone.decision_function(QUERIES)
    )
    # Not by the method score: scikit-learn 1.6 does not route weights to that of a pipeline.
    scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
    options = {"scoring": scorer, "params": {"sample_weight": WEIGHTS}, "return_estimator": True}
    found = cross_validate(model, TREES, Y, cv=3, **options)
    assert len(found["test_score"]) == 3
    # The weights of the first fold reached the first model.
    first = np.arange(len(Y))[12:]
    twin = kind(**params).fit([TREES[i] for i in first], Y[first], sample_weight=WEIGHTS[first])
    np.testing.assert_array_equal(
        found["estimator"][0].decision_function(QUERIES), twin.decision_function(QUERIES)
    )
    refused = kind(**params).set_fit_request(sample_weight=False)
    with pytest.raises(TypeError, match="unexpected argument"):
        Pipeline([("model", refused)]).fit(TREES, Y, sample_weight=WEIGHTS)


@every_classifier
@pytest.mark.usefixtures("routing")
def test_weights_are_routed_through_searches(kind):
    model = kind().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    search = GridSearchCV(model, {"n_jobs": [1, 2]}, cv=2).fit(TREES, Y, sample_weight=WEIGHTS)
    twin = kind().fit(TREES, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(search.predict(QUERIES), twin.predict(QUERIES))


@every_classifier
def test_classifiers_can_be_calibrated(kind):
    model = CalibratedClassifierCV(kind(), cv=2, ensemble=False).fit(TREES, Y)
    shares = model.predict_proba(QUERIES)
    assert shares.shape == (len(QUERIES), 2)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(QUERIES)))
