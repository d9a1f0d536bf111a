"""Locks on files, for processes, and locks for threads."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import IO, Any, Self
from weakref import WeakSet


class ThreadLock:
    """A lock between threads, for a ``with`` statement; a forked process gets it free.

    The thread that holds it may take it again.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        _THREAD_LOCKS.add(self)

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_THREAD_LOCKS: WeakSet[ThreadLock] = WeakSet()


def _free_all() -> None:
    """Replace all locks: threads that hold them do not exist in a forked process."""
    for lock in _THREAD_LOCKS:
        lock._lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_all)


class FileLock:
    """A lock that has a file of its own, for a ``with`` statement.

    The system releases it if the process dies.

    Parameters
    ----------
    path
        The file. It exists while the lock is held.
    busy
        The message of the ``BlockingIOError`` if the lock is held already.
    """

    def __init__(self, path: Path, busy: str) -> None:
        self._path, self._busy = path, busy
        self._file: Any = None

    def __enter__(self) -> Self:
        while True:
            self._file = self._path.open("ab")
            if not try_lock(self._file):
                self._file.close()
                raise BlockingIOError(self._busy)
            # The previous holder may have removed the file between our two steps.
            try:
                if os.fstat(self._file.fileno()).st_ino == self._path.stat().st_ino:
                    return self
            except FileNotFoundError:
                pass
            self._file.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            # While it is locked: afterwards it may be the file of another holder.
            self._path.unlink(missing_ok=True)
        except PermissionError:
            # Windows removes no open file. If another holder has opened it, it stays.
            self._file.close()
            with suppress(PermissionError):
                self._path.unlink(missing_ok=True)
        finally:
            self._file.close()


def try_lock(file: IO[bytes], *, without: bool = True) -> bool:
    """Lock an open file without waiting; return False if another process or call has it.

    The lock ends when the file is closed. A file system without locks returns `without`.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return _try_lock_first_byte(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without
    return True


def _try_lock_first_byte(file: IO[bytes]) -> bool:
    """Lock the first byte of a file, which need not exist."""
    import msvcrt

    windows: Any = msvcrt
    file.seek(0)  # the lock starts at the position of the file
    try:
        windows.locking(file.fileno(), windows.LK_NBLCK, 1)
    except OSError:
        return False
    return True
