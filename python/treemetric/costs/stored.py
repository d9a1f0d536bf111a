"""Costs as arrays and a few words, for files that must not run code when they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treemetric._base.validation import refuse
from treemetric.costs.base import Costs
from treemetric.costs.embedding import EmbeddingCosts
from treemetric.costs.matrix import CostMatrix
from treemetric.costs.operation import OperationCosts
from treemetric.costs.tables import TableCosts
from treemetric.costs.unit import UnitCosts
from treemetric.costs.vector import VectorCosts
from treemetric.formats.json_values import decode_values, encode_values

# The kind of costs and its options; arrays by their names.
Stored = tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]
# Returns an array by its name, its type and its number of dimensions.
Reader = Callable[[str, type[Any], int], Any]


def store_costs(costs: Costs, function: str) -> Stored:
    """Return costs of a kind of this package as words and arrays."""
    kind = type(costs)
    if kind in (UnitCosts, TableCosts):
        return {"kind": kind.__name__}, {}
    if isinstance(costs, OperationCosts) and kind is OperationCosts:
        values = np.array([costs.delete, costs.insert, costs.replace])
        return {"kind": kind.__name__}, {"costs": values}
    if kind not in (CostMatrix, EmbeddingCosts, VectorCosts):
        must = "costs of a kind that can be stored in a file"
        advice = "costs.to_matrix(trees.alphabet) are the costs of these labels as a table."
        refuse("costs", function, must, repr(costs), advice)
    return _store_labelled(costs)


def _store_labelled(costs: Any) -> Stored:
    text = encode_values(costs.alphabet, "labels of the costs")
    labels = {"costs_labels": np.frombuffer(text, dtype=np.uint8)}
    if isinstance(costs, VectorCosts):
        return _store_vectors(costs, labels)
    words = {"kind": type(costs).__name__}
    if isinstance(costs, EmbeddingCosts):
        own = {} if costs.own is None else {"costs_own": costs.own}
        return words, {"costs": costs.vectors, **own, **labels}
    return words, {"costs": costs.matrix, **labels}


def _store_vectors(costs: VectorCosts, labels: dict[str, np.ndarray[Any, Any]]) -> Stored:
    words = {"kind": "VectorCosts", "cost": costs.kind, "unknown": costs.unknown}
    words["dtype"] = str(costs.vectors.dtype)
    arrays = {"costs": costs.vectors, **labels}
    if costs.projection is not None:
        words["projection"] = str(costs.projection.dtype)
        arrays["costs_projection"] = costs.projection
    return words, arrays


def restore_costs(words: dict[str, Any], read: Reader, names: set[str]) -> Costs:
    """Return stored costs; raise ValueError if they are not valid."""
    kind = words.get("kind")
    if kind == "VectorCosts":
        return _restore_vectors(words, read, names)
    if set(words) != {"kind"}:
        message = f"the costs have unknown options: {sorted(words)}"
        raise ValueError(message)
    if kind == "UnitCosts":
        return UnitCosts()
    if kind == "TableCosts":
        return TableCosts()
    if kind == "OperationCosts":
        values = read("costs", np.float64, 1).tolist()
        if len(values) != 3:
            message = f"costs by kind of edit are 3 numbers; got {len(values)}"
            raise ValueError(message)
        return OperationCosts(*values)
    if kind == "CostMatrix":
        return CostMatrix(_labels(read), read("costs", np.float64, 2))
    if kind == "EmbeddingCosts":
        own = read("costs_own", np.float64, 1) if "costs_own" in names else None
        return EmbeddingCosts(_labels(read), read("costs", np.float64, 2), own)
    message = f"the costs are of the unknown kind {kind!r}"
    raise ValueError(message)


def _restore_vectors(words: dict[str, Any], read: Reader, names: set[str]) -> VectorCosts:
    floats: dict[Any, type[Any]] = {"float32": np.float32, "float64": np.float64}
    known = {"kind", "cost", "unknown", "dtype", "projection"}
    if not set(words) <= known or words.get("dtype") not in floats:
        message = f"the costs have unknown options: {words}"
        raise ValueError(message)
    projection = None
    if "costs_projection" in names:
        if words.get("projection") not in floats:
            message = f"the costs have unknown options: {words}"
            raise ValueError(message)
        projection = read("costs_projection", floats[words["projection"]], 2)
    vectors = read("costs", floats[words["dtype"]], 2)
    options = {"kind": words.get("cost"), "unknown": words.get("unknown")}
    return VectorCosts(_labels(read), vectors, projection=projection, **options)  # type: ignore[arg-type]


def _labels(read: Reader) -> tuple[Any, ...]:
    return decode_values(read("costs_labels", np.uint8, 1).tobytes())
