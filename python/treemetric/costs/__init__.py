"""The costs of edits.

Costs define the cost of three edits: replacing a label by another, deleting a label and inserting
a label. Every function with a parameter ``costs`` accepts all kinds of costs.

The dynamic program of Zhang and Shasha pairs every node with at most one other node. This is the
cheapest edit script if the costs satisfy the triangle inequality. If they do not, a chain of edits
to one node (a to c, then c to b) can be cheaper than the direct edit (a to b). The result is then
still the cheapest *alignment*, but more expensive than the cheapest *script*.
``costs.violations()`` lists where this can happen. ``costs.closure()`` returns the costs of the
cheapest chains, under which alignment and script agree.
"""

from treemetric.costs.base import Costs, Violation
from treemetric.costs.embedding import EmbeddingCosts
from treemetric.costs.function import CallableCosts
from treemetric.costs.matrix import CostMatrix
from treemetric.costs.operation import OperationCosts
from treemetric.costs.pair import PairCosts
from treemetric.costs.unit import UnitCosts
from treemetric.costs.vector import VectorCosts

__all__ = [
    "CallableCosts",
    "CostMatrix",
    "Costs",
    "EmbeddingCosts",
    "OperationCosts",
    "PairCosts",
    "UnitCosts",
    "VectorCosts",
    "Violation",
]
