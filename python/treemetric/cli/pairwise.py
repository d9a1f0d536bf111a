"""The command ``treemetric pairwise``: all distances of a file of trees."""

import argparse
from pathlib import Path
from typing import Any

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
from treemetric.distances import pairwise_distances


def add_parsers(commands: Any) -> None:
    """Add the command to those of ``treemetric``."""
    many = commands.add_parser(
        "pairwise",
        help="save all distances of a file of trees",
        description="Save the edit distances of all pairs as a NumPy file or a Zarr array, block "
        "by block. To resume a stopped or killed command, run it again.",
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
        help="save only the upper triangle, in SciPy's order",
    )
    many.add_argument(
        "--cutoff",
        type=float,
        metavar="D",
        help="save inf for distances above the cutoff; most of them are not computed",
    )
    add_costs(many)
    many.add_argument(
        "--dtype",
        choices=("float64", "float32"),
        default="float64",
        help="type of the saved distances (default: float64)",
    )
    many.add_argument(
        "--memory",
        metavar="SIZE",
        help="memory limit in addition to the trees, such as 2GB (default: 512MiB)",
    )
    many.add_argument(
        "--overwrite",
        action="store_true",
        help="replace a result of other trees or options (an unfinished result of the same trees "
        "and options is always resumed)",
    )
    add_jobs(many)
    add_progress(many)
    many.set_defaults(command=_pairwise)


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
