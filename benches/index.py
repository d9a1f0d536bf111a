"""An index in a file: opening it, single queries, and changes.

    python benches/index.py [--smoke] [FILE]

FILE is an index whose trees are used; without it, they are the functions of the standard library
with their names and constants. Times are processor milliseconds of one thread; queries are the
mean of 30, minimum of three rounds. The answers are compared with those of `within` on the trees
before anything is reported.
"""

import argparse
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import treemetric as tm
from treemetric.datasets import load_functions


def trees_of(path: Path | None, *, smoke: bool) -> tm.TreeSet:
    """Return the trees to search in."""
    if path is not None:
        return tm.TreeIndex.open(path).trees
    folder = Path(sysconfig.get_path("stdlib"))
    return load_functions(folder / "json" if smoke else folder, values=True).data


def least(call: Callable[[], object], rounds: int = 1) -> float:
    """Return the least processor time of some calls in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def report(what: str, milliseconds: float) -> None:
    print(f"| {what} | {milliseconds:,.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    parser.add_argument("file", nargs="?", type=Path)
    options = parser.parse_args()
    trees = trees_of(options.file, smoke=options.smoke)
    chosen = np.random.default_rng(0).choice(len(trees), min(31, len(trees)), replace=False)
    # The last one is removed from the trees that are searched.
    queries = [tm.TreeSet([trees[int(i)]], ids=[0]) for i in chosen]
    labels = len(trees.alphabet)
    print(f"{len(trees)} trees of {len(trees.codes)} nodes with {labels} labels\n")
    print("| what | ms |\n|---|---:|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trees.index"
        index = tm.TreeIndex(tm.TreeSet(trees, ids=range(len(trees))))
        report("save", least(lambda: index.save(path)))
        report("open", least(lambda: tm.TreeIndex.open(path), 5))
        opened = tm.TreeIndex.open(path)
        report("check all of it, once", least(lambda: opened.trees))
        report("first `within`, radius 3", least(lambda: opened.within(queries[0], radius=3)))
        for query in queries[:3]:
            expected = tm.within(query, trees, radius=3)
            found = opened.within(query, radius=3)
            assert found.indices.tolist() == expected.indices.tolist()
            assert found.distances.tolist() == expected.distances.tolist()
        for radius in (1, 3, 5, 10):
            seconds = least(lambda r=radius: [opened.within(q, radius=r) for q in queries[:30]], 3)
            report(f"a query, radius {radius}", seconds / len(queries[:30]))
        report("add a tree", least(lambda: opened.add(queries[-1])))
        report("the next query, radius 3", least(lambda: opened.within(queries[0], radius=3)))
        report("remove two trees", least(lambda: opened.remove([0, 1])))
        report("the next query, radius 3", least(lambda: opened.within(queries[0], radius=3)))
        report("first `nearest`, k = 1", least(lambda: opened.nearest(queries[0], k=1)))


if __name__ == "__main__":
    main()
