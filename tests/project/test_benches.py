"""The benchmarks' own arithmetic: their trees, counts, fits, forecasts and tables."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest

import treemetric as tm

FOLDER = Path(__file__).parents[2] / "benches"
if not (FOLDER / "growth.py").exists():
    pytest.skip("the benchmarks are not part of a source distribution", allow_module_level=True)
sys.path.append(str(FOLDER))

import goals  # noqa: E402
import growth_theory  # noqa: E402
import guard  # noqa: E402
import learners  # noqa: E402
import measure  # noqa: E402
import report as reports  # noqa: E402
import workloads  # noqa: E402


def key_root_cells(tree):
    """Zhang-Shasha's factor of a tree by its definition: sizes below key roots, added up."""
    labels, parents = tree
    children = workloads.adjacency(parents)
    sizes = [1] * len(labels)
    for node in range(len(labels) - 1, 0, -1):
        sizes[parents[node]] += sizes[node]
    roots = [0] + [child for below in children for child in below[1:]]
    return sum(sizes[node] for node in roots)


# --- trees -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", workloads.SHAPES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10, 99, 100])
def test_trees_have_the_size_that_was_asked_for(shape, n):
    labels, parents = workloads.make_tree(shape, n, random.Random(n))
    assert len(labels) == len(parents) == n
    tree = tm.Tree.from_parents(labels, parents)
    assert tree.size == n
    assert tree.parents.tolist() == parents  # in preorder, one root
    assert parents.count(-1) == 1


@pytest.mark.parametrize("shape", workloads.SHAPES)
def test_cells_are_those_of_the_key_roots(shape):
    tree = workloads.make_tree(shape, 60, random.Random(3))
    assert workloads.cells(tree) == key_root_cells(tree)
    image = workloads.mirror(tree)
    assert workloads.cells(image) == key_root_cells(image)
    assert workloads.mirror(image) == tree


def test_shapes_are_what_they_are_called():
    left, right, zigzag, mixed = (
        workloads.make_tree(shape, 101, random.Random(0))
        for shape in ("left", "right", "zigzag", "mixed")
    )
    # Combs are good one way and bad the other, a zigzag is bad both ways.
    assert workloads.cells(left) < 2 * 101
    assert workloads.cells(right) > 10 * workloads.cells(left)
    assert min(map(workloads.cells, (zigzag, workloads.mirror(zigzag)))) > 10 * 101
    assert len(workloads.adjacency(mixed[1])[0]) == 4


# --- theory ------------------------------------------------------------------------


@pytest.mark.parametrize("shape", sorted(growth_theory.GROWTH))
def test_counts_are_below_their_bound(shape):
    rng = random.Random(5)
    x, y = (workloads.make_tree(shape, 80, rng) for _ in range(2))
    counted = growth_theory.counts(x, y)
    assert counted["better"] <= counted["left"] <= counted["bound"]
    turned = growth_theory.counts(workloads.mirror(x), workloads.mirror(y))
    assert turned["better"] == counted["better"]
    assert turned["bound"] == counted["bound"]


@pytest.mark.parametrize(("shape", "power"), [("left", 2), ("right", 4), ("zigzag", 4)])
def test_counts_grow_as_documented(shape, power):
    sizes = (200, 400, 800)
    rng = random.Random(0)
    values = [
        growth_theory.counts(*(workloads.make_tree(shape, n, rng) for _ in range(2)))["left"]
        for n in sizes
    ]
    slope, _, _ = growth_theory.exponent(sizes, values)
    assert slope == pytest.approx(power, abs=0.05)
    assert growth_theory.GROWTH[shape][0] == {2: "n²", 4: "n⁴"}[power]


