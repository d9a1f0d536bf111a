"""Similar subtrees inside large trees: `find` beside the distances to some of the subtrees.

    python benches/find.py [--smoke]

The standard library is searched as one tree with all its modules as children, as one tree with all
outer functions and methods as children, and as a set of these functions. Queries are functions of
about 40 nodes with some labels changed. "all" is `find` with an infinite radius: one table
of the query and everything. "naive" is `distance` for subtrees chosen at random, scaled to all
subtrees; it is too low, because subtrees of 2,000 nodes or more are left out. The matches are
compared with both before anything is reported. Times are processor seconds; beside those of two
threads, "wall" is how many times less the clock shows for two of them, which means something on a
quiet machine only. Memory is the peak during the search minus what the process held before it
(Linux only); "copy" is the same for a copy of the label codes, which shows that growth is seen.
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


def parsed(count: int | None) -> tuple[list[tm.Tree], list[tm.Tree]]:
    """Return the modules of the standard library, and their outer functions and methods."""
    modules, functions = [], []
    paths = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    for path in [path for path in paths if "site-packages" not in path.parts][:count]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                root = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        modules.append(from_ast(root))
        waiting: list[ast.AST] = [root]
        while waiting:
            for node in ast.iter_child_nodes(waiting.pop()):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    functions.append(from_ast(node))
                elif isinstance(node, (ast.ClassDef, ast.If, ast.Try)):
                    waiting.append(node)
    return modules, functions


def joined(trees: list[tm.Tree]) -> tm.Tree:
    """Return one tree with all trees as children of its root."""
    labels = ["root", *(label for tree in trees for label in tree.labels)]
    parents, start = [-1], 1
    for tree in trees:
        parents += [0 if parent < 0 else parent + start for parent in tree.parents.tolist()]
        start += tree.size
    return tm.Tree.from_parents(labels, parents)


def changed(tree: tm.Tree, rng: random.Random) -> tm.Tree:
    """Return a tree with four other labels."""
    labels = list(tree.labels)
    for node in rng.sample(range(1, tree.size), 4):
        labels[node] = rng.choice(LABELS)
    return tm.Tree.from_parents(labels, tree.parents)


def naive_time(
    query: tm.Tree, trees: list[tm.Tree], known: dict[tuple[int, int], float], count: int
) -> float:
    """Return the seconds of one distance, on average, after a check of a sample."""
    places = random.Random(1).sample(sorted(known), min(count, len(known)))
    some = [(place, trees[place[0]].subtree(place[1])) for place in places]
    some = [(place, below) for place, below in some if below.size < 2000]
    start = time.process_time()
    distances = [tm.distance(query, below) for _, below in some]
    seconds = time.process_time() - start
    assert distances == [known[place] for place, _ in some]
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


def timed(call: Callable[[], tm.FindResult]) -> tuple[float, float, tm.FindResult]:
    """Return processor seconds, seconds of the clock, and what was found."""
    start, clock = time.process_time(), time.perf_counter()
    found = call()
    return time.process_time() - start, time.perf_counter() - clock, found


def search(name: str, trees: list[tm.Tree], queries: list[tm.Tree], sample: int) -> None:
    """Print the times of searches in some trees."""
    where = trees[0] if len(trees) == 1 else tm.TreeSet(trees)
    nodes = sum(tree.size for tree in trees)
    everything, naive, whole = [], [], []
    for query in queries:
        seconds, _, found = timed(partial(tm.find, query, where, radius=float("inf")))
        whole.append(seconds)
        everything.append(found)
        places = zip(found.trees.tolist(), found.nodes.tolist(), strict=True)
        known = dict(zip(places, found.distances.tolist(), strict=True))
        naive.append(naive_time(query, trees, known, sample))
    print(f"\n{name}, {nodes:,} nodes: all {sum(whole) / len(whole):.2f} s; ", end="")
    print(f"naive, estimated: {sum(naive) / len(naive) * nodes:.0f} s")
    if sys.platform == "linux":
        copied = growth(lambda: [tree._data.codes() for tree in trees])
        print(f"copy: {copied:.1f} MB")
    print("\n| question | seconds | 2 threads | wall | avoided | memory, MB |")
    print("|---|---:|---:|---:|---:|---:|")
    for k in (1, 5, 100):
        times: list[list[float]] = [[], [], [], []]
        shares, memory = [], []
        for query, every in zip(queries, everything, strict=True):
            for jobs in (1, 2):
                seconds, clock, found = timed(partial(tm.find, query, where, k=k, n_jobs=jobs))
                times[jobs - 1].append(seconds)
                times[jobs + 1].append(clock)
                assert list(found) == every[:k]
            shares.append(found.avoided)
            if sys.platform == "linux":
                memory.append(growth(partial(tm.find, query, where, k=k)))
        one, two, clock_one, clock_two = (sum(values) / len(values) for values in times)
        share, most = sum(shares) / len(shares), max(memory, default=float("nan"))
        row = f"| k = {k} | {one:.3f} | {two:.3f} | {clock_one / clock_two:.2f} | {share:.1%} |"
        print(f"{row} {most:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    smoke = parser.parse_args().smoke
    rng = random.Random(0)
    modules, functions = parsed(5 if smoke else None)
    some = [tree for tree in functions if 38 <= tree.size <= 42] or functions[:1]
    queries = [changed(tree, rng) for tree in rng.sample(some, min(5, len(some)))]
    print(f"{len(queries)} queries of about 40 nodes")
    sample = 20 if smoke else 400
    search("modules as one tree", [joined(modules)], queries, sample)
    search("functions as one tree", [joined(functions)], queries, sample)
    search(f"{len(functions):,} functions", functions, queries, sample)


if __name__ == "__main__":
    main()
