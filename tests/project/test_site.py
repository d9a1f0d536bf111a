"""The checks of the built site, the source distribution, and the figures of the README."""

import csv
import fnmatch
import re
import tomllib
from importlib import util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / ".ci" / "check_site.py").exists():
    pytest.skip("the tools of the site are not here", allow_module_level=True)


def script():
    spec = util.spec_from_file_location("check_site", ROOT / ".ci" / "check_site.py")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_site = script()


def checked(folder, **files):
    """Return the problems of a site with these pages."""
    for name, text in files.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    folder = folder.resolve()
    pages = {path: check_site.Page(path) for path in sorted(folder.glob("*.html"))}
    return check_site.problems(folder, pages)


def test_a_good_site_has_no_problems(tmp_path):
    (tmp_path / "a b.png").write_bytes(b"")
    a = '<a href="b.html#x">b</a> <img src="a%20b.png"> <a href="https://example.org/none">c</a>'
    b = '<h1 id="x">x</h1> <a href="#x">x</a> <a href="mailto:a@example.org">m</a>'
    assert checked(tmp_path, a=a, b=b) == []
    assert check_site.main(tmp_path) == 0


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ('<a href="c.html">c</a>', "a.html links to c.html, which does not exist"),
        ('<a href="a.html#y">y</a>', "a.html links to a.html#y, but there is no such heading"),
        ('<a href="#y">y</a>', "a.html links to #y, but there is no such heading"),
        ('<img src="b.png">', "a.html links to b.png, which does not exist"),
        (
            '<script src="https://example.org/a.js"></script>',
            "a.html loads https://example.org/a.js",
        ),
        (
            '<link rel="stylesheet" href="//example.org/a.css">',
            "a.html loads //example.org/a.css",
        ),
    ],
)
def test_problems_are_found(tmp_path, page, problem):
    assert checked(tmp_path, a=page) == [problem]
    assert check_site.main(tmp_path) == 1


def test_an_empty_folder_is_no_site(tmp_path):
    assert check_site.main(tmp_path) == 1


def test_the_source_distribution_has_what_its_pages_link_to():
    package = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["package"]
    included = [entry.removeprefix("/") for entry in package["include"] if entry[0] != "!"]
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")]
    lacking = set()
    for page in pages:
        for link in re.findall(r"\]\(([^)#:\s]+)[)#]", page.read_text(encoding="utf-8")):
            target = (page.parent / link).resolve().relative_to(ROOT)
            if not any(
                fnmatch.fnmatch(str(target), entry) or target.is_relative_to(entry)
                for entry in included
            ):
                lacking.add(f"{page.name}: {link}")
    assert lacking == set()


def rounded(number):
    """Return a number with two significant digits, in the form of the README."""
    digits = float(f"{number:.2g}")
    return f"{digits:,.0f}" if digits >= 10 else f"{digits:g}"


def test_the_speed_of_the_readme_is_that_of_the_record():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    name = re.search(r"\(benches/record/([\w-]+)\.md\)", readme)[1]
    with (ROOT / "benches" / "record" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["threads"] == "1"]
    wanted = {
        "all pairs of 1,000 functions": ("all pairs", "ast", "1000"),
        "all pairs of 400 random trees of 20": ("all pairs", "random 20", "400"),
        "one pair of random trees of 100": ("pair, unit", "random", "100"),
    }
    table = [
        line for line in readme.splitlines() if line.startswith(tuple(f"| {k}" for k in wanted))
    ]
    assert len(table) == len(wanted)
    for line, (task, shape, n) in zip(table, wanted.values(), strict=True):
        found = {
            row["engine"]: row
            for row in rows
            if (row["task"], row["shape"], row["n"]) == (task, shape, n)
        }
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        seconds = float(found["treemetric"]["seconds"])
        number, unit = cells[1].split()
        assert number == rounded(seconds / {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit])
        for cell, engine in zip(cells[2:], ("edist", "apted", "zss"), strict=False):
            if cell.strip("| "):
                assert cell == f"{rounded(float(found[engine]['ratio_to_treemetric']))} ×", line  # noqa: RUF001
