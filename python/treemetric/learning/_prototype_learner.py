"""The base of BEDL and LVQCosts: parameters, fit, and the alternation."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import (
    as_float,
    check_int,
    check_non_negative,
    check_random_state,
    refuse,
    shown,
)
from treemetric._estimators.checks import prototype_counts
from treemetric._estimators.holdout import check_validation_fraction, hold_out
from treemetric._estimators.prototypes import Indices
from treemetric._estimators.squashing import Squash
from treemetric.costs import Costs
from treemetric.learning._alternation import Alternation, Batches, Data, Settings, Space
from treemetric.learning._base import Training, TreeMetricLearner
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
    random_state: Any
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
        rows, held = self._split(data, random)
        used = part(data, rows)
        settings = Settings(
            owner=name,
            squash=Squash(self.squashing, float(self.slope)),  # type: ignore[arg-type]
            n_prototypes=prototype_counts(self.n_prototypes, data.classes, name),
            n_candidates=self._candidates(used.trees, len(data.classes)),
            max_iter=self.max_iter,
            patience=self.patience,
            tol=float(self.tol),
            counting=self._counting(),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        space, initial = self._space(data.trees, self._check_strength() * used.total, random)
        if self.temperature is not None:
            costs = space.shortcut or space.costs(space.start)
            check_temperature(self.temperature, name, data.trees, costs)
        learned = Alternation(used, space, settings, random, self._batches(space), held).run()
        best = learned.state
        self._keep(
            data,
            space.kept(best.costs),
            initial,
            rows[best.selection.indices],
            loss_=best.loss,
            loss_curve_=learned.losses,
            validation_curve_=learned.held_losses,
            best_iter_=learned.best_iter,
            n_iter_=len(learned.losses) - 1,
        )
        return self

    def _split(self, data: Training, random: np.random.RandomState) -> tuple[Indices, Data | None]:
        """Return the trees to learn from, and those that are held out."""
        fraction = check_validation_fraction(self.validation_fraction, type(self).__name__)
        if fraction is None:
            return np.arange(len(data.trees)), None
        rows, held = hold_out(data.codes, fraction, random, type(self).__name__)
        return rows, part(data, held)

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
        if self.temperature is not None:
            check_temperature(self.temperature, name)


def part(data: Training, rows: Indices) -> Data:
    """Return some of the training data."""
    if len(rows) == len(data.trees):
        return Data(data.trees, data.codes, data.weights)
    weights = None if data.weights is None else data.weights[rows]
    return Data(data.trees[rows], data.codes[rows], weights)
