"""The ablation: nested cross-validation, files, and runs that resume after they were killed."""

import csv
import dataclasses
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import children
import treemetric as tm
from treemetric.cli import main
from treemetric.datasets import make_programs, make_strings
from treemetric.experiments import run_ablation
from treemetric.experiments.ablation import figure, schedule, store
from treemetric.experiments.ablation.cell import predict, run_cell
from treemetric.experiments.ablation.data import DataSet, check_data, folds_of, load
from treemetric.experiments.ablation.distances import Distances
from treemetric.experiments.ablation.plan import (
    CLASSIFIERS,
    DEFAULT_VARIANTS,
    FULL,
    QUICK,
    VARIANTS,
)
from treemetric.experiments.common.provenance import PACKAGE, code_digest
from treemetric.learning import BEDL, GESL

FAST = ["unit", "G3", "L2"]
# A run that takes a few seconds, so that there is time to kill it.
SCRIPT = """
import sys
from treemetric.datasets import make_strings
from treemetric.experiments import run_ablation

if __name__ == "__main__":
    strings = make_strings(24, random_state=0)
    strings.name = "few"
    variants = ["unit", "G3", "L2"]
    run_ablation([strings], sys.argv[1], variants=variants, folds=4, quick=True, n_jobs=2)
"""


@pytest.fixture(autouse=True)
def no_figure(monkeypatch):
    """Drawing takes longer than everything else; the figure has its own tests."""
    monkeypatch.setattr(figure, "save", lambda rows, path, quick: None)


def few(n_samples=24, name="few"):
    strings = make_strings(n_samples, random_state=0)
    strings.name = name
    return strings


def quickly(folder, data=None, **options):
    options = {"variants": FAST, "quick": True, **options}
    return run_ablation([few()] if data is None else data, folder, **options)


