"""Trees in files: JSON Lines and brackets."""

import errno
import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treemetric as tm
from strategies import json_label, text_label, tree_lists

# Line ends for str.splitlines, but not for a file with one tree a line.
SEPARATORS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"
TREES = [tm.Tree.from_bracket(s) for s in ("{a{b}{c}}", "", "{x}{y{z}}")]

files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def types(label):
    """The types inside a label, since 1, 1.0 and True are equal."""
    if isinstance(label, tuple):
        return tuple(types(part) for part in label)
    return type(label)


# --- JSON Lines --------------------------------------------------------------------


@files
@given(tree_lists(labels=json_label))
def test_jsonl_round_trip(tmp_path, trees):
    path = tmp_path / "trees.jsonl"
    flat = tm.TreeSet(trees)
    flat.to_jsonl(path)
    assert tm.TreeSet.from_jsonl(path) == flat
    assert path.read_bytes().count(b"\n") == len(trees)


@pytest.mark.parametrize(
    "label",
    [
        "text",
        "",
        SEPARATORS,
        'quotes " \\ and \x00 \x1f',
        "日本 🌳",
        0,
        -(10**30),
        2**63,
        0.1,
        -0.0,
        1e300,
        5e-324,
        None,
        True,
        False,
        ("word", 3),
        ("nested", (1, (2.5, None)), ()),
        (),
    ],
)
def test_jsonl_keeps_every_label_json_can_hold(tmp_path, label):
    path = tmp_path / "trees.jsonl"
    tm.TreeSet([tm.Tree.from_sequence([label, "x"])]).to_jsonl(path)
    (tree,) = tm.TreeSet.from_jsonl(path)
    assert tree.labels == (label, "x")
    assert types(tree.labels[0]) == types(label)
    assert repr(tree.labels[0]) == repr(label)


def test_jsonl_keeps_ids_and_classes(tmp_path):
    path = tmp_path / "trees.jsonl"
    flat = tm.TreeSet(TREES, ids=["p", 7, "ö"], classes=["spam", -1, None])
    flat.to_jsonl(path)
    back = tm.TreeSet.from_jsonl(path)
    assert back.ids == ("p", 7, "ö")
    assert back.classes == ("spam", -1, None)
    assert back == flat


def test_jsonl_lines_follow_the_documented_form(tmp_path):
    path = tmp_path / "trees.jsonl"
    tm.TreeSet(TREES[:1], ids=["t"], classes=[1]).to_jsonl(path)
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "id": "t",
        "label": 1,
        "nodes": ["a", "b", "c"],
        "adj": [[1, 2], [], []],
    }


def test_jsonl_reads_what_others_write(tmp_path):
    path = tmp_path / "trees.jsonl"
    path.write_text(
        '{"nodes": ["a", "b"], "adj": [[1], []], "extra": {"k": [1, {}]}}\n'
        '  {"adj":[[],[0]],"nodes":["b","a"]}\r\n'
        '{"bracket": "{a{b}}"}\n'
        '{"nodes": ["\\u0061", "b"], "adj": [[1], []]}',  # no newline at the end
        encoding="utf-8",
    )
    ab = tm.Tree.from_sequence("ab")
    assert list(tm.TreeSet.from_jsonl(path)) == [ab, ab, ab, ab]


def test_jsonl_of_an_empty_file_is_the_empty_set(tmp_path):
    path = tmp_path / "trees.jsonl"
    tm.TreeSet([]).to_jsonl(path)
    assert path.read_bytes() == b""
    assert tm.TreeSet.from_jsonl(path) == tm.TreeSet([])


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        '{"nodes": ["a"], "adj": [[]]',
        '{"nodes": ["a"]}',
        '{"adj": [[]]}',
        "{}",
        "[]",
        "3",
        '{"nodes": ["a", "b"], "adj": [[1]]}',
        '{"nodes": ["a", "b"], "adj": [[1], [0]]}',
        '{"nodes": ["a", "b"], "adj": [[2], []]}',
        '{"nodes": ["a", "b"], "adj": [[1.5], []]}',
        '{"nodes": "ab", "adj": [[1], []]}',
        '{"nodes": [{"k": 1}], "adj": [[]]}',
        '{"bracket": "{a"}',
        '{"bracket": 3}',
    ],
)
def test_jsonl_errors_name_the_line(tmp_path, line):
    path = tmp_path / "trees.jsonl"
    path.write_text('{"nodes": ["a"], "adj": [[]]}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"trees\.jsonl: line 2"):
        tm.TreeSet.from_jsonl(path)


@pytest.mark.parametrize("label", [frozenset({1}), b"bytes", 1j, ("a", b"b")])
def test_jsonl_refuses_labels_json_cannot_hold(tmp_path, label):
    with pytest.raises(TypeError):
        tm.TreeSet([tm.Tree.from_sequence([label])]).to_jsonl(tmp_path / "x.jsonl")


# --- brackets ----------------------------------------------------------------------


@files
@given(tree_lists(labels=text_label))
def test_bracket_file_round_trip(tmp_path, trees):
    path = tmp_path / "trees.bracket"
    flat = tm.TreeSet(trees)
    flat.to_bracket(path)
    assert tm.TreeSet.from_bracket(path) == flat
    assert path.read_bytes().count(b"\n") == len(trees)


def test_bracket_file_has_one_tree_a_line(tmp_path):
    path = tmp_path / "trees.bracket"
    tm.TreeSet(TREES).to_bracket(path)
    assert path.read_text(encoding="utf-8") == "{a{b}{c}}\n\n{x}{y{z}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("{a}", ["{a}"]),
        ("{a}\n", ["{a}"]),
        ("{a}\r\n{b}\r\n", ["{a}", "{b}"]),
        ("\n", [""]),
        ("{a}\n\n{b}", ["{a}", "", "{b}"]),
        ("{a}\n\n", ["{a}", ""]),
        (" {a} \n\t{b}{c}\n", ["{a}", "{b}{c}"]),
    ],
)
def test_bracket_file_lines(tmp_path, text, expected):
    path = tmp_path / "trees.bracket"
    path.write_bytes(text.encode())
    assert [tree.to_bracket() for tree in tm.TreeSet.from_bracket(path)] == expected


