"""Newick: the parentheses of phylogenetics, ``(a:0.1,(b,c)d);``."""

from __future__ import annotations

import math
import re

from treemetric._base.typing import Label
from treemetric.convert.text import (
    build,
    check_text,
    fail,
    shown,
    single_root,
    token_start,
)
from treemetric.tree import Tree

# A quoted label, a comment, a mark, a bare label; the last branch takes what fits nowhere.
_TOKEN = re.compile(
    r"""'[^']*+(?:''[^']*+)*+' | \[[^\[\]]*+\] | [(),:;] | [^\s()\[\]',:;][^\s()\[\],:;]*+ | \S""",
    re.VERBOSE,
)
_LABEL_OR_BRACKET = re.compile(
    r"""'[^']*+(?:''[^']*+)*+' | [^\s()\[\]',:;][^\s()\[\],:;]*+ | [\[\]]""", re.VERBOSE
)
_BRACKET = re.compile(r"[\[\]]")
_BARE = re.compile(r"[^\s()\[\]',:;_][^\s()\[\]',:;_]*")

# What was read last. After a colon a length must follow, after the end nothing may.
_NOTHING, _CLOSED, _LABEL, _LENGTH, _COLON, _END = range(6)


def from_newick(text: str, *, lengths: bool = False, preserve_underscores: bool = False) -> Tree:
    r"""Read a tree in Newick format.

    Comments in square brackets are ignored, nested ones too. Labels in single quotes may
    hold any character, two quotes stand for one. The semicolon at the end may be missing.

    Parameters
    ----------
    text : str
        One tree.
    lengths : bool, default=False
        If True, labels are pairs ``(name, length)``, with None for a missing length.
    preserve_underscores : bool, default=False
        By the rules of the format an underscore in a label without quotes is a blank. If
        True, underscores stay.

    Returns
    -------
    Tree
        Nodes without a name have the label ``""``. Children are in the order of the text.

    Raises
    ------
    ValueError
        If the text is not one tree in Newick format; the message states the position.

    See Also
    --------
    to_newick : The way back.
    treemetric.Tree.sorted : A canonical order of children.

    Notes
    -----
    The children in a Newick text have no order, but the edit distance respects the order.
    Use `Tree.sorted` where two texts may write the same tree in different orders.

    Examples
    --------
    >>> from treemetric.convert import from_newick
    >>> from_newick("(Homo_sapiens,'it''s')r;").labels
    ('r', 'Homo sapiens', "it's")
    >>> from_newick("(a:0.5,b)r;", lengths=True).labels
    (('r', None), ('a', 0.5), ('b', None))
    """
    check_text(text, "from_newick")
    source = text if "[" not in text else _without_nested_comments(text)
    names, sizes, parents = _parse(source, preserve=preserve_underscores)
    if not lengths:
        return build(names, parents)
    values: list[float | None] = [None] * len(names)
    for node, size in sizes.items():
        values[node] = size
    return build(list(zip(names, values, strict=True)), parents)


def _parse(text: str, *, preserve: bool) -> tuple[list[str], dict[int, float], list[int]]:
    names, parents = [""], [-1]
    sizes: dict[int, float] = {}
    stack: list[int] = []
    node, parent, state = 0, -1, _NOTHING
    tokens = _TOKEN.findall(text)
    for index, token in enumerate(tokens):
        if token == ",":
            if parent < 0 or state >= _COLON:
                _refuse(text, index, token, state)
            node = len(names)
            names.append("")
            parents.append(parent)
            state = _NOTHING
        elif token == "(":
            if state != _NOTHING:
                _refuse(text, index, token, state)
            stack.append(parent)
            parent = node
            node = len(names)
            names.append("")
            parents.append(parent)
        elif token == ")":
            if parent < 0 or state >= _COLON:
                _refuse(text, index, token, state)
            node = parent
            parent = stack.pop()
            state = _CLOSED
        elif token == ":":
            if state > _LABEL:
                _refuse(text, index, token, state)
            state = _COLON
        elif token == ";":
            if parent >= 0 or state >= _COLON:
                _refuse(text, index, token, state)
            state = _END
        elif token[0] == "[" and len(token) > 1:
            continue
        elif state == _COLON:
            sizes[node] = _length(text, index, token)
            state = _LENGTH
        else:
            if state > _CLOSED or (len(token) == 1 and token in "'[]"):
                _refuse(text, index, token, state)
            if token[0] == "'":
                names[node] = token[1:-1].replace("''", "'")
            elif "_" in token and not preserve:
                names[node] = token.replace("_", " ")
            else:
                names[node] = token
            state = _LABEL
    if parent >= 0:
        count = len(stack)
        fail(text, len(text), f"the text ends inside {count} open parentheses")
    if state == _COLON:
        fail(text, len(text), "the text ends where a length must follow ':'")
    if state == _NOTHING:
        fail(text, len(text), "the text holds no tree")
    return names, sizes, parents