def read_csv(folder):
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def without_seconds(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def data_set(bunch, folds=3):
    return check_data("few", bunch, folds, 2)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    return folder, quickly(folder, variants=DEFAULT_VARIANTS)


def test_every_variant_distance_and_classifier_has_a_row_per_fold(finished):
    _, rows = finished
    keys = [(r["fold"], r["variant"], r["distance"], r["classifier"]) for r in rows]
    assert len(set(keys)) == len(keys)
    expected = {
        (fold, variant, distance, classifier)
        for fold in range(2)
        for variant in DEFAULT_VARIANTS
        for distance in {*VARIANTS[variant].distances, "pseudo"}
        for classifier in CLASSIFIERS
    }
    assert set(keys) == expected
    assert all(0 <= row["error"] <= 1 and row["n_test"] == 12 for row in rows)


def test_files_hold_the_same_rows(finished):
    folder, rows = finished
    lines = read_csv(folder)
    assert [float(line["error"]) for line in lines] == [row["error"] for row in rows]
    assert [json.loads(line["learner_parameters"]) for line in lines] == [
        row["learner_parameters"] for row in rows
    ]
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert record["seed"] == 0
    assert record["versions"]["treemetric"] == tm.__version__
    assert record["datasets"]["few"]["folds"] == 2
    assert record["plan"]["inner_folds"] == QUICK.inner_folds
    assert list(record["variants"]) == list(DEFAULT_VARIANTS)
    assert record["quick"] is True
    (run,) = record["effort"]["runs"]
    assert record["effort"]["wall_seconds"] == run["wall_seconds"] > 0
    # The cells, and what is around them.
    assert run["cpu_seconds"] >= round(record["seconds_of_all_cells"], 1) - 0.1 > 0
    assert run["peak_memory_of_a_process"] > 1 << 20
    assert (run["processes"], run["threads_of_a_process"]) == (1, 1)
    assert run["cores"] >= 1
    for name in ("table.md", "claims.md"):
        assert (folder / name).read_text(encoding="utf-8").startswith("**Quick run")
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert "### 6." in (folder / "claims.md").read_text(encoding="utf-8")
    assert "| few | knn |" in (folder / "table.md").read_text(encoding="utf-8")


def test_rows_record_whether_the_closure_is_zero(finished):
    folder, rows = finished
    data = data_set(few(), folds=2)
    assert {line["zero_closure"] for line in read_csv(folder)} <= {"True", "False"}
    for row in rows:
        if row["distance"] != "actual" or row["variant"] not in ("unit", "G1", "G2"):
            continue
        if row["variant"] == "unit":
            assert row["zero_closure"] is False
            continue
        train = data.splits(0)[row["fold"]][0]
        learner = VARIANTS[row["variant"]].make(row["learner_parameters"], len(train), 0)
        costs = learner.fit(data.trees[train], data.target[train]).costs_
        shortest = costs.closure().matrix
        assert row["zero_closure"] == bool(shortest.max() <= 1e-5 * costs.matrix.max())


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_equal_distances_lead_to_the_most_frequent_class(name):
    parameters = QUICK.classifiers[name][0]
    split = np.arange(5), np.arange(5, 7)
    target = np.array([0, 1, 1, 0, 1])
    assert predict(np.zeros((7, 7)), split, target, name, parameters).tolist() == [1, 1]
    # Two classes far apart; the first tree is near class 0, the second equally far from all.
    points = np.array([0.0, 4.0, 4.2, 0.2, 4.4, 0.1, 0.0])
    matrix = np.abs(points[:, None] - points)
    matrix[6] = matrix[:, 6] = 3.0
    assert predict(matrix, split, target, name, parameters).tolist() == [0, 1]
    assert predict(matrix, split, 1 - target, name, parameters).tolist() == [1, 0]
    # Training trees that do not differ teach nothing, whatever the others are.
    matrix[:5, :5] = 0.0
    assert predict(matrix, split, target, name, parameters).tolist() == [1, 1]


def test_unit_costs_have_the_same_errors_under_both_distances(finished):
    _, rows = finished
    unit = [row for row in rows if row["variant"] == "unit"]
    pseudo, actual = (
        [row["error"] for row in unit if row["distance"] == distance]
        for distance in ("pseudo", "actual")
    )
    assert len(pseudo) == 8
    assert pseudo == actual


def test_learning_helps_on_strings():
    data = data_set(make_strings(60, random_state=0))
    errors = {}
    for variant in ("unit", "L2"):
        cell = run_cell(data, Distances(data.trees), 0, variant, QUICK, 0)
        errors[variant] = {(r["distance"], r["classifier"]): r["error"] for r in cell["rows"]}
    assert errors["L2"]["actual", "knn"] == 0
    assert errors["unit"]["actual", "knn"] > 0.1


@pytest.mark.parametrize("variant", ["unit", "G1", "L1", "L2"])
def test_test_classes_change_no_choice_and_no_prediction(variant):
    plan = dataclasses.replace(
        QUICK,
        neighbours=FULL.neighbours[:2],
        vectors=FULL.vectors[1:3],
    )
    data = data_set(make_strings(30, random_state=1))
    test = data.splits(0)[1][1]
    before = run_cell(data, Distances(data.trees), 1, variant, plan, 0)
    other = DataSet("few", data.trees, data.target.copy(), data.folds)
    other.target[test] = 1 - other.target[test]
    # The folds are those of the true classes; only what a cell sees of the test part differs.
    other.splits = data.splits
    after = run_cell(other, Distances(data.trees), 1, variant, plan, 0)
    for one, two in zip(before["rows"], after["rows"], strict=True):
        assert one["error"] == pytest.approx(1 - two["error"])
        assert {**one, "error": 0} == {**two, "error": 0}


def test_training_classes_matter():
    data = data_set(make_strings(30, random_state=1))
    train = data.splits(0)[0][0]
    other = DataSet("few", data.trees, data.target.copy(), data.folds)
    other.target[train] = 1 - other.target[train]
    other.splits = data.splits
    one, two = (run_cell(d, Distances(d.trees), 0, "L2", QUICK, 0) for d in (data, other))
    assert one["rows"][0]["predictions"] != two["rows"][0]["predictions"]


def test_candidates_are_compared_by_their_inner_error():
    # The first candidate cannot learn anything: it stays at unit costs.
    useless = {"regularisation_per_tree": 1e9, "n_prototypes": 1}
    useful = {"regularisation_per_tree": 0.0, "n_prototypes": 2}
    plan = dataclasses.replace(QUICK, vectors=(useless, useful))
    data = data_set(make_strings(60, random_state=0))
    cell = run_cell(data, Distances(data.trees), 0, "L2", plan, 0)
    chosen = {(r["distance"], r["classifier"]): r["learner_parameters"] for r in cell["rows"]}
    assert chosen["actual", "knn"] == useful


@pytest.mark.filterwarnings("ignore::treemetric.exceptions.CollapsedCostsWarning")
@pytest.mark.parametrize("learner", [GESL(beta=0.1), GESL(beta=0.1, script="one"), BEDL()])
@pytest.mark.parametrize("distance", ["pseudo", "actual"])
def test_distances_are_those_of_the_learner_in_both_directions(learner, distance):
    data = make_programs(20, random_state=0)
    train, every = np.arange(6), np.arange(20)
    assert set(data.data.alphabet) - set(data.data[train].alphabet)  # some labels are unseen
    learner.set_params(unseen="gap-like", distance=distance)
    learner.fit(data.data[train], np.arange(6) % 2)
    script = getattr(learner, "script", "average")
    found = Distances(data.data).of(learner.costs_, distance, script, every)
    metric = learner.get_metric()
    there = metric.pairwise(data.data, data.data)
    np.testing.assert_allclose(found, (there + there.T) / 2, rtol=0, atol=1e-5)


def test_the_dynamic_program_uses_the_raw_costs():
    trees = make_strings(20, random_state=0)
    costs = GESL(beta=0.1).fit(trees.data, trees.target).costs_
    assert not costs.is_pseudo_metric()
    index = np.array([3, 1, 7])
    found = Distances(trees.data).of(costs, "programme", "average", index)
    there = tm.pairwise_distances(trees.data[index], costs=costs)
    np.testing.assert_allclose(found, (there + there.T) / 2, rtol=0, atol=1e-5)


def test_residues_of_a_solver_do_not_count_as_costs():
    trees = make_strings(20, random_state=0)
    alphabet = trees.data.alphabet
    matrix = np.full((5, 5), 1e-12)
    matrix[0, 1] = 0.5
    matrix[4, 4] = 0.0
    distances = Distances(trees.data)
    costs = tm.CostMatrix(alphabet, matrix)
    assert tm.distance(trees.data[0], trees.data[1], costs=costs.closure()) > 0
    assert not distances.of(costs, "actual", "average", np.arange(20)).any()
    # Costs that are all small are no dust, as nothing is large.
    small = tm.CostMatrix(alphabet, 1e-12 * (1 - np.eye(5)))
    found = distances.of(small, "actual", "average", np.arange(20))
    np.testing.assert_allclose(found, 1e-12 * distances.unit, rtol=1e-6)


def test_equal_trees_have_the_same_distances():
    trees = make_strings(6, random_state=0).data
    twice = tm.TreeSet([*trees, *trees])
    costs = tm.UnitCosts().to_matrix(trees.alphabet)
    index = np.array([11, 2, 5, 8])
    found = Distances(twice).of(costs, "actual", "average", index)
    np.testing.assert_array_equal(found, tm.pairwise_distances(twice[index]))


def wait_for_cells(folder, count, process):
    deadline = time.monotonic() + 120
    while len(list(folder.glob("cells/*.json"))) < count:
        assert process.poll() is None, process.stdout.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_killed_run_resumes_and_ends_with_the_same_results(tmp_path):
    script, folder = tmp_path / "script.py", tmp_path / "out"
    script.write_text(SCRIPT, encoding="utf-8")
    process = children.start(script, folder, stdout=children.PIPE, stderr=children.STDOUT)
    wait_for_cells(folder, 2, process)
    process.send_signal(signal.SIGKILL)
    # Workers hold the pipe too: that it ends says that they have ended.
    process.communicate(timeout=60)
    kept = {file: file.stat().st_mtime_ns for file in folder.glob("cells/*.json")}
    assert 2 <= len(kept) < 12
    assert not (folder / "results.csv").exists()
    # The time of a run that was killed counts, too.
    assert json.loads((folder / "runs.json").read_text(encoding="utf-8"))[0]["wall_seconds"] > 0
    # What a kill in the middle of writing leaves behind.
    (folder / "cells" / "few-L2-003.json.1.part").write_text('{"dataset": "fe', encoding="utf-8")
    (folder / "runs.json.1.part").write_text("[", encoding="utf-8")

    quickly(folder, folds=4, n_jobs=2)
    assert kept.items() <= {f: f.stat().st_mtime_ns for f in folder.glob("cells/*.json")}.items()
    assert not list(folder.rglob("*.part"))
    whole = tmp_path / "whole"
    rows = quickly(whole, folds=4)
    # The same to the last digit, whatever process a cell was run in.
    assert without_seconds(read_csv(folder)) == without_seconds(read_csv(whole))
    assert len(read_csv(folder)) == len(rows)
    effort = json.loads((folder / "run.json").read_text(encoding="utf-8"))["effort"]
    assert [run["processes"] for run in effort["runs"]] == [2, 2]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_the_command_and_keeps_cells(tmp_path):
    folder = tmp_path / "out"
    command = ["-m", "treemetric", "reproduce", "ablation", "-o", folder]
    command += ["--jobs", "2", "--variants", "G1", "--no-progress"]
    pipes = {"stdout": children.PIPE, "stderr": children.PIPE}
    process = children.start(*command, **pipes, start_new_session=True)
    deadline = time.monotonic() + 60
    while not (folder / "settings.json").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "treemetric: interrupted\n")
    assert not list(folder.rglob("*.part"))


