"""What the parts of `peers.py` share: the amount of work, and the comparison of engines."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from measure import race

if TYPE_CHECKING:
    from collections.abc import Callable

    from workloads import Engine, PlainTree

Sizes = dict[str, tuple[int, ...]]


class Plan(NamedTuple):
    """The amount of work."""

    shapes: Sizes  # with unit costs
    matrix_shapes: Sizes  # with a cost matrix
    longest_call: float  # seconds; an engine that would take longer is skipped
    longest_python: float  # the same for engines written in Python
    cell: float  # seconds per engine for one cell of the table
    set_cell: float  # the same for all pairs of a set
    syntax_pairs: int
    sets: tuple[tuple[str, int, int, int], ...]  # shape, trees, fewest, most nodes
    syntax_trees: int
    cutoffs: tuple[float, ...]
    neighbours: tuple[tuple[int, int], ...]  # trees, queries
    modules: tuple[str, ...] | None = None  # of the syntax trees; None for many


_SIZES = (10, 20, 50, 100, 200, 500, 1000)
_SETS = (
    ("random 10-40", 1000, 10, 40),
    ("random 10", 400, 10, 10),
    ("random 20", 400, 20, 20),
    ("random 50", 400, 50, 50),
)
FULL = Plan(
    shapes={
        "random": _SIZES,
        "recursive": (100, 1000),
        "binary": (100, 1000),
        "left": (20, 100, 200, 1000),
        "right": (20, 100, 500, 1000),
        "zigzag": (20, 100, 500, 1000),
        "mixed": (20, 100, 500, 1000),
        "star": (100, 1000),
        "table": (100, 1000),
    },
    matrix_shapes={
        "random": _SIZES,
        "left": (50, 100, 1000),
        "right": (50, 100, 1000),
        "zigzag": (50, 100, 500),
        "mixed": (50, 100, 1000),
    },
    longest_call=8.0,
    longest_python=1.5,
    cell=0.8,
    set_cell=5.0,
    syntax_pairs=200,
    sets=_SETS,
    syntax_trees=1000,
    cutoffs=(5.0, 20.0),
    neighbours=((500, 200), (5000, 100)),
)
QUICK = FULL._replace(
    shapes={"random": _SIZES[:5], "zigzag": (50, 100), "mixed": (50, 100)},
    matrix_shapes={"random": _SIZES[:5]},
    longest_call=0.1,
    longest_python=0.1,
    cell=0.1,
    set_cell=0.8,
    syntax_pairs=100,
    neighbours=((500, 50),),
)
SMOKE = Plan(
    shapes={"random": (10, 20), "mixed": (20,), "left": (20, 50)},
    matrix_shapes={"random": (10,)},
    longest_call=0.02,
    longest_python=0.02,
    cell=0.0,
    set_cell=0.0,
    syntax_pairs=4,
    sets=(("random 10-40", 20, 10, 40),),
    syntax_trees=20,
    cutoffs=(20.0,),
    neighbours=((15, 5),),
    modules=("uuid",),
)


# Engines of one thread are compared by processor time. Wall-clock time on a busy machine would be
# unfair to slow engines, because long calls are interrupted more often than short ones.
contest = functools.partial(race, timer=time.process_time)


def each(distance: Callable[[Any, Any], float], pairs: list[tuple[Any, Any]]) -> None:
    for x, y in pairs:
        distance(x, y)


def prepared(engine: Engine, pairs: list[tuple[PlainTree, PlainTree]]) -> list[tuple[Any, Any]]:
    return [(engine.prepare(x), engine.prepare(y)) for x, y in pairs]


def agree(name: str, ours: list[float], theirs: list[float]) -> None:
    """Stop if two engines disagree."""
    if not np.allclose(ours, theirs, rtol=1e-9, atol=1e-9):
        worst = int(np.argmax(np.abs(np.subtract(ours, theirs))))
        message = f"{name} disagrees: {theirs[worst]!r}, treemetric {ours[worst]!r}"
        raise SystemExit(message)


def affordable(
    distance: Callable[[Any, Any], float], pairs: list[tuple[Any, Any]], seconds: float
) -> int:
    """Return how many of the pairs can be computed in about `seconds`, at least two."""
    start, count = time.perf_counter(), 0
    for x, y in pairs:
        distance(x, y)
        count += 1
        elapsed = time.perf_counter() - start
        if elapsed > seconds / 4 or count == 100:
            break
    return max(2, min(len(pairs), int(seconds * count / elapsed)))
