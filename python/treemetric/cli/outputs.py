"""Where the results of a command go: files or standard output, as CSV, JSON or NumPy arrays."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np

from treemetric._base.extras import need
from treemetric._base.files import replacing

STDOUT = "-"
_BINARY = ("npy", "npz", "parquet", "zarr")
# Pages are text, but nobody reads them in a terminal.
_FOR_FILES = (*_BINARY, "html")


class Target(NamedTuple):
    """A file, or None for standard output, and the format of the result."""

    path: Path | None
    kind: str


def add_output(
    parser: argparse.ArgumentParser, kinds: Sequence[str], default: str, without: str | None = None
) -> None:
    """Add the options for the result: its place, its format, and whether to replace a file.

    ``without`` says what happens without a place, if that is not standard output.
    """
    parser.add_argument(
        *("-o", "--output"),
        metavar="FILE",
        default=STDOUT if without is None else None,
        help=f"result file, or - for standard output (default: {without or STDOUT})",
    )
    parser.add_argument(
        "--to",
        choices=tuple(kinds),
        help=f"format of the result (default: by the suffix of the file, or {default})",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace an existing result")
    parser.set_defaults(kinds=tuple(kinds), default_kind=default)


def target_of(arguments: argparse.Namespace) -> Target:
    """Check the options for the result, before the work starts."""
    kinds: tuple[str, ...] = arguments.kinds
    if arguments.output == STDOUT:
        kind = arguments.to or arguments.default_kind
        if kind == "zarr":
            message = "--to zarr needs --output with a name that ends in .zarr. Got '-'."
            raise ValueError(message)
        if kind in _FOR_FILES and sys.stdout.isatty():
            message = f"The format {kind} needs --output with a file, or a pipe. Got a terminal."
            raise ValueError(message)
        return Target(None, kind)
    path = Path(arguments.output)
    suffix = path.suffix.lower().removeprefix(".")
    kind = arguments.to or suffix
    if kind not in kinds:
        ends = ", ".join(f".{name}" for name in kinds if name != "text")
        message = f"--output must end in one of {ends}, or --to must name the format. Got {path}."
        raise ValueError(message)
    check_folder(path)
    return Target(path, kind)


def check_folder(path: Path) -> None:
    """Check that the folder of the result exists, before the work starts."""
    if not path.parent.is_dir():
        message = f"--output must be in an existing folder. No such folder: {path.parent}"
        raise FileNotFoundError(message)


def check_free(target: Target, arguments: argparse.Namespace) -> None:
    """Check that the result replaces no file unless --overwrite is given."""
    if target.path is not None and target.path.exists() and not arguments.overwrite:
        message = f"{target.path} exists. Give --overwrite to replace it, or another --output."
        raise FileExistsError(message)


@contextmanager
def opened(target: Target) -> Iterator[BinaryIO]:
    """Open the result: standard output, or a file that appears when it is complete."""
    if target.path is None:
        sys.stdout.flush()
        yield cast("BinaryIO", getattr(sys.stdout, "buffer", None) or _Encoded())
    else:
        with replacing(target.path) as file:
            yield file


class _Encoded(io.RawIOBase):
    """Standard output that takes text only, as in tests and notebooks."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return sys.stdout.write(bytes(data).decode("utf-8"))


def write_text(target: Target, text: str) -> None:
    """Write text as it is."""
    with opened(target) as file:
        file.write(text.encode("utf-8", errors="backslashreplace"))


def write_rows(target: Target, header: Sequence[object], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table as CSV, as a JSON array with one object per row, or as Parquet."""
    if target.kind == "parquet":
        _write_parquet(target, [str(name) for name in header], rows)
        return
    with opened(target) as file, _text(file) as out:
        if target.kind == "json":
            names = [str(name) for name in header]
            records = (dict(zip(names, map(json_value, row), strict=True)) for row in rows)
            _write_array(out, records)
        else:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(map(csv_value, row) for row in rows)


def write_json(target: Target, value: object) -> None:
    """Write one JSON value on one line."""
    with opened(target) as file, _text(file) as out:
        json.dump(value, out, ensure_ascii=False, allow_nan=False, default=repr)
        out.write("\n")


def write_array(target: Target, array: np.ndarray[Any, Any]) -> None:
    """Write an array in NumPy's format."""
    with opened(target) as file:
        # NumPy asks for the position in a real file, which a pipe does not have.
        buffer = io.BytesIO()
        np.save(buffer, array)
        file.write(buffer.getbuffer())


def write_arrays(target: Target, **arrays: Any) -> None:
    """Write several arrays in NumPy's format."""
    with opened(target) as file:
        buffer = io.BytesIO()
        # Archives are written back and forth, which a pipe does not allow.
        np.savez(buffer, **arrays)
        file.write(buffer.getbuffer())


def _write_parquet(target: Target, names: list[str], rows: Iterable[Sequence[Any]]) -> None:
    arrow: Any = need("pyarrow", "parquet", "The format parquet")
    parquet: Any = need("pyarrow.parquet", "parquet", "The format parquet")
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    arrays = [_as_text(column) for column in columns]
    with opened(target) as file:
        # Parquet is written back and forth, which a pipe does not allow.
        buffer = io.BytesIO()
        parquet.write_table(
            arrow.table(dict(zip(names, map(arrow.array, arrays), strict=True))), buffer
        )
        file.write(buffer.getbuffer())


def _as_text(column: Sequence[Any]) -> list[Any]:
    """Return a column of one type: labels of several types become text."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) <= 1 and kinds <= {str, int, float, bool}:
        return list(column)
    return [None if value is None else str(value) for value in column]


def json_value(value: Any) -> Any:
    """Return a number as JSON has it: whole numbers without a point, null for infinity."""
    if isinstance(value, float):
        if value.is_integer():
            return int(value)
        return value if np.isfinite(value) else None
    return value


def csv_value(value: Any) -> Any:
    """Return a number as text that reads back the same: whole numbers without a point."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    return value


def _write_array(out: Any, records: Iterable[Any]) -> None:
    """Write a JSON array with one item per line."""
    out.write("[")
    for position, record in enumerate(records):
        out.write(",\n" if position else "\n")
        json.dump(record, out, ensure_ascii=False, allow_nan=False, default=repr)
    out.write("\n]\n")


@contextmanager
def _text(file: BinaryIO) -> Iterator[Any]:
    """Write text in UTF-8 to a binary file, which stays open."""
    out = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="\n")
    try:
        yield out
        out.flush()
    finally:
        out.detach()
