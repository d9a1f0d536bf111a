"""Learners and learned distances where an estimator takes costs.

Learners are in a higher layer. This module knows only what they can do: a learner has ``fit`` and
``get_metric``, and a learned distance has ``pairwise`` and handles labels that are new.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from sklearn.base import clone, is_regressor
from sklearn.frozen import FrozenEstimator

from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import refuse, shown
from treemetric.costs.resolve import check_costs
from treemetric.treeset import TreeSet


class Metric(Protocol):
    """A distance of trees that was learned."""

    def pairwise(
        self, X: TreeSet, Y: TreeSet | None = None, *, n_jobs: int | None = None
    ) -> FloatArray:
        """Return the distances from all trees of X to all trees of Y."""

    def _is_symmetric(self, labels: Iterable[Label]) -> bool:
        """Return whether the distance is the same in both directions for trees of some labels."""


def is_learner(costs: object) -> bool:
    """Return whether costs are an estimator that learns a distance, or a frozen one."""
    return hasattr(costs, "get_metric") and hasattr(costs, "fit") and not isinstance(costs, type)


def check_source(
    costs: Any, owner: str, *, ordered: bool, precomputed: bool, supervised: bool, classes: bool
) -> Metric | None:
    """Check what an estimator takes as costs; return it if it is a learned distance.

    ``classes`` states whether a learner would be fitted to classes, and not to numbers.
    """
    learned = hasattr(costs, "pairwise") and not isinstance(costs, type)
    if not (learned or is_learner(costs)):
        check_costs(costs, owner)
        return None
    if precomputed:
        must = "None if metric='precomputed': distances are not computed then"
        refuse("costs", owner, must, shown(costs))
    if not ordered:
        must = "costs of edits if ordered=False: learned distances compare ordered trees"
        refuse("costs", owner, must, shown(costs))
    if learned:
        metric: Metric = costs
        return metric
    if not supervised:
        must = (
            "costs or a learned distance, such as get_metric() of a fitted learner, not a learner"
        )
        refuse("costs", owner, must, shown(costs))
    if classes and is_regressor(costs) and not isinstance(costs, FrozenEstimator):
        must = "a learner from classes, such as NCACosts(), because y holds classes"
        refuse("costs", owner, must, shown(costs))
    return None


def fit_learner(costs: Any, trees: TreeSet, y: Any, sample_weight: Any) -> Any:
    """Return a copy of a learner, fitted to the training data; a frozen one stays as it is."""
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    return clone(costs).fit(trees, y, **weights)
