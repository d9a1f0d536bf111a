"""Files of indexes: the same answers, damage is found, and no crash leaves half a file."""

import hashlib
import json
import multiprocessing
import os
import pickle
import signal
import struct
import textwrap
import time

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treemetric as tm
from children import start
from indexes import COSTS, bits, chains, check_equal, search
from strategies import any_label, tree_lists, trees

PREFIX = struct.Struct("<8sIIQQ32s")
posix = pytest.mark.skipif(os.name != "posix", reason="sends SIGKILL")


@given(
    tree_lists(labels="abcd"),
    tree_lists(labels="abcde", max_size=3),
    st.sampled_from([None, tm.OperationCosts(1, 0.7, 0.4)]),
    st.sampled_from([None, "sum"]),
)
@settings(max_examples=40, deadline=None)
def test_an_opened_index_answers_as_the_one_that_was_saved(tmp_path_factory, Y, X, costs, norm):
    path = tmp_path_factory.mktemp("index") / "trees.index"
    tm.TreeIndex(Y, costs=costs, norm=norm).save(path)
    opened = tm.TreeIndex.open(path)
    assert opened.norm == norm
    check_equal(opened, Y, X, costs=costs, norm=norm)
    opened.add(X)
    opened.remove(slice(0, 1))
    check_equal(opened, (Y + X)[1:], X, costs=costs, norm=norm)
    opened.save(path, overwrite=True)
    check_equal(tm.TreeIndex.open(path), (Y + X)[1:], X, costs=costs, norm=norm)


@pytest.mark.parametrize("costs", [*COSTS[:5], tm.TableCosts()], ids=str)
def test_costs_are_stored(tmp_path, costs):
    words = chains("ab", "ba", "ccd") if not isinstance(costs, tm.TableCosts) else [table_tree()]
    index = tm.TreeIndex(words, costs=costs)
    index.save(tmp_path / "trees.index")
    opened = tm.TreeIndex.open(tmp_path / "trees.index")
    assert type(opened.costs) is type(index.costs)
    assert opened.costs._fingerprint() == index.costs._fingerprint()
    assert bits(opened.nearest(words, k=1)) == bits(index.nearest(words, k=1))


def table_tree():
    return tm.Tree.from_nested((("table", None, None, None), [(("td", 1, 1, "a"), [])]))


def test_vectors_with_a_projection_and_pivots_are_stored(tmp_path):
    rng = np.random.default_rng(0)
    vectors, omega = rng.normal(size=(4, 3)).astype(np.float32), rng.normal(size=(3, 2))
    costs = tm.VectorCosts("abcd", vectors, kind="chord", projection=omega, unknown="error")
    words = ["".join(rng.choice(list("abcd"), 5)) for _ in range(120)]
    index = tm.TreeIndex(chains(*words), costs=costs, n_pivots=3)
    index.save(tmp_path / "trees.index")
    opened = tm.TreeIndex.open(tmp_path / "trees.index")
    assert opened.costs == index.costs
    assert opened.pivots.tolist() == index.pivots.tolist()
    assert bits(opened.nearest(k=2)) == bits(index.nearest(k=2))
    opened.remove(opened.pivots[:1])
    assert len(opened.pivots) == 3
    left = [word for i, word in enumerate(words) if i != index.pivots[0]]
    check_equal(opened, chains(*left), chains("abcd"), costs=costs, n_pivots=0)


@pytest.mark.parametrize(
    "costs", [COSTS[5], type("Own", (tm.UnitCosts,), {})()], ids=["function", "subclass"]
)
def test_costs_that_are_code_are_refused(tmp_path, costs):
    index = tm.TreeIndex(chains("ab"), costs=costs)
    with pytest.raises(ValueError, match="to_matrix"):
        index.save(tmp_path / "trees.index")
    assert list(tmp_path.iterdir()) == []


