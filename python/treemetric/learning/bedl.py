"""Better edit distance learning: an embedding of the symbols."""

from typing import Any

import numpy as np

from treemetric._typing import FloatArray
from treemetric._validation import refuse, shown
from treemetric.costs import EmbeddingCosts, UnitCosts
from treemetric.learning._base import check_int
from treemetric.learning._embedding import EmbeddingSpace, low_simplex, simplex
from treemetric.learning._lvq import PrototypeLearner
from treemetric.treeset import TreeSet

__all__ = ["BEDL"]


class BEDL(PrototypeLearner):
    """Better edit distance learning: a vector for each symbol, and prototypes for each class.

    Every symbol u has a vector a_u, and the gap is the origin: replacing u by v costs
    ‖a_u - a_v‖, deleting or inserting u costs ‖a_u‖. Such costs are a pseudo-metric whatever the
    vectors are, so the edit distance is one too. The vectors are learned such that every tree is
    closer to a prototype of its own class than to those of others: with its distances d⁺ and d⁻
    to the closest prototype of its own class and of another,

        E = Σ Φ(μ),  μ = (d⁺ - d⁻) / (d⁺ + d⁻)

    is made small. In turn, distances are computed under the current vectors, prototypes are
    chosen among the trees as by `MedianGLVQ`, the edits between trees and their two closest
    prototypes are counted on average over all optimal alignments, and with these counts fixed the
    vectors are improved by L-BFGS. The result counts if it lowers the loss under its own alignments
    and prototypes.

    Parameters
    ----------
    n_prototypes : int, dict or array-like, default=1
        Number of prototypes: for each class, by class, or one number per class in the order of
        `classes_`. A class with fewer trees gives all of them.
    n_components : int, optional
        Dimension of the vectors; by default, and at most, the number of symbols.
    init : {'simplex'} or EmbeddingCosts, default='simplex'
        Where the vectors start. On the simplex all costs are 1 (with fewer dimensions than
        symbols: their squares are, on average). Costs must know all labels of the training trees;
        labels that they know beyond that stay where they are.
    squashing : {'identity', 'logistic'}, default='identity'
        The increasing function Φ. The logistic one, 1 / (1 + exp(-slope · μ)), counts trees near
        the border the more, the larger the slope is.
    slope : float, default=5.0
        The slope of the logistic function.
    regularisation : float, default=0.0
        Adds ``regularisation`` · ‖A - A_start‖² to the loss, the squared distance of all vectors
        from where they start; large values keep the initial costs. The loss itself does not
        depend on the scale of the vectors; without regularisation they keep their scale.
    max_iter : int, default=20
        Most rounds of distances, prototypes, counts and L-BFGS; 0 learns prototypes only.
    max_inner_iter : int, default=50
        Most steps of L-BFGS in each round. Few rounds of few steps regularise, too.
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
        What to do with labels that did not occur in training: raise an error, or treat them much
        like the gap. With m the mean cost of deleting a known label, such a label costs m to
        delete or insert, the larger of m and the cost of deleting u to be replaced by a known
        label u or to replace it, and m for another label that did not occur. This is a
        pseudo-metric if the learned costs are one, and unit costs stay unit costs.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        1 shows a bar if the fit takes longer than a second, 2 prints a line per round.
    random_state : int, RandomState instance or None, default=None
        Draws the start if there are fewer dimensions than symbols; not used otherwise.

    Attributes
    ----------
    costs_ : EmbeddingCosts
        The learned costs, with the vectors.
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
    LVQCosts : Learns the costs themselves by the same loss.
    GESL : Learns the costs by a convex programme, from fixed alignments.

    Notes
    -----
    The gradient with counts N fixed is one pass of matrix products, d = N c, then ∂E/∂c = Nᵀ w,
    then from costs to vectors. The closest prototypes stay fixed during L-BFGS. The norm has no
    gradient at 0, where 0 is taken: symbols at the same place stay together. Costs below a
    millionth of the largest are set to 0.

    References
    ----------
    B. Paassen, C. Gallicchio, A. Micheli and B. Hammer, "Tree edit distance learning via adaptive
    symbol embeddings", ICML 2018.

    Examples
    --------
    >>> from treemetric.datasets import make_strings
    >>> from treemetric.learning import BEDL
    >>> strings = make_strings(100, random_state=0)
    >>> train, test = strings.data[:60], strings.data[60:]
    >>> learner = BEDL(2).fit(train, strings.target[:60])
    >>> learner.score(test, strings.target[60:])
    1.0
    """

    def __init__(
        self,
        n_prototypes: Any = 1,
        *,
        n_components: int | None = None,
        init: Any = "simplex",
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
        self.n_components = n_components
        self.init = init
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
        if self.n_components is not None:
            check_int(self.n_components, "n_components", "BEDL", 1)
        if isinstance(self.init, EmbeddingCosts):
            dimension = self.init.vectors.shape[1]
            if self.n_components not in (None, dimension):
                must = f"None or {dimension}, the dimension of the vectors of 'init'"
                refuse("n_components", "BEDL", must, shown(self.n_components))
        elif not (isinstance(self.init, str) and self.init == "simplex"):
            must = "'simplex' or an instance of 'treemetric.EmbeddingCosts'"
            refuse("init", "BEDL", must, shown(self.init))

    def _space(self, trees: TreeSet, random: np.random.RandomState) -> EmbeddingSpace:
        alphabet, start = trees.alphabet, self._first(trees, random)
        if isinstance(self.init, EmbeddingCosts):
            alphabet = self.init.alphabet
        return EmbeddingSpace(alphabet, start, float(self.regularisation), self.max_inner_iter)

    def _first(self, trees: TreeSet, random: np.random.RandomState) -> FloatArray:
        """Give the vectors to start from, and set the costs that they stand for."""
        if isinstance(self.init, EmbeddingCosts):
            self.init.to_matrix(trees.alphabet)  # raises if a label is missing
            self.initial_costs_ = self.init
            return self.init.vectors
        count = len(trees.alphabet)
        if self.n_components is None or self.n_components >= count:
            self.initial_costs_ = UnitCosts()
            return simplex(count)
        start = low_simplex(count, self.n_components, random)
        self.initial_costs_ = EmbeddingCosts(trees.alphabet, start)
        return start
