"""A kind of costs that is defined outside the package works everywhere."""

import copy
import pickle
from random import Random

import joblib
import numpy as np
import pytest
from sklearn.base import clone

import treemetric as tm
from treemetric.classification import MedianGLVQ
from treemetric.distributed import joblib_distances, pairwise_distances
from treemetric.learning import GESL, LVQCosts
from treemetric.plotting import plot_costs
from treemetric.transformers import TreeDistances


class Steps(tm.Costs):
    """Labels are numbers; replacing costs a quarter of their difference, and a gap costs 1."""

    def __init__(self, up=0.25):
        self.up = up

    def to_matrix(self, alphabet=None):
        labels = tuple(alphabet)
        steps = np.subtract.outer(np.array(labels), np.array(labels))
        matrix = np.ones((len(labels) + 1, len(labels) + 1))
        matrix[:-1, :-1] = np.where(steps < 0, -self.up * steps, 0.25 * steps)
        matrix[-1, -1] = 0.0
        return tm.CostMatrix(labels, matrix)


class Shelf(Steps):
    """The same with an alphabet of its own."""

    _has_own_alphabet = True

    def to_matrix(self, alphabet=None):
        return super().to_matrix(range(6) if alphabet is None else alphabet)


def make_tree(rng, size):
    parents = [-1, *(rng.randrange(max(0, node - 3), node) for node in range(1, size))]
    # Only parents on the rightmost path keep the preorder.
    path = []
    for node, parent in enumerate(parents):
        while path and path[-1] > parent:
            path.pop()
        parents[node] = path[-1] if path else -1
        path.append(node)
    return tm.Tree.from_parents([rng.randrange(6) for _ in parents], parents)


RNG = Random(3)
TREES = tm.TreeSet([make_tree(RNG, RNG.randint(1, 12)) for _ in range(24)])
CLASSES = [k % 2 for k in range(len(TREES))]
KINDS = [Steps(), Steps(up=0.5), Shelf()]


@pytest.fixture(params=KINDS, ids=["symmetric", "asymmetric", "own alphabet"])
def costs(request):
    return request.param


@pytest.fixture
def table(costs):
    """The equivalent table."""
    return costs.to_matrix(range(6))


def test_pairs_of_trees(costs, table):
    x, y = TREES[0], TREES[1]
    assert tm.distance(x, y, costs=costs) == tm.distance(x, y, costs=table)
    assert tm.distance(x, y, costs=costs, cutoff=0.5) == tm.distance(x, y, costs=table, cutoff=0.5)
    found, expected = tm.align(x, y, costs=costs), tm.align(x, y, costs=table)
    assert found.cost == expected.cost
    assert found.edits() == expected.edits()
    assert found.inverse().cost == expected.inverse().cost
    np.testing.assert_array_equal(
        tm.subtree_distances(x, y, costs=costs), tm.subtree_distances(x, y, costs=table)
    )
    assert tm.cooptimal(x, y, costs=costs).count == tm.cooptimal(x, y, costs=table).count
    soft, expected = (tm.soft_alignment(x, y, costs=one) for one in (costs, table))
    assert soft.cost == expected.cost


@pytest.mark.parametrize("options", [{}, {"cutoff": 2.5}, {"condensed": True}, {"n_jobs": 2}])
def test_matrices_in_memory(costs, table, options):
    if options.get("condensed") and not table.is_symmetric():
        with pytest.raises(ValueError, match="'condensed' parameter"):
            tm.pairwise_distances(TREES, costs=costs, **options)
        return
    found = tm.pairwise_distances(TREES, costs=costs, **options)
    np.testing.assert_array_equal(found, tm.pairwise_distances(TREES, costs=table, **options))
    if "condensed" not in options:
        found = tm.pairwise_distances(TREES[:5], TREES[9:], costs=costs, **options)
        expected = tm.pairwise_distances(TREES[:5], TREES[9:], costs=table, **options)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["D.npy", "D.zarr"])
def test_files(costs, table, name, tmp_path):
    if name.endswith("zarr"):
        pytest.importorskip("zarr")
    path = tmp_path / name
    found = tm.pairwise_distances(TREES, costs=costs, out=path)
    np.testing.assert_array_equal(found[:], tm.pairwise_distances(TREES, costs=table))
    # Equal costs resume the file, other costs do not.
    tm.pairwise_distances(TREES, costs=type(costs)(costs.up), out=path)
    with pytest.raises(ValueError, match="other costs"):
        tm.pairwise_distances(TREES, costs=Steps(up=0.75), out=path)


