"""One cell of the ablation: a variant on an outer fold, by nested cross-validation."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.neighbors import KNeighborsClassifier

from treemetric._base.typing import FloatArray
from treemetric.classification import DistanceSVC, GoodnessClassifier, MedianGLVQ
from treemetric.classification.kernel import median_distance
from treemetric.costs import CostMatrix
from treemetric.experiments.ablation.data import DataSet, Indices, Split, stratified
from treemetric.experiments.ablation.distances import Distances, has_zero_closure
from treemetric.experiments.ablation.plan import CLASSIFIERS, VARIANTS, Parameters, Plan
from treemetric.experiments.common.effort import process_so_far

Key = tuple[str, str]  # a distance and a classifier


class Choice(NamedTuple):
    """What inner cross-validation chose for a distance and a classifier, with its inner error."""

    learner: int
    classifier: int
    error: float


class Outcome(NamedTuple):
    """The choice, the predictions for the test trees, and whether the closure is 0 everywhere."""

    choice: Choice
    predictions: npt.NDArray[np.int64]
    zero_closure: bool


def classifier(name: str, parameters: Parameters, distances: FloatArray) -> Any:
    """Return a classifier for a training matrix of distances."""
    chosen = dict(parameters)
    if name == "knn":
        # A part of a fold may hold fewer trees than the largest number of neighbours.
        count = min(chosen.pop("n_neighbors"), len(distances))
        return KNeighborsClassifier(count, metric="precomputed", **chosen)
    if name == "median GLVQ":
        return MedianGLVQ(metric="precomputed", **chosen)
    if name == "SVM":
        width = chosen.pop("bandwidth_per_median") * median_distance(distances)
        return DistanceSVC(bandwidth=width, metric="precomputed", **chosen)
    return GoodnessClassifier(metric="precomputed", **chosen)


class Nested:
    """Choice and prediction for one training part, without the classes of the test trees."""

    def __init__(self, distances: Distances, variant: str, plan: Plan, seed: int) -> None:
        self.distances, self.plan, self.seed = distances, plan, seed
        self.variant = VARIANTS[variant]
        self.learners = plan.learner_grid(variant)

    def run(self, train: Indices, target: Indices, test: Indices) -> dict[Key, Outcome]:
        """Choose on the training trees and their classes; predict classes of the test trees."""
        chosen = self._choose(train, target)
        found: dict[Key, Outcome] = {}
        every = np.concatenate([train, test])
        known = np.arange(len(train))
        for which in sorted({choice.learner for choice in chosen.values()}):
            costs = self._learn(which, train, target)
            zero = costs is not None and has_zero_closure(costs)
            for distance, matrix in self._matrices(costs, every):
                for name in CLASSIFIERS:
                    choice = chosen[distance, name]
                    if choice.learner != which:
                        continue
                    split = (known, np.arange(len(train), len(every)))
                    grid = self.plan.classifiers[name]
                    predictions = predict(matrix, split, target, name, grid[choice.classifier])
                    found[distance, name] = Outcome(choice, predictions, zero)
        return found

    def _choose(self, train: Indices, target: Indices) -> dict[Key, Choice]:
        """Return the candidates with the least mean error over the inner folds; ties: the first."""
        inner = list(stratified(target, self.plan.inner_folds, self.seed))
        rates: dict[Key, FloatArray] = {
            (distance, name): np.zeros((len(self.learners), len(self.plan.classifiers[name])))
            for distance in self.variant.distances
            for name in CLASSIFIERS
        }
        for which in range(len(self.learners)):
            for split in inner:
                known, asked = split
                costs = self._learn(which, train[known], target[known])
                for distance, matrix in self._matrices(costs, train):
                    for name in CLASSIFIERS:
                        for k, parameters in enumerate(self.plan.classifiers[name]):
                            labels = predict(matrix, split, target[known], name, parameters)
                            rate = float(np.mean(labels != target[asked]))
                            rates[distance, name][which, k] += rate / len(inner)
        chosen = {}
        for key, means in rates.items():
            # Sums of equal errors may differ in the last digits.
            best = np.unravel_index(int(np.argmin(means.round(9))), means.shape)
            chosen[key] = Choice(int(best[0]), int(best[1]), float(means[best]))
        return chosen

    def _learn(self, which: int, known: Indices, target: Indices) -> CostMatrix | None:
        """Learn costs from some trees; None stands for unit costs."""
        if self.variant.learner is None:
            return None
        learner = self.variant.make(self.learners[which], len(known), self.seed)
        costs: CostMatrix = learner.fit(self.distances.trees[known], target).costs_
        return costs

    def _matrices(
        self, costs: CostMatrix | None, index: Indices
    ) -> Iterator[tuple[str, FloatArray]]:
        """Yield all kinds of distances of some trees."""
        if costs is None:
            yield "actual", self.distances.unit[np.ix_(index, index)]
            return
        for distance in self.variant.distances:
            yield distance, self.distances.of(costs, distance, self.variant.script, index)


def predict(
    matrix: FloatArray, split: Split, target: Indices, name: str, parameters: Parameters
) -> npt.NDArray[np.int64]:
    """Train on the distances of some trees, and predict the classes of others.

    Equal distances carry no information, and the result would depend on how a classifier breaks
    ties. So a tree with the same distance to all training trees gets their most frequent class,
    whatever the classifier, and so do all trees if all training trees are equal.
    """
    known, asked = split
    inside, apart = matrix[np.ix_(known, known)], matrix[np.ix_(asked, known)]
    majority = int(np.bincount(target).argmax())
    equal = apart.min(axis=1) == apart.max(axis=1)
    if inside.min() == inside.max() or equal.all():
        return np.full(len(asked), majority, dtype=np.int64)
    model = classifier(name, parameters, inside)
    predictions: npt.NDArray[np.int64] = model.fit(inside, target).predict(apart)
    return np.where(equal, majority, predictions)


def run_cell(
    data: DataSet, distances: Distances, fold: int, variant: str, plan: Plan, seed: int
) -> dict[str, Any]:
    """Return one finished cell as plain values."""
    # CPU time, which does not depend on other processes.
    start = time.process_time()
    train, test = data.splits(seed)[fold]
    nested = Nested(distances, variant, plan, seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = nested.run(train, data.target[train], test)
    if nested.variant.learner is None:
        found |= {("pseudo", name): outcome for (_, name), outcome in found.items()}
    rows = [
        {
            "distance": distance,
            "classifier": name,
            "error": float(np.mean(outcome.predictions != data.target[test])),
            "inner_error": outcome.choice.error,
            "learner_parameters": dict(nested.learners[outcome.choice.learner]),
            "classifier_parameters": dict(plan.classifiers[name][outcome.choice.classifier]),
            "zero_closure": outcome.zero_closure,
            "predictions": outcome.predictions.tolist(),
        }
        for (distance, name), outcome in sorted(found.items())
    ]
    return {
        "dataset": data.name,
        "fold": fold,
        "variant": variant,
        "seed": seed,
        "seconds": round(time.process_time() - start, 3),
        "process": process_so_far(),
        "test": test.tolist(),
        "rows": rows,
        "warnings": sorted({f"{one.category.__name__}: {one.message}" for one in caught}),
    }