def test_finished_cells_are_not_run_again(tmp_path, monkeypatch):
    quickly(tmp_path)
    monkeypatch.setattr(schedule, "run_cell", lambda *_: pytest.fail("a cell was run again"))
    assert len(quickly(tmp_path)) == len(read_csv(tmp_path))


def test_variants_and_data_sets_can_be_added(tmp_path):
    quickly(tmp_path, variants=["unit"])
    quickly(tmp_path, [few(name="more")], variants=["unit"])
    rows = quickly(tmp_path, variants=["L1"])
    found = {(row["dataset"], row["variant"]) for row in rows}
    assert found == {("few", "unit"), ("more", "unit"), ("few", "L1")}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"seed": 1}, "seed"),
        ({"folds": 3}, "data set few"),
        ({"data": [few(26)]}, "data set few"),
        ({"quick": False, "folds": 2}, "plan"),
    ],
)
def test_a_folder_with_other_settings_is_refused(tmp_path, options, named):
    quickly(tmp_path, variants=["unit"])
    before = (tmp_path / "settings.json").read_bytes()
    with pytest.raises(ValueError, match=f"other settings .*{named}.*Choose another folder"):
        quickly(tmp_path, **{"variants": ["unit"], **options})
    assert (tmp_path / "settings.json").read_bytes() == before


