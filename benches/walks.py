"""How much code a call walks through: Python functions, modules and calls of the core.

    python benches/walks.py

Functions and modules are counted once each, calls of the core every time. The second table is
the time of `cooptimal` with four of its attributes on one object. Counts are those of a second
call, when everything is imported and cached.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np

import treemetric as tm
from treemetric.datasets import make_strings
from treemetric.learning import BEDL

ROOT = Path(tm.__file__).parent


class Walk:
    """Counts what is called inside the package."""

    def __init__(self) -> None:
        self.functions: set[object] = set()
        self.modules: set[str] = set()
        self.core_calls = 0

    def __call__(self, frame, event, arg) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            if frame.f_code.co_name != "<module>":
                self.functions.add(frame.f_code)
                self.modules.add(frame.f_code.co_filename)
        elif event == "c_call" and is_core(arg):
            self.core_calls += 1

    def of(self, call: Callable[[], object]) -> "Walk":
        """Count one call."""
        sys.setprofile(self)
        try:
            call()
        finally:
            sys.setprofile(None)
        return self


def is_core(function: object) -> bool:
    """Return whether a built-in function or method belongs to `treemetric._core`."""
    owner = getattr(function, "__self__", None)
    if getattr(owner, "__name__", "").endswith("_core"):
        return True
    kind = owner if isinstance(owner, type) else type(owner)
    return kind.__module__ == "treemetric._core"


def random_tree(size: int, seed: int) -> tm.Tree:
    """Return a tree whose nodes hang at random below one of the last ten."""
    random = Random(seed)
    parents, path = [-1], [0]
    for node in range(1, size):
        del path[max(1, len(path) - random.randrange(6)) :]
        parents.append(path[-1])
        path.append(node)
    return tm.Tree.from_parents([random.choice("abcd") for _ in range(size)], parents)


def walks(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the calls that are counted, by name."""
    trees = [random_tree(20, seed) for seed in range(8)]
    x, y = trees[:2]
    costs = tm.CostMatrix("abcd", 1.5 * (1 - np.eye(5)))
    strings = make_strings(40, random_state=0)
    names = iter(range(100))
    return {
        "distance": lambda: tm.distance(x, y),
        "distance, matrix": lambda: tm.distance(x, y, costs=costs),
        "pairwise_distances": lambda: tm.pairwise_distances(trees),
        "pairwise_distances(out=)": lambda: tm.pairwise_distances(
            trees, out=folder / f"{next(names)}.npy"
        ),
        "cooptimal.expectation": lambda: tm.cooptimal(x, y).expectation,
        "BEDL.fit": lambda: BEDL(1, max_iter=2, random_state=0).fit(strings.data, strings.target),
        "nearest": lambda: tm.nearest(trees, k=2),
    }


def cooptimal_times(size: int, repeats: int) -> dict[str, float]:
    """Return seconds, each the least of some repeats."""
    x, y = random_tree(size, 1), random_tree(size, 2)

    def attributes() -> None:
        pair = tm.cooptimal(x, y)
        _ = pair.cost, pair.count, pair.expectation, pair.sample(1, random_state=0)

    calls = {
        "distance": lambda: tm.distance(x, y),
        "cooptimal: cost": lambda: tm.cooptimal(x, y).cost,
        "cooptimal: count": lambda: tm.cooptimal(x, y).count,
        "cooptimal: expectation": lambda: tm.cooptimal(x, y).expectation,
        "cooptimal: cost, count, expectation and a sample of one object": attributes,
    }
    return {name: min(map(timed, [call] * repeats)) for name, call in calls.items()}


def timed(call: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=500, help="size of the pair (default: 500)")
    parser.add_argument("--repeats", type=int, default=5, help="runs per time (default: 5)")
    arguments = parser.parse_args()
    print("| call | Python functions | modules | core calls |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, call in walks(Path(folder)).items():
            call()
            walk = Walk().of(call)
            counts = (len(walk.functions), len(walk.modules), walk.core_calls)
            print(f"| `{name}` | {' | '.join(map(str, counts))} |")
    print(f"\n| one pair of {arguments.nodes} nodes | ms |\n|---|---|")
    for name, seconds in cooptimal_times(arguments.nodes, arguments.repeats).items():
        print(f"| {name} | {1000 * seconds:.2f} |")


if __name__ == "__main__":
    main()
