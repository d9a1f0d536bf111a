"""Syntax trees of Python: nodes of the module ``ast``, or source text."""

from __future__ import annotations

import ast
import io
import os
import tokenize
import warnings
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

from treemetric._base.path_names import refuse_path
from treemetric._base.typing import Label
from treemetric._core import TreeData
from treemetric.convert.text import encoded, fail
from treemetric.tree import Tree

# Fields of names and other values, which belong to labels on demand. The field "name" holds a
# node in the classes of newer versions of Python.
_NAMES = frozenset(("arg", "asname", "attr", "id", "name", "rest"))
_VALUES = _NAMES | {"conversion", "is_async", "level", "module", "simple"}
_TEXT_LISTS = frozenset(("names", "kwd_attrs"))
# Fields that say nothing about what a program does.
_NOTES = frozenset(("kind", "lineno", "tag", "type_comment"))
_NEVER_NODES = (_VALUES | _NOTES | {"kwd_attrs"}) - {"name"}
_NO_CONTEXT = _NEVER_NODES | {"ctx"}
_SUFFIXES = (".py", ".pyi")


def from_ast(
    node_or_source: ast.AST | str | os.PathLike[str],
    *,
    context: bool = False,
    values: bool = False,
    label: Callable[[ast.AST], Label] | None = None,
) -> Tree:
    """Make a tree of the syntax of Python.

    Parameters
    ----------
    node_or_source : ast.AST, str or path
        A node of the module ``ast``; source text, which is parsed as a module; or the path of
        a file, as a ``pathlib.Path``, which is read in the encoding that it declares.
    context : bool, default=False
        If True, the nodes ``Load``, ``Store`` and ``Del`` are kept. They make up about a
        third of all nodes and say nothing that is not in the structure already. The trees
        of `treemetric.datasets.load_stdlib_functions` do have them.
    values : bool, default=False
        If True, names and constants belong to the labels: ``("Name", "x")``,
        ``("Constant", "int", 1)``, ``("FunctionDef", "f")``. The type of a constant
        belongs to the label because ``True == 1 == 1.0`` in Python. Constants that JSON
        does not have, such as bytes, are replaced by their ``repr``. Nodes without such
        values keep their plain labels.
    label : callable, optional
        ``label(node)`` returns the label of a node, in place of all that.

    Returns
    -------
    Tree
        By default the labels are the names of the classes of the nodes. Children are in
        the order of the fields of a node, as by ``ast.iter_child_nodes``.

    Raises
    ------
    ValueError
        If the source is not valid Python, or nested too deeply for Python's parser; the
        message states the position. Nodes may be nested in any depth. Also if the source is
        the name of a file, such as ``"app.py"``.

    Examples
    --------
    >>> from treemetric.convert import from_ast
    >>> from_ast("x = 1").to_bracket()
    '{Module{Assign{Name}{Constant}}}'
    >>> from_ast("x = 1", values=True).labels
    ('Module', 'Assign', ('Name', 'x'), ('Constant', 'int', 1))
    """
    if isinstance(node_or_source, str):
        refuse_path(node_or_source, _SUFFIXES, "from_ast")
        root = parsed(node_or_source)
    elif isinstance(node_or_source, os.PathLike):
        root = parsed(decoded(Path(node_or_source).read_bytes()))
    elif isinstance(node_or_source, ast.AST):
        root = node_or_source
    else:
        kind = type(node_or_source).__name__
        message = f"node_or_source of from_ast must be an ast node, text or a path; got {kind}"
        raise TypeError(message)
    if label is None and values:
        label = _valued
    without = _NEVER_NODES if context else _NO_CONTEXT
    return Tree._wrap(TreeData.from_ast(root, ast.AST, without, label))


def decoded(data: bytes) -> str:
    """Return Python source as text, in the encoding that it declares."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, LookupError) as error:
        # Some codecs, such as "hex", do not make text.
        message = f"source must be valid Python: {error} at line 1"
        raise ValueError(message) from None


def parsed(source: str) -> ast.AST:
    """Parse Python source; errors state the position."""
    encoded(source)
    try:
        with warnings.catch_warnings():
            # Of invalid escapes and the like, which belong to whoever runs the source.
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(source)
    except SyntaxError as error:
        where = f"at line {error.lineno or 1}, column {error.offset or 1}"
        message = f"source must be valid Python: {error.msg} {where}"
        raise ValueError(message) from None
    except ValueError as error:
        # Null characters are no syntax errors in all versions of Python.
        fail(source, max(source.find("\0"), 0), f"source must be valid Python: {error}")
    except (RecursionError, MemoryError):
        message = (
            f"the {len(source)} characters of source from line 1 on are nested too deeply "
            "for Python's parser"
        )
        raise ValueError(message) from None


def _valued(node: ast.AST) -> Label:
    """Return the class of a node with all its fields that are no nodes."""
    name = type(node).__name__
    if isinstance(node, ast.Constant):
        value = node.value
        return (name, type(value).__name__, value if _is_json(value) else repr(value))
    values: list[Any] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            continue
        if field in _TEXT_LISTS and isinstance(value, list):
            if all(isinstance(item, str) for item in value):
                values.append(tuple(value))
        elif field in _VALUES or (field == "value" and isinstance(node, ast.MatchSingleton)):
            values.append(value)
    return (name, *values) if values else name


def _is_json(value: Any) -> bool:
    """Return whether JSON has such a value, so that a tree with it can be saved."""
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, (str, int))
