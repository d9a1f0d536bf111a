"""A join: all pairs of trees within a radius, in chunks, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np

from treemetric import _core
from treemetric._base.typing import FloatArray, IntArray, Label, OffsetArray
from treemetric.costs import Costs
from treemetric.costs.base import Resolved
from treemetric.matrix.progress import PairProgress, Report
from treemetric.neighbors import request as settings
from treemetric.neighbors.bands import Bands, cells, reach
from treemetric.neighbors.pairs import CHUNK, PairChunk, picked
from treemetric.treeset import TreeSet, take_arrays

# Trees of a band: two bands have at most a million pairs, 32 bytes each during a search.
BAND = 1024


class Part(NamedTuple):
    """Some trees of a set: their positions, and their arrays with the codes of the whole set."""

    positions: OffsetArray
    arrays: tuple[IntArray, IntArray, OffsetArray]

    @classmethod
    def whole(cls, trees: TreeSet) -> Self:
        """Return all trees of a set."""
        return cls(np.arange(len(trees), dtype=np.int64), trees._arrays)

    def take(self, chosen: OffsetArray) -> Part:
        """Return some of the trees."""
        return Part(self.positions[chosen], take_arrays(self.arrays, chosen))


class Join:
    """The rules of a join, without the trees; it can be sent to other processes.

    All parts of the trees use one table of costs, because the grid that costs are rounded to must
    not depend on the part.

    Parameters
    ----------
    alphabets
        The labels of X and of Y; None for Y inside one set.
    costs
        The costs.
    radius
        The largest distance.
    norm
        What distances are divided by.
    once
        Whether each pair inside one set appears once, with source < target.

    Attributes
    ----------
    method
        How the last `stream` found its pairs; None before its first chunk.
    """

    method: str | None = None

    def __init__(
        self,
        alphabets: tuple[tuple[Label, ...], tuple[Label, ...] | None],
        costs: Costs,
        radius: float,
        norm: str | None,
        *,
        once: bool,
    ) -> None:
        first, second = alphabets
        self.alphabets = alphabets
        self.costs = costs._frozen(first, first if second is None else second)
        self.radius, self.norm, self.once = radius, norm, once
        self._resolved = self._resolve()

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_resolved", "method")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._resolved = self._resolve()

    def _resolve(self) -> Resolved:
        first, second = self.alphabets
        X = _without_trees(first)
        return self.costs._resolve(X, None if second is None else _without_trees(second))

    @property
    def inside(self) -> bool:
        """Whether the join is inside one set."""
        return self.alphabets[1] is None

    @property
    def triangle(self) -> bool:
        """Whether one distance serves both directions of a pair."""
        table = self._resolved[1]
        return self.inside and (table is None or table.is_symmetric())

    @property
    def window(self) -> float:
        """The largest difference in size of two near trees."""
        if self.norm is not None:
            return float("inf")
        first, second = self.alphabets
        gap = self.costs._least_gap(first, first if second is None else second)
        return reach(self.radius, gap)

    def stream(
        self, rows: Part, columns: Part | None, threads: int, report: Report
    ) -> Iterator[PairChunk]:
        """Yield the pairs from some trees to others, or inside `rows` if there are no others.

        The order of the pairs depends on nothing but the trees and the rules. They come from the
        join of the core, or from bands of trees of similar size if all pairs in batches are faster.
        """
        indexed = self._indexed(rows, columns, threads)
        self.method = "batches" if indexed is None else indexed.method
        if indexed is not None:
            yield from self._by_index(indexed, (rows, columns or rows), threads, report)
        else:
            yield from self._by_bands(rows, columns, threads, report)

    def _indexed(self, rows: Part, columns: Part | None, threads: int) -> _core.Join | None:
        """Prepare the join of the core; None if all pairs in batches are faster."""
        codes, table = self._codes
        if columns is None:
            codes = (codes[0], None)
        sides = [
            (part.arrays, of_labels, None)
            for part, of_labels in zip((rows, columns), codes, strict=True)
            if part is not None
        ]
        both = (sides[0], sides[1] if len(sides) > 1 else None)
        return settings.prepare_join(both, table, (self.radius, self.norm), threads)

    def _by_index(
        self, join: _core.Join, sides: tuple[Part, Part], threads: int, report: Report
    ) -> Iterator[PairChunk]:
        """Yield the pairs of a join of the core."""
        rows, columns = sides
        # One distance may serve two directions.
        most = max(CHUNK // 2, 1) if self.triangle and not self.once else CHUNK
        progress = PairProgress(len(rows.positions) * len(columns.positions), report)
        while True:
            inner = _inside(progress, progress.total)
            source, target, distance = join.chunk(most, (threads, inner))
            if not len(source):
                break
            found = PairChunk(rows.positions[source], columns.positions[target], distance)
            for pairs in self._directed(found, diagonal=False):
                yield from _cut(pairs)
        progress.add(progress.total)

    def _by_bands(
        self, rows: Part, columns: Part | None, threads: int, report: Report
    ) -> Iterator[PairChunk]:
        """Yield the pairs of all bands of similar sizes, in batches."""
        bands = Bands.of(np.diff(rows.arrays[2]), BAND)
        others = bands if columns is None else Bands.of(np.diff(columns.arrays[2]), BAND)
        triangle = columns is None and self.triangle
        planned = list(cells(bands, others, self.window, triangle=triangle))
        weights = [bands.count(i) * others.count(j) for i, j in planned]
        progress = PairProgress(sum(weights), report)
        progress.add(0)
        kept = (-1, rows)
        for (i, j), weight in zip(planned, weights, strict=True):
            if kept[0] != i:
                kept = (i, rows.take(bands.positions(i)))
            inner = columns is None and i == j
            other = None if inner else (columns or rows).take(others.positions(j))
            found = self._cell(kept[1], other, threads, _inside(progress, weight))
            for pairs in self._directed(found, diagonal=inner):
                yield from _cut(pairs)
            progress.add(weight)

    def paired(self, rows: Part, columns: Part, threads: int) -> FloatArray:
        """Compute the distances from each tree of a part to that of another at the same place."""
        trees = tuple(_core.PreparedSet(*part.arrays, None, threads) for part in (rows, columns))
        found: FloatArray = np.empty(len(rows.positions))
        _core.paired((trees[0], trees[1]), self._codes, found, (None, self.norm), (threads, None))
        return found

    @property
    def _codes(self) -> Resolved:
        """The codes of the labels and their costs, for two parts of the trees."""
        codes, table = self._resolved
        return ((codes[0], codes[0]) if self.inside else codes), table

    def _cell(self, rows: Part, columns: Part | None, threads: int, report: Report) -> PairChunk:
        """Find the pairs of two bands, or of one band."""
        sources = _core.PreparedSet(*rows.arrays, None, threads)
        targets = None if columns is None else _core.PreparedSet(*columns.arrays, None, threads)
        offsets, indices, distances, _ = _core.neighbors(
            (sources, targets),
            self._codes,
            (None, self.radius, self.norm),
            (None, None, settings.search_method()),
            (threads, report),
        )
        owners = np.repeat(rows.positions, np.diff(offsets))
        return PairChunk(owners, (columns or rows).positions[indices], distances)

    def _directed(self, found: PairChunk, *, diagonal: bool) -> Iterator[PairChunk]:
        """Yield the pairs of a cell in the directions that the caller asked for."""
        source, target, distance = found
        if not self.inside:
            yield found
        elif diagonal or not self.triangle:
            # A band with itself, and costs that are not symmetric, have both directions.
            yield picked(found, source < target) if self.once else found
        elif self.once:
            yield PairChunk(np.minimum(source, target), np.maximum(source, target), distance)
        else:
            yield found
            yield PairChunk(target, source, distance)


def _without_trees(alphabet: tuple[Label, ...]) -> TreeSet:
    """Return a set that has an alphabet but no trees, which is all that costs look at."""
    nothing = np.empty(0, dtype=np.int32)
    trees = TreeSet.__new__(TreeSet)
    trees._set(alphabet, (nothing, nothing, np.zeros(1, dtype=np.int64)), None, None)
    return trees


def _inside(progress: PairProgress, weight: int) -> Report:
    """Return the callback of one cell, which the core calls with numbers of trees."""
    report = progress.inside()
    if report is None:
        return None
    return lambda part, total: report(part * weight // max(total, 1), weight)


def _cut(found: PairChunk) -> Iterator[PairChunk]:
    """Cut pairs into chunks that are not larger than promised."""
    for start in range(0, len(found.source), CHUNK):
        yield picked(found, slice(start, start + CHUNK))
