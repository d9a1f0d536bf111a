"""Tree edit distances of adjacency lists, as in ``edist.ted``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treemetric.compat._prices import Labels, compare_by_equality, price
from treemetric.distances import distance
from treemetric.tree import Tree

__all__ = ["standard_ted", "ted"]

Delta = Callable[[Any, Any], Any]


def standard_ted(x_nodes: Any, x_adj: Any, y_nodes: Any = None, y_adj: Any = None) -> int:
    """Compute the tree edit distance with unit costs.

    Parameters
    ----------
    x_nodes : list or tuple
        The labels of x; or x as a tuple of labels and adjacency lists.
    x_adj : list or tuple
        The adjacency lists of x: for each node the indices of its children; or y as a tuple.
    y_nodes : list, optional
        The labels of y.
    y_adj : list, optional
        The adjacency lists of y.

    Returns
    -------
    int
        The distance.

    Examples
    --------
    >>> from treemetric.compat.edist.ted import standard_ted
    >>> standard_ted((["a", "b"], [[1], []]), (["a"], [[]]))
    1
    """
    x, y = _both(x_nodes, x_adj, y_nodes, y_adj)
    if compare_by_equality(x[0]) and compare_by_equality(y[0]):
        return int(distance(plain_tree(*x), plain_tree(*y)))
    return int(ted(x, y, delta=lambda a, b: int(a is None or b is None or bool(a != b))))


def ted(
    x_nodes: Any, x_adj: Any, y_nodes: Any = None, y_adj: Any = None, delta: Delta | None = None
) -> float:
    """Compute the tree edit distance with costs by a function of labels.

    Parameters
    ----------
    x_nodes, x_adj, y_nodes, y_adj : list or tuple
        The trees, as in `standard_ted`.
    delta : callable, optional
        ``delta(a, b)`` is the cost of replacing label a by label b, ``delta(a, None)`` of
        deleting a, and ``delta(None, b)`` of inserting b. It is called once per pair of
        labels. By default every edit costs 1.

    Returns
    -------
    float
        The distance.

    Examples
    --------
    >>> from treemetric.compat.edist.ted import ted
    >>> def delta(a, b):
    ...     return abs((a or 0) - (b or 0))
    >>> ted(([3, 4], [[1], []]), ([5], [[]]), delta=delta)
    4.0
    """
    if delta is None:
        return float(standard_ted(x_nodes, x_adj, y_nodes, y_adj))
    first, second = _both(x_nodes, x_adj, y_nodes, y_adj)
    rows: Any
    columns: Any
    if {*map(type, first[0]), *map(type, second[0])} <= {str}:
        # Equal text has equal costs, so that the labels need no numbers.
        x, y = plain_tree(*first), plain_tree(*second)
        rows, columns = x._data.alphabet, y._data.alphabet
    else:
        labels = Labels()
        x, y = coded_tree(labels, *first), coded_tree(labels, *second)
        rows, columns = labels.of(x), labels.of(y)
    prices = price(rows, columns, delta, lambda a: delta(a, None), lambda b: delta(None, b))
    return distance(x, y, costs=prices.of_labels())


def plain_tree(nodes: Any, adj: Any) -> Tree:
    """Return a tree with the labels as they are."""
    return Tree.from_adjacency(nodes, adj, roots=None if len(nodes) else ())


def coded_tree(labels: Labels, nodes: Any, adj: Any) -> Tree:
    """Return a tree with the numbers of the labels."""
    return plain_tree([labels.code(label) for label in nodes], adj)


def _both(x_nodes: Any, x_adj: Any, y_nodes: Any, y_adj: Any) -> tuple[Any, Any]:
    """Return both trees as pairs of labels and adjacency lists."""
    if y_nodes is not None and y_adj is not None:
        return (x_nodes, x_adj), (y_nodes, y_adj)
    pairs = (x_nodes, x_adj)
    tuples = all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs)
    if y_nodes is not None or y_adj is not None or not tuples:
        message = (
            "the trees must be four arguments x_nodes, x_adj, y_nodes, y_adj, "
            "or two tuples (x_nodes, x_adj), (y_nodes, y_adj)"
        )
        raise TypeError(message)
    return pairs
