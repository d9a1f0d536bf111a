"""Seconds of one large pair on one thread and on two: `distance(x, y, n_jobs=)`.

    python benches/one_pair.py [--smoke] [--shapes ast binary] [--nodes 5000] [--calls distance]

Calls of one and of two threads alternate; the minimum counts. The results are compared. Memory is
the peak of the first call of each kind above what the process held before.
"""

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import peak_memory
from workloads import make_tree

import treemetric as tm

THREADS = (1, 2)
CALLS: dict[str, Callable[..., Any]] = {
    "distance": tm.distance,
    "align": lambda x, y, n_jobs: tm.align(x, y, n_jobs=n_jobs).cost,
    "subtree_distances": tm.subtree_distances,
}


def table(labels: list[str], seed: int) -> tm.CostMatrix:
    """Return costs that no short decimals express."""
    values = np.random.default_rng(seed).uniform(0.1, 1.0, (len(labels) + 1, len(labels) + 1))
    np.fill_diagonal(values, 0)
    return tm.CostMatrix(labels, values)


def measure(call: Callable[..., Any], repeats: int) -> tuple[dict[int, float], dict[int, int]]:
    """Return seconds and peak bytes by the number of threads."""
    seconds = dict.fromkeys(THREADS, float("inf"))
    peaks: dict[int, int] = {}
    results = []
    for repeat in range(repeats):
        for threads in THREADS:
            start = time.perf_counter()
            if repeat:
                result = call(n_jobs=threads)
            else:
                result, peak = peak_memory(lambda threads=threads: call(n_jobs=threads))
                peaks[threads] = peak or 0
            seconds[threads] = min(seconds[threads], time.perf_counter() - start)
            results.append(result)
            assert np.array_equal(results[0], result), "the result depends on the threads"
            del results[1:], result
    return seconds, peaks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    parser.add_argument("--shapes", nargs="+", default=["ast", "binary", "random", "zigzag"])
    parser.add_argument("--nodes", nargs="+", type=int, default=[5000])
    parser.add_argument("--calls", nargs="+", choices=CALLS, default=["distance"])
    parser.add_argument("--table", action="store_true", help="arbitrary costs of labels")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    if args.smoke:
        args.nodes, args.calls, args.repeats = [1500], list(CALLS), 1
    print("| shape | nodes | call | 1 thread, s | 2 threads, s | ratio | MB | MB, 2 threads |")
    print("|---|---|---|---|---|---|---|---|")
    for shape in args.shapes:
        for n in args.nodes:
            rng = random.Random(n)
            x, y = (tm.Tree.from_parents(*make_tree(shape, n, rng)) for _ in range(2))
            costs = table(sorted({*x.labels, *y.labels}), n) if args.table else None
            tm.distance(x, tm.Tree.from_bracket("{a}"))  # prepares trees
            tm.distance(y, tm.Tree.from_bracket("{a}"))
            for name in args.calls:

                def call(n_jobs: int, x=x, y=y, function=CALLS[name], costs=costs) -> Any:
                    if costs is None:
                        return function(x, y, n_jobs=n_jobs)
                    return tm.distance(x, y, costs=costs, n_jobs=n_jobs)

                seconds, peaks = measure(call, args.repeats)
                one, two = (seconds[threads] for threads in THREADS)
                sizes = " | ".join(f"{peaks[threads] / 1e6:.0f}" for threads in THREADS)
                times = f"{one:.3f} | {two:.3f} | {one / two:.2f}"
                print(f"| {shape} | {n} | {name} | {times} | {sizes} |", flush=True)


if __name__ == "__main__":
    main()
