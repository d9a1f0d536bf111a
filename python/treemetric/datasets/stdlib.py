"""Functions of Python's standard library as syntax trees."""

from __future__ import annotations

import ast
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from treemetric._base.validation import check_int, check_random_state, refuse, shown
from treemetric.convert.functions import functions_of
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

__all__ = ["load_stdlib_functions"]

# Written in Python and present in every version from 3.11 to 3.14.
_MODULES = (
    "argparse",
    "bdb",
    "calendar",
    "codecs",
    "configparser",
    "contextlib",
    "dataclasses",
    "difflib",
    "doctest",
    "enum",
    "fractions",
    "ftplib",
    "functools",
    "gettext",
    "imaplib",
    "inspect",
    "ipaddress",
    "mailbox",
    "optparse",
    "pdb",
    "pickle",
    "platform",
    "plistlib",
    "pprint",
    "shutil",
    "smtplib",
    "statistics",
    "subprocess",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "tokenize",
    "traceback",
    "turtle",
    "typing",
    "uuid",
    "weakref",
    "zipfile",
)

_LOADER = "load_stdlib_functions"
_DESCR = """\
Functions of Python's standard library
--------------------------------------
Every function and method of the chosen modules is one tree: its abstract syntax tree,
built by the `ast` module of the running Python. The label of a node is the name of its
class ("FunctionDef", "Call", "Name", ...). Its children are those of
`ast.iter_child_nodes`, in that order. Names, numbers and strings of the source are
omitted. The class of a tree is the module that defines the function.

A function inside another function is part of the outer tree and not a separate tree.
The source of the modules differs between Python versions, and so does the data.
"""


def load_stdlib_functions(
    *,
    modules: Sequence[str] | None = None,
    min_nodes: int = 20,
    max_nodes: int | None = 200,
    n_samples: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Bunch:
    """Load functions of Python's standard library as labelled syntax trees.

    The data is real, has classes and is available on every machine that runs Python.
    Nothing is downloaded and no module is imported: the source is only read and parsed.

    Parameters
    ----------
    modules : sequence of str, default=None
        Names of modules of the standard library, such as ``["textwrap",
        "urllib.parse"]``. None selects a fixed list of about 40 modules and skips those
        whose source is not installed.
    min_nodes : int, default=20
        Smallest number of nodes of a function.
    max_nodes : int, default=200
        Largest number of nodes of a function; None for no limit.
    n_samples : int, default=None
        Number of functions to draw at random without replacement; None selects all.
    random_state : int, RandomState instance or None, default=None
        Controls which functions `n_samples` draws.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees, ordered by module and by name. `data.ids` are the names,
            `data.classes` the modules.
        target : ndarray of shape (n_samples,), dtype int64
            Index of each tree's module in `target_names`.
        target_names : list of str
            The modules in alphabetical order.
        names : list of str
            Qualified names of the functions. If a module defines a name several times,
            ``#2``, ``#3``, and so on are appended.
        DESCR : str
            Description of the data.

    Raises
    ------
    ValueError
        If a parameter is invalid, a named module is not part of the standard library or
        has no source, or fewer than `n_samples` functions are found.

    Notes
    -----
    The functions differ slightly between versions of Python, because its library does.
    Fix the Python version if results must be reproducible exactly.

    Examples
    --------
    >>> from treemetric.datasets import load_stdlib_functions
    >>> functions = load_stdlib_functions(modules=["textwrap", "statistics"])
    >>> functions.target_names
    ['statistics', 'textwrap']
    >>> i = functions.names.index("textwrap.dedent")
    >>> functions.data[i].labels[0]
    'FunctionDef'
    >>> functions.target_names[functions.target[i]]
    'textwrap'
    """
    check_int(min_nodes, "min_nodes", _LOADER)
    if max_nodes is not None:
        check_int(max_nodes, "max_nodes", _LOADER, least=min_nodes, other="None")
    if n_samples is not None:
        check_int(n_samples, "n_samples", _LOADER, other="None")
    rng = check_random_state(random_state, _LOADER)

    target_names: list[str] = []
    names: list[str] = []
    trees: list[Tree] = []
    target: list[int] = []
    for module, source in _sources(modules):
        found = []
        for name, node in functions_of(ast.parse(source), module):
            tree = _to_tree(node)
            if tree.size >= min_nodes and (max_nodes is None or tree.size <= max_nodes):
                found.append((name, tree))
        found.sort(key=lambda item: item[0])
        names += [name for name, _ in found]
        trees += [tree for _, tree in found]
        target += [len(target_names)] * len(found)
        target_names.append(module)

    if not trees:
        limit = "inf" if max_nodes is None else max_nodes
        msg = f"Found no function of {min_nodes} to {limit} nodes in {target_names}."
        raise ValueError(msg)
    chosen = np.arange(len(trees))
    if n_samples is not None:
        if n_samples > len(trees):
            must = f"at most the number of functions found, {len(trees)}"
            refuse("n_samples", _LOADER, must, shown(n_samples))
        drawn = rng.permutation(len(trees))[:n_samples]
        chosen = np.sort(drawn)

    y = np.asarray(target, dtype=np.int64)[chosen]
    names = [names[i] for i in chosen]
    data = TreeSet(
        [trees[i] for i in chosen],
        ids=names,
        classes=[target_names[k] for k in y],
    )
    return Bunch(data=data, target=y, target_names=target_names, names=names, DESCR=_DESCR)


def _sources(modules: Any) -> Iterator[tuple[str, str]]:
    """Yield (module, source), sorted; a module named by the user must have a source."""
    if modules is None:
        for module in sorted(_MODULES):
            source = _source(module)
            if source is not None:
                yield module, source
        return
    is_sequence = isinstance(modules, Sequence | np.ndarray)
    if (
        not is_sequence
        or isinstance(modules, str)
        or len(modules) == 0
        or not all(isinstance(name, str) for name in modules)
    ):
        refuse("modules", _LOADER, "None or a sequence of at least one str", shown(modules))
    for module in sorted({str(name) for name in modules}):
        source = _source(module)
        if source is None:
            must = "modules of the standard library with their Python source installed"
            refuse("modules", _LOADER, must, shown(module))
        yield module, source


def _source(module: str) -> str | None:
    """Return the source of a standard library module, or None if it has none.

    `importlib.util.find_spec` would import the parents of a dotted name, could find a
    file of the same name in the working directory, and has no source of the modules
    that are frozen into the interpreter. A search in the folder of the library avoids
    these problems.
    """
    parts = module.split(".")
    if parts[0] not in sys.stdlib_module_names:
        return None
    path: list[str] = [sysconfig.get_path("stdlib")]
    spec = None
    for depth in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: depth + 1]), path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    # Only loaders of source files have `get_source`; extension modules return None.
    get_source = getattr(spec.loader, "get_source", None) if spec else None
    source: str | None = get_source(module) if get_source else None
    return source


def _to_tree(root: ast.AST) -> Tree:
    """Return a syntax tree with the class names of its nodes as labels."""
    labels: list[str] = []
    parents: list[int] = []
    stack = [(root, -1)]
    while stack:
        node, parent = stack.pop()
        index = len(labels)
        labels.append(type(node).__name__)
        parents.append(parent)
        children = [(child, index) for child in ast.iter_child_nodes(node)]
        stack += reversed(children)
    return Tree.from_parents(labels, parents)
