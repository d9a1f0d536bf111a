"""Types named by their role."""

from collections.abc import Callable, Hashable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from treemetric.costs import Costs
    from treemetric.tree import Tree
    from treemetric.treeset import TreeSet

Label: TypeAlias = Hashable
IntArray: TypeAlias = npt.NDArray[np.int32]
OffsetArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]
Vectors: TypeAlias = npt.NDArray[np.floating[Any]]
Predictions: TypeAlias = npt.NDArray[Any]
Names: TypeAlias = npt.NDArray[np.object_]
Distances: TypeAlias = npt.NDArray[Any]
Trees: TypeAlias = Union["TreeSet", Sequence["Tree"], npt.NDArray[np.object_]]
Path: TypeAlias = str | PathLike[str]
CostFunction: TypeAlias = Callable[[Any, Any], float]
CostsLike: TypeAlias = Union["Costs", CostFunction]
Progress: TypeAlias = Callable[[int, int], object] | bool | None
Integers: TypeAlias = Literal[
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"
]
DType: TypeAlias = (
    Literal["float64", "float32"]
    | Integers
    | type[np.floating[Any]]
    | type[np.integer[Any]]
    | np.dtype[Any]
)
Norm: TypeAlias = Literal["weight", "max", "sum", "li_zhang"]
