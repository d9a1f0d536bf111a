"""Agreement with edist's `uted`, where it is installed."""

import importlib
import warnings
from random import Random

import numpy as np
import pytest

import reference
import treemetric as tm
from shapes import SHAPES, make_tree


@pytest.fixture(scope="module")
def uted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("edist")
        return importlib.import_module("edist.uted").uted


def pairs(seed, count, largest, alphabet):
    rng = Random(seed)
    shapes = [shape for shape in SHAPES if shape != "forest"]
    for _ in range(count):
        yield tuple(
            make_tree(rng, rng.randint(1, largest), rng.choice(shapes), alphabet) for _ in range(2)
        )


@pytest.mark.parametrize("alphabet", ["ab", "abcdefgh"])
def test_unit_costs(uted, alphabet):
    for x, y in pairs(len(alphabet), 500, 30, alphabet):
        assert tm.unordered_distance(x, y) == uted(*x.to_adjacency(), *y.to_adjacency())


def test_larger_trees(uted):
    for x, y in pairs(3, 20, 200, "abcd"):
        assert tm.unordered_distance(x, y) == uted(*x.to_adjacency(), *y.to_adjacency())


def test_metric_costs(uted):
    for seed, (x, y) in enumerate(pairs(4, 200, 20, "abcd")):
        points = np.random.default_rng(seed).integers(0, 30, (5, 2))
        points[-1] = 60  # the gap is far from all labels
        table = np.abs(points[:, None] - points).sum(axis=2) / 10
        costs = tm.CostMatrix("abcd", table)
        delta = reference.table_cost("abcd", table)
        expected = uted(*x.to_adjacency(), *y.to_adjacency(), delta)
        assert tm.unordered_distance(x, y, costs=costs) == pytest.approx(expected, rel=1e-12)
