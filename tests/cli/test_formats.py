"""Formats that the command line reads: suffixes, readers, options, files with several trees."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from strategies import trees
from treemetric import Tree, convert
from treemetric.cli import main
from treemetric.cli.formats import BY_NAME, BY_SUFFIX, FORMATS
from treemetric.cli.inputs import CHOICES, FLAGS, LISTS, json_format
from treemetric.convert import pieces

# For each format: a file, its trees, and a package that it needs.
FILES = {
    "bracket": ("{a{b}}\n{c}\n", [Tree.from_bracket("{a{b}}"), Tree.from_bracket("{c}")], None),
    "jsonl": ('{"nodes":["a","b"],"adj":[[1],[]]}\n', [Tree.from_sequence("ab")], None),
    "python": ("x = f(1)\n", [convert.from_ast("x = f(1)", values=True)], None),
    "json": ('{"a": [1, null]}', [convert.from_json({"a": [1, None]})], None),
    "xml": ("<a><b/>t<!-- c --></a>", [Tree.from_nested(("a", ["b"]))], None),
    "html": ("<p>one", [Tree.from_bracket("{html{body{p}}}")], "lxml"),
    "newick": (
        "[c;]((a,'b;'),it's)r;\n (a:1,b)[;[x]];",
        [
            Tree.from_nested(("r", [("", ["a", "b;"]), "it's"])),
            Tree.from_nested(("", ["a", "b"])),
        ],
        None,
    ),
    "sexpr": (
        "( (S (NP a) (VP b)) )\n\n((X\n y))\n",
        [Tree.from_bracket("{S{NP{a}}{VP{b}}}"), Tree.from_bracket("{X{y}}")],
        None,
    ),
    "dotbracket": (
        ">one\nGCAAGU\n((..)) (-1.20)\n\n(.)\n",
        [convert.from_dotbracket("((..))", sequence="GCAAGU"), convert.from_dotbracket("(.)")],
        None,
    ),
    "iupac": (
        "Gal(b1-4)GlcNAc\n\nMan\n",
        [convert.from_iupac("Gal(b1-4)GlcNAc"), convert.from_iupac("Man")],
        None,
    ),
    "javascript": (
        "x;",
        [
            Tree.from_nested(
                ("program", [("expression_statement", [(("identifier", "x"), [])])]),
            )
        ],
        True,
    ),
}


def needed(name):
    package = FILES[name][2]
    if package is True:
        pytest.importorskip("tree_sitter")
        package = f"tree_sitter_{name}"
    if package:
        pytest.importorskip(package)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_by_suffix_and_by_name(tmp_path, name):
    needed(name)
    text, trees, _ = FILES[name]
    suffix = BY_NAME[name].suffixes[0]
    expected = tm.pairwise_distances(trees)
    for file, options in ((f"file{suffix.upper()}", []), ("file.unknown", ["--format", name])):
        source, target = tmp_path / file, tmp_path / f"{file}.npy"
        source.write_text(text, encoding="utf-8")
        assert main(["pairwise", str(source), "-o", str(target), *options]) == 0
        assert np.array_equal(np.load(target), expected)
    kind = BY_NAME[name]
    # Labels hold values by default, in every command and format.
    assert list(kind.read(text.encode(), {"values": True} if "values" in kind.options else {})) == (
        trees
    )


def test_suffixes_and_options_are_unique_and_known():
    suffixes = [suffix for kind in FORMATS for suffix in kind.suffixes]
    assert len(suffixes) == len(set(suffixes)) == len(BY_SUFFIX)
    assert {option for kind in FORMATS for option in kind.options} == {*FLAGS, *LISTS, *CHOICES}


def test_the_documentation_lists_all_formats():
    page = Path(__file__).parents[2] / "docs" / "command-line.md"
    if not page.exists():
        pytest.skip("the documentation is not here")
    text = page.read_text(encoding="utf-8")
    table = text[text.index("## Trees") : text.index("## Costs")]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|", table, re.MULTILINE)
    listed = {name: (re.findall(r"\.\w+", suffixes), options) for name, suffixes, options in rows}
    assert set(listed) == set(BY_NAME)
    for kind in FORMATS:
        suffixes, options = listed[kind.name]
        assert suffixes == [suffix for suffix in kind.suffixes if suffix], kind.name
        found = re.findall(r"--([\w-]+)", options)
        assert found == [option.replace("_", "-") for option in kind.options], kind.name


@pytest.mark.parametrize(
    ("suffix", "text", "options", "tree"),
    [
        (".py", "x = 1", ["--context"], convert.from_ast("x = 1", context=True)),
        (".py", "x = 1", ["--values"], convert.from_ast("x = 1", values=True)),
        (".py", "x = 1", ["--no-values"], convert.from_ast("x = 1")),
        (
            ".json",
            '{"b": 1, "a": 2}',
            ["--no-values"],
            convert.from_json({"b": 1, "a": 2}, values=False),
        ),
        (".json", '{"b": 1, "a": 2}', ["--sort-keys"], convert.from_json({"a": 2, "b": 1})),
        (
            ".xml",
            "<a>t<b c='1'/></a>",
            ["--text"],
            Tree.from_nested(("a", [(("#text", "t"), []), "b"])),
        ),
        (
            ".xml",
            "<a>t<b c='1'/></a>",
            ["--attributes", "c"],
            Tree.from_nested((("a", None), [(("b", "1"), [])])),
        ),
        (".xml", "<a>t<b c='1'/></a>", ["--skip", "b,c"], Tree.from_sequence("a")),
        (
            ".xml",
            "<a><!-- x --></a>",
            ["--comments"],
            Tree.from_nested(("a", [(("#comment", "x"), [])])),
        ),
        (".nwk", "(a_b:1)r;", ["--lengths"], convert.from_newick("(a_b:1)r;", lengths=True)),
        (".nwk", "(a_b:1)r;", ["--preserve-underscores"], Tree.from_nested(("r", ["a_b"]))),
        (".sexp", '(a "b) c")', ["--quotes"], Tree.from_nested(("a", ["b) c"]))),
        (".dbn", "GAC\n(.)", ["--values"], convert.from_dotbracket("(.)", sequence="GAC")),
        (".iupac", "Gal(b1-4)Man", ["--bonds", "drop"], Tree.from_nested(("Man", ["Gal"]))),
    ],
)
def test_options_reach_the_readers(capsys, tmp_path, suffix, text, options, tree):
    source = tmp_path / f"a{suffix}"
    source.write_text(text, encoding="utf-8")
    assert main(["distance", str(source), "{}", "--to", "text", *options]) == 0
    assert capsys.readouterr().out == f"{tm.distance(tree, Tree.from_bracket('{}')):.0f}\n"
    assert list(BY_SUFFIX[suffix].read(text.encode(), as_keywords(options))) == [tree]


@pytest.mark.parametrize(
    ("suffix", "one", "other"),
    [
        (".py", "x = 1", "y = 2"),
        (".json", "[1]", "[2]"),
        (".dbn", "GAC\n(.)", "GUC\n(.)"),
        (".js", "x = 1", "y = 2"),
    ],
)
def test_values_count_by_default_in_every_command(capsys, tmp_path, suffix, one, other):
    if suffix == ".js":
        needed("javascript")
    a, b = (tmp_path / f"{name}{suffix}" for name in "ab")
    a.write_text(one, encoding="utf-8")
    b.write_text(other, encoding="utf-8")
    pair = [str(a), str(b)]
    for options, equal in (([], False), (["--values"], False), (["--no-values"], True)):
        assert main(["distance", *pair, *options]) == 0
        assert (capsys.readouterr().out == "0\n") is equal
        assert main(["pairwise", *pair, "--condensed", *options]) == 0
        assert capsys.readouterr().out.endswith(",0\n") is equal
        assert main(["align", *pair, *options]) == 0
        assert capsys.readouterr().out.startswith("0 edits") is equal
        assert main(["convert", *pair, "--to", "bracket", *options]) == 0
        assert (len(set(capsys.readouterr().out.split("\n"))) == 2) is equal


def as_keywords(options):
    name = options[0].removeprefix("--").removeprefix("no-").replace("-", "_")
    if len(options) == 1:
        return {name: not options[0].startswith("--no-")}
    return {name: tuple(options[1].split(",")) if name in LISTS else options[1]}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.py", "x = (", "a.py: source must be valid Python: '(' was never closed at line 1"),
        ("a.py", "# coding: nothing\n", "a.py: source must be valid Python: unknown encoding"),
        (
            "a.py",
            "# coding: hex\n",
            "a.py: source must be valid Python: 'hex' is not a text encoding",
        ),
        ("a.json", '{"a": ', "a.json: Expecting value: line 1 column 7"),
        (
            "a.json",
            "[" * 200_000,
            "a.json: the value is nested too deeply; Python's JSON parser limits",
        ),
        ("a.jsonl", '{"nodes": []}\n{', "a.jsonl: line 1"),
        (
            "a.xml",
            "<a>\n<b></a>",
            "a.xml: the file must be well-formed XML: mismatched tag: line 2",
        ),
        ("a.nwk", "(a,b);\n(a,,;", "a.nwk: ';' stands inside parentheses at line 2, column 5"),
        ("a.nwk", "\n", "a.nwk: the text holds no tree"),
        ("a.nwk", "(a);\n[b", "a.nwk: '[' is never closed at line 2, column 1"),
        ("a.mrg", "(S a)\n(S (b)", "a.mrg: "),
        ("a.mrg", "(S a)\n (S b))", "line 2, column 7"),
        ("a.dbn", "(.)\n  ((.)", "a.dbn: '(' is never closed at line 2, column 3"),
        ("a.dbn", ">name\n", "a.dbn: the file holds no structure"),
        ("a.iupac", "Man\n Gal)", "line 2, column 5"),
        ("a.txt", "{a}\n{b", "a.txt: line 2"),
        ("a.txt", "(a,b);", "(read as bracket; --format names another format)"),
        ("a.unknown", "{a}", "suffix .unknown belongs to no format. Name the format by --format"),
    ],
)
def test_errors_name_the_file_and_the_position(capsys, tmp_path, monkeypatch, name, text, message):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text, encoding="utf-8")
    assert main(["pairwise", name]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("treemetric: error: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_text_must_be_utf_8(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.nwk").write_bytes(b"(\xff);")
    assert main(["pairwise", "a.nwk"]) == 2
    assert "a.nwk: 'utf-8' codec" in capsys.readouterr().err
    # A byte order mark is no part of the tree; Python files declare their encoding.
    Path("b.txt").write_bytes(b"\xef\xbb\xbf{a}\n")
    Path("c.py").write_bytes("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    assert main(["distance", "b.txt", "{a}"]) == 0
    assert main(["align", "c.py", "c.py", "--values", "--to", "csv"]) == 0
    assert capsys.readouterr().out == "0\nop,i,j,old,new,cost,old_line,new_line\n"


def test_a_missing_package_is_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("tree_sitter")
    monkeypatch.setitem(__import__("sys").modules, "tree_sitter_ruby", None)
    Path("a.rb").write_text("x", encoding="utf-8")
    assert main(["pairwise", "a.rb"]) == 2
    assert "pip install tree-sitter-ruby" in capsys.readouterr().err


def test_an_option_of_another_format_is_refused(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("x", encoding="utf-8")
    assert main(["pairwise", "a.py", "--attributes", "class"]) == 2
    message = "--attributes is an option of xml, html. The format is python."
    assert message in capsys.readouterr().err


def test_pieces_of_a_text_cover_all_trees():
    text = " (a,(b,c));(d);[x]\n'e;e';"
    spans = list(pieces.newick(text))
    assert [text[start:end].strip() for start, end in spans] == [
        "(a,(b,c));",
        "(d);",
        "[x]\n'e;e';",
    ]
    text = 'a (b (c)) "(" (d "e)")'
    found = [text[start:end].strip() for start, end in pieces.sexpr(text, quotes=True)]
    assert found == ["a", "(b (c))", '"("', '(d "e)")']
    many = 20_000
    assert len(list(pieces.newick("(a,b);" * many))) == many


# Names are not empty: a root without a label is removed from s-expressions.
names = st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=4)
single = trees(labels=names, min_size=1, forests=False)


@given(st.lists(single, min_size=1, max_size=5), st.sampled_from(["", "\n", " [;] "]))
def test_newick_files_read_back(found, between):
    text = between.join(map(convert.to_newick, found))
    assert list(BY_NAME["newick"].read(text.encode(), {})) == found


@given(st.lists(single, min_size=1, max_size=5), st.sampled_from(["\n", " "]))
def test_files_of_s_expressions_read_back(found, between):
    text = between.join(convert.to_sexpr(tree, quotes=True) for tree in found)
    assert list(BY_NAME["sexpr"].read(text.encode(), {"quotes": True})) == found


def test_ids_of_records_are_names(capsys, tmp_path):
    source = tmp_path / "a.dbn"
    source.write_text(">first one\n(.)\n>second\n(..)\n", encoding="utf-8")
    assert main(["pairwise", str(source), "--to", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {"ids": ["first one", "second"], "distances": [[0, 1], [1, 0]]}


RECORD = '{"nodes":["a","b"],"adj":[[1],[]]}'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"{RECORD}\n{RECORD}\n", "jsonl"),
        (f"\n{RECORD}", "jsonl"),
        ('{"bracket": "{a}"}', "jsonl"),
        ('{"a": 1}\n{"a": 2}\n', "jsonl"),
        ('\ufeff{"a": [1]}', "json"),
        ('{\n "a": 1\n}', "json"),
        ("[1, 2]", "json"),
    ],
)
@pytest.mark.parametrize("command", ["pairwise", "nearest", "cluster", "show", "convert"])
def test_json_is_not_read_as_brackets(capsys, tmp_path, monkeypatch, text, name, command):
    monkeypatch.chdir(tmp_path)
    for source in ("trees", "trees.txt", "-"):
        Path("trees" if source == "-" else source).write_text(text, encoding="utf-8")
        with Path("trees").open(encoding="utf-8") as file:
            monkeypatch.setattr("sys.stdin", file)
            assert main([command, source]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        where = "standard input" if source == "-" else source
        assert f"error: {where}: the text is JSON" in err
        assert f"Use --format {name};" in err
        assert err.count("\n") == 1


def test_json_as_an_argument_is_refused(capsys):
    assert main(["distance", '{"a": 1}', "{a}"]) == 2
    assert "A is JSON, not a tree in brackets. Give a .json file" in capsys.readouterr().err
    assert main(["distance", '{"a": 1}', "{a}", "--format", "bracket"]) == 0
    assert capsys.readouterr().out == "1\n"


@given(single)
def test_brackets_are_not_json(tree):
    # A label that is the rest of an object, such as '"a": 1', is all that looks like JSON.
    text = tree.to_bracket()
    if ":" not in text:
        assert json_format(text) is None


def test_brackets_that_look_like_json_are_read_if_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.bracket").write_text('{"a": 1}\n{}\n', encoding="utf-8")
    Path("b.txt").write_text("{}\n{a}\n", encoding="utf-8")
    for arguments in (["a.bracket"], ["a.bracket", "--format", "bracket"], ["b.txt"]):
        assert main(["pairwise", *arguments, "--condensed"]) == 0
        assert capsys.readouterr().out.endswith(",1\n")


def test_a_missing_file_is_missing_whatever_its_suffix(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("missing.xyz", "missing.py"):
        assert main(["pairwise", name]) == 2
        assert f"{name}: No such file or directory" in capsys.readouterr().err
