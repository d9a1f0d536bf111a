"""Distances and operations, as in ``zss.compare``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from treemetric._base.extras import find
from treemetric.alignment import align
from treemetric.compat._order import PostOrder, postorder_steps
from treemetric.compat._prices import Labels, price, walk
from treemetric.compat.zss.simple_tree import Node
from treemetric.costs import Costs
from treemetric.distances import distance as tree_distance

__all__ = ["AnnotatedTree", "Operation", "distance", "simple_distance", "strdist"]

REMOVE, INSERT, UPDATE, MATCH = 0, 1, 2, 3
_NAMES = ("Remove", "Insert", "Update", "Match")

Children = Callable[[Any], Iterable[Any]]
Result = Any  # a float, or a float and a list of operations


def _label_distance() -> tuple[str, Callable[[Any, Any], Any]]:
    """Find the label distance of zss: that of the first package that is installed."""
    for module, function in (("editdist", "distance"), ("editdistance", "eval")):
        package = find(module)
        if package is not None:
            return module, getattr(package, function)
    return "", lambda a, b: 0 if a == b else 1


_PACKAGE, _DISTANCE = _label_distance()


def strdist(a: Any, b: Any) -> Any:
    """Return the label distance of zss.

    Parameters
    ----------
    a, b : str
        Labels.

    Returns
    -------
    int
        The string edit distance by the package editdist, or else editdistance; 0 or 1 if
        neither is installed.

    Examples
    --------
    >>> from treemetric.compat.zss.compare import strdist
    >>> strdist("a", "b")
    1
    """
    return _DISTANCE(a, b)


class Operation:
    """An edit: the removal, insertion or update of a node, or a match of two nodes.

    Parameters
    ----------
    op : int
        One of `Operation.remove`, `insert`, `update` and `match`.
    arg1 : object, optional
        The node of the first tree.
    arg2 : object, optional
        The node of the second tree.

    Attributes
    ----------
    type : int
        The kind of the edit.
    arg1, arg2 : object
        The nodes.

    Examples
    --------
    >>> from treemetric.compat.zss import Node, Operation
    >>> Operation(Operation.remove, Node("a"))
    <Operation Remove>
    """

    remove = REMOVE
    insert = INSERT
    update = UPDATE
    match = MATCH

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, op: int, arg1: Any = None, arg2: Any = None) -> None:
        self.type = op
        self.arg1 = arg1
        self.arg2 = arg2

    def __repr__(self) -> str:
        known = isinstance(self.type, int) and 0 <= self.type < len(_NAMES)
        return f"<Operation {_NAMES[self.type] if known else self.type}>"

    def __eq__(self, other: object) -> bool:
        if other is None:
            return False
        if not isinstance(other, Operation):
            message = "Must compare against type Operation"
            raise TypeError(message)
        mine, others = ((one.type, one.arg1, one.arg2) for one in (self, other))
        return mine == others


class AnnotatedTree:
    """The arrays of the algorithm of Zhang and Shasha (1989).

    Parameters
    ----------
    root : object
        The root of a tree.
    get_children : callable
        ``get_children(node)`` returns the children of a node.

    Attributes
    ----------
    nodes : list
        The nodes in postorder.
    ids : list of int
        The numbers of the nodes, from the last in postorder to the first.
    lmds : list of int
        The left-most leaf below each node, in postorder.
    keyroots : list of int
        The highest node of each left path, in postorder.

    Examples
    --------
    >>> from treemetric.compat.zss import AnnotatedTree, Node
    >>> tree = AnnotatedTree(Node("a").addkid(Node("b")).addkid(Node("c")), Node.get_children)
    >>> tree.lmds, tree.keyroots
    ([0, 1, 0], [1, 2])
    """

    def __init__(self, root: Any, get_children: Children) -> None:
        self.get_children = get_children
        self.root = root
        tree, nodes = walk(root, get_children)
        order = PostOrder(tree)
        self.nodes = [nodes[i] for i in order.node]
        self.ids = list(range(len(nodes) - 1, -1, -1))
        self.lmds = order.first
        self.keyroots = sorted({leaf: rank for rank, leaf in enumerate(self.lmds)}.values())


def simple_distance(
    A: Any,
    B: Any,
    get_children: Children = Node.get_children,
    get_label: Callable[[Any], Any] = Node.get_label,
    label_dist: Callable[[Any, Any], Any] | str = "auto",
    return_operations: bool = False,
) -> Result:
    """Compute the tree edit distance with costs by label.

    Parameters
    ----------
    A, B : object
        The roots of two trees.
    get_children : callable
        ``get_children(node)`` returns the children of a node. It is called once per node.
    get_label : callable
        ``get_label(node)`` returns the label of a node.
    label_dist : callable or 'auto'
        ``label_dist(a, b)`` is the cost of replacing a label by another,
        ``label_dist(a, '')`` of removing and ``label_dist('', b)`` of inserting a node. It
        is called once per pair of labels. 'auto' is the rule of zss, `strdist`, which
        depends on the packages that are installed; a warning says so if labels are longer
        than one character.
    return_operations : bool, default=False
        If True, the operations are returned as well.

    Returns
    -------
    float, or tuple of float and list of Operation
        The distance, and the operations in postorder.

    Examples
    --------
    >>> from treemetric.compat.zss import Node, simple_distance
    >>> simple_distance(Node("a"), Node("b"), return_operations=True)
    (1.0, [<Operation Update>])
    """
    labels = Labels()

    def code(node: Any) -> int:
        return labels.code(get_label(node))

    trees, nodes = zip(*(walk(root, get_children, code) for root in (A, B)), strict=True)
    label_cost: Any = label_dist
    if isinstance(label_dist, str):
        if label_dist != "auto":
            message = f"label_dist must be a function or 'auto'; got {label_dist!r}"
            raise ValueError(message)
        _warn_of_rule(labels.values)
        label_cost = strdist
    prices = price(
        labels.of(trees[0]),
        labels.of(trees[1]),
        label_cost,
        lambda label: label_cost(label, ""),
        lambda label: label_cost("", label),
    )
    if not return_operations:
        return tree_distance(*trees, costs=prices.of_labels())
    rows, columns = (tree._data.codes().tolist() for tree in trees)
    return _operations(
        trees, nodes, prices.of_labels(), lambda i, j: prices.replace[rows[i], columns[j]]
    )


def _warn_of_rule(labels: Iterable[Any]) -> None:
    """Warn if the result depends on which packages are installed."""
    if all(isinstance(label, str) and len(label) <= 1 for label in labels):
        return
    rule = f"string edit distance of {_PACKAGE}" if _PACKAGE else "0 for equal labels, otherwise 1"
    message = (
        f"label_dist='auto' compares labels as zss does: {rule}. The rule of zss depends on "
        "whether editdist or editdistance is installed; pass label_dist= to fix it."
    )
    warnings.warn(message, UserWarning, stacklevel=3)


def distance(
    A: Any,
    B: Any,
    get_children: Children,
    insert_cost: Callable[[Any], Any],
    remove_cost: Callable[[Any], Any],
    update_cost: Callable[[Any, Any], Any],
    return_operations: bool = False,
) -> Result:
    """Compute the tree edit distance with costs by node.

    Parameters
    ----------
    A, B : object
        The roots of two trees.
    get_children : callable
        ``get_children(node)`` returns the children of a node. It is called once per node.
    insert_cost, remove_cost : callable
        The cost of inserting or removing a node; called once per node.
    update_cost : callable
        ``update_cost(a, b)`` is the cost of pairing two nodes; called once per pair.
        ``inf`` means never.
    return_operations : bool, default=False
        If True, the operations are returned as well.

    Returns
    -------
    float, or tuple of float and list of Operation
        The distance, and the operations in postorder. Two nodes match if pairing them costs 0.

    Examples
    --------
    >>> from treemetric.compat.zss import Node, distance
    >>> one, renamed = lambda node: 1, lambda a, b: a.label != b.label
    >>> distance(Node("a"), Node("b"), Node.get_children, one, one, renamed)
    1.0
    """
    trees, nodes = zip(*(walk(root, get_children) for root in (A, B)), strict=True)
    prices = price(nodes[0], nodes[1], update_cost, remove_cost, insert_cost)
    if not return_operations:
        return tree_distance(*trees, costs=prices.of_nodes())
    return _operations(trees, nodes, prices.of_nodes(), lambda i, j: prices.replace[i, j])


def _operations(
    trees: Any, nodes: Any, costs: Costs, replace: Callable[[int, int], float]
) -> tuple[float, list[Operation]]:
    alignment = align(*trees, costs=costs, ties="delete")
    operations = []
    for i, j in postorder_steps(alignment):
        if j is None:
            operations.append(Operation(REMOVE, nodes[0][i]))
        elif i is None:
            operations.append(Operation(INSERT, None, nodes[1][j]))
        else:
            kind = MATCH if replace(i, j) == 0 else UPDATE
            operations.append(Operation(kind, nodes[0][i], nodes[1][j]))
    return alignment.cost, operations
