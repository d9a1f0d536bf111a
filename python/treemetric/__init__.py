"""Exact tree edit distances, fast and in parallel."""

import importlib
from typing import TYPE_CHECKING, Any

from treemetric import exceptions
from treemetric._core import __version__ as __version__
from treemetric.alignment import (
    Alignment,
    CoOptimal,
    Edit,
    EditCounts,
    SoftAlignment,
    align,
    cooptimal,
    edit_counts,
    soft_alignment,
    subtree_distances,
)
from treemetric.costs import (
    CallableCosts,
    CostMatrix,
    Costs,
    EmbeddingCosts,
    OperationCosts,
    PairCosts,
    UnitCosts,
    VectorCosts,
    Violation,
)
from treemetric.distances import distance, pairwise_distances
from treemetric.neighbors import NearestResult, TreeIndex, WithinResult, nearest, within
from treemetric.tree import Tree
from treemetric.treeset import TreeSet
from treemetric.unordered import (
    UnorderedAlignment,
    unordered_align,
    unordered_distance,
    unordered_pairwise_distances,
    unordered_subtree_distances,
)

if TYPE_CHECKING:
    from treemetric import (
        classification,
        convert,
        datasets,
        distributed,
        experiments,
        learning,
        plotting,
        testing,
    )
    from treemetric.transformers import TreeDistances, TreeNeighborsGraph

__all__ = [
    "Alignment",
    "CallableCosts",
    "CoOptimal",
    "CostMatrix",
    "Costs",
    "Edit",
    "EditCounts",
    "EmbeddingCosts",
    "NearestResult",
    "OperationCosts",
    "PairCosts",
    "SoftAlignment",
    "Tree",
    "TreeDistances",
    "TreeIndex",
    "TreeNeighborsGraph",
    "TreeSet",
    "UnitCosts",
    "UnorderedAlignment",
    "VectorCosts",
    "Violation",
    "WithinResult",
    "align",
    "classification",
    "convert",
    "cooptimal",
    "datasets",
    "distance",
    "distributed",
    "edit_counts",
    "exceptions",
    "experiments",
    "learning",
    "nearest",
    "pairwise_distances",
    "plotting",
    "soft_alignment",
    "subtree_distances",
    "testing",
    "unordered_align",
    "unordered_distance",
    "unordered_pairwise_distances",
    "unordered_subtree_distances",
    "within",
]

# Modules that pull in scikit-learn or SciPy are imported when first used.
_MODULES = (
    "classification",
    "convert",
    "datasets",
    "distributed",
    "experiments",
    "learning",
    "plotting",
    "testing",
)
_TRANSFORMERS = ("TreeDistances", "TreeNeighborsGraph")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"treemetric.{name}")
    if name in _TRANSFORMERS:
        return getattr(importlib.import_module("treemetric.transformers"), name)
    message = f"module 'treemetric' has no attribute {name!r}"
    raise AttributeError(message)
