"""BEDL: the simplex, the gradient, the alternation, and what it learns."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import treemetric as tm
from treemetric._estimators.squashing import Squash
from treemetric.classification import MedianGLVQ
from treemetric.datasets import make_strings
from treemetric.learning import BEDL
from treemetric.learning._embedding import EmbeddingLoss, low_simplex, merged, simplex
from treemetric.learning.symbol_counts import SymbolCounts, fold

STRINGS = make_strings(60, random_state=3)


def chains(*words):
    return [tm.Tree.from_sequence(word) for word in words]


def some_counts(trees, squash=None, seed=0):
    """Symbol counts from each tree to two others."""
    random = np.random.RandomState(seed)
    n = len(trees)
    targets = random.randint(n, size=2 * n)
    pairs = np.c_[np.tile(np.arange(n), 2), targets]
    return fold(tm.edit_counts(trees, pairs=pairs), tm.TreeSet(trees).alphabet)


def lvq_loss(learner, trees, y, squash=None):
    """The loss of a fitted learner, from its public attributes."""
    found = tm.pairwise_distances(trees, trees[learner.prototypes_], costs=learner.costs_)
    own = learner.prototype_labels_ == np.asarray(y)[:, None]
    plus = np.where(own, found, np.inf).min(axis=1)
    minus = np.where(own, np.inf, found).min(axis=1)
    total = plus + minus
    mu = np.divide(plus - minus, total, out=np.zeros_like(total), where=total > 0)
    return float((squash or Squash()).value(mu).sum())


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 57])
def test_the_simplex_has_side_1(count):
    corners = simplex(count)
    assert corners.shape == (count, count)
    costs = tm.EmbeddingCosts(range(count), corners) if count else tm.UnitCosts().to_matrix("")
    np.testing.assert_allclose(costs.matrix, 1 - np.eye(count + 1), atol=1e-12)


def test_the_start_is_the_unit_cost_distance():
    trees = STRINGS.data
    costs = tm.EmbeddingCosts(trees.alphabet, simplex(len(trees.alphabet)))
    found = tm.pairwise_distances(trees, costs=costs)
    np.testing.assert_allclose(found, tm.pairwise_distances(trees), rtol=1e-12)
    start = BEDL(max_iter=0).fit(trees, STRINGS.target)
    assert start.loss_curve_.shape == (1,)
    assert start.n_iter_ == 0
    np.testing.assert_allclose(start.transform(trees), found)


@given(st.integers(2, 20), st.data())
def test_fewer_dimensions_keep_mean_squared_costs(count, data):
    dimension = data.draw(st.integers(2, count))
    points = low_simplex(count, dimension, np.random.RandomState(0))
    assert points.shape == (count, dimension)
    squares = tm.EmbeddingCosts(range(count), points).matrix ** 2
    assert squares[:-1, -1].mean() == pytest.approx(1)
    assert squares[:-1, :-1].sum() / (count * (count - 1)) == pytest.approx(1)


def test_all_dimensions_are_the_simplex_up_to_rotation():
    points = low_simplex(6, 6, np.random.RandomState(0))
    np.testing.assert_allclose(points @ points.T, simplex(6) @ simplex(6).T, atol=1e-12)
    line = low_simplex(6, 1, np.random.RandomState(0))
    assert np.mean(line**2) == pytest.approx(1)


@pytest.mark.parametrize("squash", [Squash(), Squash("logistic", 3.0)])
@pytest.mark.parametrize("strength", [0.0, 0.7])
@pytest.mark.parametrize("dimension", [2, 4])
def test_the_gradient_is_that_of_finite_differences(squash, strength, dimension):
    random = np.random.RandomState(1)
    loss = EmbeddingLoss(
        some_counts(STRINGS.data), squash, random.normal(size=(4, dimension)), strength
    )
    at = random.normal(size=4 * dimension)
    numeric = approx_fprime(at, lambda x: loss(x)[0], 1e-7)
    np.testing.assert_allclose(loss(at)[1], numeric, rtol=1e-5, atol=1e-5)


def test_sparse_and_dense_products_agree(monkeypatch):
    random = np.random.RandomState(2)
    words = ["".join(random.choice(list("abcdefgh"), 8)) for _ in range(30)]
    trees, start = chains(*words), random.normal(size=(8, 8))
    dense = EmbeddingLoss(some_counts(trees), Squash(), start, 0.1)
    monkeypatch.setattr("treemetric.learning.symbol_counts._DENSE_ENTRIES", 0)
    monkeypatch.setattr("treemetric.learning.symbol_counts._DENSE_SHARE", 2.0)
    monkeypatch.setattr("treemetric.learning._embedding._DENSE_ENTRIES", 0)
    sparse = EmbeddingLoss(some_counts(trees), Squash(), start, 0.1)
    assert not isinstance(sparse.counts.plus, np.ndarray)
    assert not isinstance(sparse.incidence, np.ndarray)
    at = random.normal(size=64)
    assert dense(at)[0] == pytest.approx(sparse(at)[0])
    np.testing.assert_allclose(dense(at)[1], sparse(at)[1], atol=1e-12)


def test_the_norm_at_0_has_the_subgradient_0():
    counts = some_counts(STRINGS.data)
    vectors = np.ones((4, 3))
    loss, gradient = EmbeddingLoss(counts, Squash(), vectors)(vectors.ravel())
    assert np.isfinite(loss)
    assert np.isfinite(gradient).all()
    zero, gradient = EmbeddingLoss(counts, Squash(), vectors)(np.zeros(12))
    assert zero == 0
    np.testing.assert_array_equal(gradient, 0)


@given(st.integers(0, 100))
def test_counts_are_priced_as_the_counts_of_all_symbols(seed):
    trees = list(STRINGS.data[:10])
    counts = some_counts(trees, seed=seed)
    random = np.random.RandomState(seed)
    costs = tm.EmbeddingCosts(tm.TreeSet(trees).alphabet, random.normal(size=(4, 2)))
    targets = np.random.RandomState(seed).randint(10, size=20)
    full = tm.edit_counts(trees, pairs=np.c_[np.tile(np.arange(10), 2), targets])
    prices = costs.matrix[counts.first, counts.second]
    found = np.concatenate([counts.plus @ prices, counts.minus @ prices])
    np.testing.assert_allclose(found, full.distances(costs), atol=1e-12)


def test_counts_that_vanish_have_no_gradient():
    nothing = SymbolCounts(np.zeros((2, 1)), np.zeros((2, 1)), np.array([0]), np.array([1]))
    loss, gradient = nothing.loss(np.array([1.0]), Squash("logistic"))
    assert loss == 1.0
    assert gradient.tolist() == [0.0]


def test_vectors_as_good_as_equal_are_merged():
    vectors = np.array([[1.0, 0.0], [1.0, 1e-9], [0.0, 1.0], [0.0, 1e-9]])
    together = merged(vectors)
    np.testing.assert_array_equal(together[0], together[1])
    np.testing.assert_array_equal(together[2:], [[0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(together, vectors, atol=2e-9)
    apart = np.eye(3)
    assert merged(apart) is apart


@pytest.mark.parametrize("parameters", [{}, {"squashing": "logistic"}, {"max_inner_iter": 3}])
def test_the_loss_never_rises_and_is_what_it_says(parameters):
    trees, y = STRINGS.data, STRINGS.target
    learner = BEDL(2, regularisation=0.0, **parameters).fit(trees, y)
    curve = learner.loss_curve_
    assert (np.diff(curve) <= 0).all()
    assert learner.loss_ == curve[-1] < curve[0]
    assert learner.n_iter_ == len(curve) - 1 <= 20
    squash = Squash(learner.squashing, learner.slope)
    assert lvq_loss(learner, trees, y, squash) == pytest.approx(learner.loss_)
    start = BEDL(2, **parameters).set_params(max_iter=0).fit(trees, y)
    assert start.loss_ == pytest.approx(curve[0])


@pytest.mark.parametrize("seed", range(3))
def test_strings_are_told_apart(seed):
    strings = make_strings(120, random_state=seed)
    for train, test in StratifiedKFold(3).split(strings.target, strings.target):
        X, y = strings.data[train], strings.target[train]
        learner = BEDL(2).fit(X, y)
        nearest = make_pipeline(learner, KNeighborsClassifier(1, metric="precomputed")).fit(X, y)
        median = MedianGLVQ(2, costs=learner.costs_).fit(X, y)
        for model in (learner, nearest, median):
            assert model.score(strings.data[test], strings.target[test]) == 1.0
    unit = KNeighborsClassifier(1, metric="precomputed")
    before = make_pipeline(BEDL(max_iter=0), unit)
    assert cross_val_score(before, strings.data, strings.target, cv=3).mean() < 0.95


def test_the_learned_costs_say_what_matters():
    costs = BEDL(2, regularisation=0.0).fit(STRINGS.data, STRINGS.target).costs_
    assert isinstance(costs, tm.EmbeddingCosts)
    assert costs.is_pseudo_metric()
    price = dict(zip(costs.alphabet, range(4), strict=True))
    a, b, c = (price[label] for label in "abc")
    assert costs.matrix[a, b] < 0.01 * costs.matrix[a, c]
    # The scale stays that of the simplex.
    assert np.mean(costs.matrix[:-1, -1] ** 2) == pytest.approx(1, rel=1e-3)


def test_same_result_again_and_on_any_number_of_threads():
    found = [
        BEDL(2, n_components=3, random_state=5, n_jobs=jobs).fit(STRINGS.data, STRINGS.target)
        for jobs in (None, None, 2)
    ]
    for other in found[1:]:
        assert other.costs_ == found[0].costs_
        np.testing.assert_array_equal(other.prototypes_, found[0].prototypes_)
        np.testing.assert_array_equal(other.loss_curve_, found[0].loss_curve_)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 9])
def test_dimensions(dimension):
    learner = BEDL(n_components=dimension, random_state=0).fit(STRINGS.data, STRINGS.target)
    assert learner.costs_.vectors.shape == (4, min(dimension, 4))
    assert isinstance(learner.initial_costs_, tm.UnitCosts) == (dimension >= 4)
    assert learner.loss_ <= learner.loss_curve_[0]


def test_a_start_of_your_own():
    vectors = np.random.RandomState(0).normal(size=(5, 2))
    init = tm.EmbeddingCosts("dxcba", vectors)
    learner = BEDL(init=init).fit(STRINGS.data, STRINGS.target)
    assert learner.initial_costs_ is init
    assert learner.costs_.alphabet == init.alphabet
    assert learner.loss_ < learner.loss_curve_[0]
    start = BEDL(init=init, max_iter=0).fit(STRINGS.data, STRINGS.target)
    np.testing.assert_array_equal(start.costs_.vectors, vectors)
    # A label that only the start knows has a cost.
    assert learner.predict(chains("xx")).shape == (1,)
    with pytest.raises(tm.exceptions.UnknownLabelError):
        BEDL(init=tm.EmbeddingCosts("ab", np.eye(2))).fit(STRINGS.data, STRINGS.target)


def test_learning_goes_on_from_what_was_learned():
    first = BEDL(regularisation=0.0, max_iter=1, max_inner_iter=3)
    first.fit(STRINGS.data, STRINGS.target)
    second = BEDL(regularisation=0.0, init=first.costs_, fallback=False)
    second.fit(STRINGS.data, STRINGS.target)
    assert second.loss_curve_[0] == pytest.approx(first.loss_, rel=1e-6)
    assert second.loss_ < first.loss_


def test_regularisation_keeps_the_start():
    start = simplex(4)
    apart = [
        np.linalg.norm(
            BEDL(regularisation=weight).fit(STRINGS.data, STRINGS.target).costs_.vectors - start
        )
        for weight in (0.1, 10.0, 1e5)
    ]
    assert apart[0] > apart[1] > apart[2]
    assert apart[2] < 1e-2


def test_soft_alignments():
    learner = BEDL(2, temperature=0.2).fit(STRINGS.data, STRINGS.target)
    assert learner.loss_ < learner.loss_curve_[0]
    assert learner.score(STRINGS.data, STRINGS.target) == 1.0
    pseudo = learner.set_params(distance="pseudo")
    counts = tm.edit_counts(STRINGS.data[:3], STRINGS.data, temperature=0.2)
    found = counts.distances(learner.costs_).reshape(3, -1)
    np.testing.assert_allclose(pseudo.transform(STRINGS.data[:3]), found)


def test_prototypes_by_class():
    y = np.where(STRINGS.target == 0, "first", "second")
    learner = BEDL({"first": 1, "second": 3}).fit(STRINGS.data, y)
    assert learner.prototype_labels_.tolist() == ["first", *["second"] * 3]
    assert (y[learner.prototypes_] == learner.prototype_labels_).all()
    assert BEDL([2, 1]).fit(STRINGS.data, y).prototypes_.shape == (3,)
    assert BEDL(100).fit(STRINGS.data, y).prototypes_.shape == (60,)


def test_one_class_learns_nothing():
    learner = BEDL().fit(STRINGS.data, np.zeros(60))
    assert learner.n_iter_ == 0
    assert set(learner.predict(STRINGS.data)) == {0.0}
    np.testing.assert_allclose(learner.transform(STRINGS.data), tm.pairwise_distances(STRINGS.data))


def test_one_tree():
    learner = BEDL(3).fit(chains("ab"), ["only"])
    assert learner.prototypes_.tolist() == [0]
    assert learner.predict(chains("b", "")).tolist() == ["only", "only"]


@pytest.mark.parametrize("distance", ["actual", "pseudo"])
def test_empty_trees(distance):
    trees = chains("", "a", "", "bb", "b")
    learner = BEDL(distance=distance).fit(trees, [0, 0, 0, 1, 1])
    assert np.isfinite(learner.transform(trees)).all()
    assert learner.predict(chains("")).tolist() == [0]
    nothing = BEDL(distance=distance, unseen="gap-like").fit(chains("", "", ""), [0, 1, 1])
    assert nothing.loss_ == 0
    assert nothing.transform(chains("ab")).tolist() == [[2.0] * 3]


def test_equal_trees_of_different_classes():
    trees = chains("ab", "ab", "ab", "ab")
    learner = BEDL().fit(trees, [0, 1, 0, 1])
    assert learner.loss_ == 0
    assert np.isfinite(learner.costs_.vectors).all()
    mixed = BEDL().fit([*trees, *chains("aa", "bb")], [0, 1, 0, 1, 0, 1])
    assert np.isfinite(mixed.loss_curve_).all()


def test_grid_search_over_prototypes():
    search = GridSearchCV(BEDL(), {"n_prototypes": [1, 2]}, cv=2, error_score="raise")
    search.fit(list(STRINGS.data), STRINGS.target)
    assert search.best_score_ == 1.0
    assert search.best_estimator_.predict(STRINGS.data[:3]).shape == (3,)


def test_pickles():
    learner = BEDL(2).fit(STRINGS.data, STRINGS.target)
    again = pickle.loads(pickle.dumps(learner))
    assert again.costs_ == learner.costs_
    assert isinstance(again.costs_, tm.EmbeddingCosts)
    np.testing.assert_array_equal(again.transform(STRINGS.data), learner.transform(STRINGS.data))


def test_lines_while_it_learns(capsys):
    learner = BEDL(verbose=2).fit(STRINGS.data, STRINGS.target)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == learner.n_iter_ + 2
    assert lines[0].startswith("[BEDL] learned costs; errors on trees left out: unit 0.")
    assert lines[1].startswith("[BEDL] iteration 0, loss ")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_prototypes", 0),
        ("n_prototypes", {0: 1}),
        ("n_components", 0),
        ("init", "random"),
        ("init", np.eye(4)),
        ("squashing", "tanh"),
        ("slope", 0),
        ("regularisation", -1.0),
        ("max_iter", -1),
        ("max_inner_iter", 0),
        ("tol", float("nan")),
        ("patience", 0),
        ("temperature", 0.0),
    ],
)
def test_parameters_are_checked(parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of BEDL") as error:
        BEDL(**{parameter: value}).fit(STRINGS.data, STRINGS.target)
    assert "Got" in str(error.value)


def test_dimension_and_start_must_agree():
    with pytest.raises(ValueError, match=r"'n_components' .* must be 'auto', None or 2"):
        BEDL(init=tm.EmbeddingCosts("abcd", np.ones((4, 2))), n_components=3).fit(
            STRINGS.data, STRINGS.target
        )


@pytest.mark.parametrize("scale", [1e-100, 1e-9, 1e8, 1e100])
def test_the_scale_of_the_start_does_not_matter(scale):
    strings = make_strings(60, random_state=0)
    alphabet = strings.data.alphabet
    init = tm.EmbeddingCosts(alphabet, scale * simplex(len(alphabet)))
    free = {"regularisation": 0.0}
    learner = BEDL(2, init=init, **free).fit(strings.data, strings.target)
    plain = BEDL(2, **free).fit(strings.data, strings.target)
    assert learner.loss_ == pytest.approx(plain.loss_, rel=1e-3)
    length = np.linalg.norm(learner.costs_.vectors / scale)
    assert length == pytest.approx(np.linalg.norm(simplex(len(alphabet))))


@pytest.mark.parametrize("scale", [2.0**-300, 2.0**30])
def test_the_regularisation_is_relative_to_the_start(scale):
    strings = make_strings(60, random_state=0)
    alphabet = strings.data.alphabet
    init = tm.EmbeddingCosts(alphabet, scale * simplex(len(alphabet)))
    learner = BEDL(2, init=init).fit(strings.data, strings.target)
    plain = BEDL(2, init=tm.EmbeddingCosts(alphabet, simplex(len(alphabet))))
    plain.fit(strings.data, strings.target)
    assert learner.loss_ == pytest.approx(plain.loss_)
    np.testing.assert_allclose(learner.costs_.vectors / scale, plain.costs_.vectors, atol=1e-6)


def test_labels_beyond_training_stay_where_they_are():
    strings = make_strings(60, random_state=0)
    alphabet = (*strings.data.alphabet, "y", "z")
    vectors = np.random.default_rng(0).standard_normal((len(alphabet), 3))
    # As good as equal to the first label, which must not pull it along.
    vectors[-2] = vectors[0] * (1 + 1e-9)
    init = tm.EmbeddingCosts(alphabet, vectors)
    learner = BEDL(2, regularisation=0.0, init=init).fit(strings.data, strings.target)
    assert learner.n_iter_ > 0
    np.testing.assert_array_equal(learner.costs_.vectors[-2:], vectors[-2:])
    np.testing.assert_allclose(
        np.linalg.norm(learner.costs_.vectors[:-2]), np.linalg.norm(vectors[:-2]), rtol=1e-6
    )
