"""Run zss, apted and edist beside `treemetric.compat`, and the test suites of their users.

    python benches/compat.py                        calls of 100 nodes
    python benches/compat.py --zss DIR --apted DIR --route-distances DIR
                                                    the suites in these source folders as well
    python benches/compat.py --smoke                a few seconds, checks that it runs

A suite runs twice, with the original package and with treemetric, from a copy of its files. For
treemetric the modules of the package are replaced by modules of one line that import everything
from `treemetric.compat`; no test is changed. All times are processor times: with other work on the
machine, wall-clock times of long calls grow and those of short calls do not. Times of suites are
those of the tests alone, without imports and collection. Calls are timed for deep trees and for
trees of random attachment, because the work of zss and edist depends on the shape.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from measure import race

if TYPE_CHECKING:
    from collections.abc import Callable

# Modules that are replaced, by package.
SHIMS = {
    "zss": ("", "compare", "simple_tree"),
    "apted": ("", "apted", "config", "helpers", "single_path_functions"),
}
ROUTE_TESTS = ("test_ted.py", "test_clustering.py", "test_route_utils.py")


# A plugin of pytest that adds up the processor time of the tests.
CLOCK = """
import os, time, pytest
spent = [0.0]

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    begin = time.process_time()
    try:
        return (yield)
    finally:
        spent[0] += time.process_time() - begin

def pytest_sessionfinish(session):
    with open(os.environ["COMPAT_CLOCK"], "w") as file:
        file.write(str(spent[0]))
