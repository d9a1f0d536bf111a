"""The Sentiment experiment: killed and taken up again, and how far it is."""

import builtins
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import treemetric as tm
from sentences import write_data
from treemetric.experiments import run_sentiment
from treemetric.experiments.sentiment import run as _sentiment_run
from treemetric.experiments.sentiment.files import Kept

posix = pytest.mark.skipif(os.name != "posix", reason="sends signals")
PARTS = [
    "errors-before-knn.json",
    "errors-before-median-GLVQ.json",
    "errors-after-knn.json",
    "errors-after-median-GLVQ.json",
]

# Killed right after so many parts are kept, of which learning is the first.
RUN = """
    import os, signal, sys
    from treemetric.experiments import run_sentiment
    from treemetric.experiments.sentiment.files import Kept

    left = int(sys.argv[4])

    def counted(put):
        def keep(*arguments):
            global left
            put(*arguments)
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
        return keep

    Kept.put, Kept.put_errors = counted(Kept.put), counted(Kept.put_errors)
    run_sentiment(*sys.argv[1:4], quick=True)
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("sentiment"))


@pytest.fixture(scope="module")
def found(data):
    return run_sentiment(*data, quick=True)


def run_until(data, folder, parts):
    package = Path(tm.__file__).parents[1]
    code = [sys.executable, "-c", textwrap.dedent(RUN), *map(str, (*data, folder, parts))]
    done = subprocess.run(code, env={**os.environ, "PYTHONPATH": str(package)}, check=False)
    assert done.returncode == -signal.SIGKILL


@posix
@pytest.mark.parametrize("parts", [1, 2, 4, 5])
def test_a_killed_run_goes_on(data, found, tmp_path, monkeypatch, parts):
    run_until(data, tmp_path, parts)
    there = [name for name in PARTS if (tmp_path / name).exists()]
    assert there == PARTS[: parts - 1]
    assert not (tmp_path / "run.json").exists()
    # What the killed run has spent was written before its end.
    (spent,) = json.loads((tmp_path / "runs.json").read_text(encoding="utf-8"))
    assert spent["cpu_seconds"] >= 0
    stamps = {name: (tmp_path / name).stat().st_mtime_ns for name in there}

    measured = []
    pairwise = _sentiment_run.pairwise_distances

    def counted(X, Y, **options):
        measured.append((len(X), len(Y)))
        return pairwise(X, Y, **options)

    monkeypatch.setattr(_sentiment_run, "pairwise_distances", counted)
    monkeypatch.setattr(_sentiment_run, "BEDL", lambda **_: pytest.fail("learned again"))
    (tmp_path / "errors-before-knn.json.1.part").write_text("half", encoding="utf-8")
    other = run_sentiment(*data, tmp_path, quick=True)
    assert other.rows == found.rows
    assert other.tests == found.tests
    assert other.costs == found.costs
    assert stamps == {name: (tmp_path / name).stat().st_mtime_ns for name in there}
    # kNN measures two splits, median GLVQ three.
    assert len(measured) == sum((2, 3, 2, 3)[parts - 1 :])
    assert not list(tmp_path.glob("*.part"))
    record = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert len(record["effort"]["runs"]) == 2


def test_effort_is_written_from_the_start_and_after_each_part(data, tmp_path, monkeypatch):
    written = []
    put = Kept.put

    def fail(*_):
        raise KeyboardInterrupt

    def keep(*arguments):
        written.append((tmp_path / "runs.json").exists())
        put(*arguments)

    monkeypatch.setattr(Kept, "put", keep)
    monkeypatch.setattr(Kept, "put_errors", fail)
    with pytest.raises(KeyboardInterrupt):
        run_sentiment(*data, tmp_path, quick=True)
    assert written == [True]
    runs = json.loads((tmp_path / "runs.json").read_text(encoding="utf-8"))
    assert len(runs) == 1
    assert runs[0]["cpu_seconds"] > 0


def test_errors_of_another_projection_are_measured_again(data, found, tmp_path):
    run_sentiment(*data, tmp_path, quick=True)
    file = tmp_path / "errors-after-knn.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert kept["row"] == found.rows[1]
    assert len(kept["predictions"]) == 40
    wrong = {**kept, "projection": "0" * 64, "row": {**kept["row"], "test_error": 0.99}}
    file.write_text(json.dumps(wrong), encoding="utf-8")
    assert run_sentiment(*data, tmp_path, quick=True).rows == found.rows
    assert json.loads(file.read_text(encoding="utf-8")) == kept
    # The same projection is not looked at twice.
    wrong["projection"] = kept["projection"]
    file.write_text(json.dumps(wrong), encoding="utf-8")
    assert run_sentiment(*data, tmp_path, quick=True).rows[1]["test_error"] == 0.99


@pytest.mark.parametrize("text", ["{", "[]", '{"row": {}}'])
def test_damaged_errors_are_named(data, tmp_path, text):
    run_sentiment(*data, tmp_path, quick=True)
    (tmp_path / "errors-after-knn.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"errors-after-knn\.json is damaged .* Remove it"):
        run_sentiment(*data, tmp_path, quick=True)


# --- how far it is -----------------------------------------------------------------


def test_lines_tell_how_far_the_measuring_is(data, capfd):
    run_sentiment(*data, quick=True, verbose=2)
    told = capfd.readouterr().err.splitlines()
    for name, splits in (("knn", ("dev", "test")), ("median GLVQ", ("train", "dev", "test"))):
        for when in ("before", "after"):
            for split in splits:
                head = f"[{name} {when}, {split} trees] "
                lines = [line for line in told if line.startswith(head)]
                assert 1 <= len(lines) <= 10
                assert lines[-1].startswith(f"{head}100% of ")
    assert "[knn before, dev trees] 100% of 2400 pairs" in told


def test_lines_take_the_place_of_a_bar(data, capfd, monkeypatch):
    true_import = builtins.__import__

    def without(name, *arguments, **options):
        if name.startswith("tqdm"):
            raise ImportError(name)
        return true_import(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    run_sentiment(*data, quick=True, verbose=1)
    assert "[knn after, test trees] 100% of 2400 pairs" in capfd.readouterr().err


def test_a_bar_tells_how_far_the_measuring_is(data, capfd, monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr("treemetric.learning._report._DELAY", 0.0)
    run_sentiment(*data, quick=True, verbose=1)
    told = capfd.readouterr().err
    assert "knn before, dev trees" in told
    assert "median GLVQ after, train trees" in told


def test_silence(data, capfd):
    run_sentiment(*data, quick=True)
    told = capfd.readouterr()
    assert (told.out, told.err) == ("", "")
    assert np.isfinite([row["test_error"] for row in run_sentiment(*data, quick=True).rows]).all()