def _length(text: str, index: int, token: str) -> float:
    try:
        number = float(token)
    except ValueError:
        number = math.nan
    # Python takes "nan", "inf" and "1_000" for numbers; the format does not.
    if not math.isfinite(number) or "_" in token:
        _refuse(text, index, token, _COLON)
    return number


def _refuse(text: str, index: int, token: str, state: int) -> None:
    position = token_start(_TOKEN, text, index)
    if state == _END:
        message = f"text must be one tree, but {shown(token)} follows ';'"
    elif token in ("[", "]", "'"):
        what = {"[": "'[' is never closed", "]": "']' is never opened"}
        message = what.get(token, 'the quote "\'" is never closed or does not begin a label')
    elif state == _COLON:
        message = f"a length must follow ':', but there is {shown(token)}"
    elif token == ";":
        message = "';' stands inside parentheses"
    elif token in (",", ")"):
        message = f"{shown(token)} stands outside parentheses"
    elif token in ("(", ":"):
        message = f"{shown(token)} cannot follow a complete node"
    else:
        message = (
            f"{shown(token)} cannot follow a label or a length; labels with blanks need quotes"
        )
    fail(text, position, message)


def _without_nested_comments(text: str) -> str:
    """Overwrite nested comments by blanks, so that all positions stay."""
    pieces: list[str] = []
    end, start, depth, position = 0, 0, 0, 0
    nested = False
    while match := (_BRACKET if depth else _LABEL_OR_BRACKET).search(text, position):
        mark, position = match[0], match.end()
        if mark == "[":
            start = start if depth else match.start()
            nested = nested or depth > 0
            depth += 1
        elif mark == "]":
            depth -= 1
            if depth < 0:
                return text  # the parser states what is wrong
            if depth == 0:
                pieces += (text[end:start], re.sub(r"[^\n]", " ", text[start:position]))
                end = position
    if depth or not nested:
        return text
    return "".join((*pieces, text[end:]))


def to_newick(tree: Tree, *, lengths: bool = False) -> str:
    r"""Write a tree in Newick format.

    Parameters
    ----------
    tree : Tree
        A tree with one root.
    lengths : bool, default=False
        If True, labels are pairs ``(name, length)``; a length is a number or None.

    Returns
    -------
    str
        The text that `from_newick` reads back. Names are quoted where they must be.

    Raises
    ------
    TypeError
        If a name is not of type ``str`` or a length is no number.
    ValueError
        If there is not exactly one root, or a length is not finite.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.convert import to_newick
    >>> to_newick(Tree.from_bracket("{r{a b}{c{d}{it's}}}"))
    "('a b',(d,'it''s')c)r;"
    """
    single_root(tree, "to_newick")
    texts: dict[Label, str] = {}
    for label in tree._data.alphabet:
        texts[label] = _written(label, lengths=lengths)
    labels, parents = tree.labels, tree.parents.tolist()
    pieces: list[str] = []
    opened: list[int] = []
    for node in range(len(labels)):
        leaf = node + 1 == len(labels) or parents[node + 1] != node
        if not leaf:
            pieces.append("(")
            opened.append(node)
            continue
        pieces.append(texts[labels[node]])
        following = -1 if node + 1 == len(labels) else parents[node + 1]
        while opened and opened[-1] != following:
            pieces += (")", texts[labels[opened.pop()]])
        if opened:
            pieces.append(",")
    return "".join((*pieces, ";"))


def _written(label: Label, *, lengths: bool) -> str:
    name: object = label
    size: object = None
    if lengths:
        if not isinstance(label, tuple) or len(label) != 2:
            message = f"labels must be pairs (name, length) if lengths=True; got {label!r}"
            raise TypeError(message)
        name, size = label
    if not isinstance(name, str):
        message = f"Newick holds names of type str only; got {name!r} of type {type(name).__name__}"
        raise TypeError(message)
    plain = not name or _BARE.fullmatch(name)
    text = name if plain else "'" + name.replace("'", "''") + "'"
    if size is None:
        return text
    if isinstance(size, bool) or not isinstance(size, int | float):
        message = f"lengths must be numbers or None; got {size!r} of type {type(size).__name__}"
        raise TypeError(message)
    if not math.isfinite(size):
        message = f"lengths must be finite; got {size!r}"
        raise ValueError(message)
    return f"{text}:{float(size)!r}"
