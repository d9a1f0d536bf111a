"""Clusters of trees, or of any matrix of distances."""

from treemetric.clustering.k_medoids import KMedoids
from treemetric.clustering.medoids import medoids

__all__ = ["KMedoids", "medoids"]
