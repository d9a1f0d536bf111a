"""The pq-gram distance against the bags of pq-grams, and published values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import feature_reference
import treemetric as tm
from strategies import tree_lists, trees
from treemetric.exceptions import CancelledError
from treemetric.features import pqgram_distance, pqgram_distances


def naive(x, y, p, q):
    one, other = feature_reference.pqgrams(x, p, q), feature_reference.pqgrams(y, p, q)
    total = one.total() + other.total()
    return 1 - 2 * (one & other).total() / total if total else 0.0


@given(x=trees(max_size=9), y=trees(max_size=9), p=st.integers(1, 3), q=st.integers(1, 4))
def test_the_distance_of_bags(x, y, p, q):
    found = pqgram_distance(x, y, p=p, q=q)
    assert found == pytest.approx(naive(x, y, p, q), abs=1e-15)
    assert found == pqgram_distance(y, x, p=p, q=q)
    assert pqgram_distance(x, x, p=p, q=q) == 0
    assert 0 <= found <= 1


@given(some=tree_lists(), others=tree_lists(labels="abd"))
def test_matrices_are_the_distances_of_pairs(some, others):
    expected = [[pqgram_distance(x, y) for y in others] for x in some]
    found = pqgram_distances(some, others, n_jobs=2)
    assert found.shape == (len(some), len(others))
    assert found.tolist() == expected
    square = [[pqgram_distance(x, y) for y in some] for x in some]
    assert pqgram_distances(some).tolist() == square


@given(some=tree_lists(min_size=3, max_size=3))
def test_the_transformed_distance_is_a_pseudo_metric(some):
    d = pqgram_distances(some)
    d = 2 * d / (1 + d)
    assert (d <= (d[:, :, None] + d[None, :, :]).min(axis=1) + 1e-12).all()


def test_published_example():
    # Figures 2 and 3 of Augsten, Böhlen and Gamper (2005): 13 pq-grams each, 9 are shared.
    x = tm.Tree.from_bracket("{a{a{e}{b}}{b}{c}}")
    y = tm.Tree.from_bracket("{a{a{e}{b}}{b}{x}}")
    assert feature_reference.pqgrams(x, 2, 3).total() == 13
    assert pqgram_distance(x, y) == pytest.approx(1 - 2 * 9 / 26)


def test_the_order_of_a_forest_counts():
    x, y = tm.Tree.from_bracket("{a}{b}"), tm.Tree.from_bracket("{b}{a}")
    assert pqgram_distance(x, y) > 0
    empty = tm.Tree.from_bracket("")
    assert pqgram_distance(empty, empty) == 0
    assert pqgram_distance(empty, x) == 1


def test_large_trees():
    n = 200_000
    x = tm.Tree.from_parents(["a"] * n, range(-1, n - 1))
    y = tm.Tree.from_parents(["a"] * (n - 1) + ["b"], range(-1, n - 1))
    assert 0 < pqgram_distance(x, y) < 1e-4


def test_wrong_arguments():
    tree = tm.Tree.from_sequence("a")
    with pytest.raises(TypeError, match="'x' parameter of pqgram_distance"):
        pqgram_distance("{a}", tree)
    with pytest.raises(ValueError, match="'p' parameter of pqgram_distance"):
        pqgram_distance(tree, tree, p=0)
    with pytest.raises(ValueError, match="'q' parameter of pqgram_distances"):
        pqgram_distances([tree], q="3")
    with pytest.raises(TypeError, match=r"'X\[0\]' parameter of pqgram_distances"):
        pqgram_distances([3])


def test_progress_can_stop_it():
    rng = np.random.default_rng(0)
    some = [tm.Tree.from_sequence(rng.choice(list("abc"), 300).tolist()) for _ in range(600)]
    seen = []
    with pytest.raises(CancelledError):
        pqgram_distances(some, progress=lambda done, total: seen.append(total) or False)
    assert seen == [600 * 601 // 2]
