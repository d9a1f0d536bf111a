"""The support vector machine on distances, and its corrected kernels."""

import pickle
import random

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import treemetric as tm
from shapes import make_tree
from treemetric.classification import DistanceSVC, KNeighborsTreeClassifier
from treemetric.classification.kernel import corrected, gaussian, median_distance
from treemetric.features import TreeFeatures
from treemetric.kernels import TreeKernel
from treemetric.learning import KernelRegressionCosts


def euclidean(seed, n=30):
    """Distances of points in the plane, whose Gaussian kernel is positive definite."""
    random = np.random.RandomState(seed)
    y = np.arange(n) % 2
    points = random.normal(size=(n, 2)) + y[:, None]
    return np.linalg.norm(points[:, None] - points, axis=2), y


def crooked(seed, n=30):
    """Symmetric numbers that are no distances in any space, and classes."""
    random = np.random.RandomState(seed)
    table = random.gamma(0.5, size=(n, n))
    table += table.T
    np.fill_diagonal(table, 0)
    return table, np.arange(n) % 2


@pytest.mark.parametrize("how", ["clip", "flip", "shift", "none"])
def test_corrected_kernels(how):
    kernel = gaussian(crooked(0)[0], 1.0)
    values, vectors = np.linalg.eigh(kernel)
    assert values[0] < -0.1
    found = corrected(kernel, how)
    wanted = {
        "clip": np.maximum(values, 0),
        "flip": np.abs(values),
        "shift": values - values[0],
        "none": values,
    }[how]
    assert found.kernel == pytest.approx((vectors * wanted) @ vectors.T)
    assert found.n_negative == (values < 0).sum()
    assert np.array_equal(found.kernel, found.kernel.T)


@pytest.mark.parametrize("how", ["clip", "flip"])
def test_new_rows_that_are_training_rows_become_corrected_training_rows(how):
    kernel = gaussian(crooked(1)[0], 1.0)
    found = corrected(kernel, how)
    assert kernel @ found.operator == pytest.approx(found.kernel, abs=1e-12)


@pytest.mark.parametrize("how", ["clip", "flip", "shift"])
def test_a_positive_kernel_is_left_alone(how):
    kernel = gaussian(euclidean(0)[0], 1.0)
    found = corrected(kernel, how)
    assert found.kernel is kernel
    assert found.operator is None
    assert found.n_negative == 0


def test_shifted_copies_of_training_points_are_treated_as_these():
    table, y = crooked(3)
    # Points 0 and 1 twice.
    twice = np.r_[np.arange(30), 0, 1]
    table, y = table[np.ix_(twice, twice)], y[twice]
    kernel = gaussian(table, 1.0)
    found = corrected(kernel, "shift")
    assert np.linalg.eigvalsh(found.kernel)[0] == pytest.approx(0, abs=1e-9)
    assert found.of_rows(kernel) == pytest.approx(found.kernel, abs=0)
    assert np.array_equal(found.kernel[30], found.kernel[0])
    model = DistanceSVC(metric="precomputed", eigenvalues="shift", C=3).fit(table, y)
    shifted = corrected(gaussian(table, model.bandwidth_), "shift").kernel
    machine = SVC(C=3, kernel="precomputed").fit(shifted, y)
    assert model.decision_function(table) == pytest.approx(machine.decision_function(shifted))


def test_a_shift_of_points_at_distance_0_that_are_no_copies():
    table, _ = crooked(4)
    table[0, 1] = table[1, 0] = 0
    found = corrected(gaussian(table, 1.0), "shift")
    assert found.shift > 0
    assert np.linalg.eigvalsh(found.kernel)[0] > -1e-9


def test_shifted_copies_of_training_trees():
    words = ["aaa", "aab", "aba", "ccc", "ccd", "cdc", "abb", "ddc", "aaa", "acd", "dab"]
    trees = [tm.Tree.from_sequence(word) for word in words]
    model = DistanceSVC(C=2, eigenvalues="shift", bandwidth=9.0).fit(trees, [0, 1] * 5 + [0])
    assert model.n_negative_ > 0
    kernel = corrected(gaussian(tm.pairwise_distances(trees), 9.0), "shift").kernel
    found = model.decision_function([tm.Tree.from_sequence(word) for word in words])
    assert found == pytest.approx(model.svc_.decision_function(kernel))


