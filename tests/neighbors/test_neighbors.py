"""Neighbours: what the matrix of all distances says, without the matrix."""

import os
import pickle
import re
import sys
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemetric as tm
from children import PROMPT, interrupt_script
from shapes import make_tree
from strategies import cost_cases, metric_cases, tree_lists


def rows_of(result):
    """Lists of (index, distance), whichever search made them."""
    if isinstance(result, tm.WithinResult):
        pairs = [result[i] for i in range(len(result))]
    else:
        pairs = list(zip(result.indices, result.distances, strict=True))
    return [list(zip(i.tolist(), d.tolist(), strict=True)) for i, d in pairs]


def slowly(X, Y, costs=None, *, k=None, radius=None):
    """All distances, sorted by value and position, and cut."""
    matrix = tm.pairwise_distances(X, Y, costs=costs)
    rows = []
    for i, row in enumerate(matrix.tolist()):
        near = sorted((d, j) for j, d in enumerate(row) if Y is not None or i != j)
        near = near[:k] if radius is None else [pair for pair in near if pair[0] <= radius]
        rows.append([(j, d) for d, j in near])
    return rows


# Small sets would never be searched with bounds by themselves.
METHODS = ("auto", "bounds", "batches", "scan", "index")


@pytest.fixture(params=METHODS)
def method(request, monkeypatch):
    monkeypatch.setattr("treemetric.neighbors.request._METHOD", request.param)
    return request.param


def check(X, Y, costs=None, *, n_pivots=None):
    """Compare all ways to search with all distances, inside X and from X to Y."""
    for method in METHODS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("treemetric.neighbors.request._METHOD", method)
            check_once(X, Y, costs, n_pivots)


