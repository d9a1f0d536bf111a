"""Text of files, and errors that state the file and the position."""

from __future__ import annotations

import gzip
from pathlib import Path as FilePath
from typing import NoReturn

from treemetric._base.typing import Path
from treemetric._base.validation import refuse, shown


def check_path(path: object, owner: str) -> FilePath:
    """Check that a path is a string or a path object, and return it."""
    try:
        return FilePath(path)  # type: ignore[arg-type]
    except TypeError:
        refuse("path", owner, "an instance of 'str' or 'os.PathLike'", shown(path))


def fail(path: Path, where: str, what: str) -> NoReturn:
    """Raise the error for a file that is not in the expected form."""
    place = f"{path}, {where}" if where else f"{path}"
    message = f"{place}: {what}"
    raise ValueError(message)


def read_text(path: FilePath) -> str:
    """Read a UTF-8 file; decompress it if its name ends in ``.gz``."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            fail(path, "", f"not a gzip file: {error}")
    try:
        # Some editors put a byte order mark at the start.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        position = error.start - (data.rfind(b"\n", 0, error.start) + 1)
        fail(path, f"line {line}, byte {position}", f"not UTF-8: {error.reason}")
