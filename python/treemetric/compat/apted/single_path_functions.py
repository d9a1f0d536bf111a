"""Names of ``apted.single_path_functions`` that choose how a distance is computed.

They are accepted and have no effect: treemetric chooses by itself, and the distance is the same.
"""

from __future__ import annotations

__all__ = ["INNER", "LEFT", "RIGHT", "SinglePathFunction", "UseOnlySPFA"]

LEFT, RIGHT, INNER = 0, 1, 2


class SinglePathFunction:
    """The default of the parameter `spf` of apted, which chooses paths; it has no effect here.

    Examples
    --------
    >>> from treemetric.compat.apted.single_path_functions import SinglePathFunction, UseOnlySPFA
    >>> issubclass(UseOnlySPFA, SinglePathFunction)
    True
    """


class UseOnlySPFA(SinglePathFunction):
    """A value of the parameter `spf` of apted, inner paths only; it has no effect here.

    Examples
    --------
    >>> from treemetric.compat.apted import APTED
    >>> from treemetric.compat.apted.helpers import Tree
    >>> from treemetric.compat.apted.single_path_functions import UseOnlySPFA
    >>> APTED(Tree("a"), Tree("b"), spf=UseOnlySPFA).compute_edit_distance()
    1
    """
