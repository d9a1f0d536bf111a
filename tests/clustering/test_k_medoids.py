"""k-medoids against exhaustive checks of exchanges, and medoids of given clusters."""

import itertools
import pickle

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import treemetric as tm
from treemetric.clustering import KMedoids, medoids
from treemetric.clustering._pam import first_medoids, swap
from treemetric.datasets import make_strings

INITS = ["build", "k-medoids++", "random"]
TREES = list(make_strings(40, random_state=0).data)
DISTANCES = tm.pairwise_distances(TREES)


def table(seed, n, symmetric=True, whole=False):
    random = np.random.RandomState(seed)
    found = (
        random.randint(1, 5, size=(n, n)).astype(float) if whole else random.gamma(1, size=(n, n))
    )
    found = found + found.T if symmetric else found
    np.fill_diagonal(found, 0)
    return found


def loss(distances, chosen, weights):
    return sum(w * min(distances[i, j] for j in chosen) for i, w in enumerate(weights))


@given(
    st.integers(0, 10**6),
    st.integers(1, 12),
    st.integers(1, 5),
    st.sampled_from(INITS),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_no_exchange_lowers_the_loss(seed, n, count, init, symmetric, whole, weighted):
    distances = table(seed, n, symmetric, whole)
    count = min(count, n)
    random = np.random.RandomState(seed)
    weights = random.gamma(1.0, size=n) + 1e-3 if weighted else np.ones(n)
    model = KMedoids(count, metric="precomputed", init=init, random_state=seed)
    model.fit(distances, sample_weight=weights)
    chosen = model.medoid_indices_.tolist()
    assert chosen == sorted(set(chosen))
    assert len(chosen) == count
    best = loss(distances, chosen, weights)
    assert model.inertia_ == pytest.approx(best)
    for k, other in itertools.product(range(count), range(n)):
        if other not in chosen:
            exchanged = [*chosen[:k], other, *chosen[k + 1 :]]
            assert loss(distances, exchanged, weights) >= best - 1e-9
    np.testing.assert_array_equal(model.labels_, distances[:, chosen].argmin(axis=1))


@given(st.integers(0, 10**6), st.integers(2, 15), st.integers(2, 5), st.booleans())
def test_every_pass_lowers_the_loss(seed, n, count, whole):
    distances = table(seed, n, whole=whole)
    count = min(count, n)
    weights = np.ones(n)
    start = first_medoids(distances, count, weights, "random", np.random.RandomState(seed))
    before = loss(distances, start, weights)
    for passes in range(1, 6):
        found = swap(distances, start, weights, passes, lambda _: None)
        assert found.loss == pytest.approx(loss(distances, found.indices, weights))
        assert found.loss <= before + 1e-9
        assert len(set(found.indices.tolist())) == count
        before = found.loss


def test_close_to_the_best_of_all():
    exact = 0
    for seed in range(20):
        distances = table(seed, 10)
        best = min(loss(distances, c, np.ones(10)) for c in itertools.combinations(range(10), 3))
        found = KMedoids(3, metric="precomputed", n_init=10, random_state=0).fit(distances)
        assert found.inertia_ >= best - 1e-9
        exact += found.inertia_ <= best + 1e-9
    assert exact >= 18


def test_weights():
    counts = np.random.RandomState(1).randint(0, 4, size=len(TREES))
    rows = np.repeat(np.arange(len(TREES)), counts)
    weighted = KMedoids(3).fit(TREES, sample_weight=counts)
    repeated = KMedoids(3).fit([TREES[i] for i in rows])
    assert weighted.inertia_ == pytest.approx(repeated.inertia_)
    assert (counts[weighted.medoid_indices_] > 0).all()
    assert len(weighted.labels_) == len(TREES)
    with pytest.raises(ValueError, match="'n_clusters' parameter of KMedoids must be at most"):
        KMedoids(2).fit(TREES, sample_weight=np.eye(len(TREES))[0])


def test_trees_and_their_distances_are_the_same():
    model = KMedoids(4, n_jobs=2).fit(TREES)
    twin = KMedoids(4, metric="precomputed").fit(DISTANCES)
    np.testing.assert_array_equal(model.medoid_indices_, twin.medoid_indices_)
    np.testing.assert_array_equal(model.predict(TREES), model.labels_)
    np.testing.assert_array_equal(model.transform(TREES), DISTANCES[:, model.medoid_indices_])
    np.testing.assert_array_equal(KMedoids(4).fit_predict(TREES), model.labels_)
    assert list(model.cluster_centers_) == [TREES[i] for i in model.medoid_indices_]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(TREES), model.labels_)
    assert not hasattr(clone(model), "labels_")
    unordered = KMedoids(3, ordered=False).fit(TREES)
    assert (
        unordered.inertia_
        <= 1e-9
        + KMedoids(3, metric="precomputed").fit(tm.unordered_pairwise_distances(TREES)).inertia_
    )


