"""Pairs and triplets of trees: checks, and samples that leave some of them out.

Constraints share trees, and trees can be equal. Costs that have seen a tree look better than they
are on other constraints of the same tree, so trees are drawn, not constraints. Trees that are
linked by constraints are drawn together, unless they have a large share of all constraints.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import refuse, refuse_unordered, shown
from treemetric._estimators.checks import check_some_trees
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

IntArray = npt.NDArray[np.intp]

# Linked trees with a larger share of the constraints are drawn one by one.
_LARGE = 0.1


class Constraints(NamedTuple):
    """Trees, and one row of positions for each pair or triplet."""

    trees: TreeSet
    rows: IntArray


def check_constraints(given: Any, X: Trees | None, width: int, owner: str) -> Constraints:
    """Check pairs (width 2) or triplets (width 3) of trees, or of positions in X."""
    name = {2: "pairs", 3: "triplets"}[width]
    if X is None:
        return _from_trees(given, width, name, owner)
    trees = check_some_trees(X, owner)
    must = f"an array of shape (n_{name}, {width}) of positions in X, from 0 to {len(trees) - 1}"
    try:
        rows = np.asarray(given)
    except (TypeError, ValueError):
        rows = np.array(None)
    if rows.ndim and len(rows) == 0:
        refuse(name, owner, f"{must}, at least one row", "none")
    if rows.ndim != 2 or rows.shape[1] != width or rows.dtype.kind not in "iu":
        refuse(name, owner, must, shown(given))
    outside = rows[(rows < 0) | (rows >= len(trees))]
    if len(outside):
        refuse(name, owner, must, f"the position {outside[0]}")
    return Constraints(trees, rows.astype(np.intp))


def _from_trees(given: Any, width: int, name: str, owner: str) -> Constraints:
    """Return the distinct trees of tuples of trees, and the tuples as positions."""
    must = f"a sequence of tuples of {width} trees, or positions together with X"
    if isinstance(given, (Tree, TreeSet, str, bytes)) or not np.iterable(given):
        refuse(name, owner, must, shown(given))
    refuse_unordered(given, name, owner, must)
    rows = list(given)
    if not rows:
        refuse(name, owner, f"{must}, at least one", "none")
    numbers: dict[Tree, int] = {}
    positions = []
    for row in rows:
        # The first tree of a triplet is the one that the others are compared with.
        refuse_unordered(row, name, owner, must)
        members = list(row) if np.iterable(row) and not isinstance(row, (str, Tree)) else []
        if len(members) != width or not all(isinstance(tree, Tree) for tree in members):
            refuse(name, owner, must, shown(row))
        positions.append([numbers.setdefault(tree, len(numbers)) for tree in members])
    return Constraints(TreeSet(list(numbers)), np.array(positions, dtype=np.intp))


def check_similarity(y: Any, count: int, owner: str) -> npt.NDArray[np.bool_]:
    """Check that y is 1 or -1 for each pair, and both occur; return which pairs are similar.

    True and False are 1 and -1.
    """
    must = f"{count} numbers, 1 for similar pairs and -1 for others"
    try:
        values = np.asarray(y)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.dtype == np.bool_:
        values = np.where(values, 1, -1)
    if values.shape != (count,) or values.dtype.kind not in "iuf":
        refuse("y", owner, must, shown(y))
    wrong = values[(values != 1) & (values != -1)]
    if len(wrong):
        refuse("y", owner, must, f"the value {wrong[0]:g}")
    if len(np.unique(values)) < 2:
        refuse("y", owner, "1 for some pairs and -1 for others", f"{values[0]:g} for all of them")
    similar: npt.NDArray[np.bool_] = values == 1
    return similar


def drawing_units(rows: IntArray, groups: IntArray) -> IntArray:
    """Return a number for each tree; trees with the same number are drawn together."""
    count = int(groups.max()) + 1
    members = groups[rows]
    ends = [members[:, [0, column]] for column in range(1, rows.shape[1])]
    links = np.concatenate(ends)
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(count, count))
    parts, part = connected_components(graph, directed=False)
    size = np.bincount(part[members[:, 0]], minlength=parts)
    large = (size > 1) & (size > _LARGE * len(rows))
    unit = np.where(large[part], parts + np.arange(count), part)
    numbers: IntArray = np.unique(unit, return_inverse=True)[1][groups]
    return numbers


def times_drawn(rows: IntArray, units: IntArray, drawn: npt.NDArray[np.int64]) -> FloatArray:
    """Return how often each constraint was drawn: the product over its units."""
    own = units[rows]
    times = drawn[rows].astype(np.float64)
    for column in range(1, rows.shape[1]):
        again = (own[:, :column] == own[:, column : column + 1]).any(axis=1)
        times[again, column] = 1.0
    product: FloatArray = times.prod(axis=1)
    return product
