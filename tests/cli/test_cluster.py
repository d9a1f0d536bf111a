"""The command ``treemetric cluster``."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering

import treemetric as tm
from treemetric.cli import main
from treemetric.clustering import medoids
from treemetric.datasets import make_random_trees

LINES = ("{a{b}{c}}", "{a{b}{d}}", "{x{y{z}}}", "{x{y{w}}}", "{p{q}{r{s{t{u}}}}}")


@pytest.fixture
def trees(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trees.txt").write_text("\n".join(LINES), encoding="utf-8")
    return "trees.txt"


def test_clusters_are_printed_with_their_medoids(capsys, trees):
    assert main(["cluster", trees, "--threshold", "0.2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        *("2 similar, of 3 nodes", "  0", "  1  0.17", ""),
        *("2 similar, of 3 nodes", "  2", "  3  0.17", ""),
        "4 of 5 trees are in 2 clusters of two or more",
    ]


def test_functions_have_file_and_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = "\n    for value in values:\n        {0} += value * value\n    return {0}\n\n"
    source = "".join(f"def {name}(values, {name}_):" + body.format(name) for name in "fgh")
    (tmp_path / "a.py").write_text(source, encoding="utf-8")
    assert main(["cluster", "a.py", "--min-nodes", "10"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "3 similar, of 16 nodes"
    assert out[1].split() == ["a.py:1", "f"]
    assert out[-1] == "3 of 3 functions are in 1 cluster of two or more"
    # Without names the functions are equal.
    assert main(["cluster", "a.py", "--min-nodes", "10", "--no-values", "-t", "0"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:4]]
    assert lines == [["a.py:1", "f"], ["a.py:6", "g"], ["a.py:11", "h"]]


@pytest.mark.parametrize("cut", [["-t", "0.3"], ["-k", "4"], ["--norm", "none", "-t", "9"]])
def test_clusters_are_those_of_scikit_learn(capsys, tmp_path, cut):
    trees = make_random_trees(40, n_nodes=(3, 15), random_state=0).data
    trees.to_bracket(tmp_path / "trees.txt")
    assert main(["cluster", str(tmp_path / "trees.txt"), *cut, "--to", "csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    found = np.empty(40, dtype=int)
    for row in rows:
        found[int(row["name"])] = int(row["cluster"])
    D = tm.pairwise_distances(trees, norm=None if "none" in cut else "weight")
    number = {"n_clusters": 4} if "-k" in cut else {}
    limit = {} if number else {"n_clusters": None, "distance_threshold": float(cut[-1])}
    model = AgglomerativeClustering(metric="precomputed", linkage="average", **number, **limit)
    expected = model.fit_predict(D)
    same = found[:, None] == found
    assert np.array_equal(same, expected[:, None] == expected)
    chosen = medoids(D, found, metric="precomputed")
    firsts = {int(row["cluster"]): int(row["name"]) for row in reversed(rows)}
    for code, first in firsts.items():
        inside = found == code
        assert D[first, inside].sum() == pytest.approx(D[chosen[code], inside].sum())
    for row in rows:
        distance = D[int(row["name"]), firsts[int(row["cluster"])]]
        assert float(row["distance"]) == pytest.approx(distance)


def test_files_hold_all_clusters(capsys, trees):
    assert main(["cluster", trees, "-t", "0.2", "-o", "clusters.json"]) == 0
    assert capsys.readouterr().out.endswith("-> clusters.json\n")
    found = json.loads(Path("clusters.json").read_text(encoding="utf-8"))
    assert found["trees"] == 5
    assert [cluster["size"] for cluster in found["clusters"]] == [2, 2, 1]
    for lines, count in (("{a}\n", 1), ("", 0)):
        Path("few.txt").write_text(lines, encoding="utf-8")
        assert main(["cluster", "few.txt", "--to", "json"]) == 0
        assert len(json.loads(capsys.readouterr().out)["clusters"]) == count


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-t", "-1"], "--threshold must not be negative. Got -1.0."),
        (["-t", "nan"], "--threshold must not be negative. Got nan."),
        (["-k", "0"], "--clusters must be at least 1. Got 0."),
        (["--min-nodes", "-1"], "--min-nodes must not be negative. Got -1."),
    ],
)
def test_messages_name_options(capsys, trees, options, message):
    assert main(["cluster", trees, *options]) == 2
    assert capsys.readouterr().err == f"treemetric: error: {message}\n"
