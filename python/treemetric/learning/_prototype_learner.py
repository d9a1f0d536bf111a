"""The base of BEDL and LVQCosts: parameters, fit, and the alternation."""

from __future__ import annotations

import copy
import sys
from abc import abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import (
    as_float,
    check_bool,
    check_int,
    check_non_negative,
    check_random_state,
    refuse,
    shown,
)
from treemetric._estimators.checks import prototype_counts
from treemetric._estimators.holdout import check_validation_fraction, held_numbers, hold_out
from treemetric._estimators.prototypes import Indices
from treemetric._estimators.squashing import Squash
from treemetric.costs import Costs, UnitCosts
from treemetric.learning._alternation import (
    Alternation,
    Batches,
    Data,
    Learned,
    Settings,
    Space,
)
from treemetric.learning._bagging import Verdict, sentence
from treemetric.learning._base import Training, TreeMetricLearner
from treemetric.learning._cross_fit import N_PARTS, Fit, cross_fit
from treemetric.learning._metric import check_choice
from treemetric.learning._temperature import check_temperature
from treemetric.treeset import TreeSet

# Each round computes the distances of all trees to the candidates for prototypes. If all trees were
# candidates and had more pairs of nodes than this, fewer are drawn, but at least the last number of
# each class.
_NODE_PAIRS = 4e8
_FEWEST_CANDIDATES = 20
# The gradient is proportional to the slope, and the square of its length must not overflow.
_STEEPEST = 1e100


class Prepared(NamedTuple):
    """A fit that can be run."""

    rows: Indices  # positions of the trees that are used
    used: Data
    held: Data | None
    settings: Settings
    space: Space
    initial: Costs
    batches: Batches | None

    def stopped(self) -> Prepared:
        """Return a fit that keeps the initial costs and chooses prototypes only."""
        return self._replace(settings=self.settings._replace(max_iter=0))

    def run(self, random: np.random.RandomState) -> Learned:
        """Run the alternation."""
        return Alternation(
            self.used, self.space, self.settings, random, self.batches, self.held
        ).run()


