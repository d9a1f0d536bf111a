"""A sparse linear separator on similarities to landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric._base.progress import stage
from treemetric._base.typing import CostsOrLearner, FloatArray, Predictions
from treemetric._base.validation import as_float, check_int, check_random_state, refuse, shown
from treemetric._estimators.base import TreeClassifier
from treemetric._estimators.checks import Codes, check_positive
from treemetric._estimators.weighting import weighted_points
from treemetric.classification._goodness import separate

# Bytes that the solver holds for each entry of the linear program.
_PROGRAM = 190


class GoodnessClassifier(TreeClassifier):
    """A sparse linear separator on similarities to landmarks.

    The features of a point x are its similarities K(x, y) = 2 exp(-d(x, y) / scale) - 1 to some
    training points y, the landmarks. The sign of Σ_j α_j K(x, y_j) separates two classes. The
    weights minimise Σ_i [1 - s_i Σ_j α_j K(x_i, y_j)]₊ + λ ‖α‖₁ with s = ±1 for the two classes,
    which is a linear program. If a similarity is good in the sense of Balcan, Blum and Srebro, a
    separator with few landmarks has a small error.

    Parameters
    ----------
    regularisation : float, default=1.0
        The weight λ of ‖α‖₁; with larger values fewer landmarks have a nonzero weight.
    scale : float or 'median', default=1.0
        The divisor of distances; 'median' is the median of the positive distances from the
        training data to the landmarks. Under unit costs distances are far above 1 and all
        similarities are close to -1: 'median' is then the better choice. Costs learned by `GESL`
        have the scale 1.
    n_landmarks : int or float, optional
        Number of landmarks, or their share of the training points; they are chosen at random. By
        default all training points are landmarks.
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
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of landmarks; not used if all points are landmarks.
    n_jobs : int, optional
        Number of threads for distances; None means 1, -1 means all CPUs. The result does not
        depend on it.
    verbose : int, default=0
        1 shows a progress bar for each stage of fit or predict that takes longer than a second.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The sorted classes.
    landmarks_ : ndarray of shape (n_landmarks,)
        Indices of the landmarks in the training data.
    coef_ : ndarray of shape (1, n_landmarks) or (n_classes, n_landmarks)
        The weights α: for the second of two classes, or for each class against all others.
    scale_ : float
        The divisor of distances.
    loss_ : float
        The minimum of the linear program, or the sum of the minima of all classes.
    duality_gap_ : float
        Upper bound of the difference between `loss_` and the true minimum.
    learner_ : estimator
        The fitted copy of the learner; only if `costs` is a learner.
    trees_ : TreeSet
        The training trees; only with ``metric='tree_edit'``.
    n_features_in_ : int
        Number of training points; only with ``metric='precomputed'``.

    See Also
    --------
    DistanceSVC : A kernel machine, with corrected eigenvalues.

    Notes
    -----
    There is no constant term, as in the reference. Distances are measured from a point to a
    landmark and need not be symmetric. More than two classes are separated one against the rest,
    and the class with the largest value is predicted; ties go to the first class. There is no
    ``predict_proba``, because the values are not scores of a probabilistic model; use
    ``sklearn.calibration.CalibratedClassifierCV``.

    References
    ----------
    M.-F. Balcan, A. Blum and N. Srebro, "A theory of learning with similarity functions",
    Machine Learning 72, 2008.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.classification import GoodnessClassifier
    >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
    >>> model = GoodnessClassifier(0.1, scale="median").fit(trees, ["x", "x", "y", "y"])
    >>> model.coef_.shape
    (1, 4)
    >>> model.predict([Tree.from_sequence("aba")])
    array(['x'], dtype='<U1')
    """

    def __init__(
        self,
        regularisation: float = 1.0,
        *,
        scale: float | str = 1.0,
        n_landmarks: float | None = None,
        metric: str = "tree_edit",
        costs: CostsOrLearner | None = None,
        ordered: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.regularisation = regularisation
        self.scale = scale
        self.n_landmarks = n_landmarks
        self.metric = metric
        self.costs = costs
        self.ordered = ordered
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: Any = None) -> GoodnessClassifier:
        """Find the weights.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_samples)
            Training trees or, with ``metric='precomputed'``, their distances.
        y : array-like of shape (n_samples,)
            The classes of the training data.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the errors of the training data. A point of weight 0 is as
            good as absent; each class needs a positive weight.

        Returns
        -------
        GoodnessClassifier
            The fitted classifier.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import GoodnessClassifier
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> GoodnessClassifier(0.1).fit(trees, [0, 0, 1, 1]).duality_gap_ < 1e-9
        True
        """
        return self._fit_copy(X, y, sample_weight)

    def _fit_bytes(self, n: int) -> int:
        # The distances, and the linear program.
        return 16 + round(_PROGRAM * self._count_landmarks(n) / n)

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        name = type(self).__name__
        strength = check_positive(self.regularisation, "regularisation", name)
        scale = self._check_scale()
        random = check_random_state(self.random_state, name)
        inputs, codes, weights = self._check_training(X, y, sample_weight)
        kept = weighted_points(weights, codes, name)
        self.landmarks_ = kept[self._choose_landmarks(len(kept), random)]
        everything = len(self.landmarks_) == len(codes)
        distances = self._measure(inputs, None if everything else self.landmarks_)
        if weights is not None:
            distances, codes, weights = distances[kept], codes[kept], weights[kept]
        if scale is None:
            positive = distances[distances > 0]
            scale = float(np.median(positive)) if len(positive) else 1.0
        self.scale_ = scale
        similarities = self._similarities(distances)
        # Two classes need one separator; one class needs none.
        labels = range(len(self.classes_)) if len(self.classes_) > 2 else range(1, 2)
        found = []
        with stage(self.verbose, f"{name}: separators", "classes") as report:
            for label in labels if len(self.classes_) > 1 else ():
                signs = np.where(codes == label, 1.0, -1.0)
                found.append(separate(similarities, signs, strength, weights))
                if report is not None:
                    report(len(found), len(labels))
        rows = [separator.weights for separator in found]
        self.coef_ = np.array(rows).reshape(-1, len(self.landmarks_))
        self.loss_ = sum(separator.loss for separator in found)
        self.duality_gap_ = sum(separator.gap for separator in found)

    def _check_scale(self) -> float | None:
        """Check and return the scale; None if it is the median of the data."""
        if isinstance(self.scale, str) and self.scale == "median":
            return None
        number = as_float(self.scale)
        if not 0 < number < float("inf"):
            must = "'median' or a float in the range (0.0, inf)"
            refuse("scale", type(self).__name__, must, shown(self.scale))
        return number

    def _count_landmarks(self, n: int) -> int:
        """Check the number of landmarks; return it, at most n."""
        name = type(self).__name__
        if self.n_landmarks is None:
            return n
        if isinstance(self.n_landmarks, (float, np.floating)):
            if not 0 < self.n_landmarks <= 1:
                must = "None, an int in the range [1, inf) or a float in the range (0.0, 1.0]"
                refuse("n_landmarks", name, must, shown(self.n_landmarks))
            return max(1, round(float(self.n_landmarks) * n))
        return min(check_int(self.n_landmarks, "n_landmarks", name), n)

    def _choose_landmarks(self, n: int, random: np.random.RandomState) -> Codes:
        if self.n_landmarks is None:
            return np.arange(n)
        count = self._count_landmarks(n)
        chosen: Codes = np.sort(random.permutation(n)[:count]).astype(np.int64)
        return chosen

    def _similarities(self, distances: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            similarities: FloatArray = 2.0 * np.exp(-distances / self.scale_) - 1.0
        return similarities

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
        >>> from treemetric.classification import GoodnessClassifier
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> GoodnessClassifier(0.1).fit(trees, [0, 0, 1, 1]).predict(trees)
        array([0, 0, 1, 1])
        """
        values = self.decision_function(X)
        best = (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        predicted: Predictions = self.classes_[best]
        return predicted

    def decision_function(self, X: Any) -> FloatArray:
        """Return Σ_j α_j K(x, y_j), for the second of two classes or for each class.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive for the second class; with one class, -1.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import GoodnessClassifier
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> model = GoodnessClassifier(0.1).fit(trees, [0, 0, 1, 1])
        >>> model.decision_function(trees) > 0
        array([False, False,  True,  True])
        """
        inputs = self._check_queries(X)
        if len(self.classes_) == 1:
            return np.full(len(inputs), -1.0)
        # Distances to landmarks with weight 0 are not needed.
        used = np.flatnonzero(self.coef_.any(axis=0))
        distances = self._measure(inputs, self.landmarks_[used])
        values: FloatArray = self._similarities(distances) @ self.coef_[:, used].T
        return values.ravel() if len(self.classes_) == 2 else values
