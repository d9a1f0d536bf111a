"""Costs of tables: like any costs, in every function that takes costs."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemetric as tm
from reference import table_distance
from treemetric import TableCosts, Tree

token = st.one_of(st.sampled_from("abc"), st.characters(), st.sampled_from(["<b>", "</b>"]))
content = st.one_of(
    st.none(),
    st.text("ab", max_size=5),
    st.text(st.characters(), max_size=3),
    st.text("abc ", min_size=14, max_size=70),
    st.lists(token, max_size=6).map(tuple),
)
label = st.tuples(st.sampled_from(["td", "tr"]), st.integers(1, 2), st.just(1), content)


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(diagonal + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def cost(x, y):
    if x is None or y is None:
        return Fraction(int(x is not y))
    if x[:3] != y[:3]:
        return Fraction(1)
    a, b = tuple(x[3] or ()), tuple(y[3] or ())
    longer = max(len(a), len(b))
    return Fraction(levenshtein(a, b), longer) if longer else Fraction(0)


@given(st.lists(label, max_size=8, unique=True))
def test_the_matrix_has_the_costs_of_the_definition(labels):
    matrix = TableCosts().to_matrix(labels).matrix
    symbols = [*labels, None]
    expected = [[float(cost(a, b)) for b in symbols] for a in symbols]
    assert matrix.tolist() == expected


@st.composite
def forests(draw, labels):
    size = draw(st.integers(0, 7))
    parents = [draw(st.integers(-1, i - 1)) for i in range(size)]
    # Preorder: a parent is on the path from the node before.
    for i in range(1, size):
        path = [i - 1]
        while path[-1] >= 0:
            path.append(parents[path[-1]])
        parents[i] = path[min(parents[i] + 1, len(path) - 1)]
    return Tree.from_parents([draw(st.sampled_from(labels)) for _ in range(size)], parents)


@given(st.data())
@settings(deadline=None)
def test_all_functions_agree(data):
    labels = data.draw(st.lists(label, min_size=1, max_size=6, unique=True))
    trees = [data.draw(forests(labels)) for _ in range(4)]
    costs = TableCosts()
    D = tm.pairwise_distances(trees, costs=costs)
    expected = [[float(table_distance(x, y, cost)) for y in trees] for x in trees]
    np.testing.assert_allclose(D, expected, rtol=0, atol=1e-9)
    assert (D == D.T).all()
    assert (np.diag(D) == 0).all()
    assert (tm.pairwise_distances(trees, trees, costs=costs, n_jobs=2) == D).all()
    for i, x in enumerate(trees):
        for j, y in enumerate(trees):
            assert tm.distance(x, y, costs=costs) == D[i, j]
            assert tm.align(x, y, costs=costs).cost == D[i, j]
            assert tm.cooptimal(x, y, costs=costs).cost == D[i, j]
    found = tm.nearest(trees[:2], trees, k=2, costs=costs)
    order = np.argsort(D[:2], axis=1, kind="stable")[:, :2]
    assert (found.indices == order).all()
    assert (found.distances == np.take_along_axis(D[:2], order, 1)).all()
    within = tm.within(trees, trees, radius=1.0, costs=costs)
    assert len(within.indices) == (D <= 1.0).sum()


def test_files_and_pickles_keep_the_costs(tmp_path):
    labels = [("td", 1, 1, text) for text in ("one", "two", "three", "")]
    trees = [Tree.from_sequence(labels[i:]) for i in range(4)]
    costs = TableCosts()
    expected = tm.pairwise_distances(trees, costs=costs)
    tm.pairwise_distances(trees, costs=costs, out=tmp_path / "D.npy")
    assert (np.load(tmp_path / "D.npy") == expected).all()
    again = pickle.loads(pickle.dumps(costs))
    assert again == costs
    assert hash(again) == hash(costs)
    assert (tm.pairwise_distances(trees, costs=again) == expected).all()
    assert repr(costs) == "TableCosts()"
    assert costs.is_symmetric()
    assert not costs.is_pseudo_metric([("td", 1, 1, text) for text in ("ab", "aba", "ba")])


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ("td", ValueError, r"must be tuples \(tag, colspan, rowspan, content\); got 'td'"),
        (("td", 1, 1), ValueError, "must be tuples"),
        (("td", 1, 1, 5), TypeError, "must be a str, a tuple of str or None; got int"),
        (("td", 1, 1, ("a", None)), TypeError, "got NoneType"),
    ],
)
def test_other_labels_are_refused(bad, error, message):
    tree = Tree.from_sequence([bad])
    for call in (
        lambda: tm.distance(tree, tree, costs=TableCosts()),
        lambda: tm.pairwise_distances([tree], costs=TableCosts()),
        lambda: TableCosts().to_matrix([bad]),
    ):
        with pytest.raises(error, match=message):
            call()
    with pytest.raises(ValueError, match=r"parameter of TableCosts\.to_matrix"):
        TableCosts().to_matrix()
