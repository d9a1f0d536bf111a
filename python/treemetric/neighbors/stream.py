"""Pairs of near trees one chunk after the other, for joins whose answers do not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

from treemetric._base.progress import check_progress, reporter
from treemetric._base.typing import CostsLike, Norm, Progress, Trees
from treemetric._base.validation import check_bool, refuse
from treemetric.neighbors.join import Join, Part
from treemetric.neighbors.pairs import Ids, PairChunk
from treemetric.neighbors.request import SearchRequest, check_radius

__all__ = ["iter_within"]


def iter_within(
    X: Trees,
    Y: Trees | None = None,
    *,
    radius: float,
    costs: CostsLike | None = None,
    norm: Norm | None = None,
    once: bool = False,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Iterator[PairChunk]:
    """Yield all pairs of trees within a radius, chunk by chunk.

    The pairs are those of `within`. They never are in memory at the same time, so there may be
    more of them than memory holds.

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
    once : bool, default=False
        If True, a pair inside one set appears once, with source < target. Otherwise it
        appears in both directions, as in the result of `within`.
    n_jobs : int, optional
        Number of threads; None means 1, -1 all CPUs that this process may use. The result
        does not depend on it.
    progress : callable or bool, optional
        True shows a bar (needs tqdm). A callable is called as ``progress(done, total)``
        with numbers of pairs of trees; returning False stops the computation.

    Yields
    ------
    PairChunk
        Arrays of sources, targets and distances of at most 1,048,576 pairs.

    Raises
    ------
    UnknownLabelError
        If the costs do not know a label.
    CancelledError
        If `progress` returned False.

    See Also
    --------
    within : The same pairs as one result, or in a file.
    deduplicate : Groups of near-duplicates.

    Notes
    -----
    Arguments are checked by the call itself, before the first chunk is asked for. The order of the
    pairs is the same in every run and does not depend on `n_jobs`; it is not the order of the
    positions. The memory is that of the trees, of some million pairs, and of the table of one pair
    of trees per thread.

    Examples
    --------
    >>> from treemetric import Tree, iter_within
    >>> trees = [Tree.from_sequence(s) for s in ("abc", "abd", "xyz", "abc")]
    >>> sum(len(chunk.source) for chunk in iter_within(trees, radius=1))
    6
    >>> for chunk in iter_within(trees, radius=0, once=True):
    ...     print(chunk.source, chunk.target, chunk.distance)
    [0] [3] [0.]
    """
    request = SearchRequest.checked(X, Y, costs, n_jobs, progress, "iter_within", norm)
    return pairs_of(request, join_of(request, radius, once=once))


def join_of(request: SearchRequest, radius: object, *, once: object) -> Join:
    """Check the arguments of a join and return its rules."""
    function = request.function
    limit = check_radius(radius, function)
    single = check_bool(once, "once", function)
    if single and request.Y is not None:
        refuse("once", function, "False for two sets of trees", "True")
    check_progress(request.progress, function)
    alphabets = (request.X.alphabet, None if request.Y is None else request.Y.alphabet)
    return Join(alphabets, request.costs, limit, request.norm, once=single)


def ids_of(request: SearchRequest) -> Ids:
    """Return the names of the trees of both sides."""
    return request.X.ids, (request.X if request.Y is None else request.Y).ids


def pairs_of(request: SearchRequest, join: Join) -> Iterator[PairChunk]:
    """Yield the pairs of a join."""
    columns = None if request.Y is None else Part.whole(request.Y)
    with reporter(request.progress, request.function, "pairs") as report:
        yield from join.stream(Part.whole(request.X), columns, request.threads, report)
