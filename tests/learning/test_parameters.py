"""Bounds of parameters: temperatures for given trees, and integers."""

import numpy as np
import pytest
from sklearn.base import clone

import treemetric as tm
from treemetric._base.validation import check_int
from treemetric.classification import (
    DistanceSVC,
    GoodnessClassifier,
    MedianGLVQ,
    RelationalGLVQ,
)
from treemetric.learning import BEDL, GESL, LVQCosts
from treemetric.learning._temperature import check_temperature, lowest_temperature


def chains(*words):
    return [tm.Tree.from_sequence(word) for word in words]


TREES = chains("aab", "aba", "aaa", "ccb", "cbc", "ccc")
CLASSES = np.array([0, 0, 0, 1, 1, 1])
COSTS = {
    "unit": tm.UnitCosts(),
    "table": tm.CostMatrix("abc", [[0, 2, 1, 3], [1, 0, 2, 7], [4, 1, 0, 5], [2, 9, 1, 0]]),
    "embedding": tm.EmbeddingCosts("abc", np.random.RandomState(0).normal(size=(3, 2))),
    "vectors": tm.VectorCosts("abc", np.eye(3)),
}


@pytest.mark.parametrize("kind", COSTS)
def test_the_lowest_temperature_is_that_of_edit_counts(kind):
    trees = tm.TreeSet(chains("aab", "", "cbca", "c"))
    costs = COSTS[kind]
    lowest = lowest_temperature(trees, costs)
    check_temperature(lowest * (1 + 1e-9), "owner", trees, costs)
    tm.edit_counts(trees, costs=costs, temperature=lowest * (1 + 1e-9))
    with pytest.raises(ValueError, match=r"'temperature' .* \[.*, 1e\+100\] for these trees"):
        check_temperature(lowest * (1 - 1e-9), "owner", trees, costs)
    with pytest.raises(ValueError, match="'temperature' parameter of edit_counts"):
        tm.edit_counts(trees, costs=costs, temperature=lowest * (1 - 1e-9))


HUGE = 10**30


@pytest.mark.parametrize(
    ("learner", "parameter"),
    [
        (BEDL(), "n_prototypes"),
        (BEDL(), "max_iter"),
        (BEDL(), "max_inner_iter"),
        (BEDL(), "patience"),
        (BEDL(), "n_components"),
        (BEDL(), "n_candidates"),
        (BEDL(), "batch_size"),
        (BEDL(), "verbose"),
        (LVQCosts(), "max_labels"),
        (LVQCosts(), "max_iter"),
        (GESL(), "n_neighbors"),
        (GESL(), "max_iter"),
        (MedianGLVQ(), "n_prototypes"),
        (MedianGLVQ(), "n_init"),
        (RelationalGLVQ(), "max_iter"),
        (DistanceSVC(), "max_iter"),
        (GoodnessClassifier(), "n_landmarks"),
    ],
)
def test_integers_without_bounds_are_refused(learner, parameter):
    name = type(learner).__name__
    message = (
        rf"'{parameter}' parameter of {name} must be an int in the range \[\d, \d+\]\. Got 1000"
    )
    with pytest.raises(ValueError, match=message):
        clone(learner).set_params(**{parameter: HUGE}).fit(TREES, CLASSES)


def test_the_check_of_integers():
    assert check_int(np.uint64(2**63 - 1), "number", "owner") == 2**63 - 1
    assert check_int(0, "number", "owner", least=0, most=0) == 0
    for wrong, most, end in ((2**63, None, 2**63 - 1), (5, 4, 4), (-1, 4, 4)):
        with pytest.raises(ValueError, match=rf"an int in the range \[1, {end}\]\. Got {wrong}"):
            check_int(wrong, "number", "owner", most=most)
    with pytest.raises(ValueError, match=r"an int in the range \[1, inf\)\. Got 0"):
        check_int(0, "number", "owner")
