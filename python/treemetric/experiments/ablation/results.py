"""Results as a table of rows, as means over folds, and as files."""

from __future__ import annotations

import csv
import io
import json
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from treemetric.experiments.ablation.plan import CLASSIFIERS, DISTANCES, VARIANTS
from treemetric.experiments.ablation.store import Cell
from treemetric.experiments.common.effort import Run, summed

COLUMNS = (
    "dataset",
    "fold",
    "variant",
    "distance",
    "classifier",
    "error",
    "inner_error",
    "n_test",
    "zero_closure",
    "learner_parameters",
    "classifier_parameters",
    "seconds",
    "seed",
)
TITLES = {
    "strings": "Strings",
    "minipalindrome": "MiniPalindrome",
    "sorting": "Sorting",
    "cystic": "Cystic",
    "leukemia": "Leukemia",
}
DISTANCE_TITLES = {
    "pseudo": "Pseudo-edit distance",
    "actual": "Edit distance",
    "programme": "Dynamic programme under the costs as learned",
}

QUICK_NOTE = (
    "**Quick run: two folds and tiny grids. It shows that all works; its numbers mean nothing.**"
)
ZERO_NOTE = (
    "∅ n %: in n % of the folds the closure of the learned costs is 0 everywhere. All trees are\n"
    "equal then, and the most frequent class of the training trees is predicted."
)

Row = dict[str, Any]


class MeanError(NamedTuple):
    """Mean and standard deviation of the error over the folds.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    variant : str
        How costs were learned: ``'unit'``, ``'G1'`` to ``'G3'``, ``'L1'`` or ``'L2'``.
    distance : str
        ``'pseudo'``, ``'actual'`` or ``'programme'``.
    classifier : str
        Name of the classifier.
    mean : float
        Mean error on the test trees of all folds.
    std : float
        Standard deviation of the folds' errors.
    folds : int
        Number of folds.
    zero_closure : float, default=0.0
        Share of the folds in which the closure of the learned costs is 0 everywhere.

    Examples
    --------
    >>> from treemetric.experiments import MeanError
    >>> MeanError("strings", "L2", "actual", "knn", 0.0, 0.0, 20).folds
    20
    """

    dataset: str
    variant: str
    distance: str
    classifier: str
    mean: float
    std: float
    folds: int
    zero_closure: float = 0.0


def title(name: str) -> str:
    """Return the name of a data set as the source writes it."""
    return TITLES.get(name.lower(), name)


def to_rows(cells: Sequence[Cell], datasets: dict[str, Any]) -> list[Row]:
    """Return one row per error, in a fixed order; variants with missing folds are left out."""
    folds: dict[tuple[str, str], int] = {}
    for cell in cells:
        key = cell["dataset"], cell["variant"]
        folds[key] = folds.get(key, 0) + 1
    rows = [
        {
            **{name: cell[name] for name in ("dataset", "fold", "variant", "seconds", "seed")},
            **{name: value for name, value in row.items() if name != "predictions"},
            "n_test": len(cell["test"]),
        }
        for cell in cells
        if folds[cell["dataset"], cell["variant"]] == datasets[cell["dataset"]]["folds"]
        for row in cell["rows"]
    ]
    order = {name: k for k, name in enumerate((*datasets, *VARIANTS, *DISTANCES, *CLASSIFIERS))}
    names = ("dataset", "variant", "distance", "classifier")
    return sorted(rows, key=lambda row: ([order[row[name]] for name in names], row["fold"]))