@given(trees(labels=any_label), st.lists(any_label, min_size=1, max_size=1))
@settings(max_examples=60, deadline=None)
def test_labels_and_ids_come_back(tmp_path_factory, tree, ids):
    path = tmp_path_factory.mktemp("index") / "trees.index"
    index = tm.TreeIndex(tm.TreeSet([tree], ids=ids, classes=ids))
    index.save(path)
    opened = tm.TreeIndex.open(path)
    assert opened.trees == index.trees
    assert list(map(type, opened.trees.alphabet)) == list(map(type, index.trees.alphabet))


LABELS = ("\ud834\udd1e", "\ud800", "\x00", 1e999, 2**80, 1j, ..., (b"\xff", (None,)))


def test_odd_labels_come_back(tmp_path):
    index = tm.TreeIndex([tm.Tree.from_sequence(LABELS)])
    index.save(tmp_path / "trees.index")
    opened = tm.TreeIndex.open(tmp_path / "trees.index")
    assert opened.trees[0].labels == LABELS
    assert opened.within([tm.Tree.from_sequence(LABELS)], radius=0).counts.tolist() == [1]


@pytest.mark.parametrize(
    "label", [float("nan"), object(), (1, range(3)), int], ids=["nan", "object", "range", "type"]
)
def test_labels_that_cannot_be_stored_are_refused(tmp_path, label):
    index = tm.TreeIndex([tm.Tree.from_sequence(["a", label])])
    with pytest.raises(TypeError, match="the labels must be"):
        index.save(tmp_path / "trees.index")
    assert list(tmp_path.iterdir()) == []


def test_ids_that_cannot_be_stored_are_refused(tmp_path):
    index = tm.TreeIndex(tm.TreeSet(chains("a"), ids=[{"a": 1}]))
    with pytest.raises(TypeError, match="the ids must be"):
        index.save(tmp_path / "trees.index")


def test_paths_are_checked(tmp_path):
    index = tm.TreeIndex(chains("ab"))
    index.save(str(tmp_path / "trees.index"))
    with pytest.raises(FileExistsError, match="overwrite=True"):
        index.save(tmp_path / "trees.index")
    with pytest.raises(FileNotFoundError, match="folder"):
        index.save(tmp_path / "nowhere" / "trees.index")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        index.save(tmp_path, overwrite=True)
    with pytest.raises(FileNotFoundError):
        tm.TreeIndex.open(tmp_path / "other.index")
    for function in (index.save, tm.TreeIndex.open):
        with pytest.raises(ValueError, match="path"):
            function(7)


def test_names_are_no_patterns(tmp_path):
    other = tmp_path / "a.index.7-ab.part"
    other.write_text("of another file")
    tm.TreeIndex(chains("ab")).save(tmp_path / "[ab].index")
    assert len(tm.TreeIndex.open(tmp_path / "[ab].index")) == 1
    assert other.exists()


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "trees.index"
    tm.TreeIndex(tm.TreeSet(chains("abc", "abd"), ids=["p", "q"]), costs=COSTS[2]).save(path)
    return path


def use(path):
    """Do what reads all of a file."""
    index = tm.TreeIndex.open(path)
    return index.costs, index.pivots, bits(index.within(chains("abc"), radius=1))


def test_every_truncated_file_is_refused(saved):
    whole = saved.read_bytes()
    for length in (*range(80), *range(80, len(whole), 97), len(whole) - 1):
        saved.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"trees\.index"):
            use(saved)
    saved.write_bytes(whole + b"x")
    with pytest.raises(ValueError, match="should have"):
        use(saved)


def used_bytes(whole):
    """Mark the bytes of a file that are not between two arrays."""
    length = PREFIX.unpack(whole[: PREFIX.size])[3]
    used = np.zeros(len(whole), dtype=bool)
    used[: PREFIX.size + length] = True
    start = -(-(PREFIX.size + length) // 64) * 64
    for entry in json.loads(whole[PREFIX.size : PREFIX.size + length])["arrays"]:
        count = int(np.prod(entry["shape"])) * np.dtype(entry["dtype"]).itemsize
        used[start + entry["offset"] :][:count] = True
    return used


def test_every_damaged_byte_is_noticed(saved):
    whole = saved.read_bytes()
    for place in np.flatnonzero(used_bytes(whole)).tolist()[::3]:
        damaged = bytearray(whole)
        damaged[place] ^= 0x41
        saved.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"trees\.index"):
            use(saved)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"{}\n" * 50, os.urandom(500)], ids=len)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "trees.index"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="of another kind"):
        tm.TreeIndex.open(path)


