"""JSON Lines: one object per line, ``{"id": …, "label": …, "nodes": […], "adj": [[…]]}``.

Rust parses and writes the text. Each distinct label is passed once, as JSON text.
"""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from treemetric import _core
from treemetric._base.files import write_text
from treemetric._base.typing import IntArray, Label, OffsetArray, Path

if TYPE_CHECKING:
    from treemetric.treeset import TreeSet


def parse(
    text: str,
) -> tuple[
    tuple[Label, ...],
    IntArray,
    IntArray,
    OffsetArray,
    list[Any] | None,
    list[Any] | None,
]:
    """Return alphabet, codes, parents, offsets, ids and classes."""
    columns, ids, classes = _core.read_jsonl(text)
    texts, codes, parents, offsets = columns
    # Different texts can be the same label: 1 and 1.0, or [1,2] and [1, 2].
    index: dict[Label, int] = {}
    merged = [index.setdefault(_decode(text), len(index)) for text in texts]
    if len(index) < len(texts):
        codes = np.array(merged, dtype=np.int32)[codes]
    return (
        tuple(index),
        codes,
        parents,
        offsets,
        None if ids is None else [_decode(text) for text in ids],
        None if classes is None else [_decode(text) for text in classes],
    )


def write(trees: TreeSet, path: Path) -> None:
    """Write one line per tree."""
    ids, classes = trees.ids, trees.classes
    text = _core.write_jsonl(
        [_encode(label, "label") for label in trees.alphabet],
        trees.codes,
        trees.parents,
        trees.offsets,
        None if ids is None else [_encode(value, "id") for value in ids],
        None if classes is None else [_encode(value, "class") for value in classes],
    )
    write_text(FilePath(path), text)


def _decode(text: str) -> Any:
    try:
        return _hashable(json.loads(text))
    except RecursionError:
        message = f"Labels must not be nested too deeply. Got a label of {len(text)} characters."
        raise ValueError(message) from None


def _hashable(value: Any) -> Any:
    """Return tuples for arrays, so that values can be labels."""
    if isinstance(value, list):
        return tuple(_hashable(item) for item in value)
    return value


def _encode(value: Any, role: str) -> str:
    try:
        return json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        message = (
            f"JSON Lines cannot store the {role} {value!r} of type {type(value).__name__}: {error}"
        )
        raise TypeError(message) from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    message = "only str, int, float, bool, None and tuples of them can be written"
    raise TypeError(message)
