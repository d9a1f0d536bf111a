"""Better edit distance learning: an embedding of the symbols."""

from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.validation import as_float, check_int, refuse, shown
from treemetric.costs import Costs, EmbeddingCosts, UnitCosts, VectorCosts
from treemetric.learning._alternation import Batches, Space
from treemetric.learning._descent import DescentSpace
from treemetric.learning._embedding import EmbeddingSpace, low_simplex, simplex
from treemetric.learning._projection import ProjectionSpace, first_projection
from treemetric.learning._prototype_learner import PrototypeLearner
from treemetric.learning.symbol_counts import check_tables
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
        Dimension of the vectors; by default, and at most, the number of symbols. With many
        hundreds of symbols 10 or so is much faster and takes far less memory; see Notes. For
        `VectorCosts`, the dimension after the projection.
    init : {'simplex'}, EmbeddingCosts or VectorCosts, default='simplex'
        Where the vectors start. On the simplex all costs are 1 (with fewer dimensions than
        symbols: their squares are, on average). Costs must know all labels of the training trees;
        labels that they know beyond that stay where they are, and do not count for the scale that
        is kept. With `VectorCosts` the vectors are
        given and their projection Ω is learned; see Notes.
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
    n_candidates : int, optional
        Choose prototypes among so many trees of each class only, drawn at random, and compute
        no other distances than to these; by default among all trees. For `VectorCosts` only.
    batch_size : int, optional
        Improve the projection by steps of Adam, each on so many trees, going through all of them
        once per round; by default by L-BFGS on all of them. For `VectorCosts` only.
    learning_rate : float, default=0.01
        Size of the steps of Adam, as a share of the largest entry of the initial projection.
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
        Draws the start if there are fewer dimensions than symbols, the candidates and the
        batches; not used otherwise.

    Attributes
    ----------
    costs_ : EmbeddingCosts or VectorCosts
        The learned costs, with the vectors, or with the projection.
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

    Of equally good prototypes and alignments the first count, so the result depends on the order
    of the training trees.

    Without `n_components` there are U² numbers to learn for U symbols, and L-BFGS keeps twenty
    copies of them, about 240 U² bytes in all; a fit with 950 symbols took a minute. With
    ``n_components=10`` only the costs are a table of that size.

    With ``init=VectorCosts(...)`` all labels with a vector are known from the start, also those
    that do not occur in training: the costs' own ``unknown`` takes the place of `unseen`. The
    projection starts as that of the costs; if they have none, as the identity, or with
    `n_components` as the main directions of the training labels' vectors about the origin. In the
    regularisation Ω takes the place of A. The cosine is not a metric; the distance under it is
    that of the cheapest alignment. The memory for n trees of up to s nodes and m candidates in all
    (n without `n_candidates`) is 16 n m bytes for distances and about 200 n s for the counts of
    edits (per batch: for its trees), plus about 40 bytes for each number in the vectors of the
    labels that occur. 6,920 trees of up to 111 nodes with 200 candidates took 219 MiB in one round.

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

    Labels with vectors, of which only the first direction tells the classes apart:

    >>> from treemetric import Tree, VectorCosts
    >>> costs = VectorCosts("abcd", [[1, 9], [1, -9], [-1, 9], [-1, -9]])
    >>> trees = [Tree.from_sequence(s) for s in ("aab", "abb", "ccd", "cdd")]
    >>> learner = BEDL(init=costs).fit(trees, [0, 0, 1, 1])
    >>> learner.predict([Tree.from_sequence(s) for s in ("bbb", "ddd", "bab")])
    array([0, 1, 0])
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
        n_candidates: int | None = None,
        batch_size: int | None = None,
        learning_rate: float = 0.01,
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
        self.n_candidates = n_candidates
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.temperature = temperature
        self.distance = distance
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("n_components", "n_candidates", "batch_size"):
            value = getattr(self, name)
            if value is not None:
                check_int(value, name, "BEDL")
        if not 0 < as_float(self.learning_rate) < float("inf"):
            must = "a float in the range (0.0, inf)"
            refuse("learning_rate", "BEDL", must, shown(self.learning_rate))
        if isinstance(self.init, VectorCosts):
            self._check_dimension(self.init.projection, "after the projection")
        elif isinstance(self.init, EmbeddingCosts):
            self._check_dimension(self.init.vectors, "of the vectors")
        elif not (isinstance(self.init, str) and self.init == "simplex"):
            must = "'simplex' or an instance of 'treemetric.EmbeddingCosts' or 'VectorCosts'"
            refuse("init", "BEDL", must, shown(self.init))

    def _check_dimension(self, start: npt.NDArray[Any] | None, what: str) -> None:
        """Check that ``n_components`` is the dimension of the start, if it is given."""
        if start is not None and self.n_components not in (None, start.shape[1]):
            must = f"None or {start.shape[1]}, the dimension {what} of 'init'"
            refuse("n_components", "BEDL", must, shown(self.n_components))

    def _batches(self, space: DescentSpace) -> Batches | None:
        if self.batch_size is None:
            return None
        return Batches(space, self.batch_size, float(self.learning_rate))

    def _space(self, trees: TreeSet, random: np.random.RandomState) -> tuple[Space, Costs]:
        # An embedding and a projection are the two things that this learner can learn.
        if isinstance(self.init, VectorCosts):
            return self._projection(trees, self.init)
        return self._embedding(trees, random)

    def _projection(self, trees: TreeSet, init: VectorCosts) -> tuple[ProjectionSpace, Costs]:
        start = first_projection(init, trees.alphabet, self.n_components)
        space = ProjectionSpace(
            vocabulary=init,
            used=init._restricted(trees.alphabet),
            start=start,
            strength=float(self.regularisation),
            max_iter=self.max_inner_iter,
        )
        return space, init.with_projection(start)

    def _embedding(
        self, trees: TreeSet, random: np.random.RandomState
    ) -> tuple[EmbeddingSpace, Costs]:
        alphabet, shortcut = trees.alphabet, None
        rows: Any = ...
        count = len(alphabet)
        initial: Costs
        if isinstance(self.init, EmbeddingCosts):
            # Raises an error if a label is missing; further labels stay known.
            rows = _core.encode(alphabet, self.init._index).astype(np.int64)
            alphabet, start, initial = self.init.alphabet, self.init.vectors, self.init
        elif self.n_components is None or self.n_components >= count:
            # L-BFGS keeps the last ten steps and gradients.
            check_tables(count, 30, "BEDL without n_components")
            start = simplex(count)
            initial = shortcut = UnitCosts()
        else:
            check_tables(count, 6, "BEDL")
            start = low_simplex(count, self.n_components, random)
            initial = EmbeddingCosts(alphabet, start)
        space = EmbeddingSpace(
            alphabet=alphabet,
            start=start,
            strength=float(self.regularisation),
            max_iter=self.max_inner_iter,
            rows=rows,
            shortcut=shortcut,
        )
        return space, initial
