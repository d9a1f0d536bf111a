"""The walk over Python objects: any object is a node if a function returns its children."""

from collections.abc import Callable, Iterable
from typing import Any

from treemetric._base.typing import Label


def walk(
    root: Any,
    children: Callable[[Any], Iterable[Any] | None],
    label: Callable[[Any], Label] | None,
) -> tuple[list[Label], list[int]]:
    """Return labels and parents in preorder; both functions are called once per node."""
    labels: list[Label] = []
    parents: list[int] = []
    stack, above = [root], [-1]
    while stack:
        node = stack.pop()
        parents.append(above.pop())
        labels.append(node if label is None else label(node))
        below = children(node)
        if below is None:
            continue
        if type(below) is not list and type(below) is not tuple:
            below = _listed(below, node)
        if below:
            stack.extend(below[::-1])
            above.extend([len(labels) - 1] * len(below))
    return labels, parents


def _listed(below: Any, node: Any) -> list[Any]:
    try:
        iterator = iter(below)
    except TypeError:
        message = (
            "children must return an iterable of nodes or None; "
            f"got {type(below).__name__} for a node of type {type(node).__name__}"
        )
        raise TypeError(message) from None
    return list(iterator)
