"""Whether learned costs are worse than those that they started from, on the training trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric.learning._bagging import NEIGHBOURS, equal_trees
from treemetric.learning._metric import LearnedMetric
from treemetric.learning._votes import expected_errors
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


def neighbour_error(
    distances: FloatArray, codes: npt.NDArray[np.integer], groups: npt.NDArray[np.integer]
) -> float:
    """Return the mean error of one and of five neighbours that differ from the tree itself."""
    equal = groups[:, None] == groups
    some = ~equal.all(axis=1)
    if not some.any():
        return 0.0
    others = np.where(equal, np.inf, distances)[some]
    errors = [expected_errors(others, codes, codes[some], k).mean() for k in NEIGHBOURS]
    return float(np.mean(errors))


def harms(
    trees: TreeSet,
    codes: npt.NDArray[np.integer],
    initial: FloatArray,
    learned: LearnedMetric,
    random: np.random.RandomState,
    n_jobs: int | None,
) -> bool:
    """Return whether learned distances classify the training trees worse than the initial ones.

    The learner has seen these trees, so that its errors on new trees are probably even larger.
    """
    count = sample_size(trees, learned.distance)
    some = np.arange(len(trees))
    if count < len(trees):
        some = np.sort(random.permutation(len(trees))[:count])
        trees, codes = trees[some], codes[some]
    groups = equal_trees(trees)
    before = neighbour_error(initial[np.ix_(some, some)], codes, groups)
    return neighbour_error(learned.pairwise(trees, n_jobs=n_jobs), codes, groups) > before
