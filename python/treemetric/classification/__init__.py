"""Classifiers on trees, or on any matrix of distances.

Each takes trees and costs, or with ``metric='precomputed'`` distances that were computed
before. k-nearest neighbours come from scikit-learn, behind `treemetric.transformers`.
"""

from treemetric.classification.distance_svc import DistanceSVC
from treemetric.classification.goodness import GoodnessClassifier
from treemetric.classification.median_glvq import MedianGLVQ
from treemetric.classification.relational_glvq import RelationalGLVQ

__all__ = ["DistanceSVC", "GoodnessClassifier", "MedianGLVQ", "RelationalGLVQ"]
