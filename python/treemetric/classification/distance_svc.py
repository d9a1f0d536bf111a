"""A support vector machine on a Gaussian kernel of distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if

from treemetric._base.progress import stage
from treemetric._base.threads import interruptible
from treemetric._base.typing import CostsOrLearner, FloatArray, Predictions
from treemetric._base.validation import as_float, check_bool, check_int, refuse, shown
from treemetric._estimators.base import TreeClassifier
from treemetric._estimators.checks import Codes, check_positive
from treemetric._estimators.weighting import weighted_points
from treemetric.classification._calibration import calibrate, calibrated
from treemetric.classification._distance_kernel import DistanceKernel
from treemetric.features import TreeFeatures
from treemetric.kernels import TreeKernel

# The solver counts its steps in 32 bits.
_MOST_STEPS = 2**31 - 1


def _has_probabilities(model: DistanceSVC) -> bool:
    if not model.probability:
        message = "predict_proba is not available when probability=False"
        raise AttributeError(message)
    return True


class DistanceSVC(TreeClassifier, DistanceKernel):
    """A support vector machine on a Gaussian kernel of distances.

    The kernel is exp(-d² / (2 ψ²)). For tree edit distances it can have negative eigenvalues,
    with which the optimisation problem is not convex. They are corrected, in the same way for
    training data and new data.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the errors, as in ``sklearn.svm.SVC``.
    bandwidth : 'median' or float, default='median'
        The bandwidth ψ; 'median' is the median of the positive distances among the training data.
    eigenvalues : {'clip', 'flip', 'shift', 'none'}, default='clip'
        Correction of negative eigenvalues: set them to zero, take their absolute values, raise all
        eigenvalues until none is negative, or no correction.
    metric : {'tree_edit', 'precomputed'}, default='tree_edit'
        Whether X holds trees or distances.
    costs : Costs, callable, learner or LearnedMetric, optional
        The costs of edits; by default every edit costs 1. A learner, such as
        ``NCACosts(random_state=0)``, is copied and fitted to the training data first; a learned
        distance, or a learner in ``sklearn.frozen.FrozenEstimator``, is used as it is. Not used
        with precomputed distances.
    kernel : TreeKernel or TreeFeatures, or a list of these, optional
        Further kernels to combine with the kernel of distances, on the same trees. Features are
        compared by the cosine of their rows. Only with ``metric='tree_edit'``.
    combine : {'product', 'sum', 'product-of-sum'}, default='product'
        How to combine all kernels, entry by entry. 'product-of-sum' multiplies the kernel of
        distances with the sum of the further kernels.
    ordered : bool, default=True
        Whether the order of children counts. False means the distance of
        `treemetric.unordered_distance`. Not used with precomputed distances.
    class_weight : dict or 'balanced', optional
        Weights of the classes, as in ``sklearn.svm.SVC``.
    probability : bool, default=False
        Whether to enable `predict_proba`, for which fit trains five more machines.
    tol : float, default=1e-3
        Tolerance of the solver.
    max_iter : int, default=-1
        Maximum number of steps of the solver; -1 for no limit.
    n_jobs : int, optional
        Number of threads for distances; None means 1, -1 means all CPUs. The result does not
        depend on it.
    verbose : int, default=0
        1 shows a progress bar for each stage of fit or predict that takes longer than a second.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The sorted classes.
    bandwidth_ : float
        The bandwidth ψ.
    n_negative_ : int
        Number of eigenvalues of the training kernel that were negative.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors in the training data.
    svc_ : SVC or None
        The fitted machine on the corrected kernel, without points of weight 0; None if there is
        only one class.
    n_iter_ : ndarray
        Number of steps of the solver for each pair of classes.
    slope_ : float
        The factor of the decision values in `predict_proba`; only with ``probability=True``.
    kernel_ : TreeKernel or TreeFeatures, or a list of these
        The fitted copy of `kernel`; only if there is one.
    learner_ : estimator
        The fitted copy of the learner; only if `costs` is a learner.
    trees_ : TreeSet
        The training trees; only with ``metric='tree_edit'``.
    n_features_in_ : int
        Number of training points; only with ``metric='precomputed'``.

    See Also
    --------
    GoodnessClassifier : A sparse linear separator that accepts any similarity.
    treemetric.kernels.TreeKernel : Kernels to combine with the kernel of distances.

    Notes
    -----
    With the training kernel K = U Λ Uᵀ, clipping multiplies it from the right by U [Λ > 0] Uᵀ and
    flipping by U sign(Λ) Uᵀ. Rows of new data are multiplied by the same matrix, so that a copy of
    a training point has the same kernel as that point. Shifting by s means the kernel
    exp(-d² / (2 ψ²)) + s · [d = 0], with the smallest s for which the kernel of the distinct
    training points has no negative eigenvalue; this is also the same for a copy. (If points at
    distance 0 have different distances to other points, negative eigenvalues that remain are
    corrected on the diagonal, which new rows do not have.)

    Distances of trees that are not symmetric are replaced by the mean of both directions, in fit
    and in predict. For a precomputed matrix this is possible in fit only, because rows for predict
    hold one direction; fit warns if the matrix is not symmetric. Make the whole matrix symmetric
    before you split it, D = (D + D.T) / 2.

    Negative eigenvalues are corrected before the kernel is combined with a second one. Sums and
    products of positive semi-definite kernels are positive semi-definite.

    References
    ----------
    Y. Chen, E. K. Garcia, M. R. Gupta, A. Rahimi and L. Cazzanti, "Similarity-based
    classification: concepts and algorithms", Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.classification import DistanceSVC
    >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
    >>> model = DistanceSVC().fit(trees, ["x", "x", "y", "y"])
    >>> model.bandwidth_
    3.0
    >>> model.predict([Tree.from_sequence("aba")])
    array(['x'], dtype='<U1')

    The product with a kernel of paths and with the cosine of subtrees:

    >>> from treemetric.features import TreeFeatures
    >>> from treemetric.kernels import TreeKernel
    >>> model = DistanceSVC(kernel=[TreeKernel("path"), TreeFeatures("subtrees")])
    >>> model.fit(trees, ["x", "x", "y", "y"]).predict([Tree.from_sequence("aba")])
    array(['x'], dtype='<U1')

    Costs that are learned from the training trees, and labels that are not in these trees:

    >>> from treemetric.learning import NCACosts
    >>> learner = NCACosts(random_state=0)
    >>> model = DistanceSVC(costs=learner, kernel=TreeKernel("path"))
    >>> model = model.fit(trees, ["x", "x", "y", "y"])
    >>> model.predict([Tree.from_sequence("aea")])
    array(['x'], dtype='<U1')
    >>> model.learner_.learned_
    False
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        bandwidth: str | float = "median",
        eigenvalues: str = "clip",
        metric: str = "tree_edit",
        costs: CostsOrLearner | None = None,
        kernel: TreeKernel | TreeFeatures | Sequence[TreeKernel | TreeFeatures] | None = None,
        combine: str = "product",
        ordered: bool = True,
        class_weight: Any = None,
        probability: bool = False,
        tol: float = 1e-3,
        max_iter: int = -1,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.bandwidth = bandwidth
        self.eigenvalues = eigenvalues
        self.metric = metric
        self.costs = costs
        self.kernel = kernel
        self.combine = combine
        self.ordered = ordered
        self.class_weight = class_weight
        self.probability = probability
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: Any = None) -> DistanceSVC:
        """Train the machine.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_samples)
            Training trees or, with ``metric='precomputed'``, their distances.
        y : array-like of shape (n_samples,)
            The classes of the training data.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the training data; C is multiplied by them. They change neither the
            bandwidth nor the correction of eigenvalues.

        Returns
        -------
        DistanceSVC
            The fitted classifier.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import DistanceSVC
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> DistanceSVC(C=10).fit(trees, [0, 0, 1, 1]).support_
        array([0, 1, 2, 3], dtype=int32)
        """
        return self._fit_copy(X, y, sample_weight)

    def _fit_bytes(self, n: int) -> int:  # noqa: ARG002
        return 50  # the distances, the kernel, and its eigenvectors while they are computed

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        name = type(self).__name__
        bandwidth = self._check_kernel()
        # SVC checks them too, but only after the distances are computed and under its own name.
        check_positive(self.C, "C", name)
        check_positive(self.tol, "tol", name)
        if self.max_iter != -1:
            check_int(self.max_iter, "max_iter", name, most=_MOST_STEPS)
        check_bool(self.probability, "probability", name)
        self._check_class_weight_type()
        inputs, codes, weights = self._check_training(X, y, sample_weight)
        self._check_class_weight(codes)
        weighted = weighted_points(weights, codes, name)
        samples = np.bincount(codes[weighted])
        if self.probability and len(samples) > 1 and samples.min() < 2:
            must = "False if a class has only one sample"
            refuse("probability", name, must, shown(self.probability))
        distances = self._measure_symmetric(inputs)
        self.svc_: SVC | None = None
        self.support_ = np.zeros(0, dtype=np.int32)
        self.n_iter_ = np.ones(1, dtype=np.int32)
        with stage(self.verbose, f"{name}: kernel and machine", "stages") as report:
            kernel = self._fit_kernel(distances, inputs, bandwidth)
            if report is not None:
                report(1, 2)
            if len(self.classes_) > 1:
                if len(weighted) < len(codes):
                    # SVC confuses the support vectors if weights are 0 (scikit-learn #27763).
                    kernel = kernel[np.ix_(weighted, weighted)]
                    codes, weights = codes[weighted], weights[weighted]  # type: ignore[index]
                machine = self._machine()
                targets = self.classes_[codes]
                interruptible(lambda: machine.fit(kernel, targets, weights))
                self.svc_ = machine
                self.support_ = weighted[machine.support_].astype(np.int32)
                self.n_iter_ = machine.n_iter_
            if self.probability:
                self.slope_ = 1.0
                if self.svc_ is not None:
                    self.slope_ = calibrate(self._machine(), kernel, codes, weights, self.classes_)
            if report is not None:
                report(2, 2)

    def _machine(self) -> SVC:
        return SVC(
            C=self.C,
            kernel="precomputed",
            class_weight=self.class_weight,
            tol=self.tol,
            max_iter=self.max_iter,
            # The predicted class then has the largest decision value.
            break_ties=True,
        )

    def _check_class_weight_type(self) -> None:
        weights = self.class_weight
        balanced = isinstance(weights, str) and weights == "balanced"
        if not (weights is None or balanced or isinstance(weights, Mapping)):
            must = "None, 'balanced' or a dict"
            refuse("class_weight", type(self).__name__, must, shown(weights))
        if isinstance(weights, Mapping) and not all(
            0 < as_float(weight) < float("inf") for weight in weights.values()
        ):
            must = "a dict of floats in the range (0.0, inf)"
            refuse("class_weight", type(self).__name__, must, shown(weights))

    def _check_class_weight(self, codes: Codes) -> None:
        """Check that all weights are for classes of the training data, as SVC would do later."""
        targets = self.classes_[codes]
        try:
            compute_class_weight(self.class_weight, classes=self.classes_, y=targets)
        except ValueError:
            must = f"a dict with classes among {self.classes_.tolist()} as keys"
            refuse("class_weight", type(self).__name__, must, shown(self.class_weight))

    def _rows(self, X: Any) -> FloatArray:
        inputs = self._check_queries(X)
        values = self._kernel_rows(inputs, self.support_.astype(np.int64))
        if self.svc_ is None:
            return values
        # The machine uses the kernel with the support vectors only.
        rows = np.zeros((len(inputs), self.svc_.n_features_in_))
        rows[:, self.svc_.support_] = values
        return rows

    def predict(self, X: Any) -> Predictions:
        """Predict the class of each tree.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples,)
            The predicted classes.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import DistanceSVC
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> DistanceSVC().fit(trees, [0, 0, 1, 1]).predict(trees)
        array([0, 0, 1, 1])
        """
        rows = self._rows(X)
        if self.svc_ is None:
            return np.repeat(self.classes_, len(rows))
        if len(self.classes_) > 2:
            predicted: Predictions = self.svc_.predict(rows)
        else:
            # Where the value is 0, SVC predicts the second class, against its probabilities.
            second = self.svc_.decision_function(rows) > 0
            predicted = self.classes_[second.astype(np.intp)]
        return predicted

    def decision_function(self, X: Any) -> FloatArray:
        """Return the signed distances from the border, or one value per class.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            As in ``sklearn.svm.SVC``; with two classes, positive for the second class; with one
            class, -1.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import DistanceSVC
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> DistanceSVC().fit(trees, [0, 0, 1, 1]).decision_function(trees) > 0
        array([False, False,  True,  True])
        """
        rows = self._rows(X)
        if self.svc_ is None:
            return np.full(len(rows), -1.0)
        values: FloatArray = self.svc_.decision_function(rows)
        return values

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class; only with ``probability=True``.

        The probabilities are the softmax of the decision values times `slope_` or, with two
        classes, 1 / (1 + exp(-slope · value)) for the second one. The slope maximises the
        likelihood of the training data, each classified by a machine that was trained without it,
        in five folds. The largest probability is that of the predicted class.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The probabilities, in the order of `classes_`.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import DistanceSVC
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> model = DistanceSVC(probability=True).fit(trees, [0, 0, 1, 1])
        >>> model.predict_proba(trees).argmax(axis=1)
        array([0, 0, 1, 1])
        """
        values = self.decision_function(X)
        if self.svc_ is None:
            return np.ones((len(values), 1))
        return calibrated(values, self.slope_)
