"""Finished cells on disk: one small file each, so that a killed run goes on where it was."""

import json
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from treemetric.experiments._data import DataSet
from treemetric.experiments._plan import Plan

# Raised when the form of the files changes.
_FORM = 1
_PACKAGES = ("treemetric", "numpy", "scipy", "scikit-learn")

Cell = dict[str, Any]
CellKey = tuple[str, int, str]  # data set, fold, variant


def versions() -> dict[str, str]:
    """Give the versions on which numbers depend."""
    return {name: version(name) for name in _PACKAGES}


def write_whole(path: Path, text: str) -> None:
    """Write a file such that it is there as a whole or not at all, also after SIGKILL."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


class Store:
    """The folder of a run: ``settings.json``, and finished cells in ``cells``.

    Cells depend on the settings, the versions and the data, so a folder is bound to them.
    Variants and data sets may be added later.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cells = folder / "cells"
        self._file = folder / "settings.json"

    def open(self, plan: Plan, seed: int, data: Iterable[DataSet]) -> None:
        """Bind the folder, or check that it is bound to the same."""
        wanted: dict[str, Any] = {
            "form": _FORM,
            "seed": seed,
            "plan": json.loads(json.dumps(plan.as_dict())),
            "versions": versions(),
            "datasets": {one.name: one.describe() for one in data},
        }
        self.cells.mkdir(parents=True, exist_ok=True)
        if self._file.exists():
            there = self.settings()
            self._compare(there, wanted)
            wanted["datasets"] = {**there["datasets"], **wanted["datasets"]}
        for left in self.cells.glob("*.part"):
            left.unlink()
        write_whole(self._file, json.dumps(wanted, indent=1) + "\n")

    def settings(self) -> dict[str, Any]:
        """Give what the folder is bound to."""
        there: dict[str, Any] = json.loads(self._file.read_text(encoding="utf-8"))
        return there

    def _compare(self, there: dict[str, Any], wanted: dict[str, Any]) -> None:
        other = [name for name in wanted if name != "datasets" and there.get(name) != wanted[name]]
        other += [
            f"data set {name}"
            for name, described in wanted["datasets"].items()
            if there.get("datasets", {}).get(name, described) != described
        ]
        if other:
            message = (
                f"{self.folder} holds results of a run with other settings "
                f"({', '.join(other)}), which cannot be mixed. Choose another folder, or remove it."
            )
            raise ValueError(message)

    def done(self) -> set[CellKey]:
        """Give which cells are finished."""
        return {(cell["dataset"], cell["fold"], cell["variant"]) for cell in self.read()}

    def add(self, cell: Cell) -> None:
        """Keep a finished cell."""
        name = f"{cell['dataset']}-{cell['variant']}-{cell['fold']:03}.json"
        write_whole(self.cells / name, json.dumps(cell) + "\n")

    def read(self) -> list[Cell]:
        """Give all finished cells."""
        files = sorted(self.cells.glob("*.json"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]
