"""Exact tree edit distances, fast and in parallel, and learning their costs.

The edit distance of two trees is the cost of the cheapest edits that turn one into the other.
An edit replaces a label, deletes a node, so that its children move up to its parent, or inserts
one. By default every edit costs 1.

>>> import treemetric as tm
>>> x, y = tm.Tree.from_bracket("{a{b}{c{d}}}"), tm.Tree.from_bracket("{a{b}{d}}")
>>> tm.distance(x, y)
1.0

=====================================  =============================================================
make trees                             `Tree`, `TreeSet`, `treemetric.convert`
look at trees                          ``tree.show()``, ``tree.to_html()``, `treemetric.plotting`
two trees                              `distance`, `normalized_distance`, `align`, `cooptimal`
many trees                             `pairwise_distances`, `paired_distances`
neighbours and near-duplicates         `nearest`, `within`, `find`, `deduplicate`, `TreeIndex`
children without an order              `unordered_distance`, `unordered_align`
costs of edits                         `UnitCosts`, `OperationCosts`, `CostMatrix`, `VectorCosts`
learn costs from classes               `treemetric.learning`
scikit-learn                           `treemetric.classification`, `treemetric.regression`,
                                       `treemetric.clustering`, `TreeDistances`
without a distance                     `TreeFeatures`, `TreeKernel`
a page about a collection              `treemetric.report`
published metrics (TEDS, TSED)         `treemetric.metrics`
data sets                              `treemetric.datasets`
zss, apted, edist                      `treemetric.compat`
clusters of machines                   `treemetric.distributed`
=====================================  =============================================================

The command ``treemetric`` does the same for files.
"""

from __future__ import annotations

import importlib
import sys
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
        report,
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
    "report",
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
    "report",
    "testing",
)
_TRANSFORMERS = {
    "TreeDistances": "transformers",
    "TreeFeatures": "features",
    "TreeKernel": "kernels",
    "TreeNeighborsGraph": "transformers",
}


def __dir__() -> list[str]:
    # Names for users, including those that are imported when first used.
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"treemetric.{name}")
    if name in _TRANSFORMERS:
        return getattr(importlib.import_module(f"treemetric.{_TRANSFORMERS[name]}"), name)
    message = f"module 'treemetric' has no attribute {name!r}"
    # With both, Python proposes a name that is spelled similarly.
    raise AttributeError(message, name=name, obj=sys.modules[__name__])
