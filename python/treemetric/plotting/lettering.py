"""Letters as outlines on a grid of equal steps.

matplotlib rounds the steps between letters to whole pixels, so the width of a text depends on the
resolution at which a figure is saved. Outlines in data coordinates keep their places at any
resolution, and letters that no font has are drawn as boxes without a warning.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from unicodedata import category, east_asian_width

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.path import Path

__all__ = ["STEP", "Lettering", "letter_width", "text_width"]

# DejaVu Sans Mono is part of matplotlib. All its letters have this width, in font sizes.
_FONT = "DejaVu Sans Mono"
STEP = 1233 / 2048
# Half of the height of capital letters in font sizes, and of small letters with their stems.
_MIDDLE = 0.34
# This font has a box for every letter that exists.
_BOXES = "lastresort"


def letter_width(letter: str) -> int:
    """Return how many steps wide a letter is: 2 for Chinese, 0 for an accent of its own."""
    if category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1


def text_width(text: str) -> int:
    """Return how many steps wide a text is."""
    return len(text) if text.isascii() else sum(map(letter_width, text))


class Lettering:
    """Outlines of letters.

    Parameters
    ----------
    letters : iterable of str
        All letters that are to be drawn.
    row : float
        Vertical length of the data in font sizes; a horizontal length of 1 is one step.
    """

    def __init__(self, letters: Iterable[str], row: float) -> None:
        self.row = row
        drawn = {letter for letter in letters if not letter.isspace()}
        self._shapes = {
            letter: _shape(letter, file) for letter, file in sorted(_fonts(drawn).items())
        }

    def outline(self, text: str, x: float, y: float, *, size: float = 1.0) -> Path:
        """Return the outline of a text that begins at `x` and is centred on `y`."""
        from matplotlib.path import Path

        scale = np.array([size / STEP, -size / self.row])
        baseline = y + size * _MIDDLE / self.row
        vertices, codes = [np.empty((0, 2))], [np.empty(0, dtype=Path.code_type)]
        at = x
        for letter in text:
            width = letter_width(letter)
            if letter in self._shapes:
                corners, kinds = self._shapes[letter]
                # An accent goes over the letter before it.
                start = at if width else at - size
                vertices.append(corners * scale + (start, baseline))
                codes.append(kinds)
            at += size * width
        return Path(np.concatenate(vertices), np.concatenate(codes))


def _fonts(letters: set[str]) -> dict[str, str | None]:
    """Return the file of a font for each letter, or None if no font has it."""
    from matplotlib.font_manager import fontManager, get_font

    usual = str(fontManager.findfont(_FONT))
    found: dict[str, str | None] = dict.fromkeys(letters)
    missing = set(letters)
    others = sorted(fontManager.ttflist, key=lambda f: (f.style != "normal", f.weight != 400))
    for file in (usual, *(other.fname for other in others)):
        if not missing:
            break
        if _BOXES in str(file).lower():
            continue
        try:
            font = get_font(str(file))
        except (OSError, RuntimeError):
            # A font may be removed, or be of a kind that this matplotlib does not read.
            continue
        has = {letter for letter in missing if font.get_char_index(ord(letter))}
        found |= dict.fromkeys(has, str(file))
        missing -= has
    return found


def _shape(letter: str, file: str | None) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the corners of a letter in font sizes, and what joins them."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.textpath import TextPath

    room = max(letter_width(letter), 1) * STEP
    if file is not None:
        try:
            # An accent that follows nothing would be drawn on a dotted circle.
            text = letter if letter_width(letter) else f"\u00a0{letter}"
            path = TextPath((0, 0), text, size=1, prop=FontProperties(fname=file))
        except RuntimeError:
            # Colour fonts have pictures instead of outlines.
            return _shape(letter, None)
        corners = np.array(path.vertices, dtype=np.float64).reshape(-1, 2)
        # The corners that close a loop are not used, and are not on the letter.
        closing = np.flatnonzero(np.asarray(path.codes) == Path.CLOSEPOLY)
        corners[closing] = corners[closing - 1]
        alone = letter_width(letter) and _FONT.replace(" ", "") in file
        if len(corners) and not alone:
            # Accents, and letters of other fonts, which are not of one width, are centred and, if
            # they are wide, squeezed.
            low, high = corners[:, 0].min(), corners[:, 0].max()
            narrow = min(1.0, 0.95 * room / max(high - low, 1e-9))
            corners[:, 0] = (corners[:, 0] - (low + high) / 2) * narrow + room / 2
        return corners, np.asarray(path.codes, dtype=Path.code_type)
    outer = np.array([[0.08, 0.0], [room - 0.08, 0.0], [room - 0.08, 0.7], [0.08, 0.7]])
    inner = np.array([[0.13, 0.05], [0.13, 0.65], [room - 0.13, 0.65], [room - 0.13, 0.05]])
    codes = np.array([Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY], dtype=Path.code_type)
    frame = np.concatenate([outer, outer[:1], inner, inner[:1]])
    return frame, np.concatenate([codes, codes])
