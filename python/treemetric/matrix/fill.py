"""Distances in a file: start, resume and finish the work."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from treemetric import _core
from treemetric._base.locks import FileLock
from treemetric._base.typing import Distances
from treemetric._base.validation import check_bool, shown
from treemetric.matrix import fingerprint
from treemetric.matrix.cut import LARGEST_CHUNK, check_budget, check_fits
from treemetric.matrix.manifest import DAMAGED, FORMAT, Manifest
from treemetric.matrix.plan import BlockPlan, check_json
from treemetric.matrix.problem import Problem
from treemetric.matrix.progress import PairProgress, Report
from treemetric.matrix.store import store_class

__all__ = ["DistanceFile", "check_budget", "fill", "store_class"]

_COMMIT_EVERY = 0.2  # seconds
_RUN_BYTES = 4  # of the number of a run
_HINT = "pass overwrite=True (--overwrite on the command line) to replace it, or another name"


class DistanceFile:
    """A file of distances while it is filled; a context manager that locks the file.

    Parameters
    ----------
    problem
        The distances.
    path
        The file.
    budget
        Largest number of bytes of a block.
    threads
        Number of threads per block.
    overwrite
        Replace a file with other contents. A file of the same distances is resumed in any case,
        so that a killed call can be repeated without changes.
    function
        The function that the user called, for messages.
    """

    plan: BlockPlan  # known inside the context

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
        shape = problem.result_shape
        self._store = store_class(target, function)(target, shape, problem.dtype)
        beside = self._store.beside
        if not beside.parent.is_dir():
            message = f"No such folder for the result: {beside.parent}"
            raise FileNotFoundError(message)
        self._lock = FileLock(
            beside.with_name(f"{beside.name}.lock"), f"{target} is being filled by another call"
        )
        self._manifest = Manifest(
            beside.with_name(f"{beside.name}.manifest.json"), _identity(problem, shape)
        )
        self._overwrite = check_bool(overwrite, "overwrite", function)
        self._budget, self._function = budget, function
        self._needs = problem.needs(threads, self._store.copies)
        self._stack = ExitStack()
        self._written: set[int] = set()  # but not yet in the manifest
        self._committed = 0.0
        self._finished = False

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._lock)
            stack.callback(self._store.close)
            if not self._is_resumed():
                self._begin()
            # Also if the work is interrupted: written blocks count.
            stack.callback(self._commit)
            self._stack = stack.pop_all()
        self._committed = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _is_resumed(self) -> bool:
        """Load the state of an earlier call; return False if there is none."""
        store, manifest = self._store, self._manifest
        if not manifest.exists():
            if store.is_whole():
                self._give_up(f"{store.path} exists and has no manifest", FileExistsError)
            return False
        try:
            differences = self._load()
        except ValueError as error:
            self._give_up(str(error), ValueError)
            return False
        if differences:
            self._give_up(f"{store.path} was made with {', '.join(differences)}", ValueError)
            return False
        if self.is_complete() and store.is_whole():
            if store.is_sound():
                self._finished = True
                store.tidy()
                return True
            self._give_up(f"{store.path} is damaged", ValueError)
            return False
        if not store.is_begun():
            # The file was removed, or the process was killed before it was created.
            if store.is_whole():
                self._give_up(f"{store.path} is not the file of its manifest", FileExistsError)
            return False
        if not manifest.done:
            return False  # the file itself may be incomplete
        check_fits(self._needs.largest_block(self.plan), self._budget, self._function)
        store.open()
        for block in manifest.done:
            if not store.holds(self.plan, self.plan.blocks[block]):
                self._give_up(f"{store.path} is damaged", ValueError)
                return False
        return True

    def _load(self) -> list[str]:
        """Read the manifest; return how it differs from this call, in words.

        Everything in the manifest is checked before anything is made of it.
        """
        manifest, problem, store = self._manifest, self.problem, self._store
        differences = manifest.load()
        if not differences:
            try:
                store.run = _checked_run(manifest.extra)
                plan = check_json(
                    manifest.plan, problem.shape, triangle=problem.triangle, strips=store.strips()
                )
                self.plan = problem.plan_from(plan)
                manifest.load_done(len(self.plan.blocks))
            except ValueError as error:
                raise ValueError(DAMAGED.format(manifest.path, error)) from error
        return differences

    def _give_up(self, message: str, kind: type[Exception]) -> None:
        if not self._overwrite:
            refusal = f"{message}; {_HINT}"
            raise kind(refusal)
        # Data first: a manifest without data is harmless.
        self._store.remove()
        self._manifest.path.unlink(missing_ok=True)

    def _begin(self) -> None:
        store = self._store
        self.plan, grain = self.problem.plan(
            self._needs,
            self._budget,
            self._function,
            strips=store.strips(),
            aligned=store.aligned,
        )
        # The manifest first: a file without a manifest is not recognised as ours.
        store.run = secrets.token_hex(_RUN_BYTES)
        self._manifest.begin(self.plan.to_json(), {"grain": grain, "run": store.run})
        store.create(grain)

    @property
    def run(self) -> str:
        """The run that the file belongs to."""
        return self._store.run

    def is_complete(self) -> bool:
        """Return True if no block is missing."""
        return len(self._manifest.done) == len(self.plan.blocks)

    def missing(self) -> list[int]:
        """List the blocks that are missing."""
        return [k for k in range(len(self.plan.blocks)) if k not in self._manifest.done]

    def progress(self, report: Report) -> PairProgress:
        """Return a counter that starts at the distances in the file, and report these."""
        done = sum(self.plan.pairs(self.plan.blocks[k]) for k in self._manifest.done)
        counter = PairProgress(self.plan.total(), report, done)
        counter.add(0)
        return counter

    def save(self, index: int, values: Distances | None) -> None:
        """Write a block, which a worker has written if `values` is None; record it soon."""
        if values is not None:
            with _naming(self.path):
                self._store.write(self.plan, self.plan.blocks[index], values)
        self._written.add(index)
        # Small blocks are recorded together: waiting for the disk takes milliseconds.
        if time.monotonic() - self._committed > _COMMIT_EVERY:
            self._commit()

    def _commit(self) -> None:
        """Record blocks in the manifest after they are on the disk itself."""
        if self._written:
            with _naming(self.path):
                self._store.sync()
                self._manifest.record(self._written)
            self._written.clear()
        self._committed = time.monotonic()

    def discard(self) -> None:
        """Remove a file that no call can complete."""
        store = self._store
        self._written.clear()
        store.close()
        store.tidy()
        if store.is_begun():  # an array has its final name from the start
            store.remove()
        self._manifest.path.unlink(missing_ok=True)

    def finish(self) -> Any:
        """Rename the file to its final name if needed, and open it for reading."""
        self._commit()
        if not self._finished:
            self._store.finish()
            self._finished = True
        return self._store.result()


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Add the file to errors of the system that name none, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _checked_run(extra: Any) -> str:
    """Return the run in a manifest, which is part of a file name; check the grain beside it."""
    run = extra.get("run") if isinstance(extra, dict) else None
    if not isinstance(run, str) or not re.fullmatch(f"[0-9a-f]{{{2 * _RUN_BYTES}}}", run):
        message = f"the run must be {2 * _RUN_BYTES} hexadecimal digits, but is {shown(run)}"
        raise ValueError(message)
    grain = extra.get("grain")
    if type(grain) is not int or not 1 <= grain <= LARGEST_CHUNK:
        message = f"the grain must be in the range [1, {LARGEST_CHUNK}], but is {shown(grain)}"
        raise ValueError(message)
    return run


def _identity(problem: Problem, shape: tuple[int, ...]) -> dict[str, Any]:
    other = problem.Y
    return {
        "format": FORMAT,
        "version": _core.__version__,
        "trees": fingerprint.of_trees(problem.X),
        "other_trees": None if other is None else fingerprint.of_trees(other),
        "costs": problem.costs._fingerprint(),
        "cutoff": None if problem.cutoff is None else repr(problem.cutoff),
        "norm": problem.norm,
        "dtype": problem.dtype.name,
        "condensed": problem.condensed,
        "shape": list(shape),
    }


def fill(file: DistanceFile, threads: int, report: Report) -> Any:
    """Compute the missing blocks in this process, and open the file."""
    with file:
        plan, progress = file.plan, file.progress(report)
        for index in file.missing():
            block = plan.blocks[index]
            try:
                values = file.problem.compute_block(plan, block, threads, progress.inside())
            except ValueError as error:
                # A distance that does not fit; errors of the caller's progress leave the file.
                if str(error).startswith(f"dtype {file.problem.dtype} holds"):
                    file.discard()
                raise
            file.save(index, values)
            progress.done += plan.pairs(block)
        return file.finish()
