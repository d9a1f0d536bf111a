"""Python objects: syntax trees, elements, JSON values, graphs, NLTK and tree-sitter."""

import ast
import enum
import json
import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemetric import Tree, TreeSet, convert


def naive(node):
    return (type(node).__name__, [naive(child) for child in ast.iter_child_nodes(node)])


@pytest.mark.parametrize("module", [ast, json, enum])
def test_ast_is_what_the_module_walks(module):
    with open(module.__file__, encoding="utf-8") as file:  # noqa: PTH123
        source = file.read()
    root = ast.parse(source)
    whole = convert.from_ast(source, context=True)
    assert whole == convert.from_ast(root, context=True) == Tree.from_nested(naive(root))
    kept = [name for name in whole.labels if name not in ("Load", "Store", "Del")]
    assert list(convert.from_ast(root).labels) == kept


def test_ast_with_values():
    source = (
        "import a.b as c\nfrom ..d import e\nglobal g, h\n"
        "async def f(x, *y, k=1.0): return x.z, True, 'k', [i async for i in y]\n"
        "try: f(w=1)\nexcept E as err: pass\n"
        "match p:\n  case K(q, r=None) | {'s': 2, **t} | [*u]: pass\n"
    )
    labels = convert.from_ast(source, values=True).labels
    expected = [
        ("alias", "a.b", "c"),
        ("ImportFrom", "d", 2),
        ("Global", ("g", "h")),
        ("AsyncFunctionDef", "f"),
        ("arg", "x"),
        ("Constant", "float", 1.0),
        ("Attribute", "z"),
        ("Constant", "bool", True),
        ("Constant", "str", "k"),
        ("comprehension", 1),
        ("keyword", "w"),
        ("ExceptHandler", "err"),
        ("MatchClass", ("r",)),
        ("MatchSingleton", None),
        ("MatchMapping", "t"),
        ("MatchStar", "u"),
        "Return",
        "Tuple",
        "Pass",
    ]
    assert [label for label in expected if label not in labels] == []
    assert convert.from_ast(source, values=True).parents.tolist() == (
        convert.from_ast(source).parents.tolist()
    )


def test_trees_with_values_can_be_saved(tmp_path):
    source = "a = b'\\xff', 1j, ..., None, 1e999, '\\ud800', True, 10**30, 1.0, 'b'"
    tree = convert.from_ast(source, values=True)
    assert ("Constant", "bytes", repr(b"\xff")) in tree.labels
    assert ("Constant", "float", "inf") in tree.labels
    TreeSet([tree]).to_jsonl(tmp_path / "trees.jsonl")
    assert TreeSet.from_jsonl(tmp_path / "trees.jsonl")[0] == tree


def test_files_are_read_by_their_paths_but_not_by_their_names(tmp_path):
    path = tmp_path / "app.py"
    path.write_bytes("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    assert convert.from_ast(path, values=True).labels[-1] == ("Constant", "str", "é")
    with pytest.raises(ValueError, match=r"or a pathlib.Path; got the text 'app.py'"):
        convert.from_ast("app.py")
    assert convert.from_ast("x = app.py").size == 5
    with pytest.raises(FileNotFoundError):
        convert.from_ast(tmp_path / "none.py")


def test_pages_are_read_by_their_paths_but_not_by_their_names(tmp_path):
    pytest.importorskip("lxml")
    path = tmp_path / "page.html"
    path.write_text("<p>one", encoding="utf-8")
    assert convert.from_html(path) == convert.from_html("<p>one")
    with pytest.raises(ValueError, match=r"takes the content of a file, or a pathlib.Path"):
        convert.from_html("page.html")


def test_ast_by_a_label_of_ones_own():
    tree = convert.from_ast("x = 1", label=lambda node: getattr(node, "lineno", 0))
    assert tree.labels == (0, 1, 1, 1)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = (", r"valid Python: '\(' was never closed at line 1, column 5"),
        ("a\nb c", "valid Python: invalid syntax at line 2"),
        ("a\nb\0", "null bytes at line"),
        ("a\n'\ud800'", "must not hold surrogates; there is '.ud800' at line 2, column 2"),
        ("-" * 100_000 + "1", "nested too deeply for Python's parser|too complex|too many"),
        ("(" * 1000 + ")" * 1000, "too many nested parentheses at line 1"),
    ],
)
def test_ast_errors_state_the_position(source, message):
    with pytest.raises(ValueError, match=message):
        convert.from_ast(source)


