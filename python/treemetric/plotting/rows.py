"""Named rows beside a vertical axis, in a font that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["font_that_fits", "height_of_rows", "name_rows", "soft_grid"]

# Points.
_LARGEST_FONT = 10.0
_SMALLEST_FONT = 5.0
_AROUND = 40.0
# Inches; a row in a font of readable size, and the title, axis and margins.
_ROW = 0.24
_FRAME = 1.2
_GREY = "#8c8c8c"


def height_of_rows(count: int) -> float:
    """Return the height of a new figure in inches."""
    return _FRAME + _ROW * max(count, 4)


def name_rows(ax: Axes, names: list[str]) -> None:
    """Name the rows 0, 1, ... from top to bottom; skip names if the smallest font does not fit."""
    figure = ax.get_figure()
    dpi = 72.0 if figure is None else figure.dpi
    # The title, the axis and its name take some of the height.
    height = ax.bbox.height * 72 / dpi
    row = max(0.3 * height, height - _AROUND) / max(1, len(names))
    step = int(np.ceil(_SMALLEST_FONT / row)) if row < _SMALLEST_FONT else 1
    size = min(_LARGEST_FONT, max(_SMALLEST_FONT, row * step * 0.9))
    ax.set_yticks(range(0, len(names), step), names[::step], fontsize=size)
    for label in ax.get_yticklabels():
        label.set_parse_math(False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def font_that_fits(ax: Axes, text: str) -> float:
    """Return a font size at which a text is not wider than the axes, if it is readable."""
    figure = ax.get_figure()
    dpi = 72.0 if figure is None else figure.dpi
    # Letters are about 0.55 times as wide as their font size; labels of rows take some width.
    longest = max(map(len, text.splitlines()))
    return min(_LARGEST_FONT, max(6.0, 0.8 * ax.bbox.width * 72 / dpi / (0.55 * longest)))


def soft_grid(ax: Axes, axis: str = "x") -> None:
    """Draw thin lines behind the data, and no frame on the right and at the top."""
    ax.grid(axis=axis, color=_GREY, linewidth=0.5, alpha=0.35)  # type: ignore[arg-type]
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
