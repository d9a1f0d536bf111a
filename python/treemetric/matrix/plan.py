"""The block plan: which part of a matrix of distances is computed at a time.

A block is a rectangle of the matrix, trees ``rows`` against trees ``columns``. The work of a pair
is close to the product of a weight of each tree, so cutting both sides into runs of equal weight
gives blocks of equal work. Blocks are as large as memory and patience allow: what a killed
process loses is at most the block it was at.
"""

import itertools
import math
import re
from collections.abc import Sequence
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.typing import FloatArray, OffsetArray
from treemetric._base.validation import refuse, shown
from treemetric.treeset import TreeSet

DEFAULT_BUDGET = 512 << 20
# Work of a block in Zhang-Shasha cells: seconds on one thread.
_BLOCK_CELLS = 3e10
# More blocks than this are made larger instead: all of them are listed.
_MANY_BLOCKS = 20_000
# Weight that every tree has, however small: what a pair costs besides its cells.
_LEAST_WEIGHT = 16.0
# Upper bounds, measured: bytes of a prepared tree and of each of its nodes, and of the values
# that threads hand over for each pair before they are rounded to the result.
_TREE_BYTES, _NODE_BYTES, _HANDED_BYTES = 1024, 64, 16
# Pairs with less work, the product of two weights, are never decomposed along other than left or
# right paths, for which pairs are computed one by one.
_LARGE_WORK = 1e6
# Nodes that are weighed at once.
_WEIGHED = 1 << 18
_SMALLEST_CHUNK, _LARGEST_CHUNK = 32, 1024


class Block(NamedTuple):
    """A rectangle of the matrix: half-open ranges of rows and columns."""

    rows: tuple[int, int]
    columns: tuple[int, int]


