"""Costs in files, for the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from treemetric.costs import CostMatrix, VectorCosts
from treemetric.costs.vector_files import read_vectors


def read_costs(path: Path, kind: str | None = None) -> CostMatrix | VectorCosts:
    """Read costs from a .csv, .json or .npz file.

    A CSV file is a table with the labels in its first row and in its first column, in the same
    order; the last label is empty and means the gap. The entry in row a and column b is the cost of
    replacing a by b. The last column holds the costs of deleting, the last row the costs of
    inserting. A JSON file is an object with the list "alphabet" and the list of rows "matrix", as
    for `CostMatrix`. Labels can be numbers in a JSON file; in a CSV file they are texts. In both,
    labels that are never paired cost ``inf``. JSON has no such number: it is the text "inf" there,
    or Infinity as Python writes it. An .npz file has the arrays "words" and "vectors"; `kind` is
    the kind of `VectorCosts`, cosine by default.
    """
    if path.suffix not in (".csv", ".json", ".npz"):
        msg = f"The file of the costs must end in .csv, .json or .npz: {path}"
        raise ValueError(msg)
    if path.suffix == ".npz":
        words, vectors = read_vectors(path, "--costs", "treemetric")
        return VectorCosts(words, vectors, kind=kind or "cosine")
    if kind is not None:
        msg = f"--kind says how vectors become costs, but {path} is a table; got {kind!r}"
        raise ValueError(msg)
    try:
        # Spreadsheets write a byte order mark.
        text = path.read_text(encoding="utf-8-sig")
        alphabet, matrix = _from_csv(text) if path.suffix == ".csv" else _from_json(text)
        return CostMatrix(alphabet, matrix)
    except (ValueError, csv.Error, RecursionError) as error:  # the last for deep JSON
        msg = f"{path}: {error}"
        raise ValueError(msg) from error


def _from_csv(text: str) -> tuple[list[str], Any]:
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if not rows or rows[0][0] != "" or rows[0][-1] != "":
        msg = "the first row must hold nothing, the labels, and nothing for the gap"
        raise ValueError(msg)
    head = rows[0][1:]
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            msg = f"row {number + 1} has {len(row)} entries, not {len(rows[0])} as the first one"
            raise ValueError(msg)
    if [row[0] for row in rows[1:]] != head:
        msg = "the first column must hold the same labels as the first row, in the same order"
        raise ValueError(msg)
    return head[:-1], np.array([[_number(entry) for entry in row[1:]] for row in rows[1:]])


def _number(entry: str) -> float:
    try:
        return float(entry)
    except ValueError:
        msg = f"{entry!r} is not a cost"
        raise ValueError(msg) from None


def _from_json(text: str) -> tuple[list[str | float], Any]:
    data = json.loads(text)
    known = isinstance(data, dict) and set(data) == {"alphabet", "matrix"}
    if not known or not isinstance(data["alphabet"], list):
        msg = "there must be an object with the list 'alphabet' and the rows 'matrix'"
        raise ValueError(msg)
    alphabet: list[str | float] = data["alphabet"]
    if not all(isinstance(label, str | int | float) for label in alphabet):
        msg = "the labels in 'alphabet' must be texts or numbers"
        raise ValueError(msg)
    rows = data["matrix"]
    if isinstance(rows, list) and all(isinstance(row, list) for row in rows):
        rows = [[float("inf") if entry == "inf" else entry for entry in row] for row in rows]
    return alphabet, rows
