"""The functions of a code base as syntax trees."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from sklearn.utils import Bunch

from treemetric._base.typing import Path
from treemetric._base.validation import check_bool, check_int, refuse, shown
from treemetric.convert.ast_nodes import decoded, from_ast, parsed
from treemetric.convert.functions import functions_of
from treemetric.treeset import TreeSet

if TYPE_CHECKING:
    from treemetric.tree import Tree

__all__ = ["load_functions"]

_LOADER = "load_functions"
_SUFFIXES = (".py", ".pyi")


def load_functions(
    paths: Path | Iterable[Path],
    *,
    min_nodes: int = 20,
    max_nodes: int | None = None,
    values: bool = False,
) -> Bunch:
    r"""Load the functions of Python files as syntax trees.

    Parameters
    ----------
    paths : path or iterable of path
        Files and folders of Python source. A folder stands for all of its ``.py`` and ``.pyi``
        files and those of its subfolders, without hidden ones, in the order of their paths. A
        file and the links to it count once.
    min_nodes : int, default=20
        Smallest number of nodes of a function.
    max_nodes : int, default=None
        Largest number of nodes of a function; None for no limit.
    values : bool, default=False
        If True, names and constants belong to the labels, as in `treemetric.convert.from_ast`.

    Returns
    -------
    sklearn.utils.Bunch
        Dictionary-like object with the attributes

        data : TreeSet
            The trees, file by file, in the order of the source. `data.ids` are texts such as
            ``'src/app.py:12 Window.close'``.
        files : list of str
            The file of each function.
        lines : list of int
            The line of each function, from 1: that of ``def``, below its decorators.
        names : list of str
            Qualified names of the functions inside their files. If a file defines a name
            several times, ``#2``, ``#3``, and so on are appended.
        skipped : list of (str, str)
            Files that are not valid Python, and files of folders that cannot be read, with the
            reason.

    Raises
    ------
    ValueError
        If a parameter is invalid.
    OSError
        If a file of `paths` cannot be read.

    See Also
    --------
    treemetric.deduplicate : Groups of near-identical functions.
    load_stdlib_functions : Functions of Python's standard library, with classes.

    Notes
    -----
    A function inside another function is part of the outer tree and not a separate tree. No file
    is imported: the source is only read and parsed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treemetric.datasets import load_functions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "a.py"
    ...     _ = path.write_text("class C:\n    def f(self):\n        return 1\n")
    ...     functions = load_functions(folder, min_nodes=1)
    >>> functions.names, functions.lines, functions.data[0].size
    (['C.f'], [2], 5)
    """
    least = check_int(min_nodes, "min_nodes", _LOADER)
    if max_nodes is not None:
        check_int(max_nodes, "max_nodes", _LOADER, least=least, other="None")
    named = check_bool(values, "values", _LOADER)
    trees: list[Tree] = []
    files: list[str] = []
    lines: list[int] = []
    names: list[str] = []
    skipped: list[tuple[str, str]] = []
    for path, is_given in python_files(paths):
        file = str(path)
        try:
            module = parsed(decoded(path.read_bytes()))
        except OSError as error:
            if is_given:
                raise
            skipped.append((file, error.strerror or str(error)))
            continue
        except ValueError as error:
            skipped.append((file, str(error)))
            continue
        for name, node in functions_of(module):
            tree = from_ast(node, values=named)
            if tree.size >= least and (max_nodes is None or tree.size <= max_nodes):
                trees.append(tree)
                files.append(file)
                lines.append(node.lineno)  # type: ignore[attr-defined]
                names.append(name)
    ids = [f"{f}:{line} {name}" for f, line, name in zip(files, lines, names, strict=True)]
    data = TreeSet(trees, ids=ids)
    return Bunch(data=data, files=files, lines=lines, names=names, skipped=skipped)


def python_files(paths: Path | Iterable[Path]) -> Iterator[tuple[FilePath, bool]]:
    """Yield the files of Python source among files and in folders, each once.

    The second value states whether the file was given, not found in a folder.
    """
    single = isinstance(paths, (str, os.PathLike))
    given: Any = [paths] if single else list(paths) if isinstance(paths, Iterable) else None
    if given is None or not all(isinstance(path, (str, os.PathLike)) for path in given):
        refuse("paths", _LOADER, "a path or an iterable of paths", shown(paths))
    seen: set[str] = set()
    for path in map(FilePath, given):
        is_given = not path.is_dir()
        for file, real in _without_links([path] if is_given else sorted(_in_folder(path))):
            if real not in seen:
                seen.add(real)
                yield file, is_given


def _without_links(files: list[FilePath]) -> Iterator[tuple[FilePath, str]]:
    """Yield files with their real paths: of a file and its links the file, otherwise one link."""
    chosen: dict[str, FilePath] = {}
    for file in sorted(files, key=FilePath.is_symlink):
        chosen.setdefault(os.path.realpath(file), file)
    return ((file, real) for file in files if chosen[real := os.path.realpath(file)] == file)


def _in_folder(folder: FilePath) -> Iterator[FilePath]:
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix.lower() in _SUFFIXES and not hidden and path.is_file():
            yield path
