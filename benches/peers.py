"""Measure treemetric against edist, zss and apted, side by side in one run.

    python benches/peers.py            the whole record, some minutes
    python benches/peers.py --quick    within a minute
    python benches/peers.py --smoke    within seconds, checks that it runs; no record

The engines take turns, and the least time of each counts, because machines are noisy.
Every time is of one thread, except where two threads are named. Trees are prepared
before the clock starts: `Tree` and `TreeSet` objects for treemetric, node and adjacency
lists for edist, linked nodes for zss and apted. Distances are compared before anything
is timed: all engines for unit costs, edist for a cost matrix.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gc
import math
import os
import platform
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import workloads
from report import Report, spell

import treemetric as tm

if TYPE_CHECKING:
    from collections.abc import Callable

    from workloads import Engine, PlainTree

Calls = dict[str, "Callable[[], object]"]


class Plan(NamedTuple):
    """How much to measure."""

    sizes: tuple[int, ...]
    longest_call: float  # seconds; an engine that would take longer is left out
    cell: float  # seconds of each engine for one cell of the table
    set_cell: float  # the same for all pairs of a set
    syntax_pairs: int
    sets: tuple[tuple[str, int, int, int], ...]  # shape, trees, fewest, most nodes
    syntax_trees: int
    modules: tuple[str, ...] | None = None  # of the syntax trees; None for many


_SETS = (
    ("random 20-60", 200, 20, 60),
    ("random 10-40", 1000, 10, 40),
    ("random 10", 400, 10, 10),
    ("random 20", 400, 20, 20),
)
_FULL = Plan((10, 20, 50, 100, 200, 500, 1000), 8.0, 2.0, 12.0, 200, _SETS, 1000)
_QUICK = Plan((10, 20, 50, 100, 200), 0.1, 0.1, 0.8, 100, _SETS, 1000)
_SMOKE = Plan((10, 20), 0.02, 0.0, 0.0, 4, (("random 10-40", 20, 10, 40),), 20, ("uuid",))


# ----------------------------------------------------------------------------- timing


def race(calls: Calls, budget: float, rounds: int = 7) -> dict[str, float]:
    """Return the least seconds of each call; the calls take turns.

    Each call may spend `budget` seconds beyond its first run, so that a slow one does
    not keep a quick one from being measured well.
    """
    loops, best = {}, {}
    spent = dict.fromkeys(calls, 0.0)
    gc.collect()
    gc.disable()
    for name, call in calls.items():
        best[name] = _clock(call, 1)
        loops[name] = max(1, int(0.002 / max(best[name], 1e-7)))
    for _ in range(rounds):
        for name, call in calls.items():
            if spent[name] + best[name] * loops[name] <= budget:
                seconds = _clock(call, loops[name])
                spent[name] += seconds * loops[name]
                best[name] = min(best[name], seconds)
    gc.enable()
    return best


def _clock(call: Callable[[], object], loops: int) -> float:
    start = time.perf_counter()
    for _ in range(loops):
        call()
    return (time.perf_counter() - start) / loops


def _each(distance: Callable[[Any, Any], float], pairs: list[tuple[Any, Any]]) -> None:
    for x, y in pairs:
        distance(x, y)


def _prepared(engine: Engine, pairs: list[tuple[PlainTree, PlainTree]]) -> list[tuple[Any, Any]]:
    return [(engine.prepare(x), engine.prepare(y)) for x, y in pairs]


def _agree(name: str, ours: list[float], theirs: list[float]) -> None:
    if not np.allclose(ours, theirs, rtol=1e-9, atol=1e-9):
        worst = int(np.argmax(np.abs(np.subtract(ours, theirs))))
        message = f"{name} disagrees: {theirs[worst]!r}, treemetric {ours[worst]!r}"
        raise SystemExit(message)


def _peak_memory(call: Callable[[], Any]) -> tuple[Any, str]:
    """Return what the call gives and by how much it raised the high-water mark."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    try:
        ctypes.CDLL(None).malloc_trim(0)
        reset.write_text("5", encoding="ascii")
        before = _kilobytes(status, "VmRSS")
    except (OSError, AttributeError, StopIteration):
        return call(), ""  # not Linux with glibc
    result = call()
    peak = _kilobytes(status, "VmHWM") - before
    return result, f"peak memory +{max(peak, 0) / 1024:.1f} MiB"


def _kilobytes(status: Path, key: str) -> int:
    lines = status.read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(key)))


# -------------------------------------------------------------------------- one pair


