"""What a fit tells while it runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Report = Callable[[int, float], None]

# A fit that is done sooner shows no bar.
_DELAY = 1.0


@contextmanager
def fit_report(verbose: int, name: str, total: int) -> Iterator[Report]:
    """Give a function to call with the number of iterations done and the loss.

    1 means a bar if the fit takes longer than a second (lines where tqdm is not installed),
    2 or more a line per iteration.
    """
    if not verbose:
        yield _nothing
        return
    bar = _bar(name, total) if verbose == 1 else None
    if bar is None:
        yield lambda done, loss: _line(name, done, loss)
        return

    def report(done: int, loss: float) -> None:
        bar.set_postfix(loss=f"{loss:.6g}", refresh=False)
        bar.update(done - bar.n)

    try:
        yield report
    finally:
        bar.close()


def _nothing(done: int, loss: float) -> None:
    """Say nothing."""


def _line(name: str, done: int, loss: float) -> None:
    sys.stdout.write(f"[{name}] iteration {done}, loss {loss:.6g}\n")


def _bar(name: str, total: int) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(desc=name, total=total, delay=_DELAY, unit=" iterations")
