"""Pictures of trees: alone, at the leaves of a dendrogram, on a map."""

import json
import re

import matplotlib as mpl
import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import treemetric as tm
from browser import all_of, one, opened
from treemetric.plotting import map_html, plot_dendrogram, plot_tree

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def boxes(ax):
    ax.figure.draw_without_rendering()
    return [text.get_window_extent() for text in ax.texts]


def words(count, seed=0):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 9, count)
    return [tm.Tree.from_sequence(rng.choice(list("abcd"), n).tolist()) for n in lengths]


# --- plot_tree ---------------------------------------------------------------------


def test_children_are_on_the_right_of_their_parent_and_do_not_overlap():
    tree = tm.Tree.from_bracket("{root{first{x}{y}}{second{z{deep label}}}}")
    ax = plot_tree(tree)
    assert texts(ax) == list(tree.labels)
    found = boxes(ax)
    for node, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            assert found[node].x0 > found[parent].x1
    for i, box in enumerate(found):
        assert not any(box.overlaps(other) for other in found[:i])
    figure = ax.figure.bbox
    assert all(figure.x0 <= b.x0 and b.x1 <= figure.x1 and b.y0 >= 0 for b in found)


def test_parents_are_between_their_children():
    ax = plot_tree(tm.Tree.from_bracket("{a{b}{c}{d}}"))
    heights = [text.get_position()[1] for text in ax.texts]
    assert heights == [1.0, 0.0, 1.0, 2.0]


def test_nodes_that_are_left_out_are_counted():
    star = tm.Tree.from_parents(["r"] + ["x"] * 50, [-1] + [0] * 50)
    ax = plot_tree(star, max_nodes=10)
    assert texts(ax) == ["r"] + ["x"] * 9 + ["… 41"]
    assert ax.get_title() == "10 of 51 nodes"
    chain = tm.Tree.from_sequence("a" * 1000)
    ax = plot_tree(chain)
    drawn = len(ax.texts)
    assert texts(ax)[-1] == f"a … {1000 - drawn}"
    assert ax.figure.get_size_inches().max() < 30


@pytest.mark.parametrize("size", [(2, 1), (6, 4), (15, 15)])
def test_a_tree_fits_axes_of_any_size(size):
    tree = words(1, 3)[0]
    _, ax = plt.subplots(figsize=size)
    assert plot_tree(tree, ax=ax) is ax
    frame = ax.bbox
    for box in boxes(ax):
        assert frame.x0 - 1 <= box.x0
        assert box.x1 <= frame.x1 + 1


def test_empty_trees_forests_and_odd_labels():
    plot_tree(tm.Tree.from_nested([]))
    forest = tm.Tree.from_nested(["$a_1$", (("t", 1), ["\n", "", "  "])])
    ax = plot_tree(forest)
    ax.figure.draw_without_rendering()
    assert texts(ax)[0] == "$a_1$"


def test_all_nodes_on_request():
    assert len(plot_tree(tm.Tree.from_nested(("r", ["x"] * 300)), max_nodes=None).texts) == 301


@pytest.mark.parametrize("value", ["{a}", None, 3])
def test_other_objects_are_refused(value):
    with pytest.raises(TypeError, match="tree"):
        plot_tree(value)


# --- plot_dendrogram ---------------------------------------------------------------


def test_leaves_are_in_the_order_of_the_clusters():
    trees = [tm.Tree.from_sequence(s) for s in ("abcdef", "xyz", "abcdeg", "xyw")]
    ax = plot_dendrogram(tm.pairwise_distances(trees), trees)
    assert sorted(texts(ax)) == ["0", "1", "2", "3"]
    order = texts(ax)
    assert abs(order.index("0") - order.index("2")) == 1
    assert abs(order.index("1") - order.index("3")) == 1


@pytest.mark.parametrize("method", ["average", "complete", "single"])
@pytest.mark.parametrize("count", [2, 3, 39, 40, 41, 300])
def test_every_tree_is_counted_once(count, method):
    D = tm.pairwise_distances(words(count))
    ax = plot_dendrogram(D, method=method)
    others = [re.search(r"\+ (\d+)$", text) for text in texts(ax)]
    assert len(others) == min(count, 40)
    assert sum(1 + (int(found[1]) if found else 0) for found in others) == count
    # The last merge is at the left end.
    top = linkage(D[np.triu_indices(count, 1)], method)[-1, 2]
    segments = ax.collections[0].get_segments()
    assert min(segment[:, 0].min() for segment in segments) == (-1.0 if top else 0.0)


