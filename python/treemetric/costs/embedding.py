"""Costs as distances between vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.arrays import frozen
from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import refuse, refuse_set
from treemetric.costs._vectors import lengths_between
from treemetric.costs.matrix import MADE, CostMatrix, as_floats, check_labels


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
    own : array-like of shape (U,), optional
        One more coordinate for each label, in a direction of its own. With it, the squared cost of
        replacing u by v is ‖a_u - a_v‖² + own_u² + own_v², and that of deleting u is
        ‖a_u‖² + own_u². So a few numbers per label express that all labels differ. By default
        there are no such coordinates.

    Attributes
    ----------
    alphabet : tuple
        The labels.
    vectors : ndarray of shape (U, k)
        The vectors, read-only.
    own : ndarray of shape (U,) or None
        The coordinates in directions of their own, read-only.
    matrix : ndarray of shape (U + 1, U + 1)
        The costs, read-only.

    Examples
    --------
    >>> from treemetric import EmbeddingCosts
    >>> EmbeddingCosts(["a", "b"], [[1.0, 0.0], [0.0, 1.0]]).matrix.round(3)
    array([[0.   , 1.414, 1.   ],
           [1.414, 0.   , 1.   ],
           [1.   , 1.   , 0.   ]])

    Unit costs for any number of labels, by two numbers for each:

    >>> EmbeddingCosts("abc", [[0.5**0.5]] * 3, own=[0.5**0.5] * 3).matrix.round(3)
    array([[0., 1., 1., 1.],
           [1., 0., 1., 1.],
           [1., 1., 0., 1.],
           [1., 1., 1., 0.]])
    """

    vectors: FloatArray
    own: FloatArray | None

    # A table of metric costs violates axioms by rounding up to this share of the largest cost,
    # unless squared lengths underflow.
    _ROUNDING, _SMALLEST = 1e-12, 1e-100

    def __init__(
        self,
        alphabet: Iterable[Label],
        vectors: npt.ArrayLike,
        own: npt.ArrayLike | None = None,
    ) -> None:
        refuse_set(alphabet, "alphabet", "EmbeddingCosts")
        labels = tuple(alphabet)
        points = as_floats(vectors, "vectors", "EmbeddingCosts")
        if points.ndim != 2 or len(points) != len(labels):
            must = f"of shape ({len(labels)}, k) for {len(labels)} labels"
            refuse("vectors", "EmbeddingCosts", must, f"shape {points.shape}")
        _check_finite(points, labels, "vectors")
        alone = None
        if own is not None:
            alone = as_floats(own, "own", "EmbeddingCosts")
            if alone.shape != (len(labels),):
                refuse("own", "EmbeddingCosts", f"of shape ({len(labels)},)", f"{alone.shape}")
            _check_finite(alone, labels, "own")
            alone = frozen(alone)
        check_labels(len(labels), MADE)
        self._put(vectors=frozen(points), own=alone)
        super().__init__(labels, apart(points, alone))

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
        if self.own is not None:
            gram[np.diag_indices(len(gram))] += self.own**2
        return gram

    def __reduce__(self) -> tuple[Any, ...]:
        return EmbeddingCosts, (self.alphabet, self.vectors, self.own)


def apart(vectors: FloatArray, own: FloatArray | None = None) -> FloatArray:
    """Return the distances of all points and the origin, which is last."""
    padded = np.vstack([vectors, np.zeros((1, vectors.shape[1]))])
    if own is None:
        return lengths_between(padded, padded)
    squares = np.append(own, 0.0) ** 2
    found = lengths_between(padded, padded, "sqeuclidean")
    found += squares[:, None]
    found += squares
    np.fill_diagonal(found, 0.0)
    return np.sqrt(found, out=found)


def _check_finite(numbers: FloatArray, labels: tuple[Label, ...], parameter: str) -> None:
    if not np.isfinite(numbers).all():
        row = int(np.argwhere(~np.isfinite(numbers))[0, 0])
        refuse(parameter, "EmbeddingCosts", "finite", f"{numbers[row]} for {labels[row]!r}")
