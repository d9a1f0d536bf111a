"""NCACosts: the loss against a slow twin, gradients, the fallback, and unusual data."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.base import clone

import treemetric as tm
from treemetric.datasets import make_strings
from treemetric.learning import NCACosts
from treemetric.learning._bagging import (
    balanced_classes,
    bootstrap,
    class_errors,
    compare,
    equal_trees,
)
from treemetric.learning._label_model import LabelModel
from treemetric.learning._metric_table import rounded_up
from treemetric.learning._nca_fit import (
    frequent_labels,
    neighbour_numbers,
    neighbourhoods,
    rough_costs,
)
from treemetric.learning._neighbour_loss import NeighbourLoss, candidates
from treemetric.learning._pair_costs import CostObjective, best_scale, pair_counts
from treemetric.learning._votes import expected_errors, vote_margins, vote_shares, winners

seeds = st.integers(0, 2**32 - 1).map(np.random.RandomState)


def chains(*words):
    return tm.TreeSet([tm.Tree.from_sequence(word) for word in words])


def random_model(random, labels=5):
    moving = np.flatnonzero(random.rand(labels) < 0.6)
    model = LabelModel(labels, moving, 0.7, 0.2)
    return model, random.normal(scale=0.3, size=model.size)


def vectors(model, parameters):
    """The vectors of all labels, written out in the space of all corners."""
    b, theta, delta = model.parts(parameters)
    points = np.zeros((model.labels, model.labels + 1))
    for u in range(model.labels):
        points[u, u] += np.sqrt(0.5)
        points[u, -1] += np.sqrt(0.5)
    for row, u in enumerate(model.moving):
        for column, v in enumerate(model.moving):
            points[u, v] += delta[row, column]
        points[u, -1] += delta[row, -1]
    return np.exp(b + theta)[:, None] * points


@given(seeds)
def test_costs_are_distances_of_vectors(random):
    model, parameters = random_model(random)
    expected = tm.EmbeddingCosts(range(5), vectors(model, parameters)).matrix
    np.testing.assert_allclose(model.table(parameters), expected, atol=1e-7)
    first, second = np.triu_indices(6, 1)
    found = model.costs(parameters, model.pairs(first, second))
    np.testing.assert_allclose(found, expected[first, second], atol=1e-7)
    np.testing.assert_allclose(model.deletions(parameters), expected[:-1, -1], atol=1e-7)
    scaled = model.table(parameters, 7.0)
    assert scaled[:-1, -1].mean() == pytest.approx(7.0)
    np.testing.assert_allclose(scaled * expected[0, -1] / scaled[0, -1], expected, atol=1e-6)


def test_the_start_is_unit_costs():
    model = LabelModel(4, np.array([1, 3]))
    unit = tm.UnitCosts().to_matrix("abcd").matrix
    np.testing.assert_allclose(model.table(model.start()), unit, atol=1e-12)
    np.testing.assert_allclose(model.table(model.start(1.0)), np.e * unit, atol=1e-12)
    assert model.penalty(model.start(1.0))[0] == 0.0


@given(seeds)
def test_gradients_of_costs_and_of_the_prior(random):
    model, parameters = random_model(random)
    first, second = np.triu_indices(6, 1)
    direction = random.normal(size=len(first))
    pairs = model.pairs(first, second)
    _, pull = model.costs_and_gradient(parameters, pairs)
    expected = approx_fprime(parameters, lambda x: direction @ model.costs(x, pairs), 1e-7)
    np.testing.assert_allclose(pull(direction), expected, atol=1e-4)
    expected = approx_fprime(parameters, lambda x: model.penalty(x)[0], 1e-7)
    np.testing.assert_allclose(model.penalty(parameters)[1], expected, atol=1e-4, rtol=1e-4)


def naive_loss(pairs, distances, codes, multiplicity, weight, copies=None):
    """Each tree draws a neighbour, in loops."""
    count = len(codes)
    near = [{} for _ in range(count)]
    for (i, j), distance in zip(pairs, distances, strict=True):
        for query, other in ((i, j), (j, i)):
            times = 1.0 if copies is None else copies[query, other]
            if times:
                near[query][other] = times * multiplicity[other] * np.exp(-distance)
    total = 0.0
    for i in range(count):
        own = [j for j in near[i] if codes[j] == codes[i]]
        if own and len(own) < len(near[i]):
            probability = sum(near[i][j] for j in own) / sum(near[i].values())
            total -= weight[i] * np.log(probability)
    return total


@given(seeds, st.booleans())
def test_the_loss_against_its_twin(random, all_pairs):
    count = 6
    pairs = np.column_stack(np.triu_indices(count, 1))
    copies = None if all_pairs else random.choice([0.0, 1.0, 2.5], size=(count, count))
    distances = random.uniform(0, 5, size=len(pairs))
    codes = random.randint(3, size=count)
    multiplicity = random.randint(1, 4, size=count).astype(float)
    weight = random.rand(count)
    loss = NeighbourLoss(candidates(pairs, copies), codes, multiplicity, weight)
    expected = naive_loss(pairs, distances, codes, multiplicity, weight, copies)
    if loss.is_empty:
        assert expected == 0.0
        return
    value, gradient = loss(distances)
    assert value == pytest.approx(expected)
    numeric = approx_fprime(distances, lambda d: loss(d)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)


def test_the_loss_of_huge_distances_is_finite():
    pairs = np.array([[0, 1], [0, 2]])
    loss = NeighbourLoss(candidates(pairs), np.array([0, 0, 1]), np.ones(3), np.ones(3))
    value, gradient = loss(np.array([1e6, 1.0]))
    assert value == pytest.approx(1e6 - 1.0)
    assert np.isfinite(gradient).all()


def test_the_gradient_of_the_objective():
    strings = make_strings(12, random_state=1)
    trees, codes = strings.data, np.asarray(strings.target)
    pairs = np.column_stack(np.triu_indices(12, 1))
    counts = pair_counts(tm.edit_counts(trees, pairs=pairs))
    loss = NeighbourLoss(candidates(pairs), codes, np.ones(12), np.ones(12))
    model = LabelModel(4, np.arange(4), 1.0, 0.1)
    objective = CostObjective(model, counts, loss, 12.0, 0.0)
    parameters = np.random.RandomState(0).normal(scale=0.1, size=model.size)
    value, gradient = objective(parameters)
    numeric = approx_fprime(parameters, lambda x: objective(x)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)
    better, lower = objective.minimise(parameters, 20)
    assert lower == pytest.approx(objective(better)[0])
    assert lower < value


def test_counts_give_pseudo_edit_distances():
    trees = chains("abca", "bca", "cc", "")
    found = tm.edit_counts(trees)
    counts = pair_counts(found)
    costs = tm.EmbeddingCosts(trees.alphabet, np.random.RandomState(0).rand(3, 2))
    total = counts.matrix @ costs.matrix[counts.first, counts.second]
    np.testing.assert_allclose(total, found.distances(costs))
    np.testing.assert_array_equal(counts.transposed.toarray(), counts.matrix.toarray().T)


def test_the_best_scale_has_the_smallest_loss():
    def loss(distances):
        return float((distances[0] - 3.0) ** 2), distances

    assert np.exp(best_scale(loss, np.array([1.0, 0.0]))) == pytest.approx(3.0, rel=0.15)


@given(seeds)
def test_rounding_up_keeps_the_axioms(random):
    model, parameters = random_model(random)
    table = rounded_up(model.table(parameters, 1.0))
    for costs, grid in (
        (tm.CostMatrix(range(5), table), 1000),
        (rough_costs(model, parameters, tuple(range(5))), 100),
    ):
        assert tm.CostMatrix(range(5), costs.matrix).is_pseudo_metric(tol=1e-12)
        assert -1e-9 <= costs.matrix[:-1, -1].mean() - 1.0 <= 1 / grid
        np.testing.assert_allclose(grid * costs.matrix, np.round(grid * costs.matrix), atol=1e-9)
    unit = tm.UnitCosts().to_matrix("ab").matrix
    np.testing.assert_array_equal(rounded_up(unit), unit)


@given(seeds)
def test_neighbourhoods_are_the_closest_trees_and_some_others(random):
    count = 12
    distances = random.permutation(count * count).reshape(count, count).astype(float)
    codes = random.randint(2, size=count)
    groups = random.randint(9, size=count)
    numbers = (2, 3, 1, 2)
    found = neighbourhoods(distances, codes, groups, numbers)
    for i in range(count):
        for own in (True, False):
            order = [
                j
                for j in np.argsort(distances[i])
                if groups[j] != groups[i] and (codes[j] == codes[i]) == own
            ]
            nearest, others = (numbers[0], numbers[2]) if own else (numbers[1], numbers[3])
            assert (found[i, order[:nearest]] == 1.0).all()
            rest = found[i, order[nearest:]]
            assert np.count_nonzero(rest) == min(others, len(rest))
            # Sums over the sample are those over all trees, on average.
            assert rest.sum() == pytest.approx(len(rest))
    assert not found[groups[:, None] == groups].any()


def test_the_best_scale_leaves_something_to_learn():
    # The loss of useless distances is smallest at 0, where no gradient is left.
    def loss(distances):
        return float((distances**2).sum()), 2 * distances

    distances = np.random.RandomState(0).uniform(3, 9, size=50)
    assert (distances * np.exp(best_scale(loss, distances))).std() == pytest.approx(1.0)
    assert best_scale(loss, np.full(4, 2.0)) == 0.0


def test_labels_with_vectors_are_frequent():
    trees = chains("abc", "ab", "ad", "e")
    assert [trees.alphabet[u] for u in frequent_labels(trees, 9)] == ["a", "b"]
    assert [trees.alphabet[u] for u in frequent_labels(trees, 1)] == ["a"]
    assert not len(frequent_labels(chains("", ""), 9))


def test_large_trees_have_fewer_neighbours():
    assert neighbour_numbers(chains(*["ab"] * 400)) is None
    assert neighbour_numbers(chains(*["ab"] * 401)) == (10, 25, 10, 25)
    assert neighbour_numbers(chains(*["ab" * 200] * 100)) == (2, 6, 2, 6)


@given(seeds, st.integers(1, 8))
def test_votes_do_not_depend_on_the_order(random, k):
    distances = random.randint(4, size=(3, 7)).astype(float)
    codes = random.randint(3, size=7)
    shares = vote_shares(distances, codes, 3, k)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    order = random.permutation(7)
    np.testing.assert_allclose(vote_shares(distances[:, order], codes[order], 3, k), shares)
    # The mean over orders of ties, if ties go to the first tree.
    if k <= 7:
        votes = np.zeros((3, 3))
        for _ in range(2000 if k == 2 else 0):
            some = random.permutation(7)
            nearest = some[np.argsort(distances[:, some], axis=1, kind="stable")[:, :k]]
            for row in range(3):
                votes[row] += np.bincount(codes[nearest[row]], minlength=3) / k
        if k == 2:
            np.testing.assert_allclose(votes / 2000, shares, atol=0.1)


def test_winners_and_errors():
    distances = np.array([[1.0, 2.0, 2.0, 3.0]])
    codes = np.array([1, 0, 0, 1])
    shares = vote_shares(distances, codes, 2, 4)
    np.testing.assert_allclose(shares, [[0.5, 0.5]])
    assert winners(shares, vote_shares(distances, codes, 2, 1)).tolist() == [1]
    assert expected_errors(distances, codes, np.array([0]), 4).tolist() == [0.5]
    assert expected_errors(distances, codes, np.array([0]), 3).tolist() == [0.0]
    # One neighbour is drawn among the closest trees.
    ties = np.array([[2.0, 2.0, 2.0, 3.0]])
    np.testing.assert_allclose(expected_errors(ties, codes, np.array([0]), 1), [1 / 3])


@given(seeds, st.integers(1, 4))
def test_margins_are_those_of_the_winners(random, classes):
    shares, closest = random.randint(3, size=(2, 5, classes)) / 4
    margins = vote_margins(shares, closest)
    for row, votes in enumerate((shares + 1e-6 * closest) / (1 + 1e-6)):
        for c in range(classes if classes > 1 else 0):
            assert margins[row, c] == votes[c] - max(np.delete(votes, c))
    np.testing.assert_array_equal(margins.argmax(axis=1), winners(shares, closest))


def test_equal_trees_are_drawn_together():
    trees = chains("ab", "c", "ab", "c", "b")
    groups = equal_trees(trees)
    assert groups.tolist() == [0, 1, 0, 1, 2]
    for seed in range(5):
        drawn = bootstrap(groups, 2, np.random.RandomState(seed))
        assert drawn[0] == drawn[2]
        assert drawn[1] == drawn[3]
        assert drawn[[0, 1, 4]].sum() == 2


def test_learned_costs_must_be_clearly_better():
    weight = np.ones(4)
    worse, better = np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0])

    def learned(before, after, weight=weight, first=weight):
        return compare(before, after, weight, first).learned

    assert learned(worse, better)
    assert compare(worse, better, weight, weight).scores["gain"] == 0.5
    assert not learned(better, worse)
    assert not learned(worse, worse)
    # One more and one less: no clear gain.
    assert not learned(worse, worse[[1, 0, 2, 3]])
    assert not learned(worse, better, 0 * weight, 0 * weight)
    # Trees without weight do not count.
    some = np.array([0.0, 1.0, 1.0, 0.0])
    assert not learned(worse, better, some, some)
    assert not learned(worse, better, weight, some)
    # Other kinds of errors must not become larger.
    assert learned(np.array([worse, worse]), np.array([better, worse]))
    assert not learned(np.array([worse, better]), np.array([better, worse]))
    assert not learned(np.array([worse, worse, better]), np.array([better, worse, worse]))


def test_classes_count_the_same():
    codes, weight = np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 1.0, 0.5])
    np.testing.assert_allclose(balanced_classes(codes, weight), [0.25, 0.5, 0.25, 1.0])
    np.testing.assert_allclose(balanced_classes(codes, 0 * weight), 0.0)


def test_shares_and_votes_of_the_nearest_trees():
    codes = np.array([0, 0, 1, 1, 1, 0])
    distances = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    found = class_errors(codes)(distances, np.arange(6), np.array([0]))
    # Of three trees one has another class, of five three; ten and twenty are too many.
    np.testing.assert_allclose(found[:, 0], [(1 / 3 + 3 / 5) / 2, 0.0, 1.0])


STRINGS = make_strings(80, random_state=0)


@pytest.fixture(scope="module")
def fitted():
    return NCACosts(random_state=0).fit(STRINGS.data, STRINGS.target)


def test_strings_are_learned(fitted):
    assert fitted.learned_
    scores = fitted.validation_scores_
    assert scores["gain"] == pytest.approx(scores["unit"] - scores["learned"])
    assert scores["gain"] > 1.3 * scores["standard_error"]
    assert scores["learned_error"] < scores["unit_error"]
    new = make_strings(60, random_state=1)
    assert fitted.score(new.data, new.target) > 0.9
    cost = tm.CostMatrix._cost
    known = {label: (False, label) for label in "abcd"}
    # a and b are exchangeable, c and d are, but a and c are not
    table = fitted.costs_
    same = max(cost(table, known["a"], known["b"]), cost(table, known["c"], known["d"]))
    assert same < cost(table, known["a"], known["c"])


def test_costs_are_a_pseudo_metric_with_intervals(fitted):
    costs = fitted.costs_
    assert costs.is_pseudo_metric()
    assert tm.CostMatrix(costs.alphabet, costs.matrix).is_pseudo_metric(tol=1e-12)
    again = pickle.loads(pickle.dumps(costs))
    assert again == costs
    assert again._known_metric(None, 1e-9)
    with pytest.raises(tm.exceptions.UnknownLabelError):
        costs.is_pseudo_metric("x")
    assert fitted.fit_weights_.shape == (8, 4)
    np.testing.assert_allclose(fitted.fit_weights_.mean(axis=1), 1.0)
    np.testing.assert_allclose(fitted.fit_weights_.mean(axis=0), costs.matrix[:-1, -1], atol=0.002)
    assert (fitted.losses_ > 0).all()


def test_votes_are_predicted(fitted):
    new = make_strings(20, random_state=2).data
    shares = fitted.predict_proba(new)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    clear = shares.max(axis=1) > 0.5
    np.testing.assert_array_equal(
        fitted.predict(new)[clear], fitted.classes_[shares.argmax(axis=1)][clear]
    )
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(new), shares)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("n_neighbors", [1, 2, 4, 5])
def test_the_predicted_class_has_the_largest_share(classes, n_neighbors):
    trees = make_strings(60, random_state=0).data
    y = np.random.RandomState(0).randint(classes, size=40)
    learner = NCACosts(n_neighbors, n_fits=2, random_state=0).fit(trees[:40], y)
    predicted = learner.predict(trees)
    np.testing.assert_array_equal(predicted, learner.predict_proba(trees).argmax(axis=1))
    values = learner.decision_function(trees)
    best = values.argmax(axis=1) if classes > 2 else values > 0
    np.testing.assert_array_equal(predicted, best)


def test_the_result_depends_on_the_seed_only(fitted):
    other = NCACosts(random_state=0, n_jobs=2).fit(STRINGS.data, STRINGS.target)
    assert other.costs_ == fitted.costs_
    assert other.validation_scores_ == fitted.validation_scores_
    third = NCACosts(random_state=1).fit(STRINGS.data, STRINGS.target)
    assert third.costs_ != fitted.costs_


def test_random_classes_keep_unit_costs(capsys):
    random = np.random.RandomState(0)
    kept = 0
    for seed in range(4):
        learner = NCACosts(n_fits=3, random_state=seed, verbose=2)
        learner.fit(STRINGS.data, random.randint(2, size=80))
        kept += not learner.learned_
        if not learner.learned_:
            assert learner.costs_ == tm.UnitCosts().to_matrix(STRINGS.data.alphabet)
        kind = "learned costs" if learner.learned_ else "unit costs"
        assert f"[NCACosts] {kind}; errors on trees left out: unit 0." in capsys.readouterr().out
    assert kept >= 2


def test_the_fallback_can_be_switched_off():
    random = np.random.RandomState(0)
    learner = NCACosts(n_fits=2, fallback=False, random_state=0)
    learner.fit(STRINGS.data, random.randint(2, size=80))
    assert learner.learned_
    assert learner.validation_scores_ == {}
    assert learner.costs_ != tm.UnitCosts().to_matrix(STRINGS.data.alphabet)


def test_weights_only():
    learner = NCACosts(max_vectors=0, n_fits=2, fallback=False, random_state=0)
    learner.fit(STRINGS.data, STRINGS.target)
    costs = learner.costs_.matrix
    w = costs[:-1, -1]
    assert costs.shape == (5, 5)
    # Without directions, labels cannot become exchangeable.
    assert (costs[:-1, :-1] + np.diag(w) >= np.maximum(w[:, None], w) * np.sqrt(0.75) - 1e-2).all()


def test_neighbours_instead_of_all_pairs(monkeypatch):
    monkeypatch.setattr("treemetric.learning._nca_fit._ALL_PAIRS", 10)
    learner = NCACosts(n_fits=2, random_state=0).fit(STRINGS.data, STRINGS.target)
    assert learner.learned_
    new = make_strings(60, random_state=1)
    assert learner.score(new.data, new.target) > 0.85


def test_few_of_many_trees():
    strings = make_strings(150, random_state=3)
    learner = NCACosts(max_trees=60, n_fits=3, random_state=0).fit(strings.data, strings.target)
    assert learner.costs_.is_pseudo_metric()
    assert learner.transform(strings.data[:2]).shape == (2, 150)


@pytest.mark.parametrize(
    ("words", "classes"),
    [
        (["ab", "cb"], [0, 1]),
        (["ab", "cb"], [0, 0]),
        (["ab"], [0]),
        (["ab", "ab", "ab", "ab"], [0, 0, 1, 1]),
        (["", "", "a", ""], [0, 1, 0, 1]),
        (["", ""], [0, 1]),
        (["aa", "ab", "cc", "cb", "a", "c"], [0, 0, 0, 0, 0, 0]),
        (["aa", "ab", "cc"], ["x", "y", "z"]),
    ],
)
def test_data_with_nothing_to_learn(words, classes):
    trees = chains(*words)
    learner = NCACosts(random_state=0).fit(trees, classes)
    assert not learner.learned_
    np.testing.assert_array_equal(learner.transform(trees), tm.pairwise_distances(trees))
    assert set(learner.predict(trees)) <= set(classes)
    assert learner.fit_weights_.shape[1] == len(trees.alphabet)


def test_forests_duplicates_and_unseen_labels():
    forest = tm.Tree.forest([tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("c")])
    trees = [*STRINGS.data[:30], *STRINGS.data[:10], forest, tm.Tree.from_sequence("")]
    classes = [*STRINGS.target[:30], *STRINGS.target[:10], 0, 1]
    learner = NCACosts(n_fits=2, fallback=False, random_state=0).fit(trees, classes)
    new = [tm.Tree.from_sequence("axy"), forest]
    assert np.isfinite(learner.transform(new)).all()
    assert learner.transform(new)[1, 40] == 0.0
    assert learner.predict(new).shape == (2,)
    with pytest.raises(tm.exceptions.UnknownLabelError, match="not seen"):
        learner.set_params(unseen="error").predict(new)


def test_weights_of_trees():
    half = np.r_[np.ones(40), np.zeros(40)]
    flipped = np.r_[STRINGS.target[:40], 1 - STRINGS.target[40:]]
    # Neighbourhoods without weight do not count, whatever their classes predict of others.
    learner = NCACosts(n_fits=2, fallback=False, random_state=0)
    free = clone(learner).fit(STRINGS.data, flipped)
    weighted = clone(learner).fit(STRINGS.data, flipped, sample_weight=half)
    assert weighted.costs_ != free.costs_
    double = clone(learner).fit(STRINGS.data, flipped, sample_weight=2 * half)
    assert double.costs_ == weighted.costs_
    for wrong in (np.zeros(80), -half):
        with pytest.raises(ValueError, match="'sample_weight' parameter of NCACosts"):
            clone(learner).fit(STRINGS.data, flipped, sample_weight=wrong)
    with pytest.raises(ValueError, match="sample_weight"):
        clone(learner).fit(STRINGS.data, flipped, sample_weight=[1.0])


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_neighbors", 0),
        ("weight_scale", 0.0),
        ("vector_scale", "x"),
        ("max_vectors", -1),
        ("n_fits", 0),
        ("n_rounds", 1.5),
        ("max_iter", None),
        ("max_trees", 1),
        ("fallback", 1),
    ],
)
def test_parameters_are_checked(parameter, value):
    with pytest.raises((TypeError, ValueError), match=f"'{parameter}' parameter of NCACosts"):
        NCACosts(**{parameter: value}).fit(STRINGS.data, STRINGS.target)


def sentences(count, classes, words, random):
    """Words of a large vocabulary below tags; one word at a random place hints at the class."""
    y = random.randint(classes, size=count)
    trees = []
    for code in y:
        labels = [f"word {random.randint(2000)}" for _ in range(words)]
        labels[random.randint(words)] = f"hint {code} {random.randint(3)}"
        below = "".join(f"{{tag {random.randint(5)}{{{label}}}}}" for label in labels)
        trees.append(tm.Tree.from_bracket(f"{{sentence{below}}}"))
    return trees, y


def test_rare_words_that_decide_are_found_among_many_labels():
    # More than 400 trees: neighbourhoods are samples. Unit costs say nothing about the classes.
    trees, y = sentences(900, 4, 4, np.random.RandomState(0))
    train, test = tm.TreeSet(trees[:700]), tm.TreeSet(trees[700:])
    learner = NCACosts(n_fits=2, random_state=0).fit(train, y[:700])
    assert learner.learned_
    unit = tm.pairwise_distances(test, train).argmin(axis=1)
    assert np.mean(y[unit] != y[700:]) > 0.5
    assert learner.score(test, y[700:]) > 0.8
    hints = [label.startswith("hint") for label in learner.costs_.alphabet]
    weights = learner.costs_.matrix[:-1, -1]
    assert weights[hints].mean() > 1.5 * weights[~np.array(hints)].mean()
