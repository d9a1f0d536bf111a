"""Digests of arrays and labels: equal contents have equal digests in every process."""

from __future__ import annotations

import hashlib
import io
import pickle
from contextlib import suppress
from numbers import Integral, Number
from typing import Any

import numpy as np

from treemetric._base.typing import Label

_LONG = 1000  # bits


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


def label_bytes(label: Any) -> bytes:
    """Return bytes that identify a label in every process; equal labels have equal bytes."""
    if isinstance(label, str):
        return b"s" + label.encode("utf-8", "surrogatepass")
    if type(label) is int:  # without the checks of other numbers, which are slow
        return _whole_bytes(label)
    equality: Any = type(label).__eq__
    if isinstance(label, (Number, np.bool_)):
        found = _number_bytes(label)
        if found is not None:
            return found
    elif label is None:
        return b"NoneType None"
    elif isinstance(label, bytes):
        return f"bytes {bytes(label)!r}".encode()
    elif equality is tuple.__eq__:  # also of named tuples
        return b"t" + digest(*map(label_bytes, label)).encode()
    elif equality is frozenset.__eq__:
        # Its order differs between processes.
        return b"f" + digest(*sorted(map(label_bytes, label))).encode()
    # Without a memo first: it shows which parts are the same object. Labels with cycles need it.
    for memo in (False, True):
        with suppress(pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError):
            return b"p" + _pickled(label, memo=memo)
    return b"r" + repr(label).encode("utf-8", "surrogatepass")


def _pickled(label: Label, *, memo: bool) -> bytes:
    file = io.BytesIO()
    pickler = pickle.Pickler(file, protocol=4)
    pickler.fast = not memo
    pickler.dump(label)
    return file.getvalue()


def _number_bytes(label: Any) -> bytes | None:
    """Return the bytes of a number, the same for numbers of all types that are equal.

    Whole numbers count as `int`, others as a ratio, which is exact. None for unknown types.
    """
    if isinstance(label, (Integral, np.bool_)):
        whole = int(label)
        return _whole_bytes(whole) if whole == label else None
    try:
        if label.imag:
            return b"complex " + digest(label_bytes(label.real), label_bytes(label.imag)).encode()
        ratio: tuple[int, int] = label.real.as_integer_ratio()
    except (TypeError, AttributeError):
        return None
    except (ValueError, OverflowError):  # NaN and infinity
        return f"float {float(label.real)}".encode()
    return _whole_bytes(ratio[0]) if ratio[1] == 1 else f"ratio {ratio[0]:x}/{ratio[1]:x}".encode()


def _whole_bytes(whole: int) -> bytes:
    # Python refuses to write very long numbers with decimal digits.
    return (f"int {whole}" if whole.bit_length() < _LONG else f"int {whole:#x}").encode()
