"""Gaussian kernels of distances, and what to do with their negative eigenvalues."""

from typing import NamedTuple

import numpy as np

from treemetric._typing import FloatArray


class Correction(NamedTuple):
    """A corrected training kernel and the operator that corrects new rows the same way.

    ``operator`` is None if new rows stay as they are. ``n_negative`` counts the eigenvalues
    that were negative beyond rounding.
    """

    kernel: FloatArray
    operator: FloatArray | None
    n_negative: int


def median_distance(distances: FloatArray) -> float:
    """Give the median of the distances that are not 0 off the diagonal; 1 if there are none."""
    above = distances[np.triu_indices(len(distances), 1)]
    positive = above[above > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def gaussian(distances: FloatArray, bandwidth: float) -> FloatArray:
    """Give exp(-d² / (2 ψ²))."""
    # The square of a ratio that is too large is infinite, and its kernel 0, as it should be.
    with np.errstate(over="ignore"):
        kernel: FloatArray = np.exp(-0.5 * np.square(distances / bandwidth))
    return kernel


def corrected(kernel: FloatArray, how: str) -> Correction:
    """Mend the negative eigenvalues of a symmetric kernel, K = U Λ Uᵀ.

    Clip: K U [λ > 0] Uᵀ, flip: K U sign(λ) Uᵀ. Both multiply from the right with an operator
    that is the same for new rows, so a new row that equals a training row is mapped to the
    corrected training row. Shift adds -λ_min to the diagonal, which new rows do not have.
    """
    values, vectors = np.linalg.eigh(kernel)
    rounding = len(kernel) * np.finfo(np.float64).eps * np.abs(values).max()
    negative = values < -rounding
    count = int(negative.sum())
    if count == 0 or how == "none":
        return Correction(kernel, None, count)
    if how == "shift":
        return Correction(kernel + np.diag(np.full(len(kernel), -values[0])), None, count)
    # The identity minus the part of the negative eigenvectors, which is small: dropped or twice.
    part = vectors[:, negative]
    operator = np.eye(len(kernel)) - (1.0 if how == "clip" else 2.0) * (part @ part.T)
    mended = kernel @ operator
    return Correction((mended + mended.T) / 2, operator, count)
