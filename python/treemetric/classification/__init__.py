"""Classifiers on trees, or on any matrix of distances.

Each classifier takes trees and costs. All but `KNeighborsTreeClassifier` also take a matrix of
distances, with ``metric='precomputed'``.
"""

from treemetric.classification.distance_svc import DistanceSVC
from treemetric.classification.goodness import GoodnessClassifier
from treemetric.classification.k_neighbors import KNeighborsTreeClassifier
from treemetric.classification.median_glvq import MedianGLVQ
from treemetric.classification.relational_glvq import RelationalGLVQ

__all__ = [
    "DistanceSVC",
    "GoodnessClassifier",
    "KNeighborsTreeClassifier",
    "MedianGLVQ",
    "RelationalGLVQ",
]
