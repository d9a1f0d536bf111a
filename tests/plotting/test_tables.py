"""Pictures and pages of two aligned tables."""

import warnings
from collections import Counter
from html.parser import HTMLParser

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch, Rectangle

import treemetric as tm
from treemetric.alignment.tables import aligned_tables, changed_tokens, grid_of
from treemetric.plotting import plot_tables, tables_html
from treemetric.plotting.lettering import Lettering
from treemetric.plotting.shortening import shortened, width_of
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
    # Three rows are joined, and one changed cell.
    assert [len(lines.get_segments()) for lines in ax.collections] == [3, 0, 1]
    texts = texts_of(ax)
    assert texts.count("apple") == texts.count("apples") == 1


def texts_of(ax):
    """Return the texts that are drawn in cells."""
    return [patch.get_label()[1:] for patch in ax.patches if isinstance(patch, PathPatch)]


def boxes_of(ax, color):
    """Return the rectangles of a colour."""
    return [
        patch.get_bbox()
        for patch in ax.patches
        if isinstance(patch, Rectangle) and to_hex(patch.get_facecolor()) == to_hex(color)
    ]


def test_letters_are_on_a_grid_of_equal_steps():
    ax = plot_tables((table(["Head of two"]), table(["Head of two!"])))
    (cell,) = (box for box in boxes_of(ax, _GROUNDS["replaced"]) if box.x0 == 0)
    (mark,) = boxes_of(ax, _LETTERS[1])
    x, y = (patch.get_path() for patch in ax.patches if isinstance(patch, PathPatch))
    # The outlines of both texts are equal up to the letter that differs, which is on its ground.
    equal = len(x.vertices)
    shift = y.vertices[0] - x.vertices[0]
    assert y.vertices[:equal] - x.vertices == pytest.approx(shift + 0 * x.vertices)
    assert mark.x0 < y.vertices[equal:, 0].min() < y.vertices[equal:, 0].max() < mark.x1
    assert cell.x0 < x.vertices[:, 0].min() < x.vertices[:, 0].max() < cell.x1
    # Eleven letters take eleven steps, of one unit each.
    assert mark.x1 - mark.x0 == pytest.approx(1.1)
    assert 10 < x.vertices[:, 0].max() - x.vertices[:, 0].min() < 11


def test_lines_begin_and_end_in_the_cells_they_join():
    x = [[f"{i}.{j}" for j in range(6)] for i in range(5)]
    y = [[text for j, text in enumerate(row) if j != 2] for row in x[:3] + x[4:]]
    y[1][3] += "!"
    ax = plot_tables((table(*x), table(*y)))
    rows, moved, changed = (lines.get_segments() for lines in ax.collections)
    assert len(rows) == 4
    assert len(moved) == 0
    (line,) = changed
    old, new = boxes_of(ax, _GROUNDS["replaced"])
    for box, end in ((old, line[0]), (new, line[-1])):
        assert box.x0 < end[0] < box.x1
        assert box.y0 < end[1] < box.y1
    # Lines are level in the tables, and slope between them only.
    assert line[0][1] == line[1][1]
    assert line[-2][1] == line[-1][1]
    numbers = [text.get_text() for text in ax.texts if text.get_text().isdigit()]
    assert numbers == [*"123456", *"12456"]


def test_equal_cells_that_moved_are_joined():
    x = table(["a", "b", "c"], ["d", "e", "f"], ["g", "h", "moving text"])
    y = table(["a", "b", "c"], ["d", "e", "f"], ["h", "moving text"])
    ax = plot_tables((x, y))
    assert [len(lines.get_segments()) for lines in ax.collections] == [3, 2, 0]


def test_a_difference_in_spans_is_written():
    ax = plot_tables((table([("a", 2, 1)], ["b", "c"]), table([("a", 1, 2)], ["b", "c"])))
    assert texts_of(ax).count("colspan 2 → 1, rowspan 1 → 2") == 2
    assert plot_tables((X, Y)).figure.get_figwidth() == pytest.approx(4.94, abs=0.1)
    wide = plot_tables((table([("a", 1000, 1)], ["b"]), table([("a", 999, 1)], ["b"])))
    assert texts_of(wide).count("colspan 1000 → 999") == 2
    assert wide.figure.get_figwidth() < 6
    broad = table(["a long text in each of many columns"] * 200)
    assert plot_tables((broad, broad)).figure.get_figwidth() < 41


def test_each_difference_of_a_long_text_is_shown():
    old = "start " + "x" * 200 + " one " + "y" * 200 + " two"
    new = old.replace("one", "ONE").replace("two", "TWO")
    ax = plot_tables((table([old]), table([new])))
    left, right = texts_of(ax)
    assert "one" in left
    assert "two" in left
    assert "ONE" in right
    assert "TWO" in right
    assert len(left) == len(right) == 40
    assert len(boxes_of(ax, _LETTERS[1])) == 2


@given(
    st.lists(st.tuples(st.sampled_from("ab漢 \u0301"), st.booleans()), max_size=60),
    st.integers(1, 50),
)
def test_shortened_texts_fit(letters, room):
    short = shortened(letters, room)
    if width_of(letters) <= room:
        assert short == letters
    else:
        assert width_of(short) <= room
        assert any(letter == "…" for letter, _ in short)
        assert any(mark for _, mark in short) == any(mark for _, mark in letters)


def test_letters_without_a_font_are_quiet():
    pair = table(["漢字", "e\u0301"], ["\U0010fffd", "\U0001f600"]), table(["漢", "e"], ["", "😀"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = plot_tables(pair)
        ax.figure.canvas.draw()
    (text,) = (patch for patch in ax.patches if patch.get_label() == "_漢字")
    corners = text.get_path().vertices
    assert 2 < corners[:, 0].max() - corners[:, 0].min() < 4


def test_an_accent_is_over_the_letter_before_it():
    lettering = Lettering("e\u0301a", 2.0)
    bare, whole = (lettering.outline(text, 0.0, 0.0).vertices for text in ("e", "e\u0301"))
    accent = whole[len(bare) :, 0]
    assert 0 < accent.min() < accent.max() < 1
    after = lettering.outline("e\u0301a", 0.0, 0.0).vertices[len(whole) :, 0]
    assert 1 < after.min() < after.max() < 2


def test_a_plot_goes_into_given_axes_whatever_the_size():
    _, ax = plt.subplots(figsize=(3, 2))
    assert plot_tables((X, Y), ax=ax) is ax
    assert plot_tables((table(), table())).get_title() == "Tables at distance 0"
    long = table(["x" * 300 + "a"], ["\n\t$^{"])
    ax = plot_tables((long, table(["x" * 300 + "b"], ["\n\t$^{"])))
    assert sum("…" in text for text in texts_of(ax)) == 2
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


def test_the_page_shows_spans_that_differ():
    text = tables_html((table([("a", 2, 1)], ["b", "c"]), table([("a", 1, 1)], ["b", "c"])))
    assert text.count("colspan 2 → 1</small>") == 2


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
