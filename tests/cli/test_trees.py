"""Commands that show, convert and describe trees, and results as Parquet and as pages."""

import csv
import io
import json

import numpy as np
import pytest

from treemetric import TreeSet
from treemetric.cli import main

LINES = (
    '{"id": "p", "bracket": "{a{b}{c}}"}',
    '{"id": "q", "bracket": "{a{b}{d}}"}',
    '{"id": "r", "bracket": "{x{y}}"}',
)


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "trees.jsonl"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return str(path)


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_tree_is_printed_with_lines(capsys, tmp_path):
    assert run(capsys, "show", "{a{b{c}}{d}}")[1] == "a\n├── b\n│   └── c\n└── d\n"
    assert run(capsys, "show", "{a{b{c}}{d}}", "--depth", 1)[1] == "a\n├── b … 1 below\n└── d\n"
    assert run(capsys, "show", "{a{b{c}}{d}}", "--nodes", 1)[1] == "a\n… 3 more nodes\n"
    path = tmp_path / "code.py"
    path.write_text("x = 1\n", encoding="utf-8")
    assert run(capsys, "show", path)[1].startswith("Module\n")


def test_a_tree_is_written_as_a_page(capsys, tmp_path):
    path = tmp_path / "tree.html"
    assert run(capsys, "show", "{a{<b>}}", "-o", path)[0] == 0
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<b>" not in page.split("<body")[1].split("<script>")[0]
    code, _, message = run(capsys, "show", "{a}", "-o", path)
    assert code == 2
    assert "--overwrite" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "nothing"], "TREE must be text in brackets, an existing file or '-'"),
        (["show", "{a"], "TREE: "),
        (["show", "{a}", "--depth", "-1"], "--depth must be"),
        (["show", "{a}", "--nodes", "0"], "--nodes must be"),
    ],
)
def test_messages_of_show_name_options(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"treemetric: error: {message}")


def test_a_tree_of_a_file_is_chosen_by_its_id(capsys, trees, tmp_path):
    assert run(capsys, "show", trees, "--id", "r")[1] == "x\n└── y\n"
    plain = tmp_path / "trees.txt"
    plain.write_text("{a}\n{b{c}}\n", encoding="utf-8")
    assert run(capsys, "show", plain, "--id", "1")[1] == "b\n└── c\n"
    assert "It contains 3. Choose one by --id." in run(capsys, "show", trees)[2]
    message = "--id must be one of the 3 names of trees, such as 'p'. Got 'z'."
    assert message in run(capsys, "show", trees, "--id", "z")[2]


def test_formats_are_converted(capsys, tmp_path, trees):
    assert run(capsys, "convert", trees, "--to", "bracket")[1].split() == [
        "{a{b}{c}}",
        "{a{b}{d}}",
        "{x{y}}",
    ]
    newick = tmp_path / "trees.nwk"
    newick.write_text("(A,B)C;\n(A,(B,D))E;\n", encoding="utf-8")
    out = tmp_path / "out.jsonl"
    code, text, _ = run(capsys, "convert", newick, trees, "-o", out)
    assert code == 0
    assert text == f"5 trees -> {out}\n"
    found = TreeSet.from_jsonl(out)
    assert found.ids[0].endswith("trees.nwk:0")
    assert found[2].to_bracket() == "{a{b}{c}}"
    lines = run(capsys, "convert", trees)[1].splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["p", "q", "r"]


def test_a_report_is_written(capsys, tmp_path, trees):
    path = tmp_path / "report.html"
    code, text, err = run(capsys, "report", trees, "-o", path, "--title", "My trees", "-j", 1)
    assert (code, text, err) == (0, f"3 trees -> {path}\n", "")
    page = path.read_text(encoding="utf-8")
    assert "<h1>My trees</h1>" in page
    assert "<code>p</code> and <code>q</code>" in page
    assert "--sample must be" in run(capsys, "report", trees, "--sample", "1")[2]
    assert "--output must end in one of .html" in run(capsys, "report", trees, "-o", "x.csv")[2]


def test_a_report_with_costs(capsys, tmp_path, trees):
    costs = tmp_path / "costs.csv"
    names = ["a", "b", "c", "d", "x", "y", ""]
    rows = [[name, *(0 if name == other else 0.5 for other in names)] for name in names]
    with costs.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["", *names], *rows])
    code, page, _ = run(capsys, "report", trees, "--costs", costs)
    assert code == 0
    assert "Costs of edits: CostMatrix." in page


