"""Pages of trees and alignments: what is in the file, and what a browser makes of it."""

import json
import re

import numpy as np
import pytest

from browser import all_of, button, one, opened, texts
from treemetric import Tree, align
from treemetric.cli import main

ESCAPE = "\ue00c"  # the key, in the protocol of browsers
EVIL = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    '"><b>',
    "<!--",
    "\u2028&amp;",
    "\ud800",
)


def data_of(page):
    found = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def changed(tree, *nodes):
    labels = list(tree.labels)
    for node in nodes:
        labels[node] = f"new {labels[node]}"
    return Tree.from_parents(labels, tree.parents)


def large(size=2000):
    """A tree of five levels whose nodes have different labels."""
    children = [[c for c in range(6 * n + 1, 6 * n + 7) if c < size] for n in range(size)]
    return Tree.from_adjacency([f"node {node}" for node in range(size)], children)


def test_labels_cannot_leave_the_data():
    tree = Tree.from_parents(EVIL, [-1] + [0] * (len(EVIL) - 1))
    for page in (tree.to_html(name=EVIL[0]), align(tree, tree).to_html(names=EVIL[:2])):
        page.encode()
        assert page.count("<script") == page.count("</script>") == 2
        assert "<img" not in page
        assert "<!--" not in page
    side = data_of(tree.to_html())["sides"][0]
    assert side["texts"][:4] == list(EVIL[:4])


def test_notebooks_get_escaped_labels():
    tree = Tree.from_parents(EVIL, [-1] + [0] * (len(EVIL) - 1))
    fragment = tree._repr_html_()
    assert "<script" not in fragment
    assert "<img" not in fragment
    assert "&lt;script&gt;" in fragment
    assert fragment.startswith("<div")
    for tag in ("div", "details"):
        assert fragment.count(f"<{tag}") == fragment.count(f"</{tag}>")


@pytest.mark.parametrize("size", [0, 1, 2, 299, 300, 301, 5000])
def test_notebook_elements_are_closed_at_any_size(size):
    for tree in (
        Tree.from_sequence(["a"] * size),
        Tree.from_parents(["a"] * size, [-1] * min(size, 1) + [0] * max(size - 1, 0)),
    ):
        fragment = tree._repr_html_()
        for tag in ("div", "details", "summary"):
            assert fragment.count(f"<{tag}") == fragment.count(f"</{tag}>")
        assert f"Tree of {size} node" in fragment
        assert fragment.count("<details") <= 300


def test_pages_load_nothing():
    page = align(Tree.from_sequence("ab"), Tree.from_sequence("ac")).to_html()
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page


def test_rows_hold_all_nodes_and_costs():
    x = Tree.from_bracket("{a{b}{c{d}}}")
    data = data_of(align(x, Tree.from_bracket("{a{e}{d}}")).to_html(names=("p", "q")))
    assert data["kinds"] == "krdk"
    assert data["nodes"] == [[0, 1, 2, 3], [0, 1, -1, 2]]
    assert data["costs"] == {"1": "1", "2": "1"}
    assert [side["name"] for side in data["sides"]] == ["p", "q"]


def test_unchanged_stretches_keep_edits_and_their_ancestors():
    x = large(400)
    y = changed(x, 200)
    data = data_of(align(x, y).to_html())
    hidden = {row for first, last in data["gaps"] for row in range(first, last + 1)}
    visible = set(range(400)) - hidden
    parents = x.parents.tolist()
    assert {0, 1, 2, 197, 200, 203, parents[200], parents[parents[200]]} <= visible
    assert len(visible) < 30
    assert data_of(align(x, x).to_html())["gaps"] == [[3, 399]]


def test_names_must_be_a_pair():
    alignment = align(Tree.from_sequence("ab"), Tree.from_sequence("a"))
    for names in ("xy", ["x"], ["x", "y", "z"]):
        with pytest.raises(ValueError, match="names"):
            alignment.to_html(names=names)


