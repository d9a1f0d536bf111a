"""Steps of the Sentiment experiment: learning, and errors of classifiers before and after."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest
from sklearn.utils import check_random_state

from treemetric._base.progress import measuring
from treemetric._base.typing import FloatArray
from treemetric._estimators.prototypes import draw_candidates, select_prototypes
from treemetric._estimators.squashing import Squash
from treemetric.costs import VectorCosts
from treemetric.distances import pairwise_distances
from treemetric.experiments.sentiment.data import Indices, Plan, Splits
from treemetric.experiments.sentiment.store import SentimentStore
from treemetric.learning import BEDL
from treemetric.treeset import TreeSet

Row = dict[str, Any]

KNN, GLVQ = "knn", "median GLVQ"
# Most sentences are near the border, so the loss focuses on those. With 1,500 training trees,
# prototypes had a lower error on the development split than with the identity (kNN had not).
SQUASH = Squash("logistic", 10.0)


class Steps:
    """All steps of a run, with what they share."""

    def __init__(
        self,
        splits: Splits,
        plan: Plan,
        seed: int,
        n_jobs: int | None,
        verbose: int,
        store: SentimentStore,
        finished: Callable[[], object],
    ) -> None:
        self.splits, self.plan = splits, plan
        self.seed, self.n_jobs, self.verbose = seed, n_jobs, verbose
        self.store, self.finished = store, finished  # called after each part that is stored

    def learn(self, initial: VectorCosts) -> tuple[VectorCosts, list[Row]]:
        """Learn in every way of the plan; return the best costs on the development split.

        Results of an earlier run are reused.
        """
        tried: list[Row] = []
        best: tuple[float, VectorCosts] | None = None
        for way, options in enumerate(self.plan.learn):
            done = self.store.get(way)
            if done is None:
                done = self._learn(initial, options)
                self.store.put(way, *done)
                self.finished()
            row, projection = done
            tried.append(row)
            if best is None or row["dev_error"] < best[0]:
                best = row["dev_error"], initial.with_projection(projection)
        assert best is not None
        return best[1], tried

    def _learn(self, initial: VectorCosts, options: Row) -> tuple[Row, FloatArray]:
        (trees, classes), (dev, truth) = self.splits["train"], self.splits["dev"]
        learner = BEDL(
            init=initial,
            regularisation=0.0,
            fallback=False,
            n_candidates=self.plan.n_candidates,
            max_iter=self.plan.max_iter,
            max_inner_iter=self.plan.max_inner_iter,
            squashing=SQUASH.kind,
            slope=SQUASH.slope,
            random_state=self.seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            **options,
        )
        started = time.perf_counter()
        learner.fit(trees, classes)
        spent = time.perf_counter() - started
        error = 1.0 - float(learner.score(dev, truth))
        curve = [round(float(loss), 3) for loss in learner.loss_curve_]
        costs: Any = learner.costs_
        row = {**options, "dev_error": error, "seconds": round(spent, 3), "loss": curve}
        return row, costs.projection

    def errors(self, when: str, costs: VectorCosts) -> list[tuple[Row, Indices]]:
        """Return the errors of all classifiers under some costs, and their predictions.

        Results of an earlier run are reused.
        """
        found = []
        for name, measure in ((KNN, self._knn), (GLVQ, self._glvq)):
            done = self.store.get_errors(name, when, costs.projection)
            if done is None:
                done = measure(when, costs)
                self.store.put_errors(*done, costs.projection)
                self.finished()
            found.append(done)
        return found

    def compare(self, before: Indices, after: Indices) -> Row:
        """Compare predictions for the test split before and after."""
        return mcnemar(self.splits["test"][1], before, after)

    def _measure(self, name: str, split: str, targets: TreeSet, costs: VectorCosts) -> Any:
        with measuring(self.verbose, name, f"{split} trees", "pairs") as report:
            return pairwise_distances(
                self.splits[split][0],
                targets,
                costs=costs,
                n_jobs=self.n_jobs,
                dtype="float32",
                progress=report,
            )

    def _knn(self, when: str, costs: VectorCosts) -> tuple[Row, Indices]:
        trees, classes = self.splits["train"]
        counts = [k for k in self.plan.n_neighbors if k <= len(trees)]
        found = {}
        for split in ("dev", "test"):
            apart = self._measure(f"{KNN} {when}", split, trees, costs)
            near = np.argsort(apart, axis=1, kind="stable")
            found[split] = votes(classes[near[:, : counts[-1]]], counts)
        return self._chosen(KNN, when, "n_neighbors", counts, found)

    def _glvq(self, when: str, costs: VectorCosts) -> tuple[Row, Indices]:
        trees, classes = self.splits["train"]
        candidates = draw_candidates(classes, self.plan.n_candidates, check_random_state(self.seed))
        kept = trees[candidates]
        name = f"{GLVQ} {when}"
        distances = self._measure(name, "train", kept, costs).astype(np.float64)
        apart = {split: self._measure(name, split, kept, costs) for split in ("dev", "test")}
        found: dict[str, list[Indices]] = {split: [] for split in apart}
        for count in self.plan.n_prototypes:
            chosen = select_prototypes(
                distances, classes, count, candidates=candidates, squash=SQUASH
            )
            places = np.searchsorted(candidates, chosen.indices)
            for split, measured in apart.items():
                found[split].append(chosen.labels[measured[:, places].argmin(axis=1)])
        return self._chosen(GLVQ, when, "n_prototypes", self.plan.n_prototypes, found)

    def _chosen(
        self,
        classifier: str,
        when: str,
        parameter: str,
        values: Sequence[int],
        found: dict[str, list[Indices]],
    ) -> tuple[Row, Indices]:
        """Choose a parameter by the development split; only then look at the test split."""
        errors = [float(np.mean(labels != self.splits["dev"][1])) for labels in found["dev"]]
        best = int(np.argmin(errors))
        truth = self.splits["test"][1]
        row = {
            "classifier": classifier,
            "costs": when,
            "parameter": parameter,
            "value": values[best],
            "dev_error": errors[best],
            "test_error": float(np.mean(found["test"][best] != truth)),
            "n_test": len(truth),
        }
        return row, found["test"][best]


def votes(neighbours: Indices, counts: Sequence[int]) -> list[Indices]:
    """Return the most frequent class among the first k of each row, for several k.

    Ties go to the first class.
    """
    classes = np.arange(int(neighbours.max(initial=0)) + 1)
    seen = (neighbours[:, :, None] == classes).cumsum(axis=1)
    return [seen[:, k - 1].argmax(axis=1).astype(np.int64) for k in counts]


def mcnemar(truth: Indices, before: Indices, after: Indices) -> Row:
    """Compare two lists of predictions for the same trees by McNemar's test, exactly.

    Without an effect of learning, each list is right on half of the trees on which exactly one of
    them is right.
    """
    gone = int(np.sum((before != truth) & (after == truth)))
    new = int(np.sum((before == truth) & (after != truth)))
    p = float(binomtest(gone, gone + new).pvalue) if gone + new else 1.0
    return {"errors_gone": gone, "errors_new": new, "p_value": p}
