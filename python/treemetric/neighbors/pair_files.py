"""Pairs of near trees in files, which are written chunk by chunk and appear when complete."""

from __future__ import annotations

import csv
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from treemetric._base.extras import need
from treemetric._base.files import replacing
from treemetric._base.validation import check_bool, refuse, shown
from treemetric.neighbors.pairs import CHUNK, Ids, PairChunk, collected, named

__all__ = ["PairFile"]


class PairFile(NamedTuple):
    """A file of pairs of near trees; returned by `within` with ``out=``.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    n_pairs : int
        The number of pairs in it.
    method : str or None
        How they were found, as in `WithinResult`; None for a join on a cluster, whose tasks choose
        for themselves.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from treemetric import Tree, within
    >>> trees = [Tree.from_sequence(s) for s in ("abc", "abd", "xyz")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = within(trees, radius=1, out=pathlib.Path(folder) / "pairs.csv", once=True)
    ...     print(file.n_pairs, file.path.read_text().split())
    1 ['source,target,distance', '0,1,1']
    """

    path: Path
    n_pairs: int
    method: str | None = None


def check_target(out: object, overwrite: object, function: str) -> Path:
    """Check the name of a file of pairs before the work starts."""
    must = f"a path that ends in {', '.join(_WRITERS)}"
    if not isinstance(out, (str, os.PathLike)):
        refuse("out", function, f"None or {must}", shown(out))
    path = Path(out)
    if path.suffix.lower() not in _WRITERS:
        refuse("out", function, must, shown(str(path)))
    if not path.parent.is_dir():
        message = f"No such folder for the result: {path.parent}"
        raise FileNotFoundError(message)
    if not check_bool(overwrite, "overwrite", function) and path.exists():
        message = (
            f"{path} exists; pass overwrite=True (--overwrite on the command line) to replace it, "
            "or another name"
        )
        raise FileExistsError(message)
    if path.is_dir():
        message = f"{path} is a folder; a file does not replace it"
        raise IsADirectoryError(message)
    if path.suffix.lower() == ".parquet":
        _arrow()
    return path


def write_pairs(path: Path, chunks: Iterable[PairChunk], ids: Ids) -> PairFile:
    """Write pairs to a file of the format of its suffix."""
    count = 0

    def counted() -> Iterator[PairChunk]:
        nonlocal count
        for chunk in chunks:
            count += len(chunk.source)
            yield chunk

    with replacing(path) as file:
        _WRITERS[path.suffix.lower()](file, counted(), ids)
    return PairFile(path, count)


def id_array(ids: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    """Return names of trees as an array: of ints if all are ints, otherwise of text."""
    if ids and all(type(name) is int and -(2**63) <= name < 2**63 for name in ids):
        return np.array(ids, dtype=np.int64)
    return np.array([str(name) for name in ids], dtype=np.str_)


# --- CSV ---------------------------------------------------------------------------


def _write_csv(file: BinaryIO, chunks: Iterable[PairChunk], ids: Ids) -> None:
    sides = [
        (name, side)
        for name, side in zip(("source", "target"), ids, strict=True)
        if side is not None
    ]
    out = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*PairChunk._fields, *(f"{name}_id" for name, _ in sides)])
    for chunk in chunks:
        columns: list[Iterable[Any]] = [part.tolist() for part in chunk[:2]]
        # Whole numbers without a point, as on the command line.
        columns.append(int(d) if d.is_integer() else d for d in chunk.distance.tolist())
        columns += [named(side, getattr(chunk, name)) for name, side in sides]
        writer.writerows(zip(*columns, strict=True))
    out.flush()
    out.detach()


# --- NumPy -------------------------------------------------------------------------


def _write_npz(file: BinaryIO, chunks: Iterable[PairChunk], ids: Ids) -> None:
    """Write an archive of arrays, whose lengths are known only at the end.

    The columns are collected in files without a name, which vanish with the process.
    """
    folder = Path(file.name).parent
    with ExitStack() as stack:
        columns = [
            stack.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in PairChunk._fields
        ]
        count = 0
        for chunk in chunks:
            count += len(chunk.source)
            for column, values in zip(columns, chunk, strict=True):
                column.write(np.ascontiguousarray(values).data)
        archive = stack.enter_context(zipfile.ZipFile(file, "w"))
        for name, column in zip(PairChunk._fields, columns, strict=True):
            dtype = np.dtype(np.float64 if name == "distance" else np.int64)
            header = {"descr": dtype.str, "fortran_order": False, "shape": (count,)}
            column.seek(0)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array_header_1_0(member, header)
                shutil.copyfileobj(column, member, 1 << 20)
        for name, side in zip(("source_ids", "target_ids"), ids, strict=True):
            if side is not None:
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, id_array(side), allow_pickle=False)


# --- Parquet -----------------------------------------------------------------------


def _arrow() -> tuple[Any, Any]:
    """Return the modules of pyarrow."""
    what = "A file of pairs in Parquet's format"
    return need("pyarrow", "parquet", what), need("pyarrow.parquet", "parquet", what)


def _write_parquet(file: BinaryIO, chunks: Iterable[PairChunk], ids: Ids) -> None:
    arrow, parquet = _arrow()
    names = [None if side is None else arrow.array(id_array(side)) for side in ids]
    fields = [("source", arrow.int64()), ("target", arrow.int64()), ("distance", arrow.float64())]
    fields += [
        (f"{name}_id", side.type)
        for name, side in zip(("source", "target"), names, strict=True)
        if side is not None
    ]
    with parquet.ParquetWriter(file, arrow.schema(fields)) as writer:
        # Each chunk becomes a group of rows with a header of its own.
        for chunk in collected(chunks, CHUNK):
            columns = list(chunk)
            for side, positions in zip(names, chunk, strict=False):
                if side is not None:
                    columns.append(side.take(arrow.array(positions)))
            writer.write_table(arrow.table(columns, schema=writer.schema))


_WRITERS: dict[str, Callable[[BinaryIO, Iterable[PairChunk], Ids], None]] = {
    ".parquet": _write_parquet,
    ".npz": _write_npz,
    ".csv": _write_csv,
}
