"""Trees of given shapes with random labels."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import treemetric as tm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random


def random_parents(rng: Random, size: int, *, forest: bool = False) -> list[int]:
    """Each node below a random node of the right-most path, or beside it at the top."""
    parents: list[int] = []
    path: list[int] = []
    for node in range(size):
        lowest = 0 if forest or node == 0 else 1
        path = path[: rng.randint(lowest, len(path))]
        parents.append(path[-1] if path else -1)
        path.append(node)
    return parents


def comb_parents(size: int, leaf_first: Callable[[int], bool]) -> list[int]:
    """A spine with one leaf per node, before or after the rest of the spine."""
    parents, spine, later = [-1], 0, []
    for step in count():
        if len(parents) + len(later) + 2 > size:
            break
        if leaf_first(step):
            parents.append(spine)
        else:
            later.append(spine)
        parents.append(spine)
        spine = len(parents) - 1
    if len(parents) + len(later) < size:
        parents.append(spine)
    return parents + later[::-1]


def binary_parents(size: int) -> list[int]:
    """A binary tree filled level by level."""
    parents, stack = [], [(0, -1)]
    while stack:
        slot, parent = stack.pop()
        if slot < size:
            node = len(parents)
            parents.append(parent)
            stack += [(2 * slot + 2, node), (2 * slot + 1, node)]
    return parents


def table_parents(size: int) -> list[int]:
    """A root, rows, and four cells in every row."""
    return [-1 if i == 0 else 0 if i % 5 == 1 else i - 1 - (i - 2) % 5 for i in range(size)]


SHAPES: dict[str, Callable[[Random, int], list[int]]] = {
    "random": random_parents,
    "forest": lambda rng, size: random_parents(rng, size, forest=True),
    "binary": lambda _, size: binary_parents(size),
    "left branch": lambda _, size: comb_parents(size, lambda _: False),
    "right branch": lambda _, size: comb_parents(size, lambda _: True),
    "zigzag": lambda _, size: comb_parents(size, lambda step: step % 2 == 1),
    "star": lambda _, size: [-1] + [0] * (size - 1),
    "chain": lambda _, size: list(range(-1, size - 1)),
    "table": lambda _, size: table_parents(size),
}


def make_tree(
    rng: Random, size: int, shape: str = "random", alphabet: Sequence[Any] = "abc"
) -> tm.Tree:
    """Build a tree of one of SHAPES with random labels; size 0 is the empty tree."""
    parents = SHAPES[shape](rng, size) if size else []
    return tm.Tree.from_parents([rng.choice(alphabet) for _ in parents], parents)


def delete_nodes(tree: tm.Tree, nodes: Sequence[int]) -> tm.Tree:
    """Delete nodes; their children move up."""
    gone = set(nodes)
    moved = {-1: -1}
    labels, parents = [], []
    for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        if node in gone:
            moved[node] = moved[int(parent)]
        else:
            moved[node] = len(labels)
            labels.append(label)
            parents.append(moved[int(parent)])
    return tm.Tree.from_parents(labels, parents)
