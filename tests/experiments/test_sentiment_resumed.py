"""The Sentiment experiment: killed and resumed runs, and progress."""

import json
import os
import signal
import sys
import textwrap

import numpy as np
import pytest

import children
from treemetric.experiments import run_sentiment
from treemetric.experiments.sentiment import steps
from treemetric.experiments.sentiment.store import SentimentStore

posix = pytest.mark.skipif(os.name != "posix", reason="sends signals")
PARTS = [
    "errors-before-knn.json",
    "errors-before-median-GLVQ.json",
    "errors-after-knn.json",
    "errors-after-median-GLVQ.json",
]

# Kills itself right after it has stored that many parts; learning is the first.
RUN = """
    import os, signal, sys
    from treemetric.experiments import run_sentiment
    from treemetric.experiments.sentiment.store import SentimentStore

    left = int(sys.argv[4])

    def counted(put):
        def keep(*arguments):
            global left
            put(*arguments)
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
        return keep

    SentimentStore.put = counted(SentimentStore.put)
    SentimentStore.put_errors = counted(SentimentStore.put_errors)
    run_sentiment(*sys.argv[1:4], quick=True)
"""


def run_until(data, folder, parts):
    done = children.run("-c", textwrap.dedent(RUN), *data, folder, parts)
    assert done.returncode == -signal.SIGKILL


@posix
@pytest.mark.parametrize("parts", [1, 2, 4, 5])
def test_a_killed_run_resumes(data, found, tmp_path, monkeypatch, parts):
    run_until(data, tmp_path, parts)
    there = [name for name in PARTS if (tmp_path / name).exists()]
    assert there == PARTS[: parts - 1]
    assert not (tmp_path / "run.json").exists()
    # What the killed run has spent was written before its end.
    (spent,) = json.loads((tmp_path / "runs.json").read_text(encoding="utf-8"))
    assert spent["cpu_seconds"] >= 0
    stamps = {name: (tmp_path / name).stat().st_mtime_ns for name in there}

    measured = []
    pairwise = steps.pairwise_distances

    def counted(X, Y, **options):
        measured.append((len(X), len(Y)))
        return pairwise(X, Y, **options)

    monkeypatch.setattr(steps, "pairwise_distances", counted)
    monkeypatch.setattr(steps, "BEDL", lambda **_: pytest.fail("learned again"))
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
    put = SentimentStore.put

    def fail(*_):
        raise KeyboardInterrupt

    def keep(*arguments):
        written.append((tmp_path / "runs.json").exists())
        put(*arguments)

    monkeypatch.setattr(SentimentStore, "put", keep)
    monkeypatch.setattr(SentimentStore, "put_errors", fail)
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


# --- progress -----------------------------------------------------------------


def test_lines_report_progress(data, capfd):
    run_sentiment(*data, quick=True, verbose=2)
    printed = capfd.readouterr().err.splitlines()
    for name, splits in (("knn", ("dev", "test")), ("median GLVQ", ("train", "dev", "test"))):
        for when in ("before", "after"):
            for split in splits:
                head = f"[{name} {when}, {split} trees] "
                lines = [line for line in printed if line.startswith(head)]
                assert 1 <= len(lines) <= 10
                assert lines[-1].startswith(f"{head}100% of ")
    assert "[knn before, dev trees] 100% of 2400 pairs" in printed


def test_lines_replace_a_bar_without_tqdm(data, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    run_sentiment(*data, quick=True, verbose=1)
    assert "[knn after, test trees] 100% of 2400 pairs" in capfd.readouterr().err


def test_a_bar_reports_progress(data, capfd, monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr("treemetric._base.progress._DELAY", 0.0)
    run_sentiment(*data, quick=True, verbose=1)
    printed = capfd.readouterr().err
    assert "knn before, dev trees" in printed
    assert "median GLVQ after, train trees" in printed


def test_silence(data, capfd):
    run_sentiment(*data, quick=True)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    assert np.isfinite([row["test_error"] for row in run_sentiment(*data, quick=True).rows]).all()