def test_ast_takes_nodes_and_text():
    with pytest.raises(TypeError, match="must be an ast node, text or a path; got int"):
        convert.from_ast(3)


def test_etree_options():
    root = ET.fromstring("<a k='0'> x <b>y</b>z<c><d/></c>w</a>")
    root.append(ET.Comment(" n "))
    root.append(ET.PI("p"))
    from_etree = convert.from_etree
    assert from_etree(ET.ElementTree(root)).to_bracket() == "{a{b}{c{d}}}"
    assert from_etree(root, skip=["c"], text=True).labels == (
        "a",
        ("#text", "x"),
        "b",
        ("#text", "y"),
        ("#text", "z"),
        ("#text", "w"),
    )
    assert from_etree(root, comments=True).labels[-1] == ("#comment", "n")
    assert from_etree(root, attributes=["k", "l"]).labels[:2] == (
        ("a", "0", None),
        ("b", None, None),
    )
    assert from_etree(root, label=lambda e: e.tag.upper()).labels == ("A", "B", "C", "D")
    assert from_etree(ET.Element(ET.QName("n", "q"))).labels == ("{n}q",)


def test_etree_refuses():
    with pytest.raises(TypeError, match=r"must be an element of xml\.etree or lxml; got str"):
        convert.from_etree("<a/>")
    for parameter in ("skip", "attributes"):
        with pytest.raises(TypeError, match=f"{parameter} must be an iterable of names"):
            convert.from_etree(ET.Element("a"), **{parameter: "abc"})
    with pytest.raises(ValueError, match="the root must be an element that is not skipped"):
        convert.from_etree(ET.Element("a"), skip=["a"])
    with pytest.raises(ValueError, match="the root must be an element"):
        convert.from_etree(ET.Comment("a"))


def test_html():
    pytest.importorskip("lxml")
    from_html = convert.from_html
    assert from_html("<p>one<p>two").to_bracket() == "{html{body{p}{p}}}"
    page = "<?xml version='1.0' encoding='latin-1'?><p>é<!--c--><script>x</script>"
    assert from_html(page, text=True, skip=["script"]).labels[-1] == ("#text", "é")
    coded = "<meta charset='latin-1'><p>é<!--c-->".encode("latin-1")
    assert from_html(coded, text=True, comments=True).labels[-2:] == (
        ("#text", "é"),
        ("#comment", "c"),
    )
    assert from_html("<div>" * 1500).depth == 1501


def test_html_refuses():
    pytest.importorskip("lxml")
    for source in ("", "  ", "<!-- x -->", b""):
        with pytest.raises(ValueError, match=r"must hold an element|cannot be read"):
            convert.from_html(source)
    with pytest.raises(ValueError, match=r"too deep or too large for lxml: .* at line 1, column"):
        convert.from_html("<div>" * 5000)
    with pytest.raises(ValueError, match=r"surrogates; there is '.udc80' at line 1, column 4"):
        convert.from_html("<p>\udc80")
    with pytest.raises(TypeError, match="must be of type str, bytes or a path; got int"):
        convert.from_html(3)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(VALUES)
def test_json_goes_both_ways(value):
    back = convert.to_json(convert.from_json(value))
    assert json.dumps(back) == json.dumps(value)
    assert convert.from_json(back) == convert.from_json(value)


@given(VALUES)
def test_json_with_sorted_keys_forgets_their_order(value):
    def turned(item):
        if isinstance(item, dict):
            return {key: turned(item[key]) for key in reversed(item)}
        return [turned(inner) for inner in item] if isinstance(item, list) else item

    from_json = convert.from_json
    assert from_json(value, sort_keys=True) == from_json(turned(value), sort_keys=True)
    structure = from_json(value, values=False)
    assert structure.parents.tolist() == from_json(value).parents.tolist()


def test_json_labels_keep_types_apart():
    labels = convert.from_json([True, 1, 1.0, "1", None]).labels
    assert len(set(labels)) == 6
    nan = convert.from_json([math.nan, float("nan")])
    assert nan == convert.from_json([float("nan"), math.nan])
    assert nan.labels[1] == nan.labels[2]


