"""What belongs to positions is refused where it has no order."""

from collections.abc import Set as AbstractSet

import numpy as np
import pytest

import treemetric as tm
from treemetric import learning, metrics, plotting
from treemetric.classification import DistanceSVC
from treemetric.regression import KNeighborsTreeRegressor

TREES = [tm.Tree.from_bracket(text) for text in ("{a{b}}", "{a{c}}", "{c}")]
LABELS = {"a", "b", "c"}


class LabelSet(AbstractSet):
    """A set that is derived from neither set nor frozenset."""

    def __contains__(self, value):
        return value in LABELS

    def __iter__(self):
        return iter(LABELS)

    def __len__(self):
        return len(LABELS)


D = np.ones((3, 3)) - np.eye(3)
TABLE = "<table><tr><td>1</td></tr></table>"
SETS = {
    "from_parents": lambda: tm.Tree.from_parents(LABELS, [-1, 0, 0]),
    "from_sequence": lambda: tm.Tree.from_sequence(LABELS),
    "from_adjacency": lambda: tm.Tree.from_adjacency(LABELS, [[1], [2], []]),
    "from_arrays": lambda: tm.TreeSet.from_arrays(LABELS, [0, 1], [-1, 0], [0, 2]),
    "ids": lambda: tm.TreeSet(TREES, ids=LABELS),
    "classes": lambda: tm.TreeSet(TREES, classes=frozenset(LABELS)),
    "CostMatrix": lambda: tm.CostMatrix(LABELS, np.ones((4, 4)) - np.eye(4)),
    "children": lambda: tm.Tree.from_adjacency("abc", [{1, 2}, [], []]),
    "roots": lambda: tm.Tree.from_adjacency("abc", [[], [], []], roots=frozenset(range(3))),
    "from_callable": lambda: tm.Tree.from_callable("r", lambda node: LABELS if node == "r" else ()),
    "EmbeddingCosts": lambda: tm.EmbeddingCosts(LABELS, np.eye(3)),
    "VectorCosts": lambda: tm.VectorCosts(LABELS, np.eye(3)),
    "pairs": lambda: learning.NCACosts().fit_pairs({tuple(TREES[:2]), tuple(TREES[1:])}, [1, -1]),
    "pair": lambda: learning.NCACosts().fit_pairs([set(TREES[:2]), TREES[1:]], [1, -1]),
    "triplet": lambda: learning.NCACosts().fit_triplets([frozenset(TREES)]),
    "teds_scores": lambda: metrics.teds_scores({TABLE}, [TABLE]),
    "tsed_scores": lambda: metrics.tsed_scores(["x"], {"x"}, language="ast"),
    "plot_dendrogram": lambda: plotting.plot_dendrogram(D, trees=set(TREES)),
    "map_html": lambda: plotting.map_html(D, names=LABELS),
    "map_html trees": lambda: plotting.map_html(D, trees=set(TREES)),
    "own ids": lambda: tm.TreeSet(TREES, ids=LabelSet()),
    "own classes": lambda: tm.TreeSet(TREES, classes=LabelSet()),
    "own alphabet": lambda: tm.CostMatrix(LabelSet(), np.ones((4, 4)) - np.eye(4)),
    "own labels": lambda: tm.Tree.from_parents(LabelSet(), [-1, 0, 0]),
    "y": lambda: KNeighborsTreeRegressor().fit(TREES, {1, 2, 3}),
    "classes of y": lambda: DistanceSVC().fit(TREES, LABELS),
}


@pytest.mark.parametrize("name", SETS)
def test_sets_are_refused(name):
    if name.startswith("plot"):
        pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match=r"[sS]et( instead)?\. The order of a set is arbitrary"):
        SETS[name]()


def test_dictionaries_of_tables_and_texts_are_refused():
    with pytest.raises(ValueError, match=r"'trues'.* a dict instead. Use a list of its values."):
        metrics.teds_scores([TABLE], {1: TABLE})
    with pytest.raises(ValueError, match=r"'X'.* a dict instead. Use a list of its values."):
        metrics.tsed_scores({"x": "y"}, ["x"], language="ast")


BY_POSITION = {
    "ids": lambda values: tm.TreeSet(TREES, ids=values),
    "classes": lambda values: tm.TreeSet(TREES, classes=values),
    "nodes": lambda values: tm.Tree.from_adjacency(values, [[1, 2], [], []]),
    "labels": lambda values: tm.Tree.from_parents(values, [-1, 0, 0]),
    "parents": lambda values: tm.Tree.from_parents("abc", values),
    "sequence": tm.Tree.from_sequence,
    "names": lambda values: plotting.map_html(D, names=values),
    "y": lambda values: KNeighborsTreeRegressor().fit(TREES, values),
}


@pytest.mark.parametrize("name", BY_POSITION)
def test_keys_of_a_dictionary_are_not_values(name):
    with pytest.raises(ValueError, match=rf"'{name}'.* a dict instead. Use a list of its values."):
        BY_POSITION[name]({-1: "a", 0: "b", 1: "c"})


def test_keys_of_a_dictionary_have_an_order():
    assert tm.TreeSet(TREES, ids={"x": 1, "y": 2, "z": 3}.keys()).ids == ("x", "y", "z")
    costs = tm.CostMatrix(dict.fromkeys("ab"), np.ones((3, 3)) - np.eye(3))
    assert costs.alphabet == ("a", "b")
