"""Pictures of distance matrices."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from treemetric import Tree, TreeSet
from treemetric.plotting import plot_dendrogram, plot_distances, plot_map

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture
def points():
    """Three classes far from each other, in mixed order."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["x", "y", "z"], [6, 9, 12]))
    centre = {"x": (0, 0), "y": (20, 0), "z": (0, 20)}
    return np.array([centre[k] for k in y]) + rng.normal(size=(27, 2)), y


def texts(labels):
    return [label.get_text() for label in labels]


def image(ax):
    return np.asarray(ax.images[0].get_array())


def test_classes_stand_together_with_names_and_boundaries(points):
    X, y = points
    D = squareform(pdist(X))
    ax = plot_distances(D, y)
    assert texts(ax.get_yticklabels()) == ["x", "y", "z"]
    assert texts(ax.get_xticklabels()) == ["x", "y", "z"]
    assert [line.get_ydata()[0] for line in ax.lines[::2]] == [5.5, 14.5]
    drawn = image(ax)
    assert drawn[:6, :6].max() < 10 < drawn[:6, 6:].min()
    assert np.array_equal(np.sort(drawn, axis=None), np.sort(D, axis=None))


def test_similar_rows_are_neighbours_without_classes(points):
    X, _ = points
    D = squareform(pdist(X))
    drawn = image(plot_distances(D))
    beside = np.diagonal(drawn, offset=1)
    assert np.count_nonzero(beside > 10) == 2
    assert beside.mean() < np.diagonal(D, offset=1).mean()


def test_given_order_keeps_the_rows_inside_a_class(points):
    X, y = points
    D = squareform(pdist(X))
    rows = np.argsort(y, kind="stable")
    drawn = image(plot_distances(D, y, order="given"))
    assert np.array_equal(drawn, D[np.ix_(rows, rows)])
    assert np.array_equal(image(plot_distances(D, order="given")), D)


def test_condensed_distances_are_the_same_picture(points):
    X, y = points
    square = plot_distances(squareform(pdist(X)), y)
    condensed = plot_distances(pdist(X), y)
    assert np.array_equal(image(square), image(condensed))


def test_labels_follow_their_rows():
    D = squareform(pdist(np.array([[0.0], [9.0], [1.0], [10.0]])))
    ax = plot_distances(D, labels=["a", "c", "b", "d"])
    names = texts(ax.get_yticklabels())
    assert names in (["a", "b", "c", "d"], ["d", "c", "b", "a"], ["b", "a", "c", "d"])
    drawn = image(ax)
    where = {name: k for k, name in enumerate(names)}
    assert drawn[where["a"], where["d"]] == 10.0


def test_one_class_has_its_name_and_no_line():
    ax = plot_distances(np.zeros((4, 4)), ["only"] * 4)
    assert texts(ax.get_yticklabels()) == ["only"]
    assert len(ax.lines) == 0


def test_asymmetric_distances_are_drawn_as_they_are():
    D = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 6.0], [7.0, 8.0, 0.0]])
    assert np.array_equal(image(plot_distances(D, order="given")), D)
    assert np.array_equal(np.sort(image(plot_distances(D)).ravel()), np.sort(D.ravel()))


def test_axes_are_used_when_given_and_made_otherwise():
    _, ax = plt.subplots()
    D = np.zeros((3, 3))
    assert plot_distances(D, ax=ax) is ax
    assert plot_map(D, [0, 0, 1], ax=ax) is ax
    assert plot_distances(D) is not ax


def test_works_on_a_figure_without_pyplot(tmp_path):
    figure = mpl.figure.Figure()
    ax = figure.subplots()
    plot_distances(np.zeros((3, 3)), [0, 1, 1], ax=ax)
    figure.savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 0
    assert not plt.get_fignums()


