"""Exceptions of treemetric; each one is also a builtin exception."""

from __future__ import annotations

__all__ = ["CancelledError", "CollapsedCostsWarning", "UnknownLabelError"]


class UnknownLabelError(ValueError):
    """A tree has a label that is not in the alphabet of the costs.

    Examples
    --------
    >>> import treemetric as tm
    >>> costs = tm.CostMatrix(["a"], [[0, 1], [1, 0]])
    >>> tm.distance(
    ...     tm.Tree.from_sequence("a"), tm.Tree.from_sequence("b"), costs=costs
    ... )
    Traceback (most recent call last):
        ...
    treemetric.exceptions.UnknownLabelError: The label 'b' is not in the alphabet \
of the costs, which has 1 labels.
    """


class CancelledError(RuntimeError):
    """A progress callback returned ``False``, so the result is incomplete.

    Examples
    --------
    >>> import treemetric as tm
    >>> trees = [tm.Tree.from_sequence("abc"), tm.Tree.from_sequence("bc")]
    >>> tm.pairwise_distances(trees, progress=lambda done, total: False)
    Traceback (most recent call last):
        ...
    treemetric.exceptions.CancelledError: the computation was cancelled
    """


class CollapsedCostsWarning(UserWarning):
    """Most trees are at distance 0 from each other under the edit distance of learned costs.

    Examples
    --------
    >>> import warnings
    >>> from treemetric import Tree
    >>> from treemetric.exceptions import CollapsedCostsWarning
    >>> from treemetric.learning import GESL
    >>> trees = [Tree.from_bracket(text) for text in ("{1{2}}", "{2}", "{3}", "{3}")]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     learner = GESL(beta=0.1, script="one").fit(trees, [0, 0, 1, 1])
    >>> caught[0].category is CollapsedCostsWarning
    True
    """
