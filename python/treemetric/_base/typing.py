"""Types named by their role."""

import sys
from collections.abc import Callable, Hashable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sklearn.frozen import FrozenEstimator

    from treemetric.costs import Costs
    from treemetric.learning import LearnedMetric
    from treemetric.learning._cost_learner import CostLearner
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
CostsOrLearner: TypeAlias = Union[
    "Costs", CostFunction, "LearnedMetric", "CostLearner", "FrozenEstimator"
]
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

if not TYPE_CHECKING and sys.version_info >= (3, 12):
    # `help` and notebooks then show these names, as editors do, and not what they stand for.
    from typing import TypeAliasType

    for _name in (
        "CostFunction",
        "CostsLike",
        "CostsOrLearner",
        "DType",
        "Distances",
        "FloatArray",
        "Indices",
        "IntArray",
        "Label",
        "Names",
        "Norm",
        "OffsetArray",
        "Path",
        "Predictions",
        "Progress",
        "Trees",
        "Vectors",
    ):
        globals()[_name] = TypeAliasType(_name, globals()[_name])
