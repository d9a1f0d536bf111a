"""Distances in files: the same bits as in memory, block by block, within a budget."""

import errno
import json
import shutil
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

import treemetric as tm
from budgets import budget_for
from children import run_script
from shapes import SHAPES, make_tree
from treemetric.matrix.needs import weights

RNG = Random(7)
SHAPE_NAMES = list(SHAPES)
TREES = tm.TreeSet(
    [
        make_tree(RNG, RNG.choice([0, 1, 3, 8, 20, 30]), RNG.choice(SHAPE_NAMES), "abcd")
        for _ in range(330)
    ]
)
SMALL = budget_for(900_000, TREES)  # several blocks
GRID = np.sqrt(np.arange(25).reshape(5, 5) % 24)
COSTS = {
    "unit": None,
    "symmetric": tm.CostMatrix("abcd", np.maximum(GRID, GRID.T)),
    "asymmetric": tm.CostMatrix("abcd", GRID),
    "function": tm.CallableCosts(lambda a, b: abs(ord(a or "z") - ord(b or "z")) ** 0.5),
    # d has no vector.
    "vectors": tm.VectorCosts("abc", GRID[1:4].astype("float32"), kind="angle"),
}
CALLS = {
    "full": ((TREES,), {}),
    "condensed": ((TREES,), {"condensed": True}),
    "rectangle": ((TREES[:200], TREES[20:]), {}),
    "float32": ((TREES,), {"dtype": "float32"}),
    "cutoff": ((TREES,), {"cutoff": 9}),
    "norm": ((TREES,), {"norm": "li_zhang", "cutoff": 0.6}),
}


def check_same(got, expected):
    """Equal to the last bit."""
    values = np.asarray(got[:])
    assert values.shape == expected.shape
    assert values.dtype == expected.dtype
    assert values.tobytes() == expected.tobytes()


def manifest(path):
    return json.loads(Path(f"{path}.manifest.json").read_text())


def blocks(path):
    """Number of blocks that are in a file."""
    return sum(last - first + 1 for first, last in manifest(path)["done"])


def stop_at(share):
    """Cancel when that share is done."""
    return lambda done, total: done < share * total


@pytest.fixture(scope="module")
def expected():
    return tm.pairwise_distances(TREES)


# --- the same bits -----------------------------------------------------------------


CASES = [(name, call) for name in COSTS for call in CALLS]
CASES.remove(("asymmetric", "condensed"))


@pytest.mark.parametrize(("name", "call"), CASES)
def test_a_npy_file_holds_what_the_array_does(tmp_path, name, call):
    trees, options = CALLS[call]
    options = {"costs": COSTS[name], **options}
    expected = tm.pairwise_distances(*trees, **options)
    path = tmp_path / "D.npy"
    small = budget_for(900_000, *trees, **options)
    got = tm.pairwise_distances(*trees, out=path, memory_budget=small, **options)
    assert isinstance(got, np.memmap)
    assert not got.flags.writeable
    check_same(got, expected)
    check_same(np.load(path), expected)
    assert blocks(path) > 3
    assert sorted(file.name for file in tmp_path.iterdir()) == ["D.npy", "D.npy.manifest.json"]


@pytest.mark.parametrize("name", ["unit", "vectors"])
@pytest.mark.parametrize("call", ["full", "condensed", "rectangle"])
def test_a_zarr_array_holds_what_the_array_does(tmp_path, name, call):
    zarr = pytest.importorskip("zarr")
    trees, options = CALLS[call]
    options = {"costs": COSTS[name], **options}
    expected = tm.pairwise_distances(*trees, **options)
    path = tmp_path / "D.zarr"
    options["n_jobs"] = 2
    small = budget_for(1_800_000, *trees, **options)
    got = tm.pairwise_distances(*trees, out=path, memory_budget=small, **options)
    assert isinstance(got, zarr.Array)
    check_same(got, expected)
    check_same(zarr.open_array(path, mode="r"), expected)
    assert blocks(path) > 3