"""


class Outcome(NamedTuple):
    """How many tests of a suite passed, and what they took."""

    passed: int
    failed: int
    errors: int
    seconds: float


def write_shims(folder: Path, package: str) -> None:
    """Write a package that consists of imports from `treemetric.compat`."""
    (folder / package).mkdir(parents=True, exist_ok=True)
    for module in SHIMS[package]:
        source = ".".join(filter(None, ("treemetric.compat", package, module)))
        text = (
            f"import {source} as _ours\n"
            "globals().update({k: v for k, v in vars(_ours).items() if not k.startswith('__')})\n"
        )
        (folder / package / f"{module or '__init__'}.py").write_text(text, encoding="utf-8")


def run_suite(tests: list[str], cwd: Path, path: list[Path]) -> Outcome:
    """Run pytest in a child process; the folders of `path` come first in its module path."""
    report, clock = cwd / "report.xml", cwd / "seconds.txt"
    (cwd / "compat_clock.py").write_text(CLOCK, encoding="utf-8")
    known = [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
    options = ("-p", "compat_clock", "-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={cwd}")
    options += ("--continue-on-collection-errors", f"--junitxml={report}")
    child = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, *tests],
        cwd=cwd,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*map(str, path), *known]),
            "COMPAT_CLOCK": str(clock),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if not report.exists():
        raise RuntimeError(f"pytest failed:\n{child.stdout[-2000:]}{child.stderr[-2000:]}")
    suite = next(ET.parse(report).getroot().iter("testsuite"))
    total, failed, errors, skipped = (
        int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")
    )
    for problem in child.stdout.splitlines():
        if problem.startswith(("FAILED", "ERROR")):
            print(f"    {problem}")
    seconds = float(clock.read_text(encoding="utf-8"))
    return Outcome(total - failed - errors - skipped, failed, errors, seconds)


def package_suite(package: str, source: Path, folder: Path) -> tuple[Outcome, Outcome]:
    """Run the suite inside a package: first of the original, then of its shim."""
    theirs, ours = folder / "theirs", folder / "ours"
    shutil.copytree(source / package, theirs / package)
    shutil.copytree(source / package, ours / package)
    write_shims(ours, package)
    tests = [f"{package}/tests"]
    return run_suite(tests, theirs, [theirs]), run_suite(tests, ours, [ours])


def route_suite(source: Path, folder: Path) -> tuple[Outcome, Outcome]:
    """Run the tests of route-distances that use apted."""
    outcomes = []
    for name in ("theirs", "ours"):
        copy = folder / name
        shutil.copytree(source / "route_distances", copy / "route_distances")
        shutil.copytree(source / "tests", copy / "tests")
        if name == "ours":
            write_shims(copy, "apted")
        outcomes.append(run_suite([f"tests/{test}" for test in ROUTE_TESTS], copy, [copy]))
    return outcomes[0], outcomes[1]


def show(name: str, theirs: Outcome, ours: Outcome) -> None:
    print(f"{name}: times of the tests {theirs.seconds / ours.seconds:.1f} : 1")
    for who, outcome in (("original", theirs), ("treemetric", ours)):
        counts = f"{outcome.passed} passed, {outcome.failed} failed, {outcome.errors} errors"
        print(f"  {who:<10}  {counts}, {outcome.seconds:.2f} s")


def deep_parents(size: int, random: Random) -> list[int]:
    """Parents of a random tree in preorder whose depth grows with the root of its size."""
    path: list[int] = []
    parents = []
    for node in range(size):
        parents.append(path[-1] if path else -1)
        path.append(node)
        while len(path) > 1 and random.random() < 0.5:
            path.pop()
    return parents


def attached_parents(size: int, random: Random) -> list[int]:
    """Parents in preorder of a tree whose nodes are attached to random earlier ones."""
    children: list[list[int]] = [[] for _ in range(size)]
    for node in range(1, size):
        children[random.randrange(node)].append(node)
    parents: list[int] = []
    stack = [(0, -1)]
    while stack:
        node, parent = stack.pop()
        stack.extend((child, len(parents)) for child in reversed(children[node]))
        parents.append(parent)
    return parents


def nodes_of(kind: Callable[[str], Any], parents: list[int], random: Random) -> Any:
    nodes = [kind(random.choice("abcdef")) for _ in parents]
    for node, parent in zip(nodes[1:], parents[1:], strict=True):
        nodes[parent].children.append(node)
    return nodes[0]


def bench_calls(name: str, shapes: list[list[int]], budget: float) -> None:
    """Time one call with the same random trees by each interface."""
    import apted
    import edist.ted
    import zss

    import treemetric.compat.apted as our_apted
    import treemetric.compat.edist as our_edist
    import treemetric.compat.zss as our_zss

    def trees(kind: Callable[[str], Any]) -> list[Any]:
        return [nodes_of(kind, shape, Random(seed)) for seed, shape in enumerate(shapes)]

    def lists() -> list[Any]:
        found = []
        for seed, shape in enumerate(shapes):
            random = Random(seed)
            adj: list[list[int]] = [[] for _ in shape]
            for node, parent in enumerate(shape[1:], start=1):
                adj[parent].append(node)
            found.append(([random.choice("abcdef") for _ in shape], adj))
        return found

    def delta(a: Any, b: Any) -> float:
        return 0.0 if a == b else 1.5

    old_nodes, new_nodes = trees(zss.Node), trees(our_zss.Node)
    old_trees, new_trees = trees(apted.helpers.Tree), trees(our_apted.helpers.Tree)
    pair = lists()
    cases: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        (
            "zss.simple_distance",
            lambda: zss.simple_distance(*old_nodes),
            lambda: our_zss.simple_distance(*new_nodes),
        ),
        (
            "the same with operations",
            lambda: zss.simple_distance(*old_nodes, return_operations=True)[0],
            lambda: our_zss.simple_distance(*new_nodes, return_operations=True)[0],
        ),
        (
            "apted.compute_edit_distance",
            lambda: apted.APTED(*old_trees).compute_edit_distance(),
            lambda: our_apted.APTED(*new_trees).compute_edit_distance(),
        ),
        (
            "the same and the mapping",
            lambda: len(apted.APTED(*old_trees).compute_edit_mapping()),
            lambda: len(our_apted.APTED(*new_trees).compute_edit_mapping()),
        ),
        (
            "edist.ted.standard_ted",
            lambda: edist.ted.standard_ted(*pair),
            lambda: our_edist.ted.standard_ted(*pair),
        ),
        (
            "edist.ted.ted with delta",
            lambda: edist.ted.ted(*pair, delta=delta),
            lambda: our_edist.ted.ted(*pair, delta=delta),
        ),
    ]
    print(f"One call, {len(shapes[0])} nodes, {name}; trees are built before:")
    for call, theirs, ours in cases:
        if abs(theirs() - ours()) > 1e-9:
            raise AssertionError(f"{call}: {theirs()} and {ours()}")
        times = race({"theirs": theirs, "ours": ours}, budget, timer=time.process_time)
        a, b = times["theirs"], times["ours"]
        print(f"  {call:<28} {a * 1e3:9.3f} ms  {b * 1e3:8.3f} ms  {a / b:7.1f} : 1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    for name in ("zss", "apted", "route-distances"):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=f"sources of {name}")
    options = parser.parse_args()
    # zss and apted are recursive.
    sys.setrecursionlimit(20_000)
    size, budget = (8, 0.0) if options.smoke else (100, 2.0)
    for name, make in (("deep", deep_parents), ("random attachment", attached_parents)):
        bench_calls(name, [make(size, Random(seed)) for seed in (1, 2)], budget)
    with tempfile.TemporaryDirectory() as folder:
        for package in ("zss", "apted"):
            source = getattr(options, package)
            if source is not None:
                show(package, *package_suite(package, source, Path(folder) / package))
        if options.route_distances is not None:
            show("route-distances", *route_suite(options.route_distances, Path(folder) / "routes"))


if __name__ == "__main__":
    main()
