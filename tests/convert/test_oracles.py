"""The same trees as dendropy, NLTK, glycowork and tree-sitter find, where they are installed."""

import ast
import random
import re
from pathlib import Path

import pytest

from treemetric import Tree, convert

NAMES = [
    "Homo_sapiens",
    "Pan",
    "a.1",
    "95",
    "0.87",
    "'Mus musculus'",
    "'it''s'",
    "'x:y'",
    "T-7",
    "",
]
WORDS = ["the", "``", "''", "-LRB-", "Mr.", "3,000", "*T*-1", "n't", "a\\/b", "$", "%", '"', "é"]
TAGS = ["S", "NP-SBJ", "VP", "-NONE-", ".", "WHNP-1", "2", ""]


def random_newick(rng, depth=0):
    name = rng.choice(NAMES)
    length = rng.choice(["", ":1", ":0.25", ":1e-05", ": 2.5", ":-3E2"])
    comment = rng.choice(["", "", "", "[&&NHX:S=x]", " "])
    inner = ""
    if depth < 6 and rng.random() < 0.75 - 0.1 * depth:
        below = [random_newick(rng, depth + 1) for _ in range(rng.randint(1, 4))]
        inner = "(" + rng.choice([",", ", ", ",\n"]).join(below) + ")"
    return inner + name + comment + length


def test_newick_is_what_dendropy_reads():
    dendropy = pytest.importorskip("dendropy")
    rng = random.Random(1)
    read = 0
    while read < 300:
        text = random_newick(rng) + ";"
        # By the grammar "(a,)" has two leaves, as "(,)" has; dendropy drops the second one.
        if "(" not in text or re.search(r",\s*(\[[^]]*\])?\s*\)", text):
            continue
        read += 1
        theirs = dendropy.Tree.get(
            data=text,
            schema="newick",
            suppress_internal_node_taxa=True,
            suppress_leaf_node_taxa=True,
        )
        nodes = Tree.from_callable(
            theirs.seed_node,
            lambda node: node.child_nodes(),
            lambda node: (node.label or "", node.edge_length),
        )
        assert convert.from_newick(text, lengths=True) == nodes
        assert convert.from_newick(text) == nodes.map_labels(lambda label: label[0])


def random_brackets(rng, depth=0):
    below = [
        random_brackets(rng, depth + 1)
        if depth < 7 and rng.random() < 0.6 - 0.06 * depth
        else rng.choice(WORDS)
        for _ in range(rng.randint(0, 3))
    ]
    tag = rng.choice(TAGS)
    gap = rng.choice(["", " ", "\n "])
    return f"({gap}{tag} {rng.choice([' ', chr(10), '  ']).join(below)}{gap})"


def test_brackets_are_what_nltk_reads():
    nltk = pytest.importorskip("nltk")
    rng = random.Random(2)
    for _ in range(500):
        text = random_brackets(rng)
        for top in (False, True):
            theirs = nltk.Tree.fromstring(text, remove_empty_top_bracketing=top)
            if not isinstance(theirs, nltk.Tree):
                continue  # what is left is a word
            ours = convert.from_sexpr(text, remove_empty_top_bracketing=top)
            assert ours == convert.from_nltk(theirs)


def test_brackets_are_refused_where_nltk_refuses():
    nltk = pytest.importorskip("nltk")
    rng = random.Random(3)
    refused = 0
    for _ in range(500):
        text = random_brackets(rng)
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice(["", "(", ")", " x "]) + text[place + 1 :]
        try:
            theirs = convert.from_nltk(nltk.Tree.fromstring(text))
        except ValueError:
            refused += 1
            with pytest.raises(ValueError, match="at line"):
                convert.from_sexpr(text)
        else:
            assert convert.from_sexpr(text) == theirs
    assert refused > 50


@pytest.mark.filterwarnings("ignore")
def test_glycans_are_what_glycowork_reads():
    pytest.importorskip("glycowork")
    from glycowork.glycan_data.loader import df_glycan
    from glycowork.motif.graph import glycan_to_nxGraph

    texts = df_glycan.iloc[:, 0].astype(str)
    # Parts in braces have no place, so that there is no tree.
    texts = texts[~texts.str.contains("{", regex=False)].sample(400, random_state=0)
    for text in texts:
        graph = glycan_to_nxGraph(text)
        theirs = convert.from_networkx(graph, label="string_labels")
        ours = convert.from_iupac(text, bonds="node")
        assert ours.sorted() == theirs.sorted()


def shape(text):
    """Return the tree that ``str(node)`` of tree-sitter shows, with types as labels."""
    labels, parents, stack = [], [], [-1]
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[()]|[^\s()]+', text)
    for before, token in zip(["", *tokens], tokens, strict=False):
        if token == ")":
            stack.pop()
        elif before == "(":
            stack.append(len(labels))
            parents.append(stack[-2])
            labels.append(token)
        elif before in ("MISSING", "UNEXPECTED"):
            labels[-1] = token.strip("\"'")
    return Tree.from_parents(labels, parents)


def test_tree_sitter_nodes_are_those_of_its_text():
    tree_sitter = pytest.importorskip("tree_sitter")
    python = pytest.importorskip("tree_sitter_python")
    javascript = pytest.importorskip("tree_sitter_javascript")
    rng = random.Random(4)
    checked = 0
    for grammar, sources in ((python, python_functions(120)), (javascript, JAVASCRIPT * 30)):
        parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
        for number, source in enumerate(sources):
            if number % 2:  # broken programs have ERROR and MISSING nodes
                place = rng.randrange(len(source))
                source = source[:place] + source[place + 1 :]  # noqa: PLW2901
            parsed = parser.parse(source.encode())
            assert convert.from_tree_sitter(parsed) == shape(str(parsed.root_node))
            checked += 1
    assert checked >= 200


JAVASCRIPT = [
    "function f(a, b = 2) { return a.b[0] + `x${y}`; }",
    "if (x) { y(); } else { let z = {a: 1, ...w}; }",
    "class A extends B { #c = 1; get d() { return this.#c ?? null; } }",
]


def python_functions(count):
    found = []
    for name in sorted(Path(ast.__file__).parent.glob("*.py")):
        source = name.read_text(encoding="utf-8", errors="replace")
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and len(found) < count:
                found.append(ast.get_source_segment(source, node))
        if len(found) >= count:
            break
    return found
