"""Nested tuples: ``("a", ["b", ("c", ["d"])])``."""

from collections.abc import Sequence
from typing import Any

from treemetric._base.typing import IntArray, Label


def flatten(nested: Any) -> tuple[list[Label], list[int]]:
    """Return labels and parents in preorder."""
    labels: list[Label] = []
    parents: list[int] = []
    roots = nested if isinstance(nested, list) else [nested]
    stack = [(node, -1) for node in reversed(roots)]
    while stack:
        node, parent = stack.pop()
        label, children = _open(node)
        stack.extend((child, len(labels)) for child in reversed(children))
        labels.append(label)
        parents.append(parent)
    return labels, parents


def _open(node: Any) -> tuple[Label, Sequence[Any]]:
    if not isinstance(node, tuple):
        return node, ()
    if len(node) != 2 or not isinstance(node[1], list):
        message = (
            f"A node must be a label or a tuple (label, list of children). Got {_short(node)}."
        )
        raise ValueError(message)
    return node


def _short(node: tuple[Any, ...]) -> str:
    # repr fails on a tuple that is nested too deeply.
    return f"a tuple of {len(node)} items ({', '.join(type(item).__name__ for item in node)})"


def build(labels: Sequence[Label], parents: IntArray) -> Any:
    """Return the nested form: a node for a tree, a list of nodes for a forest."""
    children: list[list[Any]] = [[] for _ in labels]
    roots: list[Any] = []
    # In reverse preorder, every subtree is complete when its root is visited.
    for i in range(len(labels) - 1, -1, -1):
        below = children[i]
        below.reverse()
        plain = not below and not isinstance(labels[i], tuple)
        node = labels[i] if plain else (labels[i], below)
        parent = int(parents[i])
        (roots if parent == -1 else children[parent]).append(node)
    roots.reverse()
    return roots[0] if len(roots) == 1 else roots
