"""Costs learned from numbers, by kernel regression, with a check that they help."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import check_int, check_random_state
from treemetric._estimators.checks import check_numbers, check_some_trees
from treemetric._estimators.weighting import check_sample_weight
from treemetric.costs import Costs, UnitCosts
from treemetric.learning._bagging import Errors, equal_trees
from treemetric.learning._ensemble import EnsembleLearner
from treemetric.learning._nca_fit import (
    Fitted,
    chosen_pairs,
    fit_rounds,
    most_trees,
    neighbour_numbers,
)
from treemetric.learning._pair_costs import DistanceLoss
from treemetric.learning._regression_loss import RegressionLoss
from treemetric.learning._votes import neighbour_shares
from treemetric.treeset import TreeSet

__all__ = ["KernelRegressionCosts"]

# Trees with targets in the same one of so many quantiles count as similar when neighbours are
# chosen in large sets.
_QUANTILES = 5
# Digits of standardised targets after the point.
_DIGITS = 9


class KernelRegressionCosts(RegressorMixin, EnsembleLearner):  # type: ignore[misc]
    """Edit costs under which trees with similar targets are close, if such costs are found.

    Each tree predicts its target as a mean of the targets of all other trees, with weights
    proportional to exp(-d). The learner minimises the squared errors of these predictions (metric
    learning for kernel regression), with a prior that favours unit costs. It does so for several
    bootstrap samples of the trees and takes the mean of the learned costs. The trees that a sample
    leaves out then show whether learned costs predict better than unit costs do. If not, the result
    is unit costs, and `learned_` is False.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of nearest training trees whose mean target `predict` returns.
    weight_scale : float, default=1.5
        Standard deviation of the prior of the logarithm of the weight of a label. Small values
        keep all weights equal.
    vector_scale : float, default=0.1
        Standard deviation of the prior of the directions of labels; see `NCACosts`.
    max_vectors : int, default=100
        The number of labels, the most frequent ones, that have a direction. All labels have a
        weight.
    n_fits : int, default=8
        Number of bootstrap samples.
    n_rounds : int, default=2
        How often trees are aligned in each fit: under unit costs first, then under learned costs.
    max_iter : int, default=60
        Maximum number of L-BFGS steps in each round.
    max_trees : int, default=1000
        Number of trees that are drawn for each fit, at most. Of long trees, fewer are drawn, about
        20,000 nodes but no fewer than 50 trees.
    fallback : bool, default=True
        Whether to use unit costs if learned costs are not better on the trees left out.
    distance : {'actual', 'pseudo'}, default='actual'
        What `transform` and `predict` compute: the edit distance under the learned costs, or the
        cost, under the learned costs, of alignments that are optimal under unit costs.
    unseen : {'gap-like', 'error'}, default='gap-like'
        How to handle labels that did not occur in training; see `BEDL`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if the fit takes longer than a second, 2 prints a line per fit and
        what was chosen.
    random_state : int, RandomState instance or None, default=None
        Seed of the bootstrap samples.

    Attributes
    ----------
    costs_ : CostMatrix
        The learned costs of the labels of the training trees, a pseudo-metric. If `learned_` is
        False, a table of the same labels in which every edit costs 1. Other labels raise
        `UnknownLabelError`; `get_metric`, `transform` and `predict` handle them, see `unseen`.
    learned_ : bool
        Whether the costs were learned; False means unit costs.
    validation_scores_ : dict
        Mean squared errors of the predictions of fits for trees that they have not seen,
        ``'unit'`` and ``'learned'``, as shares of the variance of the targets; their difference
        ``'gain'`` and its ``'standard_error'``. Learned costs are used if the gain is more than 1.3
        of its standard errors. Empty if there was nothing to compare.
    fit_weights_ : ndarray of shape (n_fits, n_labels)
        The cost of deleting each label of `costs_` in each fit, scaled to a mean of 1.
    losses_ : ndarray of shape (n_fits,)
        The objective of each fit per tree.
    n_iter_ : ndarray of shape (n_fits,)
        Number of L-BFGS steps of each fit, in all rounds.
    initial_costs_ : UnitCosts
        The costs whose alignments the pseudo-edit distance uses.
    targets_ : ndarray of shape (n_trees,) or (n_trees, n_outputs)
        The targets of the training trees.
    prototypes_ : ndarray
        Indices of the training trees that `predict` uses: all with a weight.
    trees_ : TreeSet
        The training trees.

    See Also
    --------
    NCACosts : The same for classes.
    treemetric.regression.DistanceKernelRidge : A smooth function; takes ``costs=learner.costs_``.

    Notes
    -----
    The costs have the form and the prior that `NCACosts` describes, and are a pseudo-metric. The
    scale of distances in the kernel is learned with the costs; `costs_` are scaled to a mean
    deletion of 1. Targets are standardised first, so that their unit does not matter.

    References
    ----------
    K. Q. Weinberger and G. Tesauro, "Metric learning for kernel regression", AISTATS 2007.

    Examples
    --------
    The target is the number of nodes with the label b:

    >>> import numpy as np
    >>> from treemetric import Tree
    >>> from treemetric.learning import KernelRegressionCosts
    >>> random = np.random.RandomState(0)
    >>> words = ["".join(random.choice(list("abcd"), 6)) for _ in range(80)]
    >>> trees = [Tree.from_sequence(word) for word in words]
    >>> counts = [word.count("b") for word in words]
    >>> learner = KernelRegressionCosts(random_state=0).fit(trees[:60], counts[:60])
    >>> learner.learned_
    True
    >>> learner.score(trees[60:], counts[60:]) > 0.6
    True
    """

    targets_: FloatArray
    prototypes_: npt.NDArray[np.int64]

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weight_scale: float = 1.5,
        vector_scale: float = 0.1,
        max_vectors: int = 100,
        n_fits: int = 8,
        n_rounds: int = 2,
        max_iter: int = 60,
        max_trees: int = 1000,
        fallback: bool = True,
        distance: str = "actual",
        unseen: str = "gap-like",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weight_scale = weight_scale
        self.vector_scale = vector_scale
        self.max_vectors = max_vectors
        self.n_fits = n_fits
        self.n_rounds = n_rounds
        self.max_iter = max_iter
        self.max_trees = max_trees
        self.fallback = fallback
        self.distance = distance
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Trees, y: Any, sample_weight: Any = None) -> KernelRegressionCosts:
        """Learn costs, or find that unit costs are as good.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,) or (n_trees, n_outputs)
            The targets of the trees.
        sample_weight : array-like of shape (n_trees,), optional
            How much the error of each tree counts; all the same by default. A tree of weight 0 is
            not used.

        Returns
        -------
        self
            The fitted learner.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import KernelRegressionCosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "abb", "bbb")]
        >>> KernelRegressionCosts(1).fit(trees, [0, 1, 2, 3]).predict(trees)
        array([0., 1., 2., 3.])
        """
        name = type(self).__name__
        settings = self._settings()
        self._check_common()
        given = check_some_trees(X, name)
        targets = check_numbers(y, given, name)
        weights = check_sample_weight(sample_weight, len(given), name)
        random = check_random_state(self.random_state, name)
        used = np.arange(len(given)) if weights is None else np.flatnonzero(weights)
        trees = given if len(used) == len(given) else TreeSet(list(given[used]))
        weight = np.ones(len(used))
        if weights is not None:
            weight = weights[used] / float(weights[used].mean())
        scaled = _standardised(targets[used], weight)
        quantiles = _quantiles(scaled[:, 0])
        groups = equal_trees(trees)

        def fit(drawn: npt.NDArray[np.int64]) -> Fitted | None:
            seen = np.flatnonzero(drawn)
            some, multiplicity = trees[seen], drawn[seen].astype(np.float64)

            def choose(costs: Costs) -> tuple[npt.NDArray[np.intp], DistanceLoss | None]:
                pairs, found = chosen_pairs(some, quantiles[seen], groups[seen], costs, self.n_jobs)
                own = multiplicity * weight[seen]
                loss = RegressionLoss(found, scaled[seen], multiplicity, own)
                return pairs, None if loss.is_empty else loss

            every = neighbour_numbers(some) is None
            total = float(multiplicity @ weight[seen])
            return fit_rounds(some, choose, total, settings, same_pairs=every)

        most = most_trees(trees, self.max_trees)
        found = self._draw_fits(trees, groups, fit, random, most)
        errors = _squared_errors(scaled, self.n_neighbors)
        verdict = self._verdict(found, trees, groups, errors, weight, random)
        costs, attributes = self._learned(trees, found, verdict)
        self._keep_costs(
            given, costs, UnitCosts(), targets_=targets, prototypes_=used, **attributes
        )
        return self

    def predict(self, X: Trees) -> FloatArray:
        """Predict the mean target of the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees,) or (n_trees, n_outputs)
            The means; training trees at the same distance share the last places.

        Raises
        ------
        UnknownLabelError
            If a label was not seen in training and ``unseen='error'``.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import KernelRegressionCosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "abb", "bbb")]
        >>> learner = KernelRegressionCosts(2).fit(trees, [0, 1, 2, 3])
        >>> learner.predict([Tree.from_sequence("bb")]).shape
        (1,)
        """
        check_is_fitted(self)
        name = type(self).__name__
        check_int(self.n_neighbors, "n_neighbors", name)
        trees = check_some_trees(X, name)
        training = self.trees_[np.asarray(self.prototypes_)]
        distances = self.get_metric().pairwise(trees, training, n_jobs=self.n_jobs)
        shares = neighbour_shares(distances, self.n_neighbors)
        predicted: FloatArray = shares @ self.targets_[self.prototypes_]
        return predicted


def _standardised(targets: FloatArray, weight: FloatArray) -> FloatArray:
    """Return targets as columns with mean 0 and variance 1; constant ones are 0."""
    columns = targets.reshape(len(targets), -1)
    # Large numbers first, so that their squares are finite.
    largest = np.abs(columns).max(axis=0)
    columns = columns / np.where(largest > 0, largest, 1.0)
    centred = columns - np.average(columns, axis=0, weights=weight)
    spread = np.sqrt(np.average(centred**2, axis=0, weights=weight))
    # What remains of a constant is rounding.
    scaled: FloatArray = np.where(
        spread > 1e-12, centred / np.where(spread > 1e-12, spread, 1.0), 0.0
    )
    # The same numbers in another unit differ in their last digits. A descent that has not
    # converged would turn them into other costs.
    return scaled.round(_DIGITS)


def _quantiles(values: FloatArray) -> npt.NDArray[np.int64]:
    """Return in which quantile each value is; equal values are in the same one."""
    borders = np.quantile(values, np.linspace(0, 1, _QUANTILES + 1)[1:-1])
    return np.searchsorted(borders, values).astype(np.int64)


def _squared_errors(targets: FloatArray, k: int) -> Errors:
    """Return the squared errors of the means of the k nearest trees."""

    def errors_of(
        distances: FloatArray, known: npt.NDArray[np.intp], asked: npt.NDArray[np.intp]
    ) -> FloatArray:
        predicted = neighbour_shares(distances, k) @ targets[known]
        errors: FloatArray = ((targets[asked] - predicted) ** 2).mean(axis=1)
        return errors

    return errors_of
