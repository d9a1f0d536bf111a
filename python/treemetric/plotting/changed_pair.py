"""Plot of a pair of trees before and after learning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treemetric._base.validation import check_int, refuse, shown
from treemetric.inspection import PairChange
from treemetric.plotting.alignment import plot_alignment, size_of
from treemetric.plotting.common import require_matplotlib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

__all__ = ["plot_changed_pair"]


def plot_changed_pair(
    pair: PairChange, *, max_rows: int | None = 100, ax: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw the alignment of a pair of trees under unit costs and under learned costs.

    Parameters
    ----------
    pair : PairChange
        A pair of `treemetric.inspection.changed_pairs`.
    max_rows : int or None, default=100
        Most rows to draw of each alignment; see `plot_alignment`.
    ax : sequence of two matplotlib.axes.Axes, default=None
        Axes to draw on, before and after learning; None creates a new figure that is large enough
        for the trees.

    Returns
    -------
    list of two matplotlib.axes.Axes
        The axes with the plots.

    Raises
    ------
    TypeError
        If `pair` is not an instance of `PairChange`.
    ValueError
        If `ax` are not two.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_alignment : One alignment.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from treemetric import OperationCosts, Tree
    >>> from treemetric.inspection import PairChange
    >>> from treemetric.plotting import plot_changed_pair
    >>> x, y = Tree.from_sequence("ab"), Tree.from_sequence("ac")
    >>> axes = plot_changed_pair(PairChange(0, 1, x, y, 1.0, 0.5, OperationCosts(2, 2, 3)))
    >>> [ax.get_title() for ax in axes]
    ['Unit costs: 1.00 of the mean distance', 'Learned costs: 0.50 of the mean distance']
    """
    require_matplotlib()
    if not isinstance(pair, PairChange):
        must = "an instance of 'treemetric.inspection.PairChange'"
        refuse("pair", "plot_changed_pair", must, shown(pair))
    if max_rows is not None:
        max_rows = check_int(max_rows, "max_rows", "plot_changed_pair", 1, other="None")
    both = pair.alignments()
    if ax is None:
        from matplotlib import pyplot as plt

        sizes = [size_of(alignment, max_rows) for alignment in both]
        width, height = sum(size[0] for size in sizes), max(size[1] for size in sizes)
        figure, drawn = plt.subplots(1, 2, figsize=(width + 0.6, height))
        figure.subplots_adjust(
            left=0.2 / (width + 0.6),
            right=1 - 0.2 / (width + 0.6),
            bottom=0.1 / height,
            top=1 - 0.4 / height,
            wspace=0.05,
        )
        ax = list(drawn)
    if not hasattr(ax, "__len__") or len(ax) != 2:
        refuse("ax", "plot_changed_pair", "a pair of axes", shown(ax))
    names = ("Unit costs", "Learned costs")
    values = (pair.before, pair.after)
    for one, alignment, name, value in zip(ax, both, names, values, strict=True):
        plot_alignment(alignment, max_rows=max_rows, ax=one)
        one.set_title(f"{name}: {value:.2f} of the mean distance")
    return list(ax)
