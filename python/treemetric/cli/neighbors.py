"""The commands ``treemetric nearest`` and ``treemetric within``."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from treemetric._base.typing import OffsetArray
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
from treemetric.neighbors import nearest, within


def add_parsers(commands: Any) -> None:
    """Add the commands to those of ``treemetric``."""
    near = commands.add_parser(
        "nearest",
        help="save the nearest trees of each tree",
        description="Save the k nearest trees of each tree, by edit distance. Without --queries, "
        "each tree is compared with all others.",
    )
    near.add_argument("-k", type=int, default=5, help="number of neighbours (default: 5)")
    _add_common(near, "'indices' and 'distances'")
    near.set_defaults(command=_nearest)

    close = commands.add_parser(
        "within",
        help="save the trees within a radius of each tree",
        description="Save all trees within a radius of each tree, by edit distance. Without "
        "--queries, each tree is compared with all others.",
    )
    close.add_argument(
        *("-r", "--radius"),
        type=float,
        required=True,
        metavar="D",
        help="largest distance of a neighbour",
    )
    _add_common(close, "'offsets', 'indices' and 'distances'")
    close.set_defaults(command=_within)


def _add_common(parser: argparse.ArgumentParser, arrays: str) -> None:
    add_trees(parser)
    parser.add_argument(
        "--queries", metavar="FILE", type=Path, help="trees whose neighbours to find"
    )
    add_costs(parser)
    parser.add_argument(
        *("-o", "--output"),
        required=True,
        type=Path,
        metavar="OUT",
        help=f"result file: .npz with the arrays {arrays}, or .csv with one neighbour per line; "
        "tree numbers start at 0",
    )
    add_jobs(parser)
    add_progress(parser)


def _request(arguments: argparse.Namespace) -> tuple[tuple[Any, Any], dict[str, Any]]:
    """Check the result file, read the input files, and return the arguments of the search."""
    target: Path = arguments.output
    if target.suffix not in (".npz", ".csv"):
        msg = f"--output must end in .npz or .csv. Got {target}."
        raise ValueError(msg)
    check_folder(target)
    costs = costs_of(arguments)
    trees = read_trees(arguments.trees)
    queries = None if arguments.queries is None else read_trees(arguments.queries)
    check_words(costs, trees, queries)
    sides = (trees, None) if queries is None else (queries, trees)
    options = {"costs": costs, "n_jobs": arguments.jobs, "progress": progress_of(arguments)}
    return sides, options


def _nearest(arguments: argparse.Namespace) -> None:
    sides, options = _request(arguments)
    found = nearest(*sides, k=arguments.k, **options)
    n, k = found.indices.shape
    _save(
        arguments.output,
        np.arange(0, n * k + 1, k),
        indices=found.indices,
        distances=found.distances,
    )
    share = f"{found.avoided:.1%} of distances avoided"
    print(f"{k} nearest of {n} trees, {share} -> {arguments.output}")


def _within(arguments: argparse.Namespace) -> None:
    sides, options = _request(arguments)
    found = within(*sides, radius=arguments.radius, **options)
    arrays = {"offsets": found.offsets, "indices": found.indices, "distances": found.distances}
    _save(arguments.output, found.offsets, **arrays)
    share = f"{found.avoided:.1%} of distances avoided"
    print(f"{len(found.indices)} neighbours of {len(found)} trees, {share} -> {arguments.output}")


def _save(target: Path, starts: OffsetArray, **arrays: Any) -> None:
    """Save neighbours as arrays, or as lines with a tree, a neighbour and the distance."""
    if target.suffix == ".npz":
        np.savez(target, **arrays)
        return
    trees = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    columns = (trees, arrays["indices"].ravel(), arrays["distances"].ravel())
    rows = zip(*(column.tolist() for column in columns), strict=True)
    with target.open("w", encoding="utf-8") as file:
        file.write("tree,neighbor,distance\n")
        file.writelines(f"{i},{j},{int(d) if d.is_integer() else d!r}\n" for i, j, d in rows)
