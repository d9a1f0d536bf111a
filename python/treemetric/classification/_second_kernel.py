"""A kernel of features that is combined with a kernel of distances."""

from typing import Any

from sklearn.preprocessing import normalize

from treemetric._base.typing import FloatArray
from treemetric._estimators.checks import Codes
from treemetric.features import TreeFeatures
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
    """

    def __init__(self, kernel: TreeKernel | TreeFeatures, trees: TreeSet) -> None:
        self.kernel = kernel
        self._trees = trees
        # Rows of length 1, or rows of zeros.
        self._features: Any = None
        if isinstance(kernel, TreeFeatures):
            self._features = normalize(kernel.fit_transform(trees))
        else:
            kernel.fit(trees)

    def gram(self) -> FloatArray:
        """Compute the kernels among the training trees."""
        if isinstance(self.kernel, TreeKernel):
            return self.kernel(self._trees)
        found: FloatArray = (self._features @ self._features.T).toarray()
        return found

    def rows(self, trees: TreeSet, columns: Codes) -> FloatArray:
        """Compute the kernels of new trees with some of the training trees."""
        if isinstance(self.kernel, TreeKernel):
            return self.kernel(trees, self._trees[columns])
        rows = normalize(self.kernel.transform(trees))
        found: FloatArray = (rows @ self._features[columns].T).toarray()
        return found

    @staticmethod
    def combined(one: FloatArray, other: FloatArray, how: str) -> FloatArray:
        """Return the product or the sum of two kernels."""
        return one * other if how == "product" else one + other
