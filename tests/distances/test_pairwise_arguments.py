"""The arguments of pairwise_distances: out, progress, memory, and every refusal."""

import math
from random import Random

import numpy as np
import pytest

import treemetric as tm
from shapes import make_tree

TREES = [tm.Tree.from_bracket(s) for s in ("{a{b}{c}}", "", "{b}{c}", "{c{a{b}}}")]
N = len(TREES)
EXPECTED = tm.pairwise_distances(TREES)
CONDENSED = tm.pairwise_distances(TREES, condensed=True)


@pytest.fixture(scope="module")
def long_job():
    """Trees whose distances would take many minutes."""
    rng = Random(0)
    return [make_tree(rng, 1500, "zigzag", "abcdef") for _ in range(24)]


# --- out ---------------------------------------------------------------------------


def outs(shape, dtype):
    """Arrays of a shape in all the layouts NumPy knows, filled with rubbish."""
    doubled = tuple(2 * n for n in shape)
    steps = tuple(slice(None, None, 2) for _ in shape)
    back = tuple(slice(None, None, -1) for _ in shape)
    return {
        "C": np.full(shape, -7.0, dtype),
        "Fortran": np.full(shape, -7.0, dtype, order="F"),
        "strided": np.full(doubled, -7.0, dtype)[steps],
        "reversed": np.full(shape, -7.0, dtype)[back],
        "inner": np.full(tuple(n + 2 for n in shape), -7.0, dtype)[
            tuple(slice(1, -1) for _ in shape)
        ],
    }


