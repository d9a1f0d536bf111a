"""Published distances and distance matrices, where the data sets are at hand.

The data sets are not part of the project. They are looked for in the folder named by
TREEMETRIC_DATA, or in ``shared/data`` beside the project folder.
"""

import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import treemetric as tm

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TREEMETRIC_DATA", ROOT.parent / "shared" / "data"))


def need(*names):
    """The path of a file of the data sets; skip the test if it is not there."""
    path = DATA.joinpath(*names)
    if not path.is_file():
        pytest.skip(f"no data set {'/'.join(names)}; see TREEMETRIC_DATA")
    return path


def records(*names):
    with need(*names).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_the_published_pairs_have_their_distances():
    pairs = records("ted_reference", "pairs.jsonl")
    assert len(pairs) == 67
    wrong = []
    for pair in pairs:
        x, y = (tm.Tree.from_adjacency(pair[t]["nodes"], pair[t]["adj"]) for t in ("t1", "t2"))
        for a, b in ((x, y), (y, x)):
            if tm.distance(a, b) != pair["d"]:
                wrong.append(pair["id"])
    assert wrong == []


def test_the_published_pairs_in_brackets_are_the_same_trees():
    for pair in records("ted_reference", "pairs.jsonl"):
        for bracket, nodes in (("bracket1", "t1"), ("bracket2", "t2")):
            tree = tm.Tree.from_adjacency(pair[nodes]["nodes"], pair[nodes]["adj"])
            assert tm.Tree.from_bracket(pair[bracket]) == tree


def test_the_published_pairs_as_one_matrix():
    pairs = records("ted_reference", "pairs.jsonl")
    first, second = (
        [tm.Tree.from_bracket(pair[key]) for pair in pairs if pair["d"] < 200]
        for key in ("bracket1", "bracket2")
    )
    got = tm.pairwise_distances(first, second, n_jobs=-1)
    assert np.diag(got).tolist() == [pair["d"] for pair in pairs if pair["d"] < 200]


@pytest.mark.parametrize(
    ("name", "size", "alphabet"),
    [
        ("cystic", 160, 29),
        ("leukemia", 442, 57),
        ("sorting", 64, 24),
        ("minipalindrome", 48, 27),
    ],
)
def test_the_distance_matrix_of_a_data_set(name, size, alphabet):
    path = need(name, "trees.jsonl")
    with np.load(need(name, "ted_unit_edist.npz")) as stored:
        expected, ids = stored["D"], stored["ids"].tolist()
    trees = tm.TreeSet.from_jsonl(path)
    assert len(trees) == size
    assert len(trees.alphabet) == alphabet
    assert [str(name) for name in trees.ids] == ids
    got = tm.pairwise_distances(trees, n_jobs=-1)
    assert np.array_equal(got, expected)
    costs = tm.CostMatrix(trees.alphabet, 1 - np.eye(alphabet + 1))
    part = trees[:: max(1, size // 40)]
    again = tm.pairwise_distances(part, costs=costs, n_jobs=-1)
    assert np.array_equal(again, tm.pairwise_distances(part))


@pytest.mark.parametrize("name", ["sst", "glycan_immunogenicity"])
def test_a_large_file_survives_the_round_trip(tmp_path, name):
    trees = tm.TreeSet.from_jsonl(need(name, "trees.jsonl"))
    trees.to_jsonl(tmp_path / "copy.jsonl")
    back = tm.TreeSet.from_jsonl(tmp_path / "copy.jsonl")
    assert len(back) > 1000
    assert back == trees
    assert back.ids == trees.ids
    assert back.classes == trees.classes


def levenshtein(a, b):
    """Edit distance of two sequences, row by row."""
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
        above = row
    return above[-1]


@cache
def table_cell_cost(a, b):
    """One, or for cells of equal span the edit distance of the texts per length."""
    if a is None or b is None or a[:3] != b[:3]:
        return 1.0
    longest = max(len(a[3]), len(b[3]))
    return levenshtein(a[3], b[3]) / longest if longest else 0.0


def table_tree(table):
    labels = [
        (
            node["tag"],
            node.get("colspan"),
            node.get("rowspan"),
            tuple(node.get("content", ())),
        )
        for node in table["nodes"]
    ]
    return tm.Tree.from_adjacency(labels, table["adj"])


def test_the_published_scores_of_table_recognition():
    # Costs between 0 and 1 that depend on the text of the cells.
    for pair in records("teds_pubtabnet", "pairs.jsonl"):
        x, y = table_tree(pair["pred"]), table_tree(pair["gt"])
        d = tm.distance(x, y, costs=tm.CallableCosts(table_cell_cost))
        assert d == pytest.approx(pair["ted_recomputed"], abs=1e-9)
        size = max(pair["pred"]["n_elements"], pair["gt"]["n_elements"])
        assert 1 - d / size == pytest.approx(pair["teds_reference"], abs=1e-9)
