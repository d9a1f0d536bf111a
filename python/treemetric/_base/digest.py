"""Digests of arrays and labels: equal contents have equal digests in every process."""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

import numpy as np

from treemetric._base.typing import Label


def digest(*parts: bytes | np.ndarray[Any, Any]) -> str:
    """Return the SHA-256 digest of a list of byte strings and arrays; -0.0 counts as 0.0."""
    found = hashlib.sha256()
    for part in parts:
        data: Any = part
        if isinstance(part, np.ndarray):
            # Hashed in place: a set of trees may take most of the memory.
            little = np.ascontiguousarray(part, dtype=part.dtype.newbyteorder("<"))
            found.update(f"{little.dtype.str}{little.shape}".encode())
            if little.dtype.kind == "f" and np.any((little == 0.0) & np.signbit(little)):
                little = little + little.dtype.type(0)
            data = little.reshape(-1).view(np.uint8)
        # Lengths, so that no two lists of parts are joined to the same bytes.
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


def label_bytes(label: Label) -> bytes:
    """Return bytes that identify a label in every process."""
    if isinstance(label, str):
        return b"s" + label.encode("utf-8", "surrogatepass")
    if label is None or type(label) in (bool, int, float, complex, bytes):
        return f"{type(label).__name__} {label!r}".encode()
    if type(label) is tuple:
        return b"t" + digest(*map(label_bytes, label)).encode()
    if type(label) is frozenset:
        # Its order differs between processes.
        return b"f" + digest(*sorted(map(label_bytes, label))).encode()
    try:
        return b"p" + pickle.dumps(label, protocol=4)
    except (pickle.PicklingError, TypeError, AttributeError):
        return b"r" + repr(label).encode("utf-8", "surrogatepass")