def test_dask(costs, table, tmp_path):
    pytest.importorskip("dask")
    expected = tm.pairwise_distances(TREES, costs=table)
    # Other processes need not import this file.
    lazy = pairwise_distances(TREES, costs=costs)
    found = lazy.compute(scheduler="processes", num_workers=1)
    np.testing.assert_array_equal(found, expected)
    distributed = pytest.importorskip("distributed")
    with distributed.Client(processes=False, dashboard_address=":0") as client:
        found = pairwise_distances(TREES, costs=costs, client=client, out=tmp_path / "D.npy")
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(costs, table, backend, tmp_path):
    expected = tm.pairwise_distances(TREES, costs=table)
    with joblib.parallel_config(backend, n_jobs=2):
        np.testing.assert_array_equal(joblib_distances(TREES, costs=costs), expected)
        found = joblib_distances(TREES, costs=costs, out=tmp_path / "D.npy")
    np.testing.assert_array_equal(found, expected)


def assert_same_neighbors(found, expected):
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_searches(costs, table):
    for pair in ((TREES,), (TREES[:5], TREES[5:])):
        assert_same_neighbors(
            tm.nearest(*pair, k=3, costs=costs), tm.nearest(*pair, k=3, costs=table)
        )
        found = tm.within(*pair, radius=2.5, costs=costs)
        assert_same_neighbors(found, tm.within(*pair, radius=2.5, costs=table))


def test_an_index(costs, table):
    index = tm.TreeIndex(TREES[5:], costs=costs)
    for one in (index, pickle.loads(pickle.dumps(index))):
        assert_same_neighbors(
            one.nearest(TREES[:5], k=3), tm.nearest(TREES[:5], TREES[5:], costs=table, k=3)
        )
        assert_same_neighbors(one.within(radius=2), tm.within(TREES[5:], radius=2, costs=table))


def test_pivots_need_an_alphabet():
    with pytest.raises(ValueError, match="'n_pivots' parameter"):
        tm.TreeIndex(TREES, costs=Steps(), n_pivots=2)
    index = tm.TreeIndex(TREES, costs=Shelf(), n_pivots=2)
    assert_same_neighbors(index.nearest(k=3), tm.nearest(TREES, k=3, costs=Shelf().to_matrix()))


def test_counts(costs, table):
    found, expected = (tm.edit_counts(TREES[:5], TREES[9:], costs=one) for one in (costs, table))
    assert found.alphabet == expected.alphabet
    np.testing.assert_array_equal(found.dense(), expected.dense())
    np.testing.assert_array_equal(found.distances(costs), found.distances(table))


def test_axioms(costs, table):
    assert costs.is_symmetric(range(6)) == table.is_symmetric()
    assert costs.violations(range(6)) == table.violations()
    np.testing.assert_array_equal(costs.closure(range(6)).matrix, table.closure().matrix)


def test_estimators(costs, table):
    for estimator in (MedianGLVQ(random_state=0), TreeDistances()):
        found, expected = (
            clone(estimator).set_params(costs=one).fit(TREES, CLASSES) for one in (costs, table)
        )
        if isinstance(estimator, TreeDistances):
            np.testing.assert_array_equal(found.transform(TREES), expected.transform(TREES))
        else:
            np.testing.assert_array_equal(found.predict(TREES), expected.predict(TREES))


@pytest.mark.parametrize("learner", [LVQCosts(max_iter=2, random_state=0), GESL()])
def test_learners_start_from_it(costs, table, learner):
    found, expected = (
        clone(learner).set_params(initial_costs=one).fit(TREES, CLASSES) for one in (costs, table)
    )
    # The alphabet of the table is sorted, that of the trees is not.
    labels = TREES.alphabet
    matrices = [one.costs_.to_matrix(labels).matrix for one in (found, expected)]
    np.testing.assert_allclose(*matrices, atol=1e-6)


def test_copies(costs):
    x, y = TREES[0], TREES[1]
    expected = tm.distance(x, y, costs=costs)
    for other in (copy.copy(costs), copy.deepcopy(costs), pickle.loads(pickle.dumps(costs))):
        assert tm.distance(x, y, costs=other) == expected


def test_plots_ask_for_an_alphabet():
    pytest.importorskip("matplotlib").use("Agg")
    plot_costs(Shelf())
    plot_costs(Steps(), alphabet=range(3))
    with pytest.raises(ValueError, match="'alphabet' parameter of plot_costs"):
        plot_costs(Steps())


def test_one_method_is_enough_and_needed():
    class Nothing(tm.Costs):
        pass

    with pytest.raises(TypeError, match="to_matrix"):
        Nothing()
    assert Steps.__abstractmethods__ == frozenset()
    assert tm.Costs.__abstractmethods__ == {"to_matrix"}
