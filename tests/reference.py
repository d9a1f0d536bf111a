"""Slow and obvious twins of the library, which use nothing of it.

Everything here follows a definition word for word and is too slow for any other use. A tree
is anything with ``labels`` and ``parents`` in preorder; ``cost(a, b)`` is a function of two
labels with None as the gap. Costs may be int, Fraction or float: the twins only add and
compare them.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Cost = Callable[[Any, Any], Any]
    Pairs = tuple[tuple[int, int], ...]


class Tree(Protocol):
    """A forest in preorder: a label and a parent for each node, -1 as the parent of a root."""

    labels: Sequence[Any]
    parents: Sequence[int]


def unit_cost(a: Any, b: Any) -> int:
    """Zero for equal labels, one for every edit."""
    return int(a != b)


def table_cost(alphabet: Sequence[Any], matrix: Any) -> Cost:
    """Look a cost up in a square table whose last row and column are the gap."""
    index = {label: i for i, label in enumerate(alphabet)}
    index[None] = len(alphabet)
    return lambda a, b: matrix[index[a]][index[b]]


def children(parents: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Children of each node from left to right; the roots are the children of -1."""
    lists = defaultdict(list)
    for node, parent in enumerate(parents):
        lists[int(parent)].append(node)
    return defaultdict(tuple, {node: tuple(kids) for node, kids in lists.items()})


# --- distances ---------------------------------------------------------------------


def naive_distance(x: Tree, y: Tree, cost: Cost) -> Any:
    """Edit distance by the recursion on the right-most roots of two forests."""
    kids_x, kids_y = children(x.parents), children(y.parents)

    @cache
    def forests(f: tuple[int, ...], g: tuple[int, ...]) -> Any:
        if not f and not g:
            return 0
        options = []
        if f:
            delete = cost(x.labels[f[-1]], None)
            options.append(forests(f[:-1] + kids_x[f[-1]], g) + delete)
        if g:
            insert = cost(None, y.labels[g[-1]])
            options.append(forests(f, g[:-1] + kids_y[g[-1]]) + insert)
        if f and g:
            inside = forests(kids_x[f[-1]], kids_y[g[-1]])
            outside = forests(f[:-1], g[:-1])
            options.append(inside + outside + cost(x.labels[f[-1]], y.labels[g[-1]]))
        return min(options)

    return forests(kids_x[-1], kids_y[-1])


def table_distance(x: Tree, y: Tree, cost: Cost) -> Any:
    """Edit distance by the textbook tables of Zhang and Shasha, for middle sizes."""
    post_x, left_x = postorder(x.parents)
    post_y, left_y = postorder(y.parents)
    lx = [x.labels[v] for v in post_x]
    ly = [y.labels[v] for v in post_y]
    deletes = [cost(a, None) for a in lx]
    inserts = [cost(None, b) for b in ly]
    tree = {}

    def fill(i0: int, i1: int, j0: int, j1: int) -> Any:
        """Distance of the forests i0..i1 and j0..j1, both ends included."""
        table = {(i0 - 1, j0 - 1): 0}
        for i in range(i0, i1 + 1):
            table[i, j0 - 1] = table[i - 1, j0 - 1] + deletes[i]
        for j in range(j0, j1 + 1):
            table[i0 - 1, j] = table[i0 - 1, j - 1] + inserts[j]
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                best = min(table[i - 1, j] + deletes[i], table[i, j - 1] + inserts[j])
                if left_x[i] == i0 and left_y[j] == j0:
                    paired = table[i - 1, j - 1] + cost(lx[i], ly[j])
                    tree[i, j] = table[i, j] = min(best, paired)
                else:
                    split = table[left_x[i] - 1, left_y[j] - 1] + tree[i, j]
                    table[i, j] = min(best, split)
        return table[i1, j1]

    for i in key_roots(left_x):
        for j in key_roots(left_y):
            fill(left_x[i], i, left_y[j], j)
    return fill(0, len(lx) - 1, 0, len(ly) - 1)


