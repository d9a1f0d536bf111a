"""The Sentiment experiment: a projection of word vectors, learned from classified parse trees."""

from __future__ import annotations

import csv
import io
import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treemetric._base.files import write_array, write_text
from treemetric._base.typing import Path as PathLike
from treemetric._base.validation import check_int, check_n_jobs, check_seed
from treemetric.experiments.common.effort import Meter, summed
from treemetric.experiments.common.provenance import code_digest, file_digest, versions
from treemetric.experiments.sentiment.data import (
    ALL,
    FULL,
    QUICK,
    Coverage,
    coverage,
    data_files,
    load_costs,
    load_splits,
)
from treemetric.experiments.sentiment.steps import Steps
from treemetric.experiments.sentiment.store import SentimentStore

Row = dict[str, Any]

QUICK_NOTE = "**Quick run: some hundred trees. It shows that all works; its numbers mean nothing.**"
COLUMNS = ("classifier", "costs", "parameter", "value", "dev_error", "test_error", "n_test")


class Sentiment(NamedTuple):
    """Errors before and after learning a projection of word vectors; made by `run_sentiment`.

    Attributes
    ----------
    rows : list of dict
        An error per classifier (``'knn'``, ``'median GLVQ'``) and costs (``'before'``,
        ``'after'``): the chosen parameter, the error on the development split by which it was
        chosen, and the error on the test split.
    costs : VectorCosts
        The learned costs.
    learned : list of dict
        The ways of learning, with their errors on the development split.
    seconds : float
        Time of learning, all ways together.
    tests : tuple of dict, default=()
        For each classifier the number of errors on the test split that disappeared after learning
        and of new ones, and the p-value of McNemar's exact test that both are equally likely.
    coverage : dict or None, default=None
        The number of distinct words and of tokens in all three splits, and how many of them have
        a vector, as numbers and as shares. Words are the labels of leaves.

    Examples
    --------
    >>> from treemetric.experiments import Sentiment
    >>> row = {"classifier": "knn", "costs": "before", "parameter": "n_neighbors", "value": 5}
    >>> row |= {"dev_error": 0.4, "test_error": 0.375, "n_test": 400}
    >>> print(Sentiment([row], None, [], 0.0).report())
    | classifier | before | after |
    |---|---:|---:|
    | knn | 37.5 ± 2.4 | |
    """

    rows: list[Row]
    costs: Any
    learned: list[Row]
    seconds: float
    tests: tuple[Row, ...] = ()
    coverage: Coverage | None = None

    def report(self) -> str:
        """Return the test errors as a table in Markdown, in per cent with the standard error.

        Returns
        -------
        str
            One row per classifier, with columns before and after learning; then the paired tests
            and the share of words with a vector.

        Examples
        --------
        >>> from treemetric.experiments import Sentiment
        >>> print(Sentiment([], None, [], 0.0).report())
        | classifier | before | after |
        |---|---:|---:|
        """
        lines = ["| classifier | before | after |", "|---|---:|---:|"]
        for name in dict.fromkeys(row["classifier"] for row in self.rows):
            cells = []
            for when in ("before", "after"):
                some = [r for r in self.rows if (r["classifier"], r["costs"]) == (name, when)]
                cells.append(" ".join(["", *map(_percent, some)]))
            lines.append(f"| {name} |{cells[0]} |{cells[1]} |")
        lines += [""] if self.tests else []
        lines += [
            f"- {test['classifier']}: {test['errors_gone']} errors are gone, {test['errors_new']} "
            f"are new; McNemar's exact test: p = {test['p_value']:.2g}"
            for test in self.tests
        ]
        if self.coverage is not None:
            words, tokens = (
                f"{self.coverage[f'share_of_{name}']:.1%} of {self.coverage[name]:,} {noun}"
                for name, noun in (("distinct_words", "distinct words"), ("tokens", "tokens"))
            )
            lines += ["", f"With a vector: {words}, {tokens}."]
        return "\n".join(lines)


def _percent(row: Row) -> str:
    error = row["test_error"]
    spread = np.sqrt(error * (1 - error) / row["n_test"])
    return f"{100 * error:.1f} ± {100 * spread:.1f}"


