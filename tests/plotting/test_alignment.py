"""Pictures and tables of alignments."""

import re
import sys
from collections import Counter
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex

import treemetric as tm
from treemetric.alignment.html import alignment_html
from treemetric.alignment.layout import aligned_rows, count_kinds, indents, label_text
from treemetric.plotting.alignment import _COLORS, plot_alignment

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

KIND_OF = {"replace": "replaced", "delete": "deleted", "insert": "inserted"}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def bracket(x, y):
    return tm.align(tm.Tree.from_bracket(x), tm.Tree.from_bracket(y))


def random_tree(rng, size, labels=("FunctionDef", "Name", "Load", "Call", "Attribute")):
    parents = [-1, *(int(rng.integers(node)) for node in range(1, size))]
    adj = [[child for child in range(size) if parents[child] == node] for node in range(size)]
    return tm.Tree.from_adjacency([str(label) for label in rng.choice(labels, size)], adj)


def random_alignment(size, seed=0):
    rng = np.random.default_rng(seed)
    return tm.align(random_tree(rng, size), random_tree(rng, size))


ALIGNMENTS = {
    "tiny": lambda: bracket("{a{b}{c{d}}{f}}", "{a{b}{d}{g}{e}}"),
    "one node": lambda: bracket("{a}", "{b}"),
    "equal": lambda: bracket("{a{b}}", "{a{b}}"),
    "forests": lambda: bracket("{a{b}}{c}{d{e}}", "{c}{d{f}}"),
    "forest and empty": lambda: bracket("{a{b}{c}}{d}", ""),
    "empty and forest": lambda: bracket("", "{a{b}{c}}{d}"),
    "empty": lambda: bracket("", ""),
    "60 nodes": lambda: random_alignment(60),
}


@pytest.fixture(params=ALIGNMENTS)
def alignment(request):
    return ALIGNMENTS[request.param]()


def edit_kinds(alignment):
    """Count the nodes' kinds by the list of edits."""
    kinds = Counter(KIND_OF[edit.op] for edit in alignment.edits())
    kinds["kept"] = len(alignment.pairs) - sum(kinds.values())
    return {kind: kinds[kind] for kind in _COLORS}


def drawn_labels(ax):
    """Texts of nodes as (text, column, row, colour of the box or None)."""
    for text in ax.texts:
        if text.get_position()[1] >= 0:
            box = text.get_bbox_patch()
            color = None if box is None else to_hex(box.get_facecolor()).upper()
            yield text.get_text(), *text.get_position(), color


def lines(ax):
    """Segments of the two trees, of kept and of replaced pairs."""
    return [collection.get_segments() for collection in ax.collections]


# --- the rows ------------------------------------------------------------------------


def test_rows_hold_every_pair_once_and_both_trees_in_preorder(alignment):
    rows = aligned_rows(alignment)
    assert {(row.i, row.j) for row in rows} == set(alignment.pairs)
    assert len(rows) == len(alignment.pairs)
    assert [row.i for row in rows if row.i is not None] == list(range(alignment.x.size))
    assert [row.j for row in rows if row.j is not None] == list(range(alignment.y.size))
    assert count_kinds(rows) == edit_kinds(alignment)


def test_equal_labels_are_replaced_where_the_edits_say_so():
    costs = tm.CallableCosts(lambda a, b: 0.5 if a == b else 2.0)
    alignment = tm.align(tm.Tree.from_bracket("{a}"), tm.Tree.from_bracket("{a}"), costs=costs)
    assert [row.kind for row in aligned_rows(alignment)] == ["replaced"]


def test_indents_are_steps_per_ancestor_within_the_width():
    tree = tm.Tree.from_bracket("{a{b{c}}{d}}{e}")
    assert indents(tree, 2.0, 40.0) == [0, 2, 4, 2, 0]
    assert indents(tm.Tree.from_bracket(""), 2.0, 40.0) == []
    chain = indents(tm.Tree.from_sequence("a" * 5000), 2.0, 40.0)
    assert chain[0] == 0
    assert chain[-1] == pytest.approx(40.0)


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("Name", "Name"),
        ("two\nlines\t", r"two\nlines\t"),
        ("", "''"),
        ("  ", "'  '"),
        (3, "3"),
        (None, "None"),
        (("a", 1), "a 1"),
        (("Constant", "str", " "), "Constant str ' '"),
        ((1, "a"), "(1, 'a')"),
        ("0123456789", "0123456789"),
        ("0123456789x", "012345678…"),
        ("\ud800", r"\ud800"),
    ],
)
def test_labels_are_written_in_one_short_line(label, text):
    assert label_text(label, 10 if str(label)[:1] == "0" else 28) == text


# --- the picture ---------------------------------------------------------------------


