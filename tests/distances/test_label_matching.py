"""Labels of two trees are matched as a dictionary would match them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm


class Weak:
    """A label whose hash says nothing."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Weak) and self.name == other.name

    def __hash__(self):
        return 7


class Unequal:
    """A label that cannot be compared."""

    def __eq__(self, other):
        raise ArithmeticError("no equality")

    def __hash__(self):
        return 7


class Caseless(str):
    """A text that is equal to itself in capitals."""

    __slots__ = ()

    def __eq__(self, other):
        return isinstance(other, str) and self.lower() == other.lower()

    def __hash__(self):
        return hash(self.lower())


LABELS = st.one_of(
    st.integers(-3, 40), st.booleans(), st.floats(allow_nan=False), st.text(max_size=2),
    # Around the length up to which texts are compared without Python.
    st.text("ab\0é", min_size=13, max_size=17), st.sampled_from(["\ud800", "\ud801"]),
    st.builds(Weak, st.integers(0, 9)), st.none(), st.tuples(st.integers(0, 3)),
)  # fmt: skip


@given(st.lists(LABELS, max_size=30), st.lists(LABELS, max_size=30))
def test_labels_are_matched_as_by_a_dictionary(x, y):
    codes = {}
    plain = [[str(codes.setdefault(label, len(codes))) for label in labels] for labels in (x, y)]
    expected = tm.distance(*(tm.Tree.from_sequence(labels) for labels in plain))
    assert tm.distance(tm.Tree.from_sequence(x), tm.Tree.from_sequence(y)) == expected


def test_the_same_object_is_equal_to_itself():
    nan = float("nan")
    assert tm.distance(tm.Tree.from_sequence([nan]), tm.Tree.from_sequence([nan])) == 0
    other = tm.Tree.from_sequence([float("nan")])
    assert tm.distance(tm.Tree.from_sequence([nan]), other) == 1


def test_subclasses_of_str_are_compared_by_their_own_equality():
    x, y = (tm.Tree.from_sequence([label]) for label in ("abc", Caseless("ABC")))
    assert tm.distance(x, y) == tm.distance(y, x) == 0


def test_errors_of_comparisons_are_raised():
    x, y = tm.Tree.from_sequence([Unequal()]), tm.Tree.from_sequence([Unequal()])
    with pytest.raises(ArithmeticError, match="no equality"):
        tm.distance(x, y)
