"""Blocks as tasks of dask; see `treemetric.distributed`."""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from treemetric._base.extras import need
from treemetric._base.typing import Distances
from treemetric.matrix.fill import DistanceFile
from treemetric.matrix.plan import Block
from treemetric.matrix.problem import Problem
from treemetric.matrix.progress import Report
from treemetric.matrix.zarr import ZarrStore

# What needs the optional packages, for errors.
_WHAT = "treemetric.distributed.pairwise_distances"
# Blocks in the queue of each thread of the workers, so that no thread waits.
_QUEUED = 2
# Attempts to send the trees while workers die.
_ATTEMPTS = 20


def current_client(client: Any) -> Any:
    """Return the client, the current client, or None."""
    if client is not None:
        return client
    try:
        return need("distributed", "dask", _WHAT).get_client()
    except (ImportError, ValueError):
        return None


def _compute(problem: Problem, cuts: dict[str, Any], block: Block, threads: int) -> Distances:
    """Compute a block; runs on a worker."""
    return problem.compute_block(problem.plan_from(cuts), block, threads, None)


def _identity(problem: Problem) -> Problem:
    """Return the problem; runs on a worker."""
    return problem


def _transposed(block: Distances) -> Distances:
    """Transpose a block; runs on a worker."""
    return block.T


def held(key: str) -> Any:
    """Return the problem that this worker holds."""
    return need("distributed", "dask", _WHAT).get_worker().treemetric_problems[key]


def _compute_held(key: str, cuts: dict[str, Any], block: Block, threads: int) -> Distances:
    """Compute a block of a problem that the worker holds; runs on a worker."""
    return _compute(held(key), cuts, block, threads)


def _write_held(
    key: str, cuts: dict[str, Any], block: Block, threads: int, target: tuple[str, str]
) -> None:
    """Compute a block of a problem that the worker holds and write it; runs on a worker."""
    path, run = target
    problem = held(key)
    plan = problem.plan_from(cuts)
    store = ZarrStore(Path(path), plan.result_shape, problem.dtype)
    store.run = run
    store.attach()
    store.write(plan, block, problem.compute_block(plan, block, threads, None))
    store.sync()


@contextmanager
def sent(client: Any, problem: Any) -> Iterator[str]:
    """Send a problem to all workers, including later ones, and yield its key.

    They are a plugin, because scattered data are lost when the workers that hold them die.
    """
    key = f"treemetric-{uuid.uuid4().hex}"
    base: Any = need("distributed", "dask", _WHAT).WorkerPlugin

    class Holder(base):  # type: ignore[misc]
        """Holds the problem on a worker."""

        def setup(self, worker: Any) -> None:
            if not hasattr(worker, "treemetric_problems"):
                worker.treemetric_problems = {}
            worker.treemetric_problems[key] = problem

        def teardown(self, worker: Any) -> None:
            worker.treemetric_problems.pop(key, None)

    try:
        for attempt in range(_ATTEMPTS):
            try:
                client.register_plugin(Holder(), name=key)
                break
            except OSError:  # a worker died at this moment
                if attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(0.5)
        yield key
    finally:
        with suppress(OSError):
            client.unregister_worker_plugin(key)


def lazy(problem: Problem, threads: int, budget: int) -> Any:
    """Return a dask array whose chunks are the blocks."""
    array = need("dask.array", "dask", _WHAT)
    plan, _ = problem.plan(
        problem.needs(threads, 1), budget, "pairwise_distances", strips=problem.condensed
    )
    if not plan.blocks:
        return array.zeros(plan.result_shape, dtype=problem.dtype)
    cuts = plan.to_json()
    # A graph rather than delayed objects: dask fuses those under names that depend on what else is
    # computed, and then the scheduler does not find results that it has.
    name = f"treemetric-{uuid.uuid4().hex}"
    # One task that all blocks depend on: workers receive its result once, and it is computed again
    # when the workers that hold it die.
    trees = f"{name}-trees"
    tasks: dict[Any, Any] = {trees: (_identity, problem)}

    def task(block: Block) -> tuple[Any, str]:
        return partial(_compute, cuts=cuts, block=block, threads=threads), trees

    if plan.strips:
        for index, block in enumerate(plan.blocks):
            tasks[name, index] = task(block)
        chunks: tuple[tuple[int, ...], ...] = (tuple(map(plan.pairs, plan.blocks)),)
    else:
        rows = sorted({block.rows for block in plan.blocks})
        columns = sorted({block.columns for block in plan.blocks})
        planned = set(plan.blocks)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                here = Block(row, column) in planned
                # The other triangle of a symmetric matrix.
                tasks[name, i, j] = (
                    task(Block(row, column)) if here else (_transposed, (name, j, i))
                )
        chunks = tuple(tuple(end - start for start, end in cut) for cut in (rows, columns))
    graph = need("dask.highlevelgraph", "dask", _WHAT).HighLevelGraph
    layers = graph.from_collections(name, tasks, dependencies=[])
    return array.Array(layers, name, chunks, dtype=problem.dtype)


def fill(
    file: DistanceFile,
    client: Any,
    threads: int,
    remote: bool,  # noqa: FBT001
    report: Report,
) -> Any:
    """Compute the missing blocks of a file on a cluster, and open it."""
    with file:
        plan, progress = file.plan, file.progress(report)
        lost = need("distributed.comm", "dask", _WHAT).CommClosedError
        try:
            for index, values in _results(file, client, threads, remote):
                file.save(index, values)
                progress.add(plan.pairs(plan.blocks[index]))
        except lost as error:
            message = (
                f"the connection to the dask scheduler is lost; {file.path} keeps the blocks that "
                "are done, and the same call computes the others"
            )
            raise ConnectionError(message) from error
        return file.finish()


def _results(
    file: DistanceFile,
    client: Any,
    threads: int,
    remote: bool,  # noqa: FBT001
) -> Iterator[tuple[int, Distances | None]]:
    """Yield missing blocks as they finish."""
    waiting = file.missing()
    if not waiting:
        return
    cuts, target = file.plan.to_json(), (str(file.path.absolute()), file.run)
    with sent(client, file.problem) as key:

        def submit(index: int) -> Any:
            what = (key, cuts, file.plan.blocks[index], threads)
            if remote:
                return client.submit(_write_held, *what, target, pure=False)
            return client.submit(_compute_held, *what, pure=False)

        yield from finished(client, waiting, submit)


def finished(
    client: Any, tasks: Iterable[int], submit: Callable[[int], Any]
) -> Iterator[tuple[int, Any]]:
    """Yield tasks with their results as they finish, with a short queue for every thread."""
    waiting = deque(tasks)
    running: dict[Any, int] = {}
    done = need("distributed", "dask", _WHAT).as_completed()
    try:
        while waiting or running:
            slots = max(sum(client.nthreads().values()), 1)
            while waiting and len(running) < _QUEUED * slots:
                index = waiting.popleft()
                future = submit(index)
                running[future] = index
                done.add(future)
            future = next(done)
            index = running.pop(future)
            value = future.result()
            del future  # the cluster may release it
            yield index, value
    finally:
        client.cancel(list(running))
