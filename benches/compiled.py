"""Distances beside compiled programs: one pair of every shape and size, and all pairs of sets.

    python benches/compiled.py [--before FOLDER] [--program NAME=PATH ...] [--shape NAME ...]
                               [--set NAME=FILE.jsonl ...] [--longest SECONDS] [--smoke]

With shapes, only pairs of these are compared, so that a run can be done in parts.

A program is a peer that is not on PyPI, such as the C++ library tree-similarity. It reads lines
`algorithm mode seconds file` from standard input, where the algorithm is `zs` (Zhang-Shasha) or
`apted`, the mode is `pairs` (lines 1 and 2, 3 and 4, ... of the file) or `all` (all pairs), and the
file has a tree in bracket notation on each line. It repeats the work until the given processor
seconds have passed, and answers `sum seconds rounds`: the sum of the distances, and the least
processor seconds of a round. The better algorithm counts. treemetric runs in a process for each
instruction set, edist in a third one; FOLDER contains the package of an earlier build, which runs
beside it. All sums are compared.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import workloads
from report import spell

import treemetric as tm

SHAPES = ("random", "binary", "zigzag", "ast", "left", "right", "star", "table")
SIZES = (30, 100, 300, 1000, 3000)
SIMD = ("avx512", "avx2")
ALGORITHMS = ("zs", "apted")
# Peers compute this many pairs of a set.
SAMPLE = 2_000


def plain(tree: tm.Tree) -> workloads.PlainTree:
    return [str(label) for label in tree.labels], tree.parents.tolist()


def bracket(tree: workloads.PlainTree, names: dict[str, str]) -> str:
    """Write a tree in brackets; labels become short names without brackets."""
    labels, parents = tree
    parts: list[str] = []
    opened: list[int] = []
    for node, (label, parent) in enumerate(zip(labels, parents, strict=True)):
        while opened and opened[-1] != parent:
            opened.pop()
            parts.append("}")
        opened.append(node)
        parts.append("{" + names.setdefault(label, f"l{len(names)}"))
    return "".join(parts) + "}" * len(opened)


def serve() -> None:
    """Answer `engine mode seconds file` with `sum seconds rounds`, as the programs do."""
    for line in sys.stdin:
        engine, mode, seconds, file = line.split()
        trees = [tm.Tree.from_bracket(row) for row in Path(file).read_text().splitlines()]
        if engine == "edist":
            peer = workloads._edist()
            made = [peer.prepare(plain(tree)) for tree in trees]
            call = peer.unit
        else:
            made, call = trees, tm.distance
        pairs = list(
            itertools.combinations(made, 2)
            if mode == "all"
            else zip(made[::2], made[1::2], strict=True)
        )
        whole = tm.TreeSet(trees) if mode == "all" and engine == "treemetric" else None
        best, rounds, start = float("inf"), 0, time.process_time()
        while rounds == 0 or time.process_time() - start < float(seconds):
            begin = time.process_time()
            if whole is not None:
                total = float(tm.pairwise_distances(whole, n_jobs=1).sum()) / 2
            else:
                total = sum(call(x, y) for x, y in pairs)
            best = min(best, time.process_time() - begin)
            rounds += 1
        print(total, best, rounds, flush=True)


class Peer:
    """A program that answers, in a process of its own."""

    def __init__(
        self,
        command: list[str],
        algorithms: tuple[str, ...],
        simd: str | None,
        folder: str | None = None,
    ) -> None:
        environment = dict(os.environ)
        if simd is not None:
            environment["TREEMETRIC_SIMD"] = simd
        if folder is not None:
            environment["PYTHONPATH"] = folder
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.algorithms = algorithms
        self.last: dict[str, tuple[int, float]] = {}

    def best(
        self, mode: str, limits: tuple[float, float], file: str, n: int
    ) -> tuple[float, float] | None:
        """Return the sum of distances and the seconds of the faster algorithm, if affordable.

        The limits are the seconds to repeat the work for, and the seconds that it may take at most.
        """
        seconds, longest = limits
        found = []
        for algorithm in self.algorithms:
            size, took = self.last.get(algorithm, (n, 0.0))
            # Between the cubes of trees and the fourth power of zigzags by Zhang and Shasha.
            if took * (n / size) ** 3.3 > longest:
                continue
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self.process.stdin.write(f"{algorithm} {mode} {seconds} {file}\n")
            self.process.stdin.flush()
            total, took, _ = map(float, self.process.stdout.readline().split())
            self.last[algorithm] = (n, took)
            found.append((took, total))
        return (min(found)[1], min(found)[0]) if found else None


def row(name: str, peers: dict[str, Peer], mode: str, work: dict[str, tuple[str, int]], n: int,
        limits: tuple[float, float]) -> str:  # fmt: skip
    """Return a row of the table: seconds of a pair, and how many times longer the peers take."""
    cells, first, sums = [name], None, {}
    for peer, asked in peers.items():
        file, pairs = work.get(peer, work["*"])
        found = asked.best(mode, limits, file, n)
        if found is None:
            cells.append("")
            continue
        total, took = found[0], found[1] / pairs
        assert sums.setdefault(file, total) == total, (name, peer, sums, total)
        first = first or took
        own = peer.startswith(("treemetric", "before"))
        cells.append(spell(took) if own else f"{took / first:.1f}")
    return "| " + " | ".join(cells) + " |"


def single_pairs(peers: dict[str, Peer], folder: Path, shapes: tuple[str, ...], longest: float, *,
                 smoke: bool) -> None:  # fmt: skip
    for shape in shapes[:2] if smoke else shapes:
        for peer in peers.values():
            peer.last.clear()
        for n in (10,) if smoke else SIZES:
            rng = random.Random(n)
            names: dict[str, str] = {}
            file = folder / f"{shape}-{n}.txt"
            count = 2 * max(1, min(20, 1000 // n))
            trees = [workloads.make_tree(shape, n, rng) for _ in range(count)]
            file.write_text("\n".join(bracket(tree, names) for tree in trees) + "\n")
            work = {"*": (str(file), count // 2)}
            limits = (0 if smoke else 0.5, longest)
            print(row(f"{shape}, {n} nodes", peers, "pairs", work, n, limits), flush=True)


def all_pairs(peers: dict[str, Peer], folder: Path, name: str, trees: list[workloads.PlainTree],
              limits: tuple[float, float]) -> None:  # fmt: skip
    """Compare all pairs: the peers compute those of a random sample of the trees."""
    for peer in peers.values():
        peer.last.clear()
    names: dict[str, str] = {}
    lines = [bracket(tree, names) for tree in trees]
    count = min(len(lines), int((2 * SAMPLE) ** 0.5) + 1)
    sample = random.Random(0).sample(lines, count)
    whole, part = folder / "whole.txt", folder / "part.txt"
    whole.write_text("\n".join(lines) + "\n")
    part.write_text("\n".join(sample) + "\n")
    work = {
        peer: (str(whole), len(lines) * (len(lines) - 1) // 2)
        for peer in peers
        if peer.startswith(("treemetric", "before"))
    }
    work["*"] = (str(part), count * (count - 1) // 2)
    print(row(f"all pairs, {name}", peers, "all", work, 1, limits), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", metavar="FOLDER")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--shape", action="append", choices=SHAPES)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=FILE.jsonl")
    text = "no work is started that is expected to take more processor seconds"
    parser.add_argument("--longest", type=float, default=60.0, help=text)
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--serve", action="store_true")
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return
    me = [sys.executable, __file__, "--serve"]
    peers = {f"treemetric, {simd}": Peer(me, ("treemetric",), simd) for simd in SIMD}
    if arguments.before is not None:
        for simd in SIMD:
            peers[f"before, {simd}"] = Peer(me, ("treemetric",), simd, arguments.before)
    with contextlib.suppress(ImportError):
        workloads._edist()
        peers["edist"] = Peer(me, ("edist",), None)
    for program in arguments.program:
        name, _, path = program.partition("=")
        peers[name] = Peer([path], ALGORITHMS, None)
    smoke = arguments.smoke
    print("| work | " + " | ".join(peers) + " |")
    print("|---" * (len(peers) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        limits = (0 if smoke else 1, arguments.longest)
        shapes = tuple(arguments.shape or SHAPES)
        single_pairs(peers, Path(folder), shapes, arguments.longest, smoke=smoke)
        if arguments.shape:
            return
        functions = workloads.syntax_set(20 if smoke else 1000, 1)
        all_pairs(peers, Path(folder), f"{len(functions)} functions", functions, limits)
        for given in arguments.set:
            name, _, path = given.partition("=")
            rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
            trees = [plain(tm.Tree.from_adjacency(row["nodes"], row["adj"])) for row in rows]
            all_pairs(peers, Path(folder), f"{len(trees)} trees of {name}", trees, limits)


if __name__ == "__main__":
    main()
