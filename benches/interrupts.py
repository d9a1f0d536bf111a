"""Ctrl-C: how long every long call takes to return.

    python benches/interrupts.py               20 signals for each call, some minutes
    python benches/interrupts.py --times 5     fewer
    python benches/interrupts.py --smoke       one signal for every eighth call

Every call has a process of its own. This process sends it SIGINT after a random time, again and
again, and the process notes when the call has raised KeyboardInterrupt. Processes share the
monotonic clock. The table has the median and the worst of all times. A call that ends before the
signal is counted apart. The exit code is 1 if a call takes longer than a second.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

TESTS = Path(__file__).parents[1] / "tests"
PROMISE = 1.0

SET_UP = f"""
import signal, sys, time, warnings
from random import Random

import numpy as np

sys.path.insert(0, {str(TESTS)!r})
warnings.simplefilter("ignore")
import treemetric as tm
from shapes import make_tree
from treemetric.classification import *
from treemetric.regression import DistanceKernelRidge

# A shell makes background jobs ignore it, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = Random(0)
FOLDER = sys.argv[1]

def zigzag(size):
    return make_tree(rng, size, "zigzag", "abcd")

def several(count, size):
    sizes = [rng.randint(size // 2, size) for _ in range(count)]
    return tm.TreeSet([make_tree(rng, size, "random", "abcd") for size in sizes])

def one(size):
    return make_tree(rng, size, "random", "abcdefgh")

def distances(count):
    points = np.random.default_rng(0).random((count, 3))
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))

def many(trees, count):
    return trees[np.arange(count) % len(trees)]