def test_a_folder_of_other_versions_is_refused(tmp_path, monkeypatch):
    quickly(tmp_path, variants=["unit"])
    monkeypatch.setattr(store, "versions", lambda: {"numpy": "0.1"})
    with pytest.raises(ValueError, match="versions"):
        quickly(tmp_path, variants=["unit"])


def test_a_folder_of_other_code_is_refused(tmp_path, monkeypatch):
    quickly(tmp_path, variants=["unit"])
    monkeypatch.setattr(store, "code_digest", lambda: "0" * 64)
    with pytest.raises(ValueError, match=r"other settings \(code of treemetric\)"):
        quickly(tmp_path, variants=["unit"])


def test_cells_of_other_code_are_kept_if_asked_for(tmp_path, monkeypatch):
    first = quickly(tmp_path, variants=["unit"])
    code = json.loads((tmp_path / "settings.json").read_text())["code"]
    for state, variant in (("0", "L1"), ("1", "L2")):
        monkeypatch.setattr(store, "code_digest", lambda state=state: state * 64)
        rows = quickly(tmp_path, variants=["unit", variant], keep_cells=True)
        assert [row for row in rows if row["variant"] == "unit"] == first
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["earlier_code"] == [{"code": code, "cells": 2}, {"code": "0" * 64, "cells": 2}]
    assert record["code"] == "1" * 64
    # It is remembered, and nothing else may differ.
    quickly(tmp_path, variants=["unit"])
    record = json.loads((tmp_path / "run.json").read_text())
    assert len(record["earlier_code"]) == 2
    with pytest.raises(ValueError, match=r"other settings \(seed\)"):
        quickly(tmp_path, variants=["unit"], keep_cells=True, seed=1)


def test_the_digest_of_the_code_depends_on_every_file(tmp_path):
    root = tmp_path / "package"
    (root / "inner").mkdir(parents=True)
    (root / "a.py").write_text("one", encoding="utf-8")
    (root / "inner" / "b.py").write_text("two", encoding="utf-8")
    before = code_digest(root)
    assert code_digest(root) == before
    (root / "inner" / "b.py").write_text("two!", encoding="utf-8")
    changed = code_digest(root)
    (root / "inner" / "b.py").rename(root / "inner" / "c.py")
    assert len({before, changed, code_digest(root)}) == 3


