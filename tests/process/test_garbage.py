"""Labels that refer to what holds them are freed by the garbage collector."""

import gc
import weakref

import numpy as np
import pytest

import treemetric as tm


class Label:
    """A label that can refer to anything."""

    def __init__(self, name):
        self.name = name
        self.holder = None

    def __eq__(self, other):
        return isinstance(other, Label) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


def solved(tree):
    """Co-optimal alignments that were looked at, so that their solution is kept."""
    pair = tm.cooptimal(tree, tree)
    assert pair.count == 1
    return pair


def iterated(tree):
    return iter(tm.cooptimal(tree, tree))


def with_costs(tree):
    costs = tm.CostMatrix(tree.labels[:1], [[0, 1], [1, 0]])
    return tm.cooptimal(tree, tree, costs=costs)


def with_vectors(tree):
    costs = tm.VectorCosts(tree.labels[:1], np.ones((1, 2)))
    assert tm.distance(tree, tree, costs=costs) == 0
    return tm.cooptimal(tree, tree, costs=costs)


def compared(trees):
    assert tm.pairwise_distances(trees).tolist() == [[0.0]]
    return trees


HOLDERS = {
    "tree": lambda tree: tree,
    "labels": lambda tree: tree.labels,
    "set": lambda tree: compared(tm.TreeSet([tree])),
    "tree of a set": lambda tree: tm.TreeSet([tree])[0],
    "ids of a set": lambda tree: tm.TreeSet([tree], ids=[tree.labels[0]]),
    "index": lambda tree: tm.TreeIndex([tree]),
    "alignment": lambda tree: tm.align(tree, tree),
    "co-optimal": solved,
    "iterator": iterated,
    "costs": with_costs,
    "vectors": with_vectors,
    "counts": lambda tree: tm.edit_counts([tree]),
}


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)
def test_a_label_that_refers_back_is_freed(hold):
    label = Label("a")
    label.holder = hold(tm.Tree.from_parents([label, label], [-1, 0]))
    freed = weakref.ref(label)
    gc.collect()
    assert freed() is label  # and what it holds works
    assert repr(label.holder)
    del label
    gc.collect()
    assert freed() is None


def test_a_finalizer_sees_a_whole_tree():
    seen = []

    class Last(Label):
        def __del__(self):
            seen.append((self.holder.size, self.holder.labels[0] is self, hash(self.holder)))

    label = Last("a")
    label.holder = tm.Tree.from_parents([label, "b"], [-1, 0])
    expected = (2, True, hash(label.holder))
    del label
    gc.collect()
    assert seen == [expected]
