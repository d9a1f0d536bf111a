"""The command ``treemetric teds``."""

import csv
import io
import json

import pytest

from treemetric.cli import main

pytest.importorskip("lxml")

ROW = "<html><body><table><tr><td>{}</td></tr></table></body></html>"


@pytest.fixture
def folders(tmp_path):
    for name, texts in (
        ("pred", {"1.html": "cat", "2.html": "dog", "extra.html": "x"}),
        ("true", {"1.html": "cut", "2.html": "dog", "3.html": "bird"}),
    ):
        (tmp_path / name).mkdir()
        for file, text in texts.items():
            (tmp_path / name / file).write_text(ROW.format(text), encoding="utf-8")
    return tmp_path


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_two_files_have_one_score(folders, capsys):
    files = [str(folders / side / "1.html") for side in ("pred", "true")]
    assert main(["teds", *files]) == 0
    assert capsys.readouterr().out == "0.8888888889\n"
    assert main(["teds", *files, "--preset", "pubtabnet"]) == 0
    assert float(capsys.readouterr().out) == pytest.approx(1 - 1 / 6)
    assert main(["teds", *files, "--structure-only"]) == 0
    assert capsys.readouterr().out == "1\n"


def test_a_side_can_be_standard_input(folders, capsys, monkeypatch):
    files = [str(folders / side / "1.html") for side in ("pred", "true")]

    def run(*sources, data):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data.encode())))
        return main(["teds", *sources])

    assert run("-", files[1], data=ROW.format("cat")) == 0
    assert capsys.readouterr().out == "0.8888888889\n"
    assert run(files[0], "-", "-o", "-", data=ROW.format("cut")) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1.html,0.88888888")
    pairs = [{"pred": ROW.format("cat"), "true": ROW.format("cut")}, {"pred": None, "true": None}]
    assert run("-", data="\n".join(map(json.dumps, pairs))) == 0
    assert capsys.readouterr().out.split()[:4] == ["pairs", "2", "failures", "0"]

    bad = ROW.format("x").replace("<td>", "<td colspan='x'>")
    assert run("-", files[1], "--preset", "pubtabnet", data=bad) == 1
    assert (
        "standard input: colspan of a cell must be an integer. Got 'x'." in capsys.readouterr().err
    )
    assert run("-", files[1], "--preset", "pubtabnet", data="<p>no table</p>") == 0
    assert "warning: standard input: --preset pubtabnet finds no <table>" in capsys.readouterr().err
    for sources, data, message in (
        (("-", "-"), ROW.format("x"), "Standard input, '-', can be read only once."),
        (("-", files[1]), "", "standard input is empty"),
        (("-",), "no JSON", "Line 1 of standard input must be a JSON object"),
        (("-", str(folders)), ROW.format("x"), "must be two files or two folders"),
    ):
        assert run(*sources, data=data) == 2
        assert message in capsys.readouterr().err


def test_two_folders_are_paired_by_name(folders, capsys):
    target = folders / "scores.csv"
    sides = [str(folders / side) for side in ("pred", "true")]
    assert main(["teds", *sides, "-o", str(target), "--jobs", "2"]) == 0
    out, err = capsys.readouterr()
    assert out.split() == [
        *("pairs", "3", "failures", "0"),
        *("mean", "0.629630", "median", "0.888889"),
    ]
    assert (
        f"1 file of {folders / 'true'} without a prediction, counted as empty, such as 3.html"
        in err
    )
    assert f"1 file of {folders / 'pred'} without a true table, left out, such as extra.html" in err
    rows = rows_of(target)
    assert [row["id"] for row in rows] == ["1.html", "2.html", "3.html"]
    assert [float(row["score"]) for row in rows] == pytest.approx([8 / 9, 1.0, 0.0])
    assert [row["n_true"] for row in rows] == ["3", "3", "0"]
    assert rows[2]["distance"] == ""


def test_lines_of_json_are_pairs(tmp_path, capsys):
    source, target = tmp_path / "pairs.jsonl", tmp_path / "scores.csv"
    bad = ROW.format("x").replace("<td>", "<td colspan='x'>")
    records = [
        {"pred": ROW.format("a"), "true": ROW.format("a"), "id": "first"},
        {"pred": None, "true": ROW.format("a")},
        {"pred": bad, "true": ROW.format("a"), "id": 7},
    ]
    source.write_text("\n".join(map(json.dumps, records)) + "\n\n", encoding="utf-8")
    assert main(["teds", str(source), "--preset", "pubtabnet", "-o", str(target)]) == 1
    out, err = capsys.readouterr()
    assert out.split()[:4] == ["pairs", "3", "failures", "1"]
    assert "not in the mean and the median\nmean      0.500000" in out
    assert "treemetric: 7: ValueError: invalid literal for int()" in err
    rows = rows_of(target)
    assert [row["id"] for row in rows] == ["first", "2", "7"]
    assert rows[2]["score"] == ""
    assert rows[2]["error"].startswith("ValueError: invalid literal")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Line 1 of"),
        ("[1]", "must be a JSON object with the fields 'pred' and 'true'. Got '[1]'."),
        ('{"pred": 1, "true": ""}', "Got 1 for 'pred'."),
        ("[" * 100_000, "Line 1 of"),
        ('{"pred": ' + "1" * 5000 + "}", "Line 1 of"),
    ],
    ids=["{", "list", "number", "deep", "long"],
)
def test_bad_lines_are_refused(tmp_path, capsys, line, message):
    source = tmp_path / "pairs.jsonl"
    source.write_text(line, encoding="utf-8")
    assert main(["teds", str(source)]) == 2
    assert message in capsys.readouterr().err


