"""The command ``treemetric duplicates``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from treemetric._base.validation import count_of
from treemetric.cli.common import (
    add_costs,
    add_jobs,
    add_progress,
    check_words,
    costs_of,
    progress_of,
)
from treemetric.cli.help import add_command
from treemetric.cli.inputs import add_format
from treemetric.cli.members import (
    Member,
    Source,
    add_members,
    counted,
    member_lines,
    read_members,
    write_groups,
)
from treemetric.cli.outputs import (
    Target,
    add_output,
    check_free,
    csv_value,
    opened,
    target_of,
)
from treemetric.neighbors import Duplicates, deduplicate
from treemetric.neighbors.request import check_radius
from treemetric.treeset import TreeSet


def add_parsers(commands: Any) -> None:
    """Add the command to those of ``treemetric``."""
    parser = add_command(
        commands,
        "duplicates",
        "-r D PATH...",
        summary="list near-identical functions of a code base, or near-identical trees",
        description="List groups of near-identical functions of Python files, most copied first. "
        "Files of other formats hold trees, which are compared as they are.",
        notes="Functions are compared with their names and constants; --no-values compares only "
        "their structure. The first function of a group represents it; the others follow with "
        "their distance to it. Files that are not valid Python are skipped with a warning.",
        examples=(
            "treemetric duplicates src/ --radius 3",
            "treemetric duplicates trees.jsonl -r 1 -o groups.csv",
        ),
    )
    add_members(parser)
    parser.add_argument(
        *("-r", "--radius"),
        type=float,
        required=True,
        metavar="D",
        help="largest distance of two near-duplicates",
    )
    parser.add_argument(
        "--method",
        choices=("components", "cover"),
        default="components",
        help="groups are chains of near-duplicates, or lie within the radius of one function "
        "(default: components)",
    )
    add_costs(parser)
    add_output(parser, ("text", "csv", "json", "parquet"), "text")
    add_jobs(parser)
    add_progress(parser)
    add_format(parser)
    parser.set_defaults(command=_duplicates)


def _duplicates(arguments: argparse.Namespace) -> None:
    target = target_of(arguments)
    check_free(target, arguments)
    # Before files are read, which may take long.
    check_radius(arguments.radius, "deduplicate")
    costs = costs_of(arguments)
    trees, places = read_members(arguments)
    check_words(costs, trees)
    found = deduplicate(
        trees,
        radius=arguments.radius,
        method=arguments.method,
        costs=costs,
        n_jobs=arguments.jobs,
        progress=progress_of(arguments),
    )
    _save(target, found, trees, places)
    if target.path is not None:
        print(f"{_summary(found, places)} -> {target.path}")


# --- output ------------------------------------------------------------------------


def _copied(found: Duplicates, trees: TreeSet, places: list[Source]) -> Iterator[list[Member]]:
    """Yield the groups of two trees or more: the representative, then by distance."""
    sizes, distances = trees.sizes.tolist(), found.distances.tolist()
    count = int((found.sizes > 1).sum())
    for group, chosen in zip(
        found.groups[:count], found.representatives[:count].tolist(), strict=True
    ):
        order = sorted(group.tolist(), key=lambda i: (i != chosen, distances[i], i))
        yield [Member(places[i], sizes[i], distances[i]) for i in order]


def _summary(found: Duplicates, places: list[Source]) -> str:
    copied = found.sizes[found.sizes > 1]
    groups = count_of(len(copied), "group")
    return f"{copied.sum()} of {counted(places)} are near-duplicates, in {groups}"


def _save(target: Target, found: Duplicates, trees: TreeSet, places: list[Source]) -> None:
    groups = _copied(found, trees, places)
    if target.kind == "text":
        with opened(target) as file:
            for group in groups:
                file.write(_as_text(group).encode("utf-8", "backslashreplace"))
            file.write(f"{_summary(found, places)}\n".encode())
    else:
        write_groups(target, groups, len(trees), "group")


def _as_text(group: list[Member]) -> str:
    head, farthest = group[0], max(member.distance for member in group)
    apart = "identical" if farthest == 0 else f"up to {csv_value(farthest)} apart"
    lines = [f"{len(group)} near-duplicates of {count_of(head.nodes, 'node')}, {apart}"]
    lines += member_lines(group, lambda distance: f"+{csv_value(distance)}")
    return "\n".join(lines) + "\n\n"
