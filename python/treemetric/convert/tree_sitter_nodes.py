"""Syntax trees of tree-sitter, without importing it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from treemetric._base.typing import Label
from treemetric.convert.text import build
from treemetric.tree import Tree


def from_tree_sitter(
    node: Any,
    *,
    named: bool = True,
    fields: bool = False,
    text: Iterable[str] = (),
    values: bool = False,
    label: Callable[[Any], Label] | None = None,
) -> Tree:
    """Make a tree of a node of tree-sitter.

    Parameters
    ----------
    node : tree_sitter.Node or tree_sitter.Tree
        The root.
    named : bool, default=True
        If True, punctuation and keywords (anonymous nodes) are left out. Tokens that the
        parser inserted because they are missing stay, as in ``str(node)``.
    fields : bool, default=False
        If True, labels are pairs ``(field, type)``, with None for a node without a field.
    text : iterable of str, default=()
        Types of nodes whose text belongs to their labels, such as "identifier": their
        labels are ``(type, text)``, with fields ``(field, type, text)``.
    values : bool, default=False
        If True, the text of every named node without children, such as a name, a number or
        a comment, belongs to its label.
    label : callable, optional
        ``label(node)`` returns the label of a node, in place of all that.

    Returns
    -------
    Tree
        By default the labels are the types of the nodes.

    Notes
    -----
    The tree has the shape that ``str(node)`` shows. It is walked by a cursor; tools that
    parse the text of ``str(node)`` instead tend to confuse fields with types.

    Examples
    --------
    >>> from tree_sitter import Language, Parser  # doctest: +SKIP
    >>> import tree_sitter_python  # doctest: +SKIP
    >>> from treemetric.convert import from_tree_sitter
    >>> parser = Parser(Language(tree_sitter_python.language()))  # doctest: +SKIP
    >>> from_tree_sitter(parser.parse(b"x = 1")).to_bracket()  # doctest: +SKIP
    '{module{expression_statement{assignment{identifier}{integer}}}}'
    """
    root = getattr(node, "root_node", node)
    if not (hasattr(root, "walk") and hasattr(root, "is_named")):
        message = f"node must be a node or tree of tree-sitter; got {type(node).__name__}"
        raise TypeError(message)
    if isinstance(text, str):
        message = f"text must be an iterable of types of nodes; got the text {text!r}"
        raise TypeError(message)
    spelled = frozenset(text)

    def usual(node: Any) -> Label:
        is_value = values and node.is_named and node.child_count == 0
        return (node.type, _text(node)) if is_value or node.type in spelled else node.type

    return build(*_walk(root, label or usual, named=named, fields=fields and label is None))


def _walk(
    root: Any, label: Callable[[Any], Label], *, named: bool, fields: bool
) -> tuple[list[Label], list[int]]:
    labels: list[Label] = []
    parents: list[int] = []
    cursor = root.walk()
    down, right, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    stack: list[int] = []
    parent = -1
    while True:
        node = cursor.node
        place = parent
        # The root stays whatever it is. The children of a node that is left out move up.
        if not named or node.is_named or node.is_missing or not labels:
            place = len(labels)
            parents.append(parent)
            made = label(node)
            if fields:
                made = (cursor.field_name, *(made if isinstance(made, tuple) else (made,)))
            labels.append(made)
        if down():
            stack.append(parent)
            parent = place
            continue
        while not right():
            if not up():
                return labels, parents
            parent = stack.pop()


def _text(node: Any) -> str | None:
    # The text is missing if the parser read the source through a function.
    return None if node.text is None else node.text.decode(errors="replace")
