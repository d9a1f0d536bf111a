"""Exact searches for nearest neighbours, for neighbours within a radius, and inside trees."""

from treemetric.neighbors.duplicates import Duplicates, deduplicate
from treemetric.neighbors.find import FindResult, Match, find
from treemetric.neighbors.index import TreeIndex
from treemetric.neighbors.pair_files import PairFile
from treemetric.neighbors.pairs import PairChunk
from treemetric.neighbors.results import NearestResult, WithinResult
from treemetric.neighbors.search import nearest, within
from treemetric.neighbors.stream import iter_within

__all__ = [
    "Duplicates",
    "FindResult",
    "Match",
    "NearestResult",
    "PairChunk",
    "PairFile",
    "TreeIndex",
    "WithinResult",
    "deduplicate",
    "find",
    "iter_within",
    "nearest",
    "within",
]
