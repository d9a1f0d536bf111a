"""Advice about objects that are not trees yet: which function makes a tree of them.

Objects are recognised by the names of their classes, so nothing is imported.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from os import PathLike
from typing import Any

from treemetric._base.validation import NO_ORDER, shown

_ETREE = "Use treemetric.convert.from_etree(element)."
_CALLABLE = (
    "Use Tree.from_callable(root, children, label), where children(node) returns the children of "
    "a node and label(node) its label."
)
_COLUMN = "Use one column, such as df['tree']."
# Advice by the top-level package and the name of a class or of one of its base classes.
_CLASSES = {
    ("ast", "AST"): "Use treemetric.convert.from_ast(node).",
    ("xml", "Element"): _ETREE,
    ("xml", "ElementTree"): _ETREE,
    ("lxml", "_Element"): _ETREE,
    ("lxml", "_ElementTree"): _ETREE,
    ("bs4", "Tag"): (
        "Use Tree.from_callable(tag, lambda e: e.find_all(recursive=False), lambda e: e.name), or "
        "treemetric.convert.from_html(text)."
    ),
    ("networkx", "Graph"): "Use treemetric.convert.from_networkx(G).",
    ("nltk", "Tree"): "Use treemetric.convert.from_nltk(tree).",
    ("tree_sitter", "Node"): "Use treemetric.convert.from_tree_sitter(node).",
    ("tree_sitter", "Tree"): "Use treemetric.convert.from_tree_sitter(tree).",
    ("treemetric", "Tree"): "It is a tree already; Tree.forest joins several trees.",
    ("treemetric", "TreeSet"): "Use one of its trees, such as trees[0].",
    ("pandas", "DataFrame"): _COLUMN,
    ("polars", "DataFrame"): _COLUMN,
    **dict.fromkeys(
        (
            ("Bio", "TreeElement"),
            ("anytree", "NodeMixin"),
            ("apted", "Tree"),
            ("bigtree", "BaseNode"),
            ("dendropy", "Node"),
            ("dendropy", "Tree"),
            ("ete3", "TreeNode"),
            ("ete4", "Tree"),
            ("spacy", "Doc"),
            ("spacy", "Span"),
            ("spacy", "Token"),
            ("treelib", "Tree"),
            ("zss", "Node"),
        ),
        _CALLABLE,
    ),
}
_NESTED = 'Use Tree.from_nested, with nodes such as ("label", [children]).'
_LIST = (
    "Use treemetric.convert.from_json(value) for a JSON value, Tree.from_nested for nested tuples."
)
_BYTES = "Decode the bytes first: Tree.from_bracket(data.decode())."
_PATH = (
    "Read the file first: TreeSet.from_jsonl(path), TreeSet.from_bracket(path), or "
    "treemetric.convert for the content of other files."
)
_TEXTS = (
    (r"\{", "Use Tree.from_bracket(text)."),
    (r"<", "Use treemetric.convert.from_html(text), or from_etree for parsed XML."),
    (r"[.()]*\([.()]*\.[.()]*$", "Use treemetric.convert.from_dotbracket(text)."),
    (r"(?s)\(.*(,|;$)|.*\);$", "Use treemetric.convert.from_newick(text)."),
    (r"\(", "Use treemetric.convert.from_sexpr(text)."),
    (r"\S+\.jsonl$", "Use TreeSet.from_jsonl(path)."),
    (
        "",
        "Use Tree.from_bracket(text) for text in brackets, treemetric.convert for the content of "
        "other files.",
    ),
)


def advice(value: object) -> str:
    """Return a sentence that names the converter of an object; an empty text if none is known.

    Examples
    --------
    >>> from treemetric._base.doors import advice
    >>> advice("{a{b}}")
    'Use Tree.from_bracket(text).'
    """
    if isinstance(value, str):
        return next(door for pattern, door in _TEXTS if re.match(pattern, value.strip()))
    if found := of_class(value):
        return found
    if isinstance(value, bytes | bytearray):
        return _BYTES
    if isinstance(value, PathLike):
        return _PATH
    if isinstance(value, tuple):
        lists = len(value) == 2 and all(isinstance(item, list) for item in value)
        return "Use Tree.from_adjacency(nodes, adj)." if lists else _NESTED
    if isinstance(value, dict) and {"nodes", "adj"} <= value.keys():
        return 'Use Tree.from_adjacency(value["nodes"], value["adj"]).'
    if isinstance(value, dict):
        return "Use treemetric.convert.from_json(value)."
    if isinstance(value, list):
        return _LIST
    if getattr(value, "ndim", 1) == 0:
        return "It has no dimensions; use a list."
    if getattr(value, "ndim", 1) > 1:
        return "Use an array of one dimension, such as X.ravel()."
    return _CALLABLE if hasattr(value, "children") else ""


def of_class(value: object) -> str:
    """Return the advice about objects of a class of this or another package, or an empty text."""
    for base in type(value).__mro__:
        package = base.__module__.partition(".")[0]
        found = _CLASSES.get((package.removeprefix("_ast") or "ast", base.__name__))
        if found is not None:
            return found
    return ""


def with_type(value: object) -> str:
    """Return the name of the class of an object with its package, such as 'networkx.DiGraph'."""
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    return kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"


def refuse_as_label(value: Any) -> None:
    """Refuse to take an object for a label if it is a tree of its own or cannot be a label.

    Every hashable object can be a label, so that a graph would become a tree of one node.
    """
    found = of_class(value)
    if not found and isinstance(value, dict):
        found = advice(value)
    if not found and isinstance(getattr(value, "children", None), list | tuple | deque):
        found = _CALLABLE
    if found:
        message = (
            "a node of from_nested must be a hashable label or a tuple (label, list of children); "
            f"got an object of type {with_type(value)}. {found}"
        )
        raise TypeError(message)


def refuse_unhashable(labels: Sequence[Any], old: Sequence[Any]) -> None:
    """Refuse labels that cannot be hashed; name the labels that they replace."""
    for new, label in zip(labels, old, strict=True):
        try:
            hash(new)
        except TypeError:
            kind = type(new).__name__
            message = (
                f"labels must be hashable; got one of type {kind} for the label {shown(label)}"
            )
            raise TypeError(message) from None


def unordered(value: object) -> str:
    """Return what to use instead of a collection without an order; empty if it has one."""
    if isinstance(value, AbstractSet):
        return NO_ORDER
    if isinstance(value, Mapping):
        return "Use list(X.values()), and TreeSet(..., ids=list(X)) to keep the keys."
    return ""
