"""Generalised learning vector quantisation with data points as prototypes."""

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


class MedianGLVQ(PrototypeClassifier):
    """Generalised learning vector quantisation with data points as prototypes.

    Each class is represented by a few training points, the prototypes, and a new point gets the
    class of the closest prototype. The prototypes minimise E = Σ w Φ(μ), where w
    is the weight of a training point, 1 by default, and
    μ = (d⁺ - d⁻) / (d⁺ + d⁻) compares the distances d⁺ and d⁻ of a training point to the closest
    prototype of its own class and of another class.

    Parameters
    ----------
    n_prototypes : int, dict or array-like, default=1
        Number of prototypes: one number for all classes, a dict by class, or one number per class
        in the order of `classes_`. A class with fewer points uses all of them.
    metric : {'tree_edit', 'precomputed'}, default='tree_edit'
        Whether X holds trees or distances.
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
        Maximum number of rounds over all prototypes, for each start.
    tol : float, default=1e-6
        The search ends when a round lowers the loss by at most `tol` per training point.
    n_init : int, default=1
        Number of starts. The first start takes the medoid of each class and adds further
        prototypes greedily; the others are random. The result with the lowest loss is kept.
    validation_fraction : float, optional
        Share of the training points of each class that is held out. The prototypes with the lowest
        loss of the points held out are kept. By default no point is held out.
    patience : int, default=5
        Number of rounds without a lower loss of the points held out after which the search ends;
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
    prototypes_ : ndarray of shape (n_prototypes,)
        Indices of the prototypes in the training data, grouped by class.
    prototype_labels_ : ndarray of shape (n_prototypes,)
        The classes of the prototypes.
    classes_ : ndarray of shape (n_classes,)
        The sorted classes.
    loss_ : float
        The final loss E.
    loss_curve_ : ndarray
        The initial loss and the loss after each round; it never rises.
    validation_curve_ : ndarray
        The mean loss of the points held out, initially and after each round; only with
        `validation_fraction`.
    n_iter_ : int
        Number of rounds; `max_iter` if the search did not converge.
    learner_ : estimator
        The fitted copy of the learner; only if `costs` is a learner.
    trees_ : TreeSet
        The training trees; only with ``metric='tree_edit'``.
    n_features_in_ : int
        Number of training points; only with ``metric='precomputed'``.

    See Also
    --------
    RelationalGLVQ : Uses mixtures of data points as prototypes.

    Notes
    -----
    The search is the generalised expectation maximisation of Nebel et al.: one prototype after
    the other is exchanged for the point of its class with the lowest loss, if this lowers the
    loss. All points of the class are compared in one pass. Distances are measured from a point to
    a prototype and need not be symmetric. Equal points of different classes have μ = 0.

    References
    ----------
    D. Nebel, B. Hammer, K. Frohberg and T. Villmann, "Median variants of learning vector
    quantization for learning of dissimilarity data", Neurocomputing 169, 2015.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.classification import MedianGLVQ
    >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
    >>> model = MedianGLVQ().fit(trees, ["x", "x", "y", "y"])
    >>> model.prototypes_
    array([0, 2])
    >>> model.predict([Tree.from_sequence("ca")])
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

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: Any = None) -> MedianGLVQ:
        """Choose the prototypes.

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
        MedianGLVQ
            The fitted classifier.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import MedianGLVQ
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> MedianGLVQ().fit(trees, [0, 0, 1, 1]).loss_
        -3.0
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
        distances = self._measure(inputs)
        with stage(self.verbose, f"{name}: prototypes", "rounds") as report:
            found = select_prototypes(
                parts.inner(distances),
                parts.codes,
                counts,
                squash=squash,
                max_iter=max_iter,
                tol=tol,
                random_state=random,
                n_init=n_init,
                weights=parts.weights,
                held_out=parts.held_out(distances, codes, weights, self.patience),
                report=report,
            )
        self.prototypes_ = parts.training[found.indices]
        self.prototype_labels_ = self.classes_[found.labels]
        self.loss_ = found.loss
        self.loss_curve_ = found.loss_curve
        if found.validation_curve is not None:
            self.validation_curve_ = found.validation_curve
        self.n_iter_ = found.n_iter

    def _to_prototypes(self, inputs: Inputs) -> FloatArray:
        return self._measure(inputs, self.prototypes_.astype(np.int64))
