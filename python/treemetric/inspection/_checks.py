"""Checks of learners and of samples of trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from treemetric._base.validation import refuse, shown
from treemetric.learning._cost_learner import CostLearner

IntArray = npt.NDArray[np.intp]


def check_learner(learner: Any, owner: str, *, fitted: bool = True) -> CostLearner:
    """Check that a value is a learner of costs, and fitted unless it need not be."""
    if not isinstance(learner, CostLearner):
        refuse("learner", owner, "a learner of 'treemetric.learning'", shown(learner))
    if fitted:
        check_is_fitted(learner)
    return learner


def some_pairs(
    first: IntArray, second: IntArray, most: int, random: np.random.RandomState
) -> IntArray:
    """Return pairs of different members of two lists, each once; a sample if they are too many.

    The lists are equal, or they have no member in common.
    """
    equal = np.array_equal(first, second)
    count = len(first) * (len(first) - 1) // 2 if equal else len(first) * len(second)
    if count <= most:
        if equal:
            i, j = np.triu_indices(len(first), 1)
        else:
            i, j = np.indices((len(first), len(second))).reshape(2, -1)
        return np.column_stack([first[i], second[j]])
    i = random.randint(len(first), size=most)
    if equal:
        # Another member: one of those after i, going round.
        j = (i + random.randint(1, len(first), size=most)) % len(first)
    else:
        j = random.randint(len(second), size=most)
    return np.column_stack([first[i], second[j]])
