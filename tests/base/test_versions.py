"""The report of versions, and the limit on instructions."""

import json
import re
import sys

import pytest

import treemetric as tm
from children import run, run_script
from treemetric import _core
from treemetric._base import versions

NAMES = ("avx512", "avx512vl", "avx2", "sse2", "neon", "portable", "scalar")

# Distances through all kinds of lanes, bounds, alignments and neighbours, as bytes.
SCRIPT = """
import hashlib, json
from random import Random
import numpy as np
import treemetric as tm
from shapes import make_tree
from treemetric import _core

rng = Random(5)
trees = [make_tree(rng, rng.randint(0, 90)) for _ in range(25)]
large = [make_tree(rng, 300, kind) for kind in ("random", "zigzag")]
tables = [
    None,
    tm.CostMatrix("abc", np.arange(16).reshape(4, 4) % 15 * 100.0),
    tm.CostMatrix("abc", np.arange(16).reshape(4, 4) % 15 * 1e5),
    tm.CostMatrix("abc", np.sqrt(np.arange(16).reshape(4, 4) % 15)),
]
results = []
for costs in tables:
    results.append(tm.pairwise_distances(trees, costs=costs))
    results.append(tm.pairwise_distances(trees, costs=costs, cutoff=30.0))
    results.append(tm.pairwise_distances(large, trees, costs=costs))
    results.append(np.array([tm.distance(*large, costs=costs)]))
    results.append(tm.nearest(trees, trees, k=3, costs=costs).distances)
results.append(tm.unordered_pairwise_distances(trees))
digest = hashlib.sha256(b"".join(r.tobytes() for r in results)).hexdigest()
print(json.dumps([digest, *_core.instructions()]))
"""


def limited(value):
    """Return the digest of results, the instructions of the processor and those in use."""
    return json.loads(run_script(SCRIPT, env={"TREEMETRIC_SIMD": value}))


def test_all_limits_give_the_same_bits():
    digest, detected, usable = limited("")
    assert usable == detected
    for name in NAMES:
        found, same, usable = limited(name)
        assert found == digest
        assert same == detected
        allowed = NAMES[NAMES.index(name) :]
        assert usable == [one for one in detected if one in allowed]


@pytest.mark.parametrize("value", ["AVX2", "sse", " portable"])
def test_an_unknown_limit_is_refused_at_import(value):
    done = run("-c", "import treemetric", env={"TREEMETRIC_SIMD": value})
    assert done.returncode != 0
    names = ", ".join(f"'{name}'" for name in NAMES[:-1])
    expected = f"TREEMETRIC_SIMD must be {names} or 'scalar'; got"
    last = done.stderr.splitlines()[-1]
    assert last == f'ValueError: the environment variable {expected} "{value}"'


def test_a_limit_is_reported():
    script = "from treemetric._base import versions; import json; print(json.dumps({}))"
    env = {"TREEMETRIC_SIMD": "scalar", "TREEMETRIC_NUM_THREADS": "1"}
    found = json.loads(run_script(script.format("versions.collect()"), env=env))
    assert found["Processor"]["kernel in use"] == "scalar"
    assert found["Resources"]["threads of n_jobs=-1"] == "1"
    assert found["Resources"]["TREEMETRIC_SIMD"] == "scalar"


def test_everything_is_printed(capsys):
    assert tm.show_versions() is None
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line in lines if not line.startswith(" ")]
    assert titles == ["System", "Packages", "Processor", "Resources"]
    assert f"    treemetric: {tm.__version__}" in lines
    for name in ("python", "gil", "platform", "numpy", "scipy", "scikit-learn", "joblib"):
        assert any(re.fullmatch(rf"    {name}: .+", line) for line in lines), name


def test_the_processor_has_what_kernels_use():
    detected, usable = _core.instructions()
    assert detected[-1] == usable[-1] == "scalar"
    assert set(usable) <= set(detected)
    features = " ".join(_core.processor_features())
    # Portable kernels are for processors whose features are not known.
    assert (detected[-2] == "portable") == (features == "")
    assert all(name in features for name in detected[:-1] if name != "portable")


def test_packages_that_are_missing_are_not_an_error(monkeypatch):
    def missing(_):
        raise versions.PackageNotFoundError

    monkeypatch.setattr(versions, "version", missing)
    packages = versions.collect()["Packages"]
    assert packages["treemetric"] == tm.__version__
    assert packages["scipy"] == "missing"
    assert "dask" not in packages


@pytest.mark.parametrize(("bytes_", "shown"), [(3 << 29, "1.50 GiB"), (2**64 - 1, "unknown")])
def test_memory_that_is_not_reported_is_unknown(monkeypatch, bytes_, shown):
    monkeypatch.setattr(_core, "available_memory", lambda: bytes_)
    assert versions.collect()["Resources"]["available memory"] == shown


@pytest.mark.parametrize(("enabled", "shown"), [(True, "enabled"), (False, "disabled")])
def test_the_lock_of_the_interpreter_is_reported(monkeypatch, enabled, shown):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: enabled, raising=False)
    assert versions.collect()["System"]["gil"] == shown
