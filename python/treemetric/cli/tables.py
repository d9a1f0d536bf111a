"""The command ``treemetric teds``: the similarity of HTML tables."""

import argparse
import csv
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from treemetric._base.validation import check_n_jobs
from treemetric.cli.common import add_jobs, add_progress, progress_of
from treemetric.cli.outputs import check_folder
from treemetric.formats.html_tables import PRESETS, VARIANTS
from treemetric.metrics.tables import Metric, TedsResult, results

# Failures that are written out; the CSV file has all.
_SHOWN = 5
_HEADER = ("id", "score", "distance", "n_pred", "n_true", "error")

# A name, the predicted table and the true one.
_Pairs = list[tuple[str, str | None, str | None]]


def add_parsers(commands: Any) -> None:
    """Add the command to those of ``treemetric``."""
    parser = commands.add_parser(
        "teds",
        help="score predicted HTML tables",
        description="Print TEDS, the similarity of predicted and true HTML tables by tree edit "
        "distance: of two files, of two folders whose files have the same names, or of the lines "
        "of a .jsonl file with the fields 'pred', 'true' and optionally 'id'.",
    )
    parser.add_argument(
        "pred", metavar="PRED", type=Path, help="an HTML file, a folder, or a .jsonl file of pairs"
    )
    parser.add_argument(
        "true",
        metavar="TRUE",
        type=Path,
        nargs="?",
        help="the file or folder of true tables; none with a .jsonl file",
    )
    parser.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        default="default",
        help="the implementation whose rules apply (default: %(default)s)",
    )
    parser.add_argument("--structure-only", action="store_true", help="ignore the content of cells")
    parser.add_argument(
        "--variant",
        choices=VARIANTS,
        default="content",
        help="what is compared of two cells (default: %(default)s)",
    )
    parser.add_argument(
        "--ignore-nodes",
        metavar="TAG",
        nargs="+",
        help="tags to remove before the comparison, such as b i",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write a .csv file with one row per pair"
    )
    add_jobs(parser)
    add_progress(parser)
    parser.set_defaults(command=_teds)


def _teds(arguments: argparse.Namespace) -> None:
    if arguments.output is not None:
        check_folder(arguments.output)
    metric = Metric(
        "teds",
        preset=arguments.preset,
        variant=arguments.variant,
        structure_only=arguments.structure_only,
        ignore_nodes=arguments.ignore_nodes,
    )
    threads = check_n_jobs(arguments.jobs, "teds")
    pairs = _pairs(arguments.pred, arguments.true)
    tables = ([pair[1] for pair in pairs], [pair[2] for pair in pairs])
    single = arguments.pred.is_file() and arguments.true is not None
    found = results(metric, tables, threads, progress_of(arguments), keep_going=not single)
    if arguments.output is not None:
        with arguments.output.open("w", encoding="utf-8", newline="") as file:
            _write(file, pairs, found)
    if single:
        for result in found:
            print(f"{_result(result).score:.10g}")
    else:
        _summarise(pairs, found)


def _pairs(pred: Path, true: Path | None) -> _Pairs:
    for path in (pred, true):
        if path is not None and not path.exists():
            message = f"No such file or folder: {path}"
            raise FileNotFoundError(message)
    if true is None:
        if pred.is_dir():
            message = f"TRUE must be a folder, as PRED is. Got only {pred}."
            raise ValueError(message)
        return list(_lines(pred))
    if pred.is_dir() != true.is_dir():
        message = f"PRED and TRUE must be two files or two folders. Got {pred} and {true}."
        raise ValueError(message)
    if not pred.is_dir():
        return [(true.name, _read(pred), _read(true))]
    return _folders(pred, true)


def _folders(pred: Path, true: Path) -> _Pairs:
    """Pair the files of two folders by name; a missing prediction is an empty one."""
    names = sorted(path.name for path in true.iterdir() if path.is_file())
    predicted = {path.name for path in pred.iterdir() if path.is_file()}
    if not predicted.intersection(names):
        message = f"{pred} and {true} must contain files of the same names. They have none."
        raise ValueError(message)
    for what, folder, missing in (
        ("no prediction and count as empty", true, [n for n in names if n not in predicted]),
        ("no true table and are left out", pred, sorted(predicted.difference(names))),
    ):
        if missing:
            text = f"{len(missing)} files of {folder} have {what}, such as {missing[0]}"
            print(f"treemetric: {text}", file=sys.stderr)
    return [
        (name, _read(pred / name) if name in predicted else None, _read(true / name))
        for name in names
    ]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _lines(path: Path) -> Iterator[tuple[str, str | None, str | None]]:
    """Read a JSON Lines file of pairs."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            where = (
                f"Line {number} of {path} must be a JSON object with the fields 'pred' and 'true'"
            )
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                message = f"{where}. {error}."
                raise ValueError(message) from None
            if not isinstance(record, dict) or not {"pred", "true"} <= record.keys():
                message = f"{where}. Got {line.strip()[:60]!r}."
                raise ValueError(message)
            for field in ("pred", "true"):
                if not isinstance(record[field], str | None):
                    message = f"{where}, texts or null. Got {record[field]!r} for '{field}'."
                    raise TypeError(message)
            yield str(record.get("id", number)), record["pred"], record["true"]


def _write(file: TextIO, pairs: _Pairs, found: list[TedsResult | Exception]) -> None:
    writer = csv.writer(file)
    writer.writerow(_HEADER)
    for (name, _, _), result in zip(pairs, found, strict=True):
        if isinstance(result, Exception):
            writer.writerow((name, "", "", "", "", _described(result)))
        else:
            distance = "" if result.distance != result.distance else result.distance
            writer.writerow((name, result.score, distance, *result[2:], ""))


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _result(result: TedsResult | Exception) -> TedsResult:
    if isinstance(result, Exception):
        raise result
    return result


def _summarise(pairs: _Pairs, found: list[TedsResult | Exception]) -> None:
    scores = [result.score for result in found if not isinstance(result, Exception)]
    failures = [
        (name, result)
        for (name, _, _), result in zip(pairs, found, strict=True)
        if isinstance(result, Exception)
    ]
    for name, error in failures[:_SHOWN]:
        print(f"treemetric: {name}: {_described(error)}", file=sys.stderr)
    print(f"pairs     {len(found)}")
    print(f"failures  {len(failures)}")
    if scores:
        print(f"mean      {statistics.fmean(scores):.6f}")
        print(f"median    {statistics.median(scores):.6f}")
