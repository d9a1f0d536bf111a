"""Weights of training points, points that are held out, and scores of classes."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemetric._estimators.class_scores import class_margins, decision_values, probabilities
from treemetric._estimators.holdout import check_validation_fraction, hold_out
from treemetric._estimators.medoids import greedy_medoids
from treemetric._estimators.prototypes import HeldOut, select_prototypes
from treemetric._estimators.squashing import Squash
from treemetric._estimators.weighting import check_sample_weight, weighted_points

SQUASHES = [Squash(), Squash("logistic", 3.0)]
seeds = st.integers(0, 10**6)


def points(seed, n, classes):
    """Distances of random points in the plane, and their classes."""
    random = np.random.RandomState(seed)
    y = np.concatenate([np.arange(classes), random.randint(classes, size=n - classes)])
    places = random.normal(size=(n, 2)) + y[:, None]
    return np.linalg.norm(places[:, None] - places, axis=2), y


def plain_loss(distances, y, prototypes, squash, weights):
    """The weighted loss by its definition, point by point."""
    total = 0.0
    for i, label in enumerate(y):
        plus = min(distances[i, w] for w in prototypes if y[w] == label)
        minus = min(distances[i, w] for w in prototypes if y[w] != label)
        mu = (plus - minus) / (plus + minus) if plus + minus > 0 else 0.0
        total += weights[i] * float(squash.value(np.array(mu)))
    return total


@given(seeds, st.integers(4, 14), st.integers(2, 3), st.integers(1, 3), st.sampled_from(SQUASHES))
def test_no_exchange_lowers_the_weighted_loss(seed, n, classes, count, squash):
    distances, y = points(seed, n, classes)
    weights = np.random.RandomState(seed).gamma(1.0, size=n) + 1e-3
    found = select_prototypes(distances, y, count, squash=squash, weights=weights)
    assert found.loss == pytest.approx(plain_loss(distances, y, found.indices, squash, weights))
    for k, candidate in itertools.product(range(len(found.indices)), range(n)):
        if y[candidate] == found.labels[k] and candidate not in found.indices:
            other = found.indices.copy()
            other[k] = candidate
            assert plain_loss(distances, y, other, squash, weights) >= found.loss - 1e-9


@given(seeds, st.sampled_from(SQUASHES))
def test_weights_that_are_ints_are_repetitions(seed, squash):
    distances, y = points(seed, 12, 2)
    counts = np.random.RandomState(seed).randint(1, 4, size=12)
    rows = np.repeat(np.arange(12), counts)
    weighted = select_prototypes(distances, y, 1, squash=squash, weights=counts.astype(float))
    repeated = select_prototypes(distances[np.ix_(rows, rows)], y[rows], 1, squash=squash)
    assert weighted.loss == pytest.approx(repeated.loss)
    np.testing.assert_array_equal(weighted.indices, rows[repeated.indices])


def test_equal_weights_change_nothing():
    distances, y = points(5, 40, 3)
    plain = select_prototypes(distances, y, 2)
    for weight in (1.0, 1e-9, 1e9):
        found = select_prototypes(distances, y, 2, weights=np.full(40, weight))
        np.testing.assert_array_equal(found.indices, plain.indices)
        assert found.loss == pytest.approx(weight * plain.loss)
        assert found.n_iter == plain.n_iter


@given(seeds, st.integers(1, 4), st.integers(1, 3), st.booleans())
def test_the_best_round_for_the_points_held_out_is_kept(seed, patience, n_init, weighted):
    distances, y = points(seed, 40, 3)
    train, held = hold_out(y, 0.3, np.random.RandomState(seed), "Model")
    weights = np.random.RandomState(seed).gamma(1.0, size=len(held)) if weighted else None
    found = select_prototypes(
        distances[np.ix_(train, train)],
        y[train],
        2,
        n_init=n_init,
        random_state=seed,
        held_out=HeldOut(distances[np.ix_(held, train)], y[held], weights, patience),
    )
    curve = found.validation_curve
    assert len(curve) == len(found.loss_curve)
    assert len(curve) - 1 - int(curve.argmin()) <= patience
    assert found.loss == found.loss_curve[int(curve.argmin())]
    chosen = train[found.indices]
    losses = [_single(distances[i], y[i], chosen, y) for i in held]
    assert np.average(losses, weights=weights) == pytest.approx(curve.min())


def _single(row, label, prototypes, y):
    plus = min(row[w] for w in prototypes if y[w] == label)
    minus = min(row[w] for w in prototypes if y[w] != label)
    return (plus - minus) / (plus + minus)


@given(seeds, st.integers(1, 20), st.integers(1, 6), st.booleans())
def test_greedy_medoids_lower_the_sum_most(seed, n, count, weighted):
    random = np.random.RandomState(seed)
    rows = random.randint(0, 9, size=(n, n)).astype(float)
    weights = random.randint(1, 4, size=n).astype(float) if weighted else None
    count = min(count, n)
    found = greedy_medoids(rows, count, weights)
    chosen = []
    for _ in range(count):
        sums = [
            np.inf
            if j in chosen
            else sum(
                min(rows[k, i] for k in (*chosen, j)) * (1 if weights is None else weights[i])
                for i in range(n)
            )
            for j in range(n)
        ]
        chosen.append(int(np.argmin(sums)))
    assert found.tolist() == chosen


@given(seeds, st.integers(2, 40), st.integers(1, 4), st.floats(0.05, 0.95))
def test_the_same_share_of_each_class_is_held_out(seed, n, classes, fraction):
    y = np.sort(np.random.RandomState(seed).randint(classes, size=n))
    _, y = np.unique(y, return_inverse=True)
    sizes = np.bincount(y)
    expected = np.minimum(sizes - 1, [round(fraction * size) for size in sizes])
    random = np.random.RandomState(seed)
    if not expected.any():
        with pytest.raises(ValueError, match="'validation_fraction' parameter of Model must be"):
            hold_out(y, fraction, random, "Model")
        return
    train, held = hold_out(y, fraction, random, "Model")
    np.testing.assert_array_equal(np.sort(np.concatenate([train, held])), np.arange(n))
    np.testing.assert_array_equal(np.bincount(y[held], minlength=len(sizes)), expected)
    assert (np.diff(train) > 0).all()
    assert (np.diff(held) > 0).all()


@pytest.mark.parametrize("fraction", [0, 1, 0.0, 1.5, -0.1, "a", float("nan"), True])
def test_fractions_that_are_none(fraction):
    with pytest.raises(
        ValueError, match="'validation_fraction' parameter of Model must be None or"
    ):
        check_validation_fraction(fraction, "Model")


def test_fractions():
    assert check_validation_fraction(None, "Model") is None
    assert check_validation_fraction(np.float32(0.25), "Model") == 0.25


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"shape \(2,\)"),
        ([[1, 2, 3]], r"shape \(1, 3\)"),
        ([1, 2, -1], "a weight of -1"),
        ([1, 2, np.nan], "NaN"),
        ([1, 2, np.inf], "infinity"),
        ([0, 0, 0], "positive and finite sum. Got zero"),
        ([1e308, 1e308, 1e308], "positive and finite sum. Got the sum inf"),
        (["a", "b", "c"], "could not convert"),
        (0, "Got 0 instead"),
        (-1.0, "Got -1.0 instead"),
        ("a", "Got 'a' instead"),
    ],
)
def test_wrong_weights(weights, message):
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match=f"'sample_weight' parameter of Model.*{message}"),
    ):
        check_sample_weight(weights, 3, "Model")


def test_weights():
    assert check_sample_weight(None, 3, "Model") is None
    assert check_sample_weight(2, 3, "Model").tolist() == [2.0, 2.0, 2.0]
    given_weights = np.array([1.0, 0.0, 3.0])
    found = check_sample_weight(given_weights, 3, "Model")
    assert found.tolist() == [1.0, 0.0, 3.0]
    assert found is not given_weights
    y = np.array([0, 0, 1])
    assert weighted_points(None, y, "Model").tolist() == [0, 1, 2]
    assert weighted_points(found, y, "Model").tolist() == [0, 2]
    with pytest.raises(ValueError, match="0 for all points of 1 classes"):
        weighted_points(np.array([1.0, 1.0, 0.0]), y, "Model")


@given(seeds, st.integers(1, 5), st.booleans())
def test_scores_of_classes(seed, classes, negative):
    random = np.random.RandomState(seed)
    distances = random.randint(-3 if negative else 0, 5, size=(8, classes)).astype(float)
    margins = class_margins(distances)
    for i, j in itertools.product(range(8), range(classes)):
        others = np.delete(distances[i], j)
        expected = 1.0
        if len(others):
            other, own = others.min(), distances[i, j]
            total = abs(other) + abs(own)
            expected = (other - own) / total if total else 0.0
        assert margins[i, j] == pytest.approx(expected)
    best = distances.argmin(axis=1)
    shares = probabilities(margins)
    assert shares.sum(axis=1) == pytest.approx(np.ones(8))
    assert (shares >= 0).all()
    np.testing.assert_array_equal(shares.argmax(axis=1), best)
    values = decision_values(margins)
    if classes > 2:
        np.testing.assert_array_equal(values.argmax(axis=1), best)
    else:
        assert values.shape == (8,)
        np.testing.assert_array_equal(values > 0, best == 1)