def run_sentiment(
    data: PathLike,
    vectors: PathLike,
    output: PathLike | None = None,
    *,
    kind: str = "cosine",
    quick: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Sentiment:
    r"""Learn a projection of word vectors, and compare classifiers before and after.

    Parameters
    ----------
    data : str or path
        A JSON Lines file of trees, or a folder with a file ``trees.jsonl``. The field ``label``
        is the class of a tree, and ``split`` is ``train``, ``dev`` or ``test``. Labels of nodes
        are words, or have no vector. Or a folder with three files of
        the Stanford Sentiment Treebank, whose names begin with ``train``, ``dev`` and ``test``,
        plain or ``.gz``; see `treemetric.datasets.load_ptb`. Neutral sentences are left out.
    vectors : str or path
        A file ``.npz`` with the arrays ``words`` of shape (U,), texts or UTF-8, and ``vectors``
        of shape (U, V).
    output : str or path, optional
        Folder for the results: ``results.csv``, ``table.md``, ``run.json`` and the learned
        ``projection.npy``. Intermediate results are written at once, and a later run with the same
        settings, code and data continues with them.
    kind : {'cosine', 'chord', 'angle', 'euclidean'}, default='cosine'
        How two vectors become a cost; see `VectorCosts`.
    quick : bool, default=False
        Use only some hundred trees.
    seed : int, default=0
        A number from 0 to 2**32 - 1, for the candidates for prototypes, and the trees if `quick`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    verbose : int, default=0
        As in `BEDL`; it also reports the progress of measuring distances.

    Returns
    -------
    Sentiment
        The errors, and the learned costs.

    Raises
    ------
    ValueError
        If the trees or vectors are not valid, if no word of a split has a vector, or if the folder
        holds results of other settings, versions, code or data.

    Notes
    -----
    `BEDL` learns the projection from the training split, once for each number of prototypes, and
    the projection with the least error on the development split is used. The development split
    also decides the number of neighbours and of prototypes of the classifiers, before and after.
    The test split is used for the final errors only.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import numpy as np
    >>> from treemetric.experiments import run_sentiment
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = pathlib.Path(name)
    ...     lines = [
    ...         {"bracket": "{*{%s}{film}}" % word, "label": label, "split": split}
    ...         for split in ("train", "dev", "test")
    ...         for word, label in [("good", 1), ("fine", 1), ("bad", 0), ("poor", 0)] * 2
    ...     ]
    ...     text = "\n".join(map(json.dumps, lines))
    ...     _ = (folder / "trees.jsonl").write_text(text)
    ...     words = ["good", "fine", "bad", "poor", "film"]
    ...     points = [[1, 2], [1, -2], [-1, 2], [-1, -2], [0, 1]]
    ...     np.savez(folder / "v.npz", words=words, vectors=np.array(points, dtype=float))
    ...     found = run_sentiment(folder, folder / "v.npz", quick=True)
    >>> [row["test_error"] for row in found.rows if row["costs"] == "after"]
    [0.0, 0.0]
    """
    jobs = check_n_jobs(n_jobs, "run_sentiment")
    check_seed(seed, "run_sentiment")
    check_int(verbose, "verbose", "run_sentiment", least=0)
    plan = QUICK if quick else FULL
    splits = load_splits(data, plan, seed)
    initial = load_costs(vectors, kind)
    covered = coverage(splits, initial)
    folder = None if output is None else Path(output)
    settings = {"kind": kind, "quick": quick, "seed": seed, "plan": plan._asdict()}
    settings["trees"] = {name: len(split[1]) for name, split in splits.items()}
    files = {name: _described(file) for name, file in data_files(data).items()}
    settings |= {"data": files.get(ALL, files), "vectors": _described(Path(vectors))}
    settings |= {"versions": versions(), "code": code_digest()}
    store = SentimentStore(folder, settings)  # refuses a wrong folder before the work
    meter = Meter(None if folder is None else folder / "runs.json", 1, jobs)
    meter.write()
    steps = Steps(splits, plan, seed, n_jobs, verbose, store, meter.write)
    costs, learned = steps.learn(initial)
    if folder is not None:
        write_array(folder / "projection.npy", np.asarray(costs.projection))
    before, after = steps.errors("before", initial), steps.errors("after", costs)
    rows, tests = [], []
    for (one, labels), (two, labels_after) in zip(before, after, strict=True):
        rows += [one, two]
        tests.append({"classifier": one["classifier"], **steps.compare(labels, labels_after)})
    seconds = float(sum(row["seconds"] for row in learned))
    found = Sentiment(rows, costs, learned, seconds, tuple(tests), covered)
    if folder is not None:
        _write(found, folder, {**settings, "effort": summed(meter.write())})
    return found


def _described(file: Path) -> dict[str, str]:
    return {"name": file.name, "sha256": file_digest(file)}


def _write(found: Sentiment, folder: Path, settings: dict[str, Any]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found.rows)
    write_text(folder / "results.csv", text.getvalue())
    head = f"{QUICK_NOTE}\n\n" if settings["quick"] else ""
    write_text(folder / "table.md", f"{head}{found.report()}\n")
    record = {
        **settings,
        "python": platform.python_version(),
        "date": datetime.now(UTC).date().isoformat(),
        "learned": found.learned,
        "seconds_of_learning": round(found.seconds, 1),
        "tests": list(found.tests),
        "coverage": found.coverage,
    }
    write_text(folder / "run.json", json.dumps(record, indent=1) + "\n")
