"""Generalised learning vector quantisation with mixtures of data points as prototypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric._base.progress import stage
from treemetric._base.typing import CostsOrLearner, FloatArray
from treemetric._base.validation import check_int, check_random_state
from treemetric._estimators.checks import (
    Inputs,
    check_positive,
    prototype_counts,
)
from treemetric._estimators.prototypes import select_prototypes
from treemetric.classification._prototypes import PrototypeClassifier
from treemetric.classification._relational import (
    Mixtures,
    Problem,
    first_weights,
    half_forms,
    learn_mixtures,
    to_mixtures,
)


class RelationalGLVQ(PrototypeClassifier):
    """Generalised learning vector quantisation with mixtures of data points as prototypes.

    A prototype is a convex combination of all training points in the (pseudo-)Euclidean space
    that the distances define; only distances are needed. A new point gets the class of the closest
    prototype. The weights minimise E = Σ w Φ(μ), where w is the weight of a training point, 1 by
    default, and μ = (d⁺ - d⁻) / (d⁺ + d⁻) compares its *squared* distances d⁺ and d⁻ to the closest
    prototype of its own class and of another class.

    Parameters
    ----------
    n_prototypes : int, dict or array-like, default=1
        Number of prototypes: one number for all classes, a dict by class, or one number per class
        in the order of `classes_`. A class with fewer points gets as many as it has points.
    metric : {'tree_edit', 'precomputed'}, default='tree_edit'
        Whether X holds trees or distances (not squared).
    costs : Costs, callable, learner or LearnedMetric, optional
        The costs of edits; by default every edit costs 1. A learner, such as
        ``NCACosts(random_state=0)``, is copied and fitted to the training data first; a learned
        distance, or a learner in ``sklearn.frozen.FrozenEstimator``, is used as it is. Not used
        with precomputed distances.
    ordered : bool, default=True
        Whether the order of children counts. False means the distance of
        `treemetric.unordered_distance`. Not used with precomputed distances.
    squashing : {'identity', 'logistic'}, default='identity'
        The increasing function Φ. With the logistic function, 1 / (1 + exp(-slope · μ)), points
        near the border between classes have more weight; the larger the slope, the more.
    slope : float, default=5.0
        The slope of the logistic function.
    max_iter : int, default=100
        Maximum number of L-BFGS steps.
    tol : float, default=1e-6
        The search ends when a step lowers the loss by less than this share of the loss.
    n_init : int, default=1
        Number of starts of the `MedianGLVQ` that chooses the initial prototypes.
    validation_fraction : float, optional
        Share of the training points of each class that is held out. The prototypes with the lowest
        loss of the points held out are kept. By default no point is held out.
    patience : int, default=5
        Number of steps without a lower loss of the points held out after which the search ends;
        only with `validation_fraction`.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts and of the points that are held out.
    n_jobs : int, optional
        Number of threads for distances; None means 1, -1 means all CPUs. The result does not
        depend on it.
    verbose : int, default=0
        1 shows a progress bar for each stage of fit or predict that takes longer than a second.

    Attributes
    ----------
    coefficients_ : ndarray of shape (n_prototypes, n_train)
        The weights of the training points in each prototype; they are not negative and sum to 1.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        The classes of the prototypes, which are grouped by class.
    classes_ : ndarray of shape (n_classes,)
        The sorted classes.
    loss_ : float
        The final loss E.
    loss_curve_ : ndarray
        The lowest loss so far, initially and after each step.
    validation_curve_ : ndarray
        The mean loss of the points held out, initially and after each step; only with
        `validation_fraction`.
    n_iter_ : int
        Number of steps; `max_iter` if the search did not converge.
    learner_ : estimator
        The fitted copy of the learner; only if `costs` is a learner.
    trees_ : TreeSet
        The training trees; only with ``metric='tree_edit'``.
    n_features_in_ : int
        Number of training points; only with ``metric='precomputed'``.

    See Also
    --------
    MedianGLVQ : Uses data points as prototypes; predict needs the distances to these only.

    Notes
    -----
    With S the matrix of squared distances and α the weights of a prototype, its squared distance
    to training point i is (S α)_i - ½ αᵀ S α. This formula needs symmetric distances. Distances of
    trees that are not symmetric are replaced by the mean of both directions, in fit and in
    predict. For a precomputed matrix this is possible in fit only, because rows for predict hold
    one direction; fit warns if the matrix is not symmetric. Make the whole matrix symmetric before
    you split it, D = (D + D.T) / 2.

    The weights are the softmax of free parameters. The initial weights are the mean of the points
    around each prototype of `MedianGLVQ`. Tree edit distances are in general not Euclidean, so a
    squared distance to a mixture can be negative; the denominator of μ then uses absolute values.

    References
    ----------
    B. Hammer, D. Hofmann, F.-M. Schleif and X. Zhu, "Learning vector quantization for
    (dis-)similarities", Neurocomputing 131, 2014.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.classification import RelationalGLVQ
    >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
    >>> model = RelationalGLVQ().fit(trees, ["x", "x", "y", "y"])
    >>> model.coefficients_.shape
    (2, 4)
    >>> model.predict([Tree.from_sequence("aba")])
    array(['x'], dtype='<U1')
    """

    def __init__(
        self,
        n_prototypes: Any = 1,
        *,
        metric: str = "tree_edit",
        costs: CostsOrLearner | None = None,
        ordered: bool = True,
        squashing: str = "identity",
        slope: float = 5.0,
        max_iter: int = 100,
        tol: float = 1e-6,
        n_init: int = 1,
        validation_fraction: float | None = None,
        patience: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.metric = metric
        self.costs = costs
        self.ordered = ordered
        self.squashing = squashing
        self.slope = slope
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: Any = None) -> RelationalGLVQ:
        """Learn the prototypes.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_samples)
            Training trees or, with ``metric='precomputed'``, their distances.
        y : array-like of shape (n_samples,)
            The classes of the training data.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the training data in the loss. A point of weight 0 is as
            good as absent; each class needs a positive weight.

        Returns
        -------
        RelationalGLVQ
            The fitted classifier.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import RelationalGLVQ
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> RelationalGLVQ().fit(trees, [0, 0, 1, 1]).prototype_labels_
        array([0, 1])
        """
        return self._fit_copy(X, y, sample_weight)

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        name = type(self).__name__
        squash = self._check_squash()
        max_iter = check_int(self.max_iter, "max_iter", name)
        n_init = check_int(self.n_init, "n_init", name)
        tol = check_positive(self.tol, "tol", name, or_zero=True)
        fraction = self._check_stopping()
        random = check_random_state(self.random_state, name)
        inputs, codes, weights = self._check_training(X, y, sample_weight)
        counts = prototype_counts(self.n_prototypes, self.classes_, name)
        parts = self._parts(codes, weights, fraction, random)
        distances = self._measure_symmetric(inputs)
        inner = parts.inner(distances)
        with stage(self.verbose, f"{name}: first prototypes", "rounds") as report:
            first = select_prototypes(
                inner,
                parts.codes,
                counts,
                squash=squash,
                random_state=random,
                n_init=n_init,
                weights=parts.weights,
                report=report,
            )
        start = first_weights(inner, parts.codes, first.indices, first.labels, parts.weights)
        # Squares of large distances would overflow. The loss does not depend on the scale.
        self._unit = float(inner.max()) or 1.0
        squares = inner / self._unit
        np.square(squares, out=squares)
        problem = Problem(squares, parts.codes, first.labels, squash, parts.weights)
        held_out = parts.held_out(distances, codes, weights, self.patience)
        if held_out is not None:
            held_out = held_out._replace(distances=held_out.distances / self._unit)
        if len(self.classes_) > 1:
            with stage(self.verbose, f"{name}: mixtures", "steps") as report:
                found = learn_mixtures(problem, start, max_iter, tol, held_out, report)
        else:
            halves = half_forms(problem.squares, start)
            found = Mixtures(start, halves, first.loss_curve, 1, float(first.loss_curve[-1]))
        self.coefficients_ = np.zeros((len(start), len(codes)))
        self.coefficients_[:, parts.training] = found.weights
        self.prototype_labels_ = self.classes_[first.labels]
        self.loss_ = found.loss
        self.loss_curve_ = found.loss_curve
        if found.validation_curve is not None:
            self.validation_curve_ = found.validation_curve
        self.n_iter_ = found.n_iter
        self._halves = found.halves

    def _to_prototypes(self, inputs: Inputs) -> FloatArray:
        squares = np.square(self._measure(inputs, symmetric=True) / self._unit)
        return to_mixtures(squares, self.coefficients_, self._halves)
