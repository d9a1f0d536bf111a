"""Embedding edit distance learning: an embedding of the labels, or a projection of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.typing import FloatArray
from treemetric._base.validation import as_float, check_int, check_non_negative, refuse, shown
from treemetric.costs import Costs, EmbeddingCosts, UnitCosts, VectorCosts
from treemetric.learning._alternation import Batches, Space
from treemetric.learning._descent import DescentSpace
from treemetric.learning._embedding import EmbeddingSpace, low_simplex, simplex, weighted_points
from treemetric.learning._projection import ProjectionSpace, first_projection
from treemetric.learning._prototype_learner import PrototypeLearner
from treemetric.learning.symbol_counts import check_tables
from treemetric.treeset import TreeSet

__all__ = ["BEDL"]

# The weight of the regularisation per tree; see Notes.
_REGULARISATION = 0.1
# With more labels than this, 'auto' learns two numbers for each label and not a vector.
_MANY_LABELS = 300


class BEDL(PrototypeLearner):
    """Embedding edit distance learning: a vector for each label, and prototypes for each class.

    Every label u has a vector a_u, and the gap (the missing counterpart of a deleted or inserted
    node) is the origin. Replacing u by v costs ‖a_u - a_v‖; deleting or inserting u costs ‖a_u‖.
    Such costs are a pseudo-metric for all vectors, so the edit distance is one too. The vectors
    are learned such that every tree is closer to a prototype of its own class than to prototypes
    of other classes: with its distances d⁺ and d⁻ to the closest prototype of its own class and
    of another class, the learner minimises

        E = Σ Φ(μ),  μ = (d⁺ - d⁻) / (d⁺ + d⁻).

    Each round computes distances under the current vectors, chooses prototypes among the trees as
    `MedianGLVQ` does, counts the edits between trees and their two closest prototypes on average
    over all optimal alignments, and improves the vectors by L-BFGS with these counts fixed. The
    new vectors are accepted if they lower the loss under their own prototypes and alignments.

    Parameters
    ----------
    n_prototypes : int, dict or array-like, default=1
        Number of prototypes: one number for all classes, a dict by class, or one number per class
        in the order of `classes_`. A class with fewer trees uses all of them.
    n_components : int, None or 'auto', default='auto'
        Dimension of the vectors, at most the number of labels, which None means. 'auto' means None
        for up to 300 labels. For more labels, the vector of each label has one coordinate in a
        direction of its own and one in a direction that all labels share, so that two numbers per
        label are learned; see Notes. For `VectorCosts`, the dimension after the projection; 'auto'
        and None keep it.
    init : {'simplex'}, EmbeddingCosts or VectorCosts, default='simplex'
        The initial vectors. On the simplex all costs are 1 (with fewer dimensions than labels,
        the squared costs are 1 on average). `EmbeddingCosts` must contain all labels of the
        training trees; the vectors of their other labels do not change. With `VectorCosts` the
        vectors are given and their projection Ω is learned; see Notes.
    squashing : {'identity', 'logistic'}, default='identity'
        The increasing function Φ. With the logistic function, 1 / (1 + exp(-slope · μ)), trees
        near the border between classes have more weight; the larger the slope, the more.
    slope : float, default=5.0
        The slope of the logistic function.
    regularisation : float or 'auto', default='auto'
        The weight λ of the regularisation towards the initial vectors, per tree: adds
        λ n ‖A - A_start‖² / s² to the loss, for n trees (the sum of their weights) and the mean
        squared length s² of the initial vectors, which is 1 on the simplex. Large values keep the
        initial costs. With 0 the loss does not depend on the scale of the vectors, their scale is
        kept, and on many data sets all but a few labels lose their costs; see Notes. 'auto' means
        0.1, and 0 for `VectorCosts`, whose projection all labels share.
    max_iter : int, default=20
        Maximum number of rounds; 0 learns prototypes only.
    max_inner_iter : int, default=50
        Maximum number of L-BFGS steps in each round. Few rounds of few steps also regularise.
    tol : float, default=1e-6
        The fit ends when a round changes the loss by at most `tol` per tree.
    patience : int, default=5
        A round that does not lower the loss is discarded, and the next round tries half of its
        step. The fit ends after this many such rounds in a row.
    n_candidates : int, optional
        Number of trees of each class, drawn at random, among which prototypes are chosen. Only the
        distances to these trees are computed. By default all trees are candidates; if they have
        more than 20,000 nodes together, fewer, but at least 20 of each class.
    batch_size : int, optional
        Number of trees per step of Adam. Each round goes through all trees once and replaces
        L-BFGS by these steps, so that the counts of edits of a batch must fit in memory, not
        those of all trees. By default L-BFGS uses all trees.
    learning_rate : float, default=0.01
        Size of the steps of Adam, as a share of the largest entry of the initial vectors or of the
        initial projection. Used only with `batch_size`.
    temperature : float, optional
        Count edits over all alignments, weighted by exp(-cost / temperature). By default only
        optimal alignments are counted.
    distance : {'actual', 'pseudo'}, default='actual'
        What `transform` and `predict` compute: the edit distance under the learned costs, or the
        pseudo-edit distance. The pseudo-edit distance is the cost, under the learned costs, of the
        alignments that are optimal under the initial costs; it is an upper bound of the edit
        distance.
    unseen : {'gap-like', 'error'}, default='gap-like'
        How to handle labels that did not occur in training: give them costs similar to those of
        the gap, or raise an error. With m the mean cost of deleting a known label, a gap-like
        label costs m to delete or insert, max(m, cost of deleting u) to replace by a known label u
        or the reverse, and m to replace by another gap-like label. The result is a pseudo-metric
        if the learned costs are one, and unit costs stay unit costs.
    validation_fraction : float, optional
        Share of the trees of each class that are held out. After each round, the mean loss of the
        held-out trees is computed with all other trees (or `n_candidates`) as prototypes, the loss
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
        Seed of the initial vectors if there are fewer dimensions than labels, of the candidates,
        the trees held out and the batches; not used otherwise.

    Attributes
    ----------
    costs_ : EmbeddingCosts or VectorCosts
        The learned costs, which hold the vectors or the projection; the initial ones if `learned_`
        is False. The costs of the simplex are 1 up to rounding; `get_metric`, `transform` and
        `predict` use unit costs then. Labels without a vector raise
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
    LVQCosts : Learns the costs themselves with the same loss.
    GESL : Learns the costs by a convex program, from fixed alignments.

    Notes
    -----
    With counts N fixed, the gradient is one pass of matrix products: d = N c, then ∂E/∂c = Nᵀ w,
    then from costs to vectors. The closest prototypes are fixed during L-BFGS. The norm has no
    gradient at 0, where 0 is used, so labels with equal vectors stay together. Costs below a
    millionth of the largest cost are set to 0.

    The published learner has no regularisation and no check:
    ``BEDL(regularisation=0.0, n_components=None, fallback=False)``. The experiments of
    `treemetric.experiments` state these parameters. Without regularisation the metric often
    collapses: on glycans, two labels of 57 kept a cost above 0.4.

    The check of `fallback` compares edit distances, whatever `distance` is, of up to 1,000 trees to
    up to 2,000 others. Its fits have the parameters of the learner, and learned costs are those of
    ``fallback=False``. The same trees are always split in the same way. If `init` are costs that
    were learned from the same trees, the check favours them; use ``fallback=False`` to learn on.

    Ties between prototypes go to the first tree, so the result depends on the order of the
    training trees.

    With ``n_components=None`` there are U² numbers to learn for U labels, and L-BFGS keeps twenty
    copies of them, about 240 U² bytes in total; a fit with 950 labels took a minute. With a number
    of dimensions, or with 'auto' for many labels, only the costs are a table of that size. 'auto'
    starts at unit costs; a number of dimensions below that of labels starts at vectors drawn at
    random, whose costs are 1 only on average. Two numbers per label make labels important or
    negligible, and can hardly merge labels; thousands of labels occur too seldom for more. A fit of
    1,000 trees of 13 nodes with 2,400 labels took 5 seconds of processor time.

    With ``init=VectorCosts(...)`` all labels with a vector are known, also those that do not occur
    in training: the parameter ``unknown`` of the costs replaces `unseen`. The initial projection
    is that of the costs. If they have none, it is the identity or, with `n_components`, the main
    directions of the training labels' vectors about the origin. The regularisation uses Ω instead
    of A. The cosine is not a metric; the distance under it is that of the cheapest alignment.

    The memory for n trees of up to s nodes and m candidates in total (n without `n_candidates`) is
    16 n m bytes for distances and about 200 n s bytes for the counts of edits (with `batch_size`,
    for the trees of a batch). `VectorCosts` add about 40 bytes for each number in the vectors of
    the labels that occur. One round with 6,920 trees of up to 111 nodes and 200 candidates took
    219 MiB.

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

    Labels with vectors, where only the first direction separates the classes:

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
        n_components: int | str | None = "auto",
        init: Any = "simplex",
        squashing: str = "identity",
        slope: float = 5.0,
        regularisation: float | str = "auto",
        max_iter: int = 20,
        max_inner_iter: int = 50,
        tol: float = 1e-6,
        patience: int = 5,
        n_candidates: int | None = None,
        batch_size: int | None = None,
        learning_rate: float = 0.01,
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
        self.validation_fraction = validation_fraction
        self.fallback = fallback
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _check_strength(self) -> float:
        if isinstance(self.regularisation, str) and self.regularisation == "auto":
            return 0.0 if isinstance(self.init, VectorCosts) else _REGULARISATION
        return check_non_negative(
            self.regularisation, "regularisation", type(self).__name__, other="'auto'"
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for name in ("n_candidates", "batch_size"):
            value = getattr(self, name)
            if value is not None:
                check_int(value, name, "BEDL")
        if isinstance(self.n_components, str) and self.n_components != "auto":
            must = "'auto', None or an int in the range [1, inf)"
            refuse("n_components", "BEDL", must, shown(self.n_components))
        if self._dimension is not None:
            check_int(self._dimension, "n_components", "BEDL")
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

    @property
    def _dimension(self) -> int | None:
        """The dimension that is asked for, if there is one."""
        return None if isinstance(self.n_components, str) else self.n_components

    def _check_dimension(self, start: npt.NDArray[Any] | None, what: str) -> None:
        """Check that ``n_components`` is the dimension of the start, if it is given."""
        if start is not None and self._dimension not in (None, start.shape[1]):
            must = f"'auto', None or {start.shape[1]}, the dimension {what} of 'init'"
            refuse("n_components", "BEDL", must, shown(self.n_components))

    def _batches(self, space: DescentSpace) -> Batches | None:
        if self.batch_size is None:
            return None
        return Batches(space, self.batch_size, float(self.learning_rate))

    def _space(
        self, trees: TreeSet, strength: float, random: np.random.RandomState
    ) -> tuple[Space, Costs]:
        # An embedding and a projection are the two things that this learner can learn.
        if isinstance(self.init, VectorCosts):
            return self._projection(trees, self.init, strength)
        return self._embedding(trees, strength, random)

    def _projection(
        self, trees: TreeSet, init: VectorCosts, strength: float
    ) -> tuple[ProjectionSpace, Costs]:
        start = first_projection(init, trees.alphabet, self._dimension)
        space = ProjectionSpace(
            vocabulary=init,
            used=init._restricted(trees.alphabet),
            start=start,
            strength=strength / mean_square(start),
            max_iter=self.max_inner_iter,
        )
        return space, init.with_projection(start)

    def _embedding(
        self, trees: TreeSet, strength: float, random: np.random.RandomState
    ) -> tuple[EmbeddingSpace, Costs]:
        alphabet, shortcut = trees.alphabet, None
        rows: Any = ...
        count, own = len(alphabet), False
        initial: Costs
        if isinstance(self.init, EmbeddingCosts):
            # Raises an error if a label is missing; further labels stay known.
            rows = _core.encode(alphabet, self.init._index).astype(np.int64)
            alphabet, start, initial = self.init.alphabet, self.init.vectors, self.init
            own = self.init.own is not None
            if self.init.own is not None:
                start = np.column_stack([self.init.own, start])
            strength /= mean_square(start[rows])
        elif self.n_components == "auto" and count > _MANY_LABELS:
            check_tables(count, 6 + self._kept_tables, "BEDL")
            start, own = weighted_points(count), True
            initial = shortcut = UnitCosts()
        elif self._dimension is None or self._dimension >= count:
            # L-BFGS keeps the last ten steps and gradients.
            check_tables(count, 30 + self._kept_tables, "BEDL without n_components")
            start = simplex(count)
            initial = shortcut = UnitCosts()
        else:
            check_tables(count, 6 + self._kept_tables, "BEDL")
            start = low_simplex(count, self._dimension, random)
            initial = EmbeddingCosts(alphabet, start)
        space = EmbeddingSpace(
            alphabet=alphabet,
            start=start,
            strength=strength,
            max_iter=self.max_inner_iter,
            rows=rows,
            own=own,
            shortcut=shortcut,
        )
        return space, initial


def mean_square(start: FloatArray) -> float:
    """Return the mean squared length of the rows, 1 if all are 0: the scale of the penalty."""
    return float((start**2).sum() / max(1, len(start))) or 1.0
