"""TEDS, the similarity of two HTML tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import FloatArray, Progress
from treemetric._base.validation import check_bool, check_n_jobs, refuse, refuse_unordered, shown
from treemetric.exceptions import CancelledError
from treemetric.formats.html_tables import (
    Normalize,
    TablePreset,
    check_ignored,
    check_normalize,
    check_preset,
    check_variant,
    is_empty,
    markup,
)

# Pairs of one task, and seconds between two looks for Ctrl-C.
_CHUNK = 32
_LOOK = 0.1

GoOn = Callable[[int, int], bool]


class TedsResult(NamedTuple):
    """The TEDS score of a table, with the numbers that it is made of.

    Attributes
    ----------
    score : float
        The similarity, ``1 - distance / max(n_pred, n_true)``.
    distance : float
        The tree edit distance; NaN if only one of the tables exists, or if the preset compares
        nothing without both.
    n_pred, n_true : int
        The size of each table, as the preset counts it; 0 if there is no table to compare.

    Examples
    --------
    >>> from treemetric.metrics import teds
    >>> row = "<table><tr><td>{}</td></tr></table>"
    >>> teds(row.format("ab"), row.format("abcd"), details=True)
    TedsResult(score=0.8333333333333334, distance=0.5, n_pred=3, n_true=3)
    """

    score: float
    distance: float
    n_pred: int
    n_true: int


class Metric:
    """One way to compare tables: the options of `teds`, checked."""

    def __init__(
        self,
        function: str,
        *,
        preset: str,
        variant: str,
        structure_only: bool,
        ignore_nodes: Iterable[str] | None,
        normalize: Normalize | None = None,
    ) -> None:
        self.function = function
        self.preset: TablePreset = check_preset(preset, function)
        check_variant(variant, function)
        if check_bool(structure_only, "structure_only", function):
            if variant == "emptiness":
                refuse("variant", function, "'structure' with structure_only=True", shown(variant))
            variant = "structure"
        self.rules = self.preset.rules(variant)
        self.ignored = check_ignored(ignore_nodes, function)
        check_normalize(normalize, function)
        self.normalize = normalize

    def result(self, pred: Any, true: Any, go_on: GoOn | None = None) -> TedsResult:
        """Compare two tables; long work stops if ``go_on`` returns False."""
        preset = self.preset
        missing = (is_empty(pred), is_empty(true))
        if preset.accepts_empty and any(missing) and (all(missing) or not preset.both_missing):
            return self._without(both=all(missing))
        tables = [
            None
            if preset.accepts_empty and is_empty(source)
            else markup(source, preset, self.ignored, self.function)
            for source in (pred, true)
        ]
        x, y = tables
        if x is None or y is None:
            return self._without(both=x is None and y is None)
        distance, elements, nodes = _core.teds_pair(x, y, self.rules, self.normalize, go_on)
        if preset.counts == "nodes":
            sizes = nodes
        else:
            root = int(preset.counts == "with_root")
            sizes = (elements[0] + root, elements[1] + root)
        score = 1.0 - distance / max(sizes)
        if preset.clamps:
            score = max(0.0, score)
        return TedsResult(score, distance, *sizes)

    def _without(self, *, both: bool) -> TedsResult:
        """Return the result if a table is missing."""
        if both and self.preset.both_missing:
            return TedsResult(self.preset.both_missing, 0.0, 0, 0)
        return TedsResult(0.0, math.nan, 0, 0)


@overload
def teds(
    pred: Any,
    true: Any,
    *,
    preset: str = "default",
    structure_only: bool = False,
    variant: str = "content",
    ignore_nodes: Iterable[str] | None = None,
    normalize: Normalize | None = None,
    details: Literal[False] = False,
) -> float: ...


@overload
def teds(
    pred: Any,
    true: Any,
    *,
    preset: str = "default",
    structure_only: bool = False,
    variant: str = "content",
    ignore_nodes: Iterable[str] | None = None,
    normalize: Normalize | None = None,
    details: Literal[True],
) -> TedsResult: ...


def teds(
    pred: Any,
    true: Any,
    *,
    preset: str = "default",
    structure_only: bool = False,
    variant: str = "content",
    ignore_nodes: Iterable[str] | None = None,
    normalize: Normalize | None = None,
    details: bool = False,
) -> float | TedsResult:
    """Return TEDS, the similarity of two HTML tables by tree edit distance; needs lxml.

    A table is a tree of rows and cells. Deleting and inserting a node cost 1. Replacing costs 1 if
    the tag, the colspan or the rowspan differ, otherwise the edit distance of the two contents as
    a share of the longer one. The score is 1 minus the distance as a share of the larger table:
    1 for equal tables, 0 for tables that have nothing in common.

    Parameters
    ----------
    pred, true : str, bytes, path, lxml element or None
        The predicted and the true table: a page that holds one, or the table alone where the
        preset finds it. A path is a ``pathlib.Path``, not text. None, NaN and ``pandas.NA`` are
        the same as an empty text. A ``<table>`` element is the table with every preset, though
        the same table as text scores 0.0 with the presets that look for it in ``<body>``.
    preset : str, default="default"
        Whose rules apply: "default", "pubtabnet", "omnidocbench", "table_recognition_metric",
        "docling" or "parsebench". They differ in which elements are nodes and in what the score is
        divided by; see Notes.
    structure_only : bool, default=False
        If True, the content of cells is ignored; the same as ``variant="structure"``.
    variant : {"content", "structure", "emptiness"}, default="content"
        What is compared of two cells: their contents, nothing, or whether they are empty.
    ignore_nodes : iterable of str, optional
        Tags that are removed before the comparison, such as ``["b", "i"]``, in lower or upper
        case. What is inside stays.
    normalize : callable, optional
        ``normalize(text)`` returns the text to compare for the content of a cell. It is called
        once per distinct content of the two tables. Tags inside the cell are written out in the
        text, and its result is compared character by character.
    details : bool, default=False
        If True, return a `TedsResult` with the distance and the sizes.

    Returns
    -------
    float or TedsResult
        The score. It is at most 1. It is at least 0 with the presets "default" and "parsebench"
        and can be negative with the others.

    Raises
    ------
    ImportError
        If lxml is not installed.
    ValueError
        If a span is not a number, except with the preset "default".
    ZeroDivisionError
        If both tables are empty, with the presets "pubtabnet" and "omnidocbench".
    lxml.etree.ParserError
        If a text holds no element, with all presets but "default"; the empty text only with the
        preset "docling".

    See Also
    --------
    teds_scores : Compute the scores of many pairs in parallel.
    treemetric.Tree.from_html_table : Make the tree of a table, for `align` and plots.
    treemetric.TableCosts : The costs between the nodes of tables.

    Notes
    -----
    TEDS was defined by Zhong, ShafieiBavani and Jimeno Yepes (2020). Every character of a cell and
    every tag inside it is one token of its content. The presets repeat the implementations of the
    same names, to 1e-9:

    ======================== =========== ==================== ============================ =======
    preset                   cells       table                size                         empty
    ======================== =========== ==================== ============================ =======
    default                  td, th      first anywhere       nodes                        0.0 (a)
    pubtabnet, omnidocbench  td          first in ``<body>``  elements below the table     0.0
    table_recognition_metric td          first in ``<body>``  nodes                        0.0
    docling                  td, th      what lxml returns    elements below the root      error
    parsebench               td, th (b)  first anywhere       elements with the table      0.0
    ======================== =========== ==================== ============================ =======

    The default preset reads th as td, lifts the rows out of thead, tbody and tfoot, drops
    everything but rows and cells, collapses white space in cells, and reads a span that is not a
    positive integer as 1. So two tables that look the same have the score 1.

    (a) 1.0 if both tables are missing. (b) th is not td, and its content is ignored.

    Examples
    --------
    >>> from treemetric.metrics import teds
    >>> true = "<table><tr><td>Name</td><td>Age</td></tr><tr><td>Ann</td><td>7</td></tr></table>"
    >>> pred = "<table><tr><th>Name</th><th>Age</th></tr><tr><td>Anna</td><td>7</td></tr></table>"
    >>> round(teds(pred, true), 4)
    0.9643
    >>> teds(pred, true, structure_only=True)
    1.0
    """
    metric = Metric(
        "teds",
        preset=preset,
        variant=variant,
        structure_only=structure_only,
        ignore_nodes=ignore_nodes,
        normalize=normalize,
    )
    result = metric.result(pred, true)
    return result if details else result.score


def teds_scores(
    preds: Iterable[Any],
    trues: Iterable[Any],
    *,
    preset: str = "default",
    structure_only: bool = False,
    variant: str = "content",
    ignore_nodes: Iterable[str] | None = None,
    normalize: Normalize | None = None,
    errors: str = "raise",
    n_jobs: int | None = None,
    progress: Progress = None,
) -> FloatArray:
    """Return the TEDS of many pairs of tables, in parallel.

    Parameters
    ----------
    preds, trues : iterable of str, bytes, paths, lxml elements or None
        The predicted and the true tables, as many of one as of the other.
    preset, structure_only, variant, ignore_nodes, normalize
        As in `teds`. ``normalize`` is called once per distinct content of each pair, by several
        threads.
    errors : {"raise", "nan"}, default="raise"
        Whether a pair that `teds` refuses raises its error, or has the score NaN.
    n_jobs : int, optional
        Number of threads, 1 by default; -1 means all cores. Scores do not depend on it.
    progress : bool or callable, optional
        True shows a bar (needs tqdm). A function is called with the number of pairs done and of
        all pairs; if it returns False, the work stops.

    Returns
    -------
    ndarray of shape (n_pairs,)
        The scores.

    Raises
    ------
    ValueError
        If there are more tables on one side, and as in `teds`.
    CancelledError
        If `progress` returns False.

    See Also
    --------
    teds : Compute the score of one pair.

    Examples
    --------
    >>> from treemetric.metrics import teds_scores
    >>> row = "<table><tr><td>{}</td></tr></table>"
    >>> trues = [row.format(text) for text in ("one", "two", "six")]
    >>> teds_scores([trues[0], None, trues[1]], trues, n_jobs=2)
    array([1.        , 0.        , 0.66666667])
    """
    name = "teds_scores"
    metric = Metric(
        name,
        preset=preset,
        variant=variant,
        structure_only=structure_only,
        ignore_nodes=ignore_nodes,
        normalize=normalize,
    )
    if errors not in ("raise", "nan"):
        refuse("errors", name, "'raise' or 'nan'", shown(errors))
    must = "an iterable of tables"
    for parameter, given in (("preds", preds), ("trues", trues)):
        if isinstance(given, str | bytes):
            refuse(parameter, name, must, shown(given))
        refuse_unordered(given, parameter, name, must)
    threads = check_n_jobs(n_jobs, name)
    pairs = (list(preds), list(trues))
    if len(pairs[0]) != len(pairs[1]):
        refuse("trues", name, f"as many tables as preds, {len(pairs[0])}", str(len(pairs[1])))
    with reporter(progress, name, "pairs") as report:
        found = results(metric, pairs, threads, report, keep_going=errors == "nan")
    return np.array([math.nan if isinstance(r, Exception) else r.score for r in found])


def results(
    metric: Metric,
    pairs: tuple[Sequence[Any], Sequence[Any]],
    threads: int,
    report: Callable[[int, int], object] | None,
    *,
    keep_going: bool,
) -> list[TedsResult | Exception]:
    """Return the results of pairs, or their errors; lxml and the core release the GIL."""
    preds, trues = pairs
    total = len(preds)
    found: dict[int, TedsResult | Exception] = {}
    stopped = False

    def chunk(numbers: range, go_on: GoOn | None = None) -> int:
        for i in numbers:
            if stopped:
                break
            try:
                found[i] = metric.result(preds[i], trues[i], go_on)
            except Exception as error:
                if not keep_going:
                    error.add_note(f"in pair {i}")
                    raise
                found[i] = error
        return len(numbers)

    def advance(done: int) -> None:
        answer = None if report is None else report(done, total)
        if isinstance(answer, bool | np.bool_) and not answer:
            message = "progress returned False"
            raise CancelledError(message)

    done = 0
    chunks = [range(start, min(start + _CHUNK, total)) for start in range(0, total, _CHUNK)]
    if threads == 1:
        # In this thread, where Python delivers Ctrl-C to the core.
        for numbers in chunks:
            done += chunk(numbers)
            advance(done)
        return [found[i] for i in range(total)]
    with ThreadPoolExecutor(threads) as pool:
        waiting: set[Future[int]] = {
            pool.submit(chunk, numbers, lambda *_: not stopped) for numbers in chunks
        }
        try:
            while waiting:
                finished, waiting = wait(waiting, _LOOK, return_when=FIRST_COMPLETED)
                done += sum(future.result() for future in finished)
                if finished:
                    advance(done)
        except BaseException:
            stopped = True
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[i] for i in range(total)]
