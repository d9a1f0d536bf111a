"""Features of trees: counts of labels, paths, pq-grams and subtrees, and the pq-gram distance."""

from treemetric.features.pqgrams import pqgram_distance, pqgram_distances
from treemetric.features.tree_features import TreeFeatures

__all__ = ["TreeFeatures", "pqgram_distance", "pqgram_distances"]
