"""Distances of pairs: the same bits as one by one."""

import sys
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treemetric as tm
from children import PROMPT, interrupt_script
from shapes import SHAPES, make_tree
from strategies import cost_cases, trees

PAIRS = st.lists(st.tuples(trees(max_size=10), trees(max_size=10)), max_size=8)
RNG = Random(3)
SOME = [make_tree(RNG, RNG.choice([0, 1, 5, 30, 60]), RNG.choice(list(SHAPES))) for _ in range(80)]
X, Y = SOME[:40], SOME[40:]


def one_by_one(X, Y, **options):
    return [tm.distance(x, y, **options) for x, y in zip(X, Y, strict=True)]


def split(pairs):
    return [x for x, _ in pairs], [y for _, y in pairs]


def check(X, Y, **options):
    """Compare with single pairs, also with cutoffs at, below and above distances that occur."""
    expected = one_by_one(X, Y, **options)
    assert tm.paired_distances(X, Y, **options).tolist() == expected
    assert tm.paired_distances(tm.TreeSet(X), tm.TreeSet(Y), n_jobs=2, **options).tolist() == (
        expected
    )
    for d in {0.0, *expected}:
        for cutoff in (d, np.nextafter(d, np.inf), max(np.nextafter(d, -np.inf), 0.0)):
            cut = [value if value <= cutoff else float("inf") for value in expected]
            assert tm.paired_distances(X, Y, cutoff=cutoff, **options).tolist() == cut
            assert one_by_one(X, Y, cutoff=cutoff, **options) == cut


@given(PAIRS)
def test_unit_costs(pairs):
    check(*split(pairs))


@given(PAIRS, cost_cases())
def test_any_matrix(pairs, case):
    check(*split(pairs), costs=case.costs)


@given(PAIRS, st.sampled_from(["cosine", "chord", "angle", "euclidean"]))
def test_vectors(pairs, kind):
    # c has no vector.
    costs = tm.VectorCosts("ab", [[1.0, 2.0], [-0.5, 0.3]], kind=kind)
    check(*split(pairs), costs=costs)


def test_functions_up_to_the_grid():
    costs = tm.CallableCosts(lambda a, b: abs(ord(a or "z") - ord(b or "z")) ** 0.5)
    got = tm.paired_distances(X, Y, costs=costs)
    assert got == pytest.approx(one_by_one(X, Y, costs=costs), rel=1e-11)
    matrix = tm.pairwise_distances(X, Y, costs=costs)
    assert got.tolist() == np.diag(matrix).tolist()


def test_larger_trees_and_the_number_of_threads():
    expected = one_by_one(X, Y)
    for n_jobs in (1, 2, -1):
        assert tm.paired_distances(X, Y, n_jobs=n_jobs).tolist() == expected
    assert np.array_equal(tm.paired_distances(X, Y), np.diag(tm.pairwise_distances(X, Y)))


def test_one_set_with_itself():
    some = tm.TreeSet(X)
    assert not tm.paired_distances(some, some).any()


def test_nothing():
    assert tm.paired_distances([], []).shape == (0,)


def test_types_and_out():
    expected = np.array(one_by_one(X, Y))
    assert tm.paired_distances(X, Y, dtype="float32").tolist() == expected.astype("f4").tolist()
    out = np.full(len(X), np.nan)
    assert tm.paired_distances(X, Y, out=out) is out
    assert np.array_equal(out, expected)
    strided = np.zeros((len(X), 2))
    tm.paired_distances(X, Y, out=strided[:, 1])
    assert np.array_equal(strided[:, 1], expected)
    assert not strided[:, 0].any()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"Y": Y[1:]}, r"'Y' parameter of paired_distances must be of the length of X, 40.*39"),
        ({"n_jobs": 0}, "'n_jobs'"),
        ({"cutoff": -1}, "'cutoff'"),
        ({"norm": "mean"}, r"'norm'.*'li_zhang'.*Got 'mean'"),
        ({"dtype": "float16"}, "'dtype'"),
        ({"out": np.zeros(39)}, "'out'"),
        ({"out": np.zeros(40, dtype="f4")}, "'out'"),
    ],
)
def test_wrong_arguments_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        tm.paired_distances(**{"X": X, "Y": Y, **options})


@pytest.mark.parametrize("wrong", [X[0], "abc", None, [1]])
def test_both_are_collections_of_trees(wrong):
    for options in ({"X": wrong, "Y": Y}, {"X": X, "Y": wrong}):
        with pytest.raises(TypeError, match="must be an instance of"):
            tm.paired_distances(**options)


def test_unknown_labels_are_named():
    costs = tm.CostMatrix("a", [[0, 1], [1, 0]])
    with pytest.raises(tm.exceptions.UnknownLabelError):
        tm.paired_distances([tm.Tree.from_sequence("a")], [tm.Tree.from_sequence("q")], costs=costs)


def test_progress_ends_with_all_and_may_stop():
    seen = []
    tm.paired_distances(X, Y, progress=lambda *counts: seen.append(counts))
    assert seen[-1] == (40, 40)
    with pytest.raises(tm.exceptions.CancelledError):
        tm.paired_distances(X, Y, progress=lambda *_: False)


def test_pairs_that_do_not_fit_are_refused_before_the_work():
    n = 3_000_000
    chain, other = (tm.Tree.from_sequence([label] * n) for label in "ab")
    with pytest.raises(MemoryError, match="the scratch of all threads"):
        tm.paired_distances([chain], [other])
    # Equal trees need no table.
    assert tm.paired_distances([chain], [chain]).tolist() == [0.0]


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("vectors", [False, True])
def test_ctrl_c_is_seen_at_once(vectors):
    script = f"""
    import time
    from random import Random
    import treemetric as tm
    from shapes import make_tree
    rng = Random(1)
    X, Y = (tm.TreeSet([make_tree(rng, 2000, "random") for _ in range(60)]) for _ in "xy")
    costs = tm.VectorCosts("ab", [[1.0, 2.0], [0.3, 0.2]]) if {vectors} else None
    X._core_set(), Y._core_set()
    print("ready", flush=True)
    try:
        while True:
            tm.paired_distances(X, Y, costs=costs)
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    """
    assert 0 <= interrupt_script(script).seconds < PROMPT
