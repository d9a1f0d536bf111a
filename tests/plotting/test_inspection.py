"""Pictures of what was learned."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest

import treemetric as tm
from treemetric.datasets import make_glycans, make_strings
from treemetric.inspection import (
    LabelWeights,
    LearningCurve,
    PairChange,
    TellingEdits,
    changed_pairs,
    label_weights,
    telling_edits,
)
from treemetric.learning import BEDL, GESL, NCACosts
from treemetric.plotting import (
    plot_changed_pair,
    plot_label_weights,
    plot_learning_curve,
    plot_telling_edits,
)

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

STRINGS = make_strings(40, random_state=2)
X, Y = STRINGS.data, np.asarray(STRINGS.target)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    return NCACosts(n_fits=3, fallback=False, random_state=0).fit(X, Y)


def texts(labels):
    return [label.get_text() for label in labels]


def many_weights(count):
    weights = np.exp(np.linspace(1.5, -1.5, count))
    labels = tuple(f"label {u}" for u in range(count))
    trees = np.ones(count, dtype=np.int64)
    return LabelWeights(labels, weights, weights / 1.3, weights * 1.3, trees, learned=True)


def many_edits(count):
    gains = np.linspace(1.0, -0.5, count)
    kinds = tuple("replace" if u % 2 else "delete" for u in range(count))
    labels = tuple((f"label {u}", f"other {u}" if u % 2 else None) for u in range(count))
    ones = np.ones(count)
    return TellingEdits(
        ("p", "q"), kinds, labels, ones, ones, ones - gains, gains, (2.0, 1.0), (3.0, 2.0)
    )


def overlapping(ax):
    """Return whether names of rows overlap, or one is outside the figure."""
    figure = ax.get_figure()
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    spans = sorted((box.y0, box.y1) for box in boxes)
    # Letters leave a little of their box free.
    close = any(high - 2 > low for (_, high), (low, _) in itertools.pairwise(spans))
    return close or min(box.x0 for box in boxes) < -1


# --------------------------------------------------------------------------- weights


def test_weights_are_drawn_with_intervals(fitted):
    found = label_weights(fitted)
    for given in (found, fitted):
        ax = plot_label_weights(given)
        assert texts(ax.get_yticklabels()) == list(found.labels)
        dots = ax.lines[1].get_xydata()
        np.testing.assert_allclose(dots[:, 0], found.weights)
        segments = np.array(ax.collections[0].get_segments())
        np.testing.assert_allclose(segments[:, 0, 0], found.low)
        np.testing.assert_allclose(segments[:, 1, 0], found.high)
        low, high = ax.get_ylim()
        assert low > high


def test_many_labels_show_both_ends():
    ax = plot_label_weights(many_weights(100), n_labels=10)
    names = texts(ax.get_yticklabels())
    assert names == [f"label {u}" for u in (0, 1, 2, 3, 4, 95, 96, 97, 98, 99)]
    assert ax.get_title() == "Weights of 10 of 100 labels"


def test_weights_without_intervals_and_of_zero():
    ax = plot_label_weights(BEDL(max_iter=2).fit(X, Y))
    ax.get_figure().canvas.draw()
    zero = many_weights(3)._replace(weights=np.array([2.0, 1.0, 0.0]), learned=False)
    ax = plot_label_weights(zero)
    ax.get_figure().canvas.draw()
    assert ax.get_title().endswith("(not used)")
    dots, triangles = (line.get_xydata() for line in ax.lines[1:3])
    np.testing.assert_allclose(dots, [[2.0, 0], [1.0, 1]])
    # A weight of 0 is at the left end, left of all intervals.
    assert triangles[:, 1].tolist() == [2]
    assert triangles[0, 0] < zero.low.min()


def test_intervals_are_drawn_where_they_are():
    wide = many_weights(4)
    wide = wide._replace(low=wide.weights / 50)
    segments = np.array(plot_label_weights(wide).collections[0].get_segments())
    np.testing.assert_allclose(segments[:, 0, 0], wide.low)


@pytest.mark.filterwarnings("ignore::treemetric.exceptions.CollapsedCostsWarning")
def test_weights_that_gesl_does_not_use():
    glycans = make_glycans(60, random_state=0)
    ax = plot_label_weights(GESL(random_state=0).fit(glycans.data, glycans.target))
    assert ax.get_title().endswith("(not used)")
    assert ax.lines[1].get_xdata().min() > 0


@pytest.mark.parametrize("count", [1, 3, 24, 60])
@pytest.mark.parametrize("dark", [False, True])
def test_names_of_labels_are_legible(count, dark):
    with plt.style.context("dark_background" if dark else "default"):
        ax = plot_label_weights(many_weights(count), n_labels=60)
        assert len(ax.get_yticklabels()) == count
        assert not overlapping(ax)


@pytest.mark.parametrize("size", [(2, 1.5), (4, 3), (10, 12)])
def test_given_axes_of_any_size(size):
    for plot, data in (
        (plot_label_weights, many_weights(24)),
        (plot_telling_edits, many_edits(16)),
    ):
        _, ax = plt.subplots(figsize=size, layout="constrained")
        assert plot(data, ax=ax) is ax
        assert not overlapping(ax)


def test_no_labels_and_odd_labels():
    empty = NCACosts().fit([tm.Tree.from_sequence("")] * 2, [0, 1])
    plot_label_weights(empty).get_figure().canvas.draw()
    odd = many_weights(3)._replace(labels=("$x$", "a\nb", None))
    ax = plot_label_weights(odd)
    ax.get_figure().canvas.draw()
    assert texts(ax.get_yticklabels()) == ["$x$", "a\\nb", "None"]


# --------------------------------------------------------------------------- edits


def test_edits_are_bars(fitted):
    found = telling_edits(fitted, X, Y)
    ax = plot_telling_edits(found, n_edits=5)
    widths = [bar.get_width() for bar in ax.patches]
    largest = sorted(found.contributions, key=abs)[-5:]
    np.testing.assert_allclose(widths, sorted(largest, reverse=True))
    assert ax.get_title() == "Classes 0 and 1"
    names = texts(ax.get_yticklabels())
    assert all(" ↔ " in name for name in names)
    colors = {bar.get_facecolor() for bar in ax.patches if bar.get_width() > 0}
    assert len(colors) == 1


@pytest.mark.parametrize("count", [1, 16, 50])
def test_names_of_edits_are_legible(count):
    ax = plot_telling_edits(many_edits(count), n_edits=50)
    assert len(ax.get_yticklabels()) == count - (many_edits(count).contributions == 0).sum()
    assert not overlapping(ax)


def test_edits_without_any_contribution():
    none = many_edits(4)._replace(contributions=np.zeros(4))
    ax = plot_telling_edits(none)
    ax.get_figure().canvas.draw()
    assert not any(bar.get_width() for bar in ax.patches)


# --------------------------------------------------------------------------- pairs


def test_both_alignments_of_a_pair(fitted):
    pair = changed_pairs(fitted, X, Y).closer[0]
    first, second = plot_changed_pair(pair)
    assert first.get_title() == f"Unit costs: {pair.before:.2f} of the mean distance"
    assert second.get_title() == f"Learned costs: {pair.after:.2f} of the mean distance"
    first.get_figure().canvas.draw()
    _, axes = plt.subplots(1, 2, figsize=(5, 3))
    drawn = plot_changed_pair(pair, ax=axes)
    assert drawn == list(axes)
    with pytest.raises(ValueError, match="'ax' parameter of plot_changed_pair"):
        plot_changed_pair(pair, ax=[axes[0]])
    with pytest.raises(ValueError, match="must be a pair of axes"):
        plot_changed_pair(pair, ax=axes[0])


def test_a_pair_of_empty_trees():
    empty = tm.Tree.from_sequence("")
    pair = PairChange(0, 1, empty, empty, 0.0, 0.0, tm.UnitCosts())
    first, second = plot_changed_pair(pair)
    first.get_figure().canvas.draw()
    assert first.get_title() == "Unit costs: 0.00 of the mean distance"
    assert second.get_title() == "Learned costs: 0.00 of the mean distance"


# --------------------------------------------------------------------------- curves


def curve(sizes, *, used=1.0, measure="error"):
    learned = np.linspace(0.4, 0.1, len(sizes))[:, None] + [0.0, 0.05]
    unit = learned + 0.1
    share = np.full(len(sizes), used)
    return LearningCurve(np.array(sizes), learned, unit, share, measure)


@pytest.mark.parametrize("sizes", [[10], [10, 20, 40]])
def test_curves_are_means(sizes):
    data = curve(sizes)
    ax = plot_learning_curve(data)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), data.unit.mean(axis=1))
    np.testing.assert_allclose(ax.lines[1].get_ydata(), data.learned.mean(axis=1))
    assert ax.get_ylim()[0] == 0.0
    assert ax.get_title() == ""
    ax.get_figure().canvas.draw()


def test_curves_say_if_unit_costs_were_chosen():
    assert "50%" in plot_learning_curve(curve([10, 20], used=0.5)).get_title()
    ax = plot_learning_curve(curve([10, 20], measure="RMSE"))
    assert ax.get_ylabel() == "RMSE"
    zero = curve([10, 20])._replace(learned=np.zeros((2, 2)), unit=np.zeros((2, 2)))
    plot_learning_curve(zero).get_figure().canvas.draw()


def test_wrong_arguments():
    calls = {plot_telling_edits: "edits", plot_changed_pair: "pair", plot_learning_curve: "curve"}
    for plot, name in calls.items():
        with pytest.raises((TypeError, ValueError), match=f"'{name}' parameter of {plot.__name__}"):
            plot([1.0, 2.0])
    with pytest.raises((TypeError, ValueError), match="'learner' parameter of label_weights"):
        plot_label_weights("x")
