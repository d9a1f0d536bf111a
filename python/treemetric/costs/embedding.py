"""Costs as distances between vectors."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.arrays import frozen
from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import refuse
from treemetric.costs.matrix import CostMatrix, as_floats


class EmbeddingCosts(CostMatrix):
    """Costs as Euclidean distances between vectors, with the gap at the origin.

    Replacing u by v costs the distance between their vectors; deleting or inserting u costs the
    length of its vector. Such costs are a pseudo-metric by construction.

    Parameters
    ----------
    alphabet : iterable of labels
        The U labels, each once.
    vectors : array-like of shape (U, k)
        One vector per label.

    Attributes
    ----------
    alphabet : tuple
        The labels.
    vectors : ndarray of shape (U, k)
        The vectors, read-only.
    matrix : ndarray of shape (U + 1, U + 1)
        The costs, read-only.

    Examples
    --------
    >>> from treemetric import EmbeddingCosts
    >>> EmbeddingCosts(["a", "b"], [[1.0, 0.0], [0.0, 1.0]]).matrix.round(3)
    array([[0.   , 1.414, 1.   ],
           [1.414, 0.   , 1.   ],
           [1.   , 1.   , 0.   ]])
    """

    vectors: FloatArray

    # A table of metric costs violates axioms by rounding up to this share of the largest cost,
    # unless squared lengths underflow.
    _ROUNDING, _SMALLEST = 1e-12, 1e-100

    def __init__(self, alphabet: Iterable[Label], vectors: npt.ArrayLike) -> None:
        labels = tuple(alphabet)
        points = as_floats(vectors, "vectors", "EmbeddingCosts")
        if points.ndim != 2 or len(points) != len(labels):
            must = f"of shape ({len(labels)}, k) for {len(labels)} labels"
            refuse("vectors", "EmbeddingCosts", must, f"shape {points.shape}")
        if not np.isfinite(points).all():
            row = int(np.argwhere(~np.isfinite(points))[0, 0])
            got = f"{points[row]} for {labels[row]!r}"
            refuse("vectors", "EmbeddingCosts", "finite", got)
        self._put(vectors=frozen(points))
        from scipy.spatial.distance import cdist  # heavy: imported where used

        padded = np.vstack([points, np.zeros((1, points.shape[1]))])
        super().__init__(labels, cdist(padded, padded))

    def is_symmetric(self, alphabet: Iterable[Label] | None = None) -> bool:
        """Check whether every edit costs as much as its inverse: always True.

        Parameters
        ----------
        alphabet : iterable of labels, optional
            Labels, which must be known.

        Returns
        -------
        bool
            True.

        Examples
        --------
        >>> from treemetric import EmbeddingCosts
        >>> EmbeddingCosts("a", [[1.0]]).is_symmetric()
        True
        """
        self._check_known(alphabet)
        return True

    def _check_known(self, labels: Iterable[Label] | None) -> None:
        _core.encode(() if labels is None else tuple(labels), self._index)

    def _known_metric(self, labels: tuple[Label, ...] | None, tol: float) -> bool:
        self._check_known(labels)
        return tol >= self._ROUNDING and float(self.matrix.max()) >= self._SMALLEST

    def _gram_matrix(self) -> FloatArray:
        gram: FloatArray = self.vectors @ self.vectors.T
        return gram

    def __reduce__(self) -> tuple[Any, ...]:
        return EmbeddingCosts, (self.alphabet, self.vectors)
