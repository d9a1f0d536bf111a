"""Errors that name the function that makes a tree of an object."""

import ast
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import treemetric as tm
from treemetric import Tree, TreeSet

X = Tree.from_bracket("{a{b}{c}}")


def networkx_graph():
    return pytest.importorskip("networkx").DiGraph([(0, 1)])


def nltk_tree():
    return pytest.importorskip("nltk").Tree("S", ["a", "b"])


def lxml_element():
    return pytest.importorskip("lxml.html").fromstring("<p>a</p>")


def lxml_tree():
    return lxml_element().getroottree()


def soup():
    return pytest.importorskip("bs4").BeautifulSoup("<p>a</p>", "html.parser")


def tree_sitter_tree():
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_python")
    return tree_sitter.Parser(tree_sitter.Language(grammar.language())).parse(b"x = 1")


def tree_sitter_node():
    return tree_sitter_tree().root_node


def zss_node():
    return pytest.importorskip("zss").Node("a")


def anytree_node():
    return pytest.importorskip("anytree").Node("a")


def frame():
    return pytest.importorskip("pandas").DataFrame({"tree": [X, X]})


OBJECTS = [
    (networkx_graph, r"convert\.from_networkx"),
    (lambda: ast.parse("x = 1"), r"convert\.from_ast"),
    (lambda: ET.Element("a"), r"convert\.from_etree"),
    (lambda: ET.ElementTree(ET.Element("a")), r"convert\.from_etree"),
    (lxml_element, r"convert\.from_etree"),
    (lxml_tree, r"convert\.from_etree"),
    (soup, r"e\.find_all\(recursive=False\)"),
    (lambda: soup().p, r"e\.find_all\(recursive=False\)"),
    (nltk_tree, r"convert\.from_nltk"),
    (tree_sitter_tree, r"convert\.from_tree_sitter"),
    (tree_sitter_node, r"convert\.from_tree_sitter"),
    (zss_node, r"Tree\.from_callable"),
    (anytree_node, r"Tree\.from_callable"),
    (frame, r"df\['tree'\]"),
    (lambda: {"a": 1}, r"convert\.from_json"),
]


@pytest.mark.parametrize(("make", "door"), OBJECTS)
def test_an_object_in_place_of_a_tree_names_its_converter(make, door):
    value = make()
    for call in (
        lambda: tm.distance(value, X),
        lambda: tm.align(X, value),
        lambda: tm.pairwise_distances([X, value]),
        lambda: Tree.forest([X, value]),
        lambda: Tree.from_nested(value),
        lambda: Tree.from_nested(("a", [value])),
        lambda: Tree.from_nested(("a", [(value, ["b"])])),
        lambda: Tree(value),
    ):
        with pytest.raises(TypeError, match=door):
            call()


@pytest.mark.parametrize(("make", "door"), [case for case in OBJECTS if case[0] is not soup])
def test_an_object_in_place_of_many_trees_is_refused(make, door):
    value = make()
    with pytest.raises(TypeError, match="The 'X' parameter of nearest must be"):
        tm.nearest(value, k=1)
    if not isinstance(value, dict):
        with pytest.raises(TypeError, match=door):
            tm.nearest(value, k=1)


@pytest.mark.parametrize(
    ("value", "door"),
    [
        ("{a}", r"Tree\.from_bracket\(text\)"),
        (" {a{b}}", r"Tree\.from_bracket\(text\)"),
        ("(a,(b,c));", r"convert\.from_newick"),
        ("(a,b)", r"convert\.from_newick"),
        ("(a);", r"convert\.from_newick"),
        ("(S (NP the cat) (VP sleeps))", r"convert\.from_sexpr"),
        ("((..)).", r"convert\.from_dotbracket"),
        ("<p>a</p>", r"convert\.from_html"),
        ("trees.jsonl", r"TreeSet\.from_jsonl"),
        ("word", r"Tree\.from_bracket"),
        ("", r"Tree\.from_bracket"),
        (("a", ["b"]), r"Tree\.from_nested"),
        (("a", ("b", "c")), r"Tree\.from_nested"),
        ((["a", "b"], [[1], []]), r"Tree\.from_adjacency\(nodes, adj\)"),
        ({"nodes": ["a"], "adj": [[]]}, r'Tree\.from_adjacency\(value\["nodes"\]'),
        (["a", "b"], r"convert\.from_json"),
        (b"{a}", r"Tree\.from_bracket\(data\.decode\(\)\)"),
        (Path("a.jsonl"), r"TreeSet\.from_jsonl\(path\).*treemetric\.convert"),
        (TreeSet([X]), r"trees\[0\]"),
        (np.array([[X], [X]]), r"X\.ravel\(\)"),
    ],
)
def test_a_value_in_place_of_a_tree_names_its_reader(value, door):
    with pytest.raises(TypeError, match=rf"The 'x' parameter of distance must be .*{door}"):
        tm.distance(value, X)


