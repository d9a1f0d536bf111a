"""Trees from files: JSON Lines, folders of JSON files, Penn Treebank brackets."""

import gzip
import json
import re
import sys
from pathlib import PurePosixPath

import numpy as np
import pytest

import treemetric as tm
from treemetric.datasets import load_json_folder, load_jsonl, load_ptb, make_glycans

LINES = [
    {"id": "x", "label": "b", "nodes": ["r", "s"], "adj": [[1], []], "split": "train"},
    {"id": "y", "label": "a", "bracket": "{r}", "split": "test"},
    {"id": "z", "label": "b", "nodes": [], "adj": []},
]
LEAF = {"nodes": ["a"], "adj": [[]]}


@pytest.fixture
def jsonl(tmp_path):
    """Write lines, given as text or as objects, and return the file."""

    def write(lines):
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path = tmp_path / "trees.jsonl"
        path.write_text("\n".join(texts))
        return path

    return write


@pytest.fixture
def folder(tmp_path):
    """Write one JSON file per name and return their folder."""

    def write(files):
        for name, content in files.items():
            path = tmp_path / "set" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return tmp_path / "set"

    return write


@pytest.fixture
def ptb(tmp_path):
    def write(text):
        path = tmp_path / "trees.ptb"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def brackets(bunch):
    return [tree.to_bracket() for tree in bunch.data]


# --------------------------------------------------------------------------- JSON Lines


def test_jsonl_gives_trees_classes_and_names(jsonl):
    bunch = load_jsonl(jsonl(LINES))
    assert brackets(bunch) == ["{r{s}}", "{r}", ""]
    assert bunch.target_names == ["a", "b"]
    assert bunch.target.tolist() == [1, 0, 1]
    assert bunch.target.dtype == np.int64
    assert bunch.names == ["x", "y", "z"]
    assert bunch.data.ids == ("x", "y", "z")
    assert bunch.data.classes == ("b", "a", "b")
    assert bunch.fields == {}
    assert "trees.jsonl" in bunch.DESCR


def test_jsonl_reads_what_a_set_writes(tmp_path):
    made = make_glycans(20, random_state=0)
    made.data.to_jsonl(tmp_path / "glycans.jsonl")
    bunch = load_jsonl(str(tmp_path / "glycans.jsonl"))
    assert bunch.data == made.data
    assert bunch.names == made.names
    assert [bunch.target_names[k] for k in bunch.target] == list(made.data.classes)


def test_jsonl_without_ids_is_named_by_lines_and_blank_ones_count(jsonl):
    bunch = load_jsonl(jsonl(["", LEAF, "  \t", LEAF, ""]))
    assert bunch.names == ["2", "4"]
    assert bunch.target is None
    assert bunch.target_names == []
    assert bunch.data.classes is None


def test_jsonl_takes_classes_and_values_from_other_fields(jsonl):
    bunch = load_jsonl(jsonl(LINES[:2]), target="split", fields=["label", "grade"])
    assert bunch.target_names == ["test", "train"]
    assert bunch.target.tolist() == [1, 0]
    assert bunch.data.classes == ("train", "test")
    assert bunch.fields == {"label": ["b", "a"], "grade": [None, None]}
    # A field may be both.
    assert load_jsonl(jsonl(LINES[:2]), target="split", fields=["split"]).fields == {
        "split": ["train", "test"]
    }
    assert load_jsonl(jsonl(LINES[:2]), fields=["split"]).target_names == ["a", "b"]


def test_jsonl_target_that_no_line_has_gives_no_classes(jsonl):
    bunch = load_jsonl(jsonl(LINES), target="nothing")
    assert bunch.target is None
    assert bunch.data.classes is None


