"""Sentiment: sizes and grids, the three splits of the trees, and the vectors of the words."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._typing import Path as PathLike
from treemetric._validation import refuse, shown
from treemetric.costs import VectorCosts
from treemetric.datasets import load_jsonl
from treemetric.treeset import TreeSet

Indices = npt.NDArray[np.int64]
Splits = dict[str, tuple[TreeSet, Indices]]

SPLITS = ("train", "dev", "test")


class Plan(NamedTuple):
    """Sizes and grids of a run. All choices among them are made on the development split."""

    trees: tuple[int | None, int | None, int | None]  # at most so many trees of each split
    n_candidates: int  # trees of each class among which prototypes are chosen
    max_iter: int
    max_inner_iter: int
    learn: tuple[dict[str, Any], ...]  # how to learn
    n_prototypes: tuple[int, ...]  # of median GLVQ
    n_neighbors: tuple[int, ...]


FULL = Plan(
    trees=(None, None, None),
    n_candidates=100,
    max_iter=8,
    max_inner_iter=20,
    learn=({"n_prototypes": 5}, {"n_prototypes": 15}),
    n_prototypes=(1, 2, 5, 10, 15),
    n_neighbors=(1, 3, 5, 9, 15, 25, 41, 61, 101),
)
QUICK = Plan(
    trees=(600, 200, 300),
    n_candidates=30,
    max_iter=5,
    max_inner_iter=20,
    learn=({"n_prototypes": 5},),
    n_prototypes=(1, 2, 5),
    n_neighbors=(5, 15, 25, 41),
)


def load_splits(data: PathLike, plan: Plan, seed: int) -> Splits:
    """Load the trees and classes of the three splits, of each at most as many as planned."""
    path = trees_file(data)
    bunch = load_jsonl(path, fields=["split"])
    if bunch.target is None:
        message = f"The trees of {path} have no classes."
        raise ValueError(message)
    where = np.array(bunch.fields["split"], dtype=object)
    random = np.random.RandomState(seed)
    found = {}
    for name, most in zip(SPLITS, plan.trees, strict=True):
        places = np.flatnonzero(where == name)
        if not len(places):
            message = f"No tree of {path} has {name!r} in its field 'split'."
            raise ValueError(message)
        if most is not None and len(places) > most:
            places = np.sort(random.permutation(places)[:most])
        found[name] = bunch.data[places], bunch.target[places]
    if len(np.unique(found["train"][1])) < len(bunch.target_names):
        message = f"The training trees of {path} lack a class."
        raise ValueError(message)
    return found


def load_costs(vectors: PathLike, kind: str) -> VectorCosts:
    """Load the vectors of the words as costs without a projection."""
    with np.load(vectors, allow_pickle=False) as arrays:
        missing = {"words", "vectors"} - set(arrays.files)
        if missing:
            got = f"the arrays {shown(arrays.files)}"
            refuse("vectors", "run_sentiment", "a file with 'words' and 'vectors'", got)
        words, points = arrays["words"], arrays["vectors"]
    if points.ndim != 2 or points.dtype.kind != "f" or len(points) != len(words):
        must = "a file with a word for each row of the matrix 'vectors'"
        got = f"{len(words)} words and an array of shape {points.shape} and type {points.dtype}"
        refuse("vectors", "run_sentiment", must, got)
    scaled = points.astype(np.float32)
    # Proportions matter, not lengths; with a mean square of 1 the regularisation has a meaning.
    scale = float(np.sqrt(np.mean(np.einsum("uv,uv->u", scaled, scaled, dtype=np.float64))))
    scaled /= scale or 1.0
    return VectorCosts(map(str, words), scaled, kind=kind)


def trees_file(data: PathLike) -> Path:
    """Give the file of the trees."""
    path = Path(data)
    return path / "trees.jsonl" if path.is_dir() else path
