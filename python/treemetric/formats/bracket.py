"""Bracket files: one tree per line, ``{a{b}{c}}``."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from treemetric import _core
from treemetric._base.files import write_text
from treemetric._base.typing import IntArray, Label, OffsetArray, Path

if TYPE_CHECKING:
    from treemetric.treeset import TreeSet


def parse(text: str) -> tuple[tuple[Label, ...], IntArray, IntArray, OffsetArray]:
    """Return alphabet, codes, parents and offsets."""
    alphabet, codes, parents, offsets = _core.read_bracket(text)
    return tuple(alphabet), codes, parents, offsets


def write(trees: TreeSet, path: Path) -> None:
    """Write one line per tree."""
    for label in trees.alphabet:
        if not isinstance(label, str):
            message = (
                "Labels in bracket notation must be of type str. Got the label "
                f"{label!r} of type {type(label).__name__}. Use JSON Lines instead."
            )
            raise TypeError(message)
    text = _core.write_bracket(list(trees.alphabet), trees.codes, trees.parents, trees.offsets)
    write_text(FilePath(path), text)
