"""HTML tables: what counts as the table, its nodes and its cells in published metrics."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from treemetric import _core
from treemetric._base.extras import need
from treemetric._base.path_names import refuse_path
from treemetric._base.validation import refuse, shown

Normalize = Callable[[str], str]
# What `_core` needs of a preset: headers, plain, content.
Rules = tuple[str, bool, str]

VARIANTS = ("content", "structure", "emptiness")
_FULL_PAGE = re.compile(r"\s*<(?:html|!doctype)", re.IGNORECASE).match
_TAG = re.compile(r"[A-Za-z][\w.:-]*").fullmatch
# What libxml2 2.14 writes for characters that XML does not allow; other versions write them.
_REPLACED = b"&#xFFFD;"
_REPLACEMENTS = re.compile(rb"<!--.*?-->|" + _REPLACED, re.DOTALL)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_FULL_BYTES = re.compile(rb"\s*<(?:html|!doctype)", re.IGNORECASE).match


@dataclass(frozen=True)
class TablePreset:
    """The rules of one implementation of TEDS."""

    # The first table in the body, the first table anywhere, or all that lxml returns.
    finds: str
    # Whether th is a node like any other, a cell without content, or renamed to td.
    headers: str = "nodes"
    # Whether only rows and cells are nodes, white space is collapsed, and bad spans are 1.
    plain: bool = False
    # Whether the content of a cell is compared as text, tags included.
    characters: bool = False
    # What the score is divided by: elements below the root, the same and the root, or nodes.
    counts: str = "elements"
    # Whether scores are at least 0.
    clamps: bool = False
    # Whether the parser keeps comments.
    comments: bool = False
    # Whether an empty text is a missing table and no error; the score of two missing tables.
    accepts_empty: bool = True
    both_missing: float = 0.0

    def rules(self, variant: str) -> Rules:
        """Return the rules for the core."""
        content = {"structure": "dropped", "emptiness": "emptiness"}.get(variant, "tokens")
        if content == "tokens" and self.characters:
            content = "characters"
        return (self.headers, self.plain, content)


_PUBTABNET = TablePreset("body")
PRESETS = {
    "default": TablePreset(
        "first",
        headers="renamed",
        plain=True,
        counts="nodes",
        clamps=True,
        both_missing=1.0,
    ),
    "pubtabnet": _PUBTABNET,
    "omnidocbench": _PUBTABNET,
    "table_recognition_metric": TablePreset("body", counts="nodes"),
    "docling": TablePreset("root", headers="renamed", comments=True, accepts_empty=False),
    "parsebench": TablePreset(
        "first", headers="cells", characters=True, counts="with_root", clamps=True
    ),
}

_LOCAL = threading.local()
_WITHOUT_COMMENTS: dict[str, Any] = {"remove_comments": True, "encoding": "utf-8"}


def check_preset(preset: object, function: str) -> TablePreset:
    """Return the preset of a name."""
    if not isinstance(preset, str) or preset not in PRESETS:
        *names, last = map(repr, PRESETS)
        refuse("preset", function, f"{', '.join(names)} or {last}", shown(preset))
    return PRESETS[preset]


def check_variant(variant: object, function: str) -> str:
    """Check the name of a variant."""
    if not isinstance(variant, str) or variant not in VARIANTS:
        refuse("variant", function, "'content', 'structure' or 'emptiness'", shown(variant))
    return variant


def check_ignored(ignore_nodes: Iterable[str] | None, function: str) -> tuple[str, ...]:
    """Return the tags to ignore as a tuple."""
    if ignore_nodes is None:
        return ()
    must = "None or a list of tags, such as ['b', 'i']"
    if isinstance(ignore_nodes, str | bytes) or not isinstance(ignore_nodes, Iterable):
        refuse("ignore_nodes", function, must, shown(ignore_nodes))
    tags = tuple(ignore_nodes)
    for tag in tags:
        if not isinstance(tag, str) or not _TAG(tag):
            refuse("ignore_nodes", function, must, f"{shown(tag)} in it")
    # Tags of HTML are in lower case.
    return tuple(tag.lower() for tag in tags)


def check_normalize(normalize: object, function: str) -> None:
    """Check that a function or None is given."""
    if normalize is not None and not callable(normalize):
        refuse("normalize", function, "None or a callable", shown(normalize))


def is_empty(source: Any) -> bool:
    """Return whether there is nothing to parse."""
    return is_missing(source) or (isinstance(source, str | bytes) and not source)


def is_missing(source: Any) -> bool:
    """Return whether there is no table: None, or NaN, pd.NA and pd.NaT as in columns of pandas."""
    if source is None or type(source).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(source, float | np.floating) and bool(np.isnan(source))


def markup(
    source: Any, preset: TablePreset, ignored: tuple[str, ...], function: str
) -> bytes | None:
    """Return the table of a page as XML, None if it has none.

    ``source`` is the text of a page, the path of a file, or an element of lxml: a table, or a page
    that holds one.
    """
    lxml = need("lxml.etree", "html", function)
    if is_missing(source):
        source = ""
    if isinstance(source, os.PathLike):
        source = Path(source).read_bytes()
    if isinstance(source, str):
        # Two such names would be two empty tables, with the score 1.
        refuse_path(source, (".html", ".htm"), function)
    if isinstance(source, str | bytes):
        table = _parsed(source, preset, lxml)
    else:
        root = source.getroot() if hasattr(source, "getroot") else source
        if not isinstance(root, lxml._Element):
            kind = type(source).__name__
            many = ". Use teds_scores for many tables" if isinstance(source, list | tuple) else ""
            message = (
                f"a table of {function} must be a str, bytes, a path, None or an element of lxml; "
                f"got {kind}{many}"
            )
            raise TypeError(message)
        is_table = isinstance(root.tag, str) and lxml.QName(root).localname == "table"
        table = root if is_table else _found(root, preset)
        if table is not None:
            table = _plain(table, lxml, function)
            if not preset.comments:
                # The parser of an element may have kept comments.
                lxml.strip_tags(table, lxml.Comment)
    if table is None:
        return None
    if ignored:
        lxml.strip_tags(table, *ignored)
    found: bytes = lxml.tostring(table, encoding="utf-8", with_tail=False)
    return _with_controls(found, table, lxml) if _REPLACED in found else found


def bad_span(source: Any, preset: TablePreset, ignored: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the name and the value of the first span of a cell that is not a number."""
    found = None if is_empty(source) else markup(source, preset, ignored, "teds")
    if found is None:
        return None
    lxml = need("lxml.etree", "html", "teds")
    cells = ("td",) if preset.headers == "nodes" else ("td", "th")
    for cell in lxml.fromstring(found, lxml.XMLParser(recover=True)).iter(*cells):
        for name in ("colspan", "rowspan"):
            value: str = cell.get(name, "1")
            try:
                int(value)
            except ValueError:
                return name, value
    return None


