"""Texts with differences, shortened so that the differences remain visible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from treemetric.plotting.lettering import letter_width

__all__ = ["Letters", "letters_of", "shortened", "width_of"]

# Letters of a text, and whether each of them changed.
Letters = list[tuple[str, bool]]

_MORE = "…"
# Letters of a difference that are shown before equal letters are.
_LEAST = 3


def letters_of(tokens: Sequence[str], changed: list[bool] | None) -> Letters:
    """Return the letters of a text; those that have no shape become spaces."""
    marks = [False] * len(tokens) if changed is None else changed
    return [
        (letter if letter.isprintable() else " ", mark)
        for token, mark in zip(tokens, marks, strict=True)
        for letter in token
    ]


def width_of(letters: Letters) -> int:
    """Return how many steps wide letters are."""
    return sum(letter_width(letter) for letter, _ in letters)


def shortened(letters: Letters, room: int) -> Letters:
    """Return letters that fit into `room` steps.

    Equal stretches are shortened in their middles, then stretches that differ. If there are too
    many of them, the end is omitted and its sign is marked as a difference.
    """
    room = max(room, 1)
    if width_of(letters) <= room:
        return letters
    runs = [list(run) for _, run in groupby(letters, key=lambda letter: letter[1])]
    full = [width_of(run) for run in runs]
    least = [min(width, _LEAST if run[0][1] else 1) for width, run in zip(full, runs, strict=True)]
    if sum(least) > room:
        kept = _head([letter for run in runs for letter in _cut(run, _LEAST)], room - 1)
        return [*kept, (_MORE, any(changed for _, changed in letters))]
    given = list(least)
    spare = room - sum(given)
    for changed in (True, False):
        open_runs = {at for at, run in enumerate(runs) if run[0][1] == changed}
        while spare and open_runs:
            at = min(open_runs, key=lambda at: (given[at], at))
            if given[at] >= full[at]:
                open_runs.remove(at)
                continue
            given[at] += 1
            spare -= 1
    return [letter for run, width in zip(runs, given, strict=True) for letter in _cut(run, width)]


def _cut(run: Letters, room: int) -> Letters:
    """Return a stretch without its middle."""
    if width_of(run) <= room:
        return run
    head = _head(run, room // 2)
    tail = _head(run[::-1], (room - 1) // 2)[::-1]
    return [*head, (_MORE, run[0][1]), *tail]


def _head(letters: Letters, room: int) -> Letters:
    """Return the first letters that fit."""
    used = 0
    for at, (letter, _) in enumerate(letters):
        used += letter_width(letter)
        if used > room:
            return letters[:at]
    return letters