def test_map_keeps_distances_that_fit_into_the_plane(points):
    X, y = points
    ax = plot_map(squareform(pdist(X)), y)
    drawn = [np.asarray(dots.get_offsets()) for dots in ax.collections]
    assert [len(own) for own in drawn] == [6, 9, 12]
    rows = np.argsort(y, kind="stable")
    assert np.allclose(pdist(np.vstack(drawn)), pdist(X[rows]))
    assert texts(ax.get_legend().get_texts()) == ["x", "y", "z"]
    assert "100%" in ax.get_xlabel()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_map_of_equal_objects_is_one_point(n):
    ax = plot_map(np.zeros((n, n)), [0] * n)
    assert np.allclose(np.asarray(ax.collections[0].get_offsets()), 0.0)


def test_legend_keeps_names_that_begin_with_an_underscore():
    ax = plot_map(np.zeros((2, 2)), ["_private", "public"])
    assert texts(ax.get_legend().get_texts()) == ["_private", "public"]


@pytest.mark.parametrize("n_classes", [10, 11, 40])
def test_every_class_has_its_own_colour(n_classes):
    D = squareform(pdist(np.arange(n_classes, dtype=float)[:, None]))
    ax = plot_map(D, np.arange(n_classes))
    colors = {tuple(dots.get_facecolor()[0]) for dots in ax.collections}
    assert len(colors) == n_classes


@pytest.mark.parametrize("plot", [plot_distances, plot_map])
class TestErrors:
    def test_not_square(self, plot):
        with pytest.raises(ValueError, match=r"'D' parameter of plot.*\(2, 3\)"):
            plot(np.zeros((2, 3)), [0, 1])

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_not_finite(self, plot, bad):
        D = np.array([[0.0, bad], [bad, 0.0]])
        with pytest.raises(ValueError, match=r"must be finite.*Got (nan|inf) instead"):
            plot(D, [0, 1])

    def test_wrong_number_of_classes(self, plot):
        with pytest.raises(ValueError, match=r"'y' parameter.*\(3,\).*\(2,\)"):
            plot(np.zeros((3, 3)), [0, 1])

    def test_missing_matplotlib_names_the_extra(self, plot, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(ImportError, match=r'pip install "treemetric\[plot\]"'):
            plot(np.zeros((2, 2)), [0, 1])


def test_unknown_order_is_named():
    with pytest.raises(ValueError, match=r"'cluster' or 'given'. Got 'size' instead"):
        plot_distances(np.zeros((2, 2)), order="size")


def test_wrong_number_of_labels_is_named():
    with pytest.raises(ValueError, match=r"'labels'.*rows, 2.*Got 1 instead"):
        plot_distances(np.zeros((2, 2)), labels=["a"])


def test_names_that_all_differ_are_no_classes():
    D = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))[::-1, ::-1]
    ax = plot_distances(D, [f"{i} is a long name of an object" for i in range(30)])
    assert len(ax.lines) == 0
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert len(names) == 30
    assert max(map(len, names)) <= 28
    # The order is that of the clusters: neighbours are similar.
    numbers = [int(name.split()[0]) for name in names]
    assert numbers in (sorted(numbers), sorted(numbers, reverse=True))


def test_many_classes_have_thin_lines_and_plain_names():
    y = np.repeat(np.arange(100), 2)
    ax = plot_distances(np.abs(np.subtract.outer(y, y)), y)
    assert max(line.get_linewidth() for line in ax.lines) < 0.8
    assert len({label.get_color() for label in ax.get_yticklabels()}) == 1
    ax = plot_distances(np.zeros((4, 4)), [0, 0, 1, 1])
    assert len({label.get_color() for label in ax.get_yticklabels()}) == 2


@pytest.mark.parametrize("plot", [plot_distances, plot_map, plot_dendrogram])
@pytest.mark.parametrize("kind", [list, TreeSet])
def test_trees_in_place_of_distances_are_refused(plot, kind):
    trees = kind([Tree.from_bracket("{a}"), Tree.from_bracket("{b}")])
    with pytest.raises(TypeError, match=r"Got trees instead\. Use pairwise_distances\(trees\)"):
        plot(trees)
