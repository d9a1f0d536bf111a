"""Similar subtrees inside large trees, against the distances to all subtrees."""

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemetric as tm
from children import run_script
from strategies import cost_cases, trees

VECTORS = tm.VectorCosts("abc", np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.5]]))
KINDS = {
    "unit": None,
    "operations": tm.OperationCosts(delete=1, insert=0.5, replace=1.2),
    "free insertions": tm.OperationCosts(delete=1, insert=0, replace=1),
    "vectors": VECTORS,
    "function": lambda a, b: 0.0 if a == b else (2.0 if b is None else 1.0),
}


def slowly(query, documents, costs=None):
    """All subtrees, by distance, tree and node."""
    rows = [
        (tm.distance(query, below, costs=costs), i, node, below.size)
        for i, tree in enumerate(documents)
        for node in range(tree.size)
        for below in [tree.subtree(node)]
    ]
    return [(i, node, size, distance) for distance, i, node, size in sorted(rows)]


def without_overlap(rows):
    taken = []
    for tree, node, size, distance in rows:
        mine = set(range(node, node + size))
        if not any(t == tree and mine & set(range(n, n + s)) for t, n, s, _ in taken):
            taken.append((tree, node, size, distance))
    return taken


@given(
    trees(max_size=6),
    st.lists(trees(max_size=25), max_size=3),
    st.sampled_from(sorted(KINDS)),
    st.data(),
)
def test_matches_are_those_of_all_distances(query, documents, kind, data):
    costs = KINDS[kind]
    expected = slowly(query, documents, costs)
    total = len(expected)
    options = {"costs": costs, "n_jobs": data.draw(st.sampled_from([None, 2]))}
    if total:
        k = data.draw(st.integers(1, total))
        assert list(tm.find(query, documents, k=k, **options)) == expected[:k]
        apart = without_overlap(expected)[:k]
        assert list(tm.find(query, documents, k=k, overlap=False, **options)) == apart
    met = data.draw(st.sampled_from([row[3] for row in expected] or [0.5]))
    for radius in (met, np.nextafter(met, -1).clip(0), np.nextafter(met, 9), np.inf):
        within = [row for row in expected if row[3] <= radius]
        assert list(tm.find(query, documents, radius=radius, **options)) == within
        assert list(tm.find(query, documents, radius=radius, k=3, **options)) == within[:3]
        found = tm.find(query, documents, radius=radius, overlap=False, **options)
        assert list(found) == without_overlap(within)


@given(trees(min_size=1, max_size=5, forests=False), trees(max_size=20), cost_cases())
def test_matrices_have_the_distances_of_subtrees(query, tree, case):
    found = tm.find(query, tree, radius=np.inf, costs=case.costs)
    expected = tm.subtree_distances(query, tree, costs=case.costs)[0]
    assert np.array_equal(found.distances, np.sort(expected))
    assert np.array_equal(expected[found.nodes], found.distances)


@settings(max_examples=20)
@given(trees(max_size=6), st.lists(trees(max_size=12), min_size=1, max_size=3))
def test_trees_sets_and_lists_are_searched_alike(query, documents):
    of_list = tm.find(query, documents, radius=np.inf)
    assert list(tm.find(query, tm.TreeSet(documents), radius=np.inf)) == list(of_list)
    assert list(tm.find(query, documents[0], radius=np.inf)) == [m for m in of_list if m.tree == 0]


def test_results_are_values():
    page = tm.Tree.from_bracket("{ul{li{b}}{li{a{b}}}{li{a}}}")
    found = tm.find(tm.Tree.from_bracket("{li{a}}"), page, k=3)
    assert repr(found) == "<FindResult: 3 matches at 0 to 1, 12.5% of distances avoided>"
    assert [found.subtree(i).size for i in range(3)] == found.sizes.tolist()
    assert found.subtree(-1) == page.subtree(found[-1].node)
    assert found[1:] == [found[1], found[2]]
    assert list(pickle.loads(pickle.dumps(found))) == list(found)
    with pytest.raises(IndexError):
        found[3]
    with pytest.raises(ValueError, match="read-only"):
        found.nodes[0] = 1
    with pytest.raises(TypeError, match="made by find"):
        tm.FindResult()
    frame = pytest.importorskip("pandas") and found.to_frame()
    assert list(frame.columns) == list(tm.Match._fields)
    assert frame["node"].tolist() == found.nodes.tolist()
    assert len(tm.find(page, [])) == 0
    assert (
        repr(tm.find(page, [], radius=1)) == "<FindResult: no matches, 0.0% of distances avoided>"
    )


