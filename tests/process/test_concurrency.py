"""Nested calls, concurrent calls, and calls with too many threads."""

import textwrap
import threading
from random import Random

import numpy as np
import pytest

import treemetric as tm
from children import PROMPT, interrupt_script
from shapes import make_tree


@pytest.fixture(scope="module")
def trees():
    rng = Random(3)
    return tm.TreeSet([make_tree(rng, 150) for _ in range(60)])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_may_call_the_library(trees, n_jobs, tmp_path):
    inner = []

    def progress(done, total):
        if len(inner) < 3:
            inner.append(tm.pairwise_distances(trees[:10], n_jobs=n_jobs))
            trees[:3].to_jsonl(tmp_path / "trees.jsonl")

    outer = tm.pairwise_distances(trees, n_jobs=n_jobs, progress=progress)
    assert inner
    assert all(np.array_equal(matrix, outer[:10, :10]) for matrix in inner)


def test_numpys_false_cancels_too(trees):
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(trees, progress=lambda done, total: np.float64(done) < 0)


@pytest.mark.parametrize("n_jobs", [64, 3000, 10**30])
def test_more_threads_than_tasks_are_harmless(trees, n_jobs):
    expected = tm.pairwise_distances(trees[:20])
    assert np.array_equal(tm.pairwise_distances(trees[:20], n_jobs=n_jobs), expected)
    assert threading.active_count() < 50


def test_memory_is_counted_for_the_threads_that_run():
    chains = [tm.Tree.from_sequence("ab" * 4000), tm.Tree.from_sequence("ba" * 4000)]
    assert tm.pairwise_distances(chains, n_jobs=512)[0, 1] == 2.0


def test_an_array_in_use_is_refused(trees):
    out = np.zeros((60, 60))
    caught = []

    def progress(done, total):
        if not caught:
            try:
                tm.pairwise_distances(trees, out=out)
            except ValueError as error:
                caught.append(str(error))

    tm.pairwise_distances(trees, out=out, progress=progress)
    assert caught == ["out is in use by another call"]


def test_overlapping_entries_are_refused(trees):
    out = np.lib.stride_tricks.as_strided(np.zeros(100), (60, 60), (8, 8))
    with pytest.raises(ValueError, match="do not overlap"):
        tm.pairwise_distances(trees, out=out)


INTERRUPTED = {
    # The main thread is interrupted while another one computes.
    "beside": """
        other = threading.Thread(target=tm.pairwise_distances, args=(MANY,), daemon=True)
        other.start()
        time.sleep(0.2)
        call = lambda: tm.pairwise_distances(MANY)
    """,
    # Costs this far apart need 128 bits: the plain kernel.
    "plain kernel": """
        A, B = (make_tree(rng, 1_500, "zigzag") for _ in range(2))
        table = np.full((4, 4), 1e6)
        table[:3, :3], table[3, 3] = 1 / 3, 0
        call = lambda: tm.distance(A, B, costs=tm.CostMatrix("abc", table))
    """,
}


@pytest.mark.parametrize("name", INTERRUPTED)
def test_ctrl_c_stops_within_a_second(name):
    script = textwrap.dedent("""
        import os, sys, threading, time
        from random import Random
        import numpy as np
        import treemetric as tm
        from shapes import make_tree
        rng = Random(0)
        MANY = tm.TreeSet([make_tree(rng, 400) for _ in range(400)])[np.arange(4_000) % 400]
    """)
    script += textwrap.dedent(INTERRUPTED[name])
    script += textwrap.dedent("""
        print("ready", flush=True)
        try:
            call()
        except KeyboardInterrupt:
            print(time.monotonic(), flush=True)
            os._exit(0)
        print("not interrupted", flush=True)
        os._exit(1)
    """)
    assert 0 <= interrupt_script(script).seconds < PROMPT


@pytest.mark.parametrize("large", [1e6, 1e9, 1e12])
def test_small_costs_count_next_to_large_ones(large):
    third = 1 / 3
    costs = tm.CostMatrix("ab", [[0, third, large], [third, 0, large], [large, large, 0]])
    x, y = tm.Tree.from_sequence("aaa"), tm.Tree.from_sequence("aba")
    assert tm.distance(x, y, costs=costs) == third
    assert tm.pairwise_distances([x, y], costs=costs)[0, 1] == third
    assert tm.align(x, y, costs=costs).cost == third
