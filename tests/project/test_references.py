"""The twins are independent of what they are compared with."""

import ast
from pathlib import Path

import pytest

import reference

TESTS = Path(reference.__file__).parent


def imported(path):
    """Return the top-level names of all modules that a file imports, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize(
    "name", ["reference.py", "unordered_reference.py", "feature_reference.py", "gesl_reference.py"]
)
def test_twins_import_nothing_of_the_library(name):
    found = imported(TESTS / name)
    helpers = {file.stem for file in TESTS.glob("*.py")}
    assert found
    # Other helpers of the tests import the library; one twin may use another.
    assert not found & {"treemetric", "", *helpers - {"reference"}}


def test_a_twin_takes_plain_labels_and_parents():
    class Plain:
        def __init__(self, labels, parents):
            self.labels, self.parents = labels, parents

    x, y = Plain("abc", (-1, 0, 0)), Plain("ab", [-1, 0])
    for twin in (
        reference.naive_distance,
        reference.table_distance,
        reference.enumerated_distance,
    ):
        assert twin(x, y, reference.unit_cost) == 1
    assert reference.optimal_alignments(x, y, reference.unit_cost)[1].shape == (1, 4, 3)
    assert reference.script_distance(x, y, reference.unit_cost, "abc", 3) == 1