def summarise(rows: Sequence[Row]) -> list[MeanError]:
    """Return the mean and standard deviation of the errors over folds.

    Parameters
    ----------
    rows : sequence of dict
        The rows that `run_ablation` returns.

    Returns
    -------
    list of MeanError
        One for each data set, variant, distance and classifier, in the order of the rows.

    Examples
    --------
    >>> from treemetric.experiments import summarise
    >>> row = {"dataset": "strings", "variant": "L2", "distance": "actual", "classifier": "knn"}
    >>> summarise([{**row, "error": 0.0}, {**row, "error": 0.5}])[0].mean
    0.25
    """
    some: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows:
        key = row["dataset"], row["variant"], row["distance"], row["classifier"]
        some.setdefault(key, []).append(row)
    found = []
    for key, folds in some.items():
        errors = [row["error"] for row in folds]
        zero = float(np.mean([row.get("zero_closure", False) for row in folds]))
        found.append(
            MeanError(*key, float(np.mean(errors)), float(np.std(errors)), len(folds), zero)
        )
    return found


def to_csv(rows: Sequence[Row]) -> str:
    """Return the rows as CSV, with parameters as JSON."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {
                name: json.dumps(value) if isinstance(value, dict) else value
                for name, value in row.items()
            }
        )
    return text.getvalue()


def to_markdown(rows: Sequence[Row]) -> str:
    """Return the mean errors as tables in Markdown, in per cent, one table per distance.

    Parameters
    ----------
    rows : sequence of dict
        The rows that `run_ablation` returns.

    Returns
    -------
    str
        One row per data set and classifier, one column per variant. For the edit distance, a cell
        also shows in how many folds the closure of the learned costs is 0 everywhere.

    Examples
    --------
    >>> from treemetric.experiments import to_markdown
    >>> row = {"dataset": "strings", "variant": "L2", "distance": "actual", "classifier": "knn"}
    >>> print(to_markdown([{**row, "error": 0.0}, {**row, "error": 0.5}]))
    ### Edit distance
    <BLANKLINE>
    | data | classifier | L2 |
    |---|---|---:|
    | Strings | knn | 25.0 ± 25.0 |
    <BLANKLINE>
    """
    found = {tuple(one[:4]): one for one in summarise(rows)}
    lines: list[str] = []
    for distance in DISTANCES:
        some = [key for key in found if key[2] == distance]
        if not some:
            continue
        variants = [name for name in VARIANTS if any(key[1] == name for key in some)]
        lines += [f"### {DISTANCE_TITLES[distance]}", ""]
        lines += [f"| data | classifier | {' | '.join(variants)} |"]
        lines += ["|---|---|" + "---:|" * len(variants)]
        for dataset in dict.fromkeys(key[0] for key in some):
            for classifier in CLASSIFIERS:
                cells = []
                for variant in variants:
                    one = found.get((dataset, variant, distance, classifier))
                    cells.append(_shown(one) if one else "")
                if any(cells):
                    lines.append(f"| {title(dataset)} | {classifier} | {' | '.join(cells)} |")
        if distance == "actual" and any(found[key].zero_closure for key in some):
            lines += ["", ZERO_NOTE]
        lines.append("")
    return "\n".join(lines)


def _shown(one: MeanError) -> str:
    text = f"{100 * one.mean:.1f} ± {100 * one.std:.1f}"
    # Other distances do not depend on the closure.
    if one.distance != "actual" or not one.zero_closure:
        return text
    return f"{text} ∅ {100 * one.zero_closure:.0f} %"


def to_record(settings: dict[str, Any], cells: Sequence[Cell], runs: Sequence[Run]) -> str:
    """Return the record of a run as JSON: settings, versions, data, date, effort, warnings."""
    warned: dict[str, int] = {}
    for cell in cells:
        for text in cell["warnings"]:
            warned[text] = warned.get(text, 0) + 1
    record = {
        **settings,
        "python": platform.python_version(),
        "date": datetime.now(UTC).date().isoformat(),
        "variants": {
            name: VARIANTS[name].title for name in VARIANTS if name in {c["variant"] for c in cells}
        },
        "cells": len(cells),
        "seconds_of_all_cells": round(sum(cell["seconds"] for cell in cells), 1),
        "effort": summed(runs),
        "warnings": warned,
    }
    return json.dumps(record, indent=1) + "\n"
