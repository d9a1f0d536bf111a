"""Threads of the linear algebra underneath."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> list[Any]:
    """Look once which BLAS there is; that takes as long as a small fit."""
    found: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return found


class _Limit:
    """One thread for BLAS as long as anybody wants that.

    The number of threads belongs to the process. Were every user to note it at the start and set
    it again at the end, two that overlap could note the limit of each other and leave it for good.
    So the first one to come notes it and sets the limit, and the last one to go lifts it.
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
        # From threadpoolctl 3.8 on the thread that sets a limit is the only one that may lift it,
        # unless it says that it is done.
        done = getattr(library, "clear_controlling_thread", None)
        if done is not None:
            done()


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread: for short vectors the others only get in the way.

    The solver of SciPy calls BLAS many times per step. On a busy machine with two cores a fit
    was ten times slower with two threads of BLAS than with one.
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()
