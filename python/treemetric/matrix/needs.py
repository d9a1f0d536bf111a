"""What a block needs: memory, and the work of its trees."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.typing import FloatArray, OffsetArray
from treemetric.matrix.plan import BlockPlan, heaviest, longest
from treemetric.treeset import TreeSet

# Weight of every tree, however small: the work of a pair in addition to its cells.
_LEAST_WEIGHT = 16.0
# Number of nodes whose work is estimated at once.
_WEIGHED = 1 << 18


class BlockNeeds(NamedTuple):
    """The memory that blocks of some trees need, and the weights of the trees.

    Attributes
    ----------
    pair
        Bytes per pair.
    scratch
        Bytes of all threads.
    rows, columns
        Running sums of the bytes of prepared trees.
    weights
        The work of each tree, for both sides; see `weights`.
    """

    pair: int
    scratch: int
    rows: OffsetArray
    columns: OffsetArray
    weights: tuple[FloatArray, FloatArray]

    def largest_block(self, plan: BlockPlan) -> int:
        """Return an upper bound of the bytes that any block of a plan needs."""
        pairs = max((plan.pairs(block) for block in plan.blocks), default=0)
        height, width = longest(plan.row_cuts), longest(plan.column_cuts)
        # Blocks on the diagonal are computed as squares, pieces of a strip beside it.
        pairs = pairs + height * width if plan.strips else max(pairs, height * width)
        prepared = heaviest(self.rows, plan.row_cuts) + heaviest(self.columns, plan.column_cuts)
        return self.scratch + pairs * self.pair + int(prepared)


def block_needs(
    X: TreeSet,
    Y: TreeSet | None,
    table: _core.CostTable | _core.VectorTable | _core.TextTable | None,
    *,
    cutoff: bool,
    itemsize: int,
    threads: int,
) -> BlockNeeds:
    """Compute the memory of a pair, a tree and the threads.

    `itemsize` is the number of bytes of a value, including all of its copies.
    """
    sets = (X, X if Y is None else Y)
    of_x = key_root_sizes(X)
    sums = (of_x, of_x if Y is None else key_root_sizes(sets[1]))
    n, m = (int(trees.sizes.max(initial=0)) + 1 for trees in sets)
    # The better side of most trees; if trees differ, the worse side of some.
    work = min(max(float(both[side].max(initial=0)) for both in sums) for side in (0, 1))
    scratch, tree, node, row_node, kept, most_kept = _core.matrix_bytes(
        (
            (n, m),
            int(work),
            (len(X), len(sets[1])),
            (len(X.alphabet), len(sets[1].alphabet)),
        ),
        cutoff,
        table,
        threads,
    )
    most = max(float(both.min(axis=0).max(initial=0)) for both in sums)
    bytes_of = []
    for trees, both, of_row in zip(sets, sums, (row_node, 0), strict=True):
        better = both.min(axis=0)
        # Trees that are compared one by one keep column tables.
        alone = cutoff | (better * most > _core.LARGE_WORK)
        tables = alone * np.minimum(kept[0] * (trees.sizes + 1) + kept[1] * better, most_kept)
        each = (_core.PREPARED_TREE_BYTES + tree) + (
            _core.PREPARED_NODE_BYTES + node + of_row
        ) * trees.sizes
        bytes_of.append(np.concatenate(([0], np.cumsum(each + tables.astype(np.int64)))))
    of_rows = weights(X, of_x)
    both_weights = (of_rows, of_rows if Y is None else weights(sets[1], sums[1]))
    return BlockNeeds(
        itemsize + _core.RETURNED_BYTES, scratch, bytes_of[0], bytes_of[1], both_weights
    )


def weights(trees: TreeSet, sums: FloatArray | None = None) -> FloatArray:
    """Estimate the work of each tree: its factor in the number of cells of a pair.

    It is the sum of `key_root_sizes` on the better side, and less where inner paths are faster;
    half of their gain is attributed to each of two trees.
    """
    better: FloatArray = (key_root_sizes(trees) if sums is None else sums).min(axis=0)
    result = better + _LEAST_WEIGHT
    for index in np.flatnonzero(_badly_shaped(trees, better)):
        nodes = slice(*trees.offsets[index : index + 2])
        ends = np.array([0, nodes.stop - nodes.start], dtype=np.int64)
        alone = _core.PreparedSet(trees.codes[nodes], trees.parents[nodes], ends)
        result[index] *= math.sqrt(_core.inner_shares(alone)[0])
    return result


def _badly_shaped(trees: TreeSet, better: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which trees may use inner paths, whose work is a quarter of the cube of the size."""
    cube = trees.sizes.astype(np.float64) ** 3
    bad: npt.NDArray[np.bool_] = better**2 > np.maximum(cube / 8, _core.LARGE_WORK)
    return bad


def key_root_sizes(trees: TreeSet) -> FloatArray:
    """Sum the sizes of the key-roots of each tree, on the left and on the right.

    This is the number of pairs of a node and a key root that is the node or an ancestor of it, for
    the left and for the right decomposition (Zhang and Shasha 1989).
    """
    result = np.zeros((2, len(trees)))
    offsets = trees.offsets
    first = 0
    while first < len(trees):
        last = int(np.searchsorted(offsets, offsets[first] + _WEIGHED, side="right")) - 1
        last = max(last, first + 1)
        part = offsets[first : last + 1] - offsets[first]
        result[:, first:last] = _cells(trees.parents[offsets[first] : offsets[last]], part)
        first = last
    return result


def _cells(parents: Any, offsets: OffsetArray) -> FloatArray:
    count = len(parents)
    node = np.arange(count)
    # An additional node is the parent of all roots.
    above = np.where(parents >= 0, parents + np.repeat(offsets[:-1], np.diff(offsets)), count)
    youngest = np.full(count + 1, -1)
    youngest[above] = node  # the last child is written last
    key_left = (above != node - 1) | (above == count)
    key_right = (youngest[above] != node) | (above == count)
    sums = []
    for key in (key_left, key_right):
        depth = np.append(key.astype(np.int64), 0)
        anchor = np.append(above, count)
        # The number of visited ancestors doubles in every round.
        while (anchor < count).any():
            depth += depth[anchor]
            anchor = anchor[anchor]
        running = np.concatenate(([0], np.cumsum(depth[:-1])))
        sums.append(running[offsets[1:]] - running[offsets[:-1]])
    return np.array(sums, dtype=np.float64)
