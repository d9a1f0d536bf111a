"""Sentiment: sizes and grids, the three splits of the trees, and the vectors of the words."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric._base.typing import Path as PathLike
from treemetric._base.validation import refuse, shown
from treemetric.costs import VectorCosts
from treemetric.costs.vector_files import read_vectors
from treemetric.datasets import load_jsonl, load_ptb
from treemetric.treeset import TreeSet

Indices = npt.NDArray[np.int64]
Splits = dict[str, tuple[TreeSet, Indices]]
Coverage = dict[str, float]

SPLITS = ("train", "dev", "test")
ALL = "all"  # instead of a split: one file holds all trees


class Plan(NamedTuple):
    """Sizes and grids of a run; the development split decides between them."""

    trees: tuple[int | None, int | None, int | None]  # the most trees of each split
    n_candidates: int  # trees per class from which prototypes are chosen
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


def data_files(data: PathLike) -> dict[str, Path]:
    """Return the file of all trees, or the treebank file of each split."""
    path = Path(data)
    if not path.is_dir():
        return {ALL: path}
    if (path / "trees.jsonl").exists():
        return {ALL: path / "trees.jsonl"}
    names = sorted(file.name for file in path.iterdir() if file.is_file())
    found = {}
    for split in SPLITS:
        some = [name for name in names if name.lower().startswith(split)]
        if len(some) > 1:
            message = (
                f"{path} must have one file that begins with {split!r}. Got {shown(some)} instead."
            )
            raise ValueError(message)
        if some:
            found[split] = path / some[0]
    missing = [split for split in SPLITS if split not in found]
    if missing:
        message = (
            f"{path} has neither a file trees.jsonl nor a treebank file for each split: no name "
            f"begins with {' or '.join(map(repr, missing))}"
        )
        raise FileNotFoundError(message)
    return found


def load_splits(data: PathLike, plan: Plan, seed: int) -> Splits:
    """Load the trees and classes of the three splits, limited to the sizes of the plan."""
    files = data_files(data)
    splits, classes = _from_jsonl(files[ALL]) if ALL in files else _from_treebank(files)
    random = np.random.RandomState(seed)
    for (name, (trees, target)), most in zip(splits.items(), plan.trees, strict=True):
        if most is not None and len(trees) > most:
            places = np.sort(random.permutation(len(trees))[:most])
            splits[name] = trees[places], target[places]
    if len(np.unique(splits["train"][1])) < classes:
        message = f"The training trees of {data} lack a class."
        raise ValueError(message)
    return splits


def _from_jsonl(path: Path) -> tuple[Splits, int]:
    """Load the splits that a field of the trees names, and the number of classes."""
    bunch = load_jsonl(path, fields=["split"])
    if bunch.target is None:
        message = f"The trees of {path} have no classes."
        raise ValueError(message)
    where = np.array(bunch.fields["split"], dtype=object)
    found = {}
    for name in SPLITS:
        places = np.flatnonzero(where == name)
        if not len(places):
            message = f"No tree of {path} has {name!r} in its field 'split'."
            raise ValueError(message)
        found[name] = bunch.data[places], bunch.target[places]
    return found, len(bunch.target_names)


def _from_treebank(files: dict[str, Path]) -> tuple[Splits, int]:
    """Load sentences that are not neutral from one file for each split."""
    bunches = {name: load_ptb(files[name], kind="sentiment", n_classes=2) for name in SPLITS}
    names = sorted({name for bunch in bunches.values() for name in bunch.target_names})
    found = {}
    for split, bunch in bunches.items():
        if not len(bunch.data):
            message = f"No tree of {files[split]} has a class: all are neutral, or there are none."
            raise ValueError(message)
        codes = np.array([names.index(name) for name in bunch.target_names], dtype=np.int64)
        found[split] = bunch.data, codes[bunch.target]
    return found, len(names)


def load_costs(vectors: PathLike, kind: str) -> VectorCosts:
    """Load the vectors of the words as costs without a projection."""
    words, points = read_vectors(vectors, "vectors", "run_sentiment")
    if points.dtype.kind != "f":
        points = points.astype(np.float64)
    elif points.dtype == np.float16:
        points = points.astype(np.float32)
    # Only proportions matter; a mean square of 1 gives the regularisation a fixed meaning.
    # First a power of two, so that nothing overflows or underflows.
    largest = max(float(points.max(initial=0.0)), -float(points.min(initial=0.0)))
    scaled = np.ldexp(points, -int(np.frexp(largest)[1])).astype(np.float32)
    scale = float(np.sqrt(np.mean(np.einsum("uv,uv->u", scaled, scaled, dtype=np.float64))))
    scaled /= scale or 1.0
    return VectorCosts(words, scaled, kind=kind)


def coverage(splits: Splits, costs: VectorCosts) -> Coverage:
    """Count the words, the labels of leaves, with a vector; refuse splits without any.

    A zero vector does not count.
    """
    rows = np.flatnonzero(costs.vectors.any(axis=1)).tolist()
    known = {costs.alphabet[row] for row in rows}
    words: set[Any] = set()
    tokens = covered = 0
    for name, (trees, _) in splits.items():
        has = np.array([label in known for label in trees.alphabet], dtype=bool)
        if not has[trees.codes].any():
            # Both vocabularies show what is wrong: capitals, another language, bytes.
            mine, theirs = shown(list(trees.alphabet)), shown(list(costs.alphabet))
            got = f"words {theirs} for labels {mine} of the {name} trees"
            refuse("vectors", "run_sentiment", "a file with vectors for words of the trees", got)
        leaves = trees.codes[_leaves(trees)]
        words.update(trees.alphabet[code] for code in np.unique(leaves).tolist())
        tokens += len(leaves)
        covered += int(has[leaves].sum())
    with_vector = len(words & known)
    return {
        "distinct_words": len(words),
        "distinct_words_with_vector": with_vector,
        "share_of_distinct_words": with_vector / max(1, len(words)),
        "tokens": tokens,
        "tokens_with_vector": covered,
        "share_of_tokens": covered / max(1, tokens),
    }


def _leaves(trees: TreeSet) -> Indices:
    """Return the positions of the nodes without children."""
    starts = np.repeat(trees.offsets[:-1], trees.sizes)
    below = trees.parents >= 0
    inner = np.zeros(len(trees.codes), dtype=bool)
    inner[(trees.parents + starts)[below]] = True
    return np.flatnonzero(~inner)
