"""Alignments of trees without an order of children."""

import pickle
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
import treemetric as tm
import unordered_reference
from shapes import make_tree
from strategies import cost_cases, trees
from treemetric.alignment.layout import aligned_rows


def matches(alignment):
    return tuple((i, j) for i, j in alignment.pairs if i is not None and j is not None)


def canonical(tree):
    """A value that is equal for trees that differ in the order of children only."""
    kids = reference.children(tree.parents)
    found = {}
    for node in range(tree.size - 1, -1, -1):
        below = tuple(sorted((found[kid] for kid in kids[node]), key=repr))
        found[node] = (tree.labels[node], below)
    return sorted((found[root] for root in kids[-1]), key=repr)


@given(trees(max_size=8), trees(max_size=8), cost_cases())
def test_alignments_are_constrained_and_have_the_cost_of_the_distance(x, y, case):
    for costs, cost in ((None, reference.unit_cost), (case.costs, case.cost)):
        alignment = tm.unordered_align(x, y, costs=costs)
        assert alignment.cost == tm.unordered_distance(x, y, costs=costs)
        pairs = matches(alignment)
        assert unordered_reference.is_constrained(x, y, pairs)
        expected = reference.alignment_cost(x, y, pairs, cost)
        assert case.agrees(alignment.cost, expected, x.size + y.size)


@given(trees(max_size=10), trees(max_size=10))
def test_edits_turn_x_into_y_up_to_the_order_of_children(x, y):
    alignment = tm.unordered_align(x, y)
    steps = [x, *alignment.apply()]
    assert len(steps) - 1 == alignment.cost == len(alignment.edits())
    assert canonical(steps[-1]) == canonical(y)
    for before, after in pairwise(steps):
        assert tm.distance(before, after) == 1


@given(trees(max_size=12), trees(max_size=12), st.integers(0, 1))
def test_rows_show_every_node_once_and_children_below_their_parents(x, y, inverse):
    alignment = tm.unordered_align(x, y)
    alignment = alignment.inverse() if inverse else alignment
    rows = aligned_rows(alignment)
    for side, tree in (("i", alignment.x), ("j", alignment.y)):
        nodes = [getattr(row, side) for row in rows]
        nodes = [node for node in nodes if node is not None]
        assert sorted(nodes) == list(range(tree.size))
        # Subtrees are contiguous: a preorder of the tree with its children in some order.
        path = []
        for node in nodes:
            while path and path[-1] != tree.parents[node]:
                path.pop()
            assert (path[-1] if path else -1) == tree.parents[node]
            path.append(node)


def test_an_alignment_is_a_value():
    x, y = (tm.Tree.from_bracket(s) for s in ("{a{b{c}}{d}}", "{a{d}{b}{e}}"))
    alignment = tm.unordered_align(x, y)
    assert isinstance(alignment, tm.Alignment)
    assert pickle.loads(pickle.dumps(alignment)) == alignment
    assert hash(alignment) == hash(tm.unordered_align(x, y))
    assert alignment != tm.align(x, y)
    back = alignment.inverse()
    assert type(back) is tm.UnorderedAlignment
    assert (back.cost, back.inverse()) == (alignment.cost, alignment)
    assert "2 replaced" not in repr(alignment)
    assert "cost 2" in alignment._repr_html_()
    with pytest.raises(TypeError, match="unordered_align"):
        tm.UnorderedAlignment()


def test_a_picture_has_no_crossing_lines():
    pytest.importorskip("matplotlib").use("Agg")
    from treemetric.plotting import plot_alignment

    x = make_tree(Random(1), 20)
    y = make_tree(Random(2), 22)
    ax = plot_alignment(tm.unordered_align(x, y))
    assert ax.get_title().startswith("Alignment of cost")
    for collection in ax.collections[2:]:
        for (_, down), (_, other) in collection.get_segments():
            assert down == other
