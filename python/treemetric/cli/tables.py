"""The command ``treemetric teds``: the similarity of HTML tables."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from treemetric._base.validation import check_n_jobs
from treemetric.cli.common import add_jobs, add_progress, progress_of
from treemetric.cli.help import add_command
from treemetric.cli.inputs import STDIN, content_of, shown_source
from treemetric.cli.outputs import add_output, check_free, target_of, write_rows
from treemetric.formats.html_tables import PRESETS, VARIANTS, bad_span, is_empty, markup
from treemetric.metrics.tables import Metric, TedsResult, results

# Failures that are written out; the CSV file has all.
_SHOWN = 5
# Suffixes of the files that are read from folders, and of files of pairs.
_PAGES = (".html", ".htm")
_LINES = (".jsonl", ".ndjson")
_STDIN = Path(STDIN)
_HEADER = ("id", "score", "distance", "n_pred", "n_true", "error")

# A name, the predicted table and the true one.
_Pairs = list[tuple[str, str | None, str | None]]


def add_parsers(commands: Any) -> None:
    """Add the command to those of ``treemetric``."""
    parser = add_command(
        commands,
        "teds",
        "PRED [TRUE]",
        summary="score predicted HTML tables",
        description="Print TEDS, the similarity of predicted and true HTML tables by tree edit "
        "distance: of two files, of two folders whose files have the same names, or of the lines "
        "of a .jsonl file with the fields 'pred', 'true' and optionally 'id'. One of the files can "
        "be -, standard input.",
        examples=(
            "treemetric teds pred.html true.html",
            "curl -s URL | treemetric teds - true.html",
            "treemetric teds predictions/ truth/ --preset pubtabnet -o scores.csv",
            "treemetric teds pairs.jsonl --structure-only",
        ),
    )
    parser.add_argument(
        "pred",
        metavar="PRED",
        type=Path,
        help="an HTML file, a folder, or a .jsonl file of pairs; - alone is such a file",
    )
    parser.add_argument(
        "true",
        metavar="TRUE",
        type=Path,
        nargs="?",
        help="the file or folder of true tables; none with a file of pairs",
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
        metavar="TAGS",
        type=lambda text: text.split(","),
        help="tags to remove before the comparison, with commas between them: b,i",
    )
    add_output(
        parser,
        ("csv", "json", "parquet"),
        "csv",
        without="only the score or the summary is printed",
    )
    add_jobs(parser)
    add_progress(parser)
    parser.set_defaults(command=_teds)


def _teds(arguments: argparse.Namespace) -> int:
    if arguments.output is None and arguments.to is not None:
        message = f"--to needs --output with a file or '-'. Got --to {arguments.to} alone."
        raise ValueError(message)
    target = None if arguments.output is None else target_of(arguments)
    if target is not None:
        check_free(target, arguments)
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
    single = arguments.true is not None and not arguments.pred.is_dir()
    found = results(metric, tables, threads, progress_of(arguments), keep_going=True)
    if single:
        on_stdout = target is None or bool(target.path)
        _print_score(found[0], metric, arguments, pairs[0][1:], on_stdout=on_stdout)
    _hint_at_tables(metric, arguments, pairs, found)
    if target is not None:
        write_rows(target, _HEADER, _rows(pairs, found))
    if not single:
        rows_on_stdout = target is not None and target.path is None
        _summarise(pairs, found, sys.stderr if rows_on_stdout else sys.stdout)
    return int(any(isinstance(result, Exception) for result in found))


def _pairs(pred: Path, true: Path | None) -> _Pairs:
    for path in (pred, true):
        if path is not None and path != _STDIN and not path.exists():
            message = f"No such file or folder: {path}"
            raise FileNotFoundError(message)
    if pred == true == _STDIN:
        message = "Standard input, '-', can be read only once."
        raise ValueError(message)
    if true is None:
        if pred.is_dir():
            message = f"TRUE must be a folder, as PRED is. Got only {pred}."
            raise ValueError(message)
        return list(_lines(pred))
    if pred.is_dir() != true.is_dir():
        message = f"PRED and TRUE must be two files or two folders. Got {pred} and {true}."
        raise ValueError(message)
    for path in (pred, true):
        if path.is_file() and path.suffix.lower() in _LINES:
            message = f"A file of pairs must be given alone, with both tables in it. Got {path}."
            raise ValueError(message)
    if not pred.is_dir():
        name = pred.name if true == _STDIN else true.name
        return [(name, _read(pred), _read(true))]
    return _folders(pred, true)


def _folders(pred: Path, true: Path) -> _Pairs:
    """Pair the files of two folders by name; a missing prediction is an empty one."""
    names = _pages(true)
    predicted = set(_pages(pred))
    if not predicted.intersection(names):
        message = f"{pred} and {true} must contain .html files of the same names. They have none."
        raise ValueError(message)
    for what, folder, missing in (
        ("without a prediction, counted as empty", true, [n for n in names if n not in predicted]),
        ("without a true table, left out", pred, sorted(predicted.difference(names))),
    ):
        if missing:
            count = f"{len(missing)} file{'s' * (len(missing) != 1)}"
            text = f"{count} of {folder} {what}, such as {missing[0]}"
            print(f"treemetric: {text}", file=sys.stderr)
    return [
        (name, _read(pred / name) if name in predicted else None, _read(true / name))
        for name in names
    ]


def _pages(folder: Path) -> list[str]:
    """Return the names of the pages in a folder; hidden files are none."""
    files = [path for path in folder.iterdir() if path.is_file()]
    names = sorted(
        path.name
        for path in files
        if path.suffix.lower() in _PAGES and not path.name.startswith(".")
    )
    skipped = len(files) - len(names)
    if skipped:
        count = "1 file" if skipped == 1 else f"{skipped} files"
        text = f"{count} of {folder} left out, without the suffix .html or .htm"
        print(f"treemetric: {text}", file=sys.stderr)
    return names


def _read(path: Path) -> str:
    return content_of(str(path)).decode("utf-8-sig", errors="replace")


def _lines(path: Path) -> Iterator[tuple[str, str | None, str | None]]:
    """Read JSON Lines with a pair on each."""
    source = shown_source(str(path))
    try:
        text = content_of(str(path)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{source} must be text in UTF-8. {error}."
        raise ValueError(message) from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"Line {number} of {source} must be a JSON object with the fields 'pred' and 'true'"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:  # also integers of too many digits
            message = f"{where}. {error}."
            raise ValueError(message) from None
        if not isinstance(record, dict) or not {"pred", "true"} <= record.keys():
            message = f"{where}. Got {line.strip()[:60]!r}."
            raise ValueError(message)
        for field in ("pred", "true"):
            if not isinstance(record[field], str | None):
                message = f"{where}, texts or null. Got {record[field]!r} for '{field}'."
                raise TypeError(message)
        name = record.get("id")
        yield str(number if name is None else name), record["pred"], record["true"]


def _rows(pairs: _Pairs, found: list[TedsResult | Exception]) -> Iterator[tuple[Any, ...]]:
    for (name, _, _), result in zip(pairs, found, strict=True):
        if isinstance(result, Exception):
            yield name, None, None, None, None, _described(result)
        else:
            distance = None if result.distance != result.distance else result.distance
            yield name, result.score, distance, *result[2:], None


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _print_score(
    result: TedsResult | Exception,
    metric: Metric,
    arguments: argparse.Namespace,
    sources: tuple[str | None, ...],
    *,
    on_stdout: bool,
) -> None:
    """Print the score of two files, or why they have none."""
    if isinstance(result, ImportError | MemoryError | OSError):
        # Not an error of the pair.
        raise result
    if isinstance(result, Exception):
        names = [shown_source(str(path)) for path in (arguments.pred, arguments.true)]
        reason = f"{names[0]} and {names[1]}: {_described(result)}"
        if isinstance(result, ValueError):
            for name, source in zip(names, sources, strict=True):
                bad = bad_span(source, metric.preset, metric.ignored)
                if bad is not None:
                    reason = f"{name}: {bad[0]} of a cell must be an integer. Got {bad[1]!r}."
                    break
        print(f"treemetric: error: {' '.join(reason.split())}", file=sys.stderr)
    elif on_stdout:
        print(f"{result.score:.10g}")


def _hint_at_tables(
    metric: Metric,
    arguments: argparse.Namespace,
    pairs: _Pairs,
    found: list[TedsResult | Exception],
) -> None:
    """Say on standard error where the preset finds no table; such pairs have the score 0."""
    missing = [
        (name, side)
        for (name, *sources), result in zip(pairs, found, strict=True)
        if not isinstance(result, Exception)
        and result.n_pred == result.n_true == 0
        and not any(map(is_empty, sources))
        for side, source in zip(("pred", "true"), sources, strict=True)
        if markup(source, metric.preset, metric.ignored, metric.function) is None
    ]
    if not missing:
        return
    name, side = missing[0]
    path: Path | None = getattr(arguments, side)
    if arguments.true is None or path is None:
        first = f"'{side}' of {name}"
    else:
        first = shown_source(str(path / name if path.is_dir() else path))
    what = first if len(missing) == 1 else f"{len(missing)} tables, such as {first}"
    place = " in <html><body>" if metric.preset.finds == "body" else ""
    text = f"{what}: --preset {arguments.preset} finds no <table>{place}, and counts it as missing"
    print(f"treemetric: warning: {text}", file=sys.stderr)


def _summarise(pairs: _Pairs, found: list[TedsResult | Exception], file: TextIO) -> None:
    scores = [result.score for result in found if not isinstance(result, Exception)]
    failures = [
        (name, result)
        for (name, _, _), result in zip(pairs, found, strict=True)
        if isinstance(result, Exception)
    ]
    for name, error in failures[:_SHOWN]:
        print(f"treemetric: {name}: {_described(error)}", file=sys.stderr)
    print(f"pairs     {len(found)}", file=file)
    print(f"failures  {len(failures)}", file=file)
    if failures:
        print("            not in the mean and the median", file=file)
    if scores:
        print(f"mean      {statistics.fmean(scores):.6f}", file=file)
        print(f"median    {statistics.median(scores):.6f}", file=file)
