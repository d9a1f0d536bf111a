"""Edit costs learned from classified trees.

All learners take trees and their classes, and return costs that every distance function accepts.
`BEDL` learns a vector for each label, `LVQCosts` learns the costs with the same loss, and `GESL`
learns the costs by a convex program. All of them compare ordered trees.
"""

from treemetric.learning._metric import LearnedMetric
from treemetric.learning.bedl import BEDL
from treemetric.learning.gesl import GESL, GoodCosts, learn_costs
from treemetric.learning.lvq_costs import LVQCosts
from treemetric.learning.nca_costs import NCACosts

__all__ = ["BEDL", "GESL", "GoodCosts", "LVQCosts", "LearnedMetric", "NCACosts", "learn_costs"]
