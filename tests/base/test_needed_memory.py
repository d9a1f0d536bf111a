"""Matrices that do not fit in memory are refused before they are made."""

import numpy as np
import pytest

import treemetric as tm
from treemetric.classification import DistanceSVC, GoodnessClassifier, MedianGLVQ, RelationalGLVQ
from treemetric.clustering import KMedoids
from treemetric.regression import DistanceKernelRidge

LABELS = range(400)
VECTORS = np.ones((400, 1))
TREES = tm.TreeSet([tm.Tree.from_sequence("ab"[: k % 3]) for k in range(400)])
ONES = tm.UnitCosts().to_matrix(LABELS)


def never(a, b):
    pytest.fail("called although there is no memory")


COSTS = {
    "UnitCosts": lambda: tm.UnitCosts().to_matrix(LABELS),
    "OperationCosts": lambda: tm.OperationCosts(1, 2, 3).to_matrix(LABELS),
    "EmbeddingCosts": lambda: tm.EmbeddingCosts(LABELS, VECTORS),
    "VectorCosts": lambda: tm.VectorCosts(LABELS, VECTORS).to_matrix(),
    "CallableCosts": lambda: tm.CallableCosts(never).to_matrix(LABELS),
    "some labels": lambda: ONES.to_matrix(LABELS[:399]),
    "CostMatrix": lambda: tm.CostMatrix(LABELS, ONES.matrix),
    "closure": ONES.closure,
}


@pytest.mark.parametrize("name", COSTS)
def test_a_cost_matrix(monkeypatch, name):
    monkeypatch.setattr("treemetric._core.available_memory", lambda: 1_500_000)
    with pytest.raises(MemoryError, match=r"400 labels|399 labels"):
        COSTS[name]()


def test_pairs_of_labels_that_meet(monkeypatch):
    monkeypatch.setattr("treemetric._core.available_memory", lambda: 10**6)
    chain = tm.Tree.from_sequence(LABELS)
    with pytest.raises(MemoryError, match="400 x 400 pairs of labels"):
        tm.distance(chain, chain, costs=tm.CallableCosts(never))


# Estimators with the bytes that they hold for each pair of training data.
ESTIMATORS = [
    (MedianGLVQ(), 20),
    (MedianGLVQ(validation_fraction=0.2), 28),
    (RelationalGLVQ(), 20),
    (KMedoids(2), 10),
    (DistanceSVC(), 50),
    (DistanceKernelRidge(), 62),
    (GoodnessClassifier(), 206),
    (GoodnessClassifier(n_landmarks=40), 35),
]


@pytest.mark.parametrize(("estimator", "needed"), ESTIMATORS, ids=str)
def test_a_fit(monkeypatch, estimator, needed):
    free = needed * 400**2 - 1
    monkeypatch.setattr("treemetric._core.available_memory", lambda: free)
    name = type(estimator).__name__
    monkeypatch.setattr("treemetric._estimators.base.pairwise_distances", never)
    with pytest.raises(MemoryError, match=rf"{name}.fit with 400 samples needs {free + 1} bytes"):
        estimator.fit(TREES, np.arange(400) % 2)
    # Given distances are in memory already. What takes less than a MiB is not checked.
    free -= 8 * 400**2
    if free < 2**20:
        return
    estimator.set_params(metric="precomputed")
    with pytest.raises(MemoryError, match=rf"needs {free + 1} bytes"):
        estimator.fit(np.ones((400, 400)), np.arange(400) % 2)
