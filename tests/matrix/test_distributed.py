"""The same blocks on a cluster of dask and by joblib's backends: the same bits."""

import os
import signal
import sys
from random import Random

import joblib
import numpy as np
import pytest

import treemetric as tm
from budgets import budget_for
from shapes import make_tree
from treemetric.distributed import joblib_distances, pairwise_distances

RNG = Random(2)
TREES = tm.TreeSet([make_tree(RNG, RNG.randint(0, 40), "random", "abcd") for _ in range(400)])
GRID = np.sqrt(np.arange(25).reshape(5, 5) % 24)
ASYMMETRIC = tm.CostMatrix("abcd", GRID)
FUNCTION = tm.CallableCosts(lambda a, b: abs(ord(a or "z") - ord(b or "z")) ** 0.5)
# d has no vector; Euclidean ones go to the core as they came.
VECTORS = tm.VectorCosts("abc", GRID[1:4], kind="euclidean")


def small(*trees, **options):
    """A budget for several blocks."""
    return budget_for(1_400_000, *trees, **options)


SMALL = small(TREES)
CALLS = {
    "full": ((TREES,), {}),
    "condensed": ((TREES,), {"condensed": True}),
    "rectangle": ((TREES[:150], TREES[100:]), {"cutoff": 20}),
    "asymmetric": ((TREES,), {"costs": ASYMMETRIC}),
    "function": ((TREES,), {"costs": FUNCTION, "dtype": "float32"}),
    "vectors": ((TREES,), {"costs": VECTORS, "condensed": True}),
    "integers": ((TREES,), {"dtype": "uint16"}),
    "norm": ((TREES,), {"costs": FUNCTION, "norm": "li_zhang", "cutoff": 0.5}),
}


def check_same(got, expected):
    """Equal to the last bit."""
    values = np.asarray(got[:])
    assert values.shape == expected.shape
    assert values.dtype == expected.dtype
    assert values.tobytes() == expected.tobytes()


def make_cluster():
    """A client of three processes, each with one thread."""
    distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(n_workers=3, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


client = pytest.fixture(make_cluster, scope="module", name="client")
# One whose workers may be killed: dask does not always start them again.
mortal = pytest.fixture(make_cluster, name="mortal")


class KillOnce:
    """Progress that kills a worker process when a third of the work is done."""

    def __init__(self, client):
        self.client, self.killed, self.calls = client, None, []

    def __call__(self, done, total):
        self.calls.append((done, total))
        if self.killed is None and done > total / 3:
            self.killed = min(self.client.run(os.getpid).values())
            os.kill(self.killed, signal.SIGKILL)


# --- dask --------------------------------------------------------------------------


@pytest.mark.parametrize("call", CALLS)
def test_a_dask_array_equals_the_local_one(call):
    pytest.importorskip("dask.array", reason="needs the extra 'dask'")
    trees, options = CALLS[call]
    budget = small(*trees, **options)
    got = pairwise_distances(*trees, memory_budget=budget, **options)
    assert type(got).__module__.startswith("dask.")
    assert got.npartitions > 1
    check_same(got.compute(scheduler="threads"), tm.pairwise_distances(*trees, **options))


@pytest.mark.parametrize("costs", [None, VECTORS], ids=["unit", "vectors"])
def test_a_dask_array_of_a_cluster(client, costs):
    expected = tm.pairwise_distances(TREES, costs=costs)
    got = pairwise_distances(TREES, costs=costs, memory_budget=small(TREES, costs=costs))
    whole = client.compute(got)
    check_same(whole.result(), expected)
    # A part of it, while the whole is still there.
    rows = got[10:20].sum(axis=1).compute()
    # dask sums in another order.
    np.testing.assert_allclose(rows, expected[10:20].sum(axis=1), rtol=1e-13)


def test_no_trees_give_an_empty_dask_array():
    pytest.importorskip("dask.array", reason="needs the extra 'dask'")
    assert pairwise_distances([]).compute().shape == (0, 0)
    assert pairwise_distances(TREES[:1], condensed=True).compute().shape == (0,)


posix = pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")


@posix
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("D.npy", {}),
        ("D.zarr", {"condensed": True}),
        ("D.zarr", {"writer": "workers", "costs": ASYMMETRIC}),
        ("D.zarr", {"writer": "workers", "costs": VECTORS}),
    ],
)
def test_a_worker_may_be_killed(mortal, tmp_path, name, options):
    if name.endswith(".zarr"):
        pytest.importorskip("zarr", reason="needs the extra 'zarr'")
    kill = KillOnce(mortal)
    path = tmp_path / name
    got = pairwise_distances(
        TREES,
        client=mortal,
        out=path,
        memory_budget=small(TREES, **options),
        progress=kill,
        **options,
    )
    assert kill.killed is not None
    assert kill.calls == sorted(kill.calls)
    assert kill.calls[-1][0] == kill.calls[-1][1]
    options.pop("writer", None)
    check_same(got, tm.pairwise_distances(TREES, **options))
    # The file is one that the local function knows.
    check_same(tm.pairwise_distances(TREES, out=path, **options), np.asarray(got[:]))


@posix
def test_a_killed_worker_does_not_harm_a_dask_array(mortal):
    rng = Random(4)
    trees = tm.TreeSet([make_tree(rng, 60) for _ in range(400)])
    future = mortal.compute(pairwise_distances(trees, memory_budget=small(trees)))
    os.kill(min(mortal.run(os.getpid).values()), signal.SIGKILL)
    check_same(future.result(), tm.pairwise_distances(trees, n_jobs=2))


