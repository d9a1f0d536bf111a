"""The commands ``treemetric distance`` and ``treemetric align``: two trees."""

import argparse
from pathlib import Path
from typing import Any

from treemetric.alignment import align
from treemetric.alignment.cooptimal import cooptimal
from treemetric.cli.common import read_trees
from treemetric.distances import distance
from treemetric.tree import Tree

# The number of optimal alignments is not computed for trees with more pairs of nodes.
_MOST_COUNTED = 10**6


def add_parsers(commands: Any) -> None:
    """Add the commands to those of ``treemetric``."""
    one = commands.add_parser(
        "distance",
        help="print the distance between two trees",
        description="Print the edit distance between two trees; each edit costs 1. A tree is "
        "either text in brackets, '{a{b}{c}}', or a file that contains one tree.",
    )
    _add_two_trees(one)
    one.set_defaults(command=_distance)

    edits = commands.add_parser(
        "align",
        help="print the edits between two trees",
        description="Print the edits of one optimal alignment of two trees, and the number of "
        "optimal alignments. Trees are given as for 'distance'.",
    )
    _add_two_trees(edits)
    edits.set_defaults(command=_align)


def _add_two_trees(parser: argparse.ArgumentParser) -> None:
    for name in ("A", "B"):
        parser.add_argument(name.lower(), metavar=name, help="a tree in brackets, or a file")


def _distance(arguments: argparse.Namespace) -> None:
    value = distance(_tree(arguments.a), _tree(arguments.b))
    print(int(value) if value.is_integer() else value)


def _align(arguments: argparse.Namespace) -> None:
    x, y = _tree(arguments.a), _tree(arguments.b)
    alignment = align(x, y)
    for edit in alignment.edits():
        where = f"node {edit.i} of A" if edit.i is not None else f"node {edit.j} of B"
        change = {
            "replace": f"{_quoted(edit.old)} -> {_quoted(edit.new)}",
            "delete": _quoted(edit.old),
            "insert": _quoted(edit.new),
        }[edit.op]
        print(f"{edit.op:8}{change}  ({where})")
    edits = int(alignment.cost)
    print(f"{edits} edit{'' if edits == 1 else 's'}, {_among(x, y)}")


def _among(x: Tree, y: Tree) -> str:
    if x.size * y.size > _MOST_COUNTED:
        return "an optimal alignment"
    count = cooptimal(x, y).count
    return "the only optimal alignment" if count == 1 else f"one of {count} optimal alignments"


def _quoted(label: object) -> str:
    """Return a label on one line, in quotes if it is empty or has spaces around it."""
    text = str(label)
    return text if text.isprintable() and text.strip() == text != "" else repr(text)


def _tree(text: str) -> Tree:
    """Return a tree from its brackets or from a file that contains one."""
    if not text.strip() or text.lstrip().startswith("{"):
        return Tree.from_bracket(text)
    path = Path(text)
    if not path.exists():
        msg = f"A tree must be text in brackets or an existing file. Got {text!r}."
        raise ValueError(msg)
    trees = read_trees(path)
    if len(trees) != 1:
        msg = f"The file {path} must contain one tree. It contains {len(trees)}."
        raise ValueError(msg)
    return trees[0]
