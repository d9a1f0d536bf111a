"""Measurement of time and memory for all benchmarks."""

from __future__ import annotations

import ctypes
import gc
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Calls = dict[str, "Callable[[], object]"]
Timer = "Callable[[], float]"


def race(
    calls: Calls, budget: float, rounds: int = 7, timer: Timer = time.perf_counter
) -> dict[str, float]:
    """Return the minimum seconds of each call; the calls run alternately.

    Each call has its own budget of `budget` seconds after its first run, so that a slow
    call does not reduce the number of runs of a fast one. With `time.process_time` as the
    timer, other work on the machine affects long calls of one thread less.
    """
    loops, best = {}, {}
    spent = dict.fromkeys(calls, 0.0)
    gc.collect()
    gc.disable()
    for name, call in calls.items():
        best[name] = clock(call, 1, timer)
        loops[name] = max(1, int(0.002 / max(best[name], 1e-7)))
    for _ in range(rounds):
        for name, call in calls.items():
            if spent[name] + best[name] * loops[name] <= budget:
                seconds = clock(call, loops[name], timer)
                spent[name] += seconds * loops[name]
                best[name] = min(best[name], seconds)
    gc.enable()
    return best


def clock(call: Callable[[], object], loops: int, timer: Timer = time.perf_counter) -> float:
    """Return the mean seconds of `loops` calls."""
    start = timer()
    for _ in range(loops):
        call()
    return (timer() - start) / loops


class Forecast:
    """Extrapolates the time of an engine at the next size from earlier sizes."""

    def __init__(self) -> None:
        self._seen: list[tuple[int, float]] = []

    def add(self, n: int, seconds: float) -> None:
        self._seen.append((n, seconds))

    def __call__(self, n: int) -> float:
        if not self._seen:
            return 0.0
        (n1, t1), exponent = self._seen[-1], 3.0
        if len(self._seen) > 1:
            n0, t0 = self._seen[-2]
            exponent = min(max(math.log(t1 / t0) / math.log(n1 / n0), 2.0), 4.0)
        return t1 * (n / n1) ** exponent

    @property
    def last(self) -> int:
        """The largest size so far."""
        return self._seen[-1][0] if self._seen else 0


def peak_memory(call: Callable[[], Any]) -> tuple[Any, int | None]:
    """Return the result of a call and the bytes by which it raised the peak memory.

    The number of bytes is None on systems other than Linux with glibc.
    """
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    try:
        ctypes.CDLL(None).malloc_trim(0)
        reset.write_text("5", encoding="ascii")
        before = _kilobytes(status, "VmRSS")
    except (OSError, AttributeError, StopIteration):
        return call(), None
    result = call()
    return result, max(_kilobytes(status, "VmHWM") - before, 0) * 1024


def _kilobytes(status: Path, key: str) -> int:
    lines = status.read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(key)))