def test_a_lost_scheduler_is_named_and_the_file_is_resumed(client, tmp_path, monkeypatch):
    from distributed.comm import CommClosedError

    asked, nthreads = [], client.nthreads

    def lose():
        asked.append(1)
        if len(asked) > 2:
            raise CommClosedError("in <TCP>: Connection reset by peer")
        return nthreads()

    path = tmp_path / "D.npy"
    with monkeypatch.context() as patched:
        patched.setattr(client, "nthreads", lose)
        with pytest.raises(ConnectionError, match=r"scheduler is lost; .*D\.npy keeps the blocks"):
            pairwise_distances(TREES, client=client, out=path, memory_budget=SMALL)
    counts = []
    got = tm.pairwise_distances(
        TREES, out=path, memory_budget=SMALL, progress=lambda done, total: counts.append(done)
    )
    assert counts[0] > 0
    check_same(got, tm.pairwise_distances(TREES))


def count_arrivals():
    """Count the sets of trees that come to this process; runs on a worker."""
    from treemetric import treeset

    rebuild = treeset._rebuild
    treeset._arrivals = 0

    def counting(*arguments):
        treeset._arrivals += 1
        return rebuild(*arguments)

    counting.__module__, counting.__qualname__ = rebuild.__module__, rebuild.__qualname__
    treeset._rebuild = counting


def arrivals():
    from treemetric import treeset

    return treeset._arrivals


def test_trees_travel_once_to_each_worker(client, tmp_path):
    client.run(count_arrivals)
    calls = []
    pairwise_distances(
        TREES,
        client=client,
        out=tmp_path / "D.npy",
        memory_budget=budget_for(900_000, TREES),
        progress=lambda *call: calls.append(call),
    )
    assert len(calls) > 6
    assert set(client.run(arrivals).values()) == {1}


def test_what_one_left_the_other_takes_up(client, tmp_path):
    path = tmp_path / "D.npy"
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(TREES, out=path, memory_budget=SMALL, progress=lambda d, t: d < t / 3)
    with pytest.raises(tm.exceptions.CancelledError):
        pairwise_distances(TREES, client=client, out=path, progress=lambda d, t: d < t / 2)
    calls = []
    got = joblib_distances(TREES, out=path, progress=lambda *call: calls.append(call))
    assert calls[0][0] >= calls[0][1] / 2
    check_same(got, tm.pairwise_distances(TREES))


def test_an_error_on_a_worker_comes_through(client, tmp_path):
    with pytest.raises(tm.exceptions.UnknownLabelError):
        pairwise_distances(TREES, out=tmp_path / "D.npy", costs=tm.CostMatrix("ab", 1 - np.eye(3)))


def test_arguments_are_checked(client, tmp_path):
    with pytest.raises(ValueError, match=r"'writer' parameter .* 'client' or 'workers'"):
        pairwise_distances(TREES, out=tmp_path / "D.npy", writer="nobody")
    with pytest.raises(ValueError, match=r"'writer' parameter .* full matrix in Zarr"):
        pairwise_distances(TREES, out=tmp_path / "D.npy", writer="workers")
    with pytest.raises(ValueError, match="'out' parameter"):
        pairwise_distances(TREES, out=np.empty((400, 400)))
    with pytest.raises(ValueError, match="'Y' parameter"):
        pairwise_distances(TREES, TREES, condensed=True)
    assert list(tmp_path.iterdir()) == []


# --- joblib ------------------------------------------------------------------------


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_joblib_gives_the_same(backend, call):
    trees, options = CALLS[call]
    calls = []
    with joblib.parallel_config(backend, n_jobs=2):
        got = joblib_distances(
            *trees,
            memory_budget=small(*trees, **options),
            progress=lambda *call: calls.append(call),
            **options,
        )
    check_same(got, tm.pairwise_distances(*trees, **options))
    assert calls[-1][0] == calls[-1][1]
    assert len(calls) > 2


@pytest.mark.parametrize("costs", [None, VECTORS], ids=["unit", "vectors"])
def test_joblib_by_way_of_dask(client, costs):
    with joblib.parallel_config("dask", n_jobs=2):
        got = joblib_distances(TREES, costs=costs, memory_budget=small(TREES, costs=costs))
    check_same(got, tm.pairwise_distances(TREES, costs=costs))


@pytest.mark.parametrize("name", ["D.npy", "D.zarr"])
@pytest.mark.parametrize("condensed", [False, True])
@pytest.mark.parametrize("costs", [None, VECTORS], ids=["unit", "vectors"])
def test_joblib_fills_files(tmp_path, name, condensed, costs):
    if name.endswith(".zarr"):
        pytest.importorskip("zarr", reason="needs the extra 'zarr'")
    options = {"costs": costs, "condensed": condensed}
    with joblib.parallel_config("threading"):
        budget = small(TREES, **options)
        got = joblib_distances(
            TREES, out=tmp_path / name, memory_budget=budget, n_jobs=2, **options
        )
    check_same(got, tm.pairwise_distances(TREES, **options))


def test_dask_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"pip install \"treemetric\[dask\]\""):
        pairwise_distances(TREES)
