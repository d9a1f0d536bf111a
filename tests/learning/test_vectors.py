"""Learning a projection of the labels' vectors: gradient, prototypes, alternation, distances."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import treemetric as tm
from treemetric._estimators.prototypes import select_prototypes
from treemetric._estimators.squashing import Squash
from treemetric.learning import BEDL, LearnedMetric
from treemetric.learning._projection import (
    ProjectionLoss,
    cost_of_squares,
    first_projection,
    fold_vectors,
)

KINDS = ("cosine", "chord", "angle", "euclidean")
WORDS = tuple(f"w{number}" for number in range(30))


def word_vectors(seed=0, dimension=5, dtype="float64"):
    """Vectors whose first number separates two kinds of words; the others are noise."""
    vectors = 2.0 * np.random.RandomState(seed).standard_normal((len(WORDS), dimension))
    vectors[:, 0] = np.where(np.arange(len(WORDS)) % 2, 1.0, -1.0)
    vectors[-1] = 0.0
    return vectors.astype(dtype)


def sentences(count=40, seed=0):
    """Trees of words, most of them of the kind of the class; inner nodes have no vector."""
    random = np.random.RandomState(seed)
    classes = np.arange(count) % 2
    trees = []
    for code in classes:
        leaves = random.randint(2, 6)
        flips = random.random_sample(leaves) < 0.15
        chosen = [WORDS[2 * random.randint(15) + int(code ^ flip)] for flip in flips]
        trees.append(tm.Tree.from_nested(("*", [*chosen[:1], ("*", chosen[1:])])))
    return tm.TreeSet(trees), classes


def costs_of(kind="cosine", **options):
    return tm.VectorCosts(WORDS, word_vectors(), kind=kind, **options)


TREES, CLASSES = sentences()


def some_counts(costs, seed=0):
    """Counts from each tree to two others, and the pairs."""
    random = np.random.RandomState(seed)
    pairs = np.c_[
        np.tile(np.arange(len(TREES)), 2), random.randint(len(TREES), size=2 * len(TREES))
    ]
    return fold_vectors(tm.edit_counts(TREES, pairs=pairs, costs=costs), costs), pairs


def lvq_loss(learner, trees, y, squash=None):
    """The loss of a fitted learner, from its public attributes."""
    found = tm.pairwise_distances(trees, trees[learner.prototypes_], costs=learner.costs_)
    own = learner.prototype_labels_ == np.asarray(y)[:, None]
    plus = np.where(own, found, np.inf).min(axis=1)
    minus = np.where(own, np.inf, found).min(axis=1)
    total = plus + minus
    mu = np.divide(plus - minus, total, out=np.zeros_like(total), where=total > 0)
    return float((squash or Squash()).value(mu).sum())


# --- the loss and its gradient -----------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rank", [1, 2, 5])
@pytest.mark.parametrize("strength", [0.0, 0.3])
@pytest.mark.parametrize("squash", [Squash(), Squash("logistic", 3.0)], ids=["id", "logistic"])
def test_the_gradient_is_that_of_finite_differences(kind, rank, strength, squash):
    costs = costs_of(kind)
    counts, _ = some_counts(costs)
    start = np.random.RandomState(1).standard_normal((5, rank))
    loss = ProjectionLoss(counts, squash, costs, start + 0.5, strength)
    _, gradient = loss(start.ravel())
    expected = approx_fprime(start.ravel(), lambda omega: loss(omega)[0], 1e-7)
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=2e-5)
    # On a line all costs but the Euclidean ones are steps.
    flat = rank == 1 and kind != "euclidean" and not strength
    assert (np.abs(gradient).max() < 1e-6) == flat


@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_the_gradient_of_one_pair(seed, kind):
    random = np.random.RandomState(seed)
    costs = tm.VectorCosts("abc", random.standard_normal((3, 3)), kind=kind)
    trees = [tm.Tree.from_sequence(label) for label in "abc"]
    counts = fold_vectors(
        tm.edit_counts(trees, pairs=[(0, 1), (0, 2)], costs=tm.CostMatrix("abc", 1 - np.eye(4))),
        costs,
    )
    loss = ProjectionLoss(counts, Squash(), costs, np.eye(3))
    omega = random.standard_normal(9)
    expected = approx_fprime(omega, lambda flat: loss(flat)[0], 1e-7)
    np.testing.assert_allclose(loss(omega)[1], expected, rtol=1e-3, atol=1e-4)


def test_the_gradient_of_the_cosine_is_that_of_the_source():
    random = np.random.RandomState(3)
    x, y, z = random.standard_normal((3, 4))
    omega = random.standard_normal((2, 4))  # of columns, as in the source
    costs = tm.VectorCosts("xyz", [x, y, z])

    def cost(u, v):
        a, b = omega @ u, omega @ v
        return (1 - a @ b / (np.linalg.norm(a) * np.linalg.norm(b))) / 2

    def slope(u, v):
        a, b = omega @ u, omega @ v
        p, q = np.linalg.norm(a), np.linalg.norm(b)
        s = a @ b / (p * q)
        inner = np.outer(a, v) + np.outer(b, u)
        inner -= s * (np.outer(a, u) * q / p + np.outer(b, v) * p / q)
        return -inner / (2 * p * q)

    trees = [tm.Tree.from_sequence(label) for label in "xyz"]
    found = tm.edit_counts(trees, pairs=[(0, 1), (0, 2)], costs=costs)
    counts = fold_vectors(found, costs)
    plus, minus = cost(x, y), cost(x, z)
    expected = 2 * (minus * slope(x, y) - plus * slope(x, z)) / (plus + minus) ** 2
    loss, gradient = ProjectionLoss(counts, Squash(), costs, omega.T)(omega.T.ravel())
    assert loss == pytest.approx((plus - minus) / (plus + minus))
    np.testing.assert_allclose(gradient.reshape(4, 2), expected.T, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_counts_price_to_distances(kind):
    costs = costs_of(kind)
    counts, pairs = some_counts(costs)
    found = tm.pairwise_distances(TREES, costs=costs)[tuple(pairs.T)]
    half = len(pairs) // 2
    assert (counts.first < counts.second).all()
    assert (np.diff(counts.first * 1000 + counts.second) > 0).all()
    loss, _ = ProjectionLoss(counts, Squash(), costs, np.eye(5))(np.eye(5).ravel())
    plus, minus = found[:half], found[half:]
    total = plus + minus
    mu = np.divide(plus - minus, total, out=np.zeros_like(total), where=total > 0)
    assert loss == pytest.approx(float(mu.sum()), abs=1e-8)
    edits = tm.edit_counts(TREES, pairs=pairs, costs=costs)
    np.testing.assert_allclose(edits.distances(costs), found, atol=1e-9)
    np.testing.assert_allclose(edits.distances(costs), found, atol=1e-9)


@pytest.mark.parametrize("kind", ["cosine", "chord", "angle"])
def test_costs_of_squares(kind):
    angles = np.linspace(0, np.pi, 9)
    squares = 2 - 2 * np.cos(angles)
    expected = {
        "cosine": (1 - np.cos(angles)) / 2,
        "chord": np.sin(angles / 2),
        "angle": angles / np.pi,
    }[kind]
    costs, slopes = cost_of_squares(squares, kind)
    np.testing.assert_allclose(costs, expected, atol=1e-9)
    inner = slice(1, -1)
    ahead = cost_of_squares(squares + 1e-7, kind)[0]
    np.testing.assert_allclose(slopes[inner], (ahead - costs)[inner] / 1e-7, rtol=1e-4)
    assert np.isfinite(slopes).all()


@pytest.mark.parametrize("turn", [1e-2, 1e-5, 1e-7])
def test_the_gradient_of_the_angle_of_nearly_opposite_vectors(turn):
    vectors = [[1.0, 0.0], [-np.cos(turn), np.sin(turn)], [0.0, 1.0]]
    costs = tm.VectorCosts("abc", vectors, kind="angle")
    trees = [tm.Tree.from_sequence(label) for label in "abc"]
    replaced = tm.CostMatrix("abc", 1 - np.eye(4))
    counts = tm.edit_counts(trees, pairs=[(0, 1), (0, 2)], costs=replaced)
    loss = ProjectionLoss(fold_vectors(counts, costs), Squash(), costs, np.eye(2))
    far, near = 1 - turn / np.pi, 0.5
    value, gradient = loss(np.eye(2).ravel())
    assert value == pytest.approx((far - near) / (far + near), abs=1e-14)
    expected = approx_fprime(np.eye(2).ravel(), lambda omega: loss(omega)[0], turn / 100)
    np.testing.assert_allclose(gradient, expected, rtol=2e-2, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_where_there_is_no_gradient_it_is_zero(kind):
    vectors = [[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]
    costs = tm.VectorCosts("abcd", vectors, kind=kind)
    trees = [tm.Tree.from_sequence(label) for label in "abcd"]
    unit = tm.UnitCosts()
    counts = fold_vectors(
        tm.edit_counts(trees, pairs=[(0, 1), (0, 3), (0, 2), (2, 3)], costs=unit), costs
    )
    loss = ProjectionLoss(counts, Squash(), costs, np.eye(2))
    for omega in (np.eye(2), np.zeros((2, 2))):
        value, gradient = loss(omega.ravel())
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


# --- where it starts ---------------------------------------------------------------


def test_the_start_of_a_projection():
    costs = costs_of()
    np.testing.assert_array_equal(first_projection(costs, WORDS, None), np.eye(5))
    np.testing.assert_array_equal(first_projection(costs, WORDS, 7), np.eye(5))
    low = first_projection(costs, WORDS, 2)
    np.testing.assert_allclose(low.T @ low, np.eye(2), atol=1e-12)
    # No other two directions keep more of the vectors.
    values = np.linalg.svd(costs.vectors)[1]
    assert np.linalg.norm(costs.vectors @ low) == pytest.approx(np.linalg.norm(values[:2]))
    given_one = np.random.RandomState(0).standard_normal((5, 3)).astype("float32")
    found = first_projection(costs.with_projection(given_one), WORDS, None)
    np.testing.assert_array_equal(found, given_one)
    assert found.dtype == np.float64


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_starts_from_the_given_costs(kind):
    costs = costs_of(kind)
    learner = BEDL(2, init=costs, max_iter=0).fit(TREES, CLASSES)
    found = tm.pairwise_distances(TREES, costs=costs)
    np.testing.assert_allclose(learner.transform(TREES), found, atol=1e-12)
    best = select_prototypes(found, CLASSES, 2)
    np.testing.assert_array_equal(learner.prototypes_, best.indices)
    assert learner.loss_ == pytest.approx(best.loss)
    assert learner.loss_curve_.shape == (1,)


# --- the alternation ---------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_components": 2},
        {"n_candidates": 5},
        {"batch_size": 8, "learning_rate": 0.05},
        {"regularisation": 0.5},
        {"squashing": "logistic"},
        {"temperature": 0.2},
    ],
    ids=lambda options: "-".join(options) or "plain",
)
def test_learning_lowers_the_loss(kind, options):
    options = {"max_iter": 4, "fallback": False, "random_state": 0, **options}
    learner = BEDL(2, init=costs_of(kind), **options)
    learner.fit(TREES, CLASSES)
    assert learner.loss_curve_[0] > learner.loss_curve_[-1] == learner.loss_
    assert (np.diff(learner.loss_curve_) <= 0).all()
    assert learner.n_iter_ == len(learner.loss_curve_) - 1 <= 4
    assert isinstance(learner.costs_, tm.VectorCosts)
    assert learner.costs_.kind == kind
    omega = learner.costs_.projection
    assert omega.shape == (5, options.get("n_components", 5))
    squash = Squash("logistic", 5.0) if "squashing" in options else Squash()
    start = learner.initial_costs_.projection
    away = np.sum((omega - start) ** 2) / np.mean(np.sum(start**2, axis=1))
    penalty = options.get("regularisation", 0.0) * len(TREES) * away
    assert lvq_loss(learner, TREES, CLASSES, squash) + penalty == pytest.approx(learner.loss_)
    if "regularisation" not in options:
        assert np.linalg.norm(omega) == pytest.approx(np.linalg.norm(start))
    assert learner.prototype_labels_.tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(CLASSES[learner.prototypes_], learner.prototype_labels_)


@pytest.mark.parametrize("kind", KINDS)
def test_what_tells_classes_apart_is_learned(kind):
    test, truth = sentences(60, seed=9)
    train, classes = sentences(80, seed=1)
    start = BEDL(2, init=costs_of(kind), max_iter=0).fit(train, classes)
    learned = BEDL(2, init=costs_of(kind), max_iter=8).fit(train, classes)
    assert learned.score(test, truth) > max(0.85, start.score(test, truth))

    def knn(learner):
        model = KNeighborsClassifier(5, metric="precomputed")
        model.fit(learner.transform(train), classes)
        return model.score(learner.transform(test), truth)

    assert knn(learned) > max(0.85, knn(start))
    # Of all directions the first counts most.
    weights = np.linalg.norm(learned.costs_.projection, axis=1)
    assert weights.argmax() == 0


@pytest.mark.parametrize("options", [{}, {"n_candidates": 4, "batch_size": 16}])
def test_the_result_depends_on_the_seed_only(options):
    fits = [
        BEDL(2, init=costs_of(), max_iter=3, random_state=5, n_jobs=jobs, **options)
        for jobs in (None, 1, 2)
    ]
    found = [learner.fit(TREES, CLASSES) for learner in fits]
    for other in found[1:]:
        assert other.costs_ == found[0].costs_
        np.testing.assert_array_equal(other.loss_curve_, found[0].loss_curve_)
        np.testing.assert_array_equal(other.prototypes_, found[0].prototypes_)


def test_single_precision_learns_the_same():
    single = tm.VectorCosts(WORDS, word_vectors(dtype="float32"))
    one, other = (BEDL(init=c, max_iter=2).fit(TREES, CLASSES) for c in (costs_of(), single))
    assert other.costs_.vectors.dtype == np.float32
    assert np.shares_memory(other.costs_.vectors, single.vectors)
    assert other.loss_ == pytest.approx(one.loss_, rel=1e-3)


def test_strong_regularisation_keeps_the_start():
    learner = BEDL(init=costs_of(), regularisation=1e6).fit(TREES, CLASSES)
    np.testing.assert_allclose(learner.costs_.projection, np.eye(5), atol=1e-3)


def test_a_given_projection_is_gone_on_from():
    first = BEDL(init=costs_of(), n_components=3, max_iter=2).fit(TREES, CLASSES)
    second = BEDL(init=first.costs_, max_iter=3).fit(TREES, CLASSES)
    assert second.loss_curve_[0] <= first.loss_ + 1e-9
    assert second.costs_.projection.shape == (5, 3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"batch_size": 1, "n_candidates": 1}])
def test_small_and_odd_training_sets(kind, options):
    chains = [tm.Tree.from_sequence(s) for s in (["w0"], ["w0"], ["*"], [], ["w29", "w1"])]
    for trees, classes in (
        (chains[:1], [0]),
        (chains, ["x"] * 5),
        (chains[:2], [0, 1]),  # equal trees of different classes
        (chains[2:4], [0, 1]),  # no vector at all
        (chains, [0, 1, 0, 1, 2]),
    ):
        learner = BEDL(init=costs_of(kind), max_iter=2, random_state=0, **options)
        learner.fit(trees, classes)
        assert np.isfinite(learner.loss_)
        assert np.isfinite(learner.costs_.projection).all()
        assert learner.transform(trees).shape == (len(trees), len(trees))
        assert set(learner.predict(trees)) <= set(classes)


# --- distances ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_actual_and_pseudo_distances(kind):
    learner = BEDL(2, init=costs_of(kind), max_iter=3).fit(TREES, CLASSES)
    actual = learner.transform(TREES[:7])
    np.testing.assert_allclose(
        actual, tm.pairwise_distances(TREES[:7], TREES, costs=learner.costs_), atol=1e-12
    )
    pseudo = learner.set_params(distance="pseudo").transform(TREES[:7])
    # Alignments of the start cannot be better than the best ones. Near a half turn, where the
    # sine of half the angle is flat, angles have half of the digits.
    assert (pseudo >= actual - (1e-6 if kind == "angle" else 1e-9)).all()
    counts = tm.edit_counts(TREES[:7], TREES, costs=learner.initial_costs_)
    priced = counts.distances(learner.costs_).reshape(7, -1)
    np.testing.assert_allclose(pseudo, priced, atol=1e-9)
    metric = learner.get_metric()
    assert metric(TREES[0], TREES[5]) == pytest.approx(pseudo[0, 5])
    other = learner.set_params(distance="actual").get_metric()
    assert other(TREES[0], TREES[5]) == pytest.approx(actual[0, 5])
    assert isinstance(metric, LearnedMetric)
    assert metric != other
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric
    assert again(TREES[0], TREES[5]) == metric(TREES[0], TREES[5])


@pytest.mark.parametrize("distance", ["actual", "pseudo"])
def test_words_that_training_did_not_see_have_their_vectors(distance):
    labels = set(TREES.alphabet)
    seen = [label in labels for label in WORDS]
    few, classes = TREES[:6], CLASSES[:6]
    assert len(few.alphabet) < sum(seen)
    learner = BEDL(init=costs_of(), max_iter=2, distance=distance).fit(few, classes)
    found = learner.transform(TREES)
    assert np.isfinite(found).all()
    # Labels without a vector are blank, unless the costs say otherwise.
    x = tm.Tree.from_sequence(["w0", "never seen"])
    y = tm.Tree.from_sequence(["w0"])
    np.testing.assert_array_equal(learner.transform([x]), learner.transform([y]))
    strict = tm.VectorCosts((*WORDS, "*"), np.vstack([word_vectors(), np.ones(5)]), unknown="error")
    learner = BEDL(init=strict, max_iter=1, distance=distance).fit(few, classes)
    with pytest.raises(tm.exceptions.UnknownLabelError, match="'never seen'"):
        learner.predict([x])


def test_learners_with_vectors_pickle_clone_and_search():
    learner = BEDL(init=costs_of(), max_iter=2, n_candidates=6, random_state=0)
    fitted = clone(learner).fit(TREES, CLASSES)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.costs_ == fitted.costs_
    np.testing.assert_array_equal(again.predict(TREES), fitted.predict(TREES))
    assert clone(learner).init is learner.init
    grid = GridSearchCV(learner, {"n_components": [1, None]}, cv=2).fit(TREES, CLASSES)
    assert grid.best_score_ > 0.5
    pipeline = make_pipeline(learner, KNeighborsClassifier(3, metric="precomputed"))
    assert cross_val_score(pipeline, TREES, CLASSES, cv=2).mean() > 0.5


# --- arguments ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, r"'n_components' .* an int in the range \[1, inf\)"),
        ({"n_candidates": 0}, r"'n_candidates' .* an int in the range \[1, inf\). Got 0"),
        ({"n_candidates": 2.5}, "'n_candidates' .* Got 2.5"),
        ({"batch_size": 0}, r"'batch_size' .* an int in the range \[1, inf\). Got 0"),
        ({"batch_size": True}, "'batch_size' .* Got True"),
        ({"learning_rate": 0}, r"'learning_rate' .* in the range \(0.0, inf\). Got 0"),
        ({"learning_rate": float("nan")}, "'learning_rate' .* Got nan"),
        ({"init": "identity"}, "'init' .* 'simplex' or an instance of"),
        (
            {"init": costs_of().with_projection(np.eye(5)[:, :2]), "n_components": 3},
            "'n_components' .* 'auto', None or 2, the dimension after the projection of 'init'",
        ),
    ],
)
def test_bad_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        BEDL(**{"init": costs_of(), **options}).fit(TREES, CLASSES)
