"""Single pairs, for `peers.py`: all shapes, real functions, the overhead of a call."""

from __future__ import annotations

import functools
import importlib
import random
from typing import TYPE_CHECKING

import numpy as np
import workloads
from measure import Calls, Forecast
from peers_common import Plan, affordable, agree, contest, each, prepared
from report import Report, spell

import treemetric as tm

if TYPE_CHECKING:
    from workloads import Engine, PlainTree

IN_PYTHON = ("zss", "apted")


def bench_shapes(engines: list[Engine], plan: Plan, report: Report) -> None:
    for task, shapes in (("pair, unit", plan.shapes), ("pair, matrix", plan.matrix_shapes)):
        able = [e for e in engines if task == "pair, unit" or e.with_costs is not None]
        for shape, sizes in shapes.items():
            forecasts = {engine.name: Forecast() for engine in able}
            for n in sizes:
                pairs = _bench_shape(able, plan, report, forecasts, task, shape, n)
            if pairs and task == "pair, unit" and shape in ("zigzag", "left"):
                _bench_mirror(engines[0], plan, report, pairs[0], shape, sizes[-1])


def _bench_shape(
    engines: list[Engine],
    plan: Plan,
    report: Report,
    forecasts: dict[str, Forecast],
    task: str,
    shape: str,
    n: int,
) -> list[tuple[PlainTree, PlainTree]]:
    """Time the engines that are fast enough; return the pairs, or none if treemetric is not."""
    rng = random.Random(n)
    count = 4 if n <= 100 else 1
    trees = [workloads.make_tree(shape, n, rng) for _ in range(2 * count)]
    pairs = list(zip(trees[::2], trees[1::2], strict=True))
    costs = workloads.metric_costs(workloads.ALPHABET, seed=1)
    seconds: dict[str, float | None] = {}
    notes: dict[str, str] = {}
    values: dict[str, list[float]] = {}
    calls: Calls = {}
    for engine in engines:
        forecast = forecasts[engine.name]
        expected = forecast(n)
        seconds[engine.name] = None
        longest = plan.longest_python if engine.name in IN_PYTHON else plan.longest_call
        if expected * count > longest:
            if engine.name in IN_PYTHON:
                notes[engine.name] = f"skipped, one call would take {spell(expected)}"
            else:
                seconds[engine.name] = expected
                notes[engine.name] = f"extrapolated from n = {forecast.last} and below"
            continue
        ready = prepared(engine, pairs)
        distance = engine.unit
        if task == "pair, matrix" and engine.with_costs is not None:
            distance = engine.with_costs(*costs)
        values[engine.name] = [distance(x, y) for x, y in ready]
        calls[engine.name] = functools.partial(each, distance, ready)
    if "treemetric" not in calls:
        print(f"{task:<13}{shape:<14}n={n:<6}skipped, takes too long")
        return []
    for name, theirs in values.items():
        agree(name, values["treemetric"], theirs)
    for name, least in contest(calls, plan.cell).items():
        seconds[name] = least / count
        forecasts[name].add(n, least / count)
    report.add(task, shape, n, seconds, notes)
    return pairs


def _bench_mirror(
    engine: Engine,
    plan: Plan,
    report: Report,
    pair: tuple[PlainTree, PlainTree],
    shape: str,
    n: int,
) -> None:
    image = (workloads.mirror(pair[0]), workloads.mirror(pair[1]))
    ready = prepared(engine, [pair, image])
    agree("the mirror image", [engine.unit(*ready[0])], [engine.unit(*ready[1])])
    least = contest(
        {
            "treemetric": functools.partial(engine.unit, *ready[0]),
            "mirror image": functools.partial(engine.unit, *ready[1]),
        },
        plan.cell,
    )
    report.add("mirror", shape, n, dict(least))


