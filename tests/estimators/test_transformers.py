"""Transformers of trees: distances and neighbour graphs for scikit-learn's pipelines."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN
from sklearn.manifold import TSNE, Isomap
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
from sklearn.pipeline import make_pipeline

import treemetric as tm
from treemetric.testing import tree_estimator_checks
from treemetric.transformers import TreeDistances, TreeNeighborsGraph

TRANSFORMERS = [
    TreeDistances(),
    TreeDistances(dtype="float32"),
    TreeDistances(norm="weight"),
    TreeNeighborsGraph(2),
    TreeNeighborsGraph(2, norm="max"),
    TreeNeighborsGraph(3, mode="connectivity"),
]


def random_trees(seed, n, labels="abc"):
    """Trees by random parents, of two classes: with and without the label z."""
    random = np.random.RandomState(seed)
    trees, y = [], np.arange(n) % 2
    for label in y:
        size = random.randint(3, 9)
        names = list(random.choice(list(labels), size))
        names[1] = "z" if label else names[1]
        # The root, a chain or a star below it.
        parents = [-1, *(int(random.randint(2) and node - 1) for node in range(1, size))]
        order = tm.Tree.from_adjacency(
            names, [[c for c in range(size) if parents[c] == p] for p in range(size)]
        )
        trees.append(order)
    return trees, y


TREES, Y = random_trees(0, 30)
QUERIES, _ = random_trees(1, 8)


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(c, id=f"{e}-{c.__name__}")
        for e in TRANSFORMERS
        for c in tree_estimator_checks(e)
    ],
)
def test_our_checks(check):
    check()


def test_distances_to_the_training_trees():
    model = TreeDistances().fit(TREES)
    assert np.array_equal(model.transform(QUERIES), tm.pairwise_distances(QUERIES, TREES))
    assert np.array_equal(model.fit_transform(TREES), tm.pairwise_distances(TREES))
    narrow = TreeDistances(dtype="float32").fit(TREES).transform(QUERIES)
    assert narrow.dtype == np.float32


def test_distances_have_names():
    names = TreeDistances().fit(TREES).get_feature_names_out()
    assert names[:2].tolist() == ["treedistances0", "treedistances1"]


def test_costs_are_used_in_their_direction():
    costs = tm.CostMatrix("a", [[0, 3], [1, 0]])
    one, two = tm.Tree.from_sequence("a"), tm.Tree.from_sequence("aa")
    model = TreeDistances(costs=costs).fit([one])
    assert model.transform([two]).tolist() == [[3]]
    assert TreeDistances(costs=costs).fit_transform([one, two]).tolist() == [[0, 1], [3, 0]]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TreeDistances(dtype="bool"), "'dtype' parameter of TreeDistances"),
        (TreeDistances(n_jobs=0), "'n_jobs' parameter of TreeDistances"),
        (TreeNeighborsGraph(0), "'n_neighbors' parameter of TreeNeighborsGraph"),
        (TreeNeighborsGraph(2.0), "'n_neighbors' parameter of TreeNeighborsGraph"),
        (TreeNeighborsGraph(mode="sparse"), "'mode' parameter of TreeNeighborsGraph"),
    ],
)
def test_wrong_parameters_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(TREES)


def test_wrong_costs_are_refused():
    with pytest.raises(TypeError, match="'costs' parameter of TreeNeighborsGraph"):
        TreeNeighborsGraph(costs=1).fit(TREES)


def generic_costs():
    """Costs such that few distances are equal."""
    vectors = np.random.RandomState(5).normal(size=(4, 3))
    return tm.EmbeddingCosts("abcz", vectors)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_the_graph_is_that_of_scikit_learn(mode):
    costs = generic_costs()
    trees = list(dict.fromkeys(TREES))
    ours = TreeNeighborsGraph(4, mode=mode, costs=costs).fit(trees)
    theirs = KNeighborsTransformer(n_neighbors=4, mode=mode, metric="precomputed")
    theirs.fit(tm.pairwise_distances(trees, costs=costs))
    for queries in (trees, QUERIES):
        found = ours.transform(queries)
        distances = tm.pairwise_distances(queries, trees, costs=costs)
        wanted = theirs.transform(distances)
        assert found.format == wanted.format == "csr"
        assert found.shape == wanted.shape
        assert found.dtype == wanted.dtype
        assert np.array_equal(found.indptr, wanted.indptr)
        assert np.array_equal(found.data, wanted.data)
        # The same trees, up to some that are equally far.
        rows = np.repeat(np.arange(len(queries)), np.diff(found.indptr))
        near = distances[rows, found.indices]
        assert np.array_equal(near, distances[rows, wanted.indices])
        assert np.mean(found.indices == wanted.indices) > 0.9


@pytest.mark.parametrize("costs", [None, generic_costs()], ids=["unit", "embedded"])
def test_the_graph_is_that_of_all_distances(costs):
    model = TreeNeighborsGraph(3, costs=costs, n_jobs=2)
    for graph, queries in (
        (model.fit_transform(TREES), TREES),
        (model.transform(QUERIES), QUERIES),
    ):
        distances = tm.pairwise_distances(queries, TREES, costs=costs)
        order = np.argsort(distances, axis=1, kind="stable")[:, :4]
        assert np.array_equal(graph.indices.reshape(-1, 4), order)
        assert np.array_equal(graph.data.reshape(-1, 4), np.take_along_axis(distances, order, 1))


def test_rows_are_sorted_and_zeros_are_explicit():
    trees = [*TREES[:6], *TREES[:6]]
    graph = TreeNeighborsGraph(2).fit_transform(trees)
    rows = graph.data.reshape(len(trees), 3)
    assert (np.diff(rows, axis=1) >= 0).all()
    assert (rows[:, :2] == 0).all()
    assert graph.nnz == 3 * len(trees)
    # Of equal trees the first comes first.
    assert graph.indices.reshape(len(trees), 3)[7, :2].tolist() == [1, 7]


def test_too_many_neighbours():
    model = TreeNeighborsGraph(5).fit(TREES[:5])
    message = (
        "n_neighbors < n_samples_fit in mode 'distance', but n_neighbors = 5, n_samples_fit = 5"
    )
    with pytest.raises(ValueError, match=message):
        model.transform(TREES)
    many = TreeNeighborsGraph(6, mode="connectivity").fit(TREES[:5])
    with pytest.raises(ValueError, match=r"n_neighbors <= n_samples_fit .* n_neighbors = 6,"):
        many.transform(TREES)
    connected = TreeNeighborsGraph(5, mode="connectivity").fit(TREES[:5])
    assert connected.transform(TREES).nnz == 5 * len(TREES)


@pytest.mark.parametrize("first", [TreeDistances(), TreeNeighborsGraph(3)])
def test_nearest_neighbours_on_trees(first):
    model = make_pipeline(first, KNeighborsClassifier(n_neighbors=3, metric="precomputed"))
    costs = generic_costs()
    model[0].set_params(costs=costs)
    found = model.fit(TREES, Y).predict(QUERIES)
    distances = tm.pairwise_distances(QUERIES, TREES, costs=costs)
    votes = Y[np.argsort(distances, axis=1, kind="stable")[:, :3]]
    assert np.array_equal(found, (votes.mean(axis=1) > 0.5).astype(int))
    scores = cross_val_score(model, tm.TreeSet(TREES), Y, cv=3)
    assert scores.shape == (3,)


def test_pipelines_can_be_searched():
    model = make_pipeline(TreeDistances(), KNeighborsClassifier(metric="precomputed"))
    grid = {"kneighborsclassifier__n_neighbors": [1, 3], "treedistances__n_jobs": [None, 2]}
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(TREES, Y)
    assert search.predict(QUERIES).shape == (8,)


def test_other_estimators_take_the_graph():
    graph = TreeNeighborsGraph(6).fit_transform(TREES)
    found = DBSCAN(eps=2.0, min_samples=3, metric="precomputed").fit_predict(graph)
    wanted = DBSCAN(eps=2.0, min_samples=3, metric="precomputed")
    near = tm.pairwise_distances(TREES)
    assert found.shape == wanted.fit_predict(near).shape
    wide = TreeNeighborsGraph(len(TREES) - 1).fit_transform(TREES)
    full = DBSCAN(eps=2.0, min_samples=3, metric="precomputed").fit_predict(wide)
    assert np.array_equal(full, wanted.fit_predict(near))
    isomap = Isomap(n_neighbors=10, metric="precomputed")
    assert isomap.fit_transform(TreeNeighborsGraph(12).fit_transform(TREES)).shape == (30, 2)
    tsne = TSNE(metric="precomputed", init="random", perplexity=3, random_state=0, max_iter=250)
    assert tsne.fit_transform(TreeNeighborsGraph(15).fit_transform(TREES)).shape == (30, 2)


@pytest.mark.parametrize("costs", [None, generic_costs()], ids=["unit", "embedded"])
def test_transformers_without_the_order_of_children(costs):
    distances = tm.unordered_pairwise_distances(TREES, costs=costs)
    model = TreeDistances(costs=costs, ordered=False)
    np.testing.assert_array_equal(model.fit_transform(TREES), distances)
    np.testing.assert_array_equal(model.transform(TREES[:4]), distances[:4])
    for mode, kept in (("distance", 4), ("connectivity", 3)):
        graph = TreeNeighborsGraph(3, mode=mode, costs=costs, ordered=False).fit_transform(TREES)
        best = np.argsort(distances, axis=1, kind="stable")[:, :kept]
        np.testing.assert_array_equal(graph.indices.reshape(-1, kept), best)
        values = np.take_along_axis(distances, best, axis=1) if mode == "distance" else 1.0
        np.testing.assert_array_equal(graph.data.reshape(-1, kept), values * np.ones(best.shape))
    with pytest.raises(TypeError, match="'ordered' parameter of TreeDistances"):
        TreeDistances(ordered="no").fit(TREES)
