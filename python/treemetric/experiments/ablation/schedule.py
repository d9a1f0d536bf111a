"""Cells in parallel: one process per core, one thread per process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from threadpoolctl import threadpool_limits

from treemetric.experiments.ablation.cell import run_cell
from treemetric.experiments.ablation.data import DataSet
from treemetric.experiments.ablation.distances import Distances
from treemetric.experiments.ablation.plan import VARIANTS, Plan
from treemetric.experiments.ablation.store import Cell, CellKey

Finished = tuple[CellKey, Cell | Exception]


class _Worker:
    """The state that a process keeps between cells."""

    def __init__(self, data: Sequence[DataSet], plan: Plan, seed: int) -> None:
        self.data = {one.name: one for one in data}
        self.distances: dict[str, Distances] = {}
        self.plan, self.seed = plan, seed

    def run(self, key: CellKey) -> Cell:
        name, fold, variant = key
        if name not in self.distances:
            # Cells are ordered by data set, so only the distances of the last one are kept.
            self.distances = {name: Distances(self.data[name].trees)}
        with threadpool_limits(1):
            return run_cell(
                self.data[name], self.distances[name], fold, variant, self.plan, self.seed
            )


def weight(data: DataSet, variant: str) -> float:
    """Estimate the relative time of a cell, for the time left."""
    # Time grows with the product of tree sizes, and for classifiers with the number of trees.
    pairs = float(data.trees.sizes.sum()) ** 2 + 300.0 * len(data.trees) ** 2
    return pairs * (0.1 if VARIANTS[variant].learner is None else 1.0)


def ordered(cells: Sequence[CellKey], data: Sequence[DataSet]) -> list[CellKey]:
    """Sort long cells first, so that no core waits for the last one; data sets stay together."""
    by_name = {one.name: one for one in data}
    heaviest = {one.name: weight(one, "L2") for one in data}
    return sorted(cells, key=lambda c: (-heaviest[c[0]], c[0], -weight(by_name[c[0]], c[2]), c))


def run_all(
    cells: Sequence[CellKey], data: Sequence[DataSet], plan: Plan, seed: int, jobs: int
) -> Iterator[Finished]:
    """Run cells; yield each when it is finished, with its exception if it failed."""
    jobs = min(jobs, len(cells))
    if jobs <= 1:
        worker = _Worker(data, plan, seed)
        for key in cells:
            yield key, _tried(worker, key)
        return
    yield from _run_pool(cells, (data, plan, seed), jobs)


def _tried(worker: _Worker, key: CellKey) -> Cell | Exception:
    try:
        return worker.run(key)
    except Exception as error:  # noqa: BLE001  reported at the end; other cells continue
        return error


def _run_pool(cells: Sequence[CellKey], shared: tuple[Any, ...], jobs: int) -> Iterator[Finished]:
    # Spawned processes: a fork would copy locks of BLAS threads.
    context = multiprocessing.get_context("spawn")
    # Only this process holds the writing end. When it closes, because this process is done,
    # interrupted or killed, the workers end at once, even in the middle of a cell.
    reading, writing = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(reading, shared)
    )
    try:
        # Few at a time: a submitted cell cannot be withdrawn.
        left = iter(cells)
        running: dict[Future[Cell | Exception], CellKey] = {}
        while True:
            for key in left:
                with _no_interrupt():
                    running[pool.submit(_work, key)] = key
                if len(running) >= jobs:
                    break
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        writing.close()
        pool.shutdown(wait=True)
        reading.close()


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Block Ctrl-C while processes start; they inherit the block and never receive it.

    The signal goes to the whole process group, but only the parent must act on it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_worker: _Worker | None = None


def _begin(alive: Connection, shared: tuple[Any, ...]) -> None:
    """Prepare a worker process."""
    global _worker  # noqa: PLW0603  state of the process
    # For systems where the signal cannot be blocked.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(alive,), daemon=True).start()
    _worker = _Worker(*shared)


def _end_with(alive: Connection) -> None:
    try:
        alive.recv()
    except (EOFError, OSError):
        os._exit(1)


def _work(key: CellKey) -> Cell | Exception:
    assert _worker is not None
    return _tried(_worker, key)
