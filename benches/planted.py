"""Errors of NCACosts and of unit costs on generated sets in which it is known what decides.

Run: python benches/planted.py [--only NAME ...] [--smoke]

The sets are of kinds that are hard for learners of costs: thousands of labels, few trees, many or
unbalanced classes, long trees, and classes that depend on nothing. NCACosts has its defaults. Where
a set is small, the table has means over several seeds. `--smoke` only checks that everything runs.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import treemetric as tm
from treemetric.learning import NCACosts
from treemetric.learning._votes import expected_errors

if TYPE_CHECKING:
    from collections.abc import Callable

Made = tuple[list[tm.Tree], np.ndarray]


def in_preorder(labels: list[str], parents: list[int]) -> tm.Tree:
    """Return the tree of nodes in any order in which parents come first."""
    children: list[list[int]] = [[] for _ in labels]
    for node, parent in enumerate(parents[1:], start=1):
        children[parent].append(node)
    order: list[tuple[int, int]] = []
    left = [(0, -1)]
    while left:
        node, parent = left.pop()
        order.append((node, parent))
        left.extend((child, len(order) - 1) for child in reversed(children[node]))
    return tm.Tree.from_parents([labels[node] for node, _ in order], [p for _, p in order])


def sentences(
    count: int,
    classes: int,
    vocabulary: int,
    rng: np.random.RandomState,
    *,
    words: int = 8,
    signal: float = 0.8,
    hints: int = 1,
    shares: list[float] | None = None,
) -> Made:
    """Words below random tags; with ``signal``, a word at a random place hints at the class."""
    frequencies = 1 / np.arange(2, vocabulary + 2) ** 0.6
    frequencies /= frequencies.sum()
    y = rng.choice(classes, size=count, p=shares)
    trees = []
    for code in y:
        labels, parents = ["sentence"], [-1]
        drawn = [f"word {word}" for word in rng.choice(vocabulary, size=words, p=frequencies)]
        if signal:
            shown = code if rng.rand() < signal else rng.randint(classes)
            drawn[rng.randint(words)] = f"hint {shown * hints + rng.randint(hints)}"
        for word in drawn:
            labels += [f"tag {rng.randint(10)}", word]
            parents += [0, len(labels) - 2]
        trees.append(tm.Tree.from_parents(labels, parents))
    return trees, y


def long_trees(count: int, rng: np.random.RandomState) -> Made:
    """Trees of 100 to 259 nodes; one label is more frequent in one class."""
    y = rng.randint(2, size=count)
    trees = []
    for code in y:
        size = rng.randint(100, 260)
        labels, parents = [rng.randint(20)], [-1]
        for node in range(1, size):
            parents.append(max(0, node - 1 - int(rng.exponential(3))))
            often = rng.rand() < (0.04 if code else 0.01)
            labels.append(3 if often else rng.randint(4, 20))
        trees.append(in_preorder([f"l{label}" for label in labels], parents))
    return trees, y


def walks(count: int, rng: np.random.RandomState, classes: int = 4, pages: int = 1500) -> Made:
    """Walks on a site; each class prefers a quarter of the pages."""
    y = rng.randint(classes, size=count)
    section = rng.randint(classes, size=pages)
    popular = 1 / np.arange(1, pages + 1) ** 0.7
    trees = []
    for code in y:
        likely = popular * np.where(section == code, 3.0, 1.0)
        size = rng.randint(4, 16)
        labels = [f"page {page}" for page in rng.choice(pages, size=size, p=likely / likely.sum())]
        trees.append(in_preorder(labels, [-1] + [rng.randint(node) for node in range(1, size)]))
    return trees, y


def motifs(count: int, rng: np.random.RandomState, labels: int = 25) -> Made:
    """Small trees of random labels; one node has a label of the class."""
    y = rng.randint(2, size=count)
    trees = []
    for code in y:
        size = rng.randint(5, 14)
        found, parents = [0], [-1]
        for node in range(1, size):
            parents.append(rng.randint(max(0, node - 3), node))
            found.append(rng.randint(1, labels - 2))
        found[rng.randint(size)] = labels - 1 - code
        trees.append(in_preorder([f"l{label}" for label in found], parents))
    return trees, y


# What decides; how to make trees; how many of them are for training, and how many seeds.
SETS: dict[str, tuple[Callable[[np.random.RandomState], Made], int, int]] = {
    "one hint per class, 5 classes": (lambda rng: sentences(1400, 5, 6000, rng), 1000, 1),
    "15 hints per class, 6 classes": (
        lambda rng: sentences(1400, 6, 3000, rng, signal=0.9, hints=15),
        1000,
        1,
    ),
    "one hint, 60 trees": (lambda rng: sentences(360, 3, 6000, rng, signal=0.9), 60, 3),
    "one hint, 40 classes": (
        lambda rng: sentences(1000, 40, 500, rng, words=5, signal=0.95),
        600,
        1,
    ),
    "one hint, 7 % of one class": (
        lambda rng: sentences(1000, 2, 1500, rng, words=6, signal=1.0, shares=[0.93, 0.07]),
        600,
        1,
    ),
    "nothing, thousands of labels": (lambda rng: sentences(1000, 5, 3000, rng, signal=0), 600, 1),
    "nothing, few labels": (lambda rng: sentences(400, 2, 40, rng, words=4, signal=0), 100, 6),
    "a quarter of all pages": (lambda rng: walks(1000, rng), 600, 1),
    "one label": (lambda rng: motifs(400, rng), 100, 3),
    "one label, 20 trees": (lambda rng: motifs(320, rng), 20, 6),
    "how often a label occurs, long trees": (lambda rng: long_trees(220, rng), 120, 1),
}


def errors(distances: Any, known: np.ndarray, truth: np.ndarray) -> list[float]:
    """Return the errors of one and of five neighbours; equal votes are decided by lot."""
    table = np.asarray(distances, dtype=np.float64)
    return [float(expected_errors(table, known, truth, k).mean()) for k in (1, 5)]


def row(name: str) -> str:
    make, count, seeds = SETS[name]
    unit, learned, chosen, seconds = [], [], 0, 0.0
    for seed in range(seeds):
        trees, y = make(np.random.RandomState(seed))
        train, test = tm.TreeSet(trees[:count]), tm.TreeSet(trees[count:])
        unit.append(errors(tm.pairwise_distances(test, train), y[:count], y[count:]))
        start = time.process_time()
        learner = NCACosts(random_state=0).fit(train, y[:count])
        seconds += (time.process_time() - start) / seeds
        learned.append(errors(learner.transform(test), y[:count], y[count:]))
        chosen += learner.learned_
    cells = [
        " / ".join(f"{100 * e:.1f}" for e in np.mean(found, axis=0)) for found in (unit, learned)
    ]
    sizes = f"{count} | {len(train.alphabet)}"
    return f"| {name} | {sizes} | {' | '.join(cells)} | {chosen} of {seeds} | {seconds:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=SETS, default=list(SETS))
    parser.add_argument("--smoke", action="store_true", help="only check that it runs")
    given = parser.parse_args()
    print("| what decides | trees | labels | unit costs | `NCACosts` | learned | seconds of fit |")
    print("|---|---|---|---|---|---|---|")
    for name in ["one label, 20 trees"] if given.smoke else given.only:
        print(row(name), flush=True)


if __name__ == "__main__":
    main()