def test_bad_arguments_are_refused(folders, capsys):
    pred, true = (str(folders / side) for side in ("pred", "true"))
    empty = folders / "empty"
    empty.mkdir()
    for arguments, message in (
        ([pred], "TRUE must be a folder"),
        ([pred, str(folders / "true" / "1.html")], "must be two files or two folders"),
        ([pred, str(empty)], "must contain .html files of the same names"),
        ([str(folders / "none"), true], "No such file or folder"),
        ([pred, true, "-o", str(folders / "none" / "x.csv")], "--output must be in an existing"),
        ([pred, true, "--to", "json"], "--to needs --output"),
        ([pred, true, "--ignore-nodes", "<b>"], "Got '<b>' in it"),
        ([pred, true, "--jobs", "0"], "--jobs must be -1 or a positive int. Got 0"),
    ):
        assert main(["teds", *arguments]) == 2
        assert message in capsys.readouterr().err


def test_other_files_of_folders_are_left_out(folders, capsys):
    for side in ("pred", "true"):
        (folders / side / ".DS_Store").write_bytes(b"\0")
        (folders / side / "img.png").write_bytes(b"\x89PNG")
    (folders / "true" / "2.html").rename(folders / "true" / "2.HTM")
    (folders / "pred" / "2.html").rename(folders / "pred" / "2.HTM")
    assert main(["teds", *(str(folders / side) for side in ("pred", "true"))]) == 0
    out, err = capsys.readouterr()
    assert out.split()[:4] == ["pairs", "3", "failures", "0"]
    for side in ("pred", "true"):
        assert f"2 files of {folders / side} left out, without the suffix .html or .htm" in err


def test_tags_to_ignore_have_commas_between_them(tmp_path, capsys):
    pred, true = tmp_path / "pred.html", tmp_path / "true.html"
    pred.write_text(ROW.format("<b>a</b><i>b</i>"), encoding="utf-8-sig")
    true.write_text(ROW.format("ab"), encoding="utf-8")
    assert main(["teds", "--ignore-nodes", "b,I", str(pred), str(true)]) == 0
    assert capsys.readouterr().out == "1\n"


def test_files_of_pairs_are_given_alone(tmp_path, capsys):
    source, target = tmp_path / "pairs.jsonl", tmp_path / "scores.csv"
    record = {"pred": ROW.format("a"), "true": ROW.format("a"), "id": None}
    source.write_text(json.dumps(record), encoding="utf-8-sig")
    assert main(["teds", str(source), str(source)]) == 2
    assert "A file of pairs must be given alone" in capsys.readouterr().err
    assert main(["teds", str(source), "-o", str(target)]) == 0
    assert [row["id"] for row in rows_of(target)] == ["1"]


def test_the_help_says_what_happens_without_a_file(capsys):
    with pytest.raises(SystemExit):
        main(["teds", "--help"])
    assert "only the score or the summary is printed)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("side", ["pred", "true"])
def test_a_bad_span_is_named_with_its_file(tmp_path, capsys, side):
    files = {name: tmp_path / f"{name}.html" for name in ("pred", "true")}
    for name, file in files.items():
        bad = " rowspan='2' colspan='x'" if name == side else ""
        file.write_text(ROW.format("a").replace("<td>", f"<td{bad}>"), encoding="utf-8")
    target = tmp_path / "scores.csv"
    arguments = ["teds", *map(str, files.values()), "--preset", "pubtabnet"]
    assert main([*arguments, "-o", str(target)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    message = f"{files[side]}: colspan of a cell must be an integer. Got 'x'."
    assert err == f"treemetric: error: {message}\n"
    assert rows_of(target)[0]["error"].startswith("ValueError: ")


def test_two_files_that_cannot_be_compared_are_a_failed_pair(tmp_path, capsys):
    empty = tmp_path / "empty.html"
    empty.write_text("", encoding="utf-8")
    assert main(["teds", str(empty), str(empty), "--preset", "docling"]) == 1
    err = capsys.readouterr().err
    assert err == f"treemetric: error: {empty} and {empty}: ParserError: Document is empty\n"


def test_tables_that_a_preset_does_not_find_are_named(folders, capsys):
    bare = "<table><tr><td>a</td></tr></table>"
    one = folders / "one.html"
    one.write_text(bare, encoding="utf-8")
    assert main(["teds", str(one), str(one), "--preset", "pubtabnet"]) == 0
    out, err = capsys.readouterr()
    assert out == "0\n"
    place = "--preset pubtabnet finds no <table> in <html><body>, and counts it as missing"
    assert err == f"treemetric: warning: 2 tables, such as {one}: {place}\n"
    assert main(["teds", str(one), str(one)]) == 0
    assert capsys.readouterr() == ("1\n", "")
    (folders / "pred" / "1.html").write_text(bare, encoding="utf-8")
    sides = [str(folders / side) for side in ("pred", "true")]
    assert main(["teds", *sides, "--preset", "pubtabnet"]) == 0
    assert f"warning: {folders / 'pred' / '1.html'}: {place}" in capsys.readouterr().err
    lines = folders / "pairs.jsonl"
    lines.write_text(json.dumps({"pred": bare, "true": ROW.format("a")}), encoding="utf-8")
    assert main(["teds", str(lines), "--preset", "pubtabnet"]) == 0
    assert f"warning: 'pred' of 1: {place}" in capsys.readouterr().err
