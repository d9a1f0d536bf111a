"""An index that changes answers as an index of the same trees that never changed."""

import os
import pickle
import signal
import threading

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import treemetric as tm
from indexes import COSTS, EVEN, chains, check_equal
from strategies import tree_lists


class ChangedIndex(RuleBasedStateMachine):
    """Changes of an index, and the same changes of a list."""

    @initialize(
        trees=tree_lists(labels="abcd"),
        costs=st.sampled_from(COSTS),
        norm=st.sampled_from([None, "max"]),
        pivots=st.sampled_from([0, "auto"]),
    )
    def start(self, trees, costs, norm, pivots):
        self.options = {"costs": costs, "norm": norm, "n_pivots": pivots}
        self.trees, self.count = list(trees), len(trees)
        self.ids = list(range(len(trees)))
        self.index = tm.TreeIndex(tm.TreeSet(trees, ids=self.ids), **self.options)

    @rule(trees=tree_lists(labels="abcd", max_size=3))
    def add(self, trees):
        ids = list(range(self.count, self.count + len(trees)))
        self.index.add(tm.TreeSet(trees, ids=ids))
        self.count += len(trees)
        self.trees += trees
        self.ids += ids

    @rule(data=st.data())
    def remove(self, data):
        places = st.integers(0, max(len(self.trees) - 1, 0))
        chosen = data.draw(st.lists(places, max_size=4)) if self.trees else []
        if data.draw(st.booleans()):
            self.index.remove(chosen)
        else:
            self.index.remove(ids=[self.ids[i] for i in chosen])
        left = [i for i in range(len(self.trees)) if i not in chosen]
        self.trees = [self.trees[i] for i in left]
        self.ids = [self.ids[i] for i in left]

    @rule(queries=tree_lists(labels="abcd", max_size=3))
    def search(self, queries):
        check_equal(self.index, tm.TreeSet(self.trees, ids=self.ids), queries, **self.options)

    @invariant()
    def lengths_agree(self):
        if hasattr(self, "index"):
            assert len(self.index) == len(self.trees)


ChangedIndex.TestCase.settings = settings(max_examples=40, stateful_step_count=8, deadline=None)
TestChangedIndex = ChangedIndex.TestCase


def test_a_change_that_fails_leaves_the_index_as_it_was():
    index = tm.TreeIndex(chains("ab", "ba"), costs=EVEN)
    with pytest.raises(tm.exceptions.UnknownLabelError):
        index.add(chains("az"))
    for positions in (2, -3, [0, 2], "ab", 0.5, [True], [[0]]):
        with pytest.raises(ValueError, match="positions"):
            index.remove(positions)
    with pytest.raises(ValueError, match="positions"):
        index.remove()
    with pytest.raises(ValueError, match="without ids"):
        index.remove(ids=["a"])
    check_equal(index, chains("ab", "ba"), chains("ab"), costs=EVEN)


def test_positions_are_ints_slices_lists_and_masks():
    for positions in (1, [1], np.array([1]), slice(1, 2), np.array([False, True, False]), -2):
        index = tm.TreeIndex(chains("ab", "ba", "cc"))
        index.remove(positions)
        check_equal(index, chains("ab", "cc"), chains("ab"))


def test_ids_are_kept():
    index = tm.TreeIndex(tm.TreeSet(chains("ab", "ba"), ids=["p", "q"]))
    with pytest.raises(ValueError, match="ids"):
        index.add(chains("cc"))
    index.add(tm.TreeSet(chains("cc"), ids=["r"]))
    index.remove(ids=["p"])
    assert index.trees.ids == ("q", "r")
    with pytest.raises(ValueError, match="'nobody'"):
        index.remove(ids=["q", "nobody"])
    pytest.importorskip("pandas", reason="needs the extra 'pandas'")
    frame = index.within(chains("cc"), radius=0).to_frame()
    assert frame["target_id"].tolist() == ["r"]


def test_all_trees_can_be_removed_and_added_again():
    index = tm.TreeIndex(chains("ab", "ba"))
    index.remove(slice(None))
    assert len(index) == 0
    assert index.within(chains("ab"), radius=3).counts.tolist() == [0]
    index.add(tm.TreeSet(chains("ab"), ids=["x"]))
    check_equal(index, tm.TreeSet(chains("ab"), ids=["x"]), chains("ab"))


def test_many_small_changes_leave_few_blocks():
    index = tm.TreeIndex([])
    words = [f"{i:b}" for i in range(200)]
    for word in words:
        index.add(chains(word))
    assert len(index._contents()._blocks) <= 9
    check_equal(index, chains(*words), chains("1011", "0"))
    index.remove(list(range(0, 200, 3)))
    left = [word for i, word in enumerate(words) if i % 3]
    check_equal(index, chains(*left), chains("1011", "0"))


def test_searches_see_whole_states_while_another_thread_changes_the_index():
    index = tm.TreeIndex(chains("ab"))
    stop, wrong = threading.Event(), []

    def search():
        while not stop.is_set():
            count = int(index.within(chains("ab"), radius=0).counts[0])
            if count not in (1, 6):
                wrong.append(count)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        index.add(chains(*["ab"] * 5))
        index.remove(slice(1, None))
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("opened", [False, True])
def test_changes_by_several_threads_lose_nothing(tmp_path, opened):
    index = tm.TreeIndex(tm.TreeSet(chains("ab"), ids=[-1]))
    if opened:
        index.save(tmp_path / "i")
        index = tm.TreeIndex.open(tmp_path / "i")
    begin = threading.Barrier(3)

    def change(number):
        begin.wait()
        for k in range(number, 90, 3):
            index.add(tm.TreeSet(chains(f"{k:b}", "x"), ids=[k, -2 - k]))
            index.remove(ids=[-2 - k])

    threads = [threading.Thread(target=change, args=[number]) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(index.trees.ids) == list(range(-1, 90))
    assert len(pickle.loads(pickle.dumps(index))) == 91


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_can_change_an_index_that_was_being_changed():
    index = tm.TreeIndex(chains("ab"))
    held, over = threading.Event(), threading.Event()

    def hold():
        with index._lock:
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if not child:  # a lock that stays held would end it by the alarm
        signal.alarm(60)
        index.add(chains("abc"))
        os._exit(0 if len(index) == 2 else 1)
    over.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
