"""One optimal alignment: its pairs, its edits, and the trees on the way."""

import copy
import math
import pickle
from collections import Counter
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given

import reference
import treemetric as tm
from shapes import SHAPES, make_tree
from strategies import any_label, cost_cases, trees

EMPTY = tm.Tree.from_bracket("")
# Dear to delete, cheap to insert, and no triangle: a to c by way of b costs 2, not 9.
ODD = tm.CostMatrix("abc", [[0, 1, 9, 7], [4, 0, 1, 7], [2, 3, 0, 7], [1, 2, 3, 0]])


def bracket(text):
    return tm.Tree.from_bracket(text)


def matched(alignment):
    return tuple((i, j) for i, j in alignment.pairs if i is not None and j is not None)


def check_pairs(alignment):
    """Every node once, in the documented order; ancestry and order are kept."""
    x, y, pairs = alignment.x, alignment.y, alignment.pairs
    assert isinstance(pairs, tuple)
    from_x = [pair for pair in pairs if pair[0] is not None]
    assert [i for i, _ in from_x] == list(range(x.size))
    assert list(pairs[: x.size]) == from_x
    inserted = [j for _, j in pairs[x.size :]]
    assert inserted == sorted(inserted)
    assert all(i is None for i, _ in pairs[x.size :])
    targets = [j for _, j in pairs if j is not None]
    assert sorted(targets) == list(range(y.size))
    rank_x, rank_y = (
        {node: k for k, node in enumerate(reference.postorder(t.parents.tolist())[0])}
        for t in (x, y)
    )
    both = matched(alignment)
    for i, j in both:
        for a, b in both:
            assert (i < a) == (j < b)
            assert (rank_x[i] < rank_x[a]) == (rank_y[j] < rank_y[b])


def check_edits(alignment, cost):
    """All edits and only edits, priced, in the documented order."""
    x, y, edits = alignment.x, alignment.y, alignment.edits()
    expected = {"replace": [], "delete": [], "insert": []}
    for i, j in alignment.pairs:
        old = None if i is None else x.labels[i]
        new = None if j is None else y.labels[j]
        op = "insert" if i is None else "delete" if j is None else "replace"
        if op != "replace" or old != new or cost(old, new) != 0:
            expected[op].append((op, i, j, old, new))
    expected["delete"].reverse()  # children before their parents
    found = [(e.op, e.i, e.j, e.old, e.new) for e in edits]
    assert found == [edit for edits in expected.values() for edit in edits]
    for e in edits:
        assert e.cost == pytest.approx(float(cost(e.old, e.new)), rel=1e-11)
    assert sum(e.cost for e in edits) == pytest.approx(alignment.cost, rel=1e-9, abs=1e-300)


def check_steps(alignment):
    """Each tree is one edit away from the one before, and the last one is y."""
    edits, steps = alignment.edits(), list(alignment.apply())
    assert len(steps) == len(edits)
    before = alignment.x
    for edit, after in zip(edits, steps, strict=True):
        assert isinstance(after, tm.Tree)
        assert after.size - before.size == {"replace": 0, "delete": -1, "insert": 1}[edit.op]
        same = edit.op == "replace" and edit.old == edit.new
        assert tm.distance(before, after) == (0.0 if same else 1.0)
        labels = Counter(before.labels)
        if edit.op != "insert":
            labels[edit.old] -= 1
        if edit.op != "delete":
            labels[edit.new] += 1
        assert Counter(after.labels) == +labels
        before = after
    assert before == alignment.y


# --- on random trees -----------------------------------------------------------------


@given(trees(max_size=12), trees(max_size=12))
def test_unit_costs(x, y):
    got = tm.align(x, y)
    check_pairs(got)
    check_edits(got, reference.unit_cost)
    check_steps(got)
    assert got.cost == tm.distance(x, y) == len(got.edits())
    assert (got.x, got.y) == (x, y)


@given(trees(max_size=10), trees(max_size=10), cost_cases())
def test_any_costs(x, y, case):
    # Asymmetric, not triangular, with a price for keeping a label, and irrational ones.
    got = tm.align(x, y, costs=case.costs)
    check_pairs(got)
    check_edits(got, case.cost)
    check_steps(got)
    assert got.cost == tm.distance(x, y, costs=case.costs)
    total = reference.alignment_cost(x, y, matched(got), case.cost)
    assert case.agrees(got.cost, total, x.size + y.size)


