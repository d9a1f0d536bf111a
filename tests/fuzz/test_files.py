"""A few dozen mutations per kind of file; `files.py` runs more."""

import importlib.util
import random
from pathlib import Path

import pytest

from treemetric.costs.files import read_costs

_SPEC = importlib.util.spec_from_file_location("fuzz_files", Path(__file__).parent / "files.py")
files = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(files)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(files.FILES))
def test_mutated_files_are_read_or_refused(name, tmp_path):
    if name.startswith("zarr"):
        pytest.importorskip("zarr")
    kept = files.Kept(name, tmp_path)
    assert "refused" in [kept.tried(random.Random(seed)) for seed in range(40)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("costs.csv", b",a,\na,0,\xff"),
        ("costs.json", b'{"alphabet": ["\xc2"]}'),
        ("costs.csv", b"," + b"a" * 200_000 + b",\n"),
        ("costs.json", b"[" * 100_000),
    ],
    ids=["csv not UTF-8", "json not UTF-8", "long field", "deep"],
)
def test_costs_that_cannot_be_read_name_the_file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=name):
        read_costs(path)
