"""A search for neighbours as a value, checked once for all functions that search."""

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

# All methods return the same bits; tests choose "bounds" and "batches".
_METHOD = "auto"


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
    pivots, kept
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
    kept: "_core.SearchIndex | None" = None

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
        found = self._search(count, None)
        for name in ("indices", "distances"):
            found[name] = found[name].reshape(len(self.X), count)
        del found["offsets"]
        return NearestResult._make(**found)

    def within(self, radius: object) -> WithinResult:
        """Find the trees within the radius."""
        value = as_float(radius)
        # Written so that NaN fails too.
        if not value >= 0:
            refuse("radius", self.function, "a float in the range [0.0, inf]", shown(radius))
        return WithinResult._make(**self._search(None, value))

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

    def _search(self, k: int | None, radius: float | None) -> dict[str, Any]:
        X, Y, threads = self.X, self.Y, self.threads
        with reporter(self.progress, self.function, "trees") as report:
            codes, table = self.costs._resolve(X, Y)
            offsets, indices, distances, computed = _core.neighbors(
                (X._core_set(threads), None if Y is None else Y._core_set(threads)),
                (codes, table),
                (k, radius, self.norm),
                (self.pivots, self.kept, _METHOD),
                (threads, report),
            )
        symmetric = table is None or table.is_symmetric()
        pairs = len(X) * max(self.candidates, 0)
        return {
            "offsets": offsets,
            "indices": indices,
            "distances": distances,
            "computed": computed,
            # The number of all distances: inside one set, one distance serves two trees.
            "_pairs": pairs // 2 if Y is None and symmetric else pairs,
            "_candidates": len(X if Y is None else Y),
            "_inside": Y is None,
        }
