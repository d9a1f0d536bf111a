"""Microseconds per pair: `paired_distances` beside Python loops of `distance`.

    python benches/paired.py [--smoke]

"loop" compares the trees of two lists, which keep their preparation from run to run; "loop over
sets" takes the trees out of two sets; "lists" and "sets" are `paired_distances` of the same.
The results are compared before anything is timed.
"""

import argparse
import time

from measure import race

import treemetric as tm
from treemetric.datasets import make_random_trees


def loop(X: list[tm.Tree] | tm.TreeSet, Y: list[tm.Tree] | tm.TreeSet) -> list[float]:
    return [tm.distance(x, y) for x, y in zip(X, Y, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="only check that everything runs")
    smoke = parser.parse_args().smoke
    budget, count = (0.001, 10) if smoke else (1.0, 1000)
    names = ("loop", "loop over sets", "lists", "sets", "sets, 2 threads")
    print(f"{count} pairs, microseconds per pair\n")
    print(f"| nodes | {' | '.join(names)} |\n|---|---|---|---|---|---|")
    for size in (5,) if smoke else (5, 10, 20, 50, 100):
        sets = [
            make_random_trees(count, n_nodes=size, alphabet="abcdef", random_state=seed).data
            for seed in (0, 1)
        ]
        lists = [list(trees) for trees in sets]
        calls = {
            "loop": lambda lists=lists: loop(*lists),
            "loop over sets": lambda sets=sets: loop(*sets),
            "lists": lambda lists=lists: tm.paired_distances(*lists),
            "sets": lambda sets=sets: tm.paired_distances(*sets),
        }
        expected = calls["loop"]()
        assert all(list(call()) == expected for call in calls.values())
        times = race(calls, budget, timer=time.process_time)
        two = {names[-1]: lambda sets=sets: tm.paired_distances(*sets, n_jobs=2)}
        times |= race(two, budget)
        cells = (f"{times[name] / count * 1e6:.2f}" for name in names)
        print(f"| {size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
