"""The command ``treemetric duplicates``."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treemetric.cli.common import (
    add_costs,
    add_jobs,
    add_progress,
    check_words,
    costs_of,
    progress_of,
)
from treemetric.cli.formats import BY_SUFFIX
from treemetric.cli.help import add_command
from treemetric.cli.inputs import STDIN, add_format, read_inputs, shown_path
from treemetric.cli.outputs import (
    Target,
    add_output,
    check_free,
    csv_value,
    json_value,
    opened,
    target_of,
    write_json,
    write_rows,
)
from treemetric.neighbors import Duplicates, deduplicate
from treemetric.treeset import TreeSet

_HEADER = ("group", "size", "file", "line", "name", "nodes", "distance")
_LEAST = 20


class Place(NamedTuple):
    """Where a tree comes from; trees of other files than source code have a name only."""

    file: str | None
    line: int | None
    name: str | int


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
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="folders of source code, Python files, files of trees, or - for standard input",
    )
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
    parser.add_argument(
        "--min-nodes",
        type=int,
        metavar="N",
        help=f"smallest number of nodes (default: {_LEAST} for functions, 0 for trees)",
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
    costs = costs_of(arguments)
    if arguments.min_nodes is not None and arguments.min_nodes < 0:
        message = f"--min-nodes must not be negative. Got {arguments.min_nodes}."
        raise ValueError(message)
    trees, places = _read(arguments)
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


# --- input -------------------------------------------------------------------------


def _read(arguments: argparse.Namespace) -> tuple[TreeSet, list[Place]]:
    """Read the functions of source code and the trees of other files."""
    code = [path for path in arguments.paths if _is_code(path, arguments.format)]
    others = [path for path in arguments.paths if path not in code]
    sets: list[TreeSet] = []
    places: list[Place] = []
    if others:
        (inputs,) = read_inputs([others], arguments)
        large = np.flatnonzero(inputs.trees.sizes >= (arguments.min_nodes or 0))
        sets.append(inputs.trees[large])
        places += [Place(None, None, inputs.name(i)) for i in large.tolist()]
    if code:
        # Imported here because it imports scikit-learn.
        from treemetric.datasets import load_functions

        least = _LEAST if arguments.min_nodes is None else max(arguments.min_nodes, 1)
        values = True if arguments.values is None else arguments.values
        functions = load_functions(code, min_nodes=least, values=values)
        for file, reason in functions.skipped:
            print(f"treemetric: warning: {shown_path(file)}: {reason}", file=sys.stderr)
        sets.append(functions.data)
        columns = (map(shown_path, functions.files), functions.lines, functions.names)
        places += [Place(*place) for place in zip(*columns, strict=True)]
    if len(sets) == 1:
        return sets[0], places
    return TreeSet(tree for trees in sets for tree in trees), places


def _is_code(path: str, name: str | None) -> bool:
    """Return whether a path is Python source, or a folder with Python source."""
    if path == STDIN or name not in (None, "python"):
        return False
    if Path(path).is_dir():
        return name == "python" or any(Path(path).rglob("*.py"))
    kind = BY_SUFFIX.get(Path(path).suffix.lower())
    return name == "python" or (kind is not None and kind.name == "python")


# --- output ------------------------------------------------------------------------


class _Member(NamedTuple):
    """A tree of a group."""

    place: Place
    nodes: int
    distance: float


def _copied(found: Duplicates, trees: TreeSet, places: list[Place]) -> Iterator[list[_Member]]:
    """Yield the groups of two trees or more: the representative, then by distance."""
    sizes, distances = trees.sizes.tolist(), found.distances.tolist()
    count = int((found.sizes > 1).sum())
    for group, chosen in zip(
        found.groups[:count], found.representatives[:count].tolist(), strict=True
    ):
        order = sorted(group.tolist(), key=lambda i: (i != chosen, distances[i], i))
        yield [_Member(places[i], sizes[i], distances[i]) for i in order]


def _summary(found: Duplicates, places: list[Place]) -> str:
    copied = found.sizes[found.sizes > 1]
    is_code = places and all(place.file is not None for place in places)
    what = "functions" if is_code else "trees"
    return f"{copied.sum()} of {len(places)} {what} are near-duplicates, in {len(copied)} groups"


def _save(target: Target, found: Duplicates, trees: TreeSet, places: list[Place]) -> None:
    groups = _copied(found, trees, places)
    if target.kind == "text":
        with opened(target) as file:
            for group in groups:
                file.write(_as_text(group).encode("utf-8", "backslashreplace"))
            file.write(f"{_summary(found, places)}\n".encode())
    elif target.kind == "json":
        records = [
            {
                "size": len(group),
                "members": [
                    {**place._asdict(), "nodes": nodes, "distance": json_value(distance)}
                    for place, nodes, distance in group
                ],
            }
            for group in groups
        ]
        write_json(target, {"trees": len(trees), "groups": records})
    else:
        rows = (
            (number, len(group), *place, nodes, distance)
            for number, group in enumerate(groups)
            for place, nodes, distance in group
        )
        write_rows(target, _HEADER, rows)


def _as_text(group: list[_Member]) -> str:
    """Return a group as lines that editors and terminals turn into links."""
    head, farthest = group[0], max(member.distance for member in group)
    apart = "identical" if farthest == 0 else f"up to {csv_value(farthest)} apart"
    where = [_where(member.place) for member in group]
    width = min(max(map(len, where)), 60)
    lines = [f"{len(group)} near-duplicates of {head.nodes} nodes, {apart}"]
    for member, place in zip(group, where, strict=True):
        far = "" if member.distance == 0 else f"  +{csv_value(member.distance)}"
        name = "" if member.place.file is None else f"  {member.place.name}"
        lines.append(f"  {place:{width}}{name}{far}" if name else f"  {place}{far}")
    return "\n".join(lines) + "\n\n"


def _where(place: Place) -> str:
    return str(place.name) if place.file is None else f"{place.file}:{place.line}"
