"""Timed searches of `benches/join.py`, in this process or by an earlier version of treemetric.

    PYTHONPATH=FOLDER python benches/join_search.py TREES.pkl QUERIES.pkl radius|k VALUE ...

prints the processor seconds and the digest of the answers of a search for each value. The folder is
that of the Python package of the earlier version, with its compiled module. Without a file of
queries (""), the search is inside the trees.
"""

import hashlib
import math
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import treemetric as tm


def timed(call: Callable[[], Any], rounds: int = 3, budget: float = 4.0) -> tuple[float, Any]:
    """Return the minimum of the processor seconds of some runs, and the last result."""
    best, spent, found = math.inf, 0.0, None
    for _ in range(rounds):
        start = time.process_time()
        found = call()
        seconds = time.process_time() - start
        best, spent = min(best, seconds), spent + seconds
        if spent > budget:
            break
    return best, found


def digest(found: Any) -> str:
    """Return a digest of the bits of all answers."""
    names = ("offsets", "indices", "distances")
    parts = [getattr(found, name).tobytes() for name in names if hasattr(found, name)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def searched(X: Any, Y: Any, name: str, value: int) -> tuple[float, Any]:
    """Return the seconds and the answers of a search by this version."""
    if name == "k":
        return timed(lambda: tm.nearest(X, Y, k=value))
    return timed(lambda: tm.within(X, Y, radius=value))


def searched_before(
    folder: Path, X: Any, Y: Any, name: str, values: list[int]
) -> dict[int, tuple[float, str]]:
    """Return the seconds and the digest of searches by an earlier version."""
    with tempfile.TemporaryDirectory() as scratch:
        files = []
        for number, trees in enumerate((X, Y)):
            files.append("" if trees is None else str(Path(scratch) / f"{number}.pkl"))
            if trees is not None:
                Path(files[-1]).write_bytes(pickle.dumps(trees))
        done = subprocess.run(
            [sys.executable, __file__, *files, name, *map(str, values)],
            env=os.environ | {"PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
    lines = [line.split() for line in done.stdout.splitlines()]
    return {
        value: (float(seconds), answers)
        for value, (seconds, answers) in zip(values, lines, strict=True)
    }


def main() -> None:
    first, second, name, *values = sys.argv[1:]
    X, Y = (pickle.loads(Path(file).read_bytes()) if file else None for file in (first, second))
    for value in values:
        seconds, found = searched(X, Y, name, int(value))
        print(seconds, digest(found), flush=True)


if __name__ == "__main__":
    main()
