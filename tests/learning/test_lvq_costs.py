"""LVQCosts: the gradient by costs, the normalisation, and what it learns."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import approx_fprime
from sklearn.model_selection import GridSearchCV

import treemetric as tm
from treemetric._estimators.squashing import Squash
from treemetric.datasets import make_strings
from treemetric.learning import LVQCosts
from treemetric.learning._cost_space import CostLoss, CostSpace, normalised, tidied
from treemetric.learning._pooled_costs import PooledCostSpace
from treemetric.learning.symbol_counts import NEGLIGIBLE, fold

STRINGS = make_strings(60, random_state=3)
UPPER = np.triu_indices(5, 1)

squares = st.integers(1, 6).flatmap(
    lambda side: arrays(np.float64, (side, side), elements=st.floats(-1, 10, width=16))
)


def some_counts(trees):
    targets = np.random.RandomState(0).randint(len(trees), size=2 * len(trees))
    pairs = np.c_[np.tile(np.arange(len(trees)), 2), targets]
    return fold(tm.edit_counts(trees, pairs=pairs), trees.alphabet)


def symmetric(values):
    """The table whose upper triangle is given, row by row."""
    costs = np.zeros((5, 5))
    costs[UPPER] = values
    return costs + costs.T


@pytest.mark.parametrize("squash", [Squash(), Squash("logistic", 3.0)])
@pytest.mark.parametrize("strength", [0.0, 0.7])
def test_the_gradient_is_that_of_finite_differences(squash, strength):
    random = np.random.RandomState(1)
    start = symmetric(random.uniform(1, 2, 10))
    loss = CostLoss(some_counts(STRINGS.data), squash, start, strength)
    at = random.uniform(1, 2, 10)
    numeric = approx_fprime(at, lambda x: loss(symmetric(x))[0], 1e-7)
    gradient = loss(symmetric(at))[1]
    np.testing.assert_array_equal(gradient, gradient.T)
    np.testing.assert_allclose(gradient[UPPER], numeric, rtol=1e-5, atol=1e-5)


@given(squares)
def test_the_normalisation_gives_a_pseudo_metric(values):
    costs = normalised(values)
    assert tm.CostMatrix(range(len(costs) - 1), costs).is_pseudo_metric()
    np.testing.assert_array_equal(costs, costs.T)
    np.testing.assert_allclose(normalised(costs), costs, atol=1e-12)
    assert (costs <= (np.maximum(values, 0) + np.maximum(values, 0).T) / 2 + 1e-12).all()


@given(squares)
def test_negligible_costs_become_0(values):
    costs = normalised(np.where(values < 1, values * 1e-7, values))
    tidy = tidied(costs)
    assert tm.CostMatrix(range(len(tidy) - 1), tidy).is_pseudo_metric()
    assert not ((tidy > 0) & (tidy <= NEGLIGIBLE * tidy.max())).any()
    assert np.abs(tidy - costs).max() <= len(costs) * NEGLIGIBLE * max(costs.max(), 1e-300)


def test_steps_lower_the_loss_of_fixed_alignments():
    counts = some_counts(STRINGS.data)
    start = 1 - np.eye(5)
    loss = CostLoss(counts, Squash(), start)
    losses = [
        loss(CostSpace(STRINGS.data.alphabet, start, 0.0, steps).improve(start, counts, Squash()))[
            0
        ]
        for steps in (1, 2, 5, 20)
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] < loss(start)[0]


@pytest.mark.parametrize("seed", range(3))
def test_strings_are_told_apart(seed):
    strings = make_strings(100, random_state=seed)
    learner = LVQCosts(2, regularisation=0.0).fit(strings.data[:60], strings.target[:60])
    assert learner.score(strings.data[60:], strings.target[60:]) == 1.0
    assert learner.costs_.is_pseudo_metric()
    assert (np.diff(learner.loss_curve_) <= 0).all()
    assert learner.loss_ == learner.loss_curve_[-1] < learner.loss_curve_[0]
    # The scale stays.
    assert learner.costs_.matrix.sum() == pytest.approx(20, rel=1e-3)


@pytest.mark.parametrize(
    "initial",
    [
        None,
        tm.UnitCosts(),
        tm.CallableCosts(lambda a, b: 2.0 if a is None or b is None else float(a != b)),
        tm.CostMatrix("abcdx", np.arange(36.0).reshape(6, 6) % 35),
        tm.EmbeddingCosts("abcd", np.eye(4)),
    ],
)
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_costs_are_a_pseudo_metric_whatever_the_start(initial, weight):
    learner = LVQCosts(initial_costs=initial, regularisation=weight, max_iter=3)
    learner.fit(STRINGS.data, STRINGS.target)
    assert learner.costs_.is_pseudo_metric()
    assert set(learner.costs_.alphabet) >= set("abcd")
    assert (np.diff(learner.loss_curve_) <= 0).all()
    assert learner.initial_costs_.is_pseudo_metric("abcd")


def test_the_start_must_know_all_labels():
    with pytest.raises(tm.exceptions.UnknownLabelError):
        LVQCosts(initial_costs=tm.UnitCosts().to_matrix("ab")).fit(STRINGS.data, STRINGS.target)
    with pytest.raises(TypeError, match="'initial_costs' parameter of LVQCosts"):
        LVQCosts(initial_costs=np.eye(5)).fit(STRINGS.data, STRINGS.target)


def test_regularisation_keeps_the_start():
    apart = [
        np.linalg.norm(
            LVQCosts(regularisation=weight).fit(STRINGS.data, STRINGS.target).costs_.matrix
            - (1 - np.eye(5))
        )
        for weight in (0.1, 10.0, 1e5)
    ]
    assert apart[0] > apart[1] > apart[2]
    assert apart[2] < 1e-2


def test_same_result_again_and_on_any_number_of_threads():
    found = [LVQCosts(2, n_jobs=n).fit(STRINGS.data, STRINGS.target) for n in (None, None, 2)]
    for other in found[1:]:
        assert other.costs_ == found[0].costs_
        np.testing.assert_array_equal(other.loss_curve_, found[0].loss_curve_)


@pytest.mark.parametrize("squashing", ["identity", "logistic"])
def test_equal_empty_and_single_trees(squashing):
    learner = LVQCosts(squashing=squashing)
    words = [tm.Tree.from_sequence(word) for word in ("", "ab", "ab", "", "a")]
    fitted = learner.fit(words, [0, 0, 1, 1, 1])
    assert np.isfinite(fitted.loss_curve_).all()
    assert fitted.costs_.is_pseudo_metric()
    assert learner.fit(words[1:2], [7]).predict(words).tolist() == [7] * 5
    assert learner.fit([words[0]] * 3, [0, 1, 1]).costs_.alphabet == ()


def test_soft_alignments():
    learner = LVQCosts(2, temperature=0.2).fit(STRINGS.data, STRINGS.target)
    assert learner.loss_ < learner.loss_curve_[0]
    assert learner.costs_.is_pseudo_metric()


def test_pickles_and_grid_search():
    search = GridSearchCV(LVQCosts(), {"n_prototypes": [1, 2]}, cv=2, error_score="raise")
    search.fit(STRINGS.data, STRINGS.target)
    assert search.best_score_ == 1.0
    learner = search.best_estimator_
    again = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(again.transform(STRINGS.data), learner.transform(STRINGS.data))


def test_labels_beyond_training_keep_their_costs():
    strings = make_strings(60, random_state=0)
    known = strings.data.alphabet
    side = len(known) + 2
    # Far from all others, so that no chain of edits through it is cheap.
    table = 1.0 - np.eye(side)
    table[-2, :] = table[:, -2] = 50.0
    table[-2, -2] = 0.0
    initial = tm.CostMatrix((*known, "z"), table)
    # Two rounds: after the third the loss is at its minimum, and where there, rounding decides.
    learner = LVQCosts(2, initial_costs=initial, max_iter=2).fit(strings.data, strings.target)
    plain = LVQCosts(2, max_iter=2).fit(strings.data, strings.target)
    others = [*range(len(known)), -1]
    np.testing.assert_allclose(
        learner.costs_.matrix[np.ix_(others, others)], plain.costs_.matrix, atol=1e-9
    )
    assert learner.costs_.is_pseudo_metric()
    # Only down to what a chain of edits through cheaper labels costs now.
    assert learner.costs_.matrix[-2].max() <= 50.0
    assert learner.costs_.matrix[-2, others].min() >= 50.0 - plain.costs_.matrix.max()


def test_rare_labels_have_the_same_costs():
    random, y = np.random.RandomState(0), np.arange(40) % 2
    trees = []
    for number, code in enumerate(y):
        labels = [f"rare {number}", f"rare {random.randint(40)}", "ab"[code]]
        trees.append(tm.Tree.from_sequence(random.permutation(labels).tolist()))
    learner = LVQCosts(max_labels=2).fit(trees, y)
    costs = learner.costs_
    assert costs.is_pseudo_metric()
    assert len(costs.alphabet) == 42
    assert learner.loss_ < learner.loss_curve_[0]
    assert learner.score(trees, y) == 1.0
    order = ["a", "b", *(label for label in costs.alphabet if label not in "ab")]
    table = costs.to_matrix(order).matrix
    assert (table[2:-1, [0, 1, -1]] == table[2, [0, 1, -1]]).all()
    assert len(np.unique(table[2:-1, 2:-1])) <= 2  # 0 on the diagonal, and one cost
    assert len(np.unique(table[:3, -1])) > 1
    with pytest.raises(ValueError, match="'max_labels' parameter of LVQCosts"):
        LVQCosts(max_labels=-1).fit(trees, y)


def test_pooled_counts_give_the_costs_of_all_labels():
    words = ("abxy", "bayz", "xyab", "zzvb")
    trees = tm.TreeSet([tm.Tree.from_sequence(word) for word in words])
    frequent = np.array([trees.alphabet.index(label) for label in "ab"])
    space = PooledCostSpace.of_unit_costs(trees.alphabet, frequent, 0.5, 5, tm.UnitCosts())
    found = tm.edit_counts(trees, pairs=[[0, 1], [1, 3], [2, 3], [0, 2]])
    counts = space.fold(found)
    table = normalised(np.random.RandomState(0).uniform(1, 2, size=space.start.shape))
    table[3] = table[2]  # the copy of the row of rare labels
    table[:, 3] = table[3]
    table[2, 3] = table[3, 2] = 1.5
    table[3, 3] = 0.0
    small = table[counts.first, counts.second]
    total = np.concatenate([counts.plus @ small, counts.minus @ small])
    np.testing.assert_allclose(total, found.distances(space.costs(table)))
    # The direction keeps the copy equal, and the loss rises in it.
    loss = space.loss(counts, Squash())
    value, direction = loss(table)
    np.testing.assert_array_equal(np.delete(direction[3], [2, 3]), np.delete(direction[2], [2, 3]))
    np.testing.assert_array_equal(direction, direction.T)
    assert loss(table - 1e-4 * direction)[0] < value


def test_all_labels_may_be_frequent():
    plain = LVQCosts(2, max_labels=None).fit(STRINGS.data, STRINGS.target)
    same = LVQCosts(2, max_labels=4).fit(STRINGS.data, STRINGS.target)
    assert plain.costs_ == same.costs_
