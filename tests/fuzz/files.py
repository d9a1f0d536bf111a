"""Mutations of the files that the package writes and reads again, byte by byte.

Run as a program it prints, per kind of file, how many mutations were read and how many refused:

    python tests/fuzz/files.py 10000
    python tests/fuzz/files.py 10000:20000 index "costs json"

The second line takes other mutations than the first: those from the 10,000th on.
"""

import hashlib
import json
import random
import shutil
import struct
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import treemetric as tm
from treemetric.costs.files import read_costs

SLOW = 10.0  # processor seconds that a small file must not take
TREES = tm.TreeSet([tm.Tree.from_bracket("{a" + "{b}" * k + "}") for k in range(6)])
WORDS = [tm.Tree.from_sequence(word) for word in ("abc", "abd", "xyz", "aa")]
TABLE = {"alphabet": ["a", "b"], "matrix": [[0, "inf", 2], [1.5, 0, 5], [3, 4, 0]]}
# Costs that are valid, and not for the trees they are used for: no file is damaged.
IN_USE = ("replacing must cost at most", "The label ")
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


# Of an index: magic number, version, unused bits, bytes of the header, bytes of the file, digest.
PREFIX = struct.Struct("<8sIIQQ32s")


def aligned(length):
    return -(-length // 64) * 64


def sealed(rng, data):
    """Change the header or an array of an index, and its digests, so that they are right."""
    magic, version, unused, length, _, _ = PREFIX.unpack(data[: PREFIX.size])
    header = data[PREFIX.size : PREFIX.size + length]
    body = bytearray(data[aligned(PREFIX.size + length) :])
    if rng.random() < 0.5:
        header = mutated(rng, header)
    else:
        fields = json.loads(header)
        entry = rng.choice(fields["arrays"])
        size = np.dtype(entry["dtype"]).itemsize * int(np.prod(entry["shape"]))
        begin, end = entry["offset"], entry["offset"] + size
        part = mutated(rng, bytes(body[begin:end]))[:size].ljust(size, b"\0")
        body[begin:end] = part
        entry["digest"] = hashlib.sha256(part).hexdigest()
        header = json.dumps(fields).encode()
    start = aligned(PREFIX.size + len(header))
    digest = hashlib.sha256(header).digest()
    prefix = PREFIX.pack(magic, version, unused, len(header), start + len(body), digest)
    return (prefix + header).ljust(start, b"\0") + bytes(body)


def write_index(folder):
    tm.TreeIndex(WORDS, costs=tm.OperationCosts(1, 0.7, 0.4)).save(folder / "trees.index")


def write_full_index(folder):
    costs = tm.EmbeddingCosts("abcdxyz", np.eye(7, 2) + 1, own=np.ones(7))
    trees = tm.TreeSet(WORDS, ids=list("1234"), classes=[0, 0, 1, 1])
    tm.TreeIndex(trees, costs=costs, n_pivots=2).save(folder / "trees.index")


def write_vector_index(folder):
    costs = tm.VectorCosts("abcdxyz", np.eye(7, 2) + 1)
    tm.TreeIndex(WORDS, costs=costs).save(folder / "trees.index")


def write_table_index(folder):
    costs = tm.CostMatrix("abcdxyz", 2 - 2 * np.eye(8))
    tm.TreeIndex(WORDS, costs=costs, n_pivots=1).save(folder / "trees.index")


def write_trees(folder):
    trees = tm.TreeSet(WORDS, ids=list("1234"), classes=[0, 0, 1, 1])
    trees.to_jsonl(folder / "trees.jsonl")
    trees.to_bracket(folder / "trees.txt")


def trees_reader(name):
    def read(folder):
        method = tm.TreeSet.from_jsonl if name.endswith("jsonl") else tm.TreeSet.from_bracket
        assert (tm.pairwise_distances(method(folder / name)) >= 0).all()

    return read


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


# Per kind of file: how it is written and read, which file is changed, whether all that is read must
# be what was written, and how it is changed, if not byte by byte.
FILES = {
    "index": (write_index, read_index, "trees.index", True),
    "index, sealed": (write_index, read_index, "trees.index", False, sealed),
    "index with pivots, sealed": (write_full_index, read_index, "trees.index", False, sealed),
    "index of vectors, sealed": (write_vector_index, read_index, "trees.index", False, sealed),
    "index of a table, sealed": (write_table_index, read_index, "trees.index", False, sealed),
    "trees jsonl": (write_trees, trees_reader("trees.jsonl"), "trees.jsonl", False),
    "trees bracket": (write_trees, trees_reader("trees.txt"), "trees.txt", False),
    "costs json": (write_json, costs_reader("costs.json"), "costs.json", False),
    "costs csv": (write_csv, costs_reader("costs.csv"), "costs.csv", False),
    "costs npz": (write_npz, costs_reader("costs.npz"), "costs.npz", False),
    "npy manifest": (matrix("D.npy"), matrix("D.npy"), "D.npy.manifest.json", True),
    "npy": (matrix("D.npy"), matrix("D.npy"), "D.npy", False),
    "zarr manifest": (matrix("D.zarr"), matrix("D.zarr"), "D.zarr.manifest.json", True),
    "zarr metadata": (matrix("D.zarr"), matrix("D.zarr"), "D.zarr/zarr.json", True),
}


class Kept:
    """A folder with the files of one kind as they were written."""

    def __init__(self, name, folder):
        write, self.read, self.changed, self.same, *change = FILES[name]
        self.change = change[0] if change else mutated
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
        (self.folder / self.changed).write_bytes(self.change(rng, self.data))
        begin = time.process_time()
        try:
            found = self.read(self.folder)
        except ValueError as error:
            name = self.changed.partition(".")[0]
            if name not in str(error) and not str(error).startswith(IN_USE):
                message = f"no name of a file: {error}"
                raise AssertionError(message) from None
            outcome = "refused"
        else:
            assert not self.same or found == self.expected, "other values"
            outcome = "read"
        assert time.process_time() - begin < SLOW, "slow"
        return outcome


def main():
    warnings.simplefilter("ignore")
    first, _, last = (sys.argv[1] if len(sys.argv) > 1 else "200").rpartition(":")
    seeds = range(int(first or 0), int(last))
    failed = 0
    print("| file | read | refused | wrong | processor seconds |\n|---|---|---|---|---|")  # noqa: T201
    for name in sys.argv[2:] or FILES:
        outcomes, begin = Counter(), time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            try:
                kept = Kept(name, folder)
            except ImportError as error:
                print(f"| {name} | {error} |")  # noqa: T201
                continue
            for seed in seeds:
                try:
                    outcomes[kept.tried(random.Random(seed))] += 1
                except Exception as error:  # noqa: BLE001
                    outcomes["wrong"] += 1
                    if outcomes["wrong"] <= 3:
                        print(f"seed {seed}: {type(error).__name__}: {error}")  # noqa: T201
        failed += outcomes["wrong"]
        cells = [name, outcomes["read"], outcomes["refused"], outcomes["wrong"]]
        cells.append(f"{time.process_time() - begin:.0f}")
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)  # noqa: T201
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
