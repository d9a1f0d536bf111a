"""The range of temperatures at which alignments can be weighted."""

from __future__ import annotations

from treemetric._base.validation import as_float, refuse, shown
from treemetric.alignment.soft import HOTTEST
from treemetric.costs import Costs
from treemetric.distances import pairwise_distances
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

# The weights of alignments, exp(-cost / temperature), lose their last digits below this share of
# the largest cost of an alignment.
_LOWEST_SHARE = 1e-10


def lowest_temperature(trees: TreeSet, costs: Costs) -> float:
    """Return the lowest temperature that `edit_counts` accepts for pairs of these trees.

    No alignment costs more than deleting one tree and inserting another.
    """
    empty = TreeSet([Tree.from_sequence([])])
    deleted = pairwise_distances(trees, empty, costs=costs).max(initial=0.0)
    inserted = pairwise_distances(empty, trees, costs=costs).max(initial=0.0)
    return _LOWEST_SHARE * float(deleted + inserted)


def check_temperature(
    temperature: object, owner: str, trees: TreeSet | None = None, costs: Costs | None = None
) -> None:
    """Check a temperature: in general, or for some trees and costs."""
    heat = as_float(temperature)
    if not 0 < heat <= HOTTEST:
        must = f"None or a float in the range (0.0, {HOTTEST:g}]"
        refuse("temperature", owner, must, shown(temperature))
    if trees is None or costs is None:
        return
    lowest = lowest_temperature(trees, costs)
    if lowest > HOTTEST:
        highest = HOTTEST / _LOWEST_SHARE
        must = f"so low that all edits of two trees cost at most {highest:g}"
        refuse("costs", owner, must, f"costs of {lowest / _LOWEST_SHARE:g}")
    if heat < lowest:
        must = f"None or a float in the range [{lowest:g}, {HOTTEST:g}] for these trees"
        refuse("temperature", owner, must, shown(temperature))
