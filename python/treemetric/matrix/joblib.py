"""Blocks as tasks of joblib; see `treemetric.distributed`."""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from treemetric._base.typing import Distances
from treemetric._base.validation import check_memory
from treemetric.matrix.fill import Filling, tell_start, teller
from treemetric.matrix.plan import Block, BlockPlan
from treemetric.matrix.problem import Problem, Report

joblib: Any = importlib.import_module("joblib")  # which has no types

# Tasks handed over at once to a backend that gives results only all together.
_BATCH = 4


def _compute(index: int, problem: Problem, plan: BlockPlan, block: Block) -> tuple[int, Distances]:
    return index, problem.compute(plan, block, 1, None)


def results(
    problem: Problem, plan: BlockPlan, missing: list[int], n_jobs: int | None
) -> Iterator[tuple[int, Distances]]:
    """Give blocks as they are done by whichever backend is chosen."""

    def tasks(indices: list[int]) -> Iterator[Any]:
        for index in indices:
            block = plan.blocks[index]
            # Pieces of a strip are cut by the plan of the whole.
            what = (problem, plan, block) if plan.strips else problem.part(block)
            yield joblib.delayed(_compute)(index, *what)

    try:
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # a backend that cannot
        step = _BATCH * joblib.effective_n_jobs(n_jobs)
        for start in range(0, len(missing), step):
            yield from joblib.Parallel(n_jobs=n_jobs)(tasks(missing[start : start + step]))
        return
    yield from parallel(tasks(missing))


def into_file(filling: Filling, n_jobs: int | None, report: Report) -> Any:
    """Fill a file."""
    with filling:
        tell, plan = tell_start(filling, report), filling.plan
        for index, values in results(filling.problem, plan, filling.missing(), n_jobs):
            filling.save(index, values)
            tell(plan.pairs(plan.blocks[index]))
        return filling.finish()


def into_array(
    problem: Problem, n_jobs: int | None, budget: int, report: Report, function: str
) -> Distances:
    """Fill an array in memory."""
    plan, _ = problem.plan(problem.needs(1, 1), budget, function)
    shape = plan.result_shape
    nbytes = problem.dtype.itemsize
    for length in shape:
        nbytes *= length
    check_memory(nbytes, f"a distance matrix of shape {shape} and dtype {problem.dtype}")
    out: Distances = np.empty(shape, dtype=problem.dtype)
    tell = teller(0, plan.total(), report)
    for index, values in results(problem, plan, list(range(len(plan.blocks))), n_jobs):
        _place(out, plan, plan.blocks[index], values)
        tell(plan.pairs(plan.blocks[index]))
    return out


def _place(out: Distances, plan: BlockPlan, block: Block, values: Distances) -> None:
    (row, last), (column, end) = block
    if not plan.condensed:
        out[row:last, column:end] = values
        if plan.triangle:
            out[column:end, row:last] = values.T
        return
    taken = 0
    for i in range(row, last):
        if values.ndim == 1:  # on the diagonal
            line = values[taken : taken + last - i - 1]
            taken += len(line)
        else:
            line = values[i - row]
        place = plan.start(i) + max(column, i + 1) - i - 1
        out[place : place + len(line)] = line
