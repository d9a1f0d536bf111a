"""What runs cost: wall and processor seconds, memory and processes, summed over resumed runs."""

import json
import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from treemetric.experiments._files import read_json, write_whole

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
        self._wall, self._processor = time.monotonic(), _processor()
        self._workers_seconds = 0.0
        self._workers_memory = 0

    def add(self, seconds: float, memory: int | None) -> None:
        """Add what a worker process says: seconds of its processor, and its memory so far."""
        self._workers_seconds += seconds
        self._workers_memory = max(self._workers_memory, memory or 0)

    def write(self) -> list[Run]:
        """Keep what was spent up to now; give all runs."""
        # Processes that still run are not counted as children yet.
        processor = max(_processor() - self._processor, self._workers_seconds)
        own = peak_memory()
        this = {
            "started": self._started,
            "wall_seconds": round(time.monotonic() - self._wall, 1),
            "cpu_seconds": round(processor, 1),
            "peak_memory_of_a_process": max(own or 0, self._workers_memory) or None,
            "processes": self._processes,
            "threads_of_a_process": self._threads,
            "cores": usable_cores(),
        }
        runs = [*self._earlier, this]
        if self._file is not None:
            write_whole(self._file, json.dumps(runs, indent=1) + "\n")
        return runs


def _processor() -> float:
    """Give the processor seconds of this process and of all children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def summed(runs: Sequence[Run]) -> dict[str, Any]:
    """Give the effort of all runs together."""
    memory = [run["peak_memory_of_a_process"] or 0 for run in runs]
    return {
        "wall_seconds": round(sum(run["wall_seconds"] for run in runs), 1),
        "cpu_seconds": round(sum(run["cpu_seconds"] for run in runs), 1),
        "peak_memory_of_a_process": max(memory, default=0) or None,
        "runs": list(runs),
    }