class PrototypeLearner(TreeMetricLearner):
    """Base of the learners that lower the loss of learning vector quantisation.

    A subclass defines what is learned by `_space`.
    """

    n_prototypes: Any
    squashing: str
    slope: float
    regularisation: Any
    max_iter: int
    max_inner_iter: int
    tol: float
    patience: int
    temperature: float | None
    validation_fraction: float | None
    fallback: bool
    random_state: Any
    learned_: bool
    validation_scores_: dict[str, float]
    loss_: float
    loss_curve_: FloatArray
    validation_curve_: FloatArray | None
    n_iter_: int
    best_iter_: int

    @abstractmethod
    def _space(
        self, trees: TreeSet, strength: float, random: np.random.RandomState
    ) -> tuple[Space, Costs]:
        """Return the parameters to learn with a strength of regularisation, and the start."""

    def fit(self, X: Trees, y: Any, sample_weight: Any = None) -> Self:
        """Learn costs and prototypes from classified trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,)
            The classes of the trees.
        sample_weight : array-like of shape (n_trees,), optional
            The weights of the trees in the loss; by default all are 1. A tree of weight 2 counts
            as two equal trees. A tree of weight 0 is not used: the costs and prototypes are those
            without it.

        Returns
        -------
        self
            The fitted learner.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import BEDL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> BEDL().fit(trees, [0, 0, 1, 1]).score(trees, [0, 0, 1, 1])
        1.0
        """
        name = type(self).__name__
        self._check_parameters()
        data = self._begin(X, y, sample_weight)
        random = check_random_state(self.random_state, name)
        # The fits of the check leave the numbers that are drawn for the last fit as they are.
        apart = copy.deepcopy(random)
        everything = np.arange(len(data.trees))
        prepared = self._prepare(data, everything, random, name)
        verdict = self._verdict(data, prepared, apart)
        if not verdict.learned:
            prepared = prepared.stopped()
        learned = prepared.run(random)
        best = learned.state
        self._keep(
            data,
            prepared.space.kept(best.costs),
            prepared.initial,
            prepared.rows[best.selection.indices],
            learned_=learned.best_iter > 0,
            validation_scores_=verdict.scores,
            loss_=best.loss,
            loss_curve_=learned.losses,
            validation_curve_=learned.held_losses,
            best_iter_=learned.best_iter,
            n_iter_=len(learned.losses) - 1,
        )
        return self

    def _prepare(
        self, data: Training, some: Indices, random: np.random.RandomState, owner: str
    ) -> Prepared:
        """Return a fit to the trees at some positions that can be run.

        The parameters are those of all labels, whichever trees are used.
        """
        name = type(self).__name__
        present, codes = np.unique(data.codes[some], return_inverse=True)
        chosen, held_out = self._split(codes, random)
        rows = some[chosen]
        used = part(data, rows, codes[chosen])
        counts = prototype_counts(self.n_prototypes, data.classes, name)
        settings = Settings(
            owner=owner,
            squash=Squash(self.squashing, float(self.slope)),  # type: ignore[arg-type]
            n_prototypes=counts[present],
            n_candidates=self._candidates(used.trees, len(present)),
            max_iter=self.max_iter,
            patience=self.patience,
            tol=float(self.tol),
            counting=self._counting(),
            n_jobs=self.n_jobs,
            verbose=int(self.verbose) if owner == name else min(1, int(self.verbose)),
        )
        space, initial = self._space(data.trees, self._check_strength() * used.total, random)
        if self.temperature is not None:
            costs = space.shortcut or space.costs(space.start)
            check_temperature(self.temperature, name, data.trees, costs)
        held = part(data, some[held_out], codes[held_out]) if len(held_out) else None
        return Prepared(rows, used, held, settings, space, initial, self._batches(space))

    def _split(self, codes: Indices, random: np.random.RandomState) -> tuple[Indices, Indices]:
        """Return positions of the trees to learn from, and of those that are held out."""
        fraction = check_validation_fraction(self.validation_fraction, type(self).__name__)
        if fraction is None:
            return np.arange(len(codes)), np.arange(0)
        return hold_out(codes, fraction, random, type(self).__name__)

    def _verdict(self, data: Training, whole: Prepared, random: np.random.RandomState) -> Verdict:
        """Compare learned costs and initial costs on trees that fits have not seen."""
        name = type(self).__name__
        if not (self.fallback and self.max_iter and len(data.classes) > 1):
            return Verdict(learned=True, scores={})

        def fit(number: int, some: Indices) -> Fit | None:
            present, sizes = np.unique(data.codes[some], return_counts=True)
            fraction = self.validation_fraction
            if len(present) < 2 or (
                fraction is not None and not held_numbers(sizes, fraction).any()
            ):
                return None
            owner = f"{name}, check {number + 1} of {N_PARTS}"
            drawn = copy.deepcopy(random)
            prepared = self._prepare(data, some, drawn, owner)
            learned = prepared.run(drawn)
            before, after = (
                prepared.rows[state.selection.indices] for state in (learned.start, learned.state)
            )
            return Fit(prepared.space.quick(learned.state.costs), before, after)

        weight = np.ones(len(data.trees)) if data.weights is None else data.weights
        initial = whole.space.shortcut or whole.space.costs(whole.space.start)
        verdict = cross_fit(data.trees, data.codes, weight, initial, fit, self.n_jobs)
        if int(self.verbose) > 1:
            sys.stdout.write(f"[{name}] {sentence(verdict, 'initial costs')}\n")
        return verdict

    @property
    def _kept_tables(self) -> int:
        """The number of tables of costs that the check keeps."""
        return N_PARTS if self.fallback else 0

    def _metric_costs(self) -> Costs:
        if self.learned_ or not isinstance(self.initial_costs_, UnitCosts):
            return self.costs_
        # Vectors of the simplex have these distances up to rounding, which decides between ties.
        return self.initial_costs_.to_matrix(self.costs_.alphabet)

    def _candidates(self, trees: TreeSet, classes: int) -> int | None:
        """Return how many trees of each class can become prototypes; None for all."""
        wanted: int | None = getattr(self, "n_candidates", None)  # not a parameter of all
        nodes = float(trees.sizes.sum())
        if wanted is not None or nodes**2 <= _NODE_PAIRS:
            return wanted
        affordable = _NODE_PAIRS * len(trees) / nodes**2
        return max(_FEWEST_CANDIDATES, int(affordable / classes))

    def _batches(self, space: Any) -> Batches | None:  # noqa: ARG002
        """Return how to improve parameters on batches of trees; None for all trees at once."""
        return None

    def _counting(self) -> dict[str, Any]:
        return {} if self.temperature is None else {"temperature": self.temperature}

    def _check_strength(self) -> float:
        """Check and return the weight of the regularisation per tree."""
        return check_non_negative(self.regularisation, "regularisation", type(self).__name__)

    def _check_parameters(self) -> None:
        name = type(self).__name__
        check_choice(self.squashing, "squashing", name, ("identity", "logistic"))
        if not 0 < as_float(self.slope) <= _STEEPEST:
            refuse("slope", name, f"a float in the range (0.0, {_STEEPEST:g}]", shown(self.slope))
        self._check_strength()
        check_non_negative(self.tol, "tol", name)
        check_int(self.max_iter, "max_iter", name, 0)
        check_int(self.max_inner_iter, "max_inner_iter", name)
        check_int(self.patience, "patience", name)
        check_validation_fraction(self.validation_fraction, name)
        check_bool(self.fallback, "fallback", name)
        if self.temperature is not None:
            check_temperature(self.temperature, name)


def part(data: Training, rows: Indices, codes: Indices) -> Data:
    """Return some of the training data, with codes of their own."""
    if len(rows) == len(data.trees):
        return Data(data.trees, codes, data.weights)
    weights = None if data.weights is None else data.weights[rows]
    return Data(data.trees[rows], codes, weights)
