"""Tables of costs that are a pseudo-metric by construction."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from treemetric._base.arrays import frozen
from treemetric._base.typing import FloatArray
from treemetric.costs import CostMatrix

# Costs are rounded up to multiples of this share of the mean cost of a deletion: rounding up keeps
# the triangle inequality, and distances under short decimals are faster.
_GRID = 1000.0


class MetricTable(CostMatrix):
    """A table whose axioms hold by construction, so that no check is needed."""

    @classmethod
    def taken(cls, alphabet: tuple[Any, ...], table: FloatArray) -> Self:
        """Return costs of finite numbers, without a check and without a copy of the table.

        A table of thousands of labels takes longer to copy and to check than to compute.
        """
        costs = cls.__new__(cls)
        index = {label: code for code, label in enumerate(alphabet)}
        costs._put(alphabet=alphabet, matrix=frozen(table), _index=index, _cached=None)
        return costs

    def _known_metric(self, labels: tuple[Any, ...] | None, tol: float) -> bool:
        if labels is not None:
            self.to_matrix(labels)  # raises an error if a label is unknown
        return tol >= 1e-12

    def __reduce__(self) -> tuple[Any, ...]:
        return MetricTable, (self.alphabet, self.matrix)


def rounded_up(table: FloatArray, grid: float = _GRID) -> FloatArray:
    """Round costs up to multiples of 1 / grid.

    If c(u, v) <= c(u, z) + c(z, v), the same holds for the costs rounded up to integers.
    """
    # In place: tables of thousands of labels take longer to allocate than to compute.
    rounded = table * grid
    np.ceil(rounded, out=rounded)
    rounded /= grid
    return rounded
