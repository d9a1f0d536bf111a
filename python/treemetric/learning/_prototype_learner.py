"""The base of BEDL and LVQCosts: parameters, fit, and the alternation."""

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
from treemetric._estimators.squashing import Squash
from treemetric.costs import Costs
from treemetric.learning._alternation import Alternation, Batches, Settings, Space
from treemetric.learning._base import TreeMetricLearner
from treemetric.learning._metric import check_choice
from treemetric.learning._temperature import check_temperature
from treemetric.treeset import TreeSet

# The gradient is proportional to the slope, and the square of its length must not overflow.
_STEEPEST = 1e100


class PrototypeLearner(TreeMetricLearner):
    """Base of the learners that lower the loss of learning vector quantisation.

    A subclass defines what is learned by `_space`.
    """

    n_prototypes: Any
    squashing: str
    slope: float
    regularisation: float
    max_iter: int
    max_inner_iter: int
    tol: float
    patience: int
    temperature: float | None
    random_state: Any
    loss_: float
    loss_curve_: FloatArray
    n_iter_: int

    @abstractmethod
    def _space(self, trees: TreeSet, random: np.random.RandomState) -> tuple[Space, Costs]:
        """Return the parameters to learn, and the initial costs."""

    def fit(self, X: Trees, y: Any) -> Self:
        """Learn costs and prototypes from classified trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,)
            The classes of the trees.

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
        data = self._begin(X, y)
        settings = Settings(
            owner=name,
            squash=Squash(self.squashing, float(self.slope)),  # type: ignore[arg-type]
            n_prototypes=prototype_counts(self.n_prototypes, data.classes, name),
            n_candidates=getattr(self, "n_candidates", None),  # not a parameter of all
            max_iter=self.max_iter,
            patience=self.patience,
            tol=float(self.tol),
            counting=self._counting(),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        random = check_random_state(self.random_state, name)
        space, initial = self._space(data.trees, random)
        if self.temperature is not None:
            costs = space.shortcut or space.costs(space.start)
            check_temperature(self.temperature, name, data.trees, costs)
        learned = Alternation(data.trees, data.codes, space, settings, random, self._batches(space))
        best, curve = learned.run()
        self._keep(
            data,
            space.kept(best.costs),
            initial,
            best.selection.indices,
            loss_=best.loss,
            loss_curve_=curve,
            n_iter_=len(curve) - 1,
        )
        return self

    def _batches(self, space: Any) -> Batches | None:  # noqa: ARG002
        """Return how to improve parameters on batches of trees; None for all trees at once."""
        return None

    def _counting(self) -> dict[str, Any]:
        return {} if self.temperature is None else {"temperature": self.temperature}

    def _check_parameters(self) -> None:
        name = type(self).__name__
        check_choice(self.squashing, "squashing", name, ("identity", "logistic"))
        if not 0 < as_float(self.slope) <= _STEEPEST:
            refuse("slope", name, f"a float in the range (0.0, {_STEEPEST:g}]", shown(self.slope))
        check_non_negative(self.regularisation, "regularisation", name)
        check_non_negative(self.tol, "tol", name)
        check_int(self.max_iter, "max_iter", name, 0)
        check_int(self.max_inner_iter, "max_inner_iter", name)
        check_int(self.patience, "patience", name)
        if self.temperature is not None:
            check_temperature(self.temperature, name)
