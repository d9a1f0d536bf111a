"""Nothing recurses: a chain of a million nodes goes through every door."""

import copy
import pickle

import numpy as np
import pytest

import treemetric as tm

SIZE = 1_000_000


@pytest.fixture(scope="module")
def chain():
    return tm.Tree.from_parents(["a", "b"] * (SIZE // 2), np.arange(-1, SIZE - 1))


def test_built_from_a_sequence(chain):
    assert tm.Tree.from_sequence("ab" * (SIZE // 2)) == chain


def test_built_from_an_adjacency_list(chain):
    adj = [[i + 1] for i in range(SIZE - 1)] + [[]]
    assert tm.Tree.from_adjacency(["a", "b"] * (SIZE // 2), adj) == chain
    nodes, back = chain.to_adjacency()
    assert len(nodes) == SIZE
    assert back[0] == [1]
    assert back[-1] == []


def test_built_from_nested_tuples(chain):
    nested = "b"
    for i in range(SIZE - 1):
        nested = ("ba"[(i + 1) % 2], [nested])
    assert tm.Tree.from_nested(nested) == chain
    back = chain.to_nested()
    depth = 1
    while isinstance(back, tuple):
        assert back[0] == "ba"[depth % 2]
        back = back[1][0]
        depth += 1
    assert depth == SIZE
    assert back == "b"


def test_written_and_read_in_brackets(chain):
    text = chain.to_bracket()
    assert len(text) == 3 * SIZE
    assert text.startswith("{a{b{a{b")
    assert tm.Tree.from_bracket(text) == chain


@pytest.mark.parametrize("name", ["jsonl", "bracket"])
def test_written_to_and_read_from_a_file(tmp_path, chain, name):
    flat = tm.TreeSet([chain, tm.Tree.from_bracket("{a}")])
    getattr(flat, f"to_{name}")(tmp_path / "deep")
    assert getattr(tm.TreeSet, f"from_{name}")(tmp_path / "deep") == flat


def test_pickled_and_copied(chain):
    assert pickle.loads(pickle.dumps(chain)) == chain
    assert copy.deepcopy(chain) == chain
    flat = tm.TreeSet([chain])
    assert pickle.loads(pickle.dumps(flat, protocol=5)) == flat


def test_compared_and_hashed(chain):
    twin = chain.map_labels(lambda label: label)
    assert twin == chain
    assert hash(twin) == hash(chain)
    assert chain.map_labels(str.upper) != chain


def test_shown_in_a_line(chain):
    assert len(repr(chain)) < 200


def test_cut_and_put_side_by_side(chain):
    half = chain.subtree(SIZE // 2)
    assert half.size == SIZE // 2
    assert half.labels[:2] == ("a", "b")
    both = tm.Tree.forest([half, half])
    assert both.size == SIZE
    assert both.roots == (0, SIZE // 2)


@pytest.mark.parametrize(
    ("small", "expected"),
    [
        ("", 100_000),
        ("{a}", 99_999),
        ("{a{a{a}}}", 99_997),
        ("{z{z{z}}}", 100_000),
        # A chain has no two nodes side by side, so one of the leaves is inserted.
        ("{a{a}{a}}", 99_998 + 1),
    ],
)
@pytest.mark.parametrize("costs", [None, tm.CostMatrix("az", 1 - np.eye(3))])
def test_distance_of_a_long_chain_to_a_small_tree(small, expected, costs):
    long = tm.Tree.from_sequence("a" * 100_000)
    small = tm.Tree.from_bracket(small)
    assert tm.distance(long, small, costs=costs) == expected
    assert tm.distance(small, long, costs=costs) == expected


def test_distance_of_a_wide_star_to_a_small_tree():
    star = tm.Tree.from_parents("a" * 100_000, [-1] + [0] * 99_999)
    small = tm.Tree.from_bracket("{a{a{a}}}")
    assert tm.distance(star, small) == 99_998 + 1
    assert tm.distance(small, star) == 99_998 + 1


@pytest.mark.parametrize("condensed", [False, True])
def test_a_long_chain_among_small_trees(condensed):
    # The distance of the chain to itself needs no table: it is known to be 0.
    trees = [tm.Tree.from_sequence("a" * 100_000), tm.Tree.from_bracket("{a{b}{c}}")]
    got = tm.pairwise_distances(trees, condensed=condensed)
    assert got.tolist() == ([100_000] if condensed else [[0, 100_000], [100_000, 0]])


def test_distance_that_cannot_fit_says_how_much_it_needs(chain):
    with pytest.raises(MemoryError, match="bytes"):
        tm.distance(chain, chain.map_labels(str.upper))
