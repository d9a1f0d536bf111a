"""Build two trees from Python lists and compare them: treemetric and edist in one run.

    python benches/lists.py [--smoke]

Each call takes labels and lists of children, as people have them, and returns the distance:
``distance(Tree.from_adjacency(nodes, adj), ...)`` against ``edist.ted.standard_ted``. The
second table has the microseconds per node of building a tree.
"""

import argparse
import ast
import inspect
import time
from collections.abc import Callable

from measure import race

import treemetric as tm
from treemetric import convert
from treemetric.datasets import make_random_trees

PAIRS = 10
SHAPES = ("uniform", "growth")


def compared(pairs: list[tuple[tm.Tree, tm.Tree]], budget: float) -> dict[str, float]:
    """Return the seconds per pair of both packages; their results must agree."""
    lists = [(*x.to_adjacency(), *y.to_adjacency()) for x, y in pairs]
    make, distance = tm.Tree.from_adjacency, tm.distance

    def ours() -> list[float]:
        return [distance(make(a, b), make(c, d)) for a, b, c, d in lists]

    calls: dict[str, Callable[[], list[float]]] = {"treemetric": ours}
    try:
        from edist import ted
    except ImportError:
        pass
    else:
        calls["edist"] = lambda: [ted.standard_ted(*item) for item in lists]
        if calls["edist"]() != ours():
            message = "the packages disagree"
            raise AssertionError(message)
    times = race(calls, budget, timer=time.process_time)
    return {name: seconds / len(pairs) for name, seconds in times.items()}


def builders(tree: tm.Tree) -> dict[str, Callable[[], tm.Tree]]:
    """Return a call that makes the tree again, for each kind of Python objects."""
    nested, (nodes, adj) = tree.to_nested(), tree.to_adjacency()
    labels, parents = list(tree.labels), tree.parents.tolist()
    return {
        "from_nested": lambda: tm.Tree.from_nested(nested),
        "from_adjacency": lambda: tm.Tree.from_adjacency(nodes, adj),
        "from_parents": lambda: tm.Tree.from_parents(labels, parents),
        "from_callable": lambda: tm.Tree.from_callable(0, adj.__getitem__, nodes.__getitem__),
    }


def from_ast(size: int) -> tuple[int, Callable[[], tm.Tree]]:
    """Return a call that makes a tree of about this many nodes of Python's syntax."""
    module = ast.Module(body=[], type_ignores=[])
    found = 0
    for statement in ast.parse(inspect.getsource(inspect)).body:
        module.body.append(statement)
        found = convert.from_ast(module).size
        if found >= size:
            break
    return found, lambda: convert.from_ast(module)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    smoke = parser.parse_args().smoke
    budget = 0.001 if smoke else 1.0
    sizes = (5, 10) if smoke else (5, 10, 30, 70, 200)
    alphabet = [f"n{i}" for i in range(20)]
    print("Microseconds from lists to the distance\n")
    print("| shape | nodes | treemetric | edist | times faster |\n|---|---|---|---|---|")
    for shape in SHAPES:
        for size in sizes:
            trees = list(
                make_random_trees(
                    2 * PAIRS, n_nodes=size, alphabet=alphabet, shape=shape, random_state=size
                ).data
            )
            times = compared(list(zip(trees[::2], trees[1::2], strict=True)), budget)
            ours, theirs = times["treemetric"] * 1e6, times.get("edist", float("nan")) * 1e6
            print(f"| {shape} | {size} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.2f} |")
    print("\nMicroseconds per node\n")
    print("| builder | " + " | ".join(f"{size} nodes" for size in sizes) + " |")
    print("|---" * (len(sizes) + 1) + "|")
    cells: dict[str, list[str]] = {}
    for size in sizes:
        tree = make_random_trees(
            1, n_nodes=size, alphabet=alphabet, shape="growth", random_state=0
        ).data[0]
        nodes, parse = from_ast(size)
        times = race({**builders(tree), "from_ast": parse}, budget, timer=time.process_time)
        for name, seconds in times.items():
            count = nodes if name == "from_ast" else size
            cells.setdefault(name, []).append(f"{seconds / count * 1e6:.3f}")
    for name, row in cells.items():
        print(f"| {name} | {' | '.join(row)} |")


if __name__ == "__main__":
    main()
