"""Finished cells on disk: one small file each, so that a killed run can continue."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from treemetric._base.files import read_json, remove_parts, write_text
from treemetric.experiments.ablation.data import DataSet
from treemetric.experiments.ablation.plan import QUICK, Plan
from treemetric.experiments.common.provenance import check_settings, code_digest, versions

# Increased when the form of the files changes.
_FORM = 2
_CELL = ("dataset", "fold", "variant", "seed", "seconds", "process", "test", "rows", "warnings")
# Names of files besides cells; temporary ones that a killed run left are removed.
_WRITTEN = ("settings.json", "runs.json", "run.json", "results.csv", "table.md", "claims.md")

Cell = dict[str, Any]
CellKey = tuple[str, int, str]  # data set, fold, variant


class CellStore:
    """The folder of a run: ``settings.json``, and finished cells in ``cells``.

    Cells depend on the settings, the versions, the code and the data, so a folder is bound to them.
    Variants and data sets may be added later. The code may change only on request.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cells = folder / "cells"
        self.runs = folder / "runs.json"
        self._file = folder / "settings.json"

    def open(
        self, plan: Plan, seed: int, data: Iterable[DataSet], *, keep_cells: bool = False
    ) -> None:
        """Bind the folder, or check that it is bound to the same.

        With `keep_cells`, cells of another state of the code are kept, and their number is noted.
        """
        wanted: dict[str, Any] = {
            "form": _FORM,
            "quick": plan is QUICK,
            "seed": seed,
            "plan": json.loads(json.dumps(plan.as_dict())),
            "versions": versions(),
            "code": code_digest(),
            "datasets": {one.name: one.describe() for one in data},
        }
        self.cells.mkdir(parents=True, exist_ok=True)
        if self._file.exists():
            there = self.settings()
            earlier = there.get("earlier_code", [])
            if keep_cells and there["code"] != wanted["code"]:
                counted = sum(one["cells"] for one in earlier)
                earlier = [*earlier, {"code": there["code"], "cells": len(self.done()) - counted}]
                there["code"] = wanted["code"]
            check_settings(self.folder, there, wanted)
            if earlier:
                wanted["earlier_code"] = earlier
            wanted["datasets"] = {**there["datasets"], **wanted["datasets"]}
        remove_parts(self.folder, "cells/*", *_WRITTEN)
        write_text(self._file, json.dumps(wanted, indent=1) + "\n")

    def settings(self) -> dict[str, Any]:
        """Return what the folder is bound to."""
        there: dict[str, Any] = read_json(self._file)
        return there

    def done(self) -> set[CellKey]:
        """Return the keys of the finished cells."""
        return {(cell["dataset"], cell["fold"], cell["variant"]) for cell in self.read()}

    def add(self, cell: Cell) -> None:
        """Write a finished cell."""
        name = f"{cell['dataset']}-{cell['variant']}-{cell['fold']:03}.json"
        write_text(self.cells / name, json.dumps(cell) + "\n")

    def read(self) -> list[Cell]:
        """Return all finished cells."""
        return [self._cell(file) for file in sorted(self.cells.glob("*.json"))]

    def _cell(self, file: Path) -> Cell:
        cell = read_json(file)
        if not isinstance(cell, dict) or not set(_CELL) <= cell.keys():
            message = f"{file} is damaged (it is not a cell). Remove it to have it made again."
            raise ValueError(message)
        return cell
