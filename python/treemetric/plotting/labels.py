"""Names beside points, placed without overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treemetric.plotting.fonts import Typeface, typeface

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["place_labels"]

# Points; possible distances of a name from its dot, nearest first, and directions.
_REACHES = (2.0, 10.0, 20.0, 32.0, 46.0)
_ANGLES = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
_GUIDE = "#8c8c8c"

# An area, (left, bottom, right, top) in pixels.
_Box = NDArray[np.float64]


def place_labels(
    ax: Axes,
    points: NDArray[np.float64],
    radii: NDArray[np.float64],
    names: list[str],
    *,
    font_size: float = 9.0,
) -> list[bool]:
    """Write names beside points; earlier names choose their positions first.

    Each name takes the position that covers the smallest area of dots, nearest first. A
    position must not cover another name and must be inside the axes. A name without such
    a position is omitted.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes with their final limits.
    points : ndarray of shape (n, 2)
        Points in data coordinates; points with names come first.
    radii : ndarray of shape (n,)
        Radii of the dots in points.
    names : list of str
        Names of the first points; an empty name is not written.
    font_size : float, default=9.0
        Font size in points.

    Returns
    -------
    list of bool
        Whether each name was written.
    """
    face = typeface(names)
    names = [face.text(name) for name in names]
    pixels_per_point = _settle(ax)
    centres = np.asarray(ax.transData.transform(points), dtype=np.float64)
    reach = (radii * pixels_per_point)[:, None]
    dots: _Box = np.hstack([centres - reach, centres + reach])
    frame = np.array([ax.bbox.x0, ax.bbox.y0, ax.bbox.x1, ax.bbox.y1])
    taken: _Box = np.empty((0, 4))
    written = []
    for index, name in enumerate(names):
        size = _measure(ax, name, font_size, face) if name else np.zeros(2)
        offsets, far = _offsets(size, radii[index] * pixels_per_point, pixels_per_point)
        half = size / 2
        middle = centres[index] + offsets
        boxes = np.hstack([middle - half, middle + half])
        free = _overlap(boxes, taken).sum(axis=1) == 0
        free &= (boxes[:, :2] >= frame[:2]).all(axis=1) & (boxes[:, 2:] <= frame[2:]).all(axis=1)
        written.append(bool(name) and bool(free.any()))
        if not written[-1]:
            continue
        # One step further out is as bad as covering half of a small dot.
        bad = _overlap(boxes, dots).sum(axis=1) + far * (2.0 * pixels_per_point**2)
        best = int(np.argmin(np.where(free, bad, np.inf)))
        taken = np.vstack([taken, boxes[best]])
        _write(
            ax, points[index], name, offsets[best] / pixels_per_point, far[best], (font_size, face)
        )
    return written


def _settle(ax: Axes) -> float:
    """Lay out the figure, so that data have their final positions; return pixels per point."""
    figure = ax.get_figure()
    if figure is None:
        return 1.0
    # The canvas of a subfigure belongs to the outermost figure.
    whole = figure.canvas.figure
    whole.draw_without_rendering()
    return float(whole.dpi) / 72


def _measure(ax: Axes, name: str, font_size: float, face: Typeface) -> NDArray[np.float64]:
    text = ax.text(0, 0, name, fontsize=font_size, family=face.families, parse_math=False)
    box = text.get_window_extent()
    text.remove()
    return np.array([box.width, box.height])


def _offsets(
    size: NDArray[np.float64], radius: float, pixels_per_point: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return positions of the centre of a name around its dot, and their distances in points."""
    directions = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
    # Distance at which a name of this size touches the edge of the dot in a direction.
    with np.errstate(divide="ignore"):
        touch = np.min((size / 2 + radius) / np.abs(directions), axis=1)
    reaches = np.repeat(_REACHES, len(_ANGLES))
    steps = np.tile(touch, len(_REACHES)) + reaches * pixels_per_point
    return np.tile(directions, (len(_REACHES), 1)) * steps[:, None], reaches


def _overlap(boxes: _Box, others: _Box) -> NDArray[np.float64]:
    """Return the common area of each box with each of the others."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    sides = np.maximum(high - low, 0.0)
    common: NDArray[np.float64] = sides[..., 0] * sides[..., 1]
    return common


def _write(
    ax: Axes,
    point: NDArray[np.float64],
    name: str,
    offset: NDArray[np.float64],
    reach: float,
    font: tuple[float, Typeface],
) -> None:
    # A name away from its dot needs a line to the dot.
    line = {"arrowstyle": "-", "color": _GUIDE, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
    ax.annotate(
        name,
        (float(point[0]), float(point[1])),
        xytext=(float(offset[0]), float(offset[1])),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=font[0],
        family=font[1].families,
        parse_math=False,
        arrowprops=line if reach > _REACHES[0] else None,
    )
