"""Tree: the constructors, the properties, the way back, and value semantics."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from strategies import any_label, text_label, trees

# The root a has the children b and c; d is below c.
LABELS = ["a", "b", "c", "d"]
PARENTS = [-1, 0, 0, 2]
TREE = tm.Tree.from_parents(LABELS, PARENTS)


# --- constructors ------------------------------------------------------------------


@pytest.mark.parametrize(
    "tree",
    [
        tm.Tree.from_bracket("{a{b}{c{d}}}"),
        tm.Tree.from_bracket(" {a {b}\t{c{d}}\n} ".replace("a ", "a")),
        tm.Tree.from_nested(("a", ["b", ("c", ["d"])])),
        tm.Tree.from_nested(("a", [("b", []), ("c", [("d", [])])])),
        tm.Tree.from_adjacency(LABELS, [[1, 2], [], [3], []]),
        tm.Tree.from_adjacency(("d", "c", "b", "a"), [(), (0,), (), (2, 1)]),
        tm.Tree.from_parents(tuple(LABELS), np.array(PARENTS)),
        tm.Tree.from_parents(LABELS, np.array(PARENTS, dtype=np.int32)),
    ],
)
def test_constructors_agree(tree):
    assert tree == TREE
    assert tree.labels == ("a", "b", "c", "d")
    assert tree.parents.tolist() == [-1, 0, 0, 2]
    assert tree.roots == (0,)
    assert tree.size == 4


@pytest.mark.parametrize(
    "tree",
    [
        tm.Tree.from_bracket(""),
        tm.Tree.from_bracket(" \n\t"),
        tm.Tree.from_nested([]),
        tm.Tree.from_adjacency([], []),
        tm.Tree.from_adjacency([], [], roots=[]),
        tm.Tree.from_parents([], []),
        tm.Tree.from_sequence(""),
        tm.Tree.forest([]),
        tm.Tree.forest([tm.Tree.from_bracket(""), tm.Tree.from_nested([])]),
    ],
)
def test_the_empty_tree_is_legal_everywhere(tree):
    assert tree.size == 0
    assert tree.labels == ()
    assert tree.roots == ()
    assert tree.parents.shape == (0,)
    assert tree.parents.dtype == np.int32
    assert tree.to_bracket() == ""
    assert tree.to_nested() == []
    assert tree == tm.Tree.from_sequence([])


@pytest.mark.parametrize(
    "tree",
    [
        tm.Tree.from_bracket("{a{b}}{c}"),
        tm.Tree.from_bracket("{a{b}} \n {c}"),
        tm.Tree.from_nested([("a", ["b"]), "c"]),
        tm.Tree.from_adjacency(["c", "b", "a"], [[], [], [1]], roots=[2, 0]),
        tm.Tree.from_parents(["a", "b", "c"], [-1, 0, -1]),
        tm.Tree.forest([tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("c")]),
    ],
)
def test_forests_agree(tree):
    assert tree.labels == ("a", "b", "c")
    assert tree.parents.tolist() == [-1, 0, -1]
    assert tree.roots == (0, 2)


def test_a_forest_of_forests_is_flat():
    ab, c = tm.Tree.from_bracket("{a}{b}"), tm.Tree.from_bracket("{c}")
    assert tm.Tree.forest([ab, c, ab]).to_bracket() == "{a}{b}{c}{a}{b}"
    assert tm.Tree.forest([c]) == c


def test_forest_takes_trees_only():
    with pytest.raises(TypeError, match="Tree"):
        tm.Tree.forest(["{a}"])


@pytest.mark.parametrize(
    ("text", "labels", "parents"),
    [
        ("{}", ("",), [-1]),
        ("{ a b }", (" a b ",), [-1]),
        (r"{\{\}\\}", ("{}\\",), [-1]),
        (r"{a\nb\r}", ("a\nb\r",), [-1]),
        ("{{}{}}", ("", "", ""), [-1, 0, 0]),
        ("{ä{日本}{🌳}}", ("ä", "日本", "🌳"), [-1, 0, 0]),
    ],
)
def test_bracket_notation(text, labels, parents):
    tree = tm.Tree.from_bracket(text)
    assert tree.labels == labels
    assert tree.parents.tolist() == parents
    assert tree.to_bracket() == text


@pytest.mark.parametrize(
    "text",
    ["{a", "{a{b}", "a}", "}", "{a}}", "{a}b", "b{a}", "{a}b{c}", "{a\\", r"{\x}"],
)
def test_malformed_brackets_name_the_position(text):
    with pytest.raises(ValueError, match=r"position \d+"):
        tm.Tree.from_bracket(text)


def test_text_after_a_child_is_an_error():
    # A label has one place, before the children.
    with pytest.raises(ValueError, match=r"position \d+"):
        tm.Tree.from_bracket("{a{b}c}")


@pytest.mark.parametrize("text", [b"{a}", 3, None, ["{a}"]])
def test_brackets_are_text(text):
    with pytest.raises(TypeError):
        tm.Tree.from_bracket(text)


def test_a_tuple_label_of_a_leaf_is_written_with_its_empty_list():
    tree = tm.Tree.from_nested((("k", 1), [(("k", 2), []), "leaf"]))
    assert tree.labels == (("k", 1), ("k", 2), "leaf")


@pytest.mark.parametrize("nested", [("a", "b"), ("a",), (), ("a", ["b"], "c"), ("a", [("b", "c")])])
def test_malformed_nested_nodes(nested):
    with pytest.raises((ValueError, TypeError), match="node"):
        tm.Tree.from_nested(nested)


@pytest.mark.parametrize(
    ("nodes", "adj", "roots", "message"),
    [
        ("ab", [[1], [0]], None, "cycle"),
        ("abc", [[], [2], [1]], None, "cycle"),
        ("abc", [[], [2], [1]], [0], "cycle"),
        ("ab", [[0, 1], []], None, "cycle"),
        ("abc", [[1, 2], [2], []], None, "two parents"),
        ("ab", [[1, 1], []], None, "twice"),
        ("ab", [[], []], None, "root"),
        ("ab", [[], []], [0], "root"),
        ("ab", [[1], []], [0, 1], "root"),
        ("ab", [[], []], [0, 0], "root"),
        ("ab", [[1], []], [2], "nodes are 0 to 1"),
        ("ab", [[2], []], None, "nodes are 0 to 1"),
        ("ab", [[-1], []], None, "nodes are 0 to 1"),
        ("ab", [[1]], None, "length|nodes"),
        ("", [[]], None, "length|nodes"),
    ],
)
def test_malformed_adjacency(nodes, adj, roots, message):
    with pytest.raises(ValueError, match=message):
        tm.Tree.from_adjacency(list(nodes), adj, roots=roots)


@pytest.mark.parametrize(
    "parents",
    [
        [0, 0, 1],  # no root in front
        [-1, 1, 1],  # a node below itself
        [-1, 2, 0],  # a parent that comes later
        [-1, -2, 0],
        [-1, 0],  # too short
        [-1, 0, 1, 2],  # too long
    ],
)
def test_malformed_parents(parents):
    with pytest.raises(ValueError, match="parents"):
        tm.Tree.from_parents("abc", parents)


def test_parents_must_be_in_preorder():
    # The last node would go below the first child after the second one was begun.
    with pytest.raises(ValueError, match=r"preorder"):
        tm.Tree.from_parents("abcd", [-1, 0, 0, 1])


@pytest.mark.parametrize("parents", [[-1, 0.5], [-1, "0"], [-1, None]])
def test_parents_are_whole_numbers(parents):
    with pytest.raises((TypeError, ValueError)):
        tm.Tree.from_parents("ab", parents)


@pytest.mark.parametrize("items", ["abc", ["a", "b", "c"], ("a", "b", "c")])
def test_a_sequence_is_a_chain(items):
    tree = tm.Tree.from_sequence(items)
    assert tree.labels == ("a", "b", "c")
    assert tree.parents.tolist() == [-1, 0, 1]


@pytest.mark.parametrize(
    "build",
    [
        lambda bad: tm.Tree.from_sequence(["a", bad]),
        lambda bad: tm.Tree.from_parents([bad, "a"], [-1, 0]),
        lambda bad: tm.Tree.from_nested(("a", [(bad, [])])),
        lambda bad: tm.Tree.from_adjacency([bad], [[]]),
        lambda bad: tm.Tree.from_sequence("a").map_labels(lambda _: bad),
    ],
)
@pytest.mark.parametrize("bad", [{}, {1}, bytearray(b"a"), ["a"]])
def test_labels_must_be_hashable(build, bad):
    with pytest.raises(TypeError, match=r"hash"):
        build(bad)


# --- the way back ------------------------------------------------------------------


@given(trees(labels=text_label))
def test_bracket_round_trip(tree):
    text = tree.to_bracket()
    assert tm.Tree.from_bracket(text) == tree
    assert "\n" not in text
    assert "\r" not in text


@given(trees(labels=any_label))
def test_nested_round_trip(tree):
    back = tm.Tree.from_nested(tree.to_nested())
    assert back == tree
    assert [type(label) for label in back.labels] == [type(v) for v in tree.labels]


@given(trees(labels=any_label))
def test_adjacency_round_trip(tree):
    nodes, adj = tree.to_adjacency()
    assert tuple(nodes) == tree.labels
    assert tm.Tree.from_adjacency(nodes, adj, roots=tree.roots) == tree
    if len(tree.roots) == 1:
        assert tm.Tree.from_adjacency(nodes, adj) == tree


@given(trees(labels=any_label))
def test_parents_round_trip(tree):
    assert tm.Tree.from_parents(tree.labels, tree.parents) == tree
    assert tree.size == len(tree.labels) == len(tree.parents)
    assert tree.roots == tuple(np.flatnonzero(tree.parents == -1).tolist())


def test_nested_form_of_a_few_trees():
    assert TREE.to_nested() == ("a", ["b", ("c", ["d"])])
    assert tm.Tree.from_sequence("a").to_nested() == "a"
    assert tm.Tree.from_bracket("{a}{b}").to_nested() == ["a", "b"]
    assert tm.Tree.from_sequence([("k", 1)]).to_nested() == (("k", 1), [])


@pytest.mark.parametrize("label", [1, None, ("a",), b"a"])
def test_brackets_hold_text_labels_only(label):
    with pytest.raises(TypeError, match="str"):
        tm.Tree.from_sequence(["a", label]).to_bracket()


def test_map_labels_keeps_the_shape():
    upper = TREE.map_labels(str.upper)
    assert upper.labels == ("A", "B", "C", "D")
    assert upper.parents.tolist() == PARENTS
    assert TREE.labels == tuple(LABELS)


def test_map_labels_lets_an_exception_through():
    with pytest.raises(ZeroDivisionError):
        TREE.map_labels(lambda _: 1 / 0)


@given(trees(min_size=1, max_size=12))
def test_subtrees_are_cut_at_their_node(tree):
    kids = {i: [] for i in range(-1, tree.size)}
    for node, parent in enumerate(tree.parents.tolist()):
        kids[parent].append(node)
    for node in range(tree.size):
        below = [tree.subtree(kid) for kid in kids[node]]
        sub = tree.subtree(node)
        assert sub.labels[0] == tree.labels[node]
        assert sub.size == 1 + sum(t.size for t in below)
        nested = sub.to_nested()
        assert tm.Tree.from_nested(nested[1] if below else []) == tm.Tree.forest(below)


@pytest.mark.parametrize("node", [np.int64(2), np.int8(2), np.uint32(2)])
def test_subtree_takes_the_integers_of_numpy(node):
    assert TREE.subtree(node).to_bracket() == "{c{d}}"


@pytest.mark.parametrize("node", [4, 100, -5])
def test_subtree_of_a_node_that_is_not_there(node):
    with pytest.raises(IndexError):
        TREE.subtree(node)


# --- values ------------------------------------------------------------------------


@given(trees(max_size=5), trees(max_size=5))
def test_equality_is_by_value(x, y):
    same = x.labels == y.labels and x.parents.tolist() == y.parents.tolist()
    assert (x == y) is same
    assert (x != y) is not same
    if same:
        assert hash(x) == hash(y)


def test_trees_are_dictionary_keys():
    assert {TREE: 1}[tm.Tree.from_bracket("{a{b}{c{d}}}")] == 1
    assert len({TREE, tm.Tree.from_bracket("{a{c{d}}{b}}")}) == 2


@pytest.mark.parametrize("other", ["{a{b}{c{d}}}", None, 3, ("a", ["b"])])
def test_a_tree_equals_no_other_type(other):
    assert TREE.__eq__(other) is NotImplemented
    assert other != TREE


def test_labels_that_are_equal_make_equal_trees():
    x, y = tm.Tree.from_sequence([1, 0]), tm.Tree.from_sequence([1.0, False])
    assert x == y
    assert hash(x) == hash(y)


@given(trees(labels=any_label), st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_pickle_and_copy(tree, protocol):
    for twin in (
        pickle.loads(pickle.dumps(tree, protocol=protocol)),
        copy.copy(tree),
        copy.deepcopy(tree),
    ):
        assert twin == tree
        assert hash(twin) == hash(tree)
        assert twin.parents.flags.writeable is False


@pytest.mark.parametrize("name", ["size", "labels", "parents", "roots"])
def test_trees_cannot_be_changed(name):
    with pytest.raises(AttributeError):
        setattr(TREE, name, None)


def test_parents_are_read_only_int32():
    assert TREE.parents.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        TREE.parents[0] = 5


def test_the_source_array_stays_independent():
    parents = np.array(PARENTS, dtype=np.int32)
    tree = tm.Tree.from_parents(LABELS, parents)
    parents[:] = -1
    assert tree == TREE


@pytest.mark.parametrize("name", ["__len__", "__getitem__", "__iter__"])
def test_a_tree_is_not_a_sequence(name):
    assert not hasattr(tm.Tree, name)


def test_numpy_makes_a_one_dimensional_array_of_trees():
    assert np.array([TREE, TREE]).shape == (2,)
    assert np.asarray([TREE, TREE], dtype=object).shape == (2,)


@given(trees(labels=any_label))
def test_repr_names_the_class(tree):
    assert repr(tree).startswith("<Tree ")
    assert "\n" not in repr(tree)


def test_a_callable_may_not_lead_back():
    with pytest.raises(ValueError, match="got an object that contains itself"):
        tm.Tree.from_callable("a", lambda node: ["b", node])


def test_labels_without_a_hash_are_named():
    message = "labels must be hashable; got one of type list at node 1"
    for build in (
        lambda: tm.Tree.from_parents(["a", []], [-1, 0]),
        lambda: tm.Tree.from_adjacency(["a", []], [[1], []]),
        lambda: tm.Tree.from_nested(("a", [([], [])])),
        lambda: tm.Tree.from_callable(
            "a", lambda node: "b" if node == "a" else "", lambda node: [] if node == "b" else 1
        ),
    ):
        with pytest.raises(TypeError, match=message):
            build()


@pytest.mark.parametrize("bad", [True, 1.5, "1", None, 2**70])
def test_indices_are_ints(bad):
    for build in (
        lambda: tm.Tree.from_parents("ab", [-1, bad]),
        lambda: tm.Tree.from_adjacency("ab", [[bad], []]),
        lambda: tm.Tree.from_adjacency("ab", [[1], []], roots=[bad]),
    ):
        with pytest.raises(ValueError, match="must hold ints"):
            build()


@pytest.mark.parametrize("kind", [np.uint64, np.int64])
def test_the_smallest_parent_is_minus_one(kind):
    with pytest.raises(ValueError, match=r"parents must be in the range \[-1, 2147483647\]"):
        tm.Tree.from_parents("ab", np.array([0, 2**40], dtype=kind))
