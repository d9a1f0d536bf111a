"""The files and folders that the documents name exist, and their links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "DESIGN.md").exists():
    pytest.skip("the documents are not part of a source distribution", allow_module_level=True)

DOCUMENTS = (
    "README.md",
    "DESIGN.md",
    "CONTRIBUTING.md",
    "RELEASE.md",
    "benches/README.md",
    "docs/estimators.md",
    "docs/features.md",
    "docs/learning.md",
    "docs/neighbors.md",
    "docs/platforms.md",
    "docs/reproduction.md",
    "docs/scale.md",
    "docs/unordered.md",
)
CHECKED = (".py", ".pyi", ".rs")
# A document may shorten a path to its part below one of these folders.
BASES = ("", "benches", "python", "python/treemetric", "rust", "tests")


def exists(name):
    """Return whether a file or folder exists, or a file of that name in a folder of Rust."""
    if any((ROOT / base / name).exists() for base in BASES):
        return True
    return "/" not in name and name.endswith(".rs") and any((ROOT / "rust").rglob(name))


@pytest.mark.parametrize("document", ["DESIGN.md", "CONTRIBUTING.md", "benches/README.md"])
def test_named_files_exist(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    names = {name for name in re.findall(r"`([\w./]+)`", text) if name.endswith(CHECKED)}
    assert names
    assert sorted(name for name in names if not exists(name)) == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files(document):
    path = ROOT / document
    links = re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []
