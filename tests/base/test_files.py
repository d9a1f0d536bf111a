"""Files that are replaced as a whole, and optional packages."""

import os
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from children import PIPE, start
from treemetric._base import extras, files


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_a_text_replaces_an_older_one(tmp_path):
    path = tmp_path / "a.txt"
    for text in ("first\n", "zweite Zeile ä\n", ""):
        files.write_text(path, text)
        assert path.read_bytes() == text.encode("utf-8")
    assert names(tmp_path) == ["a.txt"]


def test_an_array_replaces_an_older_one(tmp_path):
    path = tmp_path / "a.npy"
    for array in (np.arange(6.0).reshape(2, 3), np.zeros(0, dtype="float32")):
        files.write_array(path, array)
        found = np.load(path)
        assert found.dtype == array.dtype
        assert np.array_equal(found, array)
    assert names(tmp_path) == ["a.npy"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch, step, error):
    path = tmp_path / "a.txt"
    files.write_text(path, "old")

    def fail(*_):
        raise error

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), fail)
    with pytest.raises(error):
        files.write_text(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("failures", [0, 2, 3])
def test_a_file_that_is_open_on_windows_is_replaced_later(tmp_path, monkeypatch, failures):
    path, rename, calls = tmp_path / "a.txt", Path.replace, []
    files.write_text(path, "old")

    def replace(self, target):
        calls.append(target)
        if len(calls) <= failures:
            raise PermissionError
        return rename(self, target)

    monkeypatch.setattr(files, "_ATTEMPTS", 2)
    monkeypatch.setattr(files, "_PAUSE", 0.0)
    monkeypatch.setattr(Path, "replace", replace)
    if failures > 2:
        with pytest.raises(PermissionError):
            files.write_text(path, "new")
    else:
        files.write_text(path, "new")
    assert len(calls) == min(failures + 1, 3)
    assert path.read_text() == ("new" if failures <= 2 else "old")
    assert names(tmp_path) == ["a.txt"]


def test_folders_are_synchronised_on_posix_only(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(files, "os", SimpleNamespace(name="nt", open=opened.append))
    files.sync_folder(tmp_path)
    assert opened == []


posix = pytest.mark.skipif(os.name != "posix", reason="an open file has its old name")
KILLED = """
    import sys, time
    from pathlib import Path
    from treemetric._base import files

    with files.replacing(Path(sys.argv[1])) as file:
        file.write(b"half")
        file.flush()
        print("ready", flush=True)
        time.sleep(600)
"""


@posix
def test_a_killed_writer_leaves_nothing_after_the_next_call(tmp_path):
    path = tmp_path / "a.txt"
    with start("-c", textwrap.dedent(KILLED), path, stdout=PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.kill()
    assert len(names(tmp_path)) == 1
    files.write_text(tmp_path / "b.txt", "other")
    assert len(names(tmp_path)) == 2
    files.write_text(path, "new")
    assert names(tmp_path) == ["a.txt", "b.txt"]
    assert path.read_text() == "new"


@posix
def test_the_file_of_a_live_writer_stays(tmp_path):
    path = tmp_path / "a.txt"
    with files.replacing(path) as file:
        file.write(b"slow")
        before = names(tmp_path)
        files.write_text(path, "fast")
        assert names(tmp_path) == ["a.txt", *before]
    assert path.read_text() == "slow"
    assert names(tmp_path) == ["a.txt"]


@posix
def test_files_of_other_names_and_without_locks_stay(tmp_path, monkeypatch):
    kept = ["a.txt.csv.1-0a.part", "a.txt.part", "a.txt.x.part", "ba.txt.1-0a.part"]
    for name in [*kept, "a.txt.1-0a.part"]:
        (tmp_path / name).write_text("x")
    with monkeypatch.context() as patch:
        patch.setattr(files, "try_lock", lambda _, without=True: without)
        files.write_text(tmp_path / "a.txt", "new")
    assert names(tmp_path) == sorted(["a.txt", "a.txt.1-0a.part", *kept])
    files.write_text(tmp_path / "a.txt", "new")
    assert names(tmp_path) == sorted(["a.txt", *kept])


@posix
def test_a_part_that_was_taken_for_abandoned_is_made_again(tmp_path, monkeypatch):
    calls = []

    def removed_at_first(file, **_):
        calls.append(file.name)
        if len(calls) == 1:
            Path(file.name).unlink()
        return True

    monkeypatch.setattr(files, "try_lock", removed_at_first)
    files.write_text(tmp_path / "a.txt", "new")
    assert len(set(calls)) == 2
    assert names(tmp_path) == ["a.txt"]


def test_parts_of_killed_processes_are_removed(tmp_path):
    kept = ["a.txt", "a.txt.b.12-3f.part", "a.txt.part.txt", "a[1].txt.3.part", "b.txt.12.part"]
    for name in (*kept, "a.txt.12.part", "a.txt.12-3f.part", "c3.txt.4-5.part"):
        (tmp_path / name).write_text("x")
    files.remove_parts(tmp_path, "a.txt", "c*")
    assert names(tmp_path) == kept


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": 1', "[" * 100_000, "1" * 5000], ids=["empty", "{", "a", "deep", "long"]
)
def test_a_damaged_file_is_named(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"a\.json is damaged \(.*\)\. Remove it"):
        files.read_json(path)


def test_optional_packages():
    assert extras.find("json") is extras.need("json", "extra", "Something")
    assert extras.find("no_such_package") is None
    message = r'Something needs no_such_package: pip install "treemetric\[extra\]"'
    with pytest.raises(ImportError, match=message):
        extras.need("no_such_package.inside", "extra", "Something")
