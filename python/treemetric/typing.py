"""Names of types for annotations, as the signatures of this package show them.

``from treemetric.typing import Trees`` is for a parameter that takes what functions of many trees
take. All names are aliases; they exist for people and for type checkers.
"""

from treemetric._base.typing import (
    CostFunction,
    CostsLike,
    CostsOrLearner,
    Distances,
    DType,
    FloatArray,
    Indices,
    IntArray,
    Label,
    Names,
    Norm,
    OffsetArray,
    Path,
    Predictions,
    Progress,
    Trees,
    Vectors,
)

__all__ = [
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
]
