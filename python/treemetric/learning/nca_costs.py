"""Costs learned by neighbourhood components analysis, with a check that they help."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from treemetric._base.typing import FloatArray, Predictions, Trees
from treemetric._base.validation import check_int, check_random_state
from treemetric._estimators.class_scores import decision_values
from treemetric.costs import UnitCosts
from treemetric.learning._bagging import balanced_classes, class_errors, equal_trees
from treemetric.learning._base import TreeMetricLearner
from treemetric.learning._constraint_fits import ConstraintFits
from treemetric.learning._nca_fit import Fitted, fit_costs, most_trees
from treemetric.learning._votes import decided_shares, vote_margins, vote_shares, winners

__all__ = ["NCACosts"]


class NCACosts(ConstraintFits, TreeMetricLearner):
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
        Number of trees that are drawn for each fit, at most. Of long trees, fewer are drawn, about
        20,000 nodes but no fewer than 50 trees.
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
        The learned costs of the labels of the training trees, a pseudo-metric. If `learned_` is
        False, a table of the same labels in which every edit costs 1. Other labels raise
        `UnknownLabelError`; `get_metric`, `transform` and `predict` handle them, see `unseen`.
    learned_ : bool
        Whether the costs were learned; False means unit costs.
    validation_scores_ : dict
        What the classification of trees by fits that have not seen them says. ``'unit'`` and
        ``'learned'`` are the mean shares of other classes among the 3, 5, 10 and 20 nearest trees,
        where all classes count the same; ``'gain'`` is their difference, with its
        ``'standard_error'``. ``'unit_error'`` and ``'learned_error'`` are means of the errors of
        one and of five neighbours. Learned costs are used if the gain is more than 1.3 of its
        standard errors, and neither error grows by more than half of its standard error. Empty if
        there was nothing to compare.
    fit_weights_ : ndarray of shape (n_fits, n_labels)
        The cost of deleting each label of `costs_` in each fit, scaled to a mean of 1. Their
        spread says how certain a weight is.
    losses_ : ndarray of shape (n_fits,)
        The objective of each fit per tree.
    n_iter_ : ndarray of shape (n_fits,)
        Number of L-BFGS steps of each fit, in all rounds.
    threshold_ : float
        The positive distance that separates similar pairs from others; only after `fit_pairs`.
    initial_costs_ : UnitCosts
        The costs whose alignments the pseudo-edit distance uses.
    prototypes_ : ndarray
        Indices of the trees that vote: all training trees with a weight.
    prototype_labels_ : ndarray
        The classes of these trees.
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

    In samples of more than 400 trees, a tree draws among its 10 nearest trees of its class, the 25
    nearest of other classes, and as many trees drawn at random, which stand for all the others;
    fewer if the trees are large. They are chosen again in each round. A fit draws at most
    `max_trees` trees, so that its time does not grow with further trees.

    The common factor exp(b) starts where the loss under unit costs is smallest, but not below the
    factor at which distances have a standard deviation of 1, and changes by at most exp(±1).

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

    def fit(self, X: Trees, y: Any, sample_weight: Any = None) -> NCACosts:
        """Learn costs, or find that unit costs are as good.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,)
            The classes of the trees.
        sample_weight : array-like of shape (n_trees,), optional
            How much the neighbourhood of each tree counts; all the same by default. A tree of
            weight 0 is not used.

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
        data = self._begin(X, y, sample_weight)
        weight = np.ones(len(data.trees))
        if data.weights is not None:
            weight = data.weights / float(data.weights.mean())
        random = check_random_state(self.random_state, "NCACosts")
        groups = equal_trees(data.trees)

        def fit(drawn: npt.NDArray[np.int64]) -> Fitted | None:
            seen = np.flatnonzero(drawn)
            some = data.trees[seen], data.codes[seen], groups[seen]
            return fit_costs(*some, drawn[seen].astype(np.float64), weight[seen], settings)

        most = most_trees(data.trees, self.max_trees)
        found = self._draw_fits(data.trees, groups, fit, random, most)
        errors, even = class_errors(data.codes), balanced_classes(data.codes, weight)
        verdict = self._verdict(found, data.trees, groups, errors, weight, random, even)
        costs, attributes = self._learned(data.trees, found, verdict)
        self._keep(data, costs, UnitCosts(), np.arange(len(data.trees)), **attributes)
        return self

    def predict_proba(self, X: Trees) -> FloatArray:
        """Return the shares of the classes among the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees, n_classes)
            The shares; training trees at the same distance share the last votes. The closest trees
            have a millionth of all votes in addition, which decides between equal shares: the class
            of `predict` has the largest share, the first one if several are equal.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import NCACosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> NCACosts(2).fit(trees, [0, 0, 1, 1]).predict_proba(trees[:1])
        array([[1., 0.]])
        """
        return decided_shares(*self._votes(X))

    def predict(self, X: Trees) -> Predictions:
        """Predict the most frequent class among the nearest training trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The trees.

        Returns
        -------
        ndarray of shape (n_trees,)
            The classes; equal votes go to the class of the closest trees, and then to the first
            class.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import NCACosts
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> NCACosts(1).fit(trees, [0, 0, 1, 1]).predict([Tree.from_sequence("ac")])
        array([0])
        """
        shares, closest = self._votes(X)
        predicted: Predictions = self.classes_[winners(shares, closest)]
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
            The share of the class by `predict_proba` minus the largest share of another class.
            With two classes, only the values of the second class; with one class, -1.

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
        check_is_fitted(self)
        check_int(self.n_neighbors, "n_neighbors", "NCACosts")
        distances = self._to_prototypes(X)
        codes = np.searchsorted(self.classes_, self.prototype_labels_)
        count = len(self.classes_)
        shares = vote_shares(distances, codes, count, self.n_neighbors)
        return shares, vote_shares(distances, codes, count, 1)
