"""Newick, s-expressions, dot-bracket notation and IUPAC: round trips, options and errors."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treemetric import Tree, convert

# Labels of everything that could hurt: marks of the formats, blanks, quotes, backslashes.
LABELS = st.text(alphabet="ab_ ()[]{},:;'\"\\\n\té.", max_size=5)


@st.composite
def trees(draw, labels=LABELS):
    parents = [-1]
    for node in range(1, draw(st.integers(1, 8))):
        path = [node - 1]
        while parents[path[-1]] >= 0:
            path.append(parents[path[-1]])
        parents.append(draw(st.sampled_from(path)))
    return Tree.from_parents([draw(labels) for _ in parents], parents)


def test_underscores_are_blanks_outside_quotes():
    text = "(a_b,'c_d')e_f;"
    assert convert.from_newick(text).labels == ("e f", "a b", "c_d")
    assert convert.from_newick(text, preserve_underscores=True).labels == ("e_f", "a_b", "c_d")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (";", ("",)),
        ("()", ("", "")),
        ("[&R] ( a , b ) c : 1 ; ", ("c", "a", "b")),
        ("((a,b)[x[y]z]c,d)[[]];", ("", "c", "a", "b", "d")),
        ("(O'Brien[it's [a] comment],b);", ("", "O'Brien", "b")),
        ("('[',b[)]);", ("", "[", "b")),
        ("('',b)''''\n;\n", ("'", "", "b")),
        ("(a:-1.5e+3,b:.5)c:0", ("c", "a", "b")),
    ],
)
def test_newick_is_read(text, labels):
    assert convert.from_newick(text).labels == labels


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no tree at line 1, column 1"),
        (" \n[c]", "holds no tree at line 2, column 4"),
        ("(a,b", "ends inside 1 open parentheses at line 1, column 5"),
        ("(a,b))", r"'\)' stands outside parentheses at line 1, column 6"),
        ("a,b;", "',' stands outside parentheses at line 1, column 2"),
        ("(a,b;)", "';' stands inside parentheses at line 1, column 5"),
        ("(a,\nb c);", "'c' cannot follow a label or a length; .* at line 2, column 3"),
        ("(a:1:2)", "':' cannot follow a complete node at line 1, column 5"),
        ("(a:x)", "a length must follow ':', but there is 'x' at line 1, column 4"),
        ("(a:nan)", "a length must follow ':', but there is 'nan'"),
        ("(a:)", "a length must follow ':', but there is '\\)'"),
        ("a:", "ends where a length must follow ':' at line 1, column 3"),
        ("(a)(b);", r"'\(' cannot follow a complete node at line 1, column 4"),
        ("(a,'b);", "never closed or does not begin a label at line 1, column 4"),
        ("(a,[b);", r"'\[' is never closed at line 1, column 4"),
        ("(a,b]);", r"'\]' is never opened at line 1, column 5"),
        ("(a,b);(c,d);", r"text must be one tree, but '\(' follows ';' at line 1, column 7"),
        ("(a,b);c", "text must be one tree, but 'c' follows ';' at line 1, column 7"),
    ],
)
def test_newick_errors_state_the_position(text, message):
    with pytest.raises(ValueError, match=message):
        convert.from_newick(text)


@given(trees())
def test_newick_goes_both_ways(tree):
    assert convert.from_newick(convert.to_newick(tree)) == tree


@given(trees(st.tuples(LABELS, st.none() | st.floats(allow_nan=False, allow_infinity=False))))
def test_newick_with_lengths_goes_both_ways(tree):
    text = convert.to_newick(tree, lengths=True)
    assert convert.from_newick(text, lengths=True) == tree


def test_newick_refuses_what_it_cannot_hold():
    with pytest.raises(TypeError, match="names of type str only; got 1 of type int"):
        convert.to_newick(Tree.from_nested((1, [])))
    with pytest.raises(TypeError, match="must be pairs"):
        convert.to_newick(Tree.from_nested("a"), lengths=True)
    for length, kind in ((float("inf"), ValueError), ("1", TypeError), (True, TypeError)):
        with pytest.raises(kind, match="lengths must be"):
            convert.to_newick(Tree.from_parents([("a", length)], [-1]), lengths=True)
    for forest in ([], ["a", "b"]):
        with pytest.raises(ValueError, match="exactly one root; got"):
            convert.to_newick(Tree.from_nested(forest))


def test_sexpr_of_the_penn_treebank():
    text = "( (S (NP-SBJ (NNP Mr.)) (VP x)) )\n"
    assert convert.from_sexpr(text).labels[0] == ""
    bare = convert.from_sexpr(text, remove_empty_top_bracketing=True)
    assert bare.to_bracket() == "{S{NP-SBJ{NNP{Mr.}}}{VP{x}}}"
    kept = convert.from_sexpr("( a b)", remove_empty_top_bracketing=True)
    assert kept.labels == ("a", "b")


def test_sexpr_with_quotes():
    text = r'(f "a (b)" "" "\"\\" g"h")'
    assert convert.from_sexpr(text, quotes=True).labels == ("f", "a (b)", "", '"\\', "g", "h")
    assert convert.from_sexpr("(\"a\" `` '')").labels == ('"a"', "``", "''")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no tree at line 1, column 1"),
        ("a", "must be one tree in brackets, but there is 'a' at line 1, column 1"),
        ("(a\n(b)", "ends inside 1 open brackets at line 2, column 4"),
        ("(a))", r"'\)' has no matching '\(' at line 1, column 4"),
        ("(a) (b)", r"must be one tree in brackets, but there is '\(b' at line 1, column 5"),
        ('(a "b)', "is never closed at line 1, column 4"),
    ],
)
def test_sexpr_errors_state_the_position(text, message):
    with pytest.raises(ValueError, match=message):
        convert.from_sexpr(text, quotes=True)


@given(trees())
def test_sexpr_goes_both_ways(tree):
    assert convert.from_sexpr(convert.to_sexpr(tree, quotes=True), quotes=True) == tree


@given(trees(st.text(alphabet="ab\"'\\-.", max_size=3)))
def test_sexpr_without_quotes_goes_both_ways(tree):
    assert convert.from_sexpr(convert.to_sexpr(tree)) == tree


def test_sexpr_refuses_what_it_cannot_hold():
    with pytest.raises(ValueError, match="the label 'a b' needs quotes; set quotes=True"):
        convert.to_sexpr(Tree.from_nested("a b"))
    with pytest.raises(TypeError, match="labels of type str only; got 1 of type int"):
        convert.to_sexpr(Tree.from_nested((1, [])))


def test_dotbracket_with_a_sequence():
    tree = convert.from_dotbracket(" ((..)).\n", sequence="GCAAGUA\n")
    assert tree.labels == ("R", "GU", "CG", "A", "A", "A")
    assert convert.from_dotbracket("").labels == ("R",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("((..)", r"'\(' is never closed at line 1, column 1"),
        (".)", r"'\)' has no matching '\(' at line 1, column 2"),
        (" (.[.).]", r"got '\[' \(pseudoknots are no trees\) at line 1, column 4"),
        ("(.) (-1.2)", "got ' ' at line 1, column 4"),
    ],
)
def test_dotbracket_errors_state_the_position(text, message):
    with pytest.raises(ValueError, match=message):
        convert.from_dotbracket(text)


def test_a_sequence_has_one_base_per_character():
    with pytest.raises(ValueError, match="got 3 bases for 4 characters"):
        convert.from_dotbracket("(..)", sequence="GCA")


def test_bonds_of_glycans():
    text = "Gal(b1-4)[Fuc(a1-3)]GlcNAc(b1-"
    assert convert.from_iupac(text).labels == (("GlcNAc", "b1-"), ("Fuc", "a1-3"), ("Gal", "b1-4"))
    between = convert.from_iupac(text, bonds="node")
    assert between.to_bracket() == "{b1-{GlcNAc{a1-3{Fuc}}{b1-4{Gal}}}}"
    assert convert.from_iupac(text, bonds="drop").to_bracket() == "{GlcNAc{Fuc}{Gal}}"
    assert convert.from_iupac(text + "4)") == convert.from_iupac(text + "4")
    with pytest.raises(ValueError, match="'bonds' parameter of from_iupac must be"):
        convert.from_iupac(text, bonds="edge")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no residue at line 1, column 1"),
        ("Gal(b1-4", None),
        ("(b1-4)", "a bond must follow a residue at line 1, column 1"),
        ("Gal(b1-4)(b1-3)Glc", "two bonds follow each other at line 1, column 4"),
        ("Gal[Fuc(a1-3)]Glc", "the residue 'Gal' has no bond at line 1, column 1"),
        ("Gal Glc", "the residue 'Gal' has no bond at line 1, column 1"),
        ("Gal(b1-4)[]Glc", "the branch is empty at line 1, column 10"),
        ("[(a1-3)]Glc", "a bond must follow a residue at line 1, column 1"),
        ("[Fuc(a1-3)", r"'\[' is never closed at line 1, column 1"),
        ("Fuc(a1-3)]Glc", r"'\]' is never opened at line 1, column 10"),
        ("Gal(b1-4)[Fuc(a1-3)]", r"'\]' must stand before a residue at line 1, column 20"),
        ("Gal(b1-4)]Glc(a", r"'\]' is never opened at line 1, column 10"),
        ("{Fuc(a1-3)}Gal(b1-4)Glc", "'}' is not a bond.*braces have no place.*column 11"),
        ("Gal)b1(Glc", r"'\(' is not a bond, residue or branch at line 1, column 7|bond"),
    ],
)
def test_iupac_errors_state_the_position(text, message):
    if message is None:
        assert convert.from_iupac(text).labels == (("Gal", "b1-4"),)
        return
    with pytest.raises(ValueError, match=message):
        convert.from_iupac(text)


READERS = [convert.from_newick, convert.from_sexpr, convert.from_dotbracket, convert.from_iupac]


@pytest.mark.parametrize("reader", READERS)
def test_only_text_is_read(reader):
    with pytest.raises(
        TypeError, match=rf"text of {reader.__name__} must be of type str; got bytes"
    ):
        reader(b"(a)")


HOSTILE = [
    "'",
    "[",
    "]",
    "(",
    ")",
    '"',
    "\\",
    "((a)",
    "'a",
    "[a",
    '"a',
    "a'",
    "''",
    "[[",
    "a]",
    "{",
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.timeout(20)
def test_hostile_text_takes_linear_time(reader, piece):
    text = piece * (200_000 // len(piece))
    for candidate in (text, "(" + text, "[" + text, "'" + text):
        # Some of these are one long label.
        try:
            assert reader(candidate).size == 1
        except ValueError as error:
            assert re.search(r"at line 1, column \d+$", str(error))  # noqa: PT017


def test_long_tokens_are_shortened_in_messages():
    with pytest.raises(ValueError, match="follow a label") as caught:
        convert.from_newick("(a " + "b" * 10_000 + ");")
    assert len(str(caught.value)) < 200


def test_random_text_has_right_columns():
    rng = random.Random(3)
    for _ in range(200):
        lines = ["x" * rng.randint(0, 5) for _ in range(rng.randint(1, 4))]
        text = "[" + "\n".join(lines) + "]" + "(a,b)) "
        with pytest.raises(ValueError, match="outside parentheses") as caught:
            convert.from_newick(text)
        line, column = map(int, re.findall(r"\d+", str(caught.value)))
        assert text.split("\n")[line - 1][column - 1 :] == ") "