@pytest.mark.parametrize("name", ["D.npy", "D.zarr"])
@pytest.mark.parametrize("options", [{}, {"condensed": True}, {"dtype": "uint8"}])
def test_integers_and_norms_are_resumed(tmp_path, name, options):
    if name.endswith("zarr"):
        pytest.importorskip("zarr")
    options = {"dtype": "uint16", **options} if options else {"norm": "max"}
    expected = tm.pairwise_distances(TREES, **options)
    budget = budget_for(1_900_000, TREES, **options)
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(
            TREES, out=tmp_path / name, memory_budget=budget, progress=stop_at(0.4), **options
        )
    assert blocks(tmp_path / name) > 0
    got = tm.pairwise_distances(TREES, out=tmp_path / name, memory_budget=budget, **options)
    check_same(got, expected)
    again = tm.pairwise_distances(TREES, out=tmp_path / name, memory_budget=budget, **options)
    check_same(again, expected)


@pytest.mark.parametrize("value", [0, 255])
def test_chunks_of_one_integer_are_stored(tmp_path, value):
    """Zarr does not store a chunk whose entries all equal those of missing chunks."""
    pytest.importorskip("zarr")
    X = [tm.Tree.from_sequence("a" * value)] * 40
    Y = [tm.Tree.from_sequence("")] * 40
    path = tmp_path / "D.zarr"
    for _ in range(2):
        got = tm.pairwise_distances(X, Y, out=path, dtype="uint8")
        assert (got[:] == value).all()
        assert got.nchunks_initialized == got.nchunks


