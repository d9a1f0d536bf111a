"""What can be counted in a collection of any size: sizes, depths, labels, equal trees."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treemetric._base.traversal import depths
from treemetric.treeset import TreeSet

__all__ = ["Facts", "LabelCount", "count_facts", "shared_folder"]


class LabelCount(NamedTuple):
    """A label, the number of its nodes, and the number of trees that have it."""

    label: Any
    nodes: int
    trees: int


class Facts(NamedTuple):
    """What was counted.

    ``groups`` are the positions of equal trees, largest groups first; ``distinct`` is the first
    position of each different tree.
    """

    sizes: NDArray[np.int64]
    depths: NDArray[np.int64]
    labels: list[LabelCount]
    groups: list[list[int]]
    distinct: NDArray[np.int64]


def count_facts(trees: TreeSet) -> Facts:
    """Count everything that takes linear time."""
    found: dict[Any, list[int]] = {}
    levels = np.empty(len(trees), dtype=np.int64)
    parents = trees.parents
    for position, tree in enumerate(trees):
        found.setdefault(tree, []).append(position)
        own = parents[trees.offsets[position] : trees.offsets[position + 1]]
        levels[position] = depths(own).max(initial=-1)
    groups = [positions for positions in found.values() if len(positions) > 1]
    groups.sort(key=lambda group: (-len(group), -int(trees.sizes[group[0]]), group[0]))
    distinct = np.array(sorted(positions[0] for positions in found.values()), dtype=np.int64)
    return Facts(trees.sizes.astype(np.int64), levels, _labels(trees), groups, distinct)


def _labels(trees: TreeSet) -> list[LabelCount]:
    """Return the labels, most frequent first."""
    codes = trees.codes.astype(np.int64)
    owners = np.repeat(np.arange(len(trees), dtype=np.int64), trees.sizes)
    nodes = np.bincount(codes, minlength=len(trees.alphabet))
    pairs = np.unique(owners * max(len(trees.alphabet), 1) + codes)
    holders = np.bincount(pairs % max(len(trees.alphabet), 1), minlength=len(trees.alphabet))
    order = np.argsort(-nodes, kind="stable").tolist()
    return [
        LabelCount(trees.alphabet[code], int(nodes[code]), int(holders[code]))
        for code in order
        if nodes[code]
    ]


def shared_folder(names: Sequence[object] | None) -> str:
    """Return the folders that begin the names of all trees, as in "src/app/", or nothing."""
    if not names or not all(isinstance(name, str) for name in names):
        return ""
    shared = os.path.commonprefix(list(map(str, names)))  # noqa: RUF071
    return shared[: max(shared.rfind("/"), shared.rfind(os.sep)) + 1]