def check_once(X, Y, costs, n_pivots):
    for other in (None, Y):
        matrix = tm.pairwise_distances(X, other, costs=costs)
        candidates = len(X) - 1 if other is None else len(Y)
        radii = {0.0, float("inf"), *np.unique(matrix)[:3].tolist(), float(np.median(matrix))}
        if n_pivots is None:
            nearest = lambda **kw: tm.nearest(X, other, costs=costs, **kw)  # noqa: B023, E731
            within = lambda **kw: tm.within(X, other, costs=costs, **kw)  # noqa: B023, E731
        else:
            index = tm.TreeIndex(X if other is None else Y, costs=costs, n_pivots=n_pivots)
            queries = None if other is None else X
            nearest = lambda **kw: index.nearest(queries, **kw)  # noqa: B023, E731
            within = lambda **kw: index.within(queries, **kw)  # noqa: B023, E731
        for k in {1, 2, candidates // 2, candidates}:
            if 1 <= k <= candidates:
                assert rows_of(nearest(k=k)) == slowly(X, other, costs, k=k)
        for radius in radii:
            found = within(radius=radius)
            assert rows_of(found) == slowly(X, other, costs, radius=radius)
            assert 0 <= found.avoided <= 1


SETS = tree_lists(min_size=1, max_size=7, nodes=8)


@given(SETS, SETS)
def test_unit_costs(X, Y):
    check(X, Y)


@given(SETS, SETS, cost_cases())
def test_any_matrix(X, Y, case):
    check(X, Y, case.costs)


@given(SETS, SETS, st.integers(0, 4))
def test_pivots_of_unit_costs(X, Y, n_pivots):
    check(X, Y, n_pivots=n_pivots)


@given(SETS, SETS, metric_cases, st.integers(1, 4))
def test_pivots_of_metrics(X, Y, case, n_pivots):
    if not case.costs.is_pseudo_metric():
        n_pivots = 0  # a root, where rounding is larger than the smallest cost
    check(X, Y, case.costs, n_pivots=n_pivots)


vectors = st.lists(
    st.tuples(*[st.floats(-2, 2, width=32).map(lambda v: round(v, 3))] * 2), min_size=3, max_size=3
)


@settings(max_examples=30)
@given(SETS, SETS, vectors, st.integers(0, 3))
def test_embeddings_with_pivots(X, Y, points, n_pivots):
    check(X, Y, tm.EmbeddingCosts("abc", points), n_pivots=n_pivots)


@settings(max_examples=30)
@given(
    SETS,
    SETS,
    vectors,
    st.sampled_from(["chord", "angle", "euclidean"]),
    st.sampled_from(["float32", "float64"]),
    st.integers(0, 3),
)
def test_vectors_with_pivots(X, Y, points, kind, dtype, n_pivots):
    costs = tm.VectorCosts("abc", np.array(points, dtype=dtype), kind=kind)
    check(X, Y, costs, n_pivots=n_pivots)


@settings(max_examples=30)
@given(SETS, SETS, vectors)
def test_cosine(X, Y, points):
    check(X, Y, tm.VectorCosts("ab", points[:2]))


@given(SETS, SETS)
def test_functions(X, Y):
    check(X, Y, tm.CallableCosts(lambda a, b: 0.25 * (a != b) + (a is None)))


# --- larger trees ------------------------------------------------------------------


def some_trees(seed, count, size=60):
    rng = Random(seed)
    return tm.TreeSet([make_tree(rng, rng.randint(0, size)) for _ in range(count)])


TREES = some_trees(0, 60)
QUERIES = some_trees(1, 15)
ROOTS = tm.CostMatrix("abc", np.sqrt(np.arange(16).reshape(4, 4) % 15))
EMBEDDED = tm.EmbeddingCosts("abc", np.random.RandomState(0).normal(size=(3, 2)))


@pytest.mark.parametrize("costs", [None, ROOTS, EMBEDDED], ids=["unit", "roots", "embedded"])
@pytest.mark.parametrize("Y", [None, TREES], ids=["inside", "between"])
def test_threads_and_pivots_do_not_show(method, costs, Y):
    X = TREES if Y is None else QUERIES
    matrix = tm.pairwise_distances(X, Y, costs=costs)
    radius = float(np.quantile(matrix, 0.1))
    expected = [slowly(X, Y, costs, k=5), slowly(X, Y, costs, radius=radius)]
    computed = set()
    for n_jobs in (1, 2, 3):
        near = tm.nearest(X, Y, costs=costs, n_jobs=n_jobs)
        inside = tm.within(X, Y, radius=radius, costs=costs, n_jobs=n_jobs)
        assert [rows_of(near), rows_of(inside)] == expected
        computed.add(near.computed)
        if method == "bounds":
            # Inside one set both trees of a pair may ask for its distance.
            assert near.computed < 0.8 * len(X) * (len(X) - 1 if Y is None else len(Y))
        if method != "batches":
            assert inside.avoided > 0.2
    assert len(computed) == 1
    for n_pivots in (0, 3, 100) if costs is not ROOTS else (0,):
        index = tm.TreeIndex(TREES, costs=costs, n_pivots=n_pivots)
        queries = None if Y is None else X
        assert rows_of(index.nearest(queries, n_jobs=2)) == expected[0]
        assert rows_of(index.within(queries, radius=radius)) == expected[1]


@pytest.mark.parametrize("inside", [False, True])
def test_many_trees_are_searched_level_by_level(inside, monkeypatch):
    """Copies, forests, the empty tree, and large trees whose neighbours are far."""
    rng = Random(3)
    some = [make_tree(rng, rng.randint(0, 14), alphabet="abcdef") for _ in range(900)]
    large = [make_tree(rng, rng.randint(60, 160), alphabet="abcdef") for _ in range(60)]
    Y = tm.TreeSet([*some, *large, *some[:100]])
    X = Y if inside else tm.TreeSet([*large[:8], *some_trees(4, 30, 20)])
    calls = []
    core = tm._core.Join

    class Spy:
        @staticmethod
        def nearest(*args):
            calls.append(args)
            return core.nearest(*args)

    for k in (1, 4):
        monkeypatch.setattr("treemetric.neighbors.request._METHOD", "bounds")
        expected = rows_of(tm.nearest(X, None if inside else Y, k=k))
        monkeypatch.setattr("treemetric.neighbors.request._METHOD", "auto")
        with monkeypatch.context() as patch:
            patch.setattr("treemetric._core.Join", Spy)
            for n_jobs in (1, 2):
                found = tm.nearest(X, None if inside else Y, k=k, n_jobs=n_jobs)
                assert rows_of(found) == expected
    assert len(calls) == 4


def test_an_index_answers_single_queries_level_by_level(monkeypatch):
    """Also after changes, when its trees are several blocks."""
    rng = Random(5)
    Y = [make_tree(rng, rng.randint(0, 14), alphabet="abcdef") for _ in range(1100)]
    X = [*some_trees(6, 40, 4), make_tree(rng, 9, alphabet="xyz"), Y[3], tm.Tree.from_sequence("")]
    monkeypatch.setattr("treemetric.neighbors.request._METHOD", "bounds")
    index = tm.TreeIndex(Y[:1050])
    states = [(index, Y[:1050])]
    changed = tm.TreeIndex(Y[:1050])
    changed.add(Y[1050:])
    changed.remove(slice(0, 30))
    states.append((changed, Y[30:]))
    expected = [[rows_of(tm.nearest([x], trees, k=4)) for x in X] for _, trees in states]
    monkeypatch.setattr("treemetric.neighbors.request._METHOD", "auto")
    with monkeypatch.context() as patch:
        patch.delattr("treemetric._core.neighbors")
        for (some, _), rows in zip(states, expected, strict=True):
            assert [rows_of(some.nearest([x], k=4)) for x in X] == rows
            assert rows_of(some.nearest(X, k=4, n_jobs=2)) == [row for [row] in rows]


def test_pivots_avoid_distances():
    """One label and one size: bounds see nothing, but deep trees are far from flat ones."""
    deep = [[-1, *range(10), leaf] for leaf in range(9, -1, -1)]
    flat = [[-1, *[0] * 10, child] for child in range(10, 0, -1)]
    # Sorted by the preorder that `from_adjacency` finds.
    trees = [
        tm.Tree.from_adjacency(
            ["a"] * 12, [[c for c in range(12) if parents[c] == p] for p in range(12)]
        )
        for parents in deep + flat
    ]
    plain = tm.within(trees, radius=2)
    found = tm.TreeIndex(trees, n_pivots=2).within(radius=2)
    assert rows_of(found) == rows_of(plain)
    assert plain.computed == 190
    assert found.computed <= 90


# --- edges -------------------------------------------------------------------------


def sequences(*texts):
    return [tm.Tree.from_sequence(text) for text in texts]


@pytest.mark.usefixtures("method")
def test_ties_go_to_the_first():
    trees = sequences("ab", "a", "ab", "b", "ab")
    assert tm.nearest(trees, k=2).indices.tolist() == [[2, 4], [0, 2], [0, 4], [0, 1], [0, 2]]
    assert tm.nearest(sequences("x"), trees, k=3).indices.tolist() == [[1, 3, 0]]


def test_equal_trees_are_neighbours_at_distance_zero():
    trees = sequences("ab", "ab", "cd")
    found = tm.within(trees, radius=0)
    assert found.counts.tolist() == [1, 1, 0]
    assert found[0][0].tolist() == [1]
    assert found[0][1].tolist() == [0.0]


@pytest.mark.usefixtures("method")
def test_asymmetric_costs_go_from_x_to_y():
    costs = tm.CostMatrix("a", [[0, 3], [1, 0]])
    trees = sequences("a", "aa")
    assert tm.nearest(trees, k=1, costs=costs).distances.tolist() == [[1], [3]]
    assert tm.within(trees, radius=1, costs=costs).counts.tolist() == [1, 0]


def test_nothing_to_search():
    none, some = [], sequences("a", "b")
    assert tm.nearest(none, some, k=2).indices.shape == (0, 2)
    assert tm.nearest(none, k=7).distances.shape == (0, 7)
    assert tm.within(none, radius=3).offsets.tolist() == [0]
    assert tm.within(some, none, radius=3).counts.tolist() == [0, 0]
    assert tm.within(some[:1], radius=3).counts.tolist() == [0]
    assert tm.within(none, radius=3).avoided == 0
    index = tm.TreeIndex([], n_pivots=3)
    assert len(index) == 0
    assert index.within(some, radius=3).counts.tolist() == [0, 0]
    for costs in (None, ROOTS):
        graph = tm.within(sequences("a"), none, radius=1, costs=costs).to_graph()
        assert graph.shape == (1, 0)


def test_forests_and_the_empty_tree():
    trees = [tm.Tree.from_bracket(text) for text in ("", "{a}{b}", "{a}", "{a{b}}")]
    assert tm.nearest(trees, k=1).distances.ravel().tolist() == [1, 1, 1, 1]
    assert tm.nearest(trees, k=1).indices.ravel().tolist() == [2, 2, 0, 2]


@pytest.mark.parametrize("search", ["nearest", "within"])
def test_a_result_cannot_be_changed(search):
    options = {"k": 1} if search == "nearest" else {"radius": 1}
    found = getattr(tm, search)(sequences("a", "b"), **options)
    with pytest.raises(ValueError, match="read-only"):
        found.indices[:] = 0
    with pytest.raises(AttributeError, match="immutable"):
        found.computed = 3
    with pytest.raises(TypeError, match="made by searches"):
        type(found)()
    found.to_graph().data[:] = 7
    assert found.distances.max() == 1
    again = pickle.loads(pickle.dumps(found))
    assert rows_of(again) == rows_of(found)
    assert (again.computed, again.avoided) == (found.computed, found.avoided)
    assert re.search(r"neighbours? of 2 trees", repr(again))


def test_rows_of_a_range_search():
    found = tm.within(sequences("a", "ab", "abc"), radius=1)
    assert len(found) == 3
    assert found[-1][0].tolist() == [1]
    with pytest.raises(IndexError):
        found[3]


def test_avoided_is_a_share_of_what_all_pairs_would_take():
    """Inside one set a symmetric distance serves both its trees."""
    trees, asymmetric = TREES[:10], ROOTS
    everything = tm.within(trees, radius=np.inf)
    assert (everything.computed, everything.avoided) == (45, 0.0)
    assert tm.nearest(trees, k=9).avoided == 0.0
    assert tm.within(trees, radius=np.inf, costs=asymmetric).computed == 90
    assert tm.within(trees, radius=np.inf, costs=asymmetric).avoided == 0.0
    # A tree and itself need not be compared.
    assert tm.within(trees, trees, radius=np.inf).avoided == pytest.approx(0.1)
    few = tm.TreeIndex(trees, n_pivots=2).within(radius=3)
    assert few.avoided == 1 - few.computed / 45


# --- scikit-learn ------------------------------------------------------------------


def test_graphs_have_the_form_of_scikit_learn():
    from sklearn.neighbors import KNeighborsTransformer

    trees = list(dict.fromkeys(TREES))
    distances = tm.pairwise_distances(trees, costs=EMBEDDED)
    near = tm.nearest(trees, k=4, costs=EMBEDDED)
    for mode in ("distance", "connectivity"):
        theirs = KNeighborsTransformer(n_neighbors=4, mode=mode, metric="precomputed")
        wanted = theirs.fit_transform(distances)
        graph = near.to_graph(mode=mode, include_self=mode == "distance")
        assert graph.format == wanted.format == "csr"
        assert (graph.shape, graph.dtype) == (wanted.shape, wanted.dtype)
        assert np.array_equal(graph.indptr, wanted.indptr)
        assert np.array_equal(graph.data, wanted.data)
    assert near.to_graph().nnz == 4 * len(trees)


def test_zeros_stay_explicit_and_rows_sorted():
    trees = sequences("ab", "ab", "abc", "ab")
    for include_self, count in ((False, 6), (True, 10)):
        graph = tm.within(trees, radius=0).to_graph(include_self=include_self)
        assert graph.nnz == count
        assert not graph.data.any()
    wide = tm.within(trees, radius=9).to_graph(include_self=True)
    rows = wide.data.reshape(4, 4)
    assert (np.diff(rows, axis=1) >= 0).all()
    assert wide.indices.reshape(4, 4)[:, 0].tolist() == [0, 1, 2, 3]


def test_classifiers_take_the_graphs():
    from sklearn.neighbors import KNeighborsClassifier

    classes = np.array([tree.size % 2 for tree in TREES])
    model = KNeighborsClassifier(3, metric="precomputed")
    sparse = model.fit(tm.nearest(TREES, k=4, costs=EMBEDDED).to_graph(include_self=True), classes)
    found = sparse.predict(tm.nearest(QUERIES, TREES, k=3, costs=EMBEDDED).to_graph())
    model = KNeighborsClassifier(3, metric="precomputed")
    dense = model.fit(tm.pairwise_distances(TREES, costs=EMBEDDED), classes)
    distances = tm.pairwise_distances(QUERIES, TREES, costs=EMBEDDED)
    assert np.array_equal(found, dense.predict(distances))


def test_dbscan_takes_the_graph():
    from sklearn.cluster import DBSCAN

    graph = tm.within(TREES, radius=12).to_graph()
    model = DBSCAN(eps=12, min_samples=4, metric="precomputed")
    labels = model.fit_predict(tm.pairwise_distances(TREES))
    assert len(set(labels.tolist())) > 1
    assert np.array_equal(model.fit_predict(graph), labels)


# --- the index ---------------------------------------------------------------------


def test_an_index_pickles_and_shows_itself():
    index = tm.TreeIndex(TREES, costs=EMBEDDED, n_pivots=4)
    again = pickle.loads(pickle.dumps(index))
    assert len(again) == len(TREES)
    assert again.trees == TREES
    assert again.costs.alphabet == EMBEDDED.alphabet
    assert np.array_equal(again.pivots, index.pivots)
    assert rows_of(again.nearest(QUERIES)) == rows_of(tm.nearest(QUERIES, TREES, costs=EMBEDDED))
    assert repr(again) == "<TreeIndex of 60 trees with 4 pivots, <EmbeddingCosts of 3 labels>>"


@pytest.mark.parametrize(
    "costs",
    [
        None,
        ROOTS,
        EMBEDDED,
        tm.VectorCosts("abc", np.eye(3)),
        tm.CallableCosts(lambda a, b: a != b),
    ],
    ids=["unit", "roots", "embedded", "vectors", "function"],
)
def test_an_index_keeps_what_bounds_need(costs, monkeypatch):
    """Every query of its own, and with labels that the index has never seen."""
    made = []
    core = sys.modules["treemetric._core"]
    real = core.SearchIndex
    monkeypatch.setattr(core, "SearchIndex", lambda *given: made.append(1) or real(*given))
    index = tm.TreeIndex(TREES, costs=costs, n_pivots=0)
    for query in [*QUERIES, *(sequences("zab", "z", "bzz") if costs is None else [])]:
        computed = set()
        for n_jobs in (1, 2):
            near = index.nearest([query], k=4, n_jobs=n_jobs)
            computed.add(near.computed)
            assert rows_of(near) == slowly([query], TREES, costs, k=4)
            close = index.within([query], radius=12, n_jobs=n_jobs)
            assert rows_of(close) == slowly([query], TREES, costs, radius=12)
        assert len(computed) == 1
    assert rows_of(index.nearest(QUERIES, k=3)) == slowly(QUERIES, TREES, costs, k=3)
    assert rows_of(index.within(QUERIES, radius=20)) == slowly(QUERIES, TREES, costs, radius=20)
    assert rows_of(index.nearest(k=3)) == slowly(TREES, None, costs, k=3)
    assert made == ([] if isinstance(costs, tm.CallableCosts) else [1])


def test_pivots_are_far_from_each_other():
    index = tm.TreeIndex(TREES, n_pivots=5)
    distances = tm.pairwise_distances(TREES)
    pivots = index.pivots.tolist()
    assert pivots[0] == int(np.argmax(TREES.sizes))
    for count in range(1, 5):
        apart = distances[pivots[:count]].min(axis=0)
        assert apart[pivots[count]] == apart.max()
    # Equal trees make no second pivot.
    assert len(tm.TreeIndex(sequences("a", "a", "a"), n_pivots=3).pivots) == 1


def test_an_index_tells_how_far_it_is():
    seen = []
    tm.TreeIndex(TREES, n_pivots=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(tm.exceptions.CancelledError):
        tm.TreeIndex(TREES, n_pivots=3, progress=lambda *_: False)


@pytest.mark.parametrize(
    "costs",
    [
        ROOTS,
        tm.VectorCosts("abc", np.eye(3)),
        tm.CallableCosts(lambda a, b: float(a != b)),
    ],
)
def test_pivots_need_a_pseudo_metric(costs):
    with pytest.raises(ValueError, match=r"'n_pivots' .* not a pseudo-metric. Got 2 instead"):
        tm.TreeIndex(TREES, costs=costs, n_pivots=2)
    assert len(tm.TreeIndex(TREES, costs=costs).pivots) == 0


# --- errors, progress, signals -----------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tm.nearest(TREES, k=60), r"'k' parameter of nearest .*\[1, 59\].* Got 60"),
        (lambda: tm.nearest(TREES, TREES, k=61), r"\[1, 60\], the number of trees .* Got 61"),
        (lambda: tm.nearest(TREES, [], k=1), "'Y' parameter of nearest .* at least 1 tree. Got 0"),
        (lambda: tm.nearest(TREES[:1], k=1), "'X' .* at least 2 trees if Y is None. Got 1 tree"),
        (lambda: tm.TreeIndex([]).nearest(TREES), "'Y' parameter of TreeIndex must .* Got 0 trees"),
        (lambda: tm.nearest(TREES, k=0), r"'k' parameter of nearest .* Got 0"),
        (lambda: tm.nearest(TREES, k=2.0), "'k' parameter of nearest"),
        (lambda: tm.nearest(TREES, k=True), "'k' parameter of nearest"),
        (lambda: tm.within(TREES, radius=-1), r"'radius' parameter of within .* Got -1"),
        (lambda: tm.within(TREES, radius=float("nan")), "'radius' parameter of within"),
        (lambda: tm.within(TREES, radius="1"), "'radius' parameter of within"),
        (lambda: tm.nearest(TREES, n_jobs=0), "'n_jobs' parameter of nearest"),
        (lambda: tm.within(TREES, radius=1, n_jobs=-2), "'n_jobs' parameter of within"),
        (lambda: tm.nearest(TREES, progress=3), "'progress' parameter of nearest"),
        (lambda: tm.TreeIndex(TREES, n_pivots=-1), "'n_pivots' parameter of TreeIndex"),
        (lambda: tm.TreeIndex(TREES, n_pivots="all"), "'n_pivots' parameter of TreeIndex"),
        (lambda: tm.nearest(TREES).to_graph(mode="x"), "'mode' parameter of to_graph"),
        (
            lambda: tm.nearest(QUERIES, TREES).to_graph(include_self=True),
            "'include_self' parameter of to_graph",
        ),
        (lambda: tm.nearest(sequences("az", "a"), k=1, costs=ROOTS), "'z' is not in the alphabet"),
        (lambda: tm.TreeIndex(sequences("z"), costs=ROOTS), "'z' is not in the alphabet"),
    ],
)
def test_bad_values_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: tm.nearest(3),
        lambda: tm.nearest([3]),
        lambda: tm.nearest(TREES, 3),
        lambda: tm.within(TREES),
        lambda: tm.nearest(TREES, costs=1),
        lambda: tm.nearest(TREES, TREES, 3),
        lambda: tm.nearest(TREES).to_graph(include_self=1),
        lambda: tm.TreeIndex("ab"),
    ],
)
def test_bad_types_are_refused(call):
    with pytest.raises(TypeError):
        call()


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize("options", [{"k": 3}, {"k": 59}, {"radius": 5}, {"radius": np.inf}])
def test_progress_ends_at_the_end_and_may_stop(options):
    search = tm.nearest if "k" in options else tm.within
    for n_jobs in (1, 2):
        seen = []
        search(TREES, **options, n_jobs=n_jobs, progress=lambda *told: seen.append(told))  # noqa: B023
        assert seen[-1] == (60, 60)
        assert seen == sorted(seen)
        with pytest.raises(tm.exceptions.CancelledError):
            search(TREES, **options, n_jobs=n_jobs, progress=lambda *_: False)


