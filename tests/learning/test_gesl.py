"""GESL as an estimator: pairs, scripts, attributes, and the house rules of scikit-learn."""

import pickle
from random import Random

import numpy as np
import pytest
from hypothesis import given
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import treemetric as tm
from edits import tables
from gesl_reference import L, by_slsqp, loss
from strategies import metric_cases, tree_lists
from treemetric.learning.gesl import GESL, learn_costs

# GESL on a few small trees often makes most edits free.
pytestmark = pytest.mark.filterwarnings("ignore::treemetric.exceptions.CollapsedCostsWarning")


def strings(count, seed=0):
    """Chains of class 0 with c or d at the fourth place, of class 1 at the third, among a and b."""
    random = Random(seed)
    trees, classes = [], []
    for k in range(count):
        place = 3 - k % 2
        text = [random.choice("ab") for _ in range(6)]
        text[place] = random.choice("cd")
        trees.append(tm.Tree.from_sequence("".join(text)))
        classes.append(k % 2)
    return trees, np.array(classes)


X, Y = strings(24)
D = tm.pairwise_distances(X)

VARIANTS = {
    "G1": {"script": "one"},
    "G2": {"script": "average"},
    "G3": {"pairs": "prototypes", "n_prototypes": 2},
}


def split_counts(learner, trees):
    return tuple(
        tm.edit_counts(trees, pairs=pairs, costs=learner.initial_costs_, script=learner.script)
        for pairs in learner.pairs_
    )


# --- what is learned -------------------------------------------------------------------


