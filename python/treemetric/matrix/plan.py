"""The block plan: the part of a matrix of distances that is computed at a time.

A block is a rectangle of the matrix, trees ``rows`` against trees ``columns``. A process that is
killed loses at most the block it is working on. See `treemetric.matrix.cut` for the sizes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from treemetric._base.validation import shown
from treemetric.matrix.condensed import CondensedMatrix, Range


class Block(NamedTuple):
    """A rectangle of the matrix: half-open ranges of rows and columns."""

    rows: Range
    columns: Range


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
        Only pairs i < j are computed.
    row_cuts, column_cuts
        The first tree of each range, and the end of the last range.
    strips
        Each block is a range of whole rows, hence a range of the condensed matrix;
        `column_cuts` are the pieces in which it is computed.
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
        self.upper = CondensedMatrix(shape[0])

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
        return (self.upper.size,) if self.condensed else self.shape

    def pairs(self, block: Block) -> int:
        """Count the distances that a block computes."""
        height, width = (end - start for start, end in block)
        if self.strips:
            return height * (width - height) + CondensedMatrix(height).size
        if self.triangle and block.rows == block.columns:
            # A full matrix has the diagonal too.
            return CondensedMatrix(height if self.condensed else height + 1).size
        return height * width

    def total(self) -> int:
        """Count the distances of all blocks."""
        return sum(self.pairs(block) for block in self.blocks)

    def to_json(self) -> dict[str, Any]:
        """Return the cuts, for the manifest."""
        return {
            "strips": self.strips,
            "row_cuts": self.row_cuts,
            "column_cuts": self.column_cuts,
        }


def check_json(
    found: Any, shape: tuple[int, int], *, triangle: bool, strips: bool
) -> dict[str, Any]:
    """Check what a manifest holds as a plan, `BlockPlan.to_json`, before a plan is made of it."""
    if not isinstance(found, dict) or found.keys() != {"strips", "row_cuts", "column_cuts"}:
        message = "it holds no plan"
        raise ValueError(message)
    if found["strips"] is not strips:
        message = f"'strips' of its plan must be {strips}, but is {shown(found['strips'])}"
        raise ValueError(message)
    for key, count in zip(("row_cuts", "column_cuts"), shape, strict=True):
        cuts = found[key]
        whole = isinstance(cuts, list) and all(type(cut) is int for cut in cuts)
        ends = whole and cuts[:1] == [0] and cuts[-1] == count
        if not ends or any(start >= end for start, end in ranges(cuts)):
            message = f"{key!r} of its plan must rise from 0 to {count}, but are {shown(cuts)}"
            raise ValueError(message)
    if triangle and not strips and found["row_cuts"] != found["column_cuts"]:
        message = "'row_cuts' and 'column_cuts' of its plan must be equal"
        raise ValueError(message)
    return found


def ranges(cuts: Sequence[int]) -> list[Range]:
    """Return the ranges between cuts."""
    return list(itertools.pairwise(cuts))


def longest(cuts: Sequence[int]) -> int:
    """Return the length of the longest range."""
    return max((end - start for start, end in ranges(cuts)), default=0)


def heaviest(sums: Any, cuts: Sequence[int]) -> float:
    """Return the largest total of a range, given running sums."""
    return max((float(sums[end] - sums[start]) for start, end in ranges(cuts)), default=0.0)
