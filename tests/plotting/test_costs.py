"""Pictures of costs, of embeddings and of learning."""

import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.neural_network import MLPClassifier

import treemetric as tm
from treemetric.plotting import plot_costs, plot_embedding, plot_loss

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def embedding(n, k=3, seed=0):
    rng = np.random.default_rng(seed)
    return tm.EmbeddingCosts([f"label{i}" for i in range(n)], rng.normal(size=(n, k)))


def texts(labels):
    return [label.get_text() for label in labels]


def image(ax):
    return np.asarray(ax.images[0].get_array())


def dots(ax):
    return np.asarray(ax.collections[0].get_offsets())


# ---------------------------------------------------------------------------- heat maps


def test_costs_are_drawn_with_the_gap_last():
    costs = embedding(6)
    ax = plot_costs(costs, order="given")
    assert np.array_equal(image(ax), costs.matrix)
    assert texts(ax.get_yticklabels()) == [*costs.alphabet, "gap"]
    assert texts(ax.get_xticklabels()) == [*costs.alphabet, "gap"]


def test_costs_are_ordered_by_similarity_and_names_follow():
    costs = tm.EmbeddingCosts("abcdef", [[1, 0], [9, 0], [1.1, 0], [9.1, 0], [1.2, 0], [9.2, 0]])
    ax = plot_costs(costs)
    names = texts(ax.get_yticklabels())
    assert {frozenset(names[:3]), frozenset(names[3:6])} == {frozenset("ace"), frozenset("bdf")}
    assert names[-1] == "gap"
    assert np.array_equal(image(ax), costs.to_matrix(names[:-1]).matrix)


