"""Data frames from transformers, and the examples of docs/estimators.md."""

import doctest
from pathlib import Path

import numpy as np
import pytest
import sklearn

import treemetric as tm
from treemetric.classification import DistanceSVC
from treemetric.clustering import KMedoids
from treemetric.features import TreeFeatures
from treemetric.kernels import TreeKernel
from treemetric.learning import BEDL, GESL, LVQCosts
from treemetric.transformers import TreeDistances, TreeNeighborsGraph

TREES = [tm.Tree.from_sequence(w) for w in ("aaa", "aab", "aba", "ccc", "ccd", "cdc")]
Y = [0, 0, 0, 1, 1, 1]
TRANSFORMERS = [
    TreeDistances(),
    TreeKernel(),
    TreeFeatures(sparse_output=False),
    TreeFeatures(hashing=8, sparse_output=False),
    KMedoids(2),
    BEDL(random_state=0),
    LVQCosts(random_state=0),
    GESL(),
]
PAGE = Path(__file__).parents[2] / "docs" / "estimators.md"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("model", TRANSFORMERS, ids=str)
def test_data_frames(model, library):
    frames = pytest.importorskip(library)
    plain = sklearn.base.clone(model).fit(TREES, Y)
    expected = plain.transform(TREES)
    framed = sklearn.base.clone(model).set_output(transform=library)
    for found in (framed.fit_transform(TREES, Y), framed.transform(TREES)):
        assert isinstance(found, frames.DataFrame)
        assert list(found.columns) == plain.get_feature_names_out().tolist()
        np.testing.assert_allclose(found.to_numpy(), expected, atol=1e-12)


def test_sparse_results_under_a_global_setting():
    pytest.importorskip("pandas")
    expected = TreeNeighborsGraph(2).fit_transform(TREES)
    model = DistanceSVC(kernel=TreeFeatures()).fit(TREES, Y)
    with sklearn.config_context(transform_output="pandas"):
        graph = TreeNeighborsGraph(2).fit_transform(TREES)
        assert (graph != expected).nnz == 0
        found = DistanceSVC(kernel=TreeFeatures()).fit(TREES, Y).decision_function(TREES)
        with pytest.raises(ValueError, match="sparse"):
            TreeFeatures().fit_transform(TREES)
    np.testing.assert_array_equal(found, model.decision_function(TREES))
    assert not hasattr(TreeNeighborsGraph(), "set_output")


def test_features_as_an_array():
    sparse, dense = TreeFeatures(), TreeFeatures(sparse_output=False)
    np.testing.assert_array_equal(dense.fit_transform(TREES), sparse.fit_transform(TREES).toarray())
    twin = DistanceSVC(kernel=sparse).fit(TREES, Y).decision_function(TREES)
    found = DistanceSVC(kernel=dense).fit(TREES, Y).decision_function(TREES)
    np.testing.assert_array_equal(found, twin)
    with pytest.raises(TypeError, match="'sparse_output' parameter of TreeFeatures"):
        TreeFeatures(sparse_output="no").fit(TREES)


@pytest.mark.skipif(not PAGE.exists(), reason="documents are not part of a source distribution")
def test_examples_of_the_page():
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 8
    assert found.failed == 0
