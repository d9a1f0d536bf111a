"""Time of all kernels of this machine, in one run: a process for each, limited by TREEMETRIC_SIMD.

    python benches/simd.py [--smoke]

The processes take turns, and the least processor time of each counts. All results are compared,
bit for bit. The table has ratios to AVX2, or to the best kernel of other machines.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time

import numpy as np
from measure import race

import treemetric as tm
from treemetric import _core
from treemetric.datasets import make_random_trees


def workloads(*, smoke: bool) -> dict[str, tuple[tm.TreeSet, tm.CostMatrix | None]]:
    """Return sets of trees with their costs."""
    table = tm.CostMatrix("abcdef", np.sqrt(np.arange(49).reshape(7, 7) % 48))
    count = 3 if smoke else 40

    def trees(count: int, nodes: int) -> tm.TreeSet:
        return make_random_trees(count, n_nodes=nodes, alphabet="abcdef", random_state=nodes).data

    return {
        "trees of 10 nodes": (trees(10 * count, 10), None),
        "trees of 30 nodes": (trees(2 * count, 30), None),
        "trees of 100 nodes": (trees(count, 100), None),
        "trees of 1,000 nodes (words)": (trees(3, 50 if smoke else 1000), None),
        "float table, trees of 30 nodes": (trees(2 * count, 30), table),
        "float table, trees of 100 nodes": (trees(count, 100), table),
    }


def measure(*, smoke: bool) -> dict[str, tuple[float, str]]:
    """Return seconds and a digest of the distances of each workload, with the kernel in use."""
    found = {}
    for name, (trees, costs) in workloads(smoke=smoke).items():
        distances = tm.pairwise_distances(trees, costs=costs, n_jobs=1)

        def call(trees: tm.TreeSet = trees, costs: tm.CostMatrix | None = costs) -> None:
            tm.pairwise_distances(trees, costs=costs, n_jobs=1)

        seconds = race({name: call}, 0.001 if smoke else 0.4, timer=time.process_time)[name]
        found[name] = (seconds, hashlib.sha256(distances.tobytes()).hexdigest())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    parser.add_argument("--measure", action="store_true", help="measure the kernel in use")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(smoke=options.smoke)))
        return
    kernels = _core.instructions()[0]
    command = [sys.executable, __file__, "--measure", *(["--smoke"] if options.smoke else [])]
    best: dict[str, dict[str, float]] = {kernel: {} for kernel in kernels}
    digests: dict[str, set[str]] = {}
    for _ in range(1 if options.smoke else 3):
        for kernel in kernels:
            env = {**os.environ, "TREEMETRIC_SIMD": kernel}
            done = subprocess.run(command, env=env, stdout=subprocess.PIPE, check=True)
            for name, (seconds, digest) in json.loads(done.stdout).items():
                best[kernel][name] = min(seconds, best[kernel].get(name, seconds))
                digests.setdefault(name, set()).add(digest)
    assert all(len(found) == 1 for found in digests.values())
    base = "avx2" if "avx2" in kernels else kernels[0]
    print(f"| all pairs | {base}, ms | {' | '.join(kernels)} |")
    print(f"|---|---:|{'---:|' * len(kernels)}")
    for name in digests:
        one = best[base][name]
        ratios = (f"{best[kernel][name] / one:.2f}" for kernel in kernels)
        print(f"| {name} | {one * 1e3:.2f} | {' | '.join(ratios)} |")


if __name__ == "__main__":
    main()
