"""A user's program passes the strict modes of mypy and pyright; mistakes do not."""

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest

import user_program
from children import run

api = pytest.importorskip("mypy.api")

PROGRAM = Path(user_program.__file__).read_text(encoding="utf-8")

MISTAKES = """
import treemetric as tm

x = tm.Tree.from_bracket("{a}")
tm.distance(x, "{a}")
tm.distance(x, x, tm.UnitCosts())
tm.pairwise_distances([x], n_jobs="all")
tm.CostMatrix(["a"])
x.size = 3
"""


def check(tmp_path, program):
    """Errors that mypy finds, without the settings of any project."""
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    options = ["--strict", "--config-file=", "--no-incremental", "--hide-error-context"]
    executable = ["--python-executable", sys.executable]
    out, err, _ = api.run([*options, *executable, "--no-error-summary", str(path)])
    assert err == ""
    return out.splitlines()


def pyright(tmp_path, program):
    """Return the lines in which pyright finds errors, counted from 1."""
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    if shutil.which("node") is None:
        pytest.skip("pyright needs node")
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    settings = {"typeCheckingMode": "strict", "include": [str(path)]}
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps(settings), encoding="utf-8")
    options = ["--outputjson", "--pythonpath", sys.executable, "--project", str(config)]
    done = run("-m", "pyright", *options)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        pytest.skip(f"pyright cannot run here: {done.stderr.strip()[-200:]}")
    assert report["summary"]["filesAnalyzed"] == 1
    return {
        found["range"]["start"]["line"] + 1: found["message"]
        for found in report["generalDiagnostics"]
        if found["severity"] != "information"
    }


def test_the_program_runs():
    user_program.main()


def test_correct_calls_are_accepted(tmp_path):
    assert check(tmp_path, PROGRAM) == []


def test_correct_calls_are_accepted_by_pyright(tmp_path):
    assert pyright(tmp_path, PROGRAM) == {}


def test_wrong_calls_are_found_by_pyright(tmp_path):
    assert set(pyright(tmp_path, MISTAKES)) == {5, 6, 7, 8, 9}


def test_wrong_calls_are_found(tmp_path):
    found = {int(line.split(":")[1]) for line in check(tmp_path, MISTAKES)}
    assert found == {5, 6, 7, 8, 9}
