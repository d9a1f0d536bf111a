"""Faults while distances are written to a file: cells lost, cells wrong, messages.

    python benches/faults.py               all faults, some minutes; prints a table
    python benches/faults.py --kills 3     fewer deaths
    python benches/faults.py --smoke       a few seconds

Each fault happens to a process that fills a matrix. Then the call is repeated. A cell is lost if
it was computed before the fault and had to be computed again. It is wrong if the finished file
differs from the matrix that is computed in memory, or if a file that is not complete has the name
of a complete one. Small file systems need Linux and user namespaces (`unshare`). The exit code is 1
if any cell is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import treemetric as tm
from budgets import budget_for
from shapes import make_tree

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS = (".npy", ".zarr")
TREES = 400
TOTAL = TREES * TREES


class Outcome(NamedTuple):
    """What a fault did."""

    lost: int
    wrong: int
    message: str


def make_trees() -> tm.TreeSet:
    """Return the trees of all runs."""
    rng = Random(11)
    return tm.TreeSet([make_tree(rng, rng.randint(10, 60)) for _ in range(TREES)])


def fill(path: str, **options: Any) -> Any:
    """Fill the file in many blocks."""
    trees = make_trees()
    return tm.pairwise_distances(
        trees, out=path, memory_budget=budget_for(300_000, trees), **options
    )


# --- the process that meets the fault --------------------------------------------------


def child(path: str) -> None:
    """Fill the file, print the cells that are done, and the error if there is one."""

    def report(done: int, total: int) -> None:  # noqa: ARG001
        print(json.dumps(done), flush=True)

    try:
        fill(path, progress=report)
    except Exception as error:  # noqa: BLE001
        print(json.dumps(f"{type(error).__name__}: {error}"), flush=True)


class Run:
    """A process that fills a file."""

    def __init__(self, path: Path, before: list[str] | None = None) -> None:
        command = [*(before or []), sys.executable, __file__, "--child", str(path)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.first: int | None = None
        self.done = 0
        self.message = ""

    def read(self, until: int | None = None) -> Run:
        """Read what the process prints, up to a number of cells."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            if isinstance(answer, str):
                self.message = answer
                continue
            self.first = answer if self.first is None else self.first
            self.done = answer
            if until is not None and answer >= until:
                break
        else:
            self.process.wait()
        return self

    def kill(self) -> None:
        """Kill it, and read what it had printed."""
        self.process.send_signal(signal.SIGKILL)
        self.read()


def wrong_cells(path: Path) -> int:
    """Return how many cells of a file differ from those in memory."""
    if not path.exists():
        return 0  # nothing claims to be complete
    found = np.asarray(fill(str(path))[:])
    return int((found != tm.pairwise_distances(make_trees())).sum())


def finish(path: Path, computed: int) -> tuple[int, int]:
    """Repeat the call; return the lost and the wrong cells."""
    run = Run(path).read()
    if run.message:
        raise RuntimeError(run.message)
    return max(0, computed - (run.first or 0)), wrong_cells(path)


# --- the faults ------------------------------------------------------------------------


def killed(path: Path, rng: Random) -> Outcome:
    """SIGKILL at a random number of cells."""
    run = Run(path).read(until=rng.randrange(1, TOTAL))
    time.sleep(rng.random() * 0.02)
    run.kill()
    return Outcome(*finish(path, run.done), "")


