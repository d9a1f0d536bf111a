"""Errors of classifiers on learned costs, unit costs, features and kernels, on the same folds.

Usage: python benches/learners.py run FOLDER RESULTS [--only SET ...] [--methods METHOD ...], then
python benches/learners.py report RESULTS; or python benches/learners.py times.
FOLDER contains data sets as NAME/trees.jsonl with classes; RESULTS is a file of lines in JSON, to
which each result is appended, so that a run that was stopped goes on where it stopped. `--smoke`
only checks that everything runs.

Sets of fewer than 500 trees have 5 × 5 stratified folds, others 5. Of more than 2,000 trees, 500
are drawn at random first. Every learner has its defaults. Among equal distances, neighbours share
their votes. C of support vector machines is 1 or 10, by three inner folds of the training trees,
in which equal trees stay together. Nothing else is chosen. `times` fits all learners to 1,000
generated trees with thousands of labels.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import treemetric as tm
from treemetric.classification._further_kernels import FurtherKernels
from treemetric.classification.kernel import corrected, gaussian, median_distance
from treemetric.datasets import make_strings
from treemetric.features import TreeFeatures
from treemetric.kernels import TreeKernel
from treemetric.learning import BEDL, GESL, LVQCosts, NCACosts
from treemetric.learning._bagging import equal_trees
from treemetric.learning._votes import vote_shares, winners

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SETS = (
    "strings",
    "minipalindrome",
    "sorting",
    "cystic",
    "leukemia",
    "glycan_immunogenicity",
    "sst",
)
LEARNERS: dict[str, Callable[[], Any]] = {
    "NCACosts": lambda: NCACosts(random_state=0),
    "BEDL": BEDL,
    "LVQCosts": LVQCosts,
    "GESL": GESL,
}
FEATURES: dict[str, Callable[[], Any]] = {
    "paths, logistic regression": lambda: make_pipeline(
        TreeFeatures("paths"), MaxAbsScaler(), LogisticRegression(max_iter=2000)
    ),
    "pq-grams, logistic regression": lambda: make_pipeline(
        TreeFeatures("pqgrams"), MaxAbsScaler(), LogisticRegression(max_iter=2000)
    ),
    "Weisfeiler-Lehman subtrees, logistic regression": lambda: make_pipeline(
        TreeFeatures("subtrees"), MaxAbsScaler(), LogisticRegression(max_iter=2000)
    ),
    "paths, random forest": lambda: make_pipeline(
        TreeFeatures("paths"), RandomForestClassifier(300, random_state=0)
    ),
}
KERNELS: dict[str, Callable[[], Any]] = {
    "path kernel, SVM": lambda: TreeKernel("path"),
    "subtree kernel, SVM": lambda: TreeKernel("subtree"),
    "subset-tree kernel, SVM": lambda: TreeKernel("subset-tree"),
    "partial-tree kernel, SVM": lambda: TreeKernel("partial-tree"),
    "Weisfeiler-Lehman kernel, SVM": lambda: TreeFeatures("subtrees"),
}
UNIT = "unit costs"
# The product of the edit distance with a sum of three kernels of features, under unit costs.
SUM = "unit costs · (paths + subtrees + pq-grams), SVM"
METHODS = (UNIT, *LEARNERS, *FEATURES, *KERNELS, SUM)
CLASSIFIERS = ("1-NN", "5-NN", "SVM", "SVM · paths", "SVM · paths · subtrees")
CHOICES = (1.0, 10.0)
FEW, MANY, SAMPLE = 500, 2000, 500


def load(name: str, folder: Path | None) -> tuple[tm.TreeSet, np.ndarray]:
    """Return the trees and classes of a data set, or of a sample of it."""
    if name == "strings":
        strings = make_strings(200, random_state=0)
        return strings.data, np.asarray(strings.target)
    if folder is None:
        message = f"the folder of {name} is missing"
        raise SystemExit(message)
    trees = tm.TreeSet.from_jsonl(folder / name / "trees.jsonl")
    y = np.array(trees.classes)
    if len(trees) > MANY:
        some = np.sort(np.random.RandomState(0).permutation(len(trees))[:SAMPLE])
        trees, y = tm.TreeSet(list(trees[some])), y[some]
    return trees, y


def folds(y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    repeats = 5 if len(y) < FEW else 1
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0)
    yield from splitter.split(y, y)


class Fold:
    """One split: what all methods share, and the errors of each."""

    def __init__(self, trees: tm.TreeSet, y: np.ndarray, split: Any) -> None:
        train, test = split
        # A set of its own has only the labels of the training trees.
        self.train, self.test = tm.TreeSet(list(trees[train])), tm.TreeSet(list(trees[test]))
        self.y, self.truth = y[train], y[test]
        groups = equal_trees(self.train)
        inner = StratifiedGroupKFold(3, shuffle=True, random_state=0)
        self.inner = list(inner.split(self.y, self.y, groups))
        paths = TreeKernel("path")
        self.further = {
            "SVM · paths": self.kernels(paths),
            "SVM · paths · subtrees": self.kernels([paths, TreeFeatures("subtrees")]),
        }

    def kernels(self, kernel: Any, combine: str = "product") -> tuple[np.ndarray, np.ndarray]:
        """Return the kernels of the training trees, and those of the others with them."""
        found = FurtherKernels(kernel, self.train, combine)
        known, asked = len(self.train), len(self.test)
        rows = found.rows(self.test, np.arange(known), np.ones((asked, known)))
        return found.gram(np.ones((known, known))), rows

    def error(self, predicted: np.ndarray) -> float:
        return float(np.mean(predicted != self.truth))

    def neighbours(self, to_train: np.ndarray, k: int) -> float:
        classes, codes = np.unique(self.y, return_inverse=True)
        shares = vote_shares(to_train, codes, len(classes), k)
        closest = vote_shares(to_train, codes, len(classes), 1)
        return self.error(classes[winners(shares, closest)])

    def machine(self, gram: np.ndarray, rows: np.ndarray) -> float:
        """Choose C by the inner folds; return the error of the machine of all training trees."""
        wrong = [
            np.mean([self._inner_error(gram, c, *parts) for parts in self.inner]) for c in CHOICES
        ]
        model = SVC(C=CHOICES[int(np.argmin(wrong))], kernel="precomputed", break_ties=True)
        return self.error(model.fit(gram, self.y).predict(rows))

    def _inner_error(self, gram: np.ndarray, c: float, some: Any, others: Any) -> float:
        if len(np.unique(self.y[some])) < 2:
            return 1.0
        model = SVC(C=c, kernel="precomputed").fit(gram[np.ix_(some, some)], self.y[some])
        return float(np.mean(model.predict(gram[np.ix_(others, some)]) != self.y[others]))

    def classify(self, inside: np.ndarray, to_train: np.ndarray) -> dict[str, float]:
        """Return the errors of all classifiers on a distance.

        The machines are those of `DistanceSVC`, the last two with ``kernel=TreeKernel("path")`` and
        with ``kernel=[TreeKernel("path"), TreeFeatures("subtrees")]``.
        """
        bandwidth = median_distance(inside)
        found = corrected(gaussian(inside, bandwidth), "clip")
        rows = found.of_rows(gaussian(to_train, bandwidth))
        errors = {
            "1-NN": self.neighbours(to_train, 1),
            "5-NN": self.neighbours(to_train, 5),
            "SVM": self.machine(found.kernel, rows),
        }
        for name, (gram, others) in self.further.items():
            errors[name] = self.machine(found.kernel * gram, rows * others)
        return errors

    def unit(self) -> dict[str, float]:
        inside = tm.pairwise_distances(self.train).astype(np.float64)
        to_train = tm.pairwise_distances(self.test, self.train).astype(np.float64)
        return self.classify(inside, to_train)

    def product_of_sum(self) -> dict[str, float]:
        """Return the error of ``DistanceSVC(kernel=[...], combine="product-of-sum")``."""
        inside = tm.pairwise_distances(self.train).astype(np.float64)
        to_train = tm.pairwise_distances(self.test, self.train).astype(np.float64)
        bandwidth = median_distance(inside)
        found = corrected(gaussian(inside, bandwidth), "clip")
        rows = found.of_rows(gaussian(to_train, bandwidth))
        parts = [TreeKernel("path"), TreeFeatures("subtrees"), TreeFeatures("pqgrams")]
        gram, others = self.kernels(parts, "product-of-sum")
        return {"error": self.machine(found.kernel * gram, rows * others)}

    def learned(self, make: Callable[[], Any]) -> dict[str, float]:
        start = time.process_time()
        learner = make().fit(self.train, self.y)
        seconds = time.process_time() - start
        inside, to_train = learner.transform(self.train), learner.transform(self.test)
        extra = {"fit": seconds, "learned": float(learner._has_learned())}
        return {**self.classify(inside, to_train), **extra}

    def features(self, make: Callable[[], Any]) -> dict[str, float]:
        return {"error": self.error(make().fit(self.train, self.y).predict(self.test))}

    def methods(self) -> Iterator[tuple[str, Callable[[], dict[str, float]]]]:
        yield UNIT, self.unit
        for name, make in LEARNERS.items():
            yield name, lambda make=make: self.learned(make)
        for name, make in FEATURES.items():
            yield name, lambda make=make: self.features(make)
        for name, make in KERNELS.items():
            yield name, lambda make=make: {"error": self.machine(*self.kernels(make()))}
        yield SUM, self.product_of_sum


def measured(call: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return the errors of a method and its processor seconds."""
    start = time.process_time()
    found = call()
    return {**found, "seconds": time.process_time() - start}


