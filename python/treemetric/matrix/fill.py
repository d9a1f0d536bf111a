"""Distances in a file: begun, resumed, finished."""

import os
import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import Distances, Progress, Trees
from treemetric._base.validation import check_bool
from treemetric.costs import Costs
from treemetric.exceptions import CancelledError
from treemetric.matrix import fingerprint
from treemetric.matrix.manifest import FORMAT, Lock, Manifest
from treemetric.matrix.plan import BlockPlan, check_budget, check_room
from treemetric.matrix.problem import Problem, Report
from treemetric.matrix.store import store_class
from treemetric.treeset import check_trees

_NOTE_EVERY = 0.2  # seconds
_CANCELLED = "the computation was cancelled"
_ANEW = "pass overwrite=True (--overwrite on the command line) to replace it, or another name"


class Filling:
    """A file that is being filled; a context, in which the file is locked.

    Parameters
    ----------
    problem
        The distances.
    path
        The file.
    budget
        Most bytes that a block may take.
    threads
        Threads that will work on a block.
    overwrite
        Replace what is there if it is something else. The same distances are resumed all the
        same, or a killed call could not be repeated as it was.
    function
        Who is asked, for messages.
    """

    def __init__(
        self,
        problem: Problem,
        path: str | os.PathLike[str],
        *,
        budget: int,
        threads: int,
        overwrite: bool,
        function: str,
    ) -> None:
        self.problem = problem
        self.path = target = Path(path)
        n, m = problem.shape
        shape = (n * (n - 1) // 2,) if problem.condensed else (n, m)
        self._store = store_class(target, function)(target, shape, problem.dtype)
        beside = self._store.beside
        if not beside.parent.is_dir():
            message = f"No such folder for the result: {beside.parent}"
            raise FileNotFoundError(message)
        self._lock = Lock(beside.with_name(f"{beside.name}.lock"), target)
        self._manifest = Manifest(
            beside.with_name(f"{beside.name}.manifest.json"), _identity(problem, shape)
        )
        self._budget, self._overwrite, self._function = budget, overwrite, function
        self._room = problem.needs(threads, self._store.copies)
        self.plan: BlockPlan
        self._stack = ExitStack()
        self._written: set[int] = set()  # but not yet noted
        self._noted = 0.0
        self._finished = False

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._lock)
            stack.callback(self._store.close)
            if not self._is_resumed():
                self._begin()
            # Also when work is interrupted: what was written counts.
            stack.callback(self._commit)
            self._stack = stack.pop_all()
        self._noted = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _is_resumed(self) -> bool:
        """Take up what is there; tell whether there is something to take up."""
        store, manifest = self._store, self._manifest
        if not manifest.exists():
            if store.is_whole():
                self._give_up(f"{store.path} exists and has no manifest", FileExistsError)
            return False
        try:
            differences = manifest.load()
        except ValueError as error:
            self._give_up(str(error), ValueError)
            return False
        if differences:
            self._give_up(f"{store.path} was made with {', '.join(differences)}", ValueError)
            return False
        self.plan = self.problem.plan_from(manifest.plan)
        store.run = str(manifest.extra.get("run", ""))
        if max(manifest.done, default=0) >= max(len(self.plan.blocks), 1):
            self._give_up(f"{manifest.path} has blocks that there are not", ValueError)
            return False
        if self.is_complete() and store.is_whole():
            if store.is_sound():
                self._finished = True
                store.tidy()
                return True
            self._give_up(f"{store.path} is damaged", ValueError)
            return False
        if not store.is_begun():
            # Somebody removed the file, or there never was time to make it.
            if store.is_whole():
                self._give_up(f"{store.path} is not the file of its manifest", FileExistsError)
            return False
        if not manifest.done:
            return False  # the file itself may be half made
        check_room(self._room.of(self.plan), self._budget, self._function)
        store.open()
        for block in manifest.done:
            if not store.holds(self.plan, self.plan.blocks[block]):
                self._give_up(f"{store.path} is damaged", ValueError)
                return False
        return True

    def _give_up(self, message: str, kind: type[Exception]) -> None:
        if not self._overwrite:
            refusal = f"{message}; {_ANEW}"
            raise kind(refusal)
        # Data first: without them, a manifest that is left is one of nothing.
        self._store.remove()
        self._manifest.path.unlink(missing_ok=True)

    def _begin(self) -> None:
        store = self._store
        self.plan, grain = self.problem.plan(
            self._room,
            self._budget,
            self._function,
            strips=store.strips(),
            aligned=store.aligned,
        )
        # The manifest first: a file without one is not known to be ours.
        store.run = secrets.token_hex(4)
        self._manifest.begin(self.plan.to_json(), {"grain": grain, "run": store.run})
        store.create(grain)

    @property
    def run(self) -> str:
        """The run that the file belongs to."""
        return self._store.run

    def is_complete(self) -> bool:
        """Tell whether no block is missing."""
        return len(self._manifest.done) == len(self.plan.blocks)

    def missing(self) -> list[int]:
        """List the blocks that are missing."""
        return [k for k in range(len(self.plan.blocks)) if k not in self._manifest.done]

    def pairs_done(self) -> int:
        """Count the distances that are in the file."""
        return sum(self.plan.pairs(self.plan.blocks[k]) for k in self._manifest.done)

    def save(self, index: int, values: Distances | None) -> None:
        """Write a block (None: somebody else wrote it), and note it soon."""
        if values is not None:
            self._store.write(self.plan, self.plan.blocks[index], values)
        self._written.add(index)
        # Small blocks are noted together: waiting for the disk takes milliseconds.
        if time.monotonic() - self._noted > _NOTE_EVERY:
            self._commit()

    def _commit(self) -> None:
        """Note blocks in the manifest once they are on the disk itself."""
        if self._written:
            self._store.sync()
            self._manifest.record(self._written)
            self._written.clear()
        self._noted = time.monotonic()

    def finish(self) -> Any:
        """Give the file its name, if that is left to do, and open it for reading."""
        self._commit()
        if not self._finished:
            self._store.finish()
            self._finished = True
        return self._store.result()


