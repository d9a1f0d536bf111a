"""Data sets of the ablation: sources, splits and digests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import Bunch

from treemetric._base.digest import digest
from treemetric._base.validation import check_int, refuse, shown
from treemetric.datasets import load_json_folder, load_jsonl, make_strings
from treemetric.matrix.fingerprint import of_trees
from treemetric.treeset import TreeSet

Indices = npt.NDArray[np.int64]
Split = tuple[Indices, Indices]

STRINGS = "strings"
# Outer folds as in the source; other data sets get ten.
FOLDS = {STRINGS: 20, "minipalindrome": 6, "sorting": 8, "cystic": 10, "leukemia": 10}
DEFAULT_FOLDS = 10
QUICK_FOLDS = 2
# Names of files of MiniPalindrome (ImplAAA1) and of Sorting (BubbleAlgolist) hold the classes.
_PUBLISHED = (re.compile(r"^Impl([AB]{3})\d*$"), re.compile("^(?:Bubble|Insertion)"))


class DataSet:
    """Classified trees with a name and a number of outer folds."""

    def __init__(self, name: str, trees: TreeSet, target: Indices, folds: int) -> None:
        self.name, self.trees, self.target, self.folds = name, trees, target, folds

    def splits(self, seed: int) -> list[Split]:
        """Return the training and test indices of all outer folds."""
        return list(stratified(self.target, self.folds, seed))

    @cached_property
    def digest(self) -> str:
        """What identifies these trees and classes."""
        return digest(of_trees(self.trees).encode(), np.asarray(self.target, dtype=np.int64))

    def describe(self) -> dict[str, Any]:
        """Return the properties of the data that a record shows and a later run must share."""
        return {
            "trees": len(self.trees),
            "classes": int(self.target.max()) + 1,
            "symbols": len(self.trees.alphabet),
            "folds": self.folds,
            "sha256": self.digest,
        }


def stratified(target: Indices, folds: int, seed: int) -> Iterator[Split]:
    """Yield the splits of shuffled, stratified folds."""
    found: Iterator[Split] = StratifiedKFold(folds, shuffle=True, random_state=seed).split(
        target, target
    )
    return found


def load(
    source: str | Path | Bunch, seed: int, classes: re.Pattern[str] | None = None
) -> tuple[str, Bunch]:
    """Return the name and the trees of the word 'strings', a folder, a file or a named bunch.

    The pattern finds the class of a tree in the name of its own file.
    """
    if isinstance(source, Bunch):
        name = source.get("name")
        # The name becomes a part of file names.
        if not isinstance(name, str) or not name or Path(name).name != name:
            must = "bunches whose 'name' is a str that is valid as the name of a file"
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
            f"{error}. (For the ablation: 'classes', or --classes REGEX of the command, is the "
            "pattern to find in the names of files.)"
        )
        raise ValueError(message) from error


def _published(folder: Path) -> re.Pattern[str] | str:
    """Return the pattern of a published data set if all names match it."""
    names = [file.stem for file in folder.glob("*.json")]
    for pattern in _PUBLISHED:
        if names and all(map(pattern.search, names)):
            return pattern
    return "auto"


def folds_of(name: str, folds: int | dict[str, int] | None, *, quick: bool) -> int:
    """Return the number of outer folds of a data set."""
    usual = QUICK_FOLDS if quick else FOLDS.get(name.lower(), DEFAULT_FOLDS)
    if isinstance(folds, dict):
        return folds.get(name, usual)
    return usual if folds is None else folds


def check_data(name: str, bunch: Bunch, folds: int, inner: int) -> DataSet:
    """Check that the data can be split, before any work."""
    if bunch.target is None:
        message = f"The trees of {name} have no classes."
        raise ValueError(message)
    counts = np.bincount(bunch.target)
    if len(counts) < 2:
        message = f"{name} must have at least two classes. Got one instead."
        raise ValueError(message)
    check_int(folds, "folds", "run_ablation", least=2)
    smallest = int(counts.min())
    # Every training part must have a tree of each class for every inner fold.
    left = smallest - -(-smallest // folds)
    if smallest < folds or left < inner:
        message = (
            f"The smallest class of {name} has {smallest} trees, which is too few for {folds} "
            f"folds with {inner} inner folds."
        )
        raise ValueError(message)
    return DataSet(name, bunch.data, bunch.target, folds)
