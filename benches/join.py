"""Joins and nearest neighbours of functions: the index, all pairs in batches, and T-Join.

    python benches/join.py [--smoke] [--cache FOLDER] [--sst FILE] [--tjoin PROGRAM] [--million]

Sets are functions of the installed Python packages (`join_sets.py`): "class" and "named" have 20 to
200 nodes, without and with identifiers, "small" has 5 to 60. A file of sentences (JSON Lines) adds
"sst". Times are processor seconds of one thread, the minimum of up to three runs. "batches" is the
scan of all pairs that `within` used before the index; its answers are compared with those of the
index, bit for bit. A cell is empty if a call would take too long.

T-Join (Hütter et al. 2019) is a program of its own: it is called with a file of trees in bracket
notation and a radius, and prints the number of trees, the radius, the number of pairs and the
seconds of the join. `--million` joins a million functions on two threads and verifies a sample.
"""

import argparse
import itertools
import math
import pickle
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from join_sets import collect, draw

import treemetric as tm
from treemetric.neighbors import request

SETS = {
    "class": {"values": False, "sizes": (20, 200)},
    "named": {"values": True, "sizes": (20, 200)},
    "small": {"values": False, "sizes": (5, 60)},
}
RADII = {"class": (1, 2, 3, 5, 10, 15), "named": (1, 3, 5, 10, 15), "small": (1, 3, 5)}
# Batches take 25 ns per pair of trees. T-Join is stopped after some seconds, and not called for
# larger radii if one took long.
MOST_BATCHED = 20_000
STOPPED, LONG = 120.0, 30.0


def loaded(name: str, cache: Path | None, most: int | None) -> tm.TreeSet:
    """Return a set of functions, from a file of an earlier run if there is one."""
    path = None if cache is None else cache / f"{name}.pkl"
    if path is not None and path.exists():
        with path.open("rb") as file:
            return pickle.load(file)
    trees = collect(**SETS[name], most=most)
    if path is not None:
        with path.open("wb") as file:
            pickle.dump(trees, file)
    return trees


def timed(call: Callable[[], Any], rounds: int = 3, budget: float = 4.0) -> tuple[float, Any]:
    """Return the minimum of the processor seconds of some runs, and the last result."""
    best, spent, found = math.inf, 0.0, None
    for _ in range(rounds):
        start = time.process_time()
        found = call()
        seconds = time.process_time() - start
        best, spent = min(best, seconds), spent + seconds
        if spent > budget:
            break
    return best, found


def by_method(method: str, call: Callable[[], Any]) -> Callable[[], Any]:
    """Return a call by one of the methods, which all give the same bits."""

    def run() -> Any:
        before, request._METHOD = request._METHOD, method
        try:
            return call()
        finally:
            request._METHOD = before

    return run


def check_equal(a: Any, b: Any) -> None:
    """Check that two results are the same."""
    for name in ("indices", "distances"):
        if not np.array_equal(getattr(a, name), getattr(b, name)):
            message = f"{name} differ"
            raise AssertionError(message)


def bracketed(tree: tm.Tree) -> str:
    """Return a tree whose labels are numbers in bracket notation."""
    parts, open_nodes = [], [-1]
    for node, parent in enumerate(tree.parents.tolist()):
        while open_nodes[-1] != parent:
            parts.append("}")
            open_nodes.pop()
        parts.append(f"{{{tree.labels[node]}")
        open_nodes.append(node)
    return "".join(parts) + "}" * (len(open_nodes) - 1)


def t_join(
    program: str, trees: tm.TreeSet, radii: list[int]
) -> dict[int, tuple[int | None, float]]:
    """Return the pairs and seconds of T-Join for some radii; no pairs if it was stopped."""
    found: dict[int, tuple[int | None, float]] = {}
    # Trees must be sorted by size. Labels become numbers: some hold braces.
    codes, parents, offsets = trees._arrays
    with tempfile.NamedTemporaryFile("w", suffix=".bracket") as file:
        for position in np.argsort(trees.sizes, kind="stable"):
            part = slice(offsets[position], offsets[position + 1])
            tree = tm.Tree.from_parents(codes[part].tolist(), parents[part])
            file.write(bracketed(tree) + "\n")
        file.flush()
        for radius in radii:
            try:
                done = subprocess.run(
                    [program, file.name, str(radius)],
                    capture_output=True,
                    text=True,
                    timeout=STOPPED,
                    check=True,
                )
            except subprocess.TimeoutExpired:
                found[radius] = (None, STOPPED)
                break
            _, _, pairs, seconds = done.stdout.split()
            found[radius] = (int(pairs), float(seconds))
            if float(seconds) > LONG:
                break
    return found


def shown(value: float | None, form: str = ".3g") -> str:
    return "" if value is None else f"{value:{form}}"


