"""The command ``treemetric``: distances of trees in files, and a demonstration."""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from treemetric.alignment import align
from treemetric.alignment.cooptimal import cooptimal
from treemetric.cli import neighbors, reproduce
from treemetric.cli.common import (
    add_costs,
    add_jobs,
    add_progress,
    add_trees,
    check_folder,
    check_words,
    costs_of,
    progress_of,
    read_trees,
)
from treemetric.distances import distance, pairwise_distances
from treemetric.tree import Tree

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments without the name of the program; None takes those of the process.

    Returns
    -------
    int
        0 for success, 2 for an error that is told in one line on standard error,
        130 after Ctrl-C.

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
    arguments = _parser().parse_args(argv)
    command: Callable[[argparse.Namespace], None] = arguments.command
    try:
        command(arguments)
    except KeyboardInterrupt:
        print("treemetric: interrupted", file=sys.stderr)
        return 130
    except (ValueError, TypeError, OSError, MemoryError, ImportError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        print(f"treemetric: error: {message}", file=sys.stderr)
        return 2
    return 0


class _Parser(argparse.ArgumentParser):
    """Tells an error in one line, without the usage in front of it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="treemetric",
        description="Exact tree edit distances, fast and in parallel.",
    )
    parser.add_argument(
        "--version", action="version", version=f"treemetric {version('treemetric')}"
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    one = commands.add_parser(
        "distance",
        help="print the distance of two trees",
        description="Print the unit-cost edit distance of two trees. A tree is written "
        "in brackets, '{a{b}{c}}', or is a file that holds one tree.",
    )
    one.add_argument("a", metavar="A", help="a tree in brackets, or a file")
    one.add_argument("b", metavar="B", help="a tree in brackets, or a file")
    one.set_defaults(command=_distance)

    edits = commands.add_parser(
        "align",
        help="print the edits between two trees",
        description="Print the edits of one optimal alignment, and how many there are. "
        "Trees are written as for 'distance'.",
    )
    edits.add_argument("a", metavar="A", help="a tree in brackets, or a file")
    edits.add_argument("b", metavar="B", help="a tree in brackets, or a file")
    edits.set_defaults(command=_align)

    many = commands.add_parser(
        "pairwise",
        help="save all distances of a file of trees",
        description="Save the edit distances of all pairs as a NumPy file or a Zarr array, block "
        "by block. A command that was stopped or killed goes on where it was when it is given "
        "again.",
    )
    add_trees(many)
    many.add_argument(
        *("-o", "--output"),
        required=True,
        type=Path,
        metavar="D.npy",
        help="result file, .npy or .zarr",
    )
    many.add_argument(
        "--condensed",
        action="store_true",
        help="save the upper triangle only, in SciPy's order",
    )
    many.add_argument(
        "--cutoff",
        type=float,
        metavar="D",
        help="save inf for distances above it; most of these are not computed",
    )
    add_costs(many)
    many.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    many.add_argument(
        "--memory",
        metavar="SIZE",
        help="most memory to take beside the trees, such as 2GB (default: 512MiB)",
    )
    many.add_argument(
        "--overwrite",
        action="store_true",
        help="replace a result of other trees or options (the same one is resumed anyway)",
    )
    add_jobs(many)
    add_progress(many)
    many.set_defaults(command=_pairwise)

    neighbors.add_parsers(commands)

    show = commands.add_parser(
        "demo",
        help="compare functions of Python's own library",
        description="Compare functions of Python's own library and draw a picture.",
    )
    show.add_argument(
        "--output",
        type=Path,
        default=Path("demo"),
        metavar="DIR",
        help="folder of the picture (default: demo)",
    )
    add_jobs(show)
    show.set_defaults(command=_demo)
    reproduce.add_parser(commands)
    return parser


def _align(arguments: argparse.Namespace) -> None:
    x, y = _tree(arguments.a), _tree(arguments.b)
    alignment = align(x, y)
    for edit in alignment.edits():
        where = f"node {edit.i} of A" if edit.i is not None else f"node {edit.j} of B"
        change = {
            "replace": f"{_plain(edit.old)} -> {_plain(edit.new)}",
            "delete": _plain(edit.old),
            "insert": _plain(edit.new),
        }[edit.op]
        print(f"{edit.op:8}{change}  ({where})")
    edits = int(alignment.cost)
    print(f"{edits} edit{'' if edits == 1 else 's'}, {_among(x, y)}")


# Trees with more pairs of nodes are aligned without counting the alternatives.
_COUNTED = 10**6


def _among(x: Tree, y: Tree) -> str:
    if x.size * y.size > _COUNTED:
        return "an optimal alignment"
    count = cooptimal(x, y).count
    return "the only optimal alignment" if count == 1 else f"one of {count} optimal alignments"


def _plain(label: object) -> str:
    """Give a label on one line, in quotes where it would not be seen as one."""
    text = str(label)
    return text if text.isprintable() and text.strip() == text != "" else repr(text)


def _distance(arguments: argparse.Namespace) -> None:
    value = distance(_tree(arguments.a), _tree(arguments.b))
    print(int(value) if value.is_integer() else value)


def _pairwise(arguments: argparse.Namespace) -> None:
    target: Path = arguments.output
    check_folder(target)
    costs = costs_of(arguments)
    trees = read_trees(arguments.trees)
    check_words(costs, trees)
    result = pairwise_distances(
        trees,
        costs=costs,
        cutoff=arguments.cutoff,
        n_jobs=arguments.jobs,
        dtype=arguments.dtype,
        condensed=arguments.condensed,
        out=target,
        progress=progress_of(arguments),
        memory_budget=arguments.memory,
        overwrite=arguments.overwrite,
    )
    shape = " x ".join(str(side) for side in result.shape)
    print(f"{len(trees)} trees, {shape} {result.dtype} -> {target}")


def _demo(arguments: argparse.Namespace) -> None:
    # Imported here, because it brings scikit-learn and SciPy with it.
    from treemetric.cli import demo

    demo.run(arguments.output, arguments.jobs)


def _tree(text: str) -> Tree:
    """Return a tree from its brackets or from a file that holds one."""
    if not text.strip() or text.lstrip().startswith("{"):
        return Tree.from_bracket(text)
    path = Path(text)
    if not path.exists():
        msg = f"Neither a tree in brackets nor a file: {text!r}"
        raise ValueError(msg)
    trees = read_trees(path)
    if len(trees) != 1:
        msg = f"A file with one tree is needed; {path} holds {len(trees)}"
        raise ValueError(msg)
    return trees[0]
