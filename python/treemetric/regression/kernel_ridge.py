"""Kernel ridge regression on a Gaussian kernel of distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.kernel_ridge import KernelRidge

from treemetric._base.progress import stage
from treemetric._base.threads import interruptible
from treemetric._base.typing import CostsOrLearner, FloatArray
from treemetric._base.validation import check_bool
from treemetric._estimators.base import TreeRegressor
from treemetric._estimators.checks import check_positive
from treemetric.classification._distance_kernel import DistanceKernel
from treemetric.features import TreeFeatures
from treemetric.kernels import TreeKernel


class DistanceKernelRidge(TreeRegressor, DistanceKernel):
    """Kernel ridge regression on a Gaussian kernel of distances.

    The prediction is a constant and a weighted sum of kernels exp(-d² / (2 ψ²)) with the training
    data. It minimises the sum of squared errors and α times the squared norm of the function. For
    tree edit distances, the kernel can have negative eigenvalues. They are corrected, in the same
    way for training data and new data.

    Parameters
    ----------
    alpha : float, default=1.0
        The strength α of the regularisation, as in ``sklearn.kernel_ridge.KernelRidge``.
    bandwidth : 'median' or float, default='median'
        The bandwidth ψ; 'median' is the median of the positive distances among the training data.
    eigenvalues : {'clip', 'flip', 'shift', 'none'}, default='clip'
        Correction of negative eigenvalues: set them to zero, take their absolute values, raise all
        eigenvalues until none is negative, or no correction.
    fit_intercept : bool, default=True
        Whether to use the weighted mean of the targets as the constant; otherwise it is 0.
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
    n_jobs : int, optional
        Number of threads for distances; None means 1, -1 means all CPUs. The result does not
        depend on it.
    verbose : int, default=0
        1 shows a progress bar for each stage of fit or predict that takes longer than a second.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_train,) or (n_train, n_outputs)
        The weights of the training data.
    intercept_ : float or ndarray of shape (n_outputs,)
        The constant.
    bandwidth_ : float
        The bandwidth ψ.
    n_negative_ : int
        Number of eigenvalues of the training kernel that were negative.
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
    treemetric.classification.DistanceSVC : A classifier on the same kernel.
    KNeighborsTreeRegressor : The mean of the nearest training trees; needs few distances.
    treemetric.kernels.GaussianProcessKernel : For predictions with standard deviations.

    Notes
    -----
    The Notes of `treemetric.classification.DistanceSVC` describe the correction of eigenvalues, the
    second kernel, and distances that are not symmetric. The weights solve
    (K + α W⁻¹) c = y - intercept, where W holds the weights of the training data on its diagonal.

    References
    ----------
    K. P. Murphy, "Machine Learning: A Probabilistic Perspective", The MIT Press, 2012,
    chapter 14.4.3.

    Examples
    --------
    The number of nodes of a tree:

    >>> from treemetric import Tree
    >>> from treemetric.regression import DistanceKernelRidge
    >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abb", "abbb", "abbbb")]
    >>> model = DistanceKernelRidge(alpha=0.01).fit(trees, [1, 2, 3, 4, 5])
    >>> model.predict([Tree.from_sequence("abb"), Tree.from_sequence("aabbb")]).round(1)
    array([3. , 4.2])
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        bandwidth: str | float = "median",
        eigenvalues: str = "clip",
        fit_intercept: bool = True,
        metric: str = "tree_edit",
        costs: CostsOrLearner | None = None,
        kernel: TreeKernel | TreeFeatures | Sequence[TreeKernel | TreeFeatures] | None = None,
        combine: str = "product",
        ordered: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.bandwidth = bandwidth
        self.eigenvalues = eigenvalues
        self.fit_intercept = fit_intercept
        self.metric = metric
        self.costs = costs
        self.kernel = kernel
        self.combine = combine
        self.ordered = ordered
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: Any = None) -> DistanceKernelRidge:
        """Find the weights of the training data.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_samples)
            Training trees or, with ``metric='precomputed'``, their distances.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The targets of the training data.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the squared errors. They change neither the bandwidth nor the correction of
            eigenvalues.

        Returns
        -------
        DistanceKernelRidge
            The fitted regressor.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.regression import DistanceKernelRidge
        >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abb", "abbb")]
        >>> DistanceKernelRidge().fit(trees, [1, 2, 3, 4]).intercept_
        2.5
        """
        return self._fit_copy(X, y, sample_weight)

    def _fit_bytes(self, n: int) -> int:  # noqa: ARG002
        return 62  # the distances, the kernel and its correction, and the solver's copies

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        name = type(self).__name__
        bandwidth = self._check_kernel()
        alpha = check_positive(self.alpha, "alpha", name)
        check_bool(self.fit_intercept, "fit_intercept", name)
        inputs, targets, weights = self._check_training(X, y, sample_weight)
        distances = self._measure_symmetric(inputs)
        with stage(self.verbose, f"{name}: kernel and weights", "stages") as report:
            kernel = self._fit_kernel(distances, inputs, bandwidth)
            if report is not None:
                report(1, 2)
            constant: Any = 0.0
            if self.fit_intercept:
                constant = np.average(targets, axis=0, weights=weights)
            ridge = KernelRidge(alpha=alpha, kernel="precomputed")
            interruptible(lambda: ridge.fit(kernel, targets - constant, weights))
            self.dual_coef_: FloatArray = ridge.dual_coef_
            if report is not None:
                report(2, 2)
        self.intercept_ = constant if targets.ndim == 2 else float(constant)

    def predict(self, X: Any) -> FloatArray:
        """Predict the target of each tree.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted targets.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.regression import DistanceKernelRidge
        >>> trees = [Tree.from_sequence(s) for s in ("a", "ab", "abb", "abbb")]
        >>> DistanceKernelRidge(alpha=1e-6).fit(trees, [1, 2, 3, 4]).predict(trees[:2]).round(2)
        array([1., 2.])
        """
        inputs = self._check_queries(X)
        rows = self._kernel_rows(inputs, np.arange(self._n_train()))
        predicted: FloatArray = rows @ self.dual_coef_ + self.intercept_
        return predicted
