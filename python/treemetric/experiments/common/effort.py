"""The effort of runs: wall and CPU seconds, memory and processes, over resumed runs too."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from treemetric._base.files import read_json, write_text

Run = dict[str, Any]


def peak_memory() -> int | None:
    """Return the peak memory of this process in bytes; None where the system does not know it."""
    status = Path("/proc/self/status")
    if status.exists():
        # The value of getrusage starts with the memory of the parent process.
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
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def process_so_far() -> dict[str, Any]:
    """Return what this process has used since it started."""
    return {"id": os.getpid(), "seconds": time.process_time(), "peak_memory": peak_memory()}


class Meter:
    """Measures one run, and writes it to a file with the earlier runs of the same folder.

    The file is written after each part of the work, so that killed runs count as well.
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
        """Add the report of a worker process, which replaces its earlier report."""
        if process["id"] != os.getpid():
            self._workers[process["id"]] = process

    def write(self) -> list[Run]:
        """Write the effort up to now; return all runs."""
        own = process_so_far()
        workers = self._workers.values()
        processor = own["seconds"] - self._processor + sum(one["seconds"] for one in workers)
        memory = [one["peak_memory"] or 0 for one in (own, *workers)]
        this = {
            "started": self._started,
            "wall_seconds": round(time.monotonic() - self._wall, 3),
            "cpu_seconds": round(processor, 3),
            "peak_memory_of_a_process": max(memory) or None,
            "peak_memory_of_all_processes_at_most": sum(memory) or None,
            "processes": self._processes,
            "threads_of_a_process": self._threads,
            "cores": usable_cores(),
        }
        runs = [*self._earlier, this]
        if self._file is not None:
            write_text(self._file, json.dumps(runs, indent=1) + "\n")
        return runs


def summed(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the effort of all runs together: the sum of seconds, the maximum of memory."""
    memory = ("peak_memory_of_a_process", "peak_memory_of_all_processes_at_most")
    return {
        "wall_seconds": round(sum(run["wall_seconds"] for run in runs), 3),
        "cpu_seconds": round(sum(run["cpu_seconds"] for run in runs), 3),
        **{name: max((run[name] or 0 for run in runs), default=0) or None for name in memory},
        "runs": list(runs),
    }
