"""The command ``treemetric pairwise``: all distances of some trees."""

from __future__ import annotations

import argparse
from itertools import combinations, product
from typing import Any

from treemetric._base.typing import Distances
from treemetric._base.validation import count_of
from treemetric.cli.common import (
    add_costs,
    add_jobs,
    add_norm,
    add_order,
    add_progress,
    check_norm,
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
    json_value,
    target_of,
    write_array,
    write_json,
    write_rows,
)
from treemetric.distances import pairwise_distances
from treemetric.unordered import unordered_pairwise_distances

_KINDS = ("csv", "json", "npy", "parquet", "zarr")
_IN_BLOCKS = ("npy", "zarr")


def add_parsers(commands: Any) -> None:
    """Add the command to those of ``treemetric``."""
    many = add_command(
        commands,
        "pairwise",
        "TREES...",
        summary="compute all distances of many trees",
        description="Compute the edit distances of all pairs of trees. A .npy or .zarr file is "
        "filled block by block; to resume a stopped or killed command, run it again.",
        notes="CSV has a row and a column per tree. Parquet, and CSV with --condensed, have a row "
        "per pair.",
        examples=(
            "treemetric pairwise *.html",
            "treemetric pairwise trees.jsonl -o D.npy",
            "treemetric pairwise src/ --format python --to json",
            "cat trees.txt | treemetric pairwise - --condensed > pairs.csv",
        ),
    )
    add_inputs(many)
    add_output(many, _KINDS, "csv")
    many.add_argument(
        "--condensed",
        action="store_true",
        help="save only the upper triangle, in SciPy's order; as CSV one pair per line",
    )
    many.add_argument(
        "--cutoff",
        type=float,
        metavar="D",
        help="save inf (null in JSON) for distances above the cutoff; most of them are not "
        "computed",
    )
    add_costs(many)
    add_order(many)
    add_norm(many)
    many.add_argument(
        "--dtype",
        choices=("float64", "float32", "int64", "int32", "uint16", "uint8"),
        help="type of the distances in a .npy or .zarr file; types of integers need costs that are "
        "whole numbers (default: float64)",
    )
    many.add_argument(
        "--memory",
        metavar="SIZE",
        help="memory limit in addition to the trees, such as 2GB, for a .npy or .zarr file "
        "(default: 512MiB)",
    )
    add_jobs(many)
    add_progress(many)
    add_format(many)
    many.set_defaults(command=_pairwise)


def _pairwise(arguments: argparse.Namespace) -> None:
    target = _target(arguments)
    costs = costs_of(arguments)
    (inputs,) = read_inputs([arguments.trees], arguments)
    check_words(costs, inputs.trees)
    in_blocks = target.path is not None and target.kind in _IN_BLOCKS and not arguments.unordered
    # A file in blocks is resumed; the library decides what may be replaced.
    extra = {
        "out": target.path,
        "memory_budget": arguments.memory,
        "overwrite": arguments.overwrite,
    }
    options: dict[str, Any] = {
        "costs": costs,
        "cutoff": arguments.cutoff,
        "n_jobs": arguments.jobs,
        "dtype": arguments.dtype or "float64",
        "condensed": arguments.condensed,
        "progress": progress_of(arguments),
    }
    if arguments.unordered:
        result = unordered_pairwise_distances(inputs.trees, **options)
    else:
        options |= {"norm": arguments.norm, **(extra if in_blocks else {})}
        result = pairwise_distances(inputs.trees, **options)
    if not in_blocks:
        _write(target, inputs, result, condensed=arguments.condensed)
    if target.path is not None:
        shape = " x ".join(str(side) for side in result.shape)
        print(f"{count_of(len(inputs.trees), 'tree')}, {shape} {result.dtype} -> {target.path}")


def _target(arguments: argparse.Namespace) -> Target:
    check_norm(arguments)
    target = target_of(arguments)
    if arguments.unordered:
        for given, text in ((target.kind == "zarr", "zarr"), (arguments.memory, "--memory")):
            if given:
                message = f"--unordered keeps the matrix in memory, without {text}."
                raise ValueError(message)
        check_free(target, arguments)
    if target.kind not in _IN_BLOCKS:
        for option in ("dtype", "memory"):
            if getattr(arguments, option) is not None:
                message = f"--{option} is for .npy and .zarr. The result is {target.kind}."
                raise ValueError(message)
        check_free(target, arguments)
    elif target.path is None and arguments.memory is not None:
        message = "--memory needs --output with a file."
        raise ValueError(message)
    elif target.path is not None and target.path.suffix != f".{target.kind}":
        message = f"--output must end in .{target.kind} with --to {target.kind}. Got {target.path}."
        raise ValueError(message)
    return target


def _write(target: Target, inputs: Inputs, result: Distances, *, condensed: bool) -> None:
    if target.kind == "npy":
        write_array(target, result)
        return
    count = len(inputs.trees)
    names = [inputs.name(i) for i in range(count)]
    if target.kind == "json":
        rows = result.tolist()
        values = [
            json_value(row) if condensed else [json_value(value) for value in row] for row in rows
        ]
        write_json(target, {"ids": names, "distances": values})
    elif condensed or target.kind == "parquet":
        chosen = combinations(names, 2) if condensed else product(names, repeat=2)
        pairs = zip(chosen, result.ravel().tolist(), strict=True)
        write_rows(target, ("source", "target", "distance"), ((*pair, d) for pair, d in pairs))
    else:
        table = ((name, *row.tolist()) for name, row in zip(names, result, strict=True))
        write_rows(target, ("", *names), table)
