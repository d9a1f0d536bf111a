"""Files that are replaced as a whole: a crash at any point leaves the old one or the new one."""

import json
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

# Windows replaces no file that is open, and programs such as virus scanners open new files for a
# moment. Attempts after the first, and seconds between two.
_ATTEMPTS = 20 if sys.platform == "win32" else 0
_PAUSE = 0.05


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 as a whole."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


def write_array(path: Path, array: np.ndarray[Any, Any]) -> None:
    """Write an array in NumPy's format as a whole."""
    with replacing(path) as file:
        np.save(file, array)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that takes the place of `path` when the body has succeeded."""
    # A name that no other process has, also on another machine with the same folder.
    part = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def replace(source: Path, target: Path) -> None:
    """Rename a file to the name of another, which it replaces at once."""
    for _ in range(_ATTEMPTS):
        try:
            source.replace(target)
        except PermissionError:
            time.sleep(_PAUSE)
        else:
            return
    source.replace(target)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_parts(folder: Path, *patterns: str) -> None:
    """Remove the temporary files that killed processes left of files with such names."""
    for pattern in patterns:
        for part in folder.glob(f"{pattern}.*.part"):
            part.unlink()


def read_json(path: Path) -> Any:
    """Read a JSON file that this package wrote; the error names a damaged file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        message = f"{path} is damaged ({error}). Remove it to have it made again."
        raise ValueError(message) from error
