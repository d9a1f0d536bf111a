"""Classifiers on trees, or on any matrix of distances.

Each classifier takes trees and costs or, with ``metric='precomputed'``, a matrix of distances.
For k-nearest neighbours combine `treemetric.transformers` with scikit-learn.
"""

from treemetric.classification.distance_svc import DistanceSVC
from treemetric.classification.goodness import GoodnessClassifier
from treemetric.classification.median_glvq import MedianGLVQ
from treemetric.classification.relational_glvq import RelationalGLVQ

__all__ = ["DistanceSVC", "GoodnessClassifier", "MedianGLVQ", "RelationalGLVQ"]
