"""What generators and loaders share: checks of numbers, classes, and the form of a data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from treemetric._base.validation import check_memory, is_int, refuse, shown
from treemetric.tree import Tree
from treemetric.treeset import TreeSet

_LARGEST = 2**31 - 1  # parts of a tree
# Less than a tree, and a part of it, take.
_TREE_BYTES, _PART_BYTES = 500, 50


def check_range(value: Any, low: int, parameter: str, owner: str) -> tuple[int, int]:
    """Return the smallest and the largest value of an integer or a pair of integers."""
    pair = (value, value) if is_int(value) else value
    well_formed = isinstance(pair, Sequence) and len(pair) == 2 and all(map(is_int, pair))
    if not well_formed or not low <= pair[0] <= pair[1] <= _LARGEST:
        end = f"{_LARGEST}]" if well_formed and pair[1] > _LARGEST else "inf)"
        must = f"an int or a pair (smallest, largest) of ints in the range [{low}, {end}"
        refuse(parameter, owner, must, shown(value))
    return int(pair[0]), int(pair[1])


def check_size(n_samples: int, sizes: tuple[int, int]) -> None:
    """Raise ``MemoryError`` if some trees with that many parts each cannot fit in memory."""
    parts = n_samples * sum(sizes) // 2  # on average
    check_memory(_TREE_BYTES * n_samples + _PART_BYTES * parts, f"a set of {n_samples} trees")


def draw_in(bounds: tuple[int, int], rng: np.random.RandomState) -> int:
    """Draw an integer from a range that includes both ends."""
    return int(rng.randint(bounds[0], bounds[1] + 1))


def draw_classes(n_samples: int, n_classes: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Return classes in random order, whose sizes differ by at most one."""
    return rng.permutation(np.arange(n_samples, dtype=np.int64) % n_classes)


def generated(
    kind: str,
    trees: Iterable[Tree],
    target: NDArray[np.int64],
    target_names: list[str],
    descr: str,
) -> Bunch:
    """Return generated trees as a data set, named by kind and number."""
    names = [f"{kind}_{number}" for number in range(len(target))]
    data = TreeSet(trees, ids=names, classes=[target_names[k] for k in target.tolist()])
    return Bunch(data=data, target=target, target_names=target_names, names=names, DESCR=descr)


def loaded(data: TreeSet, names: list[str], descr: str) -> Bunch:
    """Return loaded trees as a data set; its target is None without classes."""
    target, target_names = None, []
    if data.classes is not None:
        target_names = _in_order(set(data.classes))
        index = {name: k for k, name in enumerate(target_names)}
        target = np.array([index[name] for name in data.classes], dtype=np.int64)
    return Bunch(data=data, target=target, target_names=target_names, names=names, DESCR=descr)


def _in_order(classes: set[Any]) -> list[Any]:
    """Sort classes, even if they cannot be compared."""
    try:
        return sorted(classes)
    except TypeError:
        return sorted(classes, key=lambda name: (type(name).__name__, repr(name)))
