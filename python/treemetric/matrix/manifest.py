"""The manifest of a file of distances: what the file holds, and which blocks are finished."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from treemetric._base.digest import digest
from treemetric._base.files import remove_parts, write_text
from treemetric._base.validation import count_of, shown

FORMAT = 2
# What must agree, and how a difference is reported.
_WORDS = {
    "format": "a manifest of another format",
    "version": "another version of treemetric",
    "trees": "other trees as X",
    "other_trees": "other trees as Y",
    "costs": "other costs",
    "cutoff": "another cutoff",
    "norm": "another norm",
    "dtype": "another dtype",
    "condensed": "another form",
    "shape": "another shape",
}
_FINGERPRINTS = ("trees", "other_trees", "costs")
_UNREADABLE = "The manifest {} is not one of treemetric"
DAMAGED = "The manifest {} is damaged: {}"


class Manifest:
    """A JSON file that is replaced as a whole, so that it is never incomplete.

    Parameters
    ----------
    path
        The file.
    identity
        What the distances were computed from: fingerprints, and options that change the result.
    """

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self.identity = identity
        self.plan: dict[str, Any] = {}
        self.extra: dict[str, Any] = {}
        self.done: set[int] = set()
        self._found: Any = []  # the runs of finished blocks in the file, not checked

    def exists(self) -> bool:
        """Return True if the file exists."""
        return self.path.exists()

    def load(self) -> list[str]:
        """Read the file; return its differences from the identity, in words.

        Call `load_done` next: the number of blocks is known only when the plan is checked.
        """
        self._remove_parts()
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            identity = found["identity"]
            differences = [
                _difference(key, identity.get(key), value)
                for key, value in self.identity.items()
                if identity.get(key) != value
            ]
            if not differences:
                self.plan, self.extra = found["plan"], found["extra"]
                self._found = found["done"]
                sound = found.pop("digest") == _digest(found)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(_UNREADABLE.format(self.path)) from error
        if not differences and not sound:
            raise ValueError(DAMAGED.format(self.path, "its digest differs"))
        return differences

    def load_done(self, blocks: int) -> None:
        """Check the numbers of the finished blocks in the file, and keep them.

        Parameters
        ----------
        blocks
            The number of blocks of the plan.
        """
        self.done = _numbers(self._found, blocks)

    def begin(self, plan: dict[str, Any], extra: dict[str, Any]) -> None:
        """Write a manifest without blocks."""
        self.plan, self.extra, self.done = plan, extra, set()
        self._remove_parts()
        self.save()

    def record(self, blocks: Iterable[int]) -> None:
        """Record that the values of some blocks are on disk."""
        self.done.update(blocks)
        self.save()

    def _remove_parts(self) -> None:
        remove_parts(self.path.parent, glob.escape(self.path.name))

    def save(self) -> None:
        """Replace the file."""
        content = {
            "identity": self.identity,
            "plan": self.plan,
            "extra": self.extra,
            "done": _runs(self.done),
        }
        content["digest"] = _digest(content)
        write_text(self.path, json.dumps(content, separators=(",", ":")))


def _difference(key: str, there: object, here: object) -> str:
    words = _WORDS.get(key, f"another {key}")
    return words if key in _FINGERPRINTS else f"{words} ({there!r} there, {here!r} now)"


def _digest(content: dict[str, Any]) -> str:
    return digest(json.dumps(content, sort_keys=True).encode())


def _numbers(runs: Any, count: int) -> set[int]:
    """Return the numbers in runs, which are pairs of first and last number below `count`.

    All runs are checked before a number is listed, so a wrong one does not fill the memory.
    """
    end = -1
    for run in runs if isinstance(runs, list) else [runs]:
        pair = isinstance(run, list) and len(run) == 2 and all(type(at) is int for at in run)
        if not pair or not 0 <= run[0] <= run[1] < count:
            has = count_of(count, "block")
            message = f"it lists the blocks {shown(run)}, but the plan has {has}"
            raise ValueError(message)
        if run[0] <= end:
            message = f"it lists the blocks {shown(run)} after the block {end}"
            raise ValueError(message)
        end = run[1]
    return {k for first, last in runs for k in range(first, last + 1)}


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    """Return numbers as runs, which are pairs of first and last number."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs
