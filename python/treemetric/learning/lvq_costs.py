"""Learning vector quantisation of the costs themselves."""

from typing import Any

import numpy as np

from treemetric._base.validation import refuse, shown
from treemetric.costs import CostMatrix, Costs, UnitCosts
from treemetric.learning._cost_space import CostSpace, normalised
from treemetric.learning._prototype_learner import PrototypeLearner
from treemetric.learning.symbol_counts import check_tables
from treemetric.treeset import TreeSet

__all__ = ["LVQCosts"]


class LVQCosts(PrototypeLearner):
    """Learning vector quantisation of the costs: prototypes for each class, and a table of costs.

    The loss and the alternation are those of `BEDL`, but what is learned are the costs
    themselves. After every gradient step they are made a pseudo-metric again: negative costs
    become 0, the table is symmetrised, its diagonal is set to 0, and every cost is replaced by
    that of the cheapest chain of edits.

    Parameters
    ----------
    n_prototypes : int, dict or array-like, default=1
        Number of prototypes: for each class, by class, or one number per class in the order of
        `classes_`. A class with fewer trees gives all of them.
    initial_costs : Costs, optional
        The costs to start from, made a pseudo-metric; 1 for every edit by default. They must
        know all labels of the training trees. The costs of labels that they know beyond that
        change only where a cheaper chain of edits appears.
    squashing : {'identity', 'logistic'}, default='identity'
        The increasing function Φ of the loss. The logistic one, 1 / (1 + exp(-slope · μ)), counts
        trees near the border the more, the larger the slope is.
    slope : float, default=5.0
        The slope of the logistic function.
    regularisation : float, default=0.0
        Adds ``regularisation`` times the sum, over all unordered pairs of symbols with the gap, of
        the squared change of the cost. Without it the mean cost stays as it is at the start.
    max_iter : int, default=20
        Most rounds of distances, prototypes, counts and gradient steps.
    max_inner_iter : int, default=50
        Most gradient steps in each round. A step that does not lower the loss is halved until it
        does.
    tol : float, default=1e-6
        The fit ends when a round changes the loss by less than that per tree.
    patience : int, default=5
        A round that raises the loss is taken back, and the next one goes half the way; after so
        many of them in a row the fit ends.
    temperature : float, optional
        Count edits over all alignments, weighted by exp(-cost / temperature), instead of over
        the optimal ones only.
    distance : {'actual', 'pseudo'}, default='actual'
        What `transform` and `predict` compute: the edit distance under the learned costs, or the
        price under them of the alignments that are optimal under the initial costs.
    unseen : {'error', 'gap-like'}, default='error'
        What to do with labels that did not occur in training; see `BEDL`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        1 shows a bar if the fit takes longer than a second, 2 prints a line per round.
    random_state : int, RandomState instance or None, default=None
        Given to the choice of prototypes, which does not depend on it as yet.

    Attributes
    ----------
    costs_ : CostMatrix
        The learned costs, a pseudo-metric.
    initial_costs_ : Costs
        The costs at the start; the pseudo-edit distance prices their alignments.
    prototypes_ : ndarray
        Positions of the prototypes in the training trees, grouped by class.
    prototype_labels_ : ndarray
        Their classes.
    classes_ : ndarray
        The classes, sorted.
    trees_ : TreeSet
        The training trees.
    loss_ : float
        The least loss, with the regularisation.
    loss_curve_ : ndarray of shape (n_iter_ + 1,)
        The loss at the start and after each round; it never rises.
    n_iter_ : int
        Number of rounds.

    See Also
    --------
    BEDL : Learns an embedding of the symbols, which needs no normalisation.

    Notes
    -----
    Every step takes time cubic in the number of labels. For many hundreds of them `BEDL` with
    ``n_components`` of 10 or so is much faster.

    Of equally good prototypes and alignments the first count, so the result depends on the order
    of the training trees.

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
        regularisation: float = 0.0,
        max_iter: int = 20,
        max_inner_iter: int = 50,
        tol: float = 1e-6,
        patience: int = 5,
        temperature: float | None = None,
        distance: str = "actual",
        unseen: str = "error",
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
        self.temperature = temperature
        self.distance = distance
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not (self.initial_costs is None or isinstance(self.initial_costs, Costs)):
            must = "an instance of 'treemetric.Costs' or None"
            refuse("initial_costs", "LVQCosts", must, shown(self.initial_costs))

    def _space(
        self,
        trees: TreeSet,
        random: np.random.RandomState,  # noqa: ARG002
    ) -> tuple[CostSpace, Costs]:
        costs = UnitCosts() if self.initial_costs is None else self.initial_costs
        known: CostMatrix | None = costs if isinstance(costs, CostMatrix) else None
        check_tables(len((trees if known is None else known).alphabet), 12, "LVQCosts")
        # Raises an error if a label is missing.
        table = costs.to_matrix(trees.alphabet)
        used = None
        if known is not None:
            # A table may know further labels; these stay known.
            used = np.array([known._index[label] for label in trees.alphabet], dtype=np.int64)
            table = known
        start = normalised(table.matrix)
        unit = costs == UnitCosts()
        space = CostSpace(
            table.alphabet,
            start,
            float(self.regularisation),
            self.max_inner_iter,
            used=used,
            shortcut=costs if unit else None,
        )
        return space, costs if unit else CostMatrix(table.alphabet, start)