class Forecast:
    """Foretells the time of an engine at the next size from the sizes before."""

    def __init__(self) -> None:
        self._seen: list[tuple[int, float]] = []

    def add(self, n: int, seconds: float) -> None:
        self._seen.append((n, seconds))

    def __call__(self, n: int) -> float:
        if not self._seen:
            return 0.0
        (n1, t1), exponent = self._seen[-1], 3.0
        if len(self._seen) > 1:
            n0, t0 = self._seen[-2]
            exponent = min(max(math.log(t1 / t0) / math.log(n1 / n0), 2.0), 4.0)
        return t1 * (n / n1) ** exponent


def bench_shapes(engines: list[Engine], plan: Plan, report: Report) -> None:
    for shape in workloads.SHAPES:
        forecasts = {engine.name: Forecast() for engine in engines}
        for n in plan.sizes:
            _bench_shape(engines, plan, report, forecasts, shape, n)


def _bench_shape(
    engines: list[Engine],
    plan: Plan,
    report: Report,
    forecasts: dict[str, Forecast],
    shape: str,
    n: int,
) -> None:
    rng = random.Random(n)
    count = 4 if n <= 100 else 1
    trees = [workloads.make_tree(shape, n, rng) for _ in range(2 * count)]
    pairs = list(zip(trees[::2], trees[1::2], strict=True))
    seconds: dict[str, float | None] = {}
    notes: dict[str, str] = {}
    values: dict[str, list[float]] = {}
    calls: Calls = {}
    for engine in engines:
        expected = forecasts[engine.name](n)
        seconds[engine.name] = None
        if expected * count > plan.longest_call:
            notes[engine.name] = f"left out, one call would take {spell(expected)}"
            continue
        ready = _prepared(engine, pairs)
        values[engine.name] = [engine.unit(x, y) for x, y in ready]
        calls[engine.name] = functools.partial(_each, engine.unit, ready)
    if "treemetric" not in calls:
        print(f"{'pair, unit':<13}{shape:<14}n={n:<6}left out, takes too long")
        return
    for name, theirs in values.items():
        _agree(name, values["treemetric"], theirs)
    for name, least in race(calls, plan.cell).items():
        seconds[name] = least / count
        forecasts[name].add(n, least / count)
    report.add("pair, unit", shape, n, seconds, notes)
    if shape in ("zigzag", "left") and n == max(plan.sizes):
        _bench_mirror(engines[0], plan, report, pairs[0], shape, n)


def _bench_mirror(
    engine: Engine,
    plan: Plan,
    report: Report,
    pair: tuple[PlainTree, PlainTree],
    shape: str,
    n: int,
) -> None:
    image = (workloads.mirror(pair[0]), workloads.mirror(pair[1]))
    ready = _prepared(engine, [pair, image])
    _agree("the mirror image", [engine.unit(*ready[0])], [engine.unit(*ready[1])])
    least = race(
        {
            "treemetric": functools.partial(engine.unit, *ready[0]),
            "mirror image": functools.partial(engine.unit, *ready[1]),
        },
        plan.cell,
    )
    report.add("mirror", shape, n, dict(least))


def bench_syntax_pairs(engines: list[Engine], plan: Plan, report: Report) -> None:
    """Time pairs of real functions; slow engines get fewer of the same pairs."""
    trees = workloads.syntax_set(2 * plan.syntax_pairs, 1, plan.modules)
    pairs = list(zip(trees[::2], trees[1::2], strict=True))
    alphabet = sorted({label for labels, _ in trees for label in labels})
    costs = workloads.metric_costs(alphabet, seed=1)
    for task in ("pair, unit", "pair, matrix"):
        calls: Calls = {}
        counts: dict[str, int] = {}
        ours = ready = None
        for engine in engines:
            distance = engine.unit
            if task == "pair, matrix":
                if engine.with_costs is None:
                    continue
                distance = engine.with_costs(*costs)
            theirs = _prepared(engine, pairs)
            count = _affordable(distance, theirs, plan.set_cell / 4)
            values = [distance(x, y) for x, y in theirs[:count]]
            if ours is None or ready is None:
                ours, ready, own_distance = values, theirs, distance
            _agree(engine.name, ours[:count], values)
            counts[engine.name] = count
            calls[engine.name] = functools.partial(_each, distance, theirs[:count])
            if count < counts["treemetric"]:
                own = functools.partial(_each, own_distance, ready[:count])
                calls[f"own {engine.name}"] = own
        least = race(calls, plan.set_cell)
        report.add(
            task,
            "ast",
            0,
            {name: least[name] / count for name, count in counts.items()},
            {
                name: f"mean of {count} pairs, ratio on the same pairs"
                for name, count in counts.items()
            },
            {
                name: least[f"own {name}"] / count
                for name, count in counts.items()
                if f"own {name}" in least
            },
        )


