"""Time per node of features and kernels, and errors of classifiers that use them.

Usage: python benches/features.py [FOLDER] [--only NAME ...] [--repeats N]; FOLDER contains data
sets as NAME/trees.jsonl with classes. Prints Markdown tables: first times on generated trees, then,
if there is a folder, mean errors of 5-fold cross-validation in per cent. All parameters have their
defaults. `--smoke` only checks that everything runs, on generated strings.
"""

from __future__ import annotations

import argparse
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import workloads
from measure import race
from report import spell
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVC

import treemetric as tm
from treemetric.classification import DistanceSVC
from treemetric.datasets import make_strings
from treemetric.features import TreeFeatures, pqgram_distances
from treemetric.kernels import TreeKernel

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("labels", "paths", "pqgrams", "subtrees")
KERNELS = ("path", "subtree", "subset-tree", "partial-tree")


def times(count: int, nodes: int, *, smoke: bool) -> list[str]:
    """Return rows with the time per node of features, and per pair of kernels and distances."""
    rng = random.Random(0)
    made = (workloads.make_tree("random", nodes, rng) for _ in range(count))
    trees = tm.TreeSet([tm.Tree.from_parents(labels, parents) for labels, parents in made])
    calls: dict[str, Callable[[], object]] = {
        f"`TreeFeatures('{kind}').fit_transform`": (
            lambda kind=kind: TreeFeatures(kind).fit_transform(trees)
        )
        for kind in KINDS
    }
    calls["`TreeFeatures('paths', hashing=2**16)`"] = lambda: TreeFeatures(
        hashing=2**16
    ).fit_transform(trees)
    pairs: dict[str, Callable[[], object]] = {
        f"`TreeKernel('{kind}')`": lambda kind=kind: TreeKernel(kind)(trees) for kind in KERNELS
    }
    pairs["`pqgram_distances`"] = lambda: pqgram_distances(trees)
    pairs["`pairwise_distances`"] = lambda: tm.pairwise_distances(trees)
    best = race({**calls, **pairs}, 0.1 if smoke else 5, rounds=1 if smoke else 5)
    lines = [f"{count} random trees of {nodes} nodes, one thread, minimum of several runs.", ""]
    lines += ["| call | time | per node | per pair |", "|---|---|---|---|"]
    for name, seconds in best.items():
        per_node = spell(seconds / (count * nodes)) if name in calls else ""
        per_pair = "" if name in calls else spell(seconds / (count * (count + 1) / 2))
        lines.append(f"| {name} | {spell(seconds)} | {per_node} | {per_pair} |")
    return lines


def machine(kernel: TreeKernel) -> Any:
    return make_pipeline(kernel, SVC(kernel="precomputed"))


def linear(features: TreeFeatures) -> Any:
    return make_pipeline(features, MaxAbsScaler(), LogisticRegression(max_iter=1000))


def combined(kernel: Any = None, combine: str = "product") -> Any:
    return DistanceSVC(kernel=kernel, combine=combine)


def models() -> dict[str, Any]:
    """Return the classifiers by name."""
    return {
        "edit distance": combined(),
        **{f"{kind}, linear": linear(TreeFeatures(kind)) for kind in KINDS},
        "paths, forest": make_pipeline(
            TreeFeatures("paths"), RandomForestClassifier(300, random_state=0)
        ),
        **{f"{kind} kernel": machine(TreeKernel(kind)) for kind in KERNELS},
        "edit * path": combined(TreeKernel("path")),
        "edit + path": combined(TreeKernel("path"), "sum"),
        "edit * subtrees": combined(TreeFeatures("subtrees")),
        "edit + subtrees": combined(TreeFeatures("subtrees"), "sum"),
    }


def errors(trees: tm.TreeSet, y: np.ndarray, repeats: int) -> dict[str, float]:
    """Return the mean error of each classifier in per cent."""
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0)
    found = {}
    for name, model in models().items():
        scores = cross_val_score(model, trees, y, cv=folds, error_score="raise")
        found[name] = 100 * float(1 - scores.mean())
    return found


def data_sets(folder: Path | None, only: list[str] | None) -> dict[str, tuple[tm.TreeSet, Any]]:
    if folder is None:
        return {}
    names = sorted(path.parent.name for path in folder.glob("*/trees.jsonl"))
    read = {name: tm.TreeSet.from_jsonl(folder / name / "trees.jsonl") for name in only or names}
    return {name: (trees, np.array(trees.classes)) for name, trees in read.items() if trees.classes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="data sets as NAME/trees.jsonl")
    parser.add_argument("--only", nargs="*", help="names of data sets")
    parser.add_argument("--repeats", type=int, default=1, help="repetitions of the 5 folds")
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    given = parser.parse_args()
    print(
        "\n".join(times(4 if given.smoke else 100, 50 if given.smoke else 200, smoke=given.smoke))
    )
    print(f"\nLoad {os.getloadavg()[0]:.1f}, treemetric {tm.__version__}.\n", flush=True)
    sets = data_sets(given.folder, given.only)
    if given.smoke:
        strings = make_strings(20, random_state=0)
        sets["strings"] = strings.data, strings.target
    print("| set | " + " | ".join(models()) + " |")
    print("|---" * (1 + len(models())) + "|", flush=True)
    for name, (trees, y) in sets.items():
        found = errors(trees, y, given.repeats)
        print(f"| {name} | " + " | ".join(f"{e:.1f}" for e in found.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
