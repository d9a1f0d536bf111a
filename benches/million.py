"""A million functions within three edits of each other, verified by an exhaustive search.

    python benches/million.py [--smoke] [--cache FOLDER] [--n-jobs N]

The functions are those of the installed Python packages with 20 to 200 nodes (`join_sets.py`), and
changed copies of them until there are a million. Joins of a part of them show the growth. The
answers of 1,000 functions, chosen at random, are compared with those of all pairs in batches. The
memory is the largest that the process ever held, with the trees.
"""

import argparse
import math
import os
import pickle
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from join import by_method, loaded
from join_sets import draw

import treemetric as tm

RADIUS = 3


def gigabytes() -> float:
    """Return the most memory that the process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def functions(count: int, cache: Path | None, most: int | None) -> tm.TreeSet:
    """Return real and changed functions, from a file of an earlier run if there is one."""
    path = None if cache is None else cache / f"{count}.pkl"
    if path is not None and path.exists():
        with path.open("rb") as file:
            return pickle.load(file)
    trees = draw(loaded("class", cache, most), count)
    if path is not None:
        with path.open("wb") as file:
            pickle.dump(trees, file)
    return trees


def reported(done: int, total: int) -> None:
    """Show progress on one line."""
    print(f"\r{done:,} of {total:,} trees", end="", file=sys.stderr, flush=True)


def joins(trees: tm.TreeSet, counts: list[int], threads: int) -> Any:
    """Print the times of joins of some and of all trees; return the answers of the last."""
    print("| trees | pairs | method | wall s | processor s | exponent | load | memory, GB |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|")
    order = np.random.default_rng(1).permutation(len(trees))
    before: tuple[int, float] | None = None
    found = None
    for count in counts:
        some = trees if count == len(trees) else trees[np.sort(order[:count])]
        wall, cpu = time.perf_counter(), time.process_time()
        found = tm.within(some, radius=RADIUS, n_jobs=threads, progress=reported)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        steps = "" if before is None else math.log(cpu / before[1]) / math.log(count / before[0])
        before = (count, cpu)
        cells = [f"{count:,}", f"{len(found.indices) // 2:,}", found.method]
        cells += [f"{wall:.1f}", f"{cpu:.1f}", steps and f"{steps:.2f}"]
        cells += [f"{os.getloadavg()[0]:.1f}", f"{gigabytes():.1f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    return found


def verify(trees: tm.TreeSet, found: Any, sample: int, threads: int) -> None:
    """Compare the answers of some trees with those of all pairs."""
    chosen = np.sort(np.random.default_rng(0).choice(len(trees), sample, replace=False))
    call = by_method(
        "batches", lambda: tm.within(trees[chosen], trees, radius=RADIUS, n_jobs=threads)
    )
    every = call()
    for row, tree in enumerate(chosen):
        indices, distances = every[row]
        others = indices != tree
        answers = found[tree]
        same = np.array_equal(indices[others], answers[0])
        if not same or not np.array_equal(distances[others], answers[1]):
            message = f"the neighbours of tree {tree} differ"
            raise AssertionError(message)
    answers = sum(len(found[tree][0]) for tree in chosen)
    print(
        f"\nThe {answers:,} answers of {sample:,} functions chosen at random equal those of an "
        f"exhaustive search ({every.method}) among all functions.",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    parser.add_argument("--cache", type=Path, help="a folder for sets of functions")
    parser.add_argument("--n-jobs", type=int, default=2, help="number of threads")
    options = parser.parse_args()
    most = 400 if options.smoke else 1_000_000
    trees = functions(most, options.cache, 15 if options.smoke else None)
    print(
        f"{len(trees):,} functions of {trees.sizes.mean():.0f} nodes on average, radius {RADIUS}, "
        f"{options.n_jobs} threads; {gigabytes():.1f} GB before the first join.\n"
    )
    found = joins(trees, [most // 10, most * 3 // 10, most], options.n_jobs)
    verify(trees, found, 10 if options.smoke else 1000, options.n_jobs)


if __name__ == "__main__":
    main()
