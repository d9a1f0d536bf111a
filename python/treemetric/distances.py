"""The distance of two trees, and all distances of many trees."""

from __future__ import annotations

import os
from pathlib import Path

from treemetric import _core
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, Distances, DType, Norm, Progress, Trees
from treemetric._base.typing import Path as PathLike
from treemetric._base.validation import check_bool, check_cutoff, check_n_jobs, refuse, shown
from treemetric.costs.resolve import check_pair
from treemetric.matrix.problem import Problem
from treemetric.tree import Tree

__all__ = ["distance", "pairwise_distances"]


def distance(
    x: Tree,
    y: Tree,
    *,
    costs: CostsLike | None = None,
    cutoff: float | None = None,
    n_jobs: int | None = None,
) -> float:
    """Compute the tree edit distance from x to y.

    It is the cost of the cheapest way to turn x into y by deleting nodes (their children
    move up), inserting nodes and replacing labels. The result is exact.

    Parameters
    ----------
    x, y : Tree
        Trees or forests; either may be empty.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    cutoff : float, optional
        A distance above it is returned as ``inf``, often without computing it. Distances up
        to the cutoff are exact.
    n_jobs : int, optional
        Number of threads for a pair of large trees, from about 2,000 nodes on; None means 1, -1 all
        CPUs that this process may use. The environment variable ``TREEMETRIC_NUM_THREADS`` is
        an upper bound. The result does not depend on it.

    Returns
    -------
    float
        The distance.

    Raises
    ------
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the table of the two trees does not fit in memory.

    See Also
    --------
    pairwise_distances : All distances of many trees, in parallel.
    paired_distances : The distances of pairs of trees, in parallel.
    normalized_distance : The distance in relation to the sizes of the trees.

    Notes
    -----
    The algorithm is that of Zhang and Shasha (1989) on the better of the left and the right
    decomposition, or, for large trees where this is slow, on inner paths (Demaine et al. 2009). The
    memory is proportional to the product of the sizes. Inner paths need additional tables of the
    square of one size and are not used if these do not fit. If the costs violate the triangle
    inequality, the result is the cost of the cheapest alignment; see `treemetric.costs`.

    With a cutoff, lower bounds are computed first: the cost of the labels alone, and the string
    edit distances of the labels in preorder and in postorder. If they do not exceed the cutoff and
    it is far below the size, only alignments with few edits are considered (Touzet 2007), if that
    is faster.

    References
    ----------
    K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between trees
    and related problems", SIAM Journal on Computing 18(6), 1989.

    H. Touzet, "Comparing similar ordered trees in linear-time", Journal of Discrete
    Algorithms 5(4), 2007.

    Examples
    --------
    >>> from treemetric import Tree, distance
    >>> x = Tree.from_bracket("{f{d{a}{c{b}}}{e}}")
    >>> y = Tree.from_bracket("{f{c{d{a}{b}}}{e}}")
    >>> distance(x, y)
    2.0
    >>> distance(x, y, cutoff=1)
    inf
    """
    if costs is None and n_jobs is None and type(x) is Tree and type(y) is Tree:
        # A fast path for the most frequent calls.
        if cutoff is None:
            return _core.unit_distance(x._data, y._data)
        return _core.unit_distance(x._data, y._data, check_cutoff(cutoff, "distance"))
    checked = check_pair(x, y, costs, "distance")
    limit = check_cutoff(cutoff, "distance")
    threads = check_n_jobs(n_jobs, "distance")
    table, index = checked._pair_table(x, y)
    if table is None:
        return _core.unit_distance(x._data, y._data, limit, threads)
    return _core.table_distance(x._data, y._data, table, index, (limit, threads))


