"""Kinds of costs: costs by kind of edit beside unit costs and tables, and building tables.

    python benches/costs.py            a record in benches/record/
    python benches/costs.py --smoke    a few seconds; no record

Times are minima of several runs in one process, taken in turns. Ratios are to unit costs on the
same trees; the table holds the same costs as the kinds of edits, so both distances are equal.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from report import Report

import treemetric as tm
from treemetric import _core

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent / "record"
LABELS = tuple("abcdefghijklmnopqrstuvwxyz")
KINDS = [(1, 1, 1), (1, 0.8, 1), (2, 3, 4), (1, 1, float("inf")), (1 / 3, 0.7, 0.9)]


def random_tree(rng: random.Random, size: int) -> tm.Tree:
    """Return a tree whose nodes are appended anywhere on the rightmost path."""
    parents, path = [-1], [0]
    for node in range(1, size):
        del path[rng.randrange(len(path)) + 1 :]
        parents.append(path[-1])
        path.append(node)
    return tm.Tree.from_parents([rng.choice(LABELS) for _ in parents], parents)


def fastest(calls: list[Callable[[], object]], rounds: int) -> list[float]:
    """Return the shortest time of each call; the calls take turns."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for number, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def compared(count: int, size: int, rounds: int, cutoff: float | None) -> list[list[str]]:
    """Compare matrices of distances under unit costs, kinds of edits and their tables."""
    rng = random.Random(size)
    trees = tm.TreeSet([random_tree(rng, rng.randint(size // 2, size)) for _ in range(count)])
    rows = []
    for kinds in KINDS:
        costs = tm.OperationCosts(*kinds)
        table = costs.to_matrix(LABELS)
        found = tm.pairwise_distances(trees, costs=costs, cutoff=cutoff)
        assert np.array_equal(found, tm.pairwise_distances(trees, costs=table, cutoff=cutoff))
        unit, ours, theirs = fastest(
            [
                lambda costs=c: tm.pairwise_distances(trees, trees, costs=costs, cutoff=cutoff)
                for c in (None, costs, table)
            ],
            rounds,
        )
        text = ", ".join(f"{cost:.3g}" for cost in kinds)
        limit = "none" if cutoff is None else f"{cutoff:g}"
        pairs = count * count
        rows.append(
            [
                f"{size}",
                text,
                limit,
                f"{1e6 * unit / pairs:.2f}",
                f"{ours / unit:.2f}",
                f"{theirs / unit:.2f}",
            ]
        )
    return rows


def built(side: int, rounds: int) -> list[list[str]]:
    """Measure building a table from arrays, and a distance with costs by node."""
    rng = np.random.default_rng(0)
    entries = rng.random((side, side))
    arrays = {
        "whole numbers": np.floor(20 * entries),
        "two decimals": np.round(entries, 2),
        "nine decimals": np.round(entries, 9),
        "any float64": entries + 0.01,
        "half of them inf": np.where(entries < 0.5, np.inf, 0.25),
        "very different": np.where(entries < 0.5, 1e6 / 3, 1 / 3),
    }
    gaps = np.ones(side)
    rows = []
    for name, array in arrays.items():
        (best,) = fastest([lambda a=array: _core.CostTable(a, gaps, gaps)], rounds)
        rows.append([f"{side}", name, f"{1e9 * best / side**2:.2f}"])
    return rows


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smoke", action="store_true")
    smoke = parser.parse_args().smoke
    rounds = 1 if smoke else 7
    sets = [(12, 20, None)] if smoke else [(300, 20, None), (120, 80, None), (120, 80, 12.0)]
    sides = [50] if smoke else [100, 480]
    head = ["nodes up to", "delete, insert, replace", "cutoff", "unit µs", "by kind", "by table"]
    distances = [row for *case, cutoff in sets for row in compared(*case, rounds, cutoff)]
    entries = [row for side in sides for row in built(side, 3 * rounds)]
    report = Report(f"treemetric {tm.__version__}, numpy {np.__version__}")
    lines = [
        "# Kinds of costs",
        "",
        f"{report.cpu}; {report.versions}.",
        "",
        "All distances of random trees over 26 labels, one thread: µs per pair under unit costs, "
        "and the time under costs by kind of edit and under the table of the same costs, in times "
        "of unit costs. The distances of both are equal.",
        "",
        *table(head, distances),
        "",
        "Building a table of costs from arrays, nanoseconds per entry.",
        "",
        *table(["labels", "entries", "ns"], entries),
    ]
    print("\n".join(lines))
    if not smoke:
        FOLDER.mkdir(exist_ok=True)
        slug = re.sub(r"[^a-z0-9]+", "-", report.cpu.lower()).strip("-")
        record = FOLDER / f"{report.date}-{slug}-costs.md"
        record.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(record)


if __name__ == "__main__":
    main()
