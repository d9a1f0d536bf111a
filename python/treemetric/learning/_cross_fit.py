"""Fits without some of the trees, and what these trees say about the learned costs.

The trees are split into parts of equal sizes and classes, with equal trees in the same part. Costs
are learned without one part at a time, and the trees of the part are classified under these costs
and under the initial costs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric._estimators.prototypes import Indices
from treemetric.costs import Costs
from treemetric.distances import pairwise_distances
from treemetric.learning._bagging import (
    Verdict,
    balanced_classes,
    class_errors,
    compare,
    equal_trees,
    left_out_distances,
)
from treemetric.learning._votes import expected_errors
from treemetric.treeset import TreeSet

N_PARTS = 3


class Fit(NamedTuple):
    """What was learned from some trees."""

    costs: Costs
    before: Indices  # prototypes under the initial costs
    after: Indices  # prototypes under the learned costs


def parts_of(
    codes: npt.NDArray[np.integer],
    groups: npt.NDArray[np.intp],
    count: int,
    random: np.random.RandomState,
) -> npt.NDArray[np.intp]:
    """Return a part for each tree; those of one group share it, and classes are spread evenly."""
    _, first = np.unique(groups, return_index=True)
    order = np.lexsort((random.permutation(len(first)), codes[first]))
    part = np.empty(len(first), dtype=np.intp)
    part[order] = np.arange(len(first)) % count
    return part[groups]


def cross_fit(
    trees: TreeSet,
    codes: npt.NDArray[np.integer],
    weight: FloatArray,
    initial: Costs,
    fit: Callable[[int, Indices], Fit | None],
    n_jobs: int | None,
) -> Verdict:
    """Compare learned costs and initial costs on trees that fits have not seen.

    ``fit`` learns from the trees at some positions; it returns None if it cannot. The same trees
    are always split in the same way, so that learners without random numbers stay without them.
    """
    random = np.random.RandomState(0)
    groups = equal_trees(trees)
    parts = parts_of(codes, groups, N_PARTS, random)
    found, unseen = [], []
    for number in range(N_PARTS):
        rows = np.flatnonzero(parts != number)
        fitted = fit(number, rows) if 0 < len(rows) < len(trees) else None
        if fitted is not None:
            found.append(fitted)
            unseen.append(parts == number)
    if not found:
        return Verdict(learned=False, scores={})
    left_out = np.array(unseen)
    costs = (fitted.costs for fitted in found)
    asked = left_out_distances(trees, initial, costs, left_out, groups, random, n_jobs)
    if asked is None:
        return Verdict(learned=False, scores={})
    queries, references, *distances = asked
    by_neighbours = class_errors(codes)
    errors = [by_neighbours(table, references, queries) for table in distances]
    prototypes = np.zeros((2, len(queries)))
    for fitted, unseen_by in zip(found, left_out, strict=True):
        rows = np.flatnonzero(unseen_by[queries])
        if not len(rows):
            continue
        some = trees[queries[rows]]
        for kind, (chosen, under) in enumerate(
            ((fitted.before, initial), (fitted.after, fitted.costs))
        ):
            table = pairwise_distances(some, trees[chosen], costs=under, n_jobs=n_jobs)
            prototypes[kind, rows] = expected_errors(
                table.astype(np.float64), codes[chosen], codes[queries[rows]], 1
            )
    errors = [np.vstack(pair) for pair in zip(errors, prototypes, strict=True)]
    first_weight = balanced_classes(codes, weight)
    return compare(errors[0], errors[1], weight[queries], first_weight[queries])