def test_the_digest_of_the_code_covers_the_whole_package():
    root = Path(tm.__file__).resolve().parent
    assert root == PACKAGE
    assert code_digest() == code_digest(root)


@pytest.mark.parametrize("text", ["", '{"dataset": "fe', "[]", '{"dataset": "few"}', "\udcff"])
def test_a_damaged_cell_is_named(tmp_path, text):
    quickly(tmp_path, variants=["unit"])
    file = tmp_path / "cells" / "few-unit-001.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=r"few-unit-001\.json is damaged .* Remove it"):
        quickly(tmp_path, variants=["unit"])
    file.unlink()
    assert len(quickly(tmp_path, variants=["unit"])) == 16


def test_effort_is_summed_over_runs(tmp_path):
    quickly(tmp_path, variants=["unit"])
    quickly(tmp_path, variants=["unit"])  # nothing to do, so no run
    quickly(tmp_path, variants=["unit", "L2"])
    effort = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["effort"]
    assert len(effort["runs"]) == 2
    for name in ("wall_seconds", "cpu_seconds"):
        assert effort[name] == pytest.approx(sum(run[name] for run in effort["runs"]))


def test_a_failed_cell_is_reported_and_the_others_are_kept(tmp_path, monkeypatch):
    def fail_once(data, distances, fold, variant, plan, seed):
        if (fold, variant) == (1, "G3"):
            raise RuntimeError("no luck")
        return run_cell(data, distances, fold, variant, plan, seed)

    with monkeypatch.context() as patch:
        patch.setattr(schedule, "run_cell", fail_once)
        with pytest.raises(RuntimeError, match="1 of 6 cells failed, first G3 in fold 1 of few"):
            quickly(tmp_path)
    # A variant without all folds has no mean yet.
    assert {line["variant"] for line in read_csv(tmp_path)} == {"unit", "L2"}
    assert {row["variant"] for row in quickly(tmp_path)} == set(FAST)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variants": ["G4"]}, "'variants' parameter of run_ablation must be .*'G3'"),
        ({"variants": []}, "'variants' parameter"),
        ({"data": []}, "at least one data set"),
        ({"data": [few(), few()]}, "Two data sets have the name 'few'"),
        ({"data": [make_strings(24, random_state=0)]}, "bunches whose 'name' is a str"),
        ({"data": [few(name="a/b")]}, "valid as the name of a file"),
        ({"folds": 1}, "'folds' parameter"),
        ({"folds": "3"}, "'folds' parameter"),
        ({"seed": -1}, "'seed' parameter"),
        ({"folds": 13}, "smallest class of few has 12 trees"),
        ({"folds": {"other": 2}}, "'folds' parameter .*few"),
        ({"n_jobs": 0}, "'n_jobs' parameter"),
        ({"classes": "good|bad"}, "'classes' parameter of run_ablation must be None or a pattern"),
        ({"data": ["no such folder"]}, "not a folder"),
    ],
)
def test_bad_input_is_refused_before_any_work(tmp_path, options, message):
    with pytest.raises((ValueError, OSError), match=message):
        quickly(tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_data_without_two_classes_are_refused(tmp_path):
    one, none = few(), few()
    one.target, none.target = np.zeros(24, dtype=np.int64), None
    with pytest.raises(ValueError, match="few must have at least two classes"):
        quickly(tmp_path, [one])
    with pytest.raises(ValueError, match="trees of few have no classes"):
        quickly(tmp_path, [none])


def test_folders_and_files_are_data_sets(tmp_path):
    strings = few()
    folder = tmp_path / "lines"
    folder.mkdir()
    strings.data.to_jsonl(folder / "trees.jsonl")
    strings.data.to_jsonl(tmp_path / "file.jsonl")
    for k, tree in enumerate(strings.data):
        nodes, adj = tree.to_adjacency()
        place = tmp_path / "files" / strings.data.classes[k]
        place.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"nodes": list(nodes), "adj": [list(a) for a in adj]})
        (place / f"{k:02}.json").write_text(text, encoding="utf-8")
    sources = [folder, tmp_path / "file.jsonl", tmp_path / "files"]
    found = [load(source, 0) for source in sources]
    assert [name for name, _ in found] == ["lines", "file", "files"]
    assert all(len(bunch.data) == 24 and len(set(bunch.target)) == 2 for _, bunch in found)


