"""Checks of the argument `costs`."""

from __future__ import annotations

from treemetric._base.validation import refuse, shown
from treemetric.costs.base import Costs
from treemetric.costs.function import CallableCosts
from treemetric.costs.unit import UnitCosts
from treemetric.treeset import check_tree

_UNIT = UnitCosts()


def check_costs(costs: object, function: str, parameter: str = "costs") -> Costs:
    """Check that `costs` can be used for many trees and return them as an instance of `Costs`.

    None means unit costs, and a function is wrapped in `CallableCosts`.
    """
    known = _as_costs(costs, function, parameter)
    if known._for_one_pair:
        must = "costs of labels, because it compares many trees"
        refuse(parameter, function, must, f"{known!r}, costs of the nodes of one pair of trees,")
    return known


def _as_costs(costs: object, function: str, parameter: str) -> Costs:
    if costs is None:
        return _UNIT
    if isinstance(costs, Costs):
        return costs
    # A learned distance is a function of two trees.
    if not callable(costs) or isinstance(costs, type) or hasattr(costs, "pairwise"):
        must = (
            "an instance of 'treemetric.Costs', such as CostMatrix or OperationCosts, "
            "a function of two labels, or None"
        )
        advice = ""
        if hasattr(costs, "get_metric"):
            advice = "The costs of a fitted learner are its costs_."
        elif hasattr(costs, "pairwise"):
            advice = "A learned distance has a method pairwise."
        refuse(parameter, function, must, shown(costs), advice)
    return CallableCosts(costs)


def check_pair(x: object, y: object, costs: object, function: str) -> Costs:
    """Check two trees and their costs, which may be `PairCosts`, and return the costs."""
    check_tree(x, "x", function)
    check_tree(y, "y", function)
    return _as_costs(costs, function, "costs")