def test_an_array_inside_a_zarr_group(tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.create_group(tmp_path / "all.zarr")
    group.create_array("kept", shape=3, dtype=int)[:] = 7
    few = TREES[:9]
    got = tm.pairwise_distances(few, out=f"{tmp_path}/all.zarr/unit")
    check_same(got, tm.pairwise_distances(few))
    with pytest.raises(FileExistsError, match="no manifest"):
        tm.pairwise_distances(few, out=tmp_path / "all.zarr")
    # Even so, a whole group is not removed.
    with pytest.raises(FileExistsError, match="not a Zarr array"):
        tm.pairwise_distances(few, out=tmp_path / "all.zarr", overwrite=True)
    assert sorted(zarr.open_group(tmp_path / "all.zarr", mode="r")) == ["kept", "unit"]


@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_trees(tmp_path, suffix, count):
    if suffix == ".zarr":
        pytest.importorskip("zarr")
    few = TREES[:count]
    for condensed in (False, True):
        expected = tm.pairwise_distances(few, condensed=condensed)
        for _ in range(2):
            path = tmp_path / f"{condensed}{suffix}"
            check_same(tm.pairwise_distances(few, condensed=condensed, out=path), expected)


def test_one_large_tree_among_small_ones(tmp_path):
    large = make_tree(Random(1), 2500, "random", "abcd")
    trees = [*TREES[:60], large, *TREES[60:]]
    path = tmp_path / "D.npy"
    small = budget_for(12_000_000, trees)
    got = tm.pairwise_distances(trees, out=path, memory_budget=small)
    check_same(got, tm.pairwise_distances(trees, n_jobs=2))
    assert blocks(path) > 1


def test_blocks_have_equal_work(tmp_path):
    # Small trees, then a few whose pairs are thousands of times as much work.
    rng = Random(3)
    trees = [make_tree(rng, 5) for _ in range(1600)]
    trees += [make_tree(rng, 400) for _ in range(900)]
    path = tmp_path / "D.npy"
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(trees, out=path, progress=lambda *_: False)
    lengths = np.diff(manifest(path)["plan"]["row_cuts"])
    assert len(lengths) > 2
    assert lengths[0] > 1600
    # The others have large trees only, about equally many.
    assert max(lengths[1:]) < 1.3 * min(lengths[1:])


def test_zigzags_weigh_what_inner_paths_take():
    small, large = weights(tm.TreeSet([make_tree(RNG, size, "zigzag") for size in (600, 1200)]))
    # A pair takes the third power of the size; left and right paths would take the fourth.
    assert 2**1.3 < large / small < 2**1.8


# --- again -------------------------------------------------------------------------


def partial_of(path):
    (partial,) = path.parent.glob(f"{path.name}.*.partial")
    return partial


def test_what_is_there_is_not_computed_again(tmp_path, expected):
    path = tmp_path / "D.npy"
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(TREES, out=path, memory_budget=SMALL, progress=stop_at(0.4))
    assert not path.exists()
    assert manifest(path)["done"] == [[0, manifest(path)["done"][0][1]]]
    partial = np.load(partial_of(path), mmap_mode="r+")
    partial[0, 1] = 777.0  # would be overwritten if its block were computed
    partial.flush()
    calls = []
    got = tm.pairwise_distances(
        TREES,
        out=path,
        n_jobs=2,
        progress=lambda done, total: calls.append((done, total)),
    )
    done, total = calls[0]
    assert 0 < done < total == calls[-1][0]
    assert calls == sorted(calls)
    marked = expected.copy()
    marked[0, 1] = 777.0
    check_same(got, marked)
    # And once it is whole, it is only opened.
    calls.clear()
    again = tm.pairwise_distances(TREES, out=path, progress=lambda *call: calls.append(call))
    check_same(again, marked)
    assert calls == [(total, total)]


def test_missing_entries_of_a_zarr_array_are_nan(tmp_path, expected):
    zarr = pytest.importorskip("zarr")
    path = tmp_path / "D.zarr"
    budget = budget_for(1_900_000, TREES)
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(TREES, out=path, memory_budget=budget, progress=stop_at(0.5))
    found = zarr.open_array(path, mode="r")[:]
    missing = np.isnan(found)
    assert 0 < missing.sum() < missing.size
    assert np.array_equal(found[~missing], expected[~missing])
    check_same(tm.pairwise_distances(TREES, out=path, memory_budget=budget), expected)


def test_a_file_that_was_removed_is_made_anew(tmp_path, expected):
    path = tmp_path / "D.npy"
    tm.pairwise_distances(TREES, out=path)
    path.unlink()
    check_same(tm.pairwise_distances(TREES, out=path), expected)


@pytest.mark.parametrize("damage", [b"", b"\x93NUMPY rubbish", None])
def test_a_damaged_file_is_told(tmp_path, damage):
    path = tmp_path / "D.npy"
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(TREES, out=path, memory_budget=SMALL, progress=stop_at(0.4))
    partial = partial_of(path)
    whole = partial.read_bytes()
    partial.write_bytes(whole[:-8] if damage is None else damage)
    with pytest.raises(ValueError, match="damaged"):
        tm.pairwise_distances(TREES, out=path, memory_budget=SMALL)


def test_a_finished_file_from_elsewhere_is_kept(tmp_path, expected):
    path, other = tmp_path / "D.npy", tmp_path / "elsewhere.npy"
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(TREES, out=path, memory_budget=SMALL, progress=stop_at(0.4))
    partial_of(path)
    tm.pairwise_distances(TREES, out=other)
    shutil.copy(other, path)
    shutil.copy(f"{other}.manifest.json", f"{path}.manifest.json")
    check_same(tm.pairwise_distances(TREES, out=path), expected)
    assert not list(tmp_path.glob("*.partial"))


def test_an_unfinished_file_of_another_manifest_is_not_taken(tmp_path, expected):
    path, other = tmp_path / "D.npy", tmp_path / "elsewhere.npy"
    for share, target in ((0.3, path), (0.6, other)):
        with pytest.raises(tm.exceptions.CancelledError):
            tm.pairwise_distances(TREES, out=target, memory_budget=SMALL, progress=stop_at(share))
    assert manifest(path)["done"] != manifest(other)["done"]
    shutil.copy(f"{other}.manifest.json", f"{path}.manifest.json")
    check_same(tm.pairwise_distances(TREES, out=path, memory_budget=SMALL), expected)


@pytest.mark.parametrize("share", [None, 0.7])
@pytest.mark.parametrize("condensed", [False, True])
def test_chunks_that_are_gone_are_told(tmp_path, share, condensed):
    pytest.importorskip("zarr")
    path = tmp_path / "D.zarr"
    options = {"memory_budget": budget_for(1_900_000, TREES), "condensed": condensed}
    if share is None:
        tm.pairwise_distances(TREES, out=path, **options)
    else:
        with pytest.raises(tm.exceptions.CancelledError):
            tm.pairwise_distances(TREES, out=path, progress=stop_at(share), **options)
    for chunk in (path / "c").rglob("*"):
        if chunk.is_file():
            chunk.unlink()
    with pytest.raises(ValueError, match="damaged"):
        tm.pairwise_distances(TREES, out=path, **options)
    got = tm.pairwise_distances(TREES, out=path, overwrite=True, **options)
    check_same(got, tm.pairwise_distances(TREES, condensed=condensed))


@pytest.mark.parametrize("metadata", [None, "{", "{}"])
def test_metadata_that_are_gone_are_told(tmp_path, metadata):
    pytest.importorskip("zarr")
    path = tmp_path / "D.zarr"
    tm.pairwise_distances(TREES, out=path)
    if metadata is None:
        (path / "zarr.json").unlink()
    else:
        (path / "zarr.json").write_text(metadata)
    with pytest.raises(ValueError, match="damaged"):
        tm.pairwise_distances(TREES, out=path)
    # What is no array any more is not removed: it may be anything.
    with pytest.raises(FileExistsError, match="not a Zarr array"):
        tm.pairwise_distances(TREES, out=path, overwrite=True)


def test_an_array_of_another_manifest_is_not_taken(tmp_path):
    pytest.importorskip("zarr")
    path, other = tmp_path / "D.zarr", tmp_path / "elsewhere.zarr"
    budget = budget_for(1_900_000, TREES)
    for target in (path, other):
        with pytest.raises(tm.exceptions.CancelledError):
            tm.pairwise_distances(TREES, out=target, memory_budget=budget, progress=stop_at(0.5))
    shutil.copy(f"{other}.manifest.json", f"{path}.manifest.json")
    with pytest.raises(ValueError, match="is not the array that its manifest describes"):
        tm.pairwise_distances(TREES, out=path, memory_budget=budget)


def test_blocks_larger_than_the_budget_are_not_resumed(tmp_path, expected):
    path = tmp_path / "D.npy"
    large = budget_for(1_300_000, TREES)
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(TREES, out=path, memory_budget=large, progress=stop_at(0.5))
    with pytest.raises(ValueError, match=r"'memory_budget'.* at least \d+ bytes"):
        tm.pairwise_distances(TREES, out=path, memory_budget=budget_for(300_000, TREES))
    check_same(tm.pairwise_distances(TREES, out=path), expected)


OTHERS = {
    "other trees as X": {"X": TREES[1:]},
    "other trees as Y": {"Y": TREES},
    "other costs": {"costs": COSTS["symmetric"]},
    "another cutoff": {"cutoff": 3},
    "another norm": {"norm": "max"},
    "another dtype": {"dtype": "float32"},
    "another form": {"condensed": True},
}


@pytest.mark.parametrize("words", OTHERS)
@pytest.mark.parametrize("share", [0.4, 2])
def test_anything_else_is_refused_and_named(tmp_path, words, share):
    path = tmp_path / "D.npy"
    first = {"X": TREES, "out": path, "memory_budget": SMALL}
    if share < 1:
        with pytest.raises(tm.exceptions.CancelledError):
            tm.pairwise_distances(**first, progress=stop_at(share))
    else:
        tm.pairwise_distances(**first)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    changed = {"X": TREES, **OTHERS[words]}
    with pytest.raises(ValueError, match=f"D.npy was made with .*{words}.*overwrite=True"):
        tm.pairwise_distances(**changed, out=path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    got = tm.pairwise_distances(**changed, out=path, overwrite=True)
    check_same(got, tm.pairwise_distances(**changed))


def test_another_version_is_refused(tmp_path):
    path = tmp_path / "D.npy"
    tm.pairwise_distances(TREES, out=path)
    found = manifest(path)
    found["identity"]["version"] = "0.0.0"
    Path(f"{path}.manifest.json").write_text(json.dumps(found))
    message = rf"another version of treemetric \('0.0.0' there, '{tm.__version__}' now\)"
    with pytest.raises(ValueError, match=message):
        tm.pairwise_distances(TREES, out=path)


def test_a_file_of_somebody_else_is_left_alone(tmp_path):
    path = tmp_path / "D.npy"
    np.save(path, np.arange(3))
    with pytest.raises(FileExistsError, match="no manifest"):
        tm.pairwise_distances(TREES[:3], out=path)
    assert np.load(path).tolist() == [0, 1, 2]
    assert tm.pairwise_distances(TREES[:3], out=path, overwrite=True).shape == (3, 3)


def test_equal_costs_are_the_same_costs(tmp_path):
    options = {"out": tmp_path / "D.npy", "X": TREES}
    tm.pairwise_distances(**options, costs=COSTS["symmetric"])
    twin = tm.CostMatrix(list("abcd"), COSTS["symmetric"].matrix.copy())
    tm.pairwise_distances(**options, costs=twin)
    with pytest.raises(ValueError, match="other costs"):
        tm.pairwise_distances(**options, costs=tm.CostMatrix("abcd", GRID + GRID.T))


def test_a_file_is_filled_by_one_call_at_a_time(tmp_path):
    path = tmp_path / "D.npy"
    caught = []

    def again(done, total):
        try:
            tm.pairwise_distances(TREES, out=path)
        except BlockingIOError as error:
            caught.append(str(error))

    tm.pairwise_distances(TREES, out=path, progress=again)
    assert set(caught) == {f"{path} is being filled by another call"}


def test_labels_of_any_kind_are_known_again_in_another_process(tmp_path):
    script = """
        import sys
        import treemetric as tm

        labels = [frozenset("abcdef"), ("x", 1.5, None), b"b", True, 2**70, "\\ud800", 1 + 2j]
        trees = [tm.Tree.from_sequence(labels[:k]) for k in range(8)]
        calls = []
        tm.pairwise_distances(trees, out=sys.argv[1], progress=lambda *c: calls.append(c))
        print(len(calls), calls[0])
    """
    printed = [
        run_script(script, tmp_path / "D.npy", env={"PYTHONHASHSEED": seed}) for seed in ("1", "2")
    ]
    assert printed == ["2 (0, 36)\n", "1 (36, 36)\n"]


# --- arguments ---------------------------------------------------------------------


@pytest.mark.parametrize("budget", [0, -1, 1.5, True, "much", "3 parsecs", "GB", [1]])
def test_the_budget_is_a_size(tmp_path, budget):
    with pytest.raises(ValueError, match="The 'memory_budget' parameter of pairwise_distances"):
        tm.pairwise_distances(TREES, out=tmp_path / "D.npy", memory_budget=budget)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("budget", [10**9, np.int64(10**9), "1GB", "1 g", "0.5GiB", "900m"])
def test_the_budget_may_be_written_in_many_ways(tmp_path, budget):
    got = tm.pairwise_distances(TREES[:3], out=tmp_path / "D.npy", memory_budget=budget)
    assert got.shape == (3, 3)


def test_a_budget_that_is_too_small_names_what_is_needed(tmp_path):
    with pytest.raises(ValueError, match=r"at least \d+ bytes .* Got 1000 bytes"):
        tm.pairwise_distances(TREES, out=tmp_path / "D.npy", memory_budget=1000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [{"memory_budget": "1GB"}, {"overwrite": True}])
def test_options_of_files_need_a_path(option):
    (name,) = option
    with pytest.raises(ValueError, match=f"The '{name}' parameter .* unless out is a path"):
        tm.pairwise_distances(TREES, **option)


@pytest.mark.parametrize("name", ["D", "D.npz", "D.txt"])
def test_the_name_tells_the_format(tmp_path, name):
    with pytest.raises(ValueError, match=r"The 'out' parameter .* ends in .npy or .zarr"):
        tm.pairwise_distances(TREES, out=tmp_path / name)


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match="No such folder"):
        tm.pairwise_distances(TREES, out=tmp_path / "no" / "D.npy")


def test_zarr_is_an_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ImportError, match=r"pip install \"treemetric\[zarr\]\""):
        tm.pairwise_distances(TREES, out=tmp_path / "D.zarr")


