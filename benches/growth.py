"""Growth of time and memory with the nodes of a pair and with the number of trees.

    python benches/growth.py            the whole record, a few minutes
    python benches/growth.py --smoke    a few seconds, checks that it runs; no record

First, one pair of every shape from 10 to 3,000 nodes, with unit costs and with a float64 cost
matrix; then all pairs of increasing numbers of trees. Times are processor times of one thread, so
that a busy machine does not distort the curves. Peak memory is measured in a separate process.
Exponents are fitted to the upper half of the sizes, for times and for the cells counted on the same
trees. Writes `record/<date>-<cpu>-growth.md` and a figure with the suffix `.png`.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import workloads
from growth_child import run_alone
from growth_report import draw, markdown
from growth_theory import counts
from measure import Calls, Forecast, race
from report import Report, spell

import treemetric as tm

if TYPE_CHECKING:
    from workloads import PlainTree

FOLDER = Path(__file__).parent / "record"
SHAPES = ("random", "recursive", "binary", "left", "right", "zigzag", "forked", "mixed", "ast")
COSTS = ("unit", "matrix")


class Plan(NamedTuple):
    """The amount of work."""

    sizes: tuple[int, ...]
    longest: float  # seconds; larger sizes of a shape are skipped if a pair would take longer
    cell: float  # seconds for each shape, size and cost
    # Memory: random shapes, the worst shape, real trees.
    memory_shapes: tuple[str, ...]
    memory_sizes: tuple[int, ...]
    memory_longest: float
    trees: tuple[int, ...]


_FULL = Plan(
    (10, 18, 30, 55, 100, 175, 300, 550, 1000, 1750, 3000),
    *(60.0, 0.4),
    *(("random", "zigzag", "forked", "ast"), (100, 300, 1000, 3000), 10.0),
    (100, 200, 400, 800, 1500, 3000),
)
_SMOKE = Plan((10, 30, 60), 0.5, 0.0, ("random",), (60,), 0.5, (10, 30))


class Point(NamedTuple):
    """The result for one pair, or for all pairs of a set."""

    n: int
    seconds: float | None = None
    peak: int | None = None
    counted: dict[str, float] | None = None


Curves = dict[tuple[str, str], list[Point]]


# --------------------------------------------------------------------------- one pair


def make_pair(shape: str, n: int, seed: int) -> tuple[PlainTree, PlainTree]:
    rng = random.Random(1000 * n + seed)
    return workloads.make_tree(shape, n, rng), workloads.make_tree(shape, n, rng)


def costs_of(costs: str, pair: tuple[PlainTree, PlainTree]) -> tm.Costs:
    if costs == "unit":
        return tm.UnitCosts()
    alphabet = sorted({label for labels, _ in pair for label in labels})
    return tm.CostMatrix(*workloads.metric_costs(alphabet, seed=1))


def prepared(shape: str, n: int, costs: str, seed: int) -> tuple[tm.Tree, tm.Tree, tm.Costs]:
    """Return two prepared trees and their costs."""
    pair = make_pair(shape, n, seed)
    x, y = (tm.Tree.from_parents(*tree) for tree in pair)
    return x, y, costs_of(costs, pair)


def grow_pairs(plan: Plan) -> Curves:
    """Time one pair of every shape and size, until pairs take too long."""
    curves: Curves = {}
    for shape in SHAPES:
        for costs in COSTS:
            forecast = Forecast()
            points = curves[shape, costs] = []
            for n in plan.sizes:
                if forecast(n) > plan.longest:
                    note = f"skipped, a pair would take {spell(forecast(n))}"
                    print(f"{shape:<11}{costs:<8}n={n:<6}{note}", flush=True)
                    break
                # Several pairs of small trees, because their shapes vary.
                seeds = range(4 if n <= 300 else 1)
                calls: Calls = {}
                for seed in seeds:
                    x, y, table = prepared(shape, n, costs, seed)
                    calls[str(seed)] = functools.partial(tm.distance, x, y, costs=table)
                least = race(calls, plan.cell / len(calls), timer=time.process_time)
                seconds = float(np.mean(list(least.values())))
                forecast.add(n, seconds)
                counted = [counts(*make_pair(shape, n, seed)) for seed in seeds]
                means = {key: float(np.mean([c[key] for c in counted])) for key in counted[0]}
                points.append(Point(n, seconds, counted=means))
            largest = ", ".join(f"{p.n}: {spell(p.seconds)}" for p in points[-3:])
            print(f"{shape:<11}{costs:<8}{largest}", flush=True)
    return curves


def grow_pair_memory(plan: Plan, timed: Curves) -> Curves:
    curves: Curves = {}
    for shape in plan.memory_shapes:
        for costs in COSTS:
            seconds = {point.n: point.seconds for point in timed[shape, costs]}
            curves[shape, costs] = [
                Point(n, peak=run_alone(*prepared(shape, n, costs, 0))[1])
                for n in plan.memory_sizes
                if (seconds.get(n) or np.inf) <= plan.memory_longest
            ]
            peaks = ", ".join(f"{p.n}: {(p.peak or 0) / 1e6:.1f} MB" for p in curves[shape, costs])
            print(f"{shape:<11}{costs:<8}peak memory {peaks}", flush=True)
    return curves


# -------------------------------------------------------------------------- all pairs


def grow_sets(plan: Plan, *, smoke: bool) -> Curves:
    most = max(plan.trees)
    sources = {
        "random, 20 nodes": workloads.random_set(most, 20, 20, seed=3),
        "ast, 20 to 200 nodes": (
            workloads.syntax_set(most, 3, ("difflib",))
            if smoke
            else workloads.library_set(most, seed=3)
        ),
    }
    curves: Curves = {}
    for name, plain in sources.items():
        trees = tm.TreeSet([tm.Tree.from_parents(*tree) for tree in plain])
        points = curves[name, "unit"] = []
        for n in plan.trees:
            seconds, peak = run_alone(trees[:n])
            points.append(Point(n, seconds, peak))
            result = f"{spell(seconds)}, peak memory {(peak or 0) / 1e6:.1f} MB"
            print(f"{name:<22}{n:>6} trees  {result}", flush=True)
    return curves


# ------------------------------------------------------------------------------- main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    parser.add_argument("--output", type=Path, default=FOLDER, metavar="DIR")
    options = parser.parse_args()
    plan = _SMOKE if options.smoke else _FULL
    report = Report(f"treemetric {tm.__version__}, numpy {np.__version__}")
    print(f"{report.cpu}; {report.versions}; one thread\n")

    begin = last = time.perf_counter()

    def lap(part: str) -> None:
        nonlocal last
        now = time.perf_counter()
        print(f"-- {part}: {now - last:.0f} s\n", flush=True)
        last = now

    pairs = grow_pairs(plan)
    lap("one pair")
    memory = grow_pair_memory(plan, pairs)
    lap("memory of one pair")
    sets = grow_sets(plan, smoke=options.smoke)
    lap("all pairs")
    slug = re.sub(r"[^a-z0-9]+", "-", report.cpu.lower()).strip("-")
    stem = f"{report.date}-{slug}-growth"
    figure = draw(pairs, memory, sets)
    lines = markdown(pairs, memory, sets, plan.longest, report, f"{stem}.png")
    if options.smoke:
        assert len(lines) > 20
        assert figure.axes
    else:
        options.output.mkdir(parents=True, exist_ok=True)
        figure.savefig(options.output / f"{stem}.png", dpi=110)
        page = options.output / f"{stem}.md"
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"Record: {os.path.relpath(page)}")
    lap("record")
    print(f"Done in {time.perf_counter() - begin:.0f} s.")


if __name__ == "__main__":
    main()
