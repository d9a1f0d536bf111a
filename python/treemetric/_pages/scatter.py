"""A map of points that a script draws, with names under the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Points", "scatter_data"]

_LONGEST_NAME = 300


class Points(NamedTuple):
    """Points in the plane, their names and classes, and a text about each, if any."""

    places: NDArray[np.float64]
    names: Sequence[str]
    classes: Sequence[str]
    codes: Sequence[int]
    notes: Sequence[str] | None = None


def scatter_data(title: str, note: str, points: Points) -> dict[str, Any]:
    """Return what the script ``map.js`` needs; places are centred."""
    places = np.asarray(points.places, dtype=np.float64).reshape(-1, 2)
    low, high = (f(places, axis=0, initial=0.0) for f in (np.min, np.max))
    if len(places):
        low, high = places.min(axis=0), places.max(axis=0)
    centred = places - (low + high) / 2
    extent = np.where(high > low, high - low, 1.0)
    # Four digits more than a screen can show.
    digits = np.round(centred / extent.max(), 7)
    data: dict[str, Any] = {
        "title": title,
        "note": note,
        "x": digits[:, 0].tolist(),
        "y": digits[:, 1].tolist(),
        "extent": (extent / extent.max()).tolist(),
        "names": [str(name)[:_LONGEST_NAME] for name in points.names],
        "classes": [str(name)[:_LONGEST_NAME] for name in points.classes],
        "codes": [int(code) for code in points.codes],
    }
    if points.notes is not None:
        data["notes"] = list(points.notes)
    return data