def test_a_disk_that_is_too_small_is_told_before_work_starts(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(OSError, match=f"need {330 * 330 * 8} bytes, but only 1000 are free"):
        tm.pairwise_distances(TREES, out=tmp_path / "D.npy")


@pytest.mark.parametrize("harm", ["shorter", "longer", "header"])
def test_a_finished_file_that_was_damaged_later(tmp_path, harm):
    trees = tm.TreeSet([tm.Tree.from_bracket("{a" + "{b}" * k + "}") for k in range(6)])
    path = tmp_path / "D.npy"
    expected = tm.pairwise_distances(trees, out=path).copy()
    content = bytearray(path.read_bytes())
    if harm == "header":
        content[0] ^= 1
    path.write_bytes({"shorter": content[:-9], "longer": content + b"x"}.get(harm, content))
    with pytest.raises(ValueError, match=r"D.npy is damaged; pass overwrite=True"):
        tm.pairwise_distances(trees, out=path)
    assert np.array_equal(tm.pairwise_distances(trees, out=path, overwrite=True), expected)


@pytest.mark.parametrize("suffix", ["npy", "zarr"])
def test_a_distance_that_does_not_fit_leaves_no_file(tmp_path, suffix):
    if suffix == "zarr":
        pytest.importorskip("zarr")
    trees = [tm.Tree.from_sequence("a" * size) for size in (1, 2, 3, 300)]
    target = tmp_path / f"D.{suffix}"
    with pytest.raises(ValueError, match="dtype uint8 holds whole distances up to 255"):
        tm.pairwise_distances(trees, dtype="uint8", out=target)
    assert list(tmp_path.iterdir()) == []
    found = tm.pairwise_distances(trees, dtype="uint16", out=target)
    assert np.array_equal(found[:], tm.pairwise_distances(trees))


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_error_of_the_caller_leaves_a_file_that_is_resumed(tmp_path, kind):
    trees = [tm.Tree.from_sequence("a" * size) for size in range(1, 40)]

    def stop(done, total):
        raise kind

    with pytest.raises(kind):
        tm.pairwise_distances(trees, dtype="uint8", out=tmp_path / "D.npy", progress=stop)
    assert (tmp_path / "D.npy.manifest.json").exists()
    found = tm.pairwise_distances(trees, dtype="uint8", out=tmp_path / "D.npy")
    assert np.array_equal(found, tm.pairwise_distances(trees))


def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    pytest.importorskip("zarr")
    from treemetric.matrix.zarr import ZarrStore

    def fail(self, plan, block, values):
        raise OSError(errno.ENOSPC, "No space left on device")

    trees = [tm.Tree.from_sequence("a" * size) for size in range(1, 40)]
    with monkeypatch.context() as patched:
        patched.setattr(ZarrStore, "write", fail)
        with pytest.raises(OSError, match=r"No space left on device: '.*D\.zarr'") as caught:
            tm.pairwise_distances(trees, out=tmp_path / "D.zarr")
    assert caught.value.errno == errno.ENOSPC
    found = tm.pairwise_distances(trees, out=tmp_path / "D.zarr")
    assert np.array_equal(found[:], tm.pairwise_distances(trees))
