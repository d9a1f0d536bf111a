"""TreeSet: a sequence of trees over one alphabet in flat arrays."""

import copy
import pickle
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from buffers import at_odd_addresses
from shapes import make_tree
from strategies import any_label, tree_lists

TREES = [tm.Tree.from_bracket(s) for s in ("{a{b}}", "", "{b}{c}", "{a{b}}", "{c{a}}")]
IDS = ["t0", "t1", "t2", "t3", "t4"]
CLASSES = [1, 0, 1, 0, 1]
X = tm.TreeSet(TREES, ids=IDS, classes=CLASSES)


def decode(trees):
    """Build the trees again from the flat arrays alone."""
    for begin, end in zip(trees.offsets[:-1], trees.offsets[1:], strict=True):
        labels = [trees.alphabet[code] for code in trees.codes[begin:end]]
        yield tm.Tree.from_parents(labels, trees.parents[begin:end])


@given(tree_lists(labels=any_label))
def test_flat_arrays_hold_the_trees(trees):
    flat = tm.TreeSet(trees)
    assert list(decode(flat)) == trees
    assert len(set(flat.alphabet)) == len(flat.alphabet)
    assert set(flat.alphabet) == {label for tree in trees for label in tree.labels}
    assert flat.sizes.tolist() == [tree.size for tree in trees]


@given(tree_lists(labels=any_label))
def test_it_is_a_sequence_of_the_trees_it_was_made_of(trees):
    flat = tm.TreeSet(trees)
    assert len(flat) == len(trees)
    assert list(flat) == trees
    assert [flat[i] for i in range(len(trees))] == trees
    assert [flat[i - len(trees)] for i in range(len(trees))] == trees


@pytest.mark.parametrize(
    ("name", "dtype"), [("codes", "int32"), ("parents", "int32"), ("offsets", "int64")]
)
def test_flat_arrays_are_read_only(name, dtype):
    array = getattr(X, name)
    assert array.dtype == dtype
    assert array.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0


def test_offsets_frame_the_trees():
    assert X.offsets.tolist() == [0, 2, 2, 4, 6, 8]
    assert X.sizes.tolist() == [2, 0, 2, 2, 2]


@pytest.mark.parametrize(
    "source",
    [tuple(TREES), iter(TREES), (tree for tree in TREES), tm.TreeSet(TREES)],
)
def test_any_iterable_of_trees_will_do(source):
    assert list(tm.TreeSet(source)) == TREES


def test_an_object_array_of_trees_will_do():
    array = np.empty(len(TREES), dtype=object)
    array[:] = TREES
    assert list(tm.TreeSet(array)) == TREES


@pytest.mark.parametrize("source", [["{a}"], [TREES[0], None], "ab", [[TREES[0]]]])
def test_members_must_be_trees(source):
    with pytest.raises(TypeError, match="Tree"):
        tm.TreeSet(source)


@pytest.mark.parametrize("source", [TREES[0], None, 3])
def test_a_set_needs_an_iterable(source):
    with pytest.raises(TypeError):
        tm.TreeSet(source)


def test_the_empty_set():
    empty = tm.TreeSet([])
    assert len(empty) == 0
    assert list(empty) == []
    assert empty.alphabet == ()
    assert empty.offsets.tolist() == [0]
    assert empty.codes.shape == empty.parents.shape == empty.sizes.shape == (0,)
    assert empty == X[:0].__class__([])
    with pytest.raises(IndexError):
        empty[0]


# --- selection ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (slice(1, 4), [1, 2, 3]),
        (slice(None, None, -1), [4, 3, 2, 1, 0]),
        (slice(3, 1), []),
        (slice(-2, None), [3, 4]),
        (np.array([4, 0, 0]), [4, 0, 0]),
        (np.array([-1, 2], dtype=np.int32), [4, 2]),
        (np.array([], dtype=np.intp), []),
        ([3, 1], [3, 1]),
        (np.array([True, False, True, False, False]), [0, 2]),
        (np.zeros(5, dtype=bool), []),
    ],
)
def test_selections_are_sets_with_their_ids_and_classes(key, expected):
    part = X[key]
    assert isinstance(part, tm.TreeSet)
    assert list(part) == [TREES[i] for i in expected]
    assert part.ids == tuple(IDS[i] for i in expected)
    assert part.classes == tuple(CLASSES[i] for i in expected)
    assert list(decode(part)) == [TREES[i] for i in expected]


@pytest.mark.parametrize("index", [0, -1, np.int64(2), np.int8(-3)])
def test_an_integer_gives_a_tree(index):
    assert X[index] == TREES[int(index)]
    assert isinstance(X[index], tm.Tree)


@pytest.mark.parametrize("key", [5, -6, np.array([0, 5]), np.array([-6]), np.array([True, False])])
def test_selections_out_of_range(key):
    with pytest.raises(IndexError):
        X[key]


@pytest.mark.parametrize("key", ["a", 1.0, np.array([0.5]), None, np.zeros((2, 2), int)])
def test_selections_of_the_wrong_kind(key):
    with pytest.raises((TypeError, IndexError)):
        X[key]


@given(tree_lists(max_size=5), st.data())
def test_a_selection_equals_a_set_built_from_its_trees(trees, data):
    whole = tm.TreeSet(trees)
    order = data.draw(st.lists(st.integers(0, max(len(trees) - 1, 0)), max_size=4))
    order = order if trees else []
    part = whole[np.array(order, dtype=np.intp)]
    built = tm.TreeSet([trees[i] for i in order])
    assert part == built
    assert hash(part) == hash(built)


