"""Files that hold distances and are filled block by block; `npy` and `zarr` are the kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from treemetric._base.typing import Distances
from treemetric._base.validation import refuse, shown
from treemetric.matrix.plan import Block, BlockPlan


class Store(ABC):
    """A file of distances: create it, write blocks, finish it, open it."""

    copies = 1  # of the values of a block while they are written
    aligned = False  # cuts of the plan must be multiples of a grain

    def __init__(self, path: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.path, self.shape, self.dtype = path, shape, dtype
        self.beside = path
        self.run = ""  # which run of which manifest the file belongs to while it is filled
        self.layout: str | None = None  # what `find_layout` returned at first, if that is known

    def strips(self) -> bool:
        """Return True if blocks must be ranges of whole rows."""
        return False

    @abstractmethod
    def is_whole(self) -> bool:
        """Return True if a file with the final name exists."""

    def find_layout(self) -> str | None:
        """Return a digest of what the file says about how values are stored, if that can differ."""
        return None

    def is_sound(self) -> bool:
        """Return False if the finished file is visibly damaged; only cheap checks are made."""
        return True

    @abstractmethod
    def is_begun(self) -> bool:
        """Return True if this run has a file that blocks can be written to."""

    def holds(self, plan: BlockPlan, block: Block) -> bool:  # noqa: ARG002
        """Return False if a written block is visibly missing; only cheap checks are made."""
        return True

    @abstractmethod
    def create(self, grain: int) -> None:
        """Create a file without values; it replaces an unfinished one."""

    @abstractmethod
    def open(self) -> None:
        """Open an unfinished file."""

    @abstractmethod
    def write(self, plan: BlockPlan, block: Block, values: Distances) -> None:
        """Write the values of a block."""

    @abstractmethod
    def sync(self) -> None:
        """Wait until all written values are on the disk itself."""

    @abstractmethod
    def finish(self) -> None:
        """Rename a file that has all blocks to its final name."""

    @abstractmethod
    def close(self) -> None:
        """Release the file."""

    @abstractmethod
    def tidy(self) -> None:
        """Remove unfinished files of other runs."""

    @abstractmethod
    def remove(self) -> None:
        """Remove the file, finished or not."""

    @abstractmethod
    def result(self) -> Any:
        """Open the finished file for reading."""


def store_class(path: Path, function: str) -> type[Store]:
    """Return the kind of file for a path."""
    from treemetric.matrix.npy import NpyStore  # which are subclasses of Store
    from treemetric.matrix.zarr import ZarrStore

    if any(part.endswith(".zarr") for part in path.parts):
        return ZarrStore
    if path.suffix != ".npy":
        must = "an array or a path that ends in .npy or .zarr"
        refuse("out", function, must, shown(str(path)))
    return NpyStore
