"""Files with several trees: where each tree begins and ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from treemetric.tree import Tree

Spans = Iterable[tuple[int, int]]

_LINE = re.compile(r"[^\r\n]+")
# As in `newick.py`; a quote inside a bare label is a plain character.
_NEWICK = re.compile(
    r"""'[^']*+(?:''[^']*+)*+' | [\[\];] | [^\s()\[\]',:;][^\s()\[\],:;]*+ | \S""", re.VERBOSE
)
_BRACKET = re.compile(r"[\[\]]")
_SEXPR = re.compile(r"[()]|[^\s()]++")
_SEXPR_QUOTED = re.compile(r'[()]|"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[^\s()"]++', re.DOTALL)


def lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each line that is not blank."""
    return (line.span() for line in _LINE.finditer(text) if line[0].strip())


def newick(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each tree in Newick format: it ends with its semicolon."""
    start, position, depth, filled = 0, 0, 0, False
    # Inside a comment only brackets count.
    while match := (_BRACKET if depth else _NEWICK).search(text, position):
        mark, position = match[0], match.end()
        if mark == "[":
            depth += 1
        elif mark == "]" and depth:
            depth -= 1
        elif mark == ";":
            yield start, position
            start, filled = position, False
        else:
            filled = True
    if filled or depth:
        yield start, len(text)


def sexpr(text: str, *, quotes: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the place of each s-expression: it ends with the bracket that closes its first one."""
    start, depth = 0, 0
    for match in (_SEXPR_QUOTED if quotes else _SEXPR).finditer(text):
        depth += (match[0] == "(") - (match[0] == ")")
        if depth <= 0:
            yield start, match.end()
            start, depth = match.end(), 0
    if text[start:].strip():
        yield start, len(text)


def read(text: str, spans: Spans, reader: Callable[[str], Tree]) -> list[Tree]:
    """Read each piece of a text; errors state the position in the whole text."""
    trees = []
    for start, end in spans:
        try:
            trees.append(reader(text[start:end]))
        except ValueError:
            # Blanks in the place of what comes before the piece leave positions as they are.
            reader(re.sub(r"[^\n]", " ", text[:start]) + text[start:end])
            raise
    return trees or [reader(text)]
