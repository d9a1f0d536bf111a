"""A kernel of features that is combined with a kernel of distances."""

from __future__ import annotations

from typing import Any

from treemetric._base.typing import FloatArray
from treemetric._estimators.checks import Codes
from treemetric.features import TreeFeatures
from treemetric.features.tree_features import normalised
from treemetric.kernels import TreeKernel
from treemetric.treeset import TreeSet

COMBINATIONS = ("product", "sum")


class SecondKernel:
    """Kernels of trees with the training trees, by a kernel or by the cosine of features.

    Parameters
    ----------
    kernel
        The kernel or the features; fitted here.
    trees
        The training trees.
    combine
        How to combine it with the other kernel, one of `COMBINATIONS`.
    """

    def __init__(self, kernel: TreeKernel | TreeFeatures, trees: TreeSet, combine: str) -> None:
        self.kernel = kernel
        self._product = combine == "product"
        self._trees = trees
        # Rows of length 1, or rows of zeros.
        self._features: Any = None
        if isinstance(kernel, TreeFeatures):
            self._features = normalised(kernel._fit_counts(trees))
        else:
            kernel.fit(trees)

    def gram(self, other: FloatArray) -> FloatArray:
        """Combine with another kernel of the training trees."""
        if isinstance(self.kernel, TreeKernel):
            return self._combined(self.kernel(self._trees), other)
        return self._combined((self._features @ self._features.T).toarray(), other)

    def rows(self, trees: TreeSet, columns: Codes, other: FloatArray) -> FloatArray:
        """Combine with another kernel of new trees with some of the training trees."""
        if isinstance(self.kernel, TreeKernel):
            return self._combined(self.kernel(trees, self._trees[columns]), other)
        rows = normalised(self.kernel._counts(trees))
        return self._combined((rows @ self._features[columns].T).toarray(), other)

    def _combined(self, own: FloatArray, other: FloatArray) -> FloatArray:
        return own * other if self._product else own + other
