"""Compare every function that computes distances with an enumeration of all alignments.

    python benches/exhaustive.py                     ten million pairs, some minutes
    python benches/exhaustive.py --pairs 100000      fewer
    python benches/exhaustive.py --smoke             a few seconds

Random small trees and forests (0 to 5 nodes, 1 to 3 labels) are compared under unit costs, costs by
kind of edit and random tables, symmetric or not, with up to two decimals. What is expected comes
from all alignments of two shapes at once: one matrix product per pair of shapes gives the costs of
all alignments of all labellings. For every function, a row is printed: pairs checked, pairs wrong.
The neighbours of a tree are right or wrong as a whole. Slow functions are checked on a sample of
the pairs. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import reference
import treemetric as tm
from duplicates_reference import SLOWLY
from shapes import random_parents
from unordered_reference import naive_unordered_distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    Shape = tuple[int, ...]

ALPHABET = "abc"
NORMS = ("max", "sum", "weight", "li_zhang")
TEMPERATURE = 0.7
# Shapes of the trees among which near-duplicates are looked for.
DUPLICATE_SHAPES = 3


@dataclass
class Prices:
    """Costs as the package takes them, and as whole numbers of a unit."""

    costs: Any
    # The gap is the last row and column.
    table: np.ndarray
    scale: int

    @cached_property
    def cost(self) -> reference.Cost:
        """The function of two labels that the twins take."""
        return reference.table_cost(ALPHABET, self.table.tolist())


def random_prices(rng: Random) -> Prices:
    """Return unit costs, costs by kind of edit or a random table."""
    kind = rng.choice(["unit", "operations", "table", "table", "symmetric"])
    n = len(ALPHABET)
    if kind == "unit":
        table = 1 - np.eye(n + 1, dtype=int)
        return Prices(None, table, 1)
    scale = rng.choice([1, 10, 100])
    if kind == "operations":
        delete, insert, replace = (rng.randint(0, 30) for _ in range(3))
        table = replace * (1 - np.eye(n + 1, dtype=int))
        table[:n, n], table[n, :n] = delete, insert
        costs = tm.OperationCosts(
            delete=delete / scale, insert=insert / scale, replace=replace / scale
        )
        return Prices(costs, table, scale)
    table = np.array([[rng.randint(0, 20) for _ in range(n + 1)] for _ in range(n + 1)])
    if kind == "symmetric":
        table += table.T
    table[n, n] = 0
    return Prices(tm.CostMatrix(ALPHABET, table / scale), table, scale)


class Group:
    """All trees of one shape in a collection: their places and their labels."""

    def __init__(self, rng: Random, shape: Shape, count: int, labels: int, first: int) -> None:
        self.shape, self.places = shape, np.arange(first, first + count)
        codes = [[rng.randrange(labels) for _ in shape] for _ in range(count)]
        self.codes = np.array(codes, dtype=int).reshape(count, len(shape))

    def trees(self) -> list[tm.Tree]:
        """Return the trees."""
        parents = list(self.shape)
        return [
            tm.Tree.from_parents([ALPHABET[code] for code in row], parents) for row in self.codes
        ]


class Collection:
    """Random trees of a few shapes."""

    def __init__(self, rng: Random, shapes: int, count: int) -> None:
        labels = rng.randint(1, len(ALPHABET))
        chosen = {tuple(random_parents(rng, rng.randint(0, 5), forest=rng.random() < 0.3))
                  for _ in range(shapes)}  # fmt: skip
        self.groups = [
            Group(rng, shape, count, labels, count * k) for k, shape in enumerate(sorted(chosen))
        ]
        self.trees = [tree for group in self.groups for tree in group.trees()]


def all_costs(x: Group, y: Group, prices: Prices) -> np.ndarray:
    """Return the costs of all alignments of all pairs of two groups, in whole units.

    The shape is (trees of x, trees of y, alignments).
    """
    every = reference.incidence_of_shapes(x.shape, y.shape)
    n, m, gap = len(x.shape), len(y.shape), len(ALPHABET)
    shape = (len(x.codes), len(y.codes), n + 1, m + 1)
    nodes = np.zeros(shape)
    nodes[:, :, :n, :m] = prices.table[x.codes[:, None, :, None], y.codes[None, :, None, :]]
    nodes[:, :, :n, m] = prices.table[x.codes, gap][:, None]
    nodes[:, :, n, :m] = prices.table[gap, y.codes][None]
    # Sums of small whole numbers are exact.
    flat = nodes.reshape(-1, (n + 1) * (m + 1)) @ every.reshape(len(every), -1).T.astype(float)
    return flat.reshape(shape[0], shape[1], len(every))


def node_pairs(alignment: tm.Alignment) -> reference.Pairs:
    """Return the pairs of nodes, without deletions and insertions."""
    pairs = ((a, b) for a, b in alignment.pairs if a is not None and b is not None)
    return tuple(sorted(pairs))


class Tally:
    """How many answers of each function were checked, and how many were wrong."""

    def __init__(self) -> None:
        self.checked: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    def add(self, function: str, right: Any, example: str = "") -> None:
        """Count the answers of a function, which are right or not."""
        right = np.asarray(right)
        self.checked[function] += right.size
        bad = int(right.size - np.count_nonzero(right))
        if bad:
            self.wrong[function] += bad
            self.examples.setdefault(function, example)

    def show(self) -> None:
        """Print a row for each function."""
        print(f"{'function':34} {'checked':>12} {'wrong':>6}")
        for function, checked in self.checked.items():
            print(f"{function:34} {checked:12,} {self.wrong[function]:6}")
        for function, example in self.examples.items():
            print(f"first wrong answer of {function}: {example}")


class Round:
    """Two collections under one kind of costs, and what is expected of them."""

    def __init__(self, rng: Random, tally: Tally, shapes: int, count: int) -> None:
        self.rng, self.tally = rng, tally
        self.prices = random_prices(rng)
        self.x, self.y = (Collection(rng, shapes, count) for _ in range(2))
        self.X, self.Y = self.x.trees, self.y.trees
        self.units = np.empty((len(self.X), len(self.Y)))
        self.counts = np.empty(self.units.shape, dtype=int)
        for a in self.x.groups:
            for b in self.y.groups:
                totals = all_costs(a, b, self.prices)
                least = totals.min(2)
                where = np.ix_(a.places, b.places)
                self.units[where] = least
                self.counts[where] = (totals == least[:, :, None]).sum(2)
        # A quotient of two exact numbers is correctly rounded.
        self.expected = self.units / self.prices.scale

    def check(self, sample: int) -> int:
        """Check all functions and return the number of pairs."""
        self.check_matrices()
        self.check_searches()
        self.check_duplicates()
        self.check_pairs(sample)
        return self.units.size

    def name(self, i: int, j: int) -> str:
        """Describe a pair of trees."""
        x, y = self.X[i], self.Y[j]
        return f"{x.to_bracket()} {y.to_bracket()} {self.prices.costs!r}"

    def matrices(self) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """Visit matrices and what is expected."""
        costs, n_jobs = self.prices.costs, self.rng.choice([1, 2])
        options = {"costs": costs, "n_jobs": n_jobs}
        yield "pairwise_distances", tm.pairwise_distances(self.X, self.Y, **options), self.expected
        cutoff = float(self.rng.choice(self.expected.ravel().tolist()))
        cut = np.where(self.expected <= cutoff, self.expected, np.inf)
        found = tm.pairwise_distances(self.X, self.Y, cutoff=cutoff, **options)
        yield "pairwise_distances(cutoff=)", found, cut
        i, j = np.divmod(np.arange(self.units.size), len(self.Y))
        found = tm.paired_distances(
            [self.X[k] for k in i], [self.Y[k] for k in j], **options
        )  # fmt: skip
        yield "paired_distances", found.reshape(self.units.shape), self.expected
        if self.prices.scale == 1:
            found = tm.pairwise_distances(self.X, self.Y, dtype="int32", **options)
            yield "pairwise_distances(dtype='int32')", found, self.units

    def check_matrices(self) -> None:
        """Check functions of all pairs."""
        for name, found, expected in self.matrices():
            right = found == expected
            example = ""
            if not right.all():
                i, j = np.argwhere(~right)[0]
                example = f"{self.name(i, j)}: {found[i, j]} instead of {expected[i, j]}"
            self.tally.add(name, right, example)

    def check_searches(self) -> None:
        """Check neighbours: an answer is a tree with all its neighbours."""
        costs = self.prices.costs
        radius = float(self.rng.choice(self.expected.ravel().tolist()))
        radius = self.rng.choice([radius, np.nextafter(radius, np.inf), radius * 0.99])
        index = tm.TreeIndex(self.Y, costs=costs)
        k = self.rng.randint(1, len(self.Y))
        found = {
            "within": tm.within(self.X, self.Y, radius=radius, costs=costs),
            "TreeIndex.within": index.within(self.X, radius=radius),
            "nearest": tm.nearest(self.X, self.Y, k=k, costs=costs),
            "TreeIndex.nearest": index.nearest(self.X, k=k),
        }
        order = np.argsort(self.expected, axis=1, kind="stable")
        for name, result in found.items():
            for i, row in enumerate(self.expected):
                near = order[i][row[order[i]] <= radius] if "within" in name else order[i][:k]
                if "within" in name:
                    start, end = result.offsets[i], result.offsets[i + 1]
                    indices, distances = result.indices[start:end], result.distances[start:end]
                    by_distance = np.lexsort((indices, distances))
                    indices, distances = indices[by_distance], distances[by_distance]
                else:
                    indices, distances = result.indices[i], result.distances[i]
                right = np.array_equal(indices, near) and np.array_equal(distances, row[near])
                example = f"{self.X[i].to_bracket()}, radius {radius}, k {k}"
                self.tally.add(name, np.full(row.shape, right), example)
        pairs = {(i, j): d for chunk in tm.iter_within(self.X, self.Y, radius=radius, costs=costs)
                 for i, j, d in zip(*chunk, strict=True)}  # fmt: skip
        near = {(i, j): self.expected[i, j] for i, j in np.argwhere(self.expected <= radius)}
        self.tally.add("iter_within", np.full(self.units.shape, pairs == near), f"radius {radius}")

    def check_duplicates(self) -> None:
        """Check groups of near-duplicates under whole numbers, whose sums decide between trees."""
        groups = self.x.groups[:DUPLICATE_SHAPES]
        if self.prices.scale != 1:
            return
        rows = [[all_costs(a, b, self.prices).min(2) for b in groups] for a in groups]
        matrix = np.block(rows)
        trees = self.X[: len(matrix)]
        radius = float(self.rng.choice(matrix.ravel().tolist()))
        for method, slowly in SLOWLY.items():
            found = tm.deduplicate(trees, radius=radius, method=method, costs=self.prices.costs)
            expected = slowly(matrix <= radius, matrix)
            right = found.representatives[found.labels] == expected
            apart = [0 if i == r else matrix[i, r] for i, r in enumerate(expected)]
            example = (
                f"{[tree.to_bracket() for tree in trees]} {self.prices.costs!r}, radius {radius}"
            )
            self.tally.add(f"deduplicate ({method})", right & (found.distances == apart), example)

    def check_pairs(self, sample: int) -> None:
        """Check functions of one pair on a sample of the pairs."""
        costs, add = self.prices.costs, self.tally.add
        for _ in range(sample):
            i, j = self.rng.randrange(len(self.X)), self.rng.randrange(len(self.Y))
            x, y, expected = self.X[i], self.Y[j], self.expected[i, j]
            add("distance", tm.distance(x, y, costs=costs) == expected, self.name(i, j))
            cutoff = expected * self.rng.choice([0.5, 1, 2])
            found = tm.distance(x, y, costs=costs, cutoff=cutoff)
            bounded = expected if expected <= cutoff else np.inf
            add("distance(cutoff=)", found == bounded, self.name(i, j))
            add("align", self.aligned(x, y, expected), self.name(i, j))
            found = tm.cooptimal(x, y, costs=costs)
            add("cooptimal.count", found.count == self.counts[i, j], self.name(i, j))
            add("cooptimal.cost", found.cost == expected, self.name(i, j))
        for _ in range(max(sample // 10, 1)):
            i, j = self.rng.randrange(len(self.X)), self.rng.randrange(len(self.Y))
            for name, right in self.slow_checks(self.X[i], self.Y[j], self.expected[i, j]):
                add(name, right, self.name(i, j))

    def aligned(self, x: tm.Tree, y: tm.Tree, expected: float) -> bool:
        """Check the alignment of a pair: it is one, and it costs what it should."""
        ties = self.rng.choice(["pair", "delete"])
        found = tm.align(x, y, costs=self.prices.costs, ties=ties)
        pairs = node_pairs(found)
        units = reference.alignment_cost(x, y, pairs, self.prices.cost)
        known = pairs in set(reference.all_alignments(x, y))
        return known and found.cost == expected and units / self.prices.scale == expected

    def slow_checks(self, x: tm.Tree, y: tm.Tree, expected: float) -> Iterator[tuple[str, Any]]:
        """Visit the checks that take long."""
        costs, cost, scale = self.prices.costs, self.prices.cost, self.prices.scale
        least, best = reference.optimal_alignments(x, y, cost)
        mean = best.mean(0)
        found = tm.cooptimal(x, y, costs=costs)
        yield "cooptimal.expectation", np.allclose(found.expectation, mean, atol=1e-12)
        listed = {node_pairs(one) for one in found}
        every = zip(reference.all_alignments(x, y), reference.incidence(x, y), strict=True)
        table = reference.node_costs(x, y, cost)
        optimal = {tuple(sorted(p)) for p, m in every if (m * table).sum() == least}
        yield "cooptimal (all alignments)", listed == optimal and len(list(found)) == len(optimal)
        one = found.sample(1, random_state=self.rng.randrange(99))[0]
        yield "cooptimal.sample", node_pairs(one) in optimal
        counted = tm.edit_counts([x], [y], costs=costs)
        symbols = reference.symbol_counts(x, y, mean, counted.alphabet)
        symbols[-1, -1] = counted.dense()[0][-1, -1]
        yield "edit_counts", np.allclose(counted.dense()[0], symbols, atol=1e-12)
        for norm in NORMS:
            with np.errstate(divide="ignore"):  # wrong expectations of two empty trees
                right = reference.normalised(expected, norm, x, y, lambda a, b: cost(a, b) / scale,
                                             self.labels(x, y))  # fmt: skip
            got = tm.normalized_distance(x, y, costs=costs, norm=norm)
            yield f"normalized_distance ({norm})", np.isclose(got, right, rtol=1e-14, atol=0)
            got = tm.normalized_similarity(x, y, costs=costs, norm=norm)
            yield f"normalized_similarity ({norm})", np.isclose(got, 1 - right, rtol=0, atol=1e-14)
            got = tm.pairwise_distances([x, y], [x, y], costs=costs, norm=norm)[0, 1]
            yield f"pairwise_distances (norm {norm})", np.isclose(got, right, rtol=1e-14, atol=0)
        energies = (reference.incidence(x, y) * table).sum((1, 2)) / scale / TEMPERATURE
        weights = np.exp(energies.min() - energies)
        soft = tm.soft_alignment(x, y, temperature=TEMPERATURE, costs=costs)
        mean = np.tensordot(weights / weights.sum(), reference.incidence(x, y), 1)
        yield "soft_alignment", np.allclose(soft.expectation, mean, atol=1e-9)
        below = [[reference.naive_distance(x.subtree(i), y.subtree(j), cost) / scale
                  for j in range(y.size)] for i in range(x.size)]  # fmt: skip
        below = np.array(below).reshape(x.size, y.size)
        yield "subtree_distances", tm.subtree_distances(x, y, costs=costs) == below
        if x.size and y.size:
            whole = [reference.naive_distance(x, y.subtree(j), cost) / scale
                     for j in range(y.size)]  # fmt: skip
            first = sorted(range(y.size), key=lambda j: (whole[j], j))[:2]
            matches = [(m.node, m.distance) for m in tm.find(x, y, k=len(first), costs=costs)]
            yield "find", matches == [(j, whole[j]) for j in first]
        unordered = naive_unordered_distance(x, y, cost) / scale
        yield "unordered_distance", tm.unordered_distance(x, y, costs=costs) == unordered
        yield "unordered_align", tm.unordered_align(x, y, costs=costs).cost == unordered
        many = tm.unordered_pairwise_distances([y, x], [y, x], costs=costs)
        yield "unordered_pairwise_distances", many[1, 0] == unordered
        below = [[naive_unordered_distance(x.subtree(i), y.subtree(j), cost) / scale
                  for j in range(y.size)] for i in range(x.size)]  # fmt: skip
        below = np.array(below).reshape(x.size, y.size)
        found = tm.unordered_subtree_distances(x, y, costs=costs)
        yield "unordered_subtree_distances", found == below

    def labels(self, x: tm.Tree, y: tm.Tree) -> Any:
        """Return the labels that a norm looks at: those of the table, or of the trees."""
        is_table = isinstance(self.prices.costs, tm.CostMatrix)
        return ALPHABET if is_table else sorted({*x.labels, *y.labels}) or ALPHABET


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10_000_000, help="pairs of trees")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, default=2000, help="pairs a round for slow functions")
    parser.add_argument("--smoke", action="store_true", help="a few seconds")
    options = parser.parse_args()
    if options.smoke:
        options.pairs, options.sample = 50_000, 50
    tally, done, start = Tally(), 0, time.perf_counter()
    rng = Random(options.seed)
    while done < options.pairs:
        done += Round(rng, tally, shapes=12, count=20).check(options.sample)
        print(f"\r{done:,} pairs, {time.perf_counter() - start:.0f} s", end="", file=sys.stderr)
    print(file=sys.stderr)
    tally.show()
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
