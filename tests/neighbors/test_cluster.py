"""Joins on a cluster of dask: the pairs of one machine, also if processes are killed."""

import os
import signal
import sys
from random import Random

import numpy as np
import pytest

import children
import treemetric as tm
from shapes import make_tree
from treemetric.distributed import within

pandas = pytest.importorskip("pandas")
distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")
pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")

RNG = Random(3)
TREES = tm.TreeSet([make_tree(RNG, RNG.randint(0, 20), "random", "ab") for _ in range(300)])
ASYMMETRIC = tm.OperationCosts(delete=1, insert=2, replace=1.5)
posix = pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")


def make_cluster():
    """A client of two processes, each with one thread."""
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(n_workers=2, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


client = pytest.fixture(make_cluster, scope="module", name="client")
mortal = pytest.fixture(make_cluster, name="mortal")


def rows_of(path):
    frame = pandas.read_parquet(path)
    return sorted(zip(*(frame[name].tolist() for name in frame), strict=True))


def expected(X, Y=None, **options):
    columns = [map(np.ndarray.tolist, chunk) for chunk in tm.iter_within(X, Y, **options)]
    return sorted(row for chunk in columns for row in zip(*chunk, strict=True))


def names(path):
    return sorted(entry.name for entry in path.iterdir())


CALLS = {
    "all": ((TREES,), {"radius": 2}),
    "once": ((TREES,), {"radius": 2, "once": True}),
    "asymmetric": ((TREES,), {"radius": 3, "costs": ASYMMETRIC}),
    "asymmetric, once": ((TREES,), {"radius": 3, "costs": ASYMMETRIC, "once": True}),
    "two sets": ((TREES[:120], TREES[100:]), {"radius": 2, "costs": ASYMMETRIC}),
    "function": ((TREES,), {"radius": 1, "costs": lambda a, b: 0.5 + 0.1 * (a is None)}),
    "norm": ((TREES[:100],), {"radius": 0.2, "norm": "max"}),
    "nothing": (([],), {"radius": 1}),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_pairs_are_those_of_one_machine(client, tmp_path, name):
    trees, options = CALLS[name]
    path = tmp_path / "pairs.parquet"
    file = within(*trees, out=path, client=client, band_size=60, **options)
    pairs = expected(*trees, **options)
    assert rows_of(path) == pairs
    assert file == (path, len(pairs), None)
    assert not [entry for entry in names(path) if not entry.startswith(("part-", "_treemetric."))]


@posix
def test_a_worker_may_be_killed(mortal, tmp_path):
    path = tmp_path / "pairs.parquet"
    killed, calls = [], []

    def kill(done, total):
        calls.append((done, total))
        if not killed and done > total / 3:
            killed.append(min(mortal.run(os.getpid).values()))
            os.kill(killed[0], signal.SIGKILL)

    within(TREES, radius=2, out=path, client=mortal, band_size=40, progress=kill)
    assert killed
    assert calls == sorted(calls)
    assert calls[-1][0] == calls[-1][1]
    assert rows_of(path) == expected(TREES, radius=2)


def test_a_stopped_join_is_resumed(client, tmp_path):
    path = tmp_path / "pairs.parquet"
    options = {"radius": 2, "out": path, "client": client, "band_size": 40}
    with pytest.raises(tm.exceptions.CancelledError):
        within(TREES, progress=lambda done, total: done < total / 2, **options)
    assert not list(path.glob("_bands-*"))
    # Not what tasks are still writing.
    before = {part: part.stat().st_mtime_ns for part in path.glob("part-*.parquet")}
    # What killed processes leave.
    (path / "part-000001.parquet.7-ab.part").write_text("half")
    (path / "_bands-00").mkdir()
    calls = []
    within(TREES, progress=lambda *call: calls.append(call), **options)
    assert calls[0][0] >= calls[0][1] / 2
    recorded = {part for part, time in before.items() if part.stat().st_mtime_ns == time}
    assert len(recorded) >= len(before) - 4  # tasks that ran when the first call stopped
    assert rows_of(path) == expected(TREES, radius=2)
    calls.clear()
    again = within(TREES, progress=lambda *call: calls.append(call), **options)
    assert len(calls) == 1
    assert again.n_pairs == len(expected(TREES, radius=2))
    # A file that was removed is made again.
    (path / "part-000000.parquet").unlink()
    within(TREES, **options)
    assert rows_of(path) == expected(TREES, radius=2)


DYING = """
import os, signal, sys
from random import Random
import distributed
import treemetric as tm
from shapes import make_tree
from treemetric.distributed import within

def die(done, total):
    if done > total / 2:
        os.kill(os.getpid(), signal.SIGKILL)

rng = Random(3)
trees = tm.TreeSet([make_tree(rng, rng.randint(0, 20), "random", "ab") for _ in range(300)])
with distributed.Client(sys.argv[1]) as client:
    within(trees, radius=2, out=sys.argv[2], client=client, band_size=40, progress=die)
"""


@posix
def test_the_client_may_be_killed(client, tmp_path):
    path = tmp_path / "pairs.parquet"
    done = children.run("-c", DYING, client.scheduler.address, path, timeout=100)
    assert done.returncode == -signal.SIGKILL, done.stderr
    calls = []
    within(
        TREES,
        radius=2,
        out=path,
        client=client,
        band_size=40,
        progress=lambda *call: calls.append(call),
    )
    assert calls[0][0] > 0
    assert rows_of(path) == expected(TREES, radius=2)
    assert not list(path.glob("_bands-*"))


def test_another_join_is_kept(client, tmp_path):
    path = tmp_path / "pairs.parquet"
    within(TREES, radius=2, out=path, client=client, band_size=60)
    before = rows_of(path)
    with pytest.raises(ValueError, match=r"was made with another radius \('2.0' there, '1.0' now"):
        within(TREES, radius=1, out=path, client=client, band_size=60)
    assert rows_of(path) == before
    within(TREES, radius=1, out=path, client=client, band_size=60, overwrite=True)
    assert rows_of(path) == expected(TREES, radius=1)
    other = tmp_path / "mine.parquet"
    other.mkdir()
    (other / "note.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(FileExistsError, match="is not empty and has no manifest"):
            within(TREES, radius=1, out=other, client=client, overwrite=overwrite)
    assert names(other) == ["note.txt"]


def test_unknown_labels_are_an_error_of_the_call(client, tmp_path):
    costs = tm.CostMatrix("a", [[0, 1], [1, 0]])
    with pytest.raises(tm.exceptions.UnknownLabelError):
        within(TREES, radius=1, out=tmp_path / "p.parquet", client=client, costs=costs)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"out": "pairs.npz"}, ValueError, "the path of a folder that ends in .parquet"),
        ({"out": 3}, ValueError, "the path of a folder that ends in .parquet"),
        ({"out": "no/such/p.parquet"}, FileNotFoundError, "No such folder for the result"),
        ({"out": "p.parquet", "band_size": 0}, ValueError, "'band_size' parameter of within"),
        ({"out": "p.parquet", "radius": -1}, ValueError, "'radius' parameter of within"),
    ],
)
def test_arguments_are_checked(tmp_path, monkeypatch, options, error, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        within(TREES, **{"radius": 1, **options})
    assert names(tmp_path) == []


@pytest.mark.parametrize(("package", "extra"), [("distributed", "dask"), ("pyarrow", "parquet")])
def test_packages_are_extras(tmp_path, monkeypatch, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf'pip install "treemetric\[{extra}\]"'):
        within(TREES, radius=1, out=tmp_path / "p.parquet")
