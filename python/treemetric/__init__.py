"""Exact tree edit distances, fast and in parallel."""

import importlib
from typing import TYPE_CHECKING, Any

from treemetric import exceptions
from treemetric._base.versions import show_versions
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
    TableCosts,
    UnitCosts,
    VectorCosts,
    Violation,
)
from treemetric.distances import distance, pairwise_distances
from treemetric.neighbors import (
    Duplicates,
    FindResult,
    Match,
    NearestResult,
    PairChunk,
    PairFile,
    TreeIndex,
    WithinResult,
    deduplicate,
    find,
    iter_within,
    nearest,
    within,
)
from treemetric.paired import normalized_distance, normalized_similarity, paired_distances
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
        clustering,
        compat,
        convert,
        datasets,
        distributed,
        experiments,
        features,
        inspection,
        kernels,
        learning,
        metrics,
        plotting,
        regression,
        testing,
    )
    from treemetric.features import TreeFeatures
    from treemetric.kernels import TreeKernel
    from treemetric.transformers import TreeDistances, TreeNeighborsGraph

__all__ = [
    "Alignment",
    "CallableCosts",
    "CoOptimal",
    "CostMatrix",
    "Costs",
    "Duplicates",
    "Edit",
    "EditCounts",
    "EmbeddingCosts",
    "FindResult",
    "Match",
    "NearestResult",
    "OperationCosts",
    "PairChunk",
    "PairCosts",
    "PairFile",
    "SoftAlignment",
    "TableCosts",
    "Tree",
    "TreeDistances",
    "TreeFeatures",
    "TreeIndex",
    "TreeKernel",
    "TreeNeighborsGraph",
    "TreeSet",
    "UnitCosts",
    "UnorderedAlignment",
    "VectorCosts",
    "Violation",
    "WithinResult",
    "align",
    "classification",
    "clustering",
    "compat",
    "convert",
    "cooptimal",
    "datasets",
    "deduplicate",
    "distance",
    "distributed",
    "edit_counts",
    "exceptions",
    "experiments",
    "features",
    "find",
    "inspection",
    "iter_within",
    "kernels",
    "learning",
    "metrics",
    "nearest",
    "normalized_distance",
    "normalized_similarity",
    "paired_distances",
    "pairwise_distances",
    "plotting",
    "regression",
    "show_versions",
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
    "clustering",
    "compat",
    "convert",
    "datasets",
    "distributed",
    "experiments",
    "features",
    "inspection",
    "kernels",
    "learning",
    "metrics",
    "plotting",
    "regression",
    "testing",
)
_TRANSFORMERS = {
    "TreeDistances": "transformers",
    "TreeFeatures": "features",
    "TreeKernel": "kernels",
    "TreeNeighborsGraph": "transformers",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"treemetric.{name}")
    if name in _TRANSFORMERS:
        return getattr(importlib.import_module(f"treemetric.{_TRANSFORMERS[name]}"), name)
    message = f"module 'treemetric' has no attribute {name!r}"
    raise AttributeError(message)
