"""The interface of the tree edit distances of edist 1.2.2.

``import treemetric.compat.edist.ted as ted`` replaces ``import edist.ted as ted``, and
``treemetric.compat.edist.multiprocess`` replaces ``edist.multiprocess``.

Examples
--------
>>> import treemetric.compat.edist.ted as ted
>>> ted.standard_ted(["a", "b", "c"], [[1, 2], [], []], ["a", "d"], [[1], []])
2
"""

from treemetric.compat.edist import multiprocess, ted

__all__ = ["multiprocess", "ted"]
