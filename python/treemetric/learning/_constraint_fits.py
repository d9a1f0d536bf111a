"""Fits to pairs and triplets of trees in place of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import check_random_state
from treemetric._estimators.weighting import check_sample_weight
from treemetric.costs import CostMatrix, Costs, UnitCosts
from treemetric.learning._bagging import Verdict, compare, equal_trees
from treemetric.learning._constraint_loss import (
    PairLoss,
    TripletLoss,
    balanced,
    best_threshold,
    pair_errors,
    triplet_errors,
)
from treemetric.learning._constraints import (
    Constraints,
    check_constraints,
    check_similarity,
    drawing_units,
    times_drawn,
)
from treemetric.learning._ensemble import Ensemble, EnsembleLearner
from treemetric.learning._nca_fit import Fitted, fit_rounds, judged_costs
from treemetric.learning._pair_costs import DistanceLoss
from treemetric.paired import paired_distances
from treemetric.treeset import TreeSet

IntArray = npt.NDArray[np.intp]

# At most this many constraints are used in a fit, and to compare costs; a sample if there are more.
# Of long trees fewer are used: they have at most this many pairs of nodes, but there are no fewer
# than the last number.
_MOST = 20_000
_NODE_PAIRS = 4e7
_FEWEST = 500


class _Supervision(NamedTuple):
    """What constraints say: a loss of some of them, and errors of others."""

    # (constraints, their weights) -> loss; None if there is nothing to learn
    loss: Callable[[IntArray, FloatArray], DistanceLoss | None]
    # (all distances, constraints that were seen, their weights, those to judge) -> errors
    errors: Callable[[FloatArray, IntArray, FloatArray, IntArray], FloatArray]
    # the weights of constraints in the comparison
    weight: FloatArray


class ConstraintFits(EnsembleLearner):
    """Adds `fit_pairs`, `predict_pairs` and `fit_triplets` to a learner."""

    threshold_: float

    def fit_pairs(
        self, pairs: Any, y: Any, X: Trees | None = None, *, sample_weight: Any = None
    ) -> Self:
        """Learn costs under which similar pairs are close, or find that unit costs are as good.

        Parameters
        ----------
        pairs : sequence of (Tree, Tree), or array-like of shape (n_pairs, 2)
            The pairs: trees, or positions in `X`.
        y : array-like of shape (n_pairs,)
            1 (or True) for similar pairs and -1 (or False) for others; both must occur.
        X : TreeSet or list of Tree, optional
            The trees, if `pairs` are positions.
        sample_weight : array-like of shape (n_pairs,), optional
            The weights of the pairs; by default all are 1.

        Returns
        -------
        self
            The fitted learner. It has the attributes of `fit` except those of classes, and
            `threshold_`: the positive distance that separates the training pairs best, with the
            same weight for both kinds. `predict_pairs`, `get_metric` and `transform` work,
            `predict` does not.

        Notes
        -----
        The loss is Σ log(1 + exp(±(d - t))) with the best threshold t. The errors in
        `validation_scores_` are shares of pairs on the wrong side of a threshold; similar pairs
        and others count the same. Each bootstrap sample draws trees, and it is compared on the
        pairs without a tree that was drawn. A fit uses up to 20,000 pairs, a sample of more;
        fewer of long trees.

        Examples
        --------
        >>> import numpy as np
        >>> from treemetric.datasets import make_strings
        >>> from treemetric.learning import NCACosts
        >>> strings = make_strings(60, random_state=0)
        >>> pairs = np.column_stack(np.triu_indices(60, 1))
        >>> same = strings.target[pairs[:, 0]] == strings.target[pairs[:, 1]]
        >>> learner = NCACosts(random_state=0).fit_pairs(pairs, np.where(same, 1, -1), strings.data)
        >>> learner.learned_
        True
        >>> near = learner.predict_pairs(pairs, strings.data) == 1
        >>> float((near == same).mean()) > 0.9
        True
        """
        found = check_constraints(pairs, X, 2, f"{type(self).__name__}.fit_pairs")
        similar = check_similarity(y, len(found.rows), f"{type(self).__name__}.fit_pairs")

        def loss(seen: IntArray, weight: FloatArray) -> DistanceLoss | None:
            both = similar[seen].any() and not similar[seen].all()
            return PairLoss(similar[seen], weight) if both else None

        def errors(
            distances: FloatArray, seen: IntArray, weight: FloatArray, asked: IntArray
        ) -> FloatArray:
            even = balanced(similar[seen], weight)
            threshold = best_threshold(distances[seen], similar[seen], even)
            return pair_errors(distances[asked], similar[asked], threshold)

        weight = self._constraint_weight(sample_weight, found)
        even = balanced(similar, weight)
        costs, attributes = self._fit_constraints(found, weight, _Supervision(loss, errors, even))
        self._keep_costs(found.trees, costs, UnitCosts(), **attributes)
        self.threshold_ = best_threshold(self._pair_distances(found), similar, even)
        return self

    def predict_pairs(self, pairs: Any, X: Trees | None = None) -> npt.NDArray[np.int64]:
        """Predict whether pairs are similar: whether their distance is below `threshold_`.

        Parameters
        ----------
        pairs : sequence of (Tree, Tree), or array-like of shape (n_pairs, 2)
            The pairs: trees, or positions in `X`.
        X : TreeSet or list of Tree, optional
            The trees, if `pairs` are positions.

        Returns
        -------
        ndarray of shape (n_pairs,)
            1 for similar pairs and -1 for others.

        Raises
        ------
        NotFittedError
            If the learner was not fitted by `fit_pairs`.
        UnknownLabelError
            If a label was not seen in training and ``unseen='error'``.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import NCACosts
        >>> a, b, c, d = (Tree.from_sequence(word) for word in ("aax", "aay", "ccx", "ccy"))
        >>> pairs = [(a, b), (c, d), (a, c), (b, d)]
        >>> learner = NCACosts(fallback=False, random_state=0).fit_pairs(pairs, [1, 1, -1, -1])
        >>> learner.predict_pairs([(a, b), (a, d)])
        array([ 1, -1])
        """
        check_is_fitted(self, "costs_")
        if not hasattr(self, "threshold_"):
            name = type(self).__name__
            source = "classes" if hasattr(self, "classes_") else "triplets"
            message = (
                f"This {name} was fitted to {source} and has no threshold of similar pairs. "
                "Call fit_pairs(pairs, y) to predict pairs."
            )
            raise NotFittedError(message)
        found = check_constraints(pairs, X, 2, f"{type(self).__name__}.predict_pairs")
        return np.where(self._pair_distances(found) < self.threshold_, 1, -1)

    def _pair_distances(self, found: Constraints) -> FloatArray:
        """Return the learned distances of pairs."""
        distances: FloatArray = self.get_metric()._paired(*found, n_jobs=self.n_jobs)
        return distances

    def fit_triplets(
        self, triplets: Any, X: Trees | None = None, *, sample_weight: Any = None
    ) -> Self:
        """Learn costs under which the order of distances is right, or unit costs.

        Parameters
        ----------
        triplets : sequence of (Tree, Tree, Tree), or array-like of shape (n_triplets, 3)
            The triplets: trees, or positions in `X`. The first tree of a triplet is more similar
            to the second tree than to the third.
        X : TreeSet or list of Tree, optional
            The trees, if `triplets` are positions.
        sample_weight : array-like of shape (n_triplets,), optional
            The weights of the triplets; by default all are 1.

        Returns
        -------
        self
            The fitted learner. It has the attributes of `fit` except those of classes.
            `get_metric` and `transform` work, `predict` does not.

        Notes
        -----
        The loss is Σ log(1 + exp(d₂ - d₃)) with the distances of the first tree to the second and
        to the third. The errors in `validation_scores_` are shares of triplets in the wrong order.
        Each bootstrap sample draws trees, and it is compared on the triplets without a tree that
        was drawn. A fit uses up to 20,000 triplets, a sample of
        more; fewer of long trees.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import NCACosts
        >>> a, b, c = (Tree.from_sequence(word) for word in ("ax", "bx", "ay"))
        >>> learner = NCACosts(fallback=False, random_state=0).fit_triplets([(a, b, c)])
        >>> metric = learner.get_metric()
        >>> metric(a, b) < metric(a, c)
        True
        """
        found = check_constraints(triplets, X, 3, f"{type(self).__name__}.fit_triplets")

        def loss(seen: IntArray, weight: FloatArray) -> DistanceLoss:  # noqa: ARG001
            return TripletLoss(weight)

        def errors(
            distances: FloatArray,
            seen: IntArray,  # noqa: ARG001
            weight: FloatArray,  # noqa: ARG001
            asked: IntArray,
        ) -> FloatArray:
            half = len(distances) // 2
            return triplet_errors(distances[np.concatenate([asked, half + asked])])

        weight = self._constraint_weight(sample_weight, found)
        supervision = _Supervision(loss, errors, weight)
        costs, attributes = self._fit_constraints(found, weight, supervision)
        self._keep_costs(found.trees, costs, UnitCosts(), **attributes)
        return self

    def _constraint_weight(self, sample_weight: Any, found: Constraints) -> FloatArray:
        """Check the weights of constraints; return them with a mean of 1."""
        weight = check_sample_weight(sample_weight, len(found.rows), type(self).__name__)
        if weight is None:
            return np.ones(len(found.rows))
        return weight / float(weight.mean())

    def _fit_constraints(
        self, given: Constraints, weight: FloatArray, supervision: _Supervision
    ) -> tuple[CostMatrix, dict[str, Any]]:
        settings = self._settings()
        self._check_common()
        random = check_random_state(self.random_state, type(self).__name__)
        trees, rows = given
        units = drawing_units(rows, equal_trees(trees))
        most = _most(trees)

        def fit(drawn: npt.NDArray[np.int64]) -> Fitted | None:
            own = times_drawn(rows, units, drawn) * weight
            seen = _some(np.flatnonzero(own), most, random)
            loss = supervision.loss(seen, own[seen]) if len(seen) else None
            if loss is None:
                return None
            members, places = np.unique(rows[seen], return_inverse=True)
            pairs = _as_pairs(places.reshape(len(seen), -1))

            def choose(costs: Costs) -> tuple[IntArray, DistanceLoss]:  # noqa: ARG001
                return pairs, loss

            total = float(own[seen].sum())
            return fit_rounds(trees[members], choose, total, settings, same_pairs=True)

        found = self._draw_fits(trees, units, fit, random, self.max_trees)
        verdict = Verdict(learned=bool(found.fits), scores={})
        if found.fits and self.fallback:
            verdict = self._compare(given, units, found, weight, supervision, random)
        return self._learned(trees, found, verdict)

    def _compare(
        self,
        given: Constraints,
        units: IntArray,
        found: Ensemble,
        weight: FloatArray,
        supervision: _Supervision,
        random: np.random.RandomState,
    ) -> Verdict:
        """Compare learned costs and unit costs on the constraints that fits have not seen."""
        trees, rows = given
        most = _most(trees)
        errors = np.zeros((2, len(rows)))
        times = np.zeros(len(rows))
        for fitted, drawn in zip(*found, strict=True):
            asked = _some(np.flatnonzero((drawn[rows] == 0).all(axis=1)), most, random)
            own = times_drawn(rows, units, drawn) * weight
            seen = _some(np.flatnonzero(own), most, random)
            both = np.union1d(seen, asked)
            for kind, costs in enumerate((UnitCosts(), judged_costs(fitted, trees.alphabet))):
                distances = _distances(trees, rows, both, costs, self.n_jobs)
                errors[kind, asked] += supervision.errors(distances, seen, own[seen], asked)
            times[asked] += 1
        some = np.flatnonzero(times)
        if not len(some):
            return Verdict(learned=False, scores={})
        mean = errors[:, some] / times[some]
        weight = supervision.weight[some]
        return compare(mean[0], mean[1], weight, weight)


def _as_pairs(rows: IntArray) -> IntArray:
    """Return the pairs of the first tree with each of the others, one column after the other."""
    ends = [rows[:, [0, column]] for column in range(1, rows.shape[1])]
    return np.concatenate(ends).astype(np.intp)


def _most(trees: TreeSet) -> int:
    """Return how many constraints to use at a time."""
    affordable = _NODE_PAIRS / max(1.0, float(trees.sizes.mean())) ** 2
    return int(np.clip(affordable, _FEWEST, _MOST))


def _some(constraints: IntArray, most: int, random: np.random.RandomState) -> IntArray:
    """Return constraints, or a sample of them if they are too many."""
    if len(constraints) <= most:
        return constraints
    chosen: IntArray = np.sort(random.permutation(constraints)[:most])
    return chosen


def _distances(
    trees: TreeSet, rows: IntArray, wanted: IntArray, costs: Costs, n_jobs: int | None
) -> FloatArray:
    """Return the distances of all pairs, in the order of `_as_pairs`; NaN if not wanted."""
    width = rows.shape[1] - 1
    first, second = _as_pairs(rows[wanted]).T
    found = paired_distances(trees[first], trees[second], costs=costs, n_jobs=n_jobs)
    distances = np.full((width, len(rows)), np.nan)
    distances[:, wanted] = found.reshape(width, -1)
    return distances.ravel()