def bench_syntax_pairs(engines: list[Engine], plan: Plan, report: Report) -> None:
    """Time pairs of real functions; slow engines compute a subset of the same pairs."""
    trees = workloads.syntax_set(2 * plan.syntax_pairs, 1, plan.modules)
    pairs = list(zip(trees[::2], trees[1::2], strict=True))
    alphabet = sorted({label for labels, _ in trees for label in labels})
    costs = workloads.metric_costs(alphabet, seed=1)
    for task in ("pair, unit", "pair, matrix"):
        calls: Calls = {}
        counts: dict[str, int] = {}
        ours = ready = None
        for engine in engines:
            distance = engine.unit
            if task == "pair, matrix":
                if engine.with_costs is None:
                    continue
                distance = engine.with_costs(*costs)
            theirs = prepared(engine, pairs)
            count = affordable(distance, theirs, plan.set_cell / 4)
            values = [distance(x, y) for x, y in theirs[:count]]
            if ours is None or ready is None:
                ours, ready, own_distance = values, theirs, distance
            agree(engine.name, ours[:count], values)
            counts[engine.name] = count
            calls[engine.name] = functools.partial(each, distance, theirs[:count])
            if count < counts["treemetric"]:
                own = functools.partial(each, own_distance, ready[:count])
                calls[f"own {engine.name}"] = own
        least = contest(calls, plan.set_cell)
        report.add(
            task,
            "ast",
            0,
            {name: least[name] / count for name, count in counts.items()},
            {
                name: f"mean of {count} pairs, ratio on the same pairs"
                for name, count in counts.items()
            },
            {
                name: least[f"own {name}"] / count
                for name, count in counts.items()
                if f"own {name}" in least
            },
        )


def bench_expectation(engines: list[Engine], plan: Plan, report: Report) -> None:
    """Time the expectation matrix of pairs of real functions, per Zhang-Shasha cell."""
    trees = workloads.syntax_set(2 * plan.syntax_pairs, 1, plan.modules)
    plain = list(zip(trees[::2], trees[1::2], strict=True))
    pairs = prepared(engines[0], plain)
    for x, y in pairs[:20]:
        assert np.allclose(tm.cooptimal(x, y).expectation[:-1].sum(axis=1), 1)
    call = functools.partial(each, lambda x, y: tm.cooptimal(x, y).expectation, pairs)
    least = contest({"treemetric": call}, plan.set_cell)["treemetric"]
    cells = sum(workloads.cells(x) * workloads.cells(y) for x, y in plain)
    seconds: dict[str, float | None] = {"treemetric": least / len(pairs)}
    notes = {"treemetric": f"{least / cells * 1e9:.2f} ns per cell"}
    if any(engine.name == "edist" for engine in engines):
        few = [pair for pair in plain if len(pair[0][0]) + len(pair[1][0]) <= 100][:12]
        seconds["edist"] = None
        notes["edist"] = f"raises on {sum(map(_edist_raises, few))} of {len(few)} pairs"
    report.add("expectation", "ast", 0, seconds, notes)
    print(f"{'':<35}{'; '.join(notes.values())}", flush=True)


def _edist_raises(pair: tuple[PlainTree, PlainTree]) -> bool:
    """Return whether edist raises an error instead of returning a matrix."""
    ted = importlib.import_module("edist.ted")
    (a, above_a), (b, above_b) = pair
    try:
        ted.ted_backtrace_matrix(
            *(a, workloads.adjacency(above_a), b, workloads.adjacency(above_b)),
            lambda old, new: float(old != new),
        )
    except ValueError:
        return True
    return False


def bench_call(engine: Engine, plan: Plan, report: Report) -> None:
    """Time one call on small trees, where the call into Rust dominates."""
    trees = [engine.prepare(tree) for tree in workloads.random_set(100, 10, 10, seed=1)]
    pairs = list(zip(trees[::2], trees[1::2], strict=True))
    least = contest({"call": functools.partial(each, tm.distance, pairs)}, plan.cell, 50)
    report.add("call", "random", 10, {"treemetric": least["call"] / len(pairs)})
