"""A matrix of distances to compute, block by block, here or in another process."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from treemetric import _core
from treemetric._base.typing import Distances
from treemetric._base.validation import refuse
from treemetric.costs import Costs
from treemetric.matrix.plan import Block, BlockPlan, Needs, make_plan, needs, ranges
from treemetric.treeset import TreeSet

Report = Callable[[int, int], object] | None


class Problem:
    """What `pairwise_distances` was asked for, ready to travel.

    All blocks use one table of costs, that of all trees: the grid to which costs are rounded
    must not depend on the block.
    """

    def __init__(
        self,
        X: TreeSet,
        Y: TreeSet | None,
        costs: Costs,
        cutoff: float | None,
        dtype: np.dtype[Any],
        *,
        condensed: bool,
        function: str,
    ) -> None:
        self.X, self.Y = X, Y
        self.costs = costs._frozen(X.alphabet, (X if Y is None else Y).alphabet)
        self.cutoff = cutoff
        self.dtype = dtype
        self.condensed = condensed
        self._local = threading.local()
        self._resolved = self.costs._resolve(X, Y)
        table = self._resolved[1]
        symmetric = table is None or table.is_symmetric()
        if condensed and not symmetric:
            refuse("condensed", function, "False for costs that are not symmetric", "True")
        self.triangle = Y is None and symmetric

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_local"], state["_resolved"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._local = threading.local()
        self._resolved = self.costs._resolve(self.X, self.Y)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of trees on both sides."""
        return len(self.X), len(self.X if self.Y is None else self.Y)

    def needs(self, threads: int, copies: int) -> Needs:
        """Count the memory of blocks whose values exist in some copies."""
        return needs(
            self.X,
            self.Y,
            self._resolved[1],
            cutoff=self.cutoff is not None,
            itemsize=copies * self.dtype.itemsize,
            threads=threads,
        )

    def plan(
        self,
        room: Needs,
        budget: int,
        function: str,
        *,
        strips: bool = False,
        aligned: bool = False,
    ) -> tuple[BlockPlan, int]:
        """Cut the matrix into blocks; see `make_plan`."""
        return make_plan(
            self.X,
            self.Y,
            triangle=self.triangle,
            condensed=self.condensed,
            strips=strips,
            room=room,
            budget=budget,
            function=function,
            aligned=aligned,
        )

    def plan_from(self, cuts: dict[str, Any]) -> BlockPlan:
        """Give the plan that a manifest holds."""
        return BlockPlan(self.shape, triangle=self.triangle, condensed=self.condensed, **cuts)

    def compute(self, plan: BlockPlan, block: Block, threads: int, report: Report) -> Distances:
        """Compute a block: its rectangle, or a row for what lies on the diagonal if condensed."""
        if plan.strips:
            return self._strip(plan, block, threads, report)
        rows, columns = block
        if self.triangle and rows == columns:
            return self._inside(rows, threads, report)
        return self._rectangle(rows, columns, threads, report)

    def _inside(self, rows: tuple[int, int], threads: int, report: Report) -> Distances:
        count = rows[1] - rows[0]
        shape = (count * (count - 1) // 2,) if self.condensed else (count, count)
        out: Distances = np.empty(shape, dtype=self.dtype)
        self._run(self._prepared(0, rows), None, out, threads, report)
        return out

    def _rectangle(
        self, rows: tuple[int, int], columns: tuple[int, int], threads: int, report: Report
    ) -> Distances:
        out: Distances = np.empty((rows[1] - rows[0], columns[1] - columns[0]), dtype=self.dtype)
        self._run(self._prepared(0, rows), self._prepared(1, columns), out, threads, report)
        return out

    def _strip(self, plan: BlockPlan, block: Block, threads: int, report: Report) -> Distances:
        first, last = block.rows
        start = plan.start(first)
        out: Distances = np.empty(plan.start(last) - start, dtype=self.dtype)
        done, total = 0, plan.pairs(block)

        def tell(part: int, _: int) -> object:
            return None if report is None else report(done + part, total)

        inside = self._inside(block.rows, threads, tell)
        done, taken = inside.size, 0
        for row in range(first, last):
            length = last - row - 1
            place = plan.start(row) - start
            out[place : place + length] = inside[taken : taken + length]
            taken += length
        for begin, end in ranges(plan.column_cuts):
            columns = (max(begin, last), end)
            if columns[0] >= end:
                continue
            piece = self._rectangle(block.rows, columns, threads, tell)
            done += piece.size
            for row, values in zip(range(first, last), piece, strict=True):
                place = plan.start(row) - start + columns[0] - row - 1
                out[place : place + len(values)] = values
        return out

    def _run(
        self,
        rows: "_core.PreparedSet",
        columns: "_core.PreparedSet | None",
        out: Distances,
        threads: int,
        report: Report,
    ) -> None:
        codes, table = self._resolved
        if self.Y is None:
            codes = (codes[0], codes[0])  # two parts of one set
        _core.pairwise(rows, columns, codes, table, out, self.cutoff, threads, report)

    def _prepared(self, side: int, bounds: tuple[int, int]) -> "_core.PreparedSet":
        """Prepare a range of trees; each thread keeps the last range of each side."""
        kept = self._local.__dict__.setdefault("prepared", {})
        side = 0 if self.Y is None and kept.get(0, (None,))[0] == bounds else side
        if side not in kept or kept[side][0] != bounds:
            kept.pop(side, None)  # before the new one, or both would be in memory
            trees = self.X if side == 0 or self.Y is None else self.Y
            kept[side] = (bounds, _core.PreparedSet(*_slice(trees, bounds)))
        prepared: _core.PreparedSet = kept[side][1]
        return prepared

    def part(self, block: Block) -> "tuple[Problem, BlockPlan, Block]":
        """Give a block as a problem of its own, with no more trees than it needs."""
        rows, columns = block
        twin = Problem.__new__(Problem)
        state = self.__getstate__()
        state["X"] = _subset(self.X, rows)
        height, width = rows[1] - rows[0], columns[1] - columns[0]
        if not (self.triangle and rows == columns):
            state["Y"] = _subset(self.X if self.Y is None else self.Y, columns)
            state["triangle"] = state["condensed"] = False
        twin.__setstate__(state)
        small = BlockPlan(
            twin.shape,
            triangle=twin.triangle,
            condensed=twin.condensed,
            row_cuts=[0, height],
            column_cuts=[0, width],
        )
        return twin, small, small.blocks[0]


def _slice(trees: TreeSet, bounds: tuple[int, int]) -> tuple[Any, Any, Any]:
    first, last = bounds
    offsets = trees.offsets[first : last + 1]
    nodes = slice(offsets[0], offsets[-1])
    return trees.codes[nodes], trees.parents[nodes], offsets - offsets[0]


def _subset(trees: TreeSet, bounds: tuple[int, int]) -> TreeSet:
    """Give a range of trees with the codes of the whole, which tables of costs refer to."""
    codes, parents, offsets = _slice(trees, bounds)
    part = TreeSet.__new__(TreeSet)
    part._set(trees.alphabet, (codes.copy(), parents.copy(), offsets), None, None)
    return part
