"""fit_pairs and fit_triplets: losses, gradients, samples of trees, checks, and what is learned."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize_scalar
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treemetric as tm
from treemetric.datasets import make_strings
from treemetric.learning import NCACosts
from treemetric.learning._bagging import equal_trees
from treemetric.learning._constraint_loss import (
    PairLoss,
    TripletLoss,
    balanced,
    best_threshold,
    pair_errors,
    triplet_errors,
)
from treemetric.learning._constraints import drawing_units, times_drawn

seeds = st.integers(0, 2**32 - 1).map(np.random.RandomState)
STRINGS = make_strings(60, random_state=0)
X, TARGET = STRINGS.data, np.asarray(STRINGS.target)
PAIRS = np.column_stack(np.triu_indices(60, 1))
SAME = TARGET[PAIRS[:, 0]] == TARGET[PAIRS[:, 1]]
SIGNS = np.where(SAME, 1, -1)


def random_triplets(seed, count):
    random = np.random.RandomState(seed)
    rows = random.randint(60, size=(20 * count, 3))
    own, other = TARGET[rows[:, 0]] == TARGET[rows[:, 1]], TARGET[rows[:, 0]] != TARGET[rows[:, 2]]
    return rows[own & other & (rows[:, 0] != rows[:, 1])][:count]


def chains(*words):
    return [tm.Tree.from_sequence(word) for word in words]


@given(seeds)
def test_the_loss_of_pairs(random):
    distances = random.uniform(0, 5, size=8)
    similar = np.array([True, False, *(random.rand(6) < 0.5)])
    weight = random.rand(8) + 0.01
    loss = PairLoss(similar, weight)

    def at(t, d=distances):
        return sum(
            w * np.log1p(np.exp((1 if s else -1) * (x - t)))
            for w, s, x in zip(weight, similar, d, strict=True)
        )

    best = minimize_scalar(at, bounds=(-20, 20), method="bounded", options={"xatol": 1e-10})
    value, gradient = loss(distances)
    assert value == pytest.approx(best.fun, rel=1e-8)
    numeric = approx_fprime(distances, lambda d: loss(d)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)


@given(seeds)
def test_the_loss_of_triplets(random):
    distances = random.uniform(0, 5, size=8)
    weight = random.rand(4)
    loss = TripletLoss(weight)
    value, gradient = loss(distances)
    expected = sum(
        w * np.log1p(np.exp(near - far))
        for w, near, far in zip(weight, distances[:4], distances[4:], strict=True)
    )
    assert value == pytest.approx(expected)
    numeric = approx_fprime(distances, lambda d: loss(d)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)


def test_losses_of_huge_distances_are_finite():
    for loss in (PairLoss(np.array([True, False]), np.ones(2)), TripletLoss(np.ones(1))):
        value, gradient = loss(np.array([1e6, 0.0]))
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


@given(seeds)
def test_the_best_threshold_is_the_best(random):
    distances = random.randint(5, size=7).astype(float)
    similar = random.rand(7) < 0.5
    weight = random.rand(7)
    found = best_threshold(distances, similar, weight)
    levels = np.unique(distances)
    # Equal trees are always similar.
    tried = np.concatenate([[0.25], levels + 0.5])
    assert found > 0
    errors = [weight @ pair_errors(distances, similar, t) for t in tried]
    assert weight @ pair_errors(distances, similar, found) == pytest.approx(min(errors))


def test_errors():
    assert triplet_errors(np.array([1.0, 2.0, 3.0, 2.0, 2.0, 2.0])).tolist() == [0.0, 0.5, 1.0]
    similar = np.array([True, True, False])
    even = balanced(similar, np.array([1.0, 3.0, 5.0]))
    assert even.tolist() == [0.25, 0.75, 1.0]
    assert balanced(similar[:2], np.ones(2)).tolist() == [0.5, 0.5]


def test_linked_trees_are_drawn_together_if_they_are_few():
    rows = np.array([[2 * i, 2 * i + 1] for i in range(20)])
    groups = np.arange(40)
    units = drawing_units(rows, groups)
    assert (units[rows[:, 0]] == units[rows[:, 1]]).all()
    assert len(np.unique(units)) == 20
    # All trees are linked: each is drawn on its own, but equal trees together.
    linked = np.array([[i, i + 1] for i in range(39)])
    assert len(np.unique(drawing_units(linked, groups))) == 40
    assert len(np.unique(drawing_units(linked, np.arange(40) // 2))) == 20
    # A single constraint is never split.
    assert len(np.unique(drawing_units(rows[:1], groups[:2]))) == 1


def test_a_constraint_is_drawn_as_often_as_its_trees():
    rows = np.array([[0, 1, 2], [0, 0, 2], [3, 4, 3]])
    drawn = np.array([2, 3, 5, 7, 7])
    units = np.array([0, 1, 2, 3, 3])
    assert times_drawn(rows, units, drawn).tolist() == [30.0, 10.0, 7.0]
    assert times_drawn(rows[:, :2], units, drawn).tolist() == [6.0, 2.0, 7.0]


@pytest.fixture(scope="module")
def by_pairs():
    return NCACosts(random_state=0).fit_pairs(PAIRS, SIGNS, X)


def test_pairs_are_learned(by_pairs):
    assert by_pairs.learned_
    assert by_pairs.costs_.is_pseudo_metric()
    assert by_pairs.fit_weights_.shape == (by_pairs.n_fits, 4)
    new = make_strings(60, random_state=1)
    same = new.target[PAIRS[:, 0]] == new.target[PAIRS[:, 1]]
    distances = by_pairs.get_metric().pairwise(new.data)[PAIRS[:, 0], PAIRS[:, 1]]
    assert ((distances < by_pairs.threshold_) == same).mean() > 0.8
    assert by_pairs.transform(new.data).shape == (60, 60)
    assert len(by_pairs.get_feature_names_out()) == 60
    again = pickle.loads(pickle.dumps(by_pairs))
    np.testing.assert_array_equal(again.transform(X), by_pairs.transform(X))


@pytest.mark.parametrize("distance", ["actual", "pseudo"])
def test_pairs_are_predicted(distance):
    learner = NCACosts(n_fits=2, distance=distance, random_state=0).fit_pairs(PAIRS, SIGNS, X)
    new = make_strings(20, random_state=1).data
    pairs = np.column_stack(np.triu_indices(20, 1))
    near = learner.get_metric().pairwise(new)[pairs[:, 0], pairs[:, 1]] < learner.threshold_
    expected = np.where(near, 1, -1)
    np.testing.assert_array_equal(learner.predict_pairs(pairs, new), expected)
    tuples = [(new[int(i)], new[int(j)]) for i, j in pairs]
    np.testing.assert_array_equal(learner.predict_pairs(tuples), expected)
    assert (learner.predict_pairs(PAIRS, X) == SIGNS).mean() > 0.6
    other = tm.Tree.from_sequence("az")
    assert learner.predict_pairs([(other, other)]).tolist() == [1]
    with pytest.raises(ValueError, match=r"'pairs' parameter of NCACosts\.predict_pairs"):
        learner.predict_pairs([])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        NCACosts().predict_pairs(pairs, new)
    with pytest.raises(NotFittedError, match=r"fitted to classes .* Call fit_pairs"):
        NCACosts(n_fits=1).fit(X, TARGET).predict_pairs(pairs, new)


def test_triplets_are_learned():
    rows = random_triplets(0, 1500)
    learner = NCACosts(random_state=0).fit_triplets(rows, X)
    assert learner.learned_
    assert not hasattr(learner, "threshold_")
    distances = learner.transform(X)
    right = distances[rows[:, 0], rows[:, 1]] < distances[rows[:, 0], rows[:, 2]]
    assert right.mean() > 0.8
    other = NCACosts(random_state=0, n_jobs=2).fit_triplets(rows, X)
    assert other.costs_ == learner.costs_


def test_trees_in_place_of_positions(by_pairs):
    order = np.random.RandomState(0).permutation(len(PAIRS))
    tuples = [(X[int(i)], X[int(j)]) for i, j in PAIRS]
    learner = NCACosts(random_state=0).fit_pairs(tuples, SIGNS)
    assert list(learner.trees_) == list(dict.fromkeys(X))
    np.testing.assert_allclose(learner.transform(X[:3]), by_pairs.transform(X[:3]))
    assert learner.threshold_ == pytest.approx(by_pairs.threshold_)
    shuffled = [tuples[i] for i in order]
    other = NCACosts(random_state=0).fit_pairs(shuffled, SIGNS[order])
    assert set(other.trees_) == set(learner.trees_)
    rows = random_triplets(1, 200)
    trees = [tuple(X[int(i)] for i in row) for row in rows]
    first = NCACosts(random_state=0, fallback=False).fit_triplets(trees)
    assert first.learned_
    assert set(first.trees_) <= set(X)


def test_random_pairs_keep_unit_costs():
    kept = 0
    for seed in range(4):
        y = np.random.RandomState(seed).choice([-1, 1], size=len(PAIRS))
        learner = NCACosts(n_fits=3, random_state=seed).fit_pairs(PAIRS, y, X)
        kept += not learner.learned_
    assert kept >= 2


def test_equal_trees_are_similar_whatever_the_pairs_say():
    both, signs = np.concatenate([PAIRS[:200], PAIRS[:200]]), np.repeat([1, -1], 200)
    learner = NCACosts(n_fits=2, random_state=0).fit_pairs(both, signs, X)
    assert learner.threshold_ > 0
    assert learner.predict_pairs([(0, 0), (5, 5)], X).tolist() == [1, 1]
    assert best_threshold(np.zeros(2), np.array([True, False]), np.ones(2)) == 0.5
    assert best_threshold(np.array([1.0, 2.0]), np.array([False, True]), np.ones(2)) == 0.5


def test_few_constraints():
    near, far = chains("ax", "bx"), chains("ay", "by")
    triplet = [(near[0], near[1], far[0])]
    assert not NCACosts(random_state=0).fit_triplets(triplet).learned_
    learner = NCACosts(random_state=0, fallback=False).fit_triplets(triplet)
    assert learner.learned_
    metric = learner.get_metric()
    assert metric(near[0], near[1]) < metric(near[0], far[0])
    pairs = [tuple(near), (near[0], far[0])]
    both = NCACosts(random_state=0, fallback=False).fit_pairs(pairs, [1, -1])
    assert both.learned_
    # A tree with itself has no edits.
    same = NCACosts(random_state=0).fit_pairs([(near[0], near[0]), (near[1], near[1])], [1, -1])
    assert np.isfinite(same.threshold_)


def test_weights_of_constraints(by_pairs):
    double = NCACosts(random_state=0).fit_pairs(PAIRS, SIGNS, X, sample_weight=np.full(1770, 3.0))
    assert double.costs_ == by_pairs.costs_
    weight = np.random.RandomState(0).rand(1770)
    some = NCACosts(random_state=0).fit_pairs(PAIRS, SIGNS, X, sample_weight=weight)
    assert some.costs_ != by_pairs.costs_
    with pytest.raises(ValueError, match="'sample_weight' parameter of NCACosts"):
        NCACosts().fit_pairs(PAIRS, SIGNS, X, sample_weight=weight[1:])


def test_there_are_no_classes(by_pairs):
    learner = clone(by_pairs).fit_pairs(PAIRS, SIGNS, X)
    for method in ("predict", "predict_proba", "decision_function"):
        with pytest.raises(NotFittedError, match=r"fitted to pairs .* and predict_pairs can be"):
            getattr(learner, method)(X)
    # A fit to classes forgets the pairs, and the other way round.
    learner.fit(X, TARGET)
    assert not hasattr(learner, "threshold_")
    assert learner.predict(X).shape == (60,)
    learner.fit_pairs(PAIRS, SIGNS, X)
    assert not hasattr(learner, "classes_")
    assert not hasattr(learner, "prototypes_")
    learner.set_params(n_fits=1).fit_triplets(random_triplets(0, 50), X)
    with pytest.raises(
        NotFittedError, match=r"fitted to triplets .* Only get_metric and transform"
    ):
        learner.predict(X)
    with pytest.raises(NotFittedError, match=r"fitted to triplets .* Call fit_pairs"):
        learner.predict_pairs(PAIRS, X)


@pytest.mark.parametrize(
    ("pairs", "match"),
    [
        ([], "at least one row"),
        ([(0, 1, 2)], r"shape \(n_pairs, 2\) of positions in X, from 0 to 59"),
        ([(0, 60)], "the position 60"),
        ([(0, -1)], "the position -1"),
        ([(0.0, 1.0)], "positions in X"),
        ([(False, True)], "positions in X"),
        ("ab", "positions in X"),
        (None, "positions in X"),
    ],
)
def test_wrong_positions(pairs, match):
    with pytest.raises((ValueError, TypeError), match=match) as error:
        NCACosts().fit_pairs(pairs, [1], X)
    assert "'pairs' parameter of NCACosts.fit_pairs" in str(error.value)


@pytest.mark.parametrize("triplets", [[], [(X[0], X[1])], [X[0]], X, "abc", 3, [(0, 1, 2)], None])
def test_wrong_tuples_of_trees(triplets):
    with pytest.raises((ValueError, TypeError), match=r"'triplets' parameter of NCACosts\.fit_tri"):
        NCACosts().fit_triplets(triplets)


@pytest.mark.parametrize(
    ("y", "match"),
    [
        ([1, 1], "1 for some pairs and -1 for others"),
        ([1], "2 numbers, 1 for similar pairs and -1 for others"),
        ([0, 1], "the value 0"),
        ([True, True], "1 for some pairs and -1 for others"),
        (["x", "y"], "2 numbers"),
        ([1, np.nan], "the value nan"),
        (None, "2 numbers"),
    ],
)
def test_wrong_similarities(y, match):
    with pytest.raises((ValueError, TypeError), match=match) as error:
        NCACosts().fit_pairs([(0, 1), (1, 2)], y, X)
    assert "'y' parameter of NCACosts.fit_pairs" in str(error.value)


def test_a_fit_that_fails_leaves_the_earlier_one(by_pairs):
    learner = clone(by_pairs).fit_pairs(PAIRS, SIGNS, X)
    before = learner.costs_
    with pytest.raises(ValueError, match="n_fits"):
        learner.set_params(n_fits=0).fit_pairs(PAIRS, SIGNS, X)
    assert learner.costs_ is before


def test_equal_trees_have_one_group():
    assert equal_trees(tm.TreeSet(chains("ab", "b", "ab"))).tolist() == [0, 1, 0]


def test_a_sample_of_many_constraints(monkeypatch):
    monkeypatch.setattr("treemetric.learning._constraint_fits._MOST", 300)
    learner = NCACosts(random_state=0, vector_scale=0.3).fit_pairs(PAIRS, SIGNS, X)
    assert learner.learned_
    again = NCACosts(random_state=0, vector_scale=0.3).fit_pairs(PAIRS, SIGNS, X)
    assert again.costs_ == learner.costs_
    triplets = NCACosts(random_state=0, fallback=False).fit_triplets(random_triplets(0, 1500), X)
    assert triplets.learned_
