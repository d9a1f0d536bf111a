"""Manifests of files of distances: what is damaged is refused before it is used."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import treemetric as tm
import treemetric.matrix.manifest as manifests
from budgets import budget_for

SIX = tm.TreeSet([tm.Tree.from_bracket("{a" + "{b}" * k + "}") for k in range(6)])


def manifest(path):
    return json.loads(Path(f"{path}.manifest.json").read_text())


# Changes of a manifest, and what the error states. A file of six trees has one block.
DAMAGED = {
    "too many blocks": ({"done": [[0, 1]]}, r"blocks \[0, 1\], but the plan has 1 block"),
    "gigabytes of blocks": ({"done": [[0, 99_999_998]]}, r"blocks \[0, 99999998\], but the plan"),
    "huge": ({"done": [[0, 10**30]]}, "but the plan has 1 block"),
    "negative": ({"done": [[-1, 0]]}, "but the plan has 1 block"),
    "descending": ({"done": [[3, 2]]}, "but the plan has 1 block"),
    "repeated": ({"done": [[0, 0], [0, 0]]}, r"blocks \[0, 0\] after the block 0"),
    "no pair": ({"done": [[0]]}, "but the plan has 1 block"),
    "floats": ({"done": [[0.0, 0.0]]}, "but the plan has 1 block"),
    "bools": ({"done": [[False, False]]}, "but the plan has 1 block"),
    "no list": ({"done": {"0": 0}}, "but the plan has 1 block"),
    "no plan": ({"plan": [0, 6]}, "it holds no plan"),
    "other keys": ({"plan": {"row_cuts": [0, 6]}}, "it holds no plan"),
    "other blocks": ({"strips": True}, "'strips' of its plan must be False, but is True"),
    "number": ({"strips": 0}, "'strips' of its plan must be False, but is 0"),
    "short": (
        {"row_cuts": [0, 5]},
        r"'row_cuts' of its plan must rise from 0 to 6, but are \[0, 5",
    ),
    "long": ({"column_cuts": [0, 6 * 10**9]}, "'column_cuts' of its plan must rise from 0 to 6"),
    "falling": ({"row_cuts": [0, 99, 6]}, "'row_cuts' of its plan must rise from 0 to 6"),
    "first": ({"row_cuts": [-4, 6]}, "'row_cuts' of its plan must rise from 0 to 6"),
    "none": ({"row_cuts": []}, "'row_cuts' of its plan must rise from 0 to 6"),
    "float cuts": ({"row_cuts": [0, 2.5, 6]}, "'row_cuts' of its plan must rise from 0 to 6"),
    "unequal": ({"row_cuts": [0, 3, 6]}, "'row_cuts' and 'column_cuts' of its plan must be equal"),
    "no run": ({"extra": {}}, "the run must be 8 hexadecimal digits, but is None"),
    "a path": ({"extra": {"run": "../../x"}}, "the run must be 8 hexadecimal digits, but is"),
    "grain": (
        {"extra": {"grain": 10**30, "run": "01234567"}},
        r"the grain must be in the range \[1, 1024\], but is 1000",
    ),
    "no extra": ({"extra": 3}, "the run must be 8 hexadecimal digits, but is None"),
}


@pytest.mark.parametrize(("change", "message"), DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("signed", [True, False])
def test_a_damaged_manifest_is_refused(tmp_path, change, message, whole, signed):
    path = tmp_path / "D.npy"
    expected = tm.pairwise_distances(SIX, out=path).copy()
    if not whole:
        run = manifest(path)["extra"]["run"]
        path.rename(tmp_path / f"D.npy.{run}.partial")
    found = manifest(path)
    del found["digest"]
    for key, value in change.items():
        (found["plan"] if key in found["plan"] else found)[key] = value
    if signed:  # as if somebody had written it on purpose
        found["digest"] = manifests._digest(found)
    else:
        found["digest"] = manifest(path)["digest"]
        message = "its digest differs"
    Path(f"{path}.manifest.json").write_text(json.dumps(found))
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    tracemalloc.start()
    try:
        with pytest.raises(
            ValueError, match=f"D.npy.manifest.json is damaged: .*{message}"
        ) as error:
            tm.pairwise_distances(SIX, out=path)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()
    assert str(error.value).count("overwrite=True") == 1
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert np.array_equal(tm.pairwise_distances(SIX, out=path, overwrite=True), expected)


def test_a_digit_is_not_believed(tmp_path):
    # Without a digest, one more block would count as finished, and the file would hold zeros.
    trees = [tm.Tree.from_bracket("{a" + "{b}" * (k % 20) + "}") for k in range(300)]
    path, budget = tmp_path / "D.npy", budget_for(900_000, tm.TreeSet(trees))
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(
            trees, out=path, memory_budget=budget, progress=lambda done, total: done < total / 2
        )
    found = manifest(path)
    found["done"][-1][1] += 1
    Path(f"{path}.manifest.json").write_text(json.dumps(found))
    with pytest.raises(ValueError, match="is damaged: its digest differs"):
        tm.pairwise_distances(trees, out=path, memory_budget=budget)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"identity": 3}', "[" * 10**5, "\0", "1" * 5000]
)
def test_a_manifest_of_something_else_is_refused(tmp_path, text):
    path = tmp_path / "D.npy"
    Path(f"{path}.manifest.json").write_text(text)
    with pytest.raises(ValueError, match="not one of treemetric"):
        tm.pairwise_distances(SIX, out=path)
    assert tm.pairwise_distances(SIX, out=path, overwrite=True).shape == (6, 6)


@pytest.mark.parametrize(
    "header", [b"{'descr': '<f8', (", b"{'descr': '<f8'}}", b"{'shape': (0006,", b"{b'': 1, '': 2}"]
)
def test_a_header_of_any_kind(tmp_path, header):
    # NumPy parses it as Python, and raises errors of any kind.
    path = tmp_path / "D.npy"
    expected = tm.pairwise_distances(SIX, out=path).copy()
    content = path.read_bytes()
    path.write_bytes(content[:10] + header.ljust(117) + b"\n" + content[128:])
    with pytest.raises(ValueError, match=r"D.npy is damaged; pass overwrite=True"):
        tm.pairwise_distances(SIX, out=path)
    assert np.array_equal(tm.pairwise_distances(SIX, out=path, overwrite=True), expected)


def test_metadata_of_any_kind(tmp_path):
    pytest.importorskip("zarr")
    path = tmp_path / "D.zarr"
    expected = tm.pairwise_distances(SIX, out=path)[:]
    file = path / "zarr.json"
    file.write_text(file.read_text().replace('"chunk_shape"', '"hunk_shape"'))
    with pytest.raises(ValueError, match=r"D.zarr is damaged; pass overwrite=True"):
        tm.pairwise_distances(SIX, out=path)
    assert np.array_equal(tm.pairwise_distances(SIX, out=path, overwrite=True)[:], expected)
