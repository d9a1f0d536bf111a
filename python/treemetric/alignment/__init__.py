"""Which edits turn one tree into another: one alignment, all optimal ones, soft ones, counts."""

from treemetric.alignment.align import Alignment, Edit, align, subtree_distances
from treemetric.alignment.cooptimal import CoOptimal, cooptimal
from treemetric.alignment.edit_counts import EditCounts, edit_counts
from treemetric.alignment.soft import SoftAlignment, soft_alignment

__all__ = [
    "Alignment",
    "CoOptimal",
    "Edit",
    "EditCounts",
    "SoftAlignment",
    "align",
    "cooptimal",
    "edit_counts",
    "soft_alignment",
    "subtree_distances",
]
