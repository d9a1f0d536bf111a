"""The command line and its demonstration."""

import io
import json
import os
import signal
import sys
import time

import numpy as np
import pytest

import children
import treemetric as tm
from treemetric import demo
from treemetric.cli import main
from treemetric.cli.errors import describe

TREES = ["{a{b}{c}}", "{a{b{d}}}", "", "{x}{y}"]


@pytest.fixture
def bracket_file(tmp_path):
    path = tmp_path / "trees.txt"
    path.write_text("".join(f"{line}\n" for line in TREES), encoding="utf-8")
    return path


def expected():
    return tm.pairwise_distances([tm.Tree.from_bracket(text) for text in TREES])


def run(*arguments):
    return children.run("-m", "treemetric", *arguments, timeout=120)


@pytest.mark.parametrize(
    ("a", "b", "printed"),
    [
        ("{a{b}{c}}", "{a{b{d}}}", "2"),
        ("{a}", "{a}", "0"),
        ("{a}{b}", "{a}", "1"),
        (" {a} ", "{b}", "1"),
    ],
)
def test_distance_prints_one_number(capsys, a, b, printed):
    assert main(["distance", a, b]) == 0
    assert capsys.readouterr().out == f"{printed}\n"


def test_distance_reads_files_with_one_tree(capsys, tmp_path):
    bracket, lines = tmp_path / "a.txt", tmp_path / "b.jsonl"
    bracket.write_text("{a{b}{c}}\n", encoding="utf-8")
    tm.TreeSet([tm.Tree.from_bracket("{a{b}}")]).to_jsonl(lines)
    assert main(["distance", str(bracket), str(lines)]) == 0
    assert capsys.readouterr().out == "1\n"


@pytest.mark.parametrize("suffix", [".txt", ".jsonl"])
def test_pairwise_saves_the_matrix(capsys, tmp_path, suffix):
    source, target = tmp_path / f"trees{suffix}", tmp_path / "D.npy"
    trees = tm.TreeSet([tm.Tree.from_bracket(text) for text in TREES])
    (trees.to_jsonl if suffix == ".jsonl" else trees.to_bracket)(source)
    assert main(["pairwise", str(source), "-o", str(target)]) == 0
    assert np.array_equal(np.load(target), expected())
    captured = capsys.readouterr()
    assert captured.out == f"4 trees, 4 x 4 float64 -> {target}\n"
    assert captured.err == ""


def test_pairwise_options_reach_the_result(bracket_file, tmp_path):
    target = tmp_path / "result.npy"
    arguments = ["--condensed", "--dtype", "float32", "--jobs", "2", "--no-progress"]
    assert main(["pairwise", str(bracket_file), "-o", str(target), *arguments]) == 0
    condensed = np.load(target)
    assert condensed.dtype == np.float32
    assert np.array_equal(condensed, expected()[np.triu_indices(4, 1)])


