"""Costs made ready for the core: tables, and label codes under a common alphabet."""

from typing import Any

import numpy as np

from treemetric import _core
from treemetric._base.typing import Label
from treemetric._base.validation import refuse, shown
from treemetric.costs import Costs, UnitCosts, VectorCosts
from treemetric.tree import Tree
from treemetric.treeset import TreeSet, check_tree

Codes = tuple[Any, Any]
Table = tuple["_core.CostTable | None", dict[Label, int] | None]


_UNIT = UnitCosts()


def check_costs(costs: object, function: str) -> Costs:
    """Let costs through; None means unit costs."""
    if costs is None:
        return _UNIT
    if not isinstance(costs, Costs):
        must = (
            "an instance of 'treemetric.UnitCosts', 'treemetric.CostMatrix', "
            "'treemetric.EmbeddingCosts', 'treemetric.VectorCosts', "
            "'treemetric.CallableCosts' or None"
        )
        refuse("costs", function, must, shown(costs))
    return costs


def check_pair(x: object, y: object, costs: object, function: str) -> Costs:
    """Check two trees and their costs; give the costs."""
    check_tree(x, "x", function)
    check_tree(y, "y", function)
    return check_costs(costs, function)


def pair_table(costs: Costs, x: Tree, y: Tree) -> Table:
    """Give the table for two trees and the index of its labels; None for unit costs."""
    if isinstance(costs, UnitCosts):
        return None, None
    return costs._table(x._data.alphabet, y._data.alphabet)


def resolve(
    costs: Costs, X: TreeSet, Y: TreeSet | None
) -> tuple[Codes, "_core.CostTable | _core.VectorTable | None"]:
    """Give the codes of both alphabets under a common one, and the costs."""
    other = X if Y is None else Y
    if isinstance(costs, VectorCosts):
        # No table of all labels: they are compared as they meet.
        own = costs._codes(X.alphabet)
        return (own, own if Y is None else costs._codes(other.alphabet)), costs._core_table()
    if isinstance(costs, UnitCosts):
        return (None, None if Y is None else common_codes(X.alphabet, Y.alphabet)[1]), None
    table, index = costs._table(X.alphabet, other.alphabet)
    if index is None:
        return (None, None), table
    codes = _core.encode(X.alphabet, index)
    return (codes, codes if Y is None else _core.encode(other.alphabet, index)), table


def common_codes(x: tuple[Label, ...], y: tuple[Label, ...]) -> tuple[tuple[Label, ...], Any]:
    """Give the union of two alphabets, x first, and the codes of y in it."""
    index = {label: code for code, label in enumerate(x)}
    codes = [index.setdefault(label, len(index)) for label in y]
    return tuple(index), np.array(codes, dtype=np.uint32)
