"""A tree that was compared before brings its preparation into a set of trees."""

from random import Random

import numpy as np
import pytest

import treemetric as tm
from shapes import make_tree
from treemetric import _core

RNG = Random(3)


def some_trees():
    """Trees over different alphabets, so that their codes in a set differ from their own."""
    labels = ("abcd", "dcxy", "zyab")
    return [make_tree(RNG, 12 + k, "random", labels[k % 3]) for k in range(9)]


def test_distances_do_not_depend_on_what_was_compared_before():
    trees = some_trees()
    fresh = [tm.Tree.from_bracket(tree.to_bracket()) for tree in trees]
    for tree in trees[::2]:
        tm.distance(tree, trees[0])
    costs = tm.CostMatrix("abcdxyz", np.add.outer(np.arange(8), np.arange(8)) % 7)
    for given in (None, costs):
        expected = tm.pairwise_distances(fresh, costs=given)
        np.testing.assert_array_equal(tm.pairwise_distances(trees, costs=given), expected)
        np.testing.assert_array_equal(tm.pairwise_distances(trees, fresh, costs=given), expected)


def test_only_compared_trees_bring_a_shape():
    trees = some_trees()
    assert _core.pack([tree._data for tree in trees])[2] is None
    tm.distance(trees[1], trees[2])
    assert _core.pack([tree._data for tree in trees])[2] is not None


@pytest.mark.parametrize("first", ["cost", "count", "expectation", "sample", "iterate"])
def test_the_order_of_questions_does_not_matter(first):
    x, y = make_tree(RNG, 14, "random", "ab"), make_tree(RNG, 13, "random", "ab")

    def answers(pair):
        return {
            "cost": pair.cost,
            "count": pair.count,
            "expectation": pair.expectation.tolist(),
            "sample": [alignment.pairs for alignment in pair.sample(3, random_state=1)],
            "iterate": next(iter(pair)).pairs,
        }

    expected = answers(tm.cooptimal(x, y))
    pair = tm.cooptimal(x, y)
    questions = {
        "cost": lambda: pair.cost,
        "count": lambda: pair.count,
        "expectation": lambda: pair.expectation,
        "sample": lambda: pair.sample(2, random_state=5),
        "iterate": lambda: list(zip(range(2), pair, strict=False)),
    }
    questions[first]()
    assert answers(pair) == expected
    assert answers(pair) == expected
