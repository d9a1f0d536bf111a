"""Costs of the nodes of one pair of trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.arrays import frozen
from treemetric._base.digest import digest
from treemetric._base.immutable import Immutable
from treemetric._base.typing import FloatArray
from treemetric._base.validation import refuse
from treemetric.costs.base import Costs, NodePair, Table
from treemetric.costs.matrix import LARGEST

if TYPE_CHECKING:
    from treemetric.tree import Tree


class PairCosts(Immutable, Costs):
    """Costs of edits between the nodes of one pair of trees.

    Nodes are numbered in preorder. Labels play no part: two nodes with the same label can have
    different costs, and pairing them need not be free.

    Parameters
    ----------
    replace : array-like of shape (n, m)
        ``replace[i, j]`` is the cost of pairing node i of x with node j of y. ``inf`` means
        that the two nodes are never paired.
    delete : array-like of shape (n,)
        The cost of deleting each node of x; finite.
    insert : array-like of shape (m,)
        The cost of inserting each node of y; finite.

    Attributes
    ----------
    replace, delete, insert : ndarray
        The costs, read-only.

    Raises
    ------
    ValueError
        If the shapes do not fit each other, or a cost is negative or NaN.

    See Also
    --------
    CostMatrix : Costs of labels, for any number of trees.
    CallableCosts : Costs of labels from a function.

    Notes
    -----
    `distance`, `align`, `cooptimal`, `soft_alignment` and `subtree_distances` accept these costs.
    Functions and estimators that compare many trees do not. Costs are rounded as in `CostMatrix`.
    Trees can do without labels; see `Tree.from_parents`. Arrays are copied, except for read-only
    arrays of float64 in C order, which must not be changed.

    Examples
    --------
    >>> from treemetric import PairCosts, Tree, distance
    >>> x, y = Tree.from_parents(None, [-1, 0]), Tree.from_parents(None, [-1])
    >>> costs = PairCosts(replace=[[0.5], [0.25]], delete=[1, 1], insert=[1])
    >>> distance(x, y, costs=costs)
    1.25
    """

    replace: FloatArray
    delete: FloatArray
    insert: FloatArray
    _prepared: _core.CostTable

    _for_one_pair = True

    def __init__(
        self, replace: npt.ArrayLike, delete: npt.ArrayLike, insert: npt.ArrayLike
    ) -> None:
        gaps = _as_floats(delete, "delete", 1), _as_floats(insert, "insert", 1)
        shape = (gaps[0].size, gaps[1].size)
        pairs = _as_floats(replace, "replace", 2, shape)
        if pairs.shape != shape:
            must = f"an array of shape {shape} for {shape[0]} deletions and {shape[1]} insertions"
            refuse("replace", "PairCosts", must, f"shape {pairs.shape}")
        try:
            table = _core.CostTable(pairs, *gaps, by_node=True)
        except ValueError:
            for name, costs in zip(("replace", "delete", "insert"), (pairs, *gaps), strict=True):
                _check_entries(costs, name)
            raise
        self._put(
            replace=frozen(pairs), delete=frozen(gaps[0]), insert=frozen(gaps[1]), _prepared=table
        )

    def to_matrix(self, alphabet: Any = None) -> NoReturn:
        """Raise TypeError: the costs belong to nodes, not to labels.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Ignored.

        Examples
        --------
        >>> from treemetric import PairCosts
        >>> PairCosts([[1.0]], [1.0], [1.0]).to_matrix("a")
        Traceback (most recent call last):
            ...
        TypeError: PairCosts belong to nodes and have no matrix of labels
        """
        message = "PairCosts belong to nodes and have no matrix of labels"
        raise TypeError(message)

    def _check_alphabet(self, labels: object, function: str) -> None:
        self.to_matrix()

    def _pair_table(self, x: Tree, y: Tree) -> Table:
        if self.replace.shape != (x.size, y.size):
            n, m = self.replace.shape
            message = (
                f"PairCosts of {n} x {m} nodes do not fit trees of {x.size} and {y.size} nodes: "
                f"replace must have shape ({x.size}, {y.size})"
            )
            raise ValueError(message)
        return self._prepared, None

    def _edit_costs(self, x: Tree, y: Tree, pairs: Iterable[NodePair]) -> list[float]:
        def cost(i: int | None, j: int | None) -> float:
            if i is None:
                return float(self.insert[j])
            return float(self.delete[i] if j is None else self.replace[i, j])

        return [cost(i, j) for i, j in pairs]

    def _inverse(self) -> PairCosts:
        return PairCosts(self.replace.T, self.insert, self.delete)

    def _bytes(self) -> list[bytes]:
        # -0.0 becomes 0.0: equal costs must have equal bytes.
        return [(part + 0.0).tobytes() for part in (self.replace, self.delete, self.insert)]

    def _fingerprint(self) -> str:
        return digest(b"pair", *self._bytes())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairCosts):
            return NotImplemented
        mine, others = (costs.__reduce__()[1] for costs in (self, other))
        return all(map(np.array_equal, mine, others))

    def __hash__(self) -> int:
        return hash((PairCosts, self.replace.shape, *self._bytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return PairCosts, (self.replace, self.delete, self.insert)

    def __repr__(self) -> str:
        n, m = self.replace.shape
        return f"<PairCosts of {n} x {m} nodes>"


def _as_floats(
    values: npt.ArrayLike, name: str, dimensions: int, empty: tuple[int, int] = (0, 0)
) -> FloatArray:
    """Check that values are real numbers, and copy them unless they are read-only."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "biuf":
        refuse(name, "PairCosts", "an array of real numbers", f"dtype {array.dtype}")
    if array.size == 0:
        # An empty tree: lists do not say how many columns no row has.
        return np.zeros(0 if dimensions == 1 else empty if 0 in empty else array.shape)
    if array.ndim != dimensions:
        refuse(
            name,
            "PairCosts",
            f"a {dimensions}-dimensional array",
            f"a {array.ndim}-dimensional array",
        )
    flags = array.flags
    if array.dtype == np.float64 and flags.c_contiguous and flags.aligned and not flags.writeable:
        return array
    return np.array(array, dtype=np.float64, order="C")


def _check_entries(costs: FloatArray, name: str) -> None:
    """Name the first entry that is wrong."""
    right = (costs >= 0) & (costs <= LARGEST)
    if name == "replace":
        right |= costs == np.inf
    if not right.all():
        where = np.argwhere(~right)[0].tolist()
        value = costs[tuple(where)]
        must = f"finite, not negative and at most {LARGEST:g}"
        if name == "replace":
            must = f"not negative and at most {LARGEST:g}, or inf"
        refuse(name, "PairCosts", must, f"{value} at {where}")
