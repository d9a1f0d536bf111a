"""What runs cost: wall and processor seconds, memory and processes, summed over resumed runs."""

import json
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from treemetric.experiments.common.files import read_json, write_whole

Run = dict[str, Any]


def peak_memory() -> int | None:
    """Give the most bytes that this process held at once; None where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage tells starts with the memory of the parent process.
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def usable_cores() -> int:
    """Give how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def process_so_far() -> dict[str, Any]:
    """Give what this process has used since it started."""
    return {"id": os.getpid(), "seconds": time.process_time(), "peak_memory": peak_memory()}


class Meter:
    """Measures one run, and keeps it in a file next to earlier runs of the same folder.

    The file is written again and again, so that also runs that were killed count.
    """

    def __init__(self, file: Path | None, processes: int, threads: int) -> None:
        self._file = file
        self._earlier: list[Run] = []
        if file is not None and file.exists():
            self._earlier = read_json(file)
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._processes, self._threads = processes, threads
        self._wall, self._processor = time.monotonic(), time.process_time()
        self._workers: dict[int, dict[str, Any]] = {}

    def add(self, process: dict[str, Any]) -> None:
        """Add what a process says of itself, which replaces what it said before."""
        if process["id"] != os.getpid():
            self._workers[process["id"]] = process

    def write(self) -> list[Run]:
        """Keep what was spent up to now; give all runs."""
        own = process_so_far()
        workers = self._workers.values()
        processor = own["seconds"] - self._processor + sum(one["seconds"] for one in workers)
        memory = [one["peak_memory"] or 0 for one in (own, *workers)]
        this = {
            "started": self._started,
            "wall_seconds": round(time.monotonic() - self._wall, 1),
            "cpu_seconds": round(processor, 1),
            "peak_memory_of_a_process": max(memory) or None,
            "peak_memory_of_all_processes_at_most": sum(memory) or None,
            "processes": self._processes,
            "threads_of_a_process": self._threads,
            "cores": usable_cores(),
        }
        runs = [*self._earlier, this]
        if self._file is not None:
            write_whole(self._file, json.dumps(runs, indent=1) + "\n")
        return runs


def summed(runs: Sequence[Run]) -> dict[str, Any]:
    """Give the effort of all runs together: seconds are summed, of memory the most counts."""
    memory = ("peak_memory_of_a_process", "peak_memory_of_all_processes_at_most")
    return {
        "wall_seconds": round(sum(run["wall_seconds"] for run in runs), 1),
        "cpu_seconds": round(sum(run["cpu_seconds"] for run in runs), 1),
        **{name: max((run[name] or 0 for run in runs), default=0) or None for name in memory},
        "runs": list(runs),
    }
