"""Trees as immutable values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import Signature
from typing import Any, Never

import numpy as np

from treemetric._base import doors
from treemetric._base.arrays import frozen, index_array
from treemetric._base.immutable import Immutable
from treemetric._base.navigation import Navigation
from treemetric._base.typing import IntArray, Label
from treemetric._base.validation import refuse_unordered
from treemetric._core import TreeData
from treemetric._pages.tree_views import TreeViews
from treemetric.formats import adjacency, html_tables, nested

__all__ = ["Tree"]

_SHOWN_NODES = 16


class Tree(Navigation, TreeViews, Immutable):
    """A rooted, ordered, labelled tree, or a forest of such trees.

    Trees are immutable values: they compare and hash by structure and labels, and can be
    pickled. Labels are hashable objects and compare with ``==``. Nodes are numbered in
    preorder, from 0. The ``from_`` methods make trees:

    =================== ==========================================================
    `from_bracket`      text such as ``"{a{b}{c}}"``
    `from_nested`       nested tuples ``("a", ["b", ("c", ["d"])])``
    `from_adjacency`    a label and a list of children for each node, in any order
    `from_parents`      labels and parents in preorder
    `from_sequence`     a sequence, as a chain
    `from_callable`     any objects with a function that returns their children
    `from_html_table`   a table in HTML, for TEDS
    `forest`            trees side by side
    =================== ==========================================================

    `treemetric.convert` reads syntax trees, XML, HTML, JSON, Newick and other formats.

    A tree is not a sequence (it has no ``len`` and no items), so that NumPy and scikit-learn
    treat a list of trees as a list of single objects.

    Examples
    --------
    >>> from treemetric import Tree
    >>> tree = Tree.from_bracket("{a{b}{c}}")
    >>> tree.size, tree.labels, tree.parents
    (3, ('a', 'b', 'c'), array([-1,  0,  0], dtype=int32))
    >>> tree == Tree.from_nested(("a", ["b", "c"]))
    True
    """

    __slots__ = ("_data",)
    _data: TreeData

    # Arguments are accepted only for the sake of an error that helps.
    __signature__ = Signature()

    def __init__(self, *values: Never, **options: Never) -> None:
        message = "use one of the from_ methods, such as Tree.from_bracket, to make a tree"
        if values or options:
            message = f"Tree takes no arguments; {message}. {doors.advice([*values, *options][0])}"
        raise TypeError(message.rstrip())

    @classmethod
    def _wrap(cls, data: TreeData) -> Tree:
        tree = object.__new__(cls)
        _put_data(tree, data)  # faster than `_put`
        return tree

    @classmethod
    def from_bracket(cls, text: str) -> Tree:
        r"""Make a tree from bracket notation.

        A node is its label and its children in braces. Inside a label ``\{``, ``\}``,
        ``\\``, ``\n`` and ``\r`` mean a brace, a backslash, a newline and a
        carriage return. Several trees in a row are a forest, an empty text is the
        empty tree, and white space between nodes is ignored.

        Parameters
        ----------
        text : str
            The tree in bracket notation.

        Returns
        -------
        Tree
            A tree whose labels are of type ``str``.

        Raises
        ------
        ValueError
            If the text is not in bracket notation; the message gives the position.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_bracket(r"{\{a\}{b}}").labels
        ('{a}', 'b')
        """
        if not isinstance(text, str):
            message = f"text must be an instance of 'str'; got {type(text).__name__}"
            raise TypeError(message)
        try:
            return cls._wrap(TreeData.from_bracket(text))
        except ValueError as error:
            if not text.lstrip().startswith("("):
                raise
            hint = "Parentheses are read by treemetric.convert.from_sexpr, Newick by from_newick."
            message = f"{error}. {hint}"
            raise ValueError(message) from None

    @classmethod
    def from_nested(cls, node: Any) -> Tree:
        """Make a tree from nested tuples.

        Parameters
        ----------
        node : tuple, label or list
            A node is a tuple ``(label, children)`` with a list of nodes, or, for a leaf,
            a bare label. A leaf whose label is a tuple must be written
            ``(label, [])``. A list of nodes is a forest, an empty list the empty tree.

        Returns
        -------
        Tree
            The tree.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_nested(("a", ["b", ("c", ["d"])])).to_bracket()
        '{a{b}{c{d}}}'
        """
        return cls._wrap(TreeData.from_nested(node, doors.refuse_as_label))

    @classmethod
    def from_adjacency(
        cls,
        nodes: Iterable[Label],
        adj: Sequence[Sequence[int]],
        *,
        roots: Sequence[int] | None = None,
    ) -> Tree:
        """Make a tree from adjacency lists.

        Parameters
        ----------
        nodes : iterable of labels
            One label per node, in any order.
        adj : sequence of sequences of int
            For each node the indices of its children, in order.
        roots : sequence of int, optional
            The roots of a forest, in order. By default there must be exactly one root,
            the node without a parent.

        Returns
        -------
        Tree
            The tree; its nodes are renumbered in preorder.

        Raises
        ------
        ValueError
            If an index is out of range, a node has two parents, there is a cycle, or
            there is not exactly one root.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_adjacency(["b", "a", "c"], [[], [0, 2], []]).to_bracket()
        '{a{b}{c}}'
        """
        refuse_unordered(nodes, "nodes", "Tree.from_adjacency", "a list")
        return cls._wrap(TreeData.from_adjacency(nodes, adj, roots))

    @classmethod
    def from_parents(cls, labels: Iterable[Label] | None, parents: Sequence[int]) -> Tree:
        """Make a tree from labels and parents in preorder.

        Parameters
        ----------
        labels : iterable of labels or None
            One label per node, in preorder; None labels each node with its index.
        parents : sequence of int
            The index of each node's parent, -1 for a root. Several roots make a forest.

        Returns
        -------
        Tree
            The tree.

        Raises
        ------
        ValueError
            If the parents are not those of a tree in preorder.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_parents(["a", "b", "c"], [-1, 0, 1]).to_bracket()
        '{a{b{c}}}'
        """
        refuse_unordered(labels, "labels", "Tree.from_parents", "a list")
        refuse_unordered(parents, "parents", "Tree.from_parents", "a list")
        if labels is None or isinstance(parents, (list, tuple)):
            return cls._wrap(TreeData.from_parents(labels, parents))
        return cls._wrap(TreeData(labels, index_array(parents, "parents", np.int32, least=-1)))

    @classmethod
    def from_sequence(cls, sequence: Iterable[Label]) -> Tree:
        """Make a chain: each item is the only child of the previous one.

        Parameters
        ----------
        sequence : iterable of labels
            The labels from the root down, for instance a string.

        Returns
        -------
        Tree
            The chain; the edit distance of chains is the edit distance of sequences.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_sequence("abc").to_bracket()
        '{a{b{c}}}'
        """
        refuse_unordered(sequence, "sequence", "Tree.from_sequence", "a list")
        labels = tuple(sequence)
        return cls._wrap(TreeData(labels, np.arange(-1, len(labels) - 1, dtype=np.int32)))

    @classmethod
    def from_callable(
        cls,
        root: Any,
        children: Callable[[Any], Iterable[Any] | None],
        label: Callable[[Any], Label] | None = None,
    ) -> Tree:
        """Make a tree from any objects.

        Parameters
        ----------
        root : object
            The root, of any type.
        children : callable
            ``children(node)`` returns the children of a node, from left to right: any
            iterable, empty or None for a leaf. It is called once per node, in preorder,
            and must not lead back to a node above.
        label : callable, optional
            ``label(node)`` returns the label of a node, any hashable object. By default
            nodes are their own labels.

        Returns
        -------
        Tree
            The tree, of any depth.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_callable(4, lambda n: [n // 2, n - 2] if n > 1 else [], str).to_bracket()
        '{4{2{1}{0}}{2{1}{0}}}'
        """
        return cls._wrap(TreeData.from_callable(root, children, label))

    @classmethod
    def from_html_table(
        cls,
        source: Any,
        *,
        preset: str = "default",
        variant: str = "content",
        ignore_nodes: Iterable[str] | None = None,
        normalize: Callable[[str], str] | None = None,
    ) -> Tree:
        """Make the tree of an HTML table that TEDS compares; needs lxml.

        Parameters
        ----------
        source : str, bytes or lxml element
            A page that holds a table, or the table.
        preset : str, default="default"
            Which table is taken and which elements are nodes, as in `treemetric.metrics.teds`.
        variant : {"content", "structure", "emptiness"}, default="content"
            What is kept of the content of cells: all, nothing, or "x" if there is any.
        ignore_nodes : iterable of str, optional
            Tags that are removed first; what is inside stays.
        normalize : callable, optional
            ``normalize(text)`` returns the text that takes the place of the content of a cell.

        Returns
        -------
        Tree
            Labels are tuples ``(tag, colspan, rowspan, content)``, as `TableCosts` compares them.
            All but the tag are None for nodes that are not cells. The content is a str, or a tuple
            of tokens if there are tags inside the cell.

        Raises
        ------
        ImportError
            If lxml is not installed.
        ValueError
            If there is no table, or a span is not a number.

        Examples
        --------
        >>> from treemetric import Tree
        >>> page = "<table><tr><th>a<td colspan=2><b>c</b></table>"
        >>> Tree.from_html_table(page).labels[2:]
        (('td', 1, 1, 'a'), ('td', 2, 1, ('<b>', 'c', '</b>')))
        """
        data = html_tables.tree_data(source, preset, variant, ignore_nodes, normalize)
        return cls._wrap(data)

    @classmethod
    def forest(cls, trees: Iterable[Tree]) -> Tree:
        """Put trees side by side.

        Parameters
        ----------
        trees : iterable of Tree
            The trees, from left to right.

        Returns
        -------
        Tree
            A forest; the empty tree if there are none.

        Examples
        --------
        >>> from treemetric import Tree
        >>> pair = [Tree.from_sequence("ab"), Tree.from_sequence("c")]
        >>> Tree.forest(pair).to_bracket()
        '{a{b}}{c}'
        """
        if advice := doors.unordered(trees):
            got = f"a {type(trees).__name__}"
            message = f"a forest is made of trees in an order; got {got}. {advice}"
            raise TypeError(message)
        labels: list[Label] = []
        parents = [np.zeros(0, dtype=np.int32)]
        for position, tree in enumerate(trees):
            if not isinstance(tree, Tree):
                got = f"trees[{position}] of type {type(tree).__name__}"
                message = f"a forest is made of instances of 'treemetric.Tree'; got {got}"
                raise TypeError(f"{message}. {doors.advice(tree)}".rstrip())
            own = tree.parents
            parents.append(np.where(own == -1, -1, own + len(labels)))
            labels.extend(tree.labels)
        return cls.from_parents(labels, np.concatenate(parents))  # type: ignore[arg-type]

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self._data.size

    @property
    def labels(self) -> tuple[Label, ...]:
        """Labels of all nodes, in preorder."""
        return self._data.labels()

    @property
    def parents(self) -> IntArray:
        """Parent of each node, in preorder, -1 for a root; a read-only array."""
        return frozen(self._data.parents())  # type: ignore[no-any-return]

    @property
    def roots(self) -> tuple[int, ...]:
        """Indices of the roots: one for a tree, any number for a forest."""
        return tuple(np.flatnonzero(self._data.parents() == -1).tolist())

    def to_bracket(self) -> str:
        """Write the tree in bracket notation.

        Returns
        -------
        str
            The text that `from_bracket` reads back.

        Raises
        ------
        TypeError
            If a label is not of type ``str``.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_nested(("a", ["b"])).to_bracket()
        '{a{b}}'
        """
        return self._data.to_bracket()

    def to_nested(self) -> Any:
        """Write the tree as nested tuples.

        Returns
        -------
        tuple, label or list
            The tuples that `from_nested` reads back.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_bracket("{a{b}{c{d}}}").to_nested()
        ('a', ['b', ('c', ['d'])])
        """
        return nested.build(self.labels, self._data.parents())

    def to_adjacency(self) -> tuple[list[Label], list[list[int]]]:
        """Write the tree as adjacency lists.

        Returns
        -------
        nodes : list of labels
            The labels in preorder.
        adj : list of lists of int
            The children of each node.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_bracket("{a{b}{c}}").to_adjacency()
        (['a', 'b', 'c'], [[1, 2], [], []])
        """
        return list(self.labels), adjacency.build(self._data.parents())

    def map_labels(self, fn: Callable[[Any], Label]) -> Tree:
        """Replace every label by a function of it.

        Parameters
        ----------
        fn : callable
            Called once per distinct label.

        Returns
        -------
        Tree
            A tree of the same structure.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_nested((1, [2, 3])).map_labels(str).to_bracket()
        '{1{2}{3}}'
        """
        data = self._data
        alphabet = tuple(fn(label) for label in data.alphabet)
        doors.refuse_unhashable(alphabet, data.alphabet)
        return self._wrap(TreeData.from_codes(alphabet, data.codes(), data.parents()))

    def subtree(self, node: int) -> Tree:
        """Return the subtree of a node.

        Parameters
        ----------
        node : int
            Index of its root, in preorder.

        Returns
        -------
        Tree
            The node and all of its descendants.

        Examples
        --------
        >>> from treemetric import Tree
        >>> Tree.from_bracket("{a{b{c}}{d}}").subtree(1).to_bracket()
        '{b{c}}'
        """
        node = self._check_node(node)
        data, parents = self._data, self._data.parents()
        # In preorder the subtree ends where a parent lies before the node.
        outside = np.flatnonzero(parents[node + 1 :] < node)
        end = node + 1 + int(outside[0]) if outside.size else self.size
        own = parents[node:end] - node
        own[0] = -1
        return self._wrap(TreeData.from_codes(data.alphabet, data.codes()[node:end], own))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self is other or self._data.equals(other._data)

    def __hash__(self) -> int:
        return self._data.value_hash()

    def __reduce__(self) -> tuple[Any, ...]:
        data = self._data
        return _rebuild, (data.alphabet, data.codes(), data.parents())

    def __repr__(self) -> str:
        if self.size == 0:
            return "<Tree of 0 nodes>"
        if self.size > _SHOWN_NODES:
            return f"<Tree of {self.size} nodes, root {self._data.alphabet[0]!r}>"
        # Labels that are not printable text are shown by their repr.
        plain = all(isinstance(s, str) and s.isprintable() for s in self._data.alphabet)
        text = (self if plain else self.map_labels(repr)).to_bracket()
        return f"<Tree {text}>"


_put_data = vars(Tree)["_data"].__set__


def _rebuild(alphabet: tuple[Label, ...], codes: IntArray, parents: IntArray) -> Tree:
    return Tree._wrap(TreeData.from_codes(alphabet, codes, parents))
