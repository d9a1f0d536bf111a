"""Exact tree edit distances, fast and in parallel."""

import importlib
from typing import TYPE_CHECKING, Any

from treemetric import exceptions
from treemetric._cooptimal import CoOptimal, cooptimal
from treemetric._core import __version__ as __version__
from treemetric._edit_counts import EditCounts, edit_counts
from treemetric._soft_alignment import SoftAlignment, soft_alignment
from treemetric.alignment import Alignment, Edit, align, subtree_distances
from treemetric.costs import (
    CallableCosts,
    CostMatrix,
    Costs,
    EmbeddingCosts,
    UnitCosts,
    Violation,
)
from treemetric.distances import distance, pairwise_distances
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

if TYPE_CHECKING:
    from treemetric import datasets, plotting

__all__ = [
    "Alignment",
    "CallableCosts",
    "CoOptimal",
    "CostMatrix",
    "Costs",
    "Edit",
    "EditCounts",
    "EmbeddingCosts",
    "SoftAlignment",
    "Tree",
    "TreeSet",
    "UnitCosts",
    "Violation",
    "align",
    "cooptimal",
    "datasets",
    "distance",
    "edit_counts",
    "exceptions",
    "pairwise_distances",
    "plotting",
    "soft_alignment",
    "subtree_distances",
]

# Modules that pull in scikit-learn or SciPy are imported when first used.
_ON_DEMAND = ("datasets", "plotting")


def __getattr__(name: str) -> Any:
    if name in _ON_DEMAND:
        return importlib.import_module(f"treemetric.{name}")
    message = f"module 'treemetric' has no attribute {name!r}"
    raise AttributeError(message)
