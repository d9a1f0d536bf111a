"""Children, depths, orders, canonical order and text art."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemetric import Tree


def random_tree(rng, size, letters="ab"):
    parents = [-1]
    for node in range(1, size):
        parent = node - 1
        while parent and rng.random() < 0.5:
            parent = parents[parent]
        parents.append(parent)
    return Tree.from_parents([rng.choice(letters) for _ in parents], parents)


def shuffled(rng, tree):
    def copied(node):
        below = [copied(child) for child in tree.children(node)]
        rng.shuffle(below)
        return (tree.labels[node], below)

    return Tree.from_nested(copied(0))


@given(st.integers(1, 30), st.randoms())
def test_children_agree_with_adjacency(size, rng):
    tree = random_tree(rng, size)
    assert [list(tree.children(node)) for node in tree.preorder()] == tree.to_adjacency()[1]


@given(st.integers(1, 30), st.randoms())
def test_depths_and_postorder(size, rng):
    tree = random_tree(rng, size)
    done = []

    def visit(node, depth):
        assert tree.depths[node] == depth
        for child in tree.children(node):
            visit(child, depth + 1)
        done.append(node)

    visit(0, 0)
    assert list(tree.postorder()) == done
    assert tree.depth == max(tree.depths)


def test_a_forest_has_depths_and_orders():
    forest = Tree.from_bracket("{a{b}}{c{d}{e{f}}}")
    assert forest.depths.tolist() == [0, 1, 0, 1, 1, 2]
    assert list(forest.postorder()) == [1, 0, 3, 5, 4, 2]
    assert forest.children(2) == (3, 4)


def test_the_empty_tree():
    empty = Tree.from_bracket("")
    assert empty.depth == -1
    assert empty.depths.tolist() == []
    assert list(empty.preorder()) == list(empty.postorder()) == []
    assert empty.sorted() == empty
    assert empty.to_text() == ""


def test_a_node_must_exist():
    tree = Tree.from_bracket("{a{b}}")
    for node in (-1, 2):
        with pytest.raises(IndexError, match=r"node must be in the range \[0, 2\); got"):
            tree.children(node)
    for node in (True, False):
        with pytest.raises(TypeError, match=f"node must be an int; got {node}"):
            tree.children(node)


def test_depths_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        Tree.from_bracket("{a}").depths[0] = 1


@given(st.integers(1, 40), st.randoms())
def test_sorted_forgets_the_order_of_children_only(size, rng):
    tree = random_tree(rng, size)
    ordered = tree.sorted()
    assert shuffled(rng, tree).sorted() == ordered
    assert ordered.sorted() == ordered
    assert sorted(ordered.labels) == sorted(tree.labels)
    assert sorted(ordered.depths) == sorted(tree.depths)


def test_sorted_takes_labels_of_all_kinds():
    tree = Tree.from_nested(("r", [None, "b", 2, ("t", []), 1.5, (("x", None), []), "a", True]))
    kinds = tree.sorted().labels
    assert kinds[1:6] == (True, 1.5, 2, "a", "b")
    assert tree.sorted(key=repr).labels[0] == "r"


def test_sorted_sorts_by_a_key():
    tree = Tree.from_bracket("{r{a}{c}{b}}")
    assert tree.sorted(key=lambda label: -ord(label)).to_bracket() == "{r{c}{b}{a}}"


def test_text_art(capsys):
    tree = Tree.from_bracket("{a{b{c}{d{e}}}{f}}")
    text = "a\n├── b\n│   ├── c\n│   └── d\n│       └── e\n└── f"
    assert tree.to_text() == text
    tree.show()
    assert capsys.readouterr().out == text + "\n"


def test_text_art_has_limits():
    tree = Tree.from_bracket("{a{b{c}{d{e}}}{f}}")
    assert tree.to_text(max_depth=1) == "a\n├── b … 3 below\n└── f"
    assert tree.to_text(max_depth=0) == "a … 5 below"
    assert tree.to_text(max_nodes=2) == "a\n├── b\n… 4 more nodes"
    assert tree.to_text(max_nodes=6) == tree.to_text(max_nodes=None) == tree.to_text()
    for limits in ({"max_depth": -1}, {"max_nodes": 0}, {"max_nodes": 1.5}, {"max_depth": True}):
        with pytest.raises(ValueError, match="must be None or an int in the range"):
            tree.to_text(**limits)


def test_text_art_of_forests_and_odd_labels():
    forest = Tree.from_nested([("a\nb", [1]), ("", [])])
    assert forest.to_text() == "'a\\nb'\n└── 1\n''"


def test_from_callable_calls_once_in_preorder():
    seen = []

    def children(node):
        seen.append(node)
        return (node + "x", node + "y") if len(node) < 3 else iter(())

    tree = Tree.from_callable("r", children)
    assert list(tree.labels) == seen
    assert tree.depth == 2
    assert Tree.from_callable(1, lambda _: None, str).labels == ("1",)


def test_from_callable_names_what_is_no_list_of_children():
    with pytest.raises(
        TypeError, match="children must return an iterable of nodes or None; got int"
    ):
        Tree.from_callable("r", lambda _: 3)


def test_a_million_levels():
    size = 1_000_000
    tree = Tree.from_callable(size, lambda n: [n - 1] if n > 1 else (), lambda n: n % 2)
    assert tree.size == size
    assert tree.depth == size - 1
    assert next(tree.postorder()) == size - 1
    assert tree.sorted() == tree
    assert tree.to_text(max_nodes=3) == "0\n└── 1\n    └── 0\n… 999997 more nodes"
    assert tree.children(10) == (11,)


def test_a_wide_tree():
    rng = random.Random(0)
    tree = random_tree(rng, 20_000, "abc")
    assert tree.sorted().sorted() == tree.sorted()
