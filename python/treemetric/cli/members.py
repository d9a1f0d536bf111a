"""Functions of source code, or trees of other files, with their places, and groups of them."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from treemetric._base.validation import count_of
from treemetric.cli.formats import BY_SUFFIX
from treemetric.cli.inputs import STDIN, read_inputs, shown_path, values_of
from treemetric.cli.outputs import Target, json_value, write_json, write_rows
from treemetric.treeset import TreeSet

__all__ = [
    "Member",
    "Source",
    "add_members",
    "counted",
    "member_lines",
    "read_members",
    "write_groups",
]

# Smaller functions are left out: most of them look alike.
_LEAST = 20
_WIDEST_PLACE = 60
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Source(NamedTuple):
    """Where a tree comes from; trees of other files than source code have a name only."""

    file: str | None
    line: int | None
    name: str | int


class Member(NamedTuple):
    """A tree of a group, and its distance to the tree that represents the group."""

    place: Source
    nodes: int
    distance: float


def add_members(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for functions and trees."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="folders of source code, Python files, files of trees, or - for standard input",
    )
    parser.add_argument(
        "--min-nodes",
        type=int,
        metavar="N",
        help=f"smallest number of nodes (default: {_LEAST} for functions, 0 for trees)",
    )


def read_members(arguments: argparse.Namespace) -> tuple[TreeSet, list[Source]]:
    """Read the functions of source code and the trees of other files."""
    if arguments.min_nodes is not None and arguments.min_nodes < 0:
        message = f"--min-nodes must not be negative. Got {arguments.min_nodes}."
        raise ValueError(message)
    if STDIN in arguments.paths and arguments.format == "python":
        message = "Functions are read from files and folders, not from standard input."
        raise ValueError(message)
    code = [path for path in arguments.paths if _is_code(path, arguments.format)]
    others = [path for path in arguments.paths if path not in code]
    sets: list[TreeSet] = []
    places: list[Source] = []
    if others:
        (inputs,) = read_inputs([others], arguments)
        large = np.flatnonzero(inputs.trees.sizes >= (arguments.min_nodes or 0))
        sets.append(inputs.trees[large])
        places += [Source(None, None, inputs.name(i)) for i in large.tolist()]
    if code:
        # Imported here because it imports scikit-learn.
        from treemetric.datasets import load_functions

        least = _LEAST if arguments.min_nodes is None else max(arguments.min_nodes, 1)
        functions = load_functions(code, min_nodes=least, values=values_of(arguments))
        for file, reason in functions.skipped:
            print(f"treemetric: warning: {_on_line(shown_path(file))}: {reason}", file=sys.stderr)
        if functions.skipped and not others and len(functions.data) == 0:
            skipped = count_of(len(functions.skipped), "file")
            message = f"no function of {least} nodes or more was found; {skipped} could not be read"
            raise ValueError(message)
        sets.append(functions.data)
        columns = (map(shown_path, functions.files), functions.lines, functions.names)
        places += [Source(*place) for place in zip(*columns, strict=True)]
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


def counted(places: Sequence[Source]) -> str:
    """Return how many functions or trees there are, in words after "0 of"."""
    is_code = len(places) > 0 and all(place.file is not None for place in places)
    return f"{len(places)} {'functions' if is_code else 'trees'}"


def member_lines(group: Sequence[Member], far: Callable[[float], str]) -> list[str]:
    """Return a group as lines that editors and terminals turn into links."""
    where = [_where(member.place) for member in group]
    width = min(max(map(len, where)), _WIDEST_PLACE)
    lines = []
    for member, place in zip(group, where, strict=True):
        end = "" if member.distance == 0 else f"  {far(member.distance)}"
        name = "" if member.place.file is None else f"  {member.place.name}"
        lines.append(f"  {place:{width}}{name}{end}" if name else f"  {place}{end}")
    return lines


def write_groups(target: Target, groups: Iterable[Sequence[Member]], count: int, kind: str) -> None:
    """Write groups as one JSON value, or as a table with a row per member."""
    if target.kind == "json":
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
        write_json(target, {"trees": count, f"{kind}s": records})
        return
    rows = (
        (number, len(group), *place, nodes, distance)
        for number, group in enumerate(groups)
        for place, nodes, distance in group
    )
    write_rows(target, (kind, "size", "file", "line", "name", "nodes", "distance"), rows)


def _where(place: Source) -> str:
    return _on_line(str(place.name) if place.file is None else f"{place.file}:{place.line}")


def _on_line(name: str) -> str:
    """Return a name without characters that end a line or control a terminal."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode(), name)
