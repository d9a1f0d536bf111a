"""TEDS: treemetric and table-recognition-metric alternately, many tables, and a large table.

    python benches/tables.py [--smoke] [--data FOLDER]

One thread per pair, with parsing. FOLDER is the data set teds_pubtabnet with the 21 published
pairs; without it, tables of similar size are generated. Scores are compared before anything is
timed. Without table-recognition-metric there are no ratios.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

from measure import peak_memory, race

from treemetric.metrics import teds, teds_scores

Pairs = list[tuple[str, str]]
PRESET = "table_recognition_metric"
LETTERS = "abcdefghij 0123456789"
FEW_PAIRS = 3


def generated(rng: random.Random, rows: int, columns: int) -> str:
    """Return a page with a table whose cells are all different."""

    def cell() -> str:
        return "".join(rng.choice(LETTERS) for _ in range(rng.randint(3, 14)))

    lines = ("".join(f"<td>{cell()}</td>" for _ in range(columns)) for _ in range(rows))
    inner = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<html><body><table>{inner}</table></body></html>"


def published(data: Path | None, rng: random.Random) -> Pairs:
    """Return the 21 pairs of PubTabNet, or as many generated ones."""
    if data is None:
        return [(generated(rng, 14, 6), generated(rng, 14, 6)) for _ in range(21)]
    lines = (data / "html.jsonl").read_text(encoding="utf-8").splitlines()
    return [(page["pred_html"], page["gt_html"]) for page in map(json.loads, lines)]


def compare(name: str, pairs: Pairs, budget: float) -> None:
    """Print the milliseconds per pair of both implementations."""
    calls = {
        "treemetric": lambda: [teds(pred, true, preset=PRESET) for pred, true in pairs],
        "structure": lambda: [
            teds(pred, true, preset=PRESET, structure_only=True) for pred, true in pairs
        ],
    }
    try:
        from table_recognition_metric import TEDS
    except ImportError:
        pass
    else:
        original = TEDS()
        calls["original"] = lambda: [original(pred, true) for pred, true in pairs]
        for ours, theirs in zip(calls["treemetric"](), calls["original"](), strict=True):
            assert abs(ours - theirs) <= 1e-9
    best = race(calls, budget, timer=time.process_time)
    times = {call: 1e3 * seconds / len(pairs) for call, seconds in best.items()}
    line = f"| {name} | {times['treemetric']:.3f} | {times['structure']:.3f} |"
    if "original" in times:
        line += f" {times['original']:.1f} | {times['original'] / times['treemetric']:.0f} |"
    print(line, flush=True)


def many(pairs: Pairs, count: int) -> None:
    """Print the time of many pairs on one core and on two, and the number of reports."""
    preds, trues = zip(*(pairs[i % len(pairs)] for i in range(count)), strict=True)
    for jobs in (1, 2):
        reports: list[int] = []
        start = time.perf_counter()
        teds_scores(preds, trues, n_jobs=jobs, progress=lambda done, _, r=reports: r.append(done))
        seconds = time.perf_counter() - start
        print(f"{count} pairs, {jobs} threads: {seconds:.1f} s, {len(reports)} reports")


def large(rng: random.Random, rows: int, columns: int) -> None:
    """Print time and memory of a large pair."""
    pair = [generated(rng, rows, columns) for _ in range(2)]
    start = time.process_time()
    _, peak = peak_memory(lambda: teds(*pair))
    seconds = time.process_time() - start
    memory = "unknown" if peak is None else f"{peak / 1e9:.2f} GB"
    print(f"{rows * columns} cells: {seconds:.2f} s of processor time, {memory}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="a few seconds, small tables")
    parser.add_argument("--data", type=Path, help="the folder of the 21 published pairs")
    parser.add_argument(
        "--cells", type=int, default=100, help="rows and columns of the large table"
    )
    arguments = parser.parse_args()
    rng = random.Random(1)
    pairs = published(arguments.data, rng)
    if arguments.smoke:
        pairs = [(generated(rng, 3, 3), generated(rng, 3, 3)) for _ in range(FEW_PAIRS)]
    print("| pairs | treemetric, ms | structure only | original | ratio |")
    print("|---|---|---|---|---|")
    compare(f"{len(pairs)} pairs", pairs, 0.1 if arguments.smoke else 5.0)
    size = (6, 4) if arguments.smoke else (40, 12)
    wide = [(generated(rng, *size), generated(rng, *size))]
    compare(f"{size[0]} x {size[1]} different cells", wide, 0.1 if arguments.smoke else 5.0)
    many(pairs, 50 if arguments.smoke else 10_000)
    large(rng, *((20, 20) if arguments.smoke else (arguments.cells, arguments.cells)))


if __name__ == "__main__":
    main()
