"""A set of trees that is prepared once for many searches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path as FilePath
from typing import Any, Self

import numpy as np

from treemetric._base.locks import ThreadLock
from treemetric._base.progress import reporter
from treemetric._base.typing import CostsLike, Indices, Norm, Path, Progress, Trees
from treemetric._base.validation import (
    check_bool,
    check_n_jobs,
    check_norm,
    count_of,
    is_int,
    refuse,
    shown,
)
from treemetric.costs import Costs
from treemetric.costs.resolve import check_costs
from treemetric.neighbors.contents import Contents, positions_with_ids
from treemetric.neighbors.index_file import IndexFile, write_index
from treemetric.neighbors.pivots import Pivots, check_n_pivots, choose_pivots
from treemetric.neighbors.request import LEVEL_CANDIDATES, SearchRequest, check_radius
from treemetric.neighbors.results import NearestResult, WithinResult
from treemetric.treeset import TreeSet, check_trees, positions_of

__all__ = ["TreeIndex"]


class TreeIndex:
    """A set of trees for repeated searches, which can change and can be stored in a file.

    An index keeps what searches prepare of its trees: label strings and histograms for `within`,
    prepared trees and the data of lower bounds for `nearest`, and, for costs that are a
    pseudo-metric, the distances from a few of its trees, the pivots, to all others. A tree that is
    near a pivot is far from all trees that are far from the pivot.

    Parameters
    ----------
    Y : TreeSet or list of Tree
        The trees to search in.
    costs : Costs or callable, optional
        The costs of edits; every edit costs 1 by default.
    norm : {'weight', 'max', 'sum', 'li_zhang'}, optional
        What distances are divided by before they are compared; see `normalized_distance`.
    n_pivots : int or 'auto', default='auto'
        Number of pivots; 0 for none. Each pivot takes one distance to every tree when the index
        is built and one distance for every query. 'auto' uses pivots where they were faster in
        our measurements; see Notes.
    n_jobs : int, optional
        Number of threads to build with; None means 1, -1 all CPUs.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of pivots; returning False stops the computation.

    Attributes
    ----------
    trees : TreeSet
        The trees.
    costs : Costs
        The costs of edits.
    norm : str or None
        What distances are divided by.
    pivots : ndarray of shape (n_pivots,)
        The positions of the pivots.

    Raises
    ------
    ValueError
        If `n_pivots` is positive and the costs are not a pseudo-metric.

    See Also
    --------
    nearest, within : Searches for all queries at once.

    Notes
    -----
    The results equal those of `nearest` and `within` bit for bit, also after trees were added and
    removed: the bounds of pivots are reduced by the largest effect of rounding on the triangle
    inequality, and normalised afterwards. Pivots are chosen far from each other, starting with the
    largest tree. 'auto' uses 4 pivots for `VectorCosts` and at least 100 trees, otherwise none.

    The first search prepares what it needs. Under `UnitCosts` and `OperationCosts`, `within` needs
    strings and histograms only. Searches of several threads may run at the same time, also while
    another thread changes the index: a search sees the trees of the moment in which it started.
    Changes by several threads happen one after the other.

    An index can be pickled. An index that was opened and not changed since is pickled as the name
    and the digest of its file, so that worker processes share the memory of one file.

    Examples
    --------
    >>> from treemetric import Tree, TreeIndex
    >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")], n_pivots=1)
    >>> index
    <TreeIndex of 3 trees with 1 pivot, UnitCosts()>
    >>> index.nearest([Tree.from_sequence("xy")], k=1).indices
    array([[2]])
    >>> index.remove([0])
    >>> index.nearest([Tree.from_sequence("xy")], k=1).indices
    array([[1]])
    """

    __slots__ = ("_costs", "_file", "_kept_contents", "_lock", "_n_pivots", "_norm", "_source")
    # None until something else than the header of a file is needed.
    _costs: Costs | None
    _kept_contents: Contents | None
    # The file that the trees are those of; None after a change.
    _file: IndexFile | None
    # The file that trees are views of, also after a change.
    _source: IndexFile | None
    # Held while the index changes.
    _lock: ThreadLock
    _n_pivots: int | str
    _norm: str | None

    def __init__(
        self,
        Y: Trees,
        *,
        costs: CostsLike | None = None,
        norm: Norm | None = None,
        n_pivots: int | str = "auto",
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        threads = check_n_jobs(n_jobs, "TreeIndex")
        known = check_costs(costs, "TreeIndex")
        scale = check_norm(norm, "TreeIndex")
        contents = Contents.of(check_trees(Y, "Y", "TreeIndex"))
        with reporter(progress, "TreeIndex", "pivots") as report:
            count, slack = check_n_pivots(n_pivots, known, contents.trees, "TreeIndex")
            # Unknown labels raise here, not at the first query.
            known._resolve(contents.trees, None)
            contents.pivots = (choose_pivots(contents.trees, known, count, slack, threads, report),)
        wanted = n_pivots if isinstance(n_pivots, str) else int(n_pivots)
        self._fill(contents, known, scale, wanted)

    def _fill(
        self, contents: Contents, costs: Costs, norm: str | None, n_pivots: int | str
    ) -> None:
        self._kept_contents, self._costs, self._file = contents, costs, None
        self._source, self._lock = None, ThreadLock()
        self._norm, self._n_pivots = norm, n_pivots

    @property
    def trees(self) -> TreeSet:
        """The trees."""
        return self._contents().trees

    @property
    def costs(self) -> Costs:
        """The costs of edits."""
        if self._costs is None:
            with self._lock:
                if self._costs is None:
                    assert self._file is not None
                    self._costs = self._file.costs
        return self._costs

    @property
    def norm(self) -> str | None:
        """What distances are divided by; None for distances themselves."""
        return self._norm

    @property
    def pivots(self) -> Indices:
        """The positions of the pivots."""
        found = self._pivots(self._contents(), 1)
        return np.empty(0, dtype=np.int64) if found is None else found.chosen.astype(np.int64)

    def _contents(self) -> Contents:
        """Return the trees; those of a file are checked at the first call.

        Later calls check that nobody has written to the file.
        """
        if self._kept_contents is None:
            with self._lock:
                if self._kept_contents is None:
                    assert self._file is not None
                    contents = Contents.of(self._file.trees)
                    contents.pivots = (self._file.pivots,)
                    # Unknown labels raise here, as they do for a new index.
                    self.costs._resolve(contents.trees, None)
                    self._kept_contents = contents
        elif self._source is not None:
            self._source.check_unchanged()
        return self._kept_contents

    def _pivots(self, contents: Contents, threads: int) -> Pivots | None:
        """Return the pivots, which are chosen again after a change."""
        none = 0 if self.costs._pivots_pay else "auto"
        if contents.pivots is None and self._n_pivots in (0, none):
            contents.pivots = (None,)
        if contents.pivots is None:
            trees = contents.trees
            count, slack = check_n_pivots(self._n_pivots, self.costs, trees, "TreeIndex")
            contents.pivots = (choose_pivots(trees, self.costs, count, slack, threads, None),)
        return contents.pivots[0]

    def add(self, trees: Trees) -> None:
        """Add trees after the present ones.

        Parameters
        ----------
        trees : TreeSet or list of Tree
            The new trees. If the trees of the index have ids or classes, these must have them too.

        Raises
        ------
        UnknownLabelError
            If the costs do not know a label; the index stays as it was.

        Notes
        -----
        The time depends on the new trees, not on the size of the index, except that trees move to
        another place in memory a few times. The next call of `nearest` prepares all trees again,
        and pivots are chosen again when they are next needed.

        Examples
        --------
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence("abc")])
        >>> index.add([Tree.from_sequence("xyz")])
        >>> index.within([Tree.from_sequence("xy")], radius=1)[0]
        (array([1]), array([1.]))
        """
        added = check_trees(trees, "trees", "TreeIndex.add")
        self.costs._resolve(added, None)
        with self._lock:
            contents = self._contents()
            for name in ("ids", "classes"):
                without = contents.values(name) is None
                if len(contents) and without != (getattr(added, name) is None):
                    got = f"other {name}; the index has {'no' if without else 'its own'} {name}"
                    must = f"a TreeSet with {name} if the trees of the index have them"
                    refuse("trees", "TreeIndex.add", must, got)
            if len(added):
                self._change(contents.added(added))

    def remove(self, positions: Any = None, *, ids: Iterable[Any] | None = None) -> None:
        """Remove trees; the trees behind them move up, as in a list.

        Parameters
        ----------
        positions : int, slice, list of int or mask, optional
            Which trees to remove.
        ids : iterable, optional
            The ids of the trees to remove, in place of positions. All trees with one of these ids
            are removed.

        Raises
        ------
        ValueError
            If there is no tree at a position or with one of the ids; the index stays as it was.

        Examples
        --------
        >>> from treemetric import Tree, TreeIndex, TreeSet
        >>> trees = TreeSet([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")], ids="pqr")
        >>> index = TreeIndex(trees)
        >>> index.remove(ids=["q"])
        >>> index.remove(0)
        >>> index.trees.ids
        ('r',)
        """
        if (positions is None) == (ids is None):
            refuse("positions", "TreeIndex.remove", "given if ids is None", shown(positions))
        with self._lock:
            contents = self._contents()
            if ids is not None:
                chosen = positions_with_ids(ids, contents)
            else:
                chosen = _check_positions(positions, len(contents))
            if len(chosen):
                self._change(contents.removed(chosen))

    def _change(self, contents: Contents) -> None:
        """Take other trees, which are no longer those of a file."""
        self._costs = self.costs
        self._kept_contents, self._file = contents, None

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the index to a file, which `open` maps into memory.

        Parameters
        ----------
        path : str or path
            The file.
        overwrite : bool, default=False
            Replace a file.

        Raises
        ------
        FileExistsError
            If the file exists and `overwrite` is False.
        BlockingIOError
            If another process writes the same file.
        TypeError
            If a label, id or class is neither str, int, float, bool, None, bytes, complex, Ellipsis
            nor a tuple or frozenset of those.
        ValueError
            If the costs are of a kind that cannot be stored: a function, or a class of your own.

        Notes
        -----
        The file appears as a whole: if the process is killed or the disk is full, the old file
        stays as it was. Processes that have opened the old file keep its trees.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence("abc")])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "trees.index"
        ...     index.save(path)
        ...     len(TreeIndex.open(path))
        1
        """
        target = FilePath(_check_path(path, "TreeIndex.save"))
        if not check_bool(overwrite, "overwrite", "TreeIndex.save") and target.exists():
            message = f"{target} exists; use overwrite=True to replace it, or another name"
            raise FileExistsError(message)
        if target.is_dir():
            message = f"{target} is a folder; an index does not replace it"
            raise IsADirectoryError(message)
        if not target.absolute().parent.is_dir():
            message = f"No such folder for the index: {target.parent}"
            raise FileNotFoundError(message)
        contents = self._contents()
        pivots = (self._n_pivots, self._pivots(contents, 1))
        write_index(target, contents.trees, self.costs, self._norm, pivots)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an index that was written by `save`.

        Parameters
        ----------
        path : str or path
            The file. It is mapped into memory, so processes that open it share its memory.

        Returns
        -------
        TreeIndex
            The index. Changes stay in memory until it is saved.

        Raises
        ------
        ValueError
            If the file is damaged, or not an index, or of a format that this version does not
            know. The message names the file.

        Notes
        -----
        Only the header is read and checked, in about a millisecond whatever the number of trees.
        The first search, or change, checks everything else, before anything is computed from it,
        and raises the same errors. No part of a file runs as code.

        The file must not be written to while it is open; `save` replaces it and does not write to
        it. The next call notices such a change and raises ValueError.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "xyz")])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.save(pathlib.Path(folder) / "trees.index")
        ...     opened = TreeIndex.open(pathlib.Path(folder) / "trees.index")
        >>> opened.within([Tree.from_sequence("xy")], radius=1)[0]
        (array([1]), array([1.]))
        """
        index = cls.__new__(cls)
        file = IndexFile(FilePath(_check_path(path, "TreeIndex.open")))
        index._kept_contents, index._costs, index._file = None, None, file
        index._source, index._lock = file, ThreadLock()
        index._norm, index._n_pivots = file.norm, file.n_pivots
        return index

    def nearest(
        self,
        X: Trees | None = None,
        *,
        k: int = 5,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> NearestResult:
        """Find the k nearest trees of the index, exactly.

        Parameters
        ----------
        X : TreeSet or list of Tree, optional
            The trees whose neighbours are searched; the trees of the index by default, where no
            tree is its own neighbour.
        k : int, default=5
            Number of neighbours, at most the number of candidates.
        n_jobs : int, optional
            Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
        progress : callable or bool, optional
            As in `treemetric.nearest`.

        Returns
        -------
        NearestResult
            As from `treemetric.nearest`.

        Examples
        --------
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")])
        >>> index.nearest(k=1).distances.ravel()
        array([1., 1., 3.])
        """
        return self._request(X, n_jobs, progress, "TreeIndex.nearest").nearest(k)

    def within(
        self,
        X: Trees | None = None,
        *,
        radius: float,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> WithinResult:
        """Find all trees of the index within a radius, exactly.

        Parameters
        ----------
        X : TreeSet or list of Tree, optional
            The trees whose neighbours are searched; the trees of the index by default, where no
            tree is its own neighbour.
        radius : float
            The largest distance of a neighbour, in the scale of the result; ``inf`` for all.
        n_jobs : int, optional
            Number of threads; None means 1, -1 all CPUs. The result does not depend on it.
        progress : callable or bool, optional
            As in `treemetric.within`.

        Returns
        -------
        WithinResult
            As from `treemetric.within`.

        Examples
        --------
        >>> from treemetric import Tree, TreeIndex
        >>> index = TreeIndex([Tree.from_sequence(s) for s in ("abc", "abd", "xyz")])
        >>> index.within([Tree.from_sequence("xy")], radius=1)[0]
        (array([2]), array([1.]))
        """
        function = "TreeIndex.within"
        contents = self._contents()
        if X is not None:
            request = SearchRequest.checked(
                X, None, self.costs, n_jobs, progress, function, self._norm
            )
            if self._pivots(contents, request.threads) is None:
                found = contents.within(request, check_radius(radius, function))
                if found is not None:
                    return WithinResult._make(**found)
        return self._request(X, n_jobs, progress, function).within(radius)

    def _request(
        self, X: Trees | None, n_jobs: int | None, progress: Progress, function: str
    ) -> SearchRequest:
        contents = self._contents()
        request = SearchRequest.checked(
            contents.trees if X is None else X,
            None if X is None else contents.trees,
            self.costs,
            n_jobs,
            progress,
            function,
            self._norm,
        )
        pivots = self._pivots(contents, request.threads)
        # Inside the index, a join within a radius needs no prepared trees.
        needed = X is not None or function == "TreeIndex.nearest"
        kept = contents.search_index(self.costs, request.threads) if needed else None
        levels = kept is not None and function == "TreeIndex.nearest" and X is not None
        levels = levels and len(contents) >= LEVEL_CANDIDATES
        known = contents.known(self.costs, request.threads) if levels else None
        return request._replace(pivots=pivots, kept=kept, known=known)

    def __reduce__(self) -> tuple[Any, ...]:
        file = self._file  # which a change by another thread removes
        if file is not None:
            return _reopen, (str(file.path), file.digest)
        contents = self._contents()
        pivots = self._pivots(contents, 1)
        return _rebuild, (contents.trees, self.costs, pivots, self._norm, self._n_pivots)

    def __len__(self) -> int:
        file = self._file
        if self._kept_contents is None and file is not None:
            return file.count
        return len(self._contents())

    def __repr__(self) -> str:
        trees, pivots = count_of(len(self), "tree"), count_of(len(self.pivots), "pivot")
        norm = "" if self._norm is None else f", norm={self._norm!r}"
        return f"<TreeIndex of {trees} with {pivots}, {self.costs!r}{norm}>"


def _rebuild(
    trees: TreeSet,
    costs: Costs,
    pivots: Pivots | None,
    norm: str | None = None,
    n_pivots: int | str = "auto",
) -> TreeIndex:
    index = TreeIndex.__new__(TreeIndex)
    contents = Contents.of(trees)
    contents.pivots = (pivots,)
    index._fill(contents, costs, norm, n_pivots)
    return index


def _reopen(path: str, digest: str) -> TreeIndex:
    index = TreeIndex.open(path)
    assert index._file is not None
    if index._file.digest != digest:
        message = f"{path} is not the file any more that the index was opened from"
        raise ValueError(message)
    return index


def _check_positions(positions: object, count: int) -> Indices:
    """Return positions of trees, each once, ascending."""
    try:
        chosen = positions_of([positions] if is_int(positions) else positions, count)
    except (TypeError, IndexError, OverflowError):
        must = f"an int, a slice, a list of ints or a mask, for {count} trees"
        refuse("positions", "TreeIndex.remove", must, shown(positions))
    return np.unique(chosen.astype(np.int64))


def _check_path(path: object, function: str) -> str | os.PathLike[str]:
    if not isinstance(path, (str, os.PathLike)):
        refuse("path", function, "a str or a path", shown(path))
    return path