def test_json_takes_subclasses():
    class Colour(enum.IntEnum):
        RED = 1

    class Text(str):
        __slots__ = ()

    labels = convert.from_json((Colour.RED, Text("x"), {Text("k"): 1})).labels
    assert labels == ("[]", ("int", 1), ("str", "x"), "{}", ("key", "k"), ("int", 1))
    assert type(labels[1][1]) is int


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({1}, r"got set at \$$"),
        ({"a": [1, {"b": b""}]}, r"got bytes at \$\['a'\]\[1\]\['b'\]$"),
        ([0, {1: 2}], r"keys must be of type str; got 1 of type int at \$\[1\]$"),
        ([1j], r"got complex at \$\[0\]$"),
    ],
)
def test_json_errors_state_the_path(value, message):
    with pytest.raises(ValueError, match=message):
        convert.from_json(value)


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ("x", "node 0, 'x', is not a label of from_json"),
        (("key", []), "node 0, 'key', is not a label"),
        ((("key", "a"), []), "is the root"),
        (("{}", [(("int", 1), [])]), "cannot be below '{}'"),
        (("{}", [(("key", "a"), [])]), "has no value"),
        (("{}", [(("key", "a"), ["[]", "[]"])]), "is the second value of a key"),
        (
            ("{}", [(("key", "a"), ["[]"]), (("key", "a"), ["[]"])]),
            "is the second key of this name",
        ),
        (("[]", [(("key", "a"), ["[]"])]), r"cannot be below '\[\]'"),
        ((("int", 1), ["[]"]), r"cannot be below \('int', 1\)"),
    ],
)
def test_json_refuses_other_trees(nested, message):
    with pytest.raises(ValueError, match=message):
        convert.to_json(Tree.from_nested(nested))


def test_cycles_are_refused(monkeypatch):
    for module in ("json_values", "etree", "nltk_trees"):
        monkeypatch.setattr(f"treemetric.convert.{module}.MANY", 1000)
    value = [1]
    value.append({"a": value})
    node = ast.Expr()
    node.value = ast.UnaryOp(ast.Not(), node)
    element = ET.Element("a")
    element.append(element)
    for reader, item in (
        (convert.from_json, value),
        (convert.from_ast, node),
        (convert.from_etree, element),
    ):
        with pytest.raises(ValueError, match="must be a tree; got an object that contains itself"):
            reader(item)
    shared = [[]] * 3
    for _ in range(7):
        shared = [shared] * 3
    assert convert.from_json(shared).size == (3**9 - 1) // 2
    element.clear()


def test_labels_must_be_hashable():
    with pytest.raises(TypeError, match="labels must be hashable; got one of type list at node 1"):
        convert.from_ast("x", label=lambda node: [] if isinstance(node, ast.Expr) else 1)


def test_networkx():
    networkx = pytest.importorskip("networkx")
    G = networkx.DiGraph([("b", "c"), ("a", "d"), ("a", "b")])
    assert convert.from_networkx(G).to_bracket() == "{a{d}{b{c}}}"
    assert convert.from_networkx(G, "b").to_bracket() == "{b{c}}"
    assert convert.from_networkx(G.to_undirected(), "b").to_bracket() == "{b{c}{a{d}}}"
    assert convert.from_networkx(G, label=str.upper).to_bracket() == "{A{D}{B{C}}}"
    lone = networkx.Graph()
    lone.add_node(7)
    assert convert.from_networkx(lone).labels == (7,)


