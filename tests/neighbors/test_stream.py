"""Joins chunk by chunk: the pairs of the matrix of all distances, in any order and amount."""

import csv
import sys
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemetric as tm
from children import PROMPT, interrupt_script, run_script
from shapes import make_tree
from strategies import cost_cases, tree_lists

RNG = Random(5)
SOME = tm.TreeSet(
    [make_tree(RNG, RNG.randint(0, 9), "random", "ab") for _ in range(90)],
    ids=[f"tree {i}" for i in range(90)],
)
SETS = tree_lists(max_size=7, nodes=6)


def slowly(X, Y, radius, *, once=False, **options):
    """All distances, cut."""
    matrix = tm.pairwise_distances(X, Y, **options)
    return sorted(
        (i, j, matrix[i, j])
        for i, j in np.ndindex(matrix.shape)
        if matrix[i, j] <= radius and (Y is not None or (i < j if once else i != j))
    )


def listed(chunks):
    """All pairs, sorted; no chunk is empty or too large."""
    found = []
    for chunk in chunks:
        assert 0 < len(chunk.source) == len(chunk.target) == len(chunk.distance) <= 2**20
        found += zip(*(part.tolist() for part in chunk), strict=True)
    return sorted(found)


@pytest.fixture
def narrow(monkeypatch):
    """Bands of three trees and chunks of five pairs, so that small sets have many."""
    monkeypatch.setattr("treemetric.neighbors.join.BAND", 3)
    monkeypatch.setattr("treemetric.neighbors.join.CHUNK", 5)
    monkeypatch.setattr("treemetric.neighbors.pair_files.CHUNK", 12)


METHODS = ("auto", "batches", "scan", "index")


