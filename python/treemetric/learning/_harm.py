"""Whether learned costs are better than those that they started from, on the training trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric.learning._bagging import (
    NEIGHBOURS,
    Verdict,
    balanced_classes,
    class_errors,
    compare,
    equal_trees,
)
from treemetric.learning._metric import LearnedMetric
from treemetric.treeset import TreeSet

# At most this many trees are compared, fewer if all their pairs have more pairs of nodes than this;
# counts of edits take longer than distances.
_MOST_TREES = 1000
_NODE_PAIRS = {"actual": 4e8, "pseudo": 4e7}
_FEWEST_TREES = 50


def sample_size(trees: TreeSet, kind: str) -> int:
    """Return how many trees to compare with each other."""
    size = max(1.0, float(trees.sizes.mean()))
    affordable = int(np.sqrt(_NODE_PAIRS[kind]) / size)
    return min(len(trees), _MOST_TREES, max(_FEWEST_TREES, affordable))


def neighbour_errors(
    distances: FloatArray, codes: npt.NDArray[np.integer], groups: npt.NDArray[np.integer]
) -> FloatArray:
    """Return the errors of each tree by its neighbours that differ from it, as `class_errors`.

    Trees that differ from no other tree have no errors.
    """
    equal = groups[:, None] == groups
    some = ~equal.all(axis=1)
    everyone = np.arange(len(codes))
    errors = np.zeros((1 + len(NEIGHBOURS), len(codes)))
    if some.any():
        others = np.where(equal, np.inf, distances)[some]
        errors[:, some] = class_errors(codes)(others, everyone, everyone[some])
    return errors


def helps(
    trees: TreeSet,
    codes: npt.NDArray[np.integer],
    initial: FloatArray,
    learned: LearnedMetric,
    random: np.random.RandomState,
    n_jobs: int | None,
) -> Verdict:
    """Compare how learned distances and the initial ones classify the training trees.

    The learner has seen these trees, so that its errors on new trees are probably larger. Therefore
    the errors must be clearly smaller, by the rule of `compare`.
    """
    count = sample_size(trees, learned.distance)
    some = np.arange(len(trees))
    if count < len(trees):
        some = np.sort(random.permutation(len(trees))[:count])
        trees, codes = trees[some], codes[some]
    groups = equal_trees(trees)
    before = neighbour_errors(initial[np.ix_(some, some)], codes, groups)
    after = neighbour_errors(learned.pairwise(trees, n_jobs=n_jobs), codes, groups)
    weight = np.ones(len(trees))
    return compare(before, after, weight, balanced_classes(codes, weight))
