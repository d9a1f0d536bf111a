"""Edit costs learned from trees with classes or numbers.

All learners take trees and their targets, and return costs that every distance function accepts.
`BEDL` learns a vector for each label, `LVQCosts` learns the costs with the same loss, and `GESL`
learns the costs by a convex program. All of them compare ordered trees.
"""

from treemetric.learning._metric import LearnedMetric
from treemetric.learning.bedl import BEDL
from treemetric.learning.gesl import GESL, GoodCosts, learn_costs
from treemetric.learning.kernel_regression_costs import KernelRegressionCosts
from treemetric.learning.lvq_costs import LVQCosts
from treemetric.learning.nca_costs import NCACosts

__all__ = [
    "BEDL",
    "GESL",
    "GoodCosts",
    "KernelRegressionCosts",
    "LVQCosts",
    "LearnedMetric",
    "NCACosts",
    "learn_costs",
]