def radii_of(X, Y, **options):
    """At, just below and just above some distances, and where none or all are near."""
    values = np.unique(tm.pairwise_distances(X, Y, **options)).tolist()
    some = [*values[:2], *values[len(values) // 2 :][:1]]
    beside = [np.nextafter(v, way) for v in some[:2] for way in (-1, np.inf) if v > 0]
    return {0.0, np.inf, *some, *beside}


def check(X, Y, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treemetric.neighbors.join.BAND", 2)
        patch.setattr("treemetric.neighbors.join.CHUNK", 9)
        for other in (None, Y):
            for radius in radii_of(X, other, **options):
                expected = slowly(X, other, radius, **options)
                for method in METHODS:
                    patch.setattr("treemetric.neighbors.request._METHOD", method)
                    got = listed(tm.iter_within(X, other, radius=radius, **options))
                    assert got == expected
                    if other is None:
                        got = listed(tm.iter_within(X, radius=radius, once=True, **options))
                        assert got == [pair for pair in expected if pair[0] < pair[1]]


@given(SETS, SETS)
def test_unit_costs(X, Y):
    check(X, Y)


@given(SETS, SETS, cost_cases())
def test_any_matrix(X, Y, case):
    check(X, Y, costs=case.costs)


cost = st.sampled_from([0, 0.1, 0.5, 1, 2.5])


@given(SETS, SETS, cost, cost, cost)
def test_operations(X, Y, delete, insert, replace):
    check(X, Y, costs=tm.OperationCosts(delete, insert, replace))


@settings(max_examples=30)
@given(SETS, SETS, st.sampled_from(["weight", "max", "sum", "li_zhang"]))
def test_norms(X, Y, norm):
    check(X, Y, norm=norm)


OTHERS = {
    "function": tm.CallableCosts(lambda a, b: 0.3 * (a != b) + 0.1 * (a is None)),
    "embedding": tm.EmbeddingCosts("abc", np.sqrt(np.arange(1, 7).reshape(3, 2))),
    "vectors": tm.VectorCosts("ab", np.sqrt(np.arange(4).reshape(2, 2)), kind="euclidean"),
}


@pytest.mark.parametrize("name", OTHERS)
@settings(max_examples=20)
@given(X=SETS, Y=SETS)
def test_other_costs(name, X, Y):
    check(X, Y, costs=OTHERS[name])


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("method", METHODS)
def test_pairs_do_not_depend_on_threads(method, monkeypatch):
    monkeypatch.setattr("treemetric.neighbors.request._METHOD", method)
    one, two = (
        [list(map(np.ndarray.tolist, c)) for c in tm.iter_within(SOME, radius=2, n_jobs=n)]
        for n in (1, 2)
    )
    assert one == two
    assert len(one) > 5


def test_sizes_far_apart_are_not_compared(monkeypatch):
    monkeypatch.setattr("treemetric.neighbors.request._METHOD", "batches")
    monkeypatch.setattr("treemetric.neighbors.join.BAND", 10)
    trees = [tm.Tree.from_sequence("a" * (i // 10)) for i in range(100)]
    totals = []
    for costs, radius in ((None, 1), (tm.OperationCosts(2, 4, 1), 1), (None, np.inf)):
        calls = []

        def progress(done, total, calls=calls):
            calls.append((done, total))

        pairs = tm.iter_within(trees, radius=radius, costs=costs, progress=progress)
        assert listed(pairs) == slowly(trees, None, radius, costs=costs)
        assert calls == sorted(calls)
        assert calls[-1][0] == calls[-1][1]
        totals.append(calls[-1][1])
    # Ten bands of one size each: next to each other, by themselves, and all pairs of bands.
    assert totals == [19 * 100, 10 * 100, 55 * 100]


# --- arguments ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": -1}, r"'radius' parameter of iter_within must be a float in the range \[0.0,"),
        ({"radius": 1, "once": 1}, "'once' parameter of iter_within must be an instance of 'bool'"),
        ({"radius": 1, "Y": SOME, "once": True}, "'once' parameter of iter_within must be False"),
        ({"radius": 1, "progress": 3}, "'progress' parameter of iter_within must be None, a bool"),
        ({"radius": 1, "norm": "no"}, "'norm' parameter of iter_within"),
    ],
)
def test_arguments_are_checked_before_the_first_chunk(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        tm.iter_within(SOME, **options)


def test_unknown_labels_are_an_error_of_the_call():
    with pytest.raises(tm.exceptions.UnknownLabelError):
        tm.iter_within(SOME, radius=1, costs=tm.CostMatrix("a", [[0, 1], [1, 0]]))


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("method", METHODS)
def test_progress_may_stop(method, monkeypatch):
    monkeypatch.setattr("treemetric.neighbors.request._METHOD", method)
    pairs = tm.iter_within(SOME, radius=1, progress=lambda done, total: done < total / 2)
    with pytest.raises(tm.exceptions.CancelledError):
        listed(pairs)


def test_nothing_to_join():
    assert listed(tm.iter_within([], radius=1)) == []
    assert listed(tm.iter_within([], SOME, radius=1)) == []
    assert listed(tm.iter_within(SOME, [], radius=1)) == []


# --- files -------------------------------------------------------------------------


def read(path):
    """Return the columns of a file of pairs."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        return (
            dict(zip(head, zip(*rows, strict=True), strict=True))
            if rows
            else dict.fromkeys(head, ())
        )
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            columns = {name: arrays[name] for name in arrays}
        for name in ("source", "target"):
            if f"{name}_ids" in columns:
                columns[f"{name}_id"] = columns.pop(f"{name}_ids")[columns[name]]
        return columns
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(path)
    return {name: frame[name].tolist() for name in frame}


SUFFIXES = ("parquet", "npz", "csv")


@pytest.fixture(params=SUFFIXES)
def path(request, tmp_path):
    if request.param == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    return tmp_path / f"pairs.{request.param}"


def rows_of(columns):
    kinds = {"source": int, "target": int, "distance": float}
    values = [[kinds[name](v) for v in columns[name]] for name in kinds]
    return sorted(zip(*values, strict=True))


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("once", [False, True])
def test_files_hold_the_pairs_and_ids(path, once):
    file = tm.within(SOME, radius=2, out=path, once=once)
    expected = slowly(SOME, None, 2, once=once)
    assert file[:2] == (path, len(expected))
    assert file.method == tm.within(SOME, radius=2).method
    columns = read(path)
    assert rows_of(columns) == expected
    for name in ("source", "target"):
        ids = [SOME.ids[int(i)] for i in columns[name]]
        assert list(columns[f"{name}_id"]) == ids
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_files_between_two_sets(path):
    names = tm.TreeSet(SOME[:20], ids=range(100, 120))
    file = tm.within(names, list(SOME[20:]), radius=0.5, norm="max", out=str(path))
    columns = read(path)
    expected = slowly(names, SOME[20:], 0.5, norm="max")
    assert len(expected) == file.n_pairs > 10
    assert rows_of(columns) == expected
    assert [int(i) - 100 for i in columns["source_id"]] == [int(i) for i in columns["source"]]
    assert "target_id" not in columns


def test_files_without_pairs(path):
    assert tm.within(SOME[:0], radius=1, out=path).n_pairs == 0
    columns = read(path)
    assert {len(values) for values in columns.values()} == {0}
    assert {"source", "target", "distance"} <= set(columns)


def test_types_of_columns(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra 'parquet'")
    tm.within(SOME, radius=1, out=tmp_path / "a.parquet")
    schema = parquet.read_schema(tmp_path / "a.parquet")
    assert [str(kind) for kind in schema.types] == ["int64", "int64", "double", "string", "string"]
    tm.within(SOME, radius=1, out=tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as arrays:
        kinds = [arrays[name].dtype for name in ("source", "target", "distance")]
    assert kinds == ["int64", "int64", "float64"]


def test_a_file_is_kept(path):
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="exists; pass overwrite=True"):
        tm.within(SOME, radius=1, out=path)
    assert path.read_text() == "mine"
    tm.within(SOME, radius=1, out=path, overwrite=True)
    assert rows_of(read(path)) == slowly(SOME, None, 1)


@pytest.mark.parametrize("name", ["pairs.npz", "pairs.csv", "pairs.parquet"])
def test_a_folder_is_not_replaced_by_a_file(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(IsADirectoryError, match=f"{name} is a folder"):
        tm.within(SOME, radius=1, out=tmp_path / name, overwrite=True, progress=not_called)
    with pytest.raises(FileExistsError, match=f"{name} exists"):
        tm.within(SOME, radius=1, out=tmp_path / name)


def not_called(done, total):
    raise AssertionError


@pytest.mark.usefixtures("narrow")
def test_a_stopped_join_leaves_no_file(path):
    for old in (None, "old"):
        if old:
            path.write_text(old)
        with pytest.raises(tm.exceptions.CancelledError):
            tm.within(
                SOME, radius=1, out=path, overwrite=True, progress=lambda d, total: d < total / 2
            )
        assert [entry.read_text() for entry in path.parent.iterdir()] == ([old] if old else [])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"out": 3}, ValueError, "'out' parameter of within must be None or a path that ends in"),
        ({"out": "pairs.txt"}, ValueError, r"must be a path that ends in \.parquet, \.npz, \.csv"),
        ({"out": "no/such/folder/p.npz"}, FileNotFoundError, "No such folder for the result"),
        ({"out": "p.npz", "once": None}, TypeError, "'once' parameter of within"),
        ({"out": "p.npz", "overwrite": 1}, TypeError, "'overwrite' parameter of within"),
        ({"out": "p.npz", "Y": SOME, "once": True}, ValueError, "'once' parameter of within"),
        ({"once": True}, ValueError, "'once' parameter of within must be False if out is None"),
        ({"overwrite": True}, ValueError, "'overwrite' parameter of within must be False if out"),
    ],
)
def test_arguments_of_files(tmp_path, monkeypatch, options, error, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        tm.within(SOME, radius=1, **options)
    assert list(tmp_path.iterdir()) == []


def test_parquet_is_an_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'needs pyarrow: pip install "treemetric\[parquet\]"'):
        tm.within(SOME, radius=1, out=tmp_path / "p.parquet")


# --- memory and signals ------------------------------------------------------------

FULL = """
import resource, signal, sys
import treemetric as tm

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
trees = tm.TreeSet([tm.Tree.from_sequence(text) for text in ("ab", "ac")] * 500)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, -1))
try:
    tm.within(trees, radius=1, out=sys.argv[1], overwrite=True)
except OSError as error:
    print(error.filename == sys.argv[1] or sys.argv[1].endswith("parquet"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems are not known")
def test_a_full_disk_leaves_the_old_file(path):
    path.write_bytes(b"old")
    assert run_script(FULL, path).split() == ["True"]
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


MANY = """
import resource, sys
import treemetric as tm

# Ten million answers take 250 MB as arrays; the join may have 150 MB.
trees = tm.TreeSet([tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("ac")] * 1600)
list(tm.iter_within(trees[:2], radius=1))
if len(sys.argv) > 1:
    tm.within(trees[:2], radius=1, out=sys.argv[1], overwrite=True)
for line in open("/proc/self/status"):
    if line.startswith("VmSize"):
        used = int(line.split()[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (used + (150 << 20), -1))
if len(sys.argv) > 1:
    print(tm.within(trees, radius=1, out=sys.argv[1], overwrite=True).n_pairs)
else:
    print(sum(len(chunk.source) for chunk in tm.iter_within(trees, radius=1)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of other systems are not known")
@pytest.mark.parametrize("name", [None, "pairs.npz"])
def test_answers_need_not_fit_in_memory(tmp_path, name):
    arguments = [] if name is None else [tmp_path / name]
    assert int(run_script(MANY, *arguments)) == 3200 * 3199


INTERRUPTED = """
    import sys, time
    from random import Random
    import numpy as np
    import treemetric as tm
    from shapes import make_tree

    rng = Random(0)
    trees = tm.TreeSet([make_tree(rng, 400) for _ in range(50)])[np.arange(20_000) % 50]
    print("ready", flush=True)
    try:
        tm.within(trees, radius=300, out=sys.argv[1], n_jobs=2)
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
"""


def test_ctrl_c_stops_a_join_and_leaves_no_file(tmp_path):
    found = interrupt_script(INTERRUPTED, tmp_path / "pairs.npz")
    assert found.seconds < PROMPT
    assert list(tmp_path.iterdir()) == []
