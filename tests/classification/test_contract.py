"""Classifiers keep scikit-learn's contract: its checks on distances, ours on trees."""

import sys
import time

import numpy as np
import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

import treemetric as tm
from treemetric._base.progress import stage
from treemetric.classification import (
    DistanceSVC,
    GoodnessClassifier,
    MedianGLVQ,
    RelationalGLVQ,
)
from treemetric.exceptions import UnknownLabelError
from treemetric.features import TreeFeatures
from treemetric.kernels import TreeKernel
from treemetric.testing import tree_estimator_checks

CLASSIFIERS = [MedianGLVQ, RelationalGLVQ, DistanceSVC, GoodnessClassifier]
ON_DISTANCES = [
    *(kind(metric="precomputed") for kind in CLASSIFIERS),
    MedianGLVQ(3, metric="precomputed", squashing="logistic", n_init=2),
    MedianGLVQ(metric="precomputed", validation_fraction=0.2),
    RelationalGLVQ(metric="precomputed", validation_fraction=0.2),
    DistanceSVC(metric="precomputed", eigenvalues="flip", bandwidth=2.0),
    DistanceSVC(metric="precomputed", probability=True),
]
ON_TREES = [
    *(kind() for kind in CLASSIFIERS),
    MedianGLVQ(2, squashing="logistic", n_init=3),
    RelationalGLVQ(2),
    DistanceSVC(eigenvalues="flip"),
    DistanceSVC(eigenvalues="shift", C=10),
    DistanceSVC(kernel=TreeKernel("partial-tree")),
    DistanceSVC(kernel=TreeFeatures("subtrees"), combine="sum", eigenvalues="shift"),
    GoodnessClassifier(0.1, scale="median", n_landmarks=5),
    MedianGLVQ(ordered=False),
    DistanceSVC(ordered=False),
    DistanceSVC(probability=True),
    MedianGLVQ(2, validation_fraction=0.25),
    RelationalGLVQ(validation_fraction=0.25),
]
TREES = [tm.Tree.from_sequence(w) for w in ("aaa", "aab", "aba", "ccc", "ccd", "cdc")]
Y = np.array([0, 0, 0, 1, 1, 1])
DISTANCES = tm.pairwise_distances(TREES)

every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS)


def scikit_learn_checks():
    """All checks of scikit-learn; none is expected to fail.

    One check is left out: it ignores the tag ``pairwise`` and passes a matrix that is not square.
    `test_probabilities_agree_with_decisions` replaces it. Another one has classes of one sample in
    version 1.6, for which there are no probabilities. The generator is that of
    ``parametrize_with_checks``, for which version 1.6 warns under pytest 9.
    """
    for model in ON_DISTANCES:
        for estimator, check in estimator_checks_generator(model):
            name = check.func.__name__
            if name == "check_decision_proba_consistency":
                continue
            if name == "check_dtype_object" and model.get_params().get("probability"):
                continue
            yield pytest.param(estimator, check, id=f"{model}-{name}")


@pytest.mark.parametrize(("estimator", "check"), list(scikit_learn_checks()))
def test_scikit_learn_on_distances(estimator, check):
    check(estimator)


@every_classifier
def test_scikit_learn_has_little_to_say_on_trees(kind):
    with pytest.warns(SkipTestWarning, match="Can't test estimator"):
        results = check_estimator(kind())
    assert [result["status"] for result in results] == ["passed"]


@pytest.mark.parametrize(
    "check",
    [pytest.param(c, id=f"{e}-{c.__name__}") for e in ON_TREES for c in tree_estimator_checks(e)],
)
def test_our_checks_on_trees(check):
    check()


def changed(row, column, value):
    wrong = DISTANCES.copy()
    wrong[row, column] = value
    return wrong


@every_classifier
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (changed(1, 2, np.nan), "contains NaN"),
        (changed(1, 2, np.inf), "contains infinity"),
        (changed(1, 2, -1e-9), "Negative values in data passed to"),
        (changed(1, 2, 1e308), r"must be at most 1e\+150\. Got 1e\+308"),
        (DISTANCES[:, :-1], r"must get a square matrix.*Got an array of shape \(6, 5\)"),
        (DISTANCES[:-1, :-1], "inconsistent numbers of samples"),
        (DISTANCES[0], "Expected 2D array"),
        (np.zeros((0, 0)), "0 sample"),
    ],
)
def test_wrong_distances_are_refused_in_fit(kind, X, message):
    with pytest.raises(ValueError, match=message):
        kind(metric="precomputed").fit(X, Y)


