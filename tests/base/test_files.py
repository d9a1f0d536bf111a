"""Files that are replaced as a whole, and optional packages."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

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


def test_parts_of_killed_processes_are_removed(tmp_path):
    for name in ("a.txt", "a.txt.12.part", "b.txt.12.part", "a.txt.part.txt", "a[1].txt.3.part"):
        (tmp_path / name).write_text("x")
    files.remove_parts(tmp_path, "a.txt", "c*")
    assert names(tmp_path) == ["a.txt", "a.txt.part.txt", "a[1].txt.3.part", "b.txt.12.part"]


@pytest.mark.parametrize("text", ["", "{", '{"a": 1'])
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