@given(trees(max_size=10, labels=any_label), trees(max_size=10, labels=any_label))
def test_labels_of_any_kind(x, y):
    got = tm.align(x, y)
    check_pairs(got)
    check_steps(got)
    assert got.cost == len(got.edits()) == tm.distance(x, y)


@given(trees(max_size=6), trees(max_size=6))
def test_every_step_is_one_of_all_single_edits(x, y):
    got = tm.align(x, y)
    before = reference.nested(x)
    for after in got.apply():
        near = {f for f, _ in reference.single_edits(before, reference.unit_cost, "abc")}
        before = reference.nested(after)
        assert before in near


@pytest.mark.parametrize("shape", SHAPES)
def test_larger_trees_of_every_shape(shape):
    rng = Random(2)
    x, y = (make_tree(rng, size, shape) for size in (90, 70))
    for costs in (None, ODD):
        got = tm.align(x, y, costs=costs)
        check_pairs(got)
        assert got.cost == tm.distance(x, y, costs=costs)
        assert sum(e.cost for e in got.edits()) == got.cost
        *_, last = got.apply()
        assert last == y


# --- which one -----------------------------------------------------------------------


def by_the_rule(x, y, cost):
    """Pairs of the documented alignment, by the definition and exact costs.

    In preorder the two next nodes are paired if that is optimal, or else their subtrees
    are aligned with each other if that is; or else the node of x is deleted if that is
    optimal; or else the node of y is inserted.
    """
    kids_x, kids_y = (reference.children(t.parents.tolist()) for t in (x, y))

    @cache
    def least(f, g):
        if not f or not g:
            left = [cost(x.labels[i], None) + least(kids_x[i], ()) for i in f]
            return sum(left) + sum(cost(None, y.labels[j]) + least((), kids_y[j]) for j in g)
        return min(delete(f, g), insert(f, g), pair(f, g))

    def delete(f, g):
        return cost(x.labels[f[0]], None) + least(kids_x[f[0]] + f[1:], g)

    def insert(f, g):
        return cost(None, y.labels[g[0]]) + least(f, kids_y[g[0]] + g[1:])

    def pair(f, g):
        below = least(kids_x[f[0]], kids_y[g[0]])
        return cost(x.labels[f[0]], y.labels[g[0]]) + below + least(f[1:], g[1:])

    def walk(f, g):
        if not f or not g:
            return []
        best, (i, j) = least(f, g), (f[0], g[0])
        if pair(f, g) == best:
            return [(i, j), *walk(kids_x[i], kids_y[j]), *walk(f[1:], g[1:])]
        alone = len(f) == len(g) == 1
        if not alone and least((i,), (j,)) + least(f[1:], g[1:]) == best:
            return walk((i,), (j,)) + walk(f[1:], g[1:])
        if delete(f, g) == best:
            return walk(kids_x[i] + f[1:], g)
        return walk(f, kids_y[j] + g[1:])

    return tuple(sorted(walk(kids_x[-1], kids_y[-1])))


@given(trees(max_size=8), trees(max_size=8))
def test_rule_with_unit_costs(x, y):
    assert matched(tm.align(x, y)) == by_the_rule(x, y, reference.unit_cost)


@given(trees(max_size=7), trees(max_size=7), cost_cases(scales=(1, 10, 8)))
def test_rule_with_exact_costs(x, y, case):
    assert matched(tm.align(x, y, costs=case.costs)) == by_the_rule(x, y, case.cost)


@pytest.mark.parametrize(
    ("x", "y", "pairs"),
    [
        ("{a{a}{a}}", "{a{a{a}}}", ((0, 0), (1, 1), (2, None), (None, 2))),
        ("{a{a{a}}}", "{a{a}}", ((0, 0), (1, 1), (2, None))),
        ("{a{a}}", "{a{a{a}}}", ((0, 0), (1, 1), (None, 2))),
        ("{1{2}}", "{3}", ((0, 0), (1, None))),
        ("{a{b}}", "{b{a}}", ((0, 0), (1, 1))),
        ("{a}", "{a{b{a}}{a}}", ((0, 0), (None, 1), (None, 2), (None, 3))),
        ("{a}{b}", "{b}{a}", ((0, 0), (1, 1))),
        ("{r{a{b{c}}}{z}}", "{r{b{c}}{z}}", ((0, 0), (1, None), (2, 1), (3, 2), (4, 3))),
        ("", "{a}{b}", ((None, 0), (None, 1))),
        ("{a}{b}", "", ((0, None), (1, None))),
        ("", "", ()),
    ],
)
def test_pairs_come_as_early_as_possible(x, y, pairs):
    x, y = bracket(x), bracket(y)
    for _ in range(3):
        assert tm.align(x, y).pairs == pairs


