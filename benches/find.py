"""Similar subtrees inside one large tree: `find` beside the distances to some of its subtrees.

    python benches/find.py [--smoke]

The tree is a root with all modules of the standard library as children, as syntax trees. Queries
are functions of about 40 nodes, of which some labels are changed. "all" is `find` with an infinite
radius: one table of the query and the whole tree. "naive" is `distance` for subtrees chosen at
random, scaled to all subtrees. It is one estimate for all rows, and too low, because subtrees of
2,000 nodes or more are left out. The matches are compared with both before anything is reported.
Memory is the peak during the search minus what the process held before it (Linux only); "copy" is
the same for a copy of the label codes, which shows that growth is seen.
"""

import argparse
import ast
import ctypes
import gc
import random
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import treemetric as tm
from treemetric.convert import from_ast

LABELS = ("Name", "Constant", "Call", "Attribute")


def modules(count: int | None) -> tuple[tm.Tree, list[tm.Tree]]:
    """Return one tree of all modules, and the functions of about 40 nodes."""
    trees, functions = [], []
    paths = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    for path in [path for path in paths if "site-packages" not in path.parts][:count]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                root = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        trees.append(from_ast(root))
        found = (from_ast(node) for node in ast.walk(root) if isinstance(node, ast.FunctionDef))
        functions += [tree for tree in found if 38 <= tree.size <= 42]
    labels = ["root", *(label for tree in trees for label in tree.labels)]
    parents, start = [-1], 1
    for tree in trees:
        parents += [0 if parent < 0 else parent + start for parent in tree.parents.tolist()]
        start += tree.size
    return tm.Tree.from_parents(labels, parents), functions


def changed(tree: tm.Tree, rng: random.Random) -> tm.Tree:
    """Return a tree with four other labels."""
    labels = list(tree.labels)
    for node in rng.sample(range(1, tree.size), 4):
        labels[node] = rng.choice(LABELS)
    return tm.Tree.from_parents(labels, tree.parents)


def naive_time(query: tm.Tree, tree: tm.Tree, all_distances: dict[int, float], count: int) -> float:
    """Return the seconds of one distance, on average, after a check of a sample."""
    nodes = random.Random(1).sample(range(tree.size), min(count, tree.size))
    some = [(node, tree.subtree(node)) for node in nodes]
    some = [(node, below) for node, below in some if below.size < 2000]
    start = time.perf_counter()
    distances = [tm.distance(query, below) for _, below in some]
    seconds = time.perf_counter() - start
    assert distances == [all_distances[node] for node, _ in some]
    return seconds / len(some)


def status(name: str) -> float:
    """Return an entry of the status of this process in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def growth(call: Callable[[], object]) -> float:
    """Return the megabytes that a call takes at its peak."""
    gc.collect()
    # Free memory goes back to the system, and is not there for what is measured.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = status("VmRSS")
    call()
    return status("VmHWM") - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    smoke = parser.parse_args().smoke
    rng = random.Random(0)
    tree, functions = modules(5 if smoke else None)
    queries = [changed(function, rng) for function in rng.sample(functions, min(5, len(functions)))]
    queries = queries or [tree.subtree(1)]
    print(f"one tree of {tree.size} nodes, {len(queries)} queries of about 40 nodes")
    everything, naive = [], []
    whole = []
    for query in queries:
        start = time.perf_counter()
        found = tm.find(query, tree, radius=float("inf"))
        whole.append(time.perf_counter() - start)
        everything.append(found)
        distances = dict(zip(found.nodes.tolist(), found.distances.tolist(), strict=True))
        naive.append(naive_time(query, tree, distances, 20 if smoke else 400))
    seconds = sum(naive) / len(naive) * tree.size
    print(f"all: {sum(whole) / len(whole):.2f} s; naive, estimated: {seconds:.0f} s")
    if sys.platform == "linux":
        print(f"copy: {growth(tree._data.codes):.1f} MB")
    print("\n| question | seconds | 2 threads | avoided | memory, MB |\n|---|---:|---:|---:|---:|")
    for k in (1, 5, 100):
        times, both, shares, memory = [], [], [], []
        for query, every in zip(queries, everything, strict=True):
            for jobs, kept in ((1, times), (2, both)):
                start = time.perf_counter()
                found = tm.find(query, tree, k=k, n_jobs=jobs)
                kept.append(time.perf_counter() - start)
                assert list(found) == every[:k]
            shares.append(found.avoided)
            if sys.platform == "linux":
                memory.append(growth(partial(tm.find, query, tree, k=k)))
        mean = [sum(values) / len(values) for values in (times, both, shares)]
        most = max(memory, default=float("nan"))
        print(
            f"| k = {k} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.1%} | {most:.1f} |", flush=True
        )


if __name__ == "__main__":
    main()
