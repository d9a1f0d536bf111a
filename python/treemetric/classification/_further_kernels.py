"""Kernels of trees that are combined with a kernel of distances."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

from treemetric._base.typing import FloatArray
from treemetric._estimators.checks import Codes
from treemetric.features import TreeFeatures
from treemetric.features.tree_features import normalised
from treemetric.kernels import TreeKernel
from treemetric.treeset import TreeSet

COMBINATIONS = ("product", "sum", "product-of-sum")

Kernel = TreeKernel | TreeFeatures


class FurtherKernels:
    """Kernels of trees with the training trees, combined with another kernel.

    Parameters
    ----------
    kernel
        The kernel or the features, or several of them; fitted here.
    trees
        The training trees.
    combine
        How to combine all kernels, one of `COMBINATIONS`.
    """

    def __init__(self, kernel: Kernel | Sequence[Kernel], trees: TreeSet, combine: str) -> None:
        kernels = [kernel] if isinstance(kernel, Kernel) else kernel
        self._combine = combine
        self._parts = [_Part(part, trees) for part in kernels]

    def gram(self, other: FloatArray) -> FloatArray:
        """Combine with another kernel of the training trees."""
        return self._combined(other, (part.gram() for part in self._parts))

    def rows(self, trees: TreeSet, columns: Codes, other: FloatArray) -> FloatArray:
        """Combine with another kernel of new trees with some of the training trees."""
        return self._combined(other, (part.rows(trees, columns) for part in self._parts))

    def _combined(self, other: FloatArray, own: Iterable[FloatArray]) -> FloatArray:
        if self._combine == "product-of-sum":
            return other * reduce(operator.add, own)
        return reduce(operator.mul if self._combine == "product" else operator.add, own, other)


class _Part:
    """Kernels with the training trees, by one kernel or by the cosine of features."""

    def __init__(self, kernel: Kernel, trees: TreeSet) -> None:
        self.kernel = kernel
        self._trees = trees
        # Rows of length 1, or rows of zeros.
        self._features: Any = None
        if isinstance(kernel, TreeFeatures):
            self._features = normalised(kernel._fit_counts(trees))
        else:
            kernel.fit(trees)

    def gram(self) -> FloatArray:
        """Return the kernel of the training trees."""
        if isinstance(self.kernel, TreeKernel):
            return self.kernel(self._trees)
        found: FloatArray = (self._features @ self._features.T).toarray()
        return found

    def rows(self, trees: TreeSet, columns: Codes) -> FloatArray:
        """Return the kernel of new trees with some of the training trees."""
        if isinstance(self.kernel, TreeKernel):
            return self.kernel(trees, self._trees[columns])
        rows = normalised(self.kernel._counts(trees))
        found: FloatArray = (rows @ self._features[columns].T).toarray()
        return found
