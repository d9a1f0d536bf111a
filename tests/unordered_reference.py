"""Slow and obvious twins of the distances without an order of children.

They follow the definitions word for word and use nothing of the library; see `reference`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from reference import alignment_cost, children

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reference import Cost, Pairs, Tree


def best_pairing(sources: Sequence[int], sinks: Sequence[int], gain: Callable[..., Any]) -> Any:
    """Return the largest gain of pairing some sources with different sinks, by trying all."""
    if not sources:
        return 0
    first, *rest = sources
    options = [best_pairing(rest, sinks, gain)]
    for sink in sinks:
        others = [other for other in sinks if other != sink]
        options.append(gain(first, sink) + best_pairing(rest, others, gain))
    return max(options)


def naive_unordered_distance(x: Tree, y: Tree, cost: Cost) -> Any:
    """Constrained unordered distance by the recursion of Zhang (1996), with brute-force pairings.

    -1 is the common root of all trees of a forest. Costs need not be a metric: two roots may stay
    unpaired while their children are paired.
    """
    kids_x, kids_y = children(x.parents), children(y.parents)

    @cache
    def deleted(i: int) -> Any:
        below = sum(deleted(s) for s in kids_x[i])
        return below if i == -1 else below + cost(x.labels[i], None)

    @cache
    def inserted(j: int) -> Any:
        below = sum(inserted(t) for t in kids_y[j])
        return below if j == -1 else below + cost(None, y.labels[j])

    def delete(i: int) -> Any:
        return 0 if i == -1 else cost(x.labels[i], None)

    def insert(j: int) -> Any:
        return 0 if j == -1 else cost(None, y.labels[j])

    @cache
    def trees(i: int, j: int) -> Any:
        apart = forests(i, j) + delete(i) + insert(j)
        options = [apart, *(inserted(j) + trees(i, t) - inserted(t) for t in kids_y[j])]
        options += [deleted(i) + trees(s, j) - deleted(s) for s in kids_x[i]]
        if i != -1 and j != -1:
            options.append(forests(i, j) + cost(x.labels[i], y.labels[j]))
        return min(options)

    @cache
    def forests(i: int, j: int) -> Any:
        def gone(node: int) -> Any:
            return deleted(node) - delete(node)

        def come(node: int) -> Any:
            return inserted(node) - insert(node)

        def gain(s: int, t: int) -> Any:
            return deleted(s) + inserted(t) - trees(s, t)

        options = [gone(i) + come(j) - best_pairing(kids_x[i], kids_y[j], gain)]
        options += [come(j) + forests(i, t) - come(t) for t in kids_y[j]]
        options += [gone(i) + forests(s, j) - gone(s) for s in kids_x[i]]
        return min(options)

    return trees(-1, -1)


def ancestors(parents: Sequence[int], node: int) -> list[int]:
    """The node itself, its parent, and so on up to -1."""
    path = [node]
    while path[-1] != -1:
        path.append(int(parents[path[-1]]))
    return path


def keeps_ancestors(x: Tree, y: Tree, pairs: Pairs) -> bool:
    """Check that pairs are one to one and that ancestors correspond to ancestors."""
    return all(
        (a == c) == (b == d) and (a in ancestors(x.parents, c)) == (b in ancestors(y.parents, d))
        for a, b in pairs
        for c, d in pairs
    )


def is_constrained(x: Tree, y: Tree, pairs: Pairs) -> bool:
    """Check Zhang's condition on all triples of pairs.

    The lowest common ancestor of two nodes is a proper ancestor of a third one in both trees or in
    neither.
    """

    def above(tree: Tree, a: int, b: int, third: int) -> bool:
        of_b = ancestors(tree.parents, b)
        common = next(node for node in ancestors(tree.parents, a) if node in of_b)
        return common != third and common in ancestors(tree.parents, third)

    return keeps_ancestors(x, y, pairs) and all(
        above(x, a[0], b[0], c[0]) == above(y, a[1], b[1], c[1])
        for a in pairs
        for b in pairs
        for c in pairs
    )


def unordered_by_enumeration(x: Tree, y: Tree, cost: Cost, valid: Callable[..., bool]) -> Any:
    """Return the cost of the cheapest of all mappings that are valid.

    With `is_constrained` it is the constrained distance, with `keeps_ancestors` the unordered edit
    distance, which is NP-hard. Parts of valid mappings must be valid.
    """

    def extend(pairs: Pairs, i: int) -> Any:
        if i == len(x.labels):
            return alignment_cost(x, y, pairs, cost)
        options = [extend(pairs, i + 1)]
        for j in range(len(y.labels)):
            longer = (*pairs, (i, j))
            if valid(x, y, longer):
                options.append(extend(longer, i + 1))
        return min(options)

    return extend((), 0)
