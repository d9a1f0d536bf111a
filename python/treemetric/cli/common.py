"""What the commands of ``treemetric`` share: arguments, files, and how far the work is."""

import argparse
from pathlib import Path

from treemetric._base.progress import Lines, command_lines
from treemetric._base.validation import refuse, shown
from treemetric.costs import CostMatrix, VectorCosts
from treemetric.costs.files import read_costs
from treemetric.costs.vector import KINDS
from treemetric.treeset import TreeSet


def add_trees(parser: argparse.ArgumentParser) -> None:
    """Add the file of the trees."""
    parser.add_argument(
        "trees",
        metavar="TREES",
        type=Path,
        help="a .jsonl file, or a file with one bracket tree on each line",
    )


def add_costs(parser: argparse.ArgumentParser) -> None:
    """Add the file of the costs."""
    parser.add_argument(
        "--costs",
        type=Path,
        metavar="FILE",
        help="what edits cost: a .csv table with labels in its first row and column, of which the "
        "last, empty one stands for the gap (last column: deleting, last row: inserting), a .json "
        "file with 'alphabet' and 'matrix', or an .npz file with the arrays 'words' and 'vectors', "
        "a row for each word; labels that have none come and go freely (default: 1 for each edit)",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="how two vectors become a cost, for an .npz file of costs (default: cosine)",
    )


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the number of threads."""
    parser.add_argument(
        "--jobs",
        type=int,
        default=-1,
        metavar="N",
        help="number of threads (default: -1, all usable cores)",
    )


def add_progress(parser: argparse.ArgumentParser) -> None:
    """Add the wish for silence."""
    parser.add_argument(
        "--no-progress",
        action="store_true",
        help="do not tell how far the work is (on a terminal all the time, in a log every minute)",
    )


def check_folder(target: Path) -> None:
    """Say that there is no folder for the result before the work, not after it."""
    if not target.parent.is_dir():
        msg = f"No such folder for the result: {target.parent}"
        raise FileNotFoundError(msg)


def costs_of(arguments: argparse.Namespace) -> CostMatrix | VectorCosts | None:
    """Read the costs, if there is a file of them."""
    if arguments.costs is not None:
        return read_costs(arguments.costs, arguments.kind)
    if arguments.kind is not None:
        msg = (
            f"--kind needs vectors in an .npz file, given by --costs; got {arguments.kind!r} alone"
        )
        raise ValueError(msg)
    return None


def check_words(costs: CostMatrix | VectorCosts | None, *sets: TreeSet | None) -> None:
    """Refuse vectors of which the trees need none: all distances would be 0."""
    if not isinstance(costs, VectorCosts):
        return
    labels = [label for trees in sets if trees is not None for label in trees.alphabet]
    if labels and set(labels).isdisjoint(costs.alphabet):
        must = "a file with vectors for labels of the trees"
        got = f"words {shown(list(costs.alphabet))} for labels {shown(labels)}"
        refuse("--costs", "treemetric", must, got)


def read_trees(path: Path) -> TreeSet:
    """Read the trees of a file."""
    if path.suffix == ".jsonl":
        return TreeSet.from_jsonl(path)
    return TreeSet.from_bracket(path)


def progress_of(arguments: argparse.Namespace) -> Lines | None:
    """Return what reports progress on standard error; None with --no-progress."""
    return None if arguments.no_progress else command_lines()
