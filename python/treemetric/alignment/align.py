"""One optimal alignment of two trees, and its edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from treemetric import _core
from treemetric._base.immutable import Immutable
from treemetric._base.typing import CostsLike, FloatArray, Label
from treemetric._base.validation import check_n_jobs, refuse, shown
from treemetric.alignment.views import AlignmentViews
from treemetric.costs import Costs
from treemetric.costs.resolve import check_pair
from treemetric.tree import Tree

__all__ = ["Alignment", "Edit", "align", "subtree_distances"]

Pair = tuple[int | None, int | None]


class Edit(NamedTuple):
    """A node that is deleted, inserted or replaced, and what this costs; an item of ``edits()``.

    Attributes
    ----------
    op : {'replace', 'delete', 'insert'}
        The kind of edit.
    i : int or None
        Node of x, in preorder; None for an insertion.
    j : int or None
        Node of y, in preorder; None for a deletion.
    old, new : label or None
        Labels before and after the edit.
    cost : float
        The cost of the edit.

    Examples
    --------
    >>> from treemetric import Tree, align
    >>> align(Tree.from_sequence("ab"), Tree.from_sequence("a")).edits()
    [Edit(op='delete', i=1, j=None, old='b', new=None, cost=1.0)]
    """

    op: str
    i: int | None
    j: int | None
    old: Label | None
    new: Label | None
    cost: float


class Alignment(AlignmentViews, Immutable):
    """Pairs of corresponding nodes of two trees; other nodes are deleted or inserted.

    Alignments are returned by `align` and `cooptimal`. They are immutable values.

    Attributes
    ----------
    x, y : Tree
        The trees.
    costs : Costs
        The costs of edits.
    cost : float
        The total cost of all edits.
    pairs : tuple of tuples
        ``(i, j)`` for corresponding nodes, ``(i, None)`` for deleted and ``(None, j)`` for
        inserted nodes, in preorder: first all nodes of x, then the insertions.

    Examples
    --------
    >>> from treemetric import Tree, align
    >>> x, y = Tree.from_bracket("{a{b}{c}}"), Tree.from_bracket("{a{d{c}}}")
    >>> alignment = align(x, y)
    >>> alignment
    <Alignment of cost 2.0: 2 kept, 0 replaced, 1 deleted, 1 inserted>
    >>> alignment.pairs
    ((0, 0), (1, None), (2, 2), (None, 1))
    >>> [tree.to_bracket() for tree in alignment.apply()]
    ['{a{c}}', '{a{d{c}}}']
    """

    # The pairs are stored as bytes, two 32-bit numbers each, and converted to tuples at first use:
    # most callers need only the cost or the counts, and the tuples take longer than the alignment.
    __slots__ = ("_cost", "_costs", "_matches", "_pairs", "_x", "_y")

    _x: Tree
    _y: Tree
    _costs: Costs
    _cost: float
    _matches: bytes
    _pairs: tuple[Pair, ...] | None

    def __init__(self) -> None:
        message = "alignments are made by treemetric.align, cooptimal and unordered_align"
        raise TypeError(message)

    @classmethod
    def _of(cls, x: Tree, y: Tree, costs: Costs, cost: float, matches: bytes) -> Self:
        alignment = object.__new__(cls)
        # Slot by slot, which is faster than `_put`: align is called for single pairs.
        _put_x(alignment, x)
        _put_y(alignment, y)
        _put_costs(alignment, costs)
        _put_cost(alignment, cost)
        _put_matches(alignment, matches)
        _put_pairs(alignment, None)
        return alignment

    @property
    def x(self) -> Tree:
        """The tree that is edited."""
        return self._x

    @property
    def y(self) -> Tree:
        """The result of the edits."""
        return self._y

    @property
    def costs(self) -> Costs:
        """The costs of edits."""
        return self._costs

    @property
    def cost(self) -> float:
        """The total cost of all edits."""
        return self._cost

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Corresponding nodes, deletions and insertions, in preorder."""
        if self._pairs is None:
            _put_pairs(self, _core.all_pairs(self._matches, self._x._data, self._y._data))
        return self._pairs  # type: ignore[return-value]  # just put there

    def _all_edits(self) -> list[Edit]:
        """List an edit for every pair, including nodes that are kept."""
        old, new = self.x.labels, self.y.labels
        costs = self.costs._edit_costs(self.x, self.y, self.pairs)
        edits = []
        for (i, j), cost in zip(self.pairs, costs, strict=True):
            op = "insert" if i is None else "delete" if j is None else "replace"
            a = None if i is None else old[i]
            b = None if j is None else new[j]
            edits.append(Edit(op, i, j, a, b, cost))
        return edits

    def edits(self) -> list[Edit]:
        """List the edits, in an order in which they can be applied.

        Nodes that keep their label at no cost are not listed.

        Returns
        -------
        list of Edit
            Replacements in preorder, then deletions from the last node of x to the first,
            then insertions in preorder of y. Their costs sum to the cost of the alignment.

        Examples
        --------
        >>> from treemetric import Tree, align
        >>> x, y = Tree.from_sequence("ab"), Tree.from_sequence("ac")
        >>> align(x, y).edits()
        [Edit(op='replace', i=1, j=1, old='b', new='c', cost=1.0)]
        """
        made = [e for e in self._all_edits() if not _keeps(e)]
        replaced = [edit for edit in made if edit.op == "replace"]
        deleted = [edit for edit in made if edit.op == "delete"]
        inserted = [edit for edit in made if edit.op == "insert"]
        return replaced + deleted[::-1] + inserted

    def apply(self) -> Iterator[Tree]:
        """Turn x into y, one edit after the other.

        The children of a deleted node move up to its parent; an inserted node takes over
        children of its parent.

        Yields
        ------
        Tree
            The tree after each edit of `edits`; the last one is y. For an unordered
            alignment, the children of the last one are in the order of their partners.

        Examples
        --------
        >>> from treemetric import Tree, align
        >>> x, y = Tree.from_bracket("{a{b}{c}}"), Tree.from_bracket("{a{d{c}}}")
        >>> [tree.to_bracket() for tree in align(x, y).apply()]
        ['{a{c}}', '{a{d{c}}}']
        """
        labels = list(self.x.labels)
        kept = np.ones(self.x.size, dtype=bool)
        order = np.array(self._order_of_y(), dtype=np.int64)
        place = np.append(np.argsort(order), -1)  # the root has the parent -1
        new_labels = [self.y.labels[j] for j in order]
        new_parents = place[self.y.parents[order]]
        # After the last deletion the tree is y without the nodes to insert.
        present = np.zeros(self.y.size, dtype=bool)
        present[[place[j] for i, j in self.pairs if i is not None and j is not None]] = True
        for edit in self.edits():
            if edit.op == "replace":
                labels[edit.i] = edit.new  # type: ignore[index]
            elif edit.op == "delete":
                kept[edit.i] = False
            else:
                present[place[edit.j]] = True
                yield _restricted(new_labels, new_parents, present)
                continue
            yield _restricted(labels, self.x.parents, kept)

    def _order_of_y(self) -> Sequence[int]:
        """Return the nodes of y in an order in which the alignment preserves that of x."""
        return range(self.y.size)

    def inverse(self) -> Self:
        """Return the alignment that turns y back into x.

        Returns
        -------
        Alignment
            The same pairs of nodes; its cost is the cost of the inverse edits, ``inf`` if one
            of them is never made. Under `PairCosts` each inverse edit costs as much as the edit.

        Examples
        --------
        >>> from treemetric import Tree, align
        >>> align(Tree.from_sequence("ab"), Tree.from_sequence("b")).inverse().edits()
        [Edit(op='insert', i=None, j=0, old=None, new='a', cost=1.0)]
        """
        pairs = np.frombuffer(self._matches, dtype="<u4").reshape(-1, 2)[:, ::-1]
        matches = pairs[np.argsort(pairs[:, 0])].tobytes()
        costs = self.costs._inverse()
        table = costs._pair_table(self.y, self.x)
        cost = _core.alignment_cost(self.y._data, self.x._data, *table, matches)
        return self._of(self.y, self.x, costs, cost, matches)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        # The cost follows from the rest.
        mine, others = (self.x, self.y, self._matches), (other.x, other.y, other._matches)
        return mine == others and self.costs == other.costs

    def __hash__(self) -> int:
        return hash((self.x, self.y, self._matches))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self.x, self.y, self.costs, self.cost, self._matches)

    def __repr__(self) -> str:
        edits = self._all_edits()
        kept = sum(_keeps(edit) for edit in edits)
        count = {op: sum(e.op == op for e in edits) for op in ("replace", "delete", "insert")}
        name = type(self).__name__
        return (
            f"<{name} of cost {self.cost}: {kept} kept, {count['replace'] - kept} replaced, "
            f"{count['delete']} deleted, {count['insert']} inserted>"
        )


