"""Costs learned by neighbourhood components analysis, with a check that they help."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric._base.progress import fit_report
from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import check_bool, check_int, check_random_state
from treemetric._estimators.checks import check_positive, check_some_trees
from treemetric._estimators.class_scores import decision_values
from treemetric._estimators.weighting import check_sample_weight
from treemetric.costs import CostMatrix, UnitCosts
from treemetric.learning._bagging import (
    Verdict,
    bootstrap,
    equal_trees,
    judge,
    mean_table,
)
from treemetric.learning._base import Training, TreeMetricLearner
from treemetric.learning._nca_fit import FitSettings, Fitted, fit_costs, rounded_up, whole_table
from treemetric.learning._votes import vote_margins, vote_shares, winners
from treemetric.learning.symbol_counts import check_tables

__all__ = ["NCACosts"]


class _MetricTable(CostMatrix):
    """A mean of pseudo-metrics, which needs no check of axioms."""

    def _known_metric(self, labels: tuple[Any, ...] | None, tol: float) -> bool:
        if labels is not None:
            self.to_matrix(labels)  # raises an error if a label is unknown
        return tol >= 1e-12

    def __reduce__(self) -> tuple[Any, ...]:
        return _MetricTable, (self.alphabet, self.matrix)


class NCACosts(TreeMetricLearner):
    """Edit costs under which the nearest trees have the same class, if such costs are found.

    Every tree draws another tree as its neighbour, the closer the more likely:
    p(j | i) ∝ exp(-d(i, j)). The learner maximises the probability that trees draw neighbours of
    their own class (neighbourhood components analysis), with a prior that favours unit costs. It
    does so for several bootstrap samples of the trees and takes the mean of the learned costs. The
    trees that a sample leaves out then show whether learned costs classify better than unit costs
    do. If not, the result is unit costs, and `learned_` is False.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of nearest training trees that vote in `predict`.
    weight_scale : float, default=1.5
        Standard deviation of the prior of the logarithm of the weight of a label. Small values
        keep all weights equal.
    vector_scale : float, default=0.1
        Standard deviation of the prior of the directions of labels. Small values keep the cost of
        replacing different labels by each other as large as that of deleting them; larger values
        let labels become exchangeable.
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
        Number of trees that are drawn for each fit, at most.
    fallback : bool, default=True
        Whether to use unit costs if learned costs are not better on the trees left out. With
        False, learned costs are used in any case, and the trees left out are not classified.
    distance : {'actual', 'pseudo'}, default='actual'
        What `transform` and `predict` compute: the edit distance under the learned costs, or the
        cost, under the learned costs, of alignments that are optimal under unit costs.
    unseen : {'error', 'gap-like'}, default='gap-like'
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
        The learned costs, a pseudo-metric; or unit costs.
    learned_ : bool
        Whether the costs were learned; False means unit costs.
    validation_scores_ : dict
        Errors of the classification of trees by fits that have not seen them, ``'unit'`` and
        ``'learned'``, each the mean of the errors of one and of five neighbours; their difference
        ``'gain'`` and its ``'standard_error'``. Learned costs are used if the gain is more than
        half of its standard error. Empty if there was nothing to compare.
    fit_weights_ : ndarray of shape (n_fits, n_labels)
        The cost of deleting each label of `costs_` in each fit, scaled to a mean of 1. Their
        spread says how certain a weight is.
    losses_ : ndarray of shape (n_fits,)
        The objective of each fit per tree.
    initial_costs_ : UnitCosts
        The costs whose alignments the pseudo-edit distance uses.
    prototypes_ : ndarray
        Indices of the trees that vote: all training trees.
    prototype_labels_ : ndarray
        The classes of the training trees.
    classes_ : ndarray
        The classes, sorted.
    trees_ : TreeSet
        The training trees.

    See Also
    --------
    BEDL : Learns a vector for each label, and prototypes.

    Notes
    -----
    Label u has the vector a_u = exp(b + θ_u) (s_u + δ_u), where the corners s_u and the gap form a
    simplex of side 1. Replacing u by v costs ‖a_u - a_v‖, deleting or inserting u costs ‖a_u‖.
    The priors are θ ~ N(0, weight_scale²) and δ ~ N(0, vector_scale²). Such costs are a
    pseudo-metric, and so are means of them. Costs are rounded up to three decimals, which keeps
    the triangle inequality.

    In samples of more than 400 trees, a tree draws among its 40 nearest trees, the 15 nearest of
    its class and the 15 nearest of other classes, chosen again in each round; fewer if the trees
    are large.

    Equal trees are always drawn together or left out together, and they are not neighbours of each
    other in the objective.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton and R. Salakhutdinov, "Neighbourhood components analysis",
    NIPS 2004.

    Examples
    --------
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.learning import NCACosts
    >>> strings = make_strings(100, random_state=0)
    >>> train, test = strings.data[:60], strings.data[60:]
    >>> learner = NCACosts(random_state=0).fit(train, strings.target[:60])
    >>> learner.learned_
    True
    >>> learner.score(test, strings.target[60:])
    1.0
    """

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

    def fit(self, X: Trees, y: Any, sample_weight: Any = None) -> "NCACosts":
        """Learn costs, or find that unit costs are as good.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,)
            The classes of the trees.
        sample_weight : array-like of shape (n_trees,), optional
            How much the neighbourhood of each tree counts; all the same by default.

        Returns
        -------
        self
            The fitted learner.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import NCACosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> NCACosts(1).fit(trees, [0, 0, 1, 1]).score(trees, [0, 0, 1, 1])
        1.0
        """
        settings = self._settings()
        data = self._begin(X, y)
        checked = check_sample_weight(sample_weight, len(data.trees), "NCACosts")
        weight = np.ones(len(data.trees)) if checked is None else checked / float(checked.mean())
        random = check_random_state(self.random_state, "NCACosts")
        alphabet = data.trees.alphabet
        check_tables(len(alphabet), 5, "NCACosts")
        groups = equal_trees(data.trees)
        fits, left_out = self._fits(data, weight, groups, settings, random)
        verdict = Verdict(learned=bool(fits), scores={})
        if fits and self.fallback:
            verdict = judge(
                data.trees, data.codes, weight, groups, fits, left_out, random, self.n_jobs
            )
        if int(self.verbose) > 1:
            sys.stdout.write(f"[NCACosts] {_sentence(verdict)}\n")
        if verdict.learned:
            table = rounded_up(mean_table(fits, alphabet))
            costs: CostMatrix = _MetricTable(alphabet, table)
        else:
            costs = UnitCosts().to_matrix(alphabet)
        weights = [whole_table(fitted, alphabet)[:-1, -1] for fitted in fits]
        self._keep(
            data,
            costs,
            UnitCosts(),
            np.arange(len(data.trees)),
            learned_=verdict.learned,
            validation_scores_=verdict.scores,
            fit_weights_=np.array(weights).reshape(len(fits), len(alphabet)),
            losses_=np.array([fitted.objective for fitted in fits]),
        )
        return self

    def _settings(self) -> FitSettings:
        """Check the parameters that only this learner has."""
        name = "NCACosts"
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

    def _fits(
        self,
        data: Training,
        weight: FloatArray,
        groups: npt.NDArray[np.intp],
        settings: FitSettings,
        random: np.random.RandomState,
    ) -> tuple[list[Fitted], npt.NDArray[np.bool_]]:
        """Fit costs to bootstrap samples; return the fits and the trees that each has not seen."""
        fits, left_out = [], []
        with fit_report(self.verbose, "NCACosts", self.n_fits) as report:
            for number in range(self.n_fits):
                drawn = bootstrap(groups, self.max_trees, random)
                seen = np.flatnonzero(drawn)
                some = data.trees[seen], data.codes[seen], groups[seen]
                multiplicity = drawn[seen].astype(np.float64)
                fitted = fit_costs(*some, multiplicity, weight[seen], settings)
                if fitted is not None:
                    fits.append(fitted)
                    left_out.append(drawn == 0)
                    report(number + 1, fitted.objective)
        return fits, np.array(left_out).reshape(len(fits), len(data.trees))

    def predict_proba(self, X: Trees) -> FloatArray:
        """Return the shares of the classes among the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees, n_classes)
            The shares; training trees at the same distance share the last votes.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import NCACosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> NCACosts(2).fit(trees, [0, 0, 1, 1]).predict_proba(trees[:1])
        array([[1., 0.]])
        """
        return self._votes(X)[0]

    def predict(self, X: Trees) -> npt.NDArray[Any]:
        """Predict the most frequent class among the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees,)
            The classes; equal votes go to the class of the closest trees.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import NCACosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> NCACosts(1).fit(trees, [0, 0, 1, 1]).predict([Tree.from_sequence("ac")])
        array([0])
        """
        shares, closest = self._votes(X)
        predicted: npt.NDArray[Any] = self.classes_[winners(shares, closest)]
        return predicted

    def decision_function(self, X: Trees) -> FloatArray:
        """Return how many more votes each class has than the best of the others.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees,) or (n_trees, n_classes)
            The share of the class among the nearest training trees minus the largest share of
            another class, plus a millionth of the same difference among the closest trees only,
            which decides between equal votes. With two classes, only the values of the second
            class; with one class, -1.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import NCACosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> learner = NCACosts(1).fit(trees, [0, 0, 1, 1])
        >>> learner.decision_function(trees) > 0
        array([False, False,  True,  True])
        """
        return decision_values(vote_margins(*self._votes(X)))

    def _votes(self, X: Trees) -> tuple[FloatArray, FloatArray]:
        """Return the shares of classes among the nearest trees, and among the closest only."""
        metric = self.get_metric()
        check_int(self.n_neighbors, "n_neighbors", "NCACosts")
        trees = check_some_trees(X, "NCACosts")
        distances = metric.pairwise(trees, self.trees_, n_jobs=self.n_jobs)
        codes = np.searchsorted(self.classes_, self.prototype_labels_)
        count = len(self.classes_)
        shares = vote_shares(distances, codes, count, self.n_neighbors)
        return shares, vote_shares(distances, codes, count, 1)


def _sentence(verdict: Verdict) -> str:
    """Return what was chosen and why."""
    kind = "learned costs" if verdict.learned else "unit costs"
    if not verdict.scores:
        return kind if verdict.learned else f"{kind}: nothing to learn from"
    errors = ", ".join(f"{name} {verdict.scores[name]:.3f}" for name in ("unit", "learned"))
    return f"{kind}; errors on trees left out: {errors}"
