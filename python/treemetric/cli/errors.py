"""Error messages of the library in the words of the command line.

The library names parameters of Python functions; a user of the command line knows options.
This is the only place that translates one into the other.
"""

from __future__ import annotations

import re

_SAME_NAME = (
    *("beta", "classes", "condensed", "costs", "cutoff", "data", "dtype", "folds", "kind"),
    *("method", "norm", "overwrite", "radius", "seed", "variants", "vectors"),
)
_OPTIONS = {
    **{name: f"--{name}" for name in _SAME_NAME},
    "k": "-k",
    "n_jobs": "--jobs",
    "max_depth": "--depth",
    "max_nodes": "--nodes",
    "max_trees": "--sample",
    "memory_budget": "--memory",
    "min_nodes": "--min-nodes",
    "out": "--output",
    "folder": "--output",
    "keep_cells": "--keep-cells",
}
# None is not a value that can be given on the command line.
_PARAMETER = re.compile(r"The '([\w-]+)' parameter of \w+ must be (?:None(?: or|,) )?")
# A hint for both: "overwrite=True (--overwrite on the command line)".
_BOTH = re.compile(r"\w+=\w+ \((--[\w-]+) on the command line\)")


def describe(error: BaseException) -> str:
    """Return the message of an error on one line, with options instead of parameters.

    Examples
    --------
    >>> from treemetric.cli.errors import describe
    >>> error = ValueError("The 'n_jobs' parameter of f must be None, -1 or a positive int. Got 0.")
    >>> describe(error)
    '--jobs must be -1 or a positive int. Got 0.'
    >>> describe(OSError(28, "No space left on device"))
    'No space left on device'
    """
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        # Without a file it is standard output, such as a full disk behind a redirection.
        source = "" if error.filename is None else f"{error.filename}: "
        text = f"{source}{error.strerror}"
    message = " ".join(text.split()) or type(error).__name__
    return _BOTH.sub(r"\1", _PARAMETER.sub(_must_be, message, count=1))


def _must_be(found: re.Match[str]) -> str:
    name = found[1]
    option = name if name.startswith("-") else _OPTIONS.get(name)
    return f"{option} must be " if option else found[0]