def test_distances_do_not_depend_on_the_set_a_tree_came_from():
    rng = Random(0)
    trees = [make_tree(rng, n, alphabet="abcdefgh") for n in (3, 9, 0, 14)]
    reversed_set = tm.TreeSet(trees[::-1])[::-1]
    expected = tm.pairwise_distances(trees)
    assert np.array_equal(tm.pairwise_distances(reversed_set), expected)
    assert np.array_equal(tm.pairwise_distances(reversed_set, trees), expected)
    assert np.array_equal(tm.pairwise_distances(reversed_set[1:]), expected[1:, 1:])


# --- names and classes -------------------------------------------------------------


def test_ids_and_classes_default_to_none():
    plain = tm.TreeSet(TREES)
    assert plain.ids is None
    assert plain.classes is None
    assert plain[1:].ids is None


@pytest.mark.parametrize("name", ["ids", "classes"])
@pytest.mark.parametrize("values", [[], ["one"], ["x"] * 6])
def test_one_name_and_class_for_each_tree(name, values):
    with pytest.raises(ValueError, match=name):
        tm.TreeSet(TREES, **{name: values})


def test_ids_and_classes_may_come_as_arrays():
    named = tm.TreeSet(TREES, ids=np.arange(5), classes=np.array(CLASSES))
    assert named.ids == (0, 1, 2, 3, 4)
    assert named.classes == tuple(CLASSES)


# --- values ------------------------------------------------------------------------


def test_equality_is_by_value():
    twin = tm.TreeSet(list(X), ids=tuple(IDS), classes=tuple(CLASSES))
    assert twin == X
    assert hash(twin) == hash(X)
    assert tm.TreeSet(TREES[::-1]) != tm.TreeSet(TREES)
    assert tm.TreeSet(TREES[:-1]) != tm.TreeSet(TREES)
    assert tm.TreeSet(TREES) != TREES
    assert tm.TreeSet(TREES, ids=IDS) != tm.TreeSet(TREES, ids=IDS[::-1])


@given(tree_lists(labels=any_label), st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_pickle_and_copy(trees, protocol):
    flat = tm.TreeSet(trees, ids=range(len(trees)))
    for twin in (
        pickle.loads(pickle.dumps(flat, protocol=protocol)),
        copy.copy(flat),
        copy.deepcopy(flat),
    ):
        assert twin == flat
        assert list(twin) == trees
        assert twin.ids == flat.ids
        assert not twin.codes.flags.writeable


def test_pickle_hands_the_arrays_over_out_of_band():
    flat = tm.TreeSet([tm.Tree.from_sequence("ab" * 5000)] * 3, classes=[1, 2, 3])
    buffers = []
    data = pickle.dumps(flat, protocol=5, buffer_callback=buffers.append)
    assert len(data) < 2000
    assert sum(len(buffer.raw()) for buffer in buffers) >= 2 * 4 * 30_000
    twin = pickle.loads(data, buffers=buffers)
    assert twin == flat
    assert twin.classes == (1, 2, 3)
    assert np.array_equal(twin.offsets, flat.offsets)


@given(tree_lists(labels=any_label))
def test_buffers_at_odd_addresses(trees):
    """As dask gives them, which cuts them out of a message."""
    flat = tm.TreeSet(trees)
    twin = at_odd_addresses(flat)
    assert twin == flat
    assert list(twin) == trees
    for name in ("codes", "parents", "offsets"):
        assert getattr(twin, name).flags.aligned
    assert np.array_equal(tm.pairwise_distances(twin), tm.pairwise_distances(flat))


@pytest.mark.parametrize("name", ["alphabet", "codes", "parents", "offsets", "ids"])
def test_sets_cannot_be_changed(name):
    with pytest.raises(AttributeError):
        setattr(X, name, None)


def test_repr_names_the_class_and_the_length():
    assert repr(X).startswith("<TreeSet of 5 trees")


def test_codes_of_other_labels():
    trees = tm.TreeSet([tm.Tree.from_sequence("abc"), tm.Tree.from_sequence("cd")])
    assert trees.alphabet == ("a", "b", "c", "d")
    for _ in range(2):  # the second call has the dictionary of the first
        assert trees._codes_of(("x", "c", "y", "a")).tolist() == [4, 2, 5, 0]
        assert trees._codes_of(("z",)).tolist() == [4]
        assert trees._codes_of(()).tolist() == []
    again = pickle.loads(pickle.dumps(trees))
    assert again._codes_of(("d", "e")).tolist() == [3, 4]


def test_unsigned_positions_never_count_from_the_end():
    trees = tm.TreeSet([tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("c")])
    assert trees[np.array([1], dtype=np.uint64)] == trees[1:]
    with pytest.raises(IndexError, match="18446744073709551615 is out of range"):
        trees[np.array([2**64 - 1], dtype=np.uint64)]


def test_counts_of_one_are_singular():
    one = tm.TreeSet([tm.Tree.from_bracket("{a}")])
    assert repr(one) == "<TreeSet of 1 tree, 1 node, 1 label>"
    assert repr(tm.TreeSet([])) == "<TreeSet of 0 trees, 0 nodes, 0 labels>"