_put_x, _put_y, _put_costs, _put_cost, _put_matches, _put_pairs = (
    vars(Alignment)[f"_{name}"].__set__ for name in ("x", "y", "costs", "cost", "matches", "pairs")
)


def _keeps(edit: Edit) -> bool:
    # A label such as NaN is itself, but not equal to itself.
    same = edit.old is edit.new or edit.old == edit.new
    return edit.op == "replace" and edit.cost == 0 and same


def _restricted(labels: Any, parents: Any, present: Any) -> Tree:
    """Return the tree of the nodes that are present; children of other nodes move up."""
    position = np.cumsum(present) - 1
    # The nearest present ancestor, found from the top down.
    above: list[int] = []
    kept_parents = []
    for node, parent in enumerate(parents.tolist()):
        up = -1 if parent == -1 else parent if present[parent] else above[parent]
        above.append(up)
        if present[node]:
            kept_parents.append(-1 if up == -1 else int(position[up]))
    kept = [label for label, here in zip(labels, present.tolist(), strict=True) if here]
    return Tree.from_parents(kept, kept_parents)


def align(
    x: Tree,
    y: Tree,
    *,
    costs: CostsLike | None = None,
    ties: Literal["pair", "delete"] = "pair",
    n_jobs: int | None = None,
) -> Alignment:
    """Find one optimal alignment of two trees.

    Parameters
    ----------
    x, y : Tree
        Trees or forests.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    ties : {'pair', 'delete'}, default='pair'
        Which of several optimal alignments is returned: one with pairs as early as
        possible, or one that pairs two nodes only where nothing else is optimal, as the
        packages zss and apted do.
    n_jobs : int, optional
        Number of threads for the distances of the subtrees of large trees, as in `distance`. The
        result does not depend on it.

    Returns
    -------
    Alignment
        Its cost is the distance of the trees.

    See Also
    --------
    cooptimal : All optimal alignments.

    Notes
    -----
    The result is deterministic. With ``ties="pair"`` both trees are visited in preorder. The two
    next nodes are paired if that is optimal; if not, their subtrees are aligned with each other if
    that is optimal. Otherwise the next node of x is deleted if that is optimal, and the next node
    of y is inserted if not.

    With ``ties="delete"`` both trees are visited from the last node in postorder backwards. The
    next node of x is deleted if that is optimal; if not, the next node of y is inserted if that is
    optimal. Otherwise the two nodes are paired.

    Examples
    --------
    >>> from treemetric import Tree, align
    >>> align(Tree.from_bracket("{a{b}}"), Tree.from_bracket("{a{c}}")).pairs
    ((0, 0), (1, 1))
    >>> x, y = Tree.from_sequence("aa"), Tree.from_sequence("a")
    >>> align(x, y).pairs, align(x, y, ties="delete").pairs
    (((0, 0), (1, None)), ((0, None), (1, 0)))
    """
    checked = check_pair(x, y, costs, "align")
    if not isinstance(ties, str) or ties not in ("pair", "delete"):
        refuse("ties", "align", "'pair' or 'delete'", shown(ties))
    threads = check_n_jobs(n_jobs, "align")
    table, index = checked._pair_table(x, y)
    cost, matches = _core.align_pair(x._data, y._data, table, index, (ties == "delete", threads))
    return Alignment._of(x, y, checked, cost, matches)


def subtree_distances(
    x: Tree, y: Tree, *, costs: CostsLike | None = None, n_jobs: int | None = None
) -> FloatArray:
    """Compute the distances between all subtrees of x and all subtrees of y.

    The algorithm for the distance of the whole trees computes all of them.

    Parameters
    ----------
    x, y : Tree
        Trees or forests.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    n_jobs : int, optional
        Number of threads for large trees, as in `distance`. The result does not depend on it.

    Returns
    -------
    ndarray of shape (x.size, y.size)
        The distance from the subtree of node i to the subtree of node j, in preorder.

    Examples
    --------
    >>> from treemetric import Tree, subtree_distances
    >>> subtree_distances(Tree.from_bracket("{a{b}{c}}"), Tree.from_bracket("{a{c}}"))
    array([[1., 2.],
           [2., 1.],
           [1., 0.]])
    """
    checked = check_pair(x, y, costs, "subtree_distances")
    threads = check_n_jobs(n_jobs, "subtree_distances")
    table, index = checked._pair_table(x, y)
    return _core.subtree_distances(x._data, y._data, table, index, threads)
