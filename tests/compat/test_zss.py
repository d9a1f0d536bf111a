"""`treemetric.compat.zss`: records, documented behaviour, and zss itself where it is installed."""

import sys
import warnings
from random import Random

import pytest
from hypothesis import given

import treemetric.compat.zss as ours
from compat_records import RECORDS, exact, operation_functions
from strategies import trees
from treemetric.compat.zss import Node, Operation, compare
from treemetric.tree import Tree

NAMES = ("remove", "insert", "update", "match")


def node_tree(tree, kind=Node):
    """Build nodes of a `Tree`; return the root and all nodes in preorder."""
    nodes = [kind(label) for label in tree.labels]
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            nodes[parent].children.append(nodes[node])
    return nodes[0], nodes


def listed(operations, x, y):
    """Operations as names and preorder indices."""
    index_x, index_y = ({id(node): i for i, node in enumerate(nodes)} for nodes in (x, y))
    return [
        [NAMES[op.type], index_x.get(id(op.arg1)), index_y.get(id(op.arg2))] for op in operations
    ]


@pytest.mark.parametrize("name", ["unit", "per-op", "cheap rename", "dear rename"])
def test_the_records(name):
    for record in RECORDS:
        (a, x), (b, y) = (node_tree(Tree.from_bracket(record[side])) for side in "xy")
        case = record["cases"][name]
        delete, insert, rename = operation_functions(case, "label")
        cost, operations = ours.distance(a, b, Node.get_children, insert, delete, rename, True)
        assert cost == pytest.approx(case["zss_distance"], abs=1e-9)
        if exact(case):
            assert listed(operations, x, y) == case["zss_operations"]
        assert ours.distance(a, b, Node.get_children, insert, delete, rename) == cost


def is_listed_by_zss(complete, found):
    """Whether zss lists the same, but for some of several removals or insertions at a start."""
    rest = iter(complete)
    lost = [op for op in complete if op not in found]
    return all(op in rest for op in found) and all(op[0] in ("insert", "remove") for op in lost)


@pytest.mark.filterwarnings("ignore:label_dist")
@given(
    trees(min_size=1, forests=False, labels=["a", "b", "cd", ""]),
    trees(min_size=1, forests=False, labels=["a", "b", "cd", ""]),
)
def test_zss_itself(x, y):
    zss = pytest.importorskip("zss", reason="zss is not installed")
    (a, xs), (b, ys) = (node_tree(tree) for tree in (x, y))
    theirs = [node_tree(tree, zss.Node) for tree in (x, y)]
    cost, operations = zss.simple_distance(theirs[0][0], theirs[1][0], return_operations=True)
    found, complete = ours.simple_distance(a, b, return_operations=True)
    assert found == cost == ours.simple_distance(a, b) == a - b
    expected = listed(operations, theirs[0][1], theirs[1][1])
    complete = listed(complete, xs, ys)
    assert {op[1] for op in complete} >= set(range(x.size))
    assert {op[2] for op in complete} >= set(range(y.size))
    assert is_listed_by_zss(complete, expected)
    assert str(a) == str(theirs[0][0])
    assert [node.label for node in a.iter()] == [node.label for node in theirs[0][0].iter()]
    mine, other = (
        ours.AnnotatedTree(a, Node.get_children),
        zss.AnnotatedTree(theirs[0][0], zss.Node.get_children),
    )
    assert (mine.lmds, mine.keyroots, mine.ids) == (other.lmds, other.keyroots, other.ids)
    assert [node.label for node in mine.nodes] == [node.label for node in other.nodes]


def test_labels_are_priced_once():
    calls = []

    def label_dist(a, b):
        calls.append((a, b))
        return a != b

    x, _ = node_tree(Tree.from_bracket("{a{b}{a}{b}}"))
    y, _ = node_tree(Tree.from_bracket("{a{a}{c}{c}}"))
    assert ours.simple_distance(x, y, label_dist=label_dist) == 3.0
    pairs = [("a", "a"), ("a", "c"), ("b", "a"), ("b", "c")]
    assert sorted(calls) == sorted([*pairs, ("a", ""), ("b", ""), ("", "a"), ("", "c")])


def test_nodes_are_priced_once_and_children_asked_once():
    calls, asked = [], []
    x, xs = node_tree(Tree.from_bracket("{a{b}{c}}"))
    y, ys = node_tree(Tree.from_bracket("{a{b}}"))

    def children(node):
        asked.append(id(node))
        return node.children

    def price(*nodes):
        calls.append(tuple(map(id, nodes)))
        return len(nodes) - 1 if nodes[0].label != nodes[-1].label or len(nodes) == 1 else 0

    ours.distance(x, y, children, lambda n: price(n) + 1, lambda n: price(n) + 1, price)
    assert asked == [id(node) for node in (*xs, *ys)]
    assert len(calls) == len(set(calls)) == len(xs) * len(ys) + len(xs) + len(ys)


def test_equal_labels_of_different_types_have_their_own_costs():
    def label_dist(a, b):
        return abs(len(repr(a)) - len(repr(b)))

    assert ours.simple_distance(Node(1), Node(True), label_dist=label_dist) == 3.0


