"""Distances in a Zarr array."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from treemetric._base.digest import digest
from treemetric._base.extras import need
from treemetric._base.files import sync_folder
from treemetric._base.typing import Distances
from treemetric.matrix.plan import Block, BlockPlan
from treemetric.matrix.store import Store

# The attribute of a Zarr array that names the run.
_RUN = "treemetric_run"
# A chunk that is not stored is missing, even if all its entries equal those of missing chunks.
_ALL_CHUNKS = {"write_empty_chunks": True}
# The metadata that say how values are stored; others, such as attributes, may be changed.
_LAYOUT = ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs")
_DAMAGED = "{} is damaged; remove it to start again"
# Values in a chunk of a condensed Zarr array.
_FLAT_CHUNK = 1 << 18


class ZarrStore(Store):
    """A Zarr array on the local file system: a folder x.zarr, or an array inside of one.

    A full matrix has square chunks, and every chunk belongs to one block. Blocks of a condensed
    matrix are ranges of whole rows, and Zarr rewrites a chunk that two blocks share as a whole.
    Missing entries are NaN, or the largest value of a type of integers.
    """

    copies = 3

    def __init__(self, path: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        super().__init__(path, shape, dtype)
        self.aligned = len(shape) == 2
        self._zarr = need("zarr", "zarr", "a result in Zarr's format")
        parts = path.parts
        top = next(k for k, part in enumerate(parts) if part.endswith(".zarr")) + 1
        # Only Zarr's own files belong inside a store.
        self.beside = Path(*parts[: top - 1], ".".join(parts[top - 1 :]))
        self.root, self.name = Path(*parts[:top]), "/".join(parts[top:])
        self._array: Any = None
        self._written: set[Path] = set()

    def strips(self) -> bool:
        """See `Store`."""
        return len(self.shape) == 1

    def is_whole(self) -> bool:
        """See `Store`."""
        if not self.path.is_dir():
            return self.path.exists()
        # A process that is killed while it creates the array leaves only such a file.
        return any(file.suffix != ".partial" for file in self.path.iterdir())

    def is_begun(self) -> bool:
        """See `Store`."""
        return (self.path / "zarr.json").exists()

    def create(self, grain: int) -> None:
        """See `Store`."""
        if self.path.exists():
            self.remove()
        flat = (min(_FLAT_CHUNK, max(self.shape[0], 1)),)
        missing = np.nan if self.dtype.kind == "f" else np.iinfo(self.dtype).max
        array = self._zarr.create_array(
            self.root,
            name=self.name or None,
            shape=self.shape,
            dtype=self.dtype,
            chunks=flat if len(self.shape) == 1 else (grain, grain),
            fill_value=missing,
            attributes={_RUN: self.run},
        )
        self._array = array.with_config(_ALL_CHUNKS)

    def find_layout(self) -> str:
        """See `Store`."""
        metadata = json.loads((self.path / "zarr.json").read_text(encoding="utf-8"))
        found = [metadata.get(name) for name in _LAYOUT]
        return digest(json.dumps(found, sort_keys=True).encode())

    def is_sound(self) -> bool:
        """See `Store`."""
        try:
            array = self.result()
            every = self._has_layout() and array.nchunks_initialized == array.nchunks
        except Exception:  # noqa: BLE001  its metadata are missing or damaged
            return False
        return every and self._is_ours(array)

    def _has_layout(self) -> bool:
        """Return True if values are stored as they were when the array was created."""
        return self.layout in (None, self.find_layout())

    def _is_ours(self, array: Any) -> bool:
        found = (array.shape, array.dtype, array.attrs.get(_RUN))
        return bool(found == (self.shape, self.dtype, self.run))

    def open(self) -> None:
        """See `Store`."""
        self.attach()
        # Unfinished chunks of a killed process.
        for rest in self.path.rglob("*.partial"):
            rest.unlink()

    def attach(self) -> None:
        """Open the array for writing, possibly together with other processes."""
        try:
            array = self._zarr.open_array(self.root, path=self.name, mode="r+")
            self._array = array.with_config(_ALL_CHUNKS)
            sound = self._has_layout()
        except OSError:
            raise
        except Exception as error:  # of any kind, from damaged metadata
            raise ValueError(_DAMAGED.format(self.path)) from error
        if not sound:
            raise ValueError(_DAMAGED.format(self.path))
        if not self._is_ours(self._array):
            message = f"{self.path} is not the array that its manifest describes"
            raise ValueError(message)

    def write(self, plan: BlockPlan, block: Block, values: Distances) -> None:
        """See `Store`."""
        for region, part in zip(_regions(plan, block), (values, values.T), strict=False):
            if part.size:
                self._array[region] = part
                self._written.update(self._files(region))

    def holds(self, plan: BlockPlan, block: Block) -> bool:
        """See `Store`."""
        regions = [one for one in _regions(plan, block) if all(p.start < p.stop for p in one)]
        return all(file.exists() for region in regions for file in self._files(region))

    def _files(self, region: Iterable[slice]) -> list[Path]:
        """List the files of the chunks in a region."""
        spans = [
            range(part.start // side, (part.stop - 1) // side + 1)
            for part, side in zip(region, self._array.chunks, strict=True)
        ]
        key = self._array.metadata.encode_chunk_key
        return [self.path / key(chunk) for chunk in product(*spans)]

    def sync(self) -> None:
        """See `Store`."""
        # Zarr does not wait for the disk.
        for file in self._written:
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
        for folder in {file.parent for file in self._written}:
            sync_folder(folder)
        self._written.clear()

    def finish(self) -> None:
        """See `Store`."""

    def close(self) -> None:
        """See `Store`."""

    def tidy(self) -> None:
        """See `Store`; an array has only one name."""

    def remove(self) -> None:
        """See `Store`."""
        if not self.path.exists():
            return
        try:
            kind = json.loads((self.path / "zarr.json").read_text(encoding="utf-8"))["node_type"]
        except (OSError, ValueError, KeyError):
            kind = "array" if (self.path / ".zarray").exists() else None
        if kind != "array" and self.is_whole():
            message = f"{self.path} is not a Zarr array and is not removed"
            raise FileExistsError(message)
        shutil.rmtree(self.path)

    def result(self) -> Any:
        """See `Store`."""
        return self._zarr.open_array(self.root, path=self.name, mode="r")


def _regions(plan: BlockPlan, block: Block) -> list[tuple[slice, ...]]:
    """Return the region of a block, and of its mirror image in a symmetric matrix."""
    (row, last), (column, end) = block
    if plan.condensed:
        return [(slice(plan.upper.start(row), plan.upper.start(last)),)]
    region = (slice(row, last), slice(column, end))
    return [region, region[::-1]] if plan.triangle and row != column else [region]
