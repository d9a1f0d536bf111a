"""The loss of generalised learning vector quantisation (GLVQ) for one point.

With the distance d⁺ of a point to the closest prototype of its own class and d⁻ to the closest
prototype of another class, its loss is Φ(μ) with μ = (d⁺ - d⁻) / (d⁺ + d⁻) and an increasing
function Φ (Sato and Yamada 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit

from treemetric._base.typing import FloatArray

# A smaller sum of two distances is replaced by this value, so that 0/0 becomes 0.
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Squash:
    """The increasing function Φ of the loss: the identity, or 1 / (1 + exp(-slope · μ))."""

    kind: Literal["identity", "logistic"] = "identity"
    slope: float = 1.0

    def value(self, mu: FloatArray) -> FloatArray:
        """Return Φ(μ), entry by entry."""
        if self.kind == "identity":
            return mu
        value: FloatArray = expit(self.slope * mu)
        return value

    def derivative(self, mu: FloatArray) -> FloatArray:
        """Return Φ'(μ), entry by entry."""
        if self.kind == "identity":
            return np.ones_like(mu)
        value = self.value(mu)
        return self.slope * value * (1.0 - value)


def relevance(d_plus: FloatArray, d_minus: FloatArray) -> FloatArray:
    """Return μ = (d⁺ - d⁻) / (|d⁺| + |d⁻|): 0 if both are 0, ±1 if one of them is infinite.

    Distances are not negative. The relational ones, which are not true distances, can be.
    """
    plus, minus = np.asarray(d_plus, dtype=np.float64), np.asarray(d_minus, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        mu = (plus - minus) / np.maximum(np.abs(plus) + np.abs(minus), TINY)
    mu = np.where(np.isinf(minus), -1.0, mu)
    result: FloatArray = np.where(np.isinf(plus), np.where(np.isinf(minus), 0.0, 1.0), mu)
    return result
