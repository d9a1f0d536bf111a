"""Digests of labels: equal labels have equal ones, and others have others."""

import enum
import pickle
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

import treemetric as tm
from treemetric._base.digest import label_bytes


class Pair(NamedTuple):
    a: int
    b: int


class Number(enum.IntEnum):
    ONE = 1


class Word(enum.StrEnum):
    A = "a"


class Money(int):
    """A number that no plain number equals."""

    def __eq__(self, other):
        return isinstance(other, Money) and int(self) == int(other)

    __hash__ = int.__hash__


@dataclass(frozen=True)
class Node:
    kind: str
    text: str


class Own:
    """A label that cannot be pickled."""

    def __reduce__(self):
        raise TypeError

    def __repr__(self):
        return "Own()"


# Lists of labels that are equal; labels of different lists are not.
EQUAL = [
    [0, 0.0, -0.0, False, 0j, complex(-0.0, -0.0), Decimal("-0.0"), np.float64(-0.0), np.False_],
    [
        1,
        1.0,
        True,
        Number.ONE,
        np.int8(1),
        np.uint64(1),
        np.float32(1),
        Fraction(1),
        Decimal("1.0"),
    ],
    [-1, -1.0, np.int64(-1)],
    [0.1, np.float64(0.1), Fraction(0.1), Decimal.from_float(0.1)],
    [Decimal("0.1"), Fraction(1, 10), Decimal("0.10")],
    [np.float32(0.1), float(np.float32(0.1))],
    [0.5, Decimal("0.5"), Fraction(1, 2), np.float16(0.5), 0.5 + 0j, np.complex64(0.5)],
    [2 + 0.5j, np.complex128(2 + 0.5j)],
    [-2 + 0.5j],
    [complex(0.0, 1), complex(-0.0, 1), 1j],
    [2**53, float(2**53), Fraction(2**53)],
    [2**53 + 1, Fraction(2**53 + 1), Decimal(2**53 + 1)],
    [10**400, Fraction(10**400), Decimal("1E+400")],
    [10**5000],
    [1e308, int(1e308), Fraction(1e308)],
    [float("inf"), np.float32("inf"), Decimal("Infinity")],
    [float("-inf")],
    [5e-324, Fraction(5e-324)],
    ["1", np.str_("1")],
    ["a", Word.A],
    [b"a", np.bytes_(b"a")],
    [None],
    ["None"],
    [(1, 2), (1.0, 2), (True, 2), Pair(1, 2)],
    [(2, 1)],
    [((1, 2),), ((1, 2.0),)],
    [frozenset({1}), frozenset({True})],
    [frozenset({1, "a"}), frozenset({"a", 1.0})],
    [()],
    [frozenset()],
    [Money(1)],
    [Node("name", "x")],
    [Node("name", "name"), Node("name", "".join(["na", "me"]))],
    [Ellipsis],
]


def test_equal_labels_have_equal_bytes_and_others_have_others():
    found = set()
    for labels in EQUAL:
        assert len(set(labels)) == 1, labels
        several = {label_bytes(label) for label in labels}
        assert len(several) == 1, labels
        found |= several
    assert len(found) == len(EQUAL)


def test_texts_and_ints_keep_their_bytes():
    assert label_bytes("aé") == "saé".encode()
    assert label_bytes(-12) == b"int -12"


def test_labels_that_cannot_be_pickled_and_those_with_cycles():
    assert label_bytes(Own()) == b"rOwn()"
    assert label_bytes(float("nan")) == b"float nan"
    holder = Node("cycle", "")
    object.__setattr__(holder, "text", [holder])
    assert label_bytes(holder) == label_bytes(pickle.loads(pickle.dumps(holder)))


@pytest.mark.parametrize("suffix", ["npy", "zarr"])
def test_a_file_serves_all_trees_that_are_equal(tmp_path, suffix):
    if suffix == "zarr":
        pytest.importorskip("zarr")
    path = tmp_path / f"D.{suffix}"
    for labels in ([1, 2], np.array([1, 2]), [1.0, 2], [True, 2]):
        trees = [tm.Tree.from_sequence(labels), tm.Tree.from_sequence([2])]
        assert tm.pairwise_distances(trees, out=path)[0, 1] == 1


def test_equal_costs_have_equal_fingerprints():
    table = [[0, 1], [1, 0]]
    plus, minus = tm.CostMatrix([0.0], table), tm.CostMatrix([-0.0], table)
    assert plus == minus
    assert plus._fingerprint() == minus._fingerprint()
    vectors = [tm.VectorCosts(labels, [[1.0], [2.0]]) for labels in ([1, 2], [True, np.int64(2)])]
    assert vectors[0] == vectors[1]
    assert vectors[0]._fingerprint() == vectors[1]._fingerprint()
