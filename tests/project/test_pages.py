"""The code of the pages runs: Python blocks, examples with a prompt, and commands of a shell.

Cells of notebooks are run by `make docs`, and code of the README by `make test`.
"""

import doctest
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import DBSCAN
from sklearn.neighbors import KNeighborsClassifier

import treemetric as tm
from treemetric.cli import app

ROOT = Path(__file__).parents[2]
if not (ROOT / "docs").exists():
    pytest.skip("the pages are not here", allow_module_level=True)

BUILT = ROOT / "docs" / "_build", ROOT / "docs" / "_generated"
PAGES = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if not any(page.is_relative_to(folder) for folder in BUILT)
]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
# A block with one of these needs what a test does not have: a cluster.
NOT_RUN = ("scheduler:8786",)
TABLE = "<table><tr><td>{}</td><td>b</td></tr></table>"


def blocks(page):
    """Return the blocks of Python on a page, without those that cannot run here."""
    found = PYTHON.findall(page.read_text(encoding="utf-8"))
    return [block for block in found if not any(text in block for text in NOT_RUN)]


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Return the names that blocks of pages use without defining them, beside their files."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdef"), size=rng.integers(3, 9))) for _ in range(1000)]
    ids = [*map(str, range(999)), "src/app.py:12 main"]
    trees = tm.TreeSet([tm.Tree.from_sequence(word) for word in words], ids=ids)
    trees.to_jsonl("trees.jsonl")
    Path("src").mkdir()
    for name in ("old.py", "new.py", "src/a.py", "src/b.py"):
        body = "(x, y):\n    return [x + y, x - y, x * y, x / y, max(x, y), min(x, y)]\n"
        source = "".join(f"def {function}{body}" for function in "fgh")
        Path(name).write_text(source, encoding="utf-8")
    few = list(trees[:20])
    return {
        "trees": trees,
        "queries": few,
        "tree": few[0],
        "query": few[0],
        "page": tm.Tree.from_sequence("abcdef" * 20),
        "more": tm.TreeSet(few, ids=[f"new {i}" for i in range(len(few))]),
        "y": np.arange(len(trees)) % 2,
        "pred": TABLE.format("a"),
        "true": TABLE.format("c"),
        "preds": [TABLE.format("a")] * 3,
        "trues": [TABLE.format("c")] * 3,
        "code": "class A { int f() { return 1; } }",
        "code2": "class B { int g() { return 2; } }",
        "KNeighborsClassifier": KNeighborsClassifier,
        "DBSCAN": DBSCAN,
    }


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_blocks_run(page, names):
    for number, block in enumerate(blocks(page)):
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), number)
            names = test.globs  # the next block sees what this one defined
            result = doctest.DocTestRunner().run(test, clear_globs=False)
            assert result.attempted > 0
            assert result.failed == 0
            continue
        try:
            exec(compile(block, f"{page.name}, block {number}", "exec"), names)
        except ImportError as error:
            if (error.name or "").startswith("treemetric"):
                raise
            pytest.skip(f"needs an optional package: {error}")


def commands(page):
    """Return the commands of treemetric on a page, without pipes and comments."""
    for block in SHELL.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            found = re.search(r"(?:^|\| *)treemetric +(.*)", line)
            if found:
                yield re.split(r" [|>] ", found[1])[0]


COMMANDS = [(page, line) for page in [ROOT / "README.md", *PAGES] for line in commands(page)]


@pytest.mark.parametrize(
    ("page", "line"), COMMANDS, ids=[f"{page.name}: {line[:40]}" for page, line in COMMANDS]
)
def test_commands_are_accepted(page, line):
    code = 0
    try:
        app._parser().parse_args(shlex.split(line, comments=True))
    except SystemExit as end:
        code = end.code
    assert code == 0, line
