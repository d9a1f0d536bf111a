"""Blocks as tasks of joblib; see `treemetric.distributed`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from treemetric._base.typing import Distances
from treemetric.matrix.fill import DistanceFile
from treemetric.matrix.plan import Block, BlockPlan
from treemetric.matrix.problem import Problem
from treemetric.matrix.progress import PairProgress, Report

joblib: Any = importlib.import_module("joblib")  # which has no types

# Number of tasks per thread for a backend that returns results only all together.
_BATCH = 4


def _compute(index: int, problem: Problem, plan: BlockPlan, block: Block) -> tuple[int, Distances]:
    return index, problem.compute_block(plan, block, 1, None)


def results(
    problem: Problem, plan: BlockPlan, missing: list[int], n_jobs: int | None
) -> Iterator[tuple[int, Distances]]:
    """Yield blocks as the backend finishes them."""
    # Some backends start all workers at once.
    n_jobs = None if n_jobs is None else min(n_jobs, max(len(missing), 1))

    def tasks(indices: list[int]) -> Iterator[Any]:
        for index in indices:
            block = plan.blocks[index]
            # The plan of the whole matrix defines the pieces of a strip.
            what = (problem, plan, block) if plan.strips else problem.part(block)
            yield joblib.delayed(_compute)(index, *what)

    try:
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # a backend without generators
        step = _BATCH * joblib.effective_n_jobs(n_jobs)
        for start in range(0, len(missing), step):
            yield from joblib.Parallel(n_jobs=n_jobs)(tasks(missing[start : start + step]))
        return
    yield from parallel(tasks(missing))


def into_file(file: DistanceFile, n_jobs: int | None, report: Report) -> Any:
    """Compute the missing blocks of a file, and open it."""
    with file:
        plan, progress = file.plan, file.progress(report)
        for index, values in results(file.problem, plan, file.missing(), n_jobs):
            file.save(index, values)
            progress.add(plan.pairs(plan.blocks[index]))
        return file.finish()


def into_array(
    problem: Problem, n_jobs: int | None, budget: int, report: Report, function: str
) -> Distances:
    """Compute a matrix in memory."""
    plan, _ = problem.plan(problem.needs(1, 1), budget, function)
    out = problem.result_array()
    progress = PairProgress(plan.total(), report)
    for index, values in results(problem, plan, list(range(len(plan.blocks))), n_jobs):
        _place(out, plan, plan.blocks[index], values)
        progress.add(plan.pairs(plan.blocks[index]))
    return out


def _place(out: Distances, plan: BlockPlan, block: Block, values: Distances) -> None:
    if plan.condensed:
        for position, line in plan.upper.lines(*block, values):
            out[position : position + len(line)] = line
        return
    rows, columns = (slice(*side) for side in block)
    out[rows, columns] = values
    if plan.triangle:
        out[columns, rows] = values.T
