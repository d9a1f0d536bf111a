"""What the commands of ``treemetric`` share: costs, threads and progress."""

from __future__ import annotations

import argparse
from pathlib import Path

from treemetric._base.progress import Lines, command_lines
from treemetric._base.validation import shown
from treemetric.costs import CostMatrix, VectorCosts
from treemetric.costs.files import read_costs
from treemetric.costs.vector import KINDS
from treemetric.treeset import TreeSet

# What distances can be divided by.
NORMS = ("weight", "max", "sum", "li_zhang")


def add_costs(parser: argparse.ArgumentParser) -> None:
    """Add the options for the file of edit costs."""
    parser.add_argument(
        "--costs",
        type=Path,
        metavar="FILE",
        help="file of edit costs: a .csv table with the labels in its first row and first column "
        "and an empty label, the gap, last (last column: deletions, last row: insertions); a .json "
        "file with 'alphabet' and 'matrix'; or an .npz file with the arrays 'words' and 'vectors', "
        "one row per word, where labels without a vector are inserted and deleted at no cost "
        "(default: every edit costs 1)",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="cost of two vectors of an .npz file (default: cosine)",
    )


def add_order(parser: argparse.ArgumentParser) -> None:
    """Add the option for trees whose children have no order."""
    parser.add_argument(
        "--unordered",
        action="store_true",
        help="ignore the order of children, as in phylogenies; the constrained distance",
    )


def add_norm(parser: argparse.ArgumentParser) -> None:
    """Add the option that divides distances by the sizes of trees."""
    parser.add_argument(
        "--norm",
        choices=NORMS,
        help="divide distances by the largest possible one (weight), by the larger or the sum of "
        "the numbers of nodes (max, sum), or to a metric (li_zhang)",
    )


def check_norm(arguments: argparse.Namespace) -> None:
    """Check that no two options exclude each other."""
    if arguments.unordered and arguments.norm is not None:
        message = f"--norm cannot be combined with --unordered. Got --norm {arguments.norm}."
        raise ValueError(message)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the option for the number of threads."""
    parser.add_argument(
        *("-j", "--jobs"),
        type=int,
        default=-1,
        metavar="N",
        help="number of threads (default: -1, all usable cores)",
    )


def add_progress(parser: argparse.ArgumentParser) -> None:
    """Add the option that hides progress."""
    parser.add_argument(
        "--no-progress",
        action="store_true",
        help="hide progress, which is shown continuously on a terminal and once a minute in a log",
    )


def costs_of(arguments: argparse.Namespace) -> CostMatrix | VectorCosts | None:
    """Read the costs, if a file of costs is given."""
    if arguments.costs is not None:
        return read_costs(arguments.costs, arguments.kind)
    if arguments.kind is not None:
        msg = f"--kind needs --costs with an .npz file. Got --kind {arguments.kind} alone."
        raise ValueError(msg)
    return None


def check_words(costs: CostMatrix | VectorCosts | None, *sets: TreeSet | None) -> None:
    """Check that some label of the trees has a vector; otherwise all distances would be 0."""
    labels = [label for trees in sets if trees is not None for label in trees.alphabet]
    if costs is not None and labels and not costs._has_some(labels):
        words = shown(list(costs.alphabet))
        msg = (
            "--costs must be a file with vectors for labels of the trees. "
            f"Got words {words} for labels {shown(labels)}."
        )
        raise ValueError(msg)


def progress_of(arguments: argparse.Namespace) -> Lines | None:
    """Return what reports progress on standard error; None with --no-progress."""
    return None if arguments.no_progress else command_lines()
