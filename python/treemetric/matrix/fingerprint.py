"""Fingerprints of trees and costs: equal contents, equal fingerprints, in every process."""

import hashlib
import pickle
from typing import Any

import numpy as np

from treemetric._base.typing import Label
from treemetric.costs import CostMatrix, Costs, UnitCosts, VectorCosts
from treemetric.matrix.problem import FrozenCosts
from treemetric.treeset import TreeSet


def of_trees(trees: TreeSet) -> str:
    """Give the fingerprint of the labels and shapes of trees; `ids` and `classes` are left out."""
    return _digest(b"trees", *map(_label, trees.alphabet), *trees._arrays)


def of_costs(costs: Costs) -> str:
    """Give the fingerprint of costs."""
    if isinstance(costs, UnitCosts):
        return "unit"
    if isinstance(costs, CostMatrix):
        return _digest(b"matrix", *map(_label, costs.alphabet), costs.matrix)
    if isinstance(costs, VectorCosts):
        labels = map(_label, costs.alphabet)
        projection = () if costs.projection is None else (costs.projection,)
        options = f"{costs.kind} {costs.unknown}".encode()
        return _digest(b"vectors", options, *labels, costs.vectors, *projection)
    if isinstance(costs, FrozenCosts):
        return _digest(b"function", *costs.parts)
    return _digest(b"other", pickle.dumps(costs, protocol=4))


def _digest(*parts: bytes | np.ndarray[Any, Any]) -> str:
    found = hashlib.sha256()
    for part in parts:
        data: Any = part
        if isinstance(part, np.ndarray):
            # Hashed in place: sets of trees may be most of what is in memory.
            little = np.ascontiguousarray(part, dtype=part.dtype.newbyteorder("<"))
            found.update(f"{little.dtype.str}{little.shape}".encode())
            data = little.reshape(-1).view(np.uint8)
        # Lengths, so that no two lists of parts run together into the same bytes.
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()


def _label(label: Label) -> bytes:
    if isinstance(label, str):
        return b"s" + label.encode("utf-8", "surrogatepass")
    if label is None or type(label) in (bool, int, float, complex, bytes):
        return f"{type(label).__name__} {label!r}".encode()
    if type(label) is tuple:
        return b"t" + _digest(*map(_label, label)).encode()
    if type(label) is frozenset:
        # Its order differs from process to process.
        return b"f" + _digest(*sorted(map(_label, label))).encode()
    try:
        return b"p" + pickle.dumps(label, protocol=4)
    except (pickle.PicklingError, TypeError, AttributeError):
        return b"r" + repr(label).encode("utf-8", "surrogatepass")
