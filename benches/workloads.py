"""Trees and engines of the benchmarks.

A plain tree is `(labels, parents)` in preorder. Every engine converts plain trees to its
own type before timing.
"""

from __future__ import annotations

import functools
import importlib
import random
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import treemetric as tm
from treemetric.datasets import load_stdlib_functions

if TYPE_CHECKING:
    from collections.abc import Callable

PlainTree = tuple[list[str], list[int]]
# Modules with many functions, for trees of shape "ast".
_MODULES = ("argparse", "inspect", "tarfile")
ALPHABET = [chr(ord("a") + i) for i in range(26)]
SHAPES = (
    *("random", "recursive", "binary", "left", "right", "zigzag", "forked", "mixed"),
    *("star", "table", "ast"),
)


# ------------------------------------------------------------------------------ trees


def make_tree(shape: str, n: int, rng: random.Random) -> PlainTree:
    """Return a tree of n nodes of one of SHAPES.

    Labels are random letters, except for "ast". A tree of shape "ast" consists of the first
    n nodes, in preorder, of a module made of functions of the standard library.
    """
    if shape == "ast":
        return _module(n, rng)
    labels = [rng.choice(ALPHABET) for _ in range(n)]
    if shape == "random":
        return labels, _uniform_parents(n, rng)
    if shape == "recursive":
        return labels, _preorder(_recursive(n, rng))
    return labels, _preorder(_CHILDREN[shape](n))


def random_set(count: int, low: int, high: int, seed: int) -> list[PlainTree]:
    rng = random.Random(seed)
    return [make_tree("random", rng.randint(low, high), rng) for _ in range(count)]


def syntax_set(count: int, seed: int, modules: tuple[str, ...] | None = None) -> list[PlainTree]:
    """Return functions of the standard library, 20 to 200 nodes, in random order."""
    trees = list(_syntax_trees(modules))
    random.Random(seed).shuffle(trees)
    return trees[:count]


def library_set(count: int, seed: int) -> list[PlainTree]:
    """Return functions of 20 to 200 nodes of the whole standard library, in random order."""
    trees = list(_syntax_trees(_library_modules()))
    random.Random(seed).shuffle(trees)
    return trees[:count]


@functools.cache
def _syntax_trees(modules: tuple[str, ...] | None) -> list[PlainTree]:
    data = load_stdlib_functions(modules=modules).data
    return [(list(tree.labels), tree.parents.tolist()) for tree in data]


def _library_modules() -> tuple[str, ...]:
    """Name the modules of the standard library that are written in Python."""
    folder = Path(sysconfig.get_path("stdlib"))
    left_out = {"test", "idlelib", "lib2to3", "site", "this", "antigravity"}
    names = []
    for file in [*folder.glob("*.py"), *folder.glob("*/*.py")]:
        parts = file.relative_to(folder).with_suffix("").parts
        if parts[0] in sys.stdlib_module_names and parts[0] not in left_out:
            names.append(".".join(part for part in parts if part != "__init__"))
    return tuple(sorted(names))


def _module(n: int, rng: random.Random) -> PlainTree:
    functions = _syntax_trees(_MODULES)
    labels, parents = ["Module"], [-1]
    while len(labels) < n:
        more, above = rng.choice(functions)
        start = len(labels)
        labels += more
        parents += [0 if parent < 0 else start + parent for parent in above]
    return labels[:n], parents[:n]


def random_pairs(n: int, count: int, seed: int) -> list[tuple[int, int]]:
    """Return `count` distinct pairs i < j of n objects, or all pairs if n has fewer."""
    total = n * (n - 1) // 2
    rng = random.Random(seed)
    picked = range(total) if count >= total else rng.sample(range(total), count)
    rows, columns = np.triu_indices(n, 1)
    return [(int(rows[k]), int(columns[k])) for k in picked]