def test_jsonl_classes_are_kept_as_they_are_and_sorted_where_possible(jsonl):
    numbers = load_jsonl(jsonl([LEAF | {"label": k} for k in (1, -1, 10, 2)]))
    assert numbers.target_names == [-1, 1, 2, 10]
    assert numbers.target.tolist() == [1, 0, 3, 2]
    mixed = load_jsonl(jsonl([LEAF | {"label": k} for k in ("a", 1, [1, 2])]))
    assert sorted(map(str, mixed.target_names)) == ["(1, 2)", "1", "a"]
    assert [mixed.target_names[k] for k in mixed.target] == ["a", 1, (1, 2)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([LEAF, "{"], r"trees\.jsonl, line 2, position"),
        ([LEAF, "", {"nodes": ["a"]}], r"trees\.jsonl, line 3: .*adj"),
        ([LEAF | {"label": 1}, "", LEAF], 'jsonl, line 3: "label" is missing'),
        ([LEAF | {"label": 1}, LEAF | {"label": None}], 'jsonl, line 2: "label" is missing'),
        ([LEAF | {"label": {"a": 1}}], 'jsonl, line 1: "label" must be hashable'),
        (['{"nodes": ["a"], "adj": [[1]]}'], r"trees\.jsonl, line 1: node 0"),
    ],
)
def test_jsonl_errors_name_file_and_line(jsonl, lines, message):
    with pytest.raises(ValueError, match=message):
        load_jsonl(jsonl(lines))


def test_text_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "trees.jsonl"
    path.write_bytes(json.dumps(LEAF).encode() + b"\nab\xff")
    for load in (load_jsonl, load_ptb):
        with pytest.raises(ValueError, match=r"trees\.jsonl, line 2, byte 2: not UTF-8"):
            load(path)


def test_missing_files_are_errors(tmp_path):
    for load in (load_jsonl, load_ptb):
        with pytest.raises(FileNotFoundError):
            load(tmp_path / "nothing")
    with pytest.raises(NotADirectoryError, match="nothing is not a folder"):
        load_json_folder(tmp_path / "nothing")


@pytest.mark.parametrize("load", [load_jsonl, load_json_folder, load_ptb])
def test_path_has_to_be_a_path(load):
    with pytest.raises(TypeError, match=f"'path' parameter of {load.__name__}.*Got 3 instead"):
        load(3)


def test_jsonl_parameters_are_checked(jsonl):
    path = jsonl(LINES)
    with pytest.raises(TypeError, match="'target' parameter of load_jsonl"):
        load_jsonl(path, target=1)
    with pytest.raises(ValueError, match=r"'fields'.*sequence of str"):
        load_jsonl(path, fields="split")


# ------------------------------------------------------------------------------ folders

TREE = {"nodes": ["a", "b", "c"], "adj": [[2, 1], [], []]}


def test_folder_takes_classes_from_names_up_to_the_underscore(folder):
    bunch = load_json_folder(folder({"-1_02.json": TREE, "-1_01.json": LEAF, "1_01.json": LEAF}))
    assert bunch.names == ["-1_01", "-1_02", "1_01"]
    assert bunch.target_names == ["-1", "1"]
    assert bunch.target.tolist() == [0, 0, 1]
    assert brackets(bunch) == ["{a}", "{a{c}{b}}", "{a}"]
    assert bunch.data.ids == tuple(bunch.names)
    assert bunch.data.classes == ("-1", "-1", "1")
    assert "3 trees" in bunch.DESCR


def test_folder_takes_classes_from_folders_inside(folder):
    path = folder({"pos/t_1.json": LEAF, "neg/t_1.json": TREE, "neg/.hidden.json": "{"})
    for class_from in ("auto", "folder"):
        bunch = load_json_folder(path, class_from=class_from)
        assert bunch.names == ["neg/t_1", "pos/t_1"]
        assert bunch.target_names == ["neg", "pos"]
    assert load_json_folder(path, class_from="name").target_names == ["t"]


def test_folder_takes_classes_by_pattern_and_callable(folder):
    path = folder({"ImplAAB1.json": LEAF, "ImplABA.json": LEAF, "notes.txt": "no tree"})
    found = load_json_folder(path, class_from=re.compile("[AB]{3}"))
    assert found.target_names == ["AAB", "ABA"]
    group = load_json_folder(path, class_from=re.compile("Impl(A+)B"))
    assert group.target_names == ["A", "AA"]
    sized = load_json_folder(path, class_from=lambda place: len(place.stem))
    assert sized.target_names == [7, 8]
    seen = []
    load_json_folder(path, class_from=lambda place: seen.append(place) or "same")
    assert seen == [PurePosixPath("ImplAAB1.json"), PurePosixPath("ImplABA.json")]


def test_folder_without_classes(folder):
    bunch = load_json_folder(folder({"a.json": LEAF}), class_from=None)
    assert bunch.target is None
    assert bunch.target_names == []


