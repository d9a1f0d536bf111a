"""Nodes of trees, as in ``zss.simple_tree``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

__all__ = ["Node"]


class Node:
    """A node with a label and a list of children.

    Nodes with equal labels are equal. Nodes cannot be hashed.

    Parameters
    ----------
    label : object
        The label.
    children : list of Node, optional
        The children, from left to right.

    Attributes
    ----------
    label : object
        The label.
    children : list of Node
        The children.

    Examples
    --------
    >>> from treemetric.compat.zss import Node
    >>> print(Node("a").addkid(Node("b")).addkid(Node("c"), before=True))
    2:a
    0:c
    0:b
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, label: Any, children: list[Node] | None = None) -> None:
        self.label = label
        self.children = children or []

    @staticmethod
    def get_children(node: Any) -> Any:
        """Return the children of a node.

        Parameters
        ----------
        node : object
            A node.

        Returns
        -------
        list of Node
            Its attribute ``children``.

        Examples
        --------
        >>> from treemetric.compat.zss import Node
        >>> Node.get_children(Node("a"))
        []
        """
        return node.children

    @staticmethod
    def get_label(node: Any) -> Any:
        """Return the label of a node.

        Parameters
        ----------
        node : object
            A node.

        Returns
        -------
        object
            Its attribute ``label``.

        Examples
        --------
        >>> from treemetric.compat.zss import Node
        >>> Node.get_label(Node("a"))
        'a'
        """
        return node.label

    def addkid(self, node: Node, before: bool = False) -> Node:
        """Add a child after the others, or before them.

        Parameters
        ----------
        node : Node
            The child.
        before : bool, default=False
            If True, the child becomes the first one.

        Returns
        -------
        Node
            This node.

        Examples
        --------
        >>> from treemetric.compat.zss import Node
        >>> print(Node("a").addkid(Node("b")))
        1:a
        0:b
        """
        self.children.insert(0 if before else len(self.children), node)
        return self

    def iter(self) -> Iterator[Node]:
        """Iterate over this node and all nodes below it, level by level.

        Returns
        -------
        iterator of Node
            The nodes.

        Examples
        --------
        >>> from treemetric.compat.zss import Node
        >>> tree = Node("a", [Node("b", [Node("c")]), Node("d")])
        >>> [node.label for node in tree.iter()]
        ['a', 'b', 'd', 'c']
        """
        queue = deque([self])
        while queue:
            node = queue.popleft()
            yield node
            queue.extend(node.children)

    def get(self, label: Any) -> Node | None:
        """Return the first node with a label, in preorder.

        Parameters
        ----------
        label : object
            The label.

        Returns
        -------
        Node or None
            The node, which may be this one; None if there is none.

        Examples
        --------
        >>> from treemetric.compat.zss import Node
        >>> tree = Node("a", [Node("b", [Node("c")]), Node("d")])
        >>> print(tree.get("c"))
        0:c
        """
        return next((node for node in self._preorder() if node.label == label), None)

    def _preorder(self) -> Iterator[Node]:
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def __contains__(self, label: Any) -> bool:
        wanted = label.label if isinstance(label, Node) else label
        return any(node.label == wanted for node in self.iter())

    def __eq__(self, other: object) -> bool:
        if other is None:
            return False
        if not isinstance(other, Node):
            message = "Must compare against type Node"
            raise TypeError(message)
        return bool(self.label == other.label)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __sub__(self, other: Node) -> float:
        from treemetric.compat.zss.compare import simple_distance  # which needs this class

        distance: float = simple_distance(self, other)
        return distance

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]} {self.label}>"

    def __str__(self) -> str:
        return "\n".join(f"{len(node.children)}:{node.label}" for node in self._preorder())
