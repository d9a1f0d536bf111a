"""Learning vector quantisation: the costs themselves are learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from treemetric._base.validation import check_int, refuse
from treemetric.costs import CostMatrix, Costs, UnitCosts
from treemetric.costs.resolve import check_costs
from treemetric.learning._cost_space import CostSpace, normalised
from treemetric.learning._nca_fit import frequent_labels
from treemetric.learning._pooled_costs import PooledCostSpace
from treemetric.learning._prototype_learner import PrototypeLearner
from treemetric.learning.symbol_counts import check_tables
from treemetric.treeset import TreeSet

__all__ = ["LVQCosts"]


class LVQCosts(PrototypeLearner):
    """Learning vector quantisation of the costs: prototypes for each class, and a table of costs.

    The loss and the alternation are those of `BEDL`, but the costs themselves are learned. Every
    gradient step is followed by a normalisation that makes the costs a pseudo-metric again:
    negative costs become 0, the table is symmetrised, its diagonal is set to 0, and every cost is
    replaced by that of the cheapest chain of edits.

    Parameters
    ----------
    n_prototypes : int, dict or array-like, default=1
        Number of prototypes: one number for all classes, a dict by class, or one number per class
        in the order of `classes_`. A class with fewer trees uses all of them.
    initial_costs : Costs or callable, optional
        The initial costs, which are made a pseudo-metric; by default every edit costs 1. They must
        contain all labels of the training trees. The costs of their other labels change only where
        a cheaper chain of edits appears.
    squashing : {'identity', 'logistic'}, default='identity'
        The increasing function Φ of the loss. With the logistic function,
        1 / (1 + exp(-slope · μ)), trees near the border between classes have more weight; the
        larger the slope, the more.
    slope : float, default=5.0
        The slope of the logistic function.
    regularisation : float, default=0.01
        The weight λ of the regularisation towards the initial costs, per tree: adds λ n / s² times
        the sum of the squared changes of all costs, over unordered pairs of labels and the gap
        (the missing counterpart of a deleted or inserted node), for n trees (the sum of their
        weights) and the mean squared initial cost s². With 0, as published, the mean cost is kept.
    max_iter : int, default=20
        Maximum number of rounds of distances, prototypes, counts and gradient steps.
    max_inner_iter : int, default=50
        Maximum number of gradient steps in each round. A step that does not lower the loss is
        halved until it does.
    tol : float, default=1e-6
        The fit ends when a round changes the loss by at most `tol` per tree.
    patience : int, default=5
        A round that does not lower the loss is discarded, and the next round tries half of its
        step. The fit ends after this many such rounds in a row.
    max_labels : int or None, default=500
        The number of labels, those in most trees, with costs of their own. All other labels
        have the same costs, which are learned as well. None means that all labels have costs of
        their own, and so do labels of other initial costs than unit costs.
    temperature : float, optional
        Count edits over all alignments, weighted by exp(-cost / temperature). By default only
        optimal alignments are counted.
    distance : {'actual', 'pseudo'}, default='actual'
        What `transform` and `predict` compute: the edit distance under the learned costs, or the
        pseudo-edit distance. The pseudo-edit distance is the cost, under the learned costs, of the
        alignments that are optimal under the initial costs.
    unseen : {'gap-like', 'error'}, default='gap-like'
        How to handle labels that did not occur in training: give them costs similar to those of
        the gap, or raise an error; see `BEDL`.
    validation_fraction : float, optional
        Share of the trees of each class that are held out. After each round, the mean loss of the
        held-out trees is computed with all other trees as prototypes, the loss
        of the nearest neighbour. The round with the lowest value is kept, which can be round 0:
        the initial costs. The fit ends after `patience` rounds without a lower value. By default
        no tree is held out.
    fallback : bool, default=True
        Whether to keep the initial costs unless learned costs are better on trees that were not
        used to learn them. For this, costs are learned three times without a third of the trees,
        and each third is classified; equal trees are in the same third. With False, learned costs
        are used in any case, and a fit takes less than half of the time. See Notes.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if the fit takes longer than a second, 2 prints a line per round.
    random_state : int, RandomState instance or None, default=None
        Seed of the trees that are held out, and of the candidates for prototypes if there are many
        nodes; not used otherwise.

    Attributes
    ----------
    costs_ : CostMatrix
        The learned costs of the labels of the training trees, a pseudo-metric; the initial costs
        if `learned_` is False. Other labels raise
        `UnknownLabelError`; `get_metric`, `transform` and `predict` handle them, see `unseen`.
    learned_ : bool
        Whether the costs were learned; False means the initial costs.
    validation_scores_ : dict
        What the classification of trees that a fit has not seen says. ``'unit'`` (the initial
        costs) and ``'learned'`` are the mean shares of other classes among the 3, 5, 10 and 20
        nearest trees, where all classes count the same; ``'gain'`` is their difference, with its
        ``'standard_error'``. ``'unit_error'`` and ``'learned_error'`` are means of the errors of
        one neighbour, of five neighbours, and of prototypes. Learned costs are used if the gain is
        more than 1.3 of its standard errors, and none of the three errors grows by more than half
        of its standard error. Empty if there was nothing to compare, or with ``fallback=False``.
    initial_costs_ : Costs
        The initial costs; the pseudo-edit distance uses their alignments.
    prototypes_ : ndarray
        Indices of the prototypes in the training trees, grouped by class.
    prototype_labels_ : ndarray
        The classes of the prototypes.
    classes_ : ndarray
        The classes, sorted.
    trees_ : TreeSet
        The training trees.
    loss_ : float
        The loss of the round that is kept, including the regularisation.
    loss_curve_ : ndarray of shape (``n_iter_`` + 1,)
        The initial loss and the loss after each round; it never rises.
    n_iter_ : int
        Number of rounds.
    validation_curve_ : ndarray of shape (``n_iter_`` + 1,) or None
        The mean loss of the held-out trees at the start and after each round; None without
        `validation_fraction`.
    best_iter_ : int
        The round that is kept; 0 is the start.

    See Also
    --------
    BEDL : Learns an embedding of the labels, which needs no normalisation.

    Notes
    -----
    Every step takes time cubic in the number of labels with costs of their own or, from 256 labels
    on, quadratic as long as few costs are smaller than half of the others.

    If the trees have more than 20,000 nodes together, prototypes are chosen among a random sample
    of each class, of at least 20 trees.

    The published learner is ``LVQCosts(regularisation=0.0, max_labels=None, fallback=False)``. The
    check of `fallback` is that of `BEDL`.

    Ties between prototypes go to the first tree, so the result depends on the order of the
    training trees.

    References
    ----------
    B. Paassen, C. Gallicchio, A. Micheli and B. Hammer, "Tree edit distance learning via adaptive
    symbol embeddings", ICML 2018; this is variant L1 of its supplement.

    Examples
    --------
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.learning import LVQCosts
    >>> strings = make_strings(100, random_state=0)
    >>> learner = LVQCosts(2).fit(strings.data[:60], strings.target[:60])
    >>> learner.score(strings.data[60:], strings.target[60:])
    1.0
    >>> learner.costs_.is_pseudo_metric()
    True
    """

    def __init__(
        self,
        n_prototypes: Any = 1,
        *,
        initial_costs: Costs | None = None,
        squashing: str = "identity",
        slope: float = 5.0,
        regularisation: float = 0.01,
        max_iter: int = 20,
        max_inner_iter: int = 50,
        tol: float = 1e-6,
        patience: int = 5,
        max_labels: int | None = 500,
        temperature: float | None = None,
        distance: str = "actual",
        unseen: str = "gap-like",
        validation_fraction: float | None = None,
        fallback: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.initial_costs = initial_costs
        self.squashing = squashing
        self.slope = slope
        self.regularisation = regularisation
        self.max_iter = max_iter
        self.max_inner_iter = max_inner_iter
        self.tol = tol
        self.patience = patience
        self.max_labels = max_labels
        self.temperature = temperature
        self.distance = distance
        self.unseen = unseen
        self.validation_fraction = validation_fraction
        self.fallback = fallback
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.max_labels is not None:
            check_int(self.max_labels, "max_labels", "LVQCosts", 0)
        check_costs(self.initial_costs, "LVQCosts", "initial_costs")

    def _space(
        self,
        trees: TreeSet,
        strength: float,
        random: np.random.RandomState,  # noqa: ARG002
    ) -> tuple[CostSpace, Costs]:
        costs = check_costs(self.initial_costs, "LVQCosts", "initial_costs")
        known: CostMatrix | None = costs if isinstance(costs, CostMatrix) else None
        count = len((trees if known is None else known).alphabet)
        check_tables(count, 12 + self._kept_tables, "LVQCosts")
        unit = costs == UnitCosts()
        if unit and self.max_labels is not None and len(trees.alphabet) > self.max_labels:
            frequent = frequent_labels(trees, self.max_labels, least=1)
            pooled = PooledCostSpace.of_unit_costs(
                trees.alphabet, frequent, strength, self.max_inner_iter, costs
            )
            return pooled, costs
        # Raises an error if a label is missing.
        table = costs.to_matrix(trees.alphabet)
        used = None
        if known is not None:
            # A table may know further labels; these stay known.
            used = np.array([known._index[label] for label in trees.alphabet], dtype=np.int64)
            table = known
        if np.isinf(table.matrix).any():
            must = "finite costs, because gradient steps change all of them"
            refuse("initial_costs", "LVQCosts", must, "costs with pairs of labels at inf")
        start = normalised(table.matrix)
        if not unit:
            # Relative to the mean squared cost of the labels that occur, and the gap.
            rows = np.arange(len(start)) if used is None else np.append(used, len(start) - 1)
            squares = start[np.ix_(rows, rows)] ** 2
            strength /= float(squares.sum() / max(1, squares.size - len(rows))) or 1.0
        space = CostSpace(
            table.alphabet,
            start,
            strength,
            self.max_inner_iter,
            used=used,
            shortcut=costs if unit else None,
        )
        return space, costs if unit else CostMatrix(table.alphabet, start)
