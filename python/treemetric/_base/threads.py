"""Number of threads of BLAS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> list[Any]:
    """Find the BLAS libraries once, which takes as long as a small fit."""
    found: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return found


class _Limit:
    """A limit of one BLAS thread while there are users of it.

    The number of threads belongs to the process. If every user saved and restored it, overlapping
    users could save the limit of another user and leave it in place for good. So the first user
    saves the numbers and sets the limit, and the last one restores them.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.before: list[int] = []

    def enter(self) -> None:
        with self.lock:
            if not self.users:
                self.before = [library.num_threads for library in _libraries()]
                _set([1] * len(self.before))
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if not self.users:
                _set(self.before)


def _set(numbers: list[int]) -> None:
    for library, number in zip(_libraries(), numbers, strict=True):
        library.set_num_threads(number)
        # Since threadpoolctl 3.8, only the thread that sets a limit may lift it, unless it gives
        # up control.
        done = getattr(library, "clear_controlling_thread", None)
        if done is not None:
            done()


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, which is faster for short vectors.

    SciPy's solver calls BLAS many times per step. On a busy machine with two cores, a fit was ten
    times slower with two BLAS threads than with one.
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()