def _uniform_parents(n: int, rng: random.Random) -> list[int]:
    """Draw an ordered tree of n nodes, each shape equally likely.

    A random order of n - 1 steps up and n steps down has exactly one rotation that stays
    at or above 0 until its last step (the cycle lemma). Without that step, the rotation
    is the depth-first walk of a tree.
    """
    steps = [1] * (n - 1) + [-1] * n
    rng.shuffle(steps)
    heights = np.cumsum(steps)
    start = int(np.argmin(heights)) + 1
    parents, path = [-1], [0]
    for step in (steps[start:] + steps[:start])[:-1]:
        if step == 1:
            parents.append(path[-1])
            path.append(len(parents) - 1)
        else:
            path.pop()
    return parents


def _preorder(children: list[list[int]]) -> list[int]:
    parents: list[int] = []
    stack = [(0, -1)]
    while stack:
        node, parent = stack.pop()
        parents.append(parent)
        here = len(parents) - 1
        stack += [(child, here) for child in reversed(children[node])]
    return parents


def _recursive(n: int, rng: random.Random) -> list[list[int]]:
    """Grow a tree: each node becomes a child of a random earlier node, at a random position."""
    children: list[list[int]] = [[] for _ in range(n)]
    for node in range(1, n):
        siblings = children[rng.randrange(node)]
        siblings.insert(rng.randint(0, len(siblings)), node)
    return children


def _under_one_root(n: int, shapes: tuple[str, ...]) -> list[list[int]]:
    children: list[list[int]] = [[]]
    for part, shape in enumerate(shapes):
        start, size = len(children), (n - 1 + part) // len(shapes)
        if size:
            children[0].append(start)
            children += [[start + c for c in below] for below in _CHILDREN[shape](size)]
    return children


def _binary(n: int) -> list[list[int]]:
    return [[c for c in (2 * i + 1, 2 * i + 2) if c < n] for i in range(n)]


def _comb(n: int, spine_first: Callable[[int], bool]) -> list[list[int]]:
    """Return a spine in which each node has the next spine node and one leaf as children."""
    children: list[list[int]] = [[] for _ in range(n)]
    spine, next_node, level = 0, 1, 0
    while next_node < n:
        pair = [c for c in (next_node, next_node + 1) if c < n]
        children[spine] = pair if spine_first(level) else pair[::-1]
        spine, next_node, level = next_node, next_node + 2, level + 1
    return children


def _star(n: int) -> list[list[int]]:
    return [list(range(1, n))] + [[] for _ in range(n - 1)]


def _table(n: int) -> list[list[int]]:
    """Return a table with up to eight cells per row."""
    columns = min(8, max(1, round((n - 1) ** 0.5) - 1))
    children: list[list[int]] = [[] for _ in range(n)]
    for row in range(1, n, columns + 1):
        children[0].append(row)
        children[row] = list(range(row + 1, min(row + 1 + columns, n)))
    return children


_CHILDREN: dict[str, Callable[[int], list[list[int]]]] = {
    "binary": _binary,
    "left": lambda n: _comb(n, lambda _: True),
    "right": lambda n: _comb(n, lambda _: False),
    "zigzag": lambda n: _comb(n, lambda level: level % 2 == 0),
    "forked": lambda n: _under_one_root(n, ("zigzag", "zigzag")),
    "mixed": lambda n: _under_one_root(n, ("binary", "left", "right", "zigzag")),
    "star": _star,
    "table": _table,
}


def mirror(tree: PlainTree) -> PlainTree:
    """Return the tree with the children of every node in reverse order."""
    labels, parents = tree
    children = adjacency(parents)
    new_labels: list[str] = []
    new_parents: list[int] = []
    stack = [(0, -1)]
    while stack:
        node, parent = stack.pop()
        new_labels.append(labels[node])
        new_parents.append(parent)
        # The last child is on top of the stack, so it is visited first.
        stack += [(child, len(new_parents) - 1) for child in children[node]]
    return new_labels, new_parents


