"""Pictures with many names, many classes, and labels in any script stay readable."""

import warnings
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.text import Text

import treemetric as tm
from treemetric.plotting import (
    fonts,
    plot_alignment,
    plot_costs,
    plot_distances,
    plot_embedding,
    plot_map,
    plot_tree,
)

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

NAMES = ("文法", "名詞句", "שלום", "Ελληνικά", "हिन्दी", "\U000e0fff", "a")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def distances(count, seed=0):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return np.linalg.norm(points[:, None] - points[None, :], axis=2)


def overlaps(labels):
    """Pairs of neighbouring texts that overlap by more than a pixel."""
    boxes = [label.get_window_extent() for label in labels]
    return [
        (a.y0, b.y1)
        for a, b in pairwise(boxes)
        if min(a.y1, b.y1) - max(a.y0, b.y0) > 1 and min(a.x1, b.x1) - max(a.x0, b.x0) > 1
    ]


@pytest.mark.parametrize("count", [2, 5, 20, 50, 120])
@pytest.mark.parametrize("size", [None, (4, 4)])
def test_names_of_rows_do_not_overlap(count, size):
    ax = None if size is None else plt.subplots(figsize=size, layout="constrained")[1]
    names = [f"module_{k}.function_{k}" for k in range(count)]
    ax = plot_distances(distances(count), labels=names, ax=ax)
    ax.figure.draw_without_rendering()
    assert max(ax.figure.get_size_inches()) <= 12.5
    drawn = [label.get_text() for label in ax.get_yticklabels()]
    assert set(drawn) <= set(names)
    if size is None and count <= 50:
        assert len(drawn) == count
    for labels in (ax.get_yticklabels(), ax.get_xticklabels()):
        assert not overlaps(labels)


def test_names_of_many_classes_do_not_overlap():
    ax = plot_distances(distances(120), [f"class {k % 40}" for k in range(120)])
    ax.figure.draw_without_rendering()
    assert not overlaps(ax.get_yticklabels())
    assert not overlaps(ax.get_xticklabels())


@pytest.mark.parametrize("count", [11, 40, 60, 200])
def test_a_map_of_many_classes_keeps_its_size(count):
    D = distances(2 * count)
    ax = plot_map(D, [f"class {k % count}" for k in range(2 * count)])
    ax.figure.draw_without_rendering()
    width, height = ax.figure.get_size_inches() * ax.figure.dpi
    assert ax.bbox.width > 0.4 * width
    assert ax.bbox.height > 0.7 * height
    legend = ax.get_legend()
    assert len(legend.get_texts()) == min(count, 60)
    box = legend.get_window_extent()
    assert box.x0 >= ax.bbox.x1
    assert 0 <= box.y0 < box.y1 <= height + 1
    assert box.x1 <= width + 1


def test_a_map_needs_no_classes():
    ax = plot_map(distances(10))
    assert ax.get_legend() is None
    assert len(ax.collections) == 1


def test_costs_of_many_labels_fit_a_page():
    vectors = np.random.default_rng(0).normal(size=(400, 2))
    ax = plot_costs(tm.EmbeddingCosts([f"label {k}" for k in range(400)], vectors))
    assert max(ax.figure.get_size_inches()) <= 12.5
    ax.figure.draw_without_rendering()
    assert not overlaps(ax.get_yticklabels())
    assert ax.get_yticklabels()[-1].get_text() == "gap"


def large(count, *edits):
    tree = tm.Tree.from_parents([f"n{k}" for k in range(count)], [-1, *range(count - 1)])
    labels = list(tree.labels)
    for node in edits:
        labels[node] = "new"
    return tree, tm.Tree.from_parents(labels, tree.parents)


def test_unchanged_parts_of_a_long_alignment_are_folded():
    ax = plot_alignment(tm.align(*large(1000, 500, 800)))
    drawn = [text.get_text() for text in ax.texts]
    assert sum("unchanged nodes" in text for text in drawn) == 3
    assert drawn.count("new") == 2
    assert ax.figure.get_size_inches()[1] < 10
    counts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert counts == ["998 kept", "2 replaced", "0 deleted", "0 inserted"]
    hidden = sum(int(text.split()[1]) for text in drawn if "unchanged" in text)
    left = [text for text in drawn if text.startswith("n")]
    # Each visible row has a label on both sides; two titles are "x, 1000 nodes" and "y, ...".
    assert hidden + len(left) / 2 == 1000


def test_the_rest_of_an_alignment_is_counted():
    ax = plot_alignment(tm.align(*large(300, *range(300))), max_rows=50)
    assert ax.texts[-1].get_text() == "⋯ 250 more rows with 250 edits"
    rows = [text for text in ax.texts if text.get_text() == "new"]
    assert len(rows) == 50
    everything = plot_alignment(tm.align(*large(150)), max_rows=None)
    assert len(everything.texts) == 2 + 300


def test_labels_in_any_script_are_drawn_without_a_warning(tmp_path):
    tree = tm.Tree.from_nested((NAMES[0], list(NAMES[1:])))
    costs = tm.EmbeddingCosts(NAMES, np.random.default_rng(0).normal(size=(len(NAMES), 2)))
    D = distances(len(NAMES))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ax in (
            plot_alignment(tm.align(tree, tree)),
            plot_tree(tree),
            plot_costs(costs),
            plot_embedding(costs),
            plot_distances(D, labels=NAMES),
            plot_map(D, NAMES),
        ):
            ax.figure.savefig(tmp_path / "plot.png", dpi=40)
            drawn = {text.get_text() for text in ax.findobj(Text)}
            assert any(name in text for name in NAMES for text in drawn)


def test_fonts_of_the_style_come_first_and_missing_letters_are_replaced():
    face = fonts.typeface(["abc"])
    assert face.families == mpl.rcParams["font.family"]
    assert face.text("abc") == "abc"
    nowhere = "\U000e0fff"
    assert fonts.typeface([nowhere]).text(f"a{nowhere}b") == "a□b"


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_plots_take_axes_and_return_them(style):
    tree, other = large(8, 3)
    D = distances(5)
    costs = tm.EmbeddingCosts("abc", np.eye(3))
    with plt.style.context(style):
        for draw in (
            lambda ax: plot_tree(tree, ax=ax),
            lambda ax: plot_alignment(tm.align(tree, other), ax=ax),
            lambda ax: plot_distances(D, ax=ax),
            lambda ax: plot_map(D, ax=ax),
            lambda ax: plot_costs(costs, ax=ax),
            lambda ax: plot_embedding(costs, ax=ax),
        ):
            _, ax = plt.subplots(figsize=(3, 2))
            assert draw(ax) is ax
            ax.figure.draw_without_rendering()