@pytest.mark.parametrize("metric", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_the_learner_solves_the_program_of_its_pairs(name, metric):
    learner = GESL(beta=0.5, metric=metric, **VARIANTS[name]).fit(X, Y)
    counts = split_counts(learner, X)
    value = loss(*tables(counts), learner.costs_.matrix, learner.margin_, 0.5)
    assert learner.loss_ == pytest.approx(value, rel=1e-10)
    assert 0 <= learner.duality_gap_ <= 1e-8 * learner.loss_
    assert 0 <= learner.margin_ <= L
    same = learn_costs(*counts, beta=0.5, metric=metric)
    assert same == (
        learner.costs_,
        learner.margin_,
        learner.loss_,
        learner.duality_gap_,
        learner.n_iter_,
    )
    assert learner.costs_.is_pseudo_metric() or not metric


def test_against_another_solver():
    trees, classes = X[:8], Y[:8]
    learner = GESL(beta=0.5).fit(trees, classes)
    other, _ = by_slsqp(*tables(split_counts(learner, trees)), 0.5)
    assert learner.loss_ == pytest.approx(other, rel=1e-5)


def test_the_variants_differ():
    losses = {name: GESL(beta=0.5, **options).fit(X, Y).loss_ for name, options in VARIANTS.items()}
    assert len({round(value, 6) for value in losses.values()}) == 3


def test_initial_costs_choose_pairs_and_alignments():
    costs = tm.CostMatrix(
        "abcd", 1 - np.eye(5) + np.diag([0, 0, 0, 3], 1) + np.diag([0, 0, 0, 3], -1)
    )
    learner = GESL(initial_costs=costs).fit(X, Y)
    assert learner.initial_costs_ is costs
    distances = tm.pairwise_distances(X, costs=costs)
    check_neighbors(learner.pairs_, distances, Y, 1)
    scaled = tm.CostMatrix("abcd", L * (1 - np.eye(5)))
    # Costs in proportion have the same alignments.
    np.testing.assert_allclose(
        GESL(initial_costs=scaled).fit(X, Y).loss_, GESL().fit(X, Y).loss_, rtol=1e-7
    )


# --- pairs -----------------------------------------------------------------------------


def check_neighbors(pairs, distances, classes, count):
    close, far = pairs
    for i in range(len(classes)):
        same = [j for j in range(len(classes)) if classes[j] == classes[i] and j != i]
        other = [j for j in range(len(classes)) if classes[j] != classes[i]]
        expected = sorted(same, key=lambda j: (distances[i, j], j))[:count]
        assert close[close[:, 0] == i, 1].tolist() == expected
        expected = sorted(other, key=lambda j: (-distances[i, j], j))[:count]
        assert far[far[:, 0] == i, 1].tolist() == expected


@pytest.mark.parametrize("count", [1, 3, 100])
def test_neighbors_are_the_closest_and_the_furthest(count):
    learner = GESL(n_neighbors=count).fit(X, Y)
    check_neighbors(learner.pairs_, D, Y, count)
    assert np.array_equal(learner.prototypes_, np.arange(len(X)))
    assert np.array_equal(learner.prototype_labels_, Y)


def test_neighbors_of_three_classes():
    classes = np.arange(len(X)) % 3
    check_neighbors(GESL(n_neighbors=2).fit(X, classes).pairs_, D, classes, 2)


def test_prototypes_are_paired_with_the_closest_trees():
    classes = np.array(list("pqr") * 8)
    learner = GESL(pairs="prototypes", n_prototypes=2).fit(X, classes)
    chosen = learner.prototypes_
    assert len(chosen) == 6
    assert sorted(learner.prototype_labels_) == list("ppqqrr")
    assert np.array_equal(classes[chosen], learner.prototype_labels_)
    for pairs, own in zip(learner.pairs_, (True, False), strict=True):
        assert np.array_equal(pairs[:, 0], np.arange(len(X)))
        for i, j in pairs:
            candidates = chosen[(classes[chosen] == classes[i]) == own]
            assert j in candidates
            assert D[i, j] == D[i, candidates].min()


def test_prototypes_per_class():
    learner = GESL(pairs="prototypes", n_prototypes={0: 1, 1: 3}).fit(X, Y)
    assert np.bincount(learner.prototype_labels_).tolist() == [1, 3]


# --- transform and predict -------------------------------------------------------------


@pytest.mark.parametrize("name", VARIANTS)
def test_predict_goes_by_the_nearest_prototype(name):
    for distance in ("actual", "pseudo"):
        learner = GESL(beta=0.5, metric=True, distance=distance, **VARIANTS[name]).fit(X, Y)
        unknown, _ = strings(6, seed=9)
        distances = learner.transform(unknown)
        assert distances.shape == (6, len(X))
        nearest = distances[:, learner.prototypes_].argmin(axis=1)
        assert np.array_equal(learner.predict(unknown), learner.prototype_labels_[nearest])


def test_the_actual_distance_is_that_of_the_closure():
    learner = GESL(beta=0.5, script="one", distance="actual").fit(X, Y)
    assert not learner.costs_.is_pseudo_metric()
    expected = tm.pairwise_distances(X, costs=learner.costs_.closure())
    np.testing.assert_array_equal(learner.transform(X), expected)
    metric = learner.get_metric()
    assert metric(X[0], X[1]) == expected[0, 1]


@pytest.mark.parametrize("script", ["one", "average"])
def test_the_pseudo_distance_is_what_was_learned(script):
    learner = GESL(beta=0.5, script=script, distance="pseudo").fit(X, Y)
    counts = tm.edit_counts(X, script=script)
    expected = counts.distances(learner.costs_).reshape(len(X), -1)
    np.testing.assert_allclose(learner.transform(X), expected, rtol=1e-12)


def test_learning_tells_the_strings_apart():
    unknown, classes = strings(40, seed=4)
    learner = GESL(beta=0.1, pairs="prototypes", n_prototypes=2, distance="pseudo").fit(X, Y)
    close, far = (learner.transform(X)[tuple(pairs.T)] for pairs in learner.pairs_)
    assert close.mean() < learner.margin_ + L / 2 < far.mean()
    assert learner.score(unknown, classes) > 0.5


@given(tree_lists(min_size=1, max_size=4), metric_cases, metric_cases)
def test_a_pseudo_distance_of_a_metric_is_no_less_than_the_distance(trees, initial, learned):
    for script in ("one", "average"):
        counts = tm.edit_counts(trees, costs=initial.costs, script=script)
        pseudo = counts.distances(learned.costs).reshape(len(trees), -1)
        actual = tm.pairwise_distances(trees, costs=learned.costs)
        assert np.all(pseudo >= actual * (1 - 1e-9) - 1e-9 * learned.largest)


# --- odd data --------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [False, True])
@pytest.mark.parametrize("pairs", ["neighbors", "prototypes"])
def test_one_class_and_one_tree(pairs, metric):
    for trees in (X, X[:1], [tm.Tree.from_bracket("")]):
        learner = GESL(pairs=pairs, metric=metric).fit(trees, ["only"] * len(trees))
        assert not learner.costs_.matrix.any()
        assert learner.loss_ == 0.0
        assert learner.duality_gap_ == 0.0
        assert len(learner.pairs_[1]) == 0
        assert learner.predict(trees).tolist() == ["only"] * len(trees)


def test_a_class_of_one_tree_has_no_close_pair():
    learner = GESL().fit(X[:5], [0, 0, 0, 0, 1])
    assert 4 not in learner.pairs_[0][:, 0]
    assert 4 in learner.pairs_[1][:, 0]


@pytest.mark.parametrize("name", VARIANTS)
def test_equal_trees_of_different_classes(name):
    learner = GESL(**VARIANTS[name]).fit([X[0]] * 4, [0, 0, 1, 1])
    assert learner.transform(X[:1]).tolist() == [[0.0] * 4]
    assert np.isfinite(learner.loss_)


def test_empty_trees_among_others():
    trees = [tm.Tree.from_bracket(""), *X[:5]]
    learner = GESL(metric=True).fit(trees, [0, 0, 0, 1, 1, 1])
    assert np.isfinite(learner.transform(trees)).all()


def test_unseen_labels():
    strange = [tm.Tree.from_sequence("abz")]
    learner = GESL(beta=0.5, unseen="error").fit(X, Y)
    with pytest.raises(tm.exceptions.UnknownLabelError, match="'z'"):
        learner.predict(strange)
    for distance in ("actual", "pseudo"):
        tolerant = GESL(beta=0.5, unseen="gap-like", distance=distance).fit(X, Y)
        assert np.isfinite(tolerant.transform(strange)).all()


# --- the house rules -------------------------------------------------------------------


def test_the_result_depends_on_nothing_but_the_data():
    learners = [
        GESL(beta=0.5).fit(X, Y),
        GESL(beta=0.5, n_jobs=2, random_state=3).fit(tm.TreeSet(X), Y.tolist()),
        GESL(beta=0.5).fit(np.array(X, dtype=object), Y.astype(str)),
    ]
    for other in learners[1:]:
        assert other.costs_ == learners[0].costs_
        assert other.margin_ == learners[0].margin_


def test_clone_pickle_and_refit():
    learner = GESL(beta=0.5, pairs="prototypes", metric=True)
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    learner.fit(X, Y)
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.transform(X[:3]), learner.transform(X[:3]))
    assert again.costs_ == learner.costs_
    first = learner.costs_
    learner.fit(X[:6], Y[:6])
    assert learner.fit(X, Y).costs_ == first