def test_exponents_are_of_the_upper_half():
    sizes = [10, 20, 50, 100, 200, 500, 1000]
    # Constant at first, cubic from 100 on.
    values = [1e6, 1e6, 1e6, *(n**3 for n in sizes[3:])]
    slope, low, high = growth_theory.exponent(sizes, values)
    assert (slope, low, high) == (pytest.approx(3), 100, 1000)
    assert growth_theory.exponent([10], [1.0]) is None
    assert growth_theory.exponent([], []) is None


# --- measuring ---------------------------------------------------------------------


def test_forecasts_continue_the_last_power():
    forecast = measure.Forecast()
    assert forecast(1000) == 0.0
    forecast.add(10, 1e-3)
    assert forecast(20) == pytest.approx(8e-3)  # a cube, for want of better
    forecast.add(20, 16e-3)
    assert forecast(40) == pytest.approx(256e-3)
    assert forecast.last == 20


def test_a_race_runs_every_call():
    runs = {"a": 0, "b": 0}

    def count(name):
        runs[name] += 1

    least = measure.race({name: lambda name=name: count(name) for name in runs}, 0.01)
    assert set(least) == {"a", "b"}
    assert all(seconds > 0 for seconds in least.values())
    assert min(runs.values()) > 1


def test_peak_memory_sees_what_a_call_takes():
    result, peak = measure.peak_memory(lambda: np.ones(4_000_000).sum())
    assert result == 4_000_000
    if sys.platform == "linux" and peak is not None:
        assert 25e6 < peak < 100e6


# --- the table of goals ------------------------------------------------------------


def some_report(edist=60e-3, own=1e-3):
    found = reports.Report("versions")
    found.add("pair, unit", "random", 1000, {"treemetric": own, "edist": edist, "zss": None})
    slow = {"treemetric": 0.5, "edist": 95.0}
    found.add("pair, unit", "zigzag", 1000, slow, {"edist": "extrapolated from n = 500"})
    found.add("pair, unit", "mixed", 1000, {"treemetric": 1.0, "edist": 5.0})
    return found


def line_of(lines, name):
    (line,) = [line for line in lines if line.startswith(f"| {name}")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_goals_are_reported_as_met_or_not():
    name = "one random pair, n = 1000, unit"
    good, bad = (
        line_of(goals.goal_table(some_report(edist=edist)), name) for edist in (60e-3, 20e-3)
    )
    assert good[-3:] == ["≥ 25 times edist", "60", "yes"]
    assert bad[-3:] == ["≥ 25 times edist", "20", "**no**"]
    assert good[1:3] == ["60 ms", ""]


def test_cpp_is_derived_from_edist():
    found = some_report()
    # On the same work.
    assert goals.cpp_seconds(found, "pair, unit", "zigzag", 1000) == (pytest.approx(4.0), "†")
    line = line_of(goals.goal_table(found), "zigzag, n = 1000")
    assert line[1] == "95 s*"
    assert line[4] == "4 s†"
    assert line[7] == "8 (C++)"
    assert line[-3:] == ["≥ 5 times C++", "8", "yes"]
    # By the yardstick: a machine on which edist takes 0.06 s instead of 1 s.
    seconds, mark = goals.cpp_seconds(found, "pair, unit", "mixed", 1000)
    assert (seconds, mark) == (pytest.approx(1.07 * 60e-3 / 0.999248), "‡")
    # Ahead of edist, but not of C++.
    assert line_of(goals.goal_table(found), "mixed, n = 1000")[-1] == "**no**"
    assert goals.cpp_seconds(found, "pair, unit", "star", 100) == (None, "")


def test_a_record_is_written(tmp_path):
    found = some_report()
    page = found.write(tmp_path, "-quick", goals.goal_table(found))
    text = page.read_text(encoding="utf-8")
    assert "## Goals" in text
    assert "zigzag" in text
    table = page.with_suffix(".csv").read_text(encoding="utf-8").splitlines()
    assert len(table) == 1 + len(found.rows)
    assert table[0].startswith("date,cpu,versions,task,shape,n,engine")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(123.4, "123 s"), (0.0123, "12.3 ms"), (4.5e-6, "4.5 µs"), (8e-8, "80 ns")],
)
def test_seconds_have_a_suitable_unit(seconds, text):
    assert reports.spell(seconds) == text


