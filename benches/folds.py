"""Errors of classifiers before and after BEDL, by nested cross-validation.

Usage: python benches/folds.py FOLDER [--jobs N], where FOLDER holds sorting/trees.jsonl,
cystic/trees.jsonl and leukemia/trees.jsonl. Prints a table in Markdown; `--smoke` only checks
that everything runs, on generated strings. `--part NAME` runs one set.

Everything that is chosen (learner, neighbours, prototypes, weights) is chosen by the mean error of
an inner cross-validation on the training part of an outer fold; of equal ones the first counts.
Labels that a training part lacks are priced by unseen='gap-like', before and after learning.
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

# From little freedom to much: weight of the regularisation, then L-BFGS stopped early, then none.
FREEDOM: dict[str, dict[str, Any]] = {
    "weight 10": {"regularisation": 10.0},
    "weight 1": {"regularisation": 1.0},
    "early": {"max_iter": 3, "max_inner_iter": 5},
    "free": {},
}
Learners = dict[str, dict[str, BEDL]]
UNIT = {"unit": BEDL(max_iter=0, unseen="gap-like")}
LEARNERS: Learners = {
    "unit": UNIT,
    "BEDL": {
        f"{name}, {k} per class": BEDL(k, unseen="gap-like", **freedom)
        for name, freedom in FREEDOM.items()
        for k in (1, 4)
    },
}
# On the strings there is nothing to choose.
FOR_STRINGS: Learners = {"unit": UNIT, "BEDL": {"free": BEDL(4, unseen="gap-like")}}


def errors(learner: BEDL, train: Any, test: Any) -> dict[str, list[float]]:
    """Give the error of every classifier on the distance that a learner has learned."""
    learner.fit(*train)
    inside, outside = learner.transform(train[0]), learner.transform(test[0])
    found = {}
    for name, models in CLASSIFIERS.items():
        # A part of a fold may hold fewer trees than the largest number of neighbours.
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
    kinds: Learners,
    seed: int,
) -> dict[tuple[str, str], tuple[float, str]]:
    """Choose on the training part, then give the errors on the test part and what was chosen."""
    train, test = split
    splitter = StratifiedKFold(INNER, shuffle=True, random_state=seed)
    splits = [(train[a], train[b]) for a, b in splitter.split(train, y[train])]

    def part(index: np.ndarray) -> tuple[tm.TreeSet, np.ndarray]:
        return trees[index], y[index]

    found = {}
    for kind, learners in kinds.items():
        inner = [[errors(one, part(a), part(b)) for a, b in splits] for one in learners.values()]
        outer: dict[str, dict[str, list[float]]] = {}
        for name in CLASSIFIERS:
            rates = np.array([[fold[name] for fold in one] for one in inner]).mean(axis=1)
            best, which = np.unravel_index(int(np.argmin(rates.round(9))), rates.shape)
            chosen = list(learners)[best]
            if chosen not in outer:
                outer[chosen] = errors(learners[chosen], part(train), part(test))
            found[kind, name] = outer[chosen][name][which], chosen
    return found


def table(name: str, trees: tm.TreeSet, y: np.ndarray, jobs: int) -> list[str]:
    """Run all outer folds of a set."""
    start = time.perf_counter()
    kinds = FOR_STRINGS if name == "strings" else LEARNERS
    splitter = StratifiedKFold(FOLDS[name], shuffle=True, random_state=0)
    folds = Parallel(n_jobs=jobs)(
        delayed(one_fold)(trees, y, split, kinds, seed)
        for seed, split in enumerate(splitter.split(y, y))
    )
    lines = []
    for classifier in CLASSIFIERS:
        before, after = (np.array([fold[kind, classifier][0] for fold in folds]) for kind in kinds)
        cells = [f"{100 * e.mean():.1f} ± {100 * e.std():.1f}" for e in (before, after)]
        change = 100 * (after - before).mean()
        often = Counter(fold["BEDL", classifier][1] for fold in folds).most_common(1)[0]
        lines.append(
            f"| {name} | {classifier} | {cells[0]} | {cells[1]} | {change:+.1f} | "
            f"{often[0]} ({often[1]} of {len(folds)}) |"
        )
    seconds = time.perf_counter() - start
    lines.append(f"| {name} | *{len(folds)} folds, {seconds:.0f} s* | | | | |")
    print("\n".join(lines), flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="folder of the data sets")
    parser.add_argument("--jobs", type=int, default=1, help="outer folds at a time")
    parser.add_argument("--part", choices=list(FOLDS), help="one set only")
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    options = parser.parse_args()
    warnings.simplefilter("error")
    if options.smoke:
        strings = make_strings(24, random_state=0)
        halves = np.arange(12), np.arange(12, 24)
        found = one_fold(strings.data, strings.target, halves, LEARNERS, 0)
        assert all(0 <= error <= 1 for error, _ in found.values())
        return
    print("| data | classifier | unit costs | BEDL | change | chosen most often |")
    print("|---|---|---|---|---|---|")
    for name in [options.part] if options.part else FOLDS:
        if name == "strings":
            strings = make_strings(200, random_state=0)
            table(name, strings.data, strings.target, options.jobs)
        elif options.folder is not None:
            trees = tm.TreeSet.from_jsonl(options.folder / name / "trees.jsonl")
            table(name, trees, np.array(trees.classes), options.jobs)


if __name__ == "__main__":
    main()
