"""All distances of trees whose labels have vectors, in float32: time, rate and peak memory.

    python benches/vectors.py                                   2,000 generated trees; a record
    python benches/vectors.py --data FOLDER --vectors V.npz     all trees of FOLDER/trees.jsonl
    python benches/vectors.py --smoke                           a few seconds; no record

Generated trees are similar to parse trees: inner nodes have two children and no vector, leaves are
words with the frequencies of Zipf's law and random vectors of 64 numbers. The file of vectors has
the arrays `words` and `vectors`. A sample of entries is compared with `distance`.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from pathlib import Path

import numpy as np
from measure import peak_memory
from report import Report

import treemetric as tm
from treemetric.datasets import load_jsonl

FOLDER = Path(__file__).parent / "record"
KINDS = ("cosine", "chord", "angle", "euclidean")


def generated(count: int, words: int = 15_000) -> tuple[tm.TreeSet, tm.VectorCosts]:
    """Return trees of about 38 nodes, like the sentences of Sentiment, and costs."""
    draw = np.random.RandomState(0)
    shares = 1.0 / np.arange(1, words + 1)
    trees = []
    for _ in range(count):
        leaves = draw.choice(words, 1 + draw.poisson(18.3), p=shares / shares.sum())
        parts: list[object] = [f"w{word}" for word in leaves]
        while len(parts) > 1:
            k = draw.randint(len(parts) - 1)
            parts[k : k + 2] = [("*", parts[k : k + 2])]
        trees.append(tm.Tree.from_nested(parts[0]))
    vectors = draw.standard_normal((words, 64)).astype(np.float32)
    return tm.TreeSet(trees), tm.VectorCosts([f"w{word}" for word in range(words)], vectors)


def loaded(data: Path, vectors: Path) -> tuple[tm.TreeSet, tm.VectorCosts]:
    """Return the trees of a folder or file, and the costs of a file of vectors."""
    trees = load_jsonl(data / "trees.jsonl" if data.is_dir() else data).data
    with np.load(vectors, allow_pickle=False) as arrays:
        return trees, tm.VectorCosts(map(str, arrays["words"]), arrays["vectors"].astype("f4"))


def verify(trees: tm.TreeSet, costs: tm.VectorCosts, D: np.ndarray, sample: int) -> None:
    """Compare entries with single distances, and check symmetry and the diagonal."""
    rng = random.Random(1)
    for _ in range(sample):
        i, j = rng.randrange(len(trees)), rng.randrange(len(trees))
        assert D[i, j] == D[j, i] == np.float32(tm.distance(trees[i], trees[j], costs=costs))
    assert not np.diagonal(D).any()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with trees.jsonl, or a .jsonl file")
    parser.add_argument("--vectors", type=Path, metavar="V.npz")
    parser.add_argument(
        "--trees", type=int, help="number of trees (default: 2,000, or all of --data)"
    )
    parser.add_argument("--kind", choices=KINDS, default="cosine")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    if (arguments.data is None) != (arguments.vectors is None):
        parser.error("--data and --vectors go together")
    if arguments.data is None:
        count = 60 if arguments.smoke else arguments.trees or 2_000
        trees, costs = generated(count, 200 if arguments.smoke else 15_000)
    else:
        trees, costs = loaded(arguments.data, arguments.vectors)
        trees = trees[: 60 if arguments.smoke else arguments.trees]
    costs = tm.VectorCosts(costs.alphabet, costs.vectors, kind=arguments.kind)
    start, processor = time.perf_counter(), time.process_time()
    D, peak = peak_memory(
        lambda: tm.pairwise_distances(trees, costs=costs, dtype="float32", n_jobs=arguments.jobs)
    )
    seconds, busy = time.perf_counter() - start, time.process_time() - processor
    sample = 200 if arguments.smoke else 5_000
    verify(trees, costs, D, sample)
    n, pairs = len(trees), len(trees) * (len(trees) - 1) // 2
    source = "generated trees" if arguments.data is None else f"trees of {arguments.data.name}"
    added = "unknown" if peak is None else f"{peak / 2**20:.0f} MiB"
    report = Report(f"treemetric {tm.__version__}, numpy {np.__version__}")
    lines = [
        f"# {n} x {n} distances under vector costs",
        "",
        f"{report.cpu}; {report.versions}.",
        "",
        f"{n} {source}, {trees.sizes.sum()} nodes, {trees.sizes.mean():.0f} on average; "
        f"{len(costs.alphabet)} vectors of {costs.vectors.shape[1]} float32 numbers, kind "
        f"{arguments.kind}; {arguments.jobs} threads.",
        "",
        f"- {seconds:.1f} s of wall time, {busy:.1f} s of processor time.",
        f"- {pairs} pairs, {pairs / seconds:.0f} pairs per second.",
        f"- Peak memory added: {added}, including {D.nbytes / 2**20:.0f} MiB for the matrix in "
        "float32.",
        f"- Verified: {sample} random entries and their mirror entries against `distance`, the "
        f"diagonal. Mean distance {float(D.mean(dtype=np.float64)):.3f}.",
    ]
    print("\n".join(lines))
    if not arguments.smoke:
        FOLDER.mkdir(exist_ok=True)
        slug = re.sub(r"[^a-z0-9]+", "-", report.cpu.lower()).strip("-")
        record = FOLDER / f"{report.date}-{slug}-vectors-{n}.md"
        record.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(record)


if __name__ == "__main__":
    main()
