"""A program in the user's place passes the strict type checker."""

import sys

import pytest

api = pytest.importorskip("mypy.api")

PROGRAM = """
from typing import assert_type

import numpy as np

import treemetric as tm

x = tm.Tree.from_bracket("{a{b}{c}}")
y = tm.Tree.from_nested(("a", ["b"]))
assert_type(x, tm.Tree)
assert_type(x.size, int)
assert_type(x.roots, tuple[int, ...])
trees = tm.TreeSet([x, y], ids=["x", "y"])
assert_type(trees[0], tm.Tree)
assert_type(trees[:1], tm.TreeSet)
assert_type(trees[np.array([0])], tm.TreeSet)
assert_type(len(trees), int)
assert_type([tree for tree in trees], list[tm.Tree])
costs = tm.CostMatrix(["a", "b", "c"], 1 - np.eye(4))
assert_type(costs.violations(), list[tm.Violation])
assert_type(costs.is_pseudo_metric(), bool)
assert_type(tm.distance(x, y), float)
assert_type(tm.distance(x, y, costs=costs, cutoff=3), float)
assert_type(tm.distance(x, y, costs=tm.CallableCosts(lambda a, b: 1.0)), float)
full = tm.pairwise_distances(trees, n_jobs=-1, progress=lambda done, total: None)
print(full.shape, tm.pairwise_distances([x], (y,), costs=costs.closure()).sum())
"""

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


def test_correct_calls_are_accepted(tmp_path):
    assert check(tmp_path, PROGRAM) == []


def test_wrong_calls_are_found(tmp_path):
    found = {int(line.split(":")[1]) for line in check(tmp_path, MISTAKES)}
    assert found == {5, 6, 7, 8, 9}
