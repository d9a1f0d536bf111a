"""Test an installed treemetric with NumPy alone: the results are the same bits on every machine.

python .ci/smoke.py
"""

import hashlib
import sys
from random import Random
from typing import Any

import numpy as np

import treemetric as tm

# Of all results below, computed by the portable kernels on x86-64.
DIGEST = "234d50df1f8add038dd80343075ceda0834c7e8b909ea6c8842f8ebc2edc637c"


def random_tree(rng: Random, size: int) -> tm.Tree:
    """Return a tree in which each node hangs below a random node of the right-most path."""
    parents: list[int] = []
    path: list[int] = []
    for node in range(size):
        path = path[: rng.randint(1 if node else 0, max(1, len(path)))]
        parents.append(path[-1] if path else -1)
        path.append(node)
    return tm.Tree.from_parents([rng.choice("abc") for _ in parents], parents)


def results() -> list[np.ndarray[Any, Any]]:
    """Return distances in lanes of every width, with and without cutoff, neighbours, alignments."""
    rng = Random(17)
    trees = [random_tree(rng, rng.randint(1, 60)) for _ in range(20)]
    large = [random_tree(rng, 200) for _ in range(2)]
    numbers = np.arange(16).reshape(4, 4) % 15
    found: list[np.ndarray[Any, Any]] = []
    for costs in (
        None,  # bytes
        tm.CostMatrix("abc", numbers * 100.0),  # words
        tm.CostMatrix("abc", numbers * 1e5),  # ints
        tm.CostMatrix("abc", np.sqrt(numbers)),  # doubles
    ):
        found += [
            tm.pairwise_distances(trees, costs=costs),
            tm.pairwise_distances(trees, costs=costs, n_jobs=2, cutoff=20.0),
            np.array([tm.distance(*large, costs=costs)]),
            tm.nearest(large, trees, k=3, costs=costs).indices,
            np.array(tm.align(*large, costs=costs).cost),
        ]
    return [*found, tm.unordered_pairwise_distances(trees)]


def digest() -> str:
    """Return a digest of all results, as float64 in the order of the machine x86-64."""
    data = b"".join(np.asarray(array, dtype="<f8").tobytes() for array in results())
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    found = digest()
    if found != DIGEST:
        sys.exit(f"other results than expected: {found}")
    tm.show_versions()
    print("all results are as expected")