def done(results: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    )


def run(folder: Path | None, results: Path, only: list[str], methods: list[str]) -> None:
    """Append the results of all methods on all folds that are missing."""
    finished = {(line["set"], line["fold"], line["method"]) for line in done(results)}
    for name in only:
        trees, y = load(name, folder)
        for number, split in enumerate(folds(y)):
            if all((name, number, method) in finished for method in methods):
                continue
            for method, call in Fold(trees, y, split).methods():
                if method not in methods or (name, number, method) in finished:
                    continue
                line = {"set": name, "fold": number, "sizes": [len(part) for part in split]}
                line |= {"method": method, "cells": measured(call)}
                with results.open("a") as file:
                    file.write(json.dumps(line) + "\n")


def resampled_p(differences: np.ndarray, sizes: list[int]) -> float:
    """Return the p-value of the corrected resampled t-test (Nadeau and Bengio 2003)."""
    count = len(differences)
    spread = float(differences.var(ddof=1)) if count > 1 else 0.0
    if spread == 0.0:
        return 1.0 if differences.mean() == 0.0 else 0.0
    scale = np.sqrt((1 / count + sizes[1] / sizes[0]) * spread)
    return float(2 * stats.t.sf(abs(differences.mean()) / scale, count - 1))


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Return a Markdown table of one data set; marks say what differs clearly from unit costs."""
    values: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for line in lines:
        for column, value in line["cells"].items():
            values[line["method"], column][line["fold"]] = value
    total = len({line["fold"] for line in lines})
    rows = [f"| method | {' | '.join(CLASSIFIERS)} | other | learned | processor seconds |"]
    rows.append("|---" * (4 + len(CLASSIFIERS)) + "|")
    for method in dict.fromkeys(line["method"] for line in lines):
        cells = []
        for column in (*CLASSIFIERS, "error"):
            found = values[method, column]
            base = values[UNIT, "SVM" if column == "error" else column]
            cells.append(_marked(found, base, lines[0]["sizes"]) if found else "")
        learned = values[method, "learned"]
        count = len(learned)
        cells.append(f"{sum(map(int, learned.values()))} of {count}" if count else "")
        seconds, fit = (list(values[method, column].values()) for column in ("seconds", "fit"))
        cells.append(f"{np.mean(seconds):.1f}" + (f" (fit {np.mean(fit):.1f})" if fit else ""))
        name = method if len(seconds) == total else f"{method} ({len(seconds)} folds only)"
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return rows


def _marked(found: dict[int, float], base: dict[int, float], sizes: list[int]) -> str:
    """Return the mean error, with a mark if it differs clearly on the folds of both."""
    both = sorted(found.keys() & base.keys())
    gains = np.array([base[fold] - found[fold] for fold in both])
    clear = len(both) > 1 and resampled_p(gains, sizes) < 0.05
    mark = "" if not clear else " +" if gains.mean() > 0 else " -"
    return f"{100 * np.mean(list(found.values())):.1f}{mark}"


def report(results: Path) -> None:
    """Print the tables of all data sets."""
    lines = done(results)
    for name in dict.fromkeys(line["set"] for line in lines):
        some = [line for line in lines if line["set"] == name]
        train, test = some[0]["sizes"]
        count = len({line["fold"] for line in some})
        print(f"\n## {name}: {train + test} trees, {count} folds\n")
        print("\n".join(table(some)))


def many_labels(count: int) -> tuple[tm.TreeSet, np.ndarray]:
    """Return sentences of frequent and rare words below tags; one word hints at the class."""
    rng = np.random.RandomState(0)
    shares = 1 / np.arange(2, 6002) ** 0.6
    y = rng.randint(5, size=count)
    trees = []
    for code in y:
        labels, parents = ["sentence"], [-1]
        words = [f"word {w}" for w in rng.choice(6000, size=8, p=shares / shares.sum())]
        words[rng.randint(8)] = f"hint {code if rng.rand() < 0.8 else rng.randint(5)}"
        for word in words:
            labels += [f"tag {rng.randint(10)}", word]
            parents += [0, len(labels) - 2]
        trees.append(tm.Tree.from_parents(labels, parents))
    return tm.TreeSet(trees), y


def times(count: int) -> None:
    """Print the processor seconds of all fits, and the errors on as many new trees."""
    trees, y = many_labels(2 * count)
    train, test = tm.TreeSet(list(trees[:count])), trees[count:]
    print(f"{count} trees of 17 nodes, {len(train.alphabet)} labels.\n")
    print("| learner | processor seconds of fit | error of 1-NN |")
    print("|---|---|---|", flush=True)
    for name, make in {UNIT: None, **LEARNERS}.items():
        start = time.process_time()
        learner = make().fit(train, y[:count]) if make else None
        seconds = time.process_time() - start
        found = learner.transform(test) if learner else tm.pairwise_distances(test, train)
        error = np.mean(y[:count][np.argmin(found, axis=1)] != y[count:])
        print(f"| {name} | {seconds:.1f} | {100 * error:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", nargs="?", choices=("run", "report", "times"))
    parser.add_argument("paths", nargs="*", type=Path, help="run: FOLDER RESULTS; report: RESULTS")
    parser.add_argument("--only", nargs="*", choices=SETS, default=list(SETS))
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS))
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    given = parser.parse_args()
    warnings.simplefilter("ignore", tm.exceptions.CollapsedCostsWarning)
    if given.smoke:
        strings = make_strings(30, random_state=0)
        split = np.arange(20), np.arange(20, 30)
        fold = Fold(strings.data, np.asarray(strings.target), split)
        lines = [
            {"fold": number, "sizes": [20, 10], "method": method, "cells": measured(call)}
            for number in range(2)
            for method, call in fold.methods()
        ]
        assert all(0 <= line["cells"].get("1-NN", 0.0) <= 1 for line in lines)
        print("\n".join(table(lines)))
        times(20)
    elif given.action == "times":
        times(1000)
    elif given.action == "run" and len(given.paths) == 2:
        run(*given.paths, given.only, given.methods)
    elif given.action == "report" and len(given.paths) == 1:
        report(given.paths[0])
    else:
        parser.error("expected: run FOLDER RESULTS, report RESULTS, times or --smoke")


if __name__ == "__main__":
    # Threads of BLAS that wait for each other would count as processor time.
    with threadpool_limits(1):
        main()
