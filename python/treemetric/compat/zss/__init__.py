"""The interface of zss 1.2.0: ``import treemetric.compat.zss as zss``.

Examples
--------
>>> import treemetric.compat.zss as zss
>>> a = zss.Node("a").addkid(zss.Node("b")).addkid(zss.Node("c"))
>>> b = zss.Node("a").addkid(zss.Node("c"))
>>> zss.simple_distance(a, b)
1.0
"""

from treemetric.compat.zss import compare, simple_tree
from treemetric.compat.zss.compare import AnnotatedTree, Operation, distance, simple_distance
from treemetric.compat.zss.simple_tree import Node

__all__ = [
    "AnnotatedTree",
    "Node",
    "Operation",
    "compare",
    "distance",
    "simple_distance",
    "simple_tree",
]
