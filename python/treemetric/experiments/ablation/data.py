"""Data sets of the ablation: where they come from, how they are split, how they are recognised."""

import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import Bunch

from treemetric._base.validation import refuse, shown
from treemetric.datasets import load_json_folder, load_jsonl, make_strings
from treemetric.datasets._common import check_int
from treemetric.treeset import TreeSet

Indices = npt.NDArray[np.int64]
Split = tuple[Indices, Indices]

STRINGS = "strings"
# Outer folds as in the source; other data sets get ten.
FOLDS = {STRINGS: 20, "minipalindrome": 6, "sorting": 8, "cystic": 10, "leukemia": 10}
DEFAULT_FOLDS = 10
QUICK_FOLDS = 2
# How the files of MiniPalindrome (ImplAAA1) and of Sorting (BubbleAlgolist) tell their classes.
_PUBLISHED = (re.compile(r"^Impl([AB]{3})\d*$"), re.compile("^(?:Bubble|Insertion)"))


class DataSet:
    """Classified trees with a name and a number of outer folds."""

    def __init__(self, name: str, trees: TreeSet, target: Indices, folds: int) -> None:
        self.name, self.trees, self.target, self.folds = name, trees, target, folds

    def splits(self, seed: int) -> list[Split]:
        """Give the training and test indices of all outer folds."""
        return list(stratified(self.target, self.folds, seed))

    @cached_property
    def digest(self) -> str:
        """What tells these trees and classes from all others."""
        state = hashlib.sha256(repr(self.trees.alphabet).encode())
        for array in (self.trees.codes, self.trees.parents, self.trees.offsets, self.target):
            state.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
        return state.hexdigest()

    def describe(self) -> dict[str, Any]:
        """Give what a reader wants to know of the data, and what a later run must agree with."""
        return {
            "trees": len(self.trees),
            "classes": int(self.target.max()) + 1,
            "symbols": len(self.trees.alphabet),
            "folds": self.folds,
            "sha256": self.digest,
        }


def stratified(target: Indices, folds: int, seed: int) -> Iterator[Split]:
    """Give the splits of shuffled, stratified folds."""
    found: Iterator[Split] = StratifiedKFold(folds, shuffle=True, random_state=seed).split(
        target, target
    )
    return found


def load(
    source: str | Path | Bunch, seed: int, classes: re.Pattern[str] | None = None
) -> tuple[str, Bunch]:
    """Give the name and the trees of the word 'strings', a folder, a file or a named bunch.

    The pattern finds the class of a tree in the name of its own file.
    """
    if isinstance(source, Bunch):
        name = source.get("name")
        # It becomes part of the names of files.
        if not isinstance(name, str) or not name or Path(name).name != name:
            must = "bunches with a str as their 'name' that could be that of a file"
            refuse("data", "run_ablation", must, shown(name))
        return name, source
    if source == STRINGS:
        return STRINGS, make_strings(random_state=seed)
    path = Path(source)
    if path.suffix == ".jsonl":
        return path.stem, load_jsonl(path)
    if (path / "trees.jsonl").exists():
        return path.resolve().name, load_jsonl(path / "trees.jsonl")
    try:
        return path.resolve().name, load_json_folder(path, class_from=classes or _published(path))
    except ValueError as error:
        message = (
            f"{error}. (For the ablation: 'classes', or --classes REGEX of the command, is what to "
            "find in the names of files.)"
        )
        raise ValueError(message) from error


def _published(folder: Path) -> re.Pattern[str] | str:
    """Give the pattern of the published data sets of programs if all names are of that kind."""
    names = [file.stem for file in folder.glob("*.json")]
    for pattern in _PUBLISHED:
        if names and all(map(pattern.search, names)):
            return pattern
    return "auto"


def folds_of(name: str, folds: int | dict[str, int] | None, *, quick: bool) -> int:
    """Give the number of outer folds of a data set."""
    usual = QUICK_FOLDS if quick else FOLDS.get(name.lower(), DEFAULT_FOLDS)
    if isinstance(folds, dict):
        return folds.get(name, usual)
    return usual if folds is None else folds


def check_data(name: str, bunch: Bunch, folds: int, inner: int) -> DataSet:
    """Refuse data that cannot be split, before any work."""
    if bunch.target is None:
        message = f"The trees of {name} have no classes."
        raise ValueError(message)
    counts = np.bincount(bunch.target)
    if len(counts) < 2:
        message = f"{name} has one class only; at least two are needed."
        raise ValueError(message)
    check_int(folds, 2, "folds", "run_ablation")
    smallest = int(counts.min())
    # Every training part must hold each class in every inner fold.
    left = smallest - -(-smallest // folds)
    if smallest < folds or left < inner:
        message = (
            f"The smallest class of {name} has {smallest} trees, which is too few for {folds} "
            f"folds with {inner} inner folds."
        )
        raise ValueError(message)
    return DataSet(name, bunch.data, bunch.target, folds)