def pairwise_distances(
    X: Trees,
    Y: Trees | None = None,
    *,
    costs: CostsLike | None = None,
    cutoff: float | None = None,
    n_jobs: int | None = None,
    dtype: DType = "float64",
    condensed: bool = False,
    norm: Norm | None = None,
    out: Distances | PathLike | None = None,
    progress: Progress = None,
    memory_budget: int | str | None = None,
    overwrite: bool = False,
) -> Distances:
    """Compute the distances from all trees of X to all trees of Y.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The source trees.
    Y : TreeSet or list of Tree, optional
        The target trees; X itself by default. Then every pair is computed once if the costs
        are symmetric.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    cutoff : float, optional
        Distances above it are returned as ``inf``. Pairs excluded by a lower bound are never
        computed. The gain of a low cutoff depends on the trees and costs: it is large for trees
        of programs and small for small random trees under arbitrary tables. A cutoff that excludes
        few pairs takes almost no additional time.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The
        environment variable ``TREEMETRIC_NUM_THREADS`` is an upper bound. The result does
        not depend on it.
    dtype : {'float64', 'float32'} or a type of integers, default='float64'
        Type of the result; distances are computed exactly and rounded at the end. Integers
        (``'int8'`` to ``'int64'``, ``'uint8'`` to ``'uint64'``) need costs that are whole numbers,
        no cutoff and no norm. A distance that does not fit is an error.
    condensed : bool, default=False
        Return the upper triangle as one row, in the order of SciPy's ``pdist``. Needs
        ``Y=None`` and symmetric costs.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by; see `normalized_distance`. The cutoff is in the scale of
        the result.
    out : ndarray or path, optional
        Array of the right shape and type to fill, for instance a ``numpy.memmap``. Or a
        path that ends in ``.npy`` or ``.zarr`` (needs zarr): the distances are computed
        block by block into that file, so they need not fit in memory. If the process is
        killed, the same call resumes the work: only missing blocks are computed.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        about twenty times a second from the calling thread. Returning False or raising an
        exception stops the computation.
    memory_budget : int or str, optional
        If `out` is a path: the largest number of bytes that the call uses in addition to the
        trees, as a number or as a text such as ``"2GB"``; 512 MiB by default.
    overwrite : bool, default=False
        If `out` is a path: replace a file with other contents. A file of the same distances
        is resumed or kept in any case.

    Returns
    -------
    ndarray of shape (n_X, n_Y) or (n_X * (n_X - 1) / 2,)
        The distances; `out` if it was given. For a path, the file opened for reading: a
        ``numpy.memmap`` or a ``zarr.Array``.

    Raises
    ------
    UnknownLabelError
        If the costs do not know a label.
    MemoryError
        If the result or the working memory does not fit; this is checked before the work.
    CancelledError
        If `progress` returned False.
    ValueError
        If a distance does not fit in `dtype`. If the file at `out` was made from
        other trees, with other costs or options, or by another version of treemetric; the
        message names the difference.
    FileExistsError
        If the file at `out` exists and has no manifest.
    BlockingIOError
        If another process is filling the file at `out`.

    See Also
    --------
    distance : The distance of two trees.
    paired_distances : The distances of X[i] and Y[i] only.
    treemetric.distributed.pairwise_distances : Distances on many machines.

    Notes
    -----
    Ctrl-C stops the computation within a fraction of a second. The results equal those of
    `distance` bit for bit (for `CallableCosts` up to rounding; see there).

    The manifest ``D.npy.manifest.json`` of a file ``D.npy`` holds fingerprints of the trees and
    costs, the options, the version and the list of finished blocks. The name of an unfinished file
    ends in ``.partial``; an unfinished Zarr array has NaN in missing blocks,
    or the largest value of a type of integers.

    Examples
    --------
    >>> from treemetric import Tree, pairwise_distances
    >>> trees = [Tree.from_bracket(s) for s in ("{a{b}{c}}", "{a{c}}", "{b}")]
    >>> pairwise_distances(trees)
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    >>> pairwise_distances(trees, condensed=True)
    array([1., 2., 2.])
    >>> pairwise_distances(trees, dtype="uint16")
    array([[0, 1, 2],
           [1, 0, 2],
           [2, 2, 0]], dtype=uint16)
    >>> pairwise_distances(trees, norm="max", condensed=True).round(2)
    array([0.33, 0.67, 1.  ])

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     D = pairwise_distances(trees, out=pathlib.Path(folder) / "D.npy")
    ...     print(type(D).__name__, D[0].tolist())
    memmap [0.0, 1.0, 2.0]
    """
    name = "pairwise_distances"
    threads = check_n_jobs(n_jobs, name)
    path = out if out is not None and isinstance(out, (str, os.PathLike)) else None
    if path is not None:
        from treemetric.matrix import fill  # not needed otherwise

        fill.store_class(Path(path), name)  # a wrong name is an error before trees are read
        budget = fill.check_budget(memory_budget, name)
    else:
        if memory_budget is not None:
            refuse("memory_budget", name, "None unless out is a path", shown(memory_budget))
        if check_bool(overwrite, "overwrite", name):
            refuse("overwrite", name, "False unless out is a path", "True")
    with reporter(progress, name, "pairs") as report:
        problem = Problem.checked(
            X,
            Y,
            costs=costs,
            cutoff=cutoff,
            dtype=dtype,
            condensed=condensed,
            norm=norm,
            function=name,
        )
        if path is None:
            result = problem.result_array(out, name)
            problem.compute(result, threads, report)
            return result
        file = fill.DistanceFile(
            problem, path, budget=budget, threads=threads, overwrite=overwrite, function=name
        )
        found: Distances = fill.fill(file, threads, report)
        return found
