"""Trees and chained values, as in ``apted.helpers``."""

from __future__ import annotations

from functools import total_ordering
from itertools import chain
from typing import Any

__all__ = ["ChainedValue", "Tree"]


class Tree:
    """A node with a name and children.

    Parameters
    ----------
    name : str
        The name of the node.
    *children : Tree
        The children, from left to right.

    Attributes
    ----------
    name : str
        The name.
    children : list of Tree
        The children.

    Examples
    --------
    >>> from treemetric.compat.apted.helpers import Tree
    >>> Tree("a", Tree("b"), Tree("c"))
    {a{b}{c}}
    """

    def __init__(self, name: Any, *children: Tree) -> None:
        self.name = name
        self.children = list(children)

    def bracket(self) -> str:
        """Return the tree in bracket notation, without escapes.

        Examples
        --------
        >>> from treemetric.compat.apted.helpers import Tree
        >>> Tree("a", Tree("b")).bracket()
        '{a{b}}'
        """
        parts: list[str] = []
        # Nodes to write, and braces to close.
        stack: list[Tree | str] = [self]
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                parts.append(node)
            else:
                parts.append(f"{{{node.name}")
                stack.append("}")
                stack.extend(reversed(node.children))
        return "".join(parts)

    def __repr__(self) -> str:
        return self.bracket()

    @classmethod
    def from_text(cls, text: str) -> Tree:
        """Read a tree in bracket notation, without escapes.

        Parameters
        ----------
        text : str
            The text. If it contains several trees, the first one counts.

        Returns
        -------
        Tree
            The tree.

        Raises
        ------
        ValueError
            If there is text outside of braces, or braces are not balanced.

        Examples
        --------
        >>> from treemetric.compat.apted.helpers import Tree
        >>> Tree.from_text("{a{b}{c}}").children
        [{b}, {c}]
        """
        trees: list[Tree] = []
        path: list[Tree] = []
        names: list[list[str]] = []
        for position, character in enumerate(text):
            if character == "{":
                node = cls("")
                (path[-1].children if path else trees).append(node)
                path.append(node)
                names.append([])
            elif not path:
                message = f"text must be trees in braces; got {character!r} at {position}"
                raise ValueError(message)
            elif character == "}":
                path.pop().name = "".join(names.pop())
            else:
                names[-1].append(character)
        if path or not trees:
            missing = f"{len(path)} open braces" if path else "no tree"
            message = f"text must be a tree in balanced braces; got {missing} at the end"
            raise ValueError(message)
        return trees[0]


@total_ordering
class ChainedValue:
    """A cost, and the edits that it is the cost of; see `meta_chained_config`.

    Parameters
    ----------
    value : int or float, default=0
        The cost.
    chain_ : iterable, optional
        The edits.

    Attributes
    ----------
    value : int or float
        The cost.
    chain : iterable
        The edits.

    Examples
    --------
    >>> from treemetric.compat.apted.helpers import ChainedValue
    >>> both = ChainedValue(1, ["a"]) + ChainedValue(2, ["b"])
    >>> both.value, list(both.chain)
    (3, ['a', 'b'])
    """

    def __init__(self, value: Any = 0, chain_: Any = None) -> None:
        self.value = value
        self.chain = [] if chain_ is None else chain_

    def __add__(self, other: ChainedValue) -> ChainedValue:
        return ChainedValue(self.value + other.value, list(chain(self.chain, other.chain)))

    def __sub__(self, other: ChainedValue) -> ChainedValue:
        return self + -other

    def __neg__(self) -> ChainedValue:
        return ChainedValue(-self.value, [("R", list(self.chain))])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChainedValue):
            return bool(self.value == other)
        return bool(self.value == other.value)

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < (other.value if isinstance(other, ChainedValue) else other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        return repr(self.value)

    def __str__(self) -> str:
        return str(self.value)
