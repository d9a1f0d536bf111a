"""The alternation that BEDL and LVQCosts share: distances, prototypes, alignments, costs."""

from abc import abstractmethod
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from sklearn.utils import check_random_state

from treemetric._base.progress import fit_report
from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import as_float, check_non_negative, refuse, shown
from treemetric._estimators.base import prototype_counts
from treemetric.alignment.edit_counts import edit_counts
from treemetric.alignment.soft import HOTTEST
from treemetric.classification._median import Selection, Squash, closest, select_prototypes
from treemetric.costs import CostMatrix, Costs, UnitCosts
from treemetric.distances import pairwise_distances
from treemetric.learning._base import ClassCodes, TreeMetricLearner, check_int
from treemetric.learning._metric import check_choice
from treemetric.learning._symbols import SymbolCounts, fold
from treemetric.treeset import TreeSet

# The name under which learners know it.
per_class = prototype_counts
# The gradient is proportional to the slope, and the square of its length must not overflow.
_STEEPEST = 1e100


class Space(Protocol):
    """What the parameters of a learner are."""

    @property
    def start(self) -> FloatArray:
        """The parameters to start from."""

    def costs(self, parameters: FloatArray) -> CostMatrix:
        """Give the costs that parameters stand for."""

    def penalty(self, parameters: FloatArray) -> float:
        """Give what regularisation adds to the loss."""

    def improve(self, parameters: FloatArray, counts: SymbolCounts, squash: Squash) -> FloatArray:
        """Lower the loss, with alignments fixed."""


class State(NamedTuple):
    """Parameters, the costs they stand for, and the prototypes and loss under these costs."""

    parameters: FloatArray
    costs: CostMatrix
    distances: FloatArray
    selection: Selection
    loss: float


class PrototypeLearner(TreeMetricLearner):
    """Base of the learners that lower the loss of learning vector quantisation.

    A subclass says what is to be learned, by `_space`.
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
        """Say what is to be learned, and give the costs at the start."""

    def fit(self, X: Trees, y: Any) -> Self:
        """Learn costs and prototypes from classified trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,)
            Their classes.

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
        trees, codes = data.trees, data.codes
        wanted = per_class(self.n_prototypes, data.classes, name)
        random = check_random_state(self.random_state)
        squash = Squash(self.squashing, float(self.slope))  # type: ignore[arg-type]
        space, initial = self._space(trees, random)
        self._check_temperature(trees, initial)

        def state(parameters: FloatArray, before: State | None, progress: Any = None) -> State:
            costs = space.costs(parameters)
            # The simplex stands for unit costs, which are the fastest.
            unit = before is None and isinstance(initial, UnitCosts)
            priced = UnitCosts() if unit else costs
            found: Any = pairwise_distances(
                trees, costs=priced, n_jobs=self.n_jobs, progress=progress
            )
            selection = select_prototypes(
                found,
                codes,
                wanted,
                squash=squash,
                random_state=random,
                start=None if before is None else before.selection.indices,
            )
            loss = selection.loss + space.penalty(parameters)
            return State(parameters, costs, found, selection, loss)

        failures = 0
        slack = self.tol * len(trees)
        # No loss is lower than with every tree at the place of a prototype of its class.
        least = float(squash.value(np.array([-1.0]))[0]) * len(trees)
        # With one class there is nothing to tell apart, so the costs stay as they are.
        going = len(data.classes) > 1
        aim = space.start
        with fit_report(self.verbose, name, self.max_iter) as report:
            best = state(space.start, None, report.stage("first distances", "pairs"))
            curve = [best.loss]
            report(0, best.loss)
            while going and len(curve) <= self.max_iter:
                if failures:
                    # Other alignments became optimal on the way, so go half of it.
                    aim = (best.parameters + aim) / 2
                else:
                    counts = self._count(trees, codes, best)
                    aim = space.improve(best.parameters, counts, squash)
                now = state(aim, best)
                change = now.loss - best.loss
                failures = 0 if change < 0 else failures + 1
                best = now if change < 0 else best
                curve.append(best.loss)
                report(len(curve) - 1, best.loss)
                going = abs(change) > slack and failures < self.patience
                going &= best.loss > least + slack
        self._keep(
            data,
            best.costs,
            initial,
            best.selection.indices,
            loss_=best.loss,
            loss_curve_=np.array(curve),
            n_iter_=len(curve) - 1,
        )
        return self

    def _check_temperature(self, trees: TreeSet, initial: Costs) -> None:
        """Refuse a temperature that is too low for the trees, before any work."""
        if self.temperature is None:
            return
        nothing = np.zeros((0, 2), dtype=np.int64)
        try:
            edit_counts(trees, pairs=nothing, costs=initial, temperature=self.temperature)
        except ValueError as error:
            message = str(error).replace("of edit_counts", f"of {type(self).__name__}")
            raise ValueError(message) from None

    def _count(self, trees: TreeSet, codes: ClassCodes, now: State) -> SymbolCounts:
        """Count the edits from each tree to its closest prototypes, of its class and another."""
        chosen = now.selection
        nearest = closest(now.distances[:, chosen.indices], chosen.labels, codes)
        every = np.arange(len(trees))
        pairs = np.concatenate([np.c_[every, chosen.indices[side]] for side in nearest])
        counts = edit_counts(
            trees, pairs=pairs, costs=now.costs, n_jobs=self.n_jobs, **self._counting()
        )
        return fold(counts, now.costs.alphabet)

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
        check_int(self.max_inner_iter, "max_inner_iter", name, 1)
        check_int(self.patience, "patience", name, 1)
        if self.temperature is not None and not 0 < as_float(self.temperature) <= HOTTEST:
            must = f"None or a float in the range (0.0, {HOTTEST:g}]"
            refuse("temperature", name, must, shown(self.temperature))
