"""The base of classifiers that compare data with prototypes of the classes."""

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import FloatArray
from treemetric._estimators.base import TreeClassifier
from treemetric._estimators.checks import Inputs, check_option, check_positive
from treemetric._estimators.squashing import Squash, relevance


class PrototypeClassifier(TreeClassifier):
    """A classifier that predicts the class of the closest prototype.

    Prototypes are grouped by class, in the order of the classes.
    """

    squashing: str
    slope: float
    prototype_labels_: npt.NDArray[Any]

    @abstractmethod
    def _to_prototypes(self, inputs: Inputs) -> FloatArray:
        """Return the distances from checked data to all prototypes."""

    def _check_squash(self) -> Squash:
        name = type(self).__name__
        check_option(self.squashing, ("identity", "logistic"), "squashing", name)
        slope = check_positive(self.slope, "slope", name)
        return Squash("identity") if self.squashing == "identity" else Squash("logistic", slope)

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
        distances = self._to_classes(X)
        n_classes = len(self.classes_)
        if n_classes == 1:
            return np.full(len(distances), -1.0)
        if n_classes == 2:
            return relevance(distances[:, 0], distances[:, 1])
        best = np.empty_like(distances)
        for label in range(n_classes):
            best[:, label] = np.delete(distances, label, axis=1).min(axis=1)
        return relevance(best, distances)
