"""Pairs of near trees as arrays, and as data frames of pandas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from treemetric._base.extras import need
from treemetric._base.typing import FloatArray, OffsetArray

# Pairs of a chunk.
CHUNK = 1 << 20
# The names of the trees of both sides, None for a side without names.
Ids = tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]


class PairChunk(NamedTuple):
    """Some pairs of near trees; `iter_within` yields them.

    Attributes
    ----------
    source : ndarray of int64
        The positions of trees of X.
    target : ndarray of int64
        The positions of their neighbours in Y, or in X for a search inside one set.
    distance : ndarray of float64
        The distances from source to target.

    Examples
    --------
    >>> from treemetric import Tree, iter_within
    >>> trees = [Tree.from_sequence(s) for s in ("abc", "abd", "xyz")]
    >>> for chunk in iter_within(trees, radius=1, once=True):
    ...     print(chunk.source, chunk.target, chunk.distance)
    [0] [1] [1.]
    """

    source: OffsetArray
    target: OffsetArray
    distance: FloatArray


def picked(pairs: PairChunk, index: Any) -> PairChunk:
    """Return the pairs at some places: a slice, a mask or positions."""
    return PairChunk(pairs.source[index], pairs.target[index], pairs.distance[index])


def joined(chunks: Sequence[PairChunk]) -> PairChunk:
    """Return the pairs of several chunks as one."""
    return PairChunk(
        np.concatenate([chunk.source for chunk in chunks]),
        np.concatenate([chunk.target for chunk in chunks]),
        np.concatenate([chunk.distance for chunk in chunks]),
    )


def collected(chunks: Iterable[PairChunk], least: int) -> Iterator[PairChunk]:
    """Join small chunks to chunks of at least `least` pairs, except for the last one."""
    waiting: list[PairChunk] = []
    count = 0
    for chunk in chunks:
        waiting.append(chunk)
        count += len(chunk.source)
        if count >= least:
            yield joined(waiting)
            waiting, count = [], 0
    if waiting:
        yield joined(waiting)


def frame_of(pairs: PairChunk, ids: Ids, what: str) -> Any:
    """Return pairs of trees as a data frame, with the names of trees that have names."""
    pandas = need("pandas", "pandas", what)
    columns: dict[str, Any] = pairs._asdict()
    for name, side in zip(("source", "target"), ids, strict=True):
        if side is not None:
            columns[f"{name}_id"] = named(side, columns[name])
    return pandas.DataFrame(columns)


def named(ids: tuple[Any, ...], positions: np.ndarray[Any, Any]) -> list[Any]:
    """Return the names of the trees at some positions."""
    return [ids[i] for i in positions.tolist()]
