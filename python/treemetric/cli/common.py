"""What the commands of ``treemetric`` share: arguments, files, and how far the work is."""

import argparse
import sys
import time
from pathlib import Path

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
    """Refuse vectors that belong to no label of the trees: all distances would be 0."""
    labels = [label for trees in sets if trees is not None for label in trees.alphabet]
    if costs is not None and labels and not costs._has_some(labels):
        must = "a file with vectors for labels of the trees"
        got = f"words {shown(list(costs.alphabet))} for labels {shown(labels)}"
        refuse("--costs", "treemetric", must, got)


def read_trees(path: Path) -> TreeSet:
    """Read the trees of a file."""
    if path.suffix == ".jsonl":
        return TreeSet.from_jsonl(path)
    return TreeSet.from_bracket(path)


_MINUTE = 60.0  # between two lines in a log


def progress_of(arguments: argparse.Namespace) -> "_Progress | None":
    """Give what tells how far the work is, unless nobody wants to know."""
    return None if arguments.no_progress else _Progress(live=sys.stderr.isatty())


class _Progress:
    """Tells on standard error how far the work is: one line that changes, or a line a minute."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._start = time.monotonic()
        self._before = -1  # what an earlier run did; told by the first call
        # Work that is done at once needs no telling.
        self._next = 0.5 if live else _MINUTE

    def __call__(self, done: int, total: int) -> None:
        elapsed = time.monotonic() - self._start
        if self._before < 0:
            self._before = done
        if elapsed < self._next:
            return
        self._next = 0.0 if self._live else elapsed + _MINUTE
        fresh = done - self._before
        left = elapsed * (total - done) / fresh if fresh else float("inf")
        share = done / total if total else 1.0
        line = f"{share:4.0%} done, {left:.0f} s left"
        if self._live:
            print(f"\r{line}   ", end="\n" if done >= total else "", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)