NO_GAP = np.ones((2001, 2001))
NO_GAP[-1, -1] = 0.0
MANY = tm.CostMatrix(range(2000), np.random.default_rng(0).random((2001, 2001)) * NO_GAP)
COSTS = tm.CostMatrix("abcd", np.sqrt(np.arange(25).reshape(5, 5) % 24))
"""

# Statements that prepare, and the call.
CALLS = {
    "distance": ("x, y = zigzag(4000), zigzag(4000)", "tm.distance(x, y)"),
    "distance, matrix": ("x, y = zigzag(4000), zigzag(4000)", "tm.distance(x, y, costs=COSTS)"),
    "align": ("x, y = zigzag(2500), zigzag(2500)", "tm.align(x, y)"),
    "subtree_distances": ("x, y = zigzag(3000), zigzag(3000)", "tm.subtree_distances(x, y)"),
    "cooptimal, count": ("x, y = zigzag(1500), zigzag(1500)", "tm.cooptimal(x, y).count"),
    "cooptimal, sample": (
        "c = tm.cooptimal(zigzag(150), zigzag(150))",
        "c.sample(2_000_000, random_state=0)",
    ),
    "soft_alignment": (
        "x, y = zigzag(400), zigzag(400)",
        "tm.soft_alignment(x, y, temperature=1.0)",
    ),
    "edit_counts": ("X = several(400, 200)", "tm.edit_counts(X, X)"),
    "pairwise_distances": (
        "X = many(several(400, 400), 20_000)",
        "tm.pairwise_distances(X[:4000])",
    ),
    "pairwise_distances, two jobs": (
        "X = several(1500, 400)",
        "tm.pairwise_distances(X, n_jobs=2)",
    ),
    "pairwise_distances, .npy": (
        "X = several(1500, 400)",
        "tm.pairwise_distances(X, out=FOLDER + '/D.npy')",
    ),
    "pairwise_distances, .zarr": (
        "X = several(1500, 400); import zarr",
        "tm.pairwise_distances(X, out=FOLDER + '/D.zarr')",
    ),
    "pairwise_distances, texts": (
        "X = several(1500, 200)",
        "tm.pairwise_distances(X, costs=tm.CallableCosts(lambda a, b: 0.0 if a == b else 1.5))",
    ),
    "paired_distances": ("X = many(several(1000, 400), 40_000)", "tm.paired_distances(X, X[::-1])"),
    "unordered_pairwise_distances": (
        "X = several(1500, 100)",
        "tm.unordered_pairwise_distances(X)",
    ),
    "nearest": ("X = several(6_000, 150)", "tm.nearest(X, k=10)"),
    "within": ("X = several(6_000, 150)", "tm.within(X, radius=30)"),
    "within, matrix": ("X = several(12_000, 150)", "tm.within(X, radius=20, costs=COSTS)"),
    "within, into a file": (
        "X = several(6_000, 150)",
        "tm.within(X, radius=30, out=FOLDER + '/pairs.npz')",
    ),
    "deduplicate": ("X = several(6_000, 150)", "tm.deduplicate(X, radius=30)"),
    "find": (
        "q = make_tree(rng, 400, 'random', 'abcd'); d = several(4, 100_000)",
        "[tm.find(q, d, k=5) for _ in range(100)]",
    ),
    "TreeFeatures": (
        "X = many(several(2000, 400), 60_000)",
        "tm.TreeFeatures('pqgrams').fit_transform(X)",
    ),
    "TreeKernel": ("X = several(1000, 300)", "tm.TreeKernel('partial-tree').fit_transform(X)"),
    "KMedoids": ("X = several(1500, 300)", "tm.clustering.KMedoids(5).fit(X)"),
    "BEDL": (
        "X = several(300, 80); y = np.arange(300) % 3",
        "tm.learning.BEDL(2, random_state=0).fit(X, y)",
    ),
    "LVQCosts": (
        "X = several(300, 80); y = np.arange(300) % 3",
        "tm.learning.LVQCosts(2, random_state=0).fit(X, y)",
    ),
    "GESL": ("X = several(600, 120); y = np.arange(600) % 3", "tm.learning.GESL().fit(X, y)"),
    "NCACosts": (
        "X = several(400, 80); y = np.arange(400) % 3",
        "tm.learning.NCACosts(random_state=0).fit(X, y)",
    ),
    "KernelRegressionCosts": (
        "X = several(400, 80); y = np.arange(400.0) % 7",
        "tm.learning.KernelRegressionCosts(random_state=0).fit(X, y)",
    ),
    "DistanceSVC": (
        "D = distances(1200); y = np.random.default_rng(0).integers(0, 2, 1200)",
        "DistanceSVC(C=1e4, tol=1e-6, metric='precomputed').fit(D, y)",
    ),
    "DistanceKernelRidge": (
        "D = distances(2500)",
        "DistanceKernelRidge(metric='precomputed').fit(D, np.arange(2500.0))",
    ),
    "GoodnessClassifier": (
        "D = distances(900); y = np.random.default_rng(0).integers(0, 2, 900)",
        "GoodnessClassifier(metric='precomputed').fit(D, y)",
    ),
    "MedianGLVQ": (
        "D = distances(2500); y = np.arange(2500) % 5",
        "MedianGLVQ(20, max_iter=1000, tol=0, metric='precomputed', n_init=50).fit(D, y)",
    ),
    "RelationalGLVQ": (
        "D = distances(2000); y = np.random.default_rng(0).integers(0, 5, 2000)",
        "RelationalGLVQ(10, max_iter=1000, tol=0, metric='precomputed').fit(D, y)",
    ),
    "closure": ("", "MANY.closure()"),
    "violations": ("", "MANY.violations()"),
    "UnitCosts.to_matrix": ("", "tm.UnitCosts().to_matrix(range(7000))"),
    "OperationCosts.to_matrix": ("", "tm.OperationCosts(1, 2, 3).to_matrix(range(7000))"),
    "CostMatrix.to_matrix": ("R = range(1999, -1, -1)", "[MANY.to_matrix(R) for _ in range(50)]"),
    "EmbeddingCosts": (
        "V = np.random.default_rng(0).random((6000, 200))",
        "tm.EmbeddingCosts(range(6000), V)",
    ),
    "VectorCosts.to_matrix": (
        "V = tm.VectorCosts(range(5000), np.random.default_rng(0).random((5000, 300)))",
        "V.to_matrix()",
    ),
    "TableCosts.to_matrix": (
        "L = [('td', 1, 1, str(k) * 40) for k in range(4000)]",
        "tm.TableCosts().to_matrix(L)",
    ),
    "CallableCosts.to_matrix": (
        "",
        "tm.CallableCosts(lambda a, b: 1.5).to_matrix(range(4000))",
    ),
    "unordered_distance": (
        "x, y = one(3000), one(3000)",
        "[tm.unordered_distance(x, y) for _ in range(50)]",
    ),
    "unordered_align": (
        "x, y = one(3000), one(3000)",
        "[tm.unordered_align(x, y) for _ in range(50)]",
    ),
    "unordered_subtree_distances": (
        "x, y = one(3000), one(3000)",
        "[tm.unordered_subtree_distances(x, y) for _ in range(50)]",
    ),
    "TreeIndex, pivots": ("X = several(4000, 400)", "tm.TreeIndex(X, n_pivots=50)"),
    "TreeSet.from_bracket": (
        "several(300, 400).to_bracket(FOLDER + '/t.txt'); "
        "text = open(FOLDER + '/t.txt').read(); open(FOLDER + '/t.txt', 'w').write(text * 200)",
        "tm.TreeSet.from_bracket(FOLDER + '/t.txt')",
    ),
    "Tree.from_bracket": (
        "text = '{a' + '{b}' * 10_000_000 + '}'",
        "[tm.Tree.from_bracket(text) for _ in range(20)]",
    ),
    "teds_scores": (
        "page = '<table>' + '<tr>' + '<td>word</td>' * 40 + '</tr>' * 60 + '</table>'; "
        "P = [page.replace('word', str(k)) for k in range(20_000)]",
        "tm.metrics.teds_scores(P, P[::-1])",
    ),
    "TreeSet.from_jsonl": (
        "several(300, 400).to_jsonl(FOLDER + '/t.jsonl'); "
        "text = open(FOLDER + '/t.jsonl').read(); open(FOLDER + '/t.jsonl', 'w').write(text * 200)",
        "tm.TreeSet.from_jsonl(FOLDER + '/t.jsonl')",
    ),
}

# Solvers that run on after Ctrl-C: each signal has a process of its own.
LEFT = ("DistanceSVC", "DistanceKernelRidge", "GoodnessClassifier")

LOOP = """
while True:
    print("ready", flush=True)
    found = "interrupted"
    try:
        {call}
        found = "ended"
        time.sleep(30)  # the signal comes soon
    except KeyboardInterrupt:
        stopped = time.monotonic()
    print(found, stopped, flush=True)
