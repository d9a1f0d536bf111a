"""All optimal alignments of two trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from treemetric import _core
from treemetric._base.arrays import frozen
from treemetric._base.immutable import Immutable
from treemetric._base.typing import CostsLike, FloatArray
from treemetric._base.validation import check_int, check_memory, check_random_state, check_tol
from treemetric.alignment import Alignment
from treemetric.costs import Costs
from treemetric.costs.resolve import check_pair
from treemetric.tree import Tree

__all__ = ["CoOptimal", "cooptimal"]


class CoOptimal(Immutable):
    """All optimal alignments of two trees; returned by `cooptimal`.

    Iterating yields each alignment once, those with early pairs first.

    Attributes
    ----------
    x, y : Tree
        The trees.
    costs : Costs
        The costs of edits.
    cost : float
        The distance, which is the cost of every optimal alignment.
    count : int
        The number of optimal alignments.
    expectation : ndarray of shape (x.size + 1, y.size + 1)
        The share of optimal alignments that pair node i with node j. The last column holds the
        shares of deletions, the last row the shares of insertions.

    Examples
    --------
    >>> from treemetric import Tree, cooptimal
    >>> all_of_them = cooptimal(Tree.from_sequence("aa"), Tree.from_sequence("a"))
    >>> all_of_them.count
    2
    >>> [alignment.pairs for alignment in all_of_them]
    [((0, 0), (1, None)), ((0, None), (1, 0))]
    >>> all_of_them.expectation
    array([[0.5, 0.5],
           [0.5, 0.5],
           [0. , 0. ]])
    """

    __slots__ = ("_cache", "_call", "_costs", "_solved", "_tol", "_x", "_y")

    _x: Tree
    _y: Tree
    _costs: Costs
    _tol: float | None
    _call: tuple[Any, ...]
    _solved: _core.CoOptimalPair
    _cache: dict[str, Any]

    def __init__(self) -> None:
        message = "co-optimal alignments are made by treemetric.cooptimal"
        raise TypeError(message)

    @classmethod
    def _make(cls, x: Tree, y: Tree, costs: Costs, tol: float | None) -> CoOptimal:
        table, index = costs._pair_table(x, y)
        if index is not None:
            # Unknown labels raise here, not at first use.
            for tree in (x, y):
                _core.encode(tree._data.alphabet, index)
        pair = object.__new__(cls)
        call = (x._data, y._data, table, index)
        solved = _core.CoOptimalPair(*call, tol)
        pair._put(_x=x, _y=y, _costs=costs, _tol=tol, _call=call, _solved=solved, _cache={})
        return pair

    @property
    def x(self) -> Tree:
        """The tree that is edited."""
        return self._x

    @property
    def y(self) -> Tree:
        """The result of the edits."""
        return self._y

    @property
    def costs(self) -> Costs:
        """The costs of edits."""
        return self._costs

    def _once(self, name: str, compute: Callable[[], Any]) -> Any:
        cache = self._cache
        if name not in cache:
            cache[name] = compute()
        return cache[name]

    @property
    def cost(self) -> float:
        """The distance, which is the cost of every optimal alignment."""
        return self._once("cost", self._distance)  # type: ignore[no-any-return]

    def _distance(self) -> float:
        x, y, table, index = self._call
        if table is None:
            return _core.unit_distance(x, y)
        return _core.table_distance(x, y, table, index)

    @property
    def count(self) -> int:
        """The exact number of optimal alignments."""
        return self._once(  # type: ignore[no-any-return]
            "count",
            lambda: int.from_bytes(self._solved.count(), "little"),
        )

    @property
    def expectation(self) -> FloatArray:
        """The share of optimal alignments with each pair, deletion and insertion."""
        return self._once(  # type: ignore[no-any-return]
            "expectation", lambda: frozen(self._solved.expectation())
        )

    def sample(self, k: int = 1, random_state: Any = None) -> list[Alignment]:
        """Draw optimal alignments at random.

        Parameters
        ----------
        k : int, default=1
            Number of alignments.
        random_state : int, RandomState instance or None, default=None
            The source of randomness, as in scikit-learn.

        Returns
        -------
        list of Alignment
            Independent draws; every optimal alignment is equally likely.

        Examples
        --------
        >>> from treemetric import Tree, cooptimal
        >>> pair = cooptimal(Tree.from_sequence("aa"), Tree.from_sequence("a"))
        >>> len(pair.sample(3, random_state=0))
        3
        """
        k = check_int(k, "k", "sample", least=0, most=2**31 - 1)
        # In Rust and in Python, and the alignment itself.
        check_memory(k * (250 + 16 * min(self.x.size, self.y.size)), f"{k} alignments")
        seed = int(check_random_state(random_state, "sample").randint(2**31 - 1))
        drawn = self._solved.sample(k, seed)
        return [self._alignment(matches) for matches in drawn]

    def _alignment(self, matches: bytes) -> Alignment:
        # Costs may differ within the tolerance.
        x, y, table, index = self._call
        cost = _core.alignment_cost(x, y, table, index, matches)
        return Alignment._of(self.x, self.y, self.costs, cost, matches)

    def __iter__(self) -> Iterator[Alignment]:
        return map(self._alignment, iter(self._solved))

    def __reduce__(self) -> tuple[Any, ...]:
        return CoOptimal._make, (self.x, self.y, self.costs, self._tol)

    def __repr__(self) -> str:
        noun = "alignment" if self.count == 1 else "alignments"
        return f"<CoOptimal: {self.count} {noun} of cost {self.cost}>"


def cooptimal(
    x: Tree, y: Tree, *, costs: CostsLike | None = None, tol: float | None = None
) -> CoOptimal:
    """Find all optimal alignments of two trees.

    Parameters
    ----------
    x, y : Tree
        Trees or forests.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    tol : float, optional
        Two steps are tied if they differ by at most this share of the distance. By default it is 0
        if all costs are integers up to 2**40 or short decimals (see `CostMatrix`), whose sums are
        exact, and 1e-9 for other costs, which restores ties that rounding breaks; see Notes.

    Returns
    -------
    CoOptimal
        The number of alignments, the share of each pair, samples, and an iterator.

    Notes
    -----
    Alignments are counted, not paths through the dynamic program: "delete, then insert" and
    "insert, then delete" are two paths and one alignment. The smallest example is a(a, a) and
    a(a(a)), with 6 optimal alignments and 7 paths. The number of optimal alignments can grow
    exponentially; it is exact for any size. Time and memory are those of the distance, plus a
    multiple for the subtrees that optimal alignments use. With m and n nodes, the expectation takes
    about 80 * m * n bytes. An exact count above 2**53 takes up to three times its own length
    for each of m * n cells. Iterating over all alignments takes the sum of the sizes of all pairs
    of subtrees that they use.

    Ties are decided step by step. Sums of integers up to 2**40 and of short decimals are exact, and
    exactly the optimal alignments are found by default. Sums of other costs are rounded by less
    than 1e-12 of the largest cost per node; such small differences are ties for every `tol`. A
    `tol` far above 1e-9 does not bound the cost of nearly optimal alignments, because the
    differences of all steps add up.

    Iteration pairs nodes as early as possible, in preorder of x. The first alignment may differ
    from that of `align`, which prefers to keep subtrees together.

    Examples
    --------
    >>> from treemetric import Tree, cooptimal
    >>> x, y = Tree.from_bracket("{a{a}{a}}"), Tree.from_bracket("{a{a{a}}}")
    >>> cooptimal(x, y)
    <CoOptimal: 6 alignments of cost 2.0>
    """
    checked = check_pair(x, y, costs, "cooptimal")
    return CoOptimal._make(x, y, checked, check_tol(tol, "cooptimal"))
