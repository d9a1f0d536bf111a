"""Learners that take the mean of several fits, or unit costs if learned costs are not better."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.progress import fit_report
from treemetric._base.typing import FloatArray
from treemetric._base.validation import check_bool, check_int
from treemetric._estimators.checks import check_positive
from treemetric.costs import CostMatrix, UnitCosts
from treemetric.learning._bagging import (
    Errors,
    Verdict,
    bootstrap,
    judge,
    mean_table,
    sentence,
)
from treemetric.learning._cost_learner import CostLearner
from treemetric.learning._metric_table import MetricTable, rounded_up
from treemetric.learning._nca_fit import FitSettings, Fitted, deletions
from treemetric.learning.symbol_counts import check_tables
from treemetric.treeset import TreeSet

# A fit to trees that were drawn so many times each; None if there is nothing to learn.
Fit = Callable[[npt.NDArray[np.int64]], Fitted | None]


class Ensemble(NamedTuple):
    """Several fits, and how often each of them has drawn each tree."""

    fits: list[Fitted]
    drawn: npt.NDArray[np.int64]

    @property
    def left_out(self) -> npt.NDArray[np.bool_]:
        """Which trees each fit has not seen."""
        unseen: npt.NDArray[np.bool_] = self.drawn == 0
        return unseen


class EnsembleLearner(CostLearner):
    """Base of the learners with a prior that favours unit costs and a mean of several fits."""

    n_neighbors: int
    weight_scale: float
    vector_scale: float
    max_vectors: int
    n_fits: int
    n_rounds: int
    max_iter: int
    max_trees: int
    fallback: bool
    random_state: Any
    learned_: bool
    validation_scores_: dict[str, float]
    fit_weights_: FloatArray
    losses_: FloatArray
    n_iter_: npt.NDArray[np.int64]

    def _settings(self) -> FitSettings:
        """Check the parameters that these learners share."""
        name = type(self).__name__
        for parameter in ("n_neighbors", "n_fits", "n_rounds", "max_iter"):
            check_int(getattr(self, parameter), parameter, name)
        check_int(self.max_vectors, "max_vectors", name, 0)
        check_int(self.max_trees, "max_trees", name, 2)
        check_bool(self.fallback, "fallback", name)
        return FitSettings(
            weight_scale=check_positive(self.weight_scale, "weight_scale", name),
            vector_scale=check_positive(self.vector_scale, "vector_scale", name),
            max_vectors=self.max_vectors,
            n_rounds=self.n_rounds,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )

    def _draw_fits(
        self,
        trees: TreeSet,
        groups: npt.NDArray[np.intp],
        fit: Fit,
        random: np.random.RandomState,
        most: int,
    ) -> Ensemble:
        """Fit costs to bootstrap samples of `most` trees; those of one group are drawn together.

        If no sample has anything to learn from, and unit costs are no option, fit to all trees.
        """
        name = type(self).__name__
        check_tables(len(trees.alphabet), 5, name)
        fits: list[Fitted] = []
        times = []
        with fit_report(self.verbose, name, self.n_fits) as report:
            for number in range(self.n_fits + 1):
                drawn = bootstrap(groups, most, random)
                if number == self.n_fits:
                    if fits or self.fallback:
                        break
                    drawn = np.ones(len(trees), dtype=np.int64)
                fitted = fit(drawn)
                if fitted is not None:
                    fits.append(fitted)
                    times.append(drawn)
                    report(min(number + 1, self.n_fits), fitted.objective)
        shape = len(fits), len(trees)
        return Ensemble(fits, np.array(times, dtype=np.int64).reshape(shape))

    def _verdict(
        self,
        found: Ensemble,
        trees: TreeSet,
        groups: npt.NDArray[np.intp],
        errors_of: Errors,
        weight: FloatArray,
        random: np.random.RandomState,
        first_weight: FloatArray | None = None,
    ) -> Verdict:
        """Compare learned costs and unit costs on the trees that fits have not seen."""
        if not (found.fits and self.fallback):
            return Verdict(learned=bool(found.fits), scores={})
        first = weight if first_weight is None else first_weight
        fits, left_out = found.fits, found.left_out
        return judge(trees, errors_of, weight, first, groups, fits, left_out, random, self.n_jobs)

    def _learned(
        self, trees: TreeSet, found: Ensemble, verdict: Verdict
    ) -> tuple[CostMatrix, dict[str, Any]]:
        """Return the chosen costs, and the attributes that say what was found."""
        fits, alphabet = found.fits, trees.alphabet
        if int(self.verbose) > 1:
            sys.stdout.write(f"[{type(self).__name__}] {sentence(verdict, 'unit costs')}\n")
        costs = UnitCosts().to_matrix(alphabet)
        if verdict.learned:
            costs = MetricTable.taken(alphabet, rounded_up(mean_table(fits, alphabet)))
        weights = [deletions(fitted, alphabet) for fitted in fits]
        attributes = {
            "learned_": verdict.learned,
            "validation_scores_": verdict.scores,
            "fit_weights_": np.array(weights).reshape(len(fits), len(alphabet)),
            "losses_": np.array([fitted.objective for fitted in fits]),
            "n_iter_": np.array([fitted.n_iter for fitted in fits], dtype=np.int64),
        }
        return costs, attributes
