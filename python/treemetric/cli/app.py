"""The entry point of the command ``treemetric``: its parser, its exit codes, its errors.

Each module of a command adds its parsers and sets ``command``, a function that takes the
parsed arguments. A new command is one more module and one more line in `_parser`.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NoReturn

from treemetric._core import __version__
from treemetric.cli import (
    cluster,
    completion,
    duplicates,
    neighbors,
    pairs,
    pairwise,
    reproduce,
    tables,
    trees,
)
from treemetric.cli.common import add_jobs
from treemetric.cli.errors import describe
from treemetric.cli.help import Formatter, add_command, in_plain_words, refuse_unknown

__all__ = ["main"]

_EPILOG = (
    "A source of trees is a file of Python, HTML, XML, JSON, Newick or another format, a folder of "
    "such files, or - for standard input. Results go to standard output, or with -o to a file, "
    "which is not replaced without --overwrite. Progress and errors go to standard error."
    """

examples:
  treemetric distance old.py new.py
  treemetric align old.py new.py -o changes.html
  treemetric pairwise trees.jsonl -o D.npy
  treemetric duplicates src/ --radius 3
  treemetric cluster src/
  treemetric report trees.jsonl -o report.html
  treemetric COMMAND --help

exit codes:
  0    success
  1    some pairs of teds failed
  2    an error, reported in one line
  130  Ctrl-C
  141  the reader of a pipe ended
"""
)

# As for a process that SIGPIPE ends.
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments without the name of the program; None takes those of the process.

    Returns
    -------
    int
        0 for success, 1 if some pairs of ``teds`` failed, 2 for an error, which is reported in one
        line on standard error, 130 after Ctrl-C, 141 if the reader of a pipe is gone.

    Raises
    ------
    SystemExit
        For ``--help``, ``--version`` and arguments that do not parse.

    Examples
    --------
    >>> from treemetric.cli import main
    >>> main(["distance", "{a{b}{c}}", "{a{b{d}}}"])
    2
    0
    """
    parser = _parser()
    if not (sys.argv[1:] if argv is None else argv):
        # What people type first.
        parser.print_help(sys.stderr)
        return 2
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        refuse_unknown(unknown, arguments.own_parser)
    command: Callable[[argparse.Namespace], int | None] = arguments.command
    try:
        with _standard_output(arguments):
            code = command(arguments)
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("treemetric: interrupted", file=sys.stderr)
        return 130
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        if _is_broken_pipe(error):
            # The reader of the results, such as head, has seen enough.
            _discard_output()
            return _BROKEN_PIPE
        print(f"treemetric: error: {describe(error)}", file=sys.stderr)
        return 2
    return code or 0


@contextmanager
def _standard_output(arguments: argparse.Namespace) -> Iterator[None]:
    """Refuse to print to a closed standard output; what is said besides a file goes nowhere."""
    if sys.stdout is not None:
        yield
        return
    if str(getattr(arguments, "output", None) or "-") == "-":
        message = "standard output is closed; -o writes to a file"
        raise ValueError(message)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        yield


def _is_broken_pipe(error: Exception) -> bool:
    """Return whether the reader of a pipe is gone, which Windows reports as an invalid argument."""
    windows = (
        sys.platform == "win32"
        and isinstance(error, OSError)
        and error.errno == errno.EINVAL
        and error.filename is None
    )
    return windows or isinstance(error, BrokenPipeError)


def _discard_output() -> None:
    """Let Python write what is left to nowhere when it ends, or it reports the broken pipe."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line, without the usage in front of it; names are not shortened."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        text = in_plain_words(message)
        self.exit(2, f"{self.prog}: error: {text} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="treemetric",
        description="Compute exact tree edit distances, fast and in parallel.",
        usage="%(prog)s COMMAND [options] ...",
        epilog=_EPILOG,
        formatter_class=Formatter,
    )
    parser.add_argument("--version", action="version", version=f"treemetric {__version__}")
    commands = parser.add_subparsers(
        prog="treemetric", title="commands", metavar="COMMAND", required=True
    )
    trees.add_parsers(commands)
    pairs.add_parsers(commands)
    pairwise.add_parsers(commands)
    neighbors.add_parsers(commands)
    duplicates.add_parsers(commands)
    cluster.add_parsers(commands)
    tables.add_parsers(commands)
    _add_demo(commands)
    reproduce.add_parsers(commands)
    completion.add_parsers(commands, parser)
    return parser


def _add_demo(commands: Any) -> None:
    show = add_command(
        commands,
        "demo",
        "",
        summary="compare functions of Python's standard library",
        description="Compare functions of Python's standard library, learn edit costs, and save "
        "plots.",
        examples=("treemetric demo", "treemetric demo --output pictures --jobs 2"),
    )
    show.add_argument(
        "--output",
        type=Path,
        default=Path("demo"),
        metavar="DIR",
        help="folder for the plots (default: demo)",
    )
    add_jobs(show)
    show.set_defaults(command=_demo)


def _demo(arguments: argparse.Namespace) -> None:
    # Imported here because it imports scikit-learn and SciPy.
    from treemetric import demo

    demo.run(arguments.output, arguments.jobs)