def test_an_alignment_is_a_page(capsys, tmp_path):
    path = tmp_path / "changes.html"
    assert run(capsys, "align", "{a{b}}", "{a{c}}", "-o", path)[0] == 0
    assert "Alignment of cost 1" in path.read_text(encoding="utf-8")


def test_results_are_parquet(capsys, tmp_path, trees):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "out.parquet"

    def rows(*arguments):
        assert run(capsys, *arguments, "-o", path, "--overwrite")[0] == 0
        return [tuple(row.values()) for row in parquet.read_table(path).to_pylist()]

    assert rows("nearest", trees, "-k", 1) == [("p", "q", 1.0), ("q", "p", 1.0), ("r", "p", 3.0)]
    assert rows("within", trees, "-r", 1) == [("p", "q", 1.0), ("q", "p", 1.0)]
    assert rows("within", trees, "-r", 0) == []
    assert rows("pairwise", trees, "--condensed") == [
        ("p", "q", 1.0),
        ("p", "r", 3.0),
        ("q", "r", 3.0),
    ]
    assert rows("pairwise", trees)[:2] == [("p", "p", 0.0), ("p", "q", 1.0)]
    assert len(rows("pairwise", trees)) == 9
    groups = rows("duplicates", trees, "-r", 1)
    assert [row[:2] + row[4:] for row in groups] == [(0, 2, "p", 3, 0.0), (0, 2, "q", 3, 1.0)]


def test_few_trees_need_no_number_of_neighbours(capsys, trees):
    code, out, _ = run(capsys, "nearest", trees)
    assert code == 0
    assert len(list(csv.reader(io.StringIO(out)))) == 1 + 3 * 2
    code, _, err = run(capsys, "nearest", "-k", 3, trees)
    assert code == 2
    assert err.startswith("treemetric: error: -k must be an int in the range [1, 2]")


def test_children_without_an_order(capsys, tmp_path):
    one, two = tmp_path / "one.nwk", tmp_path / "two.nwk"
    one.write_text("((A,B)X,C)R;\n", encoding="utf-8")
    two.write_text("(C,(B,A)X)R;\n", encoding="utf-8")
    assert run(capsys, "distance", one, two)[1] != "0\n"
    assert run(capsys, "distance", one, two, "--unordered")[1] == "0\n"
    assert run(capsys, "align", one, two, "--unordered")[1] == "0 edits, an optimal alignment\n"
    table = run(capsys, "pairwise", one, two, "--unordered", "--to", "json")[1]
    assert json.loads(table)["distances"] == [[0, 0], [0, 0]]
    page = tmp_path / "align.html"
    assert run(capsys, "align", one, two, "--unordered", "-o", page)[0] == 0
    matrix = tmp_path / "D.npy"
    assert run(capsys, "pairwise", one, two, "--unordered", "-o", matrix)[0] == 0
    assert np.load(matrix).tolist() == [[0, 0], [0, 0]]
    assert "exists" in run(capsys, "pairwise", one, two, "--unordered", "-o", matrix)[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["distance", "{a}", "{b}", "--unordered", "--norm", "max"], "--norm cannot be combined"),
        (["pairwise", "-", "--unordered", "--memory", "1GB"], "--unordered keeps the matrix"),
        (["pairwise", "-", "--unordered", "-o", "D.zarr"], "--unordered keeps the matrix"),
    ],
)
def test_options_that_exclude_each_other(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_distances_in_relation_to_sizes(capsys, trees):
    assert run(capsys, "distance", "{a{b}}", "{a{c}}", "--norm", "max")[1] == "0.5\n"
    out = run(capsys, "pairwise", trees, "--norm", "sum", "--condensed")[1]
    rows = list(csv.reader(io.StringIO(out)))[1:]
    assert [float(row[2]) for row in rows] == pytest.approx([1 / 6, 3 / 5, 3 / 5])


def test_functions_of_source_code(capsys, tmp_path):
    source = tmp_path / "src"
    source.mkdir()
    body = "".join(f"    a{k} = {k} + len(str({k}))\n" for k in range(4))
    (source / "good.py").write_text(f"def f():\n{body}\n\ndef g():\n    pass\n", encoding="utf-8")
    (source / "bad.py").write_text("def f(:\n", encoding="utf-8")
    code, out, err = run(capsys, "convert", source, "--functions")
    assert code == 0
    (line,) = out.splitlines()
    assert json.loads(line)["id"].endswith("good.py:1 f")
    assert "warning" in err
    assert "bad.py" in err
    page = run(capsys, "report", source / "good.py", "--functions")[1]
    assert "good.py:1 f" in page
    assert "--functions needs Python files" in run(capsys, "report", "-", "--functions")[2]
