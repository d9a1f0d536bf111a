"""What plots share: matplotlib, new axes, checks of distances, colours, and an order of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from treemetric._base.extras import need
from treemetric._base.validation import refuse, shown
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Optimal leaf ordering takes cubic time; larger matrices get the order of the linkage.
_LARGEST_OPTIMAL_ORDER = 1000


def require_matplotlib() -> None:
    """Raise an error that names the extra if matplotlib is not installed."""
    need("matplotlib", "plot", "Plotting")


def new_axes(width: float = 6.5, height: float = 6.0) -> Axes:
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


def check_distances(D: ArrayLike, caller: str) -> NDArray[np.float64]:
    """Return distances as a square matrix; they must be finite."""
    if isinstance(D, TreeSet | list | tuple) and len(D) and isinstance(D[0], Tree):
        must = "an instance of 'numpy.ndarray' with distances"
        refuse("D", caller, must, "trees", "Use pairwise_distances(trees).")
    D = np.asarray(D, dtype=np.float64)
    if D.ndim == 1:
        D = np.asarray(squareform(D), dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        must = "a square matrix or a condensed vector"
        refuse("D", caller, must, f"shape {D.shape}")
    if not np.isfinite(D).all():
        bad = float(D[~np.isfinite(D)][0])
        refuse("D", caller, "finite, so computed without a cutoff", shown(bad))
    return D


def check_classes(y: Any, n: int, caller: str) -> tuple[list[str], NDArray[np.intp]]:
    """Return the names of the classes and the index of each object's class."""
    if y is None:
        return [""], np.zeros(n, dtype=np.intp)
    y = np.asarray(y)
    if y.shape != (n,):
        must = f"an array of shape ({n},), one class for each row of D"
        refuse("y", caller, must, f"shape {y.shape}")
    classes, index = np.unique(y, return_inverse=True)
    return [str(name) for name in classes], index


def classical_scaling(D: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return points in the plane and the share of the variance that they explain."""
    n = len(D)
    if n < 2:
        return np.zeros((n, 2)), 1.0
    squared = ((D + D.T) / 2) ** 2
    means = squared.mean(axis=0)
    values, vectors = np.linalg.eigh((means[:, None] + means[None, :] - means.mean() - squared) / 2)
    values = np.maximum(values[::-1], 0.0)
    points = vectors[:, ::-1][:, :2] * np.sqrt(values[:2])
    total = values.sum()
    return points, float(values[:2].sum() / total) if total > 0 else 1.0


def class_colors(n: int) -> list[Any]:
    """Return a colour for each class."""
    import matplotlib as mpl

    if n <= 10:
        return [mpl.colormaps["tab10"](k) for k in range(n)]
    return [mpl.colormaps["turbo"](0.05 + 0.9 * k / (n - 1)) for k in range(n)]