def test_every_node_has_a_label_in_the_colour_of_its_kind(alignment):
    ax = plot_alignment(alignment)
    labels = list(drawn_labels(ax))
    assert Counter(text for text, *_ in labels) == Counter(
        label_text(label, 28) for label in alignment.x.labels + alignment.y.labels
    )
    boxes = Counter(color for *_, color in labels)
    kinds = edit_kinds(alignment)
    assert boxes[None] == 2 * kinds["kept"]
    assert boxes[_COLORS["replaced"].upper()] == 2 * kinds["replaced"]
    assert boxes[_COLORS["deleted"].upper()] == kinds["deleted"]
    assert boxes[_COLORS["inserted"].upper()] == kinds["inserted"]


def test_matches_are_level_lines_and_trees_have_their_edges(alignment):
    ax = plot_alignment(alignment)
    left, right, kept, replaced = lines(ax)
    kinds = edit_kinds(alignment)
    assert (len(kept), len(replaced)) == (kinds["kept"], kinds["replaced"])
    for (x0, y0), (x1, y1) in [*kept, *replaced]:
        assert x0 < x1
        assert y0 == y1
    for tree, segments in ((alignment.x, left), (alignment.y, right)):
        parents = tree.parents[tree.parents >= 0]
        assert len(segments) == len(parents) + len(set(parents.tolist()))
    assert to_hex(ax.collections[3].get_color()[0]).upper() == _COLORS["replaced"].upper()


def test_title_legend_and_headings_tell_the_numbers(alignment):
    ax = plot_alignment(alignment)
    assert ax.get_title() == f"Alignment of cost {alignment.cost:.6g}"
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == [f"{n} {kind}" for kind, n in edit_kinds(alignment).items()]
    headings = [text.get_text() for text in ax.texts if text.get_position()[1] < 0]
    sizes = alignment.x.size, alignment.y.size
    assert [int(re.search(r"\d+", heading)[0]) for heading in headings] == list(sizes)


def test_nothing_overlaps_or_leaves_the_picture(alignment):
    ax = plot_alignment(alignment)
    figure = ax.get_figure()
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in ax.texts]
    inside = ax.bbox.padded(1)
    for box in boxes:
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
        assert inside.y0 <= box.y0
        assert box.y1 <= inside.y1
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])
    legend = ax.get_legend().get_window_extent(renderer)
    assert not any(legend.overlaps(box) for box in boxes)
    assert inside.x0 <= legend.x0
    assert legend.x1 <= inside.x1


def test_matches_begin_after_the_label_and_end_before_the_other(alignment):
    ax = plot_alignment(alignment)
    figure = ax.get_figure()
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    extents = {}
    for text in ax.texts:
        extents.setdefault(text.get_position()[1], []).append(text.get_window_extent(renderer))
    for segment in lines(ax)[2] + lines(ax)[3]:
        begin, end = ax.transData.transform(segment)[:, 0]
        first, second = extents[segment[0][1]]
        assert first.x1 < begin < end < second.x0


def test_children_stand_right_of_and_below_their_parent():
    alignment = random_alignment(30, seed=3)
    ax = plot_alignment(alignment)
    rows = aligned_rows(alignment)
    place = {(column > 20, row): column for _, column, row, _ in drawn_labels(ax)}
    row_of = {row.i: at for at, row in enumerate(rows)}
    start = min(place.values())
    columns = [
        min(column for (_, at), column in place.items() if at == row_of[node])
        for node in range(alignment.x.size)
    ]
    assert columns[0] == start
    for node, parent in enumerate(alignment.x.parents.tolist()):
        if parent >= 0:
            assert columns[node] == columns[parent] + 2
            assert row_of[node] > row_of[parent]


def test_the_figure_grows_with_the_trees():
    small = plot_alignment(bracket("{a}", "{a}")).get_figure().get_size_inches()
    large = plot_alignment(random_alignment(60)).get_figure().get_size_inches()
    assert small[1] < 1.5
    assert large[1] > 8
    assert small[0] < 8
    assert large[0] < 12


def test_large_and_deep_trees_are_drawn_within_limits():
    x, y = tm.Tree.from_sequence("ab" * 500), tm.Tree.from_sequence("ba" * 500)
    figure = plot_alignment(tm.align(x, y)).get_figure()
    assert max(figure.get_size_inches()) < 130
    wide = tm.Tree.from_nested(("root", ["leaf"] * 1500))
    figure = plot_alignment(tm.align(wide, wide)).get_figure()
    assert max(figure.get_size_inches()) < 130


def test_given_axes_are_used_and_letters_fit_into_them():
    figure, axes = plt.subplots(1, 2, figsize=(9, 5))
    alignment = random_alignment(60)
    assert plot_alignment(alignment, ax=axes[0]) is axes[0]
    assert plot_alignment(bracket("{a}", "{b}"), ax=axes[1]) is axes[1]
    assert plt.get_fignums() == [figure.number]
    small, normal = (ax.texts[-1].get_fontsize() for ax in axes)
    assert small < normal / 2
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in axes[0].texts]
    assert max(box.x1 for box in boxes) <= axes[0].bbox.x1
    assert min(box.y0 for box in boxes) >= axes[0].bbox.y0 - 1


