"""A search for neighbours as a value, checked once for all functions that search."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, Progress, Trees
from treemetric._base.validation import as_float, check_n_jobs, check_norm, is_int, refuse, shown
from treemetric.costs import Costs
from treemetric.costs.resolve import check_costs
from treemetric.neighbors.pivots import Pivots
from treemetric.neighbors.results import NearestResult, WithinResult
from treemetric.treeset import TreeSet, check_trees

# All methods return the same bits; tests choose "bounds", "batches", "scan" and "index".
_METHOD = "auto"
# From these numbers of queries and of candidates on, the nearest trees are found level by level.
_LEVEL_QUERIES, LEVEL_CANDIDATES = 16, 1000
# From this number of queries on, searches within a radius compute pairs in batches, and the join
# pays in an index that was built: that has bounds for all trees, and the join looks at them first.
_BATCHED_QUERIES = 8


def check_radius(radius: object, function: str) -> float:
    """Check that a radius is not negative; return it as a float."""
    value = as_float(radius)
    # Written so that NaN fails too.
    if not value >= 0:
        refuse("radius", function, "a float in the range [0.0, inf]", shown(radius))
    return value


def prepare_join(
    sets: tuple[Any, Any], table: object, scale: tuple[float, str | None], threads: int
) -> _core.Join | None:
    """Prepare a join of the core; None if all pairs in batches are faster.

    Costs of labels that are computed when labels meet have no table, and no join.
    """
    if _METHOD not in ("auto", "scan", "index") or scale[0] == float("inf"):
        return None
    if table is not None and not isinstance(table, _core.CostTable):
        return None
    return _core.Join.prepare(sets, table, scale, _METHOD, threads)


def search_method() -> str:
    """Return the method of a search without a join."""
    return _METHOD if _METHOD in ("auto", "bounds", "batches") else "auto"


class SearchRequest(NamedTuple):
    """The trees to search for, the trees to search in, and the costs.

    Attributes
    ----------
    X
        The trees whose neighbours are searched.
    Y
        The candidates; None for X itself.
    costs
        The costs.
    threads
        Number of threads.
    progress
        The user's parameter.
    function
        The function that the user called, for messages.
    norm
        What distances are divided by.
    pivots, kept, known
        What an index has computed for Y.
    """

    X: TreeSet
    Y: TreeSet | None
    costs: Costs
    threads: int
    progress: Progress
    function: str
    norm: str | None = None
    pivots: Pivots | None = None
    kept: _core.SearchIndex | None = None
    known: _core.KnownTrees | None = None

    @classmethod
    def checked(
        cls,
        X: Trees,
        Y: Trees | None,
        costs: CostsLike | None,
        n_jobs: int | None,
        progress: Progress,
        function: str,
        norm: str | None = None,
    ) -> Self:
        """Check the arguments of a search."""
        threads = check_n_jobs(n_jobs, function)
        known = check_costs(costs, function)
        scale = check_norm(norm, function)
        sources = check_trees(X, "X", function)
        targets = None if Y is None else check_trees(Y, "Y", function)
        return cls(sources, targets, known, threads, progress, function, scale)

    @property
    def candidates(self) -> int:
        """Number of possible neighbours of a tree of X."""
        return len(self.X) - 1 if self.Y is None else len(self.Y)

    def nearest(self, k: object) -> NearestResult:
        """Find the k nearest trees."""
        count = self._check_k(k)
        levels = self._levels(count)
        found = self._search(count, None) if levels is None else levels
        for name in ("indices", "distances"):
            found[name] = found[name].reshape(len(self.X), count)
        del found["offsets"]
        return NearestResult._make(**found)

    def within(self, radius: object) -> WithinResult:
        """Find the trees within the radius."""
        value = check_radius(radius, self.function)
        joined = self._join(value)
        found = self._search(None, value) if joined is None else joined
        return WithinResult._make(**found)

    def _check_k(self, k: object) -> int:
        """Check that there are k candidates. With no queries, any k is valid."""
        other = " other" if self.Y is None else ""
        whole = is_int(k)
        most = self.candidates if len(self.X) else float("inf")
        if most == 0 and whole:
            # The range [1, 0] would not show the cause.
            if other:
                refuse(
                    "X", self.function, "a collection of at least 2 trees if Y is None", "1 tree"
                )
            # The candidates of an index are an argument of the index.
            owner = self.function.split(".")[0]
            refuse("Y", owner, "a collection of at least 1 tree", "0 trees")
        if not whole or not 1 <= k <= most:  # type: ignore[operator]
            must = f"an int in the range [1, {most}], the number of{other} trees to choose from"
            refuse("k", self.function, must, shown(k))
        return int(k)  # type: ignore[call-overload, no-any-return]

    def join(self, radius: float) -> _core.Join | None:
        """Prepare the join within a radius; None if all pairs in batches are faster."""
        few = self.kept is not None and len(self.X) < _BATCHED_QUERIES
        if self.pivots is not None or (few and _METHOD == "auto"):
            return None
        codes, table = self.costs._resolve(self.X, self.Y)
        sets = [
            (trees._arrays, of_labels, trees._prepared)
            for trees, of_labels in zip((self.X, self.Y), codes, strict=True)
            if trees is not None
        ]
        both = (sets[0], sets[1] if len(sets) > 1 else None)
        return prepare_join(both, table, (radius, self.norm), self.threads)

    def _join(self, radius: float) -> dict[str, Any] | None:
        with reporter(self.progress, self.function, "trees") as report:
            join = self.join(radius)
            if join is None:
                return None
            offsets, indices, distances, computed = join.rows((self.threads, report))
        _, table = self.costs._resolve(self.X, self.Y)
        found = (offsets, indices, distances, computed)
        return self._values(
            found, symmetric=table is None or table.is_symmetric(), method=join.method
        )

    def _levels(self, k: int) -> dict[str, Any] | None:
        """Find the k nearest trees level by level; None if another search may be faster."""
        least = _LEVEL_QUERIES if self.known is None else 1
        many = len(self.X) >= least and self.candidates >= LEVEL_CANDIDATES
        joins = _METHOD in ("scan", "index") or (_METHOD == "auto" and many)
        if not joins or self.pivots is not None or self.norm is not None:
            return None
        codes, table = self.costs._resolve(self.X, self.Y)
        if table is not None:
            return None
        X, Y, threads = self.X, self.Y, self.threads
        sets = [
            (trees._arrays, of_labels, trees._core_set(threads))
            for trees, of_labels in zip((X, Y), codes, strict=True)
            if trees is not None
        ]
        with reporter(self.progress, self.function, "trees") as report:
            work = (threads, report)
            if Y is not None and self.known is not None and self.kept is not None:
                prepared = (Y._core_set(threads), self.kept)
                found = self.known.nearest(sets[0], prepared, k, work)
            else:
                both = (sets[0], sets[1] if len(sets) > 1 else None)
                found = _core.Join.nearest(both, k, work)
        if found is None:
            return None
        values = self._values(found, symmetric=True, method="levels")
        del values["method"]
        return values

    def _search(self, k: int | None, radius: float | None) -> dict[str, Any]:
        X, Y, threads = self.X, self.Y, self.threads
        with reporter(self.progress, self.function, "trees") as report:
            codes, table = self.costs._resolve(X, Y)
            method = search_method()
            found = _core.neighbors(
                (X._core_set(threads), None if Y is None else Y._core_set(threads)),
                (codes, table),
                (k, radius, self.norm),
                (self.pivots, self.kept, method),
                (threads, report),
            )
        symmetric = table is None or table.is_symmetric()
        if method == "auto":
            all_pairs = radius == float("inf") or len(X) >= _BATCHED_QUERIES
            batched = all_pairs and (self.pivots is None or radius == float("inf"))
            method = "batches" if batched else "bounds"
        values = self._values(found, symmetric=symmetric, method=method)
        if k is not None:
            del values["method"]
        return values

    def _values(self, found: tuple[Any, ...], *, symmetric: bool, method: str) -> dict[str, Any]:
        """Return the attributes of a result."""
        offsets, indices, distances, computed = found
        pairs = len(self.X) * max(self.candidates, 0)
        return {
            "offsets": offsets,
            "indices": indices,
            "distances": distances,
            "computed": computed,
            "method": method,
            # The number of all distances: inside one set, one distance serves two trees.
            "_pairs": pairs // 2 if self.Y is None and symmetric else pairs,
            "_candidates": len(self.X if self.Y is None else self.Y),
            "_inside": self.Y is None,
            "_ids": (self.X.ids, (self.X if self.Y is None else self.Y).ids),
        }
