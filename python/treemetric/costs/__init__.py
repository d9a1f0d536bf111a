"""What an edit costs.

A cost function prices three edits: replacing a label by another, deleting a label and
inserting one. All kinds of costs here can be passed wherever a function takes ``costs``.

The dynamic programme of Zhang and Shasha pairs every node with at most one other node.
That is the cheapest edit script if the costs obey the triangle inequality. If they do not,
a chain of edits to one node (a to c, then c to b) can be cheaper than the direct edit (a to
b), and the result, though still the cheapest *alignment*, is larger than the cheapest
*script*. ``costs.violations()`` tells whether this can happen and where,
``costs.closure()`` gives the costs of the cheapest chains, under which the two agree.
"""

from treemetric.costs.base import Costs, Violation
from treemetric.costs.embedding import EmbeddingCosts
from treemetric.costs.function import CallableCosts
from treemetric.costs.matrix import CostMatrix
from treemetric.costs.unit import UnitCosts
from treemetric.costs.vector import VectorCosts

__all__ = [
    "CallableCosts",
    "CostMatrix",
    "Costs",
    "EmbeddingCosts",
    "UnitCosts",
    "VectorCosts",
    "Violation",
]