@pytest.mark.parametrize("how", ["clip", "flip"])
def test_training_data_are_predicted_as_they_were_trained(how):
    table, y = crooked(2)
    model = DistanceSVC(metric="precomputed", eigenvalues=how, C=3).fit(table, y)
    assert model.n_negative_ > 0
    kernel = corrected(gaussian(table, model.bandwidth_), how).kernel
    machine = SVC(C=3, kernel="precomputed").fit(kernel, y)
    assert model.decision_function(table) == pytest.approx(machine.decision_function(kernel))
    assert np.array_equal(model.support_, machine.support_)


def test_euclidean_distances_give_the_machine_of_scikit_learn():
    random = np.random.RandomState(3)
    y = np.arange(40) % 3
    points = random.normal(size=(40, 2)) + 2 * y[:, None]
    table = np.linalg.norm(points[:, None] - points, axis=2)
    model = DistanceSVC(metric="precomputed", bandwidth=1.5).fit(table[:30, :30], y[:30])
    machine = SVC(gamma=1 / (2 * 1.5**2), break_ties=True).fit(points[:30], y[:30])
    found = model.decision_function(table[30:, :30])
    assert found == pytest.approx(machine.decision_function(points[30:]), abs=1e-6)
    assert np.array_equal(model.predict(table[30:, :30]), machine.predict(points[30:]))


def test_the_median_bandwidth():
    table, y = euclidean(0)
    model = DistanceSVC(metric="precomputed").fit(table, y)
    assert model.bandwidth_ == np.median(table[np.triu_indices(len(y), 1)])
    assert median_distance(np.array([[0, 0, 4], [0, 0, 2], [4, 2, 0.0]])) == 3
    assert median_distance(np.zeros((3, 3))) == 1


def test_trees_and_their_distances_agree():
    words = ["aaa", "aab", "aba", "ccc", "ccd", "cdc", "abb", "ddc"]
    trees = [tm.Tree.from_sequence(word) for word in words]
    y = ["x", "x", "x", "y", "y", "y", "x", "y"]
    queries = [tm.Tree.from_sequence(word) for word in ("ab", "cccc", "ad", "")]
    on_trees = DistanceSVC(C=2).fit(trees, y)
    on_matrix = DistanceSVC(C=2, metric="precomputed").fit(tm.pairwise_distances(trees), y)
    rows = tm.pairwise_distances(queries, trees)
    assert np.array_equal(on_trees.predict(queries), on_matrix.predict(rows))
    found = on_trees.decision_function(queries)
    assert np.array_equal(found, on_matrix.decision_function(rows))


def test_new_trees_are_measured_in_both_directions_if_costs_differ():
    costs = tm.CostMatrix("ab", [[0, 1, 3], [2, 0, 3], [1, 1, 0]])
    trees = [tm.Tree.from_sequence(w) for w in ("aa", "ab", "aab", "bbb", "bb", "bba")]
    model = DistanceSVC(costs=costs, eigenvalues="flip").fit(trees, [0, 0, 0, 1, 1, 1])
    there = tm.pairwise_distances(trees, costs=costs)
    precomputed = DistanceSVC(metric="precomputed", eigenvalues="flip")
    with pytest.warns(UserWarning, match=r"not symmetric.*D = \(D \+ D.T\) / 2"):
        precomputed.fit(there, [0, 0, 0, 1, 1, 1])
    mean = (there + there.T) / 2
    assert precomputed.bandwidth_ == model.bandwidth_ == median_distance(mean)
    found = model.decision_function(trees)
    assert found == pytest.approx(precomputed.decision_function(mean))