@pytest.mark.parametrize("init", INITS)
def test_equal_trees_are_a_warning(init):
    with pytest.warns(UserWarning, match="only 1 of the n_clusters=3 clusters are distinct"):
        model = KMedoids(3, init=init, random_state=0).fit([TREES[0]] * 5)
    assert model.inertia_ == 0
    assert len(set(model.medoid_indices_.tolist())) == 3


@pytest.mark.parametrize(
    "params",
    [{"n_clusters": 0}, {"init": "best"}, {"max_iter": 0}, {"n_init": 0}, {"random_state": "x"}],
)
def test_wrong_parameters(params):
    with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter of KMedoids"):
        KMedoids(**params).fit(TREES)


def test_a_fit_that_fails_leaves_the_earlier_one():
    model = KMedoids(2).fit(TREES)
    labels = model.labels_
    with pytest.raises(ValueError, match="n_clusters"):
        model.set_params(n_clusters=99).fit(TREES)
    assert model.labels_ is labels


def test_names_and_frames():
    pandas = pytest.importorskip("pandas")
    model = KMedoids(2).set_output(transform="pandas").fit(TREES)
    frame = model.transform(TREES)
    assert isinstance(frame, pandas.DataFrame)
    assert frame.columns.tolist() == ["kmedoids0", "kmedoids1"]


def test_pipelines_and_routing():
    y = np.arange(len(TREES)) % 2
    model = make_pipeline(KMedoids(5), KNeighborsClassifier(1)).fit(TREES, y)
    assert model.predict(TREES).shape == y.shape
    with sklearn.config_context(enable_metadata_routing=True):
        weights = np.arange(1.0, len(TREES) + 1)
        pipe = make_pipeline(KMedoids(3).set_fit_request(sample_weight=True))
        pipe.fit(TREES, sample_weight=weights)
    twin = KMedoids(3).fit(TREES, sample_weight=weights)
    assert pipe[-1].inertia_ == twin.inertia_


def sklearn_checks():
    """All checks of scikit-learn but one, which ignores the tag ``pairwise``."""
    for estimator, check in estimator_checks_generator(KMedoids(2, metric="precomputed")):
        if check.func.__name__ != "check_clustering":
            yield pytest.param(estimator, check, id=check.func.__name__)


@pytest.mark.parametrize(("estimator", "check"), list(sklearn_checks()))
def test_scikit_learn_on_distances(estimator, check):
    check(estimator)


def test_medoids_of_clusters():
    labels = AgglomerativeClustering(3, metric="precomputed", linkage="average").fit_predict(
        DISTANCES
    )
    labels[::7] = -1
    found = medoids(TREES, labels)
    np.testing.assert_array_equal(found, medoids(DISTANCES, labels, metric="precomputed"))
    for label, medoid in zip(sorted(set(labels) - {-1}), found, strict=True):
        own = np.flatnonzero(labels == label)
        sums = [sum(DISTANCES[i, j] for i in own) for j in own]
        assert medoid == own[int(np.argmin(sums))]
    assert medoids(TREES[:3], [-1, -1, -1]).shape == (0,)
    named = np.array(["b", "a", "b"])
    assert medoids(TREES[:3], named).tolist() == [1, 0]


def test_distances_to_a_medoid_have_a_direction():
    distances = np.array([[0.0, 1.0], [9.0, 0.0]])
    assert medoids(distances, [0, 0], metric="precomputed").tolist() == [1]
    assert KMedoids(1, metric="precomputed").fit(distances).medoid_indices_.tolist() == [1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((TREES[:2], [0]), {}, "inconsistent"),
        ((DISTANCES[:2], [0, 0]), {"metric": "precomputed"}, "square matrix"),
        ((TREES[:2], [0, np.nan]), {}, "'labels' parameter of medoids"),
        ((TREES[:2], [0, 1]), {"metric": "cosine"}, "'metric' parameter of medoids"),
        ((TREES[:2], [0, 1]), {"n_jobs": 0}, "'n_jobs' parameter of medoids"),
    ],
)
def test_wrong_arguments_of_medoids(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        medoids(*arguments, **options)