def truncated(path: Path, rng: Random) -> Outcome:
    """The unfinished file loses its second half."""
    run = Run(path).read(until=TOTAL // 2)
    run.kill()
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    largest = max(files, key=lambda file: (file.stat().st_size, rng.random()))
    os.truncate(largest, largest.stat().st_size // 2)
    again = Run(path).read()
    if again.message:  # refused: start again
        shutil.rmtree(path.parent)
        path.parent.mkdir()
        return Outcome(finish(path, 0)[0] + run.done, 0, again.message)
    return Outcome(max(0, run.done - (again.first or 0)), wrong_cells(path), "")


def truncated_when_complete(path: Path, rng: Random) -> Outcome:
    """The complete file loses its second half."""
    Run(path).read()
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    largest = max(files, key=lambda file: (file.stat().st_size, rng.random()))
    os.truncate(largest, largest.stat().st_size // 2)
    again = Run(path).read()
    if again.message:
        return Outcome(TOTAL, 0, again.message)
    return Outcome(TOTAL - (again.first or 0), wrong_cells(path), "")


def two_writers(path: Path, rng: Random) -> Outcome:  # noqa: ARG001
    """A second process fills the same file."""
    run = Run(path).read(until=TOTAL // 10)
    second = Run(path).read()
    run.read()
    return Outcome(0, wrong_cells(path), second.message)


def clock_set_back(path: Path, rng: Random) -> Outcome:  # noqa: ARG001
    """All files are a year younger than the clock says."""
    run = Run(path).read(until=TOTAL // 2)
    run.kill()
    future = time.time() + 3e7
    for file in path.parent.rglob("*"):
        os.utime(file, (future, future))
    return Outcome(*finish(path, run.done), "")


SMALL_DISK = """
import json, os, subprocess, sys
sys.argv = ["faults", *sys.argv[1:]]
sys.path.insert(0, os.path.dirname({file!r}))
import faults
from pathlib import Path

folder = Path(sys.argv[1])
path, before, after = folder / sys.argv[2], sys.argv[3], sys.argv[4]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100m", "none", folder], check=True)
mount = lambda options: subprocess.run(["mount", "-o", "remount," + options, folder], check=True)
mount(before)
run = faults.Run(path).read()
wrong = 0 if run.message else 1
mount(after)
lost, more = faults.finish(path, run.done)
print(json.dumps([lost, wrong + more, run.message]))
"""


def on_small_disk(before: str, after: str) -> Callable[[Path, Random], Outcome]:
    """Fill the file on a file system with these options, then with others."""

    def fault(path: Path, rng: Random) -> Outcome:  # noqa: ARG001
        script = SMALL_DISK.format(file=str(Path(__file__).resolve()))
        command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-c", script]
        done = subprocess.run(
            [*command, path.parent, path.name, before, after],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        lost, wrong, message = json.loads(done.stdout.splitlines()[-1])
        return Outcome(lost, wrong, message.replace(str(path.parent), "FOLDER"))

    return fault


FAULTS: dict[str, Callable[[Path, Random], Outcome]] = {
    "SIGKILL": killed,
    "unfinished file cut in half": truncated,
    "complete file cut in half": truncated_when_complete,
    "disk full": on_small_disk("size=600k", "size=100m"),
    "folder read-only": on_small_disk("ro", "rw"),
    "clock set back": clock_set_back,
    "two writers": two_writers,
}


# --- clusters --------------------------------------------------------------------------


def on_cluster(path: str, victim: str) -> None:
    """Fill the file by dask with processes of its own, and kill one of them."""
    from distributed import Client

    from treemetric.distributed import pairwise_distances

    folder = tempfile.mkdtemp()
    address = f"{folder}/scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads=1", "--no-dashboard"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen(
        [*dask, "--port=0", "--no-dashboard", f"--scheduler-file={address}"], **quiet
    )
    workers = [
        subprocess.Popen([*worker, f"--scheduler-file={address}"], **quiet) for _ in range(2)
    ]
    mortal = {"worker": workers[0], "scheduler": scheduler}[victim]
    state = {"killed": False, "done": 0}

    def report(done: int, total: int) -> None:
        state["done"] = done
        if done > total / 3 and not state["killed"]:
            state["killed"] = True
            mortal.kill()

    message = ""
    trees = make_trees()
    try:
        with Client(scheduler_file=address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            pairwise_distances(
                trees, client=client, out=path, progress=report,
                memory_budget=budget_for(300_000, trees),
            )  # fmt: skip
    except Exception as error:  # noqa: BLE001
        message = f"{type(error).__name__}: {error}"
    finally:
        for process in (*workers, scheduler):
            process.kill()
        shutil.rmtree(folder)
    print(json.dumps([state["done"], message]), flush=True)


def killed_in_cluster(victim: str) -> Callable[[Path, Random], Outcome]:
    """Kill a worker or the scheduler of a cluster."""

    def fault(path: Path, rng: Random) -> Outcome:  # noqa: ARG001
        done = subprocess.run(
            [sys.executable, __file__, "--cluster", str(path), victim],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        computed, message = json.loads(done.stdout.splitlines()[-1])
        return Outcome(*finish(path, computed), message)

    return fault


FAULTS["dask worker killed"] = killed_in_cluster("worker")
FAULTS["dask scheduler killed"] = killed_in_cluster("scheduler")


# --- the table -------------------------------------------------------------------------


def can_mount() -> bool:
    """Return whether small file systems can be made here."""
    command = ["unshare", "--user", "--map-root-user", "--mount", "true"]
    return (
        shutil.which("unshare") is not None and not subprocess.run(command, check=False).returncode
    )


def shorten(message: str) -> str:
    """Return a message without the path of this machine."""
    message = re.sub(r"(/\S*/)?D\.(npy|zarr)", r"D.\2", message)
    return message.replace("|", "\\|").replace("\n", " ") or "none; the call works"


def repeat(fault: Callable[[Path, Random], Outcome], suffix: str, times: int) -> list[Outcome]:
    """Return the outcomes of a fault with different random numbers."""
    outcomes = []
    for seed in range(times):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "folder"
            place.mkdir()
            outcomes.append(fault(place / f"D{suffix}", Random(seed)))
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--child", metavar="FILE")
    parser.add_argument("--cluster", nargs=2, metavar=("FILE", "VICTIM"))
    chosen = parser.parse_args()
    if chosen.child:
        child(chosen.child)
        return 0
    if chosen.cluster:
        on_cluster(*chosen.cluster)
        return 0
    wrong = 0
    print("| fault | file | times | cells lost, most | cells wrong | message |")
    print("|---|---|---|---|---|---|")
    for name, fault in FAULTS.items():
        if chosen.only not in name or (chosen.smoke and name.startswith("dask")):
            continue
        times = {"SIGKILL": 1 if chosen.smoke else chosen.kills}.get(name, 1)
        for suffix in FORMATS:
            if name in {"disk full", "folder read-only"} and not can_mount():
                print(f"| {name} | {suffix} | 0 | | | not tried: no user namespaces here |")
                continue
            outcomes = repeat(fault, suffix, times)
            most = max(outcome.lost for outcome in outcomes)
            wrong += (found := sum(outcome.wrong for outcome in outcomes))
            message = shorten(outcomes[-1].message)
            print(
                f"| {name} | {suffix} | {times} | {most} of {TOTAL} | {found} | {message} |",
                flush=True,
            )
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
