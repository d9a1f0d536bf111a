"""The learned distance of trees whose labels carry vectors."""

from typing import Any

import numpy as np

from treemetric._base.typing import FloatArray, Label
from treemetric.alignment.edit_counts import edit_counts
from treemetric.costs import VectorCosts
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
            result[start : start + rows] = counts.distances(self.costs).reshape(-1, len(Y))
        return result
