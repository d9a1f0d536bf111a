"""Mutations of the files that the package writes and reads again, byte by byte.

Run as a program it prints, per kind of file, how many mutations were read and how many refused:

    python tests/fuzz/files.py 10000
    python tests/fuzz/files.py 10000 index "costs json"
"""

import json
import random
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import treemetric as tm
from treemetric.costs.files import read_costs

SLOW = 10.0  # seconds that a small file must not take
TREES = tm.TreeSet([tm.Tree.from_bracket("{a" + "{b}" * k + "}") for k in range(6)])
WORDS = [tm.Tree.from_sequence(word) for word in ("abc", "abd", "xyz", "aa")]
TABLE = {"alphabet": ["a", "b"], "matrix": [[0, "inf", 2], [1.5, 0, 5], [3, 4, 0]]}
# What stands in a mutated file where a number or a text stood.
ODD = [b"-1", b"1e999", b"NaN", b"99999999999999999999", b"null", b"[]", b"{}", b'"', b"\\ud800"]


def mutated(rng, data):
    """Return the bytes after one to four changes."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(data))
        to = min(len(data), at + rng.randint(1, 8))
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:at] + data[to:]
        elif kind == 1:
            data = data[:at] + bytes([rng.choice((0, 255, rng.randrange(256)))]) + data[at + 1 :]
        elif kind == 2:
            data = data[:at] + rng.choice(ODD) + data[to:]
        elif kind == 3:
            data = data[:at] + data[at:to] * rng.choice((2, 3, 50)) + data[to:]
        elif kind == 4:
            data = data[:at]
        else:
            place = rng.randint(0, len(data))
            data = data[:at] + data[place : place + rng.randint(1, 40)] + data[at:]
    return data


def write_index(folder):
    tm.TreeIndex(WORDS, costs=tm.OperationCosts(1, 0.7, 0.4)).save(folder / "trees.index")


def read_index(folder):
    index = tm.TreeIndex.open(folder / "trees.index")
    return [np.asarray(part).tolist() for part in index.nearest(WORDS, k=1)]


def write_json(folder):
    (folder / "costs.json").write_text(json.dumps(TABLE))


def write_csv(folder):
    (folder / "costs.csv").write_text(",a,b,\na,0,inf,2\nb,1.5,0,5\n,3,4,0\n")


def write_npz(folder):
    np.savez(folder / "costs.npz", words=np.array(["a", "b"]), vectors=np.eye(2))


def costs_reader(name):
    def read(folder):
        costs = read_costs(folder / name)
        distance = tm.distance(
            tm.Tree.from_sequence("ab"), tm.Tree.from_sequence("ba"), costs=costs
        )
        assert distance >= 0

    return read


def matrix(name):
    def run(folder):
        return np.asarray(tm.pairwise_distances(TREES, out=folder / name)).tolist()

    return run


# Per kind of file: how it is written and read, which file is changed, and whether all that is
# read must be what was written.
FILES = {
    "index": (write_index, read_index, "trees.index", True),
    "costs json": (write_json, costs_reader("costs.json"), "costs.json", False),
    "costs csv": (write_csv, costs_reader("costs.csv"), "costs.csv", False),
    "costs npz": (write_npz, costs_reader("costs.npz"), "costs.npz", False),
    "npy manifest": (matrix("D.npy"), matrix("D.npy"), "D.npy.manifest.json", True),
    "zarr manifest": (matrix("D.zarr"), matrix("D.zarr"), "D.zarr.manifest.json", True),
    "zarr metadata": (matrix("D.zarr"), matrix("D.zarr"), "D.zarr/zarr.json", True),
}


class Kept:
    """A folder with the files of one kind as they were written."""

    def __init__(self, name, folder):
        write, self.read, self.changed, self.same = FILES[name]
        self.folder = Path(folder) / "now"
        self.whole = Path(folder) / "whole"
        self.whole.mkdir()
        write(self.whole)
        self.data = (self.whole / self.changed).read_bytes()
        shutil.copytree(self.whole, self.folder)
        self.expected = self.read(self.folder)

    def tried(self, rng):
        """Read one mutation; return "read" or "refused", or raise what must not happen."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.whole, self.folder)
        (self.folder / self.changed).write_bytes(mutated(rng, self.data))
        begin = time.perf_counter()
        try:
            found = self.read(self.folder)
        except ValueError as error:
            name = self.changed.partition(".")[0]
            assert name in str(error), f"no name of a file: {error}"  # noqa: PT017
            outcome = "refused"
        else:
            assert not self.same or found == self.expected, "other values"
            outcome = "read"
        assert time.perf_counter() - begin < SLOW, "slow"
        return outcome


def main():
    warnings.simplefilter("ignore")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    failed = 0
    print("| file | read | refused | wrong | seconds |\n|---|---|---|---|---|")  # noqa: T201
    for name in sys.argv[2:] or FILES:
        outcomes, begin = Counter(), time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            try:
                kept = Kept(name, folder)
            except ImportError as error:
                print(f"| {name} | {error} |")  # noqa: T201
                continue
            for seed in range(count):
                try:
                    outcomes[kept.tried(random.Random(seed))] += 1
                except Exception as error:  # noqa: BLE001
                    outcomes["wrong"] += 1
                    if outcomes["wrong"] <= 3:
                        print(f"seed {seed}: {type(error).__name__}: {error}")  # noqa: T201
        failed += outcomes["wrong"]
        cells = [name, outcomes["read"], outcomes["refused"], outcomes["wrong"]]
        cells.append(f"{time.perf_counter() - begin:.0f}")
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)  # noqa: T201
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
