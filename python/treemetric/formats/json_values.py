"""Labels and names of trees as JSON, for files that must not run code when they are read.

A value that JSON lacks is an object with one field, its kind: ``{"bytes": "00ff"}``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

_STORED = (
    "str, int, float (not NaN), bool, None, bytes, complex, Ellipsis, "
    "and tuples and frozensets of them"
)
_FAILURES = (TypeError, ValueError, RecursionError)


def encode_values(values: Sequence[Any], role: str) -> bytes:
    """Return a JSON list of labels, ids or classes; refuse those that would come back changed."""
    if _comes_back(values):
        return _dumps(values)
    # One by one, to name the value.
    for value in values:
        if not _comes_back([value]):
            got = f"{value!r} of type {type(value).__name__}"
            message = f"the {role} must be {_STORED} to be stored in a file; got {got}"
            raise TypeError(message)
    message = f"the {role} must be {_STORED} to be stored in a file"
    raise TypeError(message)


def decode_values(data: bytes) -> tuple[Any, ...]:
    """Return the values of a JSON list; arrays inside become tuples."""
    values = json.loads(data.decode("utf-8", "surrogatepass"), object_hook=_from_object)
    if not isinstance(values, list):
        message = "there must be a JSON list"
        raise ValueError(message)  # noqa: TRY004 - the text has another form
    return tuple(_hashable(value) for value in values)


def _comes_back(values: Sequence[Any]) -> bool:
    try:
        return bool(decode_values(_dumps(values)) == tuple(values))
    except _FAILURES:
        return False


def _dumps(values: Sequence[Any]) -> bytes:
    # As they are: two halves of a surrogate pair, written as escapes, would become one character.
    text = json.dumps(list(values), default=_as_object, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _as_object(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, frozenset):
        return {"frozenset": list(value)}
    if value is ...:
        return {"Ellipsis": None}
    message = f"{type(value).__name__} has no form in JSON"
    raise TypeError(message)


def _from_object(fields: dict[str, Any]) -> Any:
    match fields:
        case {"bytes": str(text), **others} if not others:
            return bytes.fromhex(text)
        case {"complex": [float(real), float(imaginary)], **others} if not others:
            return complex(real, imaginary)
        case {"frozenset": list(members), **others} if not others:
            return frozenset(map(_hashable, members))
        case {"Ellipsis": None, **others} if not others:
            return ...
    message = f"there is an object with the unknown fields {sorted(fields)}"
    raise ValueError(message)


def _hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_hashable(item) for item in value)
    return value
