"""Groups of near-duplicates, against a union-find and a greedy cover on all distances."""

import pickle
import sys
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemetric as tm
from children import run_script
from duplicates_reference import SLOWLY
from shapes import make_tree
from strategies import cost_cases, tree_lists
from treemetric.neighbors.equal import distinct_trees

RNG = Random(7)
SOME = tm.TreeSet([make_tree(RNG, RNG.randint(0, 8), "random", "ab") for _ in range(150)])
METHODS = ("components", "cover")


def check(X, radius, **options):
    matrix = tm.pairwise_distances(X, **options)
    near = matrix <= radius
    for method in METHODS:
        found = tm.deduplicate(X, radius=radius, method=method, **options)
        expected = SLOWLY[method](near, matrix)
        assert found.representatives[found.labels].tolist() == expected
        groups = {}
        for i, representative in enumerate(expected):
            groups.setdefault(representative, []).append(i)
        ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0]))
        assert [group.tolist() for group in found.groups] == ordered
        assert found.sizes.tolist() == [len(group) for group in ordered]
        assert found.kept.tolist() == sorted(groups)
        assert len(found) == len(ordered)
        distances = [0 if i == r else matrix[i, r] for i, r in enumerate(expected)]
        assert found.distances.tolist() == distances
        if method == "cover":
            assert max(distances, default=0) <= radius


SETS = tree_lists(max_size=14, nodes=4, labels="ab")


@given(SETS, st.sampled_from([0, 0.5, 1, 2, 3, np.inf]))
def test_unit_costs(X, radius):
    check(X, radius)


# Sums of these costs are exact, so that ties are ties.
EXACT = cost_cases(alphabet="ab", scales=(1, 8))


@given(SETS, EXACT, st.integers(0, 20))
def test_any_matrix(X, case, radius):
    check(X, radius, costs=case.costs)


@given(SETS)
def test_bands_and_small_steps(X):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treemetric.neighbors.join.BAND", 2)
        patch.setattr("treemetric.neighbors.graph._ENOUGH", 1)
        check(X, 1)


@pytest.mark.parametrize("radius", [0, 1, 2])
def test_many_trees(radius):
    check(SOME, radius)
    check(SOME, radius / 8, norm="max")


@settings(max_examples=40)
@given(tree_lists(max_size=30, nodes=4))
def test_equal_trees_are_found(X):
    trees = tm.TreeSet(X)
    first, number = distinct_trees(trees)
    assert [X.index(tree) for tree in X] == first[number].tolist()
    assert first.tolist() == sorted(first)


@pytest.mark.parametrize("method", METHODS)
def test_threads_do_not_show(method):
    one, two = (
        tm.deduplicate(SOME, radius=2, method=method, n_jobs=n, costs=tm.OperationCosts(1, 1, 0.7))
        for n in (1, 2)
    )
    for name in ("labels", "representatives", "sizes", "distances"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()


def test_equal_trees_are_compared_once(monkeypatch):
    monkeypatch.setattr("treemetric.neighbors.join.BAND", 100)
    calls = []
    found = tm.deduplicate(
        [tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("cd")] * 500,
        radius=1,
        progress=lambda *call: calls.append(call),
    )
    assert found.sizes.tolist() == [500, 500]
    assert calls[-1] == (4, 4)


def test_the_chain_and_the_cover():
    chain = [tm.Tree.from_sequence("a" * n) for n in range(1, 8)]
    found = tm.deduplicate(chain, radius=1)
    assert found.sizes.tolist() == [7]
    assert found.representatives.tolist() == [1]
    found = tm.deduplicate(chain, radius=1, method="cover")
    assert [group.tolist() for group in found.groups] == [[0, 1, 2], [3, 4, 5], [6]]
    assert found.representatives.tolist() == [1, 4, 6]


def test_equal_trees_that_are_far_apart():
    costs = tm.CostMatrix("a", [[3, 1], [1, 0]])
    trees = [tm.Tree.from_sequence("a")] * 3
    assert tm.pairwise_distances(trees, costs=costs)[0, 1] == 2
    for method in METHODS:
        assert len(tm.deduplicate(trees, radius=1, costs=costs, method=method)) == 3
        found = tm.deduplicate(trees, radius=2, costs=costs, method=method)
        assert found.distances.tolist() == [0, 2, 2]


def test_no_trees():
    for method in METHODS:
        found = tm.deduplicate([], radius=1, method=method)
        assert len(found) == 0
        assert found.groups == []
        assert found.labels.shape == found.kept.shape == (0,)
        assert repr(found) == "<Duplicates: 0 trees in 0 groups, 0 of them with duplicates>"


def test_a_frame_lists_groups():
    pytest.importorskip("pandas", reason="needs the extra 'pandas'")
    words = ("abcd", "xyz", "abce", "abcd", "q", "xyz")
    trees = tm.TreeSet([tm.Tree.from_sequence(word) for word in words], ids=list("ABCDEF"))
    frame = tm.deduplicate(trees, radius=1).to_frame(min_size=2)
    assert [tuple(row) for row in frame.itertuples(index=False)] == [
        (0, 3, 0, 0.0, 0, "A", "A"),
        (0, 3, 3, 0.0, 0, "D", "A"),
        (0, 3, 2, 1.0, 0, "C", "A"),
        (1, 2, 1, 0.0, 1, "B", "B"),
        (1, 2, 5, 0.0, 1, "F", "B"),
    ]
    everything = tm.deduplicate(list(trees), radius=1).to_frame()
    assert list(everything) == ["group", "size", "tree", "distance", "representative"]
    assert len(everything) == 6


def test_a_result_is_a_value():
    found = tm.deduplicate(SOME, radius=1)
    with pytest.raises(AttributeError):
        found.labels = None
    with pytest.raises(ValueError, match="read-only"):
        found.labels[0] = 3
    with pytest.raises(TypeError, match="are made by deduplicate"):
        tm.Duplicates()
    copy = pickle.loads(pickle.dumps(found))
    assert repr(copy) == repr(found)
    assert copy.labels.tolist() == found.labels.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": -1}, "'radius' parameter of deduplicate"),
        ({"radius": None}, "'radius' parameter of deduplicate"),
        ({"radius": 1, "method": "stars"}, "'method' .* must be 'components' or 'cover'"),
        ({"radius": 1, "method": ["cover"]}, "'method' .* must be 'components' or 'cover'"),
        ({"radius": 1, "n_jobs": 0}, "'n_jobs' parameter of deduplicate"),
    ],
)
def test_arguments_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        tm.deduplicate(SOME, **options)


def test_progress_may_stop():
    with pytest.raises(tm.exceptions.CancelledError):
        tm.deduplicate(SOME, radius=1, progress=lambda done, total: False)


MANY = """
import resource
import treemetric as tm

# 4,000 words within two edits of each other: 16 million pairs, which take 384 MB as arrays.
words = [tm.Tree.from_sequence((i % 50, i // 50)) for i in range(4000)]
tm.deduplicate(words[:9], radius=2)
for line in open("/proc/self/status"):
    if line.startswith("VmSize"):
        used = int(line.split()[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (used + (340 << 20), -1))
# And 10^10 pairs of equal trees.
print(len(tm.deduplicate(words + [words[0]] * 100_000, radius=2)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems are not known")
def test_pairs_need_no_memory():
    assert int(run_script(MANY)) == 1
