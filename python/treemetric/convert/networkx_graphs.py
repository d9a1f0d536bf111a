"""Graphs of networkx that are trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treemetric._base.extras import need
from treemetric._base.typing import Label
from treemetric.convert.text import build
from treemetric.tree import Tree


def from_networkx(
    G: Any, root: Any = None, *, label: str | Callable[[Any], Label] | None = None
) -> Tree:
    """Make a tree of a graph of networkx.

    Parameters
    ----------
    G : networkx.DiGraph or networkx.Graph
        A directed graph with edges from parents to children, or an undirected graph.
    root : node, optional
        The root. Only what can be reached from it belongs to the tree. By default it is
        the only node without a parent, and every node must be reached; an undirected
        graph of more than one node needs a root.
    label : str or callable, optional
        The name of an attribute of nodes, or a function of a node. By default nodes are
        their own labels.

    Returns
    -------
    Tree
        Children are in the order of the edges in the graph.

    Raises
    ------
    ValueError
        If the graph is not a tree; the message states the node.

    See Also
    --------
    to_networkx : The way back.

    Examples
    --------
    >>> import networkx  # doctest: +SKIP
    >>> from treemetric.convert import from_networkx
    >>> from_networkx(networkx.DiGraph([("a", "b"), ("a", "c")])).to_bracket()  # doctest: +SKIP
    '{a{b}{c}}'
    """
    if not (hasattr(G, "is_directed") and hasattr(G, "adjacency")):
        message = f"G of from_networkx must be a graph of networkx; got {type(G).__name__}"
        raise TypeError(message)
    if root is None:
        start = _root(G)
    elif root in G:
        start = root
    else:
        message = f"root must be a node of the graph; got {root!r}"
        raise ValueError(message)
    nodes, parents = _walk(G, start)
    if root is None and len(nodes) < len(G):
        message = f"the graph must be a tree; only {len(nodes)} of {len(G)} nodes can be reached"
        raise ValueError(message)
    return build(_labels(G, nodes, label), parents)


def _root(G: Any) -> Any:
    if len(G) == 1:
        return next(iter(G))
    if not G.is_directed():
        message = f"root must be a node if the graph is undirected and has {len(G)} nodes; got None"
        raise ValueError(message)
    roots = [node for node in G if not G.pred[node]]
    if len(roots) != 1:
        some = "".join(f", {node!r}" for node in roots[:3])
        message = (
            "the graph must have exactly one node without a parent, or root must be given; "
            f"got {len(roots)} such nodes{some}"
        )
        raise ValueError(message)
    return roots[0]


def _walk(G: Any, root: Any) -> tuple[list[Any], list[int]]:
    directed, multiple = G.is_directed(), G.is_multigraph()
    adjacency = dict(G.adjacency())  # plain dictionaries, where G.adj makes a view per node
    nodes: list[Any] = []
    parents: list[int] = []
    seen = {root}
    stack, above = [root], [-1]
    while stack:
        node = stack.pop()
        parent = above.pop()
        place = len(nodes)
        nodes.append(node)
        parents.append(parent)
        edges = adjacency[node]
        below = list(edges)
        if not directed and parent >= 0:
            below.remove(nodes[parent])
        for child in below:
            if child in seen:
                message = f"the graph must be a tree; two ways lead to the node {child!r}"
                raise ValueError(message)
            if multiple and len(edges[child]) > 1:
                message = f"the graph must be a tree; got parallel edges to the node {child!r}"
                raise ValueError(message)
            seen.add(child)
        below.reverse()
        stack += below
        above += [place] * len(below)
    return nodes, parents


def _labels(G: Any, nodes: list[Any], label: str | Callable[[Any], Label] | None) -> list[Label]:
    if label is None:
        return nodes
    if callable(label):
        return [label(node) for node in nodes]
    labels: list[Label] = []
    for node in nodes:
        attributes = G.nodes[node]
        if label not in attributes:
            message = f"every node must have the attribute {label!r}; {node!r} has not"
            raise ValueError(message)
        labels.append(attributes[label])
    return labels


def to_networkx(tree: Tree) -> Any:
    """Make a directed graph of networkx.

    Parameters
    ----------
    tree : Tree
        A tree or a forest.

    Returns
    -------
    networkx.DiGraph
        Its nodes are 0, 1, 2, … in preorder, with the attribute "label"; edges lead from
        parents to children. ``from_networkx(graph, label="label")`` reads it back.

    Raises
    ------
    ImportError
        If networkx is not installed.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.convert import to_networkx
    >>> list(to_networkx(Tree.from_bracket("{a{b}{c}}")).edges)  # doctest: +SKIP
    [(0, 1), (0, 2)]
    """
    networkx = need("networkx", "networkx", "to_networkx")
    if not isinstance(tree, Tree):
        message = f"tree must be an instance of 'treemetric.Tree'; got {type(tree).__name__}"
        raise TypeError(message)
    graph = networkx.DiGraph()
    graph.add_nodes_from((node, {"label": label}) for node, label in enumerate(tree.labels))
    parents = enumerate(tree.parents.tolist())
    graph.add_edges_from((parent, node) for node, parent in parents if parent >= 0)
    return graph
