"""Sentiment on disk: what was learned is kept, so that a stopped run does not learn it again."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from treemetric._typing import FloatArray
from treemetric.experiments._files import read_json, same_settings, write_whole

Row = dict[str, Any]


class Kept:
    """The learned projections of a run, one for each way of learning.

    The folder is bound to the settings, the versions, the code and the data by ``settings.json``.
    """

    def __init__(self, folder: Path | None, settings: dict[str, Any]) -> None:
        self.folder = folder
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "settings.json"
        wanted = json.loads(json.dumps(settings))
        if file.exists():
            same_settings(folder, read_json(file), wanted)
        write_whole(file, json.dumps(wanted, indent=1) + "\n")

    def get(self, way: int) -> tuple[Row, FloatArray] | None:
        """Give what was learned in some way by an earlier run, or None."""
        if self.folder is None or not self._row(way).exists():
            return None
        try:
            projection = np.load(self._projection(way), allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            message = (
                f"{self._projection(way)} is missing or damaged ({error}). Remove "
                f"{self._row(way)} to have it learned again."
            )
            raise ValueError(message) from error
        return read_json(self._row(way)), projection

    def put(self, way: int, row: Row, projection: FloatArray) -> None:
        """Keep what was learned in some way."""
        if self.folder is None:
            return
        # The row comes last: it says that the projection is whole.
        save_whole(self._projection(way), projection)
        write_whole(self._row(way), json.dumps(row) + "\n")

    def _row(self, way: int) -> Path:
        assert self.folder is not None
        return self.folder / f"learned-{way}.json"

    def _projection(self, way: int) -> Path:
        assert self.folder is not None
        return self.folder / f"projection-{way}.npy"


def save_whole(path: Path, array: Any) -> None:
    """Save an array such that its file is whole or not there."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        np.save(file, array)
    part.replace(path)
