"""Plots of distance matrices."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import squareform

from treemetric._base.validation import refuse, shown
from treemetric.plotting.common import cluster_order, new_axes, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_distances", "plot_map"]


def plot_distances(
    D: ArrayLike,
    y: ArrayLike | None = None,
    *,
    labels: Sequence[str] | None = None,
    order: str = "cluster",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a distance matrix as a heat map, with similar objects side by side.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
        Distances, square or condensed. All must be finite.
    y : array-like of shape (n,), default=None
        Classes. The rows of a class are adjacent, with its name beside them and a line
        between classes.
    labels : sequence of str, default=None
        Names of the objects, drawn beside the rows. With `y`, the names of the classes
        are drawn instead. Useful for up to about fifty objects.
    order : {"cluster", "given"}, default="cluster"
        Order of the rows inside a class, or of all rows without `y`: by hierarchical
        clustering, or as given.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    ValueError
        If the shapes are inconsistent, a distance is not finite, or `order` is not one
        of the choices.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_map : The same objects as points in the plane.

    Notes
    -----
    Rows are ordered by average linkage and, for up to 1000 rows, the optimal leaf
    ordering of Bar-Joseph et al. (2001), which places the most similar objects side by
    side.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_distances
    >>> trees = [tm.Tree.from_sequence(s) for s in ("ab", "xyz", "abc", "xy")]
    >>> D = tm.pairwise_distances(trees)
    >>> ax = plot_distances(D, ["first", "second", "first", "second"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['first', 'second']
    """
    require_matplotlib()
    D = _check_distances(D, "plot_distances")
    classes, y = _check_classes(y, len(D), "plot_distances")
    if order not in ("cluster", "given"):
        refuse("order", "plot_distances", "'cluster' or 'given'", shown(order))
    if labels is not None and len(labels) != len(D):
        must = f"a sequence with one name for each of D's rows, {len(D)}"
        refuse("labels", "plot_distances", must, str(len(labels)))

    groups = [np.flatnonzero(y == k) for k in range(len(classes))]
    if order == "cluster":
        groups = [rows[cluster_order(D[np.ix_(rows, rows)])] for rows in groups]
    rows = np.concatenate(groups) if groups else np.arange(0)

    ax = new_axes() if ax is None else ax
    image = ax.imshow(D[np.ix_(rows, rows)], cmap="magma", interpolation="nearest")
    figure = ax.get_figure()
    if figure is not None:
        figure.colorbar(image, ax=ax, label="distance", fraction=0.046, pad=0.03)

    if len(classes) > 1 or (labels is None and classes and classes[0]):
        ends = np.cumsum([len(group) for group in groups])
        for end in ends[:-1]:
            ax.axhline(end - 0.5, color="white", linewidth=0.8)
            ax.axvline(end - 0.5, color="white", linewidth=0.8)
        centres = ends - 0.5 - np.array([len(group) for group in groups]) / 2
        _name_rows(ax, centres, classes, _class_colors(len(classes)))
    elif labels is not None:
        _name_rows(ax, np.arange(len(D)), [str(labels[i]) for i in rows])
    else:
        ax.set_xticks([])
        ax.set_yticks([])
    return ax


def plot_map(D: ArrayLike, y: ArrayLike, *, ax: "Axes | None" = None) -> "Axes":
    """Draw objects as points in the plane whose distances approximate the given ones.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
        Distances, square or condensed. All must be finite.
    y : array-like of shape (n,)
        Classes; each has a colour and an entry in the legend.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    ValueError
        If the shapes are inconsistent or a distance is not finite.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_distances : The same distances as a heat map, without loss.

    Notes
    -----
    The points come from classical multidimensional scaling: the two leading
    eigenvectors of the doubly centred squared distances. The label of the x-axis states
    which share of the variance the plane explains. Edit distances need many dimensions,
    so this share is often less than half.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_map
    >>> trees = [tm.Tree.from_sequence(s) for s in ("ab", "xyz", "abc", "xy")]
    >>> ax = plot_map(tm.pairwise_distances(trees), [0, 1, 0, 1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    require_matplotlib()
    D = _check_distances(D, "plot_map")
    classes, y = _check_classes(y, len(D), "plot_map")
    points, share = _classical_scaling(D)
    ax = new_axes() if ax is None else ax
    dots = []
    style: dict[str, Any] = {"s": 30, "edgecolor": "white", "linewidth": 0.5}
    for k, color in enumerate(_class_colors(len(classes))):
        own = points[y == k]
        dots.append(ax.scatter(own[:, 0], own[:, 1], color=color, alpha=0.85, **style))
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(f"classical scaling, {share:.0%} of the variance")
    # Names are set afterwards: a legend ignores labels that start with "_".
    legend = ax.legend(dots, [" " * len(name) for name in classes], framealpha=0.9)
    for text, name in zip(legend.get_texts(), classes, strict=True):
        text.set_text(name)
    return ax


def _check_distances(D: ArrayLike, caller: str) -> NDArray[np.float64]:
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


def _check_classes(y: Any, n: int, caller: str) -> tuple[list[str], NDArray[np.intp]]:
    """Return the names of the classes and the index of each object's class."""
    if y is None:
        return [""], np.zeros(n, dtype=np.intp)
    y = np.asarray(y)
    if y.shape != (n,):
        must = f"an array of shape ({n},), one class for each row of D"
        refuse("y", caller, must, f"shape {y.shape}")
    classes, index = np.unique(y, return_inverse=True)
    return [str(name) for name in classes], index


def _classical_scaling(D: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
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


def _name_rows(
    ax: "Axes",
    positions: NDArray[Any],
    names: Sequence[str],
    colors: Sequence[Any] | None = None,
) -> None:
    ax.set_xticks(positions, names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(positions, names)
    ax.tick_params(length=0)
    for texts in (ax.get_xticklabels(), ax.get_yticklabels()):
        for text, color in zip(texts, colors or [], strict=False):
            text.set_color(color)


def _class_colors(n: int) -> list[Any]:
    import matplotlib as mpl

    if n <= 10:
        return [mpl.colormaps["tab10"](k) for k in range(n)]
    return [mpl.colormaps["turbo"](0.05 + 0.9 * k / (n - 1)) for k in range(n)]