def test_an_alignment_is_folded_searched_and_stepped_through(tmp_path):
    x = large()
    y = changed(x, 500, 1500)
    path = tmp_path / "alignment.html"
    path.write_text(align(x, y).to_html(names=("old", "new")), encoding="utf-8")
    with opened(path) as page:
        assert "2 replaced" in texts(page, ".tm-count")
        rows = texts(page, ".tm-row")
        assert any("unchanged nodes" in row for row in rows)
        one(page, "body").send_keys("n")  # keys work before the first click
        assert texts(page, ".tm-current .tm-label")[0] == x.labels[500]
        one(page, "body").send_keys("/")
        assert page.switch_to.active_element == one(page, "input")
        one(page, "input").send_keys("node 1", ESCAPE)
        assert one(page, "input").get_attribute("value") == ""
        button(page, "↓ change").click()
        assert texts(page, ".tm-current .tm-label")[0] == x.labels[500]
        button(page, "↓ change").click()
        assert texts(page, ".tm-current .tm-label")[0] == x.labels[1500]
        button(page, "↑ change").click()
        assert texts(page, ".tm-current .tm-label")[0] == x.labels[500]
        one(page, "input").send_keys("node 1999")
        assert one(page, ".tm-found").text == "1 of 1"
        assert texts(page, ".tm-current .tm-label")[0] == "node 1999"
        assert "old" in one(page, ".tm-status").text
        button(page, "all rows").click()
        # Only what is in view is in the document.
        assert 20 < len(all_of(page, ".tm-row")) < 100
        assert (
            page.execute_script("return document.querySelector('.tm-outline').outline.items.length")
            == 2000
        )
        button(page, "fold").click()
        assert len(all_of(page, ".tm-row")) == 7
        one(page, ".tm-fold").click()
        assert len(all_of(page, ".tm-row")) == 1


def test_a_gap_opens_by_a_click(tmp_path):
    x = large(100)
    path = tmp_path / "alignment.html"
    path.write_text(align(x, changed(x, 50)).to_html(), encoding="utf-8")
    with opened(path, dark=True) as page:
        gaps = (
            "return document.querySelector('.tm-outline').outline.items.filter(x => x.count).length"
        )
        before = page.execute_script(gaps)
        one(page, ".tm-gap").click()
        assert page.execute_script(gaps) == before - 1


def test_evil_labels_are_text_in_a_browser(tmp_path):
    tree = Tree.from_parents(EVIL[:4], [-1, 0, 0, 0])
    path = tmp_path / "tree.html"
    path.write_text(tree.to_html(name=EVIL[1]), encoding="utf-8")
    with opened(path) as page:
        assert texts(page, ".tm-label") == list(EVIL[:4])
        assert not all_of(page, "img")
        assert page.title == EVIL[1]


def test_a_tree_of_a_hundred_thousand_nodes_stays_usable(tmp_path):
    rng = np.random.default_rng(0)
    parents = [-1, *(int(rng.integers(max(0, n - 50), n)) for n in range(1, 100_000))]
    children = [[] for _ in parents]
    for node, parent in enumerate(parents[1:], 1):
        children[parent].append(node)
    tree = Tree.from_adjacency([f"label {n % 97}" for n in range(100_000)], children)
    path = tmp_path / "tree.html"
    path.write_text(tree.to_html(), encoding="utf-8")
    with opened(path) as page:
        one(page, "input").send_keys("label 96")
        assert one(page, ".tm-found").text.endswith("of 1030")
        assert len(all_of(page, ".tm-row")) < 100


def test_lines_of_source_are_beside_the_nodes(tmp_path):
    for name, text in (("old.py", "x = 1\n\ny = 2\n"), ("new.py", "x = 1\n\n\n\nz = 2\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    path = tmp_path / "changes.html"
    sources = [str(tmp_path / name) for name in ("old.py", "new.py")]
    assert main(["align", *sources, "-o", str(path)]) == 0
    with opened(path) as page:
        assert texts(page, ".tm-r .tm-label") == ["Name y", "Name z"]
        assert texts(page, ".tm-r .tm-line") == ["3", "5"]
        button(page, "↓ change").click()
        assert "line 3, node" in one(page, ".tm-status").text
        assert "line 5, node" in one(page, ".tm-status").text
