"""The lines of docs/convert.md for other libraries, run with those that are installed."""

import re
from pathlib import Path

import pytest

from treemetric import Tree, convert, distance

PAGE = Path(__file__).parents[2] / "docs" / "convert.md"
if not PAGE.exists():
    pytest.skip("the documentation is not here", allow_module_level=True)
RECIPES = dict(
    re.findall(r"^\| ([\w.-]+) \| `(Tree\.from_callable.*)` \|$", PAGE.read_text(), re.M)
)


def anytree():
    from anytree import Node

    root = Node("a")
    Node("c", parent=Node("b", parent=root))
    return {"root": root}, "{a{b{c}}}"


def beautiful_soup():
    from bs4 import BeautifulSoup

    page = "<html><body>x<p>y<b>z</b></p><p></p></body></html>"
    return {"soup": BeautifulSoup(page, "html.parser")}, "{html{body{p{b}}{p}}}"


def bigtree():
    from bigtree import Node

    return {"root": Node("a", children=[Node("b"), Node("c")])}, "{a{b}{c}}"


def phylo():
    import io

    from Bio import Phylo

    return {"phylogeny": Phylo.read(io.StringIO("((a,b)c,d)r;"), "newick")}, "{r{c{a}{b}}{d}}"


def dendropy():
    import dendropy

    phylogeny = dendropy.Tree.get(data="((a,b)c,d)r;", schema="newick")
    return {"phylogeny": phylogeny}, "{r{c{a}{b}}{d}}"


def ete():
    from ete3 import Tree as EteTree

    return {"root": EteTree("((a,b)c,d)r;", format=1)}, "{r{c{a}{b}}{d}}"


def folders(tmp_path):
    (tmp_path / "x" / "y").mkdir(parents=True)
    (tmp_path / "x" / "z").touch()
    return {"folder": tmp_path / "x"}, "{x{y}{z}}"


def networkx():
    import networkx as nx

    return {"root": "a", "graph": nx.DiGraph([("a", "b"), ("a", "c")])}, "{a{b}{c}}"


def nltk():
    import nltk

    return {"tree": nltk.Tree.fromstring("(S (NP the cat) (VP))")}, "{S{NP{the}{cat}}{VP}}"


def scikit_learn():
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(random_state=0).fit([[0, 1], [0, 2], [0, 3]], [0, 1, 1])
    return {"t": model.tree_}, (1, [(-2, []), (-2, [])])


def spacy():
    import spacy
    from spacy.tokens import Doc

    words = ["the", "cat", "sleeps"]
    doc = Doc(spacy.blank("en").vocab, words, heads=[1, 2, 2], deps=["det", "nsubj", "ROOT"])
    return {"sentence": next(doc.sents)}, "{ROOT{nsubj{det}}}"


def sympy():
    import sympy

    x = sympy.Symbol("x")
    return {"expression": sympy.sin(x**2)}, "{sin{Pow{x}{2}}}"


def treelib():
    import treelib

    tree = treelib.Tree()
    tree.create_node("a", 0)
    tree.create_node("b", 1, parent=0)
    return {"tree": tree}, "{a{b}}"


LIBRARIES = {
    "anytree": anytree,
    "BeautifulSoup": beautiful_soup,
    "bigtree": bigtree,
    "Bio.Phylo": phylo,
    "dendropy": dendropy,
    "ete": ete,
    "folders": folders,
    "networkx": networkx,
    "NLTK": nltk,
    "scikit-learn": scikit_learn,
    "spaCy": spacy,
    "sympy": sympy,
    "treelib": treelib,
}


def test_every_recipe_is_run():
    assert sorted(RECIPES) == sorted(LIBRARIES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", list(LIBRARIES))
def test_recipe(library, tmp_path):
    try:
        names, expected = LIBRARIES[library](*([tmp_path] if library == "folders" else []))
    except ImportError as error:
        pytest.skip(str(error))
    found = eval(RECIPES[library], {"Tree": Tree, **names})
    read = Tree.from_bracket if isinstance(expected, str) else Tree.from_nested
    assert found == read(expected)


def test_the_first_example():
    x = convert.from_ast("def f(a): return a + 1")
    assert distance(x, convert.from_ast("def g(b): return b * 2 + 1")) == 3
