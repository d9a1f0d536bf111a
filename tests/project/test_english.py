"""Prose is plain technical English: files that a person reads avoid a short list of words.

The check reads Markdown, and docstrings, comments, literals and names in Python and Rust. It
ignores code spans and code blocks in Markdown, and names that are not written as words.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "DESIGN.md").exists():
    pytest.skip("the documents are not part of a source distribution", allow_module_level=True)

# A pattern for each word to avoid, and what to write instead.
AVOID = {
    r"told|tells?": "report, state, show",
    r"anew": "again",
    r"dear(er|est)": "more expensive, most expensive",
    r"programmes?": "program",
    r"ado": "effort",
    r"by turns": "alternately",
    r"by the clock on the wall": "wall-clock time",
    r"lest": "so that ... not",
}

# Files and folders that must be clean. A folder includes its subfolders.
CLEAN = (
    ".",
    "benches",
    "docs",
    "python/treemetric/__main__.py",
    "python/treemetric/_core.pyi",
    "python/treemetric/cli",
    "python/treemetric/datasets",
    "python/treemetric/exceptions.py",
    "python/treemetric/formats",
    "python/treemetric/plotting",
    "tests/cli",
    "tests/datasets",
    "tests/formats",
    "tests/plotting",
    "tests/project",
)

# Move an entry to CLEAN as soon as its files are rewritten.
NOT_YET_CLEAN = (
    "benches/cells.rs",
    "benches/kernels.rs",
    "python/treemetric",
    "rust",
    "tests",
)

# Records of results and this list itself are never checked.
EXCLUDED = ("benches/record", "docs/results", "tests/project/test_english.py")

SUFFIXES = {".md", ".py", ".pyi", ".rs"}
WORDS = re.compile(rf"\b({'|'.join(AVOID)})\b", re.IGNORECASE)
# Fenced and indented code blocks, and code spans.
MARKDOWN_CODE = re.compile(r"^```.*?^```|^ {4}.*?$|`[^`]*`", re.MULTILINE | re.DOTALL)


def covers(entry, path):
    """Return whether an entry is the path or one of its folders; "." covers the top level only."""
    if entry == ".":
        return path.parent == Path()
    return path.is_relative_to(entry)


def longest(entries, path):
    """Return the length of the most specific entry for a path, or -1."""
    return max((len(Path(entry).parts) for entry in entries if covers(entry, path)), default=-1)


def documents():
    """Return the checked files; the most specific entry decides about a file."""
    folders = [ROOT / name for name in ("benches", "docs", "python", "rust", "tests")]
    found = [*ROOT.glob("*"), *(path for folder in folders for path in folder.rglob("*"))]
    relative = sorted(path.relative_to(ROOT) for path in found if path.suffix in SUFFIXES)
    return [
        path
        for path in relative
        if longest(EXCLUDED, path) < 0 and longest(CLEAN, path) > longest(NOT_YET_CLEAN, path)
    ]


def blank(found):
    """Replace a match by its line breaks, so that line numbers stay correct."""
    return "\n" * found[0].count("\n")


def findings(text, *, markdown):
    """Yield the line number and the word of everything to avoid."""
    if markdown:
        text = MARKDOWN_CODE.sub(blank, text)
    for number, line in enumerate(text.splitlines(), 1):
        for found in WORDS.finditer(line):
            yield number, found[0]


@pytest.mark.parametrize("path", documents(), ids=str)
def test_words_to_avoid(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    found = findings(text, markdown=path.suffix == ".md")
    assert [f"{path}:{number}: {word}" for number, word in found] == []


def test_entries_exist():
    entries = (*CLEAN, *NOT_YET_CLEAN, *EXCLUDED)
    assert [entry for entry in entries if not (ROOT / entry).exists()] == []


@pytest.mark.parametrize("word", ["told", "Tells", "anew", "dearer", "programme", "by turns"])
def test_the_check_finds_words(word):
    assert [found for _, found in findings(f"a\nb {word} c", markdown=False)] == [word]
    assert list(findings(f"a `{word}` b\n\n    {word}\n", markdown=True)) == []


@pytest.mark.parametrize("text", ["program", "shadow", "retold", "dear", "is_told", "turns"])
def test_the_check_accepts_other_words(text):
    assert list(findings(text, markdown=False)) == []
