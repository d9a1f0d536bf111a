"""Files that are replaced as a whole: a crash at any point leaves the old one or the new one."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from treemetric._base.locks import try_lock

# The end of the name of a temporary file: the process and some random digits.
_PART = re.compile(r"\.\d+(-[0-9a-f]+)?\.part$")
# Windows replaces no file that is open, and programs such as virus scanners open new files for a
# moment. Attempts after the first, and seconds between two.
_ATTEMPTS = 20 if sys.platform == "win32" else 0
_PAUSE = 0.05
# Disk, quota or largest file.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 as a whole; a device or a pipe is written to."""
    data = text.encode("utf-8")
    if (path.exists() and not path.is_file()) or path.absolute().is_relative_to("/dev"):
        path.write_bytes(data)
        return
    # The file that a link refers to is replaced, not the link.
    target = Path(os.path.realpath(path))
    with replacing(target) as file:
        if target.exists():
            shutil.copymode(target, file.name)
        file.write(data)


def write_array(path: Path, array: np.ndarray[Any, Any]) -> None:
    """Write an array in NumPy's format as a whole."""
    with replacing(path) as file:
        np.save(file, array)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in errors about its content."""
    try:
        yield
    except ValueError as error:
        message = f"{os.fspath(path)}: {error}"
        raise ValueError(message) from error


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that takes the place of `path` when the body has succeeded.

    The temporary files that killed processes left of the same name are removed first, where the
    system has locks that show whether their process is alive.
    """
    _remove_abandoned(path)
    part, file = _open_part(path)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name == "posix":
                # While it is locked, so that nobody takes it for abandoned.
                replace(part, path)
        if os.name != "posix":
            replace(part, path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        # Writes to a full disk do not name the file.
        if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
            error.filename = os.fspath(path)
        raise
    sync_folder(path.parent)


def _open_part(path: Path) -> tuple[Path, BinaryIO]:
    """Open and lock a new file beside `path`."""
    while True:
        # A name that no other process has, also on another machine with the same folder.
        part = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
        try:
            file = part.open("wb")
        except OSError as error:  # such as a missing folder
            error.filename = os.fspath(path)
            raise
        if os.name != "posix":
            return part, file
        # Another call may have taken it for abandoned before it was locked.
        if try_lock(file) and part.exists():
            return part, file
        file.close()
        part.unlink(missing_ok=True)


def _remove_abandoned(path: Path) -> None:
    """Remove the temporary files of `path` that no process has locked."""
    if os.name != "posix":
        return
    for part in _parts(path.parent, path.name):
        with suppress(OSError), part.open("r+b") as file:
            if try_lock(file, without=False):
                part.unlink(missing_ok=True)


def _parts(folder: Path, name: str) -> list[Path]:
    """Return the temporary files of a file of this name."""
    with suppress(OSError):
        return [
            other
            for other in folder.iterdir()
            if other.name.startswith(name) and _PART.fullmatch(other.name, len(name))
        ]
    return []


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
            # The temporary files of "a.b" are not those of "a".
            end = _PART.search(part.name)
            if end is not None and part.with_name(part.name[: end.start()]).match(pattern):
                part.unlink()


def read_json(path: Path) -> Any:
    """Read a JSON file that this package wrote; the error names a damaged file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        message = f"{path} is damaged ({error}). Remove it to have it made again."
        raise ValueError(message) from error