def test_folder_reads_forests_other_labels_and_ignores_other_keys(folder):
    tree = {"nodes": ["b", [1, 2], None], "adj": [[], [2], []], "roots": [1, 0], "label": 7}
    bunch = load_json_folder(folder({"t.json": tree}), class_from=None)
    assert bunch.data[0].labels == ((1, 2), None, "b")
    assert bunch.data[0].roots == (0, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"nodes": ["a"],\n "adj" [[]]}', r"x_2\.json, line 2, position 7: Expecting ':'"),
        ("[]", r"x_2\.json, line 1, position 0: expected a JSON object"),
        ("", r"x_2\.json, line 1, position 0"),
        ({"nodes": ["a"]}, r'x_2\.json: "adj" is missing'),
        ({"nodes": "a", "adj": [[]]}, r'x_2\.json: "nodes" must be an array'),
        ({"nodes": ["a"], "adj": [0]}, r'x_2\.json: "adj" must be an array of arrays'),
        ({"nodes": ["a"], "adj": [[], []]}, r"x_2\.json: .*one list per node"),
        ({"nodes": ["a", "b"], "adj": [[1], [0]]}, r"x_2\.json: .*cycle"),
        ({"nodes": ["a"], "adj": [["b"]]}, r"x_2\.json: "),
        ({"nodes": [{"a": 1}], "adj": [[]]}, r"x_2\.json: "),
        ({"nodes": ["a"], "adj": [[]], "roots": "a"}, r"x_2\.json: "),
        ('{"nodes": [' + "[" * 200_000 + "]" * 200_000 + '], "adj": [[]]}', "nested too deeply"),
    ],
)
def test_folder_errors_name_the_file(folder, content, message):
    path = folder({"x_1.json": LEAF, "x_2.json": content})
    with pytest.raises(ValueError, match=message):
        load_json_folder(path)


@pytest.mark.parametrize(
    ("class_from", "message"),
    [
        ("auto", r"Bubble1\.json: its name has no underscore.*pass another class_from"),
        ("name", r"Bubble1\.json: its name has no underscore"),
        ("folder", r"Bubble1\.json: it is not in a subfolder"),
        (re.compile("Insertion"), r"Bubble1\.json: the pattern 'Insertion' finds no class"),
        (lambda _: None, r"Bubble1\.json: class_from returned None"),
        (lambda _: [], r"Bubble1\.json: class_from must return a hashable class. Got \[\]"),
        ("stem", "'class_from' parameter of load_json_folder.*Got 'stem' instead"),
        (3, "'class_from' parameter.*Got 3 instead"),
    ],
)
def test_folder_without_the_classes_asked_for_is_an_error(folder, class_from, message):
    with pytest.raises(ValueError, match=message):
        load_json_folder(folder({"Bubble1.json": LEAF}), class_from=class_from)


def test_empty_folder_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"contains no file whose name ends in \.json"):
        load_json_folder(tmp_path)


def test_deep_trees_need_no_recursion(folder, ptb):
    n = sys.getrecursionlimit() + 1000
    chain = {"nodes": ["a"] * n, "adj": [*([k + 1] for k in range(n - 1)), []]}
    assert load_json_folder(folder({"t.json": chain}), class_from=None).data[0].size == n
    text = "(a " * n + "w" + ")" * n
    assert load_ptb(ptb(text)).data[0] == tm.Tree.from_sequence(["a"] * n + ["w"])


# ------------------------------------------------------------------------ Penn Treebank

SENTENCE = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))"
GRADED = "(3 (2 a) (4 (3 lovely) (2 film)))\n(2 (2 a) (2 film))\n(1 (1 no) (2 film))\n"


@pytest.mark.parametrize(
    ("words", "bracket"),
    [
        (None, "{S{NP{DT{the}}{NN{cat}}}{VP{VBZ{sleeps}}}{.{.}}}"),
        ("child", "{S{NP{DT{the}}{NN{cat}}}{VP{VBZ{sleeps}}}{.{.}}}"),
        ("only", "{S{NP{the}{cat}}{VP{sleeps}}{.}}"),
        ("none", "{S{NP{DT}{NN}}{VP{VBZ}}{.}}"),
    ],
)
def test_ptb_words(ptb, words, bracket):
    bunch = load_ptb(ptb(SENTENCE), words=words)
    assert brackets(bunch) == [bracket]
    assert bunch.target is None
    assert bunch.target_names == []
    assert bunch.names == ["1"]