def test_networkx_refuses():
    networkx = pytest.importorskip("networkx")
    from_networkx = convert.from_networkx
    chain = networkx.DiGraph([(0, 1), (1, 2)])
    for G, root, message in [
        (networkx.Graph([(0, 1)]), None, "root must be a node if the graph is undirected"),
        (networkx.DiGraph(), None, "exactly one node without a parent.*got 0"),
        (networkx.DiGraph([(0, 1), (2, 1)]), None, "got 2 such nodes, 0, 2"),
        (networkx.DiGraph([(0, 1), (0, 2), (1, 3), (2, 3)]), None, "two ways lead to the node 3"),
        (networkx.DiGraph([(0, 1), (1, 0)]), 0, "two ways lead to the node 0"),
        (networkx.Graph([(0, 1), (1, 2), (2, 0)]), 0, "two ways lead to the node"),
        (networkx.DiGraph([(0, 0)]), 0, "two ways lead to the node 0"),
        (networkx.Graph([(0, 0), (0, 1)]), 1, "two ways lead to the node 0"),
        (networkx.DiGraph([(0, 1), (2, 3), (3, 2)]), None, "only 2 of 4 nodes can be reached"),
        (networkx.MultiDiGraph([(0, 1), (0, 1)]), 0, "parallel edges to the node 1"),
        (networkx.MultiGraph([(0, 1), (0, 1)]), 0, "parallel edges to the node 1"),
        (chain, 9, "root must be a node of the graph; got 9"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_networkx(G, root)
    with pytest.raises(ValueError, match="every node must have the attribute 'x'; 0 has not"):
        from_networkx(chain, label="x")
    with pytest.raises(TypeError, match="must be a graph of networkx; got dict"):
        from_networkx({})


def test_networkx_goes_both_ways():
    pytest.importorskip("networkx")
    tree = Tree.from_nested((None, ["b", ((1, 2), ["b", 3])]))
    graph = convert.to_networkx(tree)
    assert convert.from_networkx(graph, label="label") == tree
    assert len(convert.to_networkx(Tree.from_bracket("{a}{b{c}}")).edges) == 1


def test_dot_quotes_labels():
    text = convert.to_dot(Tree.from_nested(('a"\\\n', ["é", ((1, "x"), [])])))
    assert text.splitlines()[3:] == [
        r'  0 [label="a\"\\\n"]',
        '  1 [label="é"]',
        """  2 [label="(1, 'x')"]""",
        "  0 -> 1",
        "  0 -> 2",
        "}",
    ]


def test_nltk():
    nltk = pytest.importorskip("nltk")
    tree = nltk.Tree("S", ["a", nltk.Tree("B", []), nltk.Tree(3, [None, ("w", "NN")])])
    found = convert.from_nltk(tree)
    assert found.labels == ("S", "a", "B", 3, None, ("w", "NN"))
    assert found.parents.tolist() == [-1, 0, 0, 0, 3, 3]
    parented = nltk.ParentedTree.fromstring("(S (A x) y)")
    assert convert.from_nltk(parented).to_bracket() == "{S{A{x}}{y}}"
    with pytest.raises(TypeError, match=r"must be an nltk\.Tree; got list"):
        convert.from_nltk(["S", []])
    with pytest.raises(TypeError, match="labels must be hashable; got one of type list at node 1"):
        convert.from_nltk(nltk.Tree("S", [["a"]]))


def test_tree_sitter_labels():
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_javascript")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    parsed = parser.parse(b"let x = 1;\nif (y { }")
    from_tree_sitter = convert.from_tree_sitter
    plain = from_tree_sitter(parsed)
    assert plain == from_tree_sitter(parsed.root_node)
    assert ")" in plain.labels  # the parser inserted it
    assert ";" not in plain.labels
    everything = from_tree_sitter(parsed, named=False)
    assert ";" in everything.labels
    named = from_tree_sitter(parsed, text=["identifier"])
    assert ("identifier", "x") in named.labels
    valued = from_tree_sitter(parsed, values=True)
    assert {("identifier", "x"), ("number", "1"), "program"} <= set(valued.labels)
    assert valued.parents.tolist() == plain.parents.tolist()
    own = from_tree_sitter(parsed, label=lambda node: node.start_point[0], fields=True)
    assert own.labels[0] == 0
    assert max(own.labels) == 1
    fields = from_tree_sitter(parsed, text=["identifier"], fields=True)
    assert fields.labels[0] == (None, "program")
    assert ("name", "identifier", "x") in fields.labels
    assert fields.parents.tolist() == plain.parents.tolist()
    part = parsed.root_node.children[0]
    assert from_tree_sitter(part).labels[0] == "lexical_declaration"
    with pytest.raises(TypeError, match="must be a node or tree of tree-sitter; got str"):
        from_tree_sitter("(program)")
    with pytest.raises(TypeError, match="text must be an iterable of types"):
        from_tree_sitter(parsed, text="identifier")


@pytest.mark.parametrize("text", ['{"a": 1}', " [[1], 2]"])
def test_a_text_that_holds_json_is_a_leaf_with_a_warning(text):
    with pytest.warns(UserWarning, match=r"Use json\.loads\(text\)"):
        assert convert.from_json(text).size == 1
    assert convert.from_json([text]).size == 2


@pytest.mark.parametrize("text", ["{}", "[]", "{a}", "[" * 100_000, "a"])
def test_other_texts_are_leaves(text):
    assert convert.from_json(text).labels == (("str", text),)