def join_table(
    sets: dict[str, tm.TreeSet], sizes: tuple[int, ...], program: str | None
) -> dict[tuple[str, int, int], float]:
    """Print the table of joins; return the times of the index."""
    print("## Joins\n")
    print("| set | trees | radius | pairs | method | seconds | batches | times | T-Join | times |")
    print("|---|---:|---:|---:|---|---:|---:|---:|---:|---:|")
    times: dict[tuple[str, int, int], float] = {}
    for name, trees in sets.items():
        radii = list(RADII.get(name, (1, 5, 10, 15)))
        counts = [count for count in sizes if count <= len(trees)] or [len(trees)]
        for count in counts if name != "sst" else [len(trees)]:
            some = draw(trees, count)
            peers = {} if program is None else t_join(program, some, radii)
            for radius in radii:
                seconds, found = timed(
                    lambda some=some, radius=radius: tm.within(some, radius=radius)
                )
                times[name, count, radius] = seconds
                pairs = len(found.indices) // 2
                slow = None
                if count <= MOST_BATCHED:
                    call = by_method(
                        "batches", lambda some=some, radius=radius: tm.within(some, radius=radius)
                    )
                    slow, other = timed(call, 1)
                    check_equal(found, other)
                peer = peers.get(radius)
                if peer is not None and peer[0] not in (None, pairs):
                    message = f"T-Join found {peer[0]} pairs, not {pairs}"
                    raise AssertionError(message)
                cells = [name, f"{count:,}", str(radius), f"{pairs:,}", found.method]
                cells += [shown(seconds), shown(slow), shown(slow and slow / seconds, ".1f")]
                above = "> " if peer is not None and peer[0] is None else ""
                cells += [
                    above + shown(value, form)
                    for value, form in (
                        (peer and peer[1], ".3g"),
                        (peer and peer[1] / seconds, ".1f"),
                    )
                ]
                print(f"| {' | '.join(cells)} |", flush=True)
    return times


def growth_table(times: dict[tuple[str, int, int], float]) -> None:
    """Print the exponents of growth with the number of trees, between sizes of the table."""
    print("\n## Growth\n\nExponents of the number of trees, from row to row.\n")
    print("| set | radius | exponents |\n|---|---:|---|")
    for name, radius in dict.fromkeys((name, radius) for name, _, radius in times if radius <= 5):
        counts = [count for other, count, r in times if (other, r) == (name, radius)]
        steps = []
        for a, b in itertools.pairwise(counts):
            ratio = times[name, b, radius] / times[name, a, radius]
            steps.append(f"{a:,} to {b:,}: {math.log(ratio) / math.log(b / a):.2f}")
        if steps:
            print(f"| {name} | {radius} | {'; '.join(steps)} |")


def nearest_table(trees: tm.TreeSet, count: int, queries: int) -> None:
    """Print the times of nearest neighbours beside those of the search by bounds."""
    print("\n## Nearest neighbours\n")
    print(
        f"{queries} functions among {count:,} others, and {count:,} among themselves; milliseconds "
        'per query with all preparation. "before" is the search of the queue of bounds.\n'
    )
    print(
        "| search | k | before | computed | now | computed | times |\n"
        "|---|---:|---:|---:|---:|---:|---:|"
    )
    some, others = draw(trees, count), draw(trees, queries, seed=1)
    for title, X, Y in (("X in Y", others, some), ("inside", some, None)):
        for k in (1, 10):
            call = lambda X=X, Y=Y, k=k: tm.nearest(X, Y, k=k)  # noqa: E731
            slow, before = timed(by_method("bounds", call), 2)
            fast, now = timed(call, 2)
            check_equal(before, now)
            cells = [title, str(k)]
            for seconds, found in ((slow, before), (fast, now)):
                cells += [f"{seconds / len(X) * 1e3:.3f}", f"{found.computed / len(X):.0f}"]
            print(f"| {' | '.join(cells)} | {slow / fast:.1f} |", flush=True)


def million(trees: tm.TreeSet, count: int, sample: int) -> None:
    """Join a million functions on two threads and verify the answers of a sample."""
    print(f"\n## {count:,} functions, radius 3, two threads\n", flush=True)
    many = draw(trees, count)
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls: list[int] = []
    start, cpu = time.perf_counter(), time.process_time()
    found = tm.within(many, radius=3, n_jobs=2, progress=lambda done, _: calls.append(done))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{len(trees):,} of them are real, the others are changed copies. "
        f"{len(found.indices) // 2:,} pairs by {found.method!r} in {seconds:.1f} s "
        f"({cpu:.1f} s of processor time), "
        f"{len(calls)} reports of progress. The process held {held / 2**20:.1f} GB with the trees "
        f"before, and {peak / 2**20:.1f} GB at most."
    )
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.choice(count, sample, replace=False))
    start = time.perf_counter()
    every = by_method("batches", lambda: tm.within(many[chosen], many, radius=3, n_jobs=2))()
    for row, tree in enumerate(chosen):
        indices, distances = every[row]
        others = indices != tree
        mine = found[tree]
        if not np.array_equal(indices[others], mine[0]) or not np.array_equal(
            distances[others], mine[1]
        ):
            message = f"the neighbours of tree {tree} differ"
            raise AssertionError(message)
    seconds = time.perf_counter() - start
    print(
        f"\nAll answers of {sample:,} functions chosen at random equal those of an exhaustive "
        f"search among all functions ({seconds:.0f} s).",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    parser.add_argument("--cache", type=Path, help="a folder for sets of functions")
    parser.add_argument("--sst", type=Path, help="sentences as JSON Lines")
    parser.add_argument("--tjoin", help="the program of T-Join")
    parser.add_argument("--million", action="store_true", help="join a million functions")
    parser.add_argument("--most", type=int, default=100_000, help="largest number of trees")
    options = parser.parse_args()
    smoke = options.smoke
    names = ["class"] if smoke else list(SETS)
    sets = {name: loaded(name, options.cache, 15 if smoke else None) for name in names}
    if options.sst is not None:
        sets["sst"] = tm.TreeSet.from_jsonl(options.sst)
    sizes = (1000, 10_000, 20_000, 50_000, 100_000)
    sizes = (200,) if smoke else tuple(count for count in sizes if count <= options.most)
    times = join_table(sets, sizes, options.tjoin)
    growth_table(times)
    nearest_table(sets["class"], 100 if smoke else 20_000, 20 if smoke else 1000)
    if options.million or smoke:
        million(sets["class"], 400 if smoke else 1_000_000, 10 if smoke else 1000)


if __name__ == "__main__":
    main()
