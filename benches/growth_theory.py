"""Theoretical work for a pair of trees, counted on the trees themselves.

With left paths, Zhang and Shasha (1989) compute f(x) f(y) cells, where f is the sum, over all nodes
of a tree, of the number of key roots among the node and its ancestors. The mirror images give the
count for right paths. Their bound is |x| m(x) |y| m(y), where m is the smaller of depth and number
of leaves. The best paths for every pair of subtrees need O(n³) cells (Demaine et al. 2009; Pawlik
and Augsten 2016).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import workloads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workloads import PlainTree

# Growth of the counts for large n: with left paths only, with the better of left and right paths,
# with the best paths. The depth of a uniform ordered tree is of order √n, the depths of recursive
# and binary trees are of order log n. In a zigzag every other spine node is a key root in both
# directions; forked trees are two zigzags. Inner paths save one factor n.
GROWTH = {
    "random": ("n³", "n³", "≤ n³"),
    "recursive": ("n² log² n", "n² log² n", "n² log² n"),
    "binary": ("n² log² n", "n² log² n", "n² log² n"),
    "left": ("n²", "n²", "n²"),
    "right": ("n⁴", "n²", "n²"),
    "zigzag": ("n⁴", "n⁴", "n³"),
    "forked": ("n⁴", "n⁴", "n³"),
    "mixed": ("n⁴", "n⁴", "n³"),
    "ast": ("n² depth²", "n² depth²", "≤ n³"),
}


def counts(x: PlainTree, y: PlainTree) -> dict[str, float]:
    """Count the cells with left paths, with the better of left and right paths, and the bound."""
    left, right = (
        float(workloads.cells(a)) * workloads.cells(b)
        for a, b in ((x, y), (workloads.mirror(x), workloads.mirror(y)))
    )
    bound = 1.0
    for labels, parents in (x, y):
        depth = [1]
        for parent in parents[1:]:
            depth.append(depth[parent] + 1)
        leaves = len(labels) - len(set(parents[1:]))
        bound *= len(labels) * min(max(depth), leaves)
    return {"left": left, "better": min(left, right), "bound": bound}


def exponent(sizes: Sequence[float], values: Sequence[float]) -> tuple[float, float, float] | None:
    """Fit a power to the upper half of the sizes; return it with the smallest and largest size.

    The upper half is taken on a logarithmic scale and has at least the two largest sizes.
    """
    known = sorted((n, value) for n, value in zip(sizes, values, strict=True) if value > 0)
    if len(known) < 2:
        return None
    middle = np.sqrt(known[0][0] * known[-1][0])
    upper = np.array([pair for pair in known if pair[0] >= min(middle, known[-2][0])])
    slope = np.polyfit(*np.log(upper.T), 1)[0]
    return float(slope), float(upper[0, 0]), float(upper[-1, 0])