"""


@contextmanager
def running(script: str, folder: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process, and end it."""
    child = subprocess.Popen(
        [sys.executable, "-c", script, folder],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def measure(name: str, times: int) -> tuple[list[float], int]:
    """Return the times of one call, and how often it ended before the signal."""
    prepare, call = CALLS[name]
    script = SET_UP + prepare + "\n" + textwrap.dedent(LOOP).replace("{call}", call)
    rng, found, ended = Random(name), [], 0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        child = None
        for _ in range(times):
            if child is None or name in LEFT:
                stack.close()
                child = stack.enter_context(running(script, folder))
            assert child.stdout is not None
            if child.stdout.readline() != "ready\n":
                raise RuntimeError(f"{name} does not start")
            time.sleep(0.05 + rng.random())
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            line = child.stdout.readline().split()
            if line[:1] == ["interrupted"]:
                found.append(float(line[1]) - sent)
            elif line[:1] == ["ended"]:
                ended += 1
            else:
                raise RuntimeError(f"{name} failed")
    return found, ended


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--smoke", action="store_true")
    chosen = parser.parse_args()
    late = 0
    print("| call | signals | median, ms | worst, ms | ended before |\n|---|---|---|---|---|")
    for name in list(CALLS)[:: 8 if chosen.smoke else 1]:
        if chosen.only not in name:
            continue
        found, ended = measure(name, 1 if chosen.smoke else chosen.times)
        middle, worst = (statistics.median(found), max(found)) if found else (0.0, 0.0)
        late += worst > PROMISE
        print(
            f"| `{name}` | {len(found)} | {1e3 * middle:.0f} | {1e3 * worst:.0f} | {ended} |",
            flush=True,
        )
    # A loaded machine is no reason to fail a smoke test.
    return int(late > 0 and not chosen.smoke)


if __name__ == "__main__":
    raise SystemExit(main())
