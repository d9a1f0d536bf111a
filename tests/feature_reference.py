"""Slow and obvious twins of features and kernels: all of them are listed and counted.

They follow the definitions word for word and use nothing of the library; see `reference`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from reference import children

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reference import Tree


def ancestors(tree: Tree, node: int) -> list[int]:
    """Return the ancestors of a node, the nearest first."""
    found = []
    while (node := int(tree.parents[node])) != -1:
        found.append(node)
    return found


def path_features(tree: Tree, max_ancestors: int) -> Counter[str]:
    """Count paths, adjacent siblings, roots and leaves under their names."""
    kids, labels = children(tree.parents), tree.labels
    found: Counter[str] = Counter()
    for node, label in enumerate(labels):
        above = [labels[i] for i in ancestors(tree, node)]
        for length in range(min(max_ancestors, len(above)) + 1):
            found[" > ".join([*above[:length][::-1], label])] += 1
        if not above:
            found[f"(root) > {label}"] += 1
        if not kids[node]:
            found[f"{label} > (leaf)"] += 1
    for siblings in list(kids.values()):
        for left, right in itertools.pairwise(siblings):
            found[f"{labels[left]}, {labels[right]}"] += 1
    return found


def pqgrams(tree: Tree, p: int, q: int) -> Counter[str]:
    """Count pq-grams under their names; a forest has a star as its root."""
    kids, labels = children(tree.parents), tree.labels
    nodes = [*range(len(labels))] + ([-1] if len(kids[-1]) > 1 else [])
    found: Counter[str] = Counter()
    for node in nodes:
        stem = [] if node == -1 else [labels[i] for i in [node, *ancestors(tree, node)][:p]]
        stem = ["*"] * (p - len(stem)) + stem[::-1]
        base = [labels[kid] for kid in kids[node]]
        padded = ["*"] * (q - 1) + base + ["*"] * (q - 1) if base else ["*"] * q
        for i in range(len(padded) - q + 1):
            found[f"{' > '.join(stem)} ({', '.join(padded[i : i + q])})"] += 1
    return found


def cut_subtrees(tree: Tree, height: int) -> Counter[str]:
    """Count the subtrees of all nodes, cut below depths up to `height`, under their names."""
    kids = children(tree.parents)

    def name(node: int, depth: int) -> str:
        if depth == 0:
            return f"{tree.labels[node]}(…)"
        inner = ", ".join(name(kid, depth - 1) for kid in kids[node])
        return f"{tree.labels[node]}({inner})" if inner else tree.labels[node]

    found: Counter[str] = Counter()
    for node in range(len(tree.labels)):
        # Deeper cuts of a complete subtree are the same subtree.
        found.update({name(node, depth) for depth in range(height + 1)})
    return found


Fragment = tuple[Any, ...]


def subtree_fragments(tree: Tree, decay: float) -> dict[Fragment, float]:
    """Return the weights of all complete subtrees; the kernel is their inner product."""
    kids = children(tree.parents)

    def grow(node: int) -> tuple[Fragment, float]:
        below = [grow(kid) for kid in kids[node]]
        weight = decay**0.5 * math.prod(weight for _, weight in below)
        return (tree.labels[node], *(part for part, _ in below)), weight

    return added(grow(node) for node in range(len(tree.labels)))


def subset_fragments(tree: Tree, decay: float) -> dict[Fragment, float]:
    """Return the weights of all subset trees: each node ends the fragment or has all children."""
    kids = children(tree.parents)

    def grow(node: int) -> Iterator[tuple[Fragment, float]]:
        # A child that ends the fragment is its label alone.
        choices = [[(tree.labels[kid], 1.0), *grow(kid)] for kid in kids[node]]
        for chosen in itertools.product(*choices):
            weight = decay**0.5 * math.prod(weight for _, weight in chosen)
            yield (tree.labels[node], tuple(part for part, _ in chosen)), weight

    return added(part for node in range(len(tree.labels)) for part in grow(node))


def partial_fragments(tree: Tree, decay: float, depth_decay: float) -> dict[Fragment, float]:
    """Return the weights of all partial trees: each node has some of its children, in order."""
    kids = children(tree.parents)

    def grow(node: int) -> Iterator[tuple[Fragment, float]]:
        below = kids[node]
        for size in range(len(below) + 1):
            for places in itertools.combinations(range(len(below)), size):
                width = places[-1] - places[0] + 1 if places else 1
                for chosen in itertools.product(*(list(grow(below[i])) for i in places)):
                    weight = depth_decay**0.5 * decay**width
                    weight *= math.prod(weight for _, weight in chosen)
                    yield (tree.labels[node], *(part for part, _ in chosen)), weight

    return added(part for node in range(len(tree.labels)) for part in grow(node))


def added(fragments: Iterator[tuple[Fragment, float]]) -> dict[Fragment, float]:
    """Add the weights of equal fragments."""
    found: dict[Fragment, float] = defaultdict(float)
    for fragment, weight in fragments:
        found[fragment] += weight
    return found


def inner_product(one: Mapping[Any, float], other: Mapping[Any, float]) -> float:
    """Return the inner product of two sparse vectors."""
    return sum(weight * other.get(fragment, 0.0) for fragment, weight in one.items())
