"""Long calls among signals, forks, threads and pickles."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import numpy as np
import pytest

import treemetric as tm
from children import PROMPT, interrupt_script, run, run_script
from shapes import make_tree
from workers import block_of_rows

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and fork")

# From 3.12 on Python warns about any fork of a process with threads. That the fork is
# safe here is what these tests show.
forks = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def small_trees(seed=0, count=40):
    rng = Random(seed)
    return [make_tree(rng, rng.randint(0, 60)) for _ in range(count)]


def many_jobs(trees):
    """All distances, with a pool of two threads."""
    return tm.pairwise_distances(trees, n_jobs=2)


# --- Ctrl-C ------------------------------------------------------------------------

LONG_CALLS = {
    "one pair": "tm.distance(zigzag(4000), zigzag(4000))",
    "one pair, two jobs": "tm.distance(binary(20_000), binary(20_000), n_jobs=2)",
    "one zigzag, two jobs": "tm.distance(zigzag(4000), zigzag(4000), n_jobs=2)",
    "one alignment, two jobs": "tm.align(make_tree(rng, 12_000), make_tree(rng, 12_000), n_jobs=2)",
    "one pair, cost matrix": "tm.distance(zigzag(4000), zigzag(4000), costs=COSTS)",
    "all pairs": "tm.pairwise_distances(MANY)",
    "all pairs, two jobs": "tm.pairwise_distances(MANY, n_jobs=2)",
    "few large pairs": "tm.pairwise_distances([zigzag(4000)] * 2, [zigzag(4000)] * 2)",
    "with progress": "tm.pairwise_distances(MANY, progress=lambda d, t: None)",
    "into a file": "tm.pairwise_distances(MANY, out=FILE, n_jobs=2)",
}

INTERRUPTED = """
    import sys, time
    from random import Random

    import numpy as np

    import treemetric as tm
    from shapes import make_tree

    rng = Random(0)

    def zigzag(size):
        return make_tree(rng, size, "zigzag", "abcd")

    def binary(size):
        return make_tree(rng, size, "binary")

    trees = [make_tree(rng, 400) for _ in range(50)]
    MANY = tm.TreeSet(trees)[np.arange(20_000) % 50]
    COSTS = tm.CostMatrix("abcd", np.sqrt(np.arange(25).reshape(5, 5) % 24))
    FILE = np.memmap(sys.argv[1], dtype="float64", mode="w+", shape=(20_000, 20_000))
    print("ready", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    # The library still works afterwards.
    print(tm.pairwise_distances(trees[:1] + [trees[0]], n_jobs=2).tolist(), flush=True)
"""


@posix
@pytest.mark.parametrize("call", LONG_CALLS)
def test_ctrl_c_stops_a_long_call_within_a_second(tmp_path, call):
    script = INTERRUPTED.replace("{call}", LONG_CALLS[call])
    seconds, works = interrupt_script(script, tmp_path / "distances.bin")
    assert works == ["[[0.0, 0.0], [0.0, 0.0]]"]
    assert 0 <= seconds < PROMPT


# --- the interpreter lock ----------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_other_threads_run_during_a_long_call(n_jobs):
    ticks, running = [], threading.Event()

    def tick():
        while running.is_set():
            ticks.append(1)
            time.sleep(0.001)

    rng = Random(0)
    size, seconds, seen = 200, 0.0, 0
    while seconds < 0.5:  # a faster machine gets larger trees
        trees = [make_tree(rng, size, "zigzag") for _ in range(4)]
        running.set()
        thread = threading.Thread(target=tick)
        thread.start()
        before, begin = len(ticks), time.monotonic()
        tm.pairwise_distances(trees, n_jobs=n_jobs)
        seconds, seen = time.monotonic() - begin, len(ticks) - before
        running.clear()
        thread.join()
        size = size * 3 // 2
    assert seen >= 20


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_eight_threads_at_once(n_jobs):
    trees = tm.TreeSet(small_trees())
    costs = tm.CostMatrix("abc", np.sqrt(1 - np.eye(4)) * np.pi)
    expected = [
        tm.pairwise_distances(trees, n_jobs=n_jobs).tobytes(),
        tm.pairwise_distances(trees, costs=costs, n_jobs=n_jobs).tobytes(),
    ]
    barrier = threading.Barrier(8)

    def work(number):
        barrier.wait()
        kind = number % 2
        return kind, tm.pairwise_distances(
            trees, costs=costs if kind else None, n_jobs=n_jobs
        ).tobytes()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    assert results == [(i % 2, expected[i % 2]) for i in range(8)]


def test_single_pairs_from_eight_threads():
    trees = small_trees(count=20)
    expected = tm.pairwise_distances(trees)

    def row(i):
        return [tm.distance(trees[i], tree) for tree in trees]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(row, range(20))) == expected.tolist()


def test_a_long_call_in_a_thread_that_is_not_the_main_one():
    trees = small_trees()
    results = []
    thread = threading.Thread(target=lambda: results.append(many_jobs(trees)))
    thread.start()
    thread.join()
    assert np.array_equal(results[0], many_jobs(trees))


# --- fork --------------------------------------------------------------------------


@posix
@forks
def test_a_child_works_after_its_parent_used_the_pool():
    trees = small_trees()
    expected = many_jobs(trees).tobytes()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:  # the child, and then a grandchild
        signal.alarm(60)  # a hang ends the child, not the test run
        answer = b"wrong"
        with contextlib.suppress(BaseException):
            if many_jobs(trees).tobytes() == expected:
                grandchild = os.fork()
                if grandchild == 0:
                    signal.alarm(60)
                    os._exit(0 if many_jobs(trees).tobytes() == expected else 1)
                if os.waitpid(grandchild, 0)[1] == 0:
                    answer = b"right"
        os.write(writer, answer)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    assert os.waitpid(pid, 0)[1] == 0
    assert answer == b"right"
    # The pool of the parent still works.
    assert many_jobs(trees).tobytes() == expected


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@forks
def test_worker_processes_of_multiprocessing(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    trees = tm.TreeSet(small_trees(count=12))
    expected = tm.pairwise_distances(trees, n_jobs=2)
    context = multiprocessing.get_context(method)
    blocks = [(trees[:6], trees, 2), (trees[6:], trees, 2)]
    with context.Pool(2) as pool:
        results = pool.starmap_async(block_of_rows, blocks).get(timeout=120)
    assert np.array_equal(np.vstack(results), expected)


# --- pickle ------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_inputs_give_the_same_distances(protocol):
    trees = tm.TreeSet(small_trees(), ids=range(40))
    costs = tm.CostMatrix("abc", np.sqrt(np.arange(16).reshape(4, 4) % 15))
    twins = pickle.loads(pickle.dumps((trees, costs), protocol=protocol))
    expected = tm.pairwise_distances(trees, costs=costs)
    assert np.array_equal(tm.pairwise_distances(twins[0], costs=twins[1]), expected)


def test_buffers_out_of_band_give_the_same_distances():
    trees = tm.TreeSet(small_trees())
    buffers = []
    data = pickle.dumps(trees, protocol=5, buffer_callback=buffers.append)
    # As after a transport: the bytes live elsewhere and cannot be written to.
    copies = [bytes(buffer.raw()) for buffer in buffers]
    twin = pickle.loads(data, buffers=copies)
    assert twin == trees
    assert np.array_equal(many_jobs(twin), many_jobs(trees))


# --- the number of jobs ------------------------------------------------------------


@pytest.mark.parametrize("costs", [None, tm.CostMatrix("abc", np.sqrt(2) * (1 - np.eye(4)))])
def test_results_do_not_depend_on_the_number_of_jobs(costs):
    rng = Random(9)
    trees = [make_tree(rng, n) for n in [1000, *([20] * 80), 400, 0]]
    expected = tm.pairwise_distances(trees, costs=costs, n_jobs=1).tobytes()
    for n_jobs in (2, 3, 8, -1):
        got = tm.pairwise_distances(trees, costs=costs, n_jobs=n_jobs)
        assert got.tobytes() == expected


@pytest.mark.parametrize("ceiling", ["1", "2", "64"])
def test_the_environment_may_limit_the_number_of_threads(ceiling):
    script = """
        from random import Random

        import treemetric as tm
        from shapes import make_tree

        rng = Random(0)
        trees = [make_tree(rng, 200) for _ in range(60)]
        print(tm.pairwise_distances(trees, n_jobs=-1).sum())
        print(sum(1 for _ in __import__("pathlib").Path("/proc/self/task").iterdir()))
    """
    if not Path("/proc/self/task").is_dir():
        pytest.skip("no list of threads on this system")
    env = {"TREEMETRIC_NUM_THREADS": ceiling, "OPENBLAS_NUM_THREADS": "1"}
    printed = run_script(script, env=env)
    rng = Random(0)
    trees = [make_tree(rng, 200) for _ in range(60)]
    total, threads = printed.split()
    assert float(total) == tm.pairwise_distances(trees).sum()
    # The main thread waits while the others work.
    usable = len(os.sched_getaffinity(0))
    assert int(threads) <= 1 + min(int(ceiling), usable)


def test_more_jobs_than_pairs():
    x, y = tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("b")
    assert tm.pairwise_distances([x, y], n_jobs=64).tolist() == [[0, 1], [1, 0]]


COLD = """
import os, signal, threading
from random import Random
import treemetric as tm
from shapes import make_tree

rng = Random(1)
x, y = (make_tree(rng, 1200, "random", "ab") for _ in range(2))
pair = tm.cooptimal(x, y)
threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    pair.expectation
except KeyboardInterrupt:
    pass
print("alive", pair.cost > 0)
"""


@posix
def test_ctrl_c_before_the_first_array_of_a_process():
    # NumPy's interface was loaded for the first array, and failed if a signal was waiting.
    done = run("-c", COLD)
    # Python may see the signal in any of its own lines, too.
    assert "alive True" in done.stdout or "KeyboardInterrupt" in done.stderr
    assert "Panic" not in done.stderr
