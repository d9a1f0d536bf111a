"""Files that are whole or not there, and what tells one state of the package from another."""

import hashlib
import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

from treemetric import _core

_PACKAGES = ("treemetric", "numpy", "scipy", "scikit-learn")


def versions() -> dict[str, str]:
    """Give the versions on which numbers depend."""
    return {name: version(name) for name in _PACKAGES}


def code_digest() -> str:
    """Give the SHA-256 of all Python files of the package and of its compiled core.

    A version number stays the same while the package is worked on; this does not.
    """
    root = Path(__file__).resolve().parents[1]
    state = hashlib.sha256()
    for file in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        _update(state, file.relative_to(root).as_posix(), file.read_bytes())
    _update(state, "_core", Path(_core.__file__).read_bytes())
    return state.hexdigest()


def file_digest(path: Path) -> str:
    """Give the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _update(state: Any, name: str, content: bytes) -> None:
    # With lengths, so that no two lists of files run together into the same bytes.
    for part in (name.encode(), content):
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)


def write_whole(path: Path, text: str) -> None:
    """Write a file such that it is there as a whole or not at all, also after SIGKILL."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def read_json(path: Path) -> Any:
    """Read a file that we wrote; name it if it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        message = f"{path} is damaged ({error}). Remove it to have it made again."
        raise ValueError(message) from error


def same_settings(folder: Path, there: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse to go on in a folder with results of other settings, code or data."""
    other = [name for name in wanted if name != "datasets" and there.get(name) != wanted[name]]
    other += [
        f"data set {name}"
        for name, described in wanted.get("datasets", {}).items()
        if there.get("datasets", {}).get(name, described) != described
    ]
    if other:
        # "code": the package itself, though its version may be the same.
        named = [f"{name} of treemetric" if name == "code" else name for name in other]
        message = (
            f"{folder} holds results of a run with other settings ({', '.join(named)}), which "
            "cannot be mixed. Choose another folder, or remove it."
        )
        raise ValueError(message)
