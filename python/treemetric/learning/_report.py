"""What a fit tells while it runs."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Count = Callable[[int, int], object]

# A fit that is done sooner shows no bar.
_DELAY = 1.0


class FitReport:
    """Called with the number of iterations done and the loss; this one says nothing."""

    def __call__(self, done: int, loss: float) -> None:
        """Tell about an iteration."""

    def stage(self, what: str, unit: str) -> Count | None:  # noqa: ARG002
        """Begin some work other than iterations; give what to call with how much is done."""
        return None

    def close(self) -> None:
        """Tell nothing more."""


class _Lines(FitReport):
    """One line per iteration."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, done: int, loss: float) -> None:
        sys.stdout.write(f"[{self.name}] iteration {done}, loss {loss:.6g}\n")


class _Bar(FitReport):
    """A bar for each stage of the fit, once the fit takes longer than a second."""

    def __init__(self, name: str, total: int | None, tqdm: Any) -> None:
        self.name, self.total, self.tqdm = name, total, tqdm
        self.began = time.monotonic()
        self.bar: Any = None
        self.iterating = False

    def __call__(self, done: int, loss: float) -> None:
        if not self.iterating:
            self._open(self.name, self.total, " iterations", leave=True)
            self.iterating = True
        self.bar.set_postfix(loss=f"{loss:.6g}", refresh=False)
        self.bar.update(done - self.bar.n)

    def stage(self, what: str, unit: str) -> Count:
        self._open(f"{self.name}, {what}", None, f" {unit}", leave=False)
        self.iterating = False
        bar = self.bar

        def count(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return count

    def _open(self, text: str, total: int | None, unit: str, *, leave: bool) -> None:
        self.close()
        delay = max(0.0, self.began + _DELAY - time.monotonic())
        self.bar = self.tqdm(
            desc=text, total=total, delay=delay, unit=unit, unit_scale=not leave, leave=leave
        )

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


@contextmanager
def fit_report(verbose: int, name: str, total: int | None) -> Iterator[FitReport]:
    """Give a function to call with the number of iterations done and the loss.

    1 means a bar if the fit takes longer than a second (lines where tqdm is not installed),
    2 or more a line per iteration. ``total`` is the number of iterations that a fit may well take;
    None if nobody knows.
    """
    report = _report(int(verbose), name, total)
    try:
        yield report
    finally:
        report.close()


def _report(verbose: int, name: str, total: int | None) -> FitReport:
    if not verbose:
        return FitReport()
    if verbose == 1:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return _Lines(name)
        return _Bar(name, total, tqdm)
    return _Lines(name)
