"""Fingerprints of trees: equal trees have equal fingerprints in every process."""

from __future__ import annotations

from treemetric._base.digest import digest, label_bytes
from treemetric.treeset import TreeSet


def of_trees(trees: TreeSet) -> str:
    """Return the fingerprint of labels and shapes, without `ids` and `classes`."""
    return digest(b"trees", *map(label_bytes, trees.alphabet), *trees._arrays)