# --- instruction counts --------------------------------------------------------------


def test_the_guard_reads_what_callgrind_reports():
    assert guard.collected("==7== Collected : 123456\n==7==") == 123456
    with pytest.raises(ValueError, match="counted nothing"):
        guard.collected("==7== Collected : 0\n")


def test_the_guard_finds_workloads_that_take_more(tmp_path):
    guard.write(tmp_path / "counts.csv", "1.0.0", {"a": 1000, "b, c": 1000, "gone": 5})
    version, before = guard.read(tmp_path / "counts.csv")
    assert version == "1.0.0"
    assert before == {"a": 1000, "b, c": 1000, "gone": 5}
    lines, worse = guard.compare(before, {"a": 1040, "b, c": 1060, "new": 7})
    assert worse == ["b, c", "gone", "new"]
    assert lines[0] == "a: 1040 instructions, 1.040 times as many as recorded"


def test_every_workload_of_the_guard_is_recorded():
    source = (FOLDER / "instructions.rs").read_text(encoding="utf-8")
    _, recorded = guard.read(guard.RECORD)
    assert all(f'("{name}"' in source for name in recorded)
    assert len(recorded) == 12
    # A workload that takes no time measures nothing.
    assert min(recorded.values()) > 100_000


# --- errors of learners ----------------------------------------------------------------


def test_the_test_of_resampled_errors():
    # By hand: mean 0.1, variance 0.02 / 3, (1 / 4 + 1 / 4) · variance, t = √3 with 3 degrees.
    differences = np.array([0.0, 0.1, 0.1, 0.2])
    assert learners.resampled_p(differences, [80, 20]) == pytest.approx(0.181690, abs=1e-6)
    assert learners.resampled_p(-differences, [80, 20]) == pytest.approx(0.181690, abs=1e-6)
    assert learners.resampled_p(np.zeros(4), [80, 20]) == 1.0
    assert learners.resampled_p(np.ones(4), [80, 20]) == 0.0


def test_only_clear_differences_are_marked():
    def table(units, errors):
        lines = []
        for fold, (unit, error) in enumerate(zip(units, errors, strict=True)):
            line = {"fold": fold, "sizes": [80, 20]}
            lines.append({**line, "method": learners.UNIT, "cells": {"1-NN": unit, "seconds": 1.0}})
            cells = {"1-NN": error, "learned": 1.0, "fit": 2.0, "seconds": 3.0}
            lines.append({**line, "method": "NCACosts", "cells": cells})
        return learners.table(lines)[-1]

    some = [0.3, 0.31, 0.32, 0.33]
    expected = "| NCACosts | 10.0 + |  |  |  |  |  | 4 of 4 | 3.0 (fit 2.0) |"
    assert table(some, [0.1] * 4) == expected
    assert "| 31.5 - |" in table([0.1] * 4, some)
    assert "| 15.0 |" in table([0.1] * 4, [0.0, 0.1, 0.2, 0.3])


def test_a_stopped_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(learners, "measured", lambda call: {"seconds": 0.0})
    monkeypatch.setattr(learners, "folds", lambda y: [(np.arange(9), np.arange(9, 12))] * 3)
    results = tmp_path / "results.jsonl"
    methods = list(learners.METHODS)
    learners.run(None, results, ["strings"], methods[:3])
    assert [line["method"] for line in learners.done(results)] == methods[:3] * 3
    results.unlink()
    learners.run(None, results, ["strings"], methods)
    lines = learners.done(results)
    assert [line["method"] for line in lines] == [*learners.METHODS] * 3
    results.write_text("".join(results.read_text().splitlines(keepends=True)[:7]))
    learners.run(None, results, ["strings"], methods)
    assert learners.done(results) == lines
