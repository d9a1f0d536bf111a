"""What people ask a tree for when they look at it; the part of `Tree` that reads only."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from treemetric._base import text_art, traversal
from treemetric._base.arrays import frozen
from treemetric._base.typing import IntArray, Label
from treemetric._base.validation import check_int
from treemetric._core import TreeData


class Navigation:
    """Children, depths, orders and text art of a tree with nodes in preorder."""

    __slots__ = ()
    _data: TreeData

    if TYPE_CHECKING:

        @classmethod
        def _wrap(cls, data: TreeData) -> Self: ...

    def children(self, node: int) -> tuple[int, ...]:
        """Return the children of a node.

        For the children of all nodes at once, `to_adjacency` is faster.

        Parameters
        ----------
        node : int
            Index of the node, in preorder.

        Returns
        -------
        tuple of int
            The indices of its children, from left to right; empty for a leaf.

        Examples
        --------
        >>> from treemetric import Tree
        >>> tree = Tree.from_bracket("{a{b{c}}{d}}")
        >>> tree.children(0), tree.children(2)
        ((1, 3), ())
        """
        node = self._check_node(node)
        later = self._data.parents()[node + 1 :]
        return tuple((np.flatnonzero(later == node) + node + 1).tolist())

    @property
    def depths(self) -> IntArray:
        """Number of edges from each node up to its root, in preorder; a read-only array."""
        return frozen(traversal.depths(self._data.parents()))  # type: ignore[no-any-return]

    @property
    def depth(self) -> int:
        """Largest of `depths`: 0 for a single node, 1 if there are two levels, -1 if empty."""
        return int(traversal.depths(self._data.parents()).max(initial=-1))

    def preorder(self) -> Iterator[int]:
        """Iterate over the nodes in preorder: each node before its children.

        Nodes are numbered in this order, so that these are 0, 1, 2, …

        Yields
        ------
        int
            Index of a node.

        Examples
        --------
        >>> from treemetric import Tree
        >>> tree = Tree.from_bracket("{a{b{c}}{d}}")
        >>> [tree.labels[node] for node in tree.preorder()]
        ['a', 'b', 'c', 'd']
        """
        return iter(range(self._data.size))

    def postorder(self) -> Iterator[int]:
        """Iterate over the nodes in postorder: each node after its children.

        Yields
        ------
        int
            Index of a node, in preorder.

        Examples
        --------
        >>> from treemetric import Tree
        >>> tree = Tree.from_bracket("{a{b{c}}{d}}")
        >>> list(tree.postorder())
        [2, 1, 3, 0]
        """
        return iter(traversal.postorder(self._data.parents()).tolist())

    def sorted(self, key: Callable[[Any], Any] | None = None) -> Self:
        """Sort the children of every node into a canonical order.

        Newick trees, glycans, lineages and JSON objects have no order of children, but the
        edit distance has. Two trees that differ only in the order of children are equal
        after sorting. Trees that differ in more than that may come out in different orders,
        so that the distance of sorted trees is an upper bound of the distance over all
        orders of children.

        Parameters
        ----------
        key : callable, optional
            Called once per distinct label; must return values that can be compared with
            each other. By default numbers come first, then text, then other labels by
            their type and ``repr``.

        Returns
        -------
        Tree
            Children are in the order of their labels; those with equal labels by the
            height of their subtrees, then by their own children in the same way. The
            roots of a forest are sorted too.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_bracket("{a{c}{b{d}}{b}}").sorted().to_bracket()
        '{a{b}{b{d}}{c}}'
        """
        data = self._data
        keys = [(key or traversal.sort_key)(label) for label in data.alphabet]
        ranks = [0] * len(keys)
        for rank, code in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
            ranks[code] = rank
        codes = data.codes()
        labels = [ranks[code] for code in codes.tolist()]
        order, parents = traversal.canonical_order(data.parents(), labels)
        sorted_codes = codes[np.array(order, dtype=np.int64)]
        alphabet: tuple[Label, ...] = data.alphabet
        return self._wrap(
            TreeData.from_codes(alphabet, sorted_codes, np.array(parents, dtype=np.int32))
        )

    def to_text(self, *, max_depth: int | None = None, max_nodes: int | None = 500) -> str:
        r"""Draw the tree as text, one line per node.

        Parameters
        ----------
        max_depth : int, optional
            Nodes below this depth are replaced by their number; the root has depth 0.
        max_nodes : int, default=500
            Number of nodes drawn; the rest is replaced by its number. None draws all. The
            lines of a deep tree are long, and their total length may grow with the square
            of the number of nodes.

        Returns
        -------
        str
            Labels that are no printable text are shown by their ``repr``.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_bracket("{a{b{c}}{d}}").to_text(max_depth=1)
        'a\n├── b … 1 below\n└── d'
        """
        _check_limit(max_depth, 0, "max_depth")
        _check_limit(max_nodes, 1, "max_nodes")
        return text_art.draw(self._data.labels(), self._data.parents(), max_depth, max_nodes)

    def show(self, *, max_depth: int | None = None, max_nodes: int | None = 500) -> None:
        """Print the tree as text, one line per node.

        Parameters
        ----------
        max_depth : int, optional
            Nodes below this depth are replaced by their number; the root has depth 0.
        max_nodes : int, default=500
            Number of nodes drawn; the rest is replaced by its number. None draws all.

        See Also
        --------
        to_text : Return the same text.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_bracket("{a{b{c}}{d}}").show()
        a
        ├── b
        │   └── c
        └── d
        """
        sys.stdout.write(self.to_text(max_depth=max_depth, max_nodes=max_nodes) + "\n")

    def _check_node(self, node: int) -> int:
        if isinstance(node, bool):
            message = f"node must be an int; got {node}"
            raise TypeError(message)
        node = operator.index(node)
        if not 0 <= node < self._data.size:
            message = f"node must be in the range [0, {self._data.size}); got {node}"
            raise IndexError(message)
        return node


def _check_limit(value: object, least: int, parameter: str) -> None:
    if value is not None:
        check_int(value, parameter, "to_text", least, other="None")
