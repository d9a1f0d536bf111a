"""The trees of an index in blocks, so that the time of a change depends on what changes.

A block is a set of trees and the positions of those that are left. New trees are a block of their
own; blocks of similar size become one, so there are few of them, and a tree moves a logarithmic
number of times. What searches prepare belongs to a block, or to all trees, and is made when it is
first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import OffsetArray
from treemetric._base.validation import refuse, shown
from treemetric.costs import Costs, OperationCosts, UnitCosts
from treemetric.neighbors import request as settings
from treemetric.neighbors.request import SearchRequest
from treemetric.treeset import TreeSet, join_sets

if TYPE_CHECKING:
    from treemetric.neighbors.pivots import Pivots

# Neighbours of a block: offsets of rows, positions, distances.
Rows = tuple[OffsetArray, OffsetArray, Any]
Report = Callable[[int, int], object] | None


class Block:
    """Some trees of an index.

    Parameters
    ----------
    trees
        The trees.
    left
        The positions of the trees that were not removed; None for all.
    known
        What searches keep of the trees, in a list of one entry, which blocks share.
    """

    __slots__ = ("_known", "left", "trees")

    def __init__(
        self,
        trees: TreeSet,
        left: OffsetArray | None = None,
        known: list[_core.KnownTrees | None] | None = None,
    ) -> None:
        self.trees, self.left = trees, left
        self._known: list[_core.KnownTrees | None] = [None] if known is None else known

    def __len__(self) -> int:
        return len(self.trees) if self.left is None else len(self.left)

    def without(self, removed: OffsetArray) -> Block:
        """Return the block without some of its trees, given by their places among those left."""
        old = np.arange(len(self.trees)) if self.left is None else self.left
        left = np.delete(old, removed)
        if 2 * len(left) < len(self.trees):
            return Block(join_sets([(self.trees, left)]))
        return Block(self.trees, left, self._known)

    def values(self, name: str) -> Sequence[Any] | None:
        """Return the ids or the classes of the trees that are left."""
        values: tuple[Any, ...] | None = getattr(self.trees, name)
        if values is None or self.left is None:
            return values
        return [values[i] for i in self.left.tolist()]

    def known(self, threads: int) -> _core.KnownTrees:
        """Return what joins keep of the trees."""
        known = self._known[0]
        if known is None:
            known = self._known[0] = _core.KnownTrees(self.trees._arrays, threads)
        return known

    def kept_rows(self, rows: Rows, start: int) -> Rows:
        """Remove trees that are not left from rows, and count positions from `start`."""
        offsets, indices, distances = rows
        if self.left is None:
            return offsets, indices + start, distances
        places = np.full(len(self.trees), -1, dtype=np.int64)
        places[self.left] = np.arange(start, start + len(self.left))
        indices = places[indices]
        stays = indices >= 0
        before = np.concatenate([[0], np.cumsum(stays)])
        return before[offsets], indices[stays], distances[stays]


class Contents:
    """The trees of an index and what was computed of them; a change makes another one.

    Parameters
    ----------
    blocks
        The trees, block after block.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = tuple(block for block in blocks if len(block))
        self._starts = np.cumsum([0, *map(len, self._blocks)])
        self._trees: TreeSet | None = None
        self._values: dict[str, tuple[Any, ...] | None] = {}
        self._index: _core.SearchIndex | None = None
        self._known: _core.KnownTrees | None = None
        # None if they were not chosen yet, else the pivots or nothing.
        self.pivots: tuple[Pivots | None] | None = None

    @classmethod
    def of(cls, trees: TreeSet) -> Self:
        """Return the contents of a new index."""
        contents = cls([Block(trees)])
        contents._trees = trees
        return contents

    def __len__(self) -> int:
        return int(self._starts[-1])

    @property
    def trees(self) -> TreeSet:
        """All trees as one set."""
        if self._trees is None:
            self._trees = join_sets([(block.trees, block.left) for block in self._blocks])
        return self._trees

    def values(self, name: str) -> tuple[Any, ...] | None:
        """Return the ids or the classes of all trees."""
        if self._trees is not None:
            found: tuple[Any, ...] | None = getattr(self._trees, name)
            return found
        if name not in self._values:
            lists = [block.values(name) for block in self._blocks]
            whole = lists and all(values is not None for values in lists)
            flat = (value for values in lists for value in values or ())
            self._values[name] = tuple(flat) if whole else None
        return self._values[name]

    def search_index(self, costs: Costs, threads: int) -> _core.SearchIndex | None:
        """Return what lower bounds need of all trees."""
        if self._index is None and costs._same_for_all_trees:
            codes, table = costs._resolve(self.trees, None)
            trees = self.trees._core_set(threads)
            self._index = _core.SearchIndex(trees, codes[1], table, threads)
        return self._index

    def known(self, costs: Costs, threads: int) -> _core.KnownTrees | None:
        """Return what joins keep of all trees, for searches of the nearest under unit costs."""
        if self._known is None and isinstance(costs, UnitCosts):
            whole = len(self._blocks) == 1 and self._blocks[0].trees is self.trees
            made = self._blocks[0].known(threads) if whole else None
            self._known = made or _core.KnownTrees(self.trees._arrays, threads)
        return self._known

    def added(self, trees: TreeSet) -> Contents:
        """Return the contents with more trees at the end."""
        blocks = [*self._blocks, Block(trees)]
        while len(blocks) > 1 and len(blocks[-2].trees.codes) <= 2 * len(blocks[-1].trees.codes):
            last = [(block.trees, block.left) for block in blocks[-2:]]
            blocks[-2:] = [Block(join_sets(last))]
        return Contents(blocks)

    def removed(self, positions: OffsetArray) -> Contents:
        """Return the contents without the trees at some positions, each given once, ascending."""
        cuts = np.searchsorted(positions, self._starts)
        blocks = []
        for number, block in enumerate(self._blocks):
            here = positions[cuts[number] : cuts[number + 1]] - self._starts[number]
            blocks.append(block.without(here) if len(here) else block)
        return Contents(blocks)

    def within(self, request: SearchRequest, radius: float) -> dict[str, Any] | None:
        """Find the trees near those of the request; None if another way serves these costs."""
        how = settings._METHOD
        by_kind = isinstance(request.costs, (UnitCosts, OperationCosts))
        if not by_kind or radius == float("inf") or how not in ("auto", "scan", "index"):
            return None
        found: list[Rows] = []
        computed, methods = 0, {"scan"}
        with reporter(request.progress, request.function, "trees") as report:
            for number, block in enumerate(self._blocks):
                (codes, _), table = request.costs._resolve(request.X, block.trees)
                answer = block.known(request.threads).within(
                    (request.X._arrays, codes, request.X._prepared),
                    table,  # type: ignore[arg-type]  # a table of operations, or none
                    (radius, request.norm, how),
                    (request.threads, _part(report, number, len(self._blocks))),
                )
                if answer is None:
                    return None
                (*rows, count), method = answer
                found.append(block.kept_rows(tuple(rows), int(self._starts[number])))  # type: ignore[arg-type]
                computed += count
                methods.add(method)
        offsets, indices, distances = _merged(found, len(request.X))
        return {
            "offsets": offsets,
            "indices": indices,
            "distances": distances,
            "computed": computed,
            "method": min(methods),
            "_pairs": len(request.X) * len(self),
            "_candidates": len(self),
            "_inside": False,
            "_ids": (request.X.ids, self.values("ids")),
        }


