"""The Sentiment experiment, on small made-up sentences."""

import csv
import hashlib
import json

import numpy as np
import pytest

import treemetric as tm
from sentences import write_data
from treemetric.cli import main
from treemetric.experiments import Sentiment, run_sentiment
from treemetric.experiments.sentiment import experiment, steps
from treemetric.experiments.sentiment.data import FULL, QUICK
from treemetric.experiments.sentiment.steps import mcnemar, votes


def by_name(result):
    return {(row["classifier"], row["costs"]): row for row in result.rows}


def test_errors_fall(found):
    rows = by_name(found)
    assert len(rows) == len(found.rows) == 4
    for name in ("knn", "median GLVQ"):
        assert rows[name, "after"]["test_error"] < rows[name, "before"]["test_error"]
    assert found.costs.projection.shape == (5, 5)
    assert found.costs.vectors.dtype == np.float32
    # Whatever their scale was, vectors have a mean square of 1.
    assert np.mean(np.sum(found.costs.vectors**2, axis=1)) == pytest.approx(1, rel=1e-3)
    assert found.seconds > 0
    assert [row["n_prototypes"] for row in found.learned] == [
        options["n_prototypes"] for options in QUICK.learn
    ]


def test_errors_are_those_of_the_learned_costs(data, found):
    bunch = tm.datasets.load_jsonl(data[0], fields=["split"])
    split = np.array(bunch.fields["split"])
    train, test = (np.flatnonzero(split == name) for name in ("train", "test"))
    row = by_name(found)["knn", "after"]
    apart = tm.pairwise_distances(bunch.data[test], bunch.data[train], costs=found.costs)
    near = np.argsort(apart.astype(np.float32), axis=1, kind="stable")[:, : row["value"]]
    labels = (bunch.target[train][near].mean(axis=1) > 0.5).astype(int)
    assert np.mean(labels != bunch.target[test]) == pytest.approx(row["test_error"])


def test_the_test_split_chooses_nothing(tmp_path, found):
    other = run_sentiment(*write_data(tmp_path, flip_test=True), quick=True)
    assert other.costs == found.costs
    for mine, theirs in zip(other.rows, found.rows, strict=True):
        assert {**mine, "test_error": 0} == {**theirs, "test_error": 0}
        assert mine["test_error"] == pytest.approx(1 - theirs["test_error"])


def test_threads_and_folders_change_nothing(data, found):
    other = run_sentiment(data[0].parent, data[1], quick=True, n_jobs=2)
    assert other.rows == found.rows
    assert other.costs == found.costs


def test_results_are_written(data, tmp_path, capsys):
    folder = tmp_path / "new" / "results"
    paths = ["--data", str(data[0].parent), "--vectors", str(data[1]), "-o", str(folder)]
    options = ["--quick", "--kind", "chord", "--no-progress"]
    assert main(["reproduce", "sentiment", *paths, *options]) == 0
    printed = capsys.readouterr().out
    table = (folder / "table.md").read_text(encoding="utf-8")
    assert table.startswith("**Quick run")
    assert "\n\n| classifier | before | after |\n" in table
    assert printed.startswith(table)
    assert "Learned in" in printed
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["classifier"], row["costs"]) for row in rows] == [
        ("knn", "before"),
        ("knn", "after"),
        ("median GLVQ", "before"),
        ("median GLVQ", "after"),
    ]
    assert all(0 <= float(row["test_error"]) <= 1 for row in rows)
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert record["kind"] == "chord"
    assert record["trees"] == {"train": 60, "dev": 40, "test": 40}
    assert record["versions"]["treemetric"] == tm.__version__
    assert record["versions"]["scipy"]
    assert len(record["code"]) == 64
    assert record["quick"] is True
    effort = record["effort"]
    assert effort["wall_seconds"] >= 0
    assert effort["cpu_seconds"] > 0
    assert effort["peak_memory_of_a_process"] > 1 << 20
    assert effort["runs"][0]["processes"] == 1
    assert np.load(folder / "projection.npy").shape == (5, 5)
    assert record["data"]["name"] == "trees.jsonl"
    assert record["vectors"]["name"] == "v.npz"
    assert record["vectors"]["sha256"] == hashlib.sha256(data[1].read_bytes()).hexdigest()
    assert [test["classifier"] for test in record["tests"]] == ["knn", "median GLVQ"]
    assert "McNemar's exact test: p = " in table


