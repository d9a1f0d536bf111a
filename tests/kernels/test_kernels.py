"""Kernels of trees against explicit enumeration of fragments, and scikit-learn's contract."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import feature_reference
import treemetric as tm
from shapes import make_tree
from strategies import tree_lists
from treemetric.datasets import make_strings
from treemetric.exceptions import CancelledError
from treemetric.features import TreeFeatures
from treemetric.kernels import GaussianProcessKernel, TreeKernel
from treemetric.testing import tree_estimator_checks

KINDS = ("path", "subtree", "subset-tree", "partial-tree")
MODELS = [*map(TreeKernel, KINDS), TreeKernel("subset-tree", normalize=False, decay=1.0)]


def vector(tree, kind, decay, depth_decay):
    """Return the features behind a kernel, one by one."""
    if kind == "path":
        return feature_reference.path_features(tree, 2)
    if kind == "subtree":
        return feature_reference.subtree_fragments(tree, decay)
    if kind == "subset-tree":
        return feature_reference.subset_fragments(tree, decay)
    return feature_reference.partial_fragments(tree, decay, depth_decay)


def some_trees(count, size, seed=0, shape="random"):
    rng = random.Random(seed)
    return [make_tree(rng, rng.randint(1, size), shape) for _ in range(count)]


@pytest.mark.parametrize(
    "check",
    [pytest.param(c, id=f"{e}-{c.__name__}") for e in MODELS for c in tree_estimator_checks(e)],
)
def test_our_checks(check):
    check()


@pytest.mark.parametrize("kind", KINDS)
@given(
    some=tree_lists(min_size=1, max_size=4, nodes=7, labels="ab"),
    others=tree_lists(max_size=3, nodes=7, labels="bac"),
    decay=st.floats(0.1, 1),
    depth_decay=st.floats(0.1, 1),
)
@settings(max_examples=60)
def test_kernels_are_inner_products(kind, some, others, decay, depth_decay):
    options = {"decay": decay, "depth_decay": depth_decay, "max_ancestors": 2}
    kernel = TreeKernel(kind, normalize=False, **options)
    rows, columns = ([vector(t, kind, decay, depth_decay) for t in s] for s in (some, others))

    def products(one, other):
        found = [[feature_reference.inner_product(x, y) for y in other] for x in one]
        return np.array(found).reshape(len(one), len(other))

    square, rectangle = products(rows, rows), products(rows, columns)
    assert np.allclose(kernel(some), square, rtol=1e-10)
    assert np.allclose(kernel(some, others), rectangle, rtol=1e-10)
    assert np.allclose(kernel._diagonal(tm.TreeSet(some)), np.diagonal(square), rtol=1e-10)
    # Normalised kernels are cosines; the kernel of an empty tree is 0.
    lengths = np.sqrt(np.diagonal(square))
    lengths = np.where(lengths > 0, lengths, 1)
    normal = TreeKernel(kind, **options)
    found = normal(some)
    assert np.allclose(found, square / np.outer(lengths, lengths), rtol=1e-10)
    assert np.diagonal(found).tolist() == [float(tree.size > 0) for tree in some]
    assert np.array_equal(found, found.T)
    assert normal.fit(some).transform(some) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_are_positive_semi_definite(kind, normalize):
    some = [*some_trees(40, 25), *some_trees(10, 25, 1, "forest"), tm.Tree.from_bracket("")]
    found = TreeKernel(kind, normalize=normalize)(some)
    values = np.linalg.eigvalsh(found)
    assert values.min() > -1e-12 * values.max()
    assert values.max() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing(kind):
    some = tm.TreeSet(some_trees(300, 30))
    one, many = TreeKernel(kind), TreeKernel(kind, n_jobs=3)
    assert np.array_equal(one(some), many(some))
    assert np.array_equal(one(some[:7], some), many(some[:7], some))


def test_path_kernels_are_products_of_features():
    some = some_trees(20, 30)
    rows = TreeFeatures("paths").fit_transform(some)
    assert np.array_equal(TreeKernel(normalize=False)(some), (rows @ rows.T).toarray())


def test_large_trees():
    n = 30_000
    deep = tm.Tree.from_parents(["a"] * n, range(-1, n - 1))
    other = tm.Tree.from_parents(["a"] * (n - 1) + ["b"], range(-1, n - 1))
    for kind in ("path", "subtree"):
        found = TreeKernel(kind)([deep, other])
        assert np.isfinite(found).all()
        assert 0 <= found[0, 1] <= 1
    names = [str(i) for i in range(n)]
    deep = tm.Tree.from_parents(names, range(-1, n - 1))
    small = tm.Tree.from_sequence("ab")
    for kind in ("subset-tree", "partial-tree"):
        assert TreeKernel(kind)([deep, small]).tolist() == [[1, 0], [0, 1]]


def test_kernels_that_are_too_large_are_an_error():
    wide = tm.Tree.from_parents(["a"] * 5000, [-1] + [0] * 4999)
    kernel = TreeKernel("subset-tree", decay=1.0)
    with pytest.raises(ValueError, match=r"trees 0 and 0 is too large .* use a smaller decay"):
        kernel([wide])
    with pytest.raises(ValueError, match="too large for a float64"):
        kernel([wide], [wide])
    with pytest.raises(ValueError, match="tree 0 with itself is too large"):
        GaussianProcessKernel(kernel).diag([wide])


def test_machines_on_kernels():
    strings = make_strings(60, random_state=0)
    model = make_pipeline(TreeKernel("partial-tree"), SVC(kernel="precomputed"))
    scores = cross_val_score(model, strings.data, strings.target, cv=3, error_score="raise")
    assert scores.shape == (3,)
    grid = {"treekernel__kind": KINDS, "svc__C": [1.0]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(strings.data, strings.target)
    assert search.best_params_["treekernel__kind"] in KINDS
    # A kernel is also a function that SVC calls; gamma must be a number then.
    whole = TreeKernel("path")
    called = SVC(kernel=whole, gamma=1.0).fit(strings.data, strings.target)
    given_ = SVC(kernel="precomputed").fit(whole(strings.data), strings.target)
    assert np.array_equal(called.predict(strings.data), given_.predict(whole(strings.data)))


def test_gaussian_processes():
    some = some_trees(30, 12)
    noise = np.random.default_rng(0).normal(size=len(some))
    sizes = np.array([float(tree.size) for tree in some]) + noise
    kernel = ConstantKernel(1.0) * GaussianProcessKernel(TreeKernel("path")) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, normalize_y=True).fit(some, sizes)
    mean, deviation = model.predict(some, return_std=True)
    assert np.corrcoef(mean, sizes)[0, 1] > 0.7
    assert (deviation >= 0).all()
    assert model.log_marginal_likelihood_value_ > -100
    classes = sizes > np.median(sizes)
    classifier = GaussianProcessClassifier(
        ConstantKernel(1.0) * GaussianProcessKernel(TreeKernel("path"))
    )
    chances = classifier.fit(some, classes).predict_proba(some)
    assert chances.shape == (30, 2)
    assert repr(clone(kernel)) == repr(kernel)
    assert "TreeKernel" in repr(kernel)
    with pytest.raises(TypeError, match="'kernel' parameter of GaussianProcessKernel"):
        GaussianProcessKernel("path")(some)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "tree"}, "'kind' parameter of TreeKernel must be a str among"),
        (
            {"decay": 0},
            r"'decay' parameter of TreeKernel must be a float in the range \(0.0, 1.0\]",
        ),
        ({"decay": 1.5}, "'decay' parameter"),
        ({"depth_decay": "1"}, "'depth_decay' parameter"),
        ({"max_ancestors": 1.0}, "'max_ancestors' parameter"),
        ({"n_jobs": "all"}, "'n_jobs' parameter"),
        ({"verbose": -1}, "'verbose' parameter"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        TreeKernel(**options).fit([tm.Tree.from_sequence("a")])


def test_kernels_can_be_stopped():
    some = tm.TreeSet(some_trees(400, 200))
    kernel, found = ("partial-tree", 0.4, 0.4, 4), np.empty((400, 400))
    arrays = (some.codes, some.parents, some.offsets)
    seen = []
    with pytest.raises(CancelledError):
        tm._core.tree_kernels(
            arrays, None, kernel, found, (1, lambda done, total: seen.append(total) or False)
        )
    assert set(seen) == {400 * 401 // 2}


def test_kernels_of_gaussian_processes_are_compared_by_parameters():
    kernel = GaussianProcessKernel(TreeKernel("path"))
    assert kernel == GaussianProcessKernel(TreeKernel("path"))
    assert kernel != GaussianProcessKernel(TreeKernel("subtree"))
    assert kernel != TreeKernel("path")


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_of_empty_trees_are_zero(kind):
    empty = [tm.Tree.from_sequence(""), tm.Tree.from_sequence("a")]
    found = TreeKernel(kind, normalize=False)(empty)
    assert not np.signbit(found).any()
    assert found[0].tolist() == [0.0, 0.0]
