"""Good edit similarity learning: costs that keep classes apart."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from treemetric._base.typing import FloatArray, Trees
from treemetric._base.validation import check_int, refuse, shown
from treemetric._estimators.checks import prototype_counts
from treemetric._estimators.prototypes import Selection, closest, select_prototypes
from treemetric.alignment.edit_counts import edit_counts
from treemetric.costs import Costs, UnitCosts
from treemetric.distances import pairwise_distances
from treemetric.learning._base import ClassCodes, TreeMetricLearner
from treemetric.learning._gesl_costs import GoodCosts, check_solver, good_costs, learn_costs
from treemetric.learning._metric import check_choice
from treemetric.learning.report import fit_report
from treemetric.learning.symbol_counts import check_tables

__all__ = ["GESL", "GoodCosts", "learn_costs"]

Pairs = npt.NDArray[np.int64]


class GESL(TreeMetricLearner):
    """Good edit similarity learning: costs that keep classes apart, by a quadratic programme.

    Pairs of trees of one class (P) are to be close, pairs of different classes (N) to be far.
    With the edits N_p of the optimal alignments of pair p under the initial costs, the learner
    minimises over all costs c ≥ 0 and margins 0 ≤ η ≤ log 2

        β ‖c‖² + Σ_P [⟨N_p, c⟩ - η]₊ + Σ_N [log 2 + η - ⟨N_p, c⟩]₊,

    where ‖c‖² sums the squares of all (U + 1)² costs of U labels and the gap. The programme is
    convex, and is solved until a proof says that no loss is smaller by more than `tol`.

    Parameters
    ----------
    beta : float, default=1.0
        The weight β of the squared costs. The other terms are sums over pairs, so that twice as
        many trees call for twice the weight.
    pairs : {'neighbors', 'prototypes'}, default='neighbors'
        Pair each tree with its closest trees of the same class and its furthest ones of others, or
        with the closest prototype of its own class and the closest of another one; prototypes
        are training trees, chosen as by `MedianGLVQ` under the initial costs.
    n_neighbors : int, default=1
        How many closest and how many furthest trees, for ``pairs='neighbors'``; fewer if there are
        fewer. Of equally far ones the first in the training set count.
    n_prototypes : int or dict, default=1
        Number of prototypes per class, for ``pairs='prototypes'``; a dict by class for different
        numbers.
    script : {'average', 'one'}, default='average'
        Count edits on average over all optimal alignments, or in the one that `align` gives.
    metric : bool, default=False
        Whether the costs must be a pseudo-metric: symmetric, 0 from a label to itself, and
        triangular. Otherwise they may lack all of that, and the distance under their closure can
        be much smaller than the one that was learned, even 0 everywhere. The time grows with the
        sixth power of the number of labels; see Notes.
    initial_costs : Costs, optional
        The costs that choose pairs and alignments; 1 for every edit by default.
    tol : float, default=1e-8
        The largest duality gap, as a share of the loss.
    max_iter : int, default=200
        The largest number of steps of the solver; about 20 to 60 do.
    distance : {'actual', 'pseudo'}, default='actual'
        What `transform` and `predict` compute: the edit distance under the learned costs (under
        their closure, if they are not a pseudo-metric), or the price under them of alignments that
        are optimal under the initial costs, which is what was learned.
    unseen : {'error', 'gap-like'}, default='error'
        What to do with labels that did not occur in training: raise an error, or treat them as the
        gap is treated; see `BEDL`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        1 shows a bar if the fit takes longer than a second, 2 prints a line per step.
    random_state : int, RandomState instance or None, default=None
        Given to the choice of prototypes, which does not depend on it as yet.

    Attributes
    ----------
    costs_ : CostMatrix
        The learned costs.
    initial_costs_ : Costs
        The costs that chose pairs and alignments.
    margin_ : float
        The margin η.
    loss_ : float
        The smallest loss.
    duality_gap_ : float
        By how much `loss_` may be larger than the smallest possible one, at most.
    n_iter_ : int
        How many steps the solver took.
    pairs_ : tuple of two ndarrays of shape (n_pairs, 2)
        The pairs P and N, as indices of training trees.
    prototypes_ : ndarray
        Indices of the training trees that `predict` goes by; with ``pairs='neighbors'`` these are
        all of them, so that it gives the class of the nearest training tree.
    prototype_labels_ : ndarray
        Their classes.
    classes_ : ndarray
        The classes.
    trees_ : TreeSet
        The training trees.

    See Also
    --------
    learn_costs : The same for pairs that are given.
    BEDL : Learns an embedding of the labels, always a metric.

    Notes
    -----
    The variants that are compared by Paassen et al. (2018) are ``script='one'`` (the original,
    G1), ``script='average'`` (G2), and ``pairs='prototypes', script='average'`` (G3).

    Edits that are in no pair of N cost 0: nothing speaks for a higher cost. With one class there
    are no such pairs, and all costs are 0.

    With ``metric=True`` there are U (U + 1) / 2 costs for U labels, tied by some U³ / 2 triangle
    inequalities, and each step solves a system of equations in all costs, with some 4 U⁴ bytes of
    memory. For 400 pairs a fit took 7 seconds of one core for 60 labels (24 steps), half a minute
    for 80 (37 steps) and two minutes for 100 (42 steps). From 159 labels on the inequalities are
    added in rounds, which takes several times as long and may need a larger `max_iter`. For so
    many labels use `BEDL`, whose costs are always a metric.

    The loss is known up to `duality_gap_`, single costs only up to about √(`duality_gap_` / β):
    for a small β the loss hardly depends on them. Of equally far trees and of equally good
    prototypes and alignments the first count, so the result depends on the order of the training
    trees.

    References
    ----------
    A. Bellet, A. Habrard and M. Sebban, "Good edit similarity learning by loss minimization",
    Machine Learning 89, 2012.

    B. Paassen, C. Gallicchio, A. Micheli and B. Hammer, "Tree edit distance learning via adaptive
    symbol embeddings", ICML 2018.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.learning import GESL
    >>> trees = [Tree.from_sequence(s) for s in ("aac", "aca", "bcb", "bbc")]
    >>> learner = GESL(beta=0.01, metric=True).fit(trees, [0, 0, 1, 1])
    >>> learner.costs_.alphabet
    ('a', 'c', 'b')
    >>> learner.costs_.is_pseudo_metric()
    True
    >>> learner.predict([Tree.from_sequence("cab"), Tree.from_sequence("ccb")])
    array([0, 1])
    """

    def __init__(
        self,
        *,
        beta: float = 1.0,
        pairs: str = "neighbors",
        n_neighbors: int = 1,
        n_prototypes: Any = 1,
        script: str = "average",
        metric: bool = False,
        initial_costs: Costs | None = None,
        tol: float = 1e-8,
        max_iter: int = 200,
        distance: str = "actual",
        unseen: str = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.beta = beta
        self.pairs = pairs
        self.n_neighbors = n_neighbors
        self.n_prototypes = n_prototypes
        self.script = script
        self.metric = metric
        self.initial_costs = initial_costs
        self.tol = tol
        self.max_iter = max_iter
        self.distance = distance
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X: Trees, y: npt.ArrayLike) -> "GESL":
        """Learn costs from classified trees.

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

        Warns
        -----
        ConvergenceWarning
            If the gap is larger than `tol` says, and not by rounding alone.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import GESL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> learner = GESL(beta=0.1).fit(trees, [0, 0, 1, 1])
        >>> learner.duality_gap_ <= 1e-8 * learner.loss_
        True
        """
        name = type(self).__name__
        check_choice(self.pairs, "pairs", name, ("neighbors", "prototypes"))
        check_choice(self.script, "script", name, ("average", "one"))
        check_int(self.n_neighbors, "n_neighbors", name)
        check_solver(self.beta, self.metric, self.tol, self.max_iter, name)
        initial = self._check_initial()
        data = self._begin(X, y)
        wanted = prototype_counts(self.n_prototypes, data.classes, name)
        random = check_random_state(self.random_state)
        trees, codes = data.trees, data.codes
        check_tables(len(trees.alphabet), 6, name)
        # How many steps the solver takes nobody knows; it is far less than it may take.
        with fit_report(self.verbose, name, None) as report:
            distances: Any = pairwise_distances(
                trees,
                costs=initial,
                n_jobs=self.n_jobs,
                progress=report.stage("distances", "pairs"),
            )
            if self.pairs == "neighbors":
                prototypes = np.arange(len(codes))
                pairs = _neighbors(distances, codes, self.n_neighbors)
            else:
                chosen = select_prototypes(distances, codes, wanted, random_state=random)
                prototypes = chosen.indices
                pairs = _to_prototypes(distances, codes, chosen)
            both = edit_counts(
                trees,
                pairs=np.concatenate(pairs),
                costs=initial,
                n_jobs=self.n_jobs,
                progress=report.stage("alignments", "pairs"),
                **self._counting(),
            )
            split = len(pairs[0])
            close, far = (
                both._replace(pairs=both.pairs[part], matrix=both.matrix[part])
                for part in (slice(None, split), slice(split, None))
            )
            found = good_costs(
                close,
                far,
                beta=float(self.beta),
                metric=bool(self.metric),
                tol=float(self.tol),
                max_iter=self.max_iter,
                report=report,
            )
        self._keep(
            data,
            found.costs,
            initial,
            prototypes,
            pairs_=pairs,
            margin_=found.margin,
            loss_=found.loss,
            duality_gap_=found.duality_gap,
            n_iter_=found.n_iter,
        )
        return self

    def _check_initial(self) -> Costs:
        """Give the initial costs; None means unit costs."""
        if self.initial_costs is None:
            return UnitCosts()
        if not isinstance(self.initial_costs, Costs):
            must = "an instance of 'treemetric.Costs' or None"
            refuse("initial_costs", type(self).__name__, must, shown(self.initial_costs))
        return self.initial_costs

    def _counting(self) -> dict[str, Any]:
        return {"script": self.script}


def _neighbors(distances: FloatArray, codes: ClassCodes, count: int) -> tuple[Pairs, Pairs]:
    """Pair each tree with its closest of the same class and its furthest of others."""
    same = codes == codes[:, None]
    far = np.where(same, np.inf, -distances)
    np.fill_diagonal(same, val=False)
    close = np.where(same, distances, np.inf)
    return _smallest(close, count), _smallest(far, count)


def _to_prototypes(
    distances: FloatArray, codes: ClassCodes, chosen: Selection
) -> tuple[Pairs, Pairs]:
    """Pair each tree with the closest prototype of its own class and of another."""
    nearest = closest(distances[:, chosen.indices], chosen.labels, codes)
    every = np.arange(len(codes))
    close, far = (
        np.stack([every[side >= 0], chosen.indices[side[side >= 0]]], axis=1) for side in nearest
    )
    return close, far


def _smallest(values: FloatArray, count: int) -> Pairs:
    """Give (row, column) of the smallest finite values of each row; of equal ones the first."""
    order = np.argsort(values, axis=1, kind="stable")[:, :count]
    rows = np.repeat(np.arange(len(values)), order.shape[1])
    columns = order.ravel()
    finite = np.isfinite(values[rows, columns])
    return np.stack([rows[finite], columns[finite]], axis=1).astype(np.int64)
