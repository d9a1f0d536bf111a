"""Progress bars for long calls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from treemetric._base.typing import Progress
from treemetric._base.validation import refuse, shown


@contextmanager
def reporter(
    progress: Progress, function: str, unit: str
) -> Iterator[Callable[[int, int], object] | None]:
    """Give the callback for ``progress``: itself, a tqdm bar for True, None for False."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    elif progress is True:
        with _bar(unit) as report:
            yield report
    else:
        refuse("progress", function, "None, a bool or a callable", shown(progress))


@contextmanager
def _bar(unit: str) -> Iterator[Callable[[int, int], object]]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        message = 'progress=True needs tqdm: pip install "treemetric[progress]"'
        raise ImportError(message) from None
    bar: Any = tqdm(unit=f" {unit}", unit_scale=True)

    def report(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield report
    finally:
        bar.close()
