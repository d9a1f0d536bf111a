"""Labels of every kind: what is equal in Python is equal here, and nothing else."""

import numpy as np
import pytest
from hypothesis import given

import reference
import treemetric as tm
from strategies import any_label, trees

EMPTY = tm.Tree.from_bracket("")


@given(trees(labels=any_label), trees(labels=any_label))
def test_labels_may_be_of_any_hashable_kind(x, y):
    # Names stand in for the labels in the twin, where None has another meaning.
    names = {label: f"name {i}" for i, label in enumerate({*x.labels, *y.labels})}
    expected = reference.naive_distance(
        x.map_labels(names.get), y.map_labels(names.get), reference.unit_cost
    )
    assert tm.distance(x, y) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [(("k", 1), ("k", 2)), (1, 2), (None, "None"), (1, "1"), (b"a", "a"), (0.5, 0.25)],
)
def test_labels_of_a_few_kinds(a, b):
    x, y = tm.Tree.from_sequence([a, a, b]), tm.Tree.from_sequence([a, b, b])
    assert tm.distance(x, y) == 1.0
    costs = tm.CostMatrix([a, b], [[0, 0.5, 2], [0.25, 0, 2], [2, 2, 0]])
    assert tm.distance(x, y, costs=costs) == 0.5
    assert tm.distance(y, x, costs=costs) == 0.25


def test_equal_labels_are_one_label():
    x, y = tm.Tree.from_sequence([1, 0]), tm.Tree.from_sequence([True, 0.0])
    assert tm.distance(x, y) == 0.0


def test_none_is_the_gap_of_a_callable_and_so_no_label_for_it():
    x = tm.Tree.from_sequence([None])
    with pytest.raises(ValueError, match="None"):
        tm.distance(x, EMPTY, costs=tm.CallableCosts(lambda a, b: 1.0))


def test_labels_are_compared_by_value_across_trees():
    x = tm.Tree.from_sequence(["".join(["la", "bel"]), (1, "x" * 30)])
    y = tm.Tree.from_sequence(["label", (1, "x" * 30)])
    assert tm.distance(x, y) == 0.0


def test_labels_with_one_hash_stay_apart():
    assert hash(-1) == hash(-2)
    x, y = tm.Tree.from_sequence([-1]), tm.Tree.from_sequence([-2])
    assert x != y
    assert tm.distance(x, y) == 1.0
    assert tm.TreeSet([x, y]).alphabet == (-1, -2)


@pytest.mark.parametrize("count", [255, 256, 257, 65_535, 65_536, 65_537])
def test_many_labels_stay_apart(count):
    # A code cut to one or two bytes would take the new label for an old one.
    many = tm.Tree.from_sequence(range(count))
    new = tm.Tree.from_sequence([count])
    old = tm.Tree.from_sequence([count - 1])
    assert tm.distance(many, new) == count
    assert tm.distance(many, old) == count - 1
    got = tm.pairwise_distances([many], [new, old, EMPTY])
    assert got.tolist() == [[count, count - 1, count]]


def test_numpy_scalars_equal_the_numbers_they_hold():
    x = tm.Tree.from_sequence(np.array([1, 2]))
    assert tm.distance(x, tm.Tree.from_sequence([1, 2])) == 0.0
    assert x == tm.Tree.from_sequence([1, 2])


class Stubborn:
    """A label whose comparison fails."""

    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise ArithmeticError("do not compare me")


def test_an_exception_in_a_label_comes_through():
    x, y = tm.Tree.from_sequence([Stubborn()]), tm.Tree.from_sequence([Stubborn()])
    for call in (
        lambda: tm.Tree.from_sequence([Stubborn(), Stubborn()]),
        lambda: x == y,
        lambda: tm.distance(x, y),
        lambda: tm.TreeSet([x, y]),
        lambda: tm.pairwise_distances([x], [y]),
    ):
        with pytest.raises(ArithmeticError, match="do not compare me"):
            call()
    assert tm.distance(x, x) == 0.0


def test_a_lone_surrogate_is_a_label():
    tree = tm.Tree.from_sequence(["\ud800"])
    assert tree.labels == ("\ud800",)
    assert tm.distance(tree, tm.Tree.from_sequence(["\udfff"])) == 1.0
    assert "Tree" in repr(tree)
