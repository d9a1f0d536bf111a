"""Compare BEDL with edist's BEDL in one run; write `record/<date>-<cpu>-learning.md`.

The data are the strings of the paper: 200 chains of 12 nodes, two classes, 4 prototypes per class.
Both losses are measured in the same way: the loss of generalised LVQ under the edit distance of the
learned costs, with the prototypes of the learner. edist's learner supports only sequences and needs
NumPy before 2.4. `--smoke` only checks that everything runs. `folds.py` measures errors by
cross-validation.
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from measure import race
from report import Report, spell, times
from threadpoolctl import threadpool_limits

import treemetric as tm
from treemetric._estimators.prototypes import closest
from treemetric._estimators.squashing import relevance
from treemetric.datasets import make_strings
from treemetric.learning import BEDL, LVQCosts

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent / "record"
PROTOTYPES = 4


def loss(trees: tm.TreeSet, y: np.ndarray, costs: tm.Costs, prototypes: np.ndarray) -> float:
    """Return the loss of prototypes under the edit distance of given costs."""
    found = tm.pairwise_distances(trees, trees[prototypes], costs=costs)
    plus, minus = closest(found, y[prototypes], y)
    rows = np.arange(len(y))
    return float(relevance(found[rows, plus], found[rows, minus]).sum())


def edist_learner(trees: tm.TreeSet, y: np.ndarray) -> Any:
    """Return a function that fits edist's learner, or None if it does not run."""
    try:
        module = importlib.import_module("edist.bedl")
    except ImportError:
        print("edist is not installed and is skipped")
        return None
    sequences = [list(tree.labels) for tree in trees]

    def fit() -> Any:
        learner = module.BEDL(PROTOTYPES)
        learner.fit(sequences, y)
        return learner

    try:
        module.BEDL(2).fit(sequences[:20], y[:20])
    except (TypeError, ValueError) as error:
        print(f"edist's BEDL does not run with NumPy {np.__version__}: {error}")
        return None
    return fit


def edist_loss(learner: Any, trees: tm.TreeSet, y: np.ndarray) -> float:
    """Return the loss of a fitted learner of edist."""
    index = learner._idx
    costs = tm.EmbeddingCosts(index, learner._embedding[list(index.values())])
    return loss(trees, y, costs, learner._classifier._w)


def processor_time(call: Callable[[], object], rounds: int) -> float:
    """Return the minimum processor time of a call, which other work affects less."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def bench(n: int, *, smoke: bool) -> list[str]:
    strings = make_strings(n, random_state=0)
    trees, y = strings.data, strings.target
    calls: dict[str, Any] = {
        f"`{type(learner).__name__}`, {jobs} thread(s)": (
            lambda learner=learner, jobs=jobs: learner.set_params(n_jobs=jobs).fit(trees, y)
        )
        for learner in (
            BEDL(PROTOTYPES, regularisation=0.0, n_components=None, fallback=False),
            LVQCosts(PROTOTYPES, regularisation=0.0, fallback=False),
        )
        for jobs in (1, 2)
    }
    losses = {}
    for name, call in calls.items():
        fitted = call()
        losses[name] = loss(trees, y, fitted.costs_.closure(), fitted.prototypes_)
    peer = edist_learner(trees, y)
    if peer is not None:
        calls["edist"] = peer
        losses["edist"] = edist_loss(peer(), trees, y)
    assert losses["`BEDL`, 1 thread(s)"] == losses["`BEDL`, 2 thread(s)"]
    # One BLAS thread for all: more threads slow down edist, too, on a busy machine.
    with threadpool_limits(1):
        best = race(calls, 0.1 if smoke else 30, rounds=1 if smoke else 5)
        work = {name: processor_time(call, 1 if smoke else 3) for name, call in calls.items()}
    lines = [
        "| learner | fit | edist / this | processor time | edist / this | loss (minimum is -n) |",
        "|---|---|---|---|---|---|",
    ]
    for name in calls:
        cells = []
        for found in (best, work):
            ratio = found["edist"] / found[name] if "edist" in found else None
            cells += [spell(found[name]), times(ratio)]
        lines.append(f"| {name} | {' | '.join(cells)} | {losses[name]:.6f} |")
    print("\n".join(lines), flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    smoke = parser.parse_args().smoke
    versions = f"treemetric {tm.__version__}, numpy {np.__version__}, scipy {scipy.__version__}"
    report = Report(versions)
    load = os.getloadavg()[0]
    lines = bench(20 if smoke else 200, smoke=smoke)
    if smoke:
        return
    head = [f"# Learning, {report.date}", "", f"{report.cpu}; {report.versions}.", ""]
    head += [
        "Strings: 200 chains of 12 nodes, alphabet of 4, two classes, 4 prototypes per class. "
        f"Minimum of several rounds; all learners in one run. {os.cpu_count()} cores, load at the "
        f"start {load:.1f}. On a busy machine, compare processor times: a long fit is interrupted "
        "more often than a short one, so the ratio of elapsed times favours the short one.",
        "",
    ]
    name = f"{report.date}-{report.cpu.lower().replace(' ', '-')}-learning.md"
    (FOLDER / name).write_text("\n".join([*head, *lines, ""]))


if __name__ == "__main__":
    main()
