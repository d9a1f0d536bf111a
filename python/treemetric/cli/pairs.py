"""The commands ``treemetric distance`` and ``treemetric align``: two trees."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from treemetric._base.validation import shown
from treemetric.alignment import Alignment, align
from treemetric.alignment.cooptimal import cooptimal
from treemetric.alignment.html import alignment_page
from treemetric.cli.common import (
    add_costs,
    add_norm,
    add_order,
    check_norm,
    check_words,
    costs_of,
)
from treemetric.cli.edits import HEADER, Sides, as_lines, as_record, as_row
from treemetric.cli.help import add_command
from treemetric.cli.inputs import STDIN, add_format, json_format, read_inputs, shown_path
from treemetric.cli.outputs import (
    Target,
    add_output,
    check_free,
    csv_value,
    json_value,
    target_of,
    write_json,
    write_rows,
    write_text,
)
from treemetric.cli.places import Place
from treemetric.costs import Costs
from treemetric.distances import distance
from treemetric.paired import normalized_distance
from treemetric.tree import Tree
from treemetric.treeset import TreeSet
from treemetric.unordered import UnorderedAlignment, unordered_align, unordered_distance

# The number of optimal alignments is not computed for trees with more pairs of nodes.
_MOST_COUNTED = 10**6


class _Pair(NamedTuple):
    sides: Sides
    x: Tree
    y: Tree
    costs: Costs | None


def add_parsers(commands: Any) -> None:
    """Add the commands to those of ``treemetric``."""
    one = add_command(
        commands,
        "distance",
        "A B",
        summary="print the distance between two trees",
        description="Print the edit distance between two trees. A tree is text in brackets, "
        "'{a{b}{c}}', or a file that contains one tree: Python, HTML, JSON, Newick and others.",
        examples=(
            "treemetric distance '{a{b}}' '{a{c}}'",
            "treemetric distance old.py new.py",
            "treemetric distance old.py new.py --no-values",
            "treemetric distance one.nwk two.nwk --unordered",
            "curl -s URL | treemetric distance - page.html --format html",
        ),
    )
    _add_two_trees(one, ("text", "csv", "json"))
    add_norm(one)
    one.add_argument(
        "--cutoff", type=float, metavar="D", help="print inf if the distance is above the cutoff"
    )
    one.set_defaults(command=_distance)
    edits = add_command(
        commands,
        "align",
        "A B",
        summary="print the edits between two trees, or write them as a page",
        description="Print the edits of one optimal alignment of two trees, and the number of "
        "optimal alignments. Trees are given as for 'distance'.",
        notes="Edits of source code are listed by file and line, with the words of the source. An "
        ".html file is a page for browsers: unchanged parts fold, labels can be searched. Optimal "
        "alignments are counted if the product of the numbers of nodes is at most "
        f"{_MOST_COUNTED:,}, and without --unordered.",
        examples=(
            "treemetric align '{a{b}}' '{a{c}}'",
            "treemetric align a.json b.json --to csv",
            "treemetric align old.py new.py -o changes.html",
            "git show HEAD:a.py | treemetric align - a.py --format python",
        ),
    )
    _add_two_trees(edits, ("text", "csv", "json", "html"))
    edits.set_defaults(command=_align)


def _add_two_trees(parser: argparse.ArgumentParser, kinds: Sequence[str]) -> None:
    for name in ("A", "B"):
        parser.add_argument(
            name.lower(),
            metavar=name,
            help="a tree in brackets, a file, or - for standard input",
        )
    add_costs(parser)
    add_order(parser)
    add_output(parser, kinds, "text")
    add_format(parser)


def _request(arguments: argparse.Namespace, *, with_places: bool = False) -> tuple[Target, _Pair]:
    """Check the options and read the trees."""
    target = target_of(arguments)
    check_free(target, arguments)
    costs = costs_of(arguments)
    a, b = arguments.a, arguments.b
    (x, old), (y, new) = _read_placed((a, b), "AB", arguments, with_places=with_places)
    check_words(costs, TreeSet([x, y]))
    return target, _Pair(Sides((shown_path(a), shown_path(b)), (old, new)), x, y, costs)


def _distance(arguments: argparse.Namespace) -> None:
    check_norm(arguments)
    target, pair = _request(arguments)
    value = _measured(pair, arguments)
    if target.kind == "text":
        write_text(target, f"{csv_value(value)}\n")
    elif target.kind == "json":
        a, b = pair.sides.names
        write_json(target, {"source": a, "target": b, "distance": json_value(value)})
    else:
        write_rows(target, ("source", "target", "distance"), [(*pair.sides.names, value)])


def _measured(pair: _Pair, arguments: argparse.Namespace) -> float:
    options = {"costs": pair.costs, "cutoff": arguments.cutoff}
    if arguments.unordered:
        return unordered_distance(pair.x, pair.y, **options)
    if arguments.norm is not None:
        return normalized_distance(pair.x, pair.y, norm=arguments.norm, **options)
    return distance(pair.x, pair.y, **options)


def _align(arguments: argparse.Namespace) -> None:
    target, pair = _request(arguments, with_places=True)
    aligned = unordered_align if arguments.unordered else align
    alignment = aligned(pair.x, pair.y, costs=pair.costs)
    if target.kind == "text":
        write_text(target, _described(alignment, pair))
        return
    if target.kind == "html":
        write_text(target, alignment_page(alignment, pair.sides.names, pair.sides.lines))
        return
    edits = alignment.edits()
    if target.kind == "json":
        rows = [as_record(edit, pair.sides) for edit in edits]
        a, b = pair.sides.names
        write_json(target, {"a": a, "b": b, "cost": json_value(alignment.cost), "edits": rows})
    else:
        write_rows(target, HEADER, (as_row(edit, pair.sides) for edit in edits))


def _described(alignment: Alignment, pair: _Pair) -> str:
    """Return the edits and the number of optimal alignments, one per line."""
    lines = as_lines(alignment, pair.sides, with_costs=pair.costs is not None)
    count = csv_value(alignment.cost)
    total = f"cost {count}" if pair.costs is not None else f"{count} edit{'s' * (count != 1)}"
    ordered = not isinstance(alignment, UnorderedAlignment)
    lines.append(f"{total}, {_among(pair, ordered=ordered)}")
    return "".join(f"{line}\n" for line in lines)


def _among(pair: _Pair, *, ordered: bool) -> str:
    if not ordered or pair.x.size * pair.y.size > _MOST_COUNTED:
        return "an optimal alignment"
    count = cooptimal(pair.x, pair.y, costs=pair.costs).count
    return "the only optimal alignment" if count == 1 else f"one of {count} optimal alignments"


def read_trees(
    texts: Sequence[str], names: Sequence[str], arguments: argparse.Namespace
) -> list[Tree]:
    """Return trees from their brackets or from files that contain one tree each."""
    return [tree for tree, _ in _read_placed(texts, names, arguments)]


def _read_placed(
    texts: Sequence[str],
    names: Sequence[str],
    arguments: argparse.Namespace,
    *,
    with_places: bool = False,
) -> list[tuple[Tree, list[Place] | None]]:
    """Return trees, and where the nodes of those from source code are, if asked for."""
    for name, text in zip(names, texts, strict=True):
        if not text.strip():
            msg = f"{name} is empty. It must be text in brackets, an existing file or '-'."
            raise ValueError(msg)
        if not _is_bracket(text) and text != STDIN and not Path(text).exists():
            must = "must be text in brackets, an existing file or '-'"
            msg = f"{name} {must}. There is no file {text!r}."
            raise ValueError(msg)
    groups = [[text] for text in texts if not _is_bracket(text)]
    read = iter(read_inputs(groups, arguments, with_places=with_places))
    trees: list[tuple[Tree, list[Place] | None]] = []
    for name, text in zip(names, texts, strict=True):
        if _is_bracket(text):
            if arguments.format != "bracket" and (better := json_format(text)) is not None:
                msg = (
                    f"{name} is JSON, not a tree in brackets. Give a .{better} file, or '-' and "
                    f"--format {better}. Got {shown(text)}."
                )
                raise ValueError(msg)
            trees.append((_from_bracket(text, name), None))
            continue
        inputs = next(read)
        found = inputs.trees
        if len(found) != 1:
            choose = " Choose one by --id." if hasattr(arguments, "id") else ""
            kind = "folder" if Path(text).is_dir() else "file"
            source = "Standard input" if text == STDIN else f"The {kind} {text}"
            msg = f"{source} must contain one tree. It contains {len(found)}.{choose}"
            raise ValueError(msg)
        trees.append((found[0], inputs.places))
    return trees


def _from_bracket(text: str, name: str) -> Tree:
    try:
        return Tree.from_bracket(text)
    except ValueError as error:
        msg = f"{name}: {error}"
        raise ValueError(msg) from error


def _is_bracket(text: str) -> bool:
    return text.lstrip().startswith("{")
