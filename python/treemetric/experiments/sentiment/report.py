"""Sentiment: how far the measuring of distances is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from treemetric.learning._report import Count, fit_report


@contextmanager
def progress_told(verbose: int, name: str, what: str) -> Iterator[Count | None]:
    """Give what to call with the number of distances that are done, and of all.

    As while costs are learned, 1 means a bar (lines where tqdm is not installed), 2 or more lines.
    """
    with fit_report(verbose, name, None) as report:
        count = report.stage(what, "pairs")
        yield _Tenths(f"[{name}, {what}]") if verbose and count is None else count


class _Tenths:
    """A line on standard error for each tenth of the work."""

    def __init__(self, head: str) -> None:
        self._head, self._told = head, 0

    def __call__(self, done: int, total: int) -> None:
        """Tell about it if another tenth is done."""
        tenths = 10 * done // total if total else 10
        if tenths > self._told:
            self._told = tenths
            sys.stderr.write(f"{self._head} {10 * tenths}% of {total} pairs\n")
            sys.stderr.flush()
