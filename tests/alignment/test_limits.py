"""Ties, tolerances, sizes and interruptions: what a hard look at alignments brought up."""

import os
import signal
import textwrap
import time

import numpy as np
import pytest

import reference
import treemetric as tm
from children import PIPE, start

b = tm.Tree.from_bracket


def test_a_penalty_does_not_make_bad_alignments_optimal():
    costs = tm.CostMatrix("ab", [[0, 1 / 3, 1e9], [1 / 3, 0, 1], [1e9, 1, 0]])
    assert tm.cooptimal(b("{a{b}}"), b("{a{b}}"), costs=costs).count == 1


def test_count_and_iteration_agree_next_to_a_penalty():
    costs = tm.CostMatrix("ab", [[0, 0, 0.5], [1, 1e9, 1e9], [0.5, 1, 0]])
    found = tm.cooptimal(b("{a{a}}{b}"), b("{b}"), costs=costs)
    assert found.count == len(list(found))


def test_ties_that_rounding_breaks_are_ties():
    delete, insert, large = 0.7024670687252071, 0.8918992945173863, 1404.9341374504143
    matrix = [[0, delete + insert, delete], [large, 0, large], [large, insert, 0]]
    assert tm.cooptimal(b("{a}"), b("{b}"), costs=tm.CostMatrix("ab", matrix)).count == 2


@pytest.mark.parametrize("seed", range(40))
def test_random_ties_of_float_costs_are_found(seed):
    rng = np.random.default_rng(seed)
    gaps = rng.uniform(0.1, 1, 3)
    # Replacing costs as much as deleting and inserting: every alignment without changes ties.
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = gaps[:, None] + gaps[None, :]
    matrix[:3, 3] = matrix[3, :3] = gaps
    matrix[np.arange(3), np.arange(3)] = 0
    costs = tm.CostMatrix("abc", matrix)
    x = tm.Tree.from_sequence(rng.choice(list("abc"), 3).tolist())
    y = tm.Tree.from_sequence(rng.choice(list("abc"), 3).tolist())
    cost = reference.table_cost(costs.alphabet, costs.matrix)
    prices = [
        reference.alignment_cost(x, y, pairs, cost) for pairs in reference.all_alignments(x, y)
    ]
    optimal = sum(price <= min(prices) + 1e-9 for price in prices)
    found = tm.cooptimal(x, y, costs=costs)
    assert found.count == optimal == len(list(found))


def test_alignments_within_a_tolerance_have_their_own_cost():
    found = tm.cooptimal(tm.Tree.from_sequence("aaa"), tm.Tree.from_sequence("bbb"), tol=0.5)
    alignments = list(found)
    assert len({alignment.cost for alignment in alignments}) > 1
    for alignment in [*alignments, *found.sample(5, random_state=0)]:
        assert alignment.cost == sum(edit.cost for edit in alignment.edits())
        assert alignment.inverse().inverse() == alignment
    assert found.count == len(alignments)


def test_forbidden_replacements_have_no_share_in_soft_alignments():
    for large in (1e17, 1e20, np.inf):
        matrix = np.full((4, 4), large)
        matrix[:3, 3] = matrix[3, :3] = 1
        np.fill_diagonal(matrix, 0)
        costs = tm.CostMatrix("abc", matrix)
        soft = tm.soft_alignment(b("{a{b}{b}}"), b("{a{c}{c}}"), temperature=1e-3, costs=costs)
        assert soft.cost == pytest.approx(4.0, abs=1e-6)
        assert np.isfinite(soft.expectation).all()
        assert soft.expectation[1:3, 1:3].max() == 0


@pytest.mark.parametrize("temperature", [1e101, 1e308])
def test_temperatures_have_an_upper_bound(temperature):
    with pytest.raises(ValueError, match=r"in the range \[.*, 1e\+100\]"):
        tm.soft_alignment(b("{a}"), b("{a}"), temperature=temperature)


@pytest.mark.parametrize("k", [-1, 2**31, 2**62, 2**70, 1.0, True, "3"])
def test_numbers_of_samples_that_cannot_be_are_refused(k):
    with pytest.raises(ValueError, match="The 'k' parameter of sample must be an int in the range"):
        tm.cooptimal(b("{a}"), b("{a}")).sample(k)


def test_samples_that_do_not_fit_are_refused():
    chain = tm.Tree.from_sequence("a" * 3000)
    with pytest.raises(MemoryError, match="2147483647 alignments"):
        tm.cooptimal(chain, chain).sample(2**31 - 1)


def test_nothing_can_be_deleted_from_an_alignment():
    alignment, found = tm.align(b("{a}"), b("{a}")), tm.cooptimal(b("{a}"), b("{a}"))
    for thing, name in [(alignment, "_cost"), (alignment, "cost"), (found, "_x")]:
        with pytest.raises(AttributeError, match="immutable"):
            delattr(thing, name)
    assert alignment.cost == 0
    assert found.count == 1


def test_functions_are_called_once_per_pair_of_labels_also_for_edits():
    calls = []

    def cost(old, new):
        calls.append((old, new))
        return float(old != new)

    trees = tm.Tree.from_sequence("ab" * 50), tm.Tree.from_sequence("ba" * 40)
    alignment = tm.align(*trees, costs=tm.CallableCosts(cost))
    calls.clear()
    alignment.edits()
    assert len(calls) == len(set(calls))


def test_a_label_that_does_not_equal_itself_is_kept():
    label = float("nan")
    tree = tm.Tree.from_sequence([label, label])
    alignment = tm.align(tree, tree)
    assert alignment.edits() == []
    assert "2 kept, 0 replaced" in repr(alignment)


def test_priced_edits_need_costs():
    counts = tm.edit_counts([b("{a}")])
    with pytest.raises(TypeError, match="The 'costs' parameter of distances must be"):
        counts.distances(None)


LATE = {
    "align": "tm.align(chain(12000), chain(12000))",
    "expectation": "tm.cooptimal(chain(5000), chain(5000)).expectation",
    "count": "tm.cooptimal(chain(3000), chain(1500)).count",
    "sample": "tm.cooptimal(chain(300), chain(150)).sample(100_000)",
    "soft": "tm.soft_alignment(chain(4000), chain(4000))",
}


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
@pytest.mark.parametrize("name", LATE)
def test_a_signal_stops_an_alignment(name):
    code = f"""
        import treemetric as tm
        def chain(n):
            return tm.Tree.from_sequence("a" * n)
        print("go", flush=True)
        {LATE[name]}
        print("done", flush=True)
    """
    process = start("-c", textwrap.dedent(code), stdout=PIPE, stderr=PIPE)
    assert process.stdout.readline() == "go\n"
    time.sleep(0.6)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    # A machine so fast that it was done in time has nothing to show.
    assert "done" in out or "KeyboardInterrupt" in error