def _identity(problem: Problem, shape: tuple[int, ...]) -> dict[str, Any]:
    other = problem.Y
    return {
        "format": FORMAT,
        "version": _core.__version__,
        "trees": fingerprint.of_trees(problem.X),
        "other_trees": None if other is None else fingerprint.of_trees(other),
        "costs": problem.costs._fingerprint(),
        "cutoff": None if problem.cutoff is None else repr(problem.cutoff),
        "dtype": problem.dtype.name,
        "condensed": problem.condensed,
        "shape": list(shape),
    }


def teller(done: int, total: int, report: Report) -> Callable[[int], None]:
    """Give a function that adds to what is done and tells it; it raises if that is answered no."""

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if report is not None:
            answer = report(done, total)
            if isinstance(answer, (bool, np.bool_)) and not answer:
                raise CancelledError(_CANCELLED)

    return tell


def tell_start(filling: Filling, report: Report) -> Callable[[int], None]:
    """Tell what is there already; give the function that tells more."""
    tell = teller(filling.pairs_done(), filling.plan.total(), report)
    tell(0)
    return tell


def fill(filling: Filling, threads: int, report: Report) -> Any:
    """Compute what is missing in this process, and open the file."""
    with filling:
        tell_start(filling, report)
        plan = filling.plan
        done, total = filling.pairs_done(), plan.total()

        def tell(part: int, _: int) -> object:
            return None if report is None else report(done + part, total)

        for index in filling.missing():
            block = plan.blocks[index]
            # Without a callback the core has nothing to take the interpreter's lock for.
            values = filling.problem.compute(plan, block, threads, tell if report else None)
            filling.save(index, values)
            done += plan.pairs(block)
        return filling.finish()


def make_problem(
    trees: tuple[Trees, Trees | None],
    costs: Costs,
    options: tuple[float | None, np.dtype[Any], bool],
    function: str,
) -> Problem:
    """Check trees and put them together with costs, cutoff, dtype and form."""
    X, Y = trees
    sources = check_trees(X, "X", function)
    targets = None if Y is None else check_trees(Y, "Y", function)
    cutoff, dtype, condensed = options
    return Problem(sources, targets, costs, cutoff, dtype, condensed=condensed, function=function)


def to_disk(
    out: str | os.PathLike[str],
    trees: tuple[Trees, Trees | None],
    costs: Costs,
    options: tuple[float | None, np.dtype[Any], bool],
    *,
    threads: int,
    progress: Progress,
    memory_budget: int | str | None,
    overwrite: bool,
) -> Any:
    """Do what `pairwise_distances` does with a path for `out`; options are checked there."""
    name = "pairwise_distances"
    budget = check_budget(memory_budget, name)
    overwrite = check_bool(overwrite, "overwrite", name)
    with reporter(progress, name, "pairs") as report:
        store_class(Path(out), name)  # a wrong name is told before trees are looked at
        problem = make_problem(trees, costs, options, name)
        filling = Filling(
            problem, out, budget=budget, threads=threads, overwrite=overwrite, function=name
        )
        return fill(filling, threads, report)
