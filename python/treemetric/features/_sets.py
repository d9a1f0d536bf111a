"""Arrays of trees for the core: two sets with one alphabet, and hashes of labels."""

from __future__ import annotations

import hashlib
from numbers import Number
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from treemetric._base.digest import label_bytes
from treemetric._base.typing import IntArray, Label, OffsetArray
from treemetric.treeset import TreeSet

Arrays: TypeAlias = tuple[IntArray, IntArray, OffsetArray]


def joined(X: TreeSet, Y: TreeSet | None) -> tuple[Arrays, int | None]:
    """Return the trees of both sets as one set, and the number of trees of X if there is Y."""
    if Y is None:
        return (X.codes, X.parents, X.offsets), None
    index = {label: code for code, label in enumerate(Y.alphabet)}
    table = np.array([index.setdefault(label, len(index)) for label in X.alphabet], dtype=np.int32)
    codes = np.concatenate([table[X.codes], Y.codes])
    offsets = np.concatenate([X.offsets, X.offsets[-1] + Y.offsets[1:]])
    return (codes, np.concatenate([X.parents, Y.parents]), offsets), len(X)


def label_hashes(alphabet: tuple[Label, ...]) -> npt.NDArray[np.uint64]:
    """Return a hash of 64 bits for each label; the same in every process."""
    digests = (hashlib.blake2b(_equal_bytes(label), digest_size=8).digest() for label in alphabet)
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _equal_bytes(label: Any) -> bytes:
    """Return bytes that are the same for equal labels, such as 1, 1.0 and True."""
    if isinstance(label, Number):
        try:
            whole = int(label)  # type: ignore[call-overload]
        except (TypeError, ValueError, OverflowError):
            whole = None
        # Python defines equal hashes for equal numbers, in all processes.
        return f"i{whole}".encode() if whole == label else f"n{hash(label)}".encode()
    if isinstance(label, tuple):
        parts = [_equal_bytes(part) for part in label]
        return b"t" + b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    return label_bytes(label)
