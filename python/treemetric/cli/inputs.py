"""The trees that a command reads: files, folders and standard input, and the names of the trees."""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from treemetric.cli.formats import BY_NAME, FORMATS, LANGUAGES, Format, format_of
from treemetric.cli.places import Place
from treemetric.treeset import TreeSet

STDIN = "-"
# What each option of a reader does. Flags can be given as --no-..., too.
FLAGS = {
    "context": "keep the nodes Load, Store and Del",
    "values": "labels hold values: names and constants of source code, scalars of JSON, bases of "
    "RNA (on by default; --no-values compares the structure alone)",
    "sort_keys": "sort the keys of objects",
    "text": "each piece of text is a leaf",
    "comments": "each comment is a leaf",
    "lengths": "labels hold the lengths of branches",
    "preserve_underscores": "keep underscores, which stand for blanks otherwise",
    "quotes": "labels may be in double quotes",
    "named": "leave out punctuation and keywords (on by default)",
    "fields": "labels hold the field of a node",
}
LISTS = {
    "attributes": "names of attributes that belong to the labels, such as class,id",
    "skip": "tags that are left out together with everything inside, such as script,style",
}
CHOICES = {"bonds": (("label", "node", "drop"), "what becomes of bonds between residues")}


class Inputs(NamedTuple):
    """Trees and their names; without names, trees are called by their positions, from 0."""

    trees: TreeSet
    names: list[str] | None
    # Where the nodes of the one tree of a file of source code are, if asked for.
    places: list[Place] | None = None

    def name(self, position: int) -> str | int:
        """Return the name of a tree, or its position if it has none."""
        return position if self.names is None else self.names[position]


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the argument for files of trees."""
    parser.add_argument(
        "trees",
        metavar="TREES",
        nargs="+",
        help="files of trees, folders of such files, or - for standard input; a .jsonl file and "
        "a file with one tree in brackets per line hold many trees, most others hold one",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add the options for the format of files."""
    parser.add_argument(
        "--format",
        choices=tuple(BY_NAME),
        metavar="NAME",
        help="format of all files, and of standard input, which is bracket otherwise (default: "
        f"by suffix): {', '.join(BY_NAME)}",
    )
    group = parser.add_argument_group("options of formats")
    for name, text in FLAGS.items():
        group.add_argument(
            _option(name),
            action=argparse.BooleanOptionalAction,
            default=None,
            help=f"{_owners(name)}: {text}",
        )
    for name, text in LISTS.items():
        group.add_argument(
            _option(name),
            type=lambda names: tuple(filter(None, names.split(","))),
            metavar="NAMES",
            help=f"{_owners(name)}: {text}",
        )
    for name, (values, text) in CHOICES.items():
        group.add_argument(_option(name), choices=values, help=f"{_owners(name)}: {text}")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _owners(name: str) -> str:
    owners = [kind.name for kind in FORMATS if name in kind.options]
    others = [owner for owner in owners if owner not in LANGUAGES]
    return ", ".join(others + ["tree-sitter"] * (len(others) < len(owners)))


def read_inputs(
    groups: Sequence[Sequence[str]], arguments: argparse.Namespace, *, with_places: bool = False
) -> list[Inputs]:
    """Read the trees of each group of sources, in this order."""
    if sum(list(sources).count(STDIN) for sources in groups) > 1:
        message = "Standard input, '-', can be read only once."
        raise ValueError(message)
    found = [list(_expanded(sources, arguments.format)) for sources in groups]
    _check_options([kind for group in found for _, kind in group], arguments)
    return [_read_group(group, arguments, with_places=with_places) for group in found]


def _read_group(
    found: list[tuple[str, Format]], arguments: argparse.Namespace, *, with_places: bool
) -> Inputs:
    read = [_read_source(*place, arguments, with_places=with_places) for place in found]
    sets = [trees for trees, _ in read]
    if len(sets) == 1:
        (source, _), trees = found[0], sets[0]
        if trees.ids is not None:
            return Inputs(trees, [str(name) for name in trees.ids])
        names_of_one = [shown_path(source)] if _is_single(found[0], trees) else None
        return Inputs(trees, names_of_one, read[0][1])
    names: list[str] = []
    for place, trees in zip(found, sets, strict=True):
        source = shown_path(place[0])
        if len(trees) == 1:
            names.append(source)
        else:
            names += [f"{source}:{name}" for name in trees.ids or range(len(trees))]
    return Inputs(TreeSet(tree for trees in sets for tree in trees), names)


def _is_single(place: tuple[str, Format], trees: TreeSet) -> bool:
    """Return whether a file is one tree, so that its name is the name of the tree."""
    return len(trees) == 1 and place[1].name != "bracket"


