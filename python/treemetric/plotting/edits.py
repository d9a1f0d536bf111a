"""Plot of the edits that separate two classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from treemetric._base.validation import check_int, refuse, shown
from treemetric.alignment.layout import label_text
from treemetric.inspection import TellingEdits
from treemetric.plotting.common import new_axes, require_matplotlib
from treemetric.plotting.rows import font_that_fits, height_of_rows, name_rows, soft_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_telling_edits"]

_LONGEST_LABEL = 16
# Okabe and Ito's blue and vermilion, slightly darker.
_TELLING, _BLURRING = "#0072B2", "#C25400"
_GREY = "#8c8c8c"


def plot_telling_edits(edits: TellingEdits, *, n_edits: int = 16, ax: Axes | None = None) -> Axes:
    """Draw what edits contribute to the separation of two classes.

    Bars to the right are edits that occur more often between the classes than within them. Bars to
    the left are edits that blur the classes. Deletions and insertions are edits of a label and the
    gap.

    Parameters
    ----------
    edits : TellingEdits
        The result of `treemetric.inspection.telling_edits`.
    n_edits : int, default=16
        Number of edits to draw, those with the largest absolute contributions.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on; None creates a new figure, whose size depends on the edits.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the plot.

    Raises
    ------
    TypeError
        If `edits` is not an instance of `TellingEdits`.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    plot_label_weights : The weights of labels.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from treemetric import Tree
    >>> from treemetric.inspection import telling_edits
    >>> from treemetric.learning import NCACosts
    >>> from treemetric.plotting import plot_telling_edits
    >>> trees = [Tree.from_sequence(s) for s in ("xa", "ya", "za", "xb", "yb", "zb")]
    >>> y = ["A", "A", "A", "B", "B", "B"]
    >>> learner = NCACosts(fallback=False, random_state=0).fit(trees, y)
    >>> ax = plot_telling_edits(telling_edits(learner, trees, y))
    >>> ax.get_yticklabels()[0].get_text()
    'a ↔ b'
    """
    require_matplotlib()
    if not isinstance(edits, TellingEdits):
        must = "an instance of 'treemetric.inspection.TellingEdits'"
        refuse("edits", "plot_telling_edits", must, shown(edits))
    check_int(n_edits, "n_edits", "plot_telling_edits")
    sizes = np.abs(edits.contributions)
    largest = np.sort(np.argsort(-sizes, kind="stable")[:n_edits])
    largest = largest[sizes[largest] > 0]
    if ax is None:
        ax = new_axes(6.5, height_of_rows(len(largest)))
    values = edits.contributions[largest]
    rows = np.arange(len(largest))
    colors = [_TELLING if value > 0 else _BLURRING for value in values]
    ax.barh(rows, values, height=0.7, color=colors)
    ax.axvline(0.0, color=_GREY, linewidth=1.0)
    names = []
    for place in largest.tolist():
        first, second = edits.labels[place]
        text = label_text(first, _LONGEST_LABEL)
        if edits.kinds[place] == "replace":
            names.append(f"{text} ↔ {label_text(second, _LONGEST_LABEL)}")
        else:
            names.append(f"{text} ↔ gap")
    name_rows(ax, names)
    soft_grid(ax)
    ax.margins(x=0.05)
    between, within = edits.learned
    one, other = (label_text(label, _LONGEST_LABEL) for label in edits.classes)
    title = f"Classes {one} and {other}"
    ax.set_title(title, parse_math=False, fontsize=1.2 * font_that_fits(ax, title))
    text = f"cost · (between - within)\nsum: {between:.3g} - {within:.3g} = {between - within:.3g}"
    ax.set_xlabel(text, fontsize=font_that_fits(ax, text))
    return ax
