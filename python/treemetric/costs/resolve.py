"""Checks of the argument `costs`."""

from treemetric._base.validation import refuse, shown
from treemetric.costs.base import Costs
from treemetric.costs.unit import UnitCosts
from treemetric.treeset import check_tree

_UNIT = UnitCosts()


def check_costs(costs: object, function: str) -> Costs:
    """Check that `costs` are costs and return them; None means unit costs."""
    if costs is None:
        return _UNIT
    if not isinstance(costs, Costs):
        must = "an instance of 'treemetric.Costs', such as CostMatrix or CallableCosts, or None"
        refuse("costs", function, must, shown(costs))
    return costs


def check_pair(x: object, y: object, costs: object, function: str) -> Costs:
    """Check two trees and their costs, and return the costs."""
    check_tree(x, "x", function)
    check_tree(y, "y", function)
    return check_costs(costs, function)
