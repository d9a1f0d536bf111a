"""The commands ``treemetric nearest`` and ``treemetric within``."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from treemetric._base.typing import OffsetArray
from treemetric._base.validation import count_of
from treemetric.cli.common import (
    add_costs,
    add_jobs,
    add_norm,
    add_progress,
    check_words,
    costs_of,
    progress_of,
)
from treemetric.cli.help import add_command
from treemetric.cli.inputs import Inputs, add_format, add_inputs, read_inputs
from treemetric.cli.outputs import (
    Target,
    add_output,
    check_free,
    target_of,
    write_arrays,
    write_rows,
)
from treemetric.neighbors import nearest, within
from treemetric.neighbors.pairs import PairChunk
from treemetric.neighbors.results import each_once

_KINDS = ("csv", "json", "npz", "parquet")
# Number of neighbours if none is given.
_USUAL = 5


def add_parsers(commands: Any) -> None:
    """Add the commands to those of ``treemetric``."""
    near = add_command(
        commands,
        "nearest",
        "TREES...",
        summary="find the nearest trees of each tree",
        description="Find the k nearest trees of each tree, by edit distance. Without --queries, "
        "each tree is compared with all others.",
        notes=_notes("'indices' and 'distances'"),
        examples=(
            "treemetric nearest *.py -k 1",
            "treemetric nearest trees.jsonl --queries new.jsonl -o near.csv",
            "treemetric nearest trees.jsonl -o near.parquet",
        ),
    )
    near.add_argument(
        *("-k", "--k"),
        type=int,
        help=f"number of neighbours (default: {_USUAL}, or all if there are fewer)",
    )
    _add_common(near)
    near.set_defaults(command=_nearest)
    close = add_command(
        commands,
        "within",
        "-r D TREES...",
        summary="find the trees within a radius of each tree",
        description="Find all trees within a radius of each tree, by edit distance. Without "
        "--queries, each tree is compared with all others.",
        notes=_notes("'offsets', 'indices' and 'distances'"),
        examples=(
            "treemetric within *.html -r 3 --to json",
            "treemetric within trees.jsonl -r 1 -o pairs.parquet",
        ),
    )
    close.add_argument(
        *("-r", "--radius"),
        type=float,
        required=True,
        metavar="D",
        help="largest distance of a neighbour",
    )
    close.add_argument(
        "--once",
        action="store_true",
        help="each pair once, in the order of the trees, instead of once for each of its trees",
    )
    _add_common(close)
    close.set_defaults(command=_within)


def _notes(arrays: str) -> str:
    return (
        "CSV, JSON and Parquet results have one neighbour per row, with the ids or the file names "
        "of the trees, or else their positions, from 0. An .npz file has the arrays "
        f"{arrays}, and 'ids' and 'query_ids' if the trees have names."
    )


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    parser.add_argument(
        "--queries", metavar="FILE", help="trees whose neighbours to find; a file, folder or -"
    )
    add_costs(parser)
    add_norm(parser)
    add_output(parser, _KINDS, "csv")
    add_jobs(parser)
    add_progress(parser)
    add_format(parser)


def _request(
    arguments: argparse.Namespace,
) -> tuple[Target, tuple[Inputs, Inputs], tuple[Any, Any], dict[str, Any]]:
    """Check the result file, read the input files, and return the arguments of the search."""
    target = target_of(arguments)
    check_free(target, arguments)
    costs = costs_of(arguments)
    groups = (
        [arguments.trees] if arguments.queries is None else [arguments.trees, [arguments.queries]]
    )
    inputs, *others = read_inputs(groups, arguments)
    queries = others[0] if others else inputs
    check_words(costs, inputs.trees, queries.trees)
    sides = (inputs.trees, None) if queries is inputs else (queries.trees, inputs.trees)
    options = {
        "costs": costs,
        "norm": arguments.norm,
        "n_jobs": arguments.jobs,
        "progress": progress_of(arguments),
    }
    return target, (queries, inputs), sides, options


def _nearest(arguments: argparse.Namespace) -> None:
    target, named, sides, options = _request(arguments)
    k = arguments.k
    if k is None:
        others = len(sides[0]) - 1 if sides[1] is None else len(sides[1])
        k = max(1, min(_USUAL, others))
    found = nearest(*sides, k=k, **options)
    n, k = found.indices.shape
    starts = np.arange(0, n * k + 1, k) if k else np.zeros(n + 1, dtype=np.int64)
    _save(target, named, starts, indices=found.indices, distances=found.distances)
    _summarise(target, f"{k} nearest of {count_of(n, 'tree')}", found.avoided)


def _within(arguments: argparse.Namespace) -> None:
    if arguments.once and arguments.queries is not None:
        message = "--once is for pairs of one set of trees. It cannot be combined with --queries."
        raise ValueError(message)
    target, named, sides, options = _request(arguments)
    found = within(*sides, radius=arguments.radius, **options)
    arrays = {"offsets": found.offsets, "indices": found.indices, "distances": found.distances}
    if arguments.once:
        arrays = _halved(arrays)
    _save(target, named, arrays["offsets"], **arrays)
    what = count_of(len(arrays["indices"]), "pair" if arguments.once else "neighbour")
    _summarise(target, f"{what} of {count_of(len(found), 'tree')}", found.avoided)


def _halved(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the neighbours with each pair in one row only, that of its first tree."""
    n = len(arrays["offsets"]) - 1
    owners = np.repeat(np.arange(n), np.diff(arrays["offsets"]))
    source, target, distance = each_once(PairChunk(owners, arrays["indices"], arrays["distances"]))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=n))])
    return {"offsets": offsets.astype(np.int64), "indices": target, "distances": distance}


def _summarise(target: Target, what: str, avoided: float) -> None:
    if target.path is not None:
        print(f"{what}, {avoided:.1%} of distances avoided -> {target.path}")


def _save(target: Target, named: tuple[Inputs, Inputs], starts: OffsetArray, **arrays: Any) -> None:
    """Save neighbours as arrays, or as rows with the columns source, target and distance."""
    queries, trees = named
    if target.kind == "npz":
        for key, inputs in (("ids", trees), ("query_ids", queries)):
            if inputs.names is not None:
                arrays[key] = np.array(inputs.names, dtype=np.str_)
        write_arrays(target, **arrays)
        return
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    columns = (owners, arrays["indices"].ravel(), arrays["distances"].ravel())
    rows = zip(*(column.tolist() for column in columns), strict=True)
    named_rows = ((queries.name(i), trees.name(j), d) for i, j, d in rows)
    write_rows(target, ("source", "target", "distance"), named_rows)
