"""Mutations of sound inputs for every reader.

Run as a program it prints, per reader, how many mutations were read and how many refused:

    python tests/convert/fuzz.py 100000
    python tests/convert/fuzz.py 100000 newick sexpr
"""

import ast
import contextlib
import functools
import json
import random
import re
import string
import sys
import time
import warnings
from collections import Counter
from xml.etree import ElementTree as ET

from treemetric import Tree, convert
from treemetric.cli.formats import BY_NAME

SLOW = 2.0  # seconds that a small input must not take

NEWICK = [
    "(a,b)c;",
    "((A:0.1,B:2e-3)x:1,(C,D));",
    "('it''s':1,'a b')[c]r;",
    "[&R]((Homo_sapiens:0.1,Pan:0.2)95:0.05,(Mus,Rattus)[x[y]z]'r o':1e-2)root:0;",
]
SEXPR = [
    "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))",
    "( (S (NP-SBJ (NNP Mr.) (NNP Vinken)) (VP (VBZ is) (NP (NN chairman))) (. .)))",
    '(f (g "a b" c) (h "\\"" ()) )',
]
DOTBRACKET = ["((..))", "(((...)))..((..))", "((((...((..))...))..((....))..)).\n"]
IUPAC = [
    "Gal(b1-4)GlcNAc",
    "Neu5Ac(a2-3)Gal(b1-4)[Fuc(a1-3)]GlcNAc(b1-2)Man(a1-3)[Man(a1-6)]Man(b1-4)GlcNAc(b1-",
    "[Col(a1-2)]Gal(b1-3)[Col(a1-4)]GlcNAc(b1-4)GalA(a1-3)QuiNAc",
]
SOURCE = [
    "def f(a, *, b=2):\n    return a.b[0](b)\n",
    "match x:\n  case {'a': 1, **r}: pass\n",
    "with open(f'{x!r:>{w}}') as g, h: del x[1:2]; y: int = (lambda *a: [*a])\n",
]
HTML = [
    "<!DOCTYPE html><html><body><p class='x'>a<p>b<br>c<!-- d --><ul><li>1<li>2</ul></body></html>",
    "<table><tr><td colspan=2>x</td><th>&amp;&#233;</tr></table><script>if (a < b) {}</script>",
]
JAVASCRIPT = [
    "function f(a) { return a.b[0] + `x${y}`; }\n",
    "if (x) { y(); } else { let z = {a: 1}; }",
]
VALUES = [
    {"b": 1, "a": [True, None, 1.0, "1"], "c": {"a": {"a": {}}, "d": []}},
    [[1, [2, [3.5, {"x": "y"}]]], "text", None],
]
MARKS = "()[]{}<>,:;.'\"\\/|&#-_+=*!?@$%^~` \n\t\0é😀\ud800" + string.ascii_letters + string.digits