def test_far_away_points_do_not_overflow():
    table = 1e150 * (1 - np.eye(4))
    model = DistanceSVC(metric="precomputed", bandwidth=1e-200).fit(table, [0, 1, 0, 1])
    assert model.predict(table).tolist() == [0, 1, 0, 1]


def test_rounding_is_no_asymmetry():
    table, y = euclidean(5)
    noise = 1 + 1e-7 * np.random.RandomState(0).uniform(-1, 1, size=table.shape)
    model = DistanceSVC(metric="precomputed").fit(table * noise, y)
    assert np.array_equal(
        model.predict(table), DistanceSVC(metric="precomputed").fit(table, y).predict(table)
    )


def test_class_weights_reach_the_machine():
    table, y = euclidean(4)
    heavy = DistanceSVC(metric="precomputed", class_weight={0: 1, 1: 50}).fit(table, y)
    plain = DistanceSVC(metric="precomputed").fit(table, y)
    assert heavy.predict(table).sum() > plain.predict(table).sum()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0}, "'C' parameter of DistanceSVC must be a float in the range"),
        ({"bandwidth": 0.0}, "'bandwidth' parameter of DistanceSVC must be 'median' or a float"),
        ({"bandwidth": "mean"}, "'bandwidth' parameter"),
        ({"eigenvalues": "drop"}, "'eigenvalues' parameter of DistanceSVC must be a str among"),
        ({"tol": 0}, "'tol' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"class_weight": "foo"}, "'class_weight' parameter .* must be None, 'balanced' or a dict"),
        ({"class_weight": {0: -1, 1: 1}}, "'class_weight' parameter .* must be a dict of floats"),
        ({"class_weight": {5: 1}}, r"'class_weight' .* with classes among \[0, 1\] as keys"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    table, y = euclidean(0)
    with pytest.raises(ValueError, match=message):
        DistanceSVC(metric="precomputed", **params).fit(table, y)


# --- a second kernel ---------------------------------------------------------------


def combined_by_hand(model, trees, y, queries, second):
    """Predict with the product or sum of both kernels, computed step by step."""
    distances = tm.pairwise_distances(trees)
    bandwidth = np.median(distances[np.triu_indices(len(trees), 1)])
    values, vectors = np.linalg.eigh(np.exp(-0.5 * (distances / bandwidth) ** 2))
    project = vectors[:, values > 0] @ vectors[:, values > 0].T
    join = np.add if model.combine == "sum" else np.multiply
    machine = SVC(C=model.C, kernel="precomputed", break_ties=True)
    kernel = np.exp(-0.5 * (distances / bandwidth) ** 2) @ project
    machine.fit(join(kernel, second(trees, trees)), y)
    rows = np.exp(-0.5 * (tm.pairwise_distances(queries, trees) / bandwidth) ** 2) @ project
    return machine.decision_function(join(rows, second(queries, trees)))


@pytest.mark.parametrize("combine", ["product", "sum", "product-of-sum"])
@pytest.mark.parametrize(
    "kernel", [TreeKernel("subset-tree"), TreeKernel(normalize=False), TreeFeatures("pqgrams")]
)
def test_two_kernels(kernel, combine):
    rng = random.Random(0)
    trees = [make_tree(rng, rng.randint(2, 12)) for _ in range(50)]
    queries = [make_tree(rng, rng.randint(2, 12)) for _ in range(10)]
    y = np.array([tree.labels.count("a") % 2 for tree in trees])

    def second(some, others):
        if isinstance(kernel, TreeKernel):
            return kernel(some, others)
        fitted = clone(kernel).set_params(norm="l2").fit(trees)
        return (fitted.transform(some) @ fitted.transform(others).T).toarray()

    model = DistanceSVC(C=10, kernel=kernel, combine=combine, tol=1e-8).fit(trees, y)
    assert model.n_negative_ >= 0
    assert type(model.kernel_) is type(kernel)
    assert model.kernel_ is not kernel
    expected = combined_by_hand(model, trees, y, queries, second)
    assert model.decision_function(queries) == pytest.approx(expected, abs=1e-2)
    # What a user changes later does not change a fitted model.
    before = model.predict(queries)
    assert np.array_equal(model.set_params(kernel=None, combine="sum").predict(queries), before)


@pytest.mark.parametrize("combine", ["product", "sum", "product-of-sum"])
def test_three_kernels(combine):
    rng = random.Random(1)
    trees = [make_tree(rng, rng.randint(2, 12)) for _ in range(40)]
    queries = [make_tree(rng, rng.randint(2, 12)) for _ in range(10)]
    y = np.array([tree.labels.count("a") % 2 for tree in trees])
    kernels = [TreeKernel("path"), TreeFeatures("subtrees")]

    def both(some, others):
        fitted = clone(kernels[1]).set_params(norm="l2").fit(trees)
        cosine = (fitted.transform(some) @ fitted.transform(others).T).toarray()
        paths = kernels[0](some, others)
        return paths * cosine if combine == "product" else paths + cosine

    model = DistanceSVC(C=10, kernel=kernels, combine=combine, tol=1e-8).fit(trees, y)
    assert [type(part) for part in model.kernel_] == [TreeKernel, TreeFeatures]
    expected = combined_by_hand(model, trees, y, queries, both)
    assert model.decision_function(queries) == pytest.approx(expected, abs=1e-2)
    again = pickle.loads(pickle.dumps(clone(model).fit(trees, y)))
    assert np.array_equal(again.predict(queries), model.predict(queries))


def test_parameters_of_the_second_kernel_are_searched():
    trees = [tm.Tree.from_sequence(w) for w in ("aaa", "aab", "aba", "ccc", "ccd", "cdc")]
    model = DistanceSVC(kernel=TreeKernel("subtree"))
    search = GridSearchCV(model, {"kernel__decay": [0.2, 1.0]}, cv=3, error_score="raise")
    assert search.fit(trees, [0, 0, 0, 1, 1, 1]).best_estimator_.kernel_.decay in (0.2, 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "path"}, "'kernel' parameter of DistanceSVC must be None or an instance of"),
        ({"kernel": []}, "'kernel' parameter of DistanceSVC must be .* or a list of these"),
        ({"kernel": [TreeKernel(), None]}, "'kernel' parameter of DistanceSVC must be .* a list"),
        ({"combine": "mean"}, "'combine' parameter of DistanceSVC must be a str among"),
        (
            {"kernel": TreeKernel(), "metric": "precomputed"},
            "'kernel' parameter of DistanceSVC must be None if metric='precomputed' .*tree kernel",
        ),
    ],
)
def test_wrong_second_kernels(options, message):
    with pytest.raises(ValueError, match=message):
        DistanceSVC(**options).fit([[0, 1], [1, 0]], [0, 1])


def test_equal_decisions_and_probabilities_agree():
    trees = [tm.Tree.from_bracket("{a}"), tm.Tree.from_bracket("{b}")] * 4
    model = DistanceSVC(probability=True).fit(trees, ["x", "y"] * 4)
    # As far from one class as from the other.
    between = [tm.Tree.from_bracket("{c}")]
    assert model.decision_function(between)[0] == 0
    predicted = model.classes_[model.predict_proba(between).argmax(axis=1)]
    assert model.predict(between).tolist() == predicted.tolist()


def test_one_class_has_probabilities():
    one = DistanceSVC(probability=True).fit([tm.Tree.from_bracket("{a}")], ["x"])
    assert one.predict_proba([tm.Tree.from_bracket("{b}")]).tolist() == [[1.0]]


def test_learners_from_numbers_are_refused():
    trees = [tm.Tree.from_sequence(word) for word in ("aa", "ab", "ba", "bb")]
    for model in (DistanceSVC(), KNeighborsTreeClassifier(1)):
        model.set_params(costs=KernelRegressionCosts())
        with pytest.raises(ValueError, match="a learner from classes, such as NCACosts"):
            model.fit(trees, [0, 1, 0, 1])
