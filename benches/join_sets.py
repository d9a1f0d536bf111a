"""Sets of functions for `benches/join.py`, from the Python packages that are installed."""

import ast
import random
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

import treemetric as tm
from treemetric.convert import from_ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def folders() -> list[Path]:
    """Return the folders of the standard library and of installed packages."""
    known = sysconfig.get_paths()
    found = [known["stdlib"], known["purelib"], known["platlib"]]
    found += [path for path in sys.path if path.endswith("site-packages")]
    return [Path(path) for path in dict.fromkeys(found)]


def functions() -> Iterator[ast.AST]:
    """Visit the outer functions of all installed modules, in a fixed order."""
    files = {path.resolve() for folder in folders() for path in folder.rglob("*.py")}
    for path in sorted(files):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        waiting: list[ast.AST] = [module]
        while waiting:
            for child in ast.iter_child_nodes(waiting.pop()):
                if isinstance(child, FUNCTIONS):
                    yield child
                elif isinstance(child, (ast.ClassDef, ast.If, ast.Try)):
                    waiting.append(child)


def collect(*, values: bool, sizes: tuple[int, int], most: int | None = None) -> tm.TreeSet:
    """Return the functions whose numbers of nodes are in a range."""
    least, largest = sizes
    found = []
    for function in functions():
        tree = from_ast(function, values=values)
        if least <= tree.size <= largest:
            found.append(tree)
            if most is not None and len(found) >= 20 * most:
                break
    return tm.TreeSet(found)


def draw(trees: tm.TreeSet, count: int, seed: int = 0) -> tm.TreeSet:
    """Draw functions at random; if there are too few, add changed copies of some."""
    rng = random.Random(seed)
    order = list(range(len(trees)))
    rng.shuffle(order)
    if count <= len(order):
        return trees[order[:count]]
    real = list(trees[order])
    changed = [mutated(rng.choice(real), rng) for _ in range(count - len(real))]
    return tm.TreeSet(real + changed)


def mutated(tree: tm.Tree, rng: random.Random, edits: int = 8) -> tm.Tree:
    """Return a copy after some random deletions, insertions of leaves and replacements."""
    labels, parents = list(tree.labels), list(tree.parents)
    alphabet = labels[:]
    for _ in range(rng.randint(1, edits)):
        node = rng.randrange(1, len(labels)) if len(labels) > 1 else 0
        kind = rng.randrange(3)
        if kind == 0 or len(labels) < 3:
            labels[node] = rng.choice(alphabet)
        elif kind == 1:
            above = parents[node]
            parents = [above if p == node else p for p in parents]
            del labels[node], parents[node]
            parents = [p - 1 if p > node else p for p in parents]
        else:
            # A new first child takes the place after its parent.
            parents = [p + 1 if p > node else p for p in parents]
            parents.insert(node + 1, node)
            labels.insert(node + 1, rng.choice(alphabet))
    return tm.Tree.from_parents(labels, parents)
