"""Benchmarks that check their own results, at sizes that take no time."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHES = Path(__file__).parents[2] / "benches"


@pytest.mark.parametrize("kind", ["cosine", "euclidean"])
def test_distances_under_vector_costs(kind):
    script = BENCHES / "vectors.py"
    if not script.exists():
        pytest.skip("the benchmarks are not part of a package")
    before = set(BENCHES.rglob("*.md"))
    command = [sys.executable, str(script), "--smoke", "--kind", kind]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "# 60 x 60 distances under vector costs" in found.stdout
    assert "1770 pairs" in found.stdout
    assert "Verified: 200 random entries" in found.stdout
    assert set(BENCHES.rglob("*.md")) == before  # no record of a smoke test


def test_trees_and_vectors_go_together():
    script = BENCHES / "vectors.py"
    if not script.exists():
        pytest.skip("the benchmarks are not part of a package")
    command = [sys.executable, str(script), "--smoke", "--data", "somewhere"]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert found.returncode == 2
    assert "--data and --vectors go together" in found.stderr
