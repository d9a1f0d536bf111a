"""Progress of long calls, as bars of tqdm or as lines of text.

`reporter` serves the ``progress`` argument of functions, `stage` and `fit_report` the ``verbose``
parameter of estimators, `measuring` and `progress_of_cells` the experiments, `command_lines` the
command line. All of them hand out a function to call with the work done and all the work.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

from treemetric._base.extras import find, need
from treemetric._base.typing import Progress
from treemetric._base.validation import refuse, shown

Count = Callable[[int, int], object]

# Work that takes fewer seconds shows no bar in estimators.
_DELAY = 1.0
_MINUTE = 60.0


# --- functions ---------------------------------------------------------------------


def check_progress(progress: Progress, function: str) -> None:
    """Check that ``progress`` is None, a bool or a callable."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        refuse("progress", function, "None, a bool or a callable", shown(progress))


@contextmanager
def reporter(progress: Progress, function: str, unit: str) -> Iterator[Count | None]:
    """Yield the callback for ``progress``: itself, a bar for True, None for None and False."""
    check_progress(progress, function)
    if callable(progress):
        yield progress
    elif progress:
        bar = need("tqdm.auto", "progress", "progress=True").tqdm(unit=f" {unit}", unit_scale=True)
        try:
            yield _counter(bar)
        finally:
            bar.close()
    else:
        yield None


