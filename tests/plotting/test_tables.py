"""Pictures and pages of two aligned tables."""

from collections import Counter
from html.parser import HTMLParser

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

import treemetric as tm
from treemetric.alignment.tables import aligned_tables, changed_tokens, grid_of
from treemetric.plotting import plot_tables, tables_html
from treemetric.plotting.tables import _GROUNDS, _LETTERS

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def table(*rows):
    """Make the tree of a table; a cell is a text, or (text, colspan, rowspan)."""
    labels, parents = [("table", None, None, None)], [-1]
    for row in rows:
        labels.append(("tr", None, None, None))
        parents.append(0)
        here = len(labels) - 1
        for cell in row:
            text, columns, lines = cell if isinstance(cell, tuple) else (cell, 1, 1)
            labels.append(("td", columns, lines, text))
            parents.append(here)
    return tm.Tree.from_parents(labels, parents)


X = table(["item", "price"], ["apple", "1.20"], [("total", 2, 1)])
Y = table(["item", "price"], ["apples", "1.20"], ["plum", "3.00"], [("total", 2, 1)])


def test_cells_are_placed_as_browsers_do():
    tree = table([("a", 1, 2), "b", ("c", 2, 9)], ["d"], [], ["e"])
    grid = grid_of(tree, "f")
    places = {"".join(cell.tokens): cell[1:5] for cell in grid.cells}
    assert places["a"] == (0, 0, 2, 1)
    assert places["c"] == (0, 2, 4, 2)
    assert places["d"] == (1, 1, 1, 1)
    assert places["e"] == (3, 0, 1, 1)
    assert grid[1:] == (4, 4)
    assert grid_of(table(), "f")[1:] == (0, 0)


def test_every_cell_has_its_kind():
    found = aligned_tables((X, Y), "f")
    assert found.counts() == {"kept": 4, "replaced": 1, "deleted": 0, "inserted": 2}
    back = aligned_tables(tm.align(Y, X, costs=tm.TableCosts()), "f")
    assert back.counts() == {"kept": 4, "replaced": 1, "deleted": 2, "inserted": 0}
    assert changed_tokens("apple", "apples") == ([False] * 5, [False] * 5 + [True])


def test_the_plot_shows_cells_differences_and_matches():
    ax = plot_tables((X, Y))
    assert ax.get_title() == "Tables at distance 3.16667"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "4 kept",
        "1 replaced",
        "0 deleted",
        "2 inserted",
    ]
    grounds = Counter(
        to_hex(patch.get_facecolor()) for patch in ax.patches if isinstance(patch, Rectangle)
    )
    assert grounds[to_hex(_GROUNDS["kept"])] == 8
    assert grounds[to_hex(_GROUNDS["replaced"])] == 2
    assert grounds[to_hex(_GROUNDS["inserted"])] == 2
    assert grounds[_LETTERS[1]] == 1
    assert _LETTERS[0] not in grounds
    assert [len(lines.get_segments()) for lines in ax.collections] == [4, 1]
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("apple") == 2
    assert "s" in texts


def test_a_plot_goes_into_given_axes_whatever_the_size():
    _, ax = plt.subplots(figsize=(3, 2))
    assert plot_tables((X, Y), ax=ax) is ax
    assert plot_tables((table(), table())).get_title() == "Tables at distance 0"
    long = table(["x" * 300 + "a"], ["\n\t$^{"])
    ax = plot_tables((long, table(["x" * 300 + "b"], ["\n\t$^{"])))
    assert any(text.get_text().startswith("…") for text in ax.texts)
    ax.figure.canvas.draw()


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open, self.kinds = Counter(), [], Counter()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        if tag == "td":
            self.kinds[dict(attrs)["title"]] += 1
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing():
    text = tables_html((X, table(["<b>&", "price"], ["apples", "1.20"], [("total", 2, 1)])))
    page = _Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.tags["table"] == 2
    assert page.kinds == {"kept": 6, "replaced": 4}
    assert not {"script", "link", "img", "style"} & page.tags.keys()
    assert "&lt;b&gt;&amp;" in text
    assert 'colspan="2"' in text
    assert '<span style="background:rgba(0,158,115,.55)">s</span>' in text


def test_tables_in_html_are_read():
    pytest.importorskip("lxml")
    page = "<table><tr><td>a<b>c</b></table>"
    assert plot_tables((page, page)).get_title() == "Tables at distance 0"


def test_other_things_are_refused():
    must = "'tables' parameter of plot_tables must be an alignment of two tables, or a pair"
    for bad in (X, "ab", (X,), None):
        with pytest.raises(ValueError, match=must):
            plot_tables(bad)
    other = tm.Tree.from_bracket("{a}")
    with pytest.raises(ValueError, match=r"trees with labels .*Got the label 'a'"):
        tables_html(tm.align(other, other))
