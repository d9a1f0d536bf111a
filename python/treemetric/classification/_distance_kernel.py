"""The Gaussian kernel of distances that machines share: parameters, training kernel, new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from treemetric._base.typing import FloatArray
from treemetric._base.validation import as_float, refuse, shown
from treemetric._estimators.base import TreeEstimator
from treemetric._estimators.checks import Codes, Inputs, check_option
from treemetric.classification._further_kernels import COMBINATIONS, FurtherKernels, Kernel
from treemetric.classification.kernel import Correction, corrected, gaussian, median_distance
from treemetric.treeset import TreeSet


class DistanceKernel(TreeEstimator):
    """An estimator on the kernel exp(-d² / (2 ψ²)), optionally combined with another kernel."""

    bandwidth: str | float
    eigenvalues: str
    kernel: Any
    combine: str

    def _check_kernel(self) -> float | None:
        """Check the parameters; return the bandwidth, None if it is the median of the data."""
        name = type(self).__name__
        check_option(self.eigenvalues, ("clip", "flip", "shift", "none"), "eigenvalues", name)
        check_option(self.combine, COMBINATIONS, "combine", name)
        several = isinstance(self.kernel, (list, tuple))
        parts = self.kernel if several else [self.kernel]
        known = bool(parts) and all(isinstance(part, Kernel) for part in parts)
        if not (self.kernel is None or known):
            must = "None or an instance of TreeKernel or TreeFeatures, or a list of these"
            refuse("kernel", name, must, shown(self.kernel))
        if self.kernel is not None and self.metric == "precomputed":
            must = (
                "None if metric='precomputed' (to combine learned distances with a tree kernel, "
                "use metric='tree_edit' and costs=learner)"
            )
            refuse("kernel", name, must, shown(self.kernel))
        if isinstance(self.bandwidth, str) and self.bandwidth == "median":
            return None
        number = as_float(self.bandwidth)
        if not 0 < number < float("inf"):
            must = "'median' or a float in the range (0.0, inf)"
            refuse("bandwidth", name, must, shown(self.bandwidth))
        return number

    def _fit_kernel(
        self, distances: FloatArray, inputs: Inputs, bandwidth: float | None
    ) -> FloatArray:
        """Return the training kernel, and keep what new rows need."""
        self.bandwidth_ = median_distance(distances) if bandwidth is None else bandwidth
        found = corrected(gaussian(distances, self.bandwidth_), self.eigenvalues)
        kernel = found.kernel
        self._further: FurtherKernels | None = None
        if isinstance(inputs, TreeSet) and self.kernel is not None:
            self.kernel_ = clone(self.kernel)
            self._further = FurtherKernels(self.kernel_, inputs, self.combine)
            kernel = self._further.gram(kernel)
        self.n_negative_ = found.n_negative
        # New rows need the correction, not the training kernel.
        self._correction: Correction = found._replace(kernel=np.zeros((0, 0)))
        return kernel

    def _kernel_rows(self, inputs: Inputs, columns: Codes) -> FloatArray:
        """Return the kernel of checked new data with some of the training data."""
        if self._correction.operator is not None:
            distances = self._measure(inputs, symmetric=True)
            values = self._correction.of_rows(gaussian(distances, self.bandwidth_))[:, columns]
        else:
            distances = self._measure(inputs, columns, symmetric=True)
            values = self._correction.of_rows(gaussian(distances, self.bandwidth_))
        if isinstance(inputs, TreeSet) and self._further is not None:
            values = self._further.rows(inputs, columns, values)
        return values