@every_classifier
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (changed(1, 2, np.nan), "contains NaN"),
        (changed(1, 2, -1.0), "Negative values in data passed to"),
        (changed(1, 2, 1e151), "must be at most"),
        (DISTANCES[:, :-1], "X has 5 features, but .* is expecting 6 features"),
        (DISTANCES[:0], "0 sample"),
    ],
)
def test_wrong_distances_are_refused_in_predict(kind, X, message):
    model = kind(metric="precomputed").fit(DISTANCES, Y)
    with pytest.raises(ValueError, match=message):
        model.predict(X)


@every_classifier
def test_targets_of_distances_are_checked_too(kind):
    for y in ([None, "a", "a", "b", "b", "b"], [0, 0, 0, 1, 1, np.nan], [0, 1], None):
        with pytest.raises(ValueError, match=r"None|NaN|inconsistent"):
            kind(metric="precomputed").fit(DISTANCES, y)


@every_classifier
def test_the_largest_distances_do_not_overflow(kind):
    model = kind(metric="precomputed").fit(DISTANCES * 2.0**496, Y)
    assert np.isfinite(model.decision_function(DISTANCES * 2.0**496)).all()


@every_classifier
def test_trees_that_are_too_far_apart(kind):
    with pytest.raises(ValueError, match=r"must be at most 1e\+150"):
        kind(costs=tm.CostMatrix("abcd", 1e200 * (1 - np.eye(5)))).fit(TREES, Y)


@every_classifier
def test_classes_of_mixed_kinds(kind):
    y = np.array(["a", 1, "a", 1, 1, "a"], dtype=object)
    for X, metric in ((TREES, "tree_edit"), (DISTANCES, "precomputed")):
        with pytest.raises(ValueError, match=r"uniformly strings or numbers. Got \['int', 'str'\]"):
            kind(metric=metric).fit(X, y)


