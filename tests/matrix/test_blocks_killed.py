"""Files of distances and processes that end: SIGKILL, Ctrl-C, memory, the command line."""

import json
import os
import signal
import textwrap
from pathlib import Path
from random import Random

import numpy as np
import pytest

import children
import resident
import treemetric as tm
from budgets import budget_for
from shapes import make_tree
from treemetric.cli import main

posix = pytest.mark.skipif(os.name != "posix", reason="sends signals")
COUNT = 700


def make_trees():
    rng = Random(11)
    return tm.TreeSet([make_tree(rng, rng.randint(10, 50)) for _ in range(COUNT)])


def small_budget(trees):
    """As in `FILL`."""
    return budget_for(900_000, trees)


@pytest.fixture(scope="module")
def expected():
    return tm.pairwise_distances(make_trees(), n_jobs=2)


FILL = """
    import sys
    from random import Random

    import treemetric as tm
    from budgets import budget_for
    from shapes import make_tree

    rng = Random(11)
    trees = tm.TreeSet([make_tree(rng, rng.randint(10, 50)) for _ in range(700)])

    def report(done, total):
        print(done, total, flush=True)

    options = {"condensed": "condensed" in sys.argv, "progress": report}
    options["memory_budget"] = budget_for(900_000, trees)
    try:
        tm.pairwise_distances(trees, out=sys.argv[1], **options)
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


def start(path, *arguments):
    return children.start("-c", textwrap.dedent(FILL), path, *arguments, stdout=children.PIPE)


def blocks_done(path):
    try:
        found = json.loads(Path(f"{path}.manifest.json").read_text())
    except FileNotFoundError:
        return 0
    return sum(last - first + 1 for first, last in found["done"])


@posix
@pytest.mark.parametrize("name", ["full.npy", "condensed.zarr"])
def test_a_process_may_be_killed_at_any_point(tmp_path, expected, name):
    if name.endswith(".zarr"):
        pytest.importorskip("zarr")
    path = tmp_path / name
    form = name.partition(".")[0]
    rng = Random(name)
    killed, counts = 0, [0]
    while True:
        # The first deaths come early; each later one comes later.
        child = start(path, form)
        first = child.stdout.readline()
        try:
            child.wait(timeout=rng.random() * 0.2 * killed**2)
        except children.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            killed += 1
        child.stdout.close()
        counts.append(blocks_done(path))
        if child.returncode == 0:
            break
        assert killed < 40
    assert first
    assert counts == sorted(counts)
    assert killed >= 1
    # Whatever was left behind, the file is whole, and so is what the manifest lists.
    options = {"condensed": form == "condensed", "memory_budget": small_budget(make_trees())}
    got = tm.pairwise_distances(make_trees(), out=path, **options)
    wanted = expected[np.triu_indices(COUNT, 1)] if form == "condensed" else expected
    assert np.asarray(got[:]).tobytes() == wanted.tobytes()


EVERY_POINT = """
    import os, shutil, signal, sys
    from pathlib import Path
    from random import Random

    import numpy as np
    import treemetric as tm
    from budgets import budget_for
    from shapes import make_tree

    target = Path(sys.argv[1])
    if target.suffix == ".zarr":
        import zarr
    rng = Random(5)
    trees = tm.TreeSet([make_tree(rng, 8) for _ in range(150)])
    options = {"condensed": "condensed" in target.name}
    options["memory_budget"] = budget_for(350_000, trees)
    expected = tm.pairwise_distances(trees, condensed=options["condensed"]).tobytes()
    events = ("open", "os.rename", "os.remove", "os.truncate", "os.mkdir", "os.rmdir")

    def dies_at(step):
        if os.fork() == 0:
            left = step

            def hook(event, arguments):
                nonlocal left
                if event in events and arguments and str(target.parent) in str(arguments[0]):
                    left -= 1
                    if left == 0:
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(hook)
            tm.pairwise_distances(trees, out=target, **options)
            os._exit(0)
        return os.waitstatus_to_exitcode(os.wait()[1]) == -signal.SIGKILL

    step = 1
    while dies_at(step):
        if os.fork() == 0:
            found = np.asarray(tm.pairwise_distances(trees, out=target, **options)[:])
            os._exit(0 if found.tobytes() == expected else 1)
        assert os.wait()[1] == 0, step
        shutil.rmtree(target.parent)
        target.parent.mkdir()
        step += max(1, step // 6)  # the later ones are more of the same
    print(step)
"""


@posix
@pytest.mark.parametrize("name", ["full.npy", "condensed.npy", "full.zarr", "condensed.zarr"])
def test_every_single_step_on_disk_may_be_the_last(tmp_path, name):
    if name.endswith(".zarr"):
        pytest.importorskip("zarr")
    folder = tmp_path / "folder"
    folder.mkdir()
    assert int(children.run_script(EVERY_POINT, folder / name)) > 8


@posix
def test_ctrl_c_stops_and_keeps_what_is_done(tmp_path, expected):
    path = tmp_path / "D.npy"
    child = start(path, "full")
    try:
        while int(child.stdout.readline().split()[0]) == 0:
            pass
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
        child.stdout.close()
    # On a machine so fast that all was done, there is nothing to stop.
    assert out.endswith("stopped\n") or path.exists()
    trees = make_trees()
    got = tm.pairwise_distances(trees, out=path, memory_budget=small_budget(trees))
    assert np.array_equal(got, expected)


@pytest.mark.skipif(not resident.STATUS.exists(), reason="reads Linux's counters")
@pytest.mark.parametrize("arguments", ["", "condensed=True", "n_jobs=2"])
def test_memory_stays_within_the_budget(tmp_path, arguments):
    script = """
        import sys
        from random import Random

        import numpy as np
        import resident
        import treemetric as tm
        from shapes import make_tree

        rng = Random(0)
        few = tm.TreeSet([make_tree(rng, rng.randint(1, 12)) for _ in range(500)])
        trees = few[np.arange(5000) % 500]
        # What is loaded once does not count.
        tm.pairwise_distances(few[:2], out=sys.argv[1] + "/small.npy")
        before = resident.begin()
        options = dict({arguments})
        tm.pairwise_distances(trees, out=sys.argv[1] + "/D.npy", memory_budget="48MB", **options)
        print(resident.peak_since(before))
    """
    printed = children.run_script(script.replace("{arguments}", arguments), tmp_path)
    size = (tmp_path / "D.npy").stat().st_size
    assert size > 99_000_000
    assert int(printed) < 48_000_000


PEAK = """
    import sys
    from random import Random

    import numpy as np
    import resident
    import treemetric as tm
    from budgets import budget_for
    from shapes import make_tree

    rng = Random(0)
    labels = [f"label {k}" for k in range(500)]
    grid = np.random.default_rng(0).integers(50, 100, (501, 501)) * (1 - np.eye(501, dtype=int))
    grid = grid + grid.T

    def trees(count, least, most):
        return tm.TreeSet(
            [make_tree(rng, rng.randint(least, most), "random", labels) for _ in range(count)]
        )

    def zigzags(count, least, most):
        return tm.TreeSet(
            [make_tree(rng, rng.randint(least, most), "zigzag", labels) for _ in range(count)]
        )

    def matrix(unit):
        return tm.CostMatrix(labels, grid * unit)

    vectors = tm.VectorCosts(labels, grid[:500, :40] / 100, kind="euclidean")
    X, options, bound = {case}
    # What is loaded once does not count.
    tm.pairwise_distances(X[:2], out=sys.argv[1] + "/small.npy", n_jobs=2)
    limit = budget_for(bound, X, **options)
    before = resident.begin()
    tm.pairwise_distances(X, out=sys.argv[1] + "/D.npy", memory_budget=limit, **options)
    print(resident.peak_since(before), limit)
"""
PEAKS = {
    "bytes": "trees(600, 5, 60), {}, 3_000_000",
    "bytes and words": "trees(150, 50, 250), {'n_jobs': 2}, 3_000_000",
    "ints": "trees(150, 10, 150), {'costs': matrix(0.01)}, 3_000_000",
    "doubles": "trees(150, 10, 150), {'costs': matrix(1 / 3), 'n_jobs': 2}, 3_000_000",
    "vectors": "trees(150, 10, 80), {'costs': vectors}, 3_000_000",
    "cutoff": "trees(400, 20, 120), {'cutoff': 60}, 8_000_000",
    "zigzags": "zigzags(24, 300, 500), {'n_jobs': 2}, 30_000_000",
    "large": "trees(60, 300, 500), {}, 30_000_000",
    "favourites": "trees(1500, 4, 20), {'costs': matrix(0.5), 'cutoff': 300}, 60_000_000",
}


@pytest.mark.skipif(not resident.STATUS.exists(), reason="reads Linux's counters")
@pytest.mark.parametrize("case", PEAKS)
def test_scratch_is_in_the_account(tmp_path, case):
    printed = children.run_script(PEAK.replace("{case}", PEAKS[case]), tmp_path)
    peak, limit = map(int, printed.split())
    assert peak <= limit
    # Nor is it counted many times.
    assert limit < 16 * peak


# --- the command line --------------------------------------------------------------


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "trees.txt"
    make_trees()[:300].to_bracket(path)
    return path


def test_the_command_resumes(capsys, tmp_path, source, expected):
    target = tmp_path / "D.npy"
    trees = tm.TreeSet.from_bracket(source)
    with pytest.raises(tm.exceptions.CancelledError):
        tm.pairwise_distances(
            trees, out=target, memory_budget=small_budget(trees), progress=lambda d, t: d < t / 2
        )
    before = blocks_done(target)
    assert before > 0
    assert main(["pairwise", str(source), "-o", str(target), "--memory", "32MB"]) == 0
    assert blocks_done(target) > before
    assert capsys.readouterr().out == f"300 trees, 300 x 300 float64 -> {target}\n"
    assert np.array_equal(np.load(target), expected[:300, :300])


def test_the_command_writes_zarr(tmp_path, source, expected):
    zarr = pytest.importorskip("zarr")
    target = tmp_path / "D.zarr"
    assert main(["pairwise", str(source), "-o", str(target)]) == 0
    assert np.array_equal(zarr.open_array(target, mode="r")[:], expected[:300, :300])


def test_the_command_does_not_overwrite_unless_told(capsys, tmp_path, source):
    target = tmp_path / "D.npy"
    command = ["pairwise", str(source), "-o", str(target)]
    assert main(command) == 0
    assert main([*command, "--dtype", "float32"]) == 2
    error = capsys.readouterr().err
    assert "another dtype ('float64' there, 'float32' now)" in error
    assert "--overwrite" in error
    assert main([*command, "--dtype", "float32", "--overwrite"]) == 0
    assert np.load(target).dtype == np.float32


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "D.txt"], ".npy, .parquet, .zarr, or --to"),
        (["-o", "D.npy", "--memory", "some"], "--memory must be"),
    ],
)
def test_wrong_arguments_are_told(capsys, monkeypatch, tmp_path, source, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(["pairwise", str(source), *arguments]) == 2
    assert message in capsys.readouterr().err
