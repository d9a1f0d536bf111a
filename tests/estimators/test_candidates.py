"""Prototypes among some candidates of each class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemetric._estimators.prototypes import draw_candidates, select_prototypes
from treemetric._estimators.squashing import Squash


@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from(["identity", "logistic"]))
def test_all_points_as_candidates_are_median_glvq(seed, count, kind):
    random = np.random.RandomState(seed)
    points = random.standard_normal((20, 3))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    y = np.arange(20) % 3
    squash = Squash(kind, 2.0)
    expected = select_prototypes(distances, y, count, squash=squash)
    found = select_prototypes(
        distances, y, count, candidates=np.arange(20), squash=squash, by_class=False
    )
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.loss == pytest.approx(expected.loss)


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_candidates_are_drawn_by_class(seed, count):
    y = np.random.RandomState(seed).permutation(np.repeat([0, 1, 2], [3, 10, 20]))
    drawn = draw_candidates(y, count, np.random.RandomState(seed))
    assert (np.diff(drawn) > 0).all()
    np.testing.assert_array_equal(np.bincount(y[drawn]), np.minimum([3, 10, 20], count))


def test_prototypes_are_candidates_and_no_exchange_helps():
    random = np.random.RandomState(2)
    points = random.standard_normal((40, 3))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    y = np.arange(40) % 2
    candidates = draw_candidates(y, 6, random)
    found = select_prototypes(distances[:, candidates], y, [2, 3], candidates=candidates)
    assert np.isin(found.indices, candidates).all()
    assert found.labels.tolist() == [0, 0, 1, 1, 1]
    assert y[found.indices].tolist() == found.labels.tolist()
    assert (np.diff(found.loss_curve) <= 1e-12).all()

    def loss(chosen):
        apart = distances[:, chosen]
        own = y[chosen] == y[:, None]
        plus, minus = (np.where(side, apart, np.inf).min(axis=1) for side in (own, ~own))
        return ((plus - minus) / (plus + minus)).sum()

    assert found.loss == pytest.approx(loss(found.indices))
    for k, label in enumerate(found.labels):
        for other in candidates[y[candidates] == label]:
            changed = found.indices.copy()
            changed[k] = other
            assert loss(changed) >= found.loss - 1e-9
    # Fewer candidates than prototypes: all of them.
    few = select_prototypes(distances[:, candidates], y, 9, candidates=candidates)
    np.testing.assert_array_equal(np.sort(few.indices), candidates)
