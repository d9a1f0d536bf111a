"""Costs from the functions of other packages: each pair of labels or nodes is priced once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import shown
from treemetric.costs import Costs, PairCosts
from treemetric.costs.frozen import FrozenCosts
from treemetric.tree import Tree


class Prices(NamedTuple):
    """The costs of edits as arrays, and whether all of them are integers in Python."""

    replace: FloatArray
    delete: FloatArray
    insert: FloatArray
    whole: bool

    def of_nodes(self) -> Costs:
        """Return the costs if rows and columns are the nodes of two trees."""
        return PairCosts(self.replace, self.delete, self.insert)

    def of_labels(self) -> Costs:
        """Return the costs if rows and columns are the alphabets of two trees."""
        return FrozenCosts((self.replace, self.delete, self.insert))


def price(
    rows: Sequence[Any],
    columns: Sequence[Any],
    replace: Callable[[Any, Any], Any],
    delete: Callable[[Any], Any],
    insert: Callable[[Any], Any],
) -> Prices:
    """Call the functions once for each pair, row and column."""
    costs = [replace(a, b) for a in rows for b in columns]
    costs += map(delete, rows)
    costs += map(insert, columns)
    # One array for all, because trees may be small.
    values = np.array(costs, dtype=np.float64)
    pairs, deletes = len(rows) * len(columns), len(rows)
    gaps = values[pairs:]
    if costs and not (values.min() >= 0 and gaps.max() < np.inf):  # also for NaN
        _refuse(costs, values, pairs, deletes)
    whole = set(map(type, costs)) <= {int, bool}
    table = values[:pairs].reshape(len(rows), len(columns))
    return Prices(table, gaps[:deletes], gaps[deletes:], whole)


def _refuse(costs: list[Any], values: FloatArray, pairs: int, deletes: int) -> NoReturn:
    """Raise the error for the first wrong cost."""
    right = values >= 0
    right[pairs:] &= values[pairs:] < np.inf
    where = int(np.argmin(right))
    edit, must = "replacing", "not negative"
    if where >= pairs:
        edit = "deleting" if where < pairs + deletes else "inserting"
        must = "not negative and finite"
    got = None if costs[where] is None else float(values[where])
    message = f"the cost of {edit} a node must be {must}; got {shown(got)}"
    raise ValueError(message)


def walk(
    root: Any,
    children: Callable[[Any], Iterable[Any] | None],
    label: Callable[[Any], Label] | None = None,
) -> tuple[Tree, list[Any]]:
    """Return a tree and its nodes in preorder; `children` is called once per node, in preorder.

    Without `label` the label of a node is its number, for costs by node.
    """
    nodes: list[Any] = []

    def visit(node: Any) -> Label:
        nodes.append(node)
        return len(nodes) if label is None else label(node)

    return Tree.from_callable(root, children, visit), nodes


class Labels:
    """Labels of any type as hashable keys. Equal keys mean equal costs.

    Equal labels of different types, such as 1 and True, have different keys, because their costs
    may differ. A label that cannot be hashed has a key of its own for each node.
    """

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self.values: list[Any] = []

    def code(self, label: Any) -> int:
        """Return the number of a label."""
        key = label if type(label) is str else (type(label), label)
        try:
            code = self._codes.setdefault(key, len(self.values))
        except TypeError:
            code = len(self.values)
        if code == len(self.values):
            self.values.append(label)
        return code

    def of(self, tree: Tree) -> list[Any]:
        """Return the labels of the alphabet of a tree whose labels are such numbers."""
        codes: Any = tree._data.alphabet
        return [self.values[code] for code in codes]


def compare_by_equality(labels: Iterable[Any]) -> bool:
    """Return whether a tree of these labels is right for costs that ask ``a != b``."""
    try:
        # NaN differs from itself, but is the same label.
        return all(label == label for label in set(labels))
    except TypeError:
        return False
