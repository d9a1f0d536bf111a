"""Vectors of words in files, for the command line and the experiments."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import Path as PathLike
from treemetric._base.validation import refuse

_MUST = "an .npz file with the arrays 'words' and 'vectors'"

Numbers = npt.NDArray[Any]


def read_vectors(path: PathLike, parameter: str, owner: str) -> tuple[list[str], Numbers]:
    """Read words and their vectors from an .npz file.

    The array ``words`` has one dimension and holds texts, or bytes in UTF-8; the array ``vectors``
    holds finite numbers, with a row for each word and at least one column. Errors name the
    parameter and its owner.
    """
    arrays = _arrays(Path(path), parameter, owner)
    words, vectors = arrays["words"], arrays["vectors"]

    def must(what: str, got: str) -> NoReturn:
        refuse(parameter, owner, f"a file with {what}", f"{got} in {Path(path).name}")

    if words.ndim != 1:
        must("an array 'words' of 1 dimension", f"shape {words.shape}")
    if words.dtype.kind not in "US":
        must("texts in the array 'words'", f"type {words.dtype}")
    if vectors.ndim != 2 or vectors.dtype.kind not in "iuf" or len(vectors) != len(words):
        got = f"{len(words)} words and an array of shape {vectors.shape} and type {vectors.dtype}"
        must("a word for each row of the matrix 'vectors'", got)
    if not vectors.shape[1]:
        must("at least one column in the matrix 'vectors'", f"shape {vectors.shape}")
    if not np.isfinite(vectors).all():
        row, column = np.argwhere(~np.isfinite(vectors))[0].tolist()
        got = f"{vectors[row, column]} in row {row}, column {column}"
        must("finite numbers in the matrix 'vectors'", got)
    texts: list[Any] = words.tolist()
    if words.dtype.kind == "S":
        for row, word in enumerate(texts):
            try:
                texts[row] = word.decode("utf-8")
            except UnicodeDecodeError:
                must("texts in UTF-8 in the array 'words'", f"{word!r} in row {row}")
    return texts, vectors


def _arrays(path: Path, parameter: str, owner: str) -> dict[str, Numbers]:
    """Load both arrays of the file."""
    with path.open("rb") as file:  # np.load does not close files that it cannot read
        # A damaged file makes NumPy and zipfile raise errors of any kind.
        try:
            found = np.load(file, allow_pickle=False)
        except MemoryError as error:
            raise _too_large(path) from error
        except Exception:  # noqa: BLE001
            # NumPy reads every other file as a pickle.
            refuse(parameter, owner, _MUST, f"{path.name}, which is none,")
        if isinstance(found, np.ndarray):
            refuse(parameter, owner, _MUST, f"{path.name}, which is a single array,")
        if not {"words", "vectors"} <= set(found.files):
            refuse(parameter, owner, _MUST, f"{path.name} with {sorted(found.files)}")
        loaded = {}
        for name in ("words", "vectors"):
            try:
                _check_size(found, name)
                loaded[name] = found[name]
            except MemoryError as error:
                raise _too_large(path) from error
            except Exception as error:  # noqa: BLE001
                must = f"a file with texts and numbers, without other objects, in {name!r}"
                refuse(parameter, owner, must, f"{type(error).__name__} from {path.name}")
    return loaded


def _too_large(path: Path) -> MemoryError:
    return MemoryError(f"the arrays of {path.name} do not fit in memory")


def _check_size(found: Any, name: str) -> None:
    """Compare the size in the header of an array with that in the file: NumPy allocates first."""
    member = f"{name}.npy"
    with found.zip.open(member) as file:
        version = np.lib.format.read_magic(file)
        old = version == (1, 0)
        shape, _, dtype = (
            np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
        )(file)
        size = file.tell() + math.prod(shape) * dtype.itemsize
    if not dtype.hasobject and size != found.zip.getinfo(member).file_size:
        message = f"the array must have {size} bytes"
        raise ValueError(message)
