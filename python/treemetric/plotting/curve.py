"""Plot of errors against the number of training trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemetric._base.validation import refuse, shown
from treemetric.inspection import LearningCurve
from treemetric.plotting.common import new_axes, require_matplotlib
from treemetric.plotting.rows import font_that_fits, soft_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_learning_curve"]


def plot_learning_curve(curve: LearningCurve, *, ax: Axes | None = None) -> Axes:
    """Draw the errors of learned costs and of unit costs against the number of training trees.

    Lines are means over the repetitions, bands are from the smallest to the largest error.

    Parameters
    ----------
    curve : LearningCurve
        The result of `treemetric.inspection.learning_curve`.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    TypeError
        If `curve` is not an instance of `LearningCurve`.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_loss : The loss of one fit by iteration.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from treemetric.inspection import LearningCurve
    >>> from treemetric.plotting import plot_learning_curve
    >>> errors = np.array([[0.4, 0.2], [0.1, 0.1]])
    >>> curve = LearningCurve(np.array([10, 20]), errors, 2 * errors, np.ones(2), "error")
    >>> [text.get_text() for text in plot_learning_curve(curve).get_legend().get_texts()]
    ['unit costs', 'learned costs']
    """
    require_matplotlib()
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    if not isinstance(curve, LearningCurve):
        must = "an instance of 'treemetric.inspection.LearningCurve'"
        refuse("curve", "plot_learning_curve", must, shown(curve))
    ax = new_axes(6.0, 4.0) if ax is None else ax
    series = (("unit costs", curve.unit, "C1", "s--"), ("learned costs", curve.learned, "C0", "o-"))
    for name, errors, color, style in series:
        low, high = errors.min(axis=1), errors.max(axis=1)
        if len(curve.sizes) > 1:
            ax.fill_between(curve.sizes, low, high, color=color, alpha=0.18, linewidth=0)
        else:
            ax.vlines(curve.sizes, low, high, color=color, alpha=0.4, linewidth=4)
        mean = errors.mean(axis=1)
        ax.plot(curve.sizes, mean, style, color=color, markersize=5, linewidth=1.6, label=name)
    largest = float(max(curve.unit.max(), curve.learned.max()))
    ax.set_ylim(0.0, 1.08 * largest if largest > 0 else 1.0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    if curve.measure == "error":
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
    soft_grid(ax, "both")
    ax.set_xlabel("training trees")
    ax.set_ylabel("errors on test trees" if curve.measure == "error" else curve.measure)
    ax.legend(frameon=False)
    missing = np.flatnonzero(curve.used < 1)
    if len(missing):
        share = float(curve.used.mean())
        title = f"learned costs used in {share:.0%} of the fits"
        ax.set_title(title, fontsize=font_that_fits(ax, title))
    return ax