def test_model_selection():
    grid = GridSearchCV(GESL(), {"beta": [0.1, 10.0], "script": ["one", "average"]}, cv=2)
    grid.fit(X, Y)
    assert 0 <= grid.best_score_ <= 1
    assert len(cross_val_score(GESL(unseen="gap-like"), tm.TreeSet(X), Y, cv=3)) == 3


def test_not_fitted():
    with pytest.raises(NotFittedError):
        GESL().transform(X)
    with pytest.raises(NotFittedError):
        GESL().predict(X)


def test_a_fit_that_is_stopped_warns():
    with pytest.warns(ConvergenceWarning, match="more than tol"):
        learner = GESL(max_iter=2).fit(X, Y)
    assert learner.n_iter_ == 2
    assert learner.duality_gap_ > 1e-8 * learner.loss_


def test_verbose_prints_a_line_per_step(capsys):
    learner = GESL(beta=0.5, verbose=2).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == learner.n_iter_
    assert all(line.startswith("[GESL] iteration") for line in lines)
    assert f"{learner.loss_:.6g}" in lines[-1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"beta": -1}, r"'beta' parameter of GESL must be a float in the range \[1e-20, 1e\+20\]"),
        ({"beta": 1e-300}, "'beta' parameter of GESL must be a float in the range"),
        ({"pairs": "all"}, "'pairs' parameter of GESL must be 'neighbors' or 'prototypes'"),
        ({"script": "two"}, "'script' parameter of GESL must be 'average' or 'one'"),
        ({"n_neighbors": 0}, "'n_neighbors' parameter of GESL must be an int"),
        ({"pairs": "prototypes", "n_prototypes": 0}, "'n_prototypes' parameter of GESL"),
        ({"metric": "yes"}, "'metric' parameter of GESL"),
        ({"initial_costs": 1 - np.eye(5)}, "'initial_costs' parameter of GESL"),
        ({"tol": None}, "'tol' parameter of GESL"),
        ({"max_iter": 0}, "'max_iter' parameter of GESL"),
        ({"distance": "true"}, "'distance' parameter of GESL"),
        ({"unseen": "skip"}, "'unseen' parameter of GESL"),
        ({"n_jobs": 0}, "'n_jobs' parameter of GESL"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises((ValueError, TypeError), match=message):
        GESL(**wrong).fit(X, Y)


def test_wrong_data():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        GESL().fit(X, Y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        GESL().fit(X, None)
    with pytest.raises(TypeError, match="'X"):
        GESL().fit([1, 2], [0, 1])
    small = tm.UnitCosts().to_matrix("ab")
    with pytest.raises(tm.exceptions.UnknownLabelError):
        GESL(initial_costs=small).fit(X, Y)


def test_what_stands_for_zero_is_zero():
    # Of the costs that matter none is below a millionth; the solver would leave 1e-13 of others.
    trees = [tm.Tree.from_sequence(s) for s in ("aab", "aba", "baa", "ccb", "cbc", "bcc", "dd")]
    for metric in (False, True):
        learner = GESL(beta=0.01, metric=metric).fit(trees, [0, 0, 0, 1, 1, 1, 1])
        costs = learner.costs_.matrix
        assert ((costs == 0) | (costs > 1e-6 * costs.max())).all()
        assert learner.duality_gap_ <= 1e-8 * learner.loss_
