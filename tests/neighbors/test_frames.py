"""Results of searches as data frames, with the ids of trees."""

import sys

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
