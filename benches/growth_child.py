"""Time and peak memory of one call in a separate process, for `growth.py`.

Reads pickled arguments from standard input, `(x, y, costs)` for one pair or `(trees,)` for all
pairs, and writes the seconds and the peak memory as JSON. Imports as little as possible.
"""

from __future__ import annotations

import functools
import json
import pickle
import subprocess
import sys
import time
from typing import Any

from measure import peak_memory, race

import treemetric as tm


def run_alone(*arguments: Any) -> tuple[float, int | None]:
    """Return the seconds and the bytes of a call in a new process."""
    child = subprocess.run(
        [sys.executable, __file__],
        input=pickle.dumps(arguments),
        stdout=subprocess.PIPE,
        check=True,
    )
    seconds, peak = json.loads(child.stdout)
    return seconds, peak


def main() -> None:
    arguments = pickle.load(sys.stdin.buffer)
    if len(arguments) == 1:
        (trees,) = arguments
        call = functools.partial(tm.pairwise_distances, trees, n_jobs=1)
        # Warm up: the memory of the first call of a process does not belong to the trees.
        tm.pairwise_distances(trees[:2], n_jobs=1)
    else:
        x, y, costs = arguments
        call = functools.partial(tm.distance, x, y, costs=costs)
        tm.distance(tm.Tree.from_sequence("a"), tm.Tree.from_sequence("b"))
    start = time.process_time()
    _, peak = peak_memory(call)
    seconds = time.process_time() - start
    if seconds < 1:
        seconds = min(seconds, race({"call": call}, 1.0, timer=time.process_time)["call"])
    json.dump((seconds, peak), sys.stdout)


if __name__ == "__main__":
    main()
