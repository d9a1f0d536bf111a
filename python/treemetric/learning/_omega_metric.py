"""The learned distance of trees whose labels carry vectors."""

from typing import Any

import numpy as np

from treemetric._edit_counts import EditCounts, edit_counts
from treemetric._typing import FloatArray, Label
from treemetric.costs import VectorCosts
from treemetric.costs._vectors import paired_costs
from treemetric.learning._metric import LearnedMetric
from treemetric.treeset import TreeSet

# About 64 MB of counts at a time, so that memory stays bounded whatever the number of pairs.
_ENTRIES = 1 << 22


class VectorMetric(LearnedMetric):
    """A learned distance under `VectorCosts`; made by ``BEDL.get_metric``.

    The costs themselves say what labels without a vector are. Their closure would be a table of
    all labels, so for the cosine the actual distance is that of the cheapest alignment.
    """

    costs: Any
    _kind = VectorCosts

    def _actual(self, labels: tuple[Label, ...]) -> Any:  # noqa: ARG002
        return self.costs

    def _pseudo(
        self,
        X: TreeSet,
        Y: TreeSet,
        labels: tuple[Label, ...],  # noqa: ARG002
        n_jobs: int | None,
    ) -> FloatArray:
        result = np.empty((len(X), len(Y)))
        largest = [int(trees.sizes.max(initial=0)) + 1 for trees in (X, Y)]
        rows = max(1, _ENTRIES // max(1, len(Y) * largest[0] * largest[1]))
        for start in range(0, len(X), rows):
            block = X[start : start + rows]
            counts = edit_counts(block, Y, costs=self.initial_costs, n_jobs=n_jobs, **self.counting)
            result[start : start + rows] = price(counts, self.costs).reshape(-1, len(Y))
        return result


def price(counts: EditCounts, costs: VectorCosts) -> FloatArray:
    """Price counted edits, without a table of all labels."""
    side = len(counts.alphabet) + 1
    matrix = counts.matrix
    pairs, columns = np.unique(matrix.indices, return_inverse=True)
    vectors = costs.project(counts.alphabet).astype(np.float64)
    padded = np.vstack([vectors, np.zeros((1, vectors.shape[1]))])
    prices = paired_costs(padded, pairs // side, pairs % side, costs.kind)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    weights = matrix.data * prices[columns]
    return np.bincount(rows, weights=weights, minlength=matrix.shape[0]).astype(np.float64)
