"""Depths, sizes and orders of nodes, from the parents in preorder; nothing recurses."""

from __future__ import annotations

from typing import Any

import numpy as np

from treemetric._base.typing import IntArray, Label


def depths(parents: IntArray) -> IntArray:
    """Return the number of edges from each node up to its root."""
    # Each depth needs the one before. For trees of any size this loop is faster than pointer
    # jumping, which needs a round of array operations for every doubling of the depth.
    levels = [-1]
    append = levels.append
    for above in (parents + 1).tolist():
        append(levels[above] + 1)
    return np.array(levels[1:], dtype=np.int32)


def sizes(parents: IntArray) -> list[int]:
    """Return the number of nodes of each subtree."""
    counts = [1] * len(parents)
    for node, above in zip(range(len(counts) - 1, -1, -1), parents[::-1].tolist(), strict=True):
        if above >= 0:
            counts[above] += counts[node]
    return counts


def postorder(parents: IntArray) -> IntArray:
    """Return the nodes in postorder."""
    # Before a node come the nodes to its left and below it: those that are before it in
    # preorder, without its ancestors, and its proper descendants.
    ranks = np.arange(len(parents)) - depths(parents) + np.array(sizes(parents), dtype=np.int64) - 1
    order = np.empty(len(parents), dtype=np.int32)
    order[ranks] = np.arange(len(parents), dtype=np.int32)
    return order


def canonical_order(parents: IntArray, ranks: list[int]) -> tuple[list[int], list[int]]:
    """Return the nodes in preorder and their new parents after sorting all children.

    Children are sorted by the rank of their label, then by height, then by their own
    children, compared in the same way. Each distinct subtree gets a number, lower ones
    first, so that no comparison goes deeper than one level.
    """
    above = parents.tolist()
    below: list[list[int]] = [[] for _ in above]
    heights = [0] * len(above)
    roots: list[int] = []
    for node in range(len(above) - 1, -1, -1):
        parent = above[node]
        (roots if parent < 0 else below[parent]).append(node)
        if parent >= 0 and heights[parent] <= heights[node]:
            heights[parent] = heights[node] + 1
    levels: list[list[int]] = [[] for _ in range(max(heights, default=-1) + 1)]
    for node, height in enumerate(heights):
        levels[height].append(node)
    keys: list[tuple[int, int]] = [(0, 0)] * len(above)
    count = 0
    for level in levels:
        forms: dict[tuple[Any, ...], list[int]] = {}
        for node in level:
            children = below[node]
            if len(children) > 1:
                children.sort(key=keys.__getitem__)
            form = (ranks[node], *(keys[child] for child in children))
            forms.setdefault(form, []).append(node)
        for form in sorted(forms):
            for node in forms[form]:
                keys[node] = (ranks[node], count)
            count += 1
    roots.sort(key=keys.__getitem__)
    return _preorder(roots, below)


def _preorder(roots: list[int], below: list[list[int]]) -> tuple[list[int], list[int]]:
    order: list[int] = []
    parents: list[int] = []
    stack, above = roots[::-1], [-1] * len(roots)
    while stack:
        node = stack.pop()
        parents.append(above.pop())
        stack.extend(below[node][::-1])
        above.extend([len(order)] * len(below[node]))
        order.append(node)
    return order, parents


def sort_key(label: Label) -> tuple[int, Any, str]:
    """Return a key by which labels of any kind can be sorted: numbers, text, anything else."""
    if isinstance(label, int | float) and label == label:
        return (0, label, "")
    if isinstance(label, str):
        return (1, 0, label)
    return (2, 0, f"{type(label).__name__} {label!r}")
