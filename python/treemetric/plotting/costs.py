"""Plot of edit costs: a heat map with the gap last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from treemetric._base.typing import FloatArray, Label
from treemetric._base.validation import refuse, shown
from treemetric.alignment.layout import label_text
from treemetric.costs import CostMatrix, Costs
from treemetric.plotting.common import cluster_order, new_axes, require_matplotlib
from treemetric.plotting.ticks import name_cells, side_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["check_costs", "plot_costs"]

_LONGEST_LABEL = 20
# With more rows, the cells are too small for numbers.
_MOST_WITH_NUMBERS = 12


def plot_costs(
    costs: Costs,
    *,
    alphabet: Iterable[Label] | None = None,
    order: str = "cluster",
    ax: Axes | None = None,
) -> Axes:
    """Draw edit costs as a heat map, with similar labels side by side and the gap last.

    The cell in row u and column v is the cost of replacing u by v. The last column shows
    the costs of deletions, the last row the costs of insertions.

    Parameters
    ----------
    costs : Costs
        The costs to draw, such as the ``costs_`` of a learner.
    alphabet : iterable of labels, default=None
        Labels to draw; all by default. Required for costs without an alphabet, such as
        unit costs.
    order : {"cluster", "given"}, default="cluster"
        Order of the labels: by hierarchical clustering of their costs, or as in the
        alphabet.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure, whose size depends on the labels, up to
        12 inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    TypeError
        If `costs` is not an instance of `Costs`.
    ValueError
        If `order` is not one of the choices, or an alphabet is required and missing.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_embedding : Labels as points in the plane.

    Notes
    -----
    Labels are ordered by average linkage on the mean of both directions, with the optimal
    leaf ordering of Bar-Joseph et al. (2001). For up to eleven labels, the cells contain
    the costs as numbers. Labels that are never paired (``inf``) have a cell without colour. On
    axes that are too small for all names, only every second, third, ... name is drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import treemetric as tm
    >>> from treemetric.plotting import plot_costs
    >>> costs = tm.EmbeddingCosts("abc", [[0.0, 1.0], [2.0, 0.0], [0.0, 1.1]])
    >>> ax = plot_costs(costs)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a', 'c', 'gap']
    """
    require_matplotlib()
    table = check_costs(costs, alphabet, "plot_costs")
    if order not in ("cluster", "given"):
        refuse("order", "plot_costs", "'cluster' or 'given'", shown(order))
    gap = len(table.alphabet)
    rows = np.arange(gap)
    if order == "cluster":
        # Labels that are never paired are at least as far apart as all others.
        finite = np.where(np.isinf(table.matrix), table._largest(), table.matrix)
        rows = cluster_order(finite[:-1, :-1])
    rows = np.append(rows, gap)
    values = table.matrix[np.ix_(rows, rows)]

    side = len(rows)
    if ax is None:
        width = side_for(side, 5.0)
        ax = new_axes(width + 0.5, width)
    image = ax.imshow(
        np.ma.masked_invalid(values),
        cmap="viridis",
        interpolation="nearest",
        vmin=0.0,
        # By default the largest of all; without any, matplotlib warns.
        vmax=table._largest() or 1.0 if np.isinf(values).any() else None,
    )
    figure = ax.get_figure()
    if figure is not None:
        figure.colorbar(image, ax=ax, label="cost", fraction=0.046, pad=0.03)
    for line in (ax.axhline, ax.axvline):
        line(gap - 0.5, color="white", linewidth=1.5)
    names = [label_text(table.alphabet[code], _LONGEST_LABEL) for code in rows[:-1].tolist()]
    name_cells(ax, range(side), [*names, "gap"], last_in_italics=True)
    if side <= _MOST_WITH_NUMBERS:
        _write_numbers(ax, values)
    ax.set_ylabel("replace")
    ax.set_xlabel("by")
    return ax


def check_costs(costs: object, alphabet: Iterable[Label] | None, owner: str) -> CostMatrix:
    """Check that costs are an instance of `Costs` for labels, and return them as a table."""
    if not isinstance(costs, Costs) or costs._for_one_pair:
        refuse("costs", owner, "an instance of 'treemetric.Costs' for labels", shown(costs))
    if alphabet is None and not costs._has_own_alphabet:
        refuse("alphabet", owner, "a sequence of labels for costs without an alphabet", "None")
    return costs.to_matrix(alphabet)


def _write_numbers(ax: Axes, values: FloatArray) -> None:
    largest = float(values.max(where=np.isfinite(values), initial=0.0))
    for row, column in np.ndindex(*values.shape):
        value = values[row, column]
        # The upper end of the colour map is light.
        color = "black" if value > 0.6 * largest else "white"
        text = f"{value:.2g}"
        ax.text(column, row, text, color=color, ha="center", va="center", fontsize=9)
