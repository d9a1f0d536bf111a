"""Files that hold distances: NumPy's .npy and Zarr arrays, filled block by block."""

import errno
import json
import math
import os
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from treemetric._base.extras import need
from treemetric._base.files import sync_folder
from treemetric._base.typing import Distances
from treemetric._base.validation import refuse, shown
from treemetric.matrix.plan import Block, BlockPlan

# Columns that are turned into rows at once.
_PANEL = 64
# The attribute of a Zarr array that names the run.
_RUN = "treemetric_run"
# Values in a chunk of a condensed Zarr array.
_FLAT_CHUNK = 1 << 18


class Store(ABC):
    """A file of distances: made, filled block by block, finished, opened."""

    copies = 1  # of the values of a block while it is written
    aligned = False  # cuts of the plan must be multiples of a grain

    def __init__(self, path: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.path, self.shape, self.dtype = path, shape, dtype
        self.beside = path
        self.run = ""  # which run of which manifest the file belongs to while it is filled

    def strips(self) -> bool:
        """Tell whether blocks must be ranges of whole rows."""
        return False

    @abstractmethod
    def is_whole(self) -> bool:
        """Tell whether there is a file under the final name."""

    def is_sound(self) -> bool:
        """Tell whether what is whole looks as it was left, as far as that is cheap to see."""
        return True

    @abstractmethod
    def is_begun(self) -> bool:
        """Tell whether there is a file of this run that blocks can be written to."""

    def holds(self, plan: BlockPlan, block: Block) -> bool:  # noqa: ARG002
        """Tell whether a block that was written is there, as far as that is cheap to see."""
        return True

    @abstractmethod
    def create(self, grain: int) -> None:
        """Make a file without values, in place of one that was begun."""

    @abstractmethod
    def open(self) -> None:
        """Open a file that was begun."""

    @abstractmethod
    def write(self, plan: BlockPlan, block: Block, values: Distances) -> None:
        """Write the values of a block."""

    @abstractmethod
    def sync(self) -> None:
        """Return when all that was written is on the disk itself."""

    @abstractmethod
    def finish(self) -> None:
        """Give a file that has all blocks its final name."""

    @abstractmethod
    def close(self) -> None:
        """Release the file."""

    @abstractmethod
    def tidy(self) -> None:
        """Remove what other runs left unfinished."""

    @abstractmethod
    def remove(self) -> None:
        """Remove the file, finished or not."""

    @abstractmethod
    def result(self) -> Any:
        """Open the finished file for reading."""


class NpyStore(Store):
    """A file of NumPy's format; until it is whole its name has the run in it and ends in .partial.

    So a file that another run left is not taken for that of the manifest, wherever the manifest
    comes from. Written through the file, not through a map of it: pages of a map would count as
    memory of the process.
    """

    def __init__(self, path: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        super().__init__(path, shape, dtype)
        self._file: Any = None
        self._offset = 0

    @property
    def partial(self) -> Path:
        """The file while it is filled."""
        return self.path.with_name(f"{self.path.name}.{self.run}.partial")

    def is_whole(self) -> bool:
        """See `Store`."""
        return self.path.exists()

    def is_begun(self) -> bool:
        """See `Store`."""
        return self.partial.exists()

    def _nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def create(self, grain: int) -> None:  # noqa: ARG002
        """See `Store`."""
        self.tidy()
        free = shutil.disk_usage(self.path.parent).free
        if self._nbytes() > free:
            message = f"the distances need {self._nbytes()} bytes, but only {free} are free for"
            raise OSError(errno.ENOSPC, message, str(self.path))
        self._file = self.partial.open("w+b", buffering=0)
        header = {
            "descr": np.lib.format.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": self.shape,
        }
        np.lib.format.write_array_header_1_0(self._file, header)
        self._offset = self._file.tell()
        self._file.truncate(self._offset + self._nbytes())
        os.fsync(self._file.fileno())

    def is_sound(self) -> bool:
        """See `Store`."""
        with self.path.open("rb") as file:
            return self._has_header(file)

    def _has_header(self, file: Any) -> bool:
        """Read the header of a file; tell whether it is ours, and all of the file is there."""
        try:
            version = np.lib.format.read_magic(file)
            found = np.lib.format.read_array_header_1_0(file)
        except ValueError:
            return False
        size = file.tell() + self._nbytes()
        ours = (version, found) == ((1, 0), (self.shape, False, self.dtype))
        return ours and bool(os.fstat(file.fileno()).st_size == size)

    def open(self) -> None:
        """See `Store`."""
        self._file = self.partial.open("r+b", buffering=0)
        ours = self._has_header(self._file)
        self._offset = self._file.tell()
        if not ours:
            self.close()
            message = f"{self.partial} is damaged; remove it to start anew"
            raise ValueError(message)

    def _put(self, position: int, values: Distances) -> None:
        self._file.seek(self._offset + position * self.dtype.itemsize)
        solid: Any = np.ascontiguousarray(values)
        rest = memoryview(solid).cast("B") if values.size else b""
        while len(rest):  # a raw file may take less than it is given
            rest = rest[self._file.write(rest) :]

    def _put_rows(self, first_row: int, first_column: int, values: Distances) -> None:
        width = self.shape[1]
        if values.shape[1] == width:
            self._put(first_row * width, values)
            return
        for row, line in enumerate(values, first_row):
            self._put(row * width + first_column, line)

    def write(self, plan: BlockPlan, block: Block, values: Distances) -> None:
        """See `Store`."""
        (row, last), (column, _) = block
        if plan.condensed and values.ndim == 1:
            taken = 0
            for i in range(row, last):
                length = last - i - 1
                self._put(plan.start(i), values[taken : taken + length])
                taken += length
        elif plan.condensed:
            for i, line in enumerate(values, row):
                self._put(plan.start(i) + column - i - 1, line)
        else:
            self._put_rows(row, column, values)
            if plan.triangle and row != column:
                for start in range(0, values.shape[1], _PANEL):
                    panel = np.ascontiguousarray(values[:, start : start + _PANEL].T)
                    self._put_rows(column + start, row, panel)

    def sync(self) -> None:
        """See `Store`."""
        os.fsync(self._file.fileno())

    def finish(self) -> None:
        """See `Store`."""
        self.close()
        self.partial.replace(self.path)
        self.tidy()
        sync_folder(self.path.parent)

    def close(self) -> None:
        """See `Store`."""
        if self._file is not None:
            self._file.close()

    def tidy(self) -> None:
        """See `Store`."""
        ours = re.compile(re.escape(self.path.name) + r"\.[0-9a-f]*\.partial")
        for file in self.path.parent.iterdir():
            if ours.fullmatch(file.name):
                file.unlink()

    def remove(self) -> None:
        """See `Store`."""
        self.path.unlink(missing_ok=True)
        self.tidy()

    def result(self) -> Any:
        """See `Store`."""
        # An array without entries cannot be mapped.
        return np.load(self.path, mmap_mode="r" if self._nbytes() else None)


class ZarrStore(Store):
    """A Zarr array on the local file system: a folder x.zarr, or an array inside of one.

    A full matrix has square chunks, and every chunk belongs to one block. Blocks of a condensed
    one are whole rows, and the chunks where two blocks meet are replaced as a whole by Zarr.
    Entries that are missing are NaN.
    """

    copies = 3

    def __init__(self, path: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        super().__init__(path, shape, dtype)
        self.aligned = len(shape) == 2
        self._zarr = need("zarr", "zarr", "a result in Zarr's format")
        parts = path.parts
        top = next(k for k, part in enumerate(parts) if part.endswith(".zarr")) + 1
        # Nothing but Zarr's own files goes into a store.
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
        # A process that is killed while it makes the array leaves no more than such a name.
        return any(file.suffix != ".partial" for file in self.path.iterdir())

    def is_begun(self) -> bool:
        """See `Store`."""
        return (self.path / "zarr.json").exists()

    def create(self, grain: int) -> None:
        """See `Store`."""
        if self.path.exists():
            self.remove()
        flat = (min(_FLAT_CHUNK, max(self.shape[0], 1)),)
        self._array = self._zarr.create_array(
            self.root,
            name=self.name or None,
            shape=self.shape,
            dtype=self.dtype,
            chunks=flat if len(self.shape) == 1 else (grain, grain),
            fill_value=np.nan,
            attributes={_RUN: self.run},
        )

    def is_sound(self) -> bool:
        """See `Store`."""
        try:
            array = self.result()
        except (OSError, ValueError, KeyError):  # its metadata are gone, or none
            return False
        return self._is_ours(array) and array.nchunks_initialized == array.nchunks

    def _is_ours(self, array: Any) -> bool:
        found = (array.shape, array.dtype, array.attrs.get(_RUN))
        return bool(found == (self.shape, self.dtype, self.run))

    def open(self) -> None:
        """See `Store`."""
        self.attach()
        # What a killed process left of chunks that it did not finish.
        for rest in self.path.rglob("*.partial"):
            rest.unlink()

    def attach(self) -> None:
        """Open the array to write to it beside others who do."""
        self._array = self._zarr.open_array(self.root, path=self.name, mode="r+")
        if not self._is_ours(self._array):
            message = f"{self.path} is not the array that its manifest tells of"
            raise ValueError(message)

    def write(self, plan: BlockPlan, block: Block, values: Distances) -> None:
        """See `Store`."""
        for place, part in zip(_places(plan, block), (values, values.T), strict=False):
            if part.size:
                self._array[place] = part
                self._written.update(self._files(place))

    def holds(self, plan: BlockPlan, block: Block) -> bool:
        """See `Store`."""
        places = [place for place in _places(plan, block) if all(p.start < p.stop for p in place)]
        return all(file.exists() for place in places for file in self._files(place))

    def _files(self, place: Iterable[slice]) -> list[Path]:
        """List the files of the chunks of a place."""
        spans = [
            range(part.start // side, (part.stop - 1) // side + 1)
            for part, side in zip(place, self._array.chunks, strict=True)
        ]
        key = self._array.metadata.encode_chunk_key
        return [self.path / key(chunk) for chunk in product(*spans)]

    def sync(self) -> None:
        """See `Store`."""
        # Zarr leaves this to the system.
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
        """See `Store`; an array has one name only."""

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


def _places(plan: BlockPlan, block: Block) -> list[tuple[slice, ...]]:
    """Give the places of a block in the array, and of its mirror image if that is wanted."""
    (row, last), (column, end) = block
    if plan.condensed:
        return [(slice(plan.start(row), plan.start(last)),)]
    place = (slice(row, last), slice(column, end))
    return [place, place[::-1]] if plan.triangle and row != column else [place]


def store_class(path: Path, function: str) -> type[Store]:
    """Give the kind of file that a name stands for."""
    if any(part.endswith(".zarr") for part in path.parts):
        return ZarrStore
    if path.suffix != ".npy":
        must = "an array or a path that ends in .npy or .zarr"
        refuse("out", function, must, shown(str(path)))
    return NpyStore
