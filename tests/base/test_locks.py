"""Locks on files, as POSIX and Windows have them."""

import sys
import types
from pathlib import Path

import pytest

from treemetric._base.locks import FileLock, try_lock


class Windows(types.ModuleType):
    """What locks need of the module ``msvcrt``: a lock covers one byte, at the position."""

    LK_NBLCK = 2

    def __init__(self):
        super().__init__("msvcrt")
        self.locked = []
        self.busy = False

    def locking(self, descriptor, mode, length):
        if self.busy:
            raise PermissionError
        self.locked.append((descriptor, mode, length))


@pytest.fixture
def windows(monkeypatch):
    module = Windows()
    monkeypatch.setitem(sys.modules, "fcntl", None)  # importing it fails
    monkeypatch.setitem(sys.modules, "msvcrt", module)
    return module


def test_a_file_is_locked_once(tmp_path):
    path = tmp_path / "a"
    with path.open("ab") as first, path.open("ab") as second:
        assert try_lock(first)
        assert not try_lock(second)
    with path.open("ab") as third:
        assert try_lock(third)


def test_a_file_system_without_locks_grants_all(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def flock(*_):
        raise OSError

    monkeypatch.setattr(fcntl, "flock", flock)
    with (tmp_path / "a").open("ab") as file:
        assert try_lock(file)


def test_windows_locks_the_first_byte(tmp_path, windows):
    with (tmp_path / "a").open("ab") as file:
        file.write(b"something")
        assert try_lock(file)
        assert file.tell() == 0
        assert windows.locked == [(file.fileno(), windows.LK_NBLCK, 1)]
        windows.busy = True
        assert not try_lock(file)


def test_a_held_lock_has_a_file(tmp_path):
    path = tmp_path / "a.lock"
    for _ in range(2):
        with FileLock(path, "busy"):
            assert path.exists()
            with pytest.raises(BlockingIOError, match="in use"), FileLock(path, "in use"):
                pytest.fail("two holders")
            assert path.exists()
        assert not path.exists()


def test_windows_removes_the_file_after_it_is_closed(tmp_path, windows, monkeypatch):
    path, unlink = tmp_path / "a.lock", Path.unlink
    lock = FileLock(path, "busy")

    def refuse_open_files(self, **options):
        if not lock._file.closed:
            raise PermissionError
        unlink(self, **options)

    monkeypatch.setattr(Path, "unlink", refuse_open_files)
    with lock:
        assert windows.locked
    assert not path.exists()


def test_windows_leaves_a_file_that_another_call_has_opened(tmp_path, windows, monkeypatch):
    path = tmp_path / "a.lock"

    def refuse(self, **options):
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    lock = FileLock(path, "busy")
    with lock:
        pass
    assert lock._file.closed
    assert path.exists()
