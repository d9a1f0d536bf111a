"""Counts of edits by symbols, for many pairs of trees."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treemetric import _core
from treemetric._base.progress import check_progress, reporter
from treemetric._base.typing import CostsLike, FloatArray, Label, Progress, Trees
from treemetric._base.validation import (
    as_float,
    check_memory,
    check_n_jobs,
    check_tol,
    refuse,
    shown,
)
from treemetric.alignment.soft import HOTTEST
from treemetric.costs.base import Costs, common_codes
from treemetric.costs.resolve import check_costs
from treemetric.tree import Tree
from treemetric.treeset import check_lists, check_trees

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["EditCounts", "edit_counts"]

# A list of up to this many pairs is small. Reading the free memory takes longer than making it.
_FEW_PAIRS = 1 << 20


class EditCounts(NamedTuple):
    """How often each edit occurs in alignments of pairs of trees; returned by `edit_counts`.

    Attributes
    ----------
    alphabet : tuple
        The U labels of all trees.
    pairs : ndarray of shape (n_pairs, 2)
        The compared trees.
    matrix : csr_array of shape (n_pairs, (U + 1) ** 2)
        One flattened symbol matrix per row: old labels by new labels, the gap last.

    Examples
    --------
    >>> from treemetric import Tree, edit_counts
    >>> counts = edit_counts([Tree.from_sequence("ab")], [Tree.from_sequence("b")])
    >>> counts.alphabet
    ('a', 'b')
    >>> counts.dense()[0]
    array([[0., 0., 1.],
           [0., 1., 0.],
           [0., 0., 0.]])
    """

    alphabet: tuple[Label, ...]
    pairs: npt.NDArray[np.int64]
    matrix: csr_array

    def dense(self) -> FloatArray:
        """Return the symbol matrices as one dense array, for small alphabets.

        Returns
        -------
        ndarray of shape (n_pairs, U + 1, U + 1)
            ``[p, u, v]`` is the number of edits of symbol u into symbol v in pair p.

        Examples
        --------
        >>> from treemetric import Tree, edit_counts
        >>> edit_counts([Tree.from_sequence("a")]).dense().shape
        (1, 2, 2)
        """
        side = len(self.alphabet) + 1
        check_memory(8 * len(self.pairs) * side * side, "the dense symbol matrices")
        full: FloatArray = self.matrix.toarray().reshape(-1, side, side)
        return full

    def distances(self, costs: CostsLike) -> FloatArray:
        """Compute the costs of the counted edits: the pseudo-edit distances.

        Parameters
        ----------
        costs : Costs or callable
            The costs of edits; the alignments may be optimal under other costs.

        Returns
        -------
        ndarray of shape (n_pairs,)
            At least the edit distance, if the costs are a pseudo-metric.

        Examples
        --------
        >>> from treemetric import Tree, UnitCosts, edit_counts
        >>> counts = edit_counts([Tree.from_sequence("ab")], [Tree.from_sequence("b")])
        >>> counts.distances(UnitCosts())
        array([1.])
        """
        if costs is None:
            refuse("costs", "distances", "an instance of 'treemetric.Costs'", "None")
        return check_costs(costs, "distances")._total(self.alphabet, self.matrix)


def edit_counts(
    X: Trees,
    Y: Trees | None = None,
    *,
    pairs: npt.ArrayLike | None = None,
    costs: CostsLike | None = None,
    script: str = "average",
    temperature: float | None = None,
    tol: float | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> EditCounts:
    """Count the edits of each symbol into each other symbol, for many pairs of trees.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The source trees.
    Y : TreeSet or list of Tree, optional
        The target trees; X by default.
    pairs : array-like of shape (n_pairs, 2), optional
        Indices into X and Y; all pairs by default, row by row.
    costs : Costs or callable, optional
        The costs under which alignments are optimal; every edit costs 1 by default.
    script : {'average', 'one'}, default='average'
        Count the average over all optimal alignments, or the alignment of `align`.
    temperature : float, optional
        If given, average over all alignments, weighted as in `soft_alignment`.
    tol : float, optional
        As in `cooptimal`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
    progress : callable or bool, optional
        As in `pairwise_distances`.

    Returns
    -------
    EditCounts
        The symbol matrices. They are sparse: a pair of trees has far fewer different edits than
        there are pairs of symbols. ``dense()`` returns them as one array, for small alphabets;
        ``distances(costs)`` returns the costs of the edits.

    See Also
    --------
    cooptimal : Counts for one pair, by nodes instead of symbols.

    Examples
    --------
    >>> from treemetric import Tree, edit_counts
    >>> trees = [Tree.from_sequence("aa"), Tree.from_sequence("a"), Tree.from_sequence("b")]
    >>> counts = edit_counts(trees, pairs=[(0, 1), (0, 2)])
    >>> counts.dense()[1]
    array([[0., 1., 1.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    name = "edit_counts"
    threads = check_n_jobs(n_jobs, name)
    checked = check_costs(costs, name)
    slack = check_tol(tol, name)
    if not isinstance(script, str) or script not in ("average", "one"):
        refuse("script", name, "'average' or 'one'", shown(script))
    heat = None if temperature is None else as_float(temperature)
    if heat is not None and not 0 < heat <= HOTTEST:
        must = f"None or a float in the range (0.0, {HOTTEST:g}]"
        refuse("temperature", name, must, shown(temperature))
    if heat is not None and script != "average":
        refuse("script", name, "'average' if a temperature is given", shown(script))
    check_progress(progress, name)
    only = _only_pair(X, Y) if (progress is None or progress is False) and pairs is None else None
    if only is not None and checked._same_for_all_trees:
        return _of_pair(*only, checked, (script == "average", heat, slack), threads)
    with reporter(progress, name, "pairs") as report:
        both = None
        if Y is not None and checked._same_for_all_trees:
            both = check_lists([(X, "X"), (Y, "Y")], name)
        if both is not None:
            # Packed, numbered and prepared at once; the targets follow the sources.
            sources = targets = both
            n = shift = len(X)
        else:
            sources = check_trees(X, "X", name)
            targets = sources if Y is None else check_trees(Y, "Y", name)
            n, shift = len(sources), 0
        chosen = _pairs(pairs, n, len(targets) - shift)
        alphabet, of_y = sources.alphabet, None
        if targets is not sources:
            alphabet, of_y = common_codes(alphabet, targets.alphabet)
        codes, table = checked._resolve(sources, None if targets is sources else targets)
        values, columns, ends = _core.edit_counts(
            (sources._core_set(), targets._core_set()),
            (codes, table),
            (of_y, len(alphabet), chosen, shift),
            (script == "average", heat, slack),
            (threads, report),
        )
    return EditCounts(alphabet, chosen, _csr(values, columns, ends, len(alphabet) + 1))


def _only_pair(X: Trees, Y: Trees | None) -> tuple[Tree, Tree] | None:
    """Return the trees of two lists of one tree; None if these are something else."""
    if type(X) is list and type(Y) is list and len(X) == len(Y) == 1:
        x, y = X[0], Y[0]
        if type(x) is Tree and type(y) is Tree:
            return x, y
    return None


def _of_pair(
    x: Tree, y: Tree, costs: Costs, script: tuple[bool, Any, Any], threads: int
) -> EditCounts:
    """Count the edits of one pair without making sets of its trees, which takes longer."""
    table, index = costs._pair_table(x, y)
    alphabet, arrays = _core.pair_edit_counts(x._data, y._data, table, index, (script, threads))
    matrix = _csr(*arrays, len(alphabet) + 1)
    return EditCounts(alphabet, np.zeros((1, 2), dtype=np.int64), matrix)


def _csr(values: Any, columns: Any, starts: Any, side: int) -> csr_array:
    """Return what SciPy's constructor returns for these arrays, which are valid.

    Its checks take longer than the edits of two small trees.
    """
    kind, known = _known_matrix()
    shape = (len(starts) - 1, side * side)
    if known is None:
        return kind((values, columns, starts), shape=shape)
    matrix: csr_array = object.__new__(kind)
    vars(matrix).update(known, data=values, indices=columns, indptr=starts, _shape=shape)
    return matrix


@cache
def _known_matrix() -> tuple[type[csr_array], dict[str, Any] | None]:
    """Return SciPy's class and the attributes of a matrix; None if others than expected."""
    from scipy.sparse import csr_array

    attributes = dict(vars(csr_array((1, 1))))
    known = {"data", "indices", "indptr", "_shape"} <= attributes.keys()
    return csr_array, attributes if known else None


def _pairs(pairs: npt.ArrayLike | None, n: int, m: int) -> npt.NDArray[np.int64]:
    if pairs is None:
        if n * m > _FEW_PAIRS:
            check_memory(32 * n * m, f"the list of {n * m} pairs")
        grid = np.empty((n, m, 2), dtype=np.int64)
        grid[..., 0] = np.arange(n)[:, None]
        grid[..., 1] = np.arange(m)
        return grid.reshape(-1, 2)
    array = np.asarray(pairs)
    if array.size == 0:
        array = np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        got = f"shape {array.shape} and dtype {array.dtype}"
        refuse("pairs", "edit_counts", "an array of ints of shape (n_pairs, 2)", got)
    outside = (array < 0) | (array >= np.array([n, m]))
    if outside.any():
        got = str(tuple(array[np.argwhere(outside)[0, 0]].tolist()))
        must = f"indices in the range [0, {n}) for X and [0, {m}) for Y"
        refuse("pairs", "edit_counts", must, got)
    return np.ascontiguousarray(array, dtype=np.int64)
