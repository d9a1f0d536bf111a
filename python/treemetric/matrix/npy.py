"""Distances in a file of NumPy's format."""

from __future__ import annotations

import errno
import math
import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from treemetric._base.files import replace, sync_folder
from treemetric._base.typing import Distances
from treemetric.matrix.plan import Block, BlockPlan
from treemetric.matrix.store import Store

# Columns that are turned into rows at once.
_PANEL = 64


class NpyStore(Store):
    """A file of NumPy's format.

    Its name contains the run and ends in .partial until it is complete. The run distinguishes it
    from files that other runs left. Values are written to the file, not to a map of it, because the
    pages of a map count as memory of the process.
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
        """Return True if the header and the size of a file are as expected."""
        try:
            version = np.lib.format.read_magic(file)
            found = np.lib.format.read_array_header_1_0(file)
        except OSError:
            raise
        except Exception:  # noqa: BLE001  NumPy parses the header, also as Python
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
            message = f"{self.partial} is damaged; remove it to start again"
            raise ValueError(message)

    def _put_values(self, position: int, values: Distances) -> None:
        self._file.seek(self._offset + position * self.dtype.itemsize)
        solid: Any = np.ascontiguousarray(values)
        rest = memoryview(solid).cast("B") if values.size else b""
        while len(rest):  # a raw file may write less than requested
            rest = rest[self._file.write(rest) :]

    def _put_rows(self, first_row: int, first_column: int, values: Distances) -> None:
        width = self.shape[1]
        if values.shape[1] == width:
            self._put_values(first_row * width, values)
            return
        for row, line in enumerate(values, first_row):
            self._put_values(row * width + first_column, line)

    def write(self, plan: BlockPlan, block: Block, values: Distances) -> None:
        """See `Store`."""
        row, column = block.rows[0], block.columns[0]
        if plan.condensed:
            for position, line in plan.upper.lines(block.rows, block.columns, values):
                self._put_values(position, line)
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
        replace(self.partial, self.path)
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
        # An empty array cannot be mapped.
        return np.load(self.path, mmap_mode="r" if self._nbytes() else None)