def write_json(folder, names):
    folder.mkdir()
    for name in names:
        text = json.dumps({"nodes": ["a", name[-1]], "adj": [[1], []]})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return folder


def test_classes_of_json_files_by_published_and_by_other_names(tmp_path):
    palindromes = write_json(tmp_path / "one", ["ImplAAA", "ImplAAA1", "ImplBAB", "ImplBAB5"])
    sorting = write_json(tmp_path / "two", ["BubbleAlgolist", "InsertionAsci", "InsertionSharma"])
    other = write_json(tmp_path / "three", ["x1good", "x2bad", "x3bad"])
    assert load(palindromes, 0)[1].target_names == ["AAA", "BAB"]
    assert load(sorting, 0)[1].target.tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match=r"x1good.* no underscore .* --classes REGEX"):
        load(other, 0)
    assert load(other, 0, re.compile("good|bad"))[1].target_names == ["bad", "good"]
    with pytest.raises(ValueError, match="finds no class in its name"):
        load(other, 0, re.compile("good"))


def test_the_command_takes_a_pattern_of_classes(tmp_path, capsys):
    names = [f"x{number}{label}" for number in range(6) for label in ("good", "bad")]
    data, out = write_json(tmp_path / "mine", names), tmp_path / "out"
    arguments = ["reproduce", "ablation", "--data", data, "--no-strings", "-o", out, "--quick"]
    arguments += ["--variants", "unit", "--jobs", "1", "--no-progress"]
    assert main([*map(str, arguments), "--classes", "("]) == 2
    assert "--classes must be a regular expression. Got '('" in capsys.readouterr().err
    assert main([*map(str, arguments), "--classes", "good|bad"]) == 0
    assert {line["dataset"] for line in read_csv(out)} == {"mine"}


def test_folds_are_those_of_the_source():
    names = ("strings", "MiniPalindrome", "sorting", "cystic", "leukemia", "another")
    assert [folds_of(name, None, quick=False) for name in names] == [20, 6, 8, 10, 10, 10]
    assert folds_of("sorting", {"sorting": 4}, quick=False) == 4
    assert folds_of("cystic", {"sorting": 4}, quick=False) == 10


def test_long_cells_come_first():
    data = [data_set(few(12)), check_data("many", few(40), 2, 2)]
    cells = [(one.name, 0, variant) for one in data for variant in ("unit", "G1", "L2")]
    order = schedule.ordered(cells, data)
    assert [cell[0] for cell in order] == ["many"] * 3 + ["few"] * 3
    assert order[2][2] == "unit"


def test_progress_is_reported_with_and_without_tqdm(tmp_path, capsys, monkeypatch):
    quickly(tmp_path / "bar", variants=["unit"], progress=True)
    printed = capsys.readouterr().err
    assert "2 of 2 cells" in printed
    assert "TqdmWarning" not in printed
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    quickly(tmp_path / "lines", variants=["unit"], progress=True)
    assert "2 of 2 cells, 100%, about 0 s left" in capsys.readouterr().err
    quickly(tmp_path / "lines", variants=["unit"], progress=True)
    assert capsys.readouterr().err == ""


def test_the_command_runs_the_ablation(tmp_path, capsys):
    data = tmp_path / "few"
    data.mkdir()
    few().data.to_jsonl(data / "trees.jsonl")
    out = tmp_path / "out"
    arguments = ["reproduce", "ablation", "--data", data, "--no-strings", "-o", out, "--quick"]
    arguments += ["--variants", "unit", "L2", "--jobs", "1", "--no-progress", "--folds", "few=3"]
    assert main(list(map(str, arguments))) == 0
    printed = capsys.readouterr()
    assert "| few | median GLVQ |" in printed.out
    assert printed.out.startswith("**Quick run")
    assert printed.err == ""
    assert {line["fold"] for line in read_csv(out)} == {"0", "1", "2"}
    assert main([*map(str, arguments), "--seed", "1"]) == 2
    assert "other settings (seed" in capsys.readouterr().err


@pytest.mark.parametrize("folds", ["few", "few=", "=3", "few=x"])
def test_the_command_refuses_folds_that_are_not_numbers(tmp_path, capsys, folds):
    arguments = ["reproduce", "ablation", "-o", str(tmp_path / "out"), "--quick", "--folds", folds]
    assert main(arguments) == 2
    assert "--folds must be a number" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
