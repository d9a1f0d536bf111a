"""Fonts for labels in any script: the usual font first, then others of the system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

__all__ = ["Typeface", "typeface"]

# A letter that matplotlib's own font has, in place of letters that no font has.
_MISSING = "□"
# This font of matplotlib has a box for every letter.
_BOXES = "last resort"


class Typeface(NamedTuple):
    """Families of fonts, in the order of preference, and letters that none of them has."""

    families: list[str]
    missing: frozenset[str]

    def text(self, text: str) -> str:
        """Return a text whose letters can be drawn."""
        if self.missing.isdisjoint(text):
            return text
        return "".join(_MISSING if letter in self.missing else letter for letter in text)


def typeface(texts: Iterable[str], base: Sequence[str] | None = None) -> Typeface:
    """Return the families with which texts can be drawn; by default those of the style first."""
    import matplotlib as mpl

    families = list(base or mpl.rcParams["font.family"])
    letters = {letter for text in texts for letter in text if not letter.isspace()}
    missing = _without(frozenset(letters), _files(tuple(families)))
    if missing:
        for family, file in _others():
            has = missing - _without(missing, (file,))
            if has:
                families.append(family)
                missing -= has
            if not missing:
                break
    return Typeface(families, missing)


def _files(families: tuple[str, ...]) -> tuple[str, ...]:
    from matplotlib.font_manager import FontProperties, fontManager

    found = []
    for family in families:
        try:
            found.append(str(fontManager.findfont(FontProperties(family=[family]))))
        except ValueError:
            continue
    return tuple(found)


def _others() -> list[tuple[str, str]]:
    """Return the families of the system and their files, upright and regular ones first."""
    from matplotlib.font_manager import fontManager

    entries = sorted(
        fontManager.ttflist, key=lambda f: (f.style != "normal", f.weight != 400, f.name)
    )
    return [(f.name, str(f.fname)) for f in entries if _BOXES not in f.name.lower()]


def _without(letters: frozenset[str], files: Sequence[str]) -> frozenset[str]:
    """Return the letters that no font of the files has."""
    for file in files:
        known = _letters_of(file)
        letters = frozenset(letter for letter in letters if ord(letter) not in known)
    return letters


@cache
def _letters_of(file: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    try:
        return frozenset(get_font(file).get_charmap())
    except (OSError, RuntimeError):
        # A font may be removed, or be of a kind that this matplotlib does not read.
        return frozenset()