def forged(path, change, version=1):
    """Change the header of a file and make its digests right again."""
    whole = path.read_bytes()
    magic, _, unused, length, _, _ = PREFIX.unpack(whole[: PREFIX.size])
    header = json.loads(whole[PREFIX.size : PREFIX.size + length])
    start = -(-(PREFIX.size + length) // 64) * 64
    body = bytearray(whole[start:])
    change(header, body)
    for entry in header["arrays"]:
        if isinstance(entry, dict) and entry.get("digest") == "made again":
            count = int(np.prod(entry["shape"])) * np.dtype(entry["dtype"]).itemsize
            part = bytes(body[entry["offset"] : entry["offset"] + count])
            entry["digest"] = hashlib.sha256(part).hexdigest()
    text = json.dumps(header).encode()
    start = -(-(PREFIX.size + len(text)) // 64) * 64
    digest = hashlib.sha256(text).digest()
    prefix = PREFIX.pack(magic, version, unused, len(text), start + len(body), digest)
    path.write_bytes((prefix + text).ljust(start, b"\0") + body)


def entry_of(header, name):
    return next(entry for entry in header["arrays"] if entry["name"] == name)


def test_a_forged_file_without_changes_is_read(saved):
    expected = use(saved)
    forged(saved, lambda header, body: None)
    assert use(saved)[1:][1] == expected[1:][1]


def test_newer_versions_are_refused(saved):
    forged(saved, lambda header, body: None, version=2)
    with pytest.raises(ValueError, match=r"trees\.index .* version 2 .* reads version 1"):
        tm.TreeIndex.open(saved)


CHANGES = {
    "unknown field": lambda header: header.update(more=1),
    "unknown fact": lambda header: header["facts"].update(more=1),
    "missing fact": lambda header: header["facts"].pop("norm"),
    "unknown array": lambda header: entry_of(header, "ids").update(name="more"),
    "missing array": lambda header: header["arrays"].remove(entry_of(header, "parents")),
    "other kind": lambda header: header.update(kind="treemetric.Other"),
    "unknown norm": lambda header: header["facts"].update(norm="most"),
    "unknown costs": lambda header: header["facts"].update(costs={"kind": "Other"}),
    "odd costs": lambda header: header["facts"].update(costs=7),
    "other costs": lambda header: header["facts"].update(costs={"kind": "OperationCosts"}),
    "vectors": lambda header: header["facts"].update(costs={"kind": "VectorCosts"}),
    "number of trees": lambda header: header["facts"].update(trees=3),
    "negative number": lambda header: header["facts"].update(trees=-1),
    "pivots": lambda header: header["facts"].update(n_pivots="all"),
    "half of the pivots": lambda header: header["facts"].update(slack=0.0),
    "beyond the end": lambda header: entry_of(header, "codes").update(offset=64 * 10**6),
    "negative offset": lambda header: entry_of(header, "codes").update(offset=-64),
    "not aligned": lambda header: entry_of(header, "codes").update(offset=1),
    "huge": lambda header: entry_of(header, "codes").update(shape=[2**62]),
    "overflow": lambda header: entry_of(header, "codes").update(shape=[40, 40, 40, 40]),
    "objects": lambda header: entry_of(header, "codes").update(dtype="|O"),
    "other type": lambda header: entry_of(header, "codes").update(dtype="<u4"),
    "no shape": lambda header: entry_of(header, "codes").update(shape=None),
    "name": lambda header: entry_of(header, "codes").update(name=["codes"]),
    "not an entry": lambda header: header["arrays"].append(7),
}


@pytest.mark.parametrize("name", CHANGES)
def test_headers_that_are_valid_but_wrong_are_refused(saved, name):
    forged(saved, lambda header, body: CHANGES[name](header))
    with pytest.raises(ValueError, match=r"trees\.index is not an index"):
        use(saved)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [("codes", 0, -1), ("codes", 1, 99), ("parents", 0, 5), ("parents", 2, -7), ("offsets", 1, 77)],
)
def test_numbers_out_of_range_are_refused(saved, name, place, value):
    def change(header, body):
        entry = entry_of(header, name)
        dtype = np.dtype(entry["dtype"])
        start = entry["offset"] + place * dtype.itemsize
        body[start : start + dtype.itemsize] = np.array(value, dtype=dtype).tobytes()
        entry["digest"] = "made again"

    forged(saved, change)
    with pytest.raises(ValueError, match=r"trees\.index is not an index"):
        use(saved)


@pytest.mark.parametrize(
    "text", [b'["a","a","c","d"]', b"[" * 17, b'{"a":0,"b": 00001}', b"\xff" * 17]
)
def test_labels_of_another_form_are_refused(saved, text):
    def change(header, body):
        entry = entry_of(header, "labels")
        body[entry["offset"] : entry["offset"] + entry["shape"][0]] = text[: entry["shape"][0]]
        entry["digest"] = "made again"

    forged(saved, change)
    with pytest.raises(ValueError, match=r"trees\.index is not an index"):
        use(saved)


SAVER = """
import sys
import treemetric as tm
trees = [tm.Tree.from_sequence([*range(i, i + 300)]) for i in range(3000)]
index = tm.TreeIndex(trees)
print("ready", flush=True)
while True:
    index.save(sys.argv[1], overwrite=True)
    print("saved", flush=True)
"""


@posix
def test_a_killed_save_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "trees.index"
    small = tm.TreeIndex(chains("abc", "abd"))
    delays = np.random.default_rng(0).uniform(0, 0.03, size=6)
    met = set()
    for delay in delays.tolist():
        small.save(path, overwrite=True)
        child = start("-c", SAVER, path, stdout=-1)
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(delay)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
            child.stdout.close()
        opened = tm.TreeIndex.open(path)
        met.add(len(opened))
        assert opened.within(opened.trees[:1], radius=0).counts.tolist() == [1]
    assert met <= {2, 3000}
    # The next call removes what is left.
    small.save(path, overwrite=True)
    assert [file.name for file in tmp_path.iterdir()] == ["trees.index"]


@posix
def test_a_process_that_is_killed_before_the_rename_leaves_the_old_file(tmp_path):
    path = tmp_path / "trees.index"
    tm.TreeIndex(chains("abc", "abd")).save(path)
    before = path.read_bytes()
    script = """
    import os, signal, sys
    import treemetric as tm
    from treemetric._base import files
    files.replace = lambda source, target: os.kill(os.getpid(), signal.SIGKILL)
    index = tm.TreeIndex.open(sys.argv[1])
    index.add([tm.Tree.from_sequence("xyz")])
    index.save(sys.argv[1], overwrite=True)
    """
    child = start("-c", textwrap.dedent(script), path)
    assert child.wait() == -signal.SIGKILL
    assert path.read_bytes() == before
    assert len(list(tmp_path.glob("*.part"))) == 1
    tm.TreeIndex(chains("a")).save(path, overwrite=True)
    assert [file.name for file in tmp_path.iterdir()] == ["trees.index"]
    assert len(tm.TreeIndex.open(path)) == 1


def test_an_open_index_keeps_its_trees_when_the_file_is_replaced(saved):
    opened = tm.TreeIndex.open(saved)
    expected = use(saved)[2]
    tm.TreeIndex(chains("x")).save(saved, overwrite=True)
    assert bits(opened.within(chains("abc"), radius=1)) == expected
    assert len(tm.TreeIndex.open(saved)) == 1


def written_to(path):
    """Write over the arrays of a file in place, and make sure that its time differs."""
    before = path.stat().st_mtime_ns
    with path.open("r+b") as file:
        whole = file.read()
        start = len(whole) - (len(whole) - PREFIX.size) // 2
        file.seek(start)
        file.write(b"\xff" * (len(whole) - start))
    os.utime(path, ns=(before + 10**9, before + 10**9))


@pytest.mark.parametrize("change", [False, True])
def test_a_file_that_is_written_to_while_it_is_open_is_refused(saved, change):
    opened = tm.TreeIndex.open(saved)
    expected = bits(opened.within(chains("abc"), radius=1))
    if change:  # the trees of the file stay in a block of their own
        opened.add(tm.TreeSet(chains("a"), ids=["r"]))
    os.utime(saved, ns=(1, 1))
    assert bits(opened.within(chains("abc"), radius=1)) == expected
    written_to(saved)
    for call in (
        lambda: opened.trees[1],
        lambda: opened.within(chains("abc"), radius=1),
        lambda: opened.nearest(chains("abc"), k=1),
        lambda: opened.add(tm.TreeSet(chains("b"), ids=["s"])),
        lambda: opened.remove(0),
        lambda: opened.save(saved, overwrite=True),
    ):
        with pytest.raises(ValueError, match=r"trees\.index .* written to after it was opened"):
            call()


@pytest.mark.parametrize("array", ["codes", "parents", "offsets"])
def test_trees_of_a_file_that_was_written_to_raise_no_panic(saved, array):
    trees = tm.TreeIndex.open(saved).trees
    header, start = header_of(saved)
    entry = entry_of(header, array)
    with saved.open("r+b") as file:
        file.seek(start + entry["offset"])
        size = int(np.prod(entry["shape"])) * np.dtype(entry["dtype"]).itemsize
        file.write(b"\xfe" * size)
    with pytest.raises(ValueError, match=r"tree|codes|node"):
        tm.pairwise_distances(trees)


def header_of(path):
    """Return the header of a file and where its arrays begin."""
    whole = path.read_bytes()
    length = PREFIX.unpack(whole[: PREFIX.size])[3]
    header = json.loads(whole[PREFIX.size : PREFIX.size + length])
    return header, -(-(PREFIX.size + length) // 64) * 64


def test_an_opened_index_is_pickled_by_the_name_of_its_file(saved):
    opened = tm.TreeIndex.open(saved)
    expected = bits(opened.within(chains("abc"), radius=1))
    data = pickle.dumps(opened)
    assert str(saved).encode() in data
    assert b"abc" not in data
    assert bits(pickle.loads(data).within(chains("abc"), radius=1)) == expected
    changed = tm.TreeIndex.open(saved)
    changed.add(tm.TreeSet(chains("a"), ids=["r"]))
    assert len(pickle.loads(pickle.dumps(changed))) == 3
    tm.TreeIndex(chains("x")).save(saved, overwrite=True)
    with pytest.raises(ValueError, match=r"trees\.index is not the file any more"):
        pickle.loads(data)


def test_processes_of_joblib_share_an_index(saved):
    opened = tm.TreeIndex.open(saved)
    words = ["abc", "abd", "acd"]
    expected = [search(opened, word) for word in words]
    jobs = (joblib.delayed(search)(opened, word) for word in words)
    assert joblib.Parallel(n_jobs=2)(jobs) == expected


def _in_child(index, word, queue):
    queue.put(search(index, word))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_searches_an_index_of_its_parent(saved):
    opened = tm.TreeIndex.open(saved)
    expected = search(opened, "abc")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(opened, "abc", queue))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join()


def test_opening_reads_the_header_only(saved, monkeypatch):
    monkeypatch.setattr("treemetric._core.check_arrays", None)
    opened = tm.TreeIndex.open(saved)
    assert len(opened) == 2
    with pytest.raises(ValueError, match="not callable"):
        opened.within(chains("abc"), radius=1)
    monkeypatch.undo()
    assert opened.within(chains("abc"), radius=1).counts.tolist() == [2]
    # The arrays are those of the file.
    assert not opened.trees.codes.flags.owndata
