"""What the results of a run depend on: versions, code, data files and settings."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import treemetric
from treemetric import _core

_PACKAGES = ("treemetric", "numpy", "scipy", "scikit-learn")
PACKAGE = Path(treemetric.__file__).resolve().parent


def versions() -> dict[str, str]:
    """Return the versions of the packages on which numbers depend."""
    return {name: version(name) for name in _PACKAGES}


def code_digest(root: Path = PACKAGE) -> str:
    """Return the SHA-256 of all Python files of the package and of its compiled core.

    A version number stays the same while the package is developed; this digest does not.
    """
    state = hashlib.sha256()
    for file in sorted(root.rglob("*.py"), key=lambda path: path.relative_to(root).as_posix()):
        _update(state, file.relative_to(root).as_posix(), file.read_bytes())
    _update(state, "_core", Path(_core.__file__).read_bytes())
    return state.hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _update(state: Any, name: str, content: bytes) -> None:
    # With lengths, so that no two lists of files are joined to the same bytes.
    for part in (name.encode(), content):
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)


def check_settings(folder: Path, there: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Check that the results in a folder have the same settings, code and data as this run."""
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
