"""The twins agree with each other, so a failure elsewhere points at the library."""

from random import Random

import pytest
from hypothesis import given

import reference
from shapes import SHAPES, delete_nodes, make_tree
from strategies import cost_cases, trees


@given(trees(max_size=4), trees(max_size=4), cost_cases())
def test_recursion_tables_and_enumeration_agree(x, y, case):
    naive = reference.naive_distance(x, y, case.cost)
    assert naive == reference.enumerated_distance(x, y, case.cost)
    assert naive == reference.table_distance(x, y, case.cost)


@given(trees(max_size=9), trees(max_size=9), cost_cases())
def test_recursion_and_tables_agree_on_larger_trees(x, y, case):
    expected = reference.naive_distance(x, y, case.cost)
    assert reference.table_distance(x, y, case.cost) == expected


def test_number_of_alignments_of_small_shapes():
    count = reference.alignments_of_shapes
    chain, star = (-1, 0, 1), (-1, 0, 0)
    assert count((), ()) == ((),)
    assert len(count((-1,), (-1,))) == 2
    # Chains align like sequences: the number is a central binomial coefficient.
    assert len(count(chain, chain)) == 20
    # Nothing, nine single pairs, and a leaf below a pair with the root.
    assert len(count(star, chain)) == 1 + 9 + 2 * 3
    # Two siblings against a chain of two can share one node only.
    assert len(count((-1, -1), (-1, 0))) == 1 + 4


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 12, 50])
def test_generators_give_preorder_of_the_right_size(shape, size):
    tree = make_tree(Random(size), size, shape)
    assert tree.size == size
    path = [-1]
    for node, parent in enumerate(tree.parents):
        assert parent in path
        path = [*path[: path.index(parent) + 1], node]


def test_generators_give_the_shapes_they_name():
    parents = {
        shape: list(make_tree(Random(0), 7, shape).parents)
        for shape in ("binary", "left branch", "right branch", "zigzag", "table")
    }
    assert parents == {
        "binary": [-1, 0, 1, 1, 0, 4, 4],
        "left branch": [-1, 0, 1, 2, 2, 1, 0],
        "right branch": [-1, 0, 0, 2, 2, 4, 4],
        "zigzag": [-1, 0, 1, 1, 3, 3, 0],
        "table": [-1, 0, 1, 1, 1, 1, 0],
    }
    assert make_tree(Random(0), 0).size == 0


def test_deleted_nodes_hand_their_children_up():
    tree = make_tree(Random(0), 7, "binary", alphabet="a")
    assert list(delete_nodes(tree, [1]).parents) == [-1, 0, 0, 0, 3, 3]
    assert list(delete_nodes(tree, [0]).parents) == [-1, 0, 0, -1, 3, 3]
