"""Checks of arguments and their messages, in scikit-learn's wording."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from treemetric import _core
from treemetric._typing import Trees
from treemetric.tree import Tree
from treemetric.treeset import TreeSet


def refuse(parameter: str, function: str, must: str, got: object) -> NoReturn:
    """Raise the error for a parameter that is not what it must be."""
    kind = TypeError if must.startswith("an instance of") else ValueError
    message = f"The '{parameter}' parameter of {function} must be {must}. Got {got!r} instead."
    raise kind(message)


def check_tree(tree: object, parameter: str, function: str) -> Tree:
    """Let only a tree through."""
    if not isinstance(tree, Tree):
        refuse(parameter, function, "an instance of 'treemetric.Tree'", tree)
    return tree


def check_trees(trees: Trees, parameter: str, function: str) -> TreeSet:
    """Turn any collection of trees into a set of trees."""
    if isinstance(trees, TreeSet):
        return trees
    must = "an instance of 'treemetric.TreeSet' or a list of 'treemetric.Tree'"
    if isinstance(trees, (Tree, str)) or not isinstance(trees, Iterable):
        refuse(parameter, function, must, trees)
    listed = list(trees)
    for position, tree in enumerate(listed):
        check_tree(tree, f"{parameter}[{position}]", function)
    return TreeSet(listed)


def check_n_jobs(n_jobs: object, function: str) -> int:
    """Give the number of threads that ``n_jobs`` stands for."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or (n_jobs < 1 and n_jobs != -1):
        refuse("n_jobs", function, "None, -1 or a positive int", n_jobs)
    return _core.threads(int(n_jobs))


def check_cutoff(cutoff: object, function: str) -> float | None:
    """Give the cutoff as a float, or None."""
    if cutoff is None:
        return None
    # Written so that NaN fails too.
    if not isinstance(cutoff, Real) or isinstance(cutoff, bool) or not cutoff >= 0:
        refuse("cutoff", function, "None or a float in the range [0.0, inf]", cutoff)
    return float(cutoff)


def check_dtype(dtype: object, function: str) -> np.dtype[Any]:
    """Let float64 and float32 through."""
    try:
        kind = np.dtype(dtype)  # type: ignore[call-overload]
    except TypeError:
        kind = None
    if kind not in (np.dtype("float64"), np.dtype("float32")):
        refuse("dtype", function, "'float64' or 'float32'", dtype)
    return kind  # type: ignore[no-any-return]


def check_bool(value: object, parameter: str, function: str) -> bool:
    """Let only a boolean through."""
    if not isinstance(value, (bool, np.bool_)):
        refuse(parameter, function, "an instance of 'bool'", value)
    return bool(value)


def check_out(
    out: object, shape: tuple[int, ...], dtype: np.dtype[Any], function: str
) -> np.ndarray[Any, np.dtype[Any]]:
    """Let only a writeable array of the right shape and type through."""
    if not isinstance(out, np.ndarray):
        refuse("out", function, "an instance of 'numpy.ndarray'", out)
    if out.shape != shape:
        refuse("out", function, f"an array of shape {shape}", f"shape {out.shape}")
    if out.dtype != dtype:
        refuse("out", function, f"an array of dtype {dtype}", f"dtype {out.dtype}")
    if not (out.flags.writeable and out.flags.aligned and out.dtype.isnative):
        refuse("out", function, "a writeable, aligned array of native byte order", out.flags)
    return out


def check_memory(nbytes: int, what: str) -> None:
    """Raise ``MemoryError`` if that many bytes cannot be had."""
    available = _core.available_memory()
    if nbytes > available:
        message = f"{what} needs {nbytes} bytes, but only {available} bytes are available"
        raise MemoryError(message)