def adjacency(parents: list[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
    return children


def cells(tree: PlainTree) -> int:
    """Return the tree's factor in the number of Zhang-Shasha cells of a pair.

    A key root is the root or a node that is not a first child. The factor is the sum, over
    all nodes, of the number of key roots among the node and its ancestors.
    """
    depths: list[int] = []
    for node, parent in enumerate(tree[1]):
        depths.append(1 if parent < 0 else depths[parent] + (parent != node - 1))
    return sum(depths)


def metric_costs(alphabet: list[str], seed: int) -> tuple[list[str], np.ndarray]:
    """Return distances between random points, the gap last: float64, not short decimals."""
    points = np.random.default_rng(seed).normal(size=(len(alphabet) + 1, 8))
    points[-1] = 0.0
    return alphabet, np.linalg.norm(points[:, None] - points[None], axis=2)


# ---------------------------------------------------------------------------- engines


class Engine(NamedTuple):
    name: str
    version: str
    prepare: Callable[[PlainTree], Any]
    unit: Callable[[Any, Any], float]
    # Takes an alphabet and its cost matrix; returns the distance under these costs.
    with_costs: Callable[[list[str], np.ndarray], Callable[[Any, Any], float]] | None


def _treemetric() -> Engine:
    return Engine(
        "treemetric",
        tm.__version__,
        lambda tree: tm.Tree.from_parents(*tree),
        tm.distance,
        _treemetric_costs,
    )


def _treemetric_costs(alphabet: list[str], matrix: np.ndarray) -> Callable[[Any, Any], float]:
    costs = tm.CostMatrix(alphabet, matrix)
    return lambda x, y: tm.distance(x, y, costs=costs)


def _edist() -> Engine:
    ted = importlib.import_module("edist.ted")

    def with_costs(alphabet: list[str], matrix: np.ndarray) -> Callable[[Any, Any], float]:
        keys = [*alphabet, None]
        rows = matrix.tolist()
        table = {(x, y): rows[i][j] for i, x in enumerate(keys) for j, y in enumerate(keys)}

        def delta(x: str | None, y: str | None) -> float:
            return table[x, y]

        return lambda x, y: ted.ted(x[0], x[1], y[0], y[1], delta=delta)

    return Engine(
        "edist",
        _version("edist"),
        lambda tree: (tree[0], adjacency(tree[1])),
        lambda x, y: ted.standard_ted(x[0], x[1], y[0], y[1]),
        with_costs,
    )


def _zss() -> Engine:
    zss = importlib.import_module("zss")

    def prepare(tree: PlainTree) -> Any:
        nodes = [zss.Node(label) for label in tree[0]]
        for node, parent in zip(nodes, tree[1], strict=True):
            if parent >= 0:
                nodes[parent].addkid(node)
        return nodes[0]

    return Engine(
        "zss",
        _version("zss"),
        prepare,
        lambda x, y: zss.simple_distance(x, y, label_dist=lambda a, b: a != b),
        None,
    )


def _apted() -> Engine:
    apted = importlib.import_module("apted")
    helpers = importlib.import_module("apted.helpers")

    def prepare(tree: PlainTree) -> Any:
        nodes = [helpers.Tree(label) for label in tree[0]]
        for node, parent in zip(nodes, tree[1], strict=True):
            if parent >= 0:
                nodes[parent].children.append(node)
        return nodes[0]

    config = apted.Config()
    return Engine(
        "apted",
        _version("apted"),
        prepare,
        lambda x, y: apted.APTED(x, y, config).compute_edit_distance(),
        None,
    )


def _version(package: str) -> str:
    return importlib.import_module("importlib.metadata").version(package)


def load_engines() -> list[Engine]:
    """Return treemetric and the installed peers."""
    engines = [_treemetric()]
    for name, load in (("edist", _edist), ("zss", _zss), ("apted", _apted)):
        try:
            engines.append(load())
        except ImportError as error:
            print(f"{name} is not installed and is skipped ({error})")
    return engines
