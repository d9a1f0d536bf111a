"""The commands that show trees, convert files of trees, and report about a collection."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from treemetric._base.text_art import label_shown
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
from treemetric.cli.inputs import (
    STDIN,
    Inputs,
    add_format,
    add_inputs,
    read_inputs,
    shown_path,
    values_of,
)
from treemetric.cli.outputs import (
    Target,
    add_output,
    check_free,
    opened,
    target_of,
    write_text,
)
from treemetric.cli.pairs import read_trees
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

# Lines of a tree that are printed if none are given.
_LINES = 200
# Smaller functions are left out.
_LEAST = 20


def add_parsers(commands: Any) -> None:
    """Add the commands to those of ``treemetric``."""
    _add_show(commands)
    _add_convert(commands)
    _add_report(commands)


def _add_show(commands: Any) -> None:
    show = add_command(
        commands,
        "show",
        "TREE",
        summary="print a tree with lines, or write it as a page",
        description="Print a tree, one line per node. A tree is text in brackets, '{a{b}{c}}', or "
        "a file. --id chooses a tree of a file with several.",
        notes="An .html file is a page for browsers: nodes fold, labels can be searched.",
        examples=(
            "treemetric show '{a{b}{c}}'",
            "treemetric show module.py --depth 3",
            "treemetric show trees.jsonl --id t42",
            "treemetric show page.html -o tree.html",
        ),
    )
    show.add_argument(
        "tree", metavar="TREE", help="a tree in brackets, a file, or - for standard input"
    )
    show.add_argument("--id", metavar="NAME", help="id of the tree, or its position, from 0")
    show.add_argument(
        "--depth", type=int, metavar="N", help="levels below the root that are printed"
    )
    show.add_argument(
        "--nodes",
        type=int,
        metavar="N",
        default=_LINES,
        help=f"most nodes that are printed (default: {_LINES})",
    )
    add_output(show, ("text", "html"), "text")
    add_format(show)
    show.set_defaults(command=_show)


def _show(arguments: argparse.Namespace) -> None:
    target = target_of(arguments)
    check_free(target, arguments)
    name = "tree" if arguments.tree == STDIN else shown_path(arguments.tree)
    if arguments.id is None:
        (tree,) = read_trees([arguments.tree], ["TREE"], arguments)
    else:
        (inputs,) = read_inputs([[arguments.tree]], arguments)
        tree, name = inputs.trees[_place(inputs, arguments.id)], arguments.id
    if target.kind == "html":
        write_text(target, tree.to_html(name=name[:80]))
    else:
        text = tree.to_text(max_depth=arguments.depth, max_nodes=arguments.nodes)
        write_text(target, f"{text}\n")


def _place(inputs: Inputs, name: str) -> int:
    """Return the position of the tree with a name; without names, the name is the position."""
    count = len(inputs.trees)
    names = [str(inputs.name(i)) for i in range(count)]
    if name not in names:
        such = f", such as {names[0]!r}" if names else ""
        message = f"--id must be one of the {count} names of trees{such}. Got {name!r}."
        raise ValueError(message)
    return names.index(name)


def _add_convert(commands: Any) -> None:
    convert = add_command(
        commands,
        "convert",
        "TREES...",
        summary="write trees of any format as JSON Lines or in brackets",
        description="Read trees of any format and write them to one file, one per line. The names "
        "of the trees are kept in JSON Lines. In brackets, labels are text.",
        examples=(
            "treemetric convert src/ --functions -o functions.jsonl",
            "treemetric convert trees.nwk --to bracket | sort | uniq -c",
        ),
    )
    add_inputs(convert)
    _add_functions(convert)
    add_output(convert, ("jsonl", "bracket", "txt"), "jsonl")
    add_format(convert)
    convert.set_defaults(command=_convert)


def _convert(arguments: argparse.Namespace) -> None:
    target = target_of(arguments)
    check_free(target, arguments)
    trees = _read(arguments)
    if target.kind != "jsonl" and not all(isinstance(label, str) for label in trees.alphabet):
        trees = TreeSet(map(_in_words, trees))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trees"
        (trees.to_jsonl if target.kind == "jsonl" else trees.to_bracket)(path)
        with path.open("rb") as source, opened(target) as file:
            shutil.copyfileobj(source, file)
    _summarise(target, count_of(len(trees), "tree"))


def _in_words(tree: Tree) -> Tree:
    """Return a tree whose labels are text, as brackets need."""
    labels = [label if isinstance(label, str) else label_shown(label) for label in tree.labels]
    return Tree.from_parents(labels, tree.parents.tolist())


def _add_report(commands: Any) -> None:
    report = add_command(
        commands,
        "report",
        "TREES... -o FILE.html",
        summary="write a page about a collection of trees",
        description="Write one page about a collection of trees: sizes, labels, equal trees, the "
        "nearest pairs with their alignments, clusters, medoids and outliers. The page needs no "
        "network.",
        notes="Clusters, medoids and outliers of large collections come from a random sample, "
        "which the page states.",
        examples=(
            "treemetric report trees.jsonl -o report.html",
            "treemetric report src/ --functions -o functions.html",
            "treemetric report trees.jsonl --sample 3000 --title 'My trees' -o report.html",
        ),
    )
    add_inputs(report)
    _add_functions(report)
    report.add_argument("--title", metavar="TEXT", help="title of the page (default: the sources)")
    report.add_argument(
        "--sample",
        type=int,
        default=1000,
        metavar="N",
        help="most trees whose distances are computed (default: 1000)",
    )
    report.add_argument("--seed", type=int, default=0, help="seed of the sample (default: 0)")
    add_costs(report)
    add_output(report, ("html",), "html")
    add_jobs(report)
    add_progress(report)
    add_format(report)
    report.set_defaults(command=_report)


def _report(arguments: argparse.Namespace) -> None:
    # Imported here because it imports scikit-learn and SciPy.
    from treemetric.report import report_html

    target = target_of(arguments)
    check_free(target, arguments)
    costs = costs_of(arguments)
    trees = _read(arguments)
    check_words(costs, trees)
    title = arguments.title or ", ".join(map(shown_path, arguments.trees[:3]))
    page = report_html(
        trees,
        title=title,
        costs=costs,
        max_trees=arguments.sample,
        seed=arguments.seed,
        n_jobs=arguments.jobs,
        progress=progress_of(arguments),
    )
    write_text(target, page)
    _summarise(target, count_of(len(trees), "tree"))


def _add_functions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--functions",
        action="store_true",
        help=f"the functions of Python files and folders, of {_LEAST} nodes or more, instead of "
        "whole files",
    )


def _read(arguments: argparse.Namespace) -> TreeSet:
    """Read trees with their names as ids, or the functions of source code."""
    if arguments.functions:
        return _read_functions(arguments)
    (inputs,) = read_inputs([arguments.trees], arguments)
    if inputs.trees.ids is None and inputs.names is not None:
        return TreeSet(inputs.trees, ids=inputs.names)
    return inputs.trees


def _read_functions(arguments: argparse.Namespace) -> TreeSet:
    # Imported here because it imports scikit-learn.
    from treemetric.datasets import load_functions

    if arguments.format not in (None, "python") or STDIN in arguments.trees:
        message = "--functions needs Python files or folders with Python files."
        raise ValueError(message)
    found = load_functions(arguments.trees, min_nodes=_LEAST, values=values_of(arguments))
    for file, reason in found.skipped:
        print(f"treemetric: warning: {shown_path(file)}: {reason}", file=sys.stderr)
    places = zip(map(shown_path, found.files), found.lines, found.names, strict=True)
    return TreeSet(found.data, ids=[f"{file}:{line} {name}" for file, line, name in places])


def _summarise(target: Target, what: str) -> None:
    if target.path is not None:
        print(f"{what} -> {target.path}")
