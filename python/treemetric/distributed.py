"""Distances on many machines: the blocks of a matrix as tasks of dask or of joblib.

The blocks are the same as those that `treemetric.pairwise_distances` writes to a file. They have
about equal work, and the results are the same bit for bit. The tasks are scheduled by dask (the
extra ``dask``) or joblib.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from treemetric._base.extras import need
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, DType, Norm, Progress, Trees
from treemetric._base.typing import Path as PathLike
from treemetric._base.validation import check_bool, check_int, check_n_jobs, is_int, refuse, shown
from treemetric.matrix import dask as on_dask
from treemetric.matrix import joblib as on_joblib
from treemetric.matrix.fill import DistanceFile, check_budget, store_class
from treemetric.matrix.problem import Problem
from treemetric.matrix.zarr import ZarrStore
from treemetric.neighbors.cluster import JoinFolder, check_folder
from treemetric.neighbors.cluster import fill as fill_join
from treemetric.neighbors.pair_files import PairFile
from treemetric.neighbors.request import SearchRequest
from treemetric.neighbors.stream import join_of

__all__ = ["joblib_distances", "pairwise_distances", "within"]


def pairwise_distances(
    X: Trees,
    Y: Trees | None = None,
    *,
    client: Any = None,
    costs: CostsLike | None = None,
    cutoff: float | None = None,
    n_jobs: int | None = None,
    dtype: DType = "float64",
    condensed: bool = False,
    norm: Norm | None = None,
    out: PathLike | None = None,
    writer: str = "client",
    progress: Progress = None,
    memory_budget: int | str | None = None,
    overwrite: bool = False,
) -> Any:
    """Compute the distances from all trees of X to all trees of Y on a dask cluster.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The source trees.
    Y : TreeSet or list of Tree, optional
        The target trees; X itself by default.
    client : distributed.Client, optional
        The cluster that fills `out`; the current client by default. The trees are sent to each
        worker once. Not used without `out`: dask then computes the array as any other.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    cutoff : float, optional
        Distances above it are returned as ``inf``.
    n_jobs : int, optional
        Number of threads for each block; None means 1, because dask's workers have threads of
        their own.
    dtype : {'float64', 'float32'} or a type of integers, default='float64'
        Type of the result, as in `treemetric.pairwise_distances`.
    condensed : bool, default=False
        Return the upper triangle as one row, in the order of SciPy's ``pdist``.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by; see `treemetric.normalized_distance`.
    out : path, optional
        A path that ends in ``.npy`` or ``.zarr``, filled and resumed as by
        `treemetric.pairwise_distances`. Each function can resume a file of the other.
    writer : {'client', 'workers'}, default='client'
        The processes that write to `out`. Workers can write full matrices in Zarr's format if
        all of them share the folder.
    progress : callable or bool, optional
        If `out` is given: called as ``progress(done, total)`` after each block, or True for
        a bar (needs tqdm). Returning False stops the computation.
    memory_budget : int or str, optional
        The largest number of bytes of a block on a worker; 512 MiB by default.
    overwrite : bool, default=False
        If `out` is given: replace a file with other contents.

    Returns
    -------
    dask.array.Array, numpy.memmap or zarr.Array
        Without `out`, a lazy array with one block per chunk. With `out`, the complete file.

    Raises
    ------
    ImportError
        If dask is not installed.
    ValueError
        If `out` is given without a cluster, or as in `treemetric.pairwise_distances`.

    See Also
    --------
    treemetric.pairwise_distances : Distances on one machine.
    joblib_distances : Distances with joblib.

    Notes
    -----
    If a worker dies, other workers compute its blocks again. With symmetric costs every pair is
    computed once: chunks below the diagonal are transposed chunks from above it.

    Examples
    --------
    >>> from treemetric import Tree
    >>> from treemetric.distributed import pairwise_distances
    >>> trees = [Tree.from_bracket(s) for s in ("{a{b}{c}}", "{a{c}}", "{b}")]
    >>> D = pairwise_distances(trees)  # doctest: +SKIP
    >>> D.compute()  # doctest: +SKIP
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    """
    name = "pairwise_distances"
    threads = check_n_jobs(n_jobs, name)
    budget = check_budget(memory_budget, name)
    _check_path(out, name)
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
    if writer not in ("client", "workers"):
        refuse("writer", name, "'client' or 'workers'", shown(writer))
    need("dask", "dask", "treemetric.distributed.pairwise_distances")
    if out is None:
        return on_dask.lazy(problem, threads, budget)
    cluster = on_dask.current_client(client)
    if cluster is None:
        refuse("client", name, "a distributed.Client if out is a path", "none")
    file = DistanceFile(
        problem, out, budget=budget, threads=threads, overwrite=overwrite, function=name
    )
    if writer == "workers" and (store_class(Path(out), name) is not ZarrStore or condensed):
        refuse("writer", name, "'client' unless out is a full matrix in Zarr's format", "'workers'")
    with reporter(progress, name, "pairs") as report:
        return on_dask.fill(file, cluster, threads, writer == "workers", report)


def joblib_distances(
    X: Trees,
    Y: Trees | None = None,
    *,
    costs: CostsLike | None = None,
    cutoff: float | None = None,
    n_jobs: int | None = None,
    dtype: DType = "float64",
    condensed: bool = False,
    norm: Norm | None = None,
    out: PathLike | None = None,
    progress: Progress = None,
    memory_budget: int | str | None = None,
    overwrite: bool = False,
) -> Any:
    """Compute the distances from all trees of X to all trees of Y with joblib.

    `treemetric.pairwise_distances` is simpler on a single machine. This function is for backends
    that use many machines, for instance those of dask or Ray: the backend of
    ``joblib.parallel_config`` computes the blocks.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The source trees.
    Y : TreeSet or list of Tree, optional
        The target trees; X itself by default.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    cutoff : float, optional
        Distances above it are returned as ``inf``.
    n_jobs : int, optional
        As for ``joblib.Parallel``.
    dtype : {'float64', 'float32'} or a type of integers, default='float64'
        Type of the result, as in `treemetric.pairwise_distances`.
    condensed : bool, default=False
        Return the upper triangle as one row, in the order of SciPy's ``pdist``.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by; see `treemetric.normalized_distance`.
    out : path, optional
        A path that ends in ``.npy`` or ``.zarr``, filled and resumed as by
        `treemetric.pairwise_distances`. The result is an array in memory by default.
    progress : callable or bool, optional
        Called as ``progress(done, total)`` after each block, or True for a bar (needs tqdm).
        Returning False stops the computation.
    memory_budget : int or str, optional
        The largest number of bytes of a block; 512 MiB by default.
    overwrite : bool, default=False
        If `out` is given: replace a file with other contents.

    Returns
    -------
    ndarray, numpy.memmap or zarr.Array
        The distances.

    See Also
    --------
    pairwise_distances : Distances with dask.

    Notes
    -----
    Each task contains the trees of its block, so it works with every backend.

    Examples
    --------
    >>> import joblib
    >>> from treemetric import Tree
    >>> from treemetric.distributed import joblib_distances
    >>> trees = [Tree.from_bracket(s) for s in ("{a{b}{c}}", "{a{c}}", "{b}")]
    >>> with joblib.parallel_config("threading", n_jobs=2):
    ...     joblib_distances(trees)
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    """
    name = "joblib_distances"
    if n_jobs is not None and (not is_int(n_jobs) or n_jobs == 0):
        refuse("n_jobs", name, "None or an int other than 0", shown(n_jobs))
    budget = check_budget(memory_budget, name)
    _check_path(out, name)
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
    with reporter(progress, name, "pairs") as report:
        if out is None:
            return on_joblib.into_array(problem, n_jobs, budget, report, name)
        file = DistanceFile(
            problem, out, budget=budget, threads=1, overwrite=overwrite, function=name
        )
        return on_joblib.into_file(file, n_jobs, report)


def within(
    X: Trees,
    Y: Trees | None = None,
    *,
    radius: float,
    out: PathLike,
    client: Any = None,
    costs: CostsLike | None = None,
    norm: Norm | None = None,
    once: bool = False,
    band_size: int = 50_000,
    n_jobs: int | None = None,
    progress: Progress = None,
    overwrite: bool = False,
) -> PairFile:
    """Find all pairs of trees within a radius on a dask cluster.

    The trees are sorted by size and cut into bands. Two bands whose sizes are near enough are one
    task, which writes its pairs to one file.

    Parameters
    ----------
    X : TreeSet or list of Tree
        The trees whose neighbours are searched.
    Y : TreeSet or list of Tree, optional
        The trees to search in; X itself by default.
    radius : float
        The largest distance of a neighbour, in the scale of the result.
    out : path
        A folder that ends in ``.parquet``, which all workers and the client share. It is created,
        or resumed if an earlier call did not finish.
    client : distributed.Client, optional
        The cluster; the current client by default.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by; see `treemetric.normalized_distance`.
    once : bool, default=False
        If True, a pair inside one set appears once, with source < target.
    band_size : int, default=50000
        The largest number of trees of a band. A task holds two bands in memory.
    n_jobs : int, optional
        Number of threads of a task; None means 1, because dask's workers have threads of
        their own.
    progress : callable or bool, optional
        Called as ``progress(done, total)`` after each task with numbers of pairs of trees, or
        True for a bar (needs tqdm). Returning False stops the computation.
    overwrite : bool, default=False
        Replace the files of another join in the folder.

    Returns
    -------
    PairFile
        The folder and the number of pairs in it.

    Raises
    ------
    ImportError
        If dask or pyarrow is not installed.
    FileExistsError
        If the folder holds other files.
    ValueError
        If there is no cluster, or the folder holds another join and `overwrite` is False.

    See Also
    --------
    treemetric.within : The same pairs on one machine.

    Notes
    -----
    If a worker dies, other workers repeat its tasks. If the client dies, repeat the call: tasks
    that are finished are recorded in ``_treemetric.json`` and not repeated. The folder is a data
    set of Parquet with the columns ``source``, ``target`` and ``distance``, without ids;
    ``pandas.read_parquet(out)`` reads it.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> from treemetric.distributed import within
    >>> with Client("scheduler:8786") as client:  # doctest: +SKIP
    ...     within(trees, radius=3, out="/shared/pairs.parquet", client=client, once=True)
    """
    name = "within"
    path = check_folder(out, name)
    band = check_int(band_size, "band_size", name)
    replace = check_bool(overwrite, "overwrite", name)
    request = SearchRequest.checked(X, Y, costs, n_jobs, progress, name, norm)
    join = join_of(request, radius, once=once)
    need("distributed", "dask", "treemetric.distributed.within")
    need("pyarrow", "parquet", "treemetric.distributed.within")
    cluster = on_dask.current_client(client)
    if cluster is None:
        refuse("client", name, "a distributed.Client", "none")
    folder = JoinFolder(request, join, path, band)
    with reporter(progress, name, "pairs") as report:
        return fill_join(folder, cluster, overwrite=replace, report=report)


def _check_path(out: PathLike | None, function: str) -> None:
    """Check the name of the file before trees are read."""
    if out is None:
        return
    if not isinstance(out, (str, os.PathLike)):
        refuse("out", function, "None or a path that ends in .npy or .zarr", shown(out))
    store_class(Path(out), function)


def __dir__() -> list[str]:
    # Names for users only, not what this module imports.
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
