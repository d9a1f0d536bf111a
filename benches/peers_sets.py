"""Sets of trees, for `peers.py`: all pairs, pairs up to a cutoff, nearest neighbours."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING

import numpy as np
import workloads
from measure import Calls, peak_memory, race
from peers_common import Plan, affordable, agree, contest, each

import treemetric as tm

if TYPE_CHECKING:
    from collections.abc import Callable

    from report import Report
    from workloads import Engine, PlainTree


def bench_sets(engines: list[Engine], plan: Plan, report: Report) -> None:
    for shape, count, low, high in plan.sets:
        trees = workloads.random_set(count, low, high, seed=count + low)
        _bench_set(engines, plan, report, shape, trees)
    trees = workloads.syntax_set(plan.syntax_trees, 2, plan.modules)
    D = _bench_set(engines, plan, report, "ast", trees)
    for cutoff in plan.cutoffs:
        _bench_cutoff(engines, plan, report, trees, D, cutoff)


def _bench_set(
    engines: list[Engine],
    plan: Plan,
    report: Report,
    shape: str,
    trees: list[PlainTree],
) -> np.ndarray:
    """Time all pairs, or a sample for slow engines; return our distances."""
    n = len(trees)
    total = n * (n - 1) // 2
    X = tm.TreeSet([engines[0].prepare(tree) for tree in trees])
    D, peak = peak_memory(lambda: tm.pairwise_distances(X, n_jobs=1))
    memory = "" if peak is None else f"peak memory +{peak / 2**20:.1f} MiB"
    order = workloads.random_pairs(n, total, seed=n)
    random.Random(n).shuffle(order)
    own = functools.partial(tm.pairwise_distances, X)
    calls: Calls = {"treemetric": functools.partial(own, n_jobs=1)}
    samples = {
        engine.name: _sample(engine, trees, trees, order, D, plan, calls) for engine in engines[1:]
    }
    least = contest(calls, plan.set_cell)
    seconds: dict[str, float | None] = {"treemetric": least["treemetric"]}
    notes = {"treemetric": memory}
    for name, (count, share) in samples.items():
        seconds[name] = least[name] / share
        if count < total:
            notes[name] = f"extrapolated from {count} pairs"
    report.add("all pairs", shape, n, seconds, notes)
    report.add_threads("all pairs", shape, n, *_by_threads(own, plan), memory)
    return np.asarray(D)


def _by_threads(call: Callable[..., object], plan: Plan, share: float = 1.0) -> tuple[float, float]:
    """Return the wall-clock seconds of a call with one thread and with two."""
    calls: Calls = {str(n): functools.partial(call, n_jobs=n) for n in (1, 2)}
    least = race(calls, plan.set_cell / 2)
    return least["1"] * share, least["2"] * share


def _sample(
    engine: Engine,
    rows: list[PlainTree],
    columns: list[PlainTree],
    order: list[tuple[int, int]],
    D: np.ndarray,
    plan: Plan,
    calls: Calls,
) -> tuple[int, float]:
    """Add a call for a sample that an engine can compute in time; return its size and share.

    The work per pair varies widely, so the share of a sample is its share of the cells.
    """
    budget = max(plan.set_cell / 6, 0.02)
    left = {i: engine.prepare(rows[i]) for i in {i for i, _ in order}}
    right = {j: engine.prepare(columns[j]) for j in {j for _, j in order}}
    pairs = [(left[i], right[j]) for i, j in order]
    count = affordable(engine.unit, pairs, budget)
    checked = min(count, 200)
    theirs = [engine.unit(x, y) for x, y in pairs[:checked]]
    agree(engine.name, [float(D[i, j]) for i, j in order[:checked]], theirs)
    calls[engine.name] = functools.partial(each, engine.unit, pairs[:count])
    if count == len(order):
        return count, 1.0
    by_row, by_column = (
        np.array([workloads.cells(tree) for tree in trees], dtype=float)
        for trees in (rows, columns)
    )
    whole = sum(by_row[i] * by_column[j] for i, j in order)
    part = sum(by_row[i] * by_column[j] for i, j in order[:count])
    return count, part / whole


def _bench_cutoff(
    engines: list[Engine],
    plan: Plan,
    report: Report,
    trees: list[PlainTree],
    D: np.ndarray,
    cutoff: float,
) -> None:
    """Time all pairs up to a cutoff; peers have no cutoff and compute all distances."""
    n, shape = len(trees), f"ast, cutoff {cutoff:g}"
    X = tm.TreeSet([engines[0].prepare(tree) for tree in trees])
    bounded = functools.partial(tm.pairwise_distances, X, cutoff=cutoff)
    assert np.array_equal(bounded(), np.where(cutoff >= D, D, np.inf))
    least = contest(
        {
            "treemetric": functools.partial(bounded, n_jobs=1),
            "exhaustive": functools.partial(tm.pairwise_distances, X, n_jobs=1),
        },
        plan.set_cell / 2,
    )
    seconds: dict[str, float | None] = dict(least)
    notes = {"exhaustive": "treemetric, without a cutoff"}
    for engine in engines[1:]:
        row = report.find("all pairs", "ast", n, engine.name)
        if row is not None:
            seconds[engine.name] = row.seconds
            notes[engine.name] = f"without a cutoff; {row.note}".rstrip("; ")
    report.add("bounded", shape, n, seconds, notes)
    report.add_threads("bounded", shape, n, *_by_threads(bounded, plan), "")


def bench_nearest(engines: list[Engine], plan: Plan, report: Report) -> None:
    """Time the exact neighbours of functions among other functions, per query."""
    most = max(trees + queries for trees, queries in plan.neighbours)
    if plan.modules:
        plain = workloads.syntax_set(most, 5, plan.modules)
    else:
        plain = workloads.library_set(most, seed=5)
    for count, queries in plan.neighbours:
        _bench_nearest(engines, plan, report, plain[:queries], plain[queries : queries + count])


def _bench_nearest(
    engines: list[Engine],
    plan: Plan,
    report: Report,
    queries: list[PlainTree],
    trees: list[PlainTree],
) -> None:
    X, Y = (tm.TreeSet([engines[0].prepare(t) for t in some]) for some in (queries, trees))
    D = tm.pairwise_distances(X, Y)
    order = np.argsort(D, axis=1, kind="stable")
    peers: Calls = {}
    pairs = [(i, j) for i in range(len(X)) for j in range(len(Y))]
    random.Random(0).shuffle(pairs)
    samples = {
        engine.name: _sample(engine, queries, trees, pairs, D, plan, peers)
        for engine in engines[1:]
        if engine.name == "edist"  # the others are too slow
    }
    contenders = {"exhaustive": functools.partial(tm.pairwise_distances, X, Y, n_jobs=1), **peers}
    others = contest(contenders, plan.set_cell / 2)
    for k in (1, 5):
        search = functools.partial(tm.nearest, X, Y, k=k)
        found = search()
        assert np.array_equal(found.indices, order[:, :k])
        assert np.array_equal(found.distances, np.take_along_axis(D, order[:, :k], axis=1))
        own = contest({"treemetric": functools.partial(search, n_jobs=1)}, plan.set_cell / 2)
        seconds: dict[str, float | None] = {
            "treemetric": own["treemetric"] / len(X),
            "exhaustive": others["exhaustive"] / len(X),
        }
        avoided = f"{found.avoided:.1%} of the distances avoided"
        notes = {"treemetric": avoided, "exhaustive": "treemetric, all distances"}
        for name, (count, share) in samples.items():
            seconds[name] = others[name] / share / len(X)
            notes[name] = f"all distances, extrapolated from {count} pairs"
        shape = f"ast, k = {k}"
        report.add("nearest", shape, len(Y), seconds, notes)
        by_threads = _by_threads(search, plan, 1 / len(X))
        report.add_threads("nearest", shape, len(Y), *by_threads, avoided)
