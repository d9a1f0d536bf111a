"""Text of files, and errors that say in which file and where."""

import gzip
from pathlib import Path as FilePath
from typing import NoReturn

from treemetric._base.typing import Path
from treemetric._base.validation import refuse, shown


def check_path(path: object, owner: str) -> FilePath:
    """Let strings and path objects through."""
    try:
        return FilePath(path)  # type: ignore[arg-type]
    except TypeError:
        refuse("path", owner, "an instance of 'str' or 'os.PathLike'", shown(path))


def fail(path: Path, where: str, what: str) -> NoReturn:
    """Raise the error for a file that cannot be read as it should."""
    place = f"{path}, {where}" if where else f"{path}"
    message = f"{place}: {what}"
    raise ValueError(message)


def read_text(path: FilePath) -> str:
    """Read a file of UTF-8, unpacked if its name ends in ``.gz``."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            fail(path, "", f"not a gzip file: {error}")
    try:
        # Editors of some systems put a byte order mark in front.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        position = error.start - (data.rfind(b"\n", 0, error.start) + 1)
        fail(path, f"line {line}, byte {position}", f"not UTF-8: {error.reason}")