def _counter(bar: Any) -> Count:
    """Return a function that moves a bar to what is done."""

    def count(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return count


# --- estimators --------------------------------------------------------------------


@contextmanager
def stage(verbose: int, name: str, unit: str) -> Iterator[Count | None]:
    """Yield a function to call with the work done and all the work; None if not verbose.

    A bar appears when the stage takes longer than a second, even if it has not reported by then:
    solvers of other packages report nothing until they are done. Without tqdm it is a line.
    """
    if not verbose:
        yield None
        return
    tqdm = find("tqdm.auto")
    # The bar gets the delay as well, so that reports do not show it earlier.
    bar = tqdm and tqdm.tqdm(desc=name, delay=_DELAY, unit=f" {unit}", unit_scale=True)

    def show() -> None:
        if bar is None:
            sys.stdout.write(f"[{name}] {unit} ...\n")
            return
        bar.refresh()
        # tqdm does not close a bar that it believes to be hidden.
        bar.delay = 0.0

    timer = Timer(_DELAY, show)
    timer.daemon = True
    timer.start()
    try:
        yield _ignore if bar is None else _counter(bar)
    finally:
        timer.cancel()
        timer.join()
        if bar is not None:
            bar.close()


def _ignore(done: int, total: int) -> None:
    """Report nothing."""


class FitReport:
    """Called with the number of iterations done and the loss; this one reports nothing."""

    def __call__(self, done: int, loss: float) -> None:
        """Report an iteration."""

    def stage(self, what: str, unit: str) -> Count | None:  # noqa: ARG002
        """Begin work other than iterations; return what to call with the work done and all."""
        return None

    def close(self) -> None:
        """Report nothing more."""


class _FitLines(FitReport):
    """One line per iteration."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, done: int, loss: float) -> None:
        sys.stdout.write(f"[{self.name}] iteration {done}, loss {loss:.6g}\n")


class _FitBar(FitReport):
    """A bar for each stage of the fit, once the fit takes longer than a second."""

    def __init__(self, name: str, total: int | None, tqdm: Any) -> None:
        self.name, self.total, self.tqdm = name, total, tqdm
        self.began = time.monotonic()
        self.bar: Any = None
        self.iterating = False

    def __call__(self, done: int, loss: float) -> None:
        if not self.iterating:
            self._open(self.name, self.total, "iterations", leave=True)
            self.iterating = True
        self.bar.set_postfix(loss=f"{loss:.6g}", refresh=False)
        self.bar.update(done - self.bar.n)

    def stage(self, what: str, unit: str) -> Count:
        self._open(f"{self.name}, {what}", None, unit, leave=False)
        self.iterating = False
        return _counter(self.bar)

    def _open(self, text: str, total: int | None, unit: str, *, leave: bool) -> None:
        self.close()
        options = {"unit": f" {unit}", "unit_scale": not leave, "leave": leave}
        options["delay"] = max(0.0, self.began + _DELAY - time.monotonic())
        self.bar = self.tqdm(desc=text, total=total, **options)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


@contextmanager
def fit_report(verbose: int, name: str, total: int | None) -> Iterator[FitReport]:
    """Yield a function to call with the number of iterations done and the loss.

    1 means a bar if the fit takes longer than a second (lines without tqdm), 2 or more a line per
    iteration. ``total`` is the number of iterations that a fit is likely to take, None if unknown.
    """
    report = _fit_report(int(verbose), name, total)
    try:
        yield report
    finally:
        report.close()


def _fit_report(verbose: int, name: str, total: int | None) -> FitReport:
    if not verbose:
        return FitReport()
    tqdm = find("tqdm.auto") if verbose == 1 else None
    return _FitLines(name) if tqdm is None else _FitBar(name, total, tqdm.tqdm)


# --- command line and experiments --------------------------------------------------


class Lines:
    """Lines on standard error with the share of the work done and the time left.

    Parameters
    ----------
    text
        The line, a format of ``share``, ``left`` (seconds), ``total`` and ``note``.
    note
        The note of calls that have none.
    first, every
        Seconds until the first line, and between two lines.
    tenths
        Whether to write a line only when another tenth of the work is done.
    live
        Whether to write all lines over each other.
    before
        Work done before the clock started; None for that of the first call, which an earlier run
        has done.
    """

    def __init__(
        self,
        text: str,
        *,
        note: str = "",
        first: float = 0.0,
        every: float = 0.0,
        tenths: bool = False,
        live: bool = False,
        before: float | None = 0.0,
    ) -> None:
        self._text, self._every, self._tenths, self._live = text, every, tenths, live
        self._note, self._before = note, before
        self._start, self._next, self._written = time.monotonic(), first, 0

    def __call__(self, done: float, total: float, note: str = "") -> None:
        """Write a line if it is time for one."""
        elapsed = time.monotonic() - self._start
        if self._before is None:
            self._before = done
        share = done / total if total else 1.0
        if self._tenths:
            tenth = int(10 * done // total) if total else 10
            if tenth <= self._written:
                return
            self._written, share = tenth, tenth / 10
        if elapsed < self._next:
            return
        self._next = elapsed + self._every
        fresh = done - self._before
        left = elapsed * (total - done) / fresh if fresh else float("inf")
        line = self._text.format(share=share, left=left, total=total, note=note or self._note)
        if self._live:
            # Spaces cover the end of a longer line before.
            sys.stderr.write(f"\r{line}   " + ("\n" if done >= total else ""))
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def command_lines() -> Lines:
    """Return the progress of a command: a live line on a terminal, a line a minute in a log."""
    live = sys.stderr.isatty()
    # Work that is done at once shows nothing.
    first, every = (0.5, 0.0) if live else (_MINUTE, _MINUTE)
    text = "{share:4.0%} done, {left:.0f} s left"
    return Lines(text, first=first, every=every, live=live, before=None)


@contextmanager
def measuring(verbose: int, name: str, what: str, unit: str) -> Iterator[Count | None]:
    """Yield a function to call with the work done and all the work, for long work beside a fit.

    1 means a bar (lines without tqdm), 2 or more a line for each tenth; None if not verbose.
    """
    with fit_report(verbose, name, None) as report:
        count = report.stage(what, unit)
        if verbose and count is None:
            text = "[{note}] {share:.0%} of {total} " + unit
            yield Lines(text, note=f"{name}, {what}", tenths=True)
        else:
            yield count


@contextmanager
def progress_of_cells(count: int, *, visible: bool) -> Iterator[Callable[[float, float], None]]:
    """Yield a function to call after each of `count` cells with the weight done and of all."""
    tqdm = find("tqdm.auto") if visible and count else None
    bar = tqdm and tqdm.tqdm(
        total=1.0,
        bar_format="{percentage:3.0f}%|{bar}| {elapsed}, {remaining} left{postfix}",
        file=sys.stderr,
    )
    lines = Lines("{note}, {share:.0%}, about {left:.0f} s left")
    finished = 0

    def report(done: float, total: float) -> None:
        nonlocal finished
        finished += 1
        note = f"{finished} of {count} cells"
        if bar is not None:
            bar.set_postfix_str(note, refresh=False)
            # Set instead of added up: tqdm warns if rounding leads beyond the end.
            bar.n = min(1.0, done / total)
            bar.refresh()
        elif visible:
            lines(done, total, note)

    try:
        yield report
    finally:
        if bar is not None:
            bar.close()