def test_nearest_saves_arrays_or_lines(capsys, bracket_file, tmp_path):
    trees = [tm.Tree.from_bracket(text) for text in TREES]
    found = tm.nearest(trees, k=2)
    arrays = tmp_path / "near.npz"
    assert main(["nearest", str(bracket_file), "-k", "2", "-o", str(arrays), "--jobs", "1"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("2 nearest of 4 trees, ")
    assert captured.err == ""
    with np.load(arrays) as saved:
        assert np.array_equal(saved["indices"], found.indices)
        assert np.array_equal(saved["distances"], found.distances)
    queries, lines = tmp_path / "queries.txt", tmp_path / "near.csv"
    queries.write_text("{a{b}}\n{x}\n", encoding="utf-8")
    arguments = ["--queries", str(queries), "-k", "1", "-o", str(lines)]
    assert main(["nearest", str(bracket_file), *arguments]) == 0
    assert lines.read_text(encoding="utf-8") == "source,target,distance\n0,0,1\n1,2,1\n"


def test_within_saves_arrays_or_lines(capsys, bracket_file, tmp_path):
    found = tm.within([tm.Tree.from_bracket(text) for text in TREES], radius=2)
    arrays = tmp_path / "close.npz"
    assert main(["within", str(bracket_file), "-r", "2", "-o", str(arrays), "--jobs", "1"]) == 0
    assert capsys.readouterr().out.startswith(f"{len(found.indices)} neighbours of 4 trees, ")
    with np.load(arrays) as saved:
        assert set(saved) == {"offsets", "indices", "distances"}
        for name in saved:
            assert np.array_equal(saved[name], getattr(found, name))
    queries, lines = tmp_path / "queries.txt", tmp_path / "close.csv"
    queries.write_text("{a{b}}\n{x}\n{q{q{q}}}\n", encoding="utf-8")
    arguments = ["--queries", str(queries), "--radius", "1", "-o", str(lines)]
    assert main(["within", str(bracket_file), *arguments]) == 0
    wanted = "source,target,distance\n0,0,1\n0,1,1\n1,2,1\n1,3,1\n"
    assert lines.read_text(encoding="utf-8") == wanted


LABELS = "abcdxy"
MATRIX = [[abs(i - j) / 4 + (i != j) * (6 in (i, j)) for j in range(7)] for i in range(7)]


def test_costs_of_labels_that_are_numbers(tmp_path):
    trees = tm.TreeSet([tm.Tree.from_parents([1, 2], [-1, 0]), tm.Tree.from_parents([2], [-1])])
    trees.to_jsonl(tmp_path / "trees.jsonl")
    matrix = [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]]
    costs = tmp_path / "costs.json"
    costs.write_text(json.dumps({"alphabet": [1, 2], "matrix": matrix}), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("trees.jsonl", "D.npy")]
    assert main(["pairwise", files[0], "-o", files[1], "--costs", str(costs)]) == 0
    expected = tm.pairwise_distances(trees, costs=tm.CostMatrix([1, 2], matrix))
    assert np.array_equal(np.load(files[1]), expected)
    costs.write_text(json.dumps({"alphabet": [[1], 2], "matrix": matrix}), encoding="utf-8")
    assert main(["pairwise", files[0], "-o", files[1], "--costs", str(costs)]) != 0


@pytest.fixture(params=["csv", "json"])
def cost_file(request, tmp_path):
    path = tmp_path / f"costs.{request.param}"
    if request.param == "json":
        path.write_text(json.dumps({"alphabet": list(LABELS), "matrix": MATRIX}), encoding="utf-8")
    else:
        rows = [",".join(["", *LABELS, ""])]
        rows += [
            ",".join([label, *map(str, row)])
            for label, row in zip([*LABELS, ""], MATRIX, strict=True)
        ]
        path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_commands_take_costs_and_a_cutoff(bracket_file, tmp_path, cost_file):
    trees = [tm.Tree.from_bracket(text) for text in TREES]
    costs = tm.CostMatrix(LABELS, MATRIX)
    full = tm.pairwise_distances(trees, costs=costs)
    given = ["--costs", str(cost_file), "--jobs", "1"]
    target = tmp_path / "D.npy"
    assert main(["pairwise", str(bracket_file), "-o", str(target), *given]) == 0
    assert np.array_equal(np.load(target), full)
    cutoff = float(np.median(full))
    options = ["--cutoff", str(cutoff), "--overwrite"]
    assert main(["pairwise", str(bracket_file), "-o", str(target), *given, *options]) == 0
    assert np.array_equal(np.load(target), np.where(full <= cutoff, full, np.inf))
    target = tmp_path / "near.npz"
    for command, found in (
        (["nearest", "-k", "2"], tm.nearest(trees, k=2, costs=costs)),
        (["within", "-r", "3.5"], tm.within(trees, radius=3.5, costs=costs)),
    ):
        arguments = [*command, str(bracket_file), "-o", str(target), *given, "--overwrite"]
        assert main(arguments) == 0
        with np.load(target) as saved:
            assert np.array_equal(saved["indices"], found.indices)
            assert np.array_equal(saved["distances"], found.distances)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("costs.txt", "", "must end in .csv, .json or .npz"),
        ("costs.csv", "", "first row must hold nothing, the labels, and nothing"),
        ("costs.csv", "a,b\n", "first row must hold nothing"),
        ("costs.csv", ",a,\na,0\n", "row 2 has 2 entries, not 3"),
        ("costs.csv", ",a,\n,0,1\na,1,0\n", "same labels as the first row"),
        ("costs.csv", ",a,\na,0,x\n,1,0\n", "'x' is not a cost"),
        ("costs.csv", ",a,\na,0,-1\n,1,0\n", "not negative"),
        ("costs.csv", ",a,\na,0,1\n,1,0\n", "is not in the alphabet of the costs"),
        ("costs.json", "[]", "the list 'alphabet' and the rows 'matrix'"),
        ("costs.json", "{", "costs.json: "),
        ("costs.json", '{"alphabet": "a", "matrix": [[0, 1], [1, 0]]}', "the list 'alphabet'"),
        ("costs.json", '{"alphabet": ["a"], "matrix": [[0]]}', "of shape (2, 2)"),
    ],
)
@pytest.mark.parametrize("command", ["pairwise", "nearest"])
def test_a_wrong_cost_file_is_an_error(
    capsys, bracket_file, tmp_path, command, name, text, message
):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    target = tmp_path / ("D.npy" if command == "pairwise" else "near.npz")
    extra = ["-k", "1"] if command == "nearest" else []
    arguments = [str(bracket_file), "-o", str(target), "--costs", str(path), *extra]
    assert main([command, *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "4", "-o", "near.npz"], "error: -k must be "),
        (["-o", "near.txt"], "must end in one of .csv, .json, .npz"),
        (["-o", "nowhere/near.csv"], "No such folder"),
    ],
)
def test_nearest_refuses(capsys, monkeypatch, bracket_file, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(["nearest", str(bracket_file), *arguments]) == 2
    assert message in capsys.readouterr().err


def be_slow(monkeypatch, seconds):
    """Report progress at all of these times but the first, when the work starts."""
    clock = iter(seconds)

    def slow(trees, *, progress, **options):
        if progress is not None:
            for done in range(len(seconds) - 1):
                progress(done, len(seconds) - 2)
        return np.zeros((4, 4))

    monkeypatch.setattr("treemetric.cli.pairwise.pairwise_distances", slow)
    monkeypatch.setattr("treemetric._base.progress.time.monotonic", lambda: next(clock))


@pytest.mark.parametrize("flags", [[], ["--no-progress"]])
def test_progress_is_shown_on_a_terminal_when_the_work_takes_time(
    capsys, monkeypatch, bracket_file, tmp_path, flags
):
    be_slow(monkeypatch, [0.0, 0.1, 60.0, 120.0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    target = tmp_path / "D.npy"
    assert main(["pairwise", str(bracket_file), "-o", str(target), *flags]) == 0
    shown = capsys.readouterr().err.split("\r")
    if flags:
        assert shown == [""]
    else:
        assert [line.strip() for line in shown] == [
            "",
            "50% done, 60 s left",
            "100% done, 0 s left",
        ]
        assert shown[-1].endswith("\n")


def test_progress_is_written_to_a_log_once_a_minute(capsys, monkeypatch, bracket_file, tmp_path):
    be_slow(monkeypatch, [0.0, 0.1, 30.0, 61.0, 90.0, 130.0])
    assert main(["pairwise", str(bracket_file), "-o", str(tmp_path / "D.npy")]) == 0
    assert capsys.readouterr().err == " 50% done, 61 s left\n100% done, 0 s left\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["distance", "{a", "{b}"], "error: A: position 2: the text ends here"),
        (["distance", "{a}", "{b"], "error: B: position 2: the text ends here"),
        (["distance", "", "{a}"], "error: A is empty."),
        (["align", "{a}", " "], "error: B is empty."),
        (["distance", "nowhere", "{a}"], "A must be text in brackets, an existing file or"),
        (["distance", "nowhere", "{a}"], "There is no file 'nowhere'."),
        (["distance", ".", "{a}"], ""),
        (["pairwise", "nowhere.txt", "-o", "D.npy"], "nowhere.txt"),
        (["pairwise", "nowhere.jsonl", "-o", "D.npy"], "nowhere.jsonl"),
        (["pairwise", "nowhere.txt", "-o", "no/D.npy"], "No such folder"),
    ],
)
def test_errors_are_one_line_with_code_2(capsys, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("treemetric: error: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_a_file_with_several_trees_is_no_tree(capsys, bracket_file):
    assert main(["distance", str(bracket_file), "{a}"]) == 2
    assert "must contain one tree. It contains 4" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["0", "-2"])
def test_a_wrong_number_of_jobs_names_the_option(capsys, bracket_file, tmp_path, jobs):
    target = tmp_path / "D.npy"
    code = main(["pairwise", str(bracket_file), "-o", str(target), "--jobs", jobs])
    assert code == 2
    expected = f"treemetric: error: --jobs must be -1 or a positive int. Got {jobs} instead.\n"
    assert capsys.readouterr().err == expected
    assert not target.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cutoff", "-1"], "--cutoff must be a float in the range [0.0, inf]."),
        (["--memory", "much"], "--memory must be a positive int or a size such as '2GB'"),
        (["--memory", "1"], "--memory must be at least "),
        (["--kind", "angle"], "--kind needs --costs with an .npz file"),
    ],
)
def test_errors_name_options_not_parameters(capsys, bracket_file, tmp_path, options, message):
    arguments = ["pairwise", str(bracket_file), "-o", str(tmp_path / "D.npy"), *options]
    assert main(arguments) == 2
    assert f"treemetric: error: {message}" in capsys.readouterr().err


def test_another_result_is_kept_and_the_message_names_the_option(capsys, bracket_file, tmp_path):
    arguments = ["pairwise", str(bracket_file), "-o", str(tmp_path / "D.npy")]
    assert main(arguments) == 0
    assert main([*arguments, "--cutoff", "1"]) == 2
    message = capsys.readouterr().err
    assert "--overwrite" in message
    assert "overwrite=True" not in message


@pytest.mark.parametrize(
    ("message", "translated"),
    [
        ("The 'k' parameter of nearest must be 1. Got 2 instead.", "-k must be 1. Got 2 instead."),
        ("The 'n_jobs' parameter of f must be None or 1.", "--jobs must be 1."),
        ("The '--costs' parameter of f must be a file.", "--costs must be a file."),
        ("The 'other' parameter of f must be 1.", "The 'other' parameter of f must be 1."),
        ("two\n lines", "two lines"),
        ("", "ValueError"),
    ],
)
def test_messages_are_translated(message, translated):
    assert describe(ValueError(message)) == translated


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["distance", "{a}"],
        ["distance", "{a}", "{b}", "--cut", "1"],
        ["reproduce", "counterexample", "--out", "D"],
        ["pairwise"],
        ["demo", "--jobs", "x"],
    ],
)
def test_arguments_that_do_not_parse_are_one_line_with_code_2(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "error: " in error


def test_an_empty_line_of_standard_input_is_an_empty_tree(capsys, monkeypatch):
    for data in (b"\n", b""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert main(["distance", "-", "{a{b}}"]) == (0 if data else 2)
    captured = capsys.readouterr()
    assert captured.out == "2\n"
    assert captured.err == "treemetric: error: standard input is empty\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(["pairwise", "-"]) == 2
    assert "standard input is empty" in capsys.readouterr().err


def test_k_has_a_long_name(capsys, bracket_file):
    assert main(["nearest", str(bracket_file), "--k", "2"]) == 0
    found = capsys.readouterr().out
    assert main(["nearest", str(bracket_file), "-k2"]) == 0
    assert capsys.readouterr().out == found


def test_interrupt_gives_130(capsys, monkeypatch, bracket_file, tmp_path):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("treemetric.cli.pairwise.pairwise_distances", interrupt)
    assert main(["pairwise", str(bracket_file), "-o", str(tmp_path / "D.npy")]) == 130
    assert capsys.readouterr().err == "treemetric: interrupted\n"


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_stops_long_work_without_a_traceback(tmp_path):
    source = tmp_path / "long.txt"
    zigzag = "{a{b}{c" * 250 + "{b}}}" * 250  # one pair takes a second or more
    lines = [f"{{root{k}{zigzag}}}\n" for k in range(50)]
    source.write_text("".join(lines), encoding="utf-8")
    command = ["-m", "treemetric", "pairwise", source, "-o", tmp_path / "D.npy"]
    process = children.start(*command, stderr=children.PIPE)
    try:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("D.npy*")):  # the work has started
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=10)
    finally:
        process.kill()
    assert process.returncode == 130
    assert error == "treemetric: interrupted\n"
    assert not (tmp_path / "D.npy").exists()


