"""Cutting a matrix of distances into blocks of equal work that fit in a memory budget.

The work of a pair is close to the product of a weight of each tree, so cutting both sides into
ranges of equal weight gives blocks of equal work. Blocks are as large as the budget and a few
seconds of work allow.
"""

from __future__ import annotations

import math
import re
from numbers import Integral

import numpy as np

from treemetric._base.typing import FloatArray
from treemetric._base.validation import refuse, shown
from treemetric.matrix.needs import BlockNeeds
from treemetric.matrix.plan import BlockPlan, heaviest, longest

DEFAULT_BUDGET = 512 << 20
_NO_LIMIT = 1 << 60  # larger budgets would overflow NumPy's integers
# Work of a block in Zhang-Shasha cells: seconds on one thread.
_BLOCK_CELLS = 3e10
# Blocks are made larger if there would be more, because all of them are listed.
_MANY_BLOCKS = 20_000
_SMALLEST_CHUNK, LARGEST_CHUNK = 32, 1024


def make_plan(
    shape: tuple[int, int],
    needs: BlockNeeds,
    budget: int,
    function: str,
    *,
    triangle: bool,
    condensed: bool,
    strips: bool = False,
    aligned: bool = False,
) -> tuple[BlockPlan, int]:
    """Cut a matrix into blocks that fit in a budget.

    Returns the plan and a number that divides its cuts: with `aligned` the side of the chunks of
    a chunked file, so that every chunk belongs to one block; otherwise 1.
    """
    free = max(budget - needs.scratch, 0)
    most_pairs = max(free // 2 // needs.pair, 1)
    cutter = _Cutter(needs, most_pairs, free // 4)
    options = {"triangle": triangle, "condensed": condensed, "strips": strips}

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
        while grain > 1 and needs.largest_block(plan) > budget:
            grain //= 2
            plan = planned(grain)
    check_fits(needs.largest_block(plan), budget, function)
    return plan, grain


def _grain(plan: BlockPlan) -> int:
    """Return the side of chunks: a fraction of a block, so that aligned cuts move little."""
    cuts = zip(plan.shape, (plan.row_cuts, plan.column_cuts), strict=True)
    # A side with one range has no cuts to move.
    sides = [side / (len(at) - 1) / (4 if len(at) > 2 else 1) for side, at in cuts]
    return min(LARGEST_CHUNK, 1 << int(math.log2(max(min(sides), _SMALLEST_CHUNK))))


def check_fits(needed: int, budget: int, function: str) -> None:
    """Check that blocks fit in a budget."""
    if needed > budget:
        must = f"at least {needed} bytes for these trees and threads"
        refuse("memory_budget", function, must, f"{budget} bytes")


class _Cutter:
    """Cuts sides of the matrix into ranges of equal weight, within limits of pairs and bytes."""

    def __init__(self, needs: BlockNeeds, most_pairs: int, most_bytes: int) -> None:
        self.bytes = (needs.rows, needs.columns)
        row_work, column_work = needs.weights
        self.most_pairs, self.most_bytes = most_pairs, most_bytes
        self.work = tuple(np.concatenate(([0.0], np.cumsum(w))) for w in (row_work, column_work))
        self.cells = max(_BLOCK_CELLS, float(row_work.sum() * column_work.sum()) / _MANY_BLOCKS)

    def _cut(self, side: int, aim: float, most: int, grain: int = 1) -> list[int]:
        work, memory = self.work[side], self.bytes[side]
        # Equal ranges rather than full ones and a short one at the end.
        aim = work[-1] / max(math.ceil(work[-1] / aim), 1)
        cuts, count = [0], len(work) - 1
        while cuts[-1] < count:
            start = cuts[-1]
            # The rest is divided again each time, or small errors would add up to a short range
            # at the end.
            left = work[-1] - work[start]
            goal = work[start] + left / max(round(left / aim), 1)
            limits = (
                _nearest(work, goal),
                np.searchsorted(memory, memory[start] + self.most_bytes, side="right") - 1,
                start + most,
            )
            end = int(min(limits))
            if end < count:
                end = max(end // grain * grain, start + grain)
            cuts.append(min(end, count))
        return cuts

    def square(self, grain: int) -> tuple[list[int], list[int]]:
        """Cut rows and columns, which are the same trees, at the same places."""
        cuts = self._cut(0, math.sqrt(self.cells), math.isqrt(self.most_pairs), grain)
        return cuts, cuts

    def rectangle(self, grain: int) -> tuple[list[int], list[int]]:
        """Cut the lighter side first; the other side gets the rest of the budget."""
        light = int(self.work[1][-1] < self.work[0][-1])
        first = self._cut(light, math.sqrt(self.cells), math.isqrt(self.most_pairs), grain)
        heavy = max(heaviest(self.work[light], first), 1.0)
        most = max(self.most_pairs // max(longest(first), 1), 1)
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
        most = max(self.most_pairs // 2 // max(longest(cuts), 1), 1)
        return cuts, self._cut(1, math.inf, most)


def _nearest(sums: FloatArray, goal: float) -> int:
    """Return the position of the running sum that is closest to a value."""
    above = min(int(np.searchsorted(sums, goal)), len(sums) - 1)
    return above - int(above > 0 and goal - sums[above - 1] < sums[above] - goal)


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {f"{unit}i": 1 << (10 * power) for power, unit in enumerate("kmgt", 1)}


def check_budget(budget: object, function: str) -> int:
    """Return a number of bytes from an int or a text such as '2GB' or '512MiB'."""
    if budget is None:
        return DEFAULT_BUDGET
    if isinstance(budget, Integral) and not isinstance(budget, bool) and int(budget) > 0:
        return min(int(budget), _NO_LIMIT)
    text = budget.strip().lower() if isinstance(budget, str) else ""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([kmgt]i?|)b?", text)
    size = int(min(float(match[1]) * _UNITS[match[2]], _NO_LIMIT)) if match else 0
    if not size:
        must = "None, a positive int or a size such as '2GB' or '512MiB'"
        refuse("memory_budget", function, must, shown(budget))
    return size
