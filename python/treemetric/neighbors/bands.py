"""Bands of trees of similar size, and the pairs of bands that can hold near trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np

from treemetric._base.typing import OffsetArray

# Costs are rounded to a grid; see ``rust/cost/scale.rs``. The window of sizes must not be narrower
# than the rounded costs allow.
_ROUNDING = 1e-6


class Bands(NamedTuple):
    """Trees sorted by size and cut into bands of consecutive trees.

    Attributes
    ----------
    order
        The positions of the trees, by size, then by position.
    cuts
        The start of each band in `order`, and the end of the last one.
    smallest, largest
        The sizes of the smallest and of the largest tree of each band.
    """

    order: OffsetArray
    cuts: OffsetArray
    smallest: OffsetArray
    largest: OffsetArray

    @classmethod
    def of(cls, sizes: OffsetArray, most: int) -> Self:
        """Cut trees into bands of about equal numbers of trees, at most `most`."""
        order = np.argsort(sizes, kind="stable").astype(np.int64)
        count = -(-len(sizes) // most)
        cuts = np.linspace(0, len(sizes), count + 1).astype(np.int64)
        ordered = sizes[order]
        return cls(order, cuts, ordered[cuts[:-1]], ordered[cuts[1:] - 1])

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def positions(self, band: int) -> OffsetArray:
        """Return the positions of the trees of a band."""
        return self.order[self.cuts[band] : self.cuts[band + 1]]

    def count(self, band: int) -> int:
        """Return the number of trees of a band."""
        return int(self.cuts[band + 1] - self.cuts[band])


def reach(radius: float, least_gap: float) -> float:
    """Return the largest difference in size of two trees within a radius.

    Parameters
    ----------
    radius
        The largest distance.
    least_gap
        The lowest cost of a deletion or an insertion.
    """
    if least_gap == 0 or np.isinf(radius):
        return float("inf")
    return radius / least_gap * (1 + _ROUNDING)


def cells(
    rows: Bands, columns: Bands, window: float, *, triangle: bool
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of bands whose sizes differ by at most `window`, row by row.

    With `triangle`, rows and columns are the same bands, and each pair of bands appears once.
    """
    for row in range(len(rows)):
        gap = np.maximum(rows.smallest[row] - columns.largest, columns.smallest - rows.largest[row])
        near = np.flatnonzero(gap <= window)
        yield from ((row, int(column)) for column in near if not triangle or column >= row)