def test_ptb_trees_over_lines_on_one_line_and_in_empty_brackets(ptb):
    text = f"\n( (S\n    (NP (DT the)\n (NN cat))) )\r\n\n{SENTENCE} (X (Y y))\n(Z)"
    bunch = load_ptb(ptb(text))
    assert brackets(bunch)[0] == "{S{NP{DT{the}}{NN{cat}}}}"
    assert brackets(bunch)[2:] == ["{X{Y{y}}}", "{Z}"]
    assert bunch.names == ["2", "6", "6#2", "7"]
    assert bunch.data.ids == tuple(bunch.names)


def test_ptb_sentiment_has_the_root_as_class_and_hides_grades(ptb):
    bunch = load_ptb(ptb(GRADED), kind="sentiment")
    assert brackets(bunch) == ["{*{a}{*{lovely}{film}}}", "{*{a}{film}}", "{*{no}{film}}"]
    assert bunch.target_names == ["1", "2", "3"]
    assert bunch.target.tolist() == [2, 1, 0]


def test_ptb_sentiment_in_two_classes_leaves_neutral_trees_out(ptb):
    bunch = load_ptb(ptb(GRADED), kind="sentiment", n_classes=2)
    assert bunch.target_names == ["neg", "pos"]
    assert bunch.target.tolist() == [1, 0]
    assert bunch.names == ["1", "3"]
    assert bunch.data.classes == ("pos", "neg")


@pytest.mark.parametrize(
    ("words", "bracket"), [("child", "{*{*{no}}{*{film}}}"), ("none", "{*{*}{*}}")]
)
def test_ptb_sentiment_words(ptb, words, bracket):
    bunch = load_ptb(ptb("(1 (1 no) (2 film))"), kind="sentiment", words=words)
    assert brackets(bunch) == [bracket]


def test_ptb_a_word_may_hold_other_kinds_of_space_and_any_sign(ptb):
    bunch = load_ptb(ptb("(2 (2 8\u00a01\\/2) (2 -LRB-) (2 {é}))"), kind="sentiment")
    assert bunch.data[0].labels == ("*", "8\u00a01\\/2", "-LRB-", "{é}")


def test_ptb_gzip_and_byte_order_mark(tmp_path):
    path = tmp_path / "trees.txt.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + GRADED.encode()))
    assert len(load_ptb(path).data) == 3
    path.write_bytes(GRADED.encode())
    with pytest.raises(ValueError, match=r"trees\.txt\.gz: not a gzip file"):
        load_ptb(path)


def test_ptb_empty_file_has_no_trees(ptb):
    assert len(load_ptb(ptb(" \n\n")).data) == 0
    assert len(load_ptb(ptb(""), kind="sentiment").target) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(A b)\n  (S (A b)", r"trees\.ptb, line 2, position 2: this bracket is never closed"),
        ("(A b)\n(", "line 2, position 0: this bracket is never closed"),
        ("((A b)", "line 1, position 0: this bracket is never closed"),
        ("(A b))", r"line 1, position 5: expected '\(', found '\)'"),
        ("A b", r"line 1, position 0: expected '\(', found 'A'"),
        ("(A b)\n(A b c)", "line 2, position 5: expected a bracket, found 'c'"),
        ("(A b (C d))", r"line 1, position 5: expected '\)' after the word 'b'"),
        ("(A (C d) b)", "line 1, position 9: expected a bracket, found 'b'"),
        ("()", r"line 1, position 1: expected a label, found '\)'"),
        ("(A ())", r"line 1, position 4: expected a label, found '\)'"),
        ("(A ((B c)))", r"line 1, position 4: expected a label, found '\('"),
        ("((A b) (C d))", r"line 1, position 7: expected '\)', because a bracket without"),
        ("((A b) c)", "line 1, position 7: expected a bracket, found 'c'"),
    ],
)
def test_ptb_errors_name_file_line_and_position(ptb, text, message):
    with pytest.raises(ValueError, match=message):
        load_ptb(ptb(text))


def test_ptb_sentiment_needs_grades(ptb):
    message = "line 2, position 3: expected a grade from 0 to 4 as label, found 'NP'"
    with pytest.raises(ValueError, match=message):
        load_ptb(ptb("(2 a)\n(2 (NP a) (2 b))"), kind="sentiment")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("kind", "tags"), ("words", "leaf"), ("words", True), ("n_classes", 3)],
)
def test_ptb_parameters_are_checked(ptb, parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of load_ptb.*Got {value!r}"):
        load_ptb(ptb(SENTENCE), **{parameter: value})
