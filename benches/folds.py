"""Errors of classifiers before and after BEDL, by nested cross-validation.

Usage: python benches/folds.py FOLDER [--jobs N], where FOLDER contains sorting/trees.jsonl,
cystic/trees.jsonl and leukemia/trees.jsonl. Prints a Markdown table. `--smoke` only checks that
everything runs, on generated strings. `--part NAME` runs one data set.

All choices (learner, neighbours, prototypes, weights) minimise the mean error of an inner
cross-validation on the training part of an outer fold. The first of equally good candidates wins,
which is the one that learns less. The column "BEDL" always learns; the column "either" can also
choose unit costs. Labels that are missing in a training part have the costs of unseen='gap-like',
before and after learning.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

import treemetric as tm
from treemetric.classification import DistanceSVC, GoodnessClassifier, MedianGLVQ
from treemetric.datasets import make_strings
from treemetric.learning import BEDL

FOLDS = {"strings": 20, "sorting": 8, "cystic": 10, "leukemia": 10}
INNER = 3
GIVEN: dict[str, Any] = {"metric": "precomputed"}

CLASSIFIERS: dict[str, list[Any]] = {
    "1-NN": [KNeighborsClassifier(1, **GIVEN)],
    "k-NN": [KNeighborsClassifier(k, **GIVEN) for k in (1, 3, 5, 7)],
    "MedianGLVQ": [MedianGLVQ(k, **GIVEN) for k in (1, 2, 4)],
    "DistanceSVC": [DistanceSVC(c, **GIVEN) for c in (1.0, 10.0)],
    "goodness": [GoodnessClassifier(w, scale="median", **GIVEN) for w in (0.1, 1.0)],
}

# From little freedom to much: two weights of the regularisation, early stopping, none.
FREEDOM: dict[str, dict[str, Any]] = {
    "weight 0.1": {"regularisation": 0.1},
    "weight 0.01": {"regularisation": 0.01},
    "early": {"regularisation": 0.0, "max_iter": 3, "max_inner_iter": 5},
    "free": {"regularisation": 0.0},
}
LEARNERS = {
    "unit costs": BEDL(max_iter=0),
    **{
        f"{name}, {k} per class": BEDL(k, fallback=False, **freedom)
        for name, freedom in FREEDOM.items()
        for k in (1, 4)
    },
}
# The strings need no choice.
FOR_STRINGS = {
    "unit costs": LEARNERS["unit costs"],
    "free, 4 per class": LEARNERS["free, 4 per class"],
}
# Candidates of each column of the table; the first learner learns nothing.
COLUMNS = {"unit": slice(0, 1), "BEDL": slice(1, None), "either": slice(0, None)}


def errors(learner: BEDL, train: Any, test: Any) -> dict[str, list[float]]:
    """Return the error of every classifier on the distance of a fitted learner."""
    learner.fit(*train)
    inside, outside = learner.transform(train[0]), learner.transform(test[0])
    found = {}
    for name, models in CLASSIFIERS.items():
        # A part of a fold can have fewer trees than the largest number of neighbours.
        rates = []
        for model in models:
            if isinstance(model, KNeighborsClassifier) and model.n_neighbors > len(inside):
                rates.append(1.0)
                continue
            model.fit(inside, train[1])
            rates.append(float(np.mean(model.predict(outside) != test[1])))
        found[name] = rates
    return found


def one_fold(
    trees: tm.TreeSet,
    y: np.ndarray,
    split: tuple[np.ndarray, np.ndarray],
    learners: dict[str, BEDL],
    seed: int,
) -> dict[tuple[str, str], tuple[float, str]]:
    """Choose on the training part; return the errors on the test part and the choices."""
    train, test = split
    splitter = StratifiedKFold(INNER, shuffle=True, random_state=seed)
    splits = [(train[a], train[b]) for a, b in splitter.split(train, y[train])]

    def part(index: np.ndarray) -> tuple[tm.TreeSet, np.ndarray]:
        return trees[index], y[index]

    inner = {
        label: [errors(learner, part(a), part(b)) for a, b in splits]
        for label, learner in learners.items()
    }
    outer: dict[str, dict[str, list[float]]] = {}
    found = {}
    for column, some in COLUMNS.items():
        labels = list(learners)[some]
        for name in CLASSIFIERS:
            rates = np.array([[fold[name] for fold in inner[label]] for label in labels])
            mean = rates.mean(axis=1).round(9)
            best, which = np.unravel_index(int(np.argmin(mean)), mean.shape)
            chosen = labels[best]
            if chosen not in outer:
                outer[chosen] = errors(learners[chosen], part(train), part(test))
            found[column, name] = outer[chosen][name][which], chosen
    return found


def table(name: str, trees: tm.TreeSet, y: np.ndarray, *, jobs: int, seed: int) -> None:
    """Run all outer folds of a data set and print its lines."""
    start = time.perf_counter()
    learners = FOR_STRINGS if name == "strings" else LEARNERS
    splitter = StratifiedKFold(FOLDS[name], shuffle=True, random_state=seed)
    folds = Parallel(n_jobs=jobs)(
        delayed(one_fold)(trees, y, split, learners, number)
        for number, split in enumerate(splitter.split(y, y))
    )
    for classifier in CLASSIFIERS:
        rates = [np.array([fold[column, classifier][0] for fold in folds]) for column in COLUMNS]
        cells = [f"{100 * rate.mean():.1f} ± {100 * rate.std():.1f}" for rate in rates]
        learned = sum(fold["either", classifier][1] != "unit costs" for fold in folds)
        often = Counter(fold["BEDL", classifier][1] for fold in folds).most_common(1)[0]
        cells += [f"{learned} of {len(folds)}", f"{often[0]} ({often[1]})"]
        print(f"| {name} | {classifier} | {' | '.join(cells)} |", flush=True)
    print(f"<!-- {name}: {len(folds)} folds in {time.perf_counter() - start:.0f} s -->", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="folder of the data sets")
    parser.add_argument(
        "--jobs", type=int, default=1, help="number of outer folds to run in parallel"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the outer folds")
    parser.add_argument("--part", choices=list(FOLDS), help="run only this data set")
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    options = parser.parse_args()
    warnings.simplefilter("error")
    if options.smoke:
        strings = make_strings(24, random_state=0)
        halves = np.arange(12), np.arange(12, 24)
        found = one_fold(strings.data, strings.target, halves, LEARNERS, 0)
        assert all(0 <= error <= 1 for error, _ in found.values())
        return
    print("| data | classifier | unit costs | BEDL | either | learned | BEDL chosen most often |")
    print("|---|---|---|---|---|---|---|")
    for name in [options.part] if options.part else FOLDS:
        if name == "strings":
            strings = make_strings(200, random_state=0)
            table(name, strings.data, strings.target, jobs=options.jobs, seed=options.seed)
        elif options.folder is not None:
            trees = tm.TreeSet.from_jsonl(options.folder / name / "trees.jsonl")
            table(name, trees, np.array(trees.classes), jobs=options.jobs, seed=options.seed)


if __name__ == "__main__":
    main()
