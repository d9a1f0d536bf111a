"""Prose is plain technical English: files that a person reads avoid a short list of words.

The check reads Markdown without code, and the comments, docstrings and literals of Python and
Rust. It ignores names, code spans, and literals of a single word, which are labels.
"""

import io
import re
import tokenize
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
CLEAN = (".", "benches", "docs", "python", "rust", "tests")

# Records of results and this list itself are never checked.
EXCLUDED = (
    "benches/record",
    "docs/results",
    "tests/project/test_english.py",
    # "programme" is the name of a distance in the committed results of the ablation.
    "python/treemetric/experiments/ablation/figure.py",
    "python/treemetric/experiments/ablation/plan.py",
    "python/treemetric/experiments/ablation/results.py",
    "tests/experiments/test_ablation_report.py",
)

# What `make docs` writes; it may be absent.
BUILT = ("docs/_build", "docs/_generated")

SUFFIXES = {".md", ".py", ".pyi", ".rs"}
WORDS = re.compile(rf"\b({'|'.join(AVOID)})\b", re.IGNORECASE)
CODE_SPAN = re.compile(r"`[^`\n]*`")
# Fenced and indented code blocks, and code spans.
MARKDOWN_CODE = re.compile(r"^```.*?^```|^ {4}.*?$|`[^`]*`", re.MULTILINE | re.DOTALL)
PYTHON_PROSE = {
    getattr(tokenize, name)
    for name in ("COMMENT", "STRING", "FSTRING_MIDDLE")
    if hasattr(tokenize, name)
}
# Comments and literals; a quotation mark in quotation marks does not start a literal.
RUST_PROSE = re.compile(r"'\"'|'\\\"'|//[^\n]*|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
LABEL = re.compile(r"[a-z]*([\"'])[\w-]*\1", re.IGNORECASE)


def covers(entry, path):
    """Return whether an entry is the path or one of its folders; "." covers the top level only."""
    if entry == ".":
        return path.parent == Path()
    return path.is_relative_to(entry)


def longest(entries, path):
    """Return the length of the most specific entry for a path, or -1."""
    return max((len(Path(entry).parts) for entry in entries if covers(entry, path)), default=-1)


def documents():
    """Return the checked files."""
    folders = [ROOT / name for name in ("benches", "docs", "python", "rust", "tests")]
    found = [*ROOT.glob("*"), *(path for folder in folders for path in folder.rglob("*"))]
    relative = sorted(path.relative_to(ROOT) for path in found if path.suffix in SUFFIXES)
    excluded = EXCLUDED + BUILT
    return [path for path in relative if longest(excluded, path) < 0 <= longest(CLEAN, path)]


def blank(found):
    """Replace a match by its line breaks, so that line numbers stay correct."""
    return "\n" * found[0].count("\n")


def prose(text, suffix):
    """Yield the parts of a file that a person reads, each with the number of its first line."""
    if suffix == ".md":
        yield 1, MARKDOWN_CODE.sub(blank, text)
    elif suffix == ".rs":
        for found in RUST_PROSE.finditer(text):
            if not LABEL.fullmatch(found[0]):
                yield text.count("\n", 0, found.start()) + 1, CODE_SPAN.sub("", found[0])
    else:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in PYTHON_PROSE and not LABEL.fullmatch(token.string):
                yield token.start[0], CODE_SPAN.sub("", token.string)


def findings(text, suffix):
    """Yield the line number and the word of everything to avoid."""
    for first, part in prose(text, suffix):
        for number, line in enumerate(part.splitlines(), first):
            for found in WORDS.finditer(line):
                yield number, found[0]


@pytest.mark.parametrize("path", documents(), ids=str)
def test_words_to_avoid(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    found = findings(text, path.suffix)
    assert [f"{path}:{number}: {word}" for number, word in found] == []


def test_entries_exist():
    entries = (*CLEAN, *EXCLUDED)
    assert [entry for entry in entries if not (ROOT / entry).exists()] == []


@pytest.mark.parametrize("word", ["told", "Tells", "anew", "dearer", "programme", "by turns"])
@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("a\nb {} c", ".md"),
        ("x = 1\n# b {} c", ".py"),
        ('x = (\n    f"b {} {{x}} c")', ".py"),
        ('"""A docstring.\n\nb {} c\n"""', ".py"),
        ("let x = 1;\n/// b {} c", ".rs"),
        ('let q = \'"\';\nlet x = "b {} c";', ".rs"),
    ],
)
def test_the_check_finds_words(word, text, suffix):
    text = text.format(word)
    line = 1 + text[: text.index(word)].count("\n")
    assert list(findings(text, suffix)) == [(line, word)]


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("a `told` b\n\n    told\n\n```\ntold\n```\n", ".md"),
        ("told = 1  # of `told`", ".py"),
        ("kinds = 'programme', \"told\"", ".py"),
        ("let told = 1; // of `told`", ".rs"),
        ('let kind = "programme";', ".rs"),
        ("program, shadow, retold, dear, is_told, turns", ".md"),
    ],
)
def test_the_check_accepts_code_and_other_words(text, suffix):
    assert list(findings(text, suffix)) == []
