"""All alignments of two trees, weighed by their cost."""

from __future__ import annotations

from typing import NamedTuple

from treemetric import _core
from treemetric._base.arrays import frozen
from treemetric._base.typing import CostsLike, FloatArray
from treemetric._base.validation import as_float, refuse, shown
from treemetric.costs.resolve import check_pair
from treemetric.tree import Tree

__all__ = ["SoftAlignment", "soft_alignment"]

# Far above it the soft distance overflows.
HOTTEST = 1e100


class SoftAlignment(NamedTuple):
    """The soft distance of two trees and the expected alignment; see `soft_alignment`.

    Attributes
    ----------
    cost : float
        The soft distance.
    expectation : ndarray of shape (x.size + 1, y.size + 1)
        The probability of each pair, deletion (last column) and insertion (last row).

    Examples
    --------
    >>> from treemetric import Tree, soft_alignment
    >>> soft_alignment(Tree.from_sequence("a"), Tree.from_sequence("a")).expectation.round(3)
    array([[0.881, 0.119],
           [0.119, 0.   ]])
    """

    cost: float
    expectation: FloatArray


def soft_alignment(
    x: Tree, y: Tree, *, temperature: float = 1.0, costs: CostsLike | None = None
) -> SoftAlignment:
    """Compute a weighted average of all alignments of two trees.

    An alignment of cost d has the weight ``exp(-d / temperature)``.

    Parameters
    ----------
    x, y : Tree
        Trees or forests.
    temperature : float, default=1.0
        Higher temperatures give more weight to more expensive alignments. At most 1e100, and at
        least 1e-10 of the cost of deleting and inserting all nodes.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.

    Returns
    -------
    SoftAlignment
        The soft distance ``-temperature * log(sum of weights)`` and the probability of
        every pair. The derivative of the soft distance with respect to the cost of an edit
        is the expected number of such edits.

    Notes
    -----
    The dynamic program uses left or right paths, whichever have fewer cells. For trees that
    alternate between left and right (zigzags) both have many, and paths through the interior of one
    tree are used: the time grows with the third power of the size.

    As the temperature goes to 0, the soft distance converges to the distance and the expectation to
    the average of `cooptimal`. The soft distance can be negative. The soft distance of a tree to
    itself is negative, because many alignments contribute to the sum.

    Examples
    --------
    >>> from treemetric import Tree, soft_alignment
    >>> x, y = Tree.from_sequence("ab"), Tree.from_sequence("b")
    >>> round(soft_alignment(x, y, temperature=0.01).cost, 6)
    1.0
    """
    checked = check_pair(x, y, costs, "soft_alignment")
    heat = as_float(temperature)
    # Below this the weights of alignments, exp(-cost / temperature), lose their last digits.
    table, index = checked._pair_table(x, y)
    everything = _core.alignment_cost(x._data, y._data, table, index, b"")
    least = max(1e-10 * everything, 1e-300)
    if least > HOTTEST:
        must = f"so low that all edits of these trees cost at most {1e10 * HOTTEST:g}"
        refuse("costs", "soft_alignment", must, f"costs of {everything:g}")
    if not least <= heat <= HOTTEST:
        must = f"a float in the range [{least:g}, {HOTTEST:g}] for these trees"
        refuse("temperature", "soft_alignment", must, shown(temperature))
    cost, expectation = _core.soft_pair(x._data, y._data, table, index, heat)
    return SoftAlignment(cost, frozen(expectation))
