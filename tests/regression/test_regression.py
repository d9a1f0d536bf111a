"""Regressors and nearest neighbours on trees, against scikit-learn and a naive twin."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import treemetric as tm
from treemetric.classification import KNeighborsTreeClassifier
from treemetric.classification.kernel import corrected, gaussian, median_distance
from treemetric.exceptions import UnknownLabelError
from treemetric.kernels import TreeKernel
from treemetric.regression import DistanceKernelRidge, KNeighborsTreeRegressor
from treemetric.testing import tree_estimator_checks


def random_trees(seed, n):
    random = np.random.RandomState(seed)
    trees = []
    for _ in range(n):
        size = random.randint(2, 12)
        parents = [-1, *(random.randint(max(0, i - 1), i) for i in range(1, size))]
        trees.append(tm.Tree.from_parents(list(random.choice(list("abcz"), size)), parents))
    return trees


TREES = list(dict.fromkeys(random_trees(0, 40)))
QUERIES = random_trees(1, 15)
CLASSES = np.array(["x", "y", "z"])[np.arange(len(TREES)) % 3]
SIZES = np.array([float(tree.size) for tree in TREES])
COUNTS = np.array([float(list(tree.labels).count("z")) for tree in TREES])
# Few distances are equal.
GENERIC = tm.EmbeddingCosts("abcz", np.random.RandomState(5).normal(size=(4, 3)))
NEIGHBOURS = [KNeighborsTreeClassifier, KNeighborsTreeRegressor]
REGRESSORS = [KNeighborsTreeRegressor, DistanceKernelRidge]


def halves(distances):
    return 1 / (1 + distances)


@pytest.mark.parametrize("weights", ["uniform", "distance", halves])
def test_neighbours_are_those_of_scikit_learn_without_ties(weights):
    near = tm.pairwise_distances(TREES, costs=GENERIC)
    rows = tm.pairwise_distances(QUERIES, TREES, costs=GENERIC)
    ordered = np.sort(rows, axis=1)
    # Rows without ties at the border of the neighbours.
    clear = np.flatnonzero(ordered[:, 4] < ordered[:, 5])
    assert len(clear) > 8
    ours = KNeighborsTreeClassifier(weights=weights, costs=GENERIC).fit(TREES, CLASSES)
    theirs = KNeighborsClassifier(weights=weights, metric="precomputed").fit(near, CLASSES)
    assert ours.predict_proba(QUERIES)[clear] == pytest.approx(theirs.predict_proba(rows)[clear])
    np.testing.assert_array_equal(ours.predict(QUERIES)[clear], theirs.predict(rows)[clear])
    for y in (SIZES, np.column_stack([SIZES, COUNTS])):
        mean = KNeighborsTreeRegressor(weights=weights, costs=GENERIC).fit(TREES, y)
        twin = KNeighborsRegressor(weights=weights, metric="precomputed").fit(near, y)
        assert mean.predict(QUERIES)[clear] == pytest.approx(twin.predict(rows)[clear])
        assert mean.predict(QUERIES).shape == twin.predict(rows).shape
    distances, _ = ours.kneighbors(QUERIES)
    assert distances == pytest.approx(theirs.kneighbors(rows)[0])


def naive(distances, k, weights):
    """Positions and shares of the nearest, ties by position."""
    for row in distances:
        best = sorted(range(len(row)), key=lambda j: (row[j], j))[:k]
        near = [row[j] for j in best]
        if weights == "distance":
            values = [float(d == 0) for d in near] if 0 in near else [1 / d for d in near]
        else:
            values = [1.0] * k
        yield best, np.array(values) / sum(values)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("norm", [None, "max"])
@pytest.mark.parametrize("ordered", [True, False])
def test_neighbours_against_a_naive_twin_with_ties(weights, norm, ordered):
    if not ordered and norm is not None:
        with pytest.raises(ValueError, match="'norm' parameter of KNeighborsTreeClassifier"):
            KNeighborsTreeClassifier(norm=norm, ordered=False).fit(TREES, CLASSES)
        return
    if ordered:
        whole = tm.pairwise_distances(TREES, norm=norm)
        rows = tm.pairwise_distances(QUERIES, TREES, norm=norm)
    else:
        whole = tm.unordered_pairwise_distances(TREES)
        rows = tm.unordered_pairwise_distances(QUERIES, TREES)
    options = {"weights": weights, "norm": norm, "ordered": ordered, "n_jobs": 2}
    model = KNeighborsTreeClassifier(4, **options).fit(TREES, CLASSES)
    mean = KNeighborsTreeRegressor(4, **options).fit(TREES, SIZES)
    alone = whole.copy()
    np.fill_diagonal(alone, np.inf)
    for X, distances in ((QUERIES, rows), (None, alone), (TREES, whole)):
        found, indices = model.kneighbors(X)
        shares, targets = model.predict_proba(X), mean.predict(X)
        for i, (best, parts) in enumerate(naive(distances, 4, weights)):
            assert indices[i].tolist() == best
            assert found[i] == pytest.approx(distances[i, best])
            expected = [parts[CLASSES[best] == label].sum() for label in "xyz"]
            assert shares[i] == pytest.approx(np.array(expected))
            assert targets[i] == pytest.approx(parts @ SIZES[best])
        np.testing.assert_array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])
        graph = model.kneighbors_graph(X, 2, mode="distance")
        assert graph.shape == (len(distances), len(TREES))
        np.testing.assert_array_equal(graph.indices.reshape(-1, 2), indices[:, :2])
        assert graph.data.reshape(-1, 2) == pytest.approx(found[:, :2])
    assert model.kneighbors_graph(QUERIES).data.tolist() == [1.0] * 4 * len(QUERIES)
    assert model.score(None, CLASSES) == (model.predict(None) == CLASSES).mean()


@pytest.mark.parametrize("kind", NEIGHBOURS)
def test_too_many_neighbours(kind):
    model = kind(3).fit(TREES[:3], [0, 1, 1])
    assert model.predict(TREES[:2]).shape == (2,)
    with pytest.raises(ValueError, match="n_neighbors < n_samples_fit, but n_neighbors = 3"):
        model.predict(None)
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit, but n_neighbors = 4"):
        model.kneighbors(TREES, 4)


@pytest.mark.parametrize("kind", NEIGHBOURS)
def test_wrong_parameters_of_neighbours(kind):
    for params in (
        {"n_neighbors": 0},
        {"weights": "best"},
        {"norm": "l2"},
        {"n_jobs": 0},
        {"verbose": -1},
    ):
        with pytest.raises(
            ValueError, match=f"'{next(iter(params))}' parameter of {kind.__name__}"
        ):
            kind(**params).fit(TREES, SIZES)
    for weights in (np.zeros_like, np.log, lambda d: d[:, 0], lambda d: d * np.nan):
        model = kind(2, weights=weights).fit(TREES, SIZES)
        with (
            np.errstate(divide="ignore"),
            pytest.raises(ValueError, match=f"'weights' parameter of {kind.__name__}"),
        ):
            model.predict(TREES)
    model = kind(2, costs=tm.CostMatrix("abcz", 1 - np.eye(5))).fit(TREES, SIZES)
    with pytest.raises(UnknownLabelError, match="'q'"):
        model.predict([tm.Tree.from_sequence("q")])


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(c, id=f"{e}-{c.__name__}")
        for e in (
            KNeighborsTreeClassifier(3),
            KNeighborsTreeClassifier(2, weights="distance", norm="max"),
            KNeighborsTreeClassifier(3, ordered=False),
        )
        for c in tree_estimator_checks(e)
    ],
)
def test_our_checks(check):
    check()


@pytest.mark.parametrize("how", ["clip", "flip", "shift"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_ridge_is_that_of_scikit_learn(how, weighted):
    distances = tm.pairwise_distances(TREES)
    weights = np.random.RandomState(0).gamma(1.0, size=len(TREES)) if weighted else None
    width = median_distance(distances)
    kernel = corrected(gaussian(distances, width), how).kernel
    for y in (SIZES, np.column_stack([SIZES, COUNTS])):
        plain = DistanceKernelRidge(0.3, eigenvalues=how, fit_intercept=False)
        plain.fit(TREES, y, sample_weight=weights)
        ridge = KernelRidge(alpha=0.3, kernel="precomputed").fit(kernel, y, weights)
        assert plain.predict(TREES) == pytest.approx(ridge.predict(kernel), abs=1e-8)
        centred = DistanceKernelRidge(0.3, eigenvalues=how).fit(TREES, y, sample_weight=weights)
        mean = np.average(y, axis=0, weights=weights)
        ridge.fit(kernel, y - mean, weights)
        assert centred.predict(TREES) == pytest.approx(ridge.predict(kernel) + mean, abs=1e-8)
        assert centred.intercept_ == pytest.approx(mean)


def test_trees_and_their_distances_are_the_same():
    near, rows = tm.pairwise_distances(TREES), tm.pairwise_distances(QUERIES, TREES)
    on_trees = DistanceKernelRidge(n_jobs=2).fit(TREES, SIZES)
    on_distances = DistanceKernelRidge(metric="precomputed").fit(near, SIZES)
    np.testing.assert_array_equal(on_trees.predict(QUERIES), on_distances.predict(rows))


@pytest.mark.parametrize("combine", ["product", "sum", "product-of-sum"])
def test_a_second_kernel(combine):
    second = TreeKernel("path")
    model = DistanceKernelRidge(0.1, kernel=second, combine=combine, fit_intercept=False)
    model.fit(TREES, SIZES)
    first = corrected(gaussian(tm.pairwise_distances(TREES), model.bandwidth_), "clip").kernel
    kernel = first + second(TREES) if combine == "sum" else first * second(TREES)
    ridge = KernelRidge(alpha=0.1, kernel="precomputed").fit(kernel, SIZES)
    assert model.predict(TREES) == pytest.approx(ridge.predict(kernel), abs=1e-6)


@pytest.mark.parametrize("y", [SIZES, COUNTS], ids=["size", "count"])
def test_targets_are_learned(y):
    trees = random_trees(3, 150)
    y = np.array([t.size if y is SIZES else list(t.labels).count("z") for t in trees], dtype=float)
    assert cross_val_score(DistanceKernelRidge(0.1), trees, y, cv=3).mean() > 0.5
    if y.max() > 10:
        assert cross_val_score(KNeighborsTreeRegressor(), trees, y, cv=3).mean() > 0.5


@pytest.mark.parametrize("kind", REGRESSORS)
def test_the_contract_on_trees(kind):
    model = kind()
    assert model.fit(TREES, SIZES) is model
    found = model.predict(QUERIES)
    for X in (tm.TreeSet(TREES), tuple(TREES)):
        np.testing.assert_array_equal(kind(n_jobs=2).fit(X, SIZES).predict(QUERIES), found)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(QUERIES), found)
    assert not [name for name in vars(clone(model)) if name.endswith("_")]
    np.testing.assert_array_equal(make_pipeline(kind()).fit(TREES, SIZES).predict(QUERIES), found)
    search = GridSearchCV(kind(), {"n_jobs": [1, 2]}, cv=2, error_score="raise")
    np.testing.assert_array_equal(search.fit(TREES, SIZES).predict(QUERIES), found)
    singles = np.array([model.predict([tree])[0] for tree in QUERIES])
    assert singles == pytest.approx(found)
    tags = sklearn.utils.get_tags(model)
    assert tags.estimator_type == "regressor"
    assert not tags.input_tags.two_d_array
    assert tags.target_tags.multi_output
    for y in (None, SIZES[:-1], [*SIZES[:-1], np.nan], ["a"] * len(TREES), np.zeros((40, 2, 2))):
        with pytest.raises(ValueError, match=r".+"):
            model.fit(TREES, y)
    np.testing.assert_array_equal(model.predict(QUERIES), found)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        kind().predict(QUERIES)


def sklearn_checks():
    for estimator, check in estimator_checks_generator(DistanceKernelRidge(metric="precomputed")):
        yield pytest.param(estimator, check, id=check.func.__name__)


@pytest.mark.parametrize(("estimator", "check"), list(sklearn_checks()))
def test_scikit_learn_on_distances(estimator, check):
    check(estimator)


def test_weights_are_routed_to_the_ridge():
    weights = np.random.RandomState(0).gamma(1.0, size=len(TREES))
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(DistanceKernelRidge().set_fit_request(sample_weight=True))
        model.fit(TREES, SIZES, sample_weight=weights)
    twin = DistanceKernelRidge().fit(TREES, SIZES, sample_weight=weights)
    np.testing.assert_array_equal(model.predict(QUERIES), twin.predict(QUERIES))


@pytest.mark.parametrize(
    "params", [{"alpha": 0}, {"bandwidth": -1}, {"eigenvalues": "x"}, {"combine": "x"}]
)
def test_wrong_parameters_of_the_ridge(params):
    name = next(iter(params))
    with pytest.raises(ValueError, match=f"'{name}' parameter of DistanceKernelRidge"):
        DistanceKernelRidge(**params).fit(TREES, SIZES)
