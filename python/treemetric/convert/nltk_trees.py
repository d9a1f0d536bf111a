"""Trees of NLTK, without importing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treemetric.convert.cycles import MANY, refuse_cycles
from treemetric.convert.text import build
from treemetric.tree import Tree

if TYPE_CHECKING:
    from treemetric._base.typing import Label


def from_nltk(tree: Any) -> Tree:
    """Make a tree of an ``nltk.Tree``.

    Parameters
    ----------
    tree : nltk.Tree
        A tree, parented or not. Leaves may be of any hashable type.

    Returns
    -------
    Tree
        The labels are those of the inner nodes, and the leaves themselves.

    Raises
    ------
    ValueError
        If a tree contains itself.

    See Also
    --------
    from_sexpr : Read the text of a tree.

    Examples
    --------
    >>> import nltk  # doctest: +SKIP
    >>> from treemetric.convert import from_nltk
    >>> from_nltk(nltk.Tree("S", ["a", nltk.Tree("B", [])])).to_bracket()  # doctest: +SKIP
    '{S{a}{B}}'
    """
    if not _is_inner(tree):
        message = f"tree of from_nltk must be an nltk.Tree; got {type(tree).__name__}"
        raise TypeError(message)
    labels: list[Label] = []
    parents: list[int] = []
    stack, above = [tree], [-1]
    while stack:
        node = stack.pop()
        parents.append(above.pop())
        place = len(labels)
        if place == MANY:
            refuse_cycles(tree, lambda node: filter(_is_inner, node), "tree")
        if _is_inner(node):
            labels.append(node.label())
            below = list(node)
            below.reverse()
            stack += below
            above += [place] * len(below)
        else:
            labels.append(node)
    return build(labels, parents)


def _is_inner(node: Any) -> bool:
    return isinstance(node, list) and hasattr(node, "label")