def test_learned_costs_are_reused(data, found, tmp_path, monkeypatch):
    def fail(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(steps.Steps, "errors", fail)
        with pytest.raises(KeyboardInterrupt):
            run_sentiment(*data, tmp_path, quick=True)
    assert not (tmp_path / "run.json").exists()
    np.testing.assert_array_equal(np.load(tmp_path / "projection.npy"), found.costs.projection)
    with monkeypatch.context() as patch:
        patch.setattr(steps, "BEDL", lambda **_: pytest.fail("learned again"))
        other = run_sentiment(*data, tmp_path, quick=True)
    assert other.costs == found.costs
    assert other.rows == found.rows
    assert other.tests == found.tests
    effort = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["effort"]
    assert len(effort["runs"]) == 2
    assert effort["wall_seconds"] == pytest.approx(sum(r["wall_seconds"] for r in effort["runs"]))


@pytest.mark.parametrize(
    ("options", "named"), [({"seed": 1}, "seed"), ({"kind": "angle"}, "kind"), ({}, "code of tree")]
)
def test_a_folder_of_other_settings_is_refused(data, tmp_path, monkeypatch, options, named):
    run_sentiment(*data, tmp_path, quick=True)
    before = (tmp_path / "run.json").read_bytes()
    if not options:
        monkeypatch.setattr(experiment, "code_digest", lambda: "0" * 64)
    with pytest.raises(ValueError, match=f"other settings .*{named}.*Choose another folder"):
        run_sentiment(*data, tmp_path, quick=True, **options)
    assert (tmp_path / "run.json").read_bytes() == before


def test_a_damaged_projection_is_named(data, tmp_path):
    run_sentiment(*data, tmp_path, quick=True)
    (tmp_path / "projection-0.npy").write_bytes(b"")
    with pytest.raises(ValueError, match=r"projection-0\.npy is missing or damaged .*learned-0"):
        run_sentiment(*data, tmp_path, quick=True)


def test_before_and_after_are_compared_tree_by_tree(found):
    truth = np.zeros(10, dtype=np.int64)
    before, after = np.array([1] * 6 + [0] * 4), np.array([0] * 5 + [1, 1] + [0] * 3)
    compared = mcnemar(truth, before, after)
    assert (compared["errors_gone"], compared["errors_new"]) == (5, 1)
    # Of six coins at least five fall alike: 2 (6 + 1) / 64.
    assert compared["p_value"] == pytest.approx(14 / 64)
    assert mcnemar(truth, before, before) == {"errors_gone": 0, "errors_new": 0, "p_value": 1.0}
    rows = by_name(found)
    for test in found.tests:
        errors = [rows[test["classifier"], when]["test_error"] * 40 for when in ("before", "after")]
        assert test["errors_gone"] - test["errors_new"] == pytest.approx(errors[0] - errors[1])


def test_a_quick_run_takes_some_trees_only(tmp_path):
    path, vectors = write_data(tmp_path, sizes=(QUICK.trees[0] + 20, 40, 40))
    run_sentiment(path, vectors, tmp_path, quick=True)
    record = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert record["trees"]["train"] == QUICK.trees[0]
    assert FULL.trees == (None, None, None)


def test_votes():
    neighbours = np.array([[0, 1, 1, 0], [2, 2, 1, 1]])
    assert [found.tolist() for found in votes(neighbours, [1, 2, 3, 4])] == [
        [0, 2],
        [0, 2],
        [1, 2],
        [0, 1],
    ]


def test_a_report_of_some_errors():
    row = {"classifier": "knn", "costs": "after", "test_error": 0.5, "n_test": 100}
    lines = Sentiment([row], None, [], 0.0).report().splitlines()
    assert lines[2:] == ["| knn | | 50.0 ± 5.0 |"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"split": None}, "No tree of .* has 'train' in its field 'split'"),
        ({"split": "train"}, "No tree of .* has 'dev' in its field 'split'"),
        ({"label": None}, "The trees of .* have no classes"),
    ],
)
def test_trees_that_do_not_fit_are_refused(tmp_path, change, message):
    path, vectors = write_data(tmp_path)
    lines = [json.loads(line) | change for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [{key: value for key, value in line.items() if value is not None} for line in lines]
    path.write_text("\n".join(map(json.dumps, kept)), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        run_sentiment(path, vectors, quick=True)


def test_a_class_without_training_trees_is_refused(tmp_path):
    path, vectors = write_data(tmp_path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [line for line in lines if (line["split"], line["label"]) != ("train", "p")]
    path.write_text("\n".join(map(json.dumps, kept)), encoding="utf-8")
    with pytest.raises(ValueError, match=r"The training trees of .* lack a class"):
        run_sentiment(path, vectors, quick=True)


def test_the_command_reports_errors(data, tmp_path, capsys):
    paths = ["--data", str(tmp_path), "--vectors", str(data[1])]
    assert main(["reproduce", "sentiment", *paths]) == 2
    assert "trees.jsonl" in capsys.readouterr().err


def test_missing_files(data, tmp_path):
    with pytest.raises(FileNotFoundError):
        run_sentiment(tmp_path, data[1])
    with pytest.raises(FileNotFoundError):
        run_sentiment(data[0], tmp_path / "v.npz")