def _expanded(sources: Sequence[str], name: str | None) -> Iterator[tuple[str, Format]]:
    """Yield all files with their formats, those of a folder in the order of their paths."""
    chosen = None if name is None else BY_NAME[name]
    for source in sources:
        if source == STDIN:
            yield source, chosen or BY_NAME["bracket"]
        elif Path(source).is_dir():
            yield from _in_folder(Path(source), chosen)
        else:
            if not os.path.lexists(source):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)
            yield source, chosen or format_of(Path(source))


def _in_folder(folder: Path, chosen: Format | None) -> Iterator[tuple[str, Format]]:
    known = {suffix: kind for kind in FORMATS for suffix in kind.suffixes if suffix}
    files = [
        (str(path), known[path.suffix.lower()])
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in known and path.is_file() and not _is_hidden(path, folder)
    ]
    if chosen is not None:
        files = [(path, kind) for path, kind in files if kind is chosen]
    kinds = sorted({kind.name for _, kind in files})
    if not kinds:
        what = "a known format" if chosen is None else f"the format {chosen.name}"
        message = f"The folder {folder} holds no files of {what}."
        raise ValueError(message)
    if len(kinds) > 1:
        message = (
            f"The folder {folder} holds files of several formats: {', '.join(kinds)}. Choose one "
            "by --format."
        )
        raise ValueError(message)
    yield from files


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _check_options(kinds: Sequence[Format], arguments: argparse.Namespace) -> None:
    """Check that each option of a format belongs to a format of the files."""
    used = {option for kind in kinds for option in kind.options}
    for name in (*FLAGS, *LISTS, *CHOICES):
        if kinds and getattr(arguments, name) is not None and name not in used:
            got = ", ".join(sorted({kind.name for kind in kinds}))
            message = f"{_option(name)} is an option of {_owners(name)}. The format is {got}."
            raise ValueError(message)


def _read_source(
    source: str, kind: Format, arguments: argparse.Namespace, *, with_places: bool
) -> tuple[TreeSet, list[Place] | None]:
    """Read the trees of a file or of standard input; errors name it."""
    options: dict[str, Any] = {
        name: getattr(arguments, name)
        for name in kind.options
        if getattr(arguments, name) is not None
    }
    if "values" in kind.options:
        options["values"] = values_of(arguments)
    data = content_of(source)
    where = shown_source(source)
    if arguments.format is None and kind.name == "bracket" and not _is_named_bracket(source):
        better = json_format(data.decode("utf-8-sig", errors="replace"))
        if better is not None:
            message = (
                f"{where}: the text is JSON, not trees in brackets. Use --format {better}; "
                "--format bracket reads each line as a tree in brackets."
            )
            raise ValueError(message)
    try:
        places = kind.places(data, options) if with_places and kind.places else None
        return kind.read(data, options), places
    except ValueError as error:
        hint = ""
        if arguments.format is None and kind.name == "bracket":
            hint = " (read as bracket; --format names another format)"
        message = f"{where}: {error}{hint}"
        raise ValueError(message) from error


def content_of(source: str) -> bytes:
    """Return the content of a file or of standard input, which must not be empty."""
    if source != STDIN:
        return Path(source).read_bytes()
    if sys.stdin is None:
        message = "standard input is closed"
        raise ValueError(message)
    data = sys.stdin.buffer.read()
    if not data:
        message = "standard input is empty"
        raise ValueError(message)
    return data


def _is_named_bracket(source: str) -> bool:
    """Return whether the suffix says that a file is in brackets; any text can end in .txt."""
    return Path(source).suffix.lower() == ".bracket"


def json_format(text: str) -> str | None:
    """Return 'json' or 'jsonl' if a text is JSON, which brackets would read as trees of one node.

    An empty object is a tree in brackets: its label is empty.
    """
    text = text.strip()
    if not text.startswith(("{", "[")):
        return None
    line, whole = _json_value(text.splitlines()[0]), _json_value(text)
    if not line and not whole:
        return None
    is_record = isinstance(line, dict) and bool({"nodes", "bracket"} & line.keys())
    return "jsonl" if is_record or not whole else "json"


def _json_value(text: str) -> Any:
    """Return the object or list that a text is in JSON; None if it is neither."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def values_of(arguments: argparse.Namespace) -> bool:
    """Return whether labels hold values; by default they do, in every command and format.

    Files that differ in a name or a number are not equal, and a distance of 0 would say so.
    """
    return arguments.values is not False


def shown_source(source: str) -> str:
    """Return how messages call a file or standard input."""
    return "standard input" if source == STDIN else shown_path(source)


def shown_path(path: str) -> str:
    """Return a path as text that can be written; names of files need not be valid UTF-8."""
    return path.encode(errors="replace").decode()
