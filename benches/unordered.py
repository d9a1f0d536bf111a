"""Compare unordered distances with edist in one run; write `record/<date>-<cpu>-unordered.md`.

One thread, trees prepared before timing, minimum of several rounds, processor time. All pairs of
500 synthetic routes are computed by one thread and by two, in wall-clock time. `--smoke` only
checks that everything runs.
"""

from __future__ import annotations

import argparse
import importlib
import random
import time
from pathlib import Path

import numpy as np
from measure import race
from report import Report, spell, times

import treemetric as tm

FOLDER = Path(__file__).parent / "record"


def regular(nodes: int, degree: int, rng: random.Random, labels: str) -> tm.Tree:
    """Return a tree whose inner nodes have `degree` children: random leaves get children."""
    children: list[list[int]] = [[]]
    leaves = [0]
    while len(children) + degree <= nodes:
        node = leaves.pop(rng.randrange(len(leaves)))
        children[node] = list(range(len(children), len(children) + degree))
        leaves += children[node]
        children += [[] for _ in range(degree)]
    # Without labels all labels differ.
    names = [rng.choice(labels) if labels else rng.random() for _ in children]
    return tm.Tree.from_adjacency(names, children)


def route(rng: random.Random) -> tm.Tree:
    """Return a tree like a route of a synthesis: up to six steps of one to three reactants."""
    labels, parents = [f"m{rng.randrange(40)}"], [-1]
    steps = [(0, 0)]
    while steps:
        node, depth = steps.pop()
        if depth < 6 and rng.random() < 0.8 - 0.08 * depth:
            for _ in range(rng.choice((1, 2, 2, 2, 3))):
                labels.append(f"m{rng.randrange(40)}")
                parents.append(node)
                steps.append((len(labels) - 1, depth + 1))
    children: list[list[int]] = [[] for _ in labels]
    for node, parent in enumerate(parents[1:], start=1):
        children[parent].append(node)
    return tm.Tree.from_adjacency(labels, children)


def bench_pairs(smoke: bool) -> list[str]:  # noqa: FBT001
    try:
        edist = importlib.import_module("edist.uted")
    except ImportError:
        edist = None
        print("edist is not installed and is skipped")
    cases = [(2, 101), (2, 301), (2, 1001), (12, 205), (12, 601)]
    lines = [
        "| trees | labels | edist `uted` | `unordered_distance` | times | `unordered_align` |",
        "|---|---|---|---|---|---|",
    ]
    for degree, nodes in cases[:1] if smoke else cases:
        for labels in ("abcd", ""):
            rng = random.Random(nodes)
            x, y = (regular(nodes, degree, rng, labels) for _ in range(2))
            lists = x.to_adjacency(), y.to_adjacency()
            calls = {
                "distance": lambda x=x, y=y: tm.unordered_distance(x, y),
                "align": lambda x=x, y=y: tm.unordered_align(x, y),
            }
            if edist is not None:
                calls["edist"] = lambda lists=lists: edist.uted(*lists[0], *lists[1])
                assert calls["edist"]() == calls["distance"]()
            best = race(calls, 0.2 if smoke else 3.0, timer=time.process_time)
            ratio = times(best["edist"] / best["distance"]) if "edist" in best else "-"
            lines.append(
                f"| degree {degree}, n = {x.size} | {'4' if labels else 'all differ'} | "
                f"{spell(best.get('edist'))} | {spell(best['distance'])} | {ratio} | "
                f"{spell(best['align'])} |"
            )
            print(lines[-1], flush=True)
    return lines


def bench_routes(smoke: bool) -> list[str]:  # noqa: FBT001
    rng = random.Random(8)
    routes = tm.TreeSet([route(rng) for _ in range(30 if smoke else 500)])
    pairs = len(routes) * (len(routes) - 1) // 2
    lines = [
        f"All {pairs:,} pairs of {len(routes)} synthetic routes of "
        f"{np.mean([tree.size for tree in routes]):.0f} nodes in the mean:",
        "",
        "| threads | time | µs per pair |",
        "|---|---|---|",
    ]
    calls = {
        str(threads): lambda threads=threads: tm.unordered_pairwise_distances(
            routes, n_jobs=threads, condensed=True
        )
        for threads in (1, 2)
    }
    assert np.array_equal(calls["1"](), calls["2"]())
    for threads, seconds in race(calls, 0.2 if smoke else 5.0).items():
        lines.append(f"| {threads} | {spell(seconds)} | {1e6 * seconds / pairs:.2f} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    smoke = parser.parse_args().smoke
    report = Report(f"treemetric {tm.__version__}, numpy {np.__version__}")
    lines = [*bench_pairs(smoke), "", *bench_routes(smoke)]
    if smoke:
        return
    head = [f"# Unordered distances, {report.date}", "", f"{report.cpu}; {report.versions}.", ""]
    head += ["Trees prepared before timing, minimum of several rounds.", ""]
    name = f"{report.date}-{report.cpu.lower().replace(' ', '-')}-unordered.md"
    (FOLDER / name).write_text("\n".join([*head, *lines, ""]))


if __name__ == "__main__":
    main()