def _part(report: Report, number: int, count: int) -> Report:
    """Return the callback of one of several searches for the same trees."""
    if report is None or count == 1:
        return report
    return lambda done, total: report((number * total + done) // count, total)


def _merged(found: list[Rows], queries: int) -> Rows:
    """Return the rows of all blocks as one: by distance, then by position."""
    if len(found) == 1:
        return found[0]
    offsets = np.zeros(queries + 1, dtype=np.int64)
    if not found:
        return offsets, np.empty(0, dtype=np.int64), np.empty(0)
    owners = np.concatenate([np.repeat(np.arange(queries), np.diff(rows[0])) for rows in found])
    indices = np.concatenate([rows[1] for rows in found])
    distances = np.concatenate([rows[2] for rows in found])
    order = np.lexsort((indices, distances, owners))
    np.cumsum(np.bincount(owners, minlength=queries), out=offsets[1:])
    return offsets, indices[order], distances[order]


def positions_with_ids(ids: Iterable[Any], contents: Contents) -> OffsetArray:
    """Return the positions of all trees with one of some ids."""
    known = contents.values("ids") if len(contents) else ()
    if known is None:
        refuse("ids", "TreeIndex.remove", "None for trees without ids", shown(ids))
    wanted = dict.fromkeys(ids)
    found = [position for position, name in enumerate(known) if name in wanted]
    met = {known[i] for i in found}
    missing = [name for name in wanted if name not in met]
    if missing:
        refuse("ids", "TreeIndex.remove", "ids of trees of the index", shown(missing[0]))
    return np.array(found, dtype=np.int64)