@every_classifier
@pytest.mark.parametrize("metric", ["tree_edit", "precomputed"])
def test_a_fit_that_fails_leaves_the_earlier_one(kind, metric, monkeypatch):
    X = TREES if metric == "tree_edit" else DISTANCES
    model = kind(metric=metric).fit(X, Y)
    before, scores = dict(vars(model)), model.decision_function(X)
    with pytest.raises(ValueError, match="uniformly strings or numbers"):
        model.fit(X[:2] if metric == "tree_edit" else X[:2, :2], np.array(["p", 1], dtype=object))

    def fails(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{kind.__module__}.stage", fails)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, ["p", "q", "r", "p", "q", "r"])
    monkeypatch.undo()
    assert all(vars(model)[name] is value for name, value in before.items())
    assert vars(model).keys() == before.keys()
    assert np.array_equal(model.decision_function(X), scores)


@every_classifier
def test_wrong_prototypes_in_a_second_fit(kind):
    params = (
        {"n_jobs": 0} if "n_prototypes" not in kind().get_params() else {"n_prototypes": {7: 1}}
    )
    model = kind().fit(TREES, Y)
    with pytest.raises(ValueError, match="parameter of"):
        model.set_params(**params).fit(TREES[:2], ["p", "q"])
    model.set_params(**{name: kind().get_params()[name] for name in params})
    assert model.predict(TREES).tolist() == Y.tolist()


@every_classifier
def test_distances_without_saying_so_are_refused_with_a_hint(kind):
    with pytest.raises(ValueError, match=r"metric='precomputed' if it holds distances.*\(6, 6\)"):
        kind().fit(DISTANCES, Y)


@every_classifier
def test_a_second_fit_on_the_other_face_forgets_the_first(kind):
    model = kind().fit(TREES, Y).set_params(metric="precomputed").fit(DISTANCES, Y)
    assert not hasattr(model, "trees_")
    assert model.n_features_in_ == 6
    model.set_params(metric="tree_edit").fit(TREES, Y)
    assert not hasattr(model, "n_features_in_")
    assert model.trees_ == tm.TreeSet(TREES)


@every_classifier
def test_cross_validation_cuts_distances_both_ways(kind):
    on_trees = cross_val_score(kind(), TREES, Y, cv=3)
    on_distances = cross_val_score(kind(metric="precomputed"), DISTANCES, Y, cv=3)
    assert np.array_equal(on_trees, on_distances)


@every_classifier
@pytest.mark.parametrize("metric", ["tree_edit", "precomputed"])
def test_one_class_is_always_predicted(kind, metric):
    X = TREES if metric == "tree_edit" else DISTANCES
    model = kind(metric=metric).fit(X, ["only"] * 6)
    assert model.predict(X[:2]).tolist() == ["only", "only"]
    # As with two classes: what is not positive is the first class.
    assert model.decision_function(X[:2]).tolist() == [-1, -1]


@every_classifier
def test_labels_that_the_costs_do_not_know(kind):
    model = kind(costs=tm.CostMatrix("abcd", 1 - np.eye(5))).fit(TREES, Y)
    with pytest.raises(UnknownLabelError, match="'e'"):
        model.predict([tm.Tree.from_sequence("abe")])
    assert kind().fit(TREES, Y).predict([tm.Tree.from_sequence("aae")]).tolist() == [0]


@every_classifier
def test_costs_can_be_searched(kind):
    # Under the first costs all trees of three nodes are the same.
    blind = tm.CostMatrix("abcd", np.kron([[0, 1], [1, 0]], np.ones((4, 4)))[:5, :5])
    search = GridSearchCV(kind(), {"costs": [blind, None]}, cv=3).fit(TREES, Y)
    assert search.best_params_ == {"costs": None}


@every_classifier
def test_wrong_parameters_are_told_before_distances_are_computed(kind, monkeypatch):
    def never(*_args, **_options):
        pytest.fail("distances were computed")

    monkeypatch.setattr("treemetric._estimators.base.pairwise_distances", never)
    wrong = {
        "n_jobs": [0],
        "metric": ["cosine"],
        "costs": ["unit"],
        "verbose": [-1, None, 1.5, "a"],
        "random_state": ["x", -1],
        "n_prototypes": [0, {0: 1}, [1], "a"],
        "class_weight": ["foo", {5: 1.0}],
        "n_landmarks": [0, True],
        "validation_fraction": [0.0, 1.0, "a", -0.5, True],
        "patience": [0, 1.5, None],
        "probability": [None, "yes", 1],
    }
    known = kind().get_params()
    for params in ({name: value} for name in wrong if name in known for value in wrong[name]):
        with pytest.raises((ValueError, TypeError), match=f"'{next(iter(params))}' parameter"):
            kind(**params).fit(TREES, Y)
    with pytest.raises(ValueError, match="inconsistent"):
        kind().fit(TREES, Y[:-1])
    for weights in ([1.0] * 5, [1.0] * 5 + [-1.0], [1.0] * 5 + [np.nan], [1, 1, 1, 0, 0, 0]):
        with pytest.raises(ValueError, match=f"'sample_weight' parameter of {kind.__name__}"):
            kind().fit(TREES, Y, sample_weight=weights)


@every_classifier
def test_a_bar_appears_in_long_stages_only(kind, capfd, monkeypatch):
    # So that the test does not depend on how busy the machine is.
    monkeypatch.setattr("treemetric._base.progress._DELAY", 60.0)
    kind(verbose=1).fit(TREES, Y).predict(TREES)
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr("treemetric._base.progress._DELAY", 0.0)
    model = kind(verbose=1).fit(TREES, Y)
    shown = capfd.readouterr().err
    assert f"{kind.__name__}: distances" in shown
    # The last stage is the optimisation.
    last = shown.replace("\r", "\n").strip().rpartition("\n")[2]
    assert last.startswith(kind.__name__)
    assert "distances" not in last
    model.predict(TREES)
    assert f"{kind.__name__}: distances" in capfd.readouterr().err
    model.set_params(verbose=0).fit(TREES, Y).predict(TREES)
    assert capfd.readouterr() == ("", "")


def wait_for(text):
    """Text that another thread writes, as soon as there is some."""
    for _ in range(1000):
        if found := text():
            return found
        time.sleep(0.01)
    return ""


def test_a_silent_stage_shows_a_bar(capfd, monkeypatch):
    monkeypatch.setattr("treemetric._base.progress._DELAY", 0.01)
    with stage(1, "Model: solver", "steps"):
        assert "Model: solver" in wait_for(lambda: capfd.readouterr().err)
    # It is closed with a line of its own.
    assert capfd.readouterr().err.endswith("\n")


def test_a_line_without_tqdm(capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr("treemetric._base.progress._DELAY", 0.01)
    with stage(1, "Model: solver", "steps") as report:
        report(1, 2)
        assert wait_for(lambda: capfd.readouterr().out) == "[Model: solver] steps ...\n"


@every_classifier
def test_the_order_of_children_counts_unless_it_is_switched_off(kind):
    words = ("{a{b}{c}}", "{a{c}{b}}", "{a{b}{b}}", "{d{e}{f}}", "{d{f}{e}}", "{d{f}{f}}")
    trees = [tm.Tree.from_bracket(word) for word in words]
    distances = tm.unordered_pairwise_distances(trees)
    model = kind(ordered=False).fit(trees, Y)
    twin = kind(metric="precomputed").fit(distances, Y)
    np.testing.assert_array_equal(model.predict(trees), twin.predict(distances))
    assert model.predict([trees[1]]) == model.predict([trees[0]])
    with pytest.raises(TypeError, match=f"'ordered' parameter of {kind.__name__}"):
        kind(ordered=1).fit(trees, Y)
