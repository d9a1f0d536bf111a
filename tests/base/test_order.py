"""What belongs to positions is refused where it has no order."""

import numpy as np
import pytest

import treemetric as tm
from treemetric import learning, metrics, plotting

TREES = [tm.Tree.from_bracket(text) for text in ("{a{b}}", "{a{c}}", "{c}")]
LABELS = {"a", "b", "c"}
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
}


@pytest.mark.parametrize("name", SETS)
def test_sets_are_refused(name):
    if name.startswith("plot"):
        pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match=r"set( instead)?\. The order of a set is arbitrary"):
        SETS[name]()


def test_dictionaries_of_tables_and_texts_are_refused():
    with pytest.raises(ValueError, match=r"'trues'.* a dict instead. Use a list of its values."):
        metrics.teds_scores([TABLE], {1: TABLE})
    with pytest.raises(ValueError, match=r"'X'.* a dict instead. Use a list of its values."):
        metrics.tsed_scores({"x": "y"}, ["x"], language="ast")


def test_keys_of_a_dictionary_have_an_order():
    costs = tm.CostMatrix(dict.fromkeys("ab"), np.ones((3, 3)) - np.eye(3))
    assert costs.alphabet == ("a", "b")