class BlockPlan:
    """All blocks of a matrix.

    Parameters
    ----------
    shape
        Number of trees on both sides.
    triangle
        Rows and columns are the same trees and costs are symmetric: only blocks on and above
        the diagonal are listed.
    condensed
        Only pairs i < j are wanted.
    row_cuts, column_cuts
        Where the ranges of trees begin, and at last where the last one ends.
    strips
        Each block is a range of whole rows, hence a range of the condensed matrix;
        `column_cuts` say in which pieces it is computed.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        *,
        triangle: bool,
        condensed: bool,
        row_cuts: Sequence[int],
        column_cuts: Sequence[int],
        strips: bool = False,
    ) -> None:
        self.shape = shape
        self.triangle = triangle
        self.condensed = condensed
        self.strips = strips
        self.row_cuts = list(row_cuts)
        self.column_cuts = list(column_cuts)

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks, row by row."""
        rows, columns = ranges(self.row_cuts), ranges(self.column_cuts)
        if self.strips:
            return [Block(run, (run[0], self.shape[1])) for run in rows]
        return [
            Block(run, other)
            for position, run in enumerate(rows)
            for other in (columns[position:] if self.triangle else columns)
        ]

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Shape of the whole result."""
        n = self.shape[0]
        return (n * (n - 1) // 2,) if self.condensed else self.shape

    def pairs(self, block: Block) -> int:
        """Count the distances that a block computes."""
        height, width = (end - start for start, end in block)
        if self.strips:
            return height * (width - height) + height * (height - 1) // 2
        if self.triangle and block.rows == block.columns:
            return height * (height + (-1 if self.condensed else 1)) // 2
        return height * width

    def total(self) -> int:
        """Count the distances of all blocks."""
        return sum(self.pairs(block) for block in self.blocks)

    def start(self, row: int) -> int:
        """Give the position of the first pair of a row in the condensed matrix."""
        n = self.shape[0]
        return n * row - row * (row + 1) // 2

    def to_json(self) -> dict[str, Any]:
        """Give the cuts, for the manifest."""
        return {
            "strips": self.strips,
            "row_cuts": self.row_cuts,
            "column_cuts": self.column_cuts,
        }


def ranges(cuts: Sequence[int]) -> list[tuple[int, int]]:
    """Give the ranges between cuts."""
    return list(itertools.pairwise(cuts))


class Needs(NamedTuple):
    """What blocks of some trees take in memory, and the weights of the trees."""

    pair: int
    scratch: int
    rows: OffsetArray  # running sums of the bytes of prepared trees
    columns: OffsetArray
    weights: tuple[FloatArray, FloatArray]

    def of(self, plan: BlockPlan) -> int:
        """Bound the bytes that any block of a plan takes."""
        pairs = max((plan.pairs(block) for block in plan.blocks), default=0)
        height, width = _longest(plan.row_cuts), _longest(plan.column_cuts)
        # Blocks on the diagonal are computed as squares, pieces of a strip beside it.
        pairs = pairs + height * width if plan.strips else max(pairs, height * width)
        prepared = _heaviest(self.rows, plan.row_cuts) + _heaviest(self.columns, plan.column_cuts)
        return self.scratch + pairs * self.pair + prepared


def needs(
    X: TreeSet,
    Y: TreeSet | None,
    table: "_core.CostTable | _core.VectorTable | None",
    *,
    cutoff: bool,
    itemsize: int,
    threads: int,
) -> Needs:
    """Count what a pair, a tree and the threads take; `itemsize` with all copies of a value."""
    sets = (X, X if Y is None else Y)
    of_x = key_root_sizes(X)
    sums = (of_x, of_x if Y is None else key_root_sizes(sets[1]))
    n, m = (int(trees.sizes.max(initial=0)) + 1 for trees in sets)
    # Whichever side most trees are better on, or if they differ, the worse one of some.
    work = min(max(float(both[side].max(initial=0)) for both in sums) for side in (0, 1))
    scratch, tree, node, row_node, kept, most_kept = _core.matrix_bytes(
        (n, m),
        int(work),
        (len(X), len(sets[1])),
        (len(X.alphabet), len(sets[1].alphabet)),
        cutoff,
        table,
        threads,
    )
    most = max(float(both.min(axis=0).max(initial=0)) for both in sums)
    bytes_of = []
    for trees, both, of_row in zip(sets, sums, (row_node, 0), strict=True):
        better = both.min(axis=0)
        # Column tables are kept by trees that are compared one by one.
        alone = cutoff | (better * most > _LARGE_WORK)
        tables = alone * np.minimum(kept[0] * (trees.sizes + 1) + kept[1] * better, most_kept)
        each = (_TREE_BYTES + tree) + (_NODE_BYTES + node + of_row) * trees.sizes
        bytes_of.append(np.concatenate(([0], np.cumsum(each + tables.astype(np.int64)))))
    of_rows = weights(X, of_x)
    both_weights = (of_rows, of_rows if Y is None else weights(sets[1], sums[1]))
    return Needs(itemsize + _HANDED_BYTES, scratch, bytes_of[0], bytes_of[1], both_weights)


def _longest(cuts: Sequence[int]) -> int:
    return max((end - start for start, end in ranges(cuts)), default=0)


def _heaviest(sums: Any, cuts: Sequence[int]) -> int:
    return max((int(sums[end] - sums[start]) for start, end in ranges(cuts)), default=0)


def weights(trees: TreeSet, sums: FloatArray | None = None) -> FloatArray:
    """Estimate the work of each tree: its factor in the number of cells of a pair.

    It is the sum of `key_root_sizes` on the better side; less where inner paths pay, half of whose
    gain is due to each of two trees.
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
    """Tell which trees inner paths may serve; they take a quarter of the cube of the size."""
    cube = trees.sizes.astype(np.float64) ** 3
    bad: npt.NDArray[np.bool_] = better**2 > np.maximum(cube / 8, _LARGE_WORK)
    return bad


