"""Number of threads of BLAS, and calls of other packages that Ctrl-C can leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from queue import Empty, SimpleQueue
from threading import Lock, Thread, current_thread, main_thread
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")


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


_STEP = 0.05  # seconds between two looks for a signal


def interruptible(call: Callable[[], T]) -> T:
    """Call a function of another package that does not look for signals; return its result.

    In the main thread of a process, the function runs in a thread of its own, and the main thread
    waits in short steps. So Ctrl-C raises KeyboardInterrupt at once; the function ends by itself,
    as nothing can stop it, and its result is dropped. It must not change anything that others use.
    Its warnings and errors are those of a plain call. In other threads, which get no signals, it is
    a plain call.
    """
    if current_thread() is not main_thread():
        return call()
    results: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            results.put((call(), None))
        except BaseException as error:  # noqa: BLE001  raised in the main thread
            results.put((None, error))

    # The filters of warnings, and settings such as np.errstate, are those of the caller. A daemon
    # does not keep the interpreter from its end.
    context = copy_context()
    Thread(target=context.run, args=[run], daemon=True).start()
    while True:
        try:
            result, error = results.get(timeout=_STEP)
        except Empty:
            continue
        try:
            if error is not None:
                raise error
            return result  # type: ignore[return-value]
        finally:
            del error  # whose traceback refers to this frame
