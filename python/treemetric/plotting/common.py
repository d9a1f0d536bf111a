"""What plots share: matplotlib, new axes, and an order of rows."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage

from treemetric._base.extras import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Optimal leaf ordering takes cubic time; larger matrices get the order of the linkage.
_LARGEST_OPTIMAL_ORDER = 1000


def require_matplotlib() -> None:
    """Raise an error that names the extra if matplotlib is not installed."""
    need("matplotlib", "plot", "Plotting")


def new_axes(width: float = 6.5, height: float = 6.0) -> "Axes":
    """Return axes of a new figure; sizes are in inches."""
    from matplotlib import pyplot as plt

    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def cluster_order(D: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return an order in which objects at small distance are neighbours."""
    if len(D) < 3:
        return np.arange(len(D))
    symmetric = (D + D.T) / 2
    condensed = symmetric[np.triu_indices(len(D), 1)]
    optimal = len(D) <= _LARGEST_OPTIMAL_ORDER
    tree = linkage(condensed, method="average", optimal_ordering=optimal)
    return np.asarray(leaves_list(tree), dtype=np.intp)