LONG = {
    # More than the copies of a tree, which are found at once.
    "nearest": "tm.nearest(MANY, k=100)",
    "within": "tm.within(MANY, radius=200, n_jobs=2)",
    "exhaustive": "tm.within(MANY, radius=float('inf'))",
    "few large": "tm.nearest([zigzag(4000) for _ in range(3)], k=1)",
    "pivots": "tm.TreeIndex(MANY, n_pivots=200)",
    # Where the first seconds go to the bounds.
    "bounds of many labels": "tm.pairwise_distances(LABELLED, costs=TABLE, cutoff=5)",
    "search with many labels": "tm.nearest(LABELLED, k=3, costs=TABLE)",
    "one query": "tm.nearest([zigzag(3000)], [zigzag(3000) for _ in range(20)], k=1)",
}

INTERRUPTED = """
    import time
    from random import Random

    import numpy as np

    import treemetric as tm
    from shapes import make_tree

    rng = Random(0)

    def zigzag(size):
        return make_tree(rng, size, "zigzag", "abcd")

    MANY = tm.TreeSet([make_tree(rng, rng.randint(300, 500)) for _ in range(400)])
    MANY = MANY[np.arange(10_000) % 400]
    MANY._core_set()
    if {labelled}:
        LABELS = range(1000)
        LABELLED = tm.TreeSet([make_tree(rng, 300, alphabet=LABELS) for _ in range(200)])
        LABELLED = LABELLED[np.arange(2000) % 200]
        LABELLED._core_set()
        COSTS = np.random.default_rng(0).random((1001, 1001))
        COSTS[-1, -1] = 0
        TABLE = tm.CostMatrix(LABELS, COSTS)
        TABLE._core_table()
    print("ready", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_stops_a_search_within_a_second(call):
    script = INTERRUPTED.replace("{call}", LONG[call])
    script = script.replace("{labelled}", str("LABELLED" in LONG[call]))
    assert 0 <= interrupt_script(script).seconds < PROMPT