def test_bracket_file_breaks_lines_at_newlines_only(tmp_path):
    path = tmp_path / "trees.bracket"
    flat = tm.TreeSet([tm.Tree.from_sequence([SEPARATORS + "\r\n"])] * 2)
    flat.to_bracket(path)
    assert tm.TreeSet.from_bracket(path) == flat


@pytest.mark.parametrize("line", ["{a", "a", "{a}}", "{a{b}c}"])
def test_bracket_file_errors_name_the_line(tmp_path, line):
    path = tmp_path / "trees.bracket"
    path.write_text("{a}\n\n" + line + "\n{b}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 3.*position \d+"):
        tm.TreeSet.from_bracket(path)


def test_bracket_file_takes_text_labels_only(tmp_path):
    path = tmp_path / "trees.bracket"
    with pytest.raises(TypeError, match="str"):
        tm.TreeSet([tm.Tree.from_sequence([1])]).to_bracket(path)


# --- both --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["jsonl", "bracket"])
def test_paths_may_be_text(tmp_path, name):
    path = str(tmp_path / "trees")
    getattr(tm.TreeSet(TREES), f"to_{name}")(path)
    assert list(getattr(tm.TreeSet, f"from_{name}")(path)) == TREES


@pytest.mark.parametrize("name", ["jsonl", "bracket"])
def test_a_missing_file_is_the_usual_error(tmp_path, name):
    with pytest.raises(FileNotFoundError):
        getattr(tm.TreeSet, f"from_{name}")(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["jsonl", "bracket"])
def test_a_file_that_is_not_utf8_is_a_value_error(tmp_path, name):
    path = tmp_path / "trees"
    path.write_bytes(b'{"bracket": "\xff"}\n')
    with pytest.raises(ValueError, match=r"(?i)utf-8|line 1"):
        getattr(tm.TreeSet, f"from_{name}")(path)


@files
@given(st.lists(st.sampled_from(TREES), min_size=1, max_size=30))
def test_both_formats_read_the_same_trees(tmp_path, trees):
    flat = tm.TreeSet(trees)
    flat.to_jsonl(tmp_path / "j")
    flat.to_bracket(tmp_path / "b")
    assert tm.TreeSet.from_jsonl(tmp_path / "j") == tm.TreeSet.from_bracket(tmp_path / "b")


WRITERS = [tm.TreeSet.to_jsonl, tm.TreeSet.to_bracket]


@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, write):
    path = tmp_path / "trees.txt"
    write(tm.TreeSet([tm.Tree.from_sequence("ab")]), path)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write(tm.TreeSet([tm.Tree.from_sequence("cd")]), path)
    assert Path(caught.value.filename) == path
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", WRITERS)
def test_a_missing_folder_is_named(tmp_path, write):
    with pytest.raises(FileNotFoundError) as caught:
        write(tm.TreeSet([]), tmp_path / "none" / "trees.txt")
    assert Path(caught.value.filename) == tmp_path / "none" / "trees.txt"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("write", WRITERS)
def test_pipes_are_written_to_and_links_and_modes_stay(tmp_path, write):
    trees, plain = tm.TreeSet([tm.Tree.from_sequence("ab")]), tmp_path / "plain"
    write(trees, plain)
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write(trees, pipe)
    reader.join(timeout=60)
    assert found == [plain.read_bytes()]
    link, expected = tmp_path / "link", plain.read_bytes()
    link.symlink_to(plain)
    plain.write_text("old")
    plain.chmod(0o600)
    write(trees, link)
    assert link.is_symlink()
    assert plain.read_bytes() == expected
    assert plain.stat().st_mode & 0o777 == 0o600
    write(trees, "/dev/null")
    assert Path("/dev/null").is_char_device()
