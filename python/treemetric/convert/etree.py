"""XML and HTML: elements of ``xml.etree`` and of lxml."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from treemetric._base.doors import of_class, with_type
from treemetric._base.extras import need
from treemetric._base.path_names import refuse_path
from treemetric._base.typing import Label
from treemetric.convert.cycles import MANY, refuse_cycles
from treemetric.convert.text import build, encoded
from treemetric.tree import Tree


def from_etree(
    element: Any,
    *,
    text: bool = False,
    attributes: Iterable[str] = (),
    skip: Iterable[str] = (),
    comments: bool = False,
    label: Callable[[Any], Label] | None = None,
) -> Tree:
    """Make a tree of an element of ``xml.etree.ElementTree`` or of lxml.

    Processing instructions and entities are left out.

    Parameters
    ----------
    element : Element or ElementTree
        The root.
    text : bool, default=False
        If True, each piece of text is a leaf ``("#text", text)``, without white space
        around it. Text of white space only is left out.
    attributes : iterable of str, default=()
        Names of attributes. If there are any, the label of an element is
        ``(tag, value, ...)``, with None where it lacks the attribute.
    skip : iterable of str, default=()
        Tags that are left out together with everything inside.
    comments : bool, default=False
        If True, each comment is a leaf ``("#comment", text)``, without white space around
        it. The parser of ``xml.etree`` drops comments by default.
    label : callable, optional
        ``label(element)`` returns the label of an element, in place of its tag and
        attributes.

    Returns
    -------
    Tree
        By default the labels are the tags, with the namespace in braces: ``"{uri}name"``.

    Raises
    ------
    ValueError
        If the root is a comment or is skipped, or an element contains itself.

    See Also
    --------
    from_html : Read the text of an HTML page.

    Examples
    --------
    >>> from xml.etree import ElementTree
    >>> from treemetric.convert import from_etree
    >>> root = ElementTree.fromstring('<a><b/>t<c x="1">u</c></a>')
    >>> from_etree(root).to_bracket()
    '{a{b}{c}}'
    >>> from_etree(root, text=True, attributes=["x"]).labels
    (('a', None), ('b', None), ('#text', 't'), ('c', '1'), ('#text', 'u'))
    """
    root = _root(element)
    names = _names(attributes, "attributes")
    skipped = frozenset(_names(skip, "skip"))
    if not isinstance(_tag(root), str) or _tag(root) in skipped:
        message = f"the root must be an element that is not skipped; got {_tag(root)!r}"
        raise ValueError(message)
    return build(*_walk(root, names, skipped, label, text=text, comments=comments))


def _root(element: Any) -> Any:
    """Return the root; refuse anything that is no element."""
    # A tag of Beautiful Soup has any attribute, with the value None.
    if not callable(getattr(element, "find_all", None)):
        root = element.getroot() if hasattr(element, "getroot") else element
        if hasattr(root, "tag") and hasattr(root, "tail"):
            return root
    message = (
        "element of from_etree must be an element of xml.etree or lxml; "
        f"got {with_type(element)}. {of_class(element)}"
    )
    raise TypeError(message.rstrip(". ") + ".")


def _walk(
    root: Any,
    names: tuple[str, ...],
    skipped: frozenset[str],
    label: Callable[[Any], Label] | None,
    *,
    text: bool,
    comments: bool,
) -> tuple[list[Label], list[int]]:
    labels: list[Label] = []
    parents: list[int] = []
    stack: list[Any] = [root]
    above = [-1]
    while stack:
        item = stack.pop()
        parent = above.pop()
        if type(item) is tuple:
            labels.append(item)
            parents.append(parent)
            continue
        tag = item.tag
        if type(tag) is not str:
            tag = _tag(item)
            if not isinstance(tag, str):
                continue
        node = len(labels)
        if node == MANY:
            refuse_cycles(root, list, "element")
        if label is not None:
            labels.append(label(item))
        elif names:
            labels.append((tag, *(item.get(name) for name in names)))
        else:
            labels.append(tag)
        parents.append(parent)
        below = list(item)
        if text or skipped or comments:
            below = _content(item, below, skipped, text=text, comments=comments)
        if below:
            below.reverse()
            stack += below
            above += [node] * len(below)
    return labels, parents


def _content(
    element: Any, children: list[Any], skipped: frozenset[str], *, text: bool, comments: bool
) -> list[Any]:
    """Return what is in an element, in order: elements, and labels of leaves."""
    content: list[Any] = []
    if text and element.text and (piece := element.text.strip()):
        content.append(("#text", piece))
    for child in children:
        tag = _tag(child)
        if isinstance(tag, str):
            if tag not in skipped:
                content.append(child)
        elif comments and getattr(tag, "__name__", "") == "Comment":
            content.append(("#comment", (child.text or "").strip()))
        if text and child.tail and (piece := child.tail.strip()):
            content.append(("#text", piece))
    return content


def _tag(element: Any) -> Any:
    """Return the tag, text for an element and a function for a comment."""
    tag = element.tag
    # A qualified name of xml.etree or lxml.
    return tag.text if hasattr(tag, "text") and not isinstance(tag, str) else tag


def _names(names: Iterable[str], parameter: str) -> tuple[str, ...]:
    if isinstance(names, str):
        message = f"{parameter} must be an iterable of names; got the text {names!r}"
        raise TypeError(message)
    return tuple(names)


def from_html(
    source: str | bytes | os.PathLike[str],
    /,
    *,
    text: bool = False,
    attributes: Iterable[str] = (),
    skip: Iterable[str] = (),
    comments: bool = False,
    label: Callable[[Any], Label] | None = None,
) -> Tree:
    """Read an HTML page; needs lxml.

    Parameters
    ----------
    source : str, bytes or path
        The page, or a piece of one, or the path of a file, as a ``pathlib.Path``. For bytes and
        files the encoding is that of the page.
    text : bool, default=False
        If True, each piece of text is a leaf ``("#text", text)``, as in `from_etree`.
    attributes : iterable of str, default=()
        Names of attributes that belong to the labels, as in `from_etree`.
    skip : iterable of str, default=()
        Tags that are left out together with everything inside, such as "script".
    comments : bool, default=False
        If True, each comment is a leaf ``("#comment", text)``.
    label : callable, optional
        ``label(element)`` returns the label of an element.

    Returns
    -------
    Tree
        Its root is ``"html"``: the parser adds the elements ``html`` and ``body`` if they
        are missing, as browsers do. Use `from_etree` with a part of the page to avoid it.

    Raises
    ------
    ImportError
        If lxml is not installed.
    ValueError
        If there is no element, or elements are nested deeper than lxml reads, about 2,000
        levels. (By itself lxml cuts pages at 254 levels without a warning.)

    See Also
    --------
    from_etree : Make a tree of a parsed page.

    Examples
    --------
    >>> from treemetric.convert import from_html
    >>> from_html("<p>one<p>two").to_bracket()  # doctest: +SKIP
    '{html{body{p}{p}}}'
    """
    if isinstance(source, os.PathLike):
        source = Path(source).read_bytes()
    if not isinstance(source, str | bytes):
        kind = type(source).__name__
        message = f"source of from_html must be of type str, bytes or a path; got {kind}"
        raise TypeError(message)
    if isinstance(source, str):
        refuse_path(source, (".html", ".htm"), "from_html")
    lxml = need("lxml.etree", "html", "from_html")
    encoding = "utf-8" if isinstance(source, str) else None
    # Text goes in as bytes: lxml refuses text that declares an encoding.
    data = encoded(source) if isinstance(source, str) else source
    parser = lxml.HTMLParser(encoding=encoding, huge_tree=True)
    try:
        root = lxml.fromstring(data, parser)
    except lxml.XMLSyntaxError as error:
        line, column = error.position
        message = f"source cannot be read: {error.msg} at line {line}, column {column}"
        raise ValueError(message) from None
    for entry in parser.error_log:
        if entry.type_name == "ERR_RESOURCE_LIMIT":
            message = f"source is too deep or too large for lxml: {entry.message}"
            message = f"{message} at line {entry.line}, column {entry.column}"
            raise ValueError(message)
    if root is None:
        message = f"source must hold an element; got {len(data)} bytes without one at line 1"
        raise ValueError(message)
    return from_etree(
        root, text=text, attributes=attributes, skip=skip, comments=comments, label=label
    )