def test_asymmetric_costs_are_drawn_as_they_are():
    costs = tm.CostMatrix("ab", [[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    assert np.array_equal(image(plot_costs(costs, order="given")), costs.matrix)


def test_costs_without_an_alphabet_take_one_and_others_a_part():
    ax = plot_costs(tm.UnitCosts(), alphabet="xyz", order="given")
    assert texts(ax.get_yticklabels()) == ["x", "y", "z", "gap"]
    part = plot_costs(embedding(5), alphabet=["label3", "label1"], order="given")
    assert texts(part.get_yticklabels()) == ["label3", "label1", "gap"]
    for costs in (tm.UnitCosts(), tm.CallableCosts(lambda x, y: float(x != y))):
        for plot in (plot_costs, plot_embedding):
            assert len(plot(costs, alphabet="xy").texts) > 2
            with pytest.raises(ValueError, match="alphabet"):
                plot(costs)


@pytest.mark.parametrize(("n", "numbers"), [(3, 16), (11, 144), (12, 0), (60, 0)])
def test_few_labels_have_their_costs_in_the_cells(n, numbers):
    assert len(plot_costs(embedding(n)).texts) == numbers


@pytest.mark.parametrize("n", [1, 2, 4, 30, 60])
def test_names_do_not_overlap(n):
    ax = plot_costs(embedding(n))
    figure = ax.get_figure()
    figure.canvas.draw()
    assert len(ax.get_yticklabels()) == n + 1
    for axis, labels in ((1, ax.get_yticklabels()), (0, ax.get_xticklabels())):
        boxes = [label.get_window_extent().get_points()[:, axis] for label in labels]
        boxes = np.array(sorted(boxes, key=lambda box: box[0]))
        # Letters leave a little of their box free.
        assert np.all(boxes[1:, 0] - boxes[:-1, 1] > -2)


def test_small_axes_name_some_rows_and_always_the_gap():
    _, ax = plt.subplots(figsize=(3, 3))
    plot_costs(embedding(80), ax=ax)
    names = texts(ax.get_yticklabels())
    assert 10 < len(names) < 60
    assert names[-1] == "gap"
    assert np.all(np.diff(ax.get_yticks()) >= 2)


def test_odd_labels_are_written_as_text():
    costs = tm.UnitCosts().to_matrix(["$x$", "a\nb", None, 3, ("t", 1)])
    figure = plot_costs(costs, order="given").get_figure()
    figure.canvas.draw()
    names = texts(figure.axes[0].get_yticklabels())
    assert names == ["$x$", "a\\nb", "None", "3", "t 1", "gap"]
    plot_embedding(costs).get_figure().canvas.draw()


def test_costs_of_nothing_are_only_the_gap():
    costs = tm.CostMatrix([], [[0.0]])
    assert texts(plot_costs(costs).get_yticklabels()) == ["gap"]
    assert texts(plot_embedding(costs).texts) == ["gap"]


# --------------------------------------------------------------------------- embeddings


def test_plane_vectors_keep_all_distances_and_the_gap():
    costs = embedding(8, k=2)
    ax = plot_embedding(costs)
    assert np.allclose(pdist(dots(ax)), pdist(costs.vectors))
    assert np.allclose(np.linalg.norm(dots(ax), axis=1), costs.matrix[:-1, -1])
    assert ax.lines[-1].get_xydata().tolist() == [[0.0, 0.0]]
    assert ax.get_xlabel().startswith("100% of the squared length")


def test_axes_are_the_leading_ones_through_the_origin():
    vectors = np.array([[5.0, 1.0, 0.1], [5.0, -1.0, 0.1], [5.5, 0.3, -0.2], [4.5, 0.0, 0.0]])
    ax = plot_embedding(tm.EmbeddingCosts("abcd", vectors))
    _, lengths, axes = np.linalg.svd(vectors)
    assert np.allclose(np.abs(dots(ax)), np.abs(vectors @ axes[:2].T))
    share = (lengths[:2] ** 2).sum() / (lengths**2).sum()
    assert ax.get_xlabel().startswith(f"{share:.0%} of the squared length")
    # All vectors point the same way, and the picture shows it: nothing was centred.
    assert dots(ax)[:, 0].min() > 4


def test_a_table_is_drawn_as_the_embedding_it_comes_from():
    costs = embedding(7, k=4)
    table = tm.CostMatrix(costs.alphabet, costs.matrix)
    first, second = plot_embedding(costs), plot_embedding(table)
    assert np.allclose(np.abs(dots(first)), np.abs(dots(second)))
    assert first.get_xlabel() == second.get_xlabel()


def test_costs_that_are_no_distances_of_vectors_can_be_drawn():
    # A star: its ends are pairwise 2 apart and 1 from the middle, which no vectors are.
    star = tm.CostMatrix("mxyz", [[0, 1, 1, 1, 1], [1, 0, 2, 2, 2], [1, 2, 0, 2, 2],
                                  [1, 2, 2, 0, 2], [1, 2, 2, 2, 0]])  # fmt: skip
    assert star.is_pseudo_metric()
    assert np.isfinite(dots(plot_embedding(star))).all()


def test_more_expensive_labels_have_larger_dots():
    costs = tm.EmbeddingCosts("abc", [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    sizes = plot_embedding(costs).collections[0].get_sizes()
    assert sizes[0] < sizes[1] < sizes[2]


@pytest.mark.parametrize("n", [4, 30, 60])
def test_names_of_points_cover_no_other_and_stay_inside(n):
    ax = plot_embedding(embedding(n), max_labels=n)
    figure = ax.get_figure()
    figure.canvas.draw()
    # The extent of the letters alone, without that of the line to the dot.
    boxes = [mpl.text.Text.get_window_extent(text) for text in ax.texts]
    assert len(boxes) >= min(n, 25)
    for i, box in enumerate(boxes):
        assert ax.bbox.padded(2).contains(box.x0, box.y0)
        assert ax.bbox.padded(2).contains(box.x1, box.y1)
        for other in boxes[:i]:
            common = mpl.transforms.Bbox.intersection(box, other)
            assert common is None or min(common.width, common.height) < 2


def test_the_most_expensive_labels_are_named():
    costs = embedding(30)
    ax = plot_embedding(costs, max_labels=5)
    expensive = np.argsort(-costs.matrix[:-1, -1])[:5]
    assert set(texts(ax.texts)) == {"gap", *(costs.alphabet[i] for i in expensive)}
    assert ax.get_xlabel().endswith("5 of 30 named")
    assert texts(plot_embedding(costs, max_labels=0).texts) == ["gap"]


def test_labels_at_one_place_are_named_together():
    vectors = [[1.0, 0.0]] * 2 + [[0.0, 1.0]] * 6
    ax = plot_embedding(tm.EmbeddingCosts("abcdefgh", vectors))
    assert sorted(texts(ax.texts)) == ["a, b", "c, d, e, f +2", "gap"]
    assert ax.get_xlabel().endswith("6 of 8 named")


@pytest.mark.parametrize("n", [1, 3])
def test_free_labels_are_all_at_the_gap(n):
    ax = plot_embedding(tm.EmbeddingCosts("abc"[:n], np.zeros((n, 2))))
    assert np.all(dots(ax) == 0)
    assert texts(ax.texts) == [", ".join(["gap", *"abc"[:n]])]
    assert ax.get_xlabel().startswith("100%")


def test_embedding_of_one_dimension():
    ax = plot_embedding(tm.EmbeddingCosts("ab", [[1.0], [-2.0]]))
    assert np.allclose(np.abs(dots(ax)), [[1, 0], [2, 0]])


def test_costs_that_are_no_pseudo_metric_are_refused_with_the_reason():
    costs = tm.CostMatrix("ab", [[0, 5, 1], [5, 0, 1], [1, 1, 0]])
    with pytest.raises(ValueError, match=r"'costs' parameter of plot_emb.*closure.*triangle"):
        plot_embedding(costs)
    assert len(dots(plot_embedding(costs.closure()))) == 2


@pytest.mark.parametrize("max_labels", [-1, 2.5, True, None])
def test_number_of_names_is_checked(max_labels):
    with pytest.raises(ValueError, match=r"'max_labels' parameter.*\[0, inf\)"):
        plot_embedding(embedding(3), max_labels=max_labels)


# --------------------------------------------------------------------------------- loss


def test_loss_is_drawn_with_the_best_marked():
    ax = plot_loss([3.0, 1.0, 2.0, 1.0])
    curve, best = ax.lines
    assert curve.get_xydata().tolist() == [[0, 3], [1, 1], [2, 2], [3, 1]]
    assert best.get_xydata().tolist() == [[1, 1]]
    assert texts(ax.texts) == ["1"]
    assert ax.get_legend() is None


def test_loss_of_an_estimator_and_of_anything_that_keeps_it():
    X = np.arange(8.0)[:, None]
    network = MLPClassifier(max_iter=300, tol=0.1).fit(X, [0, 1] * 4)
    assert plot_loss(network).lines[0].get_ydata().tolist() == network.loss_curve_
    learner = SimpleNamespace(loss_curve_=np.array([2.0, 1.0]))
    assert plot_loss(learner).lines[0].get_ydata().tolist() == [2.0, 1.0]


def test_several_losses_have_a_legend():
    ax = plot_loss([3.0, 2.0], label="first")
    assert plot_loss([4.0, 1.0], label="second", ax=ax) is ax
    assert texts(ax.get_legend().get_texts()) == ["first", "second"]
    colors = {line.get_color() for line in ax.lines}
    assert len(colors) == 2


def test_a_single_loss_is_visible():
    ax = plot_loss([1.5])
    assert ax.lines[0].get_marker() == "."
    ax.get_figure().canvas.draw()


def test_losses_that_are_not_finite_leave_a_hole():
    ax = plot_loss([np.nan, 2.0, 3.0])
    assert ax.lines[1].get_xydata().tolist() == [[1, 2]]


@pytest.mark.parametrize("curve", [[], [np.nan], [[1.0, 2.0]], "abc", 3.0, None])
def test_losses_have_to_be_a_list_of_numbers(curve):
    with pytest.raises(ValueError, match="'curve' parameter of plot_loss"):
        plot_loss(curve)


def test_estimators_without_losses_are_named():
    with pytest.raises(NotFittedError):
        plot_loss(MLPClassifier())
    fitted = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(TypeError, match=r"loss_curve_.*Got LinearRegression instead"):
        plot_loss(fitted)


# ---------------------------------------------------------------------------------- all

ALL = [(plot_costs, embedding(5)), (plot_embedding, embedding(5)), (plot_loss, [2.0, 1.0])]


@pytest.mark.parametrize(("plot", "thing"), ALL)
class TestAll:
    def test_axes_are_used_when_given_and_made_otherwise(self, plot, thing):
        _, ax = plt.subplots()
        assert plot(thing, ax=ax) is ax
        assert plot(thing) is not ax

    def test_works_on_a_figure_without_pyplot_and_inside_another(self, plot, thing, tmp_path):
        figure = mpl.figure.Figure(layout="constrained")
        left, right = figure.subfigures(1, 2)
        plot(thing, ax=left.subplots())
        plot(thing, ax=right.subplots())
        figure.savefig(tmp_path / "picture.png")
        assert (tmp_path / "picture.png").stat().st_size > 0
        assert not plt.get_fignums()

    def test_missing_matplotlib_names_the_extra(self, plot, thing, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(ImportError, match=r'pip install "treemetric\[plot\]"'):
            plot(thing)


@pytest.mark.parametrize("plot", [plot_costs, plot_embedding])
def test_what_is_no_costs_is_refused(plot):
    with pytest.raises(TypeError, match=f"'costs' parameter of {plot.__name__}"):
        plot(np.zeros((3, 3)))


def test_unknown_order_is_named():
    with pytest.raises(ValueError, match=r"'cluster' or 'given'. Got 'size' instead"):
        plot_costs(embedding(3), order="size")
