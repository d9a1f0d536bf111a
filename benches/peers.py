"""Measure treemetric against edist, zss and apted, side by side in one run.

    python benches/peers.py            the whole record, about ten minutes
    python benches/peers.py --quick    a few minutes
    python benches/peers.py --smoke    a few seconds, checks that it runs; no record

The engines run alternately, and the minimum time of each counts, because machines are noisy.
Times are processor times of one thread, except for two threads, which are measured in
wall-clock time. Trees are prepared before timing: `Tree` and `TreeSet` objects for
treemetric, node and adjacency lists for edist, linked nodes for zss and apted. Distances are
compared before timing: all engines for unit costs, edist for a cost matrix. If edist would
take too long, its time is extrapolated and marked. The C++ column is not measured; `goals.py`
describes how it is derived.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np
import workloads
from goals import goal_table
from peers_common import FULL, QUICK, SMOKE
from peers_pairs import bench_call, bench_expectation, bench_shapes, bench_syntax_pairs
from peers_sets import bench_nearest, bench_sets
from report import Report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="fewer and smaller cases")
    how.add_argument("--smoke", action="store_true", help="only check that it runs")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent / "record", metavar="DIR"
    )
    options = parser.parse_args()
    plan = SMOKE if options.smoke else QUICK if options.quick else FULL

    # zss and apted are recursive and would fail on long chains.
    sys.setrecursionlimit(20_000)
    engines = workloads.load_engines()
    parts = [f"{engine.name} {engine.version}" for engine in engines]
    parts += [f"Python {platform.python_version()}", f"numpy {np.__version__}"]
    report = Report(", ".join(parts))
    print(f"{report.cpu}, {os.cpu_count()} CPUs; {report.versions}")
    print("Processor time of one thread; wall-clock time of two threads.")
    print("Trees prepared before timing; minimum of several rounds.")
    print("In brackets: ratio to the time of treemetric.\n")
    if options.smoke:
        print("Smoke test: each call runs once, so the times are meaningless.\n")

    begin = last = time.perf_counter()

    def lap(part: str) -> None:
        nonlocal last
        now = time.perf_counter()
        print(f"-- {part}: {now - last:.0f} s\n", flush=True)
        last = now

    bench_call(engines[0], plan, report)
    bench_syntax_pairs(engines, plan, report)
    bench_expectation(engines, plan, report)
    lap("functions of the standard library")
    bench_sets(engines, plan, report)
    lap("sets")
    bench_nearest(engines, plan, report)
    lap("nearest neighbours")
    bench_shapes(engines, plan, report)
    lap("shapes")
    lines = goal_table(report)
    if not options.smoke:
        print("\n".join(lines))
        page = report.write(options.output, "-quick" if options.quick else "", lines)
        print(f"\nRecord: {os.path.relpath(page)}")
    print(f"Done in {time.perf_counter() - begin:.0f} s.")


if __name__ == "__main__":
    main()