def key_root_sizes(trees: TreeSet) -> FloatArray:
    """Sum the sizes of the key-roots of each tree, on the left and on the right.

    It is the sum, over the nodes, of the key roots among a node and its ancestors, of the left and
    of the right decomposition (Zhang and Shasha 1989).
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
    # One node more stands above all roots.
    above = np.where(parents >= 0, parents + np.repeat(offsets[:-1], np.diff(offsets)), count)
    youngest = np.full(count + 1, -1)
    youngest[above] = node  # the last child is written last
    key_left = (above != node - 1) | (above == count)
    key_right = (youngest[above] != node) | (above == count)
    sums = []
    for key in (key_left, key_right):
        depth = np.append(key.astype(np.int64), 0)
        anchor = np.append(above, count)
        # Twice as many ancestors in every round.
        while (anchor < count).any():
            depth += depth[anchor]
            anchor = anchor[anchor]
        running = np.concatenate(([0], np.cumsum(depth[:-1])))
        sums.append(running[offsets[1:]] - running[offsets[:-1]])
    return np.array(sums, dtype=np.float64)


def make_plan(
    X: TreeSet,
    Y: TreeSet | None,
    *,
    triangle: bool,
    condensed: bool,
    strips: bool,
    room: Needs,
    budget: int,
    function: str,
    aligned: bool = False,
) -> tuple[BlockPlan, int]:
    """Cut a matrix into blocks that fit in a budget.

    Returns the plan and a grain that divides its cuts: with `aligned` the side of the chunks of
    a chunked file, so that every chunk belongs to one block; otherwise 1.
    """
    columns = X if Y is None else Y
    free = max(budget - room.scratch, 0)
    most_pairs = max(free // 2 // room.pair, 1)
    cutter = _Cutter(room, most_pairs, free // 4)
    options = {"triangle": triangle, "condensed": condensed, "strips": strips}
    shape = (len(X), len(columns))

    def planned(grain: int) -> BlockPlan:
        if strips:
            cuts = cutter.strips()
        elif triangle:
            cuts = cutter.square(grain)
        else:
            cuts = cutter.rectangle(grain)
        return BlockPlan(shape, **options, row_cuts=cuts[0], column_cuts=cuts[1])

    grain = 1
    plan = planned(1)
    if aligned and min(shape) > 0:
        grain = _grain(plan)
        plan = planned(grain)
        while grain > 1 and room.of(plan) > budget:
            grain //= 2
            plan = planned(grain)
    check_room(room.of(plan), budget, function)
    return plan, grain


def _grain(plan: BlockPlan) -> int:
    """Give the side of chunks: a fraction of a block, so that cuts move little to meet them."""
    cuts = zip(plan.shape, (plan.row_cuts, plan.column_cuts), strict=True)
    # A side of one part has no cuts to move.
    sides = [side / (len(at) - 1) / (4 if len(at) > 2 else 1) for side, at in cuts]
    return min(_LARGEST_CHUNK, 1 << int(math.log2(max(min(sides), _SMALLEST_CHUNK))))


def check_room(needed: int, budget: int, function: str) -> None:
    """Refuse a budget that the blocks do not fit in."""
    if needed > budget:
        must = f"at least {needed} bytes for these trees and threads"
        refuse("memory_budget", function, must, f"{budget} bytes")


class _Cutter:
    """Cuts sides of the matrix at equal weight, within bounds of number and bytes."""

    def __init__(self, room: Needs, most_pairs: int, most_bytes: int) -> None:
        self.bytes = (room.rows, room.columns)
        row_work, column_work = room.weights
        self.most_pairs, self.most_bytes = most_pairs, most_bytes
        self.work = tuple(np.concatenate(([0.0], np.cumsum(w))) for w in (row_work, column_work))
        self.cells = max(_BLOCK_CELLS, float(row_work.sum() * column_work.sum()) / _MANY_BLOCKS)

    def _cut(self, side: int, aim: float, most: int, grain: int = 1) -> list[int]:
        work, room = self.work[side], self.bytes[side]
        # Even parts rather than full ones and a rest.
        aim = work[-1] / max(math.ceil(work[-1] / aim), 1)
        cuts, count = [0], len(work) - 1
        while cuts[-1] < count:
            start = cuts[-1]
            # What is left is divided anew each time, or small errors would add up to a small
            # part at the end.
            left = work[-1] - work[start]
            goal = work[start] + left / max(round(left / aim), 1)
            limits = (
                _nearest(work, goal),
                np.searchsorted(room, room[start] + self.most_bytes, side="right") - 1,
                start + most,
            )
            end = int(min(limits))
            if end < count:
                end = max(end // grain * grain, start + grain)
            cuts.append(min(end, count))
        return cuts

    def square(self, grain: int) -> tuple[list[int], list[int]]:
        """Cut rows and columns, which are the same trees, alike."""
        cuts = self._cut(0, math.sqrt(self.cells), math.isqrt(self.most_pairs), grain)
        return cuts, cuts

    def rectangle(self, grain: int) -> tuple[list[int], list[int]]:
        """Cut the lighter side first; what it leaves is the other's."""
        light = int(self.work[1][-1] < self.work[0][-1])
        first = self._cut(light, math.sqrt(self.cells), math.isqrt(self.most_pairs), grain)
        heavy = max(_heaviest_work(self.work[light], first), 1.0)
        most = max(self.most_pairs // max(_longest(first), 1), 1)
        second = self._cut(1 - light, self.cells / heavy, most, grain)
        return (second, first) if light else (first, second)

    def strips(self) -> tuple[list[int], list[int]]:
        """Cut rows of the condensed matrix, and columns into pieces."""
        work = self.work[0]
        count = len(work) - 1
        lengths = np.arange(count - 1, -1, -1, dtype=np.int64)
        pairs = np.concatenate(([0], np.cumsum(lengths)))
        cells = np.concatenate(([0.0], np.cumsum(np.diff(work) * (work[-1] - work[1:]))))
        cuts = [0]
        while cuts[-1] < count:
            start = cuts[-1]
            limits = (
                np.searchsorted(cells, cells[start] + self.cells, side="right") - 1,
                np.searchsorted(pairs, pairs[start] + self.most_pairs // 2, side="right") - 1,
                np.searchsorted(self.bytes[0], self.bytes[0][start] + self.most_bytes, side="right")
                - 1,
                # The square on the diagonal is a piece of its own.
                start + math.isqrt(self.most_pairs // 2),
            )
            cuts.append(min(max(int(min(limits)), start + 1), count))
        most = max(self.most_pairs // 2 // max(_longest(cuts), 1), 1)
        return cuts, self._cut(1, math.inf, most)


def _nearest(sums: FloatArray, goal: float) -> int:
    """Give the position of the running sum that is closest to a value."""
    above = min(int(np.searchsorted(sums, goal)), len(sums) - 1)
    return above - int(above > 0 and goal - sums[above - 1] < sums[above] - goal)


def _heaviest_work(sums: Any, cuts: Sequence[int]) -> float:
    return max((float(sums[end] - sums[start]) for start, end in ranges(cuts)), default=0.0)


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {f"{unit}i": 1 << (10 * power) for power, unit in enumerate("kmgt", 1)}


def check_budget(budget: object, function: str) -> int:
    """Give a number of bytes from an int or a text such as '2GB' or '512MiB'."""
    if budget is None:
        return DEFAULT_BUDGET
    if isinstance(budget, Integral) and not isinstance(budget, bool) and int(budget) > 0:
        return int(budget)
    text = budget.strip().lower() if isinstance(budget, str) else ""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([kmgt]i?|)b?", text)
    size = int(float(match[1]) * _UNITS[match[2]]) if match else 0
    if not size:
        must = "None, a positive int or a size such as '2GB' or '512MiB'"
        refuse("memory_budget", function, must, shown(budget))
    return size
