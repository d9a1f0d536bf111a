"""BEDL and LVQCosts keep the initial costs where learned costs are not better."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import cross_validate

import treemetric as tm
from treemetric._estimators.holdout import held_numbers
from treemetric.datasets import make_glycans, make_strings
from treemetric.exceptions import UnknownLabelError
from treemetric.inspection import changed_pairs, label_weights, learning_curve, telling_edits
from treemetric.learning import BEDL, LVQCosts
from treemetric.learning import _cross_fit as module
from treemetric.learning._bagging import equal_trees
from treemetric.learning._cross_fit import Fit, cross_fit, parts_of

STRINGS = make_strings(60, random_state=0)
X, Y = STRINGS.data, STRINGS.target
NOISE = make_glycans(40, random_state=0).data
COIN = np.random.RandomState(0).randint(2, size=40)
LEARNERS = [BEDL(random_state=0), BEDL(2, random_state=0), LVQCosts(random_state=0)]


def name_of(learner):
    return type(learner).__name__


def plain(learner):
    return clone(learner).set_params(fallback=False)


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
def test_learned_costs_are_those_without_a_check(learner):
    checked, free = clone(learner).fit(X, Y), plain(learner).fit(X, Y)
    assert checked.learned_
    assert free.learned_
    assert checked.costs_ == free.costs_
    assert checked.prototypes_.tolist() == free.prototypes_.tolist()
    np.testing.assert_array_equal(checked.loss_curve_, free.loss_curve_)
    scores = checked.validation_scores_
    assert free.validation_scores_ == {}
    assert scores["gain"] == pytest.approx(scores["unit"] - scores["learned"])
    assert scores["gain"] > 1.3 * scores["standard_error"] > 0
    assert scores["learned_error"] < scores["unit_error"]


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
def test_unit_costs_are_kept_where_nothing_decides(learner):
    kept, free = clone(learner).fit(NOISE, COIN), plain(learner).fit(NOISE, COIN)
    assert free.learned_
    assert not kept.learned_
    scores = kept.validation_scores_
    assert scores["gain"] < 1.3 * scores["standard_error"] or (
        scores["learned_error"] > scores["unit_error"]
    )
    assert kept.n_iter_ == kept.best_iter_ == 0
    assert kept.loss_ == kept.loss_curve_[0] == free.loss_curve_[0]
    unit = tm.pairwise_distances(NOISE)
    np.testing.assert_array_equal(kept.transform(NOISE), unit)
    assert kept.get_metric().costs == tm.UnitCosts().to_matrix(kept.costs_.alphabet)
    np.testing.assert_allclose(kept.costs_.matrix, kept.get_metric().costs.matrix)
    # Prototypes, which are those of no round at all.
    without = clone(learner).set_params(max_iter=0).fit(NOISE, COIN)
    assert kept.prototypes_.tolist() == without.prototypes_.tolist()
    to_prototypes = unit[:, kept.prototypes_]
    near = [to_prototypes[:, kept.prototype_labels_ == c].min(axis=1) for c in kept.classes_]
    np.testing.assert_array_equal(kept.predict(NOISE), np.argmin(near, axis=0))
    assert kept.predict_proba(NOISE).shape == (40, 2)
    # Labels that training has not seen.
    new = [tm.Tree.from_sequence(["Gal_1a3", "other"])]
    np.testing.assert_array_equal(kept.transform(new), tm.pairwise_distances(new, NOISE))
    again = pickle.loads(pickle.dumps(kept))
    np.testing.assert_array_equal(again.transform(new), kept.transform(new))
    with pytest.raises(UnknownLabelError):
        kept.set_params(unseen="error").transform(new)


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
def test_what_was_kept_can_be_inspected(learner):
    kept = clone(learner).fit(NOISE, COIN)
    weights = label_weights(kept)
    assert not weights.learned
    np.testing.assert_allclose(weights.weights, 1.0)
    assert len(telling_edits(kept, NOISE, COIN).labels)
    for pair in (pairs := changed_pairs(kept, NOISE, COIN)).closer + pairs.apart:
        assert pair.before == pytest.approx(pair.after)
    curve = learning_curve(learner, NOISE, COIN, sizes=[30], n_repeats=2)
    assert curve.used[0] < 1


@pytest.mark.parametrize("make", [BEDL, LVQCosts])
def test_nothing_to_compare(make):
    trees = [tm.Tree.from_sequence(word) for word in ("aa", "ab")]
    # Without one of the trees there is one class.
    for y in ([0, 1], [0, 0]):
        learner = make().fit(trees, y)
        assert not learner.learned_
        assert learner.validation_scores_ == {}
    assert make(fallback=False).fit(trees, [0, 1]).validation_scores_ == {}
    equal = make().fit([trees[0]] * 6, [0, 1] * 3)
    assert not equal.learned_
    assert not make(max_iter=0).fit(X, Y).learned_
    with pytest.raises(TypeError, match=f"'fallback' parameter of {make.__name__}"):
        make(fallback="yes").fit(X, Y)


def test_classes_of_one_tree_and_numbers_of_prototypes():
    y = np.where(np.arange(60) == 59, 7, Y)
    for wanted in ({0: 2, 1: 1, 7: 1}, [2, 1, 1]):
        learner = BEDL(wanted, random_state=0).fit(X, y)
        assert learner.learned_
        assert np.bincount(learner.prototype_labels_).tolist() == [2, 1, 0, 0, 0, 0, 0, 1]


def test_initial_costs_of_all_kinds():
    # All of these separate the classes before anything is learned, or never do.
    vectors = tm.VectorCosts("abcd", np.random.RandomState(0).standard_normal((4, 3)))
    table = tm.UnitCosts().to_matrix("abcde")
    first = plain(BEDL()).fit(X, Y).costs_
    for learner in (
        BEDL(init=vectors),
        BEDL(init=first),
        BEDL(n_components=2, random_state=0),
        BEDL(temperature=0.3),
        BEDL(batch_size=8, random_state=0),
        BEDL(validation_fraction=0.2, random_state=0),
        BEDL(n_candidates=5, random_state=0),
        BEDL(distance="pseudo"),
        LVQCosts(initial_costs=table),
    ):
        fitted = clone(learner).fit(X, Y)
        assert fitted.validation_scores_
        start = clone(learner).set_params(max_iter=0).fit(X, Y)
        if fitted.learned_:
            assert fitted.costs_ == plain(learner).fit(X, Y).costs_
        else:
            np.testing.assert_array_equal(fitted.transform(X), start.transform(X))
    # The check favours costs that were learned from the same trees.
    assert not BEDL(init=first).fit(X, Y).learned_


def test_a_part_that_is_too_small_to_hold_out_a_tree():
    trees = [tm.Tree.from_sequence(word) for word in ("aa", "ab", "ba", "cc", "cb", "bc")]
    learner = BEDL(validation_fraction=0.2, random_state=0)
    assert held_numbers(np.array([3, 3]), 0.2).tolist() == [1, 1]
    assert held_numbers(np.array([1, 2]), 0.2).tolist() == [0, 0]
    assert learner.fit(trees, [0, 0, 0, 1, 1, 1]).validation_scores_ == {}


def test_the_result_depends_neither_on_threads_nor_on_chance():
    one = BEDL().fit(NOISE, COIN)
    two = BEDL(random_state=3, n_jobs=2).fit(NOISE, COIN)
    assert one.validation_scores_ == two.validation_scores_
    assert one.costs_ == two.costs_


def test_weights_reach_the_check():
    # Coins are thrown for trees of weight 0; the others are strings.
    trees = [*X[:40], *NOISE[:20]]
    y, weights = np.r_[Y[:40], COIN[:20]], np.r_[np.ones(40), np.zeros(20)]
    order = np.random.RandomState(1).permutation(60)
    args = [trees[i] for i in order], y[order]
    kept = order[order < 40]
    fitted = LVQCosts(random_state=0).fit(*args, sample_weight=weights[order])
    expected = LVQCosts(random_state=0).fit([trees[i] for i in kept], y[kept])
    assert fitted.validation_scores_ == expected.validation_scores_
    heavy = np.where(COIN == 0, 3.0, 1.0)
    weighted = LVQCosts(random_state=0).fit(NOISE, COIN, sample_weight=heavy)
    plain_scores = LVQCosts(random_state=0).fit(NOISE, COIN).validation_scores_
    assert weighted.validation_scores_ != plain_scores
    with sklearn.config_context(enable_metadata_routing=True):
        asking = LVQCosts(random_state=0).set_fit_request(sample_weight=True)
        asking.set_score_request(sample_weight=False)
        found = cross_validate(
            asking,
            NOISE,
            COIN,
            cv=2,
            params={"sample_weight": heavy},
            return_estimator=True,
            return_indices=True,
            error_score="raise",
        )
    train = found["indices"]["train"][0]
    alone = LVQCosts(random_state=0).fit(NOISE[train], COIN[train], sample_weight=heavy[train])
    assert found["estimator"][0].validation_scores_ == alone.validation_scores_


def test_parts_share_equal_trees_and_spread_classes():
    random = np.random.RandomState(0)
    groups = equal_trees(tm.TreeSet([*X, *X[:15]]))
    codes = np.r_[Y, Y[:15]]
    parts = parts_of(codes, groups, 3, random)
    for group in np.unique(groups):
        assert len(np.unique(parts[groups == group])) == 1
    _, first = np.unique(groups, return_index=True)
    counts = np.array([np.bincount(parts[first][codes[first] == c], minlength=3) for c in (0, 1)])
    assert np.ptp(counts, axis=1).max() <= 1


def test_prototypes_are_classified_without_the_part(monkeypatch):
    # Prototypes of the second class only: all trees of the first one are wrong.
    seen = []
    monkeypatch.setattr(module, "compare", lambda *args: seen.append(args))
    calls = []

    def fit(number, rows):
        calls.append((number, rows))
        return None if number == 2 else Fit(tm.UnitCosts(), rows[:1] * 0, rows[:1] * 0 + 59)

    codes = Y.astype(np.int64)
    cross_fit(X, codes, np.ones(60), tm.UnitCosts(), fit, None)
    assert [number for number, _ in calls] == [0, 1, 2]
    before, after, weight, first_weight = seen[0]
    asked = np.setdiff1d(calls[2][1], [])  # the trees of the first two parts
    assert before.shape == after.shape == (4, len(asked))
    np.testing.assert_array_equal(before[:3], after[:3])
    np.testing.assert_array_equal(before[3], codes[asked] != codes[0])
    np.testing.assert_array_equal(after[3], codes[asked] != codes[59])
    assert weight.tolist() == [1.0] * len(asked)
    for code in (0, 1):
        every = first_weight[codes[asked] == code]
        assert every.sum() == pytest.approx(len(every) / np.sum(codes == code))
