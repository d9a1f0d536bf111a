"""The comparison with an enumeration of all alignments finds nothing wrong, and would."""

import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

BENCHES = Path(__file__).parents[2] / "benches"
if not BENCHES.exists():
    pytest.skip("benchmarks are not part of a source distribution", allow_module_level=True)
sys.path.insert(0, str(BENCHES))

from exhaustive import Round, Tally, all_costs  # noqa: E402


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_wrong(seed):
    tally = Tally()
    checked = Round(Random(seed), tally, shapes=6, count=5).check(sample=20)
    assert tally.checked["pairwise_distances"] == checked > 0
    assert len(tally.checked) >= 23
    assert sum(tally.wrong.values()) == 0


def test_groups_of_duplicates_are_checked(monkeypatch):
    tally = Tally()
    for seed in range(4):
        Round(Random(seed), tally, shapes=6, count=5).check_duplicates()
    names = ["deduplicate (components)", "deduplicate (cover)"]
    assert sorted(tally.checked) == names
    assert not tally.wrong
    monkeypatch.setattr("exhaustive.all_costs", lambda a, b, prices: all_costs(a, b, prices) + 1)
    for seed in range(4):
        Round(Random(seed), tally, shapes=6, count=5).check_duplicates()
    assert sorted(tally.wrong) == names


def test_wrong_answers_are_found(capsys):
    tally = Tally()
    one = Round(Random(0), tally, shapes=6, count=5)
    one.expected += 1
    one.counts += 1
    one.check(sample=20)
    exact = {"pairwise_distances", "paired_distances", "within", "nearest", "distance", "align"}
    assert exact | {"cooptimal.count", "cooptimal.cost", "iter_within"} <= tally.wrong.keys()
    assert tally.wrong["distance"] == tally.checked["distance"] == 20
    assert np.all([tally.examples[name] for name in exact])
    tally.show()
    assert "first wrong answer of distance" in capsys.readouterr().out