def test_labels_that_cannot_be_hashed():
    x, y = Node([1], [Node({2})]), Node([1], [Node({3})])
    cost, operations = ours.simple_distance(
        x, y, label_dist=lambda a, b: a != b, return_operations=True
    )
    assert cost == 1.0
    assert [op.type for op in operations] == [Operation.update, Operation.match]


def test_the_rule_for_labels(monkeypatch):
    long = Node("kitten"), Node("sitting")
    monkeypatch.setattr(compare, "_PACKAGE", "")
    monkeypatch.setattr(compare, "_DISTANCE", lambda a, b: int(a != b))
    with pytest.warns(UserWarning, match="0 for equal labels, otherwise 1"):
        assert ours.simple_distance(*long) == 1.0
    monkeypatch.setattr(compare, "_PACKAGE", "editdistance")
    monkeypatch.setattr(compare, "_DISTANCE", lambda a, b: 3)
    with pytest.warns(UserWarning, match="string edit distance of editdistance"):
        assert ours.simple_distance(*long) == 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.simple_distance(Node("a"), Node("b"))
        ours.simple_distance(*long, label_dist=lambda a, b: 1)
    with pytest.raises(ValueError, match="label_dist must be a function or 'auto'"):
        ours.simple_distance(*long, label_dist="other")


@pytest.mark.parametrize("module", ["editdist", "editdistance"])
def test_packages_for_labels(monkeypatch, module):
    class Package:
        @staticmethod
        def distance(a, b):
            return 7

        eval = distance

    for name in ("editdist", "editdistance"):
        monkeypatch.setitem(sys.modules, name, Package if name == module else None)
    found, function = compare._label_distance()
    assert (found, function("a", "b")) == (module, 7)
    monkeypatch.setitem(sys.modules, module, None)
    found, function = compare._label_distance()
    assert (found, function("a", "b"), function("a", "a")) == ("", 1, 0)


def test_never_and_wrong_costs():
    x, y = Node("a"), Node("b")

    def run(cost, gap=1):
        return ours.distance(x, y, Node.get_children, lambda n: 1, lambda n: gap, lambda a, b: cost)

    assert run(float("inf")) == 2.0
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="the cost of replacing a node must be not negative"):
            run(wrong)
    with pytest.raises(ValueError, match="must be not negative; got None"):
        ours.simple_distance(x, y, label_dist=lambda a, b: None)
    with pytest.raises(
        ValueError, match="the cost of deleting a node must be not negative and fin"
    ):
        run(1, float("inf"))


def test_nodes():
    a = Node("a").addkid(Node("b")).addkid(Node("c"), before=True)
    assert [node.label for node in a.children] == ["c", "b"]
    assert a == Node("a")
    assert a != Node("b")
    assert a != None  # noqa: E711
    for compared in (lambda: a == 3, lambda: a != "a", lambda: Operation(0) == 3):
        with pytest.raises(TypeError, match="Must compare against type"):
            compared()
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    assert "b" in a
    assert Node("b") in a
    assert 3 not in a
    assert a.get("c") is a.children[0]
    assert a.get("x") is None
    assert repr(a).endswith(" a>")
    assert (Node.get_label(a), Node.get_children(a)) == ("a", a.children)


def test_operations():
    names = [repr(Operation(kind)) for kind in (0, 1, 2, 3)]
    assert names == [f"<Operation {name}>" for name in ("Remove", "Insert", "Update", "Match")]
    assert Operation(2, Node("a"), Node("b")) == Operation(Operation.update, Node("a"), Node("b"))
    assert Operation(2, Node("a"), Node("b")) != Operation(2, Node("a"), Node("c"))


def test_any_depth():
    root = node = Node("a")
    for _ in range(2000):
        kid = Node("a")
        node.addkid(kid)
        node = kid
    assert ours.simple_distance(root, Node("a")) == 2000.0
    assert len(list(root.iter())) == str(root).count(":") == 2001
    assert "b" not in root
    _, operations = ours.simple_distance(root, root, return_operations=True)
    assert {op.type for op in operations} == {Operation.match}


def test_children_of_any_kind():
    x = Node("a", [Node("b")])
    assert ours.simple_distance(x, x, get_children=lambda node: iter(node.children)) == 0.0
    assert ours.simple_distance(x, Node("a"), get_children=lambda node: None) == 0.0


def test_random_trees_of_middle_size():
    zss = pytest.importorskip("zss", reason="zss is not installed")
    random = Random(3)
    for _ in range(5):
        pair = []
        for size in (25, 20):
            parents = [-1] + [max(0, k - 1 - k // 3) for k in range(1, size)]
            order = Tree.from_adjacency(
                [random.choice("abcdef") for _ in parents],
                [[c for c, p in enumerate(parents) if p == k] for k in range(size)],
            )
            pair.append(order)
        found = ours.simple_distance(*(node_tree(tree)[0] for tree in pair))
        assert found == zss.simple_distance(*(node_tree(tree, zss.Node)[0] for tree in pair))