def postorder(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Nodes in postorder, and the postorder rank of the left-most leaf below each."""
    kids = children(parents)
    reversed_order, stack = [], list(kids[-1])
    while stack:
        node = stack.pop()
        reversed_order.append(node)
        stack.extend(kids[node])
    order = reversed_order[::-1]
    rank = {node: i for i, node in enumerate(order)}
    left: list[int] = []
    for i, node in enumerate(order):
        left.append(left[rank[kids[node][0]]] if kids[node] else i)
    return order, left


def key_roots(left: Sequence[int]) -> list[int]:
    """The highest node of every left path, in postorder."""
    return sorted({leaf: i for i, leaf in enumerate(left)}.values())


# --- alignments --------------------------------------------------------------------


def delete_first_alignment(x: Tree, y: Tree, cost: Cost) -> Pairs:
    """The optimal pairs if a deletion is preferred to an insertion, and both to a pair.

    Decisions go from the right-most roots on, hence from the last node in postorder backwards.
    """
    kids_x, kids_y = children(x.parents), children(y.parents)

    @cache
    def least(f: tuple[int, ...], g: tuple[int, ...]) -> Any:
        options = [option[0] for option in ways(f, g)]
        return min(options) if options else 0

    def ways(f: tuple[int, ...], g: tuple[int, ...]) -> list[Any]:
        """Cost, what is left to do, and the pair, for each way to edit the last roots."""
        found: list[Any] = []
        if f:
            rest = (f[:-1] + kids_x[f[-1]], g)
            found.append((least(*rest) + cost(x.labels[f[-1]], None), [rest], None))
        if g:
            rest = (f, g[:-1] + kids_y[g[-1]])
            found.append((least(*rest) + cost(None, y.labels[g[-1]]), [rest], None))
        if f and g:
            i, j = f[-1], g[-1]
            rests = [(f[:-1], g[:-1]), (kids_x[i], kids_y[j])]
            price = cost(x.labels[i], y.labels[j]) + sum(least(*rest) for rest in rests)
            found.append((price, rests, (i, j)))
        return found

    pairs, open_ = [], [(kids_x[-1], kids_y[-1])]
    while open_:
        f, g = open_.pop()
        for price, rests, pair in ways(f, g):
            if price == least(f, g):
                open_.extend(rests)
                pairs.extend([] if pair is None else [pair])
                break
    return tuple(sorted(pairs))


def shape(tree: Tree) -> tuple[int, ...]:
    """Return the parents as plain numbers, which can be a dictionary key."""
    return tuple(int(parent) for parent in tree.parents)


@cache
def alignments_of_shapes(px: tuple[int, ...], py: tuple[int, ...]) -> tuple[Pairs, ...]:
    """All alignments of two shapes given by their parents: labels play no role."""
    rank_x = {node: i for i, node in enumerate(postorder(px)[0])}
    rank_y = {node: i for i, node in enumerate(postorder(py)[0])}

    def fits(pairs: Pairs, i: int, j: int) -> bool:
        # Ancestry and left-to-right order are kept if and only if preorder (the ids)
        # and postorder (the ranks) are.
        return all(
            (a < i) == (b < j) and (rank_x[a] < rank_x[i]) == (rank_y[b] < rank_y[j])
            for a, b in pairs
        )

    def extend(pairs: Pairs, i: int) -> Iterator[Pairs]:
        if i == len(px):
            yield pairs
            return
        yield from extend(pairs, i + 1)
        taken = {b for _, b in pairs}
        for j in range(len(py)):
            if j not in taken and fits(pairs, i, j):
                yield from extend((*pairs, (i, j)), i + 1)

    return tuple(extend((), 0))


def all_alignments(x: Tree, y: Tree) -> tuple[Pairs, ...]:
    """Every set of node pairs that keeps ancestry and left-to-right order."""
    return alignments_of_shapes(shape(x), shape(y))


def alignment_cost(x: Tree, y: Tree, pairs: Pairs, cost: Cost) -> Any:
    """Replace the pairs, delete and insert the rest."""
    total = sum(cost(x.labels[i], y.labels[j]) for i, j in pairs)
    kept_x = {i for i, _ in pairs}
    kept_y = {j for _, j in pairs}
    total += sum(cost(a, None) for i, a in enumerate(x.labels) if i not in kept_x)
    total += sum(cost(None, b) for j, b in enumerate(y.labels) if j not in kept_y)
    return total


def enumerated_distance(x: Tree, y: Tree, cost: Cost) -> Any:
    """Edit distance as the cheapest of all alignments."""
    return min(alignment_cost(x, y, pairs, cost) for pairs in all_alignments(x, y))


@cache
def incidence_of_shapes(px: tuple[int, ...], py: tuple[int, ...]) -> np.ndarray:
    """All alignments as 0-1 matrices of shape (m + 1, n + 1), the gap last."""
    every = alignments_of_shapes(px, py)
    m, n = len(px), len(py)
    out = np.zeros((len(every), m + 1, n + 1), dtype=np.int64)
    out[:, :m, n] = out[:, m, :n] = 1
    for k, pairs in enumerate(every):
        for i, j in pairs:
            out[k, i, j] = 1
            out[k, i, n] = out[k, m, j] = 0
    return out


def incidence(x: Tree, y: Tree) -> np.ndarray:
    """Every alignment of two trees as a 0-1 matrix of pairs, deletions and insertions."""
    return incidence_of_shapes(shape(x), shape(y))


def node_costs(x: Tree, y: Tree, cost: Cost) -> np.ndarray:
    """Return the cost of every pair, deletion and insertion of nodes, shape (m + 1, n + 1)."""
    table = [[cost(a, b) for b in (*y.labels, None)] for a in (*x.labels, None)]
    table[-1][-1] = 0
    return np.array(table)


def optimal_alignments(x: Tree, y: Tree, cost: Cost) -> tuple[Any, np.ndarray]:
    """Return the least cost and the alignments that have it; `cost` must be whole numbers."""
    every = incidence(x, y)
    totals = np.tensordot(every, node_costs(x, y, cost), 2)
    return totals.min(), every[totals == totals.min()]


def symbol_counts(x: Tree, y: Tree, expectation: np.ndarray, alphabet: Sequence[Any]) -> np.ndarray:
    """Sum an expectation over equal labels; the gap is the last symbol."""
    index = {label: k for k, label in enumerate(alphabet)}
    rows = [*(index[label] for label in x.labels), len(alphabet)]
    columns = [*(index[label] for label in y.labels), len(alphabet)]
    out = np.zeros((len(alphabet) + 1, len(alphabet) + 1))
    for i, u in enumerate(rows):
        for j, v in enumerate(columns):
            out[u, v] += expectation[i, j]
    return out


# --- edit scripts ------------------------------------------------------------------


def nested(tree: Tree) -> tuple[Any, ...]:
    """The forest as (label, children) tuples, which can be a dictionary key."""
    kids = children(tree.parents)

    def grow(node: int) -> tuple[Any, ...]:
        return (tree.labels[node], tuple(grow(kid) for kid in kids[node]))

    return tuple(grow(root) for root in kids[-1])


def forest_size(forest: tuple[Any, ...]) -> int:
    """Number of nodes."""
    return sum(1 + forest_size(below) for _, below in forest)


def single_edits(
    forest: tuple[Any, ...], cost: Cost, alphabet: Sequence[Any]
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """All forests one replacement, deletion or insertion away, with their costs."""
    for i, (label, below) in enumerate(forest):
        before, after = forest[:i], forest[i + 1 :]
        yield before + below + after, cost(label, None)
        for other in alphabet:
            yield (*before, (other, below), *after), cost(label, other)
        for changed, spent in single_edits(below, cost, alphabet):
            yield (*before, (label, changed), *after), spent
    for i in range(len(forest) + 1):
        for j in range(i, len(forest) + 1):
            for label in alphabet:
                new = (label, forest[i:j])
                yield (*forest[:i], new, *forest[j:]), cost(None, label)


def script_distance(x: Tree, y: Tree, cost: Cost, alphabet: Sequence[Any], max_size: int) -> Any:
    """Cheapest edit script, by Dijkstra over all forests of at most max_size nodes."""
    goal, best, tie = nested(y), {nested(x): 0}, count()
    queue = [(0, next(tie), nested(x))]
    while queue:
        spent, _, forest = heapq.heappop(queue)
        if forest == goal:
            return spent
        if spent > best[forest]:
            continue
        for other, step in single_edits(forest, cost, alphabet):
            if forest_size(other) <= max_size and (other not in best or spent + step < best[other]):
                best[other] = spent + step
                heapq.heappush(queue, (spent + step, next(tie), other))
    raise AssertionError("every forest can be reached from every other one")


def normalised(d: Any, norm: str | None, x: Tree, y: Tree, cost: Cost, alphabet: Any) -> Any:
    """Divide a distance as a norm says; `alphabet` are the labels of the costs."""
    n, m = len(x.labels), len(y.labels)
    if d == 0 or norm is None:
        return d
    if norm == "max":
        return d / max(n, m)
    if norm == "sum":
        return d / (n + m)
    if norm == "weight":
        return d / (sum(cost(a, None) for a in x.labels) + sum(cost(None, b) for b in y.labels))
    gap = max(max(cost(a, None), cost(None, a)) for a in alphabet)
    return 2 * d / (gap * (n + m) + d)
