"""What the readers of text share: checks of the argument, positions and the finished tree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

from treemetric._base.typing import Label
from treemetric.tree import Tree

_SHOWN = 30


def check_text(text: object, function: str) -> str:
    """Check that the argument of a reader is text."""
    if not isinstance(text, str):
        message = f"text of {function} must be of type str; got {type(text).__name__}"
        raise TypeError(message)
    return text


def fail(text: str, position: int, message: str) -> NoReturn:
    """Raise an error that states the line and the column of a position, both from 1."""
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    message = f"{message} at line {line}, column {column}"
    raise ValueError(message)


def encoded(text: str) -> bytes:
    """Return the text in UTF-8, or raise an error that states where this is impossible."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        what = shown(text[error.start])
        fail(text, error.start, f"text must not hold surrogates; there is {what}")


def shown(token: str) -> str:
    """Quote a piece of the input for a message, shortened."""
    return repr(token if len(token) <= _SHOWN else token[:_SHOWN] + "…")


def token_start(pattern: re.Pattern[str], text: str, index: int) -> int:
    """Return the position of a token.

    The readers tokenise with `findall`, which is twice as fast as `finditer`; positions are
    needed for messages only, so that they are found by a second pass.
    """
    for count, match in enumerate(pattern.finditer(text)):
        if count == index:
            return match.start()
    return len(text)


def build(labels: Sequence[Label], parents: Sequence[int]) -> Tree:
    """Return the tree of labels and parents that are known to be in preorder."""
    return Tree.from_parents(labels, list(parents))


def single_root(tree: Tree, function: str) -> None:
    """Check that a tree can be written in a format of one root."""
    if not isinstance(tree, Tree):
        message = (
            f"tree of {function} must be an instance of 'treemetric.Tree'; "
            f"got {type(tree).__name__}"
        )
        raise TypeError(message)
    count = len(tree.roots)
    if count != 1:
        message = f"tree of {function} must have exactly one root; got {count} roots"
        raise ValueError(message)