def _affordable(
    distance: Callable[[Any, Any], float], pairs: list[tuple[Any, Any]], seconds: float
) -> int:
    """Return how many of the pairs take about so many seconds, at least two."""
    start, count = time.perf_counter(), 0
    for x, y in pairs:
        distance(x, y)
        count += 1
        elapsed = time.perf_counter() - start
        if elapsed > seconds / 4 or count == 100:
            break
    return max(2, min(len(pairs), int(seconds * count / elapsed)))


def bench_call(engine: Engine, plan: Plan, report: Report) -> None:
    """Time one call on small trees, where the way into Rust is most of it."""
    trees = [engine.prepare(tree) for tree in workloads.random_set(100, 10, 10, seed=1)]
    pairs = list(zip(trees[::2], trees[1::2], strict=True))
    least = race({"call": functools.partial(_each, tm.distance, pairs)}, plan.cell, 50)
    report.add("call", "random", 10, {"treemetric": least["call"] / len(pairs)})


# --------------------------------------------------------------------------- all pairs


def bench_sets(engines: list[Engine], plan: Plan, report: Report) -> None:
    for shape, count, low, high in plan.sets:
        trees = workloads.random_set(count, low, high, seed=count + low)
        _bench_set(engines, plan, report, shape, trees)
    trees = workloads.syntax_set(plan.syntax_trees, 2, plan.modules)
    _bench_set(engines, plan, report, "ast", trees)


def _bench_set(
    engines: list[Engine],
    plan: Plan,
    report: Report,
    shape: str,
    trees: list[PlainTree],
) -> None:
    n = len(trees)
    total = n * (n - 1) // 2
    X = tm.TreeSet([engines[0].prepare(tree) for tree in trees])
    D, memory = _peak_memory(lambda: tm.pairwise_distances(X, n_jobs=1))
    order = workloads.random_pairs(n, total, seed=n)
    random.Random(n).shuffle(order)
    calls: Calls = {
        "treemetric": functools.partial(tm.pairwise_distances, X, n_jobs=1),
        "two threads": functools.partial(tm.pairwise_distances, X, n_jobs=2),
    }
    cells = np.array([workloads.cells(tree) for tree in trees], dtype=float)
    all_cells = (cells.sum() ** 2 - (cells**2).sum()) / 2
    counts, shares = {"treemetric": total}, {"treemetric": 1.0}
    for engine in engines[1:]:
        ready = [engine.prepare(tree) for tree in trees]
        pairs = [(ready[i], ready[j]) for i, j in order]
        count = _affordable(engine.unit, pairs, max(plan.set_cell / 6, 0.02))
        checked = min(count, 200)
        theirs = [engine.unit(x, y) for x, y in pairs[:checked]]
        _agree(engine.name, [float(D[i, j]) for i, j in order[:checked]], theirs)
        counts[engine.name] = count
        # Pairs differ widely in work, so a sample stands for its share of the cells.
        sample = sum(cells[i] * cells[j] for i, j in order[:count])
        shares[engine.name] = sample / all_cells if count < total else 1.0
        calls[engine.name] = functools.partial(_each, engine.unit, pairs[:count])
    least = race(calls, plan.set_cell)
    seconds: dict[str, float | None] = {name: least[name] / share for name, share in shares.items()}
    notes = {
        name: f"extrapolated from {count} pairs" for name, count in counts.items() if count < total
    }
    notes["treemetric"] = memory
    report.add("all pairs", shape, n, seconds, notes)
    report.add_two_threads(shape, n, least["treemetric"], least["two threads"], memory)


# ------------------------------------------------------------------------------- main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="within a minute")
    how.add_argument("--smoke", action="store_true", help="only check that it runs")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent / "record", metavar="DIR"
    )
    options = parser.parse_args()
    plan = _SMOKE if options.smoke else _QUICK if options.quick else _FULL

    # zss and apted walk trees by recursion and fail on long chains without this.
    sys.setrecursionlimit(20_000)
    engines = workloads.load_engines()
    parts = [f"{engine.name} {engine.version}" for engine in engines]
    parts += [f"Python {platform.python_version()}", f"numpy {np.__version__}"]
    report = Report(", ".join(parts))
    print(f"{report.cpu}, {os.cpu_count()} CPUs; {report.versions}")
    print("One thread unless named; trees prepared beforehand; least of several rounds.")
    print("In brackets: how many times the time of treemetric.\n")
    if options.smoke:
        print("A smoke test: each call once, so the times mean nothing.\n")

    start = time.perf_counter()
    bench_call(engines[0], plan, report)
    bench_syntax_pairs(engines, plan, report)
    bench_sets(engines, plan, report)
    bench_shapes(engines, plan, report)
    print(f"\nDone in {time.perf_counter() - start:.0f} s.\n")
    if not options.smoke:
        print("\n".join(report.target_lines()))
        page = report.write(options.output, "-quick" if options.quick else "")
        print(f"\nRecord: {os.path.relpath(page)}")


if __name__ == "__main__":
    main()
