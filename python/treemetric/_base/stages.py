"""Bars for the stages of a call that may take long, such as a fit."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

Report = Callable[[int, int], None]

# A stage that is done sooner shows no bar.
_DELAY = 1.0


@contextmanager
def stage(verbose: int, name: str, unit: str) -> Iterator[Report | None]:
    """Give a function to call with what is done and what there is to do; None if not verbose.

    A bar appears when the stage takes longer than a second, whether or not it has reported
    by then: solvers of others are silent until they are done. Where tqdm is not installed it
    is a line.
    """
    if not verbose:
        yield None
        return
    bar = _bar(name, unit)

    def show() -> None:
        if bar is None:
            sys.stdout.write(f"[{name}] {unit} ...\n")
            return
        bar.refresh()
        # What was shown must be closed, too.
        bar.delay = 0.0

    def report(done: int, total: int) -> None:
        if bar is not None:
            bar.total = total
            bar.update(done - bar.n)

    timer = Timer(_DELAY, show)
    timer.daemon = True
    timer.start()
    try:
        yield report
    finally:
        timer.cancel()
        timer.join()
        if bar is not None:
            bar.close()


def _bar(name: str, unit: str) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    # The delay is that of the bar too, so that reports do not show it sooner.
    return tqdm(desc=name, delay=_DELAY, unit=f" {unit}", unit_scale=True)
