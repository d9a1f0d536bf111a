"""S-expressions and Penn Treebank brackets: ``(S (NP the cat) (VP sleeps))``."""

from __future__ import annotations

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

# An opening bracket takes the label that follows it along: fewer tokens, less time.
_PLAIN = re.compile(r"\(\s*+[^\s()]*+|\)|[^\s()]++")
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_ATOM = rf'(?:{_STRING}|[^\s()"]++)'
_QUOTED = re.compile(rf"\(\s*+{_ATOM}?+|\)|{_ATOM}|\S", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def from_sexpr(
    text: str, *, quotes: bool = False, remove_empty_top_bracketing: bool = False
) -> Tree:
    r"""Read a tree from an s-expression or from Penn Treebank brackets.

    A node is ``(label child ...)``; a leaf may be a bare label. All labels are text.

    Parameters
    ----------
    text : str
        One tree.
    quotes : bool, default=False
        If True, a label may be written in double quotes, and then hold blanks, brackets,
        ``\"`` and ``\\``. If False, quotes are characters as any others, which is what
        treebanks need.
    remove_empty_top_bracketing : bool, default=False
        If True, a root without a label and with one child is removed, as in
        ``( (S (NP ...)))``. The files of the Penn Treebank have such a root.

    Returns
    -------
    Tree
        The same tree as from ``nltk.Tree.fromstring``. A node without a label has the
        label ``""``.

    Raises
    ------
    ValueError
        If the text is not one tree; the message states the position.

    See Also
    --------
    to_sexpr : The way back.

    Examples
    --------
    >>> from treemetric.convert import from_sexpr
    >>> from_sexpr("(S (NP (DT the) (NN cat)) (VP sleeps))").to_bracket()
    '{S{NP{DT{the}}{NN{cat}}}{VP{sleeps}}}'
    >>> from_sexpr('(f "a b" ())', quotes=True).labels
    ('f', 'a b', '')
    """
    check_text(text, "from_sexpr")
    labels, parents = _parse(text, quotes=quotes)
    if remove_empty_top_bracketing and labels[0] == "" and parents.count(0) == 1:
        return build(labels[1:], [parent - 1 for parent in parents[1:]])
    return build(labels, parents)


def _parse(text: str, *, quotes: bool) -> tuple[list[str], list[int]]:
    pattern = _QUOTED if quotes else _PLAIN
    labels: list[str] = []
    parents: list[int] = []
    stack: list[int] = []
    parent = -1
    for index, token in enumerate(pattern.findall(text)):
        if token == ")":
            if parent < 0:
                _refuse(text, pattern, index, "')' has no matching '('")
            parent = stack.pop()
            continue
        opens = token[0] == "("
        if parent < 0 and (labels or not opens):
            what = "text must be one tree in brackets, but there is"
            _refuse(text, pattern, index, f"{what} {shown(token)}")
        parents.append(parent)
        if opens:
            stack.append(parent)
            parent = len(labels)
        label = token[1:].lstrip() if opens else token
        if quotes and '"' in label:
            if len(label) == 1:
                _refuse(text, pattern, index, "the quote '\"' is never closed")
            label = _ESCAPE.sub(r"\1", label[1:-1])
        labels.append(label)
    if parent >= 0:
        fail(text, len(text), f"the text ends inside {len(stack)} open brackets")
    if not labels:
        fail(text, len(text), "the text holds no tree")
    return labels, parents


def _refuse(text: str, pattern: re.Pattern[str], index: int, message: str) -> None:
    fail(text, token_start(pattern, text, index), message)


def to_sexpr(tree: Tree, *, quotes: bool = False) -> str:
    r"""Write a tree as an s-expression.

    Parameters
    ----------
    tree : Tree
        A tree with one root; its labels are of type ``str``.
    quotes : bool, default=False
        If True, labels with blanks, brackets, quotes or backslashes are written in double
        quotes. If False, labels with blanks or brackets are refused.

    Returns
    -------
    str
        The text that `from_sexpr` reads back, with the same `quotes`.

    Raises
    ------
    TypeError
        If a label is not of type ``str``.
    ValueError
        If there is not exactly one root, or a label needs quotes and `quotes` is False.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.convert import to_sexpr
    >>> to_sexpr(Tree.from_bracket("{S{NP{the}{cat}}{VP}}"))
    '(S (NP the cat) VP)'
    """
    single_root(tree, "to_sexpr")
    texts = {label: _written(label, quotes=quotes) for label in tree._data.alphabet}
    labels, parents = tree.labels, tree.parents.tolist()
    pieces: list[str] = []
    opened: list[int] = []
    for node, label in enumerate(labels):
        while opened and opened[-1] != parents[node]:
            opened.pop()
            pieces.append(")")
        text = texts[label]
        above = parents[node]
        leaf = node > 0 and (node + 1 == len(labels) or parents[node + 1] != node)
        # Without its brackets the first leaf below an empty label would be read as the label.
        if leaf and text and (node > above + 1 or texts[labels[above]]):
            pieces.append(f" {text}")
        else:
            pieces.append(f" ({text}" if node else f"({text}")
            opened.append(node)
    return "".join(pieces) + ")" * len(opened)


def _written(label: Label, *, quotes: bool) -> str:
    if not isinstance(label, str):
        message = (
            "s-expressions hold labels of type str only; "
            f"got {label!r} of type {type(label).__name__}"
        )
        raise TypeError(message)
    if quotes:
        if re.search(r'[\s()"\\]', label):
            return '"' + re.sub(r'(["\\])', r"\\\1", label) + '"'
    elif re.search(r"[\s()]", label):
        message = f"the label {shown(label)} needs quotes; set quotes=True"
        raise ValueError(message)
    return label
