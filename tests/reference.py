"""The slow and obvious twins, and the trees to try them on.

Everything here follows a definition word for word and is too slow to be of any other
use. A tree is anything with ``labels`` and ``parents`` in preorder, as treemetric.Tree
has them; ``cost(a, b)`` is a function of two labels with None as the gap. Costs may be
int, Fraction or float: the twins only add and compare them.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

import treemetric as tm
from treemetric.matrix.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    Cost = Callable[[Any, Any], Any]
    Pairs = tuple[tuple[int, int], ...]


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


# --- memory ------------------------------------------------------------------------


def budget(
    more: int,
    X: Any,
    Y: Any = None,
    *,
    costs: tm.Costs | None = None,
    cutoff: float | None = None,
    n_jobs: int = 1,
    **_: Any,
) -> int:
    """Give so many bytes for blocks more than the threads take, as a memory budget."""
    problem = Problem.checked(
        X, Y, costs=costs, cutoff=cutoff, dtype="float64", condensed=False, function="budget"
    )
    return problem.needs(n_jobs, 1).scratch + more


# --- distances ---------------------------------------------------------------------


def naive_distance(x: tm.Tree, y: tm.Tree, cost: Cost) -> Any:
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


def table_distance(x: tm.Tree, y: tm.Tree, cost: Cost) -> Any:
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


def all_alignments(x: tm.Tree, y: tm.Tree) -> tuple[Pairs, ...]:
    """Every set of node pairs that keeps ancestry and left-to-right order."""
    return alignments_of_shapes(tuple(int(p) for p in x.parents), tuple(int(p) for p in y.parents))


def alignment_cost(x: tm.Tree, y: tm.Tree, pairs: Pairs, cost: Cost) -> Any:
    """Replace the pairs, delete and insert the rest."""
    total = sum(cost(x.labels[i], y.labels[j]) for i, j in pairs)
    kept_x = {i for i, _ in pairs}
    kept_y = {j for _, j in pairs}
    total += sum(cost(a, None) for i, a in enumerate(x.labels) if i not in kept_x)
    total += sum(cost(None, b) for j, b in enumerate(y.labels) if j not in kept_y)
    return total


def enumerated_distance(x: tm.Tree, y: tm.Tree, cost: Cost) -> Any:
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


def incidence(x: tm.Tree, y: tm.Tree) -> np.ndarray:
    """Every alignment of two trees as a 0-1 matrix of pairs, deletions and insertions."""
    return incidence_of_shapes(tuple(x.parents.tolist()), tuple(y.parents.tolist()))


def node_costs(x: tm.Tree, y: tm.Tree, cost: Cost) -> np.ndarray:
    """Give the cost of every pair, deletion and insertion of nodes, shape (m + 1, n + 1)."""
    table = [[cost(a, b) for b in (*y.labels, None)] for a in (*x.labels, None)]
    table[-1][-1] = 0
    return np.array(table)


def optimal_alignments(x: tm.Tree, y: tm.Tree, cost: Cost) -> tuple[Any, np.ndarray]:
    """Give the least cost and the alignments that have it; `cost` must be whole numbers."""
    every = incidence(x, y)
    totals = np.tensordot(every, node_costs(x, y, cost), 2)
    return totals.min(), every[totals == totals.min()]


def symbol_counts(
    x: tm.Tree, y: tm.Tree, expectation: np.ndarray, alphabet: Sequence[Any]
) -> np.ndarray:
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


def nested(tree: tm.Tree) -> tuple[Any, ...]:
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
    """All forests one replacement, deletion or insertion away, with their prices."""
    for i, (label, below) in enumerate(forest):
        before, after = forest[:i], forest[i + 1 :]
        yield before + below + after, cost(label, None)
        for other in alphabet:
            yield (*before, (other, below), *after), cost(label, other)
        for changed, price in single_edits(below, cost, alphabet):
            yield (*before, (label, changed), *after), price
    for i in range(len(forest) + 1):
        for j in range(i, len(forest) + 1):
            for label in alphabet:
                new = (label, forest[i:j])
                yield (*forest[:i], new, *forest[j:]), cost(None, label)


def script_distance(
    x: tm.Tree, y: tm.Tree, cost: Cost, alphabet: Sequence[Any], max_size: int
) -> Any:
    """Cheapest edit script, by Dijkstra over all forests of at most max_size nodes."""
    goal, best, tie = nested(y), {nested(x): 0}, count()
    queue = [(0, next(tie), nested(x))]
    while queue:
        price, _, forest = heapq.heappop(queue)
        if forest == goal:
            return price
        if price > best[forest]:
            continue
        for other, step in single_edits(forest, cost, alphabet):
            if forest_size(other) <= max_size and (other not in best or price + step < best[other]):
                best[other] = price + step
                heapq.heappush(queue, (price + step, next(tie), other))
    raise AssertionError("every forest can be reached from every other one")


# --- trees by shape ----------------------------------------------------------------


def random_parents(rng: Random, size: int, *, forest: bool = False) -> list[int]:
    """Each node below a random node of the right-most path, or beside it at the top."""
    parents: list[int] = []
    path: list[int] = []
    for node in range(size):
        lowest = 0 if forest or node == 0 else 1
        path = path[: rng.randint(lowest, len(path))]
        parents.append(path[-1] if path else -1)
        path.append(node)
    return parents


def comb_parents(size: int, leaf_first: Callable[[int], bool]) -> list[int]:
    """A spine with one leaf per node, before or after the rest of the spine."""
    parents, spine, later = [-1], 0, []
    for step in count():
        if len(parents) + len(later) + 2 > size:
            break
        if leaf_first(step):
            parents.append(spine)
        else:
            later.append(spine)
        parents.append(spine)
        spine = len(parents) - 1
    if len(parents) + len(later) < size:
        parents.append(spine)
    return parents + later[::-1]


def binary_parents(size: int) -> list[int]:
    """A binary tree filled level by level."""
    parents, stack = [], [(0, -1)]
    while stack:
        slot, parent = stack.pop()
        if slot < size:
            node = len(parents)
            parents.append(parent)
            stack += [(2 * slot + 2, node), (2 * slot + 1, node)]
    return parents


def table_parents(size: int) -> list[int]:
    """A root, rows, and four cells in every row."""
    return [-1 if i == 0 else 0 if i % 5 == 1 else i - 1 - (i - 2) % 5 for i in range(size)]


SHAPES: dict[str, Callable[[Random, int], list[int]]] = {
    "random": random_parents,
    "forest": lambda rng, size: random_parents(rng, size, forest=True),
    "binary": lambda _, size: binary_parents(size),
    "left branch": lambda _, size: comb_parents(size, lambda _: False),
    "right branch": lambda _, size: comb_parents(size, lambda _: True),
    "zigzag": lambda _, size: comb_parents(size, lambda step: step % 2 == 1),
    "star": lambda _, size: [-1] + [0] * (size - 1),
    "chain": lambda _, size: list(range(-1, size - 1)),
    "table": lambda _, size: table_parents(size),
}


def make_tree(
    rng: Random, size: int, shape: str = "random", alphabet: Sequence[Any] = "abc"
) -> tm.Tree:
    """Build a tree of one of SHAPES with random labels; size 0 is the empty tree."""
    parents = SHAPES[shape](rng, size) if size else []
    return tm.Tree.from_parents([rng.choice(alphabet) for _ in parents], parents)


def delete_nodes(tree: tm.Tree, nodes: Sequence[int]) -> tm.Tree:
    """Delete nodes; their children move up."""
    gone = set(nodes)
    moved = {-1: -1}
    labels, parents = [], []
    for node, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        if node in gone:
            moved[node] = moved[int(parent)]
        else:
            moved[node] = len(labels)
            labels.append(label)
            parents.append(moved[int(parent)])
    return tm.Tree.from_parents(labels, parents)


def block_of_rows(rows: tm.TreeSet, columns: tm.TreeSet, n_jobs: int) -> Any:
    """All distances of a block, as a function that a worker process can import."""
    return tm.pairwise_distances(rows, columns, n_jobs=n_jobs)