@pytest.mark.parametrize("value", [None, 1, object()])
def test_other_objects_get_the_plain_message(value):
    with pytest.raises(TypeError, match=r"instance of 'treemetric.Tree'\. Got .* instead\.$"):
        tm.distance(value, X)


def test_a_page_of_beautiful_soup_is_no_element():
    for value in (soup(), soup().p):
        with pytest.raises(TypeError, match=r"got bs4\..*e\.find_all\(recursive"):
            tm.convert.from_etree(value)


def test_labels_from_map_labels_must_be_hashable():
    with pytest.raises(TypeError, match="hashable; got one of type list for the label 'b'"):
        Tree.from_bracket("{a{b}}").map_labels(lambda label: [label] if label == "b" else label)


def test_tree_takes_no_arguments():
    with pytest.raises(TypeError, match=r"takes no arguments; .* Use Tree\.from_bracket"):
        Tree("a")
    with pytest.raises(TypeError, match=r"^use one of the from_ methods"):
        Tree()


def test_children_in_a_tuple_are_explained():
    with pytest.raises(ValueError, match=r"\(str, tuple\)\. Children must be in a list"):
        Tree.from_nested(("a", ("b", "c")))
    with pytest.raises(TypeError, match=r"type list at node 1\. Children belong to a label"):
        Tree.from_nested(("a", [["b"]]))


def test_trees_inside_nested_tuples_are_refused():
    with pytest.raises(TypeError, match=r"got an object of type treemetric\.Tree"):
        Tree.from_nested(("a", [X, X]))


class Label:
    """A class of labels that has nothing to do with trees."""


class List(list):
    """A list that is no tree."""


def test_other_classes_are_labels_still():
    first, second = Label(), Label()
    tree = Tree.from_nested((first, List([second, None, 1.5, True, b"b", Path("p")])))
    assert tree.labels == (first, second, None, 1.5, True, b"b", Path("p"))
    assert Tree.from_nested(List(["a", "b"])).roots == (0, 1)


UNORDERED = [{X, Tree.from_bracket("{b}")}, frozenset([X]), {"a": X, "b": X}, {X: 1}.keys()]


@pytest.mark.parametrize("trees", UNORDERED, ids=lambda trees: type(trees).__name__)
def test_collections_without_an_order_are_refused(trees):
    from treemetric.classification import MedianGLVQ
    from treemetric.learning import BEDL

    calls = (
        lambda: tm.pairwise_distances(trees),
        lambda: tm.pairwise_distances([X], trees),
        lambda: tm.nearest(trees, k=1),
        lambda: tm.within([X], trees, radius=1),
        lambda: tm.edit_counts(trees),
        lambda: tm.paired_distances(trees, [X, X]),
        lambda: tm.TreeIndex(trees),
        lambda: TreeSet(trees),
        lambda: tm.TreeDistances().fit(trees),
        lambda: tm.TreeNeighborsGraph().fit(trees),
        lambda: BEDL().fit(trees, [0, 1]),
        lambda: MedianGLVQ().fit(trees, [0, 1]),
    )
    for call in calls:
        with pytest.raises(TypeError, match=f"Got a {type(trees).__name__} instead") as caught:
            call()
        assert "Use " in str(caught.value)
    with pytest.raises(TypeError, match="in an order"):
        Tree.forest(trees)


def test_collections_with_an_order_are_accepted():
    expected = [[0.0, 1.0], [1.0, 0.0]]
    pair = [X, Tree.from_bracket("{a{b}}")]
    array = np.empty(2, dtype=object)
    array[:] = pair
    for trees in (pair, tuple(pair), array, iter(pair), dict(enumerate(pair)).values()):
        assert tm.pairwise_distances(trees).tolist() == expected
    with pytest.raises(TypeError, match=r"Got <Tree .* Use a list: \[tree\]"):
        tm.pairwise_distances(X)


def test_nested_lists_that_contain_themselves_are_refused():
    endless = []
    endless.append(("a", endless))
    with pytest.raises(ValueError, match="contains itself"):
        Tree.from_nested(("r", endless))


def test_an_object_with_children_is_not_a_label():
    class Node:
        def __init__(self, children):
            self.children = children

    for children in ([], [1], (), (2,)):
        with pytest.raises(TypeError, match=r"Node\. Use Tree\.from_callable"):
            Tree.from_nested(("a", [Node(children)]))
    # A method or a number of that name is no list of children.
    assert Tree.from_nested(Node(3)).size == 1


def test_an_array_without_dimensions_names_the_parameter():
    one = np.empty((), dtype=object)
    one[()] = [X]
    for call in (tm.TreeSet, tm.pairwise_distances):
        with pytest.raises(TypeError, match=r"The '(trees|X)' parameter of .* has no dimensions"):
            call(one)
