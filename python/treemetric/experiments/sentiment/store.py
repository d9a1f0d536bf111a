"""Sentiment on disk: a stopped run continues with what it has learned and measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric._base.digest import digest
from treemetric._base.files import read_json, remove_parts, write_array, write_text
from treemetric._base.typing import FloatArray
from treemetric.experiments.common.provenance import check_settings

Row = dict[str, Any]
Projection = npt.NDArray[np.floating[Any]]
Indices = npt.NDArray[np.int64]

# Names of all files; temporary ones that a killed run left are removed.
_WRITTEN = (
    *("settings.json", "runs.json", "run.json", "results.csv", "table.md"),
    *("learned-*.json", "errors-*.json", "projection*.npy"),
)


class SentimentStore:
    """The learned projections of a run, one for each way of learning, and the measured errors.

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
            check_settings(folder, read_json(file), wanted)
        remove_parts(folder, *_WRITTEN)
        write_text(file, json.dumps(wanted, indent=1) + "\n")

    def get(self, way: int) -> tuple[Row, FloatArray] | None:
        """Return what an earlier run has learned in some way, or None."""
        if self.folder is None or not self._row(way).exists():
            return None
        try:
            projection = np.load(self._projection(way), allow_pickle=False)
        except MemoryError:
            raise
        except Exception as error:  # NumPy parses the header, also as Python
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
        # The row comes last: if it exists, the projection is complete.
        write_array(self._projection(way), projection)
        write_text(self._row(way), json.dumps(row) + "\n")

    def get_errors(
        self, classifier: str, when: str, projection: Projection | None
    ) -> tuple[Row, Indices] | None:
        """Return the errors and predictions that an earlier run has measured, or None."""
        if self.folder is None or not self._errors(classifier, when).exists():
            return None
        file = self._errors(classifier, when)
        there = read_json(file)
        if not isinstance(there, dict) or not {"row", "predictions", "projection"} <= there.keys():
            message = f"{file} is damaged (it has no errors). Remove it to have it made again."
            raise ValueError(message)
        # A projection that was removed and learned again may be another one.
        if there["projection"] != _digest(projection):
            return None
        return there["row"], np.array(there["predictions"], dtype=np.int64)

    def put_errors(self, row: Row, predictions: Indices, projection: Projection | None) -> None:
        """Keep the errors and predictions of a classifier under some costs."""
        if self.folder is None:
            return
        kept = {"row": row, "projection": _digest(projection), "predictions": predictions.tolist()}
        file = self._errors(row["classifier"], row["costs"])
        write_text(file, json.dumps(kept) + "\n")

    def _errors(self, classifier: str, when: str) -> Path:
        assert self.folder is not None
        return self.folder / f"errors-{when}-{classifier.replace(' ', '-')}.json"

    def _row(self, way: int) -> Path:
        assert self.folder is not None
        return self.folder / f"learned-{way}.json"

    def _projection(self, way: int) -> Path:
        assert self.folder is not None
        return self.folder / f"projection-{way}.npy"


def _digest(projection: Projection | None) -> str | None:
    """Return what identifies a projection."""
    return None if projection is None else digest(projection)