# --- examples ------------------------------------------------------------------------


def test_all_four_edits_of_a_pair_where_two_were_given():
    got = tm.align(bracket("{r{b{c}{d}}{e}}"), bracket("{r}"))
    assert [(e.op, e.i, e.j, e.old, e.new, e.cost) for e in got.edits()] == [
        ("delete", 4, None, "e", None, 1.0),
        ("delete", 3, None, "d", None, 1.0),
        ("delete", 2, None, "c", None, 1.0),
        ("delete", 1, None, "b", None, 1.0),
    ]
    assert [t.to_bracket() for t in got.apply()] == [
        "{r{b{c}{d}}}",
        "{r{b{c}}}",
        "{r{b}}",
        "{r}",
    ]


def test_an_inserted_node_takes_over_children():
    got = tm.align(bracket("{r{c}{d}{e}}"), bracket("{s{b{c}{d}}{e}}"))
    assert [(e.op, e.i, e.j, e.old, e.new) for e in got.edits()] == [
        ("replace", 0, 0, "r", "s"),
        ("insert", None, 1, None, "b"),
    ]
    assert [t.to_bracket() for t in got.apply()] == ["{s{c}{d}{e}}", "{s{b{c}{d}}{e}}"]


def test_a_root_comes_and_goes():
    forest, tree = bracket("{a}{b}"), bracket("{r{a}{b}}")
    assert list(tm.align(forest, tree).apply()) == [tree]
    assert list(tm.align(tree, forest).apply()) == [forest]


def test_keeping_a_label_may_cost():
    costs = tm.CostMatrix("a", [[0.5, 2], [2, 0]])
    a = bracket("{a}")
    got = tm.align(a, a, costs=costs)
    assert got.cost == 0.5
    assert [(e.op, e.old, e.new, e.cost) for e in got.edits()] == [("replace", "a", "a", 0.5)]
    assert list(got.apply()) == [a]


def test_a_free_replacement_is_still_an_edit():
    costs = tm.CostMatrix("ab", [[0, 0, 1], [0, 0, 1], [1, 1, 0]])
    got = tm.align(bracket("{a}"), bracket("{b}"), costs=costs)
    assert got.cost == 0.0
    assert [(e.op, e.old, e.new, e.cost) for e in got.edits()] == [("replace", "a", "b", 0.0)]
    assert list(got.apply()) == [bracket("{b}")]


def test_nothing_to_do():
    for tree in (EMPTY, bracket("{a{b}}{c}")):
        got = tm.align(tree, tree)
        assert (got.cost, got.edits(), list(got.apply())) == (0.0, [], [])


def test_deep_trees():
    x, y = tm.Tree.from_sequence("ab" * 1500), tm.Tree.from_sequence("ba" * 1500)
    got = tm.align(x, y)
    assert got.cost == len(got.edits()) == 2.0
    assert list(got.apply())[-1] == y


# --- the object ----------------------------------------------------------------------


@given(trees(max_size=8), trees(max_size=8), cost_cases())
def test_inverse(x, y, case):
    got = tm.align(x, y, costs=case.costs)
    back = got.inverse()
    check_pairs(back)
    check_edits(back, case.cost)
    check_steps(back)
    assert (back.x, back.y) == (y, x)
    assert sorted(matched(back)) == sorted((j, i) for i, j in matched(got))
    total = reference.alignment_cost(y, x, matched(back), case.cost)
    assert back.cost == pytest.approx(float(total), rel=1e-9, abs=1e-300)
    assert back.inverse() == got


def test_inverse_under_symmetric_costs_is_optimal():
    x, y = bracket("{a{b}{c}}"), bracket("{a{c{d}}}")
    assert tm.align(x, y).inverse().cost == tm.distance(y, x)
    # With decimals as well: 0.1 + 0.2 is 0.3 for the distance.
    costs = tm.CostMatrix("ab", [[0, 0.3, 0.1], [0.3, 0, 0.2], [0.1, 0.2, 0]])
    x = bracket("{a{b}}")
    assert tm.align(EMPTY, x, costs=costs).inverse().cost == tm.distance(x, EMPTY, costs=costs)
    # With these costs the way back is another price.
    x, y = bracket("{a}"), bracket("{c}")
    assert (tm.align(x, y, costs=ODD).cost, tm.align(x, y, costs=ODD).inverse().cost) == (9.0, 2.0)


