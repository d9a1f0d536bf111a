"""Exact searches for nearest neighbours and for neighbours within a radius."""

from treemetric.neighbors.index import TreeIndex
from treemetric.neighbors.results import NearestResult, WithinResult
from treemetric.neighbors.search import nearest, within

__all__ = ["NearestResult", "TreeIndex", "WithinResult", "nearest", "within"]
