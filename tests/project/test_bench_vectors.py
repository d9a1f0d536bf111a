"""Benchmarks that check their own results, at sizes that take no time."""

from pathlib import Path

import pytest

import children

BENCHES = Path(__file__).parents[2] / "benches"


@pytest.mark.parametrize("kind", ["cosine", "euclidean"])
def test_distances_under_vector_costs(kind):
    script = BENCHES / "vectors.py"
    if not script.exists():
        pytest.skip("the benchmarks are not part of a package")
    before = set(BENCHES.rglob("*.md"))
    found = children.run(script, "--smoke", "--kind", kind, timeout=120)
    assert found.returncode == 0, found.stderr
    assert "# 60 x 60 distances under vector costs" in found.stdout
    assert "1770 pairs" in found.stdout
    assert "Verified: 200 random entries" in found.stdout
    assert set(BENCHES.rglob("*.md")) == before  # no record of a smoke test


def test_trees_and_vectors_go_together():
    script = BENCHES / "vectors.py"
    if not script.exists():
        pytest.skip("the benchmarks are not part of a package")
    found = children.run(script, "--smoke", "--data", "somewhere", timeout=120)
    assert found.returncode == 2
    assert "--data and --vectors go together" in found.stderr
