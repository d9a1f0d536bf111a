"""Two builds of treemetric side by side: single pairs, all pairs, kinds of costs, small calls.

    python benches/builds.py BEFORE AFTER [--simd avx2] [--smoke]

BEFORE and AFTER are folders that contain the package `treemetric` with its compiled module. Each
build has a process of its own. The processes take turns, workload by workload; processor time of
one thread, minima. The results of both builds are compared. A Markdown table is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import workloads

import treemetric as tm

if TYPE_CHECKING:
    from collections.abc import Callable

Work = tuple["Callable[[], float]", int]
SHAPES = ("random", "binary", "zigzag", "left", "right", "star", "table", "ast")


def pair(shape: str, n: int) -> Work:
    """Return the sum of distances of some pairs, and their number."""
    rng = random.Random(n)
    count = max(1, min(20, 3000 // n))
    trees = [tm.Tree.from_parents(*workloads.make_tree(shape, n, rng)) for _ in range(2 * count)]
    pairs = list(zip(trees[::2], trees[1::2], strict=True))
    repeats = max(1, 2000 // (n * count))

    def run() -> float:
        found = 0.0
        for _ in range(repeats):
            found = sum(tm.distance(x, y) for x, y in pairs)
        return found

    for _ in range(8):  # small trees keep tables from then on
        if n <= 100:
            run()
    return run, repeats * count


def functions(count: int) -> tuple[tm.TreeSet, list[str]]:
    """Return functions of the standard library and their labels."""
    plain = workloads.syntax_set(count, 0)
    return (
        tm.TreeSet([tm.Tree.from_parents(*tree) for tree in plain]),
        sorted({label for tree in plain for label in tree[0]}),
    )


def kind(name: str, count: int) -> Work:
    """Return the sum of all distances of functions under a kind of costs."""
    trees, labels = functions(count)
    _, metric = workloads.metric_costs(labels, 1)
    small = metric.copy()
    small[0, 1] = small[1, 0] = 0.001 / 3
    tiny = metric.copy()
    tiny[0, 1] = tiny[1, 0] = 5e-5 / 3
    words = np.random.default_rng(1).normal(size=(len(labels), 64))
    costs = {
        "unit": lambda: None,
        "two decimals": lambda: tm.CostMatrix(labels, np.round(metric, 2)),
        "halves": lambda: tm.CostMatrix(labels, np.round(2 * metric) / 2),
        "float64": lambda: tm.CostMatrix(labels, metric),
        "1 : 20,000": lambda: tm.CostMatrix(labels, small),
        "1 : 400,000": lambda: tm.CostMatrix(labels, tiny),
        "vectors, float32": lambda: tm.VectorCosts(labels, words.astype(np.float32)),
        "vectors, float64": lambda: tm.VectorCosts(labels, words),
    }[name]()
    total = count * (count - 1) // 2
    return lambda: float(tm.pairwise_distances(trees, costs=costs, n_jobs=1).sum()) / 2, total


def small_set(n: int, count: int) -> Work:
    """Return the sum of all distances of small random trees."""
    trees = tm.TreeSet(
        [tm.Tree.from_parents(*tree) for tree in workloads.random_set(count, n, n, n)]
    )
    total = count * (count - 1) // 2
    return lambda: float(tm.pairwise_distances(trees, n_jobs=1).sum()) / 2, total


def counts(n: int) -> Work:
    """Return the edits of one pair."""
    x, y = (tm.Tree.from_parents(*tree) for tree in workloads.random_set(2, n, n, n))
    return lambda: float(tm.edit_counts([x], [y]).matrix.sum()), 1


def listed(*, smoke: bool) -> dict[str, Callable[[], Work]]:
    """Return all workloads by name."""
    sizes = [30] if smoke else [10, 20, 30, 100, 300, 1000]
    found: dict[str, Callable[[], Work]] = {}
    for shape in SHAPES[:1] if smoke else SHAPES:
        for n in sizes:
            found[f"one pair, {shape}, {n} nodes"] = lambda s=shape, n=n: pair(s, n)
    count = 20 if smoke else 400
    kinds = ("unit", "two decimals", "halves", "float64", "1 : 20,000", "1 : 400,000")
    for name in (*kinds, "vectors, float32", "vectors, float64"):
        found[f"all pairs of functions, {name}"] = lambda name=name: kind(name, count)
    for n in [10] if smoke else [10, 20, 50]:
        found[f"all pairs, random, {n} nodes"] = lambda n=n: small_set(n, 20 if smoke else 300)
    found["edit_counts of one pair, 20 nodes"] = lambda: counts(20)
    return found


def serve(*, smoke: bool) -> None:
    """Run workloads by name, as asked on standard input; answer seconds per step and the result."""
    made: dict[str, Work] = {}
    known = listed(smoke=smoke)
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in made:
            made.clear()
            made[name] = known[name]()
        run, steps = made[name]
        start = time.process_time()
        result = run()
        seconds = time.process_time() - start
        print(json.dumps([seconds / steps, result]), flush=True)


class Build:
    """A process with one of the two builds."""

    def __init__(self, folder: str, options: list[str], simd: str | None) -> None:
        environment = {**os.environ, "PYTHONPATH": folder}
        if simd is not None:
            environment["TREEMETRIC_SIMD"] = simd
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def ask(self, name: str) -> tuple[float, float]:
        """Run a workload once."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        seconds, result = json.loads(self.process.stdout.readline())
        return seconds, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--simd")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    if chosen.serve:
        serve(smoke=chosen.smoke)
        return
    options = ["--smoke"] if chosen.smoke else []
    before, after = (Build(folder, options, chosen.simd) for folder in chosen.folders)
    print("| workload | before, µs | after, µs | before / after |\n|---|---|---|---|")
    for name in listed(smoke=chosen.smoke):
        if chosen.only not in name:
            continue
        best = [float("inf")] * 2
        begin = time.perf_counter()
        rounds = 0
        # At least three rounds, at most as many as take about three seconds.
        while rounds < 3 or (rounds < 15 and time.perf_counter() - begin < 3):
            answers = [build.ask(name) for build in (before, after)]
            results = [result for _, result in answers]
            assert abs(results[0] - results[1]) <= 1e-6 * abs(results[0]), (name, results)
            best = [min(old, new) for old, (new, _) in zip(best, answers, strict=True)]
            rounds += 1
        old, new = (1e6 * seconds for seconds in best)
        print(f"| {name} | {old:.3g} | {new:.3g} | {old / new:.2f} |", flush=True)


if __name__ == "__main__":
    main()
