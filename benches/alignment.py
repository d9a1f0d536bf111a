"""Compare alignments with edist in one run; write `record/<date>-<cpu>-alignment.md`.

One thread, trees prepared before timing, minimum of several rounds. "ns per cell" divides by the
number of cells of the left Zhang-Shasha decomposition. `--smoke` only checks that everything runs.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from measure import race
from report import Report, spell, times
from workloads import adjacency, cells, make_tree, syntax_set

import treemetric as tm

if TYPE_CHECKING:
    from workloads import PlainTree

FOLDER = Path(__file__).parent / "record"


def kinds(smoke: bool) -> dict[str, list[tuple[PlainTree, PlainTree]]]:  # noqa: FBT001
    rng = random.Random(4)
    count = 2 if smoke else 12

    def pairs(n: int) -> list[tuple[PlainTree, PlainTree]]:
        return [(make_tree("random", n, rng), make_tree("random", n, rng)) for _ in range(count)]

    found = {"random, n = 30": pairs(30), "random, n = 100": pairs(100)}
    if not smoke:
        found["random, n = 300"] = pairs(300)[:3]
    syntax = syntax_set(2 * count, seed=9)
    found["AST"] = list(zip(syntax[::2], syntax[1::2], strict=False))
    return found


def unit(old: str | None, new: str | None) -> float:
    """Return the unit cost of an edit, for edist, which takes a function."""
    return 0.0 if old == new else 1.0


def bench_pairs(smoke: bool) -> list[str]:  # noqa: FBT001
    try:
        edist = importlib.import_module("edist.ted")
    except ImportError:
        edist = None
        print("edist is not installed and is skipped")
    lines = [
        "| trees | edist `ted_backtrace` | edist `standard_ted_backtrace` | `align` | times |"
        " `expectation` | ns per cell | `cooptimal(...).count` |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, plain in kinds(smoke).items():
        trees = [tuple(tm.Tree.from_parents(*tree) for tree in pair) for pair in plain]
        lists = [tuple((tree[0], adjacency(tree[1])) for tree in pair) for pair in plain]
        calls: dict[str, Any] = {
            "align": lambda trees=trees: [tm.align(x, y) for x, y in trees],
            "share": lambda trees=trees: [tm.cooptimal(x, y).expectation for x, y in trees],
            "count": lambda trees=trees: [tm.cooptimal(x, y).count for x, y in trees],
        }
        for x, y in trees:
            alignment = tm.align(x, y)
            assert alignment.cost == tm.distance(x, y)
            assert np.isclose(tm.cooptimal(x, y).expectation[:-1].sum(axis=1), 1).all()
        if edist is not None and not name.endswith("300"):
            calls["edist"] = lambda lists=lists: [
                edist.ted_backtrace(*x, *y, unit) for x, y in lists
            ]
            calls["standard"] = lambda lists=lists: [
                edist.standard_ted_backtrace(*x, *y) for x, y in lists
            ]
        best = {key: value / len(trees) for key, value in race(calls, 0.2 if smoke else 10).items()}
        per_cell = best["share"] / np.mean([cells(x) * cells(y) for x, y in plain]) * 1e9
        peers = [best.get("edist"), best.get("standard")]
        ratios = " / ".join(times(peer / best["align"]) for peer in peers if peer)
        lines.append(
            f"| {name} | {spell(peers[0])} | {spell(peers[1])} | {spell(best['align'])} | "
            f"{ratios} | {spell(best['share'])} | "
            f"{per_cell:.2f} | {spell(best['count'])} |"
        )
        print(lines[-1], flush=True)
    return lines


def bench_bulk() -> list[str]:
    """Time the symbol matrices of all 64 x 64 pairs of the Sorting programs, if available."""
    data = Path(os.environ.get("TREEMETRIC_DATA", "../shared/data")) / "sorting" / "trees.jsonl"
    if not data.exists():
        return [f"The Sorting programs are not available ({data.name}); bulk counts not measured."]
    trees = tm.TreeSet.from_jsonl(data)
    found = []
    for threads in (1, 2):
        start = time.perf_counter()
        counts = tm.edit_counts(trees, n_jobs=threads)
        seconds = time.perf_counter() - start
        assert np.allclose(counts.distances(tm.UnitCosts()), tm.pairwise_distances(trees).ravel())
        found.append(
            f"Symbol matrices of all {len(trees)} x {len(trees)} pairs of the Sorting programs, "
            f"{threads} thread(s): {spell(seconds)}, {spell(seconds / len(counts.pairs))} per pair."
        )
        print(found[-1], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    smoke = parser.parse_args().smoke
    report = Report(f"treemetric {tm.__version__}, numpy {np.__version__}")
    lines = bench_pairs(smoke)
    if smoke:
        return
    lines += ["", *bench_bulk()]
    head = [f"# Alignments, {report.date}", "", f"{report.cpu}; {report.versions}.", ""]
    head += [
        "One thread unless stated, trees prepared before timing, minimum of several rounds.",
        "",
    ]
    name = f"{report.date}-{report.cpu.lower().replace(' ', '-')}-alignment.md"
    (FOLDER / name).write_text("\n".join([*head, *lines, ""]))


if __name__ == "__main__":
    main()
