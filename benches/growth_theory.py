"""What theory says of the work for a pair of trees, counted on the trees themselves.

Zhang and Shasha (1989) fill, for left paths, a table of (sum over the nodes of x of the key roots
above them) times the same for y; the mirror images give the count for right paths. They bound it
by |x| |y| min(depth, leaves)² of each. The best choice of paths for every pair of subtrees
needs O(n³) (Demaine et al. 2009; Pawlik and Augsten 2016).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import workloads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workloads import PlainTree

# How the counts of a shape grow for large n: by left paths alone, by the better of left and
# right paths, by the best paths. The depth of a uniform ordered tree is of order √n, those of
# recursive and binary trees of order log n. In a zigzag every other spine node is a key root
# either way, forked trees are two zigzags; inner paths save one factor n.
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
    """Count cells by left paths, by the better of left and right ones, and bound them."""
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
    """Fit a power to the upper half of the sizes; return it with the smallest and largest.

    Halves are those of the logarithms; at least the two largest sizes are taken.
    """
    known = sorted((n, value) for n, value in zip(sizes, values, strict=True) if value > 0)
    if len(known) < 2:
        return None
    middle = np.sqrt(known[0][0] * known[-1][0])
    upper = np.array([pair for pair in known if pair[0] >= min(middle, known[-2][0])])
    slope = np.polyfit(*np.log(upper.T), 1)[0]
    return float(slope), float(upper[0, 0]), float(upper[-1, 0])
