"""A large distance matrix on disk: killed, resumed and verified.

    python benches/disk.py                     10,000 trees, two threads; writes a record
    python benches/disk.py --trees 1000        fewer trees
    python benches/disk.py --smoke             a few seconds, killed and resumed, too; no record

The trees are functions of Python's standard library, as syntax trees of 20 to 200 nodes. A child
process fills the file and is killed (SIGKILL) twice, after about a third and two thirds of the
work; the third run completes the file. Then a sample of entries is compared with `distance`, and
some rows of the file are compared byte by byte with another run. Peak memory is that of the child.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import random
import re
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from report import Report
from workloads import syntax_set

import treemetric as tm

FOLDER = Path(__file__).parent / "record"


def make_trees(count: int, *, small: bool) -> tm.TreeSet:
    """Return functions; if there are fewer than `count`, add copies with one changed label."""
    plain = syntax_set(count, 0, ("json", "ast", "csv") if small else None)
    rng = random.Random(0)
    trees = [tm.Tree.from_parents(*tree) for tree in plain]
    while len(trees) < count:
        labels, parents = rng.choice(plain)
        changed = list(labels)
        changed[rng.randrange(len(changed))] = rng.choice(labels)
        trees.append(tm.Tree.from_parents(changed, parents))
    return tm.TreeSet(trees)


def peak_bytes() -> tuple[int, int]:
    """Return the peak and the current memory of this process (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = {line.split(":")[0]: line.split() for line in lines}
    return int(found["VmHWM"][1]) * 1024, int(found["VmRSS"][1]) * 1024


def child(trees: tm.TreeSet, options: dict[str, Any], pipe: Any, stop_at: float | None) -> None:
    """Fill the file and report progress; with `stop_at`, wait there to be killed.

    A run on few trees would finish before it could be killed. The wait also leaves time for
    writing finished blocks to the manifest, which happens a few times per second.
    """
    _, before = peak_bytes()
    last_report, first, noted = 0.0, None, False

    def report(done: int, total: int) -> None:
        nonlocal last_report, first, noted
        first = done if first is None else first
        if stop_at is not None and not noted and 2 * done >= first + stop_at * total:
            noted = True
            time.sleep(0.3)
        wait = stop_at is not None and done >= stop_at * total
        if wait or done >= total or time.monotonic() - last_report > 0.2:
            last_report = time.monotonic()
            pipe.send((done, total, peak_bytes()[0] - before))
        if wait:
            time.sleep(600)

    tm.pairwise_distances(trees, progress=report, **options)


def run(
    trees: tm.TreeSet, options: dict[str, Any], until: float, *, wait: bool
) -> dict[str, float]:
    """Run a child until a share of the work is done, then kill it; return its reports."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    stop_at = until if wait and until < 1 else None
    process = context.Process(target=child, args=(trees, options, sender, stop_at))
    process.start()
    sender.close()
    first, last, begin = None, (0, 1, 0), 0.0
    try:
        while True:
            last = receiver.recv()
            if first is None:
                first, begin = last, time.monotonic()
            if last[0] >= until * last[1]:
                break
    except EOFError:
        pass
    seconds = time.monotonic() - begin
    if until < 1:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert process.exitcode == (-signal.SIGKILL if until < 1 else 0)
    assert first is not None
    return {
        "from": first[0],
        "to": last[0],
        "total": last[1],
        "seconds": seconds,
        "peak": last[2],
    }


def verify(trees: tm.TreeSet, path: Path, sample: int) -> float:
    """Compare entries with single distances, and whole rows with another run."""
    D = np.load(path, mmap_mode="r")
    n = len(trees)
    rng = random.Random(1)
    for _ in range(sample):
        i, j = rng.randrange(n), rng.randrange(n)
        assert D[i, j] == D[j, i] == tm.distance(trees[i], trees[j])
    rows = sorted(rng.sample(range(n), min(n, 20)))
    again = tm.pairwise_distances(trees[rows], trees, n_jobs=2)
    assert D[rows].tobytes() == again.tobytes()
    assert not np.diagonal(D).any()
    return float(np.asarray(again).mean())


def least_budget(trees: tm.TreeSet, path: Path, jobs: int) -> int:
    """Return slightly more than the smallest possible budget, so that there are many blocks."""
    try:
        tm.pairwise_distances(trees, out=path, n_jobs=jobs, memory_budget=1)
    except ValueError as error:
        return int(re.search(r"at least (\d+) bytes", str(error))[1]) + 300_000
    raise AssertionError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--memory", default="256MiB")
    parser.add_argument(
        "--folder", type=Path, help="folder for the file (default: a temporary folder)"
    )
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    count = 120 if arguments.smoke else arguments.trees
    trees = make_trees(count, small=arguments.smoke)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "D.npy"
        memory = least_budget(trees, path, arguments.jobs) if arguments.smoke else arguments.memory
        options = {"out": path, "n_jobs": arguments.jobs, "memory_budget": memory}
        runs = []
        for until in (1 / 3, 2 / 3, 1):
            found = run(trees, options, until, wait=arguments.smoke)
            runs.append(found)
            print(
                f"run {len(runs)}: from {found['from'] / found['total']:.1%} to "
                f"{found['to'] / found['total']:.1%} in {found['seconds']:.1f} s, "
                f"peak memory +{found['peak'] / 2**20:.0f} MiB"
                + ("" if until == 1 else ", then killed"),
                flush=True,
            )
        # Every run resumed the previous one and had work left.
        for before, after in itertools.pairwise(runs):
            assert before["from"] < after["from"] < after["total"]
        size = path.stat().st_size
        manifest = json.loads(Path(f"{path}.manifest.json").read_text())
        blocks = manifest["done"][0][1] + 1
        sample = 200 if arguments.smoke else 20_000
        mean = verify(trees, path, sample)
    lines = summary(trees, runs, size, blocks, sample, mean, arguments, memory)
    print("\n".join(lines))
    if not arguments.smoke:
        report = Report(f"treemetric {tm.__version__}, numpy {np.__version__}")
        FOLDER.mkdir(exist_ok=True)
        slug = re.sub(r"[^a-z0-9]+", "-", report.cpu.lower()).strip("-")
        record = FOLDER / f"{report.date}-{slug}-disk-{count}.md"
        record.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(record)


def summary(
    trees: tm.TreeSet,
    runs: list[dict[str, float]],
    size: int,
    blocks: int,
    sample: int,
    mean: float,
    arguments: argparse.Namespace,
    memory: str,
) -> list[str]:
    n, pairs = len(trees), runs[-1]["total"]
    seconds = sum(found["seconds"] for found in runs)
    lost = sum(a["to"] - b["from"] for a, b in itertools.pairwise(runs))
    table = [
        f"| {k} | {found['from']:.0f} | {found['to']:.0f} | {found['seconds']:.1f} | "
        f"{found['peak'] / 2**20:.0f} |"
        for k, found in enumerate(runs, 1)
    ]
    return [
        f"# {n} x {n} distances to disk, killed twice",
        "",
        f"{n} syntax trees, {trees.sizes.mean():.0f} nodes on average, unit costs, "
        f"{arguments.jobs} threads, memory_budget={memory}, {blocks} blocks, float64.",
        "",
        "| run | pairs at the start | pairs at the end | seconds | peak memory added, MiB |",
        "|---|---|---|---|---|",
        *table,
        "",
        f"- {pairs:.0f} pairs in {seconds:.1f} s: {(pairs + lost) / seconds:.0f} pairs per second, "
        "including the lost pairs.",
        f"- Lost when the two processes were killed: {lost:.0f} pairs ({lost / pairs:.1%}).",
        f"- The file has {size} bytes.",
        f"- Verified: {sample} random entries against `distance`, their mirror entries, 20 whole "
        f"rows against another run, the diagonal. Mean distance {mean:.1f}.",
    ]


if __name__ == "__main__":
    main()
