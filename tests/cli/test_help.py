"""Help, completion and the version: what people try first."""

import contextlib
import shutil
import sys

import pytest

from children import run_command
from treemetric import __version__
from treemetric.cli import main

COMMANDS = (
    *("show", "convert", "report", "distance", "align", "pairwise", "nearest", "within"),
    *("duplicates", "cluster", "teds", "demo", "reproduce", "completion"),
)


def output(capsys, *arguments):
    """What a command prints that ends with SystemExit or returns 0."""
    with contextlib.suppress(SystemExit):
        assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_the_help_lists_all_commands_examples_and_exit_codes(capsys):
    text = output(capsys, "--help")
    for command in COMMANDS:
        assert f"    {command} " in text
    for piece in ("examples:", "exit codes:", "130  Ctrl-C", "--overwrite"):
        assert piece in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_short_usage_and_examples(capsys, command):
    text = output(capsys, command, "--help")
    assert text.startswith(f"usage: treemetric {command} [options]")
    assert "\n\n" in text
    assert f"  treemetric {command}" in text.split("examples:")[1] or command == "completion"


def test_the_version(capsys):
    assert output(capsys, "--version") == f"treemetric {__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_options_and_choices(capsys, shell):
    text = output(capsys, "completion", shell)
    for word in (*COMMANDS, "ablation", "overwrite", "parquet"):
        assert word in text
    assert text.endswith("\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_accept_the_script(capsys, tmp_path, shell):
    found = shutil.which(shell)
    if found is None or sys.platform == "win32":
        pytest.skip(f"{shell} is not installed")
    path = tmp_path / "script"
    path.write_text(output(capsys, "completion", shell), encoding="utf-8")
    assert run_command(found, "-n", path).stdout == ""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["treemetric", "ne"], ["nearest"]),
        (["treemetric", "nearest", "--ov"], ["--overwrite"]),
        (["treemetric", "nearest", "--to", "p"], ["parquet"]),
        (["treemetric", "reproduce", "a"], ["ablation"]),
        (["treemetric", "reproduce", "ablation", "--fo"], ["--folds"]),
        (["treemetric", "completion", "f"], ["fish"]),
        (["treemetric", "pairwise", "some"], ["some.jsonl"]),
        (["treemetric", "pairwise", "--costs", "some"], ["some.jsonl"]),
        # As bash splits --to=p and --to=.
        (["treemetric", "nearest", "--to", "=", "p"], ["parquet"]),
        (["treemetric", "align", "--to", "="], ["text", "csv", "json", "html"]),
    ],
)
def test_bash_completes(capsys, tmp_path, words, expected):
    found = shutil.which("bash")
    if found is None or sys.platform == "win32":
        pytest.skip("bash is not installed")
    (tmp_path / "some.jsonl").write_text("", encoding="utf-8")
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"{output(capsys, 'completion', 'bash')}\nCOMP_WORDS=({quoted})\n"
        f'COMP_CWORD={len(words) - 1}\n_treemetric\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    )
    run = run_command(found, "--norc", input=program, cwd=tmp_path)
    assert run.stdout.split() == expected
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("treemetric ne", ["nearest\tfind the nearest trees of each tree"]),
        ("treemetric dem", ["demo\tcompare functions of Python's standard library"]),
        ("treemetric nearest --to p", ["parquet\tformat of the result"]),
        ("treemetric show --len", ["--lengths\tnewick: labels hold the lengths of branches"]),
        ("treemetric reproduce a", ["ablation\t"]),
        ("treemetric pairwise some", ["some.jsonl"]),
    ],
)
def test_fish_completes(capsys, tmp_path, line, expected):
    found = shutil.which("fish")
    if found is None:
        pytest.skip("fish is not installed")
    (tmp_path / "some.jsonl").write_text("", encoding="utf-8")
    program = f'{output(capsys, "completion", "fish")}\ncomplete -C "{line}"\n'
    run = run_command(found, "--no-config", input=program, cwd=tmp_path)
    lines = run.stdout.splitlines()
    assert [found[: len(start)] for found, start in zip(lines, expected, strict=True)] == expected


def test_zsh_takes_values_in_the_same_word_and_quotes_apostrophes(capsys):
    text = output(capsys, "completion", "zsh")
    assert "'--norm=[" in text
    assert "'-k+[" in text
    assert "'demo:compare functions of Python'\\''s standard library'" in text


def test_a_wrong_option_is_answered_by_the_command_with_the_right_one(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["distance", "{a}", "{b}", "--valus"])
    message = capsys.readouterr().err
    assert message.startswith("treemetric distance: error: unrecognized arguments: --valus.")
    assert "Did you mean --values? (see treemetric distance --help)" in message
    with pytest.raises(SystemExit, match="2"):
        main(["reproduce", "ablation", "-o", "out", "more"])
    assert "unrecognized arguments: more" in capsys.readouterr().err


def test_without_a_command_the_help_is_printed(capsys):
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: treemetric COMMAND")


@pytest.mark.parametrize(
    ("option", "value", "kind"),
    [("-j", "x", "a whole number"), ("-k", "1.5", "a whole number"), ("-r", "far", "a number")],
)
def test_a_number_is_asked_for_in_plain_words(capsys, option, value, kind):
    with pytest.raises(SystemExit):
        main(["nearest" if option == "-k" else "within", "a.py", option, value])
    assert f" must be {kind}. Got '{value}'." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "proposal"),
    [
        (["distence", "a.py", "b.py"], "Did you mean distance?"),
        (["pairwise", "src", "--to", "parket"], "Did you mean parquet?"),
        (["show", "a.py", "--format", "pyton"], "Did you mean python?"),
        (["xxxxx"], "'completion') (see"),
    ],
)
def test_a_choice_that_is_spelled_wrong_is_corrected(capsys, arguments, proposal):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    found = capsys.readouterr().err
    # The quotes around choices depend on the version of Python.
    assert proposal.replace("'", "") in found.replace("'", "")
