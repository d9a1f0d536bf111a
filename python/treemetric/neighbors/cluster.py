"""A join on a dask cluster: pairs of bands as tasks, each of which writes one file."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from treemetric import _core
from treemetric._base.extras import need
from treemetric._base.files import remove_parts
from treemetric._base.locks import FileLock
from treemetric._base.validation import refuse, shown
from treemetric.matrix import fingerprint
from treemetric.matrix.dask import finished, held, sent
from treemetric.matrix.manifest import Manifest
from treemetric.matrix.progress import PairProgress, Report
from treemetric.neighbors.bands import Bands, cells
from treemetric.neighbors.join import Join, Part
from treemetric.neighbors.pair_files import PairFile, write_pairs
from treemetric.neighbors.request import SearchRequest
from treemetric.treeset import TreeSet

_FORMAT = 1
# Readers of Parquet ignore names that start like these.
_MANIFEST, _LOCK, _BANDS = "_treemetric.json", "_treemetric.lock", "_bands"


class JoinFolder:
    """A folder of pairs while it is filled.

    Parameters
    ----------
    request
        The trees.
    join
        The rules.
    path
        The folder.
    band
        Largest number of trees of a band.
    """

    def __init__(self, request: SearchRequest, join: Join, path: Path, band: int) -> None:
        self.request, self.join, self.path = request, join, path
        self._sides = [request.X] if request.Y is None else [request.X, request.Y]
        self._bands = [Bands.of(trees.sizes, band) for trees in self._sides]
        rows, columns = self._bands[0], self._bands[-1]
        self.cells = list(cells(rows, columns, join.window, triangle=join.triangle))
        self.weights = [rows.count(i) * columns.count(j) for i, j in self.cells]
        self.manifest = Manifest(path / _MANIFEST, _identity(request, join, band))

    def begin(self, *, overwrite: bool) -> None:
        """Create the folder, or load the state of an earlier call."""
        hint = "pass overwrite=True to replace it, or another name"
        self.path.mkdir(exist_ok=True)
        ours = {_MANIFEST, _LOCK}
        if not self.manifest.exists():
            if any(entry.name not in ours for entry in self.path.iterdir()):
                message = f"{self.path} is not empty and has no manifest of treemetric"
                raise FileExistsError(message)
        else:
            try:
                differences = self.manifest.load()
                problem = f"{self.path} was made with {', '.join(differences)}"
                if not differences:
                    self.manifest.load_done(len(self.cells))
                    return
            except ValueError as error:
                problem = str(error)
            if not overwrite:
                message = f"{problem}; {hint}"
                raise ValueError(message)
            for part in self.path.glob("part-*.parquet"):
                part.unlink()
        self.manifest.begin({"tasks": len(self.cells)}, {})

    def part(self, task: int) -> Path:
        """Return the file of a task."""
        return self.path / f"part-{task:06}.parquet"

    def missing(self) -> list[int]:
        """List the tasks without a file."""
        done = self.manifest.done
        return [k for k in range(len(self.cells)) if k not in done or not self.part(k).exists()]

    @contextmanager
    def bands(self, tasks: list[int]) -> Iterator[Path]:
        """Write the bands that tasks need to a folder, which all workers read."""
        for old in self.path.glob(f"{_BANDS}-*"):
            shutil.rmtree(old)
        folder = self.path / f"{_BANDS}-{secrets.token_hex(4)}"
        folder.mkdir()
        try:
            wholes = [Part.whole(trees) for trees in self._sides]
            used = {
                pair
                for k in tasks
                for pair in zip((0, len(wholes) - 1), self.cells[k], strict=True)
            }
            for side, band in sorted(used):
                part = wholes[side].take(self._bands[side].positions(band))
                codes, parents, offsets = part.arrays
                np.savez(
                    _band_path(folder, side, band),
                    positions=part.positions,
                    codes=codes,
                    parents=parents,
                    offsets=offsets,
                )
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def finish(self) -> PairFile:
        """Remove what killed workers left, and count the pairs."""
        remove_parts(self.path, "part-*")
        if not self.cells:
            # Readers need one file to know the columns.
            write_pairs(self.part(0), [], (None, None))
        parquet = need("pyarrow.parquet", "parquet", "treemetric.distributed.within")
        files = sorted(self.path.glob("part-*.parquet"))
        return PairFile(self.path, sum(parquet.read_metadata(file).num_rows for file in files))


def check_folder(out: object, function: str) -> Path:
    """Check the name of the folder before the work starts."""
    if not isinstance(out, (str, os.PathLike)) or Path(out).suffix.lower() != ".parquet":
        got = shown(str(out) if isinstance(out, os.PathLike) else out)
        refuse("out", function, "the path of a folder that ends in .parquet", got)
    path = Path(out)
    if not path.parent.is_dir():
        message = f"No such folder for the result: {path.parent}"
        raise FileNotFoundError(message)
    if path.exists() and not path.is_dir():
        message = f"{path} is a file; a join on a cluster writes a folder"
        raise FileExistsError(message)
    return path


def fill(folder: JoinFolder, client: Any, *, overwrite: bool, report: Report) -> PairFile:
    """Run the missing tasks on a cluster."""
    folder.path.mkdir(exist_ok=True)
    busy = f"another process writes {folder.path}"
    with FileLock(folder.path / _LOCK, busy):
        folder.begin(overwrite=overwrite)
        remove_parts(folder.path, "part-*")
        tasks = folder.missing()
        total = sum(folder.weights)
        progress = PairProgress(total, report, total - sum(folder.weights[k] for k in tasks))
        progress.add(0)
        if tasks:
            inside, threads = folder.join.inside, folder.request.threads
            with folder.bands(tasks) as bands, sent(client, folder.join) as key:

                def submit(task: int) -> Any:
                    row, column = folder.cells[task]
                    places = [(0, row), (0 if inside else 1, column)]
                    if inside and row == column:
                        del places[1]
                    files = [str(_band_path(bands.absolute(), *place)) for place in places]
                    target = str(folder.part(task).absolute())
                    return client.submit(_run, key, files, target, threads, pure=False)

                for task, _ in finished(client, tasks, submit):
                    folder.manifest.record([task])
                    progress.add(folder.weights[task])
        return folder.finish()


def _run(key: str, files: list[str], target: str, threads: int) -> int:
    """Write the pairs of two bands, or of one; runs on a worker.

    It may run several times, also at the same time: the file appears as a whole, and every run
    writes the same.
    """
    rows, *others = [_read_band(file) for file in files]
    chunks = held(key).stream(rows, others[0] if others else None, threads, None)
    return write_pairs(Path(target), chunks, (None, None)).n_pairs


def _band_path(folder: Path, side: int, band: int) -> Path:
    return folder / f"{'xy'[side]}-{band:06}.npz"


def _read_band(file: str) -> Part:
    with np.load(file, allow_pickle=False) as arrays:
        trees = (arrays["codes"], arrays["parents"], arrays["offsets"])
        return Part(arrays["positions"], trees)


def _identity(request: SearchRequest, join: Join, band: int) -> dict[str, Any]:
    def of(trees: TreeSet | None) -> str | None:
        return None if trees is None else fingerprint.of_trees(trees)

    return {
        "format": f"join {_FORMAT}",
        "version": _core.__version__,
        "trees": of(request.X),
        "other_trees": of(request.Y),
        "costs": join.costs._fingerprint(),
        "radius": repr(join.radius),
        "norm": join.norm,
        "once": join.once,
        "band_size": band,
    }
