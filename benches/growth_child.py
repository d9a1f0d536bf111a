"""One call in a process of its own, for `growth.py`: how long, and how much memory.

Reads pickled arguments, `(x, y, costs)` of one pair or `(trees,)` of all pairs, from standard
input, and writes the seconds and the peak memory as JSON. Imports as little as it can.
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
    told = subprocess.run(
        [sys.executable, __file__],
        input=pickle.dumps(arguments),
        stdout=subprocess.PIPE,
        check=True,
    )
    seconds, peak = json.loads(told.stdout)
    return seconds, peak


def main() -> None:
    arguments = pickle.load(sys.stdin.buffer)
    if len(arguments) == 1:
        (trees,) = arguments
        call = functools.partial(tm.pairwise_distances, trees, n_jobs=1)
        # What the first call of a process loads is not the trees'.
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
