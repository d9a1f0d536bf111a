"""The examples of docs/learning.md."""

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "learning.md"


@pytest.mark.skipif(not PAGE.exists(), reason="documents are not part of a source distribution")
def test_examples_of_the_page():
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 15
    assert found.failed == 0