def mutated(rng, text, most=50):
    """Return the text after one to four changes, with pieces repeated `most` times at most."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(text))
        to = min(len(text), at + rng.randint(1, 6))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + text[to:]
        elif kind == 1:
            text = text[:at] + rng.choice(MARKS) + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(MARKS) + text[at + 1 :]
        elif kind == 3:
            text = text[:at] + text[at:to] * rng.choice((2, 3, most)) + text[to:]
        elif kind == 4:
            text = text[:at]
        else:
            place = rng.randint(0, len(text))
            text = text[:at] + text[place : place + rng.randint(1, 9)] + text[at:]
    return text


def text_reader(reader, seeds, **choices):
    def run(rng):
        options = {name: rng.choice(values) for name, values in choices.items()}
        return reader(mutated(rng, rng.choice(seeds)), **options)

    return run


def dotbracket(rng):
    text = mutated(rng, rng.choice(DOTBRACKET))
    sequence = mutated(rng, "GCAU" * (len(text) // 4)) if rng.random() < 0.2 else None
    return convert.from_dotbracket(text, sequence=sequence)


def json_value(rng):
    odd = [
        {1},
        b"x",
        object(),
        {2: 3},
        {None: 1},
        float("nan"),
        (),
        1j,
        -0.0,
        10**30,
        ...,
        {"": ""},
    ]

    def copied(value):
        if rng.random() < 0.07:
            return rng.choice(odd)
        if isinstance(value, dict):
            return {key: copied(inner) for key, inner in value.items()}
        return [copied(inner) for inner in value] if isinstance(value, list) else value

    return convert.from_json(
        copied(rng.choice(VALUES)), sort_keys=rng.random() < 0.5, values=rng.random() < 0.5
    )


def etree_element(rng):
    root = ET.fromstring("<a><b x='1'>t<c/>u</b>v<d><e/><e>w</e></d></a>")
    for _ in range(rng.randint(1, 4)):
        element = rng.choice(list(root.iter()))
        kind = rng.randrange(6)
        if kind == 0:
            element.append(ET.Comment(rng.choice(["x", None])))
        elif kind == 1:
            element.tag = rng.choice(["a", ET.QName("n", "q"), None, 3, ET.PI])
        elif kind == 2:
            element.text = element.tail = rng.choice([None, "", " ", "x", "\0"])
        elif kind == 3:
            element[:] = []
        elif kind == 4:
            element.append(ET.Element("n", x="é"))
        else:
            # Shared, but never below itself.
            element.append(ET.fromstring("<f><g/>x</f>"))
    return convert.from_etree(
        root,
        text=rng.random() < 0.5,
        comments=rng.random() < 0.5,
        attributes=rng.choice([(), ("x", "y")]),
        skip=rng.choice([(), ("c", "d")]),
    )


def graph(rng):
    import networkx as nx

    kind = rng.choice([nx.DiGraph, nx.Graph, nx.MultiDiGraph, nx.MultiGraph])
    G = kind([(0, 1), (0, 2), (2, 3), (2, 4), (4, 5)])
    for _ in range(rng.randint(0, 2)):
        action = rng.randrange(3)
        if action == 0:
            G.add_edge(rng.randrange(8), rng.randrange(8))
        elif action == 1 and G.number_of_edges():
            G.remove_edge(*rng.choice(list(G.edges()))[:2])
        elif len(G):
            G.remove_node(rng.choice(list(G)))
    label = rng.choice([None, None, str, "label"])
    return convert.from_networkx(G, rng.choice([None, 0, 2, 9]), label=label)


def nltk_tree(rng):
    import nltk

    tree = nltk.Tree.fromstring(SEXPR[0])
    for _ in range(rng.randint(1, 4)):
        inner = rng.choice(list(tree.subtrees()))
        inner.insert(
            rng.randint(0, len(inner)), rng.choice(["x", 1, None, (1, 2), nltk.Tree(3, [])])
        )
    return convert.from_nltk(tree)


def syntax_node(rng):
    root = ast.parse(rng.choice(SOURCE))
    for _ in range(rng.randint(1, 4)):
        node = rng.choice(list(ast.walk(root)))
        if node._fields:
            odd = [None, 1, "x", [], [None, 2], ast.Pass(), [ast.Name("x")], object()]
            setattr(node, rng.choice(node._fields), rng.choice(odd))
    return convert.from_ast(root, context=rng.random() < 0.5)


@functools.cache
def javascript_parser():
    import tree_sitter
    import tree_sitter_javascript

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


def tree_sitter_source(rng):
    # Few repeats: the parser itself, not the walk, hangs on 50 repeats of "a.;b[,".
    text = mutated(rng, rng.choice(JAVASCRIPT), most=3).encode(errors="replace")
    return convert.from_tree_sitter(
        javascript_parser().parse(text),
        named=rng.random() < 0.5,
        fields=rng.random() < 0.5,
        text=rng.choice([(), ("identifier",)]),
    )


def callable_nodes(rng):
    def children(node):
        if node > 40:
            return None
        return rng.choice([[], (), iter([node * 2]), [node * 2, node * 2 + 1], None])

    return Tree.from_callable(1, children, rng.choice([None, str]))


def nested_tuples(rng):
    odd = [("a",), ("a", ("b",)), ("a", "b"), (), ("a", [], []), None, 1.5, b"x", ("x", [])]

    def copied(node):
        if rng.random() < 0.1:
            return rng.choice(odd)
        if isinstance(node, tuple):
            return node[0], [copied(child) for child in node[1]]
        return node

    return Tree.from_nested(copied(("a", ["b", ("c", ["d", "e", ("f", ["g"])]), "h"])))


def adjacency_lists(rng):
    nodes, adj = ["a", "b", "c", "d", "e"], [[1, 3], [2], [], [4], []]
    for _ in range(rng.randint(0, 3)):
        row = rng.choice(adj)
        odd = [-1, 0, 1, 2, 3, 4, 5, 2**31, 2**63, 2**70, True, None, "1", 1.0]
        row.insert(rng.randint(0, len(row)), rng.choice(odd))
    if rng.random() < 0.1:
        rng.choice((nodes, adj)).pop()
    return Tree.from_adjacency(nodes, adj, roots=rng.choice([None, None, [0], [0, 3], [9], []]))


def parent_lists(rng):
    parents = [-1, 0, 1, 1, 0, 4]
    for _ in range(rng.randint(0, 2)):
        parents[rng.randrange(6)] = rng.choice(
            [-2, -1, 0, 1, 2, 3, 4, 5, 6, 2**31, 2**70, True, 1.5]
        )
    return Tree.from_parents(rng.choice([None, "abcdef", "abcde"]), parents)


def file_reader(name, seeds, most=3, **choices):
    """Return a run that reads a whole file, of several trees where the format has them."""

    def run(rng):
        text = "\n".join(rng.choices(seeds, k=rng.randint(1, most)))
        data = mutated(rng, text).encode(errors=rng.choice(("surrogatepass", "replace")))
        options = {name: rng.choice(values) for name, values in choices.items()}
        return Tree.forest([Tree.from_sequence("x"), *BY_NAME[name].read(data, options)])

    return run


TRUE_FALSE = (True, False)
READERS = {
    "newick": text_reader(
        convert.from_newick, NEWICK, lengths=TRUE_FALSE, preserve_underscores=TRUE_FALSE
    ),
    "sexpr": text_reader(
        convert.from_sexpr, SEXPR, quotes=TRUE_FALSE, remove_empty_top_bracketing=TRUE_FALSE
    ),
    "dotbracket": dotbracket,
    "iupac": text_reader(convert.from_iupac, IUPAC, bonds=("label", "node", "drop")),
    "ast source": text_reader(convert.from_ast, SOURCE, values=TRUE_FALSE),
    "ast nodes": syntax_node,
    "html": text_reader(convert.from_html, HTML, text=TRUE_FALSE, comments=TRUE_FALSE),
    "json": json_value,
    "etree": etree_element,
    "networkx": graph,
    "nltk": nltk_tree,
    "tree_sitter": tree_sitter_source,
    "callable": callable_nodes,
    "nested": nested_tuples,
    "adjacency": adjacency_lists,
    "parents": parent_lists,
    "file bracket": file_reader("bracket", ["{a{b}{c\\}{d}}}", "{x}{y}"]),
    "file jsonl": file_reader(
        "jsonl", ['{"nodes": ["a", 1], "adj": [[1], []], "id": "x"}', '{"bracket": "{a{b}}"}']
    ),
    "file python": file_reader("python", ["# coding: utf-8\n", *SOURCE], values=TRUE_FALSE),
    "file json": file_reader("json", [json.dumps(value) for value in VALUES], most=1),
    "file xml": file_reader(
        "xml", ["<a x='1'>t<b/><!-- c --><c>&amp;<![CDATA[x]]></c></a>"], most=1
    ),
    "file newick": file_reader("newick", NEWICK, lengths=TRUE_FALSE),
    "file sexpr": file_reader("sexpr", SEXPR, quotes=TRUE_FALSE),
    "file dotbracket": file_reader(
        "dotbracket", [">name\nGCAAGU\n((..)) (-1.2)", *DOTBRACKET], values=TRUE_FALSE
    ),
    "file iupac": file_reader("iupac", IUPAC),
}
# Errors state where: in a text, in a file, in a value, at a node, or in a graph.
POSITION = re.compile(
    r"line \d+|from line 1 on|position \d+|at \$|node|root|adj|parents|one base per character"
)


def tried(run, rng):
    """Read one mutation; return "read" or "refused", or raise what must not happen."""
    begin = time.perf_counter()
    try:
        tree = run(rng)
    except ValueError as error:
        assert POSITION.search(str(error)), f"no position: {error}"  # noqa: PT017
        outcome = "refused"
    else:
        assert isinstance(tree, Tree)
        assert tree.size > 0
        outcome = "read"
    assert time.perf_counter() - begin < SLOW, "slow"
    return outcome


def main():
    warnings.simplefilter("ignore")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    failed = 0
    print("| reader | read | refused | wrong | seconds |\n|---|---|---|---|---|")  # noqa: T201
    for name in sys.argv[2:] or READERS:
        run = READERS[name]
        outcomes, begin = Counter(), time.perf_counter()
        with contextlib.suppress(ImportError, ValueError):
            run(random.Random(0))  # imports take their time
        for seed in range(count):
            try:
                outcomes[tried(run, random.Random(seed))] += 1
            except ImportError as error:
                outcomes[str(error)] += 1
                break
            except Exception as error:  # noqa: BLE001
                outcomes["wrong"] += 1
                if outcomes["wrong"] <= 3:
                    print(f"seed {seed}: {type(error).__name__}: {error}")  # noqa: T201
        failed += outcomes["wrong"]
        cells = [
            name,
            outcomes.pop("read", 0),
            outcomes.pop("refused", 0),
            outcomes.pop("wrong", 0),
        ]
        cells += [f"{time.perf_counter() - begin:.0f}", *outcomes]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)  # noqa: T201
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