def test_works_on_a_figure_without_pyplot(tmp_path):
    figure = mpl.figure.Figure()
    plot_alignment(bracket("{a{b}}", "{a{c}}"), ax=figure.subplots())
    for name in ("picture.png", "picture.svg"):
        figure.savefig(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    assert not plt.get_fignums()


def test_labels_of_any_kind_are_drawn_as_they_are(tmp_path):
    x = tm.Tree.from_nested(("<a> & $x^2$", [3, None, "_{", (("t", 1), []), "", "$\\frac$"]))
    y = tm.Tree.from_nested(("<a> & $y$", [3, 2.5, "two\nlines", "x" * 100]))
    ax = plot_alignment(tm.align(x, y))
    drawn = {text for text, *_ in drawn_labels(ax)}
    assert {"<a> & $x^2$", "3", "None", "_{", "t 1", "''", "2.5", r"two\nlines"} <= drawn
    assert max(map(len, drawn)) == 28
    ax.get_figure().savefig(tmp_path / "picture.png")


def test_kept_labels_take_the_colour_of_the_style():
    with plt.style.context("dark_background"):
        ax = plot_alignment(bracket("{a}", "{a}"))
    assert [to_hex(text.get_color()) for text in ax.texts[2:]] == ["#ffffff"] * 2


def test_a_missing_matplotlib_is_named_with_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"treemetric\[plot\]"):
        plot_alignment(bracket("{a}", "{b}"))


# --- the table -----------------------------------------------------------------------


class _Table(HTMLParser):
    """Collects the cells of a table's body and checks that tags close in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.rows, self.tags, self.text = [], [], set(), ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "tr" and "tbody" in self.open:
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append(["", dict(attrs)["style"]])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open[-1] == "td":
            self.rows[-1][-1][0] += data


def test_the_table_has_a_row_per_pair_with_both_labels(alignment):
    table = _Table(alignment_html(alignment))
    rows = aligned_rows(alignment)
    assert len(table.rows) == len(rows)
    for row, (left, sign, right) in zip(rows, table.rows, strict=True):
        x, y = alignment.x, alignment.y
        assert left[0].strip() == ("" if row.i is None else x.labels[row.i])
        assert right[0].strip() == ("" if row.j is None else y.labels[row.j])
        signs = {"kept": "", "replaced": "→", "deleted": "\u2212", "inserted": "+"}
        assert sign[0] == signs[row.kind]
        assert ("background" in left[1]) == (row.kind in ("replaced", "deleted"))
        assert ("background" in right[1]) == (row.kind in ("replaced", "inserted"))
    assert f"Alignment of cost {alignment.cost:.6g}: " in table.text
    for kind, n in edit_kinds(alignment).items():
        assert f"{n} {kind}" in table.text


def test_the_table_indents_by_depth():
    table = _Table(alignment_html(bracket("{a{b{c}}{d}}", "{a{b{c}}{d}}")))
    assert [left[0].count("\xa0") for left, _, _ in table.rows] == [0, 2, 4, 2]


def test_the_table_escapes_labels_and_needs_no_script():
    x = tm.Tree.from_nested(("<script>alert(1)</script>", ['"&amp;', "<b>", 3, None, "a\nb"]))
    html = alignment_html(tm.align(x, x))
    table = _Table(html)
    assert table.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td"}
    labels = [left[0].strip() for left, _, _ in table.rows]
    assert labels == ["<script>alert(1)</script>", '"&amp;', "<b>", "3", "None", r"a\nb"]
    assert "<script" not in html
    assert "id=" not in html


def test_a_long_table_folds_what_is_kept_far_from_edits():
    leaves = [f"n{k}" for k in range(400)]
    other = [*leaves[:150], "new", *leaves[151:]]
    x, y = tm.Tree.from_nested(("r", leaves)), tm.Tree.from_nested(("r", other))
    table = _Table(alignment_html(tm.align(x, y)))
    texts = [" ".join(cell[0].strip() for cell in row) for row in table.rows]
    near = [f"n{k}  n{k}" for k in (147, 148, 149)]
    after = [f"n{k}  n{k}" for k in (151, 152, 153)]
    top = ["r  r", "n0  n0", "n1  n1"]
    assert texts == [*top, "⋯ 145 kept", *near, "n150 → new", *after, "⋯ 246 kept"]


def test_a_table_that_stays_long_is_cut_with_a_note():
    x = tm.Tree.from_nested(("r", [f"a{k}" for k in range(300)]))
    table = _Table(alignment_html(tm.align(x, tm.Tree.from_bracket(""))))
    assert len(table.rows) == 201
    assert table.rows[-1][0][0] == "⋯ 101 more rows"
    assert "301 deleted" in table.text


def test_a_table_of_200_rows_is_whole():
    x = tm.Tree.from_nested(("r", ["a"] * 199))
    assert len(_Table(alignment_html(tm.align(x, x))).rows) == 200


def test_a_tree_is_no_alignment():
    with pytest.raises(TypeError, match=r"Use plot_alignment\(align\(x, y\)\)"):
        plot_alignment(tm.Tree.from_bracket("{a}"))