@pytest.mark.parametrize("width", [2.5, 3.6, 8.0])
def test_numbers_of_the_scale_do_not_overlap(width):
    _, ax = plt.subplots(figsize=(width, 2.5), layout="constrained")
    trees = words(12)
    plot_dendrogram(tm.pairwise_distances(trees, norm="weight"), trees, ax=ax)
    ax.figure.draw_without_rendering()
    numbers = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert len(numbers) >= 2
    assert all(
        not one.overlaps(other) for k, one in enumerate(numbers) for other in numbers[k + 1 :]
    )


def test_a_chain_of_merges_does_not_recurse():
    # Each object is merged with all before it.
    place = np.cumsum(np.arange(1.0, 3001.0))
    ax = plot_dendrogram(np.abs(place[:, None] - place[None, :]), method="single")
    assert len(ax.texts) == 40


def test_ids_are_names_and_trees_are_drawn():
    trees = tm.TreeSet(words(5), ids=list("pqrst"))
    ax = plot_dendrogram(tm.pairwise_distances(trees), trees)
    assert sorted(texts(ax)) == list("pqrst")
    dots = ax.collections[-1].get_offsets()
    assert len(dots) == sum(tree.size for tree in trees)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "ward"}, "method"),
        ({"names": ["a"]}, "names"),
        ({"trees": words(2)}, "trees"),
        ({"D": np.zeros((1, 1))}, "'D'"),
        ({"D": [[0, np.inf], [np.inf, 0]]}, "finite"),
    ],
)
def test_arguments_of_a_dendrogram_are_checked(options, match):
    with pytest.raises(ValueError, match=match):
        plot_dendrogram(**{"D": np.zeros((3, 3)), **options})


# --- map_html ----------------------------------------------------------------------


def data_of(page):
    return json.loads(re.search(r'application/json">(.*?)</script>', page, re.DOTALL)[1])


def test_a_map_holds_names_classes_and_trees():
    trees = tm.TreeSet(words(6), ids=["<script>", *"bcdef"])
    page = map_html(tm.pairwise_distances(trees), [0, 1] * 3, trees=trees)
    data = data_of(page)
    assert data["names"] == ["<script>", *"bcdef"]
    assert data["classes"] == ["0", "1"]
    assert data["codes"] == [0, 1] * 3
    assert data["notes"][0] == trees[0].to_text()
    assert page.count("<script") == 2
    places = np.column_stack([data["x"], data["y"]])
    assert np.abs(places).max() <= 0.5


@pytest.mark.parametrize("count", [0, 1, 2])
def test_maps_of_few_objects(count):
    data = data_of(map_html(np.zeros((count, count))))
    assert len(data["x"]) == count
    assert all(extent > 0 for extent in data["extent"])


def test_arguments_of_a_map_are_checked():
    for options in ({"names": ["a"]}, {"trees": words(1)}, {"y": [1]}):
        with pytest.raises(ValueError, match=next(iter(options))):
            map_html(np.zeros((3, 3)), **options)
    with pytest.raises(TypeError, match="trees"):
        map_html(np.zeros((1, 1)), trees=["{a}"])


def test_names_appear_under_the_mouse_and_can_be_searched(tmp_path):
    trees = tm.TreeSet(words(40), ids=[f"name {k}" for k in range(40)])
    path = tmp_path / "map.html"
    D = tm.pairwise_distances(trees)
    path.write_text(map_html(D, [k % 3 for k in range(40)], trees=trees), encoding="utf-8")
    with opened(path, dark=True) as page:
        actions = pytest.importorskip("selenium.webdriver").ActionChains(page)
        canvas = one(page, "canvas")
        x, y = page.execute_script("return document.querySelector('.tm-map').map.place(7)")
        half = canvas.rect["width"] / 2, canvas.rect["height"] / 2
        actions.move_to_element_with_offset(canvas, x - half[0], y - half[1]).perform()
        shown = one(page, ".tm-tip b").text
        at = trees.ids.index(shown)
        assert D[at, 7] == 0 or shown == "name 7"
        one(page, "input").send_keys("name 3")
        assert one(page, ".tm-found").text == "11 found"
        legend = all_of(page, ".tm-legend button")
        assert len(legend) == 3
        legend[0].click()
        assert legend[0].get_attribute("aria-pressed") == "false"
