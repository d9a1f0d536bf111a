"""Distances as integers: the same numbers, or an error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from strategies import cost_cases, tree_lists

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
CHAINS = [tm.Tree.from_sequence("a" * n) for n in (0, 1, 5, 127, 128, 255, 256)]
WHOLE = tm.CostMatrix("ab", [[0, 3, 2], [3, 0, 2], [2, 2, 0]])
HALVES = tm.CostMatrix("ab", [[0, 3, 2.5], [3, 0, 2], [2.5, 2, 0]])


@given(tree_lists(), st.sampled_from(INTEGERS), cost_cases(scales=[1]))
def test_the_same_numbers(trees, dtype, case):
    for costs in (None, case.costs):
        expected = tm.pairwise_distances(trees, costs=costs)
        if dtype == "int8" and expected.size and expected.max() > 127:
            continue
        got = tm.pairwise_distances(trees, costs=costs, dtype=dtype)
        assert got.dtype == dtype
        assert got.tolist() == expected.tolist()
        diagonal = tm.paired_distances(trees, trees[::-1], costs=costs, dtype=dtype)
        assert diagonal.tolist() == np.diag(expected[:, ::-1]).tolist()
    condensed = tm.pairwise_distances(trees, condensed=True, dtype=dtype, n_jobs=2)
    assert condensed.dtype == dtype
    assert condensed.tolist() == tm.pairwise_distances(trees, condensed=True).tolist()


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_a_distance_that_does_not_fit_is_an_error(dtype):
    most = np.iinfo(dtype).max
    fits = [tree for tree in CHAINS if tree.size <= most]
    got = tm.pairwise_distances(fits, dtype=dtype)
    assert got.max() == most
    empty, long = CHAINS[0], tm.Tree.from_sequence("a" * (most + 1))
    words = f"dtype {dtype} holds whole distances up to {most}, but a distance is {most + 1}"
    for call in (
        lambda: tm.pairwise_distances([empty, long], dtype=dtype),
        lambda: tm.pairwise_distances([empty, long], dtype=dtype, condensed=True),
        lambda: tm.pairwise_distances([empty], [long], dtype=dtype, n_jobs=2),
        lambda: tm.paired_distances([empty], [long], dtype=dtype),
        lambda: tm.pairwise_distances([empty, long], dtype=dtype, out=np.zeros((2, 2), dtype)),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_a_distance_beyond_single_precision_is_an_error(tmp_path):
    # As infinity it would look like a distance above a cutoff.
    x, y = tm.Tree.from_sequence("a"), tm.Tree.from_sequence("")
    far = {"costs": tm.OperationCosts(1e39, 1e39, 1), "dtype": "float32"}
    for call in (
        lambda: tm.pairwise_distances([x, y], **far),
        lambda: tm.pairwise_distances([x], [y], n_jobs=2, **far),
        lambda: tm.paired_distances([x], [y], **far),
        lambda: tm.unordered_pairwise_distances([x, y], **far),
        lambda: tm.pairwise_distances([x, y], out=tmp_path / "D.npy", **far),
    ):
        words = (
            r"dtype float32 holds distances up to 3.40\d*e38, but a distance is 1e39; pass a wider"
        )
        with pytest.raises(ValueError, match=words):
            call()
    assert list(tmp_path.iterdir()) == []
    cut = tm.pairwise_distances([x], [y], cutoff=1, **far)
    assert cut.tolist() == [[np.inf]]
    largest = float(np.finfo("float32").max)
    costs = tm.OperationCosts(largest, largest, 1)
    got = tm.pairwise_distances([x], [y], costs=costs, dtype="float32")
    assert got.tolist() == [[largest]]


def test_no_distance_beyond_the_whole_floats():
    far = tm.CostMatrix("a", [[0, 2**40], [2**40, 0]])
    x = tm.Tree.from_sequence("a" * 8192)
    empty = CHAINS[0]
    assert tm.paired_distances([empty], [x], costs=far, dtype="int64").tolist() == [2**53]
    longer = tm.Tree.from_sequence("a" * 8193)
    with pytest.raises(ValueError, match=f"up to {2**53}"):
        tm.paired_distances([empty], [longer], costs=far, dtype="uint64")


@pytest.mark.parametrize(
    "costs",
    [
        HALVES,
        tm.CostMatrix("a", [[0, 2**41 + 1], [2**41 + 1, 0]]),
        tm.CallableCosts(lambda a, b: 0.5 * (a != b)),
        tm.VectorCosts("a", [[1.0]], kind="euclidean"),
        tm.VectorCosts("a", [[2.0**40]], kind="euclidean"),
    ],
    ids=["halves", "large", "function", "vectors", "long vectors"],
)
def test_costs_must_be_whole(costs):
    trees = [tm.Tree.from_sequence("a")]
    words = (
        r"'dtype' parameter of (pairwise|paired)_distances must be 'float64' or 'float32' unless"
    )
    with pytest.raises(ValueError, match=words):
        tm.pairwise_distances(trees, costs=costs, dtype="int32")
    with pytest.raises(ValueError, match=words):
        tm.paired_distances(trees, trees, costs=costs, dtype=np.int32)


def test_whole_costs_of_every_kind():
    trees = [tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b")]
    function = tm.CallableCosts(lambda a, b: 2 * (a != b))
    for costs in (WHOLE, function, tm.UnitCosts()):
        expected = tm.pairwise_distances(trees, costs=costs).astype("uint16")
        for dtype in ("uint16", np.uint16, np.dtype("uint16")):
            got = tm.pairwise_distances(trees, costs=costs, dtype=dtype)
            assert got.dtype == np.uint16
            assert np.array_equal(got, expected)


@pytest.mark.parametrize(("option", "word"), [({"cutoff": 3}, "cutoff"), ({"norm": "max"}, "norm")])
def test_infinities_and_fractions_are_refused(option, word):
    words = f"'dtype' .* must be 'float64' or 'float32' with a {word}. Got 'int32'"
    with pytest.raises(ValueError, match=words):
        tm.pairwise_distances(CHAINS, dtype="int32", **option)
    with pytest.raises(ValueError, match=words):
        tm.paired_distances(CHAINS, CHAINS, dtype="int32", **option)


def test_out_has_the_same_type():
    out = np.zeros((len(CHAINS), len(CHAINS)), dtype="int32")
    assert tm.pairwise_distances(CHAINS, dtype="int32", out=out) is out
    assert out.max() == 256
    with pytest.raises(ValueError, match=r"'out' .* dtype int64"):
        tm.pairwise_distances(CHAINS, dtype="int64", out=out)


def test_transformers():
    model = tm.TreeDistances(dtype="uint16").fit(CHAINS)
    assert model.transform(CHAINS[:2]).dtype == np.uint16