def _with_controls(found: bytes, table: Any, lxml: Any) -> bytes:
    """Return the markup with the control characters, such as form feeds, that lxml replaced."""
    texts = []
    for event, element in lxml.iterwalk(table, events=("start", "end", "comment", "pi")):
        if event == "start":
            texts += [*element.attrib.values(), element.text or ""]
        elif element is not table:
            texts.append(element.tail or "")
    controls = iter(_CONTROLS.findall("".join(texts)))

    def restored(match: re.Match[bytes]) -> bytes:
        control = next(controls, None) if match[0] == _REPLACED else None
        return match[0] if control is None else b"&#%d;" % ord(control)

    return _REPLACEMENTS.sub(restored, found)


def _plain(table: Any, lxml: Any, function: str) -> Any:
    """Return a copy of a table whose tags are in no namespace, as in XHTML."""
    for entity in table.iter(lxml.Entity):
        message = (
            f"a table of {function} must not contain references that are not resolved; got "
            f"{entity.text}. Parse the page with lxml.html or with resolve_entities=True"
        )
        raise ValueError(message)
    table = deepcopy(table)
    for element in table.iter("{*}*"):
        if element.tag.startswith("{"):
            element.tag = lxml.QName(element).localname
    return table


def _parsed(source: str | bytes, preset: TablePreset, lxml: Any) -> Any:
    """Return the table of a text, parsed as `lxml.html.fromstring` does; None if there is none."""
    if preset.plain and isinstance(source, str):
        # lxml refuses text that declares an encoding; the parser knows that it is UTF-8.
        source = source.encode("utf-8", "replace")
    root = None
    full = _FULL_PAGE(source) if isinstance(source, str) else _FULL_BYTES(source)
    if full or preset.finds == "first":
        # Without the methods of HTML elements, which take time.
        try:
            root = lxml.fromstring(source, _parser(lxml, preset))
        except lxml.LxmlError:
            root = None
    if root is None:
        html = need("lxml.html", "html", "teds")
        options = {} if preset.comments else _WITHOUT_COMMENTS
        try:
            root = html.fromstring(source, parser=html.HTMLParser(**options))
        except lxml.LxmlError:
            if preset.plain:
                return None
            raise
    return _found(root, preset)


def _found(root: Any, preset: TablePreset) -> Any:
    if preset.finds == "root":
        return root
    if preset.finds == "first":
        return next(root.iter("{*}table"), None)
    for body in root.iterchildren("{*}body"):
        for table in body.iterchildren("{*}table"):
            return table
    return None


def _parser(lxml: Any, preset: TablePreset) -> Any:
    """Return a parser of this thread; two threads cannot use one parser at a time."""
    name = "with_comments" if preset.comments else "without_comments"
    parser = getattr(_LOCAL, name, None)
    if parser is None:
        parser = lxml.HTMLParser(**({} if preset.comments else _WITHOUT_COMMENTS))
        setattr(_LOCAL, name, parser)
    return parser


def tree_data(
    source: Any,
    preset: str,
    variant: str,
    ignore_nodes: Iterable[str] | None,
    normalize: Normalize | None,
) -> _core.TreeData:
    """Return the tree of a table."""
    name = "Tree.from_html_table"
    chosen = check_preset(preset, name)
    check_variant(variant, name)
    check_normalize(normalize, name)
    found = None
    if not is_empty(source):
        found = markup(source, chosen, check_ignored(ignore_nodes, name), name)
    if found is None:
        message = f"source of {name} must hold a table that the preset {preset!r} finds"
        raise ValueError(message)
    return _core.table_tree(found, chosen.rules(variant), normalize)[0]
