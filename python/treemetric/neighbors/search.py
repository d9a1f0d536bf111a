"""Searches for neighbours without a full matrix of distances."""

from __future__ import annotations

from typing import overload

from treemetric._base.typing import CostsLike, Norm, Path, Progress, Trees
from treemetric._base.validation import check_bool, refuse
from treemetric.neighbors.pair_files import PairFile, check_target, write_pairs
from treemetric.neighbors.request import SearchRequest
from treemetric.neighbors.results import NearestResult, WithinResult
from treemetric.neighbors.stream import ids_of, join_of, pairs_of

__all__ = ["nearest", "within"]


def nearest(
    X: Trees,
    Y: Trees | None = None,
    *,
    k: int = 5,
    costs: CostsLike | None = None,
    norm: Norm | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> NearestResult:
    """Find the k nearest trees of Y for every tree of X, exactly.

    Most distances are never computed: fast lower bounds show that they are too large.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The trees whose neighbours are searched.
    Y : TreeSet or list of Tree, optional
        The trees to search in; X itself by default, where no tree is its own neighbour
        (but an equal tree at another position is).
    k : int, default=5
        Number of neighbours, at most the number of candidates.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default. Distances are from X to Y.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by before they are compared; see `normalized_distance`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The result
        does not depend on it.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of trees of X; returning False stops the computation.

    Returns
    -------
    NearestResult
        Indices and distances of shape (n_X, k), sorted by distance, then by index.

    Raises
    ------
    ValueError
        If k is larger than the number of candidates.
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the result or the table of a pair of trees does not fit in memory.
    CancelledError
        If `progress` returned False.

    See Also
    --------
    within : All trees within a radius.
    TreeIndex : Searches for queries that arrive one after the other.
    treemetric.transformers.TreeNeighborsGraph : Nearest neighbours in scikit-learn's pipelines.

    Notes
    -----
    The result equals the sorted rows of `pairwise_distances` bit for bit. Candidates are visited in
    the order of a lower bound from labels, then of a lower bound from preorder and postorder
    strings (Guha et al. 2002), until no other candidate can be nearer (Seidl and Kriegel 1998).
    With many queries and unit costs, bounds are computed for many candidates at a time. The
    memory is the result, up to 300 bytes per tree and 6 per node, and the table of one pair. For
    `VectorCosts` the lower bound is weak: most distances are computed, but not stored.

    References
    ----------
    T. Seidl and H.-P. Kriegel, "Optimal multi-step k-nearest neighbor search", SIGMOD 1998.

    S. Guha, H. V. Jagadish, N. Koudas, D. Srivastava and T. Yu, "Approximate XML joins",
    SIGMOD 2002.

    Examples
    --------
    >>> from treemetric import Tree, nearest
    >>> trees = [Tree.from_sequence(s) for s in ("abc", "abd", "xyz", "abcd")]
    >>> found = nearest([Tree.from_sequence("abcde")], trees, k=2)
    >>> found.indices, found.distances
    (array([[3, 0]]), array([[1., 2.]]))
    >>> nearest(trees, k=1).indices.ravel()
    array([1, 0, 0, 0])
    """
    return SearchRequest.checked(X, Y, costs, n_jobs, progress, "nearest", norm).nearest(k)


@overload
def within(
    X: Trees,
    Y: Trees | None = None,
    *,
    radius: float,
    costs: CostsLike | None = None,
    norm: Norm | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    out: None = None,
    once: bool = False,
    overwrite: bool = False,
) -> WithinResult: ...
@overload
def within(
    X: Trees,
    Y: Trees | None = None,
    *,
    radius: float,
    costs: CostsLike | None = None,
    norm: Norm | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    out: Path,
    once: bool = False,
    overwrite: bool = False,
) -> PairFile: ...
def within(
    X: Trees,
    Y: Trees | None = None,
    *,
    radius: float,
    costs: CostsLike | None = None,
    norm: Norm | None = None,
    n_jobs: int | None = None,
    progress: Progress = None,
    out: Path | None = None,
    once: bool = False,
    overwrite: bool = False,
) -> WithinResult | PairFile:
    """Find all trees of Y within a radius, for every tree of X, exactly.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The trees whose neighbours are searched.
    Y : TreeSet or list of Tree, optional
        The trees to search in; X itself by default, where no tree is its own neighbour
        (but an equal tree at another position is).
    radius : float
        The largest distance of a neighbour, in the scale of the result; ``inf`` for all.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default. Distances are from X to Y.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by before they are compared; see `normalized_distance`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The result
        does not depend on it.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of trees of X; returning False stops the computation. With `out` the
        numbers are those of pairs of trees.
    out : path, optional
        A path that ends in ``.parquet`` (needs pyarrow, the extra ``parquet``), ``.npz`` or
        ``.csv``. The neighbours are written there pair by pair, and never are in memory at the
        same time. The file appears when it is complete.
    once : bool, default=False
        If `out` is given: write a pair inside one set once, with source < target. Otherwise
        it is written in both directions, like the neighbours of the result. In memory,
        ``to_frame(once=True)`` of the result lists each pair once.
    overwrite : bool, default=False
        If `out` is given: replace a file.

    Returns
    -------
    WithinResult or PairFile
        Without `out`, indices and distances, tree after tree, sorted by distance, then by
        index. With `out`, the file; see Notes.

    Raises
    ------
    FileExistsError
        If `out` exists and `overwrite` is False.
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the neighbours or the table of a pair of trees do not fit in memory.
    CancelledError
        If `progress` returned False.

    See Also
    --------
    nearest : The k nearest trees.
    iter_within : The same pairs one chunk after the other.
    deduplicate : Groups of near-duplicates.
    pairwise_distances : With ``cutoff``, the same distances as a full matrix.

    Notes
    -----
    The result equals the rows of `pairwise_distances` bit for bit. Inside one set and with
    symmetric costs every pair is visited once. Candidates come from an index of string segments or
    from a scan of label histograms, and all pairs are compared only where that is faster; the
    attribute ``method`` of the result states which.

    A file has the columns (or arrays) ``source``, ``target`` and ``distance``, in an order that is
    the same in every run. If the trees have ids, Parquet and CSV files also have the columns
    ``source_id`` and ``target_id``; an ``.npz`` file has the arrays ``source_ids`` and
    ``target_ids`` with one name per tree. Ids that are not all ints are written as text.

    Examples
    --------
    >>> from treemetric import Tree, within
    >>> trees = [Tree.from_sequence(s) for s in ("abc", "abd", "xyz", "abc")]
    >>> found = within(trees, radius=1)
    >>> found.counts
    array([2, 2, 0, 2])
    >>> found[0]
    (array([3, 1]), array([0., 1.]))
    """
    if out is None:
        advice = {"once": "Use to_frame(once=True) of the result.", "overwrite": ""}
        for name, value in (("once", once), ("overwrite", overwrite)):
            if check_bool(value, name, "within"):
                refuse(name, "within", "False if out is None", "True", advice[name])
        return SearchRequest.checked(X, Y, costs, n_jobs, progress, "within", norm).within(radius)
    path = check_target(out, overwrite, "within")
    request = SearchRequest.checked(X, Y, costs, n_jobs, progress, "within", norm)
    join = join_of(request, radius, once=once)
    file = write_pairs(path, pairs_of(request, join), ids_of(request))
    return file._replace(method=join.method)
