"""Hypothesis strategies for trees, lists of trees and costs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import treemetric as tm
from reference import table_cost

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Labels of every kind that can be hashed.
any_label = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=4),
    st.binary(max_size=3),
    st.tuples(st.text(max_size=2), st.integers(0, 3)),
    st.frozensets(st.integers(0, 3), max_size=2),
)
text_label = st.text(
    st.one_of(
        st.sampled_from("{}\\ \n\r\t\"'ab"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=5,
)
json_label = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    ),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=3,
)


@st.composite
def trees(
    draw: st.DrawFn,
    *,
    min_size: int = 0,
    max_size: int = 8,
    labels: Any = "abc",
    forests: bool = True,
) -> tm.Tree:
    """Trees and, by default, forests; examples shrink towards chains."""
    size = draw(st.integers(min_size, max_size))
    label = labels if isinstance(labels, st.SearchStrategy) else st.sampled_from(labels)
    parents: list[int] = []
    path: list[int] = []
    for node in range(size):
        lowest = 0 if forests or node == 0 else 1
        # Zero steps up extends a chain; more of them climb towards the root.
        path = path[: len(path) - draw(st.integers(0, len(path) - min(lowest, len(path))))]
        parents.append(path[-1] if path else -1)
        path.append(node)
    return tm.Tree.from_parents([draw(label) for _ in parents], parents)


def tree_lists(
    *, min_size: int = 0, max_size: int = 6, nodes: int = 6, labels: Any = "abc"
) -> st.SearchStrategy[list[tm.Tree]]:
    """Lists of small trees, duplicates and empty trees among them."""
    return st.lists(trees(max_size=nodes, labels=labels), min_size=min_size, max_size=max_size)


# Whole numbers, decimals, eighths, billionths, billions, and no fractions at all.
SCALES = (1, 10, 100, 1000, 8, 10**9, Fraction(1, 10**9), "root")


class CostCase(NamedTuple):
    """A cost matrix of the library, and the same costs as exact numbers."""

    costs: tm.CostMatrix
    cost: Callable[[Any, Any], Any]
    largest: float
    exact: bool

    def agrees(self, got: float, expected: Any, nodes: int) -> bool:
        """Compare a distance with the value of a twin under exact costs.

        Decimal costs give the correctly rounded sum. Other costs are snapped to a grid
        of 2**-40 of the largest one, and each of at most `nodes` edits is off by that.
        """
        if self.exact:
            return got == float(expected)
        return abs(got - float(expected)) <= nodes * self.largest * 2.0**-40


@st.composite
def cost_cases(
    draw: st.DrawFn,
    *,
    alphabet: Sequence[Any] = "abc",
    symmetric: bool | None = None,
    zero_diagonal: bool | None = None,
    triangular: bool = False,
    scales: Sequence[Any] = SCALES,
) -> CostCase:
    """Cost matrices of whole, decimal, dyadic or irrational entries.

    Parameters
    ----------
    symmetric, zero_diagonal
        True or False to force it, None to leave it to chance.
    triangular
        True for a pseudo-metric if the other two are forced as well.
    scales
        Entries are k / scale for whole numbers k, or sqrt(k) for "root".
    """
    u = len(alphabet)
    k = np.array(draw(st.lists(st.integers(0, 30), min_size=(u + 1) ** 2, max_size=(u + 1) ** 2)))
    k = k.reshape(u + 1, u + 1)
    if draw(st.booleans()) if symmetric is None else symmetric:
        k = np.maximum(k, k.T)
    if draw(st.booleans()) if zero_diagonal is None else zero_diagonal:
        np.fill_diagonal(k, 0)
    k[u, u] = 0
    if triangular:
        k = shortest_paths(k)
    scale = draw(st.sampled_from(scales))
    if scale == "root":
        # Roots of a metric are a metric, so `triangular` survives.
        matrix = np.sqrt(k)
        exact = [[Fraction(math.sqrt(v)) for v in row] for row in k.tolist()]
    else:
        exact = [[v / Fraction(scale) for v in row] for row in k.tolist()]
        matrix = np.array([[float(v) for v in row] for row in exact])
    return CostCase(
        tm.CostMatrix(alphabet, matrix),
        table_cost(alphabet, exact),
        float(matrix.max()),
        scale != "root",
    )


def shortest_paths(matrix: np.ndarray) -> np.ndarray:
    """Floyd and Warshall, with a zero diagonal."""
    closed = matrix.copy()
    np.fill_diagonal(closed, 0)
    for via in range(len(closed)):
        closed = np.minimum(closed, closed[:, via, None] + closed[None, via, :])
    return closed


metric_cases = cost_cases(symmetric=True, zero_diagonal=True, triangular=True)
