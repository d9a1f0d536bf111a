"""Edit costs learned from classified trees.

All learners take trees and their classes, and leave costs that every distance function takes.
`BEDL` learns a vector for each symbol, `LVQCosts` the costs by the same loss, `GESL` the costs
by a convex programme.
"""

from treemetric.learning._metric import LearnedMetric
from treemetric.learning.bedl import BEDL
from treemetric.learning.gesl import GESL, GoodCosts, learn_costs
from treemetric.learning.lvq_costs import LVQCosts

__all__ = ["BEDL", "GESL", "GoodCosts", "LVQCosts", "LearnedMetric", "learn_costs"]
