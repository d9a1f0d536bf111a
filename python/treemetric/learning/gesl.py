"""Good edit similarity learning: costs that separate classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from treemetric._base.progress import fit_report
from treemetric._base.typing import CostsLike, FloatArray, Trees
from treemetric._base.validation import check_int, check_random_state
from treemetric._estimators.checks import prototype_counts
from treemetric._estimators.prototypes import Selection, closest, select_prototypes
from treemetric.alignment.edit_counts import edit_counts
from treemetric.costs import CostMatrix, Costs
from treemetric.costs.resolve import check_costs
from treemetric.distances import pairwise_distances
from treemetric.exceptions import CollapsedCostsWarning
from treemetric.learning._bagging import Verdict
from treemetric.learning._base import ClassCodes, TreeMetricLearner
from treemetric.learning._gesl_costs import GoodCosts, check_solver, good_costs, learn_costs
from treemetric.learning._harm import helps
from treemetric.learning._metric import LearnedMetric, check_choice
from treemetric.learning.symbol_counts import NEGLIGIBLE, check_tables
from treemetric.treeset import TreeSet

__all__ = ["GESL", "GoodCosts", "learn_costs"]

Pairs = npt.NDArray[np.int64]


class GESL(TreeMetricLearner):
    """Good edit similarity learning: costs that separate classes, by a quadratic program.

    Pairs of trees of one class (P) should be close, pairs of different classes (N) should be far.
    With the edits N_p of the optimal alignments of pair p under the initial costs, the learner
    minimises over all costs c ≥ 0 and margins 0 ≤ η ≤ log 2

        β ‖c‖² + Σ_P [⟨N_p, c⟩ - η]₊ + Σ_N [log 2 + η - ⟨N_p, c⟩]₊,

    where ‖c‖² sums the squares of all (U + 1)² costs of U labels and the gap (the missing
    counterpart of a deleted or inserted node). The program is convex and is solved until the
    duality gap proves that no loss is smaller by more than a share `tol`.

    Parameters
    ----------
    beta : float, default=1.0
        The weight β of the squared costs. The other terms are sums over pairs, so twice as many
        trees need twice the weight.
    pairs : {'neighbors', 'prototypes'}, default='neighbors'
        Pair each tree with its closest trees of the same class and its furthest trees of other
        classes, or with the closest prototype of its own class and of another class. Prototypes
        are training trees that are chosen as in `MedianGLVQ` under the initial costs.
    n_neighbors : int, default=1
        Number of closest and of furthest trees for ``pairs='neighbors'``, or as many as there
        are. Ties go to the first tree of the training set.
    n_prototypes : int or dict, default=1
        Number of prototypes per class for ``pairs='prototypes'``; a dict by class for different
        numbers.
    script : {'average', 'one'}, default='average'
        Count edits on average over all optimal alignments, or in the one that `align` returns.
    metric : bool, default=False
        Whether the costs must be a pseudo-metric: symmetric, 0 from a label to itself, and
        triangular. Otherwise they may have none of these properties, and the distance under their
        closure can be much smaller than the learned one, even 0 everywhere. With ``metric=True``
        the time grows with the sixth power of the number of labels; see Notes.
    initial_costs : Costs or callable, optional
        The costs for choosing pairs and alignments; by default every edit costs 1.
    tol : float, default=1e-8
        The largest duality gap, as a share of the loss.
    max_iter : int, default=200
        Maximum number of steps of the solver; about 20 to 60 are usual.
    distance : {'auto', 'actual', 'pseudo'}, default='auto'
        What `transform` and `predict` compute: the edit distance under the learned costs (under
        their closure if they are not a pseudo-metric), or the pseudo-edit distance. The pseudo-edit
        distance is the cost, under the learned costs, of alignments that are optimal under the
        initial costs; the learner optimises this distance. 'auto' is the edit distance, unless
        most training trees are at distance 0 from each other; then it is the pseudo-edit distance.
        If this distance does not classify the training trees clearly better than the initial costs
        do, by the rule of `NCACosts`, 'auto' is the edit distance under the initial costs.
        `distance_` states which.
    unseen : {'gap-like', 'error'}, default='gap-like'
        How to handle labels that did not occur in training: give them costs similar to those of
        the gap, or raise an error; see `BEDL`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if the fit takes longer than a second, 2 prints a line per step.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample of trees on which ``distance='auto'`` compares the learned costs with
        the initial costs, if there are too many trees. The choice of prototypes is deterministic.

    Attributes
    ----------
    costs_ : CostMatrix
        The learned costs of the labels of the training trees, also if `distance_` is 'initial' and
        they are not used. Other labels raise `UnknownLabelError`; `get_metric`, `transform` and
        `predict` handle them, see `unseen`.
    initial_costs_ : Costs
        The costs for which pairs and alignments were chosen.
    distance_ : {'actual', 'pseudo', 'initial'}
        The distance that ``distance='auto'`` uses.
    learned_ : bool
        Whether the learned costs are used; False means that `distance_` is 'initial'.
    validation_scores_ : dict
        How both costs classify the training trees, with the names of `NCACosts`; empty unless
        ``distance='auto'``.
    margin_ : float
        The margin η.
    loss_ : float
        The smallest loss.
    duality_gap_ : float
        Upper bound of the difference between `loss_` and the smallest possible loss.
    n_iter_ : int
        Number of steps of the solver.
    pairs_ : tuple of two ndarrays of shape (n_pairs, 2)
        The pairs P and N, as indices of training trees.
    prototypes_ : ndarray
        Indices of the training trees that `predict` compares with. With ``pairs='neighbors'``
        these are all trees, so that `predict` returns the class of the nearest training tree.
    prototype_labels_ : ndarray
        The classes of the prototypes.
    classes_ : ndarray
        The classes.
    trees_ : TreeSet
        The training trees.

    See Also
    --------
    learn_costs : The same for given pairs.
    BEDL : Learns an embedding of the labels, whose costs are always a pseudo-metric.

    Notes
    -----
    Paassen et al. (2018) compare the variants ``script='one'`` (the original, G1),
    ``script='average'`` (G2), and ``pairs='prototypes', script='average'`` (G3).

    Edits that occur in no pair of N cost 0, because a higher cost never lowers the loss. With one
    class there are no such pairs, and all costs are 0.

    With ``metric=True`` there are U (U + 1) / 2 costs for U labels with about U³ / 2 triangle
    inequalities, and each step solves a system of equations in all costs, which needs about 4 U⁴
    bytes of memory. For 400 pairs a fit took 7 seconds on one core for 60 labels (24 steps), half
    a minute for 80 labels (37 steps) and two minutes for 100 labels (42 steps). From 159 labels on
    the inequalities are added in rounds, which takes several times as long and may need a larger
    `max_iter`. For this many labels use `BEDL`, whose costs are always a pseudo-metric.

    A tree of weight 2 is not the same as two equal trees, because equal trees are the closest trees
    of each other. A fit of 1,000 trees with 2,400 labels and ``metric=False`` took
    3 seconds of processor time.

    The loss is known up to `duality_gap_`, single costs only up to about √(`duality_gap_` / β):
    for a small β the loss hardly depends on them. Ties between trees, prototypes and alignments
    go to the first, so the result depends on the order of the training trees.

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

    _DISTANCES = ("auto", "actual", "pseudo")
    distance_: str
    learned_: bool
    validation_scores_: dict[str, float]

    def __init__(
        self,
        *,
        beta: float = 1.0,
        pairs: str = "neighbors",
        n_neighbors: int = 1,
        n_prototypes: Any = 1,
        script: str = "average",
        metric: bool = False,
        initial_costs: CostsLike | None = None,
        tol: float = 1e-8,
        max_iter: int = 200,
        distance: str = "auto",
        unseen: str = "gap-like",
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

    def fit(self, X: Trees, y: npt.ArrayLike, sample_weight: Any = None) -> GESL:
        """Learn costs from classified trees.

        Parameters
        ----------
        X : TreeSet or list of Tree
            The training trees.
        y : array-like of shape (n_trees,)
            The classes of the trees.
        sample_weight : array-like of shape (n_trees,), optional
            The weights of the trees; by default all are 1. The terms of the pairs of a tree, those
            to its close and far trees or prototypes, are multiplied by its weight. A tree of weight
            0 is not used.

        Returns
        -------
        self
            The fitted learner.

        Warns
        -----
        ConvergenceWarning
            If the duality gap exceeds `tol` by more than rounding errors.
        CollapsedCostsWarning
            If most training trees are at distance 0 from each other under the edit distance,
            unless ``distance='pseudo'``.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.learning import GESL
        >>> trees = [Tree.from_sequence(s) for s in ("aa", "ab", "cc", "cb")]
        >>> learner = GESL(beta=0.1, distance="pseudo").fit(trees, [0, 0, 1, 1])
        >>> learner.duality_gap_ <= 1e-8 * learner.loss_
        True
        """
        name = type(self).__name__
        check_choice(self.pairs, "pairs", name, ("neighbors", "prototypes"))
        check_choice(self.script, "script", name, ("average", "one"))
        check_int(self.n_neighbors, "n_neighbors", name)
        check_solver(self.beta, self.metric, self.tol, self.max_iter, name)
        initial = self._check_initial()
        data = self._begin(X, y, sample_weight)
        wanted = prototype_counts(self.n_prototypes, data.classes, name)
        random = check_random_state(self.random_state, name)
        trees, codes = data.trees, data.codes
        check_tables(len(trees.alphabet), 6, name)
        # The number of steps of the solver is unknown, and far below `max_iter`.
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
                chosen = select_prototypes(
                    distances, codes, wanted, random_state=random, weights=data.weights
                )
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
            drawing = np.concatenate(pairs)[:, 0]
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
                importance=None if data.weights is None else data.weights[drawing],
                report=report,
            )
        share = 0.0 if self.metric else void_share(found.costs, trees)
        kind = "pseudo" if share > 0.5 else "actual"
        if share > 0.5 and self.distance != "pseudo":
            message = (
                f"{share:.0%} of the training trees are at distance 0 from each other under the "
                "learned costs: their labels can be deleted and inserted by free chains of edits. "
                "GESL with distance='auto' or 'pseudo' uses the pseudo-edit distance, for which "
                "the costs are learned, or with 'auto' the initial costs unless it is better. With "
                "metric=True the edit distance does not collapse."
            )
            warnings.warn(message, CollapsedCostsWarning, stacklevel=2)
        verdict = Verdict(learned=True, scores={})
        if self.distance == "auto":
            metric = LearnedMetric(found.costs, initial, kind, counting=self._counting())
            verdict = helps(trees, codes, distances, metric, random, self.n_jobs)
            kind = kind if verdict.learned else "initial"
        self._keep(
            data,
            found.costs,
            initial,
            prototypes,
            distance_=kind,
            learned_=verdict.learned,
            validation_scores_=verdict.scores,
            pairs_=tuple(data.rows[part] for part in pairs),
            margin_=found.margin,
            loss_=found.loss,
            duality_gap_=found.duality_gap,
            n_iter_=found.n_iter,
        )
        return self

    def _kind(self) -> str:
        if self.distance != "auto":
            return self.distance
        return "actual" if self.distance_ == "initial" else self.distance_

    def _has_learned(self) -> bool:
        return not (self.distance == "auto" and self.distance_ == "initial")

    def _metric_costs(self) -> Costs:
        if self._has_learned():
            return self.costs_
        return self.initial_costs_.to_matrix(self.costs_.alphabet)

    def _check_initial(self) -> Costs:
        """Check and return the initial costs; None means unit costs."""
        return check_costs(self.initial_costs, type(self).__name__, "initial_costs")

    def _counting(self) -> dict[str, Any]:
        return {"script": self.script}


