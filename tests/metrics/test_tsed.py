"""TSED against the scores of tsed 0.1.0, and its arguments."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
import treemetric as tm
from strategies import trees
from treemetric.metrics import tsed, tsed_scores
from treemetric.metrics.code import _tree_of_text

RECORDS = json.loads((Path(__file__).parent / "tsed.json").read_text(encoding="utf-8"))


def parser_of_python():
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_python")
    return tree_sitter.Parser(tree_sitter.Language(grammar.language()))


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
def test_the_scores_of_tsed(record):
    # The recorded text of the nodes counts, because grammars change.
    x, y = map(_tree_of_text, record["sexp"])
    assert tsed(x, y, weights=record["weights"]) == pytest.approx(record["tsed"], abs=1e-12)


def test_many_pairs_at_once():
    X, Y = ([_tree_of_text(record["sexp"][side]) for record in RECORDS] for side in (0, 1))
    expected = [tsed(x, y) for x, y in zip(X, Y, strict=True)]
    for n_jobs in (None, 2):
        assert tsed_scores(X, Y, n_jobs=n_jobs).tolist() == expected
    assert tsed_scores([], []).shape == (0,)


@given(
    trees(min_size=1, max_size=6),
    trees(min_size=1, max_size=6),
    st.tuples(*[st.sampled_from([0.0, 0.5, 0.8, 1.0, 3.0])] * 3),
)
def test_the_definition(x, y, weights):
    delete, insert, rename = weights

    def cost(a, b):
        if a is None or b is None:
            return insert if a is None else delete
        return 0.0 if a == b else rename

    distance = reference.naive_distance(x, y, cost)
    expected = max(0.0, 1 - distance / max(x.size, y.size))
    assert tsed(x, y, weights=weights) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(module)", "module"),
        ("(a b: (c) (d) e: (f))", ("e:", ["c", "d", "f"])),
        ('(a (MISSING ";") b: (c))', ("b:", ['";"', "c"])),
        ("(module (ERROR (UNEXPECTED 'x')))", ("module", [("ERROR", ["'x'"])])),
        ('(a (MISSING "(") (b))', ("a", [('"', ['"', "b"])])),
        ('(a (MISSING ")") (b))', ('"', ['"', "b"])),
        ("(a (UNEXPECTED ' ') (b))", ("a", ["'", "b"])),
    ],
)
def test_names_of_tsed(text, expected):
    # Observed with TSED.parse_tree_string.
    assert _tree_of_text(text).to_nested() == expected


def test_python_without_packages():
    x, y = "def f(a): return a + 1", "def f(b): return b"
    score = tsed(x, y, language="ast")
    assert score == tsed(ast.parse(x), ast.parse(y)) == tsed(x.encode(), y.encode(), language="ast")
    tree = tm.convert.from_ast
    assert score == tsed(tree(x), tree(y))
    assert tsed(x, x, language="ast") == 1.0
    with pytest.raises(ValueError, match="source must be valid Python"):
        tsed("def f(", x, language="ast")


def test_tree_sitter():
    parser = parser_of_python()
    x, y = "def f(a):\n  return a+1", "def f(b):\n  x=b\n  return x+1"
    nodes = [parser.parse(code.encode()) for code in (x, y)]
    expected = tsed(*map(tm.convert.from_tree_sitter, nodes))
    assert tsed(x, y, language="python") == expected
    assert tsed(x, y, language=parser) == tsed(x, y, language=parser.language) == expected
    assert tsed(*nodes) == tsed(nodes[0].root_node, nodes[1].root_node) == expected
    named = tsed(*map(_tree_of_text, (str(node.root_node) for node in nodes)))
    assert tsed(x, y, language="python", names="0.1.0") == tsed(*nodes, names="0.1.0") == named
    assert tsed_scores([x, y], [y, y], language="python").tolist() == [expected, 1.0]


def test_code_that_is_not_valid_has_a_score():
    parser_of_python()
    assert 0 < tsed("def (", "x = = 1", language="python") < 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "x of tsed is source text: pass language="),
        ({"language": "klingon"}, ImportError, "pip install tree-sitter-klingon"),
        ({"language": "no name"}, ImportError, "needs the grammar"),
        ({"language": 3}, ValueError, "'language' parameter of tsed must be 'ast', the name"),
        ({"language": "ast", "weights": (1, 2)}, ValueError, "three numbers"),
        ({"language": "ast", "weights": (1, 2, -1)}, ValueError, "'weights' parameter of tsed"),
        ({"language": "ast", "weights": ("a", 1, 1)}, ValueError, "'weights' parameter of tsed"),
        ({"language": "c-Klingon"}, ImportError, "needs the grammar tree_sitter_c_klingon"),
        ({"language": "ast", "names": "0.2.0"}, ValueError, "'types' or '0.1.0'"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    pytest.importorskip("tree_sitter")
    with pytest.raises(error, match=message):
        tsed("x", "y", **arguments)


@pytest.mark.parametrize("names", ["types", "0.1.0"])
@pytest.mark.parametrize("code", [None, 5, [1]])
def test_what_is_no_code_is_refused(code, names):
    with pytest.raises(TypeError, match="x of tsed: "):
        tsed(code, code, language="ast", names=names)


def test_bytes_state_their_encoding():
    source = "# coding: latin-1\nname = 'é'\n"
    expected = tm.convert.from_ast("name = 'é'")
    for code in (source.encode("latin-1"), "name = 'é'".encode("utf-8-sig")):
        assert tsed(code, expected, language="ast") == 1.0
    with pytest.raises(ValueError, match=r"Y\[0\] of tsed_scores: source must be valid Python"):
        tsed_scores(["x"], [b"# coding: klingon\n"], language="ast")


def test_names_of_languages_as_people_write_them():
    parser_of_python()
    assert tsed("x = 1", "x = 1", language="Python") == 1.0


def test_weights_may_be_an_array():
    expected = tsed("x = 1", "f(x)", language="ast", weights=(1, 2, 3))
    assert tsed("x = 1", "f(x)", language="ast", weights=np.array([1, 2, 3])) == expected


def test_errors_name_the_item():
    with pytest.raises(ValueError, match=r"X\[1\] of tsed_scores: source must be valid Python"):
        tsed_scores(["x", "x ="], ["x", "x"], language="ast")


def test_wrong_lists():
    with pytest.raises(ValueError, match="of the length of X, 1"):
        tsed_scores(["x"], [], language="ast")
    with pytest.raises(ValueError, match="a list of texts or trees"):
        tsed_scores("x", ["y"], language="ast")
    with pytest.raises(TypeError, match=r"Y\[0\] of tsed_scores is source text"):
        tsed_scores([tm.Tree.from_sequence("a")], ["y"])


def test_equal_and_different_trees():
    X = [tm.Tree.from_sequence("a"), tm.Tree.from_sequence("abcd"), tm.Tree.from_bracket("")]
    Y = [tm.Tree.from_sequence("a"), tm.Tree.from_bracket("{e{f}{g}{h}}"), tm.Tree.from_bracket("")]
    np.testing.assert_array_equal(tsed_scores(X, Y), [1.0, 0.0, 1.0])
