"""Errors of all learners on generated sets that imitate questions, sessions and glycans.

Run: python benches/imitated.py [--only NAME ...] [--learners NAME ...] [--smoke]

The sets imitate kinds of trees on which no default was chosen: questions with thousands of words,
sessions of a web site with pages that all visit, and glycans whose classes differ in a bond. All
learners have their defaults. `--smoke` only checks that everything runs.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from planted import errors, in_preorder
from sklearn.svm import SVC

import treemetric as tm
from treemetric.classification.kernel import gaussian, median_distance
from treemetric.learning import BEDL, GESL, LVQCosts, NCACosts

if TYPE_CHECKING:
    from collections.abc import Callable

Made = tuple[list[tm.Tree], np.ndarray]

TAGS = ("NN", "NNP", "VB", "IN", "DT", "JJ", "CD", "WP")
ASKING = ("what", "who", "how", "where", "when", "which", "name")
# How often each class of questions uses each of these words.
ASKED = np.array(
    [
        [0.8, 0.02, 0.02, 0.02, 0.02, 0.1, 0.02],
        [0.25, 0.6, 0.02, 0.02, 0.02, 0.06, 0.03],
        [0.2, 0.01, 0.75, 0.01, 0.02, 0.01, 0],
        [0.4, 0.02, 0.02, 0.5, 0.01, 0.04, 0.01],
        [0.7, 0.02, 0.2, 0.02, 0.02, 0.02, 0.02],
        [0.6, 0.1, 0.1, 0.1, 0.05, 0.05, 0],
    ]
)
SUGARS = ("GlcNAc", "Man", "Gal", "Fuc", "Neu5Ac", "Glc", "GalNAc")
BONDS = ("a1-2", "a1-3", "a1-4", "a1-6", "b1-2", "b1-3", "b1-4", "b1-6", "a2-3", "a2-6")


def frequencies(count: int, power: float) -> np.ndarray:
    """Return the probabilities of words whose frequencies fall with a power of their rank."""
    shares = 1 / np.arange(1, count + 1) ** power
    return shares / shares.sum()


def questions(count: int, rng: np.random.RandomState) -> Made:
    """Words, each with a tag; a frequent word and a head word depend on the class."""
    y = rng.choice(6, size=count, p=[0.22, 0.21, 0.2, 0.17, 0.15, 0.05])
    heads, words, trees = frequencies(60, 0.9), frequencies(5000, 0.75), []
    for code in y:
        head = f"head{code}_{rng.choice(60, p=heads)}"
        if rng.rand() >= 0.75:
            head = f"word{rng.choice(5000, p=words)}"
        length = rng.randint(3, 9)
        question = [ASKING[rng.choice(7, p=ASKED[code] / ASKED[code].sum())], head]
        question += [f"word{word}" for word in rng.choice(5000, size=length, p=words)]
        question += ["the"] * rng.randint(0, 3) + ["of"] * rng.randint(0, 2)
        labels, parents, nodes = ["ROOT"], [-1], [0]
        for word in question:
            parents.append(nodes[rng.randint(len(nodes))])
            nodes.append(len(labels))
            labels += [word, TAGS[rng.randint(8)]]
            parents.append(nodes[-1])
        trees.append(in_preorder(labels, parents))
    return trees, y


def sessions(count: int, rng: np.random.RandomState, preference: float) -> Made:
    """Visited pages below one start page; each class prefers some pages by a factor."""
    y = (rng.rand(count) < 0.24).astype(int)
    pages, special, trees = frequencies(3000, 1.0), rng.rand(3000) < 0.3, []
    for code in y:
        likely = pages * np.where(special == (code == 1), preference, 1.0)
        length = 1 + min(60, int(rng.exponential(9)))
        visited = rng.choice(3000, size=length, p=likely / likely.sum())
        labels = ["/index", *(f"/p{page}" for page in visited)]
        parents = [-1, *(max(0, i - 1 - int(rng.exponential(1.5))) for i in range(1, length + 1))]
        trees.append(in_preorder(labels, parents))
    return trees, y


def linkages(count: int, rng: np.random.RandomState) -> Made:
    """Sugars with bonds; the bond of the root and of another sugar shows the class."""
    y, trees = rng.randint(4, size=count), []
    for code in y:
        labels, parents = [], []
        size = rng.randint(3, 14)
        for node in range(size):
            sugar = SUGARS[rng.randint(7)]
            bond = BONDS[rng.randint(4, 10) if rng.rand() < 0.85 else rng.randint(10)]
            labels.append(f"{sugar}_{bond}")
            parents.append(-1 if node == 0 else rng.randint(max(0, node - 3), node))
        if rng.rand() < 0.97:
            labels[0] = f"{SUGARS[rng.randint(3)]}_{BONDS[code]}"
        labels[rng.randint(size)] = f"{SUGARS[rng.randint(7)]}_{BONDS[code]}"
        trees.append(in_preorder(labels, parents))
    return trees, y


SETS: dict[str, Callable[[int, np.random.RandomState], Made]] = {
    "questions": questions,
    "linkages": linkages,
    "sessions": lambda count, rng: sessions(count, rng, 1.6),
    "sessions, strong": lambda count, rng: sessions(count, rng, 4.0),
    "sessions, nothing": lambda count, rng: sessions(count, rng, 1.0),
}
LEARNERS: dict[str, Callable[[], Any]] = {
    "NCACosts": lambda: NCACosts(random_state=0),
    "BEDL": BEDL,
    "LVQCosts": LVQCosts,
    "GESL": GESL,
}


def cell(inside: Any, rows: Any, known: np.ndarray, truth: np.ndarray) -> str:
    """Return the errors of one and five neighbours, and of a support vector machine."""
    inside, rows = np.asarray(inside, dtype=float), np.asarray(rows, dtype=float)
    width = median_distance(inside)
    machine = SVC(C=10, kernel="precomputed").fit(gaussian(inside, width), known)
    found = [*errors(rows, known, truth)]
    found.append(float(np.mean(machine.predict(gaussian(rows, width)) != truth)))
    return " / ".join(f"{100 * error:.1f}" for error in found)


def row(name: str, learners: list[str], count: int, others: int) -> str:
    trees, y = SETS[name](count + others, np.random.RandomState(1))
    train, test = tm.TreeSet(trees[:count]), tm.TreeSet(trees[count:])
    classes = y[:count], y[count:]
    distances = tm.pairwise_distances(train), tm.pairwise_distances(test, train)
    cells = [cell(*distances, *classes)]
    for make in (LEARNERS[learner] for learner in learners):
        start = time.process_time()
        learner = make().fit(train, classes[0])
        seconds = time.process_time() - start
        found = cell(learner.transform(train), learner.transform(test), *classes)
        kept = "" if learner._has_learned() else ", unit costs"
        cells.append(f"{found} ({seconds:.0f} s{kept})")
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=SETS, default=list(SETS))
    parser.add_argument("--learners", nargs="*", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    given = parser.parse_args()
    warnings.simplefilter("ignore", tm.exceptions.CollapsedCostsWarning)
    print(f"| set | unit costs | {' | '.join(given.learners)} |")
    print("|---" * (2 + len(given.learners)) + "|")
    for name in given.only:
        print(row(name, given.learners, *((30, 10) if given.smoke else (1000, 400))), flush=True)


if __name__ == "__main__":
    main()
