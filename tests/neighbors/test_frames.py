"""Results of searches as data frames, with the ids of trees."""

import sys

import numpy as np
import pytest

import treemetric as tm

WORDS = ("abc", "abd", "xyz", "abc", "xy")
TREES = tm.TreeSet([tm.Tree.from_sequence(word) for word in WORDS], ids=list("ABCDE"))
ASYMMETRIC = tm.OperationCosts(delete=1, insert=2, replace=1.5)


@pytest.fixture(autouse=True)
def _pandas():
    pytest.importorskip("pandas", reason="needs the extra 'pandas'")


def rows(frame):
    return [tuple(row) for row in frame.itertuples(index=False)]


def expected(found):
    """All pairs of a result, row by row."""
    for i in range(len(found)):
        for j, d in zip(*found[i], strict=True):
            yield i, int(j), float(d)


@pytest.mark.parametrize(
    "found",
    [tm.within(TREES, radius=2), tm.nearest(TREES, k=2), tm.TreeIndex(TREES).nearest(k=3)],
    ids=["within", "nearest", "index"],
)
def test_a_frame_has_the_pairs_and_ids(found):
    frame = found.to_frame()
    assert list(frame) == ["source", "target", "distance", "source_id", "target_id"]
    names = [(i, j, d, TREES.ids[i], TREES.ids[j]) for i, j, d in expected(found)]
    assert rows(frame) == names
    pairs = {(min(i, j), max(i, j)) for i, j, _ in expected(found)}
    once = found.to_frame(once=True)
    assert sorted(zip(once["source"], once["target"], strict=True)) == sorted(pairs)
    key = list(zip(once["source"], once["distance"], once["target"], strict=True))
    assert key == sorted(key)


def test_once_keeps_the_distance_from_source_to_target():
    found = tm.within(TREES, radius=6, costs=ASYMMETRIC)
    frame = found.to_frame(once=True)
    matrix = tm.pairwise_distances(TREES, costs=ASYMMETRIC)
    assert not (matrix == matrix.T).all()
    assert rows(frame[["source", "target", "distance"]]) == sorted(
        ((i, j, matrix[i, j]) for i in range(5) for j in range(i + 1, 5)),
        key=lambda row: (row[0], row[2], row[1]),
    )


def test_ids_belong_to_their_sides():
    frame = tm.nearest(list(TREES), TREES, k=1).to_frame()
    assert list(frame) == ["source", "target", "distance", "target_id"]
    assert list(frame["target_id"]) == ["A", "B", "C", "A", "E"]
    frame = tm.within(TREES[:2], list(TREES), radius=0).to_frame()
    assert rows(frame) == [(0, 0, 0.0, "A"), (0, 3, 0.0, "A"), (1, 1, 0.0, "B")]
    assert list(tm.within(list(TREES), radius=0).to_frame()) == ["source", "target", "distance"]


def test_once_is_for_one_set():
    with pytest.raises(ValueError, match="'once' parameter of to_frame must be False for two sets"):
        tm.nearest(TREES, TREES, k=1).to_frame(once=True)
    with pytest.raises(TypeError, match="'once' parameter of to_frame must be an instance of"):
        tm.nearest(TREES, k=1).to_frame(once=1)


def test_rows_of_nearest_trees():
    found = tm.nearest(TREES, k=2)
    assert len(found) == 5
    indices, distances = found[-1]
    assert indices.tolist() == found.indices[4].tolist()
    assert distances.tolist() == found.distances[4].tolist()
    with pytest.raises(IndexError):
        found[5]
    assert len(list(found)) == 5


def test_pandas_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'needs pandas: pip install "treemetric\[pandas\]"'):
        tm.nearest(TREES, k=1).to_frame()


def test_results_have_ids():
    found = tm.nearest(TREES, tm.TreeSet(TREES[:3]), k=1)
    assert found.query_ids == TREES.ids
    assert found.ids is None
    assert tm.within(TREES, radius=1).ids == TREES.ids


def test_matches_of_find_have_the_ids_of_their_trees():
    pytest.importorskip("pandas")
    trees = tm.TreeSet([tm.Tree.from_sequence(s) for s in ("xy", "ab", "b")], ids=["p", "q", "r"])
    frame = tm.find(tm.Tree.from_sequence("b"), trees, radius=0).to_frame()
    assert list(frame) == ["tree", "node", "size", "distance", "tree_id"]
    assert frame["tree_id"].tolist() == ["q", "r"]
    for plain in (list(trees), trees[0]):
        found = tm.find(tm.Tree.from_sequence("b"), plain, radius=0).to_frame()
        assert list(found) == ["tree", "node", "size", "distance"]


def test_wrong_positions_are_named():
    trees = [tm.Tree.from_sequence(s) for s in ("a", "ab", "abc")]
    near = tm.nearest(trees, k=1)
    close, found = tm.within(trees, radius=1), tm.find(trees[0], trees, k=3)
    for result, what in ((near, "a row"), (close, "a row"), (found, "a match")):
        for wrong in (99, -4):
            message = (
                rf"position of {what} must be in the range \[-3, 2\]: the result has 3; got {wrong}"
            )
            with pytest.raises(IndexError, match=message):
                result[wrong]
        with pytest.raises(TypeError, match=f"position of {what} must be an int; got 'x'"):
            result["x"]
    for result in (near, close):
        assert [part.tolist() for part in result[-1]] == [part.tolist() for part in result[2]]
        assert [part.tolist() for part in result[np.int64(0)]] == [[1], [1.0]]
    assert near[1:][0].tolist() == near.indices[1:].tolist()
    with pytest.raises(IndexError, match="does not exist: the result has 0; got 0"):
        tm.within([], radius=1)[0]


def test_one_tree_is_no_plural():
    tree = [tm.Tree.from_sequence("a")]
    assert "1 neighbour of 1 tree, " in repr(tm.within(tree, tree, radius=0))
    assert "1 neighbour of 1 tree, " in repr(tm.nearest(tree, tree, k=1))