def test_the_empty_query_is_inserted_around():
    tree = tm.Tree.from_bracket("{a{b}{c{d}}}")
    found = tm.find(tm.Tree.from_bracket(""), tree, k=4)
    assert found.distances.tolist() == [1, 1, 2, 4]


def test_without_numbers_there_are_five():
    tree = tm.Tree.from_sequence("abcdefgh")
    assert len(tm.find(tree, tree)) == 5
    assert len(tm.find(tree, tm.Tree.from_sequence("ab"))) == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 4}, ValueError, r"'k' parameter of find must be None or an int .* \[1, 3\]. Got 4"),
        ({"k": 0}, ValueError, "'k' parameter of find"),
        ({"k": 1.0}, ValueError, "'k' parameter of find"),
        ({"radius": -1}, ValueError, "'radius' parameter of find must be None or a float"),
        ({"radius": float("nan")}, ValueError, "'radius' parameter of find"),
        ({"overlap": 1}, TypeError, "'overlap' parameter of find"),
        ({"n_jobs": 0}, ValueError, "'n_jobs' parameter of find"),
        ({"costs": "unit"}, TypeError, "'costs' parameter of find"),
        ({"trees": "{a}"}, TypeError, "'trees' parameter of find"),
        ({"query": ["a"]}, TypeError, "'query' parameter of find"),
        ({"trees": [], "k": 1}, ValueError, "'trees' parameter of find .* Got 0 nodes"),
    ],
)
def test_wrong_arguments(options, error, message):
    tree = tm.Tree.from_sequence("abc")
    with pytest.raises(error, match=message):
        tm.find(**{"query": tree, "trees": tree, **options})


def test_a_number_above_all_subtrees_is_no_limit_with_a_radius():
    tree = tm.Tree.from_sequence("abc")
    assert len(tm.find(tree, tree, k=10**6, radius=1)) == 2


def test_deep_trees():
    chain = tm.Tree.from_sequence("ab" * 50_000)
    found = tm.find(tm.Tree.from_sequence("abab"), chain, k=3, n_jobs=2)
    assert found.nodes.tolist()[0] == 99_996
    assert found.distances.tolist() == [0, 1, 1]


def test_progress_and_cancellation():
    tree = tm.Tree.from_bracket("{r" + "{a{b}{c}}" * 30_000 + "}")
    query = tm.Tree.from_bracket("{a{b}{d}{e}}")
    seen = []
    tm.find(query, tree, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (tree.size, tree.size)
    with pytest.raises(tm.exceptions.CancelledError):
        tm.find(query, tree, progress=lambda done, total: False)


MEMORY = """
import ctypes, resource
import numpy as np
import treemetric as tm

# Large blocks that are freed go back to the system, and are not there for what is measured.
ctypes.CDLL(None).mallopt(-3, 1 << 16)

def fits(call, extra):
    for line in open("/proc/self/status"):
        if line.startswith("VmSize"):
            used = int(line.split()[1]) * 1024
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, -1))
    try:
        call()
        return True
    except MemoryError:
        return False
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))

def document(count):
    part = np.array([-1, 0, 1, 0, 3, 3, 0], dtype=np.int32)
    parents = (part + 1 + 7 * np.arange(count)[:, None]).astype(np.int32)
    parents[:, 0] = 0
    codes = np.tile(np.array([1, 2, 3, 2, 1, 3, 0], dtype=np.int32), count)
    codes[np.random.default_rng(0).integers(0, 7 * count, count)] = 4
    sizes = np.array([0, 7 * count + 1])
    arrays = np.append(0, codes), np.append(-1, parents.ravel())
    return tm.TreeSet.from_arrays("rabcd", *arrays, sizes)[0]

query = tm.Tree.from_bracket("{a{b{c}}{b{a}{d}}{r}}")
tm.find(query, document(20_000), k=5)  # starts the thread
tree = document(300_000)
extra = 4 << 20
array = fits(lambda: np.ones(tree.size, np.int32), extra)
print(tree.size, array, fits(lambda: tm.find(query, tree, k=5), extra))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems are not known")
def test_memory_does_not_grow_with_the_tree():
    """An array of 4 bytes a node does not fit; the search does."""
    size, copy, found = run_script(MEMORY).split()
    assert int(size) > 2_000_000
    assert (copy, found) == ("False", "True")
