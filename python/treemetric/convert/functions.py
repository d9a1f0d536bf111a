"""The functions of Python source."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator


def functions_of(module: ast.AST, scope: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Yield the functions of a module and of its classes with their names below a scope.

    A function inside another function is part of it. If a name is defined several times, ``#2``,
    ``#3``, and so on are appended.
    """
    seen: Counter[str] = Counter()
    stack: list[tuple[str, ast.AST]] = [(f"{scope}." if scope else "", module)]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}{node.name}"
            seen[name] += 1
            yield (name if seen[name] == 1 else f"{name}#{seen[name]}"), node
            continue
        if isinstance(node, ast.ClassDef):
            prefix = f"{prefix}{node.name}."
        children = [(prefix, child) for child in ast.iter_child_nodes(node)]
        stack += reversed(children)
