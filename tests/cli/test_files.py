"""What commands read and write: several files, folders, pipes, and results in all formats."""

import csv
import io
import json
import os
import signal
import sys

import numpy as np
import pytest

import children
import treemetric as tm
from treemetric.cli import main
from treemetric.cli.places import places_in_python

SOURCES = {"a.py": "x = 1\n", "b.py": "x = f(1)\n", "c.py": "def f(): pass\n"}
NAMES = list(SOURCES)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def trees():
    return [tm.convert.from_ast(text, values=True) for text in SOURCES.values()]


def run(*arguments, **options):
    return children.run("-m", "treemetric", *arguments, timeout=120, **options)


def rows(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.usefixtures("here")
def test_pairwise_writes_csv_to_standard_output(capsys):
    assert main(["pairwise", *NAMES]) == 0
    head, *body = rows(capsys.readouterr().out)
    assert head == ["", *NAMES]
    assert [row[0] for row in body] == NAMES
    found = np.array([row[1:] for row in body], dtype=float)
    assert np.array_equal(found, tm.pairwise_distances(trees()))


def test_pairwise_writes_every_format_to_files(capsys, here):
    full = tm.pairwise_distances(trees())
    for suffix in ("csv", "json", "npy"):
        assert main(["pairwise", *NAMES, "-o", f"D.{suffix}"]) == 0
        assert capsys.readouterr().out == f"3 trees, 3 x 3 float64 -> D.{suffix}\n"
    assert rows((here / "D.csv").read_text(encoding="utf-8"))[0] == ["", *NAMES]
    found = json.loads((here / "D.json").read_text(encoding="utf-8"))
    assert found["ids"] == NAMES
    assert np.array_equal(found["distances"], full)
    assert np.array_equal(np.load(here / "D.npy"), full)
    assert main(["pairwise", *NAMES, "-o", "D.data", "--to", "csv"]) == 0
    assert (here / "D.data").read_bytes() == (here / "D.csv").read_bytes()
    assert not list(here.glob("*.part"))


@pytest.mark.usefixtures("here")
def test_pairwise_writes_pairs_and_a_cutoff(capsys):
    condensed = tm.pairwise_distances(trees(), condensed=True)
    assert main(["pairwise", *NAMES, "--condensed"]) == 0
    head, *body = rows(capsys.readouterr().out)
    assert head == ["source", "target", "distance"]
    assert [row[:2] for row in body] == [["a.py", "b.py"], ["a.py", "c.py"], ["b.py", "c.py"]]
    assert [float(row[2]) for row in body] == condensed.tolist()
    cutoff = ["--cutoff", str(condensed.min())]
    assert main(["pairwise", *NAMES, *cutoff]) == 0
    assert "inf" in capsys.readouterr().out
    assert main(["pairwise", *NAMES, *cutoff, "--condensed", "--to", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["distances"]
    assert found == [d if d == condensed.min() else None for d in condensed]


@pytest.mark.usefixtures("here")
def test_nearest_and_within_name_the_files(capsys):
    assert main(["nearest", *NAMES, "-k", "1"]) == 0
    near = tm.nearest(trees(), k=1)
    expected = [
        [name, NAMES[j], str(int(d))]
        for name, j, d in zip(NAMES, near.indices[:, 0], near.distances[:, 0], strict=True)
    ]
    assert rows(capsys.readouterr().out) == [["source", "target", "distance"], *expected]
    assert main(["within", *NAMES, "-r", "2", "--to", "json", "--queries", "a.py"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found[0] == {"source": "a.py", "target": "a.py", "distance": 0}
    assert {record["source"] for record in found} == {"a.py"}


def test_ids_of_trees_are_their_names(capsys, here):
    tm.TreeSet(trees(), ids=["x", 7, "z"]).to_jsonl(here / "trees.jsonl")
    assert main(["nearest", "trees.jsonl", "-k", "1"]) == 0
    assert [row[0] for row in rows(capsys.readouterr().out)[1:]] == ["x", "7", "z"]
    assert main(["nearest", "trees.jsonl", "a.py", "-k", "1", "-o", "near.npz"]) == 0
    with np.load(here / "near.npz") as saved:
        expected = ["trees.jsonl:x", "trees.jsonl:7", "trees.jsonl:z", "a.py"]
        assert saved["ids"].tolist() == saved["query_ids"].tolist() == expected


@pytest.mark.parametrize("command", [["nearest", "-k", "1"], ["within", "-r", "1"], ["pairwise"]])
def test_a_result_is_not_overwritten_silently(capsys, here, command):
    for name in ("out.csv", "out.json"):
        assert main([*command, *NAMES, "-o", name]) == 0
        (here / name).write_text("kept", encoding="utf-8")
        assert main([*command, *NAMES, "-o", name]) == 2
        assert f"{name} exists. Give --overwrite" in capsys.readouterr().err
        assert (here / name).read_text(encoding="utf-8") == "kept"
        assert main([*command, *NAMES, "-o", name, "--overwrite"]) == 0
        assert (here / name).read_text(encoding="utf-8") != "kept"


def test_a_folder_is_all_its_files_of_one_format(capsys, here):
    (here / "src" / "inner").mkdir(parents=True)
    (here / "src" / ".hidden").mkdir()
    (here / "src" / "inner" / "b.py").write_text("x", encoding="utf-8")
    (here / "src" / "a.py").write_text("x", encoding="utf-8")
    (here / "src" / ".hidden" / "c.py").write_text("x", encoding="utf-8")
    (here / "src" / "LICENSE").write_text("x", encoding="utf-8")
    files = [os.path.join("src", "a.py"), os.path.join("src", "inner", "b.py")]  # noqa: PTH118
    assert main(["pairwise", "src"]) == 0
    assert rows(capsys.readouterr().out)[0] == ["", *files]
    (here / "src" / "page.html").write_text("<p>", encoding="utf-8")
    assert main(["pairwise", "src"]) == 2
    message = "The folder src holds files of several formats: html, python. Choose one by --format."
    assert message in capsys.readouterr().err
    assert main(["pairwise", "src", "--format", "python"]) == 0
    assert rows(capsys.readouterr().out)[0] == ["", *files]
    assert main(["pairwise", "src", "--format", "json"]) == 2
    assert "holds no files of the format json" in capsys.readouterr().err


@pytest.fixture
def cost_file(here):
    path = here / "costs.csv"
    path.write_text(",a,b,\na,0,0.5,1\nb,0.5,0,2\n,1,2,0\n", encoding="utf-8")
    return str(path)


def test_distance_and_align_take_costs(capsys, cost_file):
    assert main(["distance", "{a{b}}", "{b}", "--costs", cost_file]) == 0
    assert main(["distance", "{a}", "{b}", "--costs", cost_file]) == 0
    assert main(["align", "{a{b}}", "{b{b}}", "--costs", cost_file]) == 0
    assert main(["align", "{a}", "{a{b}}"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1",
        "0.5",
        "replace a -> b  (node 0 of A, cost 0.5)",
        "cost 0.5, the only optimal alignment",
        "insert  b  (node 1 of B)",
        "1 edit, the only optimal alignment",
    ]
    assert main(["distance", "{a}", "{c}", "--costs", cost_file]) == 2
    assert "'c' is not in the alphabet of the costs" in capsys.readouterr().err


def test_distance_takes_a_cutoff_and_formats(capsys, here):
    assert main(["distance", "{a{b}{c}}", "{d}", "--cutoff", "2"]) == 0
    assert main(["distance", "{a{b}{c}}", "{d}", "--cutoff", "2", "--to", "json"]) == 0
    assert main(["distance", "{a}", "{d}", "--to", "csv"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "inf"
    assert json.loads(out[1]) == {
        "source": "{a{b}{c}}",
        "target": "{d}",
        "distance": None,
    }
    assert out[2:] == ["source,target,distance", "{a},{d},1"]
    assert main(["distance", "{a}", "{d}", "--cutoff", "-1"]) == 2
    assert "error: --cutoff must be a float" in capsys.readouterr().err
    assert main(["distance", "a.py", "b.py", "-o", "d.json"]) == 0
    assert json.loads((here / "d.json").read_text(encoding="utf-8"))["source"] == "a.py"


def test_options_may_belong_to_one_of_the_files(capsys, here):
    (here / "page.xml").write_text("<a>t</a>", encoding="utf-8")
    assert main(["distance", "a.py", "page.xml", "--text", "--values"]) == 0
    x = tm.convert.from_ast(SOURCES["a.py"], values=True)
    assert float(capsys.readouterr().out) == tm.distance(x, tm.Tree.from_bracket("{a{t}}"))


@pytest.mark.usefixtures("here")
def test_align_writes_edits(capsys):
    x, y = trees()[:2]
    edits = tm.align(x, y).edits()
    assert main(["align", "a.py", "b.py", "--to", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cost"] == len(edits)
    for edit, record in zip(edits, found["edits"], strict=True):
        labels = [list(x) if isinstance(x, tuple) else x for x in (edit.old, edit.new)]
        assert [record["old"], record["new"]] == labels
        assert [record[name] for name in ("op", "i", "j", "cost")] == [*edit[:3], edit.cost]
        lines = [None if node is None else 1 for node in (edit.i, edit.j)]
        assert [record["old_line"], record["new_line"]] == lines
    assert main(["align", "a.py", "b.py", "--to", "csv"]) == 0
    head, *body = rows(capsys.readouterr().out)
    assert head == ["op", "i", "j", "old", "new", "cost", "old_line", "new_line"]
    assert [row[0] for row in body] == [edit.op for edit in edits]
    assert body[0][4] == "Call"


OLD = """\
def total(prices):
    result = 0
    for price in prices:
        if price > 0:
            result += price
    return result
"""
NEW = """\
def total(prices, tax):
    amount = 0
    for price in prices:
        amount += price
    return amount
"""


def test_edits_of_source_are_listed_by_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.py").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.py").write_text(NEW, encoding="utf-8")
    assert main(["align", "old.py", "new.py"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "new.py:1  insert  arg tax",
        "old.py:2  replace Name result -> Name amount  (new.py:2)",
        "old.py:4  delete  If  if price > 0:",
        "old.py:4  delete  Compare  price > 0",
        "old.py:4  delete  Name price",
        "old.py:4  delete  Gt  price > 0",
        "old.py:4  delete  Constant int 0",
        "old.py:5  replace Name result -> Name amount  (new.py:4)",
        "old.py:6  replace Name result -> Name amount  (new.py:5)",
        "9 edits, the only optimal alignment",
    ]
    # Standard input is source code, too; brackets have no lines.
    found = run("align", "-", "new.py", "--format", "python", input=OLD)
    assert found.stdout.splitlines()[2] == "-:4       delete  If  if price > 0:"
    assert main(["align", "{Module}", "new.py", "--to", "json"]) == 0
    edits = json.loads(capsys.readouterr().out)["edits"]
    assert {edit["old_line"] for edit in edits} == {None}
    assert max(edit["new_line"] for edit in edits) == 5
    assert main(["align", "old.py", "new.py", "-o", "changes.html"]) == 0
    assert '"lines":' in (tmp_path / "changes.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ("é = 'a\\u2028b'\x0c\n\n\nf(\n 1)\n", [(1, ""), (1, "é = 'a\\u2028b'"), (4, "f(")]),
        ("x = 1\r\rdel x", [(1, "x = 1"), (3, "del x"), (3, "x")]),
        ("def f(a): " + "g();" * 30, [(1, "def f(a): " + "g();" * 12 + "g…"), (1, "a")]),
        ("", [(1, "")]),
    ],
)
def test_places_are_those_of_the_parser(source, places):
    found = places_in_python(source, {"values": True})
    assert len(found) == tm.convert.from_ast(source, values=True).size
    assert set(places) <= {tuple(place) for place in found}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pairwise", "a.py", "-o", "D.csv", "--dtype", "float32"], "--dtype is for .npy and"),
        (["pairwise", "a.py", "--memory", "1GB"], "--memory is for .npy and .zarr"),
        (["pairwise", "a.py", "--to", "npy", "--memory", "1GB"], "--memory needs --output"),
        (["pairwise", "a.py", "--to", "zarr"], "--to zarr needs --output"),
        (["pairwise", "a.py", "-o", "D.csv", "--to", "npy"], "must end in .npy with --to npy"),
        (
            ["pairwise", "a.py", "-o", "D.doc"],
            "must end in one of .csv, .json, .npy, .parquet, .zarr",
        ),
        (["pairwise", "-", "a.py", "-"], "Standard input, '-', can be read only once"),
        (["distance", "-", "-"], "Standard input, '-', can be read only once"),
        (["nearest", "-", "--queries", "-"], "Standard input, '-', can be read only once"),
        (["distance", "a.py", "{a}", "--kind", "angle"], "--kind needs --costs"),
        (["nearest", "a.py", "b.py", "-k", "0"], "error: -k must be"),
        (["within", "a.py", "b.py", "-r", "-1"], "error: --radius must be"),
        (["nearest", "a.py", "b.py", "-k", "1", "--jobs", "0"], "error: --jobs must be -1 or"),
    ],
)
@pytest.mark.usefixtures("here")
def test_wrong_options_are_named(capsys, arguments, message):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "parameter" not in error


def test_binary_results_are_not_written_to_a_terminal(capsys, monkeypatch, here):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["pairwise", *NAMES, "--to", "npy"]) == 2
    assert "The format npy needs --output with a file" in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == NAMES


@pytest.mark.usefixtures("here")
def test_standard_input_and_output_in_pipes():
    done = run("distance", "-", "b.py", "--format", "python", input=SOURCES["a.py"])
    assert (done.returncode, done.stderr) == (0, "")
    assert float(done.stdout) == tm.distance(*trees()[:2])
    done = run("pairwise", "-", input="{a}\n{b{c}}\n")
    assert done.stdout == ",0,1\n0,0,2\n1,2,0\n"
    done = run("pairwise", "-", "--format", "newick", input="(a,b);\n(a")
    assert done.returncode == 2
    assert done.stderr.startswith("treemetric: error: standard input: the text ends inside")
    done = run("pairwise", *NAMES, "--to", "npy", "--dtype", "float32", text=False)
    found = np.load(io.BytesIO(done.stdout))
    assert found.dtype == np.float32
    assert np.array_equal(found, tm.pairwise_distances(trees()))
    done = run("nearest", *NAMES, "-k", "1", "--to", "npz", text=False)
    with np.load(io.BytesIO(done.stdout)) as saved:
        assert saved["ids"].tolist() == NAMES


@pytest.mark.skipif(os.name != "posix", reason="a shell's pipes")
@pytest.mark.parametrize("rows", [1, 3000])
def test_a_broken_pipe_is_silent(here, rows):
    (here / "many.txt").write_text("{a}\n{b}\n" * rows, encoding="utf-8")
    command = ["-m", "treemetric", "nearest", "many.txt", "-k", "1", "--jobs", "1"]
    child = children.start(*command, stdout=children.PIPE, stderr=children.PIPE)
    child.stdout.close()  # as `head -0`
    error = child.stderr.read()
    child.stderr.close()
    assert child.wait(timeout=60) == 128 + signal.SIGPIPE
    assert error == ""


def test_names_that_are_not_utf_8_are_shown(here):
    name = b"\xff.py"
    try:
        (here / os.fsdecode(name)).write_text("x", encoding="utf-8")
    except OSError:
        pytest.skip("the file system allows UTF-8 only")
    done = run("pairwise", os.fsdecode(name), "a.py")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == ",?.py,a.py"
