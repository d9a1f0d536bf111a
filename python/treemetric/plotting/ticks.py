"""Names beside the rows and columns of a heat map, as many as can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treemetric.plotting.fonts import typeface
from treemetric.plotting.lettering import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LARGEST_FIGURE", "name_cells", "row_height", "side_for"]

# Points.
_LARGEST_FONT = 10.0
_SMALLEST_FONT = 5.0
# Inches: size of a cell whose name is in a small but legible font, and of the largest figure.
_CELL = 0.14
LARGEST_FIGURE = 12.0
# Letters are about 0.6 times as wide as their font size.
_LETTER = 0.6


def side_for(count: int, least: float, names: Sequence[str] = ()) -> float:
    """Return the side of a new figure, in inches, for this number of named rows.

    Long names get room of their own, or they would leave little for a small heat map.
    """
    rows = 2.0 + _CELL * count
    longest = max(map(text_width, names), default=0)
    room = max(0.0, longest * _LETTER * _LARGEST_FONT / 72 - 1.0)
    return min(max(least + room, rows), LARGEST_FIGURE)


def row_height(ax: Axes) -> float:
    """Return about how many points a row will have beside the colour bar and the names."""
    figure = ax.get_figure()
    dpi = 72.0 if figure is None else figure.dpi
    low, high = sorted(ax.get_ylim())
    return float(0.8 * min(ax.bbox.width, ax.bbox.height) * 72 / dpi / max(high - low, 1e-9))


def name_cells(
    ax: Axes,
    positions: Sequence[float],
    names: Sequence[str],
    *,
    colors: Sequence[Any] | None = None,
    last_in_italics: bool = False,
) -> None:
    """Put names beside rows and columns; skip names that would overlap.

    The last name is always drawn if it is in italics.
    """
    places = np.asarray(positions, dtype=np.float64) * row_height(ax)
    gap = float(np.median(np.diff(places))) if len(places) > 1 else np.inf
    size = min(_LARGEST_FONT, max(_SMALLEST_FONT, 0.9 * gap))
    kept = _apart(places, size, last_in_italics=last_in_italics)
    face = typeface([names[at] for at in kept])
    texts = [face.text(names[at]) for at in kept]
    steps = np.diff(places[kept])
    room = float(steps.min()) if len(steps) else np.inf
    upright = max(map(text_width, texts), default=0) * _LETTER * size < 0.9 * room
    ticks = [positions[at] for at in kept]
    ax.set_xticks(ticks, texts, rotation=0 if upright else 90, fontsize=size)
    ax.set_yticks(ticks, texts, fontsize=size)
    ax.tick_params(length=0)
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        for label, at in zip(labels, kept, strict=True):
            label.set_parse_math(False)
            label.set_fontfamily(face.families)
            if colors is not None:
                label.set_color(colors[at])
        if last_in_italics and labels:
            labels[-1].set_fontstyle("italic")


def _apart(places: Any, size: float, *, last_in_italics: bool) -> list[int]:
    """Return which names are drawn: every second, third, ... of those that are too close."""
    count = len(places)
    gaps = np.diff(places)
    if count > 2 and np.ptp(gaps) < 1e-6 and gaps[0] > 0:
        # Regular rows are skipped regularly.
        step = max(1, int(np.ceil(size / gaps[0] - 1e-9)))
        kept = list(range(0, count, step))
        if last_in_italics:
            kept = [at for at in kept if count - 1 - at >= step] + [count - 1]
        return kept
    kept = []
    for at, place in enumerate(places):
        if not kept or place - places[kept[-1]] >= size:
            kept.append(at)
    return kept