@given(trees(max_size=6), trees(max_size=6))
def test_equality_hash_pickle_and_copy(x, y):
    got = tm.align(x, y)
    again = tm.align(copy.deepcopy(x), y, costs=tm.UnitCosts())
    assert got == again
    assert hash(got) == hash(again)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        other = pickle.loads(pickle.dumps(got, protocol))
        assert other == got
        assert hash(other) == hash(got)
        assert (other.cost, other.pairs, other.edits()) == (got.cost, got.pairs, got.edits())
    assert copy.copy(got) == copy.deepcopy(got) == got


def test_what_makes_alignments_differ():
    x, y = bracket("{a{a}}"), bracket("{a}")
    got = tm.align(x, y)
    half = tm.CostMatrix("a", [[0, 0.5], [0.5, 0]])
    others = [a for a in tm.cooptimal(x, y) if a.pairs != got.pairs]
    others += [tm.align(x, y, costs=half), tm.align(y, x), tm.align(x, bracket("{b}"))]
    assert len(others) == 4
    assert got not in others
    assert len({got, *others}) == 5
    assert got != "alignment"
    assert tm.align(x, y, costs=half) == pickle.loads(pickle.dumps(tm.align(x, y, costs=half)))


def test_immutable():
    got = tm.align(bracket("{a{b}}"), bracket("{a}"))
    for name in ("x", "y", "cost", "costs", "pairs"):
        with pytest.raises(AttributeError):
            setattr(got, name, None)
    edits = got.edits()
    edits.clear()
    assert len(got.edits()) == 1
    with pytest.raises(AttributeError):
        got.edits()[0].cost = 3.0


def test_repr():
    got = tm.align(bracket("{a{b}{c}{d}{e}}"), bracket("{x{b}{c}{d}}"))
    assert repr(got) == "<Alignment of cost 2.0: 3 kept, 1 replaced, 1 deleted, 0 inserted>"
    got = tm.align(EMPTY, bracket("{a}{b}"))
    assert repr(got) == "<Alignment of cost 2.0: 0 kept, 0 replaced, 0 deleted, 2 inserted>"


def test_html_is_escaped():
    x, y = tm.Tree.from_sequence(["<b>", "x&y", "c"]), tm.Tree.from_sequence(["<i>", "x&y"])
    text = tm.align(x, y)._repr_html_()
    assert isinstance(text, str)
    assert "<b>" not in text
    assert "<i>" not in text
    assert "&lt;b&gt;" in text
    for a, b in ((EMPTY, EMPTY), (EMPTY, y), (x, EMPTY)):
        assert isinstance(tm.align(a, b)._repr_html_(), str)


def test_costs_of_all_kinds():
    x, y = bracket("{a{b}{c}}"), bracket("{b{c{a}}}")
    for costs in (
        tm.UnitCosts(),
        tm.CallableCosts(lambda a, b: 0.0 if a == b else 0.5),
        tm.EmbeddingCosts("abc", [[0.0], [3.0], [5.0]]),
        ODD,
    ):
        got = tm.align(x, y, costs=costs)
        assert got.cost == tm.distance(x, y, costs=costs)
        assert math.fsum(e.cost for e in got.edits()) == pytest.approx(got.cost)
        assert got.costs == costs
        assert list(got.apply())[-1] == y
    assert tm.align(x, y).costs == tm.UnitCosts()


def test_refusals():
    x = bracket("{a}")
    with pytest.raises(TypeError, match="'x' parameter of align"):
        tm.align("{a}", x)
    with pytest.raises(TypeError, match="'y' parameter of align"):
        tm.align(x, [x])
    with pytest.raises(TypeError, match="'costs' parameter of align"):
        tm.align(x, x, costs=np.zeros((2, 2)))
    with pytest.raises(tm.exceptions.UnknownLabelError):
        tm.align(x, x, costs=tm.CostMatrix("b", np.zeros((2, 2))))
    with pytest.raises(TypeError, match="positional"):
        tm.align(x, x, tm.UnitCosts())
