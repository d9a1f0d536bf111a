"""The formats of trees that the command line reads: the only list of suffixes and readers.

A reader takes the bytes of a file and the options that the user gave, and returns its trees.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

from treemetric import convert
from treemetric._base.extras import need
from treemetric.cli.places import (
    Place,
    places_in_python,
    places_in_tree_sitter,
    span_in_bytes,
)
from treemetric.convert import pieces
from treemetric.convert.ast_nodes import decoded
from treemetric.treeset import TreeSet

if TYPE_CHECKING:
    from treemetric.tree import Tree

Options = dict[str, Any]


class Format(NamedTuple):
    """A format: its name, the suffixes of its files, its reader and the options of the reader.

    Formats of source code also find the lines of the nodes of the one tree of a file.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes, Options], TreeSet]
    options: tuple[str, ...] = ()
    places: Callable[[bytes, Options], list[Place]] | None = None


def _text(data: bytes) -> str:
    # Editors on Windows write a byte order mark.
    return data.decode("utf-8-sig")


def _bracket(data: bytes, options: Options) -> TreeSet:
    del options
    return TreeSet._of_bracket(_text(data))


def _jsonl(data: bytes, options: Options) -> TreeSet:
    del options
    return TreeSet._of_jsonl(_text(data))


def _python(data: bytes, options: Options) -> TreeSet:
    return TreeSet([convert.from_ast(decoded(data), **options)])


def _python_places(data: bytes, options: Options) -> list[Place]:
    return places_in_python(decoded(data), options)


def _json(data: bytes, options: Options) -> TreeSet:
    try:
        value = json.loads(data)
    except RecursionError:
        message = "the value is nested too deeply; Python's JSON parser limits the depth"
        raise ValueError(message) from None
    return TreeSet([convert.from_json(value, **options)])


def _xml(data: bytes, options: Options) -> TreeSet:
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    try:
        root = ET.fromstring(data, parser)
    except ET.ParseError as error:
        message = f"the file must be well-formed XML: {error}"
        raise ValueError(message) from None
    return TreeSet([convert.from_etree(root, **options)])


def _html(data: bytes, options: Options) -> TreeSet:
    return TreeSet([convert.from_html(data, **options)])


def _newick(data: bytes, options: Options) -> TreeSet:
    text = _text(data)
    return TreeSet(pieces.read(text, pieces.newick(text), partial(convert.from_newick, **options)))


def _sexpr(data: bytes, options: Options) -> TreeSet:
    text = _text(data)
    # Files of the Penn Treebank have brackets without a label around each sentence.
    reader = partial(convert.from_sexpr, remove_empty_top_bracketing=True, **options)
    return TreeSet(pieces.read(text, pieces.sexpr(text, **options), reader))


def _iupac(data: bytes, options: Options) -> TreeSet:
    text = _text(data)
    return TreeSet(pieces.read(text, pieces.lines(text), partial(convert.from_iupac, **options)))


def _dotbracket(data: bytes, options: Options) -> TreeSet:
    """Read structures, each on a line of its own, after an optional name and an optional sequence.

    An energy may follow the structure, as programs for folding write it.
    """
    text = _text(data)
    trees: list[Tree] = []
    names: list[str] = []
    name: str | None = None
    sequence: str | None = None
    for start, end in pieces.lines(text):
        line = text[start:end].strip()
        if line.startswith(">"):
            name, sequence = line[1:].strip(), None
        elif line[0].isalpha():
            sequence = line
        else:
            bases = sequence if options.get("values") else None
            structure = text[start:end].split(None, 1)[0]
            first = text.index(structure, start)
            reader = partial(convert.from_dotbracket, sequence=bases)
            trees += pieces.read(text, [(first, first + len(structure))], reader)
            names.append(str(len(names)) if name is None else name)
            name = sequence = None
    if not trees:
        message = "the file holds no structure at line 1"
        raise ValueError(message)
    return TreeSet(trees, ids=names)


def _tree_sitter(data: bytes, options: Options, *, language: str) -> TreeSet:
    return TreeSet([convert.from_tree_sitter(_syntax(data, language), **options)])


def _tree_sitter_places(data: bytes, options: Options, *, language: str) -> list[Place]:
    named = options.get("named", True)
    spans = convert.from_tree_sitter(_syntax(data, language), named=named, label=span_in_bytes)
    return places_in_tree_sitter(spans, data)


def _syntax(data: bytes, language: str) -> Any:
    """Parse source by the grammar of its language, which is a package of its own."""
    tree_sitter: Any = need("tree_sitter", "tree-sitter", f"The format {language}")
    module = f"tree_sitter_{language}"
    try:
        grammar: Any = importlib.import_module(module)
    except ImportError:
        package = module.replace("_", "-")
        message = f"The format {language} needs {module}: pip install {package}"
        raise ImportError(message) from None
    make = getattr(grammar, "language", None) or getattr(grammar, f"language_{language}")
    return tree_sitter.Parser(tree_sitter.Language(make())).parse(data)


# Languages of tree-sitter. Each has a package of its own.
LANGUAGES = {
    "bash": (".sh", ".bash"),
    "c": (".c", ".h"),
    "c_sharp": (".cs",),
    "cpp": (".cpp", ".cc", ".cxx", ".hpp"),
    "css": (".css",),
    "go": (".go",),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "php": (".php",),
    "ruby": (".rb",),
    "rust": (".rs",),
    "typescript": (".ts",),
}
_ELEMENTS = ("text", "attributes", "skip", "comments")

FORMATS = (
    Format("bracket", (".txt", ".bracket", ""), _bracket),
    Format("jsonl", (".jsonl", ".ndjson"), _jsonl),
    Format("python", (".py", ".pyi"), _python, ("context", "values"), _python_places),
    Format("json", (".json",), _json, ("sort_keys", "values")),
    Format("xml", (".xml", ".svg", ".xhtml"), _xml, _ELEMENTS),
    Format("html", (".html", ".htm"), _html, _ELEMENTS),
    Format(
        "newick",
        (".nwk", ".newick", ".tre", ".tree", ".nhx"),
        _newick,
        ("lengths", "preserve_underscores"),
    ),
    Format("sexpr", (".sexpr", ".sexp", ".mrg", ".ptb"), _sexpr, ("quotes",)),
    Format("dotbracket", (".dbn", ".db", ".vienna"), _dotbracket, ("values",)),
    Format("iupac", (".iupac",), _iupac, ("bonds",)),
    *(
        Format(
            name,
            suffixes,
            partial(_tree_sitter, language=name),
            ("named", "fields", "values"),
            partial(_tree_sitter_places, language=name),
        )
        for name, suffixes in LANGUAGES.items()
    ),
)
BY_NAME = {kind.name: kind for kind in FORMATS}
BY_SUFFIX = {suffix: kind for kind in FORMATS for suffix in kind.suffixes}


def format_of(path: PurePath) -> Format:
    """Return the format of a file by its suffix."""
    found = BY_SUFFIX.get(path.suffix.lower())
    if found is None:
        message = (
            f"{path}: the suffix {path.suffix} belongs to no format. Name the format by --format, "
            f"one of {', '.join(BY_NAME)}."
        )
        raise ValueError(message)
    return found
