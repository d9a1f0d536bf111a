"""Memory that a process keeps in RAM, from Linux's counters."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path

STATUS = Path("/proc/self/status")


def _status(name: str) -> int:
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024


def begin() -> int:
    """Return the bytes in use, and forget the peak so far.

    Memory that was freed but not given back would hide what is allocated next.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak_since(before: int) -> int:
    """Return by how many bytes the memory in use has grown at most."""
    return _status("VmHWM") - before
