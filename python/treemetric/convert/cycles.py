"""Protection from objects that contain themselves, which would be walked forever."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

# Walks look for a cycle once, when they reach this number of nodes.
MANY = 1 << 20


def refuse_cycles(root: Any, children: Callable[[Any], Iterable[Any]], what: str) -> None:
    """Check that no object is below itself; `children` returns the containers in one."""
    open_: set[int] = set()
    done: set[int] = set()
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, leaving = stack.pop()
        key = id(node)
        if leaving:
            open_.discard(key)
            done.add(key)
        elif key in open_:
            message = f"{what} must be a tree; got an object that contains itself"
            raise ValueError(message)
        elif key not in done:
            open_.add(key)
            stack.append((node, True))
            stack.extend((child, False) for child in children(node))
