"""BEDL for symbols with candidates for prototypes and with batches of trees."""

import numpy as np
import pytest

import treemetric as tm
from treemetric._estimators.prototypes import draw_candidates
from treemetric.datasets import make_strings
from treemetric.learning import BEDL
from treemetric.learning._embedding import simplex

STRINGS = make_strings(60, random_state=3)


def chains(*words):
    return [tm.Tree.from_sequence(word) for word in words]


@pytest.mark.parametrize("parameters", [{}, {"n_components": 2}, {"squashing": "logistic"}])
def test_all_trees_as_candidates_change_nothing(parameters):
    trees, y = STRINGS.data, STRINGS.target
    plain = BEDL(2, random_state=1, **parameters).fit(trees, y)
    for count in (len(trees), 10**6):
        same = BEDL(2, random_state=1, n_candidates=count, **parameters).fit(trees, y)
        assert same.costs_ == plain.costs_
        np.testing.assert_array_equal(same.costs_.vectors, plain.costs_.vectors)
        np.testing.assert_array_equal(same.loss_curve_, plain.loss_curve_)
        np.testing.assert_array_equal(same.prototypes_, plain.prototypes_)


def test_prototypes_are_chosen_among_candidates():
    trees, y = STRINGS.data, STRINGS.target
    learner = BEDL(2, regularisation=0.0, n_candidates=5, random_state=0).fit(trees, y)
    drawn = draw_candidates(y, 5, np.random.RandomState(0))
    assert np.isin(learner.prototypes_, drawn).all()
    assert learner.loss_ < learner.loss_curve_[0]
    # Distances to candidates only, with the same loss.
    fixed = BEDL(2, init=learner.costs_, n_candidates=5, random_state=0, max_iter=0)
    assert fixed.fit(trees, y).loss_ == pytest.approx(learner.loss_)


@pytest.mark.parametrize("parameters", [{}, {"n_candidates": 5}, {"regularisation": 0.02}])
@pytest.mark.parametrize("init", ["simplex", tm.EmbeddingCosts("abcdz", 2.0 * np.eye(5))])
def test_batches_lower_the_loss(parameters, init):
    trees, y = STRINGS.data, STRINGS.target
    options = {"regularisation": 0.0, **parameters}
    learner = BEDL(2, init=init, batch_size=8, learning_rate=0.1, random_state=0, **options)
    learner.fit(trees, y)
    assert (np.diff(learner.loss_curve_) <= 0).all()
    assert learner.loss_ < 0.9 * learner.loss_curve_[0]
    assert learner.score(trees, y) == 1.0
    again = BEDL(**learner.get_params()).set_params(n_jobs=2).fit(trees, y)
    assert again.costs_ == learner.costs_
    if init != "simplex":
        # A label that does not occur in training stays where it is.
        np.testing.assert_array_equal(learner.costs_.vectors[4], init.vectors[4])
    if not learner.regularisation:
        start = simplex(4) if init == "simplex" else init.vectors[:4]
        length = np.linalg.norm(learner.costs_.vectors[:4])
        # The mean of two embeddings of this length, half a step, is a little shorter.
        assert length == pytest.approx(np.linalg.norm(start), rel=0.1)


def test_batches_and_candidates_of_odd_training_sets():
    trees = chains("", "a", "", "bb", "b")
    for y in ([0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [0] * 5):
        learner = BEDL(batch_size=2, n_candidates=1, max_iter=3, random_state=0).fit(trees, y)
        assert np.isfinite(learner.loss_)
        assert set(learner.predict(trees)) <= set(y)
