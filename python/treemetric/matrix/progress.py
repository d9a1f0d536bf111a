"""Progress of work that is done block by block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treemetric.exceptions import CancelledError

Report = Callable[[int, int], object] | None

_CANCELLED = "the computation was cancelled"


class PairProgress:
    """Counts finished pairs and reports them.

    Parameters
    ----------
    total
        Number of pairs.
    report
        The user's callback, or None.
    done
        Number of pairs that are finished already.
    """

    def __init__(self, total: int, report: Report, done: int = 0) -> None:
        self.done, self.total, self._report = done, total, report

    def add(self, pairs: int) -> None:
        """Count and report pairs; raise CancelledError if the callback returns False."""
        self.done += pairs
        if self._report is not None:
            answer = self._report(self.done, self.total)
            if isinstance(answer, (bool, np.bool_)) and not answer:
                raise CancelledError(_CANCELLED)

    def inside(self) -> Report:
        """Return the callback for the pairs of one block, which the core calls."""
        # Without a callback the core never needs the interpreter's lock.
        report = self._report
        if report is None:
            return None
        return lambda part, _: report(self.done + part, self.total)
