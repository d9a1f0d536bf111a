"""Training points that are held out to decide when to stop."""

from __future__ import annotations

import numpy as np

from treemetric._base.validation import as_float, refuse, shown
from treemetric._estimators.checks import Codes


def check_validation_fraction(fraction: object, owner: str) -> float | None:
    """Check the share of the training points that is held out; None for none of them."""
    if fraction is None:
        return None
    number = as_float(fraction)
    if not 0 < number < 1:
        must = "None or a float in the range (0.0, 1.0)"
        refuse("validation_fraction", owner, must, shown(fraction))
    return number


def held_numbers(sizes: Codes, fraction: float) -> Codes:
    """Return how many points of each class are held out."""
    numbers = np.round(fraction * sizes).astype(np.int64)
    return np.minimum(sizes - 1, numbers)


def hold_out(
    codes: Codes, fraction: float, random: np.random.RandomState, owner: str
) -> tuple[Codes, Codes]:
    """Return the points to train on and the points to validate on, both sorted.

    The same share of each class is held out, rounded to the nearest number; each class keeps at
    least one training point.
    """
    held = []
    present, sizes = np.unique(codes, return_counts=True)
    for code, number in zip(present, held_numbers(sizes, fraction), strict=True):
        held.append(random.permutation(np.flatnonzero(codes == code))[:number])
    validation: Codes = np.sort(np.concatenate(held)).astype(np.int64)
    if len(validation) == 0:
        must = f"large enough to hold out a training point, with n_samples={len(codes)}"
        refuse("validation_fraction", owner, must, shown(fraction))
    training = np.setdiff1d(np.arange(len(codes)), validation)
    return training, validation
