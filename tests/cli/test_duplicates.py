"""The command ``treemetric duplicates`` and the loader of functions."""

import csv
import errno
import io
import json
import os
import pathlib

import pytest

import treemetric as tm
from treemetric.cli import main
from treemetric.datasets import load_functions

posix = pytest.mark.skipif(os.name != "posix", reason="names and links of POSIX systems")

COPY = """\
def {name}(values):
    total = 0
    for value in values:
        if value > {limit}:
            total += value
    return total
"""
OTHER = """\
class Window:
    @property
    def area(self):
        def inner():
            return self.left * self.top
        return inner() + self.width * self.height - self.border * 2
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "src/a.py": COPY.format(name="total", limit=0) + "\n\n" + OTHER,
        "src/sub/b.py": "x = 1\n" + COPY.format(name="total", limit=0),
        "src/sub/c.py": COPY.format(name="sum_up", limit=3),
        "src/sub/d.py": "def short(): pass\n",
        "src/.hidden/e.py": COPY.format(name="total", limit=0),
        "src/note.txt": "{a}\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("here")
def test_functions_are_listed_with_file_and_line(capsys):
    assert main(["duplicates", "src", "--radius", "3"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "3 near-duplicates of 20 nodes, up to 2 apart",
        "  src/a.py:1      total",
        "  src/sub/b.py:2  total",
        "  src/sub/c.py:1  sum_up  +2",
        "",
        "3 of 4 functions are near-duplicates, in 1 group",
    ]
    assert err == ""
    assert main(["duplicates", "src", "--radius", "0"]) == 0
    assert "2 near-duplicates of 20 nodes, identical\n" in capsys.readouterr().out
    assert main(["duplicates", "src", "-r", "0", "--no-values", "--method", "cover"]) == 0
    assert "3 near-duplicates of 20 nodes, identical\n" in capsys.readouterr().out


def test_csv_and_json(here, capsys):
    assert main(["duplicates", "src", "-r", "3", "--to", "csv"]) == 0
    head, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert head == ["group", "size", "file", "line", "name", "nodes", "distance"]
    assert rows[2] == ["0", "3", "src/sub/c.py", "1", "sum_up", "20", "2"]
    assert main(["duplicates", "src", "-r", "3", "-o", "groups.json"]) == 0
    assert "in 1 group -> groups.json" in capsys.readouterr().out
    found = json.loads((here / "groups.json").read_text(encoding="utf-8"))
    assert found["trees"] == 4
    (group,) = found["groups"]
    assert group["size"] == 3
    first = {"file": "src/a.py", "line": 1, "name": "total", "nodes": 20, "distance": 0}
    assert group["members"][0] == first
    assert main(["duplicates", "src", "-r", "3", "-o", "groups.json"]) == 2
    assert "groups.json exists" in capsys.readouterr().err


def test_files_that_do_not_parse_are_skipped(here, capsys):
    (here / "src/bad.py").write_text("def f(:\n", encoding="utf-8")
    (here / "src/bytes.py").write_bytes(b"# coding: no-such\n")
    assert main(["duplicates", "src", "-r", "3"]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("3 of 4 functions are near-duplicates, in 1 group\n")
    lines = err.splitlines()
    assert [line.split(": ")[:3] for line in lines] == [
        ["treemetric", "warning", "src/bad.py"],
        ["treemetric", "warning", "src/bytes.py"],
    ]
    assert "at line 1, column" in lines[0]


@posix
def test_names_do_not_control_the_terminal(here, capsys):
    for name in ("new\nline.py", "\x1b[31m.py"):
        (here / "src" / name).write_text(COPY.format(name="total", limit=0), encoding="utf-8")
    (here / "src/\r.py").write_text("def f(:\n", encoding="utf-8")
    assert main(["duplicates", "src", "-r", "0"]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()[1:5]] == [
        *(r"src/\x1b[31m.py:1", "src/a.py:1", r"src/new\nline.py:1", "src/sub/b.py:2")
    ]
    assert err.startswith(r"treemetric: warning: src/\r.py: source must be valid Python")
    # Programs get the names themselves.
    assert main(["duplicates", "src", "-r", "0", "--to", "json"]) == 0
    (group,) = json.loads(capsys.readouterr().out)["groups"]
    assert group["members"][2]["file"] == "src/new\nline.py"


@pytest.mark.usefixtures("here")
def test_standard_input_has_no_functions(capsys):
    assert main(["duplicates", "-", "-r", "1", "--format", "python"]) == 2
    message = "Functions are read from files and folders, not from standard input."
    assert message in capsys.readouterr().err


def test_only_files_that_do_not_parse_are_an_error(here, capsys):
    (here / "broken").mkdir()
    (here / "broken/bad.py").write_text("def f(:\n", encoding="utf-8")
    for command in (["duplicates", "broken", "-r", "3"], ["cluster", "broken"]):
        assert main(command) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "no function of 20 nodes or more was found; 1 file could not be read" in err


def test_files_of_trees_have_names(here, capsys):
    words = [tm.Tree.from_sequence(word) for word in ("abc", "xyz", "abd", "a")]
    tm.TreeSet(words, ids=["p", "q", "r", "s"]).to_jsonl(here / "trees.jsonl")
    assert main(["duplicates", "trees.jsonl", "-r", "1"]) == 0
    text = "2 near-duplicates of 3 nodes, up to 1 apart\n  p\n  r  +1\n\n"
    assert capsys.readouterr().out == text + "2 of 4 trees are near-duplicates, in 1 group\n"
    assert main(["duplicates", "src/sub/b.py", "-r", "1"]) == 0
    assert capsys.readouterr().out == "0 of 1 functions are near-duplicates, in 0 groups\n"
    assert main(["duplicates", "trees.jsonl", "-r", "1", "--min-nodes", "4"]) == 0
    assert capsys.readouterr().out == "0 of 0 trees are near-duplicates, in 0 groups\n"
    assert main(["duplicates", "trees.jsonl", "src", "-r", "1", "--to", "csv"]) == 0
    _, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert [row[2:5] for row in rows] == [
        *(["", "", "p"], ["", "", "r"]),
        *(["src/a.py", "1", "total"], ["src/sub/b.py", "2", "total"]),
    ]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["src", "-r", "-1"], "--radius must be a float in the range [0.0, inf]. Got -1.0"),
        (["none.py", "-r", "nan"], "--radius must be a float in the range [0.0, inf]. Got nan"),
        (["src", "-r", "1", "--min-nodes", "-1"], "--min-nodes must not be negative. Got -1."),
        (["src", "-r", "1", "--jobs", "0"], "--jobs must be"),
        (["none.py", "-r", "1"], "none.py: No such file or directory"),
        (["src", "-r", "1", "-o", "x.npz"], "--output must end in one of .csv, .json"),
    ],
)
def test_errors(capsys, arguments, message):
    assert main(["duplicates", *arguments]) == 2
    assert f"treemetric: error: {message}" in capsys.readouterr().err


# --- the loader --------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def test_the_loader_lists_functions():
    found = load_functions("src", min_nodes=1)
    assert found.names == ["total", "Window.area", "total", "sum_up", "short"]
    assert found.lines == [1, 11, 2, 1, 1]
    assert found.data.ids[1] == "src/a.py:11 Window.area"
    # The function is what the module of it alone has below its root.
    module = tm.convert.from_ast(COPY.format(name="total", limit=0))
    assert found.data[0] == module.subtree(1)
    assert load_functions("src", min_nodes=20, max_nodes=20).names == ["total", "total", "sum_up"]
    twice = load_functions(["src/a.py", "src", "src/a.py"], min_nodes=20, max_nodes=20)
    assert len(twice.names) == 3
    labels = load_functions("src", values=True).data[0].labels
    assert labels[0] == ("FunctionDef", "total")


@posix
def test_links_count_once(here):
    (here / "src/0.py").symlink_to("a.py")
    (here / "src/sub/up").symlink_to("..")
    (here / "src/none.py").symlink_to("nowhere.py")
    (here / "src/self.py").symlink_to("self.py")
    (here / "other.py").write_text(COPY.format(name="other", limit=0), encoding="utf-8")
    for name in ("src/o1.py", "src/o2.py"):
        (here / name).symlink_to(here / "other.py")
    files = load_functions("src", min_nodes=20).files
    assert files == ["src/a.py", "src/a.py", "src/o1.py", "src/sub/b.py", "src/sub/c.py"]
    assert load_functions(["src/0.py", "src/a.py"]).files == ["src/0.py"] * 2
    assert len(load_functions(["src", here / "src"]).files) == 5


def test_files_of_folders_that_cannot_be_read_are_skipped(here, monkeypatch):
    read = pathlib.Path.read_bytes

    def read_bytes(path):
        if path.name == "b.py":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(pathlib.Path, "read_bytes", read_bytes)
    found = load_functions("src")
    assert found.skipped == [(str(pathlib.Path("src/sub/b.py")), "Permission denied")]
    assert found.names == ["total", "Window.area", "sum_up"]
    with pytest.raises(PermissionError):
        load_functions("src/sub/b.py")


def test_the_loader_checks_its_arguments(tmp_path):
    with pytest.raises(ValueError, match="'paths' parameter of load_functions"):
        load_functions(3)
    with pytest.raises(ValueError, match="'max_nodes' parameter of load_functions"):
        load_functions(tmp_path, min_nodes=5, max_nodes=4)
    with pytest.raises(FileNotFoundError):
        load_functions(tmp_path / "none.py")
    assert len(load_functions(tmp_path).data) == 0
