"""What learned costs say, against slow twins."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treemetric as tm
from treemetric.datasets import make_glycans, make_strings
from treemetric.inspection import (
    changed_pairs,
    label_weights,
    learning_curve,
    telling_edits,
)
from treemetric.inspection._checks import some_pairs
from treemetric.learning import BEDL, GESL, KernelRegressionCosts, LVQCosts, NCACosts
from treemetric.learning._bagging import Verdict

STRINGS = make_strings(40, random_state=2)
X, Y = STRINGS.data, np.asarray(STRINGS.target)
pytestmark = pytest.mark.filterwarnings("ignore::treemetric.exceptions.CollapsedCostsWarning")
LEARNERS = [
    NCACosts(n_fits=3, fallback=False, random_state=0),
    KernelRegressionCosts(n_fits=2, fallback=False, random_state=0),
    BEDL(max_iter=2, random_state=0),
    BEDL(max_iter=2, distance="pseudo", random_state=0),
    LVQCosts(max_iter=2, random_state=0),
    GESL(beta=0.1),
    GESL(beta=0.1, script="one", distance="actual"),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)


@pytest.fixture(scope="module")
def fitted():
    return clone(LEARNERS[0]).fit(X, Y)


# --------------------------------------------------------------------------- weights


@every_learner
def test_weights_are_costs_of_deletions(learner):
    model = clone(learner).fit(X, Y)
    found = label_weights(model)
    assert sorted(found.labels) == sorted(X.alphabet)
    assert (np.diff(found.weights) <= 0).all()
    table = model.costs_.to_matrix(found.labels).matrix
    weights = (table[:-1, -1] + table[-1, :-1]) / 2
    if weights.any():
        np.testing.assert_allclose(found.weights, weights / weights.mean(), atol=0.01)
    trees = [sum(label in tree.labels for tree in X) for label in found.labels]
    assert found.n_trees.tolist() == trees
    several = getattr(model, "n_fits", 1) > 1
    assert np.isfinite(found.low).all() == several
    assert found.learned == (getattr(model, "distance_", "") != "initial")


def test_initial_costs_of_gesl_are_not_learned(monkeypatch):
    glycans = make_glycans(60, random_state=0)
    trees, classes = glycans.data, glycans.target
    model = GESL(random_state=0).fit(trees, classes)
    assert model.distance_ == "initial"
    np.testing.assert_array_equal(model.transform(trees), tm.pairwise_distances(trees))
    assert not label_weights(model).learned
    assert label_weights(clone(model).set_params(distance="pseudo").fit(trees, classes)).learned
    monkeypatch.setattr("treemetric.learning.gesl.helps", lambda *_: Verdict(False, {}))
    curve = learning_curve(GESL(random_state=0), trees, classes, sizes=[1.0], n_repeats=2)
    assert curve.used.tolist() == [0.0]


def test_intervals_are_quantiles_of_fits(fitted):
    fits = {label: fitted.fit_weights_[:, u] for u, label in enumerate(X.alphabet)}
    whole = label_weights(fitted, level=1.0)
    for label, low, high in zip(whole.labels, whole.low, whole.high, strict=True):
        assert low == pytest.approx(fits[label].min())
        assert high == pytest.approx(fits[label].max())
    half = label_weights(fitted, level=0.5)
    assert (half.high - half.low <= whole.high - whole.low + 1e-12).all()
    assert ((half.low <= half.weights) & (half.weights <= half.high)).all()


def test_weights_that_are_not_used():
    random = np.random.RandomState(1)
    for _ in range(6):
        model = NCACosts(n_fits=2, random_state=0).fit(X, random.randint(2, size=40))
        assert label_weights(model).learned == model.learned_
        if not model.learned_:
            return
    raise AssertionError


def test_weights_of_few_labels():
    empty = [tm.Tree.from_sequence("")] * 3
    assert label_weights(NCACosts().fit(empty, [0, 1, 1])).labels == ()
    one = [tm.Tree.from_sequence(word) for word in ("a", "aa", "aaa", "aaaa")]
    found = label_weights(NCACosts(fallback=False).fit(one, [0, 0, 1, 1]))
    assert found.weights.tolist() == pytest.approx([1.0])
    tuples = [tm.Tree.from_sequence([("x", 1), ("y", 2)]), tm.Tree.from_sequence([("x", 1)])]
    frame = label_weights(NCACosts().fit(tuples, [0, 1])).to_frame()
    assert set(frame.index) == {("x", 1), ("y", 2)}


def test_frames_of_weights(fitted):
    pytest.importorskip("pandas")
    found = label_weights(fitted)
    frame = found.to_frame()
    assert frame.index.tolist() == list(found.labels)
    assert frame.index.name == "label"
    assert frame["weight"].tolist() == found.weights.tolist()


# --------------------------------------------------------------------------- edits


@every_learner
def test_contributions_add_up(learner):
    model = clone(learner).fit(X, Y)
    found = telling_edits(model, X, Y)
    distances = model.get_metric().pairwise(X)
    own = [
        np.mean([distances[i, j] for i, j in itertools.combinations(np.flatnonzero(c == Y), 2)])
        for c in (0, 1)
    ]
    between = distances[np.ix_(Y == 0, Y == 1)].mean()
    symmetric = model.costs_.is_symmetric(X.alphabet)
    if symmetric:
        assert found.learned == pytest.approx((between, np.mean(own)))
    assert found.contributions.sum() == pytest.approx(found.learned[0] - found.learned[1])
    assert (np.diff(found.contributions) <= 0).all()
    unit = tm.pairwise_distances(X)
    own = [unit[np.ix_(c == Y, c == Y)].sum() / (20 * 19) for c in (0, 1)]
    assert found.unit == pytest.approx((unit[np.ix_(Y == 0, Y == 1)].mean(), np.mean(own)))


def test_edits_against_alignments():
    words = ["xa", "ya", "xb", "yb"]
    trees = [tm.Tree.from_sequence(word) for word in words]
    model = NCACosts(fallback=False, random_state=0).fit(trees, [0, 0, 1, 1])
    found = telling_edits(model, trees, [0, 0, 1, 1])
    times = {}
    for i, j in itertools.combinations(range(4), 2):
        kind = "within" if i // 2 == j // 2 else "between"
        for edit in tm.align(trees[i], trees[j], costs=model.costs_).edits():
            assert edit.op == "replace"
            key = frozenset([edit.old, edit.new])
            times.setdefault(key, {"within": 0.0, "between": 0.0})[kind] += 1
    assert {frozenset(pair) for pair in found.labels} == set(times)
    for pair, between, within in zip(found.labels, found.between, found.within, strict=True):
        assert between == pytest.approx(times[frozenset(pair)]["between"] / 4)
        assert within == pytest.approx(times[frozenset(pair)]["within"] / 2)
    assert found.kinds == ("replace", "replace")
    assert found.labels[0] == ("a", "b")


def test_deletions_have_one_label():
    trees = [tm.Tree.from_sequence(word) for word in ("a", "aa", "ab", "aab")]
    model = NCACosts(fallback=False, random_state=0).fit(trees, [0, 0, 1, 1])
    found = telling_edits(model, trees, [0, 0, 1, 1])
    assert found.kinds[0] == "delete"
    assert found.labels[0] == ("b", None)
    frame = found.to_frame()
    assert frame["second"][0] is None
    assert frame["contribution"].tolist() == found.contributions.tolist()


def test_a_sample_of_pairs_is_close_to_all(fitted):
    whole = telling_edits(fitted, X, Y)
    some = telling_edits(fitted, X, Y, max_pairs=100, random_state=3)
    assert some.learned == pytest.approx(whole.learned, rel=0.2)
    again = telling_edits(fitted, X, Y, max_pairs=100, random_state=3, n_jobs=2)
    np.testing.assert_array_equal(some.contributions, again.contributions)


def test_pairs_of_a_sample():
    random = np.random.RandomState(0)
    first, second = np.array([3, 5, 8]), np.array([1, 2])
    assert len(some_pairs(first, second, 6, random)) == 6
    assert len(some_pairs(first, first, 3, random)) == 3
    for _ in range(20):
        pairs = some_pairs(first, first, 2, random)
        assert (pairs[:, 0] != pairs[:, 1]).all()
        assert np.isin(pairs, first).all()


def test_two_of_three_classes(fitted):
    three = np.array(["p", "q", "r"])[np.arange(40) % 3]
    assert telling_edits(fitted, X, three, ("r", "p")).classes == ("r", "p")
    assert telling_edits(fitted, X, three).classes == ("p", "q")
    for wrong in (("p",), ("p", "p"), ("p", "z"), "pq", 3):
        with pytest.raises((ValueError, TypeError), match="'classes' parameter of telling_edits"):
            telling_edits(fitted, X, three, wrong)
    with pytest.raises(ValueError, match="at least two trees of class"):
        telling_edits(fitted, X, np.r_[0, np.ones(39, dtype=int)])
    with pytest.raises(ValueError, match="at least two classes"):
        telling_edits(fitted, X, np.zeros(40, dtype=int))


# --------------------------------------------------------------------------- pairs


@every_learner
def test_changed_pairs_are_the_most_changed(learner):
    model = clone(learner).fit(X, Y)
    found = changed_pairs(model, X, Y, n_pairs=2)
    before, after = tm.pairwise_distances(X), model.get_metric().pairwise(X)
    before = before / before[~np.eye(40, dtype=bool)].mean()
    after = after / (after[~np.eye(40, dtype=bool)].mean() or 1.0)
    change = np.triu(after - before, 1)
    same = Y[:, None] == Y
    if found.closer:
        pair = found.closer[0]
        assert pair.change == pytest.approx(np.where(same, change, 0.0).min())
        assert pair.change == pytest.approx(change[pair.i, pair.j])
        assert (pair.x, pair.y) == (X[pair.i], X[pair.j])
    if found.apart:
        assert found.apart[0].change == pytest.approx(np.where(~same, change, 0.0).max())
    for pairs in found:
        ends = [end for pair in pairs for end in (pair.i, pair.j)]
        assert len(set(ends)) == len(ends) <= 4


def test_alignments_of_a_pair(fitted):
    found = changed_pairs(fitted, X, n_pairs=1)
    pair = found.apart[0]
    before, after = pair.alignments()
    assert before.cost == tm.distance(pair.x, pair.y)
    assert after.cost == pytest.approx(tm.distance(pair.x, pair.y, costs=fitted.costs_))
    frame = found.to_frame()
    assert frame["change"].tolist() == [found.closer[0].change, found.apart[0].change]


def test_nothing_changes_without_learning():
    model = NCACosts(random_state=0).fit(X[:2], [0, 0])
    assert not model.learned_
    found = changed_pairs(model, X, Y)
    assert found.closer == []
    assert found.apart == []
    assert changed_pairs(model, X[:1]).closer == []


def test_a_sample_of_trees(fitted):
    found = changed_pairs(fitted, X, Y, max_trees=10, random_state=1)
    assert len({end for pairs in found for pair in pairs for end in (pair.i, pair.j)}) <= 10


# --------------------------------------------------------------------------- curves


def test_errors_fall_with_more_trees():
    strings = make_strings(120, random_state=0)
    curve = learning_curve(
        NCACosts(n_fits=2, random_state=0), strings.data, strings.target, sizes=[8, 90], n_repeats=2
    )
    assert curve.sizes.tolist() == [8, 90]
    assert curve.learned.shape == curve.unit.shape == (2, 2)
    assert curve.learned[1].mean() < 0.1 < curve.unit[1].mean()
    assert curve.used[1] == 1.0
    assert curve.measure == "error"
    assert len(curve.to_frame()) == 4


def test_curves_of_numbers():
    y = np.array([float(list(tree.labels).count("c")) for tree in X])
    curve = learning_curve(KernelRegressionCosts(n_fits=1, random_state=0), X, y, n_repeats=1)
    assert curve.measure == "RMSE"
    assert curve.sizes.tolist() == [6, 12, 18, 24, 30]
    again = learning_curve(
        KernelRegressionCosts(n_fits=1, random_state=0), X, y, n_repeats=1, verbose=1
    )
    np.testing.assert_array_equal(again.learned, curve.learned)


def test_unit_errors_are_those_of_neighbours():
    fixed = NCACosts(1, n_fits=1, max_trees=2, random_state=0)
    curve = learning_curve(fixed, X, Y, sizes=[1.0], n_repeats=3)
    # Whenever unit costs were chosen, the learner is the classifier under unit costs.
    if curve.used[0] == 0.0:
        np.testing.assert_array_equal(curve.learned, curve.unit)


@pytest.mark.parametrize("sizes", [[], [0], [31], [0.0], [1.5], "ab", [[1]], None, [np.nan]])
def test_wrong_sizes(sizes):
    with pytest.raises((ValueError, TypeError), match="'sizes' parameter of learning_curve"):
        learning_curve(NCACosts(), X, Y, sizes=sizes)


def test_wrong_arguments(fitted):
    for call in (label_weights, telling_edits, changed_pairs, learning_curve):
        data = () if call is label_weights else (X, Y)
        with pytest.raises(
            (ValueError, TypeError), match=f"'learner' parameter of {call.__name__}"
        ):
            call("learner", *data)
        if call is not learning_curve:
            with pytest.raises(NotFittedError):
                call(NCACosts(), *data)
    with pytest.raises(ValueError, match="'level' parameter of label_weights"):
        label_weights(fitted, level=0)
    with pytest.raises(ValueError, match="'test_fraction' parameter of learning_curve"):
        learning_curve(fitted, X, Y, test_fraction=1.0)
