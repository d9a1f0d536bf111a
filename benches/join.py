"""Joins and nearest neighbours of functions: the index, the scan of all pairs, and T-Join.

    python benches/join.py [--smoke] [--cache FOLDER] [--sst FILE] [--before FOLDER]
                           [--tjoin PROGRAM] [--parts NAME ...]

Sets are functions of the installed Python packages (`join_sets.py`): "class" and "named" have 20 to
200 nodes, without and with identifiers, "small" has 5 to 60. A file of sentences (JSON Lines) adds
"sst". Times are processor seconds of one thread, the minimum of up to three runs.

"scan" looks at all pairs of trees. It is `within` of an earlier version if the folder of its Python
package is given (`join_search.py`), and all pairs in batches otherwise. Its answers are compared
with those of the index, bit for bit. T-Join (Hütter et al. 2019) is a program of its own: it is
called with a file of trees in bracket notation and a radius, and prints the number of trees, the
radius, the number of pairs and the processor seconds of the join. A cell is empty if a call would
take too long. `million.py` joins a million functions.
"""

import argparse
import itertools
import math
import pickle
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from join_search import digest, searched, searched_before, timed
from join_sets import collect, draw

import treemetric as tm
from treemetric.neighbors import request

SETS = {
    "class": {"values": False, "sizes": (20, 200)},
    "named": {"values": True, "sizes": (20, 200)},
    "small": {"values": False, "sizes": (5, 60)},
}
RADII = {"class": (1, 2, 3, 5, 10, 15), "named": (1, 3, 5, 10, 15), "small": (1, 3, 5)}
# The scan takes 25 ns per pair of trees: larger sets get one radius, or none, and joins of larger
# sets leave out the largest radius.
MOST_SCANNED, MOST_SCANNED_ONCE = 20_000, 50_000
LARGEST_RADIUS = 15
# T-Join is stopped after some processor seconds, and not called for larger radii if one took long.
STOPPED, LONG = 90, 30.0
# Sets that get one radius only get the largest one up to this.
USUAL_RADIUS = 5


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


def by_method(method: str, call: Callable[[], Any]) -> Callable[[], Any]:
    """Return a call by one of the methods, which all give the same bits."""

    def run() -> Any:
        before, request._METHOD = request._METHOD, method
        try:
            return call()
        finally:
            request._METHOD = before

    return run


def scanned(
    before: Path | None, trees: tm.TreeSet, radii: list[int]
) -> dict[int, tuple[float, str]]:
    """Return the seconds and the digest of the scan of all pairs for some radii."""
    if len(trees) > MOST_SCANNED:
        radii = [r for r in radii if r <= USUAL_RADIUS][-1:] * (len(trees) <= MOST_SCANNED_ONCE)
    if before is not None and radii:
        return searched_before(before, trees, None, "radius", radii)
    found = {}
    for radius in radii:
        call = by_method("batches", lambda radius=radius: tm.within(trees, radius=radius))
        seconds, answers = timed(call, 1)
        found[radius] = (seconds, digest(answers))
    return found


def check_equal(a: str, b: str, what: str) -> None:
    """Check that the digests of two results are the same."""
    if a != b:
        message = f"{what}: answers differ"
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
            # A larger radius is not faster.
            if found and list(found.values())[-1][1] > LONG:
                found[radius] = (None, list(found.values())[-1][1])
                continue
            done = subprocess.run(
                ["prlimit", f"--cpu={STOPPED}", program, file.name, str(radius)],
                capture_output=True,
                text=True,
                check=False,
            )
            if not done.stdout:
                found[radius] = (None, STOPPED)
                continue
            _, _, pairs, seconds = done.stdout.split()
            found[radius] = (int(pairs), float(seconds))
    return found


def ratio(slow: float, fast: float) -> list[str]:
    """Return the cells of a time and of its ratio to ours."""
    return [f"{slow:.3g}", f"{slow / fast:.1f}"]


