"""The upper triangle of a symmetric matrix as one row, in the order of SciPy's ``pdist``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from treemetric._base.typing import Distances

Range = tuple[int, int]


class CondensedMatrix(NamedTuple):
    """The positions of the pairs i < j of n trees.

    Attributes
    ----------
    n
        Number of trees.
    """

    n: int

    @property
    def size(self) -> int:
        """Number of pairs."""
        return self.n * (self.n - 1) // 2

    def start(self, row: int) -> int:
        """Return the position of the first pair of a row."""
        return self.n * row - row * (row + 1) // 2

    def lines(
        self, rows: Range, columns: Range, values: Distances
    ) -> Iterator[tuple[int, Distances]]:
        """Yield the values of each row of a block and the position of the first of them.

        The values of a block on the diagonal are one row of pairs i < j, the values of a block to
        the right of it are a rectangle.
        """
        taken = 0
        for row in range(*rows):
            first = max(columns[0], row + 1)
            if values.ndim == 1:
                line = values[taken : taken + columns[1] - first]
                taken += len(line)
            else:
                line = values[row - rows[0]]
            yield self.start(row) + first - row - 1, line
