"""One file of named arrays that is mapped into memory, with digests of everything it holds.

The file starts with 64 bytes: a magic number, the version of the format, the length of the header,
the length of the file and the SHA-256 digest of the header. The header is a JSON object. The arrays
follow, little-endian, each at a multiple of 64 bytes.
"""

from __future__ import annotations

import glob
import hashlib
import json
import math
import mmap
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from treemetric._base.files import remove_parts, replacing
from treemetric._base.locks import FileLock

_MAGIC = b"\x89TMARR\r\n"
_VERSION = 1
# Magic number, version, unused bits, bytes of the header, bytes of the file, digest of the header.
_PREFIX = struct.Struct("<8sIIQQ32s")
_ALIGNMENT = 64
_DTYPES = ("|u1", "<i4", "<u4", "<i8", "<f4", "<f8")
_FIELDS = {"kind", "writer", "facts", "arrays"}
_ARRAY_FIELDS = {"name", "dtype", "shape", "offset", "digest"}

Arrays = Mapping[str, np.ndarray[Any, Any]]


def _aligned(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT


def write_arrays(
    path: Path, kind: str, writer: str, facts: Mapping[str, Any], arrays: Arrays
) -> None:
    """Write arrays and a few facts to a file, which appears as a whole or not at all.

    A process that is killed leaves the old file. What it wrote is removed by the next call.
    """
    little = {
        name: np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        for name, array in arrays.items()
    }
    entries, end = [], 0
    for name, array in little.items():
        entry = {"name": name, "dtype": array.dtype.str, "shape": array.shape, "offset": end}
        entries.append({**entry, "digest": _digest(array)})
        end = _aligned(end + array.nbytes)
    fields = {"kind": kind, "writer": writer, "facts": facts, "arrays": entries}
    header = json.dumps(fields).encode()
    start = _aligned(_PREFIX.size + len(header))
    digest = hashlib.sha256(header).digest()
    prefix = _PREFIX.pack(_MAGIC, _VERSION, 0, len(header), start + end, digest)
    with FileLock(path.with_name(f"{path.name}.lock"), f"another process writes {path}"):
        remove_parts(path.parent, glob.escape(path.name))
        with replacing(path) as file:
            file.write(prefix + header)
            for array, entry in zip(little.values(), entries, strict=True):
                _pad(file, start + entry["offset"])  # type: ignore[operator]
                file.write(_bytes(array))
            _pad(file, start + end)


def _pad(file: Any, length: int) -> None:
    file.write(bytes(length - file.tell()))


def _bytes(array: np.ndarray[Any, Any]) -> Any:
    return array.reshape(-1).view(np.uint8)


def _digest(array: np.ndarray[Any, Any]) -> str:
    return hashlib.sha256(_bytes(array)).hexdigest()


class ArrayFile:
    """A file of arrays, open for reading.

    Only the header is read and checked; an array is checked when it is first asked for. Arrays are
    views of the file, which must not be written to; see `check_unchanged`.

    Parameters
    ----------
    path
        The file.
    kind
        What the file must hold, as given to `write_arrays`.
    what
        The same for messages.
    """

    def __init__(self, path: Path, kind: str, what: str) -> None:
        self.path = path
        self._what = what
        self._checked: dict[str, np.ndarray[Any, Any]] = {}
        self._place = path.absolute()
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            size = found.st_size
            self._node, self._state = (found.st_dev, found.st_ino), (size, found.st_mtime_ns)
            header = self._read_header(file.read(_PREFIX.size), size, file)
            self._buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._start = _aligned(_PREFIX.size + len(header))
        self.digest = hashlib.sha256(header).hexdigest()
        fields = self._parsed(header)
        if fields["kind"] != kind:
            self.refuse(f"it holds {fields['kind']!r}")
        self.facts: dict[str, Any] = fields["facts"]
        for entry in fields["arrays"]:
            self._check_entry(entry, size)
        self._entries = {entry["name"]: entry for entry in fields["arrays"]}

    def refuse(self, why: str) -> NoReturn:
        """Raise the error of a file that cannot be used."""
        message = f"{self.path} is not {self._what} that can be read: {why}"
        raise ValueError(message)

    def check_unchanged(self) -> None:
        """Refuse the file if it was written to since it was opened.

        Digests are computed again only if the size or the time of the file has changed.
        """
        try:
            found = self._place.stat()
        except OSError:  # it was removed, and its content stays
            return
        state = (found.st_size, found.st_mtime_ns)
        # Another file of this name leaves the content of this one as it was.
        if (found.st_dev, found.st_ino) != self._node or state == self._state:
            return
        same = found.st_size == self._state[0]
        if not same or any(_digest(self._view(name)) != digest for name, digest in self._seen()):
            self.refuse("it was written to after it was opened")
        self._state = state

    def _seen(self) -> list[tuple[str, str]]:
        """Return the names and digests of the arrays that were checked."""
        return [(name, self._entries[name]["digest"]) for name in self._checked]

    def _read_header(self, prefix: bytes, size: int, file: Any) -> bytes:
        if prefix[: len(_MAGIC)] != _MAGIC[: len(prefix)] or not prefix:
            self.refuse("it is a file of another kind")
        if len(prefix) < _PREFIX.size:
            self.refuse(f"it is incomplete, with {size} bytes")
        _, version, unused, length, total, digest = _PREFIX.unpack(prefix)
        if version != _VERSION or unused:
            known = f"this version of treemetric reads version {_VERSION}"
            self.refuse(f"it has version {version} of the format, and {known}")
        if total != size:
            self.refuse(f"it has {size} bytes and should have {total}")
        if length > size - _PREFIX.size:
            self.refuse("it is damaged: the header does not fit into the file")
        header: bytes = file.read(length)
        if hashlib.sha256(header).digest() != digest:
            self.refuse("it is damaged: the header does not match its digest")
        return header

    def _parsed(self, header: bytes) -> dict[str, Any]:
        try:
            fields = json.loads(header)
        except (ValueError, RecursionError):
            self.refuse("the header is not JSON")
        if not isinstance(fields, dict) or set(fields) != _FIELDS:
            self.refuse(f"the header must have the fields {sorted(_FIELDS)}")
        if not isinstance(fields["facts"], dict) or not isinstance(fields["arrays"], list):
            self.refuse("the header has fields of other types")
        return fields

    def _check_entry(self, entry: Any, size: int) -> None:
        if not isinstance(entry, dict) or set(entry) != _ARRAY_FIELDS:
            self.refuse(f"an array must have the fields {sorted(_ARRAY_FIELDS)}")
        shape, offset = entry["shape"], entry["offset"]
        counts = [*shape, offset] if isinstance(shape, list) else [None]
        texts = isinstance(entry["name"], str) and isinstance(entry["dtype"], str)
        inside = all(type(count) is int and 0 <= count <= size for count in counts)
        if not texts or not inside or entry["dtype"] not in _DTYPES:
            self.refuse(f"the array {entry['name']!r} has an unknown form")
        end = offset + math.prod(shape) * np.dtype(entry["dtype"]).itemsize
        if offset % _ALIGNMENT or end > size - self._start:
            self.refuse(f"the array {entry['name']!r} does not lie inside the file")

    def names(self) -> set[str]:
        """Return the names of all arrays."""
        return set(self._entries)

    def array(self, name: str, dtype: type[Any], dimensions: int = 1) -> Any:
        """Return an array as a view of the file; its digest is checked at the first call."""
        if name not in self._checked:
            entry = self._entries.get(name)
            if entry is None:
                self.refuse(f"there is no array {name!r}")
            view = self._view(name)
            if _digest(view) != entry["digest"]:
                self.refuse(f"it is damaged: the array {name!r} does not match its digest")
            # The order of the machine; a copy only where it differs.
            self._checked[name] = view.astype(view.dtype.newbyteorder("="), copy=False)
        found = self._checked[name]
        if found.dtype != dtype or found.ndim != dimensions:
            form = f"{found.ndim} dimensions of {found.dtype}"
            self.refuse(f"the array {name!r} has {form}, not {dimensions} of {np.dtype(dtype)}")
        return found

    def _view(self, name: str) -> np.ndarray[Any, Any]:
        entry = self._entries[name]
        offset = self._start + entry["offset"]
        return np.ndarray(entry["shape"], entry["dtype"], buffer=self._buffer, offset=offset)