def void_share(costs: CostMatrix, trees: TreeSet) -> float:
    """Return the share of the trees that free edits make empty; 0 if all costs are 0.

    These trees are at distance 0 from each other under the closure of the costs. A label is free
    if chains of free edits lead from it to the gap and back.
    """
    table = costs.matrix
    if not table.any():
        return 0.0
    free = csr_array(table <= NEGLIGIBLE * table.max())
    _, groups = connected_components(free, directed=True, connection="strong")
    kept = {
        label for label, group in zip(costs.alphabet, groups, strict=False) if group != groups[-1]
    }
    return float(np.mean([kept.isdisjoint(tree.labels) for tree in trees]))


def _neighbors(distances: FloatArray, codes: ClassCodes, count: int) -> tuple[Pairs, Pairs]:
    """Pair each tree with its closest trees of the same class and its furthest of others."""
    same = codes == codes[:, None]
    far = np.where(same, np.inf, -distances)
    np.fill_diagonal(same, val=False)
    close = np.where(same, distances, np.inf)
    return _smallest(close, count), _smallest(far, count)


def _to_prototypes(
    distances: FloatArray, codes: ClassCodes, chosen: Selection
) -> tuple[Pairs, Pairs]:
    """Pair each tree with the closest prototype of its own class and of another class."""
    nearest = closest(distances[:, chosen.indices], chosen.labels, codes)
    every = np.arange(len(codes))
    close, far = (
        np.stack([every[side >= 0], chosen.indices[side[side >= 0]]], axis=1) for side in nearest
    )
    return close, far


def _smallest(values: FloatArray, count: int) -> Pairs:
    """Return (row, column) of the smallest finite values of each row; ties go to the first."""
    order = np.argsort(values, axis=1, kind="stable")[:, :count]
    rows = np.repeat(np.arange(len(values)), order.shape[1])
    columns = order.ravel()
    finite = np.isfinite(values[rows, columns])
    return np.stack([rows[finite], columns[finite]], axis=1).astype(np.int64)
