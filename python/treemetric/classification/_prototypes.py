"""The base of classifiers that compare data with prototypes of the classes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric._base.validation import check_int, check_large
from treemetric._estimators.base import TreeClassifier
from treemetric._estimators.checks import Codes, Inputs, check_option, check_positive
from treemetric._estimators.class_scores import class_margins, decision_values, probabilities
from treemetric._estimators.holdout import check_validation_fraction, hold_out
from treemetric._estimators.prototypes import HeldOut
from treemetric._estimators.squashing import Squash
from treemetric._estimators.weighting import weighted_points


class Parts(NamedTuple):
    """The points to train on, their classes and weights, and the points that are held out."""

    training: Codes
    codes: Codes
    weights: FloatArray | None
    held: Codes

    def inner(self, distances: FloatArray) -> FloatArray:
        """Return the distances among the points to train on."""
        if len(self.training) == len(distances):
            return distances
        check_large(8 * len(self.training) ** 2, "the distances of some samples among each other")
        return distances[np.ix_(self.training, self.training)]

    def held_out(
        self,
        distances: FloatArray,
        codes: Codes,
        weights: FloatArray | None,
        patience: int,
    ) -> HeldOut | None:
        """Return what is held out, given distances, classes and weights of all points."""
        if len(self.held) == 0:
            return None
        rows = distances[np.ix_(self.held, self.training)]
        some = None if weights is None else weights[self.held]
        return HeldOut(rows, codes[self.held], some, patience)


class PrototypeClassifier(TreeClassifier):
    """A classifier that predicts the class of the closest prototype.

    Prototypes are grouped by class, in the order of the classes.
    """

    squashing: str
    slope: float
    validation_fraction: float | None
    patience: int
    prototype_labels_: npt.NDArray[Any]

    @abstractmethod
    def _to_prototypes(self, inputs: Inputs) -> FloatArray:
        """Return the distances from checked data to all prototypes."""

    def _fit_bytes(self, n: int) -> int:  # noqa: ARG002
        # The distances and a copy, ordered by class or squared; and those of the inner samples.
        return 20 + 8 * (self.validation_fraction is not None)

    def _check_squash(self) -> Squash:
        name = type(self).__name__
        check_option(self.squashing, ("identity", "logistic"), "squashing", name)
        slope = check_positive(self.slope, "slope", name)
        return Squash("identity") if self.squashing == "identity" else Squash("logistic", slope)

    def _check_stopping(self) -> float | None:
        """Check the parameters of early stopping; return the share that is held out."""
        name = type(self).__name__
        check_int(self.patience, "patience", name)
        return check_validation_fraction(self.validation_fraction, name)

    def _parts(
        self,
        codes: Codes,
        weights: FloatArray | None,
        fraction: float | None,
        random: np.random.RandomState,
    ) -> Parts:
        """Leave out points of weight 0, and hold some of the others out."""
        name = type(self).__name__
        training = weighted_points(weights, codes, name)
        held = training[:0]
        if fraction is not None:
            inner, outer = hold_out(codes[training], fraction, random, name)
            training, held = training[inner], training[outer]
        own = None if weights is None else weights[training]
        return Parts(training, codes[training], own, held)

    def _to_classes(self, X: Any) -> FloatArray:
        """Return the distances to the closest prototype of each class."""
        distances = self._to_prototypes(self._check_queries(X))
        _, starts = np.unique(self.prototype_labels_, return_index=True)
        nearest: FloatArray = np.minimum.reduceat(distances, starts, axis=1)
        return nearest

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of the closest prototype; ties go to the first class.

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
        >>> from treemetric.classification import MedianGLVQ
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> model = MedianGLVQ().fit(trees, ["x", "x", "y", "y"])
        >>> model.predict([Tree.from_sequence("aa"), Tree.from_sequence("cd")])
        array(['x', 'y'], dtype='<U1')
        """
        nearest = self._to_classes(X).argmin(axis=1)
        predicted: npt.NDArray[Any] = self.classes_[nearest]
        return predicted

    def decision_function(self, X: Any) -> FloatArray:
        """Return how much closer each class is than the others.

        With d the distance to a class and e the distance to the closest other class, the value is
        (e - d) / (e + d): 1 at a prototype of the class, 0 at the border, and negative beyond the
        border.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, only the values of the second class; with one class, -1.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import MedianGLVQ
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> model = MedianGLVQ().fit(trees, ["x", "x", "y", "y"])
        >>> model.decision_function([Tree.from_sequence("aa"), Tree.from_sequence("ccc")])
        array([-0.5,  1. ])
        """
        return decision_values(class_margins(self._to_classes(X)))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the share of each class by relative distances.

        With d the distance to a class and e the distance to the closest other class, the share of
        the class is proportional to 1 + (e - d) / (e + d). With two classes, this is e / (d + e).
        The largest share is that of the predicted class. The shares are not calibrated; see
        ``sklearn.calibration.CalibratedClassifierCV``.

        Parameters
        ----------
        X : TreeSet or list of Tree, or ndarray of shape (n_samples, n_train)
            Trees or, with ``metric='precomputed'``, distances to the training data.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The shares, in the order of `classes_`; each row sums to 1.

        Examples
        --------
        >>> from treemetric import Tree
        >>> from treemetric.classification import MedianGLVQ
        >>> trees = [Tree.from_sequence(s) for s in ("aaa", "aab", "ccc", "ccd")]
        >>> model = MedianGLVQ().fit(trees, ["x", "x", "y", "y"])
        >>> model.predict_proba([Tree.from_sequence("aa"), Tree.from_sequence("ccc")])
        array([[0.75, 0.25],
               [0.  , 1.  ]])
        """
        return probabilities(class_margins(self._to_classes(X)))