@pytest.mark.parametrize("layout", ["C", "Fortran", "strided", "reversed", "inner"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_out_is_filled_and_returned(layout, dtype, n_jobs):
    out = outs((N, N), dtype)[layout]
    got = tm.pairwise_distances(TREES, out=out, dtype=dtype, n_jobs=n_jobs)
    assert got is out
    assert np.array_equal(out, EXPECTED)
    flat = outs(CONDENSED.shape, dtype)[layout]
    got = tm.pairwise_distances(TREES, out=flat, dtype=dtype, condensed=True, n_jobs=n_jobs)
    assert got is flat
    assert np.array_equal(flat, CONDENSED)
    wide = outs((2, N), dtype)[layout]
    assert tm.pairwise_distances(TREES[:2], TREES, out=wide, dtype=dtype) is wide
    assert np.array_equal(wide, EXPECTED[:2])


def test_out_leaves_its_neighbours_alone():
    base = np.full((2 * N, 2 * N), -7.0)
    tm.pairwise_distances(TREES, out=base[::2, 1::2])
    assert np.array_equal(base[::2, 1::2], EXPECTED)
    base[::2, 1::2] = -7.0
    assert (base == -7.0).all()


@pytest.mark.parametrize("order", ["C", "F"])
def test_out_may_be_a_file_in_memory(tmp_path, order):
    path = tmp_path / "distances.bin"
    out = np.memmap(path, dtype="float64", mode="w+", shape=(N, N), order=order)
    assert tm.pairwise_distances(TREES, out=out) is out
    out.flush()
    saved = np.fromfile(path).reshape((N, N), order=order)
    assert np.array_equal(saved, EXPECTED)


@pytest.mark.parametrize(
    "out",
    [
        np.empty((N, N + 1)),
        np.empty(N * N),
        np.empty((1, N, N)),
        np.empty((N, N), dtype="float32"),
        np.empty((N, N), dtype=int),
        np.empty((N, N), dtype=">f8"),
        [[0.0] * N] * N,
        "out",
    ],
)
def test_out_must_have_the_shape_and_dtype_of_the_result(out):
    message = r"(?s)The 'out' parameter of pairwise_distances must be .*instead\."
    with pytest.raises((TypeError, ValueError), match=message):
        tm.pairwise_distances(TREES, out=out)


def test_out_must_be_writeable():
    out = np.zeros((N, N))
    out.flags.writeable = False
    with pytest.raises(ValueError, match=r"(?s)'out' parameter.*(writ|read-only)"):
        tm.pairwise_distances(TREES, out=out)
    assert not out.any()


def test_condensed_out_must_be_flat():
    with pytest.raises(ValueError, match=r"(?s)'out' parameter.*\(6,\)"):
        tm.pairwise_distances(TREES, condensed=True, out=np.empty((N, N)))


# --- refusals ----------------------------------------------------------------------


def check_refused(name, value, *, kind=(TypeError, ValueError), must="", **others):
    """Call with one bad argument and check the sentence about it."""
    arguments = {"X": TREES, name: value, **others}
    with pytest.raises(kind) as caught:
        tm.pairwise_distances(**arguments)
    text = str(caught.value)
    assert text.startswith(f"The '{name}' parameter of pairwise_distances must be ")
    assert must in text
    assert " instead." in text
    return text


@pytest.mark.parametrize("n_jobs", [0, -2, -100])
def test_n_jobs_is_none_minus_one_or_positive(n_jobs):
    text = check_refused("n_jobs", n_jobs, kind=ValueError)
    assert text == (
        "The 'n_jobs' parameter of pairwise_distances must be None, -1 or a positive "
        f"int. Got {n_jobs} instead."
    )


@pytest.mark.parametrize("n_jobs", [1.5, 2.0, "2", [1]])
def test_n_jobs_is_an_int(n_jobs):
    check_refused("n_jobs", n_jobs, must=f"Got {n_jobs!r}")


@pytest.mark.parametrize("n_jobs", [np.int64(2), np.int8(-1)])
def test_n_jobs_may_be_a_numpy_int(n_jobs):
    assert np.array_equal(tm.pairwise_distances(TREES, n_jobs=n_jobs), EXPECTED)


@pytest.mark.parametrize("dtype", ["float16", "bool", "complex128", ">i4", "nonsense", 3])
def test_dtype_is_one_of_some(dtype):
    text = check_refused("dtype", dtype, must="float32")
    assert "float64" in text


@pytest.mark.parametrize("cutoff", [-1, math.nan, "1", [2], -math.inf])
def test_cutoff_is_a_number_from_zero(cutoff):
    check_refused("cutoff", cutoff, must=f"Got {cutoff!r}")


@pytest.mark.parametrize("costs", ["unit", 3, np.zeros((2, 2)), tm.UnitCosts])
def test_costs_are_one_of_the_kinds(costs):
    check_refused("costs", costs)


@pytest.mark.parametrize("progress", ["bar", 3, [print]])
def test_progress_is_a_callable_or_true(progress):
    check_refused("progress", progress, must=f"Got {progress!r}")


@pytest.mark.parametrize(
    "trees",
    [
        ["{a}"],
        [None, TREES[0]],
        [[TREES[0]]],
        np.array([[TREES[0]]], dtype=object),
        np.zeros(3),
    ],
)
def test_collections_hold_trees(trees):
    message = r"The '{}\[0\]' parameter of pairwise_distances must be .* Got .* instead\."
    for name in ("X", "Y"):
        with pytest.raises(TypeError, match=message.format(name)):
            tm.pairwise_distances(**{"X": TREES, name: trees})


@pytest.mark.parametrize("trees", [TREES[0], "{a}", 3])
def test_collections_are_not_single_objects(trees):
    check_refused("X", trees, kind=TypeError)
    check_refused("Y", trees, kind=TypeError)


def test_x_is_not_optional():
    with pytest.raises(TypeError):
        tm.pairwise_distances(None)


def test_condensed_has_no_second_collection():
    check_refused("Y", TREES, kind=ValueError, must="None if condensed=True", condensed=True)


def test_condensed_needs_symmetric_costs():
    costs = tm.CostMatrix("abc", np.arange(16).reshape(4, 4) % 15)
    text = check_refused("condensed", value=True, kind=ValueError, costs=costs)
    assert "symmetric" in text


@pytest.mark.parametrize("condensed", ["yes", 2])
def test_condensed_is_a_bool(condensed):
    check_refused("condensed", condensed)


def test_everything_after_the_trees_is_named():
    with pytest.raises(TypeError, match="positional"):
        tm.pairwise_distances(TREES, TREES, tm.UnitCosts())


# --- memory ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def three_million():
    return tm.TreeSet([tm.Tree.from_sequence("a")])[np.zeros(3_000_000, dtype=np.intp)]


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({}, 3_000_000**2 * 8),
        ({"dtype": "float32"}, 3_000_000**2 * 4),
        ({"condensed": True}, 3_000_000 * 2_999_999 // 2 * 8),
    ],
)
def test_what_cannot_fit_is_named_in_bytes(three_million, options, size):
    with pytest.raises(MemoryError, match=f"{size} bytes"):
        tm.pairwise_distances(three_million, **options)


# --- progress ----------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("condensed", [False, True])
def test_progress_counts_up_to_the_total(n_jobs, condensed):
    rng = Random(1)
    trees = [make_tree(rng, 150) for _ in range(30)]
    calls = []
    got = tm.pairwise_distances(
        trees,
        n_jobs=n_jobs,
        condensed=condensed,
        progress=lambda done, total: calls.append((done, total)),
    )
    expected = tm.pairwise_distances(trees, condensed=condensed)
    assert np.array_equal(got, expected)
    done = [d for d, _ in calls]
    (total,) = {t for _, t in calls}
    assert done == sorted(done)
    assert done[0] >= 0
    assert done[-1] == total > 0
    assert all(type(d) is int and type(t) is int for d, t in calls)


@pytest.mark.parametrize("answer", [None, True, 0, ""])
def test_only_false_itself_cancels(answer):
    got = tm.pairwise_distances(TREES, progress=lambda done, total: answer)
    assert np.array_equal(got, EXPECTED)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_may_cancel(long_job, n_jobs):
    calls = []

    def stop(done, total):
        calls.append(done)
        return False

    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(long_job, n_jobs=n_jobs, progress=stop)
    assert len(calls) == 1
    assert issubclass(tm.exceptions.CancelledError, RuntimeError)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_exception_in_progress_is_raised(long_job, n_jobs):
    class OwnError(Exception):
        pass

    def fail(done, total):
        raise OwnError(f"{done} of {total}")

    with pytest.raises(OwnError, match="of"):
        tm.pairwise_distances(long_job, n_jobs=n_jobs, progress=fail)
    # The pool is as good as new.
    assert np.array_equal(tm.pairwise_distances(TREES, n_jobs=n_jobs), EXPECTED)


def test_true_shows_a_bar(capfd):
    pytest.importorskip("tqdm")
    got = tm.pairwise_distances(TREES, progress=True)
    assert np.array_equal(got, EXPECTED)
    assert "100%" in capfd.readouterr().err


def test_progress_may_call_the_library(long_job):
    inner = []

    def nested(done, total):
        inner.append(tm.pairwise_distances(TREES, n_jobs=2))
        return False

    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(long_job, n_jobs=2, progress=nested)
    assert np.array_equal(inner[0], EXPECTED)
