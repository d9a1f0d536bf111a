"""Gaussian kernels of distances, and the correction of their negative eigenvalues."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treemetric._base.threads import interruptible
from treemetric._base.typing import FloatArray


class Correction(NamedTuple):
    """A corrected training kernel, and the same correction for new rows.

    New rows are multiplied by ``operator``, unless it is None, and ``shift`` is added to entries
    of 1, the kernel of a point and its copy. ``n_negative`` is the number of eigenvalues that were
    negative by more than rounding errors.
    """

    kernel: FloatArray
    operator: FloatArray | None
    n_negative: int
    shift: float = 0.0

    def of_rows(self, rows: FloatArray) -> FloatArray:
        """Correct kernels of new points; with an operator, rows hold all training points."""
        if self.operator is not None:
            mixed: FloatArray = rows @ self.operator
            return mixed
        if self.shift:
            shifted: FloatArray = rows + self.shift * (rows == 1.0)
            return shifted
        return rows


def median_distance(distances: FloatArray) -> float:
    """Return the median of the positive distances off the diagonal; 1 if there are none."""
    above = distances[~np.tri(len(distances), dtype=bool)]
    positive = above[above > 0]
    return float(np.median(positive, overwrite_input=True)) if len(positive) else 1.0


def gaussian(distances: FloatArray, bandwidth: float) -> FloatArray:
    """Return exp(-d² / (2 ψ²))."""
    # The square of a very large ratio is infinite, and its kernel is correctly 0.
    with np.errstate(over="ignore"):
        kernel: FloatArray = distances / bandwidth
        np.square(kernel, out=kernel)
        kernel *= -0.5
        return np.exp(kernel, out=kernel)


def corrected(kernel: FloatArray, how: str) -> Correction:
    """Correct the negative eigenvalues of a symmetric kernel, K = U Λ Uᵀ.

    Clip: K U [λ > 0] Uᵀ, flip: K U sign(λ) Uᵀ. Both multiply from the right by an operator that
    is the same for new rows, so a new row that equals a training row becomes the corrected
    training row. Shift adds a constant to the kernel of a point and its copies.
    """
    values, vectors = interruptible(lambda: np.linalg.eigh(kernel))
    rounding = len(kernel) * np.finfo(np.float64).eps * np.abs(values).max()
    negative = values < -rounding
    count = int(negative.sum())
    if count == 0 or how == "none":
        return Correction(kernel, None, count)
    if how == "shift":
        return _shifted(kernel, values[0], rounding, count)
    # The identity minus once (clip) or twice (flip) the projection on the negative eigenvectors.
    part = vectors[:, negative]
    del vectors  # as large as the kernel
    operator: FloatArray = part @ part.T
    operator *= -1.0 if how == "clip" else -2.0
    operator[np.diag_indices_from(operator)] += 1.0
    mended = kernel @ operator
    mean: FloatArray = mended + mended.T
    mean /= 2
    return Correction(mean, operator, count)


def _shifted(kernel: FloatArray, lowest: float, rounding: float, count: int) -> Correction:
    """Raise the eigenvalues of the kernel of the distinct points.

    Points of kernel 1 are copies of each other. If those have equal rows, K = P L Pᵀ with the
    kernel L of the distinct points and P of zeros and ones. Then L + s I is positive
    semi-definite for s = -λ_min(L), and so is P (L + s I) Pᵀ, which is K + s where K is 1. This
    depends on the points only and is known for new points. If copies have different rows, negative
    eigenvalues can remain; they are corrected on the diagonal.
    """
    same = kernel == 1.0
    np.fill_diagonal(same, True)
    distinct = np.flatnonzero(same.argmax(axis=1) == np.arange(len(kernel)))
    if len(distinct) == len(kernel):
        return Correction(kernel - lowest * same, None, count, -lowest)
    part = kernel[np.ix_(distinct, distinct)]
    shift = max(0.0, -float(interruptible(lambda: np.linalg.eigvalsh(part))[0]))
    raised = kernel + shift * same
    rest = float(interruptible(lambda: np.linalg.eigvalsh(raised))[0])
    if rest < -rounding * max(1.0, shift):
        raised[np.diag_indices_from(raised)] -= rest
    return Correction(raised, None, count, shift)