def join_table(
    sets: dict[str, tm.TreeSet], sizes: tuple[int, ...], program: str | None, before: Path | None
) -> dict[tuple[str, int, int], float]:
    """Print the table of joins; return the times of the index."""
    print("## Joins\n")
    print("| set | trees | radius | pairs | method | seconds | scan | times | T-Join | times |")
    print("|---|---:|---:|---:|---|---:|---:|---:|---:|---:|")
    times: dict[tuple[str, int, int], float] = {}
    for name, trees in sets.items():
        radii = list(RADII.get(name, (1, 5, 10, 15)))
        counts = [count for count in sizes if count <= len(trees)] or [len(trees)]
        for count in counts if name != "sst" else [len(trees)]:
            some = draw(trees, count)
            slow = scanned(before, some, radii)
            peers = {} if program is None else t_join(program, some, radii)
            for radius in radii:
                if count > MOST_SCANNED and radius >= LARGEST_RADIUS:
                    continue
                seconds, found = searched(some, None, "radius", radius)
                times[name, count, radius] = seconds
                pairs = len(found.indices) // 2
                cells = [name, f"{count:,}", str(radius), f"{pairs:,}", found.method]
                cells += [f"{seconds:.3g}"]
                if radius in slow:
                    check_equal(slow[radius][1], digest(found), f"{name}, {count}, {radius}")
                    cells += ratio(slow[radius][0], seconds)
                else:
                    cells += ["", ""]
                matched, peer = peers.get(radius, (None, None))
                if matched not in (None, pairs):
                    message = f"T-Join found {matched} pairs, not {pairs}"
                    raise AssertionError(message)
                above = "> " if matched is None else ""
                cells += ["", ""] if peer is None else [above + x for x in ratio(peer, seconds)]
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


def nearest_table(trees: tm.TreeSet, count: int, queries: int, before: Path | None) -> None:
    """Print the times of nearest neighbours beside those of the scan in the order of bounds."""
    print("\n## Nearest neighbours\n")
    print(
        "Milliseconds per query with all preparation, one thread. The scan visits candidate by "
        "candidate in the order of their bounds.\n"
    )
    print("| queries | trees | k | scan | now | computed per query | times |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for many, others in ((queries, count), (count // 4, None)):
        X = draw(trees, many, seed=0 if others is None else 1)
        Y = None if others is None else draw(trees, others)
        slow = {} if before is None else searched_before(before, X, Y, "k", [1, 10])
        for k in (1, 10):
            if before is None:
                call = by_method("bounds", lambda X=X, Y=Y, k=k: tm.nearest(X, Y, k=k))
                seconds, found = timed(call)
                slow[k] = (seconds, digest(found))
            seconds, now = searched(X, Y, "k", k)
            check_equal(slow[k][1], digest(now), f"nearest, {k}")
            cells = [f"{many:,}", "the same" if others is None else f"{others:,}", str(k)]
            cells += [f"{time / many * 1e3:.3g}" for time in (slow[k][0], seconds)]
            cells += [f"{now.computed / many:.0f}", f"{slow[k][0] / seconds:.1f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    parser.add_argument("--cache", type=Path, help="a folder for sets of functions")
    parser.add_argument("--sst", type=Path, help="sentences as JSON Lines")
    parser.add_argument("--before", type=Path, help="the Python package of an earlier version")
    parser.add_argument("--tjoin", help="the program of T-Join")
    parser.add_argument("--parts", nargs="+", help="only these sets, and nearest")
    parser.add_argument("--most", type=int, default=100_000, help="largest number of trees")
    options = parser.parse_args()
    smoke = options.smoke
    parts = options.parts or [*SETS, "sst", "nearest"]
    names = ["class"] if smoke else [name for name in SETS if name in parts]
    sets = {name: loaded(name, options.cache, 15 if smoke else None) for name in names}
    if options.sst is not None and "sst" in parts:
        sets["sst"] = tm.TreeSet.from_jsonl(options.sst)
    sizes = (1000, 10_000, 20_000, 50_000, 100_000)
    sizes = (200,) if smoke else tuple(count for count in sizes if count <= options.most)
    if sets:
        growth_table(join_table(sets, sizes, options.tjoin, options.before))
    if "nearest" in parts:
        trees = sets.get("class") or loaded("class", options.cache, None)
        nearest_table(trees, 100 if smoke else 20_000, 20 if smoke else 1000, options.before)


if __name__ == "__main__":
    main()