def test_module_and_version():
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout == f"treemetric {tm.__version__}\n"


def test_module_returns_the_exit_code():
    result = run("distance", "{a", "{b}")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


class TestDemo:
    def test_reports_its_sections_and_saves_the_plots(self, capsys, tmp_path):
        folder = tmp_path / "new" / "demo"
        assert main(["demo", "--output", str(folder), "--jobs", "2"]) == 0
        report = capsys.readouterr().out
        for title in ("Trees", "All pairs", "Neighbours", "Classes", "Plots"):
            assert f"\n{title}\n" in report
        assert "pairs per second" in report
        assert str(folder / "distances.png") in report
        assert (folder / "distances.png").read_bytes().startswith(b"\x89PNG")

    def test_runs_without_plots_if_matplotlib_is_missing(self, monkeypatch, tmp_path):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        report = []
        assert demo.run(tmp_path, 1, say=report.append) is None
        assert "treemetric[plot]" in report[-1]

    def test_nearest_neighbour_beats_the_largest_class(self, tmp_path):
        report = []
        demo.run(tmp_path, say=report.append)
        rates = [int(line.split("%")[0][-3:]) for line in report if "% correct" in line]
        assert rates[0] > rates[1] + 20


def test_align_prints_the_edits_and_how_many_ways(capsys):
    assert main(["align", "{a{b}{c}}", "{a{d{c}}}"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [
        "delete  b  (node 1 of A)",
        "insert  d  (node 1 of B)",
        "2 edits, the only optimal alignment",
    ]
    assert main(["align", "{a{a}}", "{a}"]) == 0
    assert capsys.readouterr().out.endswith("1 edit, one of 2 optimal alignments\n")


def test_learned_costs_are_saved_for_the_command_line(tmp_path):
    # As in docs/learning.md.
    from treemetric.datasets import load_jsonl, make_glycans
    from treemetric.learning import NCACosts

    made = make_glycans(12, random_state=0)
    trees, costs, target = (tmp_path / name for name in ("trees.jsonl", "costs.json", "D.npy"))
    tm.TreeSet(made.data, classes=made.target.tolist()).to_jsonl(trees)
    found = load_jsonl(trees)
    learned = NCACosts(random_state=0, n_fits=1).fit(found.data, found.target).costs_
    with costs.open("w", encoding="utf-8") as file:
        json.dump({"alphabet": list(learned.alphabet), "matrix": learned.matrix.tolist()}, file)
    assert main(["pairwise", str(trees), "--costs", str(costs), "-o", str(target)]) == 0
    assert np.array_equal(np.load(target), tm.pairwise_distances(found.data, costs=learned))


def test_the_help_of_align_states_how_many_alignments_are_counted(capsys):
    with pytest.raises(SystemExit):
        main(["align", "--help"])
    assert "at most 1,000,000, and without --unordered" in " ".join(capsys.readouterr().out.split())


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX descriptors")
@pytest.mark.parametrize(
    ("descriptor", "arguments", "message"),
    [
        (0, ["pairwise", "-"], "standard input is closed"),
        (1, ["distance", "{a}", "{b}"], "standard output is closed; -o writes to a file"),
    ],
)
def test_closed_streams_are_an_error_in_one_line(descriptor, arguments, message):
    script = (
        f"import os, sys; os.close({descriptor}); "
        "os.execv(sys.executable, [sys.executable, '-m', 'treemetric', *sys.argv[1:]])"
    )
    done = children.run("-c", script, *arguments, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"treemetric: error: {message}\n"


def test_a_file_is_written_without_standard_output(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdout", None)
    assert main(["distance", "{a}", "{b}", "-o", str(tmp_path / "d.json")]) == 0
    assert json.loads((tmp_path / "d.json").read_text(encoding="utf-8"))["distance"] == 1


def test_pairs_within_a_radius_are_listed_once(bracket_file, capsys, tmp_path):
    assert main(["within", str(bracket_file), "-r", "3", "--once", "--to", "json"]) == 0
    rows = [tuple(row.values()) for row in json.loads(capsys.readouterr().out)]
    full = expected()
    pairs = [(i, j, full[i, j]) for i in range(4) for j in range(i + 1, 4) if full[i, j] <= 3]
    assert sorted(rows) == pairs
    target = tmp_path / "pairs.npz"
    assert main(["within", str(bracket_file), "-r", "3", "--once", "-o", str(target)]) == 0
    assert f"{len(pairs)} pairs of 4 trees" in capsys.readouterr().out
    with np.load(target) as arrays:
        assert arrays["offsets"][-1] == len(arrays["indices"]) == len(pairs)
    same = ["--queries", str(bracket_file)]
    assert main(["within", str(bracket_file), "-r", "3", "--once", *same]) == 2
    assert "It cannot be combined with --queries" in capsys.readouterr().err


def test_neighbours_by_normalized_distance(bracket_file, capsys):
    trees = [tm.Tree.from_bracket(text) for text in TREES]
    assert main(["nearest", str(bracket_file), "-k", "1", "--norm", "max", "--to", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    near = tm.nearest(trees, k=1, norm="max")
    assert [row["distance"] for row in rows] == near.distances.ravel().tolist()
    command = ["within", str(bracket_file), "-r", "0.7", "--norm", "max", "--to", "json"]
    assert main(command) == 0
    close = tm.within(trees, radius=0.7, norm="max")
    assert [row["target"] for row in json.loads(capsys.readouterr().out)] == close.indices.tolist()
