"""Plot of a learning curve: the loss by iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from treemetric._base.typing import FloatArray
from treemetric._base.validation import refuse
from treemetric.plotting.common import new_axes, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_loss"]


def plot_loss(
    curve: ArrayLike | BaseEstimator, *, label: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the loss of a learner by iteration, with the best iteration marked.

    Parameters
    ----------
    curve : fitted estimator or array-like of shape (n_iterations,)
        An estimator with the attribute ``loss_curve_``, or the losses themselves.
    label : str, default=None
        Name of the curve in a legend. Call the function again with the same axes to
        compare several curves.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    ValueError
        If the losses are not a list of at least one number.
    TypeError
        If the estimator has no attribute ``loss_curve_``.
    sklearn.exceptions.NotFittedError
        If the estimator is not fitted.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_costs : The costs that were learned.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from treemetric.plotting import plot_loss
    >>> ax = plot_loss([3.0, 1.5, 1.25, 1.4])
    >>> [text.get_text() for text in ax.texts]
    ['1.25']
    """
    require_matplotlib()
    from matplotlib.ticker import MaxNLocator

    losses = _losses(curve)
    ax = new_axes(6.0, 4.0) if ax is None else ax
    best = int(np.nanargmin(losses))
    # A learner that stops immediately has a single loss, which a line does not show.
    marker = "." if len(losses) <= 50 else ""
    (line,) = ax.plot(np.arange(len(losses)), losses, marker=marker, linewidth=1.5)
    color = line.get_color()
    ax.plot([best], [losses[best]], "o", color=color, markersize=9, markerfacecolor="none")
    # Nothing of the curve is below its lowest point.
    ax.annotate(
        f"{losses[best]:.4g}",
        (best, float(losses[best])),
        xytext=(0, -9),
        textcoords="offset points",
        ha="center",
        va="top",
        color=color,
    )
    ax.set_xlabel("iteration")
    ax.set_ylabel("loss")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.margins(x=0.06, y=0.15)
    if label is not None:
        line.set_label(str(label))
        ax.legend(frameon=False)
    return ax


def _losses(curve: Any) -> FloatArray:
    if isinstance(curve, BaseEstimator) or hasattr(curve, "loss_curve_"):
        if not hasattr(curve, "loss_curve_"):
            check_is_fitted(curve)
            must = "an instance of an estimator with the attribute 'loss_curve_', or losses"
            refuse("curve", "plot_loss", must, type(curve).__name__)
        curve = curve.loss_curve_
    try:
        losses = np.asarray(curve, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        losses = np.empty((0, 0))
    if losses.ndim != 1 or not np.isfinite(losses).any():
        must = "a fitted estimator or a list of at least one finite loss"
        refuse("curve", "plot_loss", must, f"shape {losses.shape}")
    return losses
