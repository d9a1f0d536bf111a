"""Nothing recurses: a million levels deep, in every format that can hold them."""

import ast
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from treemetric import Tree, convert

SIZE = 1_000_000


@pytest.fixture(scope="module")
def chain():
    return Tree.from_parents(["a"] * SIZE, np.arange(-1, SIZE - 1))


def test_newick(chain):
    text = "(" * (SIZE - 1) + "a" + ")a" * (SIZE - 1) + ";"
    assert convert.from_newick(text) == chain
    assert convert.to_newick(chain) == text
    with pytest.raises(ValueError, match="open parentheses"):
        convert.from_newick("(" * SIZE)
    assert convert.from_newick("a" + "[" * SIZE + "]" * SIZE).size == 1


def test_sexpr(chain):
    text = "(a " * (SIZE - 1) + "a" + ")" * (SIZE - 1)
    assert convert.from_sexpr(text) == chain
    assert convert.from_sexpr(text, quotes=True) == chain
    assert convert.to_sexpr(chain) == text


def test_dotbracket():
    tree = convert.from_dotbracket("(" * SIZE + ")" * SIZE)
    assert tree.size == SIZE + 1
    assert tree.depth == SIZE


def test_iupac(chain):
    text = "a(b)" * (SIZE - 1) + "a"
    assert convert.from_iupac(text, bonds="drop") == chain
    assert convert.from_iupac(text, bonds="node").size == 2 * SIZE - 1
    branches = "[a(b)" * (SIZE // 2) + "]a(b)" * (SIZE // 2) + "a"
    assert convert.from_iupac(branches).depth == SIZE // 2 + 1


def test_json():
    value = []
    for _ in range(SIZE // 3):
        value = {"k": [value]}
    tree = convert.from_json(value)
    assert tree.size == SIZE // 3 * 3 + 1
    assert tree.depth == tree.size - 1
    assert convert.from_json(convert.to_json(tree)) == tree
    value = {1, 2}
    for _ in range(SIZE // 10):
        value = [value]
    with pytest.raises(ValueError, match=r"got set at \$\[…\]\[0\]"):
        convert.from_json(value)


def test_etree(chain):
    root = element = ET.Element("a")
    for _ in range(SIZE - 1):
        element = ET.SubElement(element, "a")
    assert convert.from_etree(root) == chain
    assert convert.from_etree(root, text=True) == chain


def test_ast():
    node = ast.Constant(1)
    minus = ast.USub()
    for _ in range(SIZE // 2):
        node = ast.UnaryOp(minus, node)
    assert convert.from_ast(node).size == SIZE + 1
    # Python itself frees a chain of nodes by recursion.
    while isinstance(node, ast.UnaryOp):
        node = node.__dict__.pop("operand")


def test_networkx(chain):
    networkx = pytest.importorskip("networkx")
    G = networkx.DiGraph(zip(range(SIZE // 4), range(1, SIZE // 4 + 1), strict=True))
    assert convert.from_networkx(G).depth == SIZE // 4
    assert convert.from_networkx(G.to_undirected(), 0).depth == SIZE // 4


def test_dot_and_networkx_are_written(chain):
    assert convert.to_dot(chain).count("->") == SIZE - 1


def test_nltk(chain):
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree("a", [])
    for _ in range(SIZE - 1):
        tree = nltk.Tree("a", [tree])
    assert convert.from_nltk(tree) == chain


def test_tree_sitter():
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_javascript")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    depth = 20_000
    tree = convert.from_tree_sitter(parser.parse(b"(" * depth + b"x" + b")" * depth))
    assert tree.depth >= depth
