"""A matrix of distances to compute, in memory or block by block, here or in another process."""

from __future__ import annotations

import math
import threading
from typing import Any, Self

import numpy as np

from treemetric import _core
from treemetric._base.immutable import Immutable
from treemetric._base.typing import CostsLike, Distances, DType, Trees
from treemetric._base.validation import (
    check_bool,
    check_cutoff,
    check_dtype,
    check_integers,
    check_memory,
    check_norm,
    check_out,
    check_whole,
    refuse,
)
from treemetric.costs import Costs
from treemetric.costs.base import Resolved
from treemetric.costs.resolve import check_costs
from treemetric.matrix.condensed import CondensedMatrix, Range
from treemetric.matrix.cut import make_plan
from treemetric.matrix.needs import BlockNeeds, block_needs
from treemetric.matrix.plan import Block, BlockPlan, ranges
from treemetric.matrix.progress import PairProgress, Report
from treemetric.treeset import TreeSet, check_trees

# Bytes of a result that is not compared with the available memory, which takes longer.
_SMALL = 1 << 20


class Problem(Immutable):
    """The arguments of `pairwise_distances` as a value, which can be sent to other processes.

    All blocks use one table of costs, the table of all trees: the grid that costs are rounded to
    must not depend on the block.

    Parameters
    ----------
    X
        The source trees.
    Y
        The target trees; None for X itself.
    costs
        The costs; frozen, so that they can be sent to other processes.
    cutoff
        Distances above it are ``inf``.
    dtype
        Type of the result.
    condensed
        Compute only the pairs i < j, as one row.
    norm
        What distances are divided by.
    """

    X: TreeSet
    Y: TreeSet | None
    costs: Costs
    cutoff: float | None
    dtype: np.dtype[Any]
    condensed: bool
    norm: str | None
    triangle: bool
    _resolved: Resolved
    _local: threading.local

    def __init__(
        self,
        X: TreeSet,
        Y: TreeSet | None,
        costs: Costs,
        cutoff: float | None,
        dtype: np.dtype[Any],
        *,
        condensed: bool,
        norm: str | None = None,
    ) -> None:
        costs = costs._frozen(X.alphabet, (X if Y is None else Y).alphabet)
        resolved = costs._resolve(X, Y)
        table = resolved[1]
        self.__dict__.update(
            X=X,
            Y=Y,
            costs=costs,
            cutoff=cutoff,
            dtype=dtype,
            condensed=condensed,
            norm=norm,
            # Rows and columns are the same trees, and so are both directions of a pair.
            triangle=Y is None and (table is None or table.is_symmetric()),
            _resolved=resolved,
            _local=threading.local(),
        )

    @classmethod
    def checked(
        cls,
        X: Trees,
        Y: Trees | None,
        *,
        costs: CostsLike | None,
        cutoff: float | None,
        dtype: DType,
        condensed: bool,
        function: str,
        norm: str | None = None,
    ) -> Self:
        """Check the arguments of a function that computes a matrix of distances."""
        limit = check_cutoff(cutoff, function)
        norm = check_norm(norm, function)
        kind = check_dtype(dtype, function)
        check_integers(kind, limit, norm, function)
        condensed = check_bool(condensed, "condensed", function)
        known = check_costs(costs, function)
        if condensed and Y is not None:
            refuse("Y", function, "None if condensed=True", "a collection of trees")
        sources = check_trees(X, "X", function)
        targets = None if Y is None else check_trees(Y, "Y", function)
        problem = cls(sources, targets, known, limit, kind, condensed=condensed, norm=norm)
        check_whole(kind, problem._resolved[1], function)
        if condensed and not problem.triangle:
            refuse("condensed", function, "False for costs that are not symmetric", "True")
        return problem

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_local"], state["_resolved"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._put(_local=threading.local(), _resolved=self.costs._resolve(self.X, self.Y))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of trees on both sides."""
        return len(self.X), len(self.X if self.Y is None else self.Y)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Shape of the result."""
        return (CondensedMatrix(len(self.X)).size,) if self.condensed else self.shape

    @property
    def _limits(self) -> tuple[float | None, str | None]:
        return self.cutoff, self.norm

    def result_array(self, out: object = None, function: str = "") -> Distances:
        """Check `out`, or return a new array for the result."""
        shape, dtype = self.result_shape, self.dtype
        if out is not None:
            return check_out(out, shape, dtype, function)
        nbytes = dtype.itemsize * math.prod(shape)
        if nbytes > _SMALL:
            check_memory(nbytes, f"a distance matrix of shape {shape} and dtype {dtype}")
        return np.empty(shape, dtype=dtype)

    def compute(
        self, out: Distances, threads: int, report: Report, *, ordered: bool = True
    ) -> None:
        """Compute the whole matrix into an array, with or without the order of children."""
        codes, table = self._resolved
        X = self.X._core_set(threads)
        Y = None if self.Y is None else self.Y._core_set(threads)
        core = _core.pairwise if ordered else _core.unordered_pairwise
        core((X, Y), (codes, table), out, self._limits, (threads, report))

    def needs(self, threads: int, copies: int) -> BlockNeeds:
        """Compute the memory of blocks whose values exist in some copies."""
        return block_needs(
            self.X,
            self.Y,
            self._resolved[1],
            cutoff=self.cutoff is not None,
            itemsize=copies * self.dtype.itemsize,
            threads=threads,
        )

    def plan(
        self,
        needs: BlockNeeds,
        budget: int,
        function: str,
        *,
        strips: bool = False,
        aligned: bool = False,
    ) -> tuple[BlockPlan, int]:
        """Cut the matrix into blocks; see `make_plan`."""
        return make_plan(
            self.shape,
            needs,
            budget,
            function,
            triangle=self.triangle,
            condensed=self.condensed,
            strips=strips,
            aligned=aligned,
        )

    def plan_from(self, cuts: dict[str, Any]) -> BlockPlan:
        """Return the plan that a manifest holds."""
        return BlockPlan(self.shape, triangle=self.triangle, condensed=self.condensed, **cuts)

    def compute_block(
        self, plan: BlockPlan, block: Block, threads: int, report: Report
    ) -> Distances:
        """Compute a block: a rectangle, or one row for a condensed block on the diagonal."""
        if plan.strips:
            return self._strip(plan, block, threads, report)
        rows, columns = block
        if self.triangle and rows == columns:
            return self._diagonal(rows, threads, report)
        return self._rectangle(rows, columns, threads, report)

    def _diagonal(self, rows: Range, threads: int, report: Report) -> Distances:
        count = rows[1] - rows[0]
        shape = (CondensedMatrix(count).size,) if self.condensed else (count, count)
        out: Distances = np.empty(shape, dtype=self.dtype)
        self._run(self._prepared(0, rows), None, out, threads, report)
        return out

    def _rectangle(self, rows: Range, columns: Range, threads: int, report: Report) -> Distances:
        out: Distances = np.empty((rows[1] - rows[0], columns[1] - columns[0]), dtype=self.dtype)
        self._run(self._prepared(0, rows), self._prepared(1, columns), out, threads, report)
        return out

    def _strip(self, plan: BlockPlan, block: Block, threads: int, report: Report) -> Distances:
        rows, last = block.rows, block.rows[1]
        start = plan.upper.start(rows[0])
        out: Distances = np.empty(plan.upper.start(last) - start, dtype=self.dtype)
        progress = PairProgress(plan.pairs(block), report)

        def place(columns: Range, values: Distances) -> None:
            progress.done += values.size
            for position, line in plan.upper.lines(rows, columns, values):
                out[position - start : position - start + len(line)] = line

        place(rows, self._diagonal(rows, threads, progress.inside()))
        for begin, end in ranges(plan.column_cuts):
            columns = (max(begin, last), end)
            if columns[0] < end:
                place(columns, self._rectangle(rows, columns, threads, progress.inside()))
        return out

    def _run(
        self,
        rows: _core.PreparedSet,
        columns: _core.PreparedSet | None,
        out: Distances,
        threads: int,
        report: Report,
    ) -> None:
        codes, table = self._resolved
        if self.Y is None:
            codes = (codes[0], codes[0])  # two parts of one set
        _core.pairwise((rows, columns), (codes, table), out, self._limits, (threads, report))

    def _prepared(self, side: int, bounds: Range) -> _core.PreparedSet:
        """Prepare a range of trees; each thread keeps the last range of each side."""
        kept = self._local.__dict__.setdefault("prepared", {})
        side = 0 if self.Y is None and kept.get(0, (None,))[0] == bounds else side
        if side not in kept or kept[side][0] != bounds:
            kept.pop(side, None)  # before the new one, or both would be in memory
            trees = self.X if side == 0 or self.Y is None else self.Y
            kept[side] = (bounds, _core.PreparedSet(*_slice(trees, bounds)))
        prepared: _core.PreparedSet = kept[side][1]
        return prepared

    def part(self, block: Block) -> tuple[Problem, BlockPlan, Block]:
        """Return a block as a problem of its own that has only the trees of the block."""
        rows, columns = block
        twin = Problem.__new__(Problem)
        state = self.__getstate__()
        state["X"] = _subset(self.X, rows)
        height, width = rows[1] - rows[0], columns[1] - columns[0]
        if not (self.triangle and rows == columns):
            state["Y"] = _subset(self.X if self.Y is None else self.Y, columns)
            state["triangle"] = state["condensed"] = False
        twin.__setstate__(state)
        small = twin.plan_from({"row_cuts": [0, height], "column_cuts": [0, width]})
        return twin, small, small.blocks[0]


def _slice(trees: TreeSet, bounds: Range) -> tuple[Any, Any, Any]:
    first, last = bounds
    offsets = trees.offsets[first : last + 1]
    nodes = slice(offsets[0], offsets[-1])
    return trees.codes[nodes], trees.parents[nodes], offsets - offsets[0]


def _subset(trees: TreeSet, bounds: Range) -> TreeSet:
    """Return a range of trees with the codes of the whole set, which tables of costs refer to."""
    codes, parents, offsets = _slice(trees, bounds)
    part = TreeSet.__new__(TreeSet)
    part._set(trees.alphabet, (codes.copy(), parents.copy(), offsets), None, None)
    return part
